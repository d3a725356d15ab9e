/* scales.c - the scales of int16 operands, by the data.
 *
 * A scale begins at the digits of its operand, or at the room in a word. The scale of the operand with most
 * bits falls until no word of the reference wraps. O(rounds * reference), 64 rounds at most.
 */
#include "compile/scales.h"
#include "frontend/schedules/schedules.h"

#include <math.h>

/* Returns the facts about the values of scale i. */
static value_facts facts_of(const typing *t, const fe_scale *scale) {
    value_facts f = {0};
    for (uint32_t i = 0; scale->tensor.v && i < t->facts.len; i++) {
        if (name_eq(t->facts.at[i].name, scale->tensor))
            return t->facts.at[i];
    }
    if (!scale->tensor.v)
        typing_add_value(&f, scale->number);
    return f;
}

/* Returns how much the sum grows if scale i grows by 1. */
static int effect_of(fe_scales *all, uint32_t i, const fe_scale_sum *sum) {
    const int before = fe_scale_of(all, sum);
    all->of[i].value++;
    const int after = fe_scale_of(all, sum);
    all->of[i].value--;
    return after - before;
}

/* Returns how many bits the largest of the own values has in front of and behind the point. */
static int own_bits_of(const typing *t, const fe_scales *all, uint32_t i) {
    const value_facts f = facts_of(t, &all->of[i]);
    return f.largest > 0 ? fe_scale_of(all, &all->sum[i]) + ilogb(f.largest) + 1 : 0;
}

/* Returns the bits of scale i; without values of its own, the most bits of a scale that grows with scale i.
 */
static int bits_of(const typing *t, fe_scales *all, uint32_t i) {
    int most = own_bits_of(t, all, i);
    for (uint32_t j = 0; !(facts_of(t, &all->of[i]).largest > 0) && j < all->n; j++) {
        const int bits = effect_of(all, i, &all->sum[j]) > 0 ? own_bits_of(t, all, j) : 0;
        most = bits > most ? bits : most;
    }
    return most;
}

/* Lowers the sum by lowering its open scale with most bits. False: no scale is open. */
static bool lower(const typing *t, fe_scales *all, const fe_scale_sum *sum) {
    uint32_t found = all->n;
    for (uint32_t i = 0; i < all->n; i++) {
        if (all->of[i].how == FE_SCALE_OPEN && effect_of(all, i, sum) > 0 && bits_of(t, all, i) > 1 &&
            (found == all->n || bits_of(t, all, i) > bits_of(t, all, found)))
            found = i;
    }
    if (found < all->n)
        all->of[found].value--;
    return found < all->n;
}

/* Raises the sum by raising its open scale with most room. False: no scale has room. */
static bool raise_scale(const typing *t, fe_scales *all, const fe_scale_sum *sum) {
    uint32_t found = all->n;
    int most = 0;
    for (uint32_t i = 0; i < all->n; i++) {
        const int room = typing_most_scale(facts_of(t, &all->of[i]).largest) - fe_scale_of(all, &all->sum[i]);
        if (all->of[i].how != FE_SCALE_OPEN || room <= most || effect_of(all, i, sum) <= 0)
            continue;
        found = i;
        most = room;
    }
    if (found < all->n)
        all->of[found].value++;
    return found < all->n;
}

/* Returns the scale for all digits of the values, or the largest with room in a word. */
static int wanted_scale(const value_facts *f) {
    const int most = typing_most_scale(f->largest);
    return !f->values || f->largest == 0 ? 0 : f->exact < most ? f->exact : most;
}

/* Sets open scales by their values, and raises them while derived scales lack digits. */
static void begin_scales(const typing *t, fe_scales *all) {
    for (uint32_t i = 0; i < all->n; i++) {
        const value_facts f = facts_of(t, &all->of[i]);
        all->of[i].value = all->of[i].how == FE_SCALE_OPEN ? wanted_scale(&f) : 0;
    }
    for (uint32_t i = 0; i < all->n; i++) {
        const value_facts f = facts_of(t, &all->of[i]);
        while (all->of[i].how == FE_SCALE_DERIVED && f.largest > 0 &&
               fe_scale_of(all, &all->sum[i]) < wanted_scale(&f) && raise_scale(t, all, &all->sum[i]))
            continue;
    }
}

/* Returns whether every number of the expression is a word other than 0. */
static bool keep_literals(const typing *t, const fe_scales *all) {
    for (uint32_t i = 0; i < all->n; i++) {
        const fe_scale *x = &all->of[i];
        const int scale = fe_scale_of(all, &all->sum[i]);
        if (x->tensor.v || x->number == 0 || nearbyint(ldexp(x->number, scale)) != 0)
            continue;
        diag_error(t->ctx->diag, x->loc, "E0183-range", "this number becomes 0 as a multiple of 2^%d",
                   -scale);
        return diag_hint(t->ctx->diag, "--dtype bf16 keeps it");
    }
    return true;
}

/* Returns the operand with a stated scale that has most bits. */
static uint32_t fullest_stated(const typing *t, fe_scales *all) {
    uint32_t found = all->n;
    for (uint32_t i = 0; i < all->n; i++) {
        if (all->of[i].how == FE_SCALE_STATED &&
            (found == all->n || bits_of(t, all, i) > bits_of(t, all, found)))
            found = i;
    }
    return found;
}

/* Reports the excess of a scale, and a scale with room. */
static bool refuse_range(const typing *t, const fe_scales *all, uint32_t i, int excess, const char *what) {
    diagnostics *d = t->ctx->diag;
    diag_error(d, (src_loc){0}, "E0183-range", "%s %s %d %s more than 16 bits have", what,
               i < all->n ? "need" : "need at least", excess, plural((uint64_t)excess, "bit", "bits"));
    if (i < all->n)
        diag_hint(d, "--scale %s:%d would fit", names_text(t->ctx->names, all->of[i].tensor),
                  fe_scale_of(all, &all->sum[i]) - excess);
    else
        diag_hint(d, "scaled integers do not hold these data; --dtype bf16 may");
    return false;
}

/* Lowers scales until all operands fit their words. */
static bool fit_operands(const typing *t, fe_scales *all) {
    for (uint32_t i = 0; i < all->n; i++) {
        const value_facts f = facts_of(t, &all->of[i]);
        const char *name =
            all->of[i].tensor.v ? names_text(t->ctx->names, all->of[i].tensor) : "the expression's numbers";
        while (f.largest > 0 && fe_scale_of(all, &all->sum[i]) > typing_most_scale(f.largest)) {
            const int excess = fe_scale_of(all, &all->sum[i]) - typing_most_scale(f.largest);
            const bool own = all->of[i].how == FE_SCALE_STATED;
            if (own || !lower(t, all, &all->sum[i]))
                return refuse_range(t, all, own ? i : all->n, excess,
                                    arena_printf(t->ctx->mem, "the values of %s", name));
        }
    }
    return true;
}

const char *typing_scales_text(const typing *t, const fe_scales *all) {
    const char *text = "";
    for (uint32_t i = 0; i < all->n; i++) {
        if (all->of[i].tensor.v)
            text = arena_printf(t->ctx->mem, "%s%s%s:%d", text, *text ? ", " : "",
                                names_text(t->ctx->names, all->of[i].tensor), fe_scale_of(all, &all->sum[i]));
    }
    return text;
}

/* Computes the reference of a statement or a program with scales, which may set all->result to a sum that is
 * too large. False: there is no reference. */
typedef struct {
    bool (*judge)(const void *of, const compile_options *scaled, fe_scales *all, verdict *out);
    const void *of;
} scales_judge;

/* Sets open scales such that no word of operands wraps, and by the judge none of results. False after an
 * error. */
static bool fit_scales(const typing *t, const scales_judge *by, const compile_options *own, fe_scales *all,
                       double *lost) {
    enum { ROUNDS = 64 };
    for (uint32_t i = 0; i < all->n; i++) {
        if (isfinite(facts_of(t, &all->of[i]).largest))
            continue;
        return diag_error(t->ctx->diag, (src_loc){0}, "E0305-value",
                          "scaled integers have no infinity, and %s has",
                          names_text(t->ctx->names, all->of[i].tensor));
    }
    begin_scales(t, all);
    int excess = 1;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        verdict v;
        if (!fit_operands(t, all) || !keep_literals(t, all))
            return false;
        if (!by->judge(by->of, own, all, &v))
            break;
        *lost = v.lost;
        if (v.fits)
            return true;
        excess = -typing_most_scale(v.largest);
        excess = excess > 0 ? excess : 1;
        for (const int most = fe_scale_of(all, &all->result) - excess;
             fe_scale_of(all, &all->result) > most;) {
            if (!lower(t, all, &all->result)) {
                refuse_range(t, all, fullest_stated(t, all), fe_scale_of(all, &all->result) - most,
                             "values of the result");
                return false;
            }
        }
    }
    return refuse_range(t, all, all->n, excess, "values of the result");
}

static bool judge_statement(const void *of, const compile_options *scaled, fe_scales *all, verdict *out) {
    const typing *t = of;
    compile_context quiet = t->quiet;
    sam_statement st;
    (void)all;
    return typing_parse(scaled, false, &quiet, &st) && typing_judge(t, scaled, &st, out);
}

const compile_options *typing_scales(const typing *t, double *lost) {
    const compile_options *o = t->o;
    const scales_judge by = {judge_statement, t};
    fe_scales *all = arena_new(t->ctx->mem, fe_scales);
    compile_options *own = typing_stated(t, TILE_DTYPE_INT16);
    own->tensors.scaled = all;
    return fe_scales_align(&t->st, o->tensors.scales.at, o->tensors.scales.len, t->ctx->diag, all) &&
                   fit_scales(t, &by, own, all, lost)
               ? own
               : NULL;
}

/* ---- programs ---------------------------------------------------------------------------------- */

/* A result that wrapped needs a bit less at a time. */
static bool judge_program(const void *of, const compile_options *scaled, fe_scales *all, verdict *out) {
    const compile_scaling *in = of;
    compile_judged judged = {.fits = true};
    if (!in->judge(in->of, scaled, &judged))
        return false;
    *out = (verdict){.fits = judged.fits, .largest = 0x1p15, .lost = judged.lost};
    all->result = fe_scale_sum_named(all, judged.wraps);
    return true;
}

compile_options *typing_program_scales(const typing *t, const compile_scaling *in, double *lost) {
    const scales_judge by = {judge_program, in};
    compile_options *own = typing_stated(t, TILE_DTYPE_INT16);
    own->tensors.scaled = in->all;
    return fit_scales(t, &by, own, in->all, lost) ? own : NULL;
}
