"""What a search for a mapping takes of memory: search_memory.py ONYX. Every loop order and staging that is tried is forgotten
again, so a statement that fits in no order as one kernel takes no more than one that fits at once."""
import resource
import subprocess
import sys
import tempfile

# The statement has five loops. In none of their orders it is one kernel, and its parts are tried in many.
EXPRESSION = "X(i,k,m,j) = mask(not struct(B(m,k,j)), ifelse(sum(l, C(k) + E(j,l)), F(k), G(m,i,k,j)))"
DATA = {"B": "3x2x1:0.5", "C": "2:0.5", "E": "1x1:1", "F": "2:0.5", "G": "3x1x2x1:0.5"}
MOST = 56 << 10  # KiB; what was tried used to stay, 318 MiB of it


def main(onyx):
    with tempfile.TemporaryDirectory() as folder:
        operands = [word for name, spec in DATA.items() for word in ("-g", f"{name}:{spec}")]
        done = subprocess.run([onyx, "run", EXPRESSION, *operands, "--semiring", "bor_band", "--engine", "cycle", "-o", folder], capture_output=True,
                              text=True, check=False)
    assert done.returncode == 0 and "check: pass" in done.stdout and " kernels" in done.stdout + done.stderr, done
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(f"{most} KiB")
    assert most < MOST, f"{most} KiB"


main(sys.argv[1])
