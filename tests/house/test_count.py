#!/usr/bin/env python3
"""Each count on a small tree that has one of what is counted, and something near that is not. Usage: test_count.py FOLDER

The folder is made, and made anew if this test made it before; any other that exists is left alone."""
import pathlib
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
import count  # noqa: E402

root = pathlib.Path(sys.argv[1])
# Only a folder that this test made is made anew: it left its name there.
mark = root / ".made_by_test_count"
if root.exists() and not mark.is_file():
    sys.exit(f"{root} is there, and not of this test: name a folder that it may make")
shutil.rmtree(root, ignore_errors=True)
root.mkdir(parents=True)
mark.touch()


def write(name, text):
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


# Six, seven and eight parameters, one and two bools; a function pointer's commas are no parameters.
write("compile/a.h", """
typedef struct work { int x; } work;
typedef bool (*not_a_prototype)(int a, int b);
void a_enter(work *w);  /* void in_a_comment(void); */
bool a_again(work *w);
int a_seven(int a, int b, int c, int d, int e, int f, void (*g)(int, int));
int a_eight(int a, int b, int c, int d, int e, int f, int g, int h);
int a_bools(bool one, int n, bool other); int a_bool(bool one, int n);
extern int not_a_function;
""")
# a and b know each other; c reaches b over d; e knows nobody. The pointer goes from a to b and back up.
write("compile/a.c", """
#define CALL(x) only_##x()
static const char *text = "unnamed()"; /* unnamed() */
int a_seven(int a, int b, int c, int d, int e, int f, void (*g)(int, int)) { return a_bool(a, b); }
int a_eight(int a, int b, int c, int d, int e, int f, int g, int h) { return a_seven(a, b, c, d, e, f, 0); }
int a_bools(bool one, int n, bool other) { return a_eight(1, 2, 3, 4, 5, 6, 7, n) + one + other; }
int a_bool(bool one, int n) { return a_bools(one, n, one); }
bool a_again(work *w) { return w->unnamed; }
void a_enter(work *w) { b_next(w); }
""")
write("compile/b.c", "void b_next(work *w) { a_again(w); c_turn(); }\nvoid unnamed(void) {}\nvoid only_made(void) {}\n")
write("compile/c.c", "void c_turn(void) { d_turn(); }\n")
write("compile/d.c", "void d_turn(void) { b_turn(0); }\n")
write("compile/bb.c", "void b_turn(int n) { e_leaf(n); c_turn(); }\n")
write("compile/e.c", "void e_leaf(int n) {}\n")
write("compile/main.c", "int main(void) { work w; a_enter(&w); }\n")
write("tests/t.c", "void t(void) { unnamed(); x_dump(); z_check(); }\n")
write("sam/x.c", "void x_dump(void) {}\nvoid y_dump(void) {}\nconst int x_table[] = {1};\nvoid z_check(void) { in_lower(); }\n")
# A harness with a mode that a list of tests has and one that nobody has; generators with a quota and without.
option, draw = "parser.add_argument", "r = random.Random"
write("tests/h.py", f'{option}("--used")\n{option}("--forgotten")\nword.replace("{{copy}}", out)\n{draw}(1)\n')
write("tests/q.py", f"{draw}(2)\nshares = quota.Quota()\n")
# Draws that are no cases: of a measurement, of an order, of a memory's bytes, of known numbers; beside each what is a generator.
write("tests/bench/b.py", f"{draw}(3)\n")
write("tests/order.py", f"{draw}(key).shuffle(found)\n")
write("tests/seeded.py", "random.seed" + "(4)\n")
seed, byte = "prng r = prng_seed" + "(5);", "m[i] = (uint8_t)prng_next(&r);"
write("tests/memory.c", f"int main(void) {{ {seed} for (;;) {byte} }}\n")
write("tests/memory_and_more.c", f"int main(void) {{ {seed} for (;;) {byte} n = prng_below(&r, 3); }}\n")
write("tests/known.c", f"int main(void) {{ {seed} assert_true(prng_next(&r) == 0x3c); }}\n")
write("tests/unknown.c", f"int main(void) {{ {seed} assert_true(prng_next(&r) == other); }}\n")
# A file without tests whose caller counts, and one whose caller does not; a test that leaves its cases to a function that counts, or does not.
for name, counts in (("counted", "quota_failed(&q);"), ("lost", "")):
    write(f"tests/{name}_cases.c", f"void make_{name}(void) {{ {seed} }}\n")
    write(f"tests/{name}_caller.c", f"int main(void) {{ make_{name}(); {counts} }}\n")
    write(f"tests/{name}_player.c", f"void play_{name}(void) {{ {counts} }}\n")
    write(f"tests/{name}_test.c", f"int main(void) {{ {seed} play_{name}(); }}\n")
write("tests/CMakeLists.txt", "add_test(NAME h COMMAND h.py --used)\n")
# A room that uses a table of another, which calls a function of it: a circle of rooms.
write("lower/y.c", "void in_lower(void) { use(x_table); }\n")
# Six lines that stand again with a comment and a brace between them; six like both of them but for names; five only.
lines = ["int f(int a)", "a += 1;", "while (a) a--;", "if (a == 3) return 4;", "call(a, 7);", "return a * a;"]
write("pnr/one.cpp", "\n".join(lines) + "\nint one;\n")
write("pnr/two.cpp", "\n{ // more\n".join(lines) + "\nint *two;\n")
renamed = [line.replace("a", "b").replace("7", "8") for line in lines]
write("pnr/three.cpp", "\n".join(renamed) + "\nint three[3];\n")
write("pnr/five.cpp", "\n".join(lines[:5]) + "\nfor (;;);\n")

# 25 members, of which a struct inside of it is one, and 24; 601 lines, and 600.
write("pnr/large.h", "typedef struct {\n    int a, b, c;\n    struct { int inner, other; } at[2];\n    void (*call)(int, int);\n" +
      "".join(f"    int m{i};\n" for i in range(20)) + "} large;\nstruct small { int " + ", ".join(f"m{i}" for i in range(24)) + "; };\n")
write("sam/long.c", "\n" * 601)
write("sam/short.c", "\n" * 600)

headers, counts = count.counted(root)
expected = {"compile/parameters": 2, "compile/bools": 1, "compile/cycles": 5, "identical": 1, "similar": 2, "uncalled": 2, "unused_modes": 2, "without_quota": 6, "compile/climbs": 1,
            "sam/cycles": 0, "cycles": 2, "pnr/structs": 1, "sam/files": 1}
failed = 0
for name, number in [*expected.items(), ("compile/a.h", 6)]:
    found = len(counts[name]) if name in counts else headers[name]
    if found != number:
        failed += 1
        print(f"{name}: {found}, expected {number}", *counts.get(name, []), sep="\n    ")

# A folder of somebody else's is refused, and stays.
other = root / "of_another"
(other / "kept").mkdir(parents=True)
refused = subprocess.run([sys.executable, __file__, str(other)], capture_output=True, text=True)
if refused.returncode != 1 or "not of this test" not in refused.stderr or not (other / "kept").is_dir():
    failed += 1
    print("a folder that is not of this test:", refused.returncode, refused.stderr)
sys.exit(1 if failed else 0)
