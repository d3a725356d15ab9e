/* The kernels of the measured runs: statements, and graphs in the shape of the published compiler. */
#include "tests/frontend/fe_case.h"
#include "tests/sam/published.h"

/* ---- graphs by hand -------------------------------------------------------------------------- */

typedef struct {
    sam_node node;
    uint8_t port;
} stream;

/* Coordinates with their references, of one operand or of each operand. */
typedef struct {
    stream crd, ref, other;
} fibers;

static const stream root = {{0}, 0};

static name_id name(sam_graph *g, const char *text) {
    return names_intern(g->names, text);
}

static sam_node node(sam_graph *g, sam_primitive kind, const char *tensor, const char *index) {
    sam_node n = sam_add_node(g, kind);
    sam_node_at(g, n)->tensor = tensor ? name(g, tensor) : (name_id){0};
    sam_node_at(g, n)->index = index ? name(g, index) : (name_id){0};
    return n;
}

static void wire(sam_graph *g, stream from, sam_node to, uint8_t port, sam_stream type) {
    if (from.node.v)
        sam_add_edge(g, from.node, from.port, to, port, type);
    else
        sam_node_at(g, to)->root = true;
}

/* The level of `tensor` with mode `mode`, whose index is `index`. */
static fibers scan(sam_graph *g, const char *tensor, int mode, const char *index, stream ref) {
    sam_node n = node(g, SAM_FIBERLOOKUP, tensor, index);
    const sam_graph_tensor *t = sam_find_tensor(g, sam_node_at(g, n)->tensor);
    sam_node_at(g, n)->mode = mode;
    sam_node_at(g, n)->format = t->level[sam_storage_level(t, mode)];
    wire(g, ref, n, 0, SAM_STREAM_REF);
    return (fibers){{n, 0}, {n, 1}, {{0}, 0}};
}

/* `ref` of `tensor` once for every coordinate of `crd`. */
static stream repeat(sam_graph *g, const char *tensor, const char *index, stream ref, stream crd) {
    sam_node signal = node(g, SAM_REPSIGGEN, NULL, index), n = node(g, SAM_REPEAT, tensor, index);
    wire(g, crd, signal, 0, SAM_STREAM_CRD);
    wire(g, ref, n, 0, SAM_STREAM_REF);
    wire(g, (stream){signal, 0}, n, 1, SAM_STREAM_REPSIG);
    return (stream){n, 0};
}

static fibers join(sam_graph *g, sam_primitive kind, const char *index, fibers a, fibers b) {
    sam_node n = node(g, kind, NULL, index);
    wire(g, a.crd, n, 0, SAM_STREAM_CRD);
    wire(g, a.ref, n, 1, SAM_STREAM_REF);
    wire(g, b.crd, n, 2, SAM_STREAM_CRD);
    wire(g, b.ref, n, 3, SAM_STREAM_REF);
    return (fibers){{n, 0}, {n, 1}, {n, 2}};
}

static stream values(sam_graph *g, const char *tensor, stream ref) {
    sam_node n = node(g, SAM_ARRAYVALS, tensor, NULL);
    wire(g, ref, n, 0, SAM_STREAM_REF);
    return (stream){n, 0};
}

static stream operation(sam_graph *g, const char *alu, stream a, stream b) {
    sam_node n = node(g, SAM_ALU, NULL, NULL);
    sam_node_at(g, n)->alu = name(g, alu);
    wire(g, a, n, 0, SAM_STREAM_VAL);
    wire(g, b, n, 1, SAM_STREAM_VAL);
    return (stream){n, 0};
}

static stream reduce(sam_graph *g, stream in) {
    sam_node n = node(g, SAM_REDUCE, NULL, NULL);
    wire(g, in, n, 0, SAM_STREAM_VAL);
    return (stream){n, 0};
}

static fibers two(sam_graph *g, sam_primitive kind, const char *outer, const char *inner, stream o,
                  stream i) {
    sam_node n = node(g, kind, NULL, NULL);
    sam_node_at(g, n)->outer = name(g, outer);
    sam_node_at(g, n)->inner = name(g, inner);
    wire(g, o, n, 0, SAM_STREAM_CRD);
    wire(g, i, n, 1, SAM_STREAM_CRD);
    return (fibers){{n, 0}, {n, 1}, {{0}, 0}};
}

static void attribute(sam_graph *g, sam_node n, const char *key, const char *value) {
    vec_push(g->mem, &sam_node_at(g, n)->extra, (sam_attribute){name(g, key), name(g, value)});
}

/* Points (outer, inner, value), added up; the result's streams are ports inner 0, outer 1, values last. */
static sam_node accumulate(sam_graph *g, const char *order, stream inner, stream outer, stream value) {
    sam_node n = node(g, SAM_SPACCUMULATOR, NULL, NULL);
    uint8_t port = 1;
    attribute(g, n, "order", order);
    attribute(g, n, "in0", "inner");
    wire(g, inner, n, 0, SAM_STREAM_CRD);
    if (outer.node.v) {
        attribute(g, n, "in1", "outer");
        wire(g, outer, n, port++, SAM_STREAM_CRD);
    }
    wire(g, value, n, port, SAM_STREAM_VAL);
    return n;
}

static void store(sam_graph *g, int mode, stream from) {
    const sam_graph_tensor *t = &g->tensors.at[0];
    sam_node n = sam_add_node(g, SAM_FIBERWRITE);
    sam_node_at(g, n)->tensor = t->name;
    sam_node_at(g, n)->mode = mode;
    if (mode != SAM_MODE_VALS)
        sam_node_at(g, n)->format = t->level[sam_storage_level(t, mode)];
    wire(g, from, n, 0, mode == SAM_MODE_VALS ? SAM_STREAM_VAL : SAM_STREAM_CRD);
}

/* ---- kernels --------------------------------------------------------------------------------- */

static fibers intersect(sam_graph *g, const char *index, fibers a, fibers b) {
    return join(g, SAM_INTERSECT, index, a, b);
}

static fibers unite(sam_graph *g, const char *index, fibers a, fibers b) {
    return join(g, SAM_UNION, index, a, b);
}

static stream product(sam_graph *g, stream a, stream b) {
    return operation(g, "mul", a, b);
}

/* Level by level, from one index to `order` indices, with a dropper between any two levels. */
static void element_wise(sam_graph *g, const char *b, const char *c, int order, sam_primitive kind,
                         const char *alu, bool drop) {
    static const char *const index[] = {"i", "j", "k"};
    stream crd[3] = {0};
    fibers at = {root, root, root};
    for (int l = 0; l < order; l++) {
        fibers of_b = scan(g, b, l, index[l], at.ref), of_c = scan(g, c, l, index[l], at.other);
        at = join(g, kind, index[l], of_b, of_c);
        crd[l] = at.crd;
    }
    store(g, SAM_MODE_VALS, operation(g, alu, values(g, b, at.ref), values(g, c, at.other)));
    for (int l = order - 1; drop && l > 0; l--) {
        fibers kept = two(g, SAM_CRDDROP, index[l - 1], index[l], crd[l - 1], crd[l]);
        crd[l - 1] = kept.crd;
        crd[l] = kept.ref;
    }
    for (int l = 0; l < order; l++)
        store(g, l, crd[l]);
}

static void vec_elemmul(sam_graph *g) {
    element_wise(g, "b", "c", 1, SAM_INTERSECT, "mul", false);
}
static void vec_elemadd(sam_graph *g) {
    element_wise(g, "b", "c", 1, SAM_UNION, "add", false);
}
static void mat_elemmul(sam_graph *g) {
    element_wise(g, "B", "C", 2, SAM_INTERSECT, "mul", true);
}
static void mat_elemadd(sam_graph *g) {
    element_wise(g, "B", "C", 2, SAM_UNION, "add", false);
}
static void tensor3_elemmul(sam_graph *g) {
    element_wise(g, "B", "C", 3, SAM_INTERSECT, "mul", true);
}
static void tensor3_elemadd(sam_graph *g) {
    element_wise(g, "B", "C", 3, SAM_UNION, "add", false);
}

static void vec_scalar_mul(sam_graph *g) {
    fibers c = scan(g, "c", 0, "i", root);
    stream b = repeat(g, "b", "i", root, c.crd);
    store(g, 0, c.crd);
    store(g, SAM_MODE_VALS, product(g, values(g, "b", b), values(g, "c", c.ref)));
}

static void mat_elemadd3(sam_graph *g) {
    static const char *const name_of[] = {"B", "C", "D"}, *const index[] = {"i", "j"};
    stream ref[3] = {root, root, root};
    for (int l = 0; l < 2; l++) {
        sam_node n = node(g, SAM_UNION, NULL, index[l]);
        for (uint8_t t = 0; t < 3; t++) {
            fibers level = scan(g, name_of[t], l, index[l], ref[t]);
            wire(g, level.crd, n, (uint8_t)(2 * t), SAM_STREAM_CRD);
            wire(g, level.ref, n, (uint8_t)(2 * t + 1), SAM_STREAM_REF);
            ref[t] = (stream){n, (uint8_t)(1 + t)};
        }
        store(g, l, (stream){n, 0});
    }
    stream sum = operation(g, "add", values(g, "B", ref[0]), values(g, "C", ref[1]));
    store(g, SAM_MODE_VALS, operation(g, "add", sum, values(g, "D", ref[2])));
}

static void rows_by_vector(sam_graph *g, bool drop) {
    fibers i = scan(g, "B", 0, "i", root);
    fibers c = scan(g, "c", 0, "j", repeat(g, "c", "i", root, i.crd));
    fibers j = intersect(g, "j", scan(g, "B", 1, "j", i.ref), c);
    store(g, SAM_MODE_VALS, reduce(g, product(g, values(g, "B", j.ref), values(g, "c", j.other))));
    store(g, 0, drop ? two(g, SAM_CRDDROP, "i", "j", i.crd, j.crd).crd : i.crd);
}

static void mat_vecmul_ij(sam_graph *g) {
    rows_by_vector(g, false);
}
static void mat_vecmul_ij_drop(sam_graph *g) {
    rows_by_vector(g, true);
}

static void mat_vecmul_ji(sam_graph *g) {
    fibers j = intersect(g, "j", scan(g, "B", 1, "j", root), scan(g, "c", 0, "j", root));
    fibers i = scan(g, "B", 0, "i", j.ref);
    stream c = repeat(g, "c", "i", j.other, i.crd);
    stream value = product(g, values(g, "B", i.ref), values(g, "c", c));
    sam_node sums = accumulate(g, "1", i.crd, root, value);
    store(g, 0, (stream){sums, 0});
    store(g, SAM_MODE_VALS, (stream){sums, 1});
}

static void mat_residual(sam_graph *g) {
    fibers i = unite(g, "i", scan(g, "b", 0, "i", root), scan(g, "C", 0, "i", root));
    fibers d = scan(g, "d", 0, "j", repeat(g, "d", "i", root, i.crd));
    fibers j = intersect(g, "j", scan(g, "C", 1, "j", i.other), d);
    stream sum = reduce(g, product(g, values(g, "C", j.ref), values(g, "d", j.other)));
    store(g, 0, i.crd);
    store(g, SAM_MODE_VALS, operation(g, "sub", values(g, "b", i.ref), sum));
}

static void mat_mattransmul(sam_graph *g) {
    fibers i = unite(g, "i", scan(g, "C", 1, "i", root), scan(g, "f", 0, "i", root));
    stream b = repeat(g, "b", "i", root, i.crd), e = repeat(g, "e", "i", root, i.crd);
    fibers d = scan(g, "d", 0, "j", repeat(g, "d", "i", root, i.crd));
    fibers j = intersect(g, "j", scan(g, "C", 0, "j", i.ref), d);
    stream scaled = product(g, values(g, "b", repeat(g, "b", "j", b, j.crd)), values(g, "C", j.ref));
    stream sum = reduce(g, product(g, scaled, values(g, "d", j.other)));
    stream rest = product(g, values(g, "e", e), values(g, "f", i.other));
    store(g, 0, i.crd);
    store(g, SAM_MODE_VALS, operation(g, "add", sum, rest));
}

/* An operand of a matrix product and the modes to scan. */
typedef struct {
    const char *tensor;
    int own, sum; /* its remaining mode, and k */
    const char *index;
} factor;

static const factor by_rows = {"B", 0, 1, "i"}, by_columns = {"C", 1, 0, "j"};

/* For every coordinate of a and every coordinate of b, a sum over k. */
static void inner_products(sam_graph *g, factor a, factor b, bool drop) {
    fibers outer = scan(g, a.tensor, a.own, a.index, root);
    fibers inner = scan(g, b.tensor, b.own, b.index, repeat(g, b.tensor, a.index, root, outer.crd));
    fibers of_a = scan(g, a.tensor, a.sum, "k", repeat(g, a.tensor, b.index, outer.ref, inner.crd));
    fibers k = intersect(g, "k", of_a, scan(g, b.tensor, b.sum, "k", inner.ref));
    store(g, SAM_MODE_VALS, reduce(g, product(g, values(g, a.tensor, k.ref), values(g, b.tensor, k.other))));
    if (drop) {
        inner.crd = two(g, SAM_CRDDROP, b.index, "k", inner.crd, k.crd).crd;
        fibers kept = two(g, SAM_CRDDROP, a.index, b.index, outer.crd, inner.crd);
        outer.crd = kept.crd;
        inner.crd = kept.ref;
    }
    store(g, a.own, outer.crd);
    store(g, b.own, inner.crd);
}

/* Products of `value` with b's, added up by point: rows of a, and b's coordinates `inner` in each row. */
static void store_sums(sam_graph *g, factor a, factor b, const char *order, stream rows, fibers inner,
                       stream value) {
    fibers point = two(g, SAM_CRDHOLD, a.index, b.index, rows, inner.crd);
    sam_node sums =
        accumulate(g, order, point.ref, point.crd, product(g, value, values(g, b.tensor, inner.ref)));
    store(g, b.own, (stream){sums, 0});
    store(g, a.own, (stream){sums, 1});
    store(g, SAM_MODE_VALS, (stream){sums, 2});
}

/* For every coordinate of a, rows of b added up. */
static void sums_of_rows(sam_graph *g, factor a, factor b) {
    fibers outer = scan(g, a.tensor, a.own, a.index, root);
    fibers of_b = scan(g, b.tensor, b.sum, "k", repeat(g, b.tensor, a.index, root, outer.crd));
    fibers k = intersect(g, "k", scan(g, a.tensor, a.sum, "k", outer.ref), of_b);
    fibers inner = scan(g, b.tensor, b.own, b.index, k.other);
    stream value = values(g, a.tensor, repeat(g, a.tensor, b.index, k.ref, inner.crd));
    fibers row = two(g, SAM_CRDHOLD, a.index, "k", outer.crd, k.crd);
    store_sums(g, a, b, "1", row.crd, inner, value);
}

/* For every k, every pair of a and b. */
static void outer_products(sam_graph *g, factor a, factor b) {
    fibers k = intersect(g, "k", scan(g, a.tensor, a.sum, "k", root), scan(g, b.tensor, b.sum, "k", root));
    fibers outer = scan(g, a.tensor, a.own, a.index, k.ref);
    fibers inner = scan(g, b.tensor, b.own, b.index, repeat(g, b.tensor, a.index, k.other, outer.crd));
    stream value = values(g, a.tensor, repeat(g, a.tensor, b.index, outer.ref, inner.crd));
    store_sums(g, a, b, "2", outer.crd, inner, value);
}

static void matmul_ijk(sam_graph *g) {
    inner_products(g, by_rows, by_columns, false);
}
static void matmul_ijk_drop(sam_graph *g) {
    inner_products(g, by_rows, by_columns, true);
}
static void matmul_jik(sam_graph *g) {
    inner_products(g, by_columns, by_rows, false);
}
static void matmul_ikj(sam_graph *g) {
    sums_of_rows(g, by_rows, by_columns);
}
static void matmul_jki(sam_graph *g) {
    sums_of_rows(g, by_columns, by_rows);
}
static void matmul_kij(sam_graph *g) {
    outer_products(g, by_rows, by_columns);
}
static void matmul_kji(sam_graph *g) {
    outer_products(g, by_columns, by_rows);
}

static void mat_sddmm(sam_graph *g) {
    fibers i = intersect(g, "i", scan(g, "B", 0, "i", root), scan(g, "C", 0, "i", root));
    fibers d = scan(g, "D", 1, "j", repeat(g, "D", "i", root, i.crd));
    fibers j = intersect(g, "j", scan(g, "B", 1, "j", i.ref), d);
    fibers c = scan(g, "C", 1, "k", repeat(g, "C", "j", i.other, j.crd));
    fibers k = intersect(g, "k", c, scan(g, "D", 0, "k", j.other));
    stream b = values(g, "B", repeat(g, "B", "k", j.ref, k.crd));
    stream value = product(g, product(g, b, values(g, "C", k.ref)), values(g, "D", k.other));
    fibers kept = two(g, SAM_CRDDROP, "i", "j", i.crd, j.crd);
    store(g, 0, kept.crd);
    store(g, 1, kept.ref);
    store(g, SAM_MODE_VALS, reduce(g, value));
}

static void tensor3_innerprod(sam_graph *g) {
    fibers i = intersect(g, "i", scan(g, "B", 0, "i", root), scan(g, "C", 0, "i", root));
    fibers j = intersect(g, "j", scan(g, "B", 1, "j", i.ref), scan(g, "C", 1, "j", i.other));
    fibers k = intersect(g, "k", scan(g, "B", 2, "k", j.ref), scan(g, "C", 2, "k", j.other));
    stream value = product(g, values(g, "B", k.ref), values(g, "C", k.other));
    store(g, SAM_MODE_VALS, reduce(g, reduce(g, reduce(g, value))));
}

static void tensor3_ttv(sam_graph *g) {
    fibers i = scan(g, "B", 0, "i", root), j = scan(g, "B", 1, "j", i.ref);
    stream c = repeat(g, "c", "j", repeat(g, "c", "i", root, i.crd), j.crd);
    fibers k = intersect(g, "k", scan(g, "B", 2, "k", j.ref), scan(g, "c", 0, "k", c));
    store(g, 0, i.crd);
    store(g, 1, j.crd);
    store(g, SAM_MODE_VALS, reduce(g, product(g, values(g, "B", k.ref), values(g, "c", k.other))));
}

static void tensor3_ttm(sam_graph *g) {
    fibers i = scan(g, "B", 0, "i", root), j = scan(g, "B", 1, "j", i.ref);
    stream c = repeat(g, "C", "j", repeat(g, "C", "i", root, i.crd), j.crd);
    fibers k = scan(g, "C", 0, "k", c);
    fibers b = scan(g, "B", 2, "l", repeat(g, "B", "k", j.ref, k.crd));
    fibers l = intersect(g, "l", b, scan(g, "C", 1, "l", k.ref));
    store(g, 0, i.crd);
    store(g, 1, j.crd);
    store(g, 2, k.crd);
    store(g, SAM_MODE_VALS, reduce(g, product(g, values(g, "B", l.ref), values(g, "C", l.other))));
}

static void tensor3_mttkrp(sam_graph *g) {
    fibers i = scan(g, "B", 0, "i", root);
    fibers of_c = scan(g, "C", 0, "j", repeat(g, "C", "i", root, i.crd));
    fibers j = intersect(g, "j", of_c, scan(g, "D", 0, "j", repeat(g, "D", "i", root, i.crd)));
    fibers of_b = scan(g, "B", 1, "k", repeat(g, "B", "j", i.ref, j.crd));
    fibers k = intersect(g, "k", of_b, scan(g, "C", 1, "k", j.ref));
    fibers of_d = scan(g, "D", 1, "l", repeat(g, "D", "k", j.other, k.crd));
    fibers l = intersect(g, "l", scan(g, "B", 2, "l", k.ref), of_d);
    stream c = values(g, "C", repeat(g, "C", "l", k.other, l.crd));
    stream value = product(g, product(g, values(g, "B", l.ref), c), values(g, "D", l.other));
    store(g, 0, i.crd);
    store(g, 1, j.crd);
    store(g, SAM_MODE_VALS, reduce(g, reduce(g, value)));
}

/* ---- the table ------------------------------------------------------------------------------- */

typedef struct {
    const char *name;
    fe_case text; /* formats unless compressed in order, loops unless the result's followed by the sums */
    void (*build)(sam_graph *g);
    const char *file; /* of the shared data, or NULL */
} published_kernel;

static const char spmm[] = "X(i,j)=B(i,k)*C(k,j)";

static const published_kernel kernels[] = {
    {"vec_elemmul", {"x(i)=b(i)*c(i)", {0}, NULL}, vec_elemmul, "old/vec_elemmul"},
    {"vec_elemadd", {"x(i)=b(i)+c(i)", {0}, NULL}, vec_elemadd, "old/vec_elemadd"},
    {"vec_scalar_mul", {"x(i)=b*c(i)", {0}, NULL}, vec_scalar_mul, "old/vec_scalar_mul"},
    {"mat_vecmul_ij", {"x(i)=B(i,j)*c(j)", {0}, NULL}, mat_vecmul_ij, "old/mat_vecmul_ij"},
    {"mat_vecmul_ij, droppers", {"x(i)=B(i,j)*c(j)", {0}, NULL}, mat_vecmul_ij_drop, "pin/mat_vecmul_ij"},
    {"mat_vecmul_ji", {"x(i)=B(i,j)*c(j)", {"B:ss:1,0"}, "reorder(j,i)"}, mat_vecmul_ji, "old/mat_vecmul_ji"},
    {"mat_elemadd", {"X(i,j)=B(i,j)+C(i,j)", {0}, NULL}, mat_elemadd, "old/mat_elemadd"},
    {"mat_elemmul", {"X(i,j)=B(i,j)*C(i,j)", {0}, NULL}, mat_elemmul, "old/mat_elemmul"},
    {"mat_elemadd3", {"X(i,j)=B(i,j)+C(i,j)+D(i,j)", {0}, NULL}, mat_elemadd3, "old/mat_elemadd3"},
    {"mat_residual", {"x(i)=b(i)-C(i,j)*d(j)", {0}, NULL}, mat_residual, NULL},
    {"mat_mattransmul", {"x(i)=b*C(j,i)*d(j)+e*f(i)", {"C:ss:1,0"}, NULL}, mat_mattransmul, NULL},
    {"matmul_ijk", {spmm, {"C:ss:1,0"}, NULL}, matmul_ijk, "old/matmul_ijk"},
    {"matmul_ijk, droppers", {spmm, {"C:ss:1,0"}, NULL}, matmul_ijk_drop, "pin/matmul_ijk"},
    {"matmul_jik", {spmm, {"X:ss:1,0", "C:ss:1,0"}, NULL}, matmul_jik, NULL},
    {"matmul_ikj", {spmm, {0}, "reorder(i,k,j)"}, matmul_ikj, "old/matmul_ikj"},
    {"matmul_jki", {spmm, {"X:ss:1,0", "B:ss:1,0", "C:ss:1,0"}, "reorder(j,k,i)"}, matmul_jki, NULL},
    {"matmul_kij", {spmm, {"B:ss:1,0"}, "reorder(k,i,j)"}, matmul_kij, "old/matmul_kij"},
    {"matmul_kji", {spmm, {"X:ss:1,0", "B:ss:1,0"}, "reorder(k,j,i)"}, matmul_kji, NULL},
    {"mat_sddmm", {"X(i,j)=B(i,j)*C(i,k)*D(k,j)", {"C:dd", "D:dd:1,0"}, NULL}, mat_sddmm, "old/mat_sddmm"},
    {"tensor3_elemadd", {"X(i,j,k)=B(i,j,k)+C(i,j,k)", {0}, NULL}, tensor3_elemadd, "old/tensor3_elemadd"},
    {"tensor3_elemmul", {"X(i,j,k)=B(i,j,k)*C(i,j,k)", {0}, NULL}, tensor3_elemmul, NULL},
    {"tensor3_innerprod", {"x=B(i,j,k)*C(i,j,k)", {0}, NULL}, tensor3_innerprod, NULL},
    {"tensor3_ttv", {"X(i,j)=B(i,j,k)*c(k)", {0}, NULL}, tensor3_ttv, "old/tensor3_ttv"},
    {"tensor3_ttm", {"X(i,j,k)=B(i,j,l)*C(k,l)", {0}, NULL}, tensor3_ttm, NULL},
    {"tensor3_mttkrp", {"X(i,j)=B(i,k,l)*C(j,k)*D(j,l)", {0}, NULL}, tensor3_mttkrp, NULL},
};

static const published_kernel *kernel_of(const published_row *row) {
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        if (strcmp(kernels[k].name, row->kernel) == 0)
            return &kernels[k];
    fail_msg("no kernel %s", row->kernel);
    return NULL;
}

static void must(fixture *f, const published_row *row, bool good) {
    if (!good)
        fail_msg("%s: %s", row->kernel, fixture_printed(f));
}

static void read_statement(fixture *f, const published_row *row, sam_statement *out) {
    fe_cin cin;
    sam_statement written;
    must(f, row, fe_case_schedule(f, &kernel_of(row)->text, &written, &cin));
    *out = cin.kernels.at[0].s;
}

static void make_operands(fixture *f, const published_row *row, published_case *c) {
    const sam_statement *s = &c->statement;
    tile_tensor *operand = arena_new_n(&f->mem, tile_tensor, s->tensors.len);
    c->levels = arena_new_n(&f->mem, sam_tensor_levels, s->tensors.len);
    c->operands = (tile_operands){operand, s->tensors.len, TILE_DTYPE_INT16};
    for (uint32_t t = 1; t < s->tensors.len; t++, c->n_levels++) {
        must(f, row,
             tile_generate(row->operand[t - 1], s->tensors.at[t].name, t - 1, 1, TILE_DTYPE_INT16, &f->mem,
                           &f->diag, &operand[t]) &&
                 tile_levels(&operand[t], &s->tensors.at[t], &f->mem, &f->diag, &c->levels[t - 1]));
        if (row->nnz[t - 1])
            assert_int_equal(operand[t].nnz, row->nnz[t - 1]);
    }
}

void published_make(fixture *f, const published_row *row, published_case *out) {
    *out = (published_case){0};
    sam_statement *s = &out->statement;
    read_statement(f, row, s);
    make_operands(f, row, out);
    uint32_t *extent;
    must(f, row, tile_extents(s, &out->operands, &f->mem, &f->diag, &extent));
    tile_result_dim(s, extent, out->extent);
    sam_graph_init(&out->graph, &f->mem, &f->names);
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        const sam_tensor_data *d = &s->tensors.at[t];
        sam_graph_tensor copy = {.name = d->name, .order = d->order};
        memcpy(copy.level, d->level, sizeof copy.level);
        memcpy(copy.mode, d->mode, sizeof copy.mode);
        vec_push(&f->mem, &out->graph.tensors, copy);
    }
    kernel_of(row)->build(&out->graph);
    must(f, row, sam_check(&out->graph, &f->diag));
}

bool published_read(fixture *f, const published_row *row, sam_graph *out) {
    const char *file = kernel_of(row)->file;
    if (!file)
        return false;
    const char *path = arena_printf(&f->mem, ONYX_SHARED_DIR "/data/sam_graphs/custard/%s.gv", file);
    size_t length = 0;
    if (access(path, R_OK) != 0)
        return false;
    const char *text = file_read(path, &f->mem, &length, &f->diag);
    must(f, row, text && sam_parse(path, text, length, &f->names, &f->diag, out));
    return true;
}

tile_tensor published_result(fixture *f, const published_case *c, const sam_sim_result *r) {
    tile_tensor out;
    sam_tensor_levels levels = r->result;
    const sam_tensor_data *format = sam_tensor_at(&c->statement, c->statement.result);
    for (uint32_t l = 0; l < levels.order; l++)
        levels.level[l].dim = c->extent[format->mode[l]];
    assert_true(tile_from_levels(&levels, format, c->extent, TILE_DTYPE_INT16, &f->mem, &f->diag, &out));
    return out;
}
