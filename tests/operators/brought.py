#!/usr/bin/env python3
"""Forms of expressions as people bring them from papers, GraphBLAS and NumPy, a row each, against plain Python:
brought.py ONYX FOLDER [--compare PAGE | --write PAGE].

The table of docs/notebook/brought.md has each row's command and value, and is written from here.
"""
import functools
import json
import math
import pathlib
import re
import shlex
import subprocess
import sys

I, J, K = range(6), range(8), range(4)
INFINITE = 32767
A = [[(3 * i + 5 * j) % 7 + 1 if (i + 2 * j) % 3 == 0 else 0 for j in J] for i in I]
B = [[(2 * i + 3 * j) % 5 + 1 if (i + j) % 2 == 0 else 0 for j in J] for i in I]
FULL = [[(i + 2 * j) % 9 + 1 for j in J] for i in I]
S = [[(i * j) % 4 if i != j else 3 for j in K] for i in J]
x = [j % 5 + 1 if j % 3 else 0 for j in J]
m = [1, 0, 0, 1, 1, 0, 1, 0]
idx = [3, 7, 0, 2, 2, 5]
P = [2, 0, 5, 1, 4, 3]
W = [[(i + k) % 3 for k in K] for i in I]
T = [[[(i + 2 * j + 3 * k) % 5 if (i + j + k) % 2 == 0 else 0 for k in K] for j in J] for i in I]
Z = [[[[[(3 * i + 5 * j + 7 * k + 2 * q + r) % 11 - 4 if (i + j * k + 3 * q + r) % 7 == 0 else 0 for r in I]
        for q in I] for k in I] for j in I] for i in I]
SEVEN = range(3)
V = [[[[[[[(3 * i + 5 * j + 7 * k + 2 * q + r + 4 * p + 6 * s) % 11 - 4
            if (i + j * k + 2 * q + r + p * s) % 5 == 0 else 0 for s in SEVEN] for p in SEVEN] for r in SEVEN] for q in SEVEN] for k in SEVEN] for j in SEVEN] for i in SEVEN]
G, H = [[1, 2], [0, 3]], [[0, 1], [4, 0]]
TURNS = [[int((i // 400) % 2 == side or i == 1999) for i in range(2000)] for side in range(2)]
FEW, MANY = [int(i % 2000 == 999) for i in range(20000)], [int((7 * i + i // 10) % 10 < 1) for i in range(20000)]
MIDDLE = [int(900 <= i < 960) for i in range(20000)]
DATA = {"middle": MIDDLE, "G": G, "H": H, "few": FEW, "many": MANY, "even": TURNS[0], "odd": TURNS[1], "A": A, "B": B, "F": FULL, "S": S,
        "W": W, "T": T, "Z": Z, "V": V, "x": x, "m": m, "idx": idx, "turn": P}


def where(values, add, nothing):
    return functools.reduce(add, values, nothing)


def semiring(add, multiply, nothing):
    """A matrix times a vector, of stored entries only."""
    return [where([multiply(A[i][j], x[j]) for j in J if A[i][j] and x[j]], add, nothing) for i in I]


def minimax(value, at=0):
    """The value of a game whose moves alternate."""
    return (min if at % 2 else max)(minimax(part, at + 1) for part in value) if isinstance(value, list) else value


PRODUCT = [[sum(A[i][j] * S[j][k] for j in J) for k in K] for i in I]
VECTOR = [sum(A[i][j] * x[j] for j in J) for i in I]
MTTKRP = [[sum(T[i][j][k] * W[k][q] * S[j][q] for j in J for k in K) for q in K] for i in I]
FIRST = [max((A[i][j] * x[j], -j) for j in J)[1] * -1 if any(A[i][j] and x[j] for j in J) else 0 for i in I]
OWN = ["--functions", "own.fn"]
OWN_FORMATS = ["--formats", "own.formats", "--engine", "sam"]
NARROW = ["-i", "row:row.csv", "-i", "rows:column.csv"]
FUNCTIONS = """def smaller(x,y):
  {
    if (x < y) { return x; }
    return y;
  }
def left(x,y):
  {
    if (y != 0) { return 0; }
    return x;
  }
iteration_space:
  {x != 0} & ~{y != 0}
def divisor(x,y):
  x,0 => { return x; }
  0,y => { return y; }
  x,y => {
    while (y) {
      int rest = x % y;
      x = y;
      y = rest;
    }
    return x;
  }
iteration_space:
  {x != 0} | {y != 0}
def total(x,y):
  {
    return x + y;
  }
def farthest(x,y):
  {
    if (abs(x) >= abs(y)) { return x; }
    return y;
  }
def first(x,y):
  {
    return x;
  }
def last(x,y):
  {
    return y;
  }
def common(x,y):
  {
    while (y) {
      int rest = x % y;
      x = y;
      y = rest;
    }
    return x;
  }
"""
REFUSED = [  # arguments, and a code
    (["y(i) = common(j, A(i,j))", *OWN, "--fill", "A:2"], "E0152-function"),
    (["y(i) = common(i, A(i,j))", *OWN], "E0108-sum"),
    (["y(i) = common(j, k, B(i,j))", *OWN], "E0152-function"),
    (["y(i) = (A(i,j) + B(i,j)) * x(j)", "--semiring", "any_firsti"], "E0154-semiring"),
    (["X(i,j) = A(idx(i),j)"], "E0182-gather"),
    (["y(i) = rleu(F(i,1))"], "E0152-function", "there is 'relu'"),
    (["X(i,j) = gcd(A(i,j), B(i,j))"], "E0152-function", "the library has 'm3_gcd'"),
    (["y(i) = N(i,j) * x(j)", "-g", "N:6x8:50%"], "E0313-generator", "a density that is no number from 0 to 1"),
    (["y(i) = N(i,j) * x(j)", "-i", "N:out"], "E0001-file", "a file is wanted here"),
    (["y(i) = sofmax(j, F(i,j))"], "E0152-function", "the library has 'softmax'"),
    (["X(i,j) = A(i,j) + rows(i,j)", "-i", "rows:column.csv", "-d", "rows:6,8"], "E0320-dimension", "0 in place of j"),
    (["y = sum(j, rows(0,j)) * sum(j, A(1,j))", "-i", "rows:column.csv"], "E0320-dimension", "name the index of this sum"),
    (["scalar.onx"], "E0182-gather", "param says so"),
    (["empty.mlir"], "E0187-mlir"),
    (["unordered.mlir"], "E0110-format"),
    (["ij->ii", "-i", "t0:A.mtx"], "E0186-einsum"),
    (["X(i,k)=A(i,j)*S(j,k)*W(i,k)", "-s", "precompute(A(i,j)*S(j,k),{i,k},{i,k},w)", "-f", "w:d"], "E0110-format"),
    (["X(i,k)=A(i,j)*S(j,k)*W(i,k)", "-s", "precompute(A(i,j)*S(j,k),{i,k},{i,k},w)", "-f", "k:ds"],
     "E0103-unknown-tensor"),
    (["X(i,j) = mask(mask(i,j), A(i,j))", "-i", "mask:B.mtx"], "E0117-name-clash"),
    (["two.cin", "-i", "A:A.mtx", "-i", "x:x.mtx"], "E0150-cin"),
]
TWO = "where(forall(i, y(i) = w(i) * 2), forall(i, forall(j, w(i) += A(i,j) * x(j))))"
T0 = ["-i", "t0:A.mtx", "-i"]
LOOPS = "suchthat(forall(i, forall(j0, forall(j1, forall(k, X(i,k) += A(i,j) * S(j,k))))), split(j,j0,j1,4))"
MODULE = """#CSC = #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : compressed) }>
#product = {
  indexing_maps = [
    affine_map<(i, j, k) -> (i, j)>, // A
    affine_map<(i, j, k) -> (j, k)>, // S
    affine_map<(i, j, k) -> (i, k)>  // X
  ],
  iterator_types = ["parallel", "reduction", "parallel"]
}
func.func @product(%A: tensor<6x8xi16, #CSC>, %S: tensor<8x4xi16>, %X: tensor<6x4xi16>) -> tensor<6x4xi16> {
  %0 = linalg.generic #product
    ins(%A, %S : tensor<6x8xi16, #CSC>, tensor<8x4xi16>) outs(%X : tensor<6x4xi16>) {
    ^bb0(%a: i16, %b: i16, %c: i16):
      %1 = arith.muli %a, %b : i16
      %2 = arith.addi %c, %1 : i16
      linalg.yield %2 : i16
  } -> tensor<6x4xi16>
  return %0 : tensor<6x4xi16>
}
"""
ORDERED = MODULE.replace("map = (d0, d1) -> (d1 : dense, d0 : compressed)",
                         'dimLevelType = ["dense", "compressed"], dimOrdering = affine_map<(i, j) -> (j, i)>')
MATRIX = "y(i) = A(i,j) * x(j)"
READ_BACK = ("ELL", "SELL", "JDS", "Skyline", "CISR", "C2SR", "VBL", "Band")  # files of A, by `onyx tile convert`
ROWS = [  # where the form comes from, arguments, the value by definition
    ("reduction by a subscript", ["y_i = min_j F_{ij}"], [min(row) for row in FULL]),
    ("reduction of a product", ["y_i = max_j A_{ij} * x_j"], [max(A[i][j] * x[j] for j in J) for i in I]),
    ("reduction of a group", ["y_i = sum_j (A_{ij} + B_{ij}) - idx_i"], [sum(A[i]) + sum(B[i]) - idx[i] for i in I]),
    ("minimax", ["y = max_i min_j (F_{ij})"], max(min(row) for row in FULL)),
    ("indices without commas", ["X_{ik} = A_{ij} * S_{jk}"], PRODUCT),
    ("slices without commas", ["X_{ij} = A_{i(0:2)j(0:2)} + B_{i(1:3)j(2:4)}"],
     [[A[i][j] + B[i + 1][j + 2] for j in range(2)] for i in range(2)]),
    ("an index from the end", ["y(j) = x(7-j)"], [x[7 - j] for j in J]),
    ("a negative multiple", ["y(i) = x(7-2*i)"], [x[7 - 2 * i] for i in K]),
    ("a reversed slice", ["y(j) = x(j(::-1))"], x[::-1]),
    ("a slice with a negative step", ["y(i) = x(i(7:1:-2))"], x[7:1:-2]),
    ("beside the end, outside", ["y(i) = coalesce(x(permit(3-i)), 9)", "-d", "i:6"],
     [x[3 - i] if i <= 3 else 9 for i in I]),
    ("a difference of indices", ["y(i) = x(7-i-j) * m(j)", "-d", "i:8"],
     [sum(x[7 - i - j] * m[j] for j in J if i + j <= 7) for i in J]),
    ("a complement as a mask", ["y(j) = mask(not struct(m(j)), x(j))"], [0 if m[j] else x[j] for j in J]),
    ("gather", ["y(i) = x(idx(i))"], [x[i] for i in idx]),
    ("a function as a reduction", ["y(i) = common(j, A(i,j) * idx(i))", *OWN],
     [math.gcd(*A[i]) * idx[i] for i in I]),
    ("a function as a reduction, onyx-ext", ["y(i) = common(j, A(i,j))", *OWN, "--profile", "onyx-ext"],
     [math.gcd(*row) for row in A]),
    ("a function as a reduction, engine sam", ["y(i) = common(j, A(i,j))", *OWN, "--engine", "sam"],
     [math.gcd(*row) for row in A]),
    ("a function over two indices", ["y = farthest(i, j, A(i,j) - B(i,j))", *OWN],
     max((A[i][j] - B[i][j] for i in I for j in J), key=abs)),
    ("a function that is a sum", ["y(i) = total(j, A(i,j) * x(j))", *OWN, "-s", "reorder(i,j)"], VECTOR),
    ("an operand as CSV rows", ["y(i) = rows(i,j) * x(j)", "-i", "rows:rows.csv"], VECTOR),
    ("an operand as CSV entries", ["y(i) = entries(i,j) * x(j)", "-i", "entries:entries.csv"], VECTOR),
    ("einsum", ["ij,jk->ik", *T0, "t1:S.mtx"], PRODUCT),
    ("einsum without an arrow", ["ij,j", *T0, "t1:x.mtx"], VECTOR),
    ("concrete index notation", ["product.cin"], PRODUCT),
    ("semiring of two names", [MATRIX, "--semiring", "min,first"], semiring(min, lambda a, b: a, INFINITE)),
    ("GraphBLAS: max_second", [MATRIX, "--semiring", "max_second"],
     semiring(max, lambda a, b: b, -INFINITE - 1)),
    ("GraphBLAS: any_pair", [MATRIX, "--semiring", "any_pair"], semiring(min, lambda a, b: 1, INFINITE)),
    ("GraphBLAS: min_times", [MATRIX, "--semiring", "min_times"], semiring(min, lambda a, b: a * b, INFINITE)),
    ("GraphBLAS: plus_min", [MATRIX, "--semiring", "plus_min"], semiring(lambda a, b: a + b, min, 0)),
    ("GraphBLAS: plus_rminus", [MATRIX, "--semiring", "plus_rminus"],
     semiring(lambda a, b: a + b, lambda a, b: b - a, 0)),
    ("minimax of order 5", ["y = max_i min_j max_k min_q max_r (Z_{ijkqr})"], minimax(Z)),
    ("the published MTTKRP", ["X(i,q)=T(i,j,k)*W(k,q)*S(j,q)", "-s",
                              "reorder(i,j,k,q),precompute(T(i,j,k)*W(k,q),q,q),split(i,i0,i1,32),"
                              "parallelize(i0,CPUThread,NoRaces)"], MTTKRP),
    ("a workspace for each product", ["X(i,k)=A(i,j)*S(j,k)+W(i,k)", "-s", "reorder(j,i,k)"],
     [[PRODUCT[i][k] + W[i][k] for k in K] for i in I]),
    ("a workspace inside of a function", ["X(i,k)=relu(A(i,j)*S(j,k)-20)", "-s",
                                          "reorder(i,j,k),split(i,i0,i1,4),unroll(i1,2)"],
     [[max(PRODUCT[i][k] - 20, 0) for k in K] for i in I]),
    ("a column beside a matrix", ["X(i,j) = F(i,j) * rows(i,0)", "-i", "rows:column.csv"],
     [[v * (i + 1) for v in row] for i, row in enumerate(FULL)]),
    ("a column along a matrix", ["X(i,j) = F(i,j) * rows(i,j)", "-i", "rows:column.csv"],
     [[v * (i + 1) for v in row] for i, row in enumerate(FULL)]),
    ("a column and a row, beside a matrix", ["X(i,j) = F(i,j) + rows(i,j) - row(i,j)", *NARROW],
     [[v + i + 1 - 2 * j for j, v in enumerate(row)] for i, row in enumerate(FULL)]),
    ("a sum over what is broadcast", ["y(j) = A(i,j) + row(i,j)", *NARROW[:2], "--engine", "sam"],
     [sum(A[i][j] + 2 * j for i in I) for j in J]),
    ("a row below a semiring", ["y(j) = A(i,j) * row(i,j)", *NARROW[:2], "--semiring", "min_plus"],
     [min([A[i][j] + 2 * j for i in I if A[i][j] and j] or [INFINITE]) for j in J]),
    ("a column and a row in a program", ["wide.onx", *NARROW], [[v + i + 1 - 2 * j for j, v in enumerate(row)] for i, row in enumerate(FULL)]),
    ("a workspace of a broadcast product", ["X(i,j) = F(i,j) * rows(i,j) + A(i,j)", *NARROW[2:], "-s",
                                            "precompute(F(i,j)*rows(i,j),{i,j},{i,j},w)"],
     [[v * (i + 1) + A[i][j] for j, v in enumerate(row)] for i, row in enumerate(FULL)]),
    ("a workspace of a broadcast sum", ["X(i,j) = A(i,j) * (F(i,j) + rows(i,0) - row(i,j))", *NARROW, "-s",
                                        "precompute(F(i,j)+rows(i,0)-row(i,j),{i,j},{i,j},w)"],
     [[A[i][j] * (v + i + 1 - 2 * j) for j, v in enumerate(row)] for i, row in enumerate(FULL)]),
    ("a workspace of a row's factor", ["X(i,j) = F(i,j) * relu(A(i,j) - row(i,j) * rows(i,j))", *NARROW, "-s",
                                       "precompute(row(i,j)*rows(i,j),{i,j},{i,j},w)"],
     [[v * max(A[i][j] - 2 * j * (i + 1), 0) for j, v in enumerate(row)] for i, row in enumerate(FULL)]),
    ("a quotient by a column", ["X(i,j) = F(i,j) / rows(i,j) + F(i,j) / rows(1,0)", *NARROW[2:]],
     [[v // (i + 1) + v // 2 for v in row] for i, row in enumerate(FULL)]),
    ("some terms of a sum", ["X(i,j)=A(i,j)+B(i,j)+F(i,j)", "-s", "precompute(B(i,j)+F(i,j),{i,j},{i,j},w)"],
     [[A[i][j] + B[i][j] + FULL[i][j] for j in J] for i in I]),
    ("a workspace's format", ["X(i,k)=A(i,j)*S(j,k)*W(i,k)", "-s", "precompute(A(i,j)*S(j,k),{i,k},{i,k},w)",
                              "-f", "w:ds"], [[PRODUCT[i][k] * W[i][k] for k in K] for i in I]),
    ("a fused loop, positions, a split", ["y(i)=A(i,j)*x(j)", "-s",
                                          "fuse(i,j,f),pos(f,fp,A),split(fp,p,q,8),precompute(A(i,j)*x(j),q,qw),"
                                          "unroll(qw,2)"], VECTOR),
    ("blocks of four entries", ["y(i)=A(i,j)*x(j)", "-s",
                                "fuse(i,j,f),pos(f,fp,A),split(fp,p,q,4),reorder(p,q),unroll(p,2)"], VECTOR),
    ("blocks of two entries a row", ["X(i,k)=A(i,j)*S(j,k)", "-s",
                                     "pos(j,jp,A),split(jp,p,q,2),reorder(i,p,k,q),parallelize(p,CPUThread,Temporary)"],
     PRODUCT),
    ("three equal blocks", ["X(i,q)=T(i,j,k)*W(k,q)*S(j,q)", "-s",
                            "fuse(i,j,f),fuse(f,k,g),pos(g,gp,T),divide(gp,p,r,3),reorder(p,r,q),"
                            "parallelize(p,GPUBlock,IgnoreRaces)"], MTTKRP),
    ("Stardust's words", ["y(i)=A(i,j)*x(j)", "-s", "env(bp,2),parallel(j,Reduction,16)"], VECTOR),
    ("Stardust's accelerate", ["y(i)=A(i,j)*x(j)", "-s", "accelerate(j,Reduction,16)"], VECTOR),
    ("copies before a scalar", ["X(i,q)=T(i,j,k)*W(k,q)*S(j,q)", "-s",
                                "parallelize(i,CPUThread,NoRaces),sPromote()"], MTTKRP),
    ("copies of a bound loop", ["y(i)=A(i,j)*x(j)", "-s", "bound(i,ib,6,MaxExact),unroll(ib,2)"], VECTOR),
    ("an order that adds up matrices", ["X(i,k)=A(i,j)*S(j,k)", "-s", "reorder(j,i,k)"], PRODUCT),
    ("an order that adds up tensors", ["X(i,j,q)=T(i,j,k)*W(q,k)", "-s", "reorder(k,i,j,q)"],
     [[[sum(T[i][j][k] * W[q][k] for k in K) for q in I] for j in J] for i in I]),
    ("loops in braces", ["X(i,k)=A(i,j)*S(j,k)", "-s", "reorder({i,j,k})"], PRODUCT),
    ("copies of the kernel", ["X(i,k)=A(i,j)*S(j,k)", "-s", "unroll(i,2)"], PRODUCT),
    ("copies by lanes", ["X(i,k)=A(i,j)*S(j,k)", "-s", "parallelize(i,Lanes(2),NoRaces)"], PRODUCT),
    ("threads", ["X(i,k)=A(i,j)*S(j,k)", "-s", "split(i,i0,i1,4) parallelize(i0,CPUThread,NoRaces)"], PRODUCT),
    ("a workspace inside of a function, in an order", ["X(i,k)=relu(A(i,j)*S(j,k))", "-s", "reorder(i,j,k)"],
     [[max(v, 0) for v in row] for row in PRODUCT]),
    ("a workspace inside of a product and a sum", ["X(i,k)=A(i,j)*S(j,k)+W(i,k)", "-s", "reorder(k,i,j)"],
     [[PRODUCT[i][k] + W[i][k] for k in K] for i in I]),
    ("numbers of the papers' machines", ["y(i)=A(i,j)*x(j)", "-s", "environment(innerPar,16),env(outerPar,2)"], VECTOR),
    ("a part of an earlier workspace", ["X(i,j)=A(i,j)+B(i,j)", "-s",
                                        "precompute(A(i,j)+B(i,j),j,j),precompute(B(i,j),j,j)"],
     [[A[i][j] + B[i][j] for j in J] for i in I]),
    ("an order across a workspace", ["y(i)=A(i,j)*x(j)", "-s",
                                     "precompute(A(i,j)*x(j),i,i),split(i,i0,i1,4),reorder(i0,i1,j)"], VECTOR),
    ("singletons outermost", ["y(i)=A(i,j)*x(j)", "-f", "A:qs", "-f", "x:c"], VECTOR),
    ("formats in small letters", ["y(i)=A(i,j)*x(j)", "-f", "A:csr"], VECTOR),
    ("a user's minimum", ["y(i) = smaller(j, F(i,j))", *OWN], [min(row) for row in FULL]),
    ("position of the largest value", ["y(i) = argmax(j, A(i,j) * x(j))"], FIRST),
    ("a matrix without the other", ["X(i,j) = mask(not struct(A(i,j)), B(i,j))"],
     [[0 if A[i][j] else B[i][j] for j in J] for i in I]),
    ("unless", ["X(i,j) = unless(A(i,j), B(i,j))"], [[0 if A[i][j] else B[i][j] for j in J] for i in I]),
    ("a product with a complement", ["X(i,j) = (not struct(A(i,j))) * B(i,j)"],
     [[0 if A[i][j] else B[i][j] for j in J] for i in I]),
    ("a function with a complement", ["X(i,j) = left(B(i,j), A(i,j))", *OWN],
     [[0 if A[i][j] else B[i][j] for j in J] for i in I]),
    ("a function by its regions", ["X(i,j) = divisor(A(i,j), B(i,j))", *OWN],
     [[math.gcd(A[i][j], B[i][j]) for j in J] for i in I]),
    ("minimax of order 7", ["y = max_i min_j max_k min_q max_r min_p max_s (V_{ijkqrps})"], minimax(V)),
    ("a permutation of the left side", ["y(turn(i)) = F(i,0)"], [FULL[P.index(r)][0] for r in I]),
    ("gather below a semiring", ["X(i,j) = S(idx(i),j)", "--semiring", "min_plus"],
     [[v or INFINITE for v in S[r]] for r in idx]),
    ("scatter below a semiring", ["X(idx(i),k) = W(i,k)", "--semiring", "min_plus"],
     [[min([W[i][k] for i in I if idx[i] == r and W[i][k]] or [INFINITE]) for k in K] for r in J]),
    ("a semiring for a statement", ["semirings.onx"], semiring(min, lambda a, b: a + b, INFINITE)),
    ("rows of a matrix", ["X(i,j) = S(idx(i),j)"], [S[i] for i in idx]),
    ("columns in another order", ["X(i,k) = A(i,idx(k))"], [[A[i][k] for k in idx] for i in I]),
    ("scatter", ["y(idx(i)) = W(i,1)"], [sum(W[i][1] for i in I if idx[i] == r) for r in J]),
    ("scatter of rows", ["X(idx(i),k) = W(i,k)"],
     [[sum(W[i][k] for i in I if idx[i] == r) for k in K] for r in J]),
    ("reshape", ["X(i*8+j,k) = T(i,j,k)"], [T[i][j] for i in I for j in J]),
    ("a Kronecker product", ["X(i*2+k,j*2+q) = G(i,j) * H(k,q)"],
     [[G[i // 2][j // 2] * H[i % 2][j % 2] for j in K] for i in K]),
    ("MLIR", ["product.mlir"], PRODUCT),
    ("MLIR, reordered", ["ordered.mlir"], PRODUCT),
    ("a level that gallops", ["y = even(i::gallop) * odd(i::gallop)", "--engine", "sam"], 1),
    ("three levels that gallop", ["y = even(i::gallop) * odd(i::gallop) * even(i::gallop)", "--engine", "sam"], 1),
    ("ten coordinates against 2,000", ["y = few(i::gallop) * many(i::gallop)", "--engine", "sam"],
     sum(a * b for a, b in zip(FEW, MANY))),
    ("bit maps", ["y = even(i) * odd(i)", "-f", "even:BitVector", "-f", "odd:BitVector", "--engine", "sam"], 1),
    ("runs that take turns", ["y = even(i) * odd(i)", "-f", "even:RunVector", "-f", "odd:RunVector", *OWN_FORMATS], 1),
    ("blocks that take turns", ["y = even(i) * odd(i)", "-f", "even:BlockVector", "-f", "odd:BlockVector", *OWN_FORMATS],
     1),
    ("a sum of blocks and runs", ["X(i,j) = A(i,j) + B(i,j)", "-f", "A:VBL", "-f", "B:RLE", "--engine", "sam"],
     [[A[i][j] + B[i][j] for j in J] for i in I]),
    ("singletons of a list", [MATRIX, "-f", "A:uq", "--engine", "sam"], VECTOR),
    ("a list's rows", ["X(i,j) = A(i,j) * idx(i)", "-f", "A:COO", "--engine", "sam"],
     [[A[i][j] * idx[i] for j in J] for i in I]),
    *((f"a file in {name}", ["y(i) = stored(i,j) * x(j)", "-i", f"stored:{name}.stored"], VECTOR) for name in READ_BACK),
    ("a table that is looked up", ["y = few(i) * many(i)", "-f", "many:HashVector", "--engine", "sam"],
     sum(a * b for a, b in zip(FEW, MANY))),
    ("parallel lanes", ["y(i) = A(i,j) * x(j)", "-s", "unroll(i,3)", "--engine", "sam"], VECTOR),
    ("GraphBLAS: any_secondi", [MATRIX, "--semiring", "any_secondi"],
     [min([j for j in J if A[i][j] and x[j]] or [INFINITE]) for i in I]),
    ("GraphBLAS: max_firstj1", [MATRIX, "--semiring", "max_firstj1"],
     [max([j + 1 for j in J if A[i][j] and x[j]] or [-INFINITE - 1]) for i in I]),
    ("values and positions", ["large(i), at(i) = argmax(j, A(i,j) * x(j))"],
     {"large": [max(A[i][j] * x[j] for j in J) for i in I], "at": FIRST}),
    ("least values and positions, dense", ["least(i), at(i) = argmin(j, F(i,j))", "-f", "F:dd"],
     {"least": [min(row) for row in FULL], "at": [row.index(min(row)) for row in FULL]}),
    ("scatter in a program", ["scatter.onx"], [[sum(W[i][k] for i in I if idx[i] == r) for k in K] for r in J]),
    ("gather in a program", ["gather.onx"], [S[i] for i in idx]),
    ("a choice, as NumPy's", ["X(i,j) = where(A(i,j) > B(i,j), A(i,j), F(i,j))"],
     [[A[i][j] if A[i][j] > B[i][j] else FULL[i][j] for j in J] for i in I]),
    ("scatter below a semiring in a program", ["least.onx"],
     [min([W[i][0] for i in I if idx[i] == r] or [INFINITE]) for r in J]),
    ("gather below a semiring in a program", ["most.onx"], [[max(S[r][k], 2) for k in K] for r in idx]),
    ("a column below a semiring in a program", ["column.onx"], [row[2] for row in S]),
    ("a Kronecker product in a program", ["kron.onx"],
     [[G[r // 2][c // 2] * H[r % 2][c % 2] for c in range(4)] for r in range(4)]),
    ("places downwards in a program", ["down.onx"], [2 + value for value in x[::-1]]),
    ("differences of neighbours", ["y(i) = x(i+1) - x(i(0:7))", "-d", "i:7"], [x[i + 1] - x[i] for i in range(7)]),
    ("zeros around a vector", ["y(i) = x(i-3)", "-d", "i:12"], [0, 0, 0, *x, 0]),
    ("GraphBLAS in C: min_plus", [MATRIX, "--semiring", "GrB_MIN_PLUS_SEMIRING_INT16"],
     semiring(min, lambda a, b: a + b, INFINITE)),
    ("blocks against coordinates", ["y = few(i) * many(i)", "-f", "many:BlockVector", "--formats", "own.formats",
                                    "--engine", "sam"], sum(a * b for a, b in zip(FEW, MANY))),
    ("a band against coordinates", ["y = middle(i) * many(i)", "-f", "middle:BandVector", "--formats", "own.formats",
                                    "--engine", "sam"], sum(a * b for a, b in zip(MIDDLE, MANY))),
    ("the first of two", ["y(j) = first(x(j), m(j))", *OWN], x),
    ("the last stored value", ["y(i) = last(j, A(i,j))", *OWN], [[v for v in row if v][-1] for row in A]),
    ("gather and scatter at once", ["both.onx"], [sum(x[r] for i in I if idx[i] == r) for r in J]),
    ("a reshape by a param", ["reshape.onx"], [T[i][j] for i in I for j in J]),
    ("position of the least value", ["y(i) = argmin(j, F(i,j))", "-f", "F:dd"], [row.index(min(row)) for row in FULL]),
]


PROGRAM = """tensor A: ss = "A.mtx"
tensor x: s = "x.mtx"
p(i) = A(i,j) * x(j)
y(i) = A(i,j) * x(j) semiring min_plus
"""
PROGRAMS = {  # by the name of the file
    "scatter.onx": """tensor idx: s = "idx.mtx"
tensor W: ss = "W.mtx"
tensor X(8,4): ss
X(idx(i),k) = W(i,k)
""",
    "gather.onx": """tensor idx: s = "idx.mtx"
tensor S: ss = "S.mtx"
X(i,k) = S(idx(i),k)
""",
    "least.onx": """tensor idx: s = "idx.mtx"
tensor W: ss = "W.mtx"
tensor y(8): d fill inf
y(idx(i)) = W(i,0) semiring min_plus
""",
    "most.onx": """tensor idx: s = "idx.mtx"
tensor S: ss = "S.mtx"
X(i,k) = S(idx(i),k) + 2 semiring max_plus
""",
    "column.onx": """tensor S: ss = "S.mtx"
scalar s = 2
y(i) = S(i,s) semiring min_plus
""",
    "kron.onx": """tensor G: ss = "G.mtx"
tensor H: ss = "H.mtx"
tensor X(4,4): ss
X(i*2+k,j*2+q) = G(i,j) * H(k,q)
""",
    "both.onx": """tensor idx: s = "idx.mtx"
tensor x: s = "x.mtx"
tensor y(8): d
y(idx(i)) += x(idx(i))
""",
    "scalar.onx": """tensor x: s = "x.mtx"
tensor y(20): d
scalar n = 3
y(i+n) = x(i)
""",
    "reshape.onx": """tensor T: sss = "T.tns"
tensor X(48,4): ss
param w = 8
X(i*w+j,k) = T(i,j,k)
""",
    "wide.onx": """tensor F: ss = "F.mtx"
tensor rows: ss
tensor row: ss
w(i,j) = F(i,j) + rows(i,j)
X(i,j) = w(i,j) - row(i,j)
""",
    "down.onx": """tensor x: s = "x.mtx"
tensor y(8): d = all 2
param end = 7
y(end-j) += x(j)
""",
}
FORMATS = """format BlockVector = (i) -> (i) levels(blocks)
format BandVector = (i) -> (i) levels(band)
format RunVector = (i) -> (i) levels(runs)
"""
# Most cycles of a row: reductions go by entries, and by one absent point a fiber; runs of 400 are leapt over.
MOST = {"minimax of order 5": 60000, "minimax of order 7": 60000, "a level that gallops": 50,
        "three levels that gallop": 50, "ten coordinates against 2,000": 30,
        "blocks against coordinates": 30, "a band against coordinates": 30,
        "bit maps": 50, "runs that take turns": 30, "blocks that take turns": 30, "parallel lanes": 45, "a table that is looked up": 40}


def shape(value):
    return (len(value), *shape(value[0])) if isinstance(value, list) else ()


def entries(value, at=()):
    """All coordinates and values."""
    if not isinstance(value, list):
        return {at: value}
    return {key: one for i, part in enumerate(value) for key, one in entries(part, (*at, i)).items()}


def file_of(name):
    return f"{name}.{'tns' if len(shape(DATA[name])) > 2 else 'mtx'}"


def write(path, value):
    size, stored = shape(value), {at: v for at, v in entries(value).items() if v}
    if len(size) > 2:
        path.write_text("".join(" ".join(str(c + 1) for c in at) + f" {v}\n" for at, v in stored.items()))
        return
    size, pad = (size, ()) if len(size) == 2 else ((*size, 1), (0,))
    lines = [" ".join(str(c + 1) for c in at + pad) + f" {v}" for at, v in stored.items()]
    header = ["%%MatrixMarket matrix coordinate integer general", f"{size[0]} {size[1]} {len(lines)}"]
    path.write_text("\n".join(header + lines) + "\n")


def read(path, size):
    """All values of a result, in order of coordinates."""
    fill, stored = 0, {}
    lines = path.read_text().split("\n")
    for line in lines:
        if line.startswith("% fill "):
            fill = int(float(line.split()[2].strip(":")))
    for line in [line for line in lines if line and line[0] not in "%#"][path.suffix == ".mtx":]:
        *at, value = line.split()
        stored[tuple(int(c) - 1 for c in at)[:len(size)]] = int(float(value))
    return fill, stored


def text(value):
    if isinstance(value, dict):
        return "; ".join(f"{name} {text(one)}" for name, one in value.items())
    return str(value).replace(str(INFINITE), "inf")


def run(onyx, folder, what, arguments, value):
    """Whether the command's result is the value."""
    expression = arguments[0]
    program = "X=" if "\nX(" in PROGRAMS.get(expression, "") else "y="
    text = LOOPS if expression.endswith((".cin", ".mlir")) else program if expression.endswith(".onx") else expression
    operands = [word for name in DATA for word in ("-i", f"{name}:{file_of(name)}") if uses(text, name)]
    engine = [] if "--engine" in arguments else ["--engine", "cycle"]
    command = [onyx, "run", *arguments, *operands, *engine, "-o", "out", "--quiet"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        print(shlex.join(command), done.stderr)
        return False
    name = "X" if text == LOOPS else "x" if "=" not in text else text[0]
    values = value if isinstance(value, dict) else {name: value}
    return all([is_right(folder, command, *one) for one in values.items()]) and not is_slow(folder, what)


def is_right(folder, command, name, value):
    """Whether a result of the command is the value."""
    result = folder / "out" / f"{name}.{'tns' if len(shape(value)) > 2 else 'mtx'}"
    fill, stored = read(result, shape(value))
    want = entries(value) if shape(value) else {(): value}
    wrong = {at: (stored.get(at, fill), v) for at, v in want.items() if stored.get(at, fill) != v}
    if wrong:
        print(shlex.join(command), wrong)
    return not wrong


def is_refused(onyx, folder, arguments, code, help=""):
    operands = [word for name in DATA for word in ("-i", f"{name}:{file_of(name)}") if uses(arguments[0], name)]
    done = subprocess.run([onyx, "run", *arguments, *operands, "--dtype", "int16", "-o", "out"], cwd=folder,
                          capture_output=True, text=True)
    refused = done.returncode == 1 and f"[{code}]" in done.stderr and help in done.stderr
    if not refused:
        print(shlex.join(arguments), code, done.returncode, done.stderr)
    return refused


def uses(expression, name):
    left, _, right = expression.partition("=")
    return name in re.findall("[A-Za-z]+", left.partition("(")[2] + " " + right)


def is_slow(folder, what):
    """Whether a row with a bound took more cycles."""
    if what not in MOST:
        return False
    took = json.loads((folder / "out" / "report.json").read_text())["cycles"]["total"]
    slow = took > MOST.get(what, took)
    if slow:
        print(f"{what}: {took} cycles, more than {MOST[what]}")
    return slow


PAGE = f"""# Forms that people bring

Expressions as papers, GraphBLAS and NumPy write them, each run on engine `cycle` and compared with plain Python.
The file `product.cin` has
`{LOOPS}`.
The file `own.fn` has a greatest common divisor by a loop (`common`), and with regions (`divisor`), the value of larger
magnitude (`farthest`), a sum (`total`), a minimum (`smaller`), either argument (`first`, `last`), and what the second
argument lacks (`left`);
`semirings.onx` has a product without a semiring, then `y(i) = A(i,j) * x(j) semiring min_plus`. The file `product.mlir`
is a product of A, stored by columns, and S, `ordered.mlir` the same by `dimOrdering`; `even` and `odd` have ones in
runs of 400, in turn, and one in common; `few` and `many` have 10 and 2,000 of 20,000, `middle` 60 in a row;
`own.formats` has vectors of blocks, bands and runs.
The programs `scatter.onx`, `gather.onx`, `least.onx`, `most.onx`, `column.onx`, `kron.onx`, `reshape.onx` and
`down.onx` have
`X(idx(i),k) = W(i,k)`; `X(i,k) = S(idx(i),k)`; `y(idx(i)) = W(i,0) semiring min_plus`;
`X(i,k) = S(idx(i),k) + 2 semiring max_plus`; `y(i) = S(i,s) semiring min_plus` with s 2;
`X(i*2+k,j*2+q) = G(i,j) * H(k,q)`; `X(i*w+j,k) = T(i,j,k)` with w 8;
`y(idx(i)) += x(idx(i))` (`both.onx`); `w(i,j) = F(i,j) + rows(i,j)`, then `X(i,j) = w(i,j) - row(i,j)`
(`wide.onx`); and `y(end-j) += x(j)` where y is 2 and end 7. The file `column.csv` is a
matrix of one column, i + 1 in row i, `row.csv` one of a row, 2 j in column j.
*Generated* by `tests/operators/brought.py --write`, which has the operands and the definitions; test
`operators_brought` compares. Forms of Python (einsum's, tensors of PyTorch) are rows of `tests/bindings`.

| form | command, behind `onyx run` | value |
|---|---|---|
"""


def page():
    rows = [f"| {what} | `{shlex.join(arguments)}` | {text(value)} |" for what, arguments, value in ROWS]
    return PAGE + "\n".join(rows) + "\n"


def main(onyx, folder, *how):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, value in DATA.items():
        write(folder / file_of(name), value)
    rows = "".join(",".join(str(v or (0 if j == 0 else "")) for j, v in enumerate(row)) + "\n" for row in A)
    lines = "".join(f"{i},{j},{v}\n" for (i, j), v in entries(A).items() if v)
    for name, content in (("product.cin", LOOPS + "\n"), ("two.cin", TWO + "\n"), ("own.fn", FUNCTIONS),
                          ("product.mlir", MODULE), ("ordered.mlir", ORDERED),
                          ("unordered.mlir", ORDERED.replace("(j, i)> }", "(k, i)> }")), ("semirings.onx", PROGRAM),
                          *PROGRAMS.items(), ("own.formats", FORMATS), ("empty.mlir", "module {}\n"),
                          ("rows.csv", rows), ("column.csv", "".join(f"{i + 1}\n" for i in I)),
                          ("row.csv", ",".join(str(2 * j) for j in J) + "\n"), ("entries.csv", "i,j,value\n" + lines)):
        (folder / name).write_text(content)
    for name in READ_BACK:
        subprocess.run([onyx, "tile", "convert", "A.mtx", "-f", name, "-o", f"{name}.stored"], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL)
    bad = sum(not run(onyx, folder, *row) for row in ROWS)
    bad += sum(not is_refused(onyx, folder, *row) for row in REFUSED)
    if how[:1] == ("--write",):
        pathlib.Path(how[1]).write_text(page())
    if how[:1] == ("--compare",) and pathlib.Path(how[1]).read_text() != page():
        print(f"{how[1]} is stale: --write")
        bad += 1
    print(f"{len(ROWS)} forms, {len(REFUSED)} mistakes, {bad} wrong")
    return bad != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
