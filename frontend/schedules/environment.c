/* environment.c - environment(name,n) in schedules: numbers about the array as a whole. Some are options of
 * the command as well; the chip decides the others. */
#include "frontend/schedules/environment.h"
#include "frontend/language/text.h"

#include <ctype.h>

/* Resources of the chip, in the dissertation's names. */
static const struct {
    const char *name, *is;
} chip[] = {
    {"banks", "each tile of the global buffer has 2"},
    {"fifo", "each port of a tile has a FIFO of depth 2"},
    {"fifoDepth", "each port of a tile has a FIFO of depth 2"},
    {"innerPar", "a tile takes one token in a cycle, so it is 1"},
    {"ip", "a tile takes one token in a cycle, so it is 1"},
    {"outerPar", "outer loops run side by side as copies of the kernel, which environment(unroll,n) makes"},
    {"op", "outer loops run side by side as copies of the kernel, which environment(unroll,n) makes"},
    {"joiner", "joiners are tiles of the array, and merge coordinates"},
    {"clock", "the routed kernel and the board's delay table say it, fmax_mhz of report.json"},
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

static bool refuse(const fe_token *name, diagnostics *d) {
    for (size_t i = 0; i < sizeof chip / sizeof *chip; i++) {
        if (!fe_is_word(name, chip[i].name))
            continue;
        diag_error(d, name->loc, "E0179-environment", "%s is fixed on the chip: %s", chip[i].name,
                   chip[i].is);
        return false;
    }
    diag_error(d, name->loc, "E0179-environment", "'%.*s' is nothing of this chip's environment",
               (int)name->length, name->at);
    diag_hint(
        d,
        "there are unroll (copies, --unroll), tile and, along loop i, tile_i or tileI (edges of sub-tiles, "
        "--tile); the chip has banks, fifo, innerPar, outerPar, joiner and clock as they are");
    return false;
}

/* Reads "name,n". */
static bool take_environment(fe_reader *in, arena *mem, diagnostics *d, fe_environment *out) {
    const fe_token name = in->token;
    if (name.kind != FE_NAME) {
        fe_expected(in, "unroll, tile or tile_i", d);
        return false;
    }
    *out = (fe_environment){.loop = loop_of(&name, mem), .loc = name.loc};
    if (!out->loop && !fe_is_word(&name, "unroll"))
        return refuse(&name, d);
    fe_advance(in);
    if (!fe_take_sign(in, ',')) {
        fe_expected(in, "',' and a number", d);
        return false;
    }
    out->value = fe_whole_number(&in->token, 0);
    const uint32_t most = out->loop ? FE_EDGE_MOST : FE_COPIES_MOST;
    if (!out->value || out->value > most) {
        diag_error(d, in->token.loc, "E0179-environment", "%.*s is a whole number from 1 to %u",
                   (int)name.length, name.at, most);
        return false;
    }
    fe_advance(in);
    return true;
}

bool fe_find_environment(const char *schedule, arena *mem, diagnostics *d, fe_environments *out) {
    fe_reader in = fe_read("<schedule>", schedule, d);
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
        const bool other = fe_is_word(&in.token, "bp"); /* schedule.c notes that */
        if (other)
            in.token.at = "unroll", in.token.length = 6;
        if (!take_environment(&in, mem, d, &one))
            return false;
        if (!other)
            vec_push(mem, out, one);
        if (!fe_take_sign(&in, ')')) {
            fe_expected(&in, "')'", d);
            return false;
        }
    }
    return true;
}
