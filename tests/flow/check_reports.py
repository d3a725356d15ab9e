"""Holds what the commands wrote against the published schemas: check_reports.py SOURCE REPORT.json... [LINES.jsonl...]

Exit 77 where python3-jsonschema is missing; run.sh then goes on without."""
import json
import sys

try:
    import jsonschema
except ImportError:
    sys.exit(77)


def validator(name):
    with open(f"{sys.argv[1]}/docs/{name}.schema.json", encoding="utf-8") as file:
        schema = json.load(file)
    checker = jsonschema.validators.validator_for(schema)
    checker.check_schema(schema)
    return checker(schema)


def documents(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file] if path.endswith(".jsonl") else [json.load(file)]


failed = False
report, diagnostics = validator("report"), validator("diagnostics")
for path in sys.argv[2:]:
    for document in documents(path):
        schema = diagnostics if path.endswith(".jsonl") else report
        error = jsonschema.exceptions.best_match(schema.iter_errors(document))
        if error:
            failed = True
            print(f"{path}: {error.json_path}: {error.message}")
sys.exit(failed)
