"""Runs one .test file: run.py FILE.test ONYX SOURCE FOLDER [ENGINE]; what it leaves is in the folder, which is removed when all is right.

Lines of a .test file:
  # text            a comment; "# label: full" sets the ctest label (default quick)
  needs PATH        skip the whole file (exit 77) when PATH does not exist
  kernels SECTION ENGINE ARGUMENTS   the rows of kernels.list that are for the engine (expand.awk)
  $ command         run by bash in an empty folder, with pipefail; $SRC, $DATA (shared data), $EVERY (which of a long list), onyx
                    on the PATH
followed by what is expected of the command above:
  exit N            its exit code (default 0)
  out TEXT          standard output holds TEXT;    err TEXT    standard error holds TEXT
  has FILE TEXT     FILE holds TEXT;               no FILE     FILE does not exist
Every report.json and every diagnostic in JSON is held against its schema in docs/, every log of --diagnostics=sarif against
sarif.schema.json (check_reports.py), and every page and picture has to be well-formed (check_pages.py). What onyx run and onyx
compile print is held against their report, and the report against the folder (check_summary.py).

With ENGINE every run and sweep is on that one, as tests/record has it.
All but the commands themselves happens in one process: starting another takes as long as a short command of onyx.
"""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time

import check_pages
import check_reports
import check_summary
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "record"))
import behaviour  # noqa: E402


def words_of(command):
    """The program to start: the command itself for onyx alone with plain or quoted words, the usual case; else bash."""
    outside = re.sub(r"'[^']*'|\"[^\"$`\\\\]*\"", "q", command)
    if re.fullmatch(r"onyx( [\w.,:=/+%@ -]*)?", outside):
        return shlex.split(command)
    return ["bash", "-o", "pipefail", "-c", command]


class Run:
    def __init__(self, file, work, behaviour_of):
        self.behaviour = behaviour_of
        self.file, self.work, self.folder = file, work, work / "run"
        self.count = self.failed = self.want = self.code = 0
        self.command, self.at = None, ""
        self.out = self.err = b""
        self.seen, self.kept, self.pages = {}, [], []  # files by path, as (file, time); (name, text) of what has a schema; of pages
        self.modes = set()  # of tiles, in all netlists

    def complain(self, what):
        print(f"{self.file}:{self.at}: {what}\n  command: {self.command}")
        for line in self.err.decode(errors="replace").splitlines()[:20]:
            print(f"  stderr: {line}")
        self.failed += 1

    def judge(self):
        """Of the command before: "exit" may stand anywhere behind it."""
        if self.command is None:
            return
        if self.code != self.want:
            self.complain(f"exit code {self.code}, expected {self.want}")
        self.count += 1
        self.want = 0

    def run(self, command):
        self.command, self.since = command, time.time_ns()
        with open(self.work / "out", "w+b") as out, open(self.work / "err", "w+b") as err:
            code = subprocess.run(words_of(command), cwd=self.folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                  check=False).returncode
        self.code = code if code >= 0 else 128 - code
        self.out, self.err = (self.work / "out").read_bytes(), (self.work / "err").read_bytes()
        self.keep_json()
        self.behaviour.ran(command, self.code, self.out, self.err)

    def keep_json(self):
        """The texts are kept, since the next command may write others to the same places."""
        for folder, _, names in os.walk(self.folder):
            for name in names:
                path, page = os.path.join(folder, name), name.endswith((".html", ".svg"))
                if name == "netlist.json" and os.path.isfile(path):
                    self.modes.update(re.findall(r'"mode":\s*"(\w+)"', pathlib.Path(path).read_text(errors="replace")))
                if name != "report.json" and not (page and os.path.isfile(path)):
                    continue
                status = os.stat(path)
                if self.seen.get(path) == (status.st_ino, status.st_mtime_ns):
                    continue
                self.seen[path] = (status.st_ino, status.st_mtime_ns)
                where, text = f"{self.at}: {os.path.relpath(path, self.folder)}", pathlib.Path(path).read_bytes()
                if page:
                    self.pages.append((where, text))
                else:
                    self.kept.append((where, "report", text))
                    self.compare(text, pathlib.Path(folder))
        if "--json" in self.command and self.out.startswith(b"{"):
            self.kept.append((f"{self.at}: standard output", "report", self.out))
        if "--diagnostics=sarif" in self.command and self.err:
            self.kept.append((f"{self.at}: standard error", "sarif", self.err))
        for line in self.err.split(b"\n"):
            if line.startswith(b'{"code"'):
                self.kept.append((f"{self.at}: {line.decode(errors='replace')}", "diagnostic", line))

    def compare(self, report, folder):
        """Of a command alone: its summary with its report, and its report with the folder."""
        words = words_of(self.command)
        if self.code or words[:2] not in (["onyx", "run"], ["onyx", "compile"]):
            return
        text = "" if {"--quiet", "--json"} & set(words) else self.out.decode(errors="replace")
        for wrong in check_summary.wrong_of(json.loads(report), text, "--explain" in words, folder, self.since):
            self.complain(wrong)

    def line(self, text):
        word, _, rest = text.partition(" ")
        if text == "" or text.startswith("#"):
            pass
        elif word == "needs":
            if not os.path.exists(os.path.expandvars(rest)):
                print(f"skipped: {rest} does not exist")
                sys.exit(77)
        elif word == "$":
            self.judge()
            return rest
        elif word == "exit":
            self.want = int(rest)
        elif word == "out":
            if rest.encode() not in self.out:
                self.complain(f"standard output lacks '{rest}'")
        elif word == "err":
            if rest.encode() not in self.err:
                self.complain(f"standard error lacks '{rest}'")
        elif word == "has":
            name, _, wanted = rest.partition(" ")
            path = self.folder / name
            if not path.is_file() or wanted.encode() not in path.read_bytes():
                self.complain(f"{name} lacks '{wanted}'")
        elif word == "no":
            if os.path.lexists(self.folder / rest):
                self.complain(f"{rest} exists")
        else:
            self.complain(f"line not understood: {text}")
        return None


def main():
    engine = sys.argv[5] if len(sys.argv) > 5 else None
    file, onyx, source = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
    work = pathlib.Path(sys.argv[4])
    shutil.rmtree(work, ignore_errors=True)
    for name in ("bin", "run", "tmp"):
        (work / name).mkdir(parents=True)
    work = work.resolve()
    (work / "bin/onyx").symlink_to(onyx)
    os.environ.update(SRC=str(source), DATA=f"{source}/../shared/data", EVERY=os.environ.get("EVERY", "1"), TMPDIR=f"{work}/tmp",
                      PATH=f"{work}/bin:{os.environ['PATH']}")
    flow = file.parent if (file.parent / "expand.awk").exists() else pathlib.Path(__file__).parent
    lines = subprocess.run(["awk", "-v", f"list={flow}/kernels.list", "-f", flow / "expand.awk", file], check=True,
                           capture_output=True, encoding="utf-8").stdout
    test = Run(file, work, behaviour.Commands(file, work, onyx, source))
    for line in lines.splitlines():
        at, _, text = line.partition("\t")
        command = test.line(text)
        if command is not None:
            test.at = at
            test.run(behaviour.record.on_engine(command, engine) if engine else command)
    test.judge()
    test.failed += check_reports.count_wrong(source, test.kept) + check_pages.count_wrong(test.pages)
    test.failed += test.behaviour.count_wrong()
    print(f"{test.count} commands, {test.failed} failures")
    print("modes:", *sorted(test.modes))  # of tiles in the netlists: tests/maturity credits these
    if test.failed or not test.count:
        return 1
    shutil.rmtree(work)
    return 0


sys.exit(main())
