"""The cells of a notebook, run in their order as Jupyter would: notebook.py NOTEBOOK.ipynb [--write]

What a cell prints and what its last expression shows must be what the notebook has, but for numbers, which are other ones after a
change of the compiler. --write keeps what was shown now. Exits with 77 where a module is missing.
"""

import ast
import contextlib
import io
import json
import re
import sys


def execute(source, names):
    """Returns the outputs of a cell, in the notebook's form."""
    body = ast.parse(source).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    printed, outputs, value = io.StringIO(), [], None
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "<cell>", "exec"), names)
        if last:
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": printed.getvalue().splitlines(keepends=True)})
    if value is not None:
        shown = {"text/plain": repr(value).splitlines(keepends=True)}
        if hasattr(value, "_repr_html_"):
            shown = {"text/html": value._repr_html_().splitlines(keepends=True), "text/plain": [f"<{type(value).__name__}>"]}
        outputs.append({"data": shown, "execution_count": None, "metadata": {}, "output_type": "execute_result"})
    return outputs


def without_numbers(outputs):
    text = json.dumps([output.get("text", output.get("data")) for output in outputs])
    return re.sub(r"<svg.*?</svg>| *[\d.,]*\d", "N", text)


path, write = sys.argv[1], "--write" in sys.argv[2:]
with open(path, encoding="utf-8") as file:
    notebook = json.load(file)
assert notebook["nbformat"] == 4 and notebook["cells"], "no notebook of format 4"
names, wrong, count = {"__name__": "__main__"}, 0, 0
for cell in notebook["cells"]:
    if cell["cell_type"] != "code":
        continue
    count += 1
    try:
        outputs = execute("".join(cell["source"]), names)
    except ImportError as missing:
        print(f"skipped: {missing}")
        sys.exit(77)
    for output in outputs:
        if "execution_count" in output:
            output["execution_count"] = count
    if write:
        cell["outputs"], cell["execution_count"] = outputs, count
    elif without_numbers(outputs) != without_numbers(cell["outputs"]):
        wrong += 1
        print(f"{path}, cell {count}: it shows\n  {without_numbers(outputs)[:800]}\nand the notebook has\n  {without_numbers(cell['outputs'])[:800]}")
if write:
    with open(path, "w", encoding="utf-8") as file:
        json.dump(notebook, file, indent=1, ensure_ascii=False)
        file.write("\n")
print(f"{count} cells, {wrong} differ")
sys.exit(wrong > 0)
