/* Decides between one kernel and several by the chip's predicted time: a loop over the candidates
 * (candidates.def), each taken if its gain is large enough. */
#include "autoschedule/choose_by_data.h"
#include "autoschedule/choose_dense.h"
#include "autoschedule/contract.h"
#include "frontend/language/language.h"
#include "frontend/lowering/lowering.h"
#include "frontend/schedules/schedules.h"
#include "kernel/edges.h"
#include "kernel/lower.h"
#include "sam/operators.h"

#include <math.h>

/* A program during the trials of its candidates. */
typedef struct {
    compile_trying *c;
    const compile_search_in *by, *all; /* by a sample of the operands; by all operands */
    const fe_kernel *kernel, *user;    /* the program before the candidates; the user's statement as written,
                                        * or NULL */
    bool open;                         /* a single kernel without options of its own */
    bool ordered;                      /* a single kernel, whose loops a schedule orders */
    bool mapped;                       /* the chip runs some order of the loops */
    bool unsaid;                       /* no edges and no schedule */
    double least;                      /* the program's predicted time */
    compile_schedule *out;
    /* About the current candidate: */
    const char *what;
    double worth, cycles; /* predicted; INFINITY: the trial ended before a prediction */
    double before;        /* the program's predicted time without the candidate */
    bool refused;         /* the chip cannot run the candidate */
    bool absent;          /* the program of the earlier candidates has no such form */
    bool taken;
} deciding;

/* Keeps dense operands that -f can express: the user's operands. */
static void keep_users(compile_schedule *s, arena *mem) {
    text_vec said = {0};
    for (uint32_t i = 0; i < s->dense.len; i++) {
        const char *text = s->dense.at[i];
        const name_id name =
            names_intern_n(s->cin.kernels.at[0].s.names, text, (uint32_t)strcspn(text, ":("));
        if (!compile_is_written(&s->cin, name))
            vec_push(mem, &said, text);
    }
    s->dense = said;
}

/* Largest ratio at which several kernels in their written orders still are tried further: orders and dense
 * operands of their own save less. */
enum { HOPELESS = 4 };

/* Takes the form of the current candidate. */
static void take(deciding *s, const compile_schedule *form, double cycles) {
    *s->out = *form;
    s->least = s->cycles = cycles;
    s->taken = true;
}

/* Returns why the program has several kernels; `before`: predicted time of the program before, INFINITY if
 * its only kernel does not fit or nothing can be predicted. */
static const char *say_several(arena *mem, uint32_t n, const char *how, double cycles, double before,
                               uint32_t kernels) {
    return arena_printf(mem, "%u kernels, %s: %.0f cycles predicted, %s", n, how, cycles,
                        isfinite(before)
                            ? arena_printf(mem, "%.0f %s", before, kernels > 1 ? "otherwise" : "as one")
                            : "and as one nothing can be predicted");
}

/* Takes several kernels, described by `how`, if the predicted time is below the program's. */
static void take_several(deciding *s, const char *how, compile_schedule *several) {
    arena *mem = s->c->ctx->mem;
    compile_trying again = *s->c;
    again.written = true;
    if (!compile_choose_orders(&again, &several->cin, &several->chosen) ||
        (isfinite(s->least) && compile_expect_below(s->by, again.ctx, &several->cin, COMPILE_ORDERS_SHARE,
                                                    HOPELESS * s->least) > HOPELESS * s->least))
        return;
    const double cycles = s->cycles = compile_choose_each(&again, s->by, several);
    if (!(cycles < s->worth * s->least))
        return;
    several->staged =
        say_several(mem, several->cin.kernels.len, how, cycles, s->least, s->out->cin.kernels.len);
    take(s, several, cycles);
    keep_users(s->out, mem);
}

/* Takes the kernels of a schedule, another form of the program, if the predicted time is below the program's.
 */
static void choose_several(deciding *s, const char *schedule) {
    compile_trying *c = s->c;
    compile_schedule *out = s->out;
    const fe_in with = compile_with_schedule(c->in->in, &schedule);
    compile_schedule other = {0};
    compile_trying again = *c;
    const bool masks = compile_masks_sum(&out->cin.kernels.at[0].s, out->cin.kernels.at[0].s.rhs);
    s->refused = !compile_schedule_maps(c, schedule);
    if (s->refused)
        return;
    const bool good = fe_schedule(&with, c->in->user, c->ctx->mem, c->ctx->diag, &other.cin) &&
                      compile_choose_orders(&again, &other.cin, &other.chosen);
    BUG_IF(!good, "'%s' was possible a moment ago", schedule);
    for (uint32_t n = 0; n < other.cin.kernels.len && masks; n++)
        compile_choose_loops_and_stores(&again, s->by, n, &other);
    const double several = compile_search_below(s->by, c->ctx, s->worth, s->least, &other);
    s->cycles = several;
    if (!isfinite(several))
        return;
    other.staged =
        say_several(c->ctx->mem, other.cin.kernels.len, arena_printf(c->ctx->mem, "-s \"%s\"", schedule),
                    several, s->least, out->cin.kernels.len);
    take(s, &other, several);
}

/* Takes the kernels of a schedule if the predicted time is below the program's. */
static void choose_scheduled(deciding *s, const char *schedule) {
    compile_trying *c = s->c;
    const fe_in with = compile_with_schedule(c->in->in, &schedule);
    compile_schedule other = {0};
    s->refused = !compile_schedule_maps(c, schedule) ||
                 !fe_schedule(&with, c->in->user, c->ctx->mem, c->ctx->diag, &other.cin);
    if (!s->refused)
        take_several(s, arena_printf(c->ctx->mem, "%s, -s \"%s\"", s->what, schedule), &other);
}

/* Predicts the time of another form of the user's statement, a single kernel, by all operands. Returns
 * whether the form is worth taking. */
static bool is_form_worth(deciding *s, const fe_kernel *form, compile_schedule *other) {
    vec_push(s->c->ctx->mem, &other->cin.kernels, *form);
    s->refused = !compile_choose_orders(s->c, &other->cin, &other->chosen);
    s->cycles = s->refused ? INFINITY : compile_choose_each(s->c, s->all, other);
    return s->cycles < s->worth * s->least;
}

/* Returns whether the array can run the kernel with sums of matrices, whose sub-tiles are small. */
static bool adds_matrices(compile_context *ctx, void *of) {
    const compile_one_kernel *one = of;
    compile_lowered lowered;
    bool adds = false;
    if (!compile_lower_sam(one->c->o, true, ctx, one->kernel, &lowered))
        return false;
    for (uint32_t n = 0; n < lowered.sam.nodes.len; n++)
        adds |= lowered.sam.nodes.at[n].kind == SAM_VECTORREDUCER && lowered.sam.nodes.at[n].depth > 1;
    return adds;
}

/* Returns whether a sum covers a subexpression only. */
static bool has_inner_sum(const sam_statement *s) {
    sam_expr body = s->rhs;
    while (sam_expr_at(s, body)->kind == SAM_EXPR_SUM)
        body = sam_expr_at(s, body)->a;
    return fe_has_sum(s, body);
}

/* ---- the candidates ----------------------------------------------------------------------------- */

static const char *find_columns(const deciding *s) {
    return s->open && s->mapped && !s->c->o->cutting.tile.all && compile_has_columns(s->c, &s->out->cin, 0)
               ? ""
               : NULL;
}
static void try_columns(deciding *s, const char *found) {
    (void)found;
    compile_choose_columns(s->c, s->by, 0, &s->least, s->out);
    s->taken = s->least < s->before;
    s->cycles = s->taken ? s->least : INFINITY;
}

static const char *find_phases(const deciding *s) {
    return s->open ? compile_phases_of(s->kernel, s->c->ctx->mem) : NULL;
}

static const char *find_partial(const deciding *s) {
    return s->open && compile_masks_sum(&s->kernel->s, s->kernel->s.rhs)
               ? fe_staged(s->kernel, FE_STAGE_PARTIAL_SUMS, s->c->ctx->mem)
               : NULL;
}

static const char *find_masked(const deciding *s) {
    fe_kernel unused;
    text_vec formats = {0};
    return s->user && compile_dense_below_masks(s->c, s->user, &unused, &formats) ? "with dense vectors"
                                                                                  : NULL;
}
/* A union with a compressed vector visits all of its coordinates below each coordinate of the mask. */
static void try_masked(deciding *s, const char *found) {
    compile_trying *c = s->c;
    compile_schedule other = {0};
    fe_kernel dense;
    (void)found;
    compile_dense_below_masks(c, s->user, &dense, &other.dense);
    if (!is_form_worth(s, &dense, &other))
        return;
    const char *how =
        arena_printf(c->ctx->mem, "vectors below a mask dense: %.0f cycles predicted, %.0f otherwise",
                     s->cycles, s->least);
    other.chosen.at[0] = compile_add_sentence(other.chosen.at[0], how, c->ctx->mem);
    take(s, &other, s->cycles);
}

static const char *find_contracted(const deciding *s) {
    return s->user ? compile_contraction(s->all->data, s->user, false, s->c->ctx->mem) : NULL;
}

static const char *find_another(const deciding *s) {
    return s->user ? compile_contraction(s->all->data, s->user, true, s->c->ctx->mem) : NULL;
}

/* A sum without some of the loops is computed again in each step of the loops. */
static const char *find_factors(const deciding *s) {
    return s->user && s->user->s.loops.len > 2 ? fe_staged(s->user, FE_STAGE_FACTORS, s->c->ctx->mem) : NULL;
}

static const char *find_scaled(const deciding *s) {
    const bool inner = s->open && s->user && has_inner_sum(&s->user->s);
    return s->user && s->user->s.loops.len > 2 && !inner ? fe_scaled(s->user, s->c->ctx->mem) : NULL;
}

static const char *find_matrices(const deciding *s) {
    compile_one_kernel as_one = {s->c, s->kernel};
    return s->ordered && s->mapped && compile_works(s->c, adds_matrices, &as_one)
               ? compile_find_staging(s->c, s->kernel)
               : NULL;
}

static const char *find_sums(const deciding *s) {
    compile_one_kernel as_one = {s->c, s->kernel};
    const bool whole = s->open && s->mapped && compile_works(s->c, compile_takes_whole_sums, &as_one);
    return whole || (s->open && s->user && has_inner_sum(&s->user->s)) ? "with the sums apart" : NULL;
}
/* Gives every sum inside of the expression a kernel if the predicted time is below the program's. Sub-tiles
 * then cut the loops of the sums; a single kernel must keep some loops whole, and each of its runs makes a
 * small region of the result. The best order of a sum's loops may also be a bad order for its neighbours. */
static void try_sums(deciding *s, const char *found) {
    compile_schedule other = {.dense = s->out->dense};
    if (s->out->cin.kernels.len != 1)
        return;
    s->refused = !fe_stage_subexprs(&s->out->cin.kernels.at[0], FE_STAGED_SUMS, s->c->ctx->mem, &other.cin);
    if (!s->refused)
        take_several(s, found, &other);
}

static const char *find_fused(const deciding *s) {
    return s->unsaid && !s->c->o->cutting.tile.all && s->user && fe_stand_together(s->user) &&
                   s->c->o->copies.dispatch != TILE_DISPATCH_BANKS
               ? ""
               : NULL;
}
/* Fuses loops of the user's statement whose variables stand together, if the predicted time is below the
 * program's. */
static void try_fused(deciding *s, const char *found) {
    compile_trying *c = s->c;
    compile_schedule other = {0};
    fe_kernel fused;
    const char *how = compile_fuse_loops(c, s->all, s->user, &fused);
    (void)found;
    s->refused = !how;
    if (!how)
        return;
    if (!is_form_worth(s, &fused, &other))
        return;
    compile_say_fused(how, s->cycles, s->least, c->ctx->mem, &other.chosen.at[0]);
    take(s, &other, s->cycles);
}

static const char *find_streams(const deciding *s) {
    const bool open = s->unsaid && s->user && compile_copies_open(s->c->o);
    return open && !pnr_board_extended(s->c->in->board) ? "with dense outer levels" : NULL;
}
/* Stores the operand of kernel n dense along its outermost level whose predicted time is the least, of those
 * that leave load streams to another copy. Returns whether the predicted time falls enough. */
static bool free_streams(deciding *s, uint32_t n) {
    compile_trying *c = s->c;
    arena *mem = c->ctx->mem;
    const sam_statement *st = &s->out->cin.kernels.at[n].s;
    compile_schedule best = *s->out;
    const sam_tensor_data *dense = NULL;
    double least = s->worth * s->least, tried = INFINITY;
    for (uint32_t e = 1; e <= st->exprs.len && !s->out->cin.kernels.at[n].on_host; e++) {
        compile_schedule other = *s->out;
        fe_kernel kernel;
        if (!compile_free_streams(c, &s->out->cin, n, (sam_expr){e}, &kernel))
            continue;
        s->absent = false;
        other.cin = compile_with_kernel(&s->out->cin, n, &kernel, mem);
        /* Without a bound: squares of dense levels are far from the best edges. */
        const double cycles = compile_search(s->all, c->ctx, &other.cin, &other.tilings);
        tried = fmin(tried, cycles);
        if (!(cycles < least))
            continue;
        least = cycles;
        best = other;
        dense = sam_tensor_at(&kernel.s, sam_expr_at(st, (sam_expr){e})->tensor);
    }
    if (!dense) {
        s->cycles = s->taken ? s->cycles : fmin(s->cycles, tried);
        return false;
    }
    const char *name = names_text(st->names, dense->name);
    const char *how = arena_printf(mem,
                                   "%s dense, so that more copies have streams: %.0f cycles predicted, "
                                   "%.0f compressed",
                                   name, least, s->least);
    best.chosen.at[n] = compile_add_sentence(best.chosen.at[n], how, mem);
    vec_push(mem, &best.dense, compile_format_text(dense, name, mem));
    take(s, &best, least);
    keep_users(s->out, mem);
    return true;
}
/* Tries kernels that have all copies with room, the only ones that more copies can make faster. Kernels
 * without a sentence are those of a program that does not map. */
static void try_streams(deciding *s, const char *found) {
    (void)found;
    compile_tilings tilings;
    s->absent = true; /* unless an operand frees streams */
    s->least = s->before = compile_search(s->all, s->c->ctx, &s->out->cin, &tilings);
    for (uint32_t n = 0; n < s->out->chosen.len && isfinite(s->least); n++) {
        while (tilings.at[n].full && free_streams(s, n))
            tilings = s->out->tilings;
    }
}

/* The operands that a search needs for a candidate: a sample of them, or all. */
typedef enum { SAMPLE, ALL } candidate_operands;

typedef struct {
    const char *name, *applies, *what, *by_hand;
    double worth;
    candidate_operands by;
    const char *(*find)(const deciding *s);
    void (*try)(deciding *s, const char *found);
} candidate_row;

static const candidate_row rows[] = {
#define CANDIDATE(name, try, by, worth, applies, what, by_hand)                                              \
    {#name, applies, what, by_hand, worth, by, find_##name, try},
#include "autoschedule/candidates.def"
#undef CANDIDATE
};
enum { ROWS = sizeof rows / sizeof *rows };

/* Tries a candidate, and records the outcome. */
static void try_row(deciding *s, const candidate_row *row, const char *found, compile_candidates *all) {
    s->what = row->what;
    s->worth = row->worth;
    s->cycles = INFINITY;
    s->before = s->least;
    s->refused = s->absent = s->taken = false;
    row->try(s, found);
    if (s->absent)
        return;
    const compile_candidate one = {row->name,    row->what,  strncmp(found, "with", 4) ? found : "",
                                   row->by_hand, s->refused, s->taken,
                                   s->cycles,    s->before};
    vec_push(s->c->ctx->mem, all, one);
}

/* Returns whether the statement reads the user's operands as stored, with extents equal to the loops': a
 * sample can then leave out the same blocks of coordinates in every operand. */
static bool can_sample(const sam_statement *s, const tile_operands *all) {
    uint64_t seen = 0;
    bool plain = s->tensors.len <= 64 && s->tensors.len <= all->n;
    for (uint32_t v = 0; v < s->vars.len; v++)
        plain = plain && !s->vars.at[v].extent && !s->vars.at[v].split_of.v;
    for (uint32_t e = 1; e <= s->exprs.len && plain; e++) {
        const sam_expr_data *x = sam_expr_at(s, (sam_expr){e});
        if (x->kind != SAM_EXPR_ACCESS)
            continue;
        const sam_tensor_data *t = sam_tensor_at(s, x->tensor);
        plain = !(seen >> (x->tensor.v - 1) & 1) && !t->view.source.v && !t->ones && !t->windowed &&
                name_eq(all->operand[x->tensor.v - 1].name, t->name);
        seen |= UINT64_C(1) << (x->tensor.v - 1);
        for (uint32_t m = 0; m < t->order; m++) {
            for (uint32_t before = 0; before < m; before++)
                plain = plain && x->index[before].v != x->index[m].v;
        }
    }
    return plain;
}

/* Makes a search by a sample of the operands, shared by all trials of the kernel; operands without a sample
 * stay whole. */
static void share_sample(const sam_statement *s, arena *mem, compile_data *data, compile_search_in *by) {
    double share;
    if (!can_sample(s, &data->operands) ||
        !tile_share_sample(s, &data->operands, mem, &data->operands, &share))
        return;
    by->data = data;
    by->fraction = share;
}

/* A kernel of the user's statement, and how far its variables run. */
typedef struct {
    compile_one_kernel one;
    const uint32_t *extent;
} sized_kernel;

/* Returns whether --tile states an edge, and so cuts the loop of a whole sum. */
static bool cuts_whole_sum(compile_context *ctx, void *of) {
    const sized_kernel *sized = of;
    const compile_trying *c = sized->one.c;
    compile_lowered lowered;
    if (!compile_lower_sam(c->o, true, ctx, sized->one.kernel, &lowered))
        return false;
    const tile_options edges = compile_tiling_of(c->o, c->in->board, &lowered);
    for (uint32_t v = 0; v < c->in->user->vars.len; v++) {
        if (lowered.statement.uncut >> v & 1 && edges.edge[v] && edges.edge[v] < sized->extent[v])
            return true;
    }
    return false;
}

/* Gives the sums inside of the expression kernels, whose sub-tiles cut their loops as the user says. */
static void choose_cut_sums(compile_trying *c, const compile_search_in *by, compile_schedule *out) {
    sized_kernel sized = {{c, &out->cin.kernels.at[0]}, by->data->extent};
    compile_schedule other = {0};
    if (!compile_works(c, cuts_whole_sum, &sized) ||
        !fe_stage_subexprs(&out->cin.kernels.at[0], FE_STAGED_SUMS, c->ctx->mem, &other.cin) ||
        !compile_choose_orders(c, &other.cin, &other.chosen))
        return;
    *out = other;
    out->staged = arena_printf(c->ctx->mem, "%u kernels, with the sums apart, whose loops --tile cuts",
                               other.cin.kernels.len);
}

/* Choices before all candidates: the order of the loops, and the dense operands. */
static void choose_form(deciding *s) {
    if (s->open && s->mapped)
        compile_choose_loops_and_stores(s->c, s->by, 0, s->out);
    else if (s->ordered && s->mapped)
        compile_choose_ordered_stores(s->c, s->all, s->out);
}

void compile_choose_by_data(const compile_search_in *given, compile_context *ctx, const compile_choosing *in,
                            compile_schedule *out) {
    compile_searched searched = {0};
    compile_search_in with = *given;
    with.searched = &searched;
    compile_trying c = {.o = with.options, .ctx = ctx, .in = in, .whole = &with.data->operands};
    if (with.options->cutting.tile.along.len && out->cin.kernels.len == 1 && !in->in->n_schedule &&
        out->chosen.len)
        choose_cut_sums(&c, &with, out);
    const bool single = out->cin.kernels.len == 1, edges = with.options->cutting.tile.along.len;
    compile_search_in sampled = with;
    /* A loop that is fused goes as far as it does for all operands. */
    compile_data data = {.operands = with.data->operands, .extent = with.data->extent};
    fe_cin written;
    deciding s = {.c = &c, .by = &sampled, .all = &with, .kernel = &out->cin.kernels.at[0], .out = out};
    s.unsaid = !edges && !in->in->n_schedule;
    s.open = single && s.unsaid;
    s.mapped = out->chosen.len;
    /* A schedule of reorder commands alone leaves the storage of operands open. */
    s.ordered = single && !edges && in->in->n_schedule && compile_loops_are_open(s.kernel);
    if (s.open && with.options->optimize < 3) /* -O3 has no bound */
        share_sample(&s.kernel->s, ctx->mem, &data, &sampled);
    c.crowded = with.options->copies.unroll > 1 && !compile_copies_open(with.options) &&
                !isfinite(compile_search(&sampled, ctx, &out->cin, &out->tilings));
    choose_form(&s);
    if (s.unsaid && fe_schedule(in->in, in->user, ctx->mem, ctx->diag, &written))
        s.user = &written.kernels.at[0];
    const char *found[ROWS];
    compile_candidates all = {0};
    bool any[] = {[SAMPLE] = !single, [ALL] = false};
    for (uint32_t i = 0; i < ROWS; i++) {
        found[i] = rows[i].find(&s);
        any[rows[i].by] = any[rows[i].by] || found[i];
    }
    if (!any[SAMPLE] && !any[ALL])
        return; /* compiling chooses the edges */
    s.by = any[SAMPLE] ? &sampled : &with;
    s.least = compile_search(s.by, ctx, &out->cin, &out->tilings);
    for (uint32_t i = 0; i < ROWS; i++) {
        if (found[i])
            try_row(&s, &rows[i], found[i], &all);
    }
    out->candidates = all;
    if (s.by->fraction > 0) /* edges by all operands: a sample of the sample says less */
        compile_search(&with, ctx, &out->cin, &out->tilings);
    if (!compile_edges_open(with.options) || (out->cin.kernels.len == 1 && pnr_board_extended(in->board)))
        out->tilings.len = 0; /* edges are stated, or chosen with shared store streams in compiling */
}

/* ---- another statement in place of the user's ---------------------------------------------------- */

/* Finds the operands of the statement among the data, by name. */
static tile_operands operands_of(compile_context *ctx, const sam_statement *s, const compile_data *data) {
    tile_tensor *all = arena_new_n(ctx->mem, tile_tensor, s->tensors.len);
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        for (uint32_t i = 0; i < data->operands.n; i++) {
            if (name_eq(data->operands.operand[i].name, s->tensors.at[t].name))
                all[t] = data->operands.operand[i];
        }
    }
    return (tile_operands){all, s->tensors.len, data->operands.dtype};
}

double compile_choose_instead(const compile_search_in *by, compile_context *ctx, const compile_choosing *in,
                              compile_schedule *out) {
    compile_data data = {.operands = operands_of(ctx, in->user, by->data)};
    compile_search_in own = *by;
    compile_tilings unused;
    own.data = &data;
    if (!tile_extents(in->user, &data.operands, ctx->mem, ctx->diag, &data.extent) ||
        !fe_schedule(in->in, in->user, ctx->mem, ctx->diag, &out->cin))
        return INFINITY;
    compile_choose(by->options, ctx, in, out);
    compile_choose_by_data(&own, ctx, in, out);
    if (out->cin.kernels.len != 1 || out->cin.kernels.at[0].on_host)
        return INFINITY;
    const double cycles = compile_search(&own, ctx, &out->cin, &unused);
    if (!out->tilings.len)
        out->tilings = unused;
    return cycles;
}

/* Returns whether a kernel reads operands of the user only. */
static bool reads_users(const sam_statement *s, const compile_data *data) {
    bool all = true;
    for (uint32_t t = 1; t <= s->tensors.len; t++)
        all = all && (t == s->result.v || s->tensors.at[t - 1].ones ||
                      tile_find_operand(&data->operands, s->tensors.at[t - 1].name));
    return all;
}

void compile_choose_host_overlap(const compile_search_in *by, compile_context *ctx,
                                 const compile_choosing *in, compile_schedule *out) {
    fe_in unsaid = *in->in;
    unsaid.n_schedule = 0;
    for (uint32_t n = 0; n < out->cin.kernels.len && out->chosen.len; n++) {
        fe_kernel *kernel = &out->cin.kernels.at[n];
        const compile_choosing own_kernel = {&unsaid, &kernel->s, in->board, NULL};
        compile_schedule own = {0};
        if (kernel->on_host || kernel->relations.len || kernel->tags.len ||
            !reads_users(&kernel->s, by->data) ||
            !isfinite(compile_choose_instead(by, ctx, &own_kernel, &own)))
            continue;
        *kernel = own.cin.kernels.at[0];
        out->chosen.at[n] = own.chosen.at[0];
    }
}
