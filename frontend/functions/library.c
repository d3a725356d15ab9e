/* library.c - prints functions of files, and compares descriptions with their computations. */
#include "frontend/functions/library.h"
#include "frontend/functions/capability.h"
#include "frontend/language/statement.h"

#include <math.h>
#include <stdlib.h>

enum { LONGEST = 24, GUARD = 8, EXTENT = 1000 };

/* ---- printing ---------------------------------------------------------------------------------- */

static const char *special(const char *text, const char *name, const sam_special *s,
                           const fe_user_function *f) {
    arena *mem = f->s.mem;
    return s->given ? arena_printf(mem, "%s, %s=%g", text, name, sam_word_number(s->value, !f->s.integers))
                    : text;
}

/* The capability, with its other fields. */
static const char *capability_of(const fe_described *f, arena *mem) {
    const fe_capability *c = &f->states;
    const char *text = fe_capability_text(c, mem);
    for (uint32_t t = 1; t <= c->s.tensors.len; t++) {
        const sam_tensor_data *data = &c->s.tensors.at[t - 1];
        const char *modes = "", *levels = "";
        bool in_order = !f->bitstream;
        for (uint32_t l = 0; l < data->order; l++) {
            in_order = in_order && data->mode[l] == l;
            levels = arena_printf(mem, "%s%c", levels, data->level[l] == SAM_LEVEL_DENSE ? 'd' : 's');
            modes = arena_printf(mem, "%s%s%u", modes, l ? "," : "", data->mode[l]);
        }
        if (!in_order && data->order)
            text = arena_printf(mem, "%s, %s:%s:%s", text, fe_tensor_text(&c->s, (sam_tensor){t}), levels,
                                modes);
    }
    for (uint32_t i = 0; i < c->tags.len; i++)
        text = arena_printf(mem, "%s, %s:%s", text, fe_tensor_text(&c->s, c->tags.at[i].tensor),
                            c->tags.at[i].tag);
    return text;
}

static const char *properties_of(const fe_user_function *f) {
    const char *text = "";
    if (f->described && f->described->array)
        return capability_of(f->described, f->s.mem);
    if (f->described) {
        const fe_texts *all = &f->described->properties;
        for (uint32_t i = 0; i < all->len; i++)
            text = arena_printf(f->s.mem, "%s, %s", text, all->at[i]);
    } else {
        text = f->says.commutative ? ", commutative" : "";
        text = f->says.idempotent ? arena_printf(f->s.mem, "%s, idempotent", text) : text;
        text = special(text, "annihilator", &f->says.annihilator, f);
        text = special(text, "identity", &f->says.identity, f);
    }
    return *text ? text + 2 : "-";
}

static const char *call_of(const fe_user_function *f) {
    arena *mem = f->s.mem;
    if (f->described && f->described->array)
        return f->name;
    if (f->described && f->described->fiber)
        return arena_printf(mem, "%s(i, X(i))", f->name);
    const char *text = arena_printf(mem, "%s(", f->name);
    for (uint32_t p = 0; p < f->parameters; p++) {
        const char *name =
            f->described ? f->described->parameter[p] : names_text(f->s.names, f->s.tensors.at[p].name);
        text = arena_printf(mem, "%s%s%s", text, p ? ", " : "", name);
    }
    return arena_printf(mem, "%s)", text);
}

void fe_print_functions(const fe_functions *all, const diagnostics *d, FILE *out) {
    for (uint32_t i = 0; all && i < all->all.len; i++) {
        const fe_user_function *f = &all->all.at[i];
        const bool loops = !f->described && sam_expr_at(&f->s, f->value)->program;
        const char *where = f->described && f->described->rule           ? "rule"
                            : f->described && f->described->bitstream    ? "array"
                            : f->described && f->described->on_processor ? "m3"
                            : f->described || loops                      ? "host"
                                                                         : "array";
        fprintf(out, "%-22s %-6s %-12s %-26s %s\n", call_of(f), where,
                f->described    ? f->described->built.types
                : f->s.integers ? "int16"
                                : "bf16",
                properties_of(f), d->sources.at[f->loc.source - 1].name);
    }
}

/* ---- random inputs ----------------------------------------------------------------------------- */

/* Returns a word: one of ten is near the ends of the range, the others are small, since large words wrap. */
static uint16_t random_word(prng *p, bool fp) {
    static const uint16_t ends[][4] = {{0x8000, 0x7fff, 0, 0xffff}, {0x3f80, 0xbf80, 0, 0x4300}};
    const uint32_t kind = prng_below(p, 10);
    if (kind == 0)
        return ends[fp][prng_below(p, 4)];
    if (kind == 1 && !fp)
        return (uint16_t)prng_below(p, 0x10000);
    const int small = (int)prng_below(p, 129) - 64;
    return fp ? sam_literal_word(small / 8.0, true) : (uint16_t)small;
}

typedef struct {
    const fe_user_function *f;
    const sam_program *p;
    prng random;
    int n, crd[LONGEST + GUARD];
    double in[LONGEST + GUARD], out[LONGEST + GUARD];
    uint16_t word[2], value;
    diagnostics *d;
} trial;

static const char *numbers(const double *x, int n, arena *mem) {
    const char *text = "";
    for (int i = 0; i < n; i++)
        text = arena_printf(mem, "%s%s%g", text, i ? ", " : "", x[i]);
    return text;
}

static bool fails(trial *t, const char *what) {
    arena *mem = t->d->mem;
    if (!sam_program_ended(t->p, t->d))
        return false;
    const bool fp = t->p->of.fp;
    const double x[2] = {sam_word_number(t->word[0], fp), sam_word_number(t->word[1], fp)};
    if (t->p->takes_fiber)
        diag_mismatch(t->d, t->p->loc, "E0166-function-check", "%s of %s values (%s) is (%s): %s", t->p->name,
                      fp ? "bf16" : "int16", numbers(t->in, t->n, mem), numbers(t->out, t->n, mem), what);
    else
        diag_mismatch(t->d, t->p->loc, "E0166-function-check", "%s(%s) of %s is %g: %s", t->p->name,
                      numbers(x, (int)t->p->parameters, mem), fp ? "bf16" : "int16",
                      sam_word_number(t->value, fp), what);
    return diag_hint(t->d, "what is called, or the description's properties: docs/functions.md");
}

/* ---- values ------------------------------------------------------------------------------------ */

static uint16_t value_of(const trial *t, uint16_t a, uint16_t b) {
    return sam_apply(&t->p->of, a, b);
}

static uint16_t negative(const trial *t, uint16_t a) {
    return t->p->of.fp ? a ^ 0x8000 : (uint16_t)-a;
}

static bool is_nan(const trial *t, uint16_t a) {
    return t->p->of.fp && (a & 0x7fff) > 0x7f80;
}

/* Zeros of either sign are equal, and NaN is no counterexample. */
static bool same_value(const trial *t, uint16_t a, uint16_t b) {
    const bool fp = t->p->of.fp;
    return is_nan(t, a) || is_nan(t, b) || sam_word_number(a, fp) == sam_word_number(b, fp);
}

static bool is_commutative(trial *t) {
    return same_value(t, t->value, value_of(t, t->word[1], t->word[0]));
}
static bool is_idempotent(trial *t) {
    return same_value(t, t->word[0], value_of(t, t->word[0], t->word[0]));
}
static bool is_odd(trial *t) {
    return same_value(t, negative(t, t->value), value_of(t, negative(t, t->word[0]), 0));
}
static bool is_even(trial *t) {
    return same_value(t, t->value, value_of(t, negative(t, t->word[0]), 0));
}
static bool is_ascending(trial *t) {
    const bool fp = t->p->of.fp;
    const uint16_t other = random_word(&t->random, fp), there = value_of(t, other, 0);
    if (is_nan(t, t->value) || is_nan(t, there) || same_value(t, other, t->word[0]))
        return true;
    const bool above = sam_word_number(other, fp) > sam_word_number(t->word[0], fp);
    const double more = sam_word_number(there, fp) - sam_word_number(t->value, fp);
    return isnan(more) || (above ? more >= 0 : more <= 0);
}
static bool keeps_zero(trial *t) {
    return same_value(t, value_of(t, 0, 0), 0);
}

/* ---- along an index ---------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b) {
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static bool is_permutation(trial *t) {
    double x[LONGEST], y[LONGEST];
    memcpy(x, t->in, (size_t)t->n * sizeof *x);
    memcpy(y, t->out, (size_t)t->n * sizeof *y);
    qsort(x, (size_t)t->n, sizeof *x, by_size);
    qsort(y, (size_t)t->n, sizeof *y, by_size);
    return memcmp(x, y, (size_t)t->n * sizeof *x) == 0;
}
static bool has_ascending(trial *t) {
    for (int i = 1; i < t->n; i++) {
        if (t->out[i] < t->out[i - 1])
            return false;
    }
    return true;
}
static bool has_descending(trial *t) {
    for (int i = 1; i < t->n; i++) {
        if (t->out[i] > t->out[i - 1])
            return false;
    }
    return true;
}
static bool is_selection(trial *t) {
    for (int i = 0; i < t->n; i++) {
        if (t->out[i] != 0 && t->out[i] != t->in[i])
            return false;
    }
    return true;
}
/* A word of bf16 rounds coordinates above 256. */
static bool is_place(trial *t) {
    const bool fp = t->p->of.fp;
    int marked = 0;
    for (int i = 0; i < t->n; i++) {
        if (t->out[i] != 0 && sam_number_word(t->out[i], fp) != sam_number_word(t->crd[i], fp))
            return false;
        marked += t->out[i] != 0;
    }
    return marked <= 1;
}
static bool sums_to_one(trial *t) {
    double sum = 0;
    for (int i = 0; i < t->n; i++)
        sum += t->out[i] < 0 ? -t->out[i] : t->out[i];
    return fabs(sum - (t->p->of.fp ? 1 : INT16_MAX)) <= 1e-6 * INT16_MAX;
}
/* In int16 modulo 2^16. */
static bool is_running_sum(trial *t) {
    const bool fp = t->p->of.fp;
    double sum = 0, most = 0;
    for (int i = 0; i < t->n; i++) {
        sum += t->in[i];
        most += fabs(t->in[i]);
        if (fp ? fabs(t->out[i] - sum) > 1e-9 * most
               : sam_number_word(t->out[i], false) != sam_number_word(sum, false))
            return false;
    }
    return true;
}
static bool restores(trial *t) {
    double again[LONGEST];
    sam_foreign_fiber(
        t->p->foreign,
        &(sam_fiber_call){
            .n = t->n, .crd = t->crd, .in = t->out, .out = again, .one = t->p->of.fp ? 1 : INT16_MAX});
    return memcmp(again, t->in, (size_t)t->n * sizeof *again) == 0;
}

/* ---- properties -------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    uint32_t operands; /* 0: along an index */
    bool (*holds)(trial *t);
    const char * not ;
} properties[] = {
    {"commutative", 2, is_commutative, "not commutative"},
    {"idempotent", 2, is_idempotent, "of two equal values it is another value: not idempotent"},
    {"keeps_zero", 2, keeps_zero, "of 0 and 0 it is not 0"},
    {"keeps_zero", 1, keeps_zero, "of 0 it is not 0"},
    {"odd", 1, is_odd, "of the negative value it is not the negative one: not odd"},
    {"even", 1, is_even, "of the negative value it is another one: not even"},
    {"ascending", 1, is_ascending, "it is less of a larger value: not ascending"},
    {"permutation", 0, is_permutation, "not a permutation of the values"},
    {"ascending", 0, has_ascending, "not ascending"},
    {"descending", 0, has_descending, "not descending"},
    {"selection", 0, is_selection, "neither 0 nor the value that stood there"},
    {"place", 0, is_place, "not one coordinate, at that coordinate"},
    {"running_sum", 0, is_running_sum, "not the sum of the values up to there"},
    {"normalised", 0, sums_to_one, "the magnitudes do not come to 1"},
    {"involution", 0, restores, "twice, it is not what was there"},
};
enum { PROPERTIES = sizeof properties / sizeof *properties };

static int find_property(const fe_described *f, const char *name) {
    for (int i = 0; i < PROPERTIES; i++) {
        if (strcmp(properties[i].name, name) == 0 && properties[i].operands == (f->fiber ? 0 : f->parameters))
            return i;
    }
    return -1;
}

bool fe_is_property(const fe_described *f, const char *name) {
    return find_property(f, name) >= 0;
}

static bool check_properties(trial *t) {
    const fe_described *f = t->f->described;
    for (uint32_t i = 0; i < f->properties.len; i++) {
        const int at = find_property(f, f->properties.at[i]);
        if (!properties[at].holds(t))
            return fails(t, properties[at].not );
    }
    return true;
}

/* ---- trials ------------------------------------------------------------------------------------ */

static bool try_values(trial *t) {
    t->word[0] = random_word(&t->random, t->p->of.fp);
    t->word[1] = t->p->parameters > 1 ? random_word(&t->random, t->p->of.fp) : 0;
    t->value = value_of(t, t->word[0], t->word[1]);
    for (int again = 0; again < 2; again++) {
        if (t->p->foreign)
            sam_foreign_anew(t->p->foreign);
        if (value_of(t, t->word[0], t->word[1]) != t->value)
            return fails(t, "the same operands have another value");
    }
    return check_properties(t);
}

/* Calls the function with `around` after the operand and in place of all results. */
static void call(const trial *t, double around, double *in, double *out) {
    memcpy(in, t->in, (size_t)t->n * sizeof *in);
    for (int i = t->n; i < LONGEST + GUARD; i++)
        in[i] = around;
    for (int i = 0; i < LONGEST + GUARD; i++)
        out[i] = around;
    sam_foreign_fiber(t->p->foreign, &(sam_fiber_call){.n = t->n,
                                                       .crd = t->crd,
                                                       .in = in,
                                                       .out = out,
                                                       .one = t->p->of.fp ? 1 : INT16_MAX,
                                                       .behind = (uint32_t)(LONGEST + GUARD - t->n)});
}

static bool try_fiber(trial *t) {
    enum { ALL = LONGEST + GUARD };
    double in[ALL], again[ALL];
    t->n = 1 + (int)prng_below(&t->random, LONGEST);
    int at = 0;
    for (int i = 0; i < ALL; i++) {
        const double x = sam_word_number(random_word(&t->random, t->p->of.fp), t->p->of.fp);
        t->crd[i] = at += 1 + (int)prng_below(&t->random, EXTENT / ALL);
        t->in[i] = x != 0 || i ? x : 1; /* dense levels pass the fill */
    }
    call(t, -12345.5, in, t->out);
    for (int i = t->n; i < ALL; i++) {
        if (t->out[i] != -12345.5)
            return fails(t, "it writes behind its last result");
    }
    if (memcmp(in, t->in, (size_t)t->n * sizeof *in) != 0)
        return fails(t, "it writes its operand");
    call(t, 54321.25, in, again);
    return memcmp(again, t->out, (size_t)t->n * sizeof *again) == 0
               ? check_properties(t)
               : fails(t, "the same values have another result: it leaves results out, or reads behind its "
                          "operand");
}

static bool check_function(const fe_user_function *f, uint64_t seed, diagnostics *d) {
    trial t = {.f = f, .p = f->described->program, .random = prng_seed(seed), .d = d};
    if (!fe_load_described(f->described, f->loc, d))
        return false;
    if (f->described->array)
        return fe_check_arrays(f, seed, d);
    for (int i = 0; i < FE_CHECK_INPUTS; i++) {
        if (!(f->described->fiber ? try_fiber(&t) : try_values(&t)) || !sam_program_ended(t.p, d))
            return false;
    }
    return true;
}

/* Returns whether a function cannot be checked here, and says why. */
static bool is_omitted(const fe_user_function *f, diagnostics *d) {
    const fe_capability *c = &f->described->states;
    const char *why = NULL;
    for (uint32_t i = 0; i < c->tags.len; i++) {
        if (strcmp(c->tags.at[i].tag, "symmetric") != 0)
            why = arena_printf(d->mem, "random arrays have no tag '%s'", c->tags.at[i].tag);
    }
    if (fe_lacks_package(f->described, d->mem))
        why = arena_printf(d->mem, "it needs a package, apt install %s", f->described->built.package);
    if (why)
        diag_note(d, f->loc, "'%s' is not checked: %s", f->name, why);
    return why;
}

bool fe_check_functions(const fe_functions *all, uint64_t seed, diagnostics *d, uint32_t *checked) {
    bool ok = true;
    for (uint32_t i = 0; all && i < all->all.len; i++) {
        const fe_user_function *f = &all->all.at[i];
        const bool here = f->described && (!f->other_type || (f->described->q15 && f->s.integers));
        if (!here || f->described->rule || f->described->bitstream || (all->all.len > 1 && is_omitted(f, d)))
            continue;
        const bool right = check_function(f, seed, d);
        *checked += right;
        ok = ok && right;
    }
    return ok;
}
