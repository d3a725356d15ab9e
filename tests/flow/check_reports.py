"""Holds what the commands wrote against the published schemas: check_reports.py SOURCE REPORT.json...

Exit 77 where python3-jsonschema is missing; the flow tests (run.py) go on without."""
import json
import pathlib
import sys

SCHEMAS = {"report": "docs/report", "diagnostic": "docs/diagnostics", "sarif": "tests/flow/sarif"}


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
            wrong = f"{error.json_path}: {error.message}" if error else rules_named(document) if kind == "sarif" else None
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
