"""The Python module where something is wrong: messages, interruptions, processes that end; tensors and files by themselves: test_process.py; exits with 77
where cffi or SciPy is missing."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from test_bindings import INT16, np, sp, whole  # skips where a package is missing

import onyx


class Mistakes(unittest.TestCase):
    def fails(self, code, text, expression, **given):
        with self.assertRaises(onyx.OnyxError) as caught:
            onyx.run(expression, **given)
        self.assertEqual(caught.exception.code, code)
        self.assertIn(text, caught.exception.messages)

    def test_functions_that_do_not_come_back(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, body in (("store", "*(volatile double *)8 = x; return x;"), ("leave", "exit(0); return x;"), ("ends", "return 2 * x;")):
                pathlib.Path(folder, "own.c").write_text("#include <stdlib.h>\ndouble own(double x) { " + body + " }\n")
                described = pathlib.Path(folder, "own.xf")
                described.write_text("call: double own(X)\ncapability: Y(i) = own(X(i))\ndatatypes: int16\nsource: own.c\n")
                run = lambda: onyx.run("x(i) = own(b(i))", b=np.array([1, 2, 3]), engine="sam", options=["--functions", str(described)])  # noqa: E731
                if name == "ends":
                    np.testing.assert_array_equal(run().x, [2, 4, 6])
                else:
                    with self.assertRaisesRegex(onyx.OnyxError, "E0181-function-fault"):
                        run()

    def test_messages(self):
        v = np.array([1, 2])
        self.fails(1, "<expression>:1:8: error:", "x(i) = ", v=v)
        self.fails(1, "[E0910-operand]", "x(i) = v(i)", v=v, w=v)
        self.fails(1, "[E0911-no-data]", "x(i) = v(i) * w(i)", v=v)
        self.fails(1, "[E0914-twice]", "x(i) = v(i)", v=v, options=["-g", "v:2:0.5"])
        self.fails(1, "[E0311-order]", "x(i) = v(i)", v=np.ones((2, 2)))
        self.fails(1, "[E0303-range]", "x(i) = v(i)", v=onyx.Tensor((2,), [[2]], [1]))
        self.fails(1, "[E0305-value]", "x(i) = v(i)", v=np.array([1, float("nan")]), options=INT16)
        self.fails(1, "[E0903-option-value]", "x(i) = v(i)", v=v, options=["--tile", 0])
        self.fails(2, "[E0", "X(i,j) = v(i) * w(j)", v=v, w=v, options=["--board", "onyx-4x2"])

    def test_arrays_of_no_numbers(self):
        for v in (np.ma.masked_array([1, 2], [0, 1]), np.array(["2026-01-01"], "datetime64[D]"), np.array([3], "timedelta64[s]"), np.array(["1", "2"])):
            with self.assertRaisesRegex(TypeError, "operand v: "):
                onyx.run("x(i) = v(i)", v=v)
        for v in (np.array([1j]), [[1], [1, 2]], "v.mtx"):
            with self.assertRaisesRegex((TypeError, ValueError), "operand v: |v='v.mtx' is no operand"):
                onyx.run("x(i) = v(i)", {"v": v})
        with self.assertRaisesRegex(TypeError, "did you mean dtype='int16'?"):
            onyx.run("x(i) = v(i)", v=np.array([1]), dtyp="int16")
        with self.assertRaises(TypeError):
            onyx.Tensor((2,), [[0]], np.ma.masked_array([1], [1]))

    def test_texts_with_zero_characters(self):
        v = np.array([1, 2])
        for run in (lambda: onyx.run("x(i) = v(i)\0 * 2", v=v), lambda: onyx.run("x(i) = v(i)", {"v\0w": v}), lambda: onyx.run("x(i) = v(i)", v=v, options=["--tile", "4\0"]),
                    lambda: onyx.program("scalar a = 1\0\nresult a\n")):
            with self.assertRaisesRegex(ValueError, "zero character"):
                run()

    def test_interruption(self):
        """Of a program that the library started, and which sends Ctrl-C to this one, too; then all is as before."""
        before, path = signal.signal(signal.SIGINT, signal.default_int_handler), os.environ["PATH"]
        with tempfile.TemporaryDirectory() as folder:
            compiler = pathlib.Path(folder) / "arm-none-eabi-gcc"
            compiler.write_text("#!/bin/sh\nkill -INT $PPID\nexit 2\n")
            compiler.chmod(0o755)
            try:
                os.environ["PATH"] = f"{folder}:{path}"
                with self.assertRaises(KeyboardInterrupt):
                    onyx.run("x(i) = v(i)", v=np.array([1]), engine="soc", out=pathlib.Path(folder) / "out")
                self.assertFalse((pathlib.Path(folder) / "out" / "report.json").exists())
            finally:
                os.environ["PATH"] = path
                signal.signal(signal.SIGINT, before)
        np.testing.assert_array_equal(onyx.run("x(i) = v(i)", v=np.array([1])).x, [1])

    def test_process_of_a_thread(self):
        """A process takes call after call, and another one takes over where it was killed, for another environment and after fork."""
        def child():
            onyx.run("x(i) = v(i)", v=np.array([1]))
            return onyx._library._process().child

        first = child()
        self.assertEqual(child(), first)
        os.kill(first, signal.SIGKILL)
        time.sleep(0.2)
        second = child()
        self.assertNotEqual(second, first)
        os.environ["ONYX_TEST"] = "1"
        third = child()
        self.assertNotIn(third, (first, second))
        del os.environ["ONYX_TEST"]
        last, copy = child(), os.fork()
        if not copy:
            os._exit(0 if child() != last else 1)
        self.assertEqual(os.waitpid(copy, 0)[1], 0)
        self.assertEqual(child(), last)

    def test_progress(self):
        """Long calls say on standard error what they do."""
        script = ("import onyx, scipy.sparse as sp\nB = sp.random(1200, 1200, 0.03, random_state=1, format='csr')\nB.data[:] = 1\n"
                  "onyx.run('X(i,j) = B(i,k) * C(k,j)', B=B, C=B, options=['--progress'])\n")
        run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        self.assertRegex(run.stderr, r"onyx: .*, \d+ s\n")

    def test_children_that_are_not_kept(self):
        """SIGCHLD is ignored, or its handler takes the end of every child."""
        def take(*_):
            try:
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            except ChildProcessError:
                pass

        for how in (signal.SIG_IGN, take):
            before = signal.signal(signal.SIGCHLD, how)
            try:
                for engine in ("sam", "cycle", "soc"):
                    np.testing.assert_array_equal(onyx.run("x(i) = v(i)", v=np.array([1]), engine=engine).x, [1])
                self.fails(1, "[E0910-operand]", "x(i) = v(i)", v=np.array([1]), w=np.array([1]))
            finally:
                signal.signal(signal.SIGCHLD, before)

    def test_end_of_this_program(self):
        """However Python ends, the kernel's process ends, and what that started."""
        script = ("import numpy, onyx, scipy.sparse as sp, signal\n"
                  "signal.signal(signal.SIGTERM, lambda *_: None)\n"
                  "B = sp.random(4000, 4000, 0.02, random_state=1, format='csr')\n"
                  "B.data[:] = 1\nprint('begun', flush=True)\n"
                  "onyx.run('X(i,j) = B(i,k) * C(k,j)', B=B, C=B)\n")
        program = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, start_new_session=True)
        self.assertEqual(program.stdout.readline(), b"begun\n")
        time.sleep(2)
        of_group = ["ps", "-o", "pid=", "--sid", str(program.pid)]
        self.assertGreater(len(subprocess.run(of_group, capture_output=True).stdout.split()), 1)
        program.kill()
        program.wait()
        program.stdout.close()
        since = time.monotonic()
        while subprocess.run(of_group, capture_output=True).stdout.split():
            self.assertLess(time.monotonic() - since, 20)
            time.sleep(0.1)

    def test_interruption_of_this_program(self):
        """While the library computes. All is over soon, the programs it started too, and the folder is free again."""
        B = whole(3000, 3000, 0.02, 8)
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            with tempfile.TemporaryDirectory() as folder:
                for engine in ("sam", "cycle"):
                    since = time.monotonic()
                    threading.Timer(2, os.kill, (os.getpid(), signal.SIGINT)).start()
                    with self.assertRaises(KeyboardInterrupt):
                        onyx.run("X(i,j) = B(i,k) * C(k,j)", B=B, C=B, engine=engine, out=folder)
                    self.assertLess(time.monotonic() - since, 20)
                    self.assertFalse((pathlib.Path(folder) / "report.json").exists())
                onyx.run("x(i) = v(i)", v=np.array([1]), out=folder)
        finally:
            signal.signal(signal.SIGINT, before)

    def test_values(self):
        with self.assertRaises(ValueError):
            onyx.run("x(i) = v(i)", v=onyx.Tensor((2,), [[-1]], [1]))
        for at in ([[1.7]], [[2**32 + 1]], [[float("nan")]]):
            with self.assertRaises(ValueError):
                onyx.run("x(i) = v(i)", v=onyx.Tensor((2,), at, [1]))
        for shape in ((-3,), (2**31,), (2**32 + 2,)):
            with self.assertRaises(ValueError):
                onyx.run("x(i) = v(i)", v=onyx.Tensor(shape, [[1]], [1]))
        for shape, at in (((1.5,), [[0]]), ((2,), [["0"]])):
            with self.assertRaises(TypeError):
                onyx.run("x(i) = v(i)", v=onyx.Tensor(shape, at, [1]))
        impossible = onyx.Tensor((2,), [[1]], [1])
        impossible.shape = (4294967293,)  # past the module, to what C programs meet
        with self.assertRaisesRegex(onyx.OnyxError, "E0303-range"):
            onyx.run("x(i) = v(i)", v=impossible)
        with self.assertRaises(AttributeError):
            onyx.run("x(i) = v(i)", v=np.array([1])).y

    def test_stored(self):
        """A tensor in a format is a file that operands are read from; what it cannot hold, and what is none, is said."""
        dense = np.zeros((9, 11))
        dense[2, 3], dense[8, 10], dense[0, 0], dense[3, 2] = 5, -2, 1, 4
        matrix = onyx.Tensor.of(dense)
        with tempfile.TemporaryDirectory() as folder:
            for name, values in (("CSR", 4), ("BCSR", 32), ("DIA", 36), ("ds:1,0", 4)):
                path = os.path.join(folder, "B.stored")
                takes = matrix.convert(name, path)
                self.assertEqual((takes["format"], takes["entries"], takes["values"]), (name, 4, values))
                self.assertEqual(takes["bytes"] - takes["metadata"], 2 * values)
                got = onyx.run("X(i,j) = B(i,j)", out=folder + "/out", options=["-i", f"B:{path}"]).tensor
                np.testing.assert_array_equal(got.to_dense(), dense)
            for name, code in (("Triangular", "E0364"), ("Foo", "E0363"), ("HashVector", "E0311")):
                with self.assertRaisesRegex(onyx.OnyxError, code):
                    matrix.convert(name, path)
            with self.assertRaisesRegex(onyx.OnyxError, "E0903.*|-o '.*B.mtx' must be a format with -f, and a .stored file"):
                matrix.convert("CSR", os.path.join(folder, "B.mtx"))

    def test_binsparse(self):
        """Files of BinSparse in all its formats, by name and as levels, hold what SciPy says; mistakes in them are said."""
        try:
            import h5py
        except ImportError:
            self.skipTest("h5py is not installed")
        rows = whole(13, 9, 0.2, 5)
        columns, pairs, dense = rows.tocsc(), rows.tocoo(), rows.toarray()
        some = np.flatnonzero(np.diff(rows.indptr))
        levels = {"level": "sparse", "rank": 1, "subformat": {"level": "element"}}
        by_row = {"pointers_to_1": rows.indptr, "indices_1": rows.indices, "values": rows.data}
        by_column = {"pointers_to_1": columns.indptr, "indices_1": columns.indices, "values": columns.data}
        by_pair = {"indices_0": pairs.row, "indices_1": pairs.col, "values": pairs.data}
        some_rows = {"indices_0": some, "pointers_to_1": np.append(0, np.cumsum(np.diff(rows.indptr)[some])), "indices_1": rows.indices, "values": rows.data}
        ones = {**by_row, "values": np.array([3])}
        half = np.tril(whole(9, 9, 0.4, 6).toarray())
        lower = sp.csr_matrix(half)
        by_half = {"pointers_to_1": lower.indptr, "indices_1": lower.indices, "values": lower.data}
        of3 = {"indices_0": [1, 1, 2], "indices_1": [0, 3, 2], "pointers_to_2": [0, 2, 3, 4], "indices_2": [0, 4, 1, 2], "values": [5, 6, 7, 8]}
        cube = np.zeros((3, 4, 5))
        cube[1, 0, 0], cube[1, 0, 4], cube[1, 3, 1], cube[2, 2, 2] = 5, 6, 7, 8
        good = [
            ("CSR", {}, by_row, dense), ("CSC", {}, by_column, dense), ("COO", {}, by_pair, dense), ("COOR", {}, by_pair, dense),
            ("COOC", {}, {"indices_0": by_pair["indices_1"], "indices_1": by_pair["indices_0"], "values": pairs.data}, dense),
            ("DCSR", {}, some_rows, dense), ("DMAT", {}, {"values": dense.ravel()}, dense), ("DMATC", {}, {"values": dense.T.ravel()}, dense),
            ("VEC", {}, {"indices_0": [1, 4], "values": [2, -3]}, np.array([0, 2, 0, 0, -3, 0])), ("DVEC", {}, {"values": [4, 0, 5]}, np.array([4, 0, 5])),
            ({"level": "dense", "rank": 1, "subformat": levels}, {}, by_row, dense),
            ({"level": "dense", "rank": 1, "subformat": levels}, {"swizzle": [1, 0]}, by_column, dense),
            ({"level": "dense", "rank": 1, "subformat": {**levels, "subformat": {"level": "iso", "subformat": {"level": "element"}}}}, {}, ones, 3 * (dense != 0)),
            ("CSR", {"values": "iso[int8]"}, ones, 3 * (dense != 0)),
            ("CSR", {"structure": "symmetric_lower"}, by_half, half + half.T - np.diag(np.diag(half))),
            ("CSC", {"structure": "skew_symmetric_upper"}, by_half, half.T - half + np.diag(np.diag(half))),
            ({"level": "sparse", "rank": 2, "subformat": levels}, {}, of3, cube),
        ]
        bad = [
            ("CSR", {}, {**by_row, "pointers_to_1": rows.indptr[:-1]}, "pointers_to_1 does not go through"),
            ("CSR", {}, {**by_row, "pointers_to_1": rows.indptr[::-1]}, "pointers_to_1 does not go through"),
            ("COO", {}, {**by_pair, "indices_0": pairs.row + 13}, "outside of 13x9"), ("COO", {}, {**by_pair, "values": pairs.data[1:]}, "values for"),
            ("XYZ", {}, by_row, "no format XYZ"), ("VEC", {}, by_pair, "are not those of 2 indices"), ("CSR", {"structure": "hermitian_lower"}, by_row, "no structure"),
            ({"level": "banded", "subformat": levels}, {}, by_row, "no level banded"), ("CSR", {"values": "complex[float64]"}, by_row, "complex"),
            ("CSR", {"fill": True}, {**by_row, "fill_value": [4.0]}, "what is not stored is 4"),
        ]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "B.bsp.h5")

            def write(form, more, arrays, shape):
                more = dict(more)
                told = {"version": "0.1", "format": form, "shape": shape, "data_types": {"values": more.pop("values", "float64")}, **more}
                with h5py.File(path, "w") as file:
                    group = file.create_group("B")
                    group.attrs["binsparse"] = json.dumps({"binsparse": told})
                    for name, array in arrays.items():
                        group[name] = np.asarray(array)

            for form, more, arrays, want in good:
                with self.subTest(form=form, more=more):
                    write(form, more, arrays, list(want.shape))
                    got = onyx.Tensor.read_binsparse(path, "B")
                    self.assertEqual(got.nnz, np.count_nonzero(want))
                    np.testing.assert_array_equal(got.to_dense(), want)
            for form, more, arrays, message in bad:
                with self.subTest(message=message):
                    write(form, more, arrays, [13, 9])
                    with self.assertRaisesRegex((ValueError, TypeError), message):
                        onyx.Tensor.read_binsparse(path, "B")
            with self.assertRaisesRegex(ValueError, "no tensor of BinSparse"):
                onyx.Tensor.read_binsparse(path)

    def test_version(self):
        self.assertEqual(onyx.version().split()[0], onyx.__version__)
        self.assertRegex(onyx.version(), r"^\d+\.\d+\.\d+ \(.+\)$")


if __name__ == "__main__":
    unittest.main()
