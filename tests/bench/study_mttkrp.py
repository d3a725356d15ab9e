"""Figure 5.14: X(i,j) = sum over k, l of B(i,k,l) * C(j,k) * D(j,l), fused and as two kernels, on the array; B 10 x 10 x 10,
C and D 10 x 10, random, over their sparsities. Unfused, either the product of C and D comes first, w(j,k,l) = C(j,k) * D(j,l),
or w(i,j,k) = sum over l of B(i,k,l) * D(j,l). Runtime is cycles of engine cycle at the clock of each kernel; then of
engine soc, with configuration and processor, of one draw. Of the host's time the words are counted that it writes into the global buffer and
takes from it: at a cycle of the array each, the least that one can take, and by themselves, which is what is left however slow the host.
study.py says how it is called.
"""

from study import Study

ZEROS_B = ["0", "0.5", "0.8", "0.9", "0.95", "0.99"]
ZEROS_CD = ["0", "0.5", "0.9"]
DRAWS = (1, 2, 3)  # their mean
FUSED, UNFUSED, B_FIRST = range(3)
WAYS = [("fused", "reorder(i,j,k,l)"),
        ("unfused", "precompute(C(j,k)*D(j,l),{j,k,l},{jw,kw,lw},w)"),
        ("unfused, B first", "precompute(B(i,k,l)*D(j,l),{i,j,k},{iw,jw,kw},w)")]


def measure(study, way, zeros_b, zeros_cd, draw, engine="cycle"):
    density_b, density_cd = (f"{1 - float(zeros):g}" for zeros in (zeros_b, zeros_cd))
    ran = study.must_run(["X(i,j)=B(i,k,l)*C(j,k)*D(j,l)", "-s", WAYS[way][1], "-g", f"B:10x10x10:{density_b}:{draw}",
                          "-g", f"C:10x10:{density_cd}:{draw + 10}", "-g", f"D:10x10:{density_cd}:{draw + 20}",
                          "--tile", "10", "--engine", engine, "--hazards", "warn"], 100)
    return ran


def runtime_us(*of):
    return measure(*of).number("time_us")


def host_words(ran):
    """What the host and the global buffer exchange, and the microseconds that it takes at a cycle of the array each."""
    words = [(k["tiling"]["load_words"] + k["tiling"]["partials"]["words"], k["fmax_mhz"]) for k in ran.report.get("kernels", [ran.report])]
    return sum(n for n, _ in words), sum(n / mhz for n, mhz in words)


study = Study()
us = {(way, cd, b): sum(runtime_us(study, way, b, cd, draw) / len(DRAWS) for draw in DRAWS)
      for cd in ZEROS_CD for b in ZEROS_B for way in range(len(WAYS))}
gain = {(cd, b): us[UNFUSED, cd, b] / us[FUSED, cd, b] for cd in ZEROS_CD for b in ZEROS_B}
csv = "zeros_of_B,zeros_of_C_and_D,fused_us,unfused_us,speedup,unfused_B_first_us\n" + "".join(
    f"{b},{cd},{us[FUSED, cd, b]:.3f},{us[UNFUSED, cd, b]:.3f},{gain[cd, b]:.2f},{us[B_FIRST, cd, b]:.3f}\n"
    for cd in ZEROS_CD for b in ZEROS_B)
print(csv, end="")
study.table("mttkrp.csv", csv)
csv = "zeros_of_B,zeros_of_C_and_D,fused_us,unfused_us,speedup,fused_host_words,unfused_host_words,speedup_with_words,speedup_of_words\n"
for cd in ZEROS_CD:
    for b in ZEROS_B:
        fused, unfused = (measure(study, way, b, cd, DRAWS[0], "soc") for way in (FUSED, UNFUSED))
        chip_us = fused.number("time_us"), unfused.number("time_us")
        (few, few_us), (many, many_us) = host_words(fused), host_words(unfused)
        with_words = (chip_us[1] + many_us) / (chip_us[0] + few_us)
        csv += f"{b},{cd},{chip_us[0]:.2f},{chip_us[1]:.2f},{chip_us[1] / chip_us[0]:.2f},{few},{many},{with_words:.2f},{many / few:.2f}\n"
print(csv, end="")
study.table("mttkrp_chip.csv", csv)
study.plot("mttkrp.svg", ZEROS_B,
           {f"{WAYS[way][0]}, C, D {cd}": [us[way, cd, b] for b in ZEROS_B] for cd in ZEROS_CD for way in (FUSED, UNFUSED)},
           title="MTTKRP, fused and unfused", x_label="share of zeros in B", y_label="microseconds", log_y=True)
study.plot("mttkrp_speedup.svg", ZEROS_B, {f"C, D {cd}": [gain[cd, b] for b in ZEROS_B] for cd in ZEROS_CD},
           {"the largest, published": [0] * (len(ZEROS_B) - 1) + [11.8]},  # the one number of its text, where B is sparsest and C, D densest
           title="MTTKRP, times faster by fusion", x_label="share of zeros in B", y_label="times faster", log_y=True)
sparsest = ZEROS_B[-1]
study.expect(gain["0", sparsest] > gain["0", "0"], "dense C and D: fusion gains more the sparser B is")
study.expect(gain["0", sparsest] > gain[ZEROS_CD[-1], sparsest], "sparse B: fusion gains more the denser C and D are")
print(f"largest speed-up {max(gain.values()):.2f}")
study.end()
