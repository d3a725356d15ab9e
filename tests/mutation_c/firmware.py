"""How many changes of single lines of the firmware (firmware/target) its tests notice: the host's tests with the firmware as
a shared library, then, of a mutant that lives, the whole program on a hostile chip.

firmware.py SOURCE FOLDER ONYX MUTANTS LEAST SEED TEST...

MUTANTS are tried, chosen by SEED; fails below LEAST % of those whose object code differs and that survivors.txt does not
explain. Each TEST is linked to libfirmware.so, of which FOLDER gets one for each mutant. ONYX is the program for hostile chips;
with - the host's tests alone decide, in seconds.
"""
import os
import pathlib
import random
import shutil
import subprocess
import sys

import mutants
import mutate

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / 'cosim'))
import hostile  # noqa: E402

FILES = ['firmware', 'mailbox', 'platform', 'image', 'configure', 'streams', 'dispatch', 'lists', 'entries', 'bf16']
SECONDS = 60


class Firmware:
    def __init__(self, source, folder):
        self.source, self.folder = source, folder
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.objects = {name: self.compile(source / f'firmware/target/{name}.c', name) for name in FILES}
        assert all(self.objects.values())

    def compile(self, file, name):
        """The object of a file, or None: the compiler refuses it."""
        out = self.folder / f'{name}.o'
        done = subprocess.run(['cc', '-c', '-O1', '-g0', '-fPIC', '-w', '-std=c11', '-DFIRMWARE_ON_HOST', f'-I{self.source}',
                               f'-I{self.source}/tests/firmware', '-o', out, file], capture_output=True, check=False)
        return out if done.returncode == 0 else None

    def link(self, objects):
        subprocess.run(['cc', '-shared', '-o', self.folder / 'libfirmware.so', *objects.values()], check=True)

    def fails(self, test):
        env = {**os.environ, 'LD_LIBRARY_PATH': str(self.folder), 'CMOCKA_TEST_ABORT': '1'}
        try:
            return subprocess.run([test], env=env, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  timeout=SECONDS, check=False).returncode != 0
        except subprocess.TimeoutExpired:
            return True


def noticed_by_chip(onyx, source, folder, file, number, old, new):
    """Whether a hostile chip's run differs; by the number of the line, since the text may stand there twice."""
    home = hostile.home_without(folder, source, file, lambda text: '\n'.join(
        new if i == number else line for i, line in enumerate(text.split('\n'))))
    return any(hostile.run(onyx, folder, source, home, command, 1)[0] for command in (hostile.KERNEL, hostile.PROGRAM))


def main():
    source, folder = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
    onyx = sys.argv[3] != '-' and os.path.abspath(sys.argv[3])
    wanted, least, seed, tests = int(sys.argv[4]), int(sys.argv[5]), sys.argv[6], sys.argv[7:]
    plain = Firmware(source, folder / 'plain')
    plain.link(plain.objects)
    for test in tests:
        assert not plain.fails(test), f'{test} fails without a mutant'
    found = []
    for name in FILES:
        path = source / f'firmware/target/{name}.c'
        found += mutants.mutants_of(f'firmware/target/{name}.c', path.read_text(encoding='utf-8'))
    found = random.Random(seed).sample(found, len(found))
    explained = mutate.reasons()
    tried, lives = 0, []
    for path, number, old, new in found:
        if tried == wanted:
            break
        name = pathlib.Path(path).stem
        text = (source / path).read_text(encoding='utf-8').split('\n')
        text[number] = new
        changed = plain.folder / f'mutant_{name}.c'
        changed.write_text('\n'.join(text), encoding='utf-8')
        made = plain.compile(changed, f'mutant_{name}')
        if not made or made.read_bytes() == plain.objects[name].read_bytes() or (path, old.strip(), new.strip()) in explained:
            continue
        tried += 1
        plain.link({**plain.objects, name: made})
        if any(plain.fails(test) for test in tests):
            continue
        if onyx and noticed_by_chip(onyx, str(source), str(folder), f'{name}.c', number, old, new):
            continue
        lives.append((path, number, old, new))
        print(f'lives: {path}:{number + 1}: {old.strip()} -> {new.strip()}', flush=True)
    print(f'{tried - len(lives)} of {tried} mutants were noticed')
    assert 100 * (tried - len(lives)) >= least * tried


main()
