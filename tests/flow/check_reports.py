"""Holds what the commands wrote against the published schemas: check_reports.py SOURCE REPORT.json... [LINES.jsonl...] [LOG.sarif...]

Exit 77 where python3-jsonschema is missing; run.sh then goes on without."""
import json
import sys

try:
    import jsonschema
except ImportError:
    sys.exit(77)


def validator(name):
    with open(f"{sys.argv[1]}/{name}.schema.json", encoding="utf-8") as file:
        schema = json.load(file)
    checker = jsonschema.validators.validator_for(schema)
    checker.check_schema(schema)
    return checker(schema)


def documents(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file] if path.endswith(".jsonl") else [json.load(file)]


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


failed = False
schemas = {"json": validator("docs/report"), "jsonl": validator("docs/diagnostics"), "sarif": validator("tests/flow/sarif")}
for path in sys.argv[2:]:
    kind = path.rsplit(".", 1)[1]
    for document in documents(path):
        error = jsonschema.exceptions.best_match(schemas[kind].iter_errors(document))
        wrong = f"{error.json_path}: {error.message}" if error else rules_named(document) if kind == "sarif" else None
        if wrong:
            failed = True
            print(f"{path}: {wrong}")
sys.exit(failed)
