/* sam/: whole graphs simulated on random data against dense loops, and rewrites against the originals. */
#include "tests/quota.h"
#include "tests/test.h"

#include "sam/sam.h"
#include "tests/sam/graph_equal.h"
#include "tests/sam/kernels.h"

/* A dense tensor of int16 over index variables named by letters. */
typedef struct {
    const char *indices;
    uint16_t *at;
} tensor;

/* The extent of an index variable; variables without a kernel belong to the joiner tests. */
static uint32_t extent_of(char index) {
    return index == 'i' ? 7 : index == 'j' ? 6 : index == 'k' ? 9 : 1;
}

static uint32_t tensor_size(const char *indices) {
    uint32_t size = 1;
    for (; *indices; indices++)
        size *= extent_of(*indices);
    return size;
}

/* Row-major position of a point given by the values of i, j and k. */
static uint32_t position(const char *indices, const uint32_t *values) {
    uint32_t at = 0;
    for (; *indices; indices++)
        at = at * extent_of(*indices) + values[*indices - 'i'];
    return at;
}

/* ---- levels from dense data and back --------------------------------------------------------- */

typedef struct {
    fixture *f;
    prng random;
    const tensor *dense;
    const sam_graph_tensor *shape;
    sam_tensor_levels *out;
    u32_vec seg[SAM_MAX_ORDER], crd[SAM_MAX_ORDER];
    u16_vec vals;
    uint32_t keep_empty; /* share of empty sub-tensors with a coordinate, per mille */
} packer;

/* Whether the values under a prefix of storage coordinates hold anything. */
static bool holds(packer *p, uint32_t level, uint32_t *logical) {
    if (level == p->shape->order)
        return p->dense->at[position(p->dense->indices, logical)] != 0;
    char index = p->dense->indices[p->shape->mode[level]];
    for (uint32_t c = 0; c < extent_of(index); c++) {
        logical[index - 'i'] = c;
        if (holds(p, level + 1, logical))
            return true;
    }
    return false;
}

static void pack_fiber(packer *p, uint32_t level, uint32_t *logical) {
    if (level == p->shape->order) {
        vec_push(&p->f->mem, &p->vals, p->dense->at[position(p->dense->indices, logical)]);
        return;
    }
    char index = p->dense->indices[p->shape->mode[level]];
    for (uint32_t c = 0; c < extent_of(index); c++) {
        uint32_t probe[3] = {logical[0], logical[1], logical[2]};
        probe[index - 'i'] = logical[index - 'i'] = c;
        if (!holds(p, level + 1, probe) && prng_below(&p->random, 1000) >= p->keep_empty)
            continue;
        vec_push(&p->f->mem, &p->crd[level], c);
        pack_fiber(p, level + 1, logical);
    }
    vec_push(&p->f->mem, &p->seg[level], p->crd[level].len);
}

static sam_tensor_levels pack(fixture *f, const tensor *dense, const sam_graph_tensor *shape, uint64_t seed,
                              uint32_t keep_empty) {
    packer p = {.f = f, .random = prng_seed(seed), .dense = dense, .shape = shape, .keep_empty = keep_empty};
    uint32_t logical[3] = {0};
    sam_tensor_levels out = {.name = shape->name, .order = shape->order};
    for (uint32_t l = 0; l < shape->order; l++)
        vec_push(&f->mem, &p.seg[l], 0);
    pack_fiber(&p, 0, logical);
    for (uint32_t l = 0; l < shape->order; l++)
        out.level[l] = (sam_level_data){SAM_LEVEL_COMPRESSED, extent_of(dense->indices[shape->mode[l]]),
                                        p.seg[l].at,          p.crd[l].at,
                                        p.seg[l].len,         p.crd[l].len};
    out.vals = p.vals.at;
    out.n_vals = p.vals.len;
    return out;
}

/* Fills `dense` from a result; every level must be well formed. */
static void unpack_fiber(const sam_tensor_levels *t, const sam_graph_tensor *shape, uint32_t level,
                         uint32_t at, uint32_t *logical, tensor *dense, bool no_empty) {
    if (level == t->order) {
        dense->at[position(dense->indices, logical)] = t->vals[at];
        return;
    }
    const sam_level_data *data = &t->level[level];
    assert_in_range(at, 0, data->n_seg - 2);
    if (no_empty && level > 0)
        assert_true(data->seg[at] < data->seg[at + 1]);
    for (uint32_t i = data->seg[at]; i < data->seg[at + 1]; i++) {
        if (i > data->seg[at])
            assert_true(data->crd[i - 1] < data->crd[i]);
        assert_true(data->crd[i] < data->dim);
        logical[dense->indices[shape->mode[level]] - 'i'] = data->crd[i];
        unpack_fiber(t, shape, level + 1, i, logical, dense, no_empty);
    }
}

/* ---- the statement by dense loops ------------------------------------------------------------ */

static uint16_t term(const kernel *k, const tensor *operands, const uint32_t *values) {
    uint16_t result = operands[0].at[position(operands[0].indices, values)];
    for (uint32_t o = 1; o < 4 && k->in[o]; o++) {
        uint16_t value = operands[o].at[position(operands[o].indices, values)];
        if (k->op == '*')
            result = (uint16_t)((uint32_t)result * value);
        else
            result = (uint16_t)(k->op == '+' ? result + value : result - value);
    }
    return result;
}

static void evaluate(const kernel *k, const tensor *operands, tensor *result) {
    bool sums = k->op == '*' && k->in[1] && strchr(k->in[1], 'k'); /* k appears only in products over k */
    bool uses_j = strchr(k->out, 'j') || (k->in[0] && strchr(k->in[0], 'j'));
    uint32_t v[3];
    for (v[0] = 0; v[0] < extent_of('i'); v[0]++)
        for (v[1] = 0; v[1] < (uses_j ? extent_of('j') : 1); v[1]++)
            for (v[2] = 0; v[2] < (sums ? extent_of('k') : 1); v[2]++)
                result->at[position(k->out, v)] += term(k, operands, v);
}

static tensor random_tensor(fixture *f, const char *indices, uint32_t per_mille, prng *random) {
    tensor t = {indices, arena_new_n(&f->mem, uint16_t, tensor_size(indices))};
    for (uint32_t i = 0; i < tensor_size(indices); i++)
        if (prng_below(random, 1000) < per_mille)
            t.at[i] = (uint16_t)prng_next(random);
    return t;
}

/* ---- kernels --------------------------------------------------------------------------------- */

static void parse_kernel(fixture *f, const kernel *k, sam_graph *g) {
    bool good =
        sam_parse(k->name, k->text, strlen(k->text), &f->names, &f->diag, g) && sam_check(g, &f->diag);
    if (!good)
        print_error("%s\n", fixture_printed(f));
    assert_true(good);
}

/* Returns whether the result is of one value. */
static bool simulate_against_loops(fixture *f, const kernel *k, const sam_graph *g, uint64_t seed,
                                   uint32_t density, uint32_t keep_empty) {
    prng random = prng_seed(seed);
    tensor dense[4];
    sam_tensor_levels operands[4];
    uint32_t n = 0;
    for (; n < 4 && k->in[n]; n++) {
        dense[n] = random_tensor(f, k->in[n], density, &random);
        operands[n] = pack(f, &dense[n], &g->tensors.at[n + 1], seed + n, keep_empty);
    }
    sam_sim_result result;
    bool good = sam_simulate(g, operands, n, NULL, &f->diag, &result);
    if (!good)
        print_error("%s: %s\n", k->name, fixture_printed(f));
    assert_true(good);
    tensor expected = {k->out, arena_new_n(&f->mem, uint16_t, tensor_size(k->out))};
    tensor found = {k->out, arena_new_n(&f->mem, uint16_t, tensor_size(k->out))};
    uint32_t logical[3] = {0};
    evaluate(k, dense, &expected);
    unpack_fiber(&result.result, &g->tensors.at[0], 0, 0, logical, &found, k->no_empty_fibers);
    assert_memory_equal(expected.at, found.at, tensor_size(k->out) * sizeof *found.at);
    assert_true(result.cycles > 0 && result.tokens > 0);
    return quota_constant(expected.at, tensor_size(k->out), sizeof *expected.at);
}

static void kernels_agree_with_dense_loops(void **state) {
    static const uint32_t densities[] = {900, 600, 1000, 300, 800, 30, 500, 400, 700, 200}, keep[] = {0, 300};
    quota shown = {0};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        for (uint64_t seed = 0; seed < 200; seed++) {
            fixture *f;
            fixture_set_up((void **)&f);
            sam_graph g;
            parse_kernel(f, &kernels[i], &g);
            const bool trivial = simulate_against_loops(
                f, &kernels[i], &g, seed, seed % 20 ? densities[seed % 10] : 0, keep[seed / 20 % 2]);
            quota_add(&shown, true, trivial);
            fixture_tear_down((void **)&f);
        }
    assert_false(quota_failed(&shown));
    (void)state;
}

static void removing_broadcasts_changes_neither_result_nor_cycles(void **state) {
    fixture *f = *state;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        sam_graph g, plain;
        parse_kernel(f, &kernels[i], &g);
        assert_true(sam_remove_broadcasts(&g, &f->mem, &f->diag, &plain));
        assert_true(sam_check(&plain, &f->diag));
        for (uint32_t n = 0; n < plain.nodes.len; n++)
            assert_int_not_equal(plain.nodes.at[n].kind, SAM_BROADCAST);
        simulate_against_loops(f, &kernels[i], &plain, 7, 300, 0);
    }
}

static void chains_of_broadcasts_are_removed(void **state) {
    fixture *f = *state;
    const char *with =
        "digraph { comment=\"x=s0,b=s0\" s [type=fiberlookup index=i tensor=b mode=0 format=compressed "
        "root=true] v [type=arrayvals tensor=b] a [type=broadcast] c [type=broadcast]\n"
        "w [type=fiberwrite index=i tensor=x mode=0 format=compressed] u [type=fiberwrite tensor=x mode=vals]"
        "m [type=add]\n s -> a -> c [type=ref] c -> v [type=ref] s -> w [type=crd]\n"
        "v -> b2 [type=val] b2 [type=broadcast] b2 -> m [type=val] b2 -> m [type=val] m -> u [type=val] }";
    const char *without =
        "digraph { comment=\"x=s0,b=s0\" s [type=fiberlookup index=i tensor=b mode=0 format=compressed "
        "root=true] v [type=arrayvals tensor=b]\n"
        "w [type=fiberwrite index=i tensor=x mode=0 format=compressed] u [type=fiberwrite tensor=x mode=vals]"
        "m [type=add]\n s -> v [type=ref] s -> w [type=crd] v -> m [type=val] v -> m [type=val] m -> u "
        "[type=val] }";
    sam_graph a, b, removed;
    assert_true(sam_parse("a", with, strlen(with), &f->names, &f->diag, &a));
    assert_true(sam_parse("b", without, strlen(without), &f->names, &f->diag, &b));
    assert_true(sam_check(&a, &f->diag));
    assert_true(sam_remove_broadcasts(&a, &f->mem, &f->diag, &removed));
    assert_true(graphs_equal(&removed, &b));
    assert_false(graphs_equal(&a, &b));
}

/* ---- joiners of many operands ---------------------------------------------------------------- */

/* X(i,j) = op over n operands, both levels joined by n-ary joiners; reads the references of the operands in
 * `used` only: the remaining operands are joined but not carried. */
static const char *wide_graph(fixture *f, uint32_t n, bool unite, uint32_t used) {
    arena *mem = &f->mem;
    const char *comment = "X=ss01", *text = "", *joiner = unite ? "union" : "intersect";
    for (uint32_t k = 0; k < n; k++) {
        comment = arena_printf(mem, "%s,B%u=ss01", comment, k);
        text =
            arena_printf(mem,
                         "%s i%u [type=fiberlookup index=i tensor=B%u mode=0 format=compressed root=true]\n"
                         "j%u [type=fiberlookup index=j tensor=B%u mode=1 format=compressed]\n"
                         "i%u -> ji [type=crd comment=\"in-B%u\"] i%u -> ji [type=ref comment=\"in-B%u\"]\n"
                         "ji -> j%u [type=ref comment=\"out-B%u\"]\n"
                         "j%u -> jj [type=crd comment=\"in-B%u\"] j%u -> jj [type=ref comment=\"in-B%u\"]\n",
                         text, k, k, k, k, k, k, k, k, k, k, k, k, k, k);
        if (used & 1u << k)
            text =
                arena_printf(mem,
                             "%s v%u [type=arrayvals tensor=B%u]\n jj -> v%u [type=ref comment=\"out-B%u\"]\n"
                             "v%u -> op [type=val]\n",
                             text, k, k, k, k, k);
    }
    return arena_printf(mem,
                        "digraph { comment=\"%s\" ji [type=%s index=i] jj [type=%s index=j] op [type=%s]\n%s"
                        "x0 [type=fiberwrite tensor=X index=i mode=0 format=compressed]\n"
                        "x1 [type=fiberwrite tensor=X index=j mode=1 format=compressed]\n"
                        "xv [type=fiberwrite tensor=X mode=vals]\n"
                        "ji -> x0 [type=crd] jj -> x1 [type=crd] op -> xv [type=val] }",
                        comment, joiner, joiner, unite ? "add" : "mul", text);
}

static void assert_same_levels(const sam_tensor_levels *a, const sam_tensor_levels *b) {
    assert_int_equal(a->order, b->order);
    for (uint32_t l = 0; l < a->order; l++) {
        assert_int_equal(a->level[l].n_seg, b->level[l].n_seg);
        assert_int_equal(a->level[l].n_crd, b->level[l].n_crd);
        for (uint32_t i = 0; i < a->level[l].n_seg; i++)
            assert_int_equal(a->level[l].seg[i], b->level[l].seg[i]);
        for (uint32_t i = 0; i < a->level[l].n_crd; i++)
            assert_int_equal(a->level[l].crd[i], b->level[l].crd[i]);
    }
    assert_int_equal(a->n_vals, b->n_vals);
    for (uint32_t i = 0; i < a->n_vals; i++)
        assert_int_equal(a->vals[i], b->vals[i]);
}

static uint32_t count_joiners(const sam_graph *g) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < g->nodes.len; i++)
        count += g->nodes.at[i].kind == SAM_INTERSECT || g->nodes.at[i].kind == SAM_UNION;
    return count;
}

static void assert_binary(const sam_graph *g) {
    for (uint32_t i = 0; i < g->edges.len; i++) {
        sam_primitive kind = sam_node_at(g, g->edges.at[i].dst)->kind;
        if (kind == SAM_INTERSECT || kind == SAM_UNION)
            assert_in_range(g->edges.at[i].dst_port, 0, 3);
    }
}

/* Returns whether the result has no value, or one. */
static bool compare_wide(fixture *f, uint32_t n, bool unite, uint32_t used, uint64_t seed) {
    const char *text = wide_graph(f, n, unite, used);
    sam_graph wide, binary;
    assert_true(sam_parse("wide", text, strlen(text), &f->names, &f->diag, &wide));
    assert_true(sam_check(&wide, &f->diag));
    assert_true(sam_to_binary_joiners(&wide, &f->mem, &f->diag, &binary));
    assert_true(sam_check(&binary, &f->diag));
    assert_binary(&binary);
    prng random = prng_seed(seed);
    sam_tensor_levels operands[8];
    for (uint32_t k = 0; k < n; k++) {
        tensor t = random_tensor(f, "ij", unite ? 150 : 800, &random);
        operands[k] = pack(f, &t, &wide.tensors.at[k + 1], seed, seed % 2 ? 300 : 0);
    }
    sam_sim_result a, b;
    assert_true(sam_simulate(&wide, operands, n, NULL, &f->diag, &a));
    assert_true(sam_simulate(&binary, operands, n, NULL, &f->diag, &b));
    assert_same_levels(&a.result, &b.result);
    return quota_constant(a.result.vals, a.result.n_vals, sizeof *a.result.vals);
}

static void binary_trees_equal_wide_joiners(void **state) {
    quota shown = {0};
    for (uint32_t n = 2; n <= 8; n++)
        for (uint64_t seed = 0; seed < 20; seed++) {
            fixture *f;
            fixture_set_up((void **)&f);
            uint32_t all = (1u << n) - 1, some = (uint32_t)(seed * 0x9e3779b9u >> 7) & all;
            quota_add(&shown, true, compare_wide(f, n, seed % 4 < 2, all, seed));
            if (!(some & (some - 1))) /* an operation takes two streams */
                some = 3;
            quota_add(&shown, true, compare_wide(f, n, seed % 4 < 2, some, seed));
            fixture_tear_down((void **)&f);
        }
    assert_false(quota_failed(&shown));
    (void)state;
}

static void binary_trees_are_balanced(void **state) {
    fixture *f = *state;
    static const uint32_t joiners[] = {0, 0, 1, 3, 4, 7, 9, 11, 12};
    for (uint32_t n = 2; n <= 8; n++) {
        const char *text = wide_graph(f, n, true, (1u << n) - 1);
        sam_graph wide, binary;
        assert_true(sam_parse("wide", text, strlen(text), &f->names, &f->diag, &wide));
        assert_true(sam_to_binary_joiners(&wide, &f->mem, &f->diag, &binary));
        assert_int_equal(count_joiners(&binary), 2 * joiners[n]);
    }
}

/* A joiner that feeds a joiner directly, both wide, and the inner joiner declared after the outer joiner. */
static void wide_joiners_may_feed_wide_joiners(void **state) {
    fixture *f = *state;
    const char *text = "";
    for (uint32_t k = 0; k < 5; k++)
        text = arena_printf(
            &f->mem,
            "%s s%u [type=fiberlookup index=i tensor=B%u mode=0 format=compressed root=true]\n"
            "v%u [type=arrayvals tensor=B%u] v%u -> op [type=val]\n"
            "s%u -> %s [type=crd comment=\"in-B%u\"] s%u -> %s [type=ref comment=\"in-B%u\"]\n"
            "%s -> v%u [type=ref comment=\"out-B%u\"]\n",
            text, k, k, k, k, k, k, k < 2 ? "a" : "b", k, k, k < 2 ? "a" : "b", k, k < 3 ? "a" : "b", k, k);
    text = arena_printf(&f->mem,
                        "digraph { comment=\"x=s0,B0=s0,B1=s0,B2=s0,B3=s0,B4=s0\" a [type=union index=i]\n"
                        "op [type=add] w [type=fiberwrite index=i tensor=x mode=0 format=compressed]\n"
                        "u [type=fiberwrite tensor=x mode=vals] a -> w [type=crd] op -> u [type=val]\n"
                        "b [type=union index=i] b -> a [type=crd comment=\"in-B2\"] "
                        "b -> a [type=ref src_port=1 comment=\"in-B2\"]\n %s }",
                        text);
    sam_graph wide, binary;
    assert_true(sam_parse("nested", text, strlen(text), &f->names, &f->diag, &wide));
    bool good = sam_check(&wide, &f->diag);
    if (!good)
        print_error("%s\n", fixture_printed(f));
    assert_true(good);
    assert_true(sam_to_binary_joiners(&wide, &f->mem, &f->diag, &binary));
    assert_true(sam_check(&binary, &f->diag));
    assert_binary(&binary);
    assert_int_equal(count_joiners(&binary), 6);
    prng random = prng_seed(3);
    sam_tensor_levels operands[5];
    for (uint32_t k = 0; k < 5; k++) {
        /* All operands have the same pattern: the streams of a and b have the same length. */
        tensor t = random_tensor(f, "i", 1000, &random);
        operands[k] = pack(f, &t, &wide.tensors.at[k + 1], 1, 0);
    }
    sam_sim_result x, y;
    assert_true(sam_simulate(&wide, operands, 5, NULL, &f->diag, &x));
    assert_true(sam_simulate(&binary, operands, 5, NULL, &f->diag, &y));
    assert_same_levels(&x.result, &y.result);
}

/* ---- refusals of the simulator ---------------------------------------------------------------- */

static const kernel *find_kernel(const char *name) {
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (strcmp(kernels[i].name, name) == 0)
            return &kernels[i];
    fail_msg("no kernel %s", name);
    return NULL;
}

static void expect_last(fixture *f, const char *code, const char *message) {
    assert_string_equal(f->diag.list.at[f->diag.list.len - 1].message, message);
    assert_string_equal(f->diag.list.at[f->diag.list.len - 1].code, code);
}

static void malformed_operands_are_refused(void **state) {
    fixture *f = *state;
    sam_graph g;
    parse_kernel(f, find_kernel("mat_identity"), &g);
    prng random = prng_seed(1);
    tensor t = random_tensor(f, "ij", 500, &random);
    const sam_tensor_levels good = pack(f, &t, &g.tensors.at[1], 1, 0);
    sam_sim_result r;
    sam_tensor_levels bad = good;
    assert_true(sam_simulate(&g, &good, 1, NULL, &f->diag, &r));
    assert_false(sam_simulate(&g, &good, 0, NULL, &f->diag, &r));
    expect_last(f, "E0233-operand", "operand B has no data");
    bad.order = 1;
    assert_false(sam_simulate(&g, &bad, 1, NULL, &f->diag, &r));
    expect_last(f, "E0233-operand", "operand B has 1 level, the graph describes 2");
    bad = good;
    bad.level[1].n_crd--;
    assert_false(sam_simulate(&g, &bad, 1, NULL, &f->diag, &r));
    expect_last(f, "E0233-operand",
                "operand B level 1: the segments do not divide the coordinates into 7 fibers");
    bad = good;
    bad.level[1].dim = 1;
    assert_false(sam_simulate(&g, &bad, 1, NULL, &f->diag, &r));
    expect_last(f, "E0233-operand", "operand B level 1: coordinates do not ascend below 1");
    bad = good;
    bad.n_vals--;
    assert_false(sam_simulate(&g, &bad, 1, NULL, &f->diag, &r));
    assert_string_equal(f->diag.list.at[f->diag.list.len - 1].code, "E0233-operand");
    bad = good;
    bad.level[0].format = SAM_LEVEL_DENSE;
    assert_false(sam_simulate(&g, &bad, 1, NULL, &f->diag, &r));
    expect_last(f, "E0233-operand", "operand B level 0 is dense, the graph says compressed");
    assert_false(sam_simulate(&g, &good, 1, &(sam_sim_options){.max_cycles = 5}, &f->diag, &r));
    expect_last(f, "E0236-cycle-limit", "not done after 5 cycles");
    assert_int_equal(r.cycles, 5);
}

static void simulate_text(fixture *f, const char *text) {
    sam_graph g;
    static const uint32_t seg[] = {0, 2}, crd[] = {0, 2};
    static const uint16_t vals[] = {3, 4};
    assert_true(sam_parse("t", text, strlen(text), &f->names, &f->diag, &g));
    sam_tensor_levels b = {.order = 1,
                           .level = {{SAM_LEVEL_COMPRESSED, 3, seg, crd, 2, 2}},
                           .vals = vals,
                           .n_vals = 2,
                           .name = names_intern(&f->names, "b")};
    sam_sim_result r;
    assert_false(sam_simulate(&g, &b, 1, NULL, &f->diag, &r));
}

#define VECTOR(x, middle)                                                                                    \
    "digraph { comment=\"x=" x                                                                               \
    ",b=s0\" s [type=fiberlookup index=i tensor=b mode=0 format=compressed root=true]\n"                     \
    "v [type=arrayvals tensor=b] u [type=fiberwrite tensor=x mode=vals] s -> v [type=ref]\n" middle "}"

static void what_cannot_be_simulated_is_refused(void **state) {
    fixture *f = *state;
#define LEVEL "w [type=fiberwrite index=i tensor=x mode=0 format=compressed] s -> w [type=crd]\n"
    simulate_text(f, VECTOR("s0", LEVEL "m [type=popcount] v -> m [type=val] m -> u [type=val]"));
    expect_last(f, "E0234-alu", "the simulator does not know the operation 'popcount'");
    simulate_text(f, VECTOR("s0", LEVEL "m [type=add const0=x] v -> m [type=val] m -> u [type=val]"));
    expect_last(f, "E0234-alu", "add (node m): constant 'x' is no 16-bit integer");
    simulate_text(
        f, VECTOR("s0", LEVEL "m [type=fp_mul const0=\"\" const1=1e] v -> m [type=val] m -> u [type=val]"));
    expect_last(f, "E0234-alu", "fp_mul (node m): constant '1e' is no number");
    simulate_text(f, VECTOR("s0", LEVEL "m [type=mul] v -> m [type=val] m -> u [type=val]"));
    expect_last(f, "E0234-alu", "mul (node m) has 1 operand");
    simulate_text(
        f, VECTOR("s0", LEVEL
                  "m [type=div] v -> m [type=val] v -> m [type=val] v -> m [type=val] m -> u [type=val]"));
    expect_last(f, "E0234-alu", "div (node m) has 3 operands");
    simulate_text(f, VECTOR("s0",
                            LEVEL "m [type=spaccumulator order=1 in0=i] v -> m [type=val] s -> m [type=crd "
                                  "comment=i] m -> u [type=val]"));
    expect_last(f, "E0235-unsupported",
                "the simulator has no sparse accumulator on points: spaccumulator (node m)");
    simulate_text(f, VECTOR("s0", LEVEL "m [type=reduce] v -> m [type=val] m -> u [type=val]"));
    expect_last(f, "E0232-result", "fiberwrite vals x (node u) wrote 1 value for 2 coordinates");
    simulate_text(
        f, VECTOR("d0", "w [type=fiberwrite index=i tensor=x mode=0 format=dense] s -> w [type=crd] v -> u "
                        "[type=val]"));
    expect_last(f, "E0232-result",
                "fiberwrite i: x0 (node w) is dense, but did not receive every coordinate of a fiber");
    simulate_text(f, VECTOR("ss01", LEVEL
                            "y [type=fiberwrite index=j tensor=x mode=1 format=compressed] s -> y [type=crd] "
                            "v -> u [type=val]"));
    expect_last(f, "E0232-result", "fiberwrite j: x1 (node y) wrote 1 fiber where the level above has 2");
}

/* Inner products of full vectors are bound by a token a cycle: n pairs and a stop each. Prints the speed.
 */
static void full_inner_products_take_a_cycle_a_pair(void **state) {
    fixture *f = *state;
    enum { SIZE = 64 };
    sam_graph g;
    parse_kernel(f, find_kernel("matmul_ijk"), &g);
    uint32_t *seg0 = arena_new_n(&f->mem, uint32_t, 2), *seg1 = arena_new_n(&f->mem, uint32_t, SIZE + 1);
    uint32_t *crd = arena_new_n(&f->mem, uint32_t, SIZE * SIZE);
    uint16_t *vals = arena_new_n(&f->mem, uint16_t, SIZE * SIZE);
    seg0[1] = SIZE;
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        seg1[i / SIZE + 1] = (i / SIZE + 1) * SIZE;
        crd[i] = i % SIZE;
        vals[i] = (uint16_t)i;
    }
    sam_tensor_levels operands[2];
    for (int o = 0; o < 2; o++)
        operands[o] =
            (sam_tensor_levels){.name = names_intern(&f->names, o ? "C" : "B"),
                                .order = 2,
                                .level = {{SAM_LEVEL_COMPRESSED, SIZE, seg0, crd, 2, SIZE},
                                          {SAM_LEVEL_COMPRESSED, SIZE, seg1, crd, SIZE + 1, SIZE * SIZE}},
                                .vals = vals,
                                .n_vals = SIZE * SIZE};
    sam_sim_result r;
    double begin = seconds_now();
    assert_true(sam_simulate(&g, operands, 2, NULL, &f->diag, &r));
    double rate = (double)r.cycles / (seconds_now() - begin);
    print_message("matmul_ijk %d: %llu cycles, %.1f Mcycle/s\n", SIZE, (unsigned long long)r.cycles,
                  rate / 1e6);
    assert_in_range(r.cycles, SIZE * SIZE * SIZE, SIZE * SIZE * (SIZE + 3));
    assert_int_equal(r.result.n_vals, SIZE * SIZE);
}

RUN_TESTS(TEST(kernels_agree_with_dense_loops), TEST(removing_broadcasts_changes_neither_result_nor_cycles),
          TEST(chains_of_broadcasts_are_removed), TEST(binary_trees_equal_wide_joiners),
          TEST(binary_trees_are_balanced), TEST(wide_joiners_may_feed_wide_joiners),
          TEST(malformed_operands_are_refused), TEST(what_cannot_be_simulated_is_refused),
          TEST(full_inner_products_take_a_cycle_a_pair))
