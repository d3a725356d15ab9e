#!/usr/bin/env python3
"""The firmware on a hostile chip (onyx-cosim --hostile): random memories and registers, latencies, late interrupts,
posted stores, gated clocks. Results are right for every seed; a firmware without one of its precautions is noticed. The
second seed is another for each commit.

hostile.py ONYX SOURCE [SEED]
"""
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import seeds  # noqa: E402

KERNEL = ['run', 'X(i,j) = B(i,k) * C(k,j)', '-g', 'B:12x12:0.3:1', '-g', 'C:12x12:0.3:2', '--tile', '6', '--engine', 'soc', '--verify-config']
PROGRAM = ['run', 'examples/bfs.onx', '--engine', 'soc']
IMAGES = ['run', 'examples/gradients.onx', '--engine', 'soc']  # results of the processor, and several images

# Precaution: file of firmware/target, text, text without it, command that notices.
REMOVALS = {
    'clock of the array': ('platform.c', 'platform_read(PLATFORM_CLK_GATE_EN) & ~FIELD(PLATFORM_CLK_GATE_EN_CGRA, 1)',
                           'platform_read(PLATFORM_CLK_GATE_EN)', KERNEL),
    'clock select of the array': ('platform.c', 'platform_write(PLATFORM_CGRA_CLK_SELECT, 0);', '', KERNEL),
    'clock select of the processor': ('platform.c', 'platform_write(PLATFORM_SYS_CLK_SELECT, 1);', '', KERNEL),
    'reset of the array': ('platform.c', '|| !reset_is(others, 0)', '', KERNEL),
    'stall of the columns': ('configure.c', '    glc_write(GLC_CGRA_STALL, k->stall_mask);\n    glc_write(GLC_PCFG_IER, 1);',
                             '    glc_write(GLC_PCFG_IER, 1);', KERNEL),
    'clock enables of the buffer': ('configure.c', 'glc_write(GLC_GLB_CLK_EN_MASTER, (1u << ONYX_GLB_TILES) - 1);', '', KERNEL),
    'wait for a word read back': ('configure.c', 'wait_since(asked, READ_WAIT);', '(void)asked;', KERNEL),
    'enables of done bits': ('streams.c', 'glc_write(GLC_F2G_IER + 4 * kind, all);', '', KERNEL),
    'clear of done bits': ('streams.c', 'glc_write(GLC_F2G_ISR, done >> STREAM_STORES);', '', KERNEL),
    'barrier before a start': ('streams.c', '    hal_order();', '', PROGRAM),
    'barrier before a reset': ('configure.c', '    hal_order();', '', IMAGES),
    'protocol version': ('mailbox.c', 'mailbox.version = FW_PROTOCOL_VERSION;', '', KERNEL),
    'clear of the mailbox': ('mailbox.c', 'words[0] = words[1] = words[2] = words[3] = 0;', 'words[0] = 0;', KERNEL),
}


def run(onyx, folder, source, home, command, seed):
    words = [os.path.join(source, w) if w.startswith('examples/') else w for w in command]
    done = subprocess.run([onyx, *words, '-o', f'{folder}/out'], capture_output=True, text=True, check=False, cwd=folder,
                          timeout=300, env={**os.environ, 'ONYX_HOME': home, 'ONYX_HOSTILE': str(seed)})
    return done.returncode, done.stdout + done.stderr


def home_without(folder, source, file, change):
    """The source tree with a changed file of the firmware; all else are links."""
    home = f'{folder}/home'
    shutil.rmtree(home, ignore_errors=True)
    os.mkdir(home)
    for name in os.listdir(source):
        if name not in ('firmware', 'build') and not name.startswith('.'):
            os.symlink(f'{source}/{name}', f'{home}/{name}')
    shutil.copytree(f'{source}/firmware', f'{home}/firmware')
    path = f'{home}/firmware/target/{file}'
    with open(path, encoding='utf-8') as f:
        text = f.read()
    with open(path, 'w', encoding='utf-8') as f:
        f.write(change(text))
    return home


def removed(text, old, new):
    assert old in text, old
    return text.replace(old, new)


def main():
    onyx, source = (os.path.abspath(a) for a in sys.argv[1:3])
    chosen = (1, int(sys.argv[3]) if len(sys.argv) > 3 else seeds.outside(source) % 1000000 + 2)
    print('seeds', *chosen, flush=True)
    if not shutil.which('arm-none-eabi-gcc'):
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        for command in (KERNEL, PROGRAM):
            for seed in chosen:
                code, said = run(onyx, folder, source, source, command, seed)
                assert code == 0, (command, seed, said)
        missed = []
        for name, (file, old, new, command) in REMOVALS.items():
            home = home_without(folder, source, file, lambda text, old=old, new=new: removed(text, old, new))
            noticed = any(run(onyx, folder, source, home, command, seed)[0] for seed in chosen)
            print(name, 'is noticed' if noticed else 'IS NOT NOTICED', flush=True)
            if not noticed:
                missed.append(name)
        for header in sorted(name for name in os.listdir(f'{source}/firmware/target') if name.endswith('.h')):
            home = home_without(folder, source, header, lambda text: '#error\n' + text)
            if not run(onyx, folder, source, home, KERNEL, chosen[0])[0]:
                missed.append(f'objects from before a change of {header}')
        assert not missed, f'not noticed: {missed}'


if __name__ == '__main__':
    main()
