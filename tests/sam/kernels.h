/* kernels.h - small SAM graphs for the tests, and their statements. */
#ifndef ONYX_TESTS_SAM_KERNELS_H
#define ONYX_TESTS_SAM_KERNELS_H

/* A kernel over index variables i, j, k. out is the result's indices in logical order, in[] the operands'.
 * The result is, over all values of the variables, the sum of the products (op '*'), the sum ('+'), or the
 * first less the second ('-') of the operands; without op the first operand. */
typedef struct {
    const char *name;
    char op;
    const char *out, *in[4];
    bool no_empty_fibers; /* droppers remove empty fibers from the result */
    const char *text;
} kernel;

#define LOOKUP(id, t, mode, index, more)                                                                     \
    id " [type=fiberlookup index=" index " tensor=" t " mode=" mode " format=compressed " more "]\n"
#define WRITE(id, mode, index)                                                                               \
    id " [type=fiberwrite index=" index " tensor=X mode=" mode " format=compressed]\n"
#define WRITE_VALS "xv [type=fiberwrite tensor=X mode=vals]\n"
#define VALS(id, t) id " [type=arrayvals tensor=" t "]\n"
#define INTO(src, joiner, t)                                                                                 \
    src " -> " joiner " [type=crd comment=\"in-" t "\"] " src " -> " joiner " [type=ref comment=\"in-" t     \
        "\"]\n"
#define OUT_OF(joiner, dst, t) joiner " -> " dst " [type=ref comment=\"out-" t "\"]\n"
#define EDGE(src, dst, stream) src " -> " dst " [type=" stream "]\n"
#define PORT(src, dst, stream, name) src " -> " dst " [type=" stream " comment=\"" name "\"]\n"

/* Level i of B and C joined, level j of B and C joined, values combined by `op`. */
#define MATRIX_PAIR(joiner, op)                                                                              \
    LOOKUP("bi", "B", "0", "i", "root=true")                                                                 \
    LOOKUP("ci", "C", "0", "i", "root=true")                                                                 \
    LOOKUP("bj", "B", "1", "j", "")                                                                          \
    LOOKUP("cj", "C", "1", "j", "")                                                                          \
    "ji [type=" joiner " index=i] jj [type=" joiner " index=j] op [" op "]\n" VALS("bv", "B")                \
        VALS("cv", "C") WRITE("x0", "0", "i") WRITE("x1", "1", "j") WRITE_VALS INTO("bi", "ji", "B")         \
            INTO("ci", "ji", "C") OUT_OF("ji", "bj", "B") OUT_OF("ji", "cj", "C") INTO("bj", "jj", "B")      \
                INTO("cj", "jj", "C") OUT_OF("jj", "bv", "B") OUT_OF("jj", "cv", "C")                        \
                    EDGE("bv", "op", "val") EDGE("cv", "op", "val") EDGE("op", "xv", "val")

#define VECTOR_PAIR(joiner, op)                                                                              \
    "digraph { comment=\"X=s0,B=s0,C=s0\"\n" LOOKUP("bi", "B", "0", "i", "root=true") LOOKUP(                \
        "ci", "C", "0", "i", "root=true") "ji [type=" joiner " index=i] op [" op "]\n" VALS("bv", "B")       \
        VALS("cv", "C") WRITE("x0", "0", "i") WRITE_VALS INTO("bi", "ji", "B") INTO("ci", "ji", "C")         \
            EDGE("ji", "x0", "crd") OUT_OF("ji", "bv", "B") OUT_OF("ji", "cv", "C") EDGE("bv", "op", "val")  \
                EDGE("cv", "op", "val") EDGE("op", "xv", "val") "}"

/* X(i,j) = sum over k of B(i,k) * C(k,j), C stored by columns; `mul` is the multiplier's node. */
#define INNER_PRODUCTS                                                                                       \
    "digraph { comment=\"X=ss01,B=ss01,C=ss10\"\n" LOOKUP("bi", "B", "0", "i", "root=true")                  \
        LOOKUP("cj", "C", "1", "j", "") LOOKUP("bk", "B", "1", "k", "")                                      \
            LOOKUP("ck", "C", "0", "k",                                                                      \
                   "") "fi [type=broadcast] fj [type=broadcast] si [type=repsiggen index=i] sj "             \
                       "[type=repsiggen index=j]\n"                                                          \
                       "rc [type=repeat index=i tensor=C root=true] rb [type=repeat index=j tensor=B]\n"     \
                       "jk [type=intersect index=k] mul [type=mul] sum [type=reduce]\n" VALS("bv", "B")      \
                           VALS("cv", "C") WRITE("x0", "0", "i") WRITE("x1", "1", "j")                       \
                               WRITE_VALS EDGE("bi", "fi", "crd") EDGE("fi", "si", "crd")                    \
                                   EDGE("si", "rc", "repsig") EDGE("rc", "cj", "ref")                        \
                                       EDGE("cj", "fj", "crd") EDGE("fj", "sj", "crd")                       \
                                           EDGE("sj", "rb", "repsig") EDGE("bi", "rb", "ref")                \
                                               EDGE("rb", "bk", "ref") EDGE("cj", "ck", "ref")               \
                                                   INTO("bk", "jk", "B") INTO("ck", "jk", "C")               \
                                                       OUT_OF("jk", "bv", "B") OUT_OF("jk", "cv", "C")       \
                                                           EDGE("bv", "mul", "val") EDGE("cv", "mul", "val") \
                                                               EDGE("sum", "xv", "val")

/* x(i) = sum over j of B(i,j) * c(j). */
#define ROWS_BY_VECTOR                                                                                       \
    "digraph { comment=\"X=s0,B=ss01,C=s0\"\n" LOOKUP("bi", "B", "0", "i", "root=true")                      \
        LOOKUP("bj", "B", "1", "j", "")                                                                      \
            LOOKUP("cj", "C", "0", "j",                                                                      \
                   "") "fi [type=broadcast] si [type=repsiggen index=i] rc [type=repeat index=i tensor=C "   \
                       "root=true]\n"                                                                        \
                       "jj [type=intersect index=j] mul [type=mul] sum [type=reduce]\n" VALS("bv", "B")      \
                           VALS("cv", "C") WRITE("x0", "0", "i") WRITE_VALS EDGE("bi", "fi", "crd")          \
                               EDGE("fi", "si", "crd") EDGE("si", "rc", "repsig") EDGE("rc", "cj", "ref")    \
                                   EDGE("bi", "bj", "ref") INTO("bj", "jj", "B") INTO("cj", "jj", "C")       \
                                       OUT_OF("jj", "bv", "B") OUT_OF("jj", "cv", "C")                       \
                                           EDGE("bv", "mul", "val") EDGE("cv", "mul", "val")                 \
                                               EDGE("sum", "xv", "val")

/* One of two copies of the part below i in the element-wise product of two matrices. */
#define COPY_OF_ROWS(c)                                                                                      \
    LOOKUP("bj" c, "B", "1", "j", "")                                                                        \
    LOOKUP("cj" c, "C", "1", "j", "")                                                                        \
    "jj" c " [type=intersect index=j]\n" VALS("bv" c, "B")                                                   \
        VALS("cv" c, "C") "op" c " [type=mul]\n" EDGE("pb", "bj" c, "ref") EDGE("pc", "cj" c, "ref")         \
            INTO("bj" c, "jj" c, "B") INTO("cj" c, "jj" c, "C") OUT_OF("jj" c, "bv" c, "B")                  \
                OUT_OF("jj" c, "cv" c, "C") EDGE("bv" c, "op" c, "val") EDGE("cv" c, "op" c, "val")          \
                    EDGE("jj" c, "sj", "crd") EDGE("op" c, "sv", "val")

static const kernel kernels[] = {
    {"vec_elemmul", '*', "i", {"i", "i"}, false, VECTOR_PAIR("intersect", "type=mul")},
    {"vec_elemadd", '+', "i", {"i", "i"}, false, VECTOR_PAIR("union", "type=add sub=0")},
    {"vec_sub", '-', "i", {"i", "i"}, false, VECTOR_PAIR("union", "type=add sub=1")},
    {"mat_identity",
     0,
     "ij",
     {"ij"},
     false,
     "digraph { comment=\"X=ss01,B=ss01\"\n" LOOKUP("bi", "B", "0", "i", "root=true")
         LOOKUP("bj", "B", "1", "j", "") VALS("bv", "B") WRITE("x0", "0", "i") WRITE("x1", "1", "j")
             WRITE_VALS EDGE("bi", "x0", "crd") EDGE("bi", "bj", "ref") EDGE("bj", "x1", "crd")
                 EDGE("bj", "bv", "ref") EDGE("bv", "xv", "val") "}"},
    {"mat_elemadd",
     '+',
     "ij",
     {"ij", "ij"},
     false,
     "digraph { comment=\"X=ss01,B=ss01,C=ss01\"\n" MATRIX_PAIR("union", "type=add sub=0")
         EDGE("ji", "x0", "crd") EDGE("jj", "x1", "crd") "}"},
    {"mat_elemmul",
     '*',
     "ij",
     {"ij", "ij"},
     false,
     "digraph { comment=\"X=ss01,B=ss01,C=ss01\"\n" MATRIX_PAIR("intersect", "type=mul")
         EDGE("ji", "x0", "crd") EDGE("jj", "x1", "crd") "}"},
    {"mat_elemmul, dropper",
     '*',
     "ij",
     {"ij", "ij"},
     true,
     "digraph { comment=\"X=ss01,B=ss01,C=ss01\"\n" MATRIX_PAIR(
         "intersect", "type=mul") "drop [type=crddrop outer=i inner=j]\n" PORT("ji", "drop", "crd", "in-i")
         PORT("jj", "drop", "crd", "in-j") PORT("drop", "x0", "crd", "outer-i")
             PORT("drop", "x1", "crd", "inner-j") "}"},
    {"mat_elemmul, rows dealt out to two copies",
     '*',
     "ij",
     {"ij", "ij"},
     false,
     "digraph { comment=\"X=ss01,B=ss01,C=ss01\"\n" LOOKUP("bi", "B", "0", "i", "root=true")
         LOOKUP("ci", "C", "0", "i", "root=true") "ji [type=intersect index=i]\n" INTO("bi", "ji", "B") INTO(
             "ci", "ji",
             "C") "pb [type=parallelize index=i] pc [type=parallelize index=i]\n" OUT_OF("ji", "pb", "B")
             OUT_OF("ji", "pc", "C") COPY_OF_ROWS("0") COPY_OF_ROWS(
                 "1") "sj [type=serialize index=i depth=1] sv [type=serialize index=i depth=1]\n" WRITE("x0",
                                                                                                        "0",
                                                                                                        "i")
                 WRITE("x1", "1", "j") WRITE_VALS EDGE("ji", "x0", "crd") EDGE("sj", "x1", "crd")
                     EDGE("sv", "xv", "val") "}"},
    {"mat_vecmul_ij",
     '*',
     "i",
     {"ij", "j"},
     false,
     ROWS_BY_VECTOR EDGE("fi", "x0", "crd") EDGE("mul", "sum", "val") "}"},
    {"mat_vecmul_ij, dropper before the reducer",
     '*',
     "i",
     {"ij", "j"},
     false,
     ROWS_BY_VECTOR "drop [type=crddrop outer=i inner=j]\n" PORT("fi", "drop", "crd", "outer-i")
         PORT("mul", "drop", "val", "inner-j") PORT("drop", "x0", "crd", "outer-i")
             PORT("drop", "sum", "val", "inner-j") "}"},
    {"matmul_ijk",
     '*',
     "ij",
     {"ik", "kj"},
     false,
     INNER_PRODUCTS EDGE("fi", "x0", "crd") EDGE("fj", "x1", "crd") EDGE("mul", "sum", "val") "}"},
    {"matmul_ijk, droppers",
     '*',
     "ij",
     {"ik", "kj"},
     true,
     INNER_PRODUCTS "dj [type=crddrop outer=j inner=k] di [type=crddrop outer=i inner=j]\n" PORT(
         "fj", "dj", "crd", "outer-j") PORT("mul", "dj", "val", "inner-k") PORT("dj", "sum", "val", "inner-k")
         PORT("dj", "di", "crd", "inner-j") PORT("fi", "di", "crd", "outer-i")
             PORT("di", "x0", "crd", "outer-i") PORT("di", "x1", "crd", "inner-j") "}"},
    {"matmul_ijk, zeros dropped after the reducer",
     '*',
     "ij",
     {"ik", "kj"},
     true,
     "digraph { comment=\"X=ss01,B=ss01,C=ss10\"\n" LOOKUP("bi", "B", "0", "i", "root=true")
         LOOKUP("cj", "C", "1", "j", "") LOOKUP("bk", "B", "1", "k", "")
             LOOKUP("ck", "C", "0", "k",
                    "") "si [type=repsiggen index=i] sj [type=repsiggen index=j]\n"
                        "rc [type=repeat index=i tensor=C root=true] rb [type=repeat index=j tensor=B]\n"
                        "jk [type=intersect index=k] mul [type=mul] sum [type=reduce]\n" VALS("bv", "B")
                            VALS("cv", "C") WRITE("x0", "0", "i") WRITE("x1", "1", "j") WRITE_VALS
     "dj [type=crddrop outer=j inner=val mode=0] di [type=crddrop outer=i inner=j]\n" EDGE("bi", "si", "crd")
         EDGE("si", "rc", "repsig") EDGE("rc", "cj", "ref") EDGE("cj", "sj", "crd") EDGE("sj", "rb", "repsig")
             EDGE("bi", "rb", "ref") EDGE("rb", "bk", "ref") EDGE("cj", "ck", "ref") INTO("bk", "jk", "B")
                 INTO("ck", "jk", "C") OUT_OF("jk", "bv", "B") OUT_OF("jk", "cv", "C")
                     EDGE("bv", "mul", "val") EDGE("cv", "mul", "val") EDGE("mul", "sum", "val")
                         PORT("cj", "dj", "crd", "outer-j") PORT("sum", "dj", "val", "inner-val")
                             PORT("dj", "xv", "val", "inner-val") PORT("dj", "di", "crd", "outer-j")
                                 PORT("bi", "di", "crd", "outer-i") PORT("di", "x0", "crd", "outer-i")
                                     PORT("di", "x1", "crd", "inner-j") "}"},
    {"matmul_ikj, vector reducer",
     '*',
     "ij",
     {"ik", "kj"},
     false,
     "digraph { comment=\"X=ss01,B=ss01,C=ss01\"\n" LOOKUP("bi", "B", "0", "i", "root=true")
         LOOKUP("bk", "B", "1", "k", "") LOOKUP("ck", "C", "0", "k", "") LOOKUP(
             "cj", "C", "1", "j",
             "") "si [type=repsiggen index=i] rc [type=repeat index=i tensor=C root=true] jk [type=intersect "
                 "index=k]\n"
                 "sj [type=repsiggen index=j] rb [type=repeat index=j tensor=B] mul [type=mul]\n"
                 "acc [type=vectorreducer accum_index=j]\n" VALS("bv", "B") VALS("cv", "C")
                     WRITE("x0", "0", "i") WRITE("x1", "1", "j") WRITE_VALS EDGE("bi", "x0", "crd")
                         EDGE("bi", "si", "crd") EDGE("si", "rc", "repsig") EDGE("rc", "ck", "ref")
                             EDGE("bi", "bk", "ref") INTO("bk", "jk", "B") INTO("ck", "jk", "C")
                                 OUT_OF("jk", "rb", "B") OUT_OF("jk", "cj", "C") EDGE("cj", "sj", "crd") EDGE(
                                     "sj", "rb", "repsig") EDGE("rb", "bv", "ref") EDGE("cj", "cv", "ref")
                                     EDGE("bv", "mul", "val") EDGE("cv", "mul", "val")
                                         EDGE("cj", "acc", "crd") EDGE("mul", "acc", "val")
                                             EDGE("acc", "x1", "crd") EDGE("acc", "xv", "val") "}"},
};

#endif
