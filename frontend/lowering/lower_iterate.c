/* lower_iterate.c - one loop of a statement: scanners, joiners, repeaters.
 *
 *   - An operand that the loop's variable indexes gets a scanner of its next level.
 *   - The operands' coordinate streams meet as the coordinate algebra says (sam_unites): products and
 * quotients of integers intersect, sums, differences and other quotients unite. A joiner carries the
 * references of all operands below it, so a nested joiner passes several (coordinate, reference) pairs with
 * the same coordinates. A coordinate that a product lacks as a whole comes out of the union around it with
 * the empty token for each of the product's operands, so inside (B + C) * D the coordinates of B alone are
 * gone.
 *   - Factors that are all dense along the loop are scanned side by side: the first one's coordinates are
 * everybody's.
 *   - A factor that is located at the others' coordinates (locate.c) is not scanned and takes no part in the
 * joiner: the joined coordinates are its references.
 *   - An operand that the variable does not index is repeated for each joined coordinate. Where it belongs to
 *     one term of a union, and would go on to iterate further inside where the term is absent, it is repeated
 *     by the coordinates of its term, before the union.
 *
 * Invariant after the loop: the reference streams of all operands of the scope, and the coordinate stream,
 * have the same shape (a token for each point, the same stops). So inside all loops the values combine point
 * by point.
 */
#include "frontend/language/statement.h"
#include "frontend/lowering/lower_int.h"
#include "sam/coordinates.h"

typedef struct {
    uint32_t leaf;
    stream ref;
} leaf_stream;

/* Coordinates of one loop with the references of the operands passed so far. */
typedef struct {
    bool universe; /* no operand is indexed by the loop's variable */
    stream crd;
    VEC(leaf_stream) refs;
} joined;

typedef VEC(joined) joined_vec;

static joined join_leaf(lowering *w, sam_expr access, sam_var v) {
    if (!fe_has_index(w->s, access, v))
        return (joined){.universe = true};
    const sam_expr_data *x = sam_expr_at(w->s, access);
    const sam_tensor_data *t = sam_tensor_at(w->s, x->tensor);
    uint32_t number = w->leaves.number[access.v - 1], level = fe_level_of(w->s, access, v);
    sam_node n = lower_add_loop_node(w, SAM_FIBERLOOKUP, v, x->loc);
    sam_node_data *node = sam_node_at(w->g, n);
    node->tensor = t->name;
    node->mode = t->mode[level];
    node->format = t->level[level];
    if (node->format != SAM_LEVEL_DENSE && sam_level_is_whole(t, level))
        vec_push(w->g->mem, &node->extra,
                 ((sam_attribute){names_intern(w->g->names, "whole"), names_intern(w->g->names, "true")}));
    for (uint32_t l = level + 1; node->format == SAM_LEVEL_COMPRESSED && l < t->order &&
                                 (x->scans.singles & fe_bit(x->index[t->mode[l]]));
         l++)
        node->depth++;
    lower_feed(w, w->refs[number], n, 0, SAM_STREAM_REF);
    joined j = {.crd = lower_out(n, 0)};
    vec_push(w->mem, &j.refs, (leaf_stream){number, lower_out(n, 1)});
    return j;
}

/* Returns whether all streams are scans of bit maps; or, of `runs`, of blocks and runs. */
static bool are_words(const lowering *w, sam_var v, const fe_exprs *terms, const joined_vec *streams,
                      bool runs) {
    bool all = streams->len > 1;
    for (uint32_t i = 0; i < streams->len; i++) {
        const sam_expr_data *x = sam_expr_at(w->s, terms->at[i]);
        const sam_node_data *node = sam_node_at(w->g, streams->at[i].crd.node);
        all = all && x->kind == SAM_EXPR_ACCESS &&
              ((runs ? x->scans.blocks | x->scans.runs : x->scans.bits) & fe_bit(v)) &&
              streams->at[i].refs.len == 1 && node->kind == SAM_FIBERLOOKUP &&
              node->format == SAM_LEVEL_COMPRESSED;
    }
    return all;
}

/* Adds one joiner over all streams, of bit maps, or of blocks and runs, a joiner of words; a single stream
 * needs none. */
static joined add_joiner(lowering *w, bool unites, sam_var v, const fe_exprs *terms,
                         const joined_vec *streams, src_loc loc) {
    if (streams->len == 1)
        return streams->at[0];
    const bool runs = are_words(w, v, terms, streams, true),
               bits = runs || are_words(w, v, terms, streams, false);
    const sam_stream crd = bits ? SAM_STREAM_BV : SAM_STREAM_CRD;
    for (uint32_t i = 0; bits && i < streams->len; i++) {
        sam_node_data *scan = sam_node_at(w->g, streams->at[i].crd.node);
        scan->kind = SAM_BVLOOKUP;
        scan->depth = 0;
        if (runs)
            scan->words =
                sam_expr_at(w->s, terms->at[i])->scans.blocks & fe_bit(v) ? SAM_WORDS_BLOCKS : SAM_WORDS_RUNS;
    }
    sam_node n = lower_add_loop_node(
        w, unites ? (bits ? SAM_BVUNION : SAM_UNION) : (bits ? SAM_BVINTERSECT : SAM_INTERSECT), v, loc);
    sam_node_at(w->g, n)->words = runs ? SAM_WORDS_RUNS : SAM_WORDS_BITS;
    joined j = {.crd = lower_out(n, 0)};
    for (uint32_t i = 0; i < streams->len; i++) {
        const joined *in = &streams->at[i];
        for (uint32_t r = 0; r < in->refs.len; r++) {
            uint8_t pair = (uint8_t)j.refs.len;
            lower_feed(w, in->crd, n, (uint8_t)(2 * pair), crd);
            lower_feed(w, in->refs.at[r].ref, n, (uint8_t)(2 * pair + 1), SAM_STREAM_REF);
            vec_push(w->mem, &j.refs, (leaf_stream){in->refs.at[r].leaf, lower_out(n, (uint8_t)(pair + 1))});
        }
    }
    return j;
}

/* ---- repeaters ------------------------------------------------------------------------------- */

static bool has_leaf(const joined *j, uint32_t leaf) {
    for (uint32_t i = 0; i < j->refs.len; i++) {
        if (j->refs.at[i].leaf == leaf)
            return true;
    }
    return false;
}

/* Adds the missing operands under e to j, each repeated for each coordinate of j; for a `term` only operands
 * that must not wait for the union around. They share one signal. */
static void repeat_others(lowering *w, sam_expr e, sam_expr term, sam_var v, joined *j, sam_node *signal) {
    const sam_expr_data *x = sam_expr_at(w->s, e);
    if (x->a.v)
        repeat_others(w, x->a, term, v, j, signal);
    if (x->b.v)
        repeat_others(w, x->b, term, v, j, signal);
    if (x->kind != SAM_EXPR_ACCESS)
        return;
    uint32_t leaf = w->leaves.number[e.v - 1];
    if (has_leaf(j, leaf) || (term.v && !fe_repeats_inside(&w->leaves, term, e, v)))
        return;
    if (!signal->v) {
        *signal = lower_add_loop_node(w, SAM_REPSIGGEN, v, sam_var_at(w->s, v)->loc);
        lower_feed(w, j->crd, *signal, 0, SAM_STREAM_CRD);
    }
    sam_node n = lower_add_loop_node(w, SAM_REPEAT, v, x->loc);
    sam_node_at(w->g, n)->tensor = sam_tensor_at(w->s, x->tensor)->name;
    lower_feed(w, w->refs[leaf], n, 0, SAM_STREAM_REF);
    lower_feed(w, lower_out(*signal, 0), n, 1, SAM_STREAM_REPSIG);
    vec_push(w->mem, &j->refs, (leaf_stream){leaf, lower_out(n, 0)});
}

/* ---- joiners --------------------------------------------------------------------------------- */

/* Lets an intersecter ask the scanner of an operand for leaps, where the access wants them, or any access is
 * of a level in spans: an edge back from the output behind the references. The scanner feeds nobody else. */
static void leap(lowering *w, sam_var v, const fe_exprs *terms, const joined_vec *streams, sam_node joiner) {
    uint32_t pairs = 0, pair = 0;
    uint64_t spans = 0;
    for (uint32_t i = 0; i < streams->len; i++) {
        pairs += streams->at[i].refs.len;
        spans |= sam_expr_at(w->s, terms->at[i])->scans.spans;
    }
    for (uint32_t i = 0; i < streams->len; pair += streams->at[i++].refs.len) {
        const sam_expr_data *x = sam_expr_at(w->s, terms->at[i]);
        if (x->kind == SAM_EXPR_ACCESS && streams->at[i].refs.len == 1 &&
            ((x->leapt | spans) >> (v.v - 1) & 1))
            lower_feed(w, lower_out(joiner, (uint8_t)(1 + pairs + pair)), streams->at[i].crd.node, 1,
                       SAM_STREAM_SKIP);
    }
}

static bool is_located(const sam_statement *s, sam_expr e, sam_var v) {
    const sam_expr_data *x = sam_expr_at(s, e);
    return x->kind == SAM_EXPR_ACCESS && (x->located >> (v.v - 1) & 1);
}

static bool is_aligned(const sam_statement *s, sam_expr e, sam_var v) {
    const sam_expr_data *x = sam_expr_at(s, e);
    return x->kind == SAM_EXPR_ACCESS && (x->aligned >> (v.v - 1) & 1);
}

/* Returns whether a table is looked up at the coordinates of other factors. */
static bool is_probed(const sam_statement *s, sam_expr e, sam_var v) {
    const sam_expr_data *x = sam_expr_at(s, e);
    return x->kind == SAM_EXPR_ACCESS && (x->scans.tables >> (v.v - 1) & 1) && fe_has_index(s, e, v) &&
           sam_tensor_at(s, x->tensor)->level[fe_level_of(s, e, v)] == SAM_LEVEL_COMPRESSED;
}

/* Looks a table up at the coordinates of *j: those without an entry are gone from all its streams, each of
 * which passes a locator. */
static void probe(lowering *w, sam_expr access, sam_var v, joined *j) {
    const sam_expr_data *x = sam_expr_at(w->s, access);
    const sam_tensor_data *t = sam_tensor_at(w->s, x->tensor);
    const uint32_t number = w->leaves.number[access.v - 1], level = fe_level_of(w->s, access, v);
    const stream crd = j->crd;
    for (uint32_t r = 0; r < j->refs.len; r++) {
        const sam_node n = lower_add_loop_node(w, SAM_LOCATE, v, x->loc);
        sam_node_data *node = sam_node_at(w->g, n);
        node->tensor = t->name;
        node->mode = t->mode[level];
        node->format = t->level[level];
        lower_feed(w, w->refs[number], n, 0, SAM_STREAM_REF);
        lower_feed(w, crd, n, 1, SAM_STREAM_CRD);
        lower_feed(w, j->refs.at[r].ref, n, 2, SAM_STREAM_REF);
        j->refs.at[r].ref = lower_out(n, 1);
        j->crd = lower_out(n, 0);
    }
    vec_push(w->mem, &j->refs, (leaf_stream){number, lower_out(j->crd.node, 2)});
}

static joined join_expr(lowering *w, sam_expr e, sam_var v) {
    const sam_expr_data *x = sam_expr_at(w->s, e);
    if (x->kind == SAM_EXPR_ACCESS)
        return join_leaf(w, e, v);
    if (x->kind == SAM_EXPR_LITERAL)
        return (joined){.universe = true};
    if (!x->b.v) /* a sign, a sum or a function has a single operand */
        return join_expr(w, x->a, v);
    fe_exprs operands = {0}, terms = {0};
    fe_chain_operands(w->s, e, w->mem, &operands);
    joined_vec streams = {0};
    fe_exprs located = {0}, probed = {0};
    const bool unites = sam_unites(w->s, e, NULL);
    for (uint32_t i = 0; i < operands.len; i++) {
        const bool looks = !unites && is_probed(w->s, operands.at[i], v);
        if (looks || is_located(w->s, operands.at[i], v)) {
            vec_push(w->mem, looks ? &probed : &located, operands.at[i]);
            continue;
        }
        joined j = join_expr(w, operands.at[i], v);
        if (j.universe)
            continue;
        vec_push(w->mem, &streams, j);
        vec_push(w->mem, &terms, operands.at[i]);
    }
    for (uint32_t first = probed.len; !streams.len && first; first = 0) { /* some factor is scanned */
        probed.len--;
        vec_push(w->mem, &streams, join_leaf(w, probed.at[probed.len], v));
        vec_push(w->mem, &terms, probed.at[probed.len]);
    }
    if (!streams.len)
        return (joined){.universe = true};
    for (uint32_t i = streams.len; i-- > 1 && is_aligned(w->s, terms.at[i], v);) {
        vec_push(w->mem, &streams.at[0].refs, streams.at[i].refs.at[0]);
        streams.len--;
    }
    for (uint32_t i = 0; unites && streams.len > 1 && i < streams.len; i++)
        repeat_others(w, terms.at[i], terms.at[i], v, &streams.at[i], &(sam_node){0});
    joined j = add_joiner(w, unites, v, &terms, &streams, x->loc);
    if (sam_node_at(w->g, j.crd.node)->kind == SAM_INTERSECT && streams.len > 1)
        leap(w, v, &terms, &streams, j.crd.node);
    for (uint32_t i = 0; i < probed.len; i++)
        probe(w, probed.at[i], v, &j);
    for (uint32_t i = 0; i < located.len; i++) {
        const stream at = {.node = j.crd.node, .port = j.crd.port, .located = true};
        vec_push(w->mem, &j.refs, (leaf_stream){w->leaves.number[located.at[i].v - 1], at});
    }
    return j;
}

bool lower_loop(lowering *w, sam_expr body, sam_var v, fe_presence *presence, loops *done) {
    fe_domain domain = fe_domain_of(&w->leaves, presence, body, v);
    if (domain.bad.v || domain.universe) {
        diag_unmappable(w->d, sam_expr_at(w->s, domain.bad.v ? domain.bad : body)->loc, "E0130-statement",
                        "loop '%s' lacks an operand that has all its coordinates", fe_var_text(w->s, v));
        return diag_hint(w->d, "compute this part by itself, with precompute of a schedule or in a program");
    }
    *presence = fe_presence_inside(&w->leaves, presence, body, v, w->mem);
    joined j = join_expr(w, body, v);
    repeat_others(w, body, (sam_expr){0}, v, &j, &(sam_node){0});
    for (uint32_t i = 0; i < j.refs.len; i++)
        w->refs[j.refs.at[i].leaf] = j.refs.at[i].ref;
    sam_level_format level = sam_result_level(w->s, v);
    vec_push(w->mem, done,
             (loop){.var = v,
                    .in_result = level != SAM_LEVEL_NONE,
                    .dense = level == SAM_LEVEL_DENSE,
                    .crd = j.crd,
                    .may_be_empty = !domain.nonempty,
                    .full = domain.full});
    return true;
}
