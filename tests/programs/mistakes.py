#!/usr/bin/env python3
"""Mistakes in program files, and small programs whose meaning is known: mistakes.py ONYX FOLDER."""
import json
import pathlib
import shutil
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1] / "record"))
import behaviour  # noqa: E402

onyx, folder = sys.argv[1], pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
bad = 0
kept = behaviour.Seen("mistakes")
masks = behaviour.masks_of(onyx, folder)


def run(program, *options):
    path = folder / "p.onx"
    path.write_text(program)
    done = subprocess.run([onyx, "run", str(path), "--engine", "sam", "-o", str(folder / "out"), *options], capture_output=True, text=True)
    kept.printed(f"{program} {options}", done, masks)
    return done


def refused(program, code, where, *options, exit_code=1):
    global bad
    shutil.rmtree(folder / "out", ignore_errors=True)
    done = run(program, *options)
    if (folder / "out" / "report.json").exists():
        bad += 1
        print(f"{program!r} {options}: was refused, and left a report")
    if done.returncode != exit_code or f"[{code}]" not in done.stderr or where not in done.stderr:
        bad += 1
        print(f"{program!r} {options}: exit {done.returncode}, expected {code} at '{where}'\n{done.stderr}")


def gives(program, tensor, want, *options, warns=None):
    global bad
    done = run(program, *options)
    if done.returncode or (warns or "warning") not in done.stderr + ("" if warns else "warning") or (not warns and done.stderr):
        bad += 1
        print(f"{program!r}: exit {done.returncode}\n{done.stderr}")
        return
    lines = [line.split() for line in (folder / "out" / f"{tensor}.mtx").read_text().splitlines() if line[0] != "%"]
    got = {int(w[0]) - 1: int(w[2]) for w in lines[1:]}
    if got != want:
        bad += 1
        print(f"{program!r}: {got}, expected {want}")


v = "tensor a: s = [1, 2, 3]\n"
(folder / "four.tns").write_text("4 7\n")
stored = folder / "B.mtx"
stored.write_text("%%MatrixMarket matrix coordinate integer general\n5 5 3\n1 2 3\n3 3 4\n5 1 2\n")
spmv = f'= "{stored.resolve()}"\ntensor c: d = all 1\ntensor x: d\nx(i) = B(i,j) * c(j)\n'
gives("tensor B: CSR " + spmv, "x", {0: 3, 2: 4, 4: 2})
gives("tensor B: BCSR " + spmv, "x", {0: 3, 2: 4, 4: 2}, warns="scans no BCSR")
gives("tensor B(5,5): DIA " + spmv, "x", {0: 3, 2: 4, 4: 2}, warns="E0352-repacked")
refused("tensor B: Foo " + spmv, "E0170-declaration", "no format 'Foo'")
refused("tensor B(5): CSR " + spmv, "E0170-declaration", "format CSR is of order 2")
refused("tensor B: Triangular " + spmv, "E0364-not-stored", "Triangular")

refused(v + "tensor a: d\nx(i) = a(i)", "E0170-declaration", "p.onx:2:8")
refused(v + "x(i) = a(i) +", "E0102-syntax", "p.onx:2:14")
refused(v + "x(i) = a(i) * a(i,i)", "E0104-rank", "p.onx:2:15")
refused(v + "x(i) = a(i)\ny(i) = x(i,i)", "E0104-rank", "p.onx:3:8")
refused("tensor a: s = {0: 1\n", "E0102-syntax", "p.onx")
refused("tensor a(2): s = {2: 1}\nx(i) = a(i)", "E0170-declaration", "p.onx:1:19")
refused("tensor nnz: s\n", "E0117-name-clash", "p.onx:1:8")
refused("param k = 2\nk = k + 1", "E0170-declaration", "p.onx:2:1")
refused(v + "x(i) = a(i)", "E0171-setting", "--set k=3", "--set", "k=3")
refused("param k = 2\nscalar x\nx = k", "E0171-setting", "--set k=two", "--set", "k=two")
refused(v + "tensor b: d\nswap a, b\nx(i) = a(i)", "E0172-swap", "p.onx:3:1")
refused(v + "swap a, c\nx(i) = a(i)", "E0103-unknown-tensor", "p.onx:2:9")
refused(v + "repeat until a(i) > 3 max 2 { a(i) = a(i) + a(i) }", "E0173-scalars", "p.onx:2:14")
refused(v + "multi { x(i) = nnz(a) * a(i); a(i) = 2 * a(i) }", "E0173-scalars", "p.onx:2:16")
refused(v + "repeat until nnz(a) == 0 { a(i) = 2 * a(i) }", "E0102-syntax", "p.onx:2:8")
refused(v + "repeat 3 a(i) = 2 * a(i)", "E0102-syntax", "p.onx:2:10")
refused(v + "for t in 3 { a(i) = 2 * a(i) }", "E0102-syntax", "repeat 10 {")
refused(v + "while nnz(a) > 0 { a(i) = 2 * a(i) }", "E0102-syntax", "repeat until nnz(front) == 0 max 1000")
refused(v + "repeat 3 { a(i) = 2 * a(i)", "E0102-syntax", "p.onx:2:1")
refused(v + "repeat 3 { }\nx(i) = a(i)", "E0102-syntax", "p.onx:2:1")
refused(v + "a(i) = 2 * a(i) }", "E0102-syntax", "p.onx:2:17")
refused(v, "E0102-syntax", "p.onx")
refused(v + "multi { x(i) = a(i); x(i) = 2 * a(i) }", "E0174-multi", "p.onx:2:22")
refused(v + "multi { swap a, a }\nx(i) = a(i)", "E0174-multi", "p.onx:2:9")
refused(v + "tensor b: s\nx(i) = a(i) * b(i)", "E0911-no-data", "p.onx:2:8")
refused(v + "tensor b: s = [1, 2]\nx(i) = a(i) * b(i)", "E0320-dimension", "p.onx:2:8")
# What ties the two, step by step.
for note in ("p.onx:6:1: note: 'i' is index 1 of b and index 1 of x here", "p.onx:5:1: note: x and c are exchanged here", "p.onx:4:1: note: 'j' is index 1 of c and index 1 of a here",
             "p.onx:1:8: note: index 1 of a"):
    refused(v + "tensor b: s = [1, 2]\ntensor x: s\nc(j) = a(j)\nswap x, c\ny(i) = x(i) * b(i)", "E0320-dimension", note)
# Declared extents are those of the data, or reach further than a file that states none.
for extents, data, option in (("3", " = \"four.tns\"", ()), ("5", " = random \"4:0.5\"", ()), ("4,4", "", ("-g", "b:4x5:0.5")), ("3", " = [1, 2, 3]", ("-i", f"b:{folder / 'four.tns'}"))):
    indices = "i,j"[:len(extents)]
    refused(f"tensor b({extents}){data}\nx({indices}) = b({indices})", "E0320-dimension", "p.onx:1:8", *option)
refused("tensor b: s = {}\nx(i) = b(i)", "E0321-no-extent", "p.onx:1:8")
# Slices and concatenations say how far a result goes that nothing else says; the next statement goes on with that.
gives(v + "x(i) = a(i(0:3:2))", "x", {0: 1, 1: 3}, warns="E0353-recut")
gives(v + "y(i) = coalesce(a(permit(i)), a(permit(i-3)))\nx(i) = y(i(2:)) * 2\nresult x", "x", {0: 6, 1: 2, 2: 4, 3: 6}, warns="E0353-recut")
gives(v + "y(i) = a(i(1:1))\nx(i) = y(i) + a(i(2:2))\nresult x", "x", {}, warns="E0176-empty-slice")
refused('tensor a: s = "nowhere.tns"\nx(i) = a(i)', "E0001-file", "p.onx:1:8: note: the declaration of a, whose file it is")
# A scalar alone as a coordinate of a tensor with values; an index where the result has none before, and of an undeclared operand.
gives(f'param j = 1\ntensor B: CSR = "{stored.resolve()}"\nx(i) = B(i,j)\nresult x', "x", {0: 3})
gives(v + "scalar s = 1\ny = a(s)\nx(i) = a(i) * y\nresult x", "x", {0: 2, 1: 4, 2: 6})
gives(v + "scalar s = 1\na(s) = 9\ns = s + 1\na(s) += a(s)\nresult a", "a", {0: 1, 1: 9, 2: 6})
gives("tensor X(2,2): ss = {(0,1): 5}\nscalar s = 1\nX(s,s) = 7\nt = X(s,s)\nresult X, t", "t", {0: 7})
gives(v + "scalar s = 1\nx(s) = a(s)\nresult x", "x", {0: 1, 1: 2, 2: 3},
      warns="p.onx:3:3: warning: 's' is an index of this statement, and not the scalar of that name [E0180-index-name]")
gives(v + "scalar s = 1\nif a(s) == 2 { s = 2 }\nx(i) = a(i) * (a(s) + 1)\nresult x", "x", {0: 4, 1: 8, 2: 12})
# Scalars and params have 32 bits; the array takes the lower 16.
gives("scalar s = -100000\nparam p = 70005\nx = s * 2 + p", "x", {0: -129995}, "--dtype", "int16")
gives("tensor a: s = [1, 2, 3]\nscalar s = 100000\nx(i) = ifelse(a(i) > 2, s, a(i))", "x", {0: 1, 1: 2, 2: -31072}, "--dtype", "int16", warns="1 value of this statement wrapped")
# Params in slices and shifts, counts in statements with indices.
gives(v + "param p = 1\nx(i) = a(i(p:3)) + coalesce(a(permit(i+p)), 0)\nresult x", "x", {0: 4, 1: 6}, warns="E0353-recut")
refused(v + "scalar s = 1\nmulti { x(i) = a(s) * a(i); y(i) = a(i) }", "E0174-multi", "assignments only")
gives(v + "x(i) = nnz(a) * a(i) + nnz(a)\nresult x", "x", {0: 6, 1: 9, 2: 12})
gives(v + "scalar n\nrepeat 2 { n = n + nnz(a) * a(i); a(i) = mask(a(i) > 1, a(i)) }\nresult n", "n", {0: 28})
refused(v + "x(i) = a(i) * nnz(b)", "E0103-unknown-tensor", "no tensor 'b' before this")
refused(v + "scalar s = 3\ny = a(s)\nresult y", "E0961-coordinate", "p.onx:3:7")
refused(v + "scalar s = 0\nrepeat 2 { a(s) = 2; s = s - 1 }\nresult a", "E0961-coordinate", "coordinates are from 0 to 2")
refused(v + "a(3) = 1\nresult a", "E0961-coordinate", "the coordinate is 3 here, and coordinates are from 0 to 2")
refused(v + "scalar s = -1\na(s:) = 1\nresult a", "E0961-coordinate", "coordinates are whole numbers from 0")
refused("tensor x: s = {}\nx(i) = coalesce(x(permit(i-1)), 0)", "E0321-no-extent", "tensor x(100)")
refused(v + "x(i,j) = a(i) + 1", "E0321-no-extent", "tensor x(100,100)")
refused(v + "tensor x(3)\nx(i) = a(i+j)", "E0321-no-extent", "in a program file by an operand that has j")
refused(v + "repeat until nnz(a) == 0 max 4 else fail { a(i) = 2 * a(i) }", "E0960-passes", "p.onx:2:1")
# Branches: the condition's value is that of before them, `else` belongs to the nearest if.
w = "scalar n = 5\nscalar t\n"
for n, want in ((5, 1), (3, 2), (1, 3), (0, 3)):
    gives(w + "if n > 3 { n = 0; t = 1 } else if n > 1 {\n t = 2\n}\nelse { t = 3; if n < 0 { t = 9 } }\nresult t", "t", {0: want}, "--set", f"n={n}")
gives(w + "repeat 6 { if n % 2 == 1 { t = t + n }\n n = n - 1 }\nresult t", "t", {0: 9})
gives(v + "if nnz(a) == 0 { b(i) = a(i) } else { b(i) = 2 * a(i) }\nresult b", "b", {0: 2, 1: 4, 2: 6})
gives(v + "if(i) = 2 * a(i)\nresult if", "if", {0: 2, 1: 4, 2: 6})
gives(w + "if (n > 3) { t = 7 }\nresult t", "t", {0: 7})
refused(w + "if n > 3\nt = 2", "E0102-syntax", "expected '{'")
refused(w + "else { t = 2 }", "E0102-syntax", "behind the block of an if")
refused(v + "if a(i) > 3 { a(i) = a(i) + a(i) }", "E0173-scalars", "p.onx:2:4")
refused(w + "if n > 3 { }", "E0102-syntax", "no statement")
# What is printed, where the value is only read; files that are included; matrices and vectors by name.
done = run(v + 'scalar n = 2\nrepeat 2 { n = 3 * n; print "n:", n, n + nnz(a), a }\nx(i) = a(i)\nprint nnz(x)')
if done.stderr != "n: 6 9 {0: 1, 1: 2, 2: 3}\nn: 18 21 {0: 1, 1: 2, 2: 3}\n3\n" or "values in x" not in done.stdout:
    bad += 1
    print("printed", done.stderr, done.stdout)
refused(v + "print y", "E0103-unknown-tensor", "p.onx:2:7")
refused(v + 'print "y', "E0101-character", "p.onx:2:7")
(folder / "more.onx").write_text('include "less.onx"\ntensor T(3,3): ss = tril\n')
(folder / "less.onx").write_text("# no statement\nscalar two = 2\n")
t = v + 'include "more.onx"\n'
gives(t + "x(i) = two * T(i,j) * a(j)\nresult x", "x", {0: 2, 1: 6, 2: 12})
gives(v + "tensor T(3,3): ss = triu\nx(i) = T(i,j) * a(j)\nresult x", "x", {0: 6, 1: 5, 2: 3})
gives(v + "tensor T(3,3): ss = eye\ntensor n(3): d = index\nx(i) = T(i,j) * a(j) * n(i)\nresult x", "x", {1: 2, 2: 6})
refused(v + 'include "none.onx"', "E0001-file", "none.onx")
refused(v + 'x(i) = a(i); include "more.onx"', "E0102-syntax", "a line of its own")
(folder / "self.onx").write_text('include "self.onx"\n')
refused(v + 'include "self.onx"', "E0102-syntax", "include each other")
(folder / "less.onx").write_text("dtype bf16\n")
refused(t + "x(i) = a(i)", "E0102-syntax", "less.onx:1:1")
refused("tensor T(3): s = tril\nx(i) = T(i)", "E0170-declaration", "2 stated extents")
refused(v + "x(i) = tril(a(i))", "E0152-function", "p.onx:2:8")
refused(v + "x(i) = a(i) + norm(a(i))", "E0152-function", "p.onx:2:15")
refused("tensor A(2,2): ss = {}\nx = argmax(A)", "E0152-function", "p.onx:2:5")
refused("tensor T: d = index\nx(i) = T(i)", "E0170-declaration", "p.onx:1:15")
refused("tensor T(300): d = index\nx(i) = T(i)", "E0170-declaration", "above 256", "--dtype", "bf16")
refused(v + "repeat until nnz(a) == 0 max 4 else go { a(i) = 2 * a(i) }", "E0102-syntax", "expected 'fail'")
gives(v + "repeat until nnz(a) == 0 max 4 { a(i) = 2 * a(i) }", "a", {0: 16, 1: 32, 2: 48})
refused(v + "x(i) = a(i)\nresult y", "E0103-unknown-tensor", "p.onx:3:8")
refused(v + "x(i) = a(i)", "E0910-operand", "-o y:", "-o", "y:y.mtx")
refused(v + "x(i) = a(i)", "E0910-operand", "-g y:", "-g", "y:4:1")
for option in ("-f", "a:s"), ("--fill", "a:1"), ("-d", "i:3"), ("-t", "a:int16"), ("--semiring", "min_plus"):
    refused("tensor a: s = [1, 2]\nx(i) = a(i)", "E0903-option-value", f"{option[0]} is about one expression", *option)
# A schedule is of one statement, by the name of its result.
twice = "tensor a: s = [1, 2]\ntensor B: ss = {(0,1): 3, (1,0): -4}\nscalar s = 0\nx(i) = B(i,j) * a(j)\nx(i) = B(i,j) * x(j)\ns = s + 1\nresult x"
for schedule in "reorder(i)", "y: reorder(j,i)", "x.3: reorder(j,i)", "s: reorder(j,i)":
    refused(twice, "E0903-option-value", f"-s '{schedule}' names no statement", "-s", schedule)
refused(twice, "E0114-schedule-variable", "reorder(k,i)", "-s", "x: reorder(k,i)")
gives(twice, "x", {0: -12, 1: -24}, "-s", "x: unroll(i,2)", "--engine", "cycle", warns="the whole kernel is copied")
gives(twice, "x", {0: -12, 1: -24}, "-s", "x.2: reorder(j,i)")
graphs = [(folder / "out" / name / "sam.gv").read_text() for name in ("x", "x.2")]
if "vectorreducer" in graphs[0] or "vectorreducer" not in graphs[1]:
    bad += 1
    print("a schedule of x.2 orders the loops of x, or not its own")
for option in (("-f", "a:d"), ("--fill", "a:inf"), ("-d", "i:3"), ("-t", "a:int16"), ("--semiring", "min_plus"), ("-s", "reorder(i)")):
    refused(v + "x(i) = a(i)", "E0903-option-value", option[0], *option)

gives(v + "x(i) = a(i)", "x", {0: 1, 1: 2, 2: 3})
gives(v + "x(i) = a(i); y(i) = x(i) + a(i)  # a comment; z", "y", {0: 2, 1: 4, 2: 6})
gives(v + "x(i) = a(i) * (a(i)\n  + a(i))\nresult x", "x", {0: 2, 1: 8, 2: 18})
gives("tensor b(6) = \"four.tns\"\nx(i) = b(i) + 1", "x", {0: 1, 1: 1, 2: 1, 3: 8, 4: 1, 5: 1})
gives("tensor b: s = [1, 2]\nx(i) = b(i) + 1", "x", {0: 1, 1: 1, 2: 1, 3: 8}, "-i", f"b:{folder / 'four.tns'}")
# How far an index runs that no operand has, its result's declaration says, or what else is as long as that result.
gives("tensor x(3): d\nx(i) = 7", "x", {0: 7, 1: 7, 2: 7})
gives(v + "tensor u: d\ntensor w: dd\nu(j) = 2\nw(i,j) = 3 * a(i)\nx(i) = w(i,j) * u(j) * a(j)", "x", {0: 36, 1: 72, 2: 108})
gives(v + "tensor u: s\nrepeat 2 { u(i) += 1 }\nx(i) = isqrt(u(i) * a(i) * 8)", "x", {0: 4, 1: 5, 2: 6}, warns="E0129-from-zero")
# A function of the library is called with scalars, unless a tensor has its name.
gives(v + "scalar n = 17\nscalar r = 0\nr = isqrt(n)\nx(i) = r * a(i)", "x", {0: 4, 1: 8, 2: 12})
gives("# no scalar i\nscalar n = 17\ntensor isqrt: s = [1, 2, 3]\nx(i) = n * isqrt(i)", "x", {0: 17, 1: 34, 2: 51})
gives("scalar i = 17\ntensor isqrt: s = [1, 2, 3]\nx(n) = isqrt(n) * i", "x", {0: 17, 1: 34, 2: 51})
gives(v + "tensor b: s = {}\nrepeat 3 { b(i) += a(i) }", "b", {0: 3, 1: 6, 2: 9})
gives(v + "tensor b: s\nrepeat 3 { b(i) += a(i) }", "b", {0: 3, 1: 6, 2: 9}, warns="E0129-from-zero")
gives(v + "tensor b: s = [7, 8, 9]\nmulti { a(i) = b(i); b(i) = a(i) }\nresult b", "b", {0: 1, 1: 2, 2: 3})
gives(v + "tensor b: s = [7, 8, 9]\nrepeat 3 { swap a, b }\nx(i) = a(i)", "x", {0: 7, 1: 8, 2: 9})
gives(v + "tensor swap: s = [1, 1, 1]\nrepeat(i) = swap(i) + a(i)", "repeat", {0: 2, 1: 3, 2: 4})
gives("scalar n = 5\nscalar t\nrepeat until n <= 0 max 5 { t = t + n; n = n - 1 }\nresult t", "t", {0: 15})
gives("scalar n = 5\nscalar t = 3\nrepeat until 1 == 1 max 0 { t = t + n }\nresult t", "t", {0: 3})
doubled = "tensor a: s = [3, 4]\ntensor b: s = [0, 4]\nscalar n\nrepeat until %s max 9 { a(i) = 2 * a(i); n = n + 1 }\nresult n"
gives(doubled % "norm(a) > 20", "n", {0: 3})
gives(doubled % "max(a) + nnz(a) > 17", "n", {0: 2})
gives(doubled % "norm(a(i) - b(i)) > 9 && sum(a) > 1", "n", {0: 2})
gives("tensor a: s = [3, 4]\nscalar n\nrepeat 2 { repeat until norm(a) > 9 * (n + 1) max 5 { n = n + 1; a(i) = 2 * a(i) } }\nresult n", "n", {0: 3})
gives("param n = 2\ntensor a(4): s = {n: 3}\nrepeat n { repeat n { a(i) = 2 * a(i) } }", "a", {2: 48})
gives("param n = 2\ntensor a(4): s = {n: 3}\nrepeat n { a(i) = 2 * a(i) }", "a", {3: 24}, "--set", "n=3")
# What is its fill goes before it is an operand: 5 - 5 does not keep the loop alive.
gives("tensor a: s = [5, 6]\ntensor b: s = [5, 6]\nscalar n = 0\nrepeat until nnz(a) == 0 max 2 { a(i) = a(i) - b(i); n = n + 1 }\nresult n", "n", {0: 1})
# On the array the sum is a kernel of its own; what it leaves is called w, as a tensor that does not change.
text = 'tensor A: dd = random "8x8:0.5"\ntensor u: d = all 1\ntensor v: d = all 1\ntensor w(8): d = all 3\nrepeat 2 { u(i) = A(j,i) * u(j) + v(i) }\nresult u, w'
done = run(text, "--engine", "cycle", "-O0")
if done.returncode:
    bad += 1
    print(f"workspace of a name in use: {done.stderr}")
# A vector of more entries than an int16 counts is not empty.
gives("tensor a(9): d = all 1\nscalar n\nn = nnz(a)", "n", {0: 9})
gives("tensor a(65536): d = all 1\nscalar n\nn = nnz(a)", "n", {0: 65536}, "--dtype", "int16")
gives("tensor a: s fill inf = {0: 4, 2: 9}\ntensor b: s fill inf = {1: 2, 2: 3}\nx(i) = min(a(i), b(i))", "x", {0: 4, 1: 2, 2: 3})

# Sums of bf16 are rounded as the engine orders them; each statement is checked by itself.
done = run("tensor a: d = [1, 2.5, 0.3]\nscalar t\nrepeat 9 { t += a(i) * a(i); a(i) = a(i) * 0.75 }", "--dtype", "bf16", "--json")
if done.returncode or json.loads(done.stdout)["check"] != "pass":
    bad += 1
    print(f"bf16: {done.stderr}")
done = run(v + "x(i) = a(i)\nrepeat 2 { x(i) = x(i) + a(i) }", "--json")
report = json.loads(done.stdout)
if [s["runs"] for s in report["statements"]] != [1, 2] or report["loops"][0]["each"] != [{"pass": "", "passes": 2}]:
    bad += 1
    print(f"report: {done.stdout}")
bad += kept.count_wrong()
sys.exit(bad != 0)
