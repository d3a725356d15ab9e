/* onyx reduce: reduces a failing command to the smallest command with the same failure. */
#include "cli/reduce.h"
#include "cli/shrink.h"
#include "cli/usage.h"
#include "support/number.h"

#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    cli_session *s;
    const char *program, *work; /* onyx; the folder of the tries */
    cli_case best;
    case_end want;        /* how the command ends */
    VEC(uint64_t) failed; /* hashes of candidates with another outcome */
    uint32_t tries;
    bool stopped; /* by the user, or since nothing can be run */
} reduction;

/* ---- trying ----------------------------------------------------------------------------------- */

static uint64_t hash_of(const cli_case *c, const text_vec *words) {
    uint64_t hash = 0;
    for (uint32_t i = 0; i < words->len; i++)
        hash = hash_more(hash, words->at[i], strlen(words->at[i]));
    for (uint32_t o = 0; o < c->operands.len; o++) {
        const tile_tensor *t = &c->operands.at[o].data;
        hash = hash_more(hash, t->dim, sizeof t->dim);
        hash = hash_more(hash, t->nnz ? (const void *)t->crd : "", t->nnz * t->order * sizeof *t->crd);
        hash = hash_more(hash, t->nnz ? (const void *)t->val : "", t->nnz * sizeof *t->val);
    }
    return hash;
}

/* Returns whether a candidate fails as the command did. */
static bool fails(reduction *r, const cli_case *c) {
    case_end end;
    if (r->stopped)
        return false;
    const text_vec words =
        case_words(r->s, c, r->program, r->work, arena_printf(&r->s->mem, "%s/out", r->work));
    const uint64_t hash = hash_of(c, &words);
    for (uint32_t i = 0; i < r->failed.len; i++) {
        if (r->failed.at[i] == hash)
            return false;
    }
    r->stopped = !case_write_operands(r->s, c, r->work) || !case_run(r->s, words, r->work, NULL, &end);
    progress_count(r->s->progress.to, ++r->tries);
    const bool good = !r->stopped && end.code == r->want.code && strcmp(end.what, r->want.what) == 0;
    if (!good)
        vec_push(&r->s->mem, &r->failed, hash);
    return good;
}

static bool take(reduction *r, const cli_case *c) {
    const bool good = fails(r, c);
    if (good)
        r->best = *c;
    return good;
}

/* Returns a case with the vector of options, or of operands, its own. */
static cli_case copy(reduction *r) {
    cli_case c = r->best;
    arena *mem = &r->s->mem;
    memset(&c.options, 0, sizeof c.options);
    memset(&c.operands, 0, sizeof c.operands);
    for (uint32_t i = 0; i < r->best.options.len; i++)
        vec_push(mem, &c.options, r->best.options.at[i]);
    for (uint32_t i = 0; i < r->best.operands.len; i++)
        vec_push(mem, &c.operands, r->best.operands.at[i]);
    return c;
}

/* ---- options ---------------------------------------------------------------------------------- */

/* The cheapest engine with the same failure; soc is the default engine. */
static void choose_engine(reduction *r) {
    const char *const *engines = option_rows[OPTION_ENGINE].words;
    uint32_t given = 0;
    while (given < r->best.options.len && r->best.options.at[given].key != OPTION_ENGINE)
        given++;
    const char *now = given < r->best.options.len ? r->best.options.at[given].value : "soc";
    for (uint32_t e = 0; r->best.command == COMMAND_RUN && strcmp(engines[e], now) != 0; e++) {
        cli_case c = copy(r);
        const option_given engine = {OPTION_ENGINE, engines[e]};
        if (given == c.options.len)
            vec_push(&r->s->mem, &c.options, engine);
        else
            c.options.at[given] = engine;
        if (take(r, &c))
            return;
    }
}

static bool leave_out_option(reduction *r, uint32_t o) {
    cli_case c = copy(r);
    memmove(&c.options.at[o], &c.options.at[o + 1], (c.options.len - o - 1) * sizeof *c.options.at);
    c.options.len--;
    return take(r, &c);
}

/* Halves a number repeatedly, while the failure stays. */
static bool halve_option(reduction *r, uint32_t o) {
    const char *value = r->best.options.at[o].value;
    bool any = false;
    while (value && *value && !value[strspn(value, "0123456789")] && strlen(value) < 9) {
        cli_case c = copy(r);
        uint32_t number = 0;
        for (const char *digit = value; *digit; digit++)
            number = 10 * number + (uint32_t)(*digit - '0');
        if (number < 2)
            break;
        value = arena_printf(&r->s->mem, "%u", number / 2);
        c.options.at[o].value = value;
        if (!take(r, &c))
            break;
        any = true;
    }
    return any;
}

static bool reduce_options(reduction *r) {
    bool any = false;
    for (uint32_t o = r->best.options.len; o-- > 0;) {
        if (r->best.options.at[o].key == OPTION_ENGINE)
            continue;
        if (leave_out_option(r, o))
            any = true;
        else
            any = halve_option(r, o) || any;
    }
    return any;
}

/* ---- expression and schedule ------------------------------------------------------------------- */

/* Place of a text under reduction: the expression, or the value of an option. */
typedef struct {
    reduction *r;
    uint32_t option; /* UINT32_MAX: the expression */
} replaced;

static bool text_fails(void *to, const char *text) {
    const replaced *in = to;
    cli_case c = copy(in->r);
    if (in->option == UINT32_MAX)
        c.expression = text;
    else
        c.options.at[in->option].value = text;
    return take(in->r, &c);
}

static bool reduce_texts(reduction *r) {
    arena *mem = &r->s->mem;
    const uint32_t before = r->tries;
    replaced in = {r, UINT32_MAX};
    const char *old = r->best.expression;
    bool any = false;
    if (*old != '/') /* a graph's file stays unchanged */
        any = strcmp(shrink_text(old, text_fails, &in, mem), old) != 0;
    for (in.option = 0; in.option < r->best.options.len; in.option++) {
        const option_given o = r->best.options.at[in.option];
        if (o.key == OPTION_SCHEDULE)
            any = strcmp(shrink_text(o.value, text_fails, &in, mem), o.value) != 0 || any;
    }
    return any && r->tries > before;
}

/* ---- operands --------------------------------------------------------------------------------- */

/* Kept entries of an operand; the rest become nothing or ones. */
typedef struct {
    reduction *r;
    cli_case base;
    uint32_t operand;
    bool ones;
} entries;

static void keep_entries(const entries *in, const bool *keep, arena *mem, tile_tensor *t) {
    const tile_tensor *from = &in->base.operands.at[in->operand].data;
    const uint16_t one = in->base.dtype == TILE_DTYPE_BF16 ? 0x3f80 : 1;
    uint32_t *crd = arena_new_n(mem, uint32_t, from->nnz * from->order + 1);
    uint16_t *val = arena_new_n(mem, uint16_t, from->nnz + 1);
    *t = *from;
    t->crd = crd;
    t->val = val;
    t->nnz = 0;
    for (uint64_t e = 0; e < from->nnz; e++) {
        if (!keep[e] && !in->ones)
            continue;
        if (from->order)
            memcpy(&crd[t->nnz * from->order], &from->crd[e * from->order], from->order * sizeof *crd);
        val[t->nnz++] = keep[e] ? from->val[e] : one;
    }
}

static bool entries_fail(void *to, const bool *keep) {
    const entries *in = to;
    arena scratch = {0};
    cli_case c = copy(in->r);
    keep_entries(in, keep, &scratch, &c.operands.at[in->operand].data);
    const bool good = fails(in->r, &c);
    arena_free(&scratch);
    return good;
}

static bool reduce_entries(reduction *r, uint32_t operand, bool ones) {
    arena *mem = &r->s->mem;
    entries in = {r, copy(r), operand, ones};
    const tile_tensor *t = &in.base.operands.at[operand].data;
    if (t->nnz >= UINT32_MAX || !t->nnz)
        return false;
    bool *keep = arena_new_n(mem, bool, t->nnz + 1), any = false;
    for (uint64_t e = 0; e < t->nnz; e++)
        keep[e] = !ones || t->val[e] != (in.base.dtype == TILE_DTYPE_BF16 ? 0x3f80 : 1);
    bool *was = arena_new_n(mem, bool, t->nnz + 1);
    memcpy(was, keep, t->nnz);
    shrink_set((uint32_t)t->nnz, keep, entries_fail, &in);
    for (uint64_t e = 0; e < t->nnz; e++)
        any = any || keep[e] != was[e];
    if (any)
        keep_entries(&in, keep, mem, &r->best.operands.at[operand].data);
    return any;
}

/* ---- extents ---------------------------------------------------------------------------------- */

/* A dimension of an operand, by its index in the expression; dimensions of the same index, and indices of a
 * common dimension, have the same number. */
typedef struct {
    uint32_t operand, mode, number;
    const char *index;
} dimension;
typedef VEC(dimension) dimensions;

/* Adds the dimensions of an access whose bracket is at `at`. */
static void add_access(const text_vec *t, uint32_t at, uint32_t operand, uint32_t order, arena *mem,
                       dimensions *all) {
    for (uint32_t m = 0; m < order && at + 2 * m + 2 < t->len; m++) {
        dimension one = {operand, m, all->len, t->at[at + 2 * m + 1]};
        uint32_t merged = one.number;
        for (uint32_t i = 0; i < all->len; i++) {
            const dimension *other = &all->at[i];
            const bool same =
                (other->operand == operand && other->mode == m) || strcmp(other->index, one.index) == 0;
            merged = same && other->number < merged ? other->number : merged;
        }
        for (uint32_t i = 0; i < all->len; i++) {
            dimension *other = &all->at[i];
            if ((other->operand == operand && other->mode == m) || strcmp(other->index, one.index) == 0)
                other->number = merged;
        }
        one.number = merged;
        vec_push(mem, all, one);
        if (strcmp(t->at[at + 2 * m + 2], ",") != 0)
            return;
    }
}

static dimensions find_dimensions(const reduction *r, arena *mem) {
    const text_vec t = shrink_tokens(r->best.expression, mem);
    dimensions all = {0};
    for (uint32_t i = 0; *r->best.expression != '/' && i + 1 < t.len; i++) {
        for (uint32_t o = 0; o < r->best.operands.len; o++) {
            const case_operand *operand = &r->best.operands.at[o];
            if (strcmp(t.at[i], operand->tensor) == 0 && strcmp(t.at[i + 1], "(") == 0)
                add_access(&t, i + 1, o, operand->data.order, mem, &all);
        }
    }
    return all;
}

/* Kept coordinates along dimensions of the same number. */
typedef struct {
    reduction *r;
    cli_case base;
    const dimensions *all;
    uint32_t number, extent;
} coordinates;

/* Cuts a dimension down to the kept coordinates: new_at[] numbers them from 0 on, UINT32_MAX for dropped
 * ones. */
static void cut(tile_tensor *t, uint32_t mode, const uint32_t *new_at, uint32_t extent, arena *mem) {
    const tile_tensor from = *t;
    uint32_t *crd = arena_new_n(mem, uint32_t, from.nnz * from.order + 1);
    uint16_t *val = arena_new_n(mem, uint16_t, from.nnz + 1);
    t->dim[mode] = extent;
    t->nnz = 0;
    t->crd = crd;
    t->val = val;
    for (uint64_t e = 0; e < from.nnz; e++) {
        const uint32_t *at = &from.crd[e * from.order];
        if (new_at[at[mode]] == UINT32_MAX)
            continue;
        memcpy(&crd[t->nnz * from.order], at, from.order * sizeof *crd);
        crd[t->nnz * from.order + mode] = new_at[at[mode]];
        val[t->nnz++] = from.val[e];
    }
}

static void keep_coordinates(const coordinates *in, const bool *keep, arena *mem, cli_case *c) {
    uint32_t *new_at = arena_new_n(mem, uint32_t, in->extent + 1), extent = 0;
    for (uint32_t i = 0; i < in->extent; i++)
        new_at[i] = keep[i] ? extent++ : UINT32_MAX;
    for (uint32_t o = 0; o < c->operands.len; o++) {
        tile_tensor *t = &c->operands.at[o].data;
        for (uint32_t m = 0; m < t->order; m++) {
            bool is_one = false;
            for (uint32_t i = 0; i < in->all->len; i++) {
                const dimension *d = &in->all->at[i];
                is_one = is_one || (d->number == in->number && d->operand == o && d->mode == m);
            }
            if (is_one)
                cut(t, m, new_at, extent, mem);
        }
    }
}

static bool coordinates_fail(void *to, const bool *keep) {
    const coordinates *in = to;
    arena scratch = {0};
    cli_case c = copy(in->r);
    bool any = false;
    for (uint32_t i = 0; i < in->extent; i++)
        any = any || keep[i];
    keep_coordinates(in, keep, &scratch, &c);
    const bool good = any && fails(in->r, &c); /* an extent is at least 1 */
    arena_free(&scratch);
    return good;
}

static bool reduce_extent(reduction *r, const dimensions *all, uint32_t number) {
    arena *mem = &r->s->mem;
    coordinates in = {r, copy(r), all, number, 0};
    for (uint32_t i = 0; i < all->len; i++) {
        const dimension *d = &all->at[i];
        const uint32_t extent = in.base.operands.at[d->operand].data.dim[d->mode];
        if (d->number == number && in.extent && extent != in.extent)
            return false; /* unlike extents may be the mistake itself */
        in.extent = d->number == number ? extent : in.extent;
    }
    if (in.extent < 2)
        return false;
    bool *keep = arena_new_n(mem, bool, in.extent);
    memset(keep, true, in.extent);
    shrink_set(in.extent, keep, coordinates_fail, &in);
    if (!memchr(keep, false, in.extent))
        return false;
    cli_case c = copy(r);
    keep_coordinates(&in, keep, mem, &c);
    r->best = c;
    return true;
}

static bool reduce_data(reduction *r) {
    bool any = false;
    const dimensions all = find_dimensions(r, &r->s->mem);
    for (uint32_t d = 0; d < all.len; d++) {
        if (all.at[d].number == d)
            any = reduce_extent(r, &all, d) || any;
    }
    for (uint32_t o = 0; o < r->best.operands.len; o++) {
        any = reduce_entries(r, o, false) || any;
        any = reduce_entries(r, o, true) || any;
    }
    return any;
}

/* ---- the command ------------------------------------------------------------------------------ */

static uint64_t count_entries(const cli_case *c) {
    uint64_t n = 0;
    const case_operand *end = c->operands.at + c->operands.len;
    for (const case_operand *o = c->operands.at; o < end; o++)
        n += o->data.nnz;
    return n;
}

static void reduce_all(reduction *r) {
    enum { ROUNDS = 5 };
    progress_stage(r->s->progress.to, "trying less", 0);
    choose_engine(r);
    for (uint32_t round = 0; round < ROUNDS && !r->stopped; round++) {
        bool any = reduce_options(r);
        any = reduce_data(r) || any;
        any = reduce_texts(r) || any;
        if (!any)
            break;
    }
}

/* Writes the operands, and runs the reduced command's folder. */
static bool leave(reduction *r, const char *folder, const char **line) {
    case_end end;
    const text_vec words = case_words(r->s, &r->best, r->program, folder, folder);
    text_vec typed = {0};
    for (uint32_t i = 0; i < words.len; i++)
        vec_push(&r->s->mem, &typed, i ? words.at[i] : "onyx");
    *line = cli_shell(&typed, &r->s->mem);
    r->s->compile.interrupted = false; /* the result found up to then is written, too */
    const bool ok = case_write_operands(r->s, &r->best, folder) && case_run(r->s, words, r->work, NULL, &end);
    remove_folder(r->work);
    return ok;
}

bool reduce_case(cli_session *s, const char *of, const char *folder, const char **line) {
    reduction r = {.s = s, .program = compile_program(&s->compile, "onyx")};
    r.work = arena_printf(&s->mem, "%s/tries", folder);
    if (!case_read(s, of, &r.best) || !make_folder(r.work, &s->diag))
        return false;
    case_take_operands(s, r.work, &r.best);
    const double begin = seconds_now();
    const uint64_t entries_before = count_entries(&r.best);
    const uint32_t options_before = r.best.options.len;
    const text_vec words = case_words(s, &r.best, r.program, r.work, arena_printf(&s->mem, "%s/out", r.work));
    if (!case_write_operands(s, &r.best, r.work) || !case_run(s, words, r.work, NULL, &r.want))
        return false;
    if (!r.want.code) {
        remove_folder(r.work);
        rmdir(folder); /* the folder stays if not empty */
        return diag_error(&s->diag, (src_loc){0}, "E0952-no-failure", "the command of '%s' does not fail now",
                          of);
    }
    reduce_all(&r);
    if (diag_failed(&s->diag) || !leave(&r, folder, line))
        return false;
    cli_progress_end(s);
    if (!s->options.every.quiet) {
        printf("it ends with %d, %s%s%s\n", r.want.code, r.want.what, *r.want.what ? ": " : "", r.want.says);
        if (entries_before)
            printf("%llu of %llu %s, ", (unsigned long long)count_entries(&r.best),
                   (unsigned long long)entries_before, plural(entries_before, "nonzero", "nonzeros"));
        number_print(stdout, "%u of %u %s left, after %u runs in %.1f s%s\n", r.best.options.len,
                     options_before, plural(options_before, "option is", "options are"), r.tries,
                     seconds_now() - begin, r.stopped ? ", where it was interrupted" : "");
    }
    return true;
}

int command_reduce(int argc, char **argv) {
    cli_session s;
    cli_session_begin(&s);
    const char *line = NULL;
    bool ok = cli_parse(&s, COMMAND_REDUCE, argc, argv) &&
              cli_want_arguments(&s, 1, option_commands[COMMAND_REDUCE].arguments);
    if (ok) {
        const char *folder = s.options.arguments.at[0], *out = s.options.compile.files.out;
        ok = reduce_case(&s, folder, out ? out : arena_printf(&s.mem, "%s/reduced", folder), &line);
    }
    if (ok)
        puts(line);
    return cli_session_end(&s, ok);
}
