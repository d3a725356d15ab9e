/* Rules 6 and 7: whether words have arrived where they are taken.
 *
 * What belongs together nobody can tell from a bitstream, but a word that no load, constant or memory's
 * contents gave belongs to nothing. The run is made on marks: 1 is a word that was given, 0 another; a result
 * is given where all words that it depends on are. A schedule or a register too many or too few then shows at
 * the ends of a stream.
 */
#include "boards/onyx/fabric.h"
#include "dense/check_int.h"
#include "dense/load.h"
#include "dense/run.h"

enum { RULE_ARRIVAL = 6, RULE_LATE = 7, GLB_WORDS = DENSE_GLB_BYTES / 2, MOST_TRIALS = 48 };

typedef struct {
    const dense_design *design;
    const dense_streams *streams;
    dense_array array;
    uint32_t *source; /* of a value: its node */
    bool *sums;       /* by IO column: a memory adds the stored words up, and gives partial sums before */
    diagnostics *d;
    arena *mem;
} arrivals;

/* ---- the array on marks ------------------------------------------------------------------------ */

/* Finds the node behind a bit, through registers; NULL: a constant. */
static const dense_node *behind_bit(const arrivals *a, uint32_t value) {
    const dense_node *n = value > 1 ? &a->array.nodes.at[a->source[value]] : NULL;
    for (uint32_t steps = a->array.nodes.len; n && n->kind == DENSE_NODE_REGISTER && steps; steps--)
        n = n->in[0] > 1 ? &a->array.nodes.at[a->source[n->in[0]]] : NULL;
    return n;
}

/* Marks are taken of wires that carry words, or bits made of words by other PEs. */
static bool carries_mark(const arrivals *a, const dense_node *n, uint32_t k) {
    const dense_instruction *of = n->config;
    const dense_node *from = k < 3 ? NULL : behind_bit(a, n->in[k]);
    return (of->mode[k] == DENSE_BYPASS || of->mode[k] == DENSE_DELAY) &&
           (k < 3 || (from && (from->kind == DENSE_NODE_PE || from->kind == DENSE_NODE_ALL)));
}

static const dense_all *mark_instruction(const arrivals *a, const dense_node *n) {
    const dense_instruction *of = n->config;
    dense_all *all = arena_new(a->mem, dense_all);
    all->pe = *of;
    for (uint32_t k = 0; k < DENSE_OPERANDS; k++) {
        if (!carries_mark(a, n, k))
            continue;
        all->of[0] |= (uint8_t)(dense_word_reads(of, k) << k);
        all->of[1] |= (uint8_t)(dense_bit_reads(of, k) << k);
    }
    return all;
}

/* A constant is a word that was given. */
static void mark_constants(dense_node *n) {
    static const uint32_t words[] = {
        [DENSE_NODE_REGISTER] = 0, [DENSE_NODE_PE] = 3,    [DENSE_NODE_ALL] = 3,
        [DENSE_NODE_POND] = 2,     [DENSE_NODE_UB] = 4,    [DENSE_NODE_RAM] = 2,
        [DENSE_NODE_VALID] = 0,    [DENSE_NODE_INPUT] = 0, [DENSE_NODE_OUTPUT] = 1};
    for (uint32_t k = 0; k < words[n->kind]; k++)
        n->in[k] = n->in[k] ? n->in[k] : 1;
}

/* All words of a memory's contents are given; of a ROM where its address, 1, is. */
static const uint16_t *mark_contents(const dense_node *n, arena *mem) {
    uint16_t *words = n->contents ? arena_new_n(mem, uint16_t, DENSE_LINES * DENSE_LANES) : NULL;
    for (uint32_t i = n->kind == DENSE_NODE_RAM; words && i < DENSE_LINES * DENSE_LANES; i++)
        words[i] = 1;
    return words;
}

static void mark_array(arrivals *a) {
    a->source = arena_new_n(a->mem, uint32_t, a->array.values);
    for (uint32_t i = 0; i < a->array.nodes.len; i++) {
        for (uint32_t o = 0; o < DENSE_OUTS; o++)
            a->source[a->array.nodes.at[i].out[o]] = i;
    }
    for (uint32_t i = 0; i < a->array.nodes.len; i++) {
        dense_node *n = &a->array.nodes.at[i];
        n->contents = mark_contents(n, a->mem);
        mark_constants(n);
        if (n->kind != DENSE_NODE_PE)
            continue;
        n->kind = DENSE_NODE_ALL;
        n->config = mark_instruction(a, n);
    }
}

/* ---- upstream of a store ----------------------------------------------------------------------- */

/* Marks the nodes that the words stored from an IO column depend on. */
static uint8_t *upstream_of(const arrivals *a, uint32_t column) {
    uint8_t *seen = arena_new_n(a->mem, uint8_t, a->array.nodes.len + 1);
    u32_vec next = {0};
    vec_push(a->mem, &next, dense_io_node(&a->array, DENSE_NODE_OUTPUT, column));
    while (next.len) {
        const uint32_t i = next.at[--next.len];
        if (seen[i])
            continue;
        seen[i] = 1;
        for (uint32_t k = 0; k < DENSE_INS; k++) {
            if (a->array.nodes.at[i].in[k] > 1)
                vec_push(a->mem, &next, a->source[a->array.nodes.at[i].in[k]]);
        }
    }
    return seen;
}

static bool adds_up(const dense_node *n) {
    const dense_ub *ub = n->config;
    return n->kind == DENSE_NODE_POND || (n->kind == DENSE_NODE_RAM && n->in[3]) ||
           (n->kind == DENSE_NODE_UB && ((ub->mode[0] | ub->mode[1]) & 2));
}

/* Finds the columns whose stored words depend on a memory that adds up: downstream until nothing is added. */
static void find_sums(arrivals *a) {
    const uint32_t n = a->array.nodes.len;
    bool *sums = arena_new_n(a->mem, bool, n + 1);
    a->sums = arena_new_n(a->mem, bool, a->design->board->width);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < n; i++) {
            const dense_node *node = &a->array.nodes.at[i];
            bool is = adds_up(node);
            for (uint32_t k = 0; k < DENSE_INS; k++)
                is = is || (node->in[k] > 1 && sums[a->source[node->in[k]]]);
            more = more || is != sums[i];
            sums[i] = is;
            if (node->kind == DENSE_NODE_OUTPUT)
                a->sums[node->x] = is;
        }
    }
}

/* ---- a run ------------------------------------------------------------------------------------- */

typedef struct {
    uint32_t words;        /* stored, of words that nobody gave */
    uint32_t column, word; /* the first one of them */
    bool outside; /* a result of given words left before the first word of a store, or behind its last */
    uint32_t outside_column;
    bool ended;
} missing;

static void count_missing(const dense_ran_stream *s, const uint16_t *memory, missing *out) {
    arena scratch = {0};
    bool gap = false;
    const dense_events all = dense_events_of(&s->stream.g, &scratch, &gap);
    for (uint32_t i = 0; i < s->state.words && i < all.len; i++) {
        if (memory[all.at[i].address[0] / 2 % GLB_WORDS])
            continue;
        if (!out->words++) {
            out->column = s->stream.column;
            out->word = i;
        }
    }
    arena_free(&scratch);
}

/* A store takes the first result of given words, and the last. A valid bit behind is rule 16's. */
static void find_outside(const arrivals *a, const dense_ran_stream *s, missing *out) {
    enum { VALID = 1 << 16 };
    const bool before = s->before && s->before < VALID, behind = s->behind && s->behind < VALID;
    if (!(before || behind) || a->sums[s->stream.column])
        return;
    out->outside = true;
    out->outside_column = s->stream.column;
}

static missing run_marks(const arrivals *a) {
    missing out = {0};
    arena scratch = {0};
    diagnostics quiet;
    dense_outcome ran;
    diag_init(&quiet, &scratch);
    uint16_t *memory = arena_new_n(&scratch, uint16_t, GLB_WORDS);
    for (uint32_t i = 0; i < GLB_WORDS; i++)
        memory[i] = 1;
    if (dense_run_array(&a->array, a->streams, memory, NULL, &quiet, &ran)) {
        out.ended = ran.done;
        for (uint32_t i = 0; i < ran.streams.len; i++) {
            if (!ran.streams.at[i].stream.store)
                continue;
            count_missing(&ran.streams.at[i], memory, &out);
            find_outside(a, &ran.streams.at[i], &out);
        }
    }
    arena_free(&scratch);
    return out;
}

/* ---- late rows --------------------------------------------------------------------------------- */

/* Configurations of units begin with their generators. */
static uint32_t generators_of(dense_node_kind kind, size_t *bytes) {
    *bytes = kind == DENSE_NODE_UB     ? sizeof(dense_ub)
             : kind == DENSE_NODE_POND ? sizeof(dense_pond)
                                       : sizeof(dense_generator);
    return kind == DENSE_NODE_UB ? 6 : kind == DENSE_NODE_POND ? 4 : kind == DENSE_NODE_VALID;
}
_Static_assert(offsetof(dense_ub, padding) >= 6 * sizeof(dense_generator), "six generators of a buffer");
_Static_assert(sizeof(dense_pond) == 4 * sizeof(dense_generator), "four generators of a Pond");

/* Gives a node a configuration of its own, with all schedules moved; false if it has none. */
static bool move_node(dense_node *n, int32_t by, arena *mem) {
    size_t bytes;
    const uint32_t generators = generators_of(n->kind, &bytes);
    dense_generator *g = generators ? arena_alloc(mem, bytes) : NULL;
    if (g)
        memcpy(g, n->config, bytes);
    for (uint32_t i = 0; i < generators; i++)
        g[i].at.start += g[i].enable ? (uint32_t)by : 0;
    n->config = g ? g : n->config;
    return g != NULL;
}

/* Finds a late tile whose schedules a cycle earlier leave no word missing, or fewer. */
static const dense_node *find_late(arrivals *a, const missing *now) {
    const uint8_t *upstream = upstream_of(a, now->column);
    uint32_t trials = 0;
    for (uint32_t i = 0; i < a->array.nodes.len && trials < MOST_TRIALS; i++) {
        dense_node *n = &a->array.nodes.at[i];
        const dense_node before = *n;
        if (!upstream[i] || n->y <= ONYX_NEAR_ROWS || !move_node(n, -1, a->mem))
            continue;
        trials++;
        const missing then = run_marks(a);
        *n = before;
        if (then.ended && then.words < now->words)
            return n;
    }
    return NULL;
}

/* ---- all --------------------------------------------------------------------------------------- */

/* A select may leave a word unread, so that a program with such a word may be right: warnings. */
static void report(arrivals *a, const missing *m) {
    const dense_node *late = find_late(a, m);
    if (late)
        dense_warn(a->d, dense_tile_at(a->design, late->x, late->y), RULE_LATE,
                   "schedules are not a cycle less than in rows that see the flush at once");
    else
        dense_warn(a->d, dense_tile_at(a->design, m->column, 0), RULE_ARRIVAL,
                   arena_printf(a->mem, "word %u of the store comes of a word that nobody gave", m->word));
}

void dense_check_arrivals(const dense_design *design, const dense_streams *streams, diagnostics *d) {
    arena scratch = {0};
    diagnostics quiet;
    diag_init(&quiet, &scratch);
    arrivals a = {.design = design, .streams = streams, .d = d, .mem = &scratch};
    if (dense_load(design, &quiet, &a.array)) {
        mark_array(&a);
        find_sums(&a);
        const missing m = run_marks(&a);
        if (m.words)
            report(&a, &m);
        else if (m.outside)
            dense_warn(d, dense_tile_at(design, m.outside_column, 0), RULE_ARRIVAL,
                       "before the first word of the store, or behind its last, another result of given "
                       "words leaves");
    }
    arena_free(&scratch);
}
