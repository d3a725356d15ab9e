"""Figure 5.18: SpM*SpM of two random 512 x 512 matrices by their share of zeros, beside the dense fabric. This toolchain has no
dense fabric: its line is a roofline, the chip's published peak, which no program exceeds. Runtime is that of engine cycle at the
clock by the board's delay table: the array alone, as the roofline. study.py says how it is called.
"""

from study import Study

EXTENT = 512
PEAK_GOPS = 571  # published, of 16-bit integers at 850 MHz; a multiply-add is two operations
DENSE_US = 2 * EXTENT**3 / (PEAK_GOPS * 1e3)
# Per cent. With fewer zeros engine cycle has more to do, by the square of the entries: at 50 % it takes minutes.
ZEROS = [50, 60, 70, 80, 90, 95, 98, 99, 99.5, 99.9, 99.95]
# As published: inner products, sub-tiles of 32, two copies.
INNER = ["-O0", "-s", "reorder(i,j,k)", "--unroll", "auto", "--dispatch", "dynamic"]


def runtime_us(study, zeros, options):
    operands = [word for tensor, draw in (("B", 1), ("C", 2)) for word in ("-g", f"{tensor}:{EXTENT}x{EXTENT}:{1 - zeros / 100:.4f}:{draw}")]
    return study.must_run(["X(i,j)=B(i,k)*C(k,j)", "-f", "C:ss:1,0", *operands, "--values", "ones", "--hazards", "warn", "--deadlock", "warn",
                           "--engine", "cycle", *options], 7200).number("time_us")


study = Study()
zeros = ZEROS[-1:] if study.short else ZEROS
searched, inner, csv = {}, {}, "zeros_per_cent,searched_us,inner_us,dense_roofline_us\n"
for z in zeros:
    searched[z] = runtime_us(study, z, [])
    inner[z] = runtime_us(study, z, INNER)
    row = f"{z},{searched[z]:.1f},{inner[z]:.1f},{DENSE_US:.1f}\n"
    print(row, end="", flush=True)
    csv += row
study.table("sparsity.csv", csv)
# The numbers of its text: above 99 % of zeros the sparse fabric is the faster one, at 99.9 % by 30 times.
published = {99: DENSE_US, 99.9: DENSE_US / 30}
study.plot("sparsity.svg", [f"{z} %" for z in zeros],
           {"searched": list(searched.values()), "inner products": list(inner.values()), "dense fabric, roofline": [DENSE_US] * len(zeros)},
           {"sparse, published": [published.get(z, 0) for z in zeros]},
           title="SpM*SpM of 512 x 512, by zeros", x_label="zeros in B and C", y_label="microseconds", log_y=True)
study.expect(searched[ZEROS[-1]] < DENSE_US and inner[ZEROS[-1]] < DENSE_US, "with the most zeros the sparse side is faster than any dense one can be")
if not study.short:
    study.expect(searched[ZEROS[0]] > DENSE_US, "with the fewest it is slower")
    study.expect(searched[99] < DENSE_US < inner[99], "at 99 % it is faster as the search maps it, slower by inner products")
    study.expect(DENSE_US / searched[99.9] > 30, "at 99.9 % it is more than 30 times faster")
study.end()
