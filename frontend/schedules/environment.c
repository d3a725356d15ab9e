/* environment.c - environment(name,n) in schedules: numbers about the array as a whole. Some are options of
 * the command as well; the chip decides the others. */
#include "frontend/schedules/environment.h"
#include "frontend/language/text.h"
#include "support/trial.h"

#include <ctype.h>

/* Resources of the chip and of other targets, in the names of the papers: a schedule that states a number of
 * them has the same result. */
static const struct {
    const char *name, *is;
} fixed[] = {
    {"bp", "a number of Stardust's target, not of the array"},
    {"banks", "fixed on the chip: each tile of the global buffer has 2"},
    {"fifo", "fixed on the chip: each port of a tile has a FIFO of depth 2"},
    {"fifoDepth", "fixed on the chip: each port of a tile has a FIFO of depth 2"},
    {"innerPar", "fixed on the chip: a tile takes one token in a cycle, so it is 1"},
    {"ip", "fixed on the chip: a tile takes one token in a cycle, so it is 1"},
    {"outerPar", "fixed on the chip: outer loops run side by side as copies of the kernel, which "
                 "environment(unroll,n) makes"},
    {"op", "fixed on the chip: outer loops run side by side as copies of the kernel, which "
           "environment(unroll,n) makes"},
    {"joiner", "fixed on the chip: joiners are tiles of the array, and merge coordinates"},
    {"clock",
     "fixed on the chip: the routed kernel and the board's delay table say it, fmax_mhz of report.json"},
};

/* Returns the loop in "tile_i" or "tileI"; "" of "tile", NULL of other words. */
static const char *loop_of(const fe_token *t, arena *mem) {
    if (t->length < 4 || strncmp(t->at, "tile", 4) != 0)
        return NULL;
    const bool under = t->length > 5 && t->at[4] == '_';
    char *loop = arena_strndup(mem, t->at + 4 + under, t->length - 4 - under);
    if (!under && *loop && !isupper((unsigned char)*loop))
        return NULL;
    *loop = (char)(under ? *loop : tolower((unsigned char)*loop));
    return loop;
}

const char *fe_fixed_environment(const fe_token *name) {
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        if (fe_is_word(name, fixed[i].name))
            return fixed[i].is;
    }
    return NULL;
}

static bool refuse(const fe_token *name, diagnostics *d) {
    diag_error(d, name->loc, "E0179-environment", "'%.*s' is nothing of this chip's environment",
               (int)name->length, name->at);
    return diag_hint(
        d,
        "there are unroll (copies, --unroll), tile and, along loop i, tile_i or tileI (edges of sub-tiles, "
        "--tile); banks, fifo, innerPar, outerPar, joiner, clock and bp are read and change nothing");
}

bool fe_take_environment(fe_reader *in, arena *mem, diagnostics *d, fe_environment *out) {
    const fe_token name = in->token;
    if (name.kind != FE_NAME)
        return fe_expected(in, "unroll, tile or tile_i", d);
    *out = (fe_environment){.loop = loop_of(&name, mem), .loc = name.loc};
    const bool is_fixed = fe_fixed_environment(&name) != NULL;
    if (!out->loop && !is_fixed && !fe_is_word(&name, "unroll"))
        return refuse(&name, d);
    fe_advance(in);
    if (!fe_take_sign(in, ','))
        return fe_expected(in, "',' and a number", d);
    if (is_fixed) {
        const bool said = in->token.kind == FE_NUMBER || in->token.kind == FE_NAME;
        if (said)
            fe_advance(in);
        else
            fe_expected(in, "a number", d);
        return said;
    }
    out->value = fe_whole_number(&in->token, 0);
    const uint32_t most = out->loop ? FE_EDGE_MOST : FE_COPIES_MOST;
    if (!out->value || out->value > most)
        return diag_error(d, in->token.loc, "E0179-environment", "%.*s is a whole number from 1 to %u",
                          (int)name.length, name.at, most);
    return fe_advance(in);
}

bool fe_add_environment(fe_environments *all, const fe_environment *one, arena *mem, diagnostics *d) {
    for (uint32_t i = 0; i < all->len && one->value; i++) {
        const fe_environment *other = &all->at[i];
        const bool same = !one->loop == !other->loop && (!one->loop || strcmp(one->loop, other->loop) == 0);
        if (!same || other->value == one->value)
            continue;
        const char *what = one->loop ? "tile" : "unroll";
        diag_error(d, one->loc, "E0179-environment", "environment(%s%s%s,%u) contradicts what is said before",
                   what, one->loop && *one->loop ? "_" : "", one->loop ? one->loop : "", one->value);
        return diag_note(d, other->loc, "the other one");
    }
    vec_push(mem, all, *one);
    return true;
}

void fe_find_environment(const char *schedule, arena *mem, diagnostics *d, fe_environments *out) {
    fe_reader in = fe_read("<schedule>", schedule, d);
    const diagnostics before = *d;
    in.underscores = true;
    for (uint32_t depth = 0; in.token.kind != FE_END;) {
        const bool is = !depth && fe_peek(&in) == '(' &&
                        (fe_is_word(&in.token, "environment") || fe_is_word(&in.token, "env"));
        depth += fe_at_sign(&in, '(') || fe_at_sign(&in, '{');
        depth -= depth && (fe_at_sign(&in, ')') || fe_at_sign(&in, '}'));
        fe_advance(&in);
        fe_environment one;
        if (!is)
            continue;
        fe_take_sign(&in, '(');
        const bool good = fe_take_environment(&in, mem, d, &one);
        if (good && one.value) /* others are noted by the command */
            vec_push(mem, out, one);
        if (!good || !fe_take_sign(&in, ')'))
            break;
    }
    diag_return_to(d, &before);
}
