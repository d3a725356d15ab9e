"""The command `onyx` of a wheel: the program that the wheel carries."""

import os
import pathlib
import sys


def main():
    program = pathlib.Path(__file__).resolve().parent / "_tool/bin/onyx"
    os.execv(program, [str(program), *sys.argv[1:]])
