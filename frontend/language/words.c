/* words.c - keywords, numbers and new names: shared by schedules and the text of concrete index notation. */
#include <stdlib.h>

#include "frontend/language/calls.h"
#include "frontend/language/relations.h"
#include "frontend/language/statement.h"
#include "frontend/language/words.h"

static const char *const bound_text[] = {[FE_MIN_EXACT] = "MinExact",
                                         [FE_MIN_CONSTRAINT] = "MinConstraint",
                                         [FE_MAX_EXACT] = "MaxExact",
                                         [FE_MAX_CONSTRAINT] = "MaxConstraint"};
static const char *const unit_text[] = {[FE_LANES] = "Lanes",
                                        [FE_CPU_THREAD] = "CPUThread",
                                        [FE_CPU_VECTOR] = "CPUVector",
                                        [FE_CPU_GROUP] = "CPUThreadGroupReduction",
                                        [FE_DEFAULT_UNIT] = "DefaultUnit",
                                        [FE_BLOCK] = "GPUBlock",
                                        [FE_WARP] = "GPUWarp",
                                        [FE_THREAD] = "GPUThread",
                                        [FE_BLOCK_REDUCTION] = "GPUBlockReduction",
                                        [FE_WARP_REDUCTION] = "GPUWarpReduction"};
static const char *const strategy_text[] = {[FE_NO_RACES] = "NoRaces",
                                            [FE_IGNORE_RACES] = "IgnoreRaces",
                                            [FE_TEMPORARY] = "Temporary",
                                            [FE_PARALLEL_REDUCTION] = "ParallelReduction",
                                            [FE_ATOMICS] = "Atomics"};

const char *fe_bound_text(fe_bound_type type) {
    return bound_text[type];
}
const char *fe_unit_text(fe_unit unit) {
    return unit_text[unit];
}
const char *fe_strategy_text(fe_races strategy) {
    return strategy_text[strategy];
}

/* Returns the index of the token in words[1..n), 0 after an error. */
static uint32_t keyword(fe_reader *in, const char *const *words, uint32_t n, const char *what,
                        diagnostics *d) {
    for (uint32_t i = 1; i < n; i++) {
        if (!fe_is_word(&in->token, words[i]))
            continue;
        fe_advance(in);
        return i;
    }
    const char *list = "";
    for (uint32_t i = 1; i < n; i++)
        list = arena_printf(d->mem, "%s%s%s", list, i > 1 ? ", " : "", words[i]);
    if (in->token.kind == FE_NAME)
        diag_error(d, in->token.loc, "E0144-keyword", "there is no %s '%.*s'", what, (int)in->token.length,
                   in->token.at);
    else
        fe_expected(in, what, d);
    diag_hint(d, "use one of %s", list);
    return 0;
}

bool fe_parse_bound_type(fe_reader *in, diagnostics *d, fe_bound_type *out) {
    *out = (fe_bound_type)keyword(in, bound_text, sizeof bound_text / sizeof *bound_text, "bound type", d);
    return *out != 0;
}

bool fe_parse_number(fe_reader *in, uint32_t low, uint32_t high, diagnostics *d, uint32_t *out) {
    const fe_token *t = &in->token;
    char *end = NULL;
    if (t->kind != FE_NUMBER)
        return fe_expected(in, "a whole number", d);
    char *digits = arena_strndup(d->mem, t->at, t->length);
    unsigned long long value = strtoull(digits, &end, 10);
    if (*end || t->length > 9 || value < low || value > high)
        return diag_error(d, t->loc, "E0142-number", "%s is no whole number from %u to %u", digits, low,
                          high);
    *out = (uint32_t)value;
    return fe_advance(in);
}

bool fe_parse_parallel(fe_reader *in, diagnostics *d, fe_tag *tag, bool *parallel) {
    tag->kind = FE_PARALLELIZE;
    *parallel = !fe_is_word(&in->token, "NotParallel");
    if (!*parallel) {
        fe_advance(in);
    } else {
        tag->unit = (fe_unit)keyword(in, unit_text, sizeof unit_text / sizeof *unit_text, "parallel unit", d);
        if (!tag->unit)
            return false;
    }
    tag->hint = tag->unit && tag->unit != FE_LANES;
    if (tag->unit == FE_LANES) {
        if (!fe_take_sign(in, '('))
            return fe_expected(in, "'(' and the number of lanes", d);
        if (!fe_parse_number(in, 1, FE_MAX_COPIES, d, &tag->copies))
            return false;
        if (!fe_take_sign(in, ')'))
            return fe_expected(in, "')'", d);
    }
    if (!fe_take_sign(in, ','))
        return fe_expected(in, "',' and a race strategy", d);
    tag->strategy = (fe_races)keyword(in, strategy_text, sizeof strategy_text / sizeof *strategy_text,
                                      "race strategy", d);
    return tag->strategy != 0;
}

void fe_count_copies(const fe_kernel *k, fe_tag *tag) {
    uint32_t extent = tag->copies ? tag->copies : fe_known_extent(k, tag->loop);
    tag->copies = extent >= 1 && extent <= FE_MAX_COPIES ? extent : 1;
}

/* ---- names ----------------------------------------------------------------------------------- */

static bool is_var(const fe_cin *cin, name_id name) {
    bool found = false;
    for (uint32_t n = 0; n < cin->kernels.len; n++)
        found = found || fe_find_var(&cin->kernels.at[n].s, name).v;
    return found;
}

static bool is_tensor(const fe_cin *cin, name_id name) {
    bool found = false;
    for (uint32_t n = 0; n < cin->kernels.len; n++)
        found = found || fe_find_tensor(&cin->kernels.at[n].s, name).v;
    return found;
}

bool fe_is_keyword(const char *name) {
    static const char *const keywords[] = {"forall", "where", "suchthat"};
    for (uint32_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        if (strcmp(keywords[i], name) == 0)
            return true;
    }
    return fe_is_function(name);
}

bool fe_parse_new_name(fe_reader *in, const fe_cin *cin, fe_named what, diagnostics *d, name_id *out) {
    if (in->token.kind != FE_NAME)
        return fe_expected(in, what == FE_NEW_VAR ? "a new index variable" : "the workspace's name", d);
    *out = names_intern_n(cin->kernels.at[0].s.names, in->token.at, in->token.length);
    bool used = what == FE_NEW_VAR ? is_var(cin, *out) : is_tensor(cin, *out);
    if (used || fe_is_keyword(names_text(cin->kernels.at[0].s.names, *out))) {
        diag_error(d, in->token.loc, "E0140-new-name", "'%.*s' is in use already", (int)in->token.length,
                   in->token.at);
        return diag_hint(d, "choose a name that the expression and the schedule do not have");
    }
    return fe_advance(in);
}

const char *fe_unused_name(const sam_statement *s, const char *prefix, uint32_t *n, arena *mem) {
    const char *name;
    name_id id;
    do {
        name = arena_printf(mem, "%s%u", prefix, ++*n);
        id = names_find(s->names, name);
    } while ((id.v && (fe_find_var(s, id).v || fe_find_tensor(s, id).v)) || fe_is_keyword(name));
    return name;
}
