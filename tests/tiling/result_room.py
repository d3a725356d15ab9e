"""Results on engine cycle are as long as planned, word for word: result_room.py ONYX BOARDS.

On a board whose memory tiles hold 12 words, so that plans must split, and where they were longer, the run would say so.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

KERNELS = [
    ("X(i,j)=B(i,k)*C(k,j)", "-f C:ss:1,0 -g B:30x30:0.1 -g C:30x30:0.1 --tile 16"),
    ("X(i,j)=B(i,k)*C(k,j)", "-s reorder(i,k,j) -g B:30x30:0.1 -g C:30x30:0.1 --tile i:30,k:4,j:8"),
    ("X(i,j)=B(i,k)*C(k,j)", "-s reorder(i,k,j) -g B:30x30:0.1 -g C:30x30:0.1 --tile i:30,k:4,j:8 --profile onyx-ext"),
    ("X(i,j)=B(i,j)+C(i,j)", "-g B:30x30:0.1 -g C:30x30:0.2 --tile 8"),
    ("X(i,j)=B(i,j)*C(i,j)+D(i,j)", "-g B:30x30:0.1 -g C:30x30:0.2 -g D:30x30:0.1 --tile 8"),
    ("X(i,j)=B(i,j)*C(i,k)*D(k,j)", "-g B:30x30:0.2 -g C:30x30:0.3 -g D:30x30:0.3 --tile 8"),
    ("X(i,j,k)=B(i,j,l)*C(k,l)", "-g B:9x9x9:0.1 -g C:9x9:0.5 --tile 5"),
    ("x(i)=B(i,j)*c(j)", "-s reorder(j,i) -g B:30x30:0.1 -g c:30:1 --tile 11"),
]


def main():
    onyx, boards = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        tiny = pathlib.Path(folder) / "tiny.json"
        tiny.write_text((boards / "onyx.json").read_text().replace('"words": 1024', '"words": 12'))
        (pathlib.Path(folder) / "onyx").symlink_to(boards / "onyx")
        for expression, options in KERNELS:
            command = [onyx, "run", expression, *options.split(), "-O0", "--board", str(tiny), "--engine", "cycle"]
            subprocess.run([*command, "--hazards", "warn", "--quiet", "-o", f"{folder}/out"], check=True)
            report = json.loads((pathlib.Path(folder) / "out/report.json").read_text())
            partials = report["tiling"]["partials"]
            print(expression, options, partials)
            assert report["check"] == "pass"
            assert 40 < partials["words"] == partials["bound_words"]
            assert report["tiling"]["mem_words"] <= 12


main()
