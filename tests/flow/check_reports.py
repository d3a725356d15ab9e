"""Holds what the commands wrote against the published schemas, and reports against what docs/report.md says of their sums: check_reports.py SOURCE REPORT.json...

Exit 77 where python3-jsonschema is missing; the flow tests (run.py) go on without."""
import json
import pathlib
import sys

SCHEMAS = {"report": "docs/report", "diagnostic": "docs/diagnostics", "sarif": "tests/flow/sarif"}

PARTS = ("moved", "stalled", "held", "starved", "idle")


def rules_named(log):
    """What no schema says: a result's rule is the one at its index, and a region has characters."""
    for run in log["runs"]:
        for result in run["results"]:
            rules = run["tool"]["driver"]["rules"]
            if "ruleId" in result and rules[result["ruleIndex"]]["id"] != result["ruleId"]:
                return f"{result['ruleId']} is not rule {result['ruleIndex']}"
            for place in result.get("locations", []) + result.get("relatedLocations", []):
                region = place.get("physicalLocation", {}).get("region", {"startColumn": 1, "endColumn": 2})
                if region["endColumn"] <= region["startColumn"]:
                    return f"{region} is empty"
    return None


def sums_of_kernel(k):
    """What docs/report.md says of the cycles of a kernel, its channels, its clock and its energy."""
    cycles, one = k["cycles"], not k.get("kernels")
    claims = [("cycles", cycles["total"] == sum(cycles[part] for part in ("config", "load", "kernel", "store", "firmware")))]
    if one and k["fmax_mhz"]:
        claims.append(("time_us", abs(k["time_us"] * k["fmax_mhz"] - cycles["total"]) <= 1e-6 * cycles["total"]))
    stalls, bottlenecks = k.get("stalls", []), k.get("bottlenecks", [])
    if one and stalls and k.get("engine", "cycle") == "cycle":
        # Runs of copies that start apart overlap.
        apart, sums = k.get("dispatch", {}).get("how") == "dynamic", {sum(s[part] for part in PARTS) for s in stalls}
        claims.append(("stalls", len(sums) == 1 and (apart or sums == {cycles["kernel"]}) and max(sums) >= cycles["kernel"]))
        claims.append(("bottlenecks", all(0 < b["cycles"] <= max(sums) for b in bottlenecks)))
    for name, waits in ("stalls", [s["stalled"] + s["held"] for s in stalls]), ("bottlenecks", [b["cycles"] for b in bottlenecks]):
        claims.append((f"order of {name}", waits == sorted(waits, reverse=True)))
    claims.append(("subtiles", k["subtiles"]["passes"] <= k["subtiles"]["run"] or not k["subtiles"]["run"]))
    energy = k.get("energy", {"nj": {"low": 0, "typical": 0, "high": 0}})
    for name, n in energy["nj"].items():
        claims.append((f"energy, {name}", "mw" not in energy or abs(energy["mw"][name] * k["time_us"] - n) <= 0.011 * n))
    claims.append(("energy", energy["nj"]["low"] <= energy["nj"]["typical"] <= energy["nj"]["high"]))
    return [name for name, holds in claims if not holds]


def sums_of_program(report):
    """What docs/report.md says of the cycles, runs and energy of a program, its statements and their runs."""
    statements, parts = report["statements"], ("config", "kernel", "firmware")
    claims = [("total_cycles", report["total_cycles"] == sum(s["cycles"]["total"] for s in statements)),
              ("checked_statements", report["checked_statements"] <= len(statements))]
    for s in statements:
        claims.append((f"cycles of line {s['line']}", s["cycles"]["total"] == sum(s["cycles"][part] for part in parts)))
        claims.append((f"runs of line {s['line']}", s["runs"] == len(s["each"])))
        if s["on"] == "array":
            claims.append((f"cycles of the runs of line {s['line']}", s["cycles"]["total"] == sum(one["cycles"] for one in s["each"])))
    counts = [s["energy"]["counts"] for s in statements if "energy" in s]
    for name, n in report["energy"]["counts"].items() if "energy" in report else ():
        claims.append((f"energy, {name}", n >= sum(one[name] for one in counts)))
    for loop in report["loops"]:
        claims.append((f"passes of line {loop['line']}", all(one.get("on_processor", 0) <= one["passes"] for one in loop["each"])))
    orders = [("exact", "within", "differs").index(r["accuracy"]["verdict"]) for r in report["results"] if "verdict" in r.get("accuracy", {})]
    if orders and "accuracy" in report:
        claims.append(("the worst result", ("exact", "within", "differs").index(report["accuracy"]["verdict"]) == max(orders)))
    return [name for name, holds in claims if not holds]


def sums_of(report):
    """What does not add up in a report of onyx run, or of its kernels."""
    if "program" in report and "statements" in report:
        wrong = sums_of_program(report)
        return f"does not add up: {', '.join(wrong)}" if wrong else None
    if "expression" not in report or "cycles" not in report:
        return None
    wrong = sums_of_kernel(report) + [f"{name} of kernel {k['tensor']}" for k in report.get("kernels", []) if "cycles" in k
                                      for name in sums_of_kernel(k)]
    files = report.get("files", {})
    for stage, name in (("place", "design.place"), ("route", "design.route"), ("bitstream", "bitstream.bs"), ("frontend", "sam.gv")):
        if name in files and files[name] != report["checksums"][stage]:
            wrong.append(f"checksum of {name}")
    return f"does not add up: {', '.join(wrong)}" if wrong else None


def count_wrong(source, texts):
    """Prints which of the texts, as (name, kind, bytes), are not by the schema of their kind, and returns how many. 0 without jsonschema."""
    if not texts:
        return 0
    try:
        import jsonschema
    except ImportError:
        return 0
    validators, count = {}, 0
    for kind in {kind for _, kind, _ in texts}:
        schema = json.loads(pathlib.Path(source, f"{SCHEMAS[kind]}.schema.json").read_text(encoding="utf-8"))
        checker = jsonschema.validators.validator_for(schema)
        checker.check_schema(schema)
        validators[kind] = checker(schema)
    for name, kind, text in texts:
        try:
            document = json.loads(text)
        except ValueError as fault:
            wrong = f"no JSON: {fault}"
        else:
            error = jsonschema.exceptions.best_match(validators[kind].iter_errors(document))
            more = {"sarif": rules_named, "report": sums_of}.get(kind, lambda _: None)
            wrong = f"{error.json_path}: {error.message}" if error else more(document)
        if wrong:
            count += 1
            print(f"{name}: {wrong}")
    return count


if __name__ == "__main__":
    try:
        import jsonschema
    except ImportError:
        sys.exit(77)
    sys.exit(count_wrong(sys.argv[1], [(path, "report", pathlib.Path(path).read_bytes()) for path in sys.argv[2:]]) != 0)
