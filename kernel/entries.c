/* entries.c - an operand in blocks of equally many stored entries: pos with split in a schedule.
 *
 * A block is a coordinate of its own: with fuse(i,j,f), pos(f,fp,A), split(fp,p,q,8) the operand
 * ABlocks(p,i,j) has entry e of A at p = e / 8, and y(i) = A(i,j) * x(j) is y(i) = sum(p, ABlocks(p,i,j) *
 * x(j)), with copies that take 8 entries a turn. Below an outer index, pos(j,jp,A) counts the entries of each
 * row. Other loops of positions stand for the loops of the expression.
 */
#include "kernel/entries.h"
#include "frontend/language/language.h"
#include "kernel/source.h"
#include "support/fault.h"
#include "support/hash.h"
#include "tiling/numbers.h"

#include <stdlib.h>

enum { ARGUMENTS = 8 };

typedef struct {
    fe_span all, name, arg[ARGUMENTS];
    uint32_t n;
    const char *text; /* as it is written anew; NULL: left out */
} command;
typedef VEC(command) commands;

typedef struct {
    const compile_options *o;
    compile_context *ctx;
    commands of;
    const command *pos, *split;
    const char *gone;            /* names of loops of positions, with blanks between */
    const char *roots;           /* "i,j" */
    fe_span access, inside;      /* "A(i,j)", "i,j" */
    uint32_t order, first, last; /* the levels along which positions count */
} cutting;

static const char *text_of(const cutting *c, fe_span span) {
    return fe_text_of(span, c->ctx->mem);
}

/* ---- the schedule -------------------------------------------------------------------------------- */

/* Splits the schedule into commands; false if some text is no command. */
static bool read_commands(cutting *c) {
    for (uint32_t i = 0; i < c->o->written.schedule.len; i++) {
        const char *all = c->o->written.schedule.at[i];
        fe_span text = {all, strlen(all)}, inside;
        command one = {.n = 0};
        while (fe_next_command(&text, &one.all, &one.name, &inside)) {
            one.text = text_of(c, one.all);
            for (one.n = 0; inside.n && one.n < ARGUMENTS; one.n++)
                one.arg[one.n] = fe_next_item(&inside, "(){}");
            if (inside.n)
                return false;
            vec_push(c->ctx->mem, &c->of, one);
        }
        if (text.n)
            return false;
    }
    return true;
}

static const command *find(const cutting *c, const char *name, uint32_t at, fe_span arg) {
    for (uint32_t i = 0; i < c->of.len; i++) {
        const command *one = &c->of.at[i];
        if (fe_is(one->name, name) && at < one->n && fe_same(one->arg[at], arg))
            return one;
    }
    return NULL;
}

/* Adds the indices behind a loop; false if the loop is made by another command than fuse. */
static bool add_roots(cutting *c, fe_span loop) {
    arena *mem = c->ctx->mem;
    command *fuse = (command *)find(c, "fuse", 2, loop);
    if (fuse) {
        fuse->text = NULL;
        c->gone = arena_printf(mem, "%s %s", c->gone, text_of(c, loop));
        return add_roots(c, fuse->arg[0]) && add_roots(c, fuse->arg[1]);
    }
    c->roots = arena_printf(mem, "%s%s%s", c->roots, *c->roots ? "," : "", text_of(c, loop));
    return !find(c, "split", 1, loop) && !find(c, "split", 2, loop) && !find(c, "divide", 1, loop) &&
           !find(c, "divide", 2, loop) && !find(c, "bound", 1, loop) && !find(c, "pos", 1, loop);
}

/* Finds the only pos, the split of its loop, and copies of the blocks. */
static bool find_blocks(cutting *c) {
    for (uint32_t i = 0; i < c->of.len; i++) {
        command *one = &c->of.at[i];
        if (!fe_is(one->name, "pos"))
            continue;
        if (c->pos || one->n != 3)
            return false;
        c->pos = one;
        one->text = NULL;
    }
    if (!c->pos)
        return false;
    c->split = find(c, "split", 0, c->pos->arg[1]);
    c->split = c->split ? c->split : find(c, "divide", 0, c->pos->arg[1]);
    if (!c->split || c->split->n != 4)
        return false;
    const command *copies = find(c, "parallelize", 0, c->split->arg[1]);
    copies = copies ? copies : find(c, "unroll", 0, c->split->arg[1]);
    c->gone = arena_printf(c->ctx->mem, " %s %s", text_of(c, c->pos->arg[1]), text_of(c, c->split->arg[2]));
    return copies && add_roots(c, c->pos->arg[0]);
}

/* Writes a reorder with the indices in place of the last loop of positions. */
static void write_order(cutting *c, command *one) {
    arena *mem = c->ctx->mem;
    uint32_t last = ARGUMENTS;
    const char *list = "";
    for (uint32_t a = 0; a < one->n; a++)
        last = fe_has_word(c->gone, one->arg[a]) ? a : last;
    for (uint32_t a = 0; a < one->n; a++) {
        const char *loop = a == last                           ? c->roots
                           : fe_has_word(c->gone, one->arg[a]) ? ""
                                                               : text_of(c, one->arg[a]);
        list = arena_printf(mem, "%s%s%s", list, *list && *loop ? "," : "", loop);
    }
    one->text = arena_printf(mem, "reorder(%s)", list);
}

/* Writes a command without loops of positions; false if the command needs these. */
static bool write_command(cutting *c, command *one) {
    static const char *const changing[] = {"pos", "fuse", "bound", "bind", "map", "accelerate"};
    const bool cuts = fe_is(one->name, "split") || fe_is(one->name, "divide"),
               makes = fe_is(one->name, "precompute");
    bool about = false;
    for (uint32_t a = makes; a < one->n; a++)
        about = about || fe_has_word(c->gone, one->arg[a]);
    if (one == c->split) {
        one->text = arena_printf(c->ctx->mem, "reorder(%s,%s)", text_of(c, one->arg[1]), c->roots);
        return true;
    }
    for (uint32_t i = 0; i < sizeof changing / sizeof *changing; i++) {
        if (one->text && fe_is(one->name, changing[i]) && (about || i > 2))
            return false;
    }
    if (!one->text || !about)
        return !one->text || !makes || !fe_has_word(one->text, c->pos->arg[2]);
    if (fe_is(one->name, "reorder"))
        write_order(c, one);
    else
        one->text = NULL;
    for (uint32_t a = 1; a < one->n && (cuts || makes); a++)
        c->gone = arena_printf(c->ctx->mem, "%s %s", c->gone, text_of(c, one->arg[a]));
    return true;
}

/* ---- the expression ------------------------------------------------------------------------------ */

/* Finds the access of the operand, a factor of the right side, and the levels of the indices. */
static bool find_access(cutting *c, fe_span right) {
    fe_span text = right, name, rest;
    if (fe_length_to(right, "+-/<>=&|^%~!", "()") < right.n)
        return false;
    while (text.n && !c->access.n) {
        const fe_span factor = fe_trimmed((fe_span){text.at, fe_length_to(text, "*", "()")});
        text = fe_behind(text, fe_length_to(text, "*", "()") + 1);
        if (fe_split_call(factor, &name, &c->inside, &rest) && !rest.n && fe_same(name, c->pos->arg[2]))
            c->access = factor;
    }
    const char *roots = c->roots;
    fe_span all = c->inside, list = {roots, strlen(roots)};
    fe_span root = fe_next_item(&list, "()");
    bool begun = false, plain = c->access.n > 0;
    for (; all.n; c->order++) {
        const fe_span index = fe_next_item(&all, "()");
        plain = plain && fe_word_length(index) == index.n;
        if (!root.n || !fe_same(index, root))
            continue;
        plain = plain && (!begun || c->last + 1 == c->order);
        c->first = begun ? c->first : c->order;
        c->last = c->order;
        begun = true;
        root = fe_next_item(&list, "()");
    }
    return plain && begun && !root.n && c->order < SAM_MAX_ORDER;
}

/* Returns whether the word stands in the text once. */
static bool is_once(const char *text, fe_span word) {
    uint32_t n = 0;
    for (fe_span rest = {text, strlen(text)}; rest.n;) {
        const size_t length = fe_word_length(rest);
        n += length == word.n && strncmp(rest.at, word.at, length) == 0;
        rest = fe_behind(rest, length ? length : 1);
    }
    return n == 1;
}

/* Returns whether the operand is stored by letters in the order of its indices, compressed along the last
 * position. */
static bool is_compressed(const cutting *c, const char *name) {
    const char *format = compile_argument_for(&c->o->written.formats, name);
    const size_t n = format ? strcspn(format, ":") : 0;
    if (!format)
        return true;
    if (n != c->order || strspn(format, "dsucq") < n || format[c->last] == 'd')
        return false;
    uint32_t next = 0;
    for (const char *mode = format + n; *mode && *mode != '@'; mode++)
        next += *mode >= '0' && *mode <= '9' && (uint32_t)(*mode - '0') == next;
    return !format[n] || next == n;
}

/* ---- the operand --------------------------------------------------------------------------------- */

/* The number of positions in front of each entry, among those of the same outer coordinates; returns the most
 * of any of these. O(entries). */
static uint32_t count_positions(const cutting *c, const tile_tensor *t, uint32_t *position) {
    uint32_t most = 0;
    for (uint64_t e = 0; e < t->nnz; e++) {
        const uint32_t *now = t->crd + e * t->order, *before = now - t->order;
        const bool begins = !e || memcmp(now, before, sizeof *now * c->first) != 0,
                   moves = begins || memcmp(now, before, sizeof *now * (c->last + 1)) != 0;
        position[e] = begins ? 0 : position[e - 1] + moves;
        most = position[e] + 1 > most ? position[e] + 1 : most;
    }
    return most;
}

/* Sums hashes of the entries, without their first coordinates: equal sums of equal entries in any order. */
static uint64_t sum_of_entries(const tile_tensor *t, uint32_t first) {
    uint64_t sum = t->nnz;
    for (uint64_t e = 0; e < t->nnz; e++) {
        const double value = tile_number_at(TILE_DTYPE_INT16, t, e).exact;
        const uint64_t hash = hash_bytes(t->crd + e * t->order + first, sizeof *t->crd * (t->order - first));
        sum += hash_more(hash, &value, sizeof value);
    }
    return sum;
}

/* Returns how many operands appear before the cut one: the same values are generated without blocks. */
static uint32_t number_of(const cutting *c, fe_span before) {
    uint32_t n = 0;
    for (fe_span rest = before; rest.n;) {
        const size_t length = fe_word_length(rest);
        const fe_span word = {rest.at, length};
        const compile_source of = compile_source_of(c->o, text_of(c, word));
        const fe_span earlier = {before.at, (size_t)(rest.at - before.at)};
        n += length && compile_has_source(&of) && !fe_has_word(text_of(c, earlier), word);
        rest = fe_behind(rest, length ? length : 1);
    }
    return n;
}

/* Makes the operand with blocks as its first index. */
static bool make_blocks(const cutting *c, uint32_t number, compile_in_memory *out) {
    arena *mem = c->ctx->mem;
    const char *called = text_of(c, c->pos->arg[2]);
    const compile_source from = compile_source_of(c->o, called);
    const compile_taken as = {
        names_intern(c->ctx->names, called), called, c->order, 0, c->o->tensors.values, number};
    compile_options reading = *c->o;
    reading.tensors.dtype = TILE_DTYPE_INT16;
    reading.tensors.typing = COMPILE_TYPE_STATED;
    tile_tensor t = {0};
    diagnostics unheard, *const said = c->ctx->diag;
    diag_init(&unheard, mem);
    c->ctx->diag = &unheard;
    const bool taken = compile_has_source(&from) && compile_take(&reading, c->ctx, &from, &as, &t);
    c->ctx->diag = said;
    const uint32_t factor = (uint32_t)strtoul(text_of(c, c->split->arg[3]), NULL, 10);
    if (!taken || !factor || t.order != c->order || !t.nnz || t.dim_inferred)
        return false;
    uint32_t *position = arena_new_n(mem, uint32_t, t.nnz), dim[SAM_MAX_ORDER];
    uint32_t *crd = arena_new_n(mem, uint32_t, t.nnz * (t.order + 1));
    double *val = arena_new_n(mem, double, t.nnz);
    const uint32_t most = count_positions(c, &t, position);
    const uint32_t size = fe_is(c->split->name, "split") ? factor : (most + factor - 1) / factor;
    for (uint64_t e = 0; e < t.nnz; e++) {
        crd[e * (t.order + 1)] = position[e] / size;
        memcpy(crd + e * (t.order + 1) + 1, t.crd + e * t.order, sizeof *crd * t.order);
        val[e] = tile_number_at(TILE_DTYPE_INT16, &t, e).exact;
    }
    dim[0] = (most + size - 1) / size;
    memcpy(dim + 1, t.dim, sizeof *dim * t.order);
    if (!tile_from_entries(names_intern(c->ctx->names, out->name), t.order + 1, dim, t.nnz, crd, val,
                           TILE_DTYPE_ORIGINAL, out->name, mem, c->ctx->diag, &out->data))
        return false;
    /* The reference is computed of the blocks: an entry that they lack would be missing there, too. */
    BUG_IF(sum_of_entries(&t, 0) != sum_of_entries(&out->data, 1), "blocks have other entries");
    return true;
}

/* ---- options ------------------------------------------------------------------------------------- */

/* Returns the arguments "A:FILE" but for those of the operand. */
static text_vec without(const cutting *c, const text_vec *all) {
    text_vec kept = {0};
    for (uint32_t i = 0; i < all->len; i++) {
        if (!fe_same((fe_span){all->at[i], strcspn(all->at[i], ":")}, c->pos->arg[2]))
            vec_push(c->ctx->mem, &kept, all->at[i]);
    }
    return kept;
}

static const compile_options *write_options(const cutting *c, fe_span left, fe_span right,
                                            compile_in_memory *blocks) {
    arena *mem = c->ctx->mem;
    const fe_span block = c->split->arg[1];
    compile_options *own = arena_new(mem, compile_options), *uncut = arena_new(mem, compile_options);
    *own = *uncut = *c->o;
    own->written.uncut = uncut;
    own->written.schedule = (text_vec){0};
    own->tensors.in_memory.at = NULL;
    own->tensors.in_memory.len = own->tensors.in_memory.cap = 0;
    for (uint32_t i = 0; i < c->of.len; i++) {
        if (c->of.at[i].text)
            vec_push(mem, &own->written.schedule, c->of.at[i].text);
    }
    for (uint32_t i = 0; i < c->o->tensors.in_memory.len; i++) {
        if (!fe_is(c->pos->arg[2], c->o->tensors.in_memory.at[i].name))
            vec_push(mem, &own->tensors.in_memory, c->o->tensors.in_memory.at[i]);
    }
    vec_push(mem, &own->tensors.in_memory, *blocks);
    own->tensors.inputs = without(c, &c->o->tensors.inputs);
    own->tensors.generators = without(c, &c->o->tensors.generators);
    own->written.formats = without(c, &c->o->written.formats);
    own->written.typed = c->o->written.typed ? c->o->written.typed : c->o->written.expression;
    const size_t before = (size_t)(c->access.at - right.at);
    own->written.expression =
        arena_printf(mem, "%s= sum(%s, %s%s(%s,%s)%s)", text_of(c, left), text_of(c, block),
                     text_of(c, (fe_span){right.at, before}), blocks->name, text_of(c, block),
                     text_of(c, c->inside), text_of(c, fe_behind(right, before + c->access.n)));
    return own;
}

const compile_options *compile_cut_entries(const compile_options *o, compile_context *ctx) {
    cutting c = {.o = o, .ctx = ctx, .gone = "", .roots = ""};
    const char *text = o->written.expression;
    const fe_span all = {text, strlen(text)};
    const size_t n = fe_length_to(all, "=", "()");
    const fe_span left = {text, n}, right = fe_behind(all, n + 1);
    if (!o->written.schedule.len || o->written.semiring || n == all.n || text[n - 1] == '+' ||
        o->tensors.typing == COMPILE_TYPE_SCALED || !read_commands(&c) || !find_blocks(&c))
        return o;
    for (uint32_t i = 0; i < c.of.len; i++) {
        if (!write_command(&c, &c.of.at[i]))
            return o;
    }
    const char *name = text_of(&c, c.pos->arg[2]);
    compile_in_memory blocks = {.name = arena_printf(ctx->mem, "%sBlocks", name)};
    if (!find_access(&c, right) || !is_once(text, c.pos->arg[2]) || fe_has_word(text, c.split->arg[1]) ||
        strstr(text, blocks.name) || compile_argument_for(&o->written.fills, name) ||
        compile_argument_for(&o->written.types, name) || compile_argument_for(&o->written.dimensions, name) ||
        !is_compressed(&c, name) ||
        !make_blocks(&c, number_of(&c, (fe_span){right.at, (size_t)(c.access.at - right.at)}), &blocks))
        return o;
    return write_options(&c, left, right, &blocks);
}
