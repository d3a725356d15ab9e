/* types.c - the type of a statement's values by its data: int16, bfloat16, or int16 with scales.
 *
 * Operands are read once, as numbers of double precision. The reference decides whether int16 holds the
 * results, unless a bound by the largest operands does. The references' errors against double precision
 * decide between bfloat16 and scales (scales.c).
 */
#include "compile/fallback.h"
#include "compile/scales.h"
#include "compile/singles.h"
#include "graphs/graphs.h"
#include "kernel/entries.h"
#include "kernel/operands.h"
#include "kernel/processor.h"
#include "kernel/selections.h"
#include "kernel/source.h"
#include "kernel/trial.h"
#include "kernel/words.h"
#include "sam/operators.h"
#include "support/trial.h"
#include "tiling/fills.h"

#include <math.h>
#include <stdlib.h>

/* ---- the data ---------------------------------------------------------------------------------- */

enum { LARGEST_WORD = INT16_MAX };

/* Adds the facts about an operand; sets *missing if no option gives the operand. */
static bool take_operand(typing *t, const sam_tensor_data *as, bool *missing) {
    const compile_options *o = t->o;
    const char *name = names_text(t->ctx->names, sam_user_name(as));
    const compile_source from = compile_source_of(o, name);
    const char *file = from.file;
    const tile_tensor *original = from.in_memory;
    value_facts f = {.name = sam_user_name(as)};
    for (uint32_t i = 0; i < t->facts.len; i++) {
        if (name_eq(t->facts.at[i].name, f.name))
            return true;
    }
    const bool generated = from.generator != NULL;
    if ((original != NULL) + (file != NULL) + generated != 1) { /* reading reports the mistake */
        *missing = true;
        return true;
    }
    const compile_file of = {file ? compile_operand_path(t->ctx, file, name) : NULL,
                             sam_source_order(as),
                             o->tensors.values,
                             {.name = as->name},
                             TILE_DTYPE_ORIGINAL};
    if (file && !(original = compile_read_once(t->ctx, &of)))
        return false;
    for (uint64_t e = 0; original && e < original->nnz; e++)
        typing_add_value(&f, original->original_only ? original->original[e]
                                                     : tile_to_double(o->tensors.dtype, original->val[e]));
    if (generated)
        typing_add_value(&f, 9); /* tile_generate makes such values */
    const char *scale = file ? tile_stated_scale(file, t->ctx->mem) : NULL;
    f.exact = scale ? atoi(scale) : f.exact;
    vec_push(t->ctx->mem, &t->facts, f);
    return true;
}

static bool take_operands(typing *t, bool *missing) {
    for (uint32_t i = 0; i < t->st.tensors.len; i++) {
        if (i + 1 != t->st.result.v && !t->st.tensors.at[i].ones &&
            !take_operand(t, &t->st.tensors.at[i], missing))
            return false;
    }
    return true;
}

/* ---- int16 ------------------------------------------------------------------------------------- */

/* Returns why int16 does not hold the operands, or NULL. */
static const char *operands_beyond(const typing *t) {
    for (uint32_t i = 0; i < t->facts.len; i++) {
        const value_facts *f = &t->facts.at[i];
        const uint64_t n = f->fractions ? f->fractions : f->beyond;
        if (n)
            return arena_printf(t->ctx->mem, "%llu of %llu %s of %s %s", (unsigned long long)n,
                                (unsigned long long)f->values, plural(f->values, "value", "values"),
                                names_text(t->ctx->names, f->name),
                                f->fractions ? plural(n, "is not whole", "are not whole")
                                             : plural(n, "is beyond 16 bits", "are beyond 16 bits"));
    }
    return NULL;
}

/* Returns whether an operation spreads its operands over more than 2^24 coordinates of indices that the other
 * operand lacks: the reference would keep a value for each coordinate. */
static bool spreads_far(const sam_statement *st, const uint32_t *extent, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(st, e);
    if ((x->a.v && spreads_far(st, extent, x->a)) || (x->b.v && spreads_far(st, extent, x->b)))
        return true;
    if (!x->b.v || x->kind == SAM_EXPR_MUL || sam_vars_of(st, x->a) == sam_vars_of(st, x->b))
        return false;
    const uint64_t all = sam_vars_of(st, e);
    double points = 1;
    for (uint32_t v = 0; v < st->vars.len; v++)
        points *= all >> v & 1 ? extent[v] : 1;
    return points > 1 << 24;
}

/* Returns whether the reference keeps few values. */
static bool is_small(const typing *t, const compile_options *o, const sam_statement *st) {
    arena scratch = {0};
    compile_context own = t->quiet;
    compile_data data = {0};
    own.mem = &scratch;
    const bool small = compile_read_operands(o, &own, st, &data) && !spreads_far(st, data.extent, st->rhs);
    arena_free(&scratch);
    return small;
}

/* Returns whether no word of an int16 result wraps; true if no reference is computed. */
static bool result_fits(const typing *t, const compile_options *o, const sam_statement *st) {
    arena scratch = {0};
    compile_context own = t->quiet;
    compile_data data = {0};
    verdict v;
    own.mem = &scratch;
    const bool fits = compile_read_operands(o, &own, st, &data) &&
                      (typing_bound(t, st, &data) <= LARGEST_WORD || !o->running.check || !t->small ||
                       (typing_judge(t, o, st, &v) && v.fits));
    arena_free(&scratch);
    return fits;
}

/* ---- bfloat16 ---------------------------------------------------------------------------------- */

static bool adds(const sam_statement *st) {
    bool any = false;
    for (uint32_t e = 0; e < st->exprs.len; e++)
        any = any || (st->exprs.at[e].kind == SAM_EXPR_SUM && st->exprs.at[e].operation == SAM_OPERATION_add);
    return any;
}

/* Returns whether the engine adds bfloat16 numbers in any order of the loops. */
static bool adds_bf16(const compile_options *o) {
    return o->target.engine == ENGINE_SAM || strcmp(o->target.profile, PNR_PROFILE) != 0;
}

static bool to_kernels(const compile_options *o, compile_context *ctx, compile_kernel *k) {
    if (o->target.engine == ENGINE_SAM)
        return compile_to_graph(o, ctx, k);
    return compile_read_board(ctx, o->target.board, &k->board, &k->board_path) &&
           pnr_board_set_profile(&k->board, o->target.profile, ctx->diag) && compile_statement(o, ctx, k);
}

static bool compiles(compile_context *ctx, void *of) {
    compile_options own = *(const compile_options *)of;
    compile_calls calls = {.mem = ctx->mem};
    compile_kernel k = {0};
    while (strcmp(compile_pass_at(own.files.stop_after++).name, "pack") != 0)
        continue;
    own.tried.plain = true;
    own.running.executes = false;
    own.files.out = NULL;
    own.files.dump = (compile_dumps){.all = false};
    ctx->calls = &calls;
    return compile_with_fallbacks(&own, ctx, &k, to_kernels);
}

/* Returns whether a statement of bfloat16 numbers compiles, on the array or with the host's help. */
static bool computes_bf16(const typing *t, const compile_options *bf16) {
    compile_options own = *bf16;
    own.files.stop_after = 0;
    return compile_try(&t->quiet, compiles, &own).works;
}

/* ---- the choice -------------------------------------------------------------------------------- */

static const compile_options *with_reason(compile_options *own, const char *why) {
    own->tensors.type_why = why;
    return own;
}

/* The types that may replace int16. */
typedef struct {
    const compile_options *bf16, *scaled; /* NULL: impossible */
    double bf16_lost, scaled_lost;
    bool by_array; /* the host adds none of the bfloat16 numbers */
} contest;

/* Finds scales of a statement or a program, and drops diagnostics about them. */
static void try_scales(const typing *t, const compile_scaling *program, contest *c) {
    compile_context unheard = *t->ctx;
    typing own = *t;
    unheard.diag = t->quiet.diag;
    own.ctx = &unheard;
    if (program)
        c->scaled = program->all ? typing_program_scales(&own, program, &c->scaled_lost) : NULL;
    else
        c->scaled = typing_scales(&own, &c->scaled_lost);
}

/* Finds the possible types and their errors. bfloat16 alone is tried if nothing can be compared (--no-check),
 * or if bfloat16 is exact on the array. */
static contest hold_contest(const typing *t, const sam_statement *floats) {
    contest c = {.by_array = floats && (adds_bf16(t->o) || !adds(floats))};
    verdict v = {.fits = true};
    const compile_options *bf16 = typing_stated(t, TILE_DTYPE_BF16);
    const bool compares = t->o->running.check && t->small;
    if (floats && computes_bf16(t, bf16) && (!compares || typing_judge(t, bf16, floats, &v)))
        c.bf16 = bf16;
    c.bf16_lost = v.lost;
    if (t->small && (!c.bf16 || (compares && (v.lost > 0 || !c.by_array))))
        try_scales(t, NULL, &c);
    return c;
}

/* Returns both errors as text; empty if the errors decided nothing. */
static const char *contest_text(const contest *c, bool scaled, arena *mem) {
    const double first = scaled ? c->scaled_lost : c->bf16_lost,
                 other = scaled ? c->bf16_lost : c->scaled_lost;
    return !c->bf16 || !c->scaled || c->bf16_lost == c->scaled_lost
               ? ""
               : arena_printf(mem, "; the mean error is %.2g %%, with %s %.2g %%", 100 * first,
                              scaled ? "bf16" : "scales", 100 * other);
}

/* Returns bfloat16 or scales, by the smaller error, or int16 if neither is possible. */
static const compile_options *take_best(const typing *t, const contest *c, const char *why) {
    arena *mem = t->ctx->mem;
    const bool scaled = c->scaled && (!c->bf16 || c->scaled_lost < c->bf16_lost ||
                                      (c->scaled_lost <= c->bf16_lost && !c->by_array));
    const compile_options *best = scaled ? c->scaled : c->bf16 ? c->bf16 : typing_stated(t, TILE_DTYPE_INT16);
    compile_options *own = arena_new(mem, compile_options);
    *own = *best;
    if (scaled)
        why = arena_printf(mem, "q16 by the data, with scales %s: %s%s%s",
                           typing_scales_text(t, own->tensors.scaled), why, contest_text(c, scaled, mem),
                           c->bf16 || c->by_array
                               ? ""
                               : arena_printf(mem, ", and profile %s adds no bf16", t->o->target.profile));
    else if (c->bf16)
        why = arena_printf(mem, "bf16 by the data: %s%s", why, contest_text(c, scaled, mem));
    else
        why = arena_printf(mem, "int16 by the data, though %s: profile %s adds no bf16, and no scales fit",
                           why, t->o->target.profile);
    return with_reason(own, why);
}

static bool gathers(const sam_statement *st) {
    bool any = false;
    for (uint32_t e = 0; e < st->exprs.len; e++)
        any = any || (st->exprs.at[e].program && st->exprs.at[e].program->entries);
    return any;
}

static const compile_options *choose(typing *t) {
    sam_statement integers, floats;
    const compile_options *whole = typing_stated(t, TILE_DTYPE_INT16),
                          *bf16 = typing_stated(t, TILE_DTYPE_BF16);
    const bool is_whole = typing_parse(whole, false, &t->quiet, &integers),
               is_float = typing_parse(bf16, false, &t->quiet, &floats);
    bool missing = false;
    if ((!is_whole && !is_float) || !typing_parse(whole, true, &t->quiet, &t->st))
        t->st = is_whole ? integers : floats;
    if (!is_whole && !is_float)
        return with_reason(typing_stated(t, TILE_DTYPE_INT16), NULL);
    if (is_whole && gathers(&integers)) /* bf16 has no coordinate above 256 but some */
        return with_reason(typing_stated(t, TILE_DTYPE_INT16),
                           "int16, in which coordinates that gather are whole; --dtype bf16 keeps fractions");
    if (!take_operands(t, &missing))
        return NULL;
    t->quiet.files = t->ctx->files;
    if (missing)
        return with_reason(typing_stated(t, is_whole ? TILE_DTYPE_INT16 : TILE_DTYPE_BF16), NULL);
    t->small = is_whole ? is_small(t, whole, &integers) : is_small(t, bf16, &floats);
    const char *why = operands_beyond(t);
    if (!is_whole)
        why = "the expression is not one of whole numbers";
    else if (!why && !result_fits(t, whole, &integers))
        why = "results are beyond 16 bits";
    const contest c = why ? hold_contest(t, is_float ? &floats : NULL) : (contest){0};
    return why ? take_best(t, &c, why)
               : with_reason(typing_stated(t, TILE_DTYPE_INT16),
                             "int16 by the data: all values and results are whole and fit");
}

/* Chooses the scales of --dtype q16. */
static const compile_options *choose_of_scaled(typing *t) {
    bool missing = false;
    if (!typing_parse(t->o, true, t->ctx, &t->st) || !take_operands(t, &missing))
        return NULL;
    t->quiet.files = t->ctx->files;
    if (missing) {
        diag_error(t->ctx->diag, (src_loc){0}, "E0184-scale",
                   "scales are chosen by the data, and not all operands are there");
        diag_hint(t->ctx->diag, "give each one with -i or -g");
        return NULL;
    }
    double lost;
    const compile_options *scaled = typing_scales(t, &lost);
    if (!scaled)
        return NULL;
    compile_options *own = arena_new(t->ctx->mem, compile_options);
    *own = *scaled;
    return with_reason(
        own, arena_printf(t->ctx->mem, "scales are %s", typing_scales_text(t, own->tensors.scaled)));
}

/* Chooses the type of a statement whose operands are all there. */
static const compile_options *choose_type(const compile_options *o, compile_context *ctx) {
    diagnostics unheard;
    typing t = {.o = o, .ctx = ctx, .quiet = *ctx};
    if (o->tensors.typing == COMPILE_TYPE_STATED)
        return o;
    const bool unread = !o->running.executes && !o->optimize; /* onyx compile -O0 looks at no data */
    if (o->tensors.typing == COMPILE_TYPE_AUTO && (unread || compile_is_graph(o->written.expression)))
        return with_reason(typing_stated(&t, TILE_DTYPE_INT16), NULL);
    diag_init(&unheard, ctx->mem);
    t.quiet.diag = &unheard;
    return o->tensors.typing == COMPILE_TYPE_AUTO ? choose(&t) : choose_of_scaled(&t);
}

const compile_options *compile_choose_type(const compile_options *given, compile_context *ctx) {
    if (compile_is_graph(given->written.expression))
        return choose_type(given, ctx);
    const compile_options *o = compile_select(given, ctx), *typed = NULL;
    o = o ? compile_broadcast(o, ctx) : NULL;
    const diagnostics before = *ctx->diag;
    const compile_options *cut = o ? compile_cut_entries(o, ctx) : NULL;
    if (cut && cut != o)
        typed = choose_type(cut, ctx);
    if (!typed)
        diag_return_to(ctx->diag, &before);
    return typed || !o ? typed : choose_type(o, ctx);
}

/* ---- programs ---------------------------------------------------------------------------------- */

/* Finds the possible types of a program; otherwise as hold_contest. */
static contest hold_program(const typing *t, const compile_scaling *in) {
    contest c = {.by_array = adds_bf16(t->o) || !in->adds};
    compile_judged judged = {.fits = true};
    const compile_options *bf16 = typing_stated(t, TILE_DTYPE_BF16);
    const bool compares = t->o->running.check && t->o->running.executes;
    if (in->floats && (!compares || in->judge(in->of, bf16, &judged)))
        c.bf16 = bf16;
    c.bf16_lost = judged.lost;
    if (!c.bf16 || (compares && (c.bf16_lost > 0 || !c.by_array)))
        try_scales(t, in, &c);
    return c;
}

const compile_options *compile_fit_scales(const compile_scaling *in, compile_context *ctx) {
    typing t = {.o = in->o, .ctx = ctx, .quiet = *ctx};
    double lost;
    diagnostics unheard;
    diag_init(&unheard, ctx->mem);
    t.quiet.diag = &unheard;
    for (uint32_t i = 0; i < in->n; i++) {
        const double *original = tile_original(&in->first[i]);
        value_facts f = {.name = in->first[i].name};
        for (uint64_t e = 0; e < in->first[i].nnz; e++)
            typing_add_value(&f,
                             original ? original[e] : tile_to_double(TILE_DTYPE_INT16, in->first[i].val[e]));
        vec_push(ctx->mem, &t.facts, f);
    }
    if (in->why) {
        const contest c = hold_program(&t, in);
        return take_best(&t, &c, in->why);
    }
    compile_options *own = typing_program_scales(&t, in, &lost);
    return own ? with_reason(own, arena_printf(ctx->mem, "scales are %s", typing_scales_text(&t, in->all)))
               : NULL;
}
