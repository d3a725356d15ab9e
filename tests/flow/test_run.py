"""The runner of .test files notices what is wrong: test_run.py SOURCE FOLDER"""
import os
import pathlib
import shutil
import subprocess
import sys

source, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
onyx = folder / "onyx"
onyx.write_text('#!/bin/sh\necho told; echo "$1" >file; echo warned >&2; exit 3\n')
onyx.chmod(0o755)
(folder / "expand.awk").write_text((source / "tests/flow/expand.awk").read_text())
(folder / "kernels.list").write_text("")

RIGHT = "# all of it\n$ onyx word | cat\nexit 3\nout told\nerr warned\nhas file word\nno other\n"
# A .test file, and the code that the runner ends with on it.
FILES = [
    (RIGHT, 0), ("needs /nowhere\n" + RIGHT, 77), ("needs $SRC/tests\n" + RIGHT, 0), ("# no command\n", 1),
    (RIGHT.replace("exit 3\n", ""), 1), (RIGHT.replace("exit 3", "exit 4"), 1), (RIGHT.replace("out told", "out tolled"), 1),
    (RIGHT.replace("err warned", "err told"), 1), (RIGHT.replace("has file word", "has file sword"), 1),
    (RIGHT.replace("has file", "has other"), 1), (RIGHT.replace("no other", "no file"), 1), (RIGHT + "said told\n", 1),
    (RIGHT + "$ true\nout told\n", 1), (RIGHT + "$ kill -9 $$\nexit 137\n", 0),
]
PAGE = '<svg viewBox="0 0 9 9"><rect x="1" y="1"/></svg><table><tr><th>a<th>b</tr><tr><td colspan="2">c</tr></table>'
FILES += [(RIGHT + f"$ echo '{page}' >page.html\n", code) for page, code in (
    (PAGE, 0), (PAGE.replace("</svg>", ""), 1), (PAGE.replace('y="1"', 'y="10"'), 1), (PAGE.replace("<th>b", ""), 1),
    (PAGE.replace("<table>", ""), 1), ('<script type="application/json">{"a":1,}</script>', 1))]
if subprocess.run(["/usr/bin/python3", "-c", "import jsonschema"], capture_output=True, check=False).returncode == 0:
    FILES += [(RIGHT + text, 1) for text in ("$ echo '{}' >report.json\n", "$ echo '{}' # --json\n",
                                             "$ echo '{\"code\": 1}' >&2\n", "$ echo no >&2 # --diagnostics=sarif\n")]
seen = folder / "seen"
shutil.rmtree(seen, ignore_errors=True)
for text, code in FILES:
    (folder / "one.test").write_text(text)
    ran = subprocess.run(["/usr/bin/python3", "-B", source / "tests/flow/run.py", folder / "one.test", onyx, source, folder / "work"],
                         capture_output=True, text=True, check=False)
    assert ran.returncode == code, f"{text}\nended with {ran.returncode}, not {code}\n{ran.stdout}{ran.stderr}"
    assert (folder / "work").exists() == (code != 0) or code == 77, "what a right run leaves is removed"

# With SEEN the first run records what commands say and write, and a later one names what differs.
seen.mkdir()
SEEN = [(RIGHT, 0, "1 commands"), (RIGHT, 0, "1 commands"), (RIGHT.replace("| cat", "&& true"), 1, "differ from the first run"),
        ("$ onyx word | cat\nexit 3\n$ echo more\n", 1, "echo more")]
told = onyx.read_text()
SEEN += [(RIGHT, code, said, told.replace(*change)) for change, code, said in (
    (("echo told", "echo told it"), 1, ": stdout differ"), (("warned", "warned you"), 1, ": stderr differ"),
    (('"$1" >file', '"$1." >file'), 1, ": file file differ"), (("exit 3", "touch new; exit 3"), 1, ": file new differ"), (("exit 3", "sleep 0; exit 3"), 0, ""))]
for text, code, said, *program in SEEN:
    (folder / "one.test").write_text(text)
    onyx.write_text((program or [told])[0])
    ran = subprocess.run(["/usr/bin/python3", "-B", source / "tests/flow/run.py", folder / "one.test", onyx, source, folder / "work"],
                         capture_output=True, text=True, check=False, env=dict(os.environ, SEEN=str(seen)))
    assert ran.returncode == code and said in ran.stdout, f"{text}\nended with {ran.returncode}, not {code}\n{ran.stdout}{ran.stderr}"
    assert (seen / "one.json").is_file()
print(f"{len(FILES) + len(SEEN)} files judged")
