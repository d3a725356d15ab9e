/* Bitstreams as functions: a description is made from the report of its folder, and a check runs the user's
 * command with random operands that keep the conditions. */
#include "cli/bitstream.h"
#include "frontend/functions/functions.h"
#include "frontend/language/language.h"
#include "kernel/functions.h"

#include <stdlib.h>
#include <unistd.h>

/* ---- check ------------------------------------------------------------------------------------- */

enum { LONGEST = 24, TRIES = 1000, MOST_CALLS = 3 /* along an index */ };

/* Finds extents of the indices: at random, until the conditions hold; 1 if they hold for nothing else. */
static void find_extents(const fe_capability *c, prng *random, uint32_t *extent) {
    bool holds = false;
    for (uint32_t t = 0; t < TRIES && !holds; t++) {
        holds = true;
        for (uint32_t v = 0; v < c->s.vars.len; v++)
            extent[v] = 1 + (t + 1 < TRIES ? prng_below(random, LONGEST) : 0);
        for (uint32_t i = 0; i < c->conditions.len; i++)
            holds = holds && fe_condition_value(c, c->conditions.at[i], extent);
    }
}

/* Returns an argument of -g for an operand: from empty to full. */
static const char *generator_of(const sam_statement *s, sam_tensor t, const uint32_t *extent, prng *random,
                                arena *mem) {
    static const char *const densities[] = {"0", "0.05", "0.3", "0.6", "1"};
    const char *text = arena_printf(mem, "%s:", fe_tensor_text(s, t));
    for (uint32_t m = 0; m < sam_tensor_at(s, t)->order; m++)
        text = arena_printf(mem, "%s%s%u", text, m ? "x" : "", extent[sam_index_of(s, t)[m].v - 1]);
    const char *density = densities[prng_below(random, 5)];
    return arena_printf(mem, "%s:%s:%u", text, density, prng_below(random, 1000));
}

/* Returns whether calls for tiles of an index add up to the whole: the index is of the result, or of a sum
 * around the whole expression. */
static bool may_split(const sam_statement *s, uint32_t v) {
    bool may = false;
    for (uint32_t m = 0; m < sam_tensor_at(s, s->result)->order; m++)
        may = may || s->result_index[m].v == v;
    for (sam_expr e = s->rhs; sam_expr_at(s, e)->kind == SAM_EXPR_SUM && !sam_expr_at(s, e)->operation;
         e = sam_expr_at(s, e)->a)
        may = may || sam_expr_at(s, e)->var.v == v;
    return may;
}

/* Makes operands of several calls' length along each index, the last possibly shorter. Returns the schedule's
 * text, and adds the number of calls. */
static const char *find_calls(const sam_statement *s, prng *random, uint32_t *extent, uint32_t *calls,
                              arena *mem) {
    const char *splits = "";
    uint32_t all = 1;
    for (uint32_t v = 0; v < s->vars.len; v++) {
        const uint32_t along = 1 + (uint32_t)prng_below(random, MOST_CALLS), one = extent[v];
        const char *name = fe_var_text(s, (sam_var){v + 1});
        if (along == 1 || !may_split(s, v + 1))
            continue;
        splits =
            arena_printf(mem, "%ssplit(%s,part_of_%s,in_part_of_%s,%u), ", splits, name, name, name, one);
        extent[v] = along * one - (uint32_t)prng_below(random, one);
        all *= along;
    }
    *calls += all;
    return splits;
}

/* Runs the function on random operands: in one call, or in several, added to *calls. */
static bool try_once(cli_session *s, const fe_user_function *f, prng *random, const char *folder,
                     bool several, uint32_t *calls) {
    arena *mem = &s->mem;
    const fe_capability *c = &f->described->states;
    const char *file = s->diag.sources.at[f->loc.source - 1].name, *command = "onyx run";
    char *expression = arena_strdup(mem, fe_capability_text(c, mem)), *when = strstr(expression, " when ");
    uint32_t extent[64] = {0};
    if (when)
        *when = '\0';
    find_extents(c, random, extent);
    const char *splits = several ? find_calls(&c->s, random, extent, calls, mem) : "";
    *calls += !several;
    text_vec argv = {0};
    const char *const first[] = {
        compile_program(&s->compile, "onyx"),
        "run",
        expression,
        "-s",
        arena_printf(mem, "%sbind(%s, %s)", splits, strstr(expression, " = ") + 3, f->name),
        "--functions",
        file,
        "--dtype",
        s->options.compile.tensors.dtype == TILE_DTYPE_BF16 ? "bf16" : "int16",
        "--board",
        f->described->bitstream->board,
        "--profile",
        f->described->bitstream->profile,
        "--engine",
        "cycle",
        "--quiet",
        "-o",
        folder};
    for (uint32_t i = 0; i < sizeof first / sizeof *first; i++)
        vec_push(mem, &argv, first[i]);
    for (uint32_t t = 2; t <= c->s.tensors.len; t++) {
        vec_push(mem, &argv, "-g");
        vec_push(mem, &argv, generator_of(&c->s, (sam_tensor){t}, extent, random, mem));
    }
    for (uint32_t i = 2; i < argv.len; i++)
        command = arena_printf(mem, "%s '%s'", command, argv.at[i]);
    vec_push(mem, &argv, NULL);
    const char *log = arena_printf(mem, "%s/log", folder);
    if (program_run(argv.at, log) == 0)
        return true;
    size_t length = 0;
    const char *said = file_read_if_there(log, mem, &length);
    diag_mismatch(&s->diag, f->loc, "E0166-function-check", "%s is not right, or does not run: %s", f->name,
                  command);
    return diag_hint(&s->diag, "it ended with:\n%s", said ? text_tail(said, length, 6) : "");
}

static bool check_bitstreams(cli_session *s, uint64_t seed, uint32_t inputs, uint32_t *checked) {
    const char *temporary = getenv("TMPDIR");
    char *folder = arena_printf(&s->mem, "%s/onyx-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    const fe_functions *all = s->compile.functions;
    bool ok = true, made = false;
    for (uint32_t i = 0; all && i < all->all.len; i++) {
        const fe_user_function *f = &all->all.at[i];
        prng random = prng_seed(seed);
        if (!f->described || !f->described->bitstream || f->other_type)
            continue;
        if (!made && !mkdtemp(folder))
            return diag_error(&s->diag, (src_loc){0}, "E0004-write", "cannot make a folder such as '%s'",
                              folder);
        made = true;
        bool right = true;
        for (uint32_t calls = 0; calls < inputs && right;)
            right = try_once(s, f, &random, folder, inputs > 1, &calls);
        *checked += right;
        ok = ok && right;
    }
    if (made)
        remove_folder(folder);
    return ok;
}

bool cli_check_bitstreams(cli_session *s, uint64_t seed, uint32_t *checked) {
    return check_bitstreams(s, seed, FE_CHECK_INPUTS, checked);
}

/* ---- describe ---------------------------------------------------------------------------------- */

/* Returns whether the written description reads back, and computes its statement for a random input. */
static bool is_right(cli_session *s, const char *path, tile_dtype dtype) {
    uint32_t checked = 0;
    s->options.compile.written.functions = (text_vec){0};
    s->options.compile.tensors.dtype = dtype;
    vec_push(&s->mem, &s->options.compile.written.functions, path);
    return compile_read_functions(&s->options.compile, NULL, &s->compile) &&
           check_bitstreams(s, 1, 1, &checked) && checked;
}

bool cli_describe_bitstream(cli_session *s) {
    const char *folder = s->options.arguments.at[1], *name = s->options.arguments.at[2], *lines = NULL,
               *path = arena_printf(&s->mem, "%s/%s.xf", folder, name);
    cJSON *report = json_read(arena_printf(&s->mem, "%s/report.json", folder), &s->diag);
    if (!report)
        return false;
    const cJSON *text = cJSON_GetObjectItemCaseSensitive(report, "description");
    lines = cJSON_IsString(text) ? arena_strdup(&s->mem, text->valuestring) : NULL;
    cJSON_Delete(report);
    if (!lines) {
        diag_error(&s->diag, (src_loc){0}, "E0177-bitstream",
                   "'%s' has no bitstream of one expression of whole operands", folder);
        return diag_hint(&s->diag,
                         "one kernel, with -O1 or more, without fills, semirings, slices and masks");
    }
    file_out f;
    if (!file_create(&f, path, &s->mem, &s->diag))
        return false;
    fprintf(f.stream,
            "# made by onyx functions bitstream: what is in this folder, called with other data\n"
            "name: %s\n%s",
            name, lines);
    if (!file_commit(&f, &s->diag))
        return false;
    if (!is_right(s, path, strstr(lines, "datatypes: bf16") ? TILE_DTYPE_BF16 : TILE_DTYPE_INT16)) {
        remove(path);
        return false;
    }
    if (!s->options.every.quiet)
        printf("%s, for --functions %s; onyx functions check holds it against its expression\n", path, path);
    return true;
}
