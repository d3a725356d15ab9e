"""The Python module against NumPy and SciPy: test_bindings.py; exits with 77 where cffi or SciPy is missing."""

import pathlib
import subprocess
import sys
import tempfile
import threading
import types
import typing
import unittest
import unittest.mock
import xml.etree.ElementTree

try:
    import cffi  # noqa: F401
    import numpy as np
    import scipy.sparse as sp
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

import onyx

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from quota import Quota  # noqa: E402

INT16 = ["--dtype", "int16"]


def whole(rows, columns, density, seed):
    """A random matrix of whole numbers from 1 to 9."""
    m = sp.random(rows, columns, density, random_state=seed, format="csr")
    m.data = np.floor(m.data * 9) + 1
    return m


def wrapped(values):
    """What is left of whole numbers in 16 bits."""
    return np.asarray(values).astype(np.int64).astype(np.int16).astype(np.float64)


class Kernels(unittest.TestCase):
    quota = Quota()  # trivial: a result of one value

    @classmethod
    def tearDownClass(cls):
        if cls.quota.failed():
            raise AssertionError("too many results show nothing")

    def same(self, got, want):
        got = got.toarray() if sp.issparse(got) else np.asarray(got)
        want = np.asarray(want.toarray() if sp.issparse(want) else want)
        self.quota.add(trivial=len(np.unique(want)) < 2 if want.ndim else want == 0)
        np.testing.assert_array_equal(got, wrapped(want))

    def test_matrix_product(self):
        B, C = whole(70, 50, 0.06, 1), whole(50, 40, 0.06, 2)
        for engine in ("sam", "cycle"):
            r = onyx.run("X(i,j) = B(i,k) * C(k,j)", B=B, C=C, formats={"C": "ss:1,0"}, engine=engine)
            self.same(r.X, B @ C)
            self.assertIs(r.X, r.value)
            self.assertEqual(r.report["check"], "pass")
            self.assertEqual(r.cycles, r.report["cycles"]["total"])
            self.assertGreater(r.cycles, 0)

    def test_on_the_soc(self):
        B = whole(12, 12, 0.2, 3)
        self.same(onyx.run("X(i,j) = B(i,j) * C(i,j)", B=B, C=B, engine="soc").X, B.multiply(B))
        r = onyx.run("X(i,j) = B(i,j) * C(i,j)", B=B, C=B, formats={"B": "ss@glb", "C": "ss:0,1@host"}, engine="soc")
        self.same(r.X, B.multiply(B))
        self.assertEqual({(one["operand"], one["region"], one["stated"]) for one in r.report["operands"]}, {("B", "glb", True), ("C", "host", True)})
        with self.assertRaisesRegex(onyx.OnyxError, "E0178-region"):
            onyx.run("X(i,j) = B(i,j) * C(i,j)", B=B, C=B, formats={"B": "ss@dram"}, engine="soc")

    def test_orders(self):
        rng = np.random.default_rng(4)
        T = np.floor(rng.random((7, 6, 5)) * 4) * (rng.random((7, 6, 5)) < 0.3)
        c = np.floor(rng.random(5) * 9)
        self.same(onyx.run("X(i,j) = T(i,j,k) * c(k)", T=T, c=c).X, np.einsum("ijk,k->ij", T, c))
        self.same(onyx.run("y(i) = T(i,j,k)", T=T).y, T.sum((1, 2)))
        self.same(onyx.run("a = c(i) * d(i)", c=c, d=list(c)).a, (c * c).sum())
        self.same(onyx.run("x(i) = a * c(i)", a=3, c=c).x, 3 * c)
        r = onyx.run("Y(i,j,k) = T(i,j,k) + T2(i,j,k)", T=T, T2=onyx.Tensor.of(T))
        self.assertIsInstance(r.Y, onyx.Tensor)
        self.same(r.Y.to_dense(), 2 * T)

    def test_what_holds_outside(self):
        x, w = np.array([3, 4, 0, 5, 0, 0, 6, 2]), np.array([1, 10, 100])
        self.same(onyx.run("y(i) = sum(j, coalesce(x(permit(i+j-1)), 0) * w(j))", x=x, w=w, engine="cycle").y, np.correlate(x, w, "same"))
        self.same(onyx.run("C(i) = coalesce(x(permit(i)), w(permit(i-8)))", x=x, w=w).C, np.concatenate([x, w]))
        kernel = onyx.compile("y(i) = coalesce(x(permit(i-1)), 7) * x(i)", x=x)
        for new in (x, x[::-1].copy(), x[:5]):
            self.same(kernel(x=new).y, np.concatenate([[7], new[:-1]]) * new)
        with self.assertRaisesRegex(onyx.OnyxError, "nothing says what holds outside of x"):
            onyx.run("y(i) = x(permit(i-1))", x=x)

    def test_entries(self):
        """Any order, duplicates added, explicit zeros, wrapping, a column as a vector, nothing at all."""
        t = onyx.Tensor((4,), [[3], [1], [3]], [5, 0, 6])
        self.same(onyx.run("x(i) = t(i)", t=t).x, np.array([0, 0, 0, 11]))
        self.same(onyx.run("x(i) = t(i) * t(i)", t=np.array([300, -7]), options=INT16).x, np.array([90000, 49]))
        column = np.array([[0], [2], [5], [0], [7], [1]])
        self.same(onyx.run("x(i) = c(i)", c=sp.csr_matrix(column)).x, column[:, 0])
        self.same(onyx.run("x(i) = B(i,j) * c(j)", B=sp.csr_matrix((6, 5)), c=np.ones(5)).x, np.zeros(6))

    def test_coords_and_data(self):
        class Coo:  # as PyData's sparse arrays have them
            shape, coords, data = (3, 2), np.array([[0, 2], [1, 0]]), np.array([4, 5])

        self.same(onyx.run("X(i,j) = B(i,j)", B=Coo()).X, np.array([[0, 4], [0, 0], [5, 0]]))

    def test_bfloat16(self):
        r = onyx.run("X(i,j) = B(i,j) + C(i,j)", B=np.array([[1.5, 0]]), C=np.array([[0.25, -3]]), options=["--dtype", "bf16"])
        np.testing.assert_array_equal(r.X.toarray(), [[1.75, -3]])

    def test_folder_options_and_warnings(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "out"
            r = onyx.run("x(i) = t(i)", t=np.array([1.4, 2.0]), out=out, options=["--seed", 3, "--tile", 16, *INT16])
            self.assertEqual(r.report["seed"], 3)
            self.assertIn("[E0350-rounded]", r.messages)
            self.assertTrue((out / "bitstream.bs").exists())
            self.same(r.x, np.array([1, 2]))

    def test_settings_by_name(self):
        B, C = whole(20, 20, 0.2, 1), whole(20, 20, 0.2, 2)
        how = {"dtype": "bf16", "profile": "onyx-ext", "tile": 8, "unroll": 2}
        words = [word for name, value in how.items() for word in (f"--{name}", value)]
        named, said = onyx.run("X(i,j) = B(i,k) * C(k,j)", B=B, C=C, **how), onyx.run("X(i,j) = B(i,k) * C(k,j)", B=B, C=C, options=words)
        self.assertEqual([named.report[m] for m in ("profile", "unroll", "bitstream", "cycles")], [said.report[m] for m in ("profile", "unroll", "bitstream", "cycles")])
        self.assertEqual((named.report["profile"], named.report["unroll"]), ("onyx-ext", 2))
        kernel = onyx.compile("X(i,j) = B(i,k) * C(k,j)", B=B, C=C, **how)
        self.assertEqual(kernel.bitstream, said.report["bitstream"]["xxh64"])
        with self.assertRaisesRegex(onyx.OnyxError, "E0903"):
            onyx.run("X(i,j) = B(i,j)", B=B, tile="wide")
    def test_types_by_the_data(self):
        """Fractions are kept; what no type is named for is int16, bf16, or scaled."""
        v = np.array([1.5, 0.125, 7])
        for options, of in ([], "bf16"), (["--dtype", "q16"], "q16"), (["--dtype", "q16", "--scale", "v:3"], "q16"):
            r = onyx.run("x(i) = v(i) * v(i)", v=v, options=options)
            self.assertEqual(r.report["type"]["of"], of)
            np.testing.assert_array_equal(r.x, v * v)
        r = onyx.run("s = sum(i, v(i))", v=v)
        self.assertEqual((r.report["type"]["of"], r.report["type"]["scales"], float(r.s)), ("q16", {"s": 3, "v": 3}, 8.625))
        self.assertEqual(onyx.run("x(i) = v(i)", v=np.array([3, 4])).report["type"]["of"], "int16")
        gathered = onyx.run("x(i) = v(at(i))", v=np.array([30, 40, 50]), at=np.array([2, 0, 1]), engine="sam")
        self.assertEqual((gathered.report["type"]["of"], gathered.x.tolist()), ("int16", [50, 30, 40]))

    def test_what_does_not_fit_is_said(self):
        r = onyx.run("x(i) = t(i) * t(i)", t=np.array([300, 2]), options=INT16)
        self.assertIn("[E0351-wrapped]", r.messages)
        self.assertEqual(repr(r), f"<onyx.Result x: 2, 2 nonzeros, {r.cycles} cycles>")
        with self.assertRaises(TypeError):
            onyx.run("x(i) = t(i)", t=np.array([1j]))
        for option in ("--help", "--usage", "-?"):  # would end this program
            with self.assertRaisesRegex(onyx.OnyxError, "E0902-option"):
                onyx.run("x(i) = t(i)", t=np.array([1]), options=[option])

    def test_operators_fills_and_functions(self):
        """As the command has them; what became infinite is counted alike on every engine."""
        A, d = sp.csr_matrix(([30000, 5], ([0, 1], [0, 1])), shape=(3, 2)), onyx.Tensor((2,), [[0, 1]], [3000, 4])
        for engine in ("sam", "cycle", "rtl", "soc"):
            r = onyx.run("y(i) = A(i,j) * d(j)", A=A, d=d, engine=engine, options=["--semiring", "min_plus", *INT16])
            self.assertEqual((r.tensor.fill, r.y.tolist()), (32767, [32767, 9, 32767]))
            self.assertIn("1 of 2 values of y became infinite or wrapped around in 16 bits", r.messages)
        functions = pathlib.Path(__file__).parents[2] / "examples" / "functions.fn"
        r = onyx.run("y(i) = gcd(b(i), c(i))", b=np.array([12, 0, 9]), c=np.array([8, 3, 0]), engine="cycle", options=["--functions", functions])
        self.assertEqual((r.y.tolist(), r.messages), ([4, 3, 9], ""))

    def test_program(self):
        graph = sp.csr_matrix(([1.0, 1, 1, 1], ([0, 1, 1, 2], [1, 0, 2, 1])), shape=(4, 4))
        text = "param steps = 1\ntensor A: ss\ntensor x: d = [1, 0, 0, 0]\ntensor y: d\nscalar n\n" \
               "repeat steps { y(i) = A(i,j) * x(j); swap x, y; n = nnz(x) }\nresult x, n"
        r = onyx.program(text, A=graph, settings={"steps": 3})
        self.assertEqual(r.x.tolist(), [0, 2, 0, 0])
        self.assertEqual(r.values["n"], 1)
        self.assertEqual(r.report["check"], "pass")
        self.assertGreater(r.cycles, 0)
        again = onyx.program(text, A=graph, x=np.array([0, 1, 0, 5]), engine="sam")
        self.assertEqual(again.x.tolist(), [1, 0, 1, 0])
        far = onyx.program("tensor d(3): s fill inf = {1: 3}\nx(i) = d(i) + 4", engine="sam").x
        self.assertEqual(far.tolist(), [32767, 7, 32767])
        pairs = "m(i), p(i) = argmax(j, D(i,j))"
        D = np.array([[3, 0, 7], [0, 9, 2], [4, 4, 0]])
        for two in (onyx.run(pairs, D=D), onyx.compile(pairs)(D=D), onyx.program(pairs + "\nresult m, p", D=D)):
            self.assertEqual((two.m.tolist(), two.values["p"].tolist()), ([7, 9, 4], [2, 1, 0]))
        with self.assertRaises(onyx.OnyxError) as raised:
            onyx.program(text, A=graph, settings={"passes": 3})
        self.assertIn("E0171-setting", raised.exception.messages)
        with self.assertRaises(onyx.OnyxError):
            onyx.program(text)

    def test_compiled_kernel_takes_new_data(self):
        B = sp.random(30, 20, 0.3, random_state=1, format="csr")
        B.data = np.ceil(B.data * 5)
        c = np.arange(20) % 4
        kernel = onyx.compile("x(i) = B(i,j) * c(j)", B=B, c=c)
        self.assertIn("--tile", repr(kernel))
        bits = kernel.bitstream
        self.assertEqual(len(bits), 16)
        for matrix, vector in ((B, c), (B * 2, c + 1), (B[:10, :5], c[:5])):
            self.same(kernel(B=matrix, c=vector).x, matrix @ vector)
            self.assertEqual(kernel.bitstream, bits)
        with self.assertRaisesRegex(TypeError, r"options, \['--semiring', 'min_plus'\]"):
            onyx.run("x(i) = b(i)", b=B[0], semiring="min_plus")
        with self.assertRaises(TypeError):
            kernel({"B": B}, B=B)
        for expression, want in ("X(i,j) = B(i,k) * C(k,j)", lambda b, c: b @ c), ("X(i,j) = B(i,j) + C(j,i)", lambda b, c: b + c.T):
            kernel, sparse = onyx.compile(expression), []  # sparse ones have other loops, or fused ones
            for density in 0.05, 0.3, 0.05, 1:
                one, other = (sp.random(m, n, density, random_state=3, format="csr") for m, n in ((20, 25), (25, 20)))
                one.data, other.data = np.ceil(one.data * 9), np.ceil(other.data * 9)
                self.same(kernel(B=one, C=other).X.toarray(), want(one, other).toarray())
                sparse.append(kernel.bitstream)
            self.assertEqual(len(set(sparse)), 1, expression)
            kernel._loops = ["-s", "reorder(none)"]  # what they do not fit is run in loops that they do
            self.same(kernel(B=one, C=other).X.toarray(), want(one, other).toarray())
        said = onyx.compile("x(i) = B(i,j) * c(j)", engine="sam", options=["--tile=4"])
        self.assertEqual(repr(said), "<onyx.Kernel x(i) = B(i,j) * c(j)>")
        self.same(said({"B": B, "c": c}).x, B @ c)
        self.assertIsNone(said.bitstream)
        self.assertNotIn("--tile", repr(said))
        with self.assertRaises(onyx.OnyxError):
            onyx.compile("x(i) = B(i,j) * c(j", B=B, c=c)

    def test_einsum(self):
        A, B = np.array([[1, 0, 2], [0, 3, 0]]), np.array([[1, 0], [0, 4], [5, 6]])
        T = np.arange(24).reshape(2, 3, 4) % 5
        for text, operands in (("ij,jk->ik", (A, B)), ("ij,jk", (A, B)), ("ij -> i", (A,)), ("ij->ji", (A,)), ("ij,ij->", (A, A)),
                               ("ii->i", (A[:, :2],)), ("ii", (A[:, :2],)), ("i,j->ij", (A[0], A[1])), ("ijk,k->ij", (T, [1, 0, 2, 3]))):
            with self.subTest(text):
                self.same(onyx.einsum(text, *operands).value, np.einsum(text, *operands))
        r = onyx.einsum("ij,jk->ik", A, B, formats={"t1": "ss:1,0"}, engine="sam")
        self.assertEqual(r.report["engine"], "sam")
        for text, count in (("ij,jk->ik", 1), ("i...->i", 1), ("ij->ii", 1), ("ij->k", 1), ("ij>i", 1), ("i", 1), ("ijk...", 1), ("......", 1)):
            with self.assertRaises(ValueError, msg=text):
                onyx.einsum(text, *[A] * count)

    def test_einsum_with_dots_labels_and_single_coordinates(self):
        A, B, T = np.array([[1, 0, 2], [0, 3, 0]]), np.array([[1, 0], [0, 4], [5, 6]]), np.arange(24).reshape(2, 3, 4) % 5
        row, column, corner = A[:1], A[:, :1], A[:1, :1]
        for arguments in (("...j,jk->...k", A, B), ("i...->...i", A), ("...,...", A, row), ("i...,...", T, T[0, 0]), ("...ij->...ji", T),
                          ("...ij,...jk->...ik", T, T[:1].swapaxes(1, 2)), ("...i->...", T), ("i...", 3 * A[0]), ("...", np.array(7)),
                          (A, [0, 1], B, [1, 2], [0, 2]), (A, [0, 1], B, [1, 2]), (T, [0, ..., 1], [1, ...]), (A, [30, 2], [2, 30]), (A, [1, 0]),
                          ("ij,ij->ij", A, row), ("ij,ij->ij", column, row), ("ij,ij->", A, corner), ("ij,ij->ij", corner, corner),
                          ("ij,jk->ik", A, B[:1]), ("i,i->i", [2], [1, 2, 3])):
            with self.subTest(str(arguments[:2])):
                value = onyx.einsum(*arguments, engine="sam").value
                self.same(value.to_dense() if isinstance(value, onyx.Tensor) else value, np.einsum(*arguments))
        sparse = onyx.einsum("ij,ij->ij", sp.csr_matrix(A), sp.csr_matrix(row), formats={"t0": "ss:1,0", "t1": "d"})
        self.same(sparse.x, A * row)
        for arguments in ((), (A, [0, 52]), (A, [0, "i"]), (A, [0, 0.5])):
            with self.assertRaises(ValueError, msg=str(arguments)):
                onyx.einsum(*arguments)

    def test_tensors_of_pytorch(self):
        class Part:  # a dense tensor, given by DLPack only
            def __init__(self, array):
                self.array, self.shape, self.layout, self.dtype = np.asarray(array), np.shape(array), "torch.strided", f"torch.{np.asarray(array).dtype}"

            def detach(self):
                return self

            cpu = detach

            def __dlpack__(self, **how):
                return self.array.__dlpack__()

            def __dlpack_device__(self):
                return self.array.__dlpack_device__()

        def tensor(layout, shape, **parts):
            given = {name: (lambda array: lambda: Part(array))(np.asarray(array)) for name, array in parts.items()}
            made = types.SimpleNamespace(layout=f"torch.{layout}", shape=shape, **given)
            made.coalesce = lambda: made
            return made

        M = np.array([[0, 0, 5, 1], [7, 0, 0, 0], [0, 0, 0, 2], [0, 3, 0, 0]])
        csr, csc, bsr = sp.csr_matrix(M), sp.csc_matrix(M), sp.bsr_matrix(M, blocksize=(2, 2))
        at = np.stack(np.nonzero(M))
        wide = sp.bsr_matrix(M, blocksize=(1, 2))
        blocks = [tensor("sparse_bsr", M.shape, crow_indices=m.indptr, col_indices=m.indices, values=m.data) for m in (bsr, wide)]
        turned = sp.bsr_matrix(M.T, blocksize=(2, 1))
        for value in [Part(M), tensor("sparse_coo", M.shape, indices=at, values=M[tuple(at)]),
                      tensor("sparse_csr", M.shape, crow_indices=csr.indptr, col_indices=csr.indices, values=csr.data),
                      tensor("sparse_csc", M.shape, ccol_indices=csc.indptr, row_indices=csc.indices, values=csc.data),
                      tensor("sparse_bsc", M.shape, ccol_indices=turned.indptr, row_indices=turned.indices, values=turned.data.swapaxes(1, 2))] + blocks:
            with self.subTest(value.layout):
                self.same(onyx.Tensor.of(value).to_dense(), M)
                self.assertEqual(onyx.Tensor.of(value).nnz, 5)
        self.same(onyx.run("X(i,k) = B(i,j) * C(j,k)", B=blocks[0], C=Part(M), engine="sam").X, M @ M)

        alone = type("Alone", (), {"__dlpack__": lambda self, **how: M.__dlpack__(), "__dlpack_device__": lambda self: M.__dlpack_device__()})()
        self.same(onyx.Tensor.of(alone).to_dense(), M)  # DLPack and nothing else
        buffers = {"indices": memoryview(np.ascontiguousarray(at)), "values": memoryview(np.array(M[tuple(at)]))}
        made = types.SimpleNamespace(layout="torch.sparse_coo", shape=M.shape, **{name: (lambda part: lambda: part)(part) for name, part in buffers.items()})
        made.coalesce = lambda: made
        self.same(onyx.Tensor.of(made).to_dense(), M)  # by the buffer protocol
        self.same(onyx.Tensor.of(memoryview(M)).to_dense(), M)
        hybrid = tensor("sparse_coo", (3, 2, 2), indices=[[0, 2]], values=[[[1, 0], [2, 3]], [[0, 4], [0, 0]]])
        self.same(onyx.Tensor.of(hybrid).to_dense(), [[[1, 0], [2, 3]], [[0, 0], [0, 0]], [[0, 4], [0, 0]]])
        batch = tensor("sparse_csr", (2, 2, 3), crow_indices=[[0, 1, 2], [0, 0, 2]], col_indices=[[2, 0], [0, 1]], values=[[1, 2], [3, 4]])
        self.same(onyx.Tensor.of(batch).to_dense(), [[[0, 0, 1], [2, 0, 0]], [[0, 0, 0], [3, 4, 0]]])
        with self.assertRaisesRegex(TypeError, "layout jagged"):
            onyx.Tensor.of(tensor("jagged", (2, 2)))

    def test_sparse_arrays_in_and_out(self):
        class Coo:  # as PyData's package has it, with another one that becomes it
            def __init__(self, coords, data, shape, fill_value=0):
                self.coords, self.data, self.shape, self.fill_value = np.asarray(coords), np.asarray(data), shape, fill_value

        class Gcxs:
            fill_value = 0

            def asformat(self, name):
                assert name == "coo"
                return Coo([[0, 1], [2, 0]], [5, 7], (2, 3))

        B = Gcxs()
        r = onyx.run("X(i,j) = B(i,j)", B=B)
        self.same(r.X, np.array([[0, 0, 5], [7, 0, 0]]))
        B_dense = np.array([[0, 0], [3, 0]])
        cube = Coo([[0, 1], [2, 0], [3, 1]], [5, 7], (2, 3, 4))  # as SciPy has arrays of more than two indices
        cube.tocoo = lambda: cube
        with unittest.mock.patch("scipy.sparse.issparse", lambda value: value is cube):
            self.assertEqual(onyx.Tensor.of(cube).coordinates.tolist(), [[0, 2, 3], [1, 0, 1]])
        filled = Coo([[0], [1]], [1], (2, 2), fill_value=3)
        s = onyx.run("X(i,j) = B(i,j) + C(i,j)", B=filled, C=B_dense, engine="sam")
        self.assertEqual((s.tensor.fill, s.X.to_dense().tolist()), (3, [[3, 1], [6, 3]]))
        with self.assertRaises(ValueError):
            s.tensor.to_scipy()
        paths = onyx.run("y(i) = A(i,j) * d(j)", A=Coo([[0, 1], [1, 0]], [4, 9], (3, 2), np.inf), d=Coo([[0]], [5], (2,), np.inf),
                         options=["--semiring", "min_plus"])
        self.assertEqual(paths.y.tolist(), [32767, 14, 32767])
        least = onyx.run("y = min(i, d(i))", d=Coo(np.zeros((1, 0), int), [], (2,), np.inf), engine="sam")
        self.assertEqual(least.y, 32767)
        with self.assertRaises(onyx.OnyxError) as raised:
            onyx.run("X(i,j) = B(i,j)", B=Coo([[0], [0]], [1], (2, 2), fill_value=0.5), options=INT16)
        self.assertIn("E0153", raised.exception.messages)
        with self.assertRaises(ValueError):
            onyx.program("tensor B: ss\nX(i,j) = B(i,j)\nresult X", B=filled)
        module = types.ModuleType("sparse")
        module.COO = lambda coords, data, shape, fill_value=0: Coo(coords, data, shape, fill_value)
        with unittest.mock.patch.dict(sys.modules, {"sparse": module}):
            out = r.tensor.to_sparse()
            self.assertEqual(s.tensor.to_sparse().fill_value, 3)
        self.assertEqual((out.coords.tolist(), out.data.tolist(), out.shape), ([[0, 1], [2, 0]], [5, 7], (2, 3)))
        self.same(r.tensor.to_scipy(), r.X)

    def test_without_scipy(self):
        code = "import sys; sys.modules['scipy'] = sys.modules['scipy.sparse'] = None\n" \
               "import onyx; r = onyx.run('X(i,j) = B(i,j)', B=[[0, 2], [3, 0]]); print(r.value, r.X.to_dense().tolist())"
        said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        self.assertEqual(said, "<onyx.Tensor 2x2, 2 entries> [[0.0, 2.0], [3.0, 0.0]]\n")

    def test_notebook(self):
        r = onyx.run("X(i,j) = B(i,k) * C(k,j)", B=whole(80, 50, 0.06, 1), C=whole(50, 40, 0.06, 2), formats={"C": "ss:1,0"}, options=["-O0"])
        page = r._repr_html_()
        xml.etree.ElementTree.fromstring(page)
        for text in ("X(i,j) = B(i,k) * C(k,j)", "pass (engine cycle)", f"{r.cycles:,}", "PE", "bottleneck", "<svg"):
            self.assertIn(text, page)
        self.assertNotIn("<svg", onyx.run("x(i) = b(i)", b=[1, 2])._repr_html_())

    def test_types(self):
        self.assertTrue((pathlib.Path(onyx.__file__).parent / "py.typed").exists())
        for function in (onyx.run, onyx.einsum, onyx.version, onyx.Tensor.of, onyx.Tensor.to_dense):
            self.assertTrue(typing.get_type_hints(function), function)

    def test_schedule(self):
        B, C = whole(9, 9, 0.3, 5), whole(9, 9, 0.3, 6)
        r = onyx.run("X(i,j) = B(i,k) * C(k,j)", B=B, C=C, schedule="reorder(i,k,j)")
        self.same(r.X, B @ C)
        self.assertEqual(r.report["loops"], "i,k,j")

    def test_threads(self):
        B = whole(20, 20, 0.2, 7)
        results = [None] * 8

        def work(n):
            engine = ("cycle", "sam")[n % 2]
            results[n] = onyx.run("x(i) = B(i,j) * c(j)", B=B, c=np.full(20, n + 1.0), engine=engine).x

        threads = [threading.Thread(target=work, args=(n,)) for n in range(len(results))]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        for n, result in enumerate(results):
            self.same(result, B @ np.full(20, n + 1.0))


    def test_warnings(self):
        with self.assertWarnsRegex(onyx.OnyxWarning, "E0351-wrapped"):
            r = onyx.run("x(i) = v(i)", v=np.array([70000, 1]), options=INT16)
        self.same(r.x, np.array([70000, 1]))
        self.assertRegex(r.accuracy, r"differs from float64 by up to 94 % at \(1\): 1 of 2 values of v wrapped around in 16 bits")
        self.assertIn("differs", r._repr_html_())
        r = onyx.program("tensor v: s\ntensor x: s\nscalar n\nx(i) = v(i)\nn = 7\nresult n, x\n", v=np.array([2, 1]))
        self.assertEqual(r.accuracy, {"n": "exact", "x": "exact"})

    def test_entries_of_one_place(self):
        """They are added before the sum is rounded, whatever holds them."""
        at, values = ([0, 0, 1, 1, 2, 2, 2], [0] * 7), [1.5, 2.5, 30000, 30000, 0.4, 0.4, 0.4]
        coo, want = sp.coo_matrix((values, at), shape=(3, 1)), [4, 60000, 1]
        for given in (coo, sp.csr_matrix(coo), onyx.Tensor((3, 1), np.stack(at, axis=1), values)):
            with self.assertWarnsRegex(onyx.OnyxWarning, "1 of 3 values of 'B' was rounded.*\n.*1 of 3 values of 'B' is outside"):
                r = onyx.run("X(i,j) = B(i,j)", B=given, options=INT16)
            self.same(r.X.toarray().reshape(-1), np.array(want))

    def test_convert_warns(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "t.stored"
            with self.assertWarnsRegex(onyx.OnyxWarning, "E0350-rounded"):
                onyx.Tensor((2,), [[0], [0]], [0.75, 0.5]).convert("s", file)
            self.same(onyx.run("x(i) = t(i)", options=["-i", f"t:{file}"]).x, np.array([1, 0]))

    def test_names_of_arguments(self):
        given = {"out": np.array([1, 2]), "engine": np.array([3, 4]), "expression": np.array([5, 6])}
        r = onyx.run("x(i) = out(i) + engine(i) + expression(i) + v(i)", given, v=np.array([7, 8]))
        self.same(r.x, np.array([16, 20]))
        with self.assertRaises(TypeError):
            onyx.run("x(i) = v(i)", {"v": np.array([1])}, v=np.array([1]))


if __name__ == "__main__":
    unittest.main()
