/* Operands: the file or generator of each tensor of the statement. */
#include "kernel/operands.h"
#include "frontend/lowering/lowering.h"
#include "kernel/diagonals.h"
#include "kernel/format_parts.h"
#include "kernel/gather.h"
#include "kernel/needed.h"
#include "kernel/runs.h"
#include "kernel/source.h"
#include "kernel/structures.h"
#include "kernel/words.h"
#include "kernel/written.h"
#include "sam/coordinates.h"
#include "support/refusals.h"

#include <ctype.h>
#include <stdlib.h>

/* The user's name of a tensor. */
static const char *called(const compile_context *ctx, const sam_tensor_data *t) {
    return names_text(ctx->names, t->called.v ? t->called : t->name);
}

/* Handle of the tensor named by a "T:rest" argument, 0 for none; the result first among equal names. */
static sam_tensor named_by(const char *argument, const compile_context *ctx, const sam_statement *st) {
    size_t length = strcspn(argument, ":");
    for (uint32_t t = 1; argument[length] == ':' && t <= st->tensors.len; t++) {
        const char *name = called(ctx, sam_tensor_at(st, (sam_tensor){t}));
        if (strlen(name) == length && strncmp(name, argument, length) == 0)
            return (sam_tensor){t};
    }
    return (sam_tensor){0};
}

static const char *operand_names(compile_context *ctx, const sam_statement *st) {
    const char *all = "";
    for (uint32_t t = 1; t <= st->tensors.len; t++) {
        const char *name = called(ctx, sam_tensor_at(st, (sam_tensor){t}));
        if (t != st->result.v)
            all = arena_printf(ctx->mem, "%s%s%s", all, *all ? ", " : "", name);
    }
    return all;
}

/* Returns whether an operand holds the result's earlier value. */
static bool reads_result(const sam_statement *st) {
    const name_id result = sam_tensor_at(st, st->result)->name;
    bool reads = false;
    for (uint32_t t = 0; t < st->tensors.len; t++)
        reads = reads || (st->tensors.at[t].called.v && name_eq(st->tensors.at[t].called, result));
    return reads;
}

/* Checks that every -i and -g names an operand of the statement, once. */
static bool all_known(const text_vec *arguments, const char *option, compile_context *ctx,
                      const sam_statement *st) {
    for (uint32_t i = 0; i < arguments->len; i++) {
        sam_tensor t = named_by(arguments->at[i], ctx, st);
        if (!t.v && compile_is_gathered(ctx, arguments->at[i]))
            continue;
        if (!t.v || (t.v == st->result.v && !reads_result(st))) {
            diag_error(ctx->diag, (src_loc){0}, "E0910-operand",
                       "%s %s does not name an operand of the expression", option, arguments->at[i]);
            return diag_hint(
                ctx->diag, "write the tensor's name, a colon, and the file or generator; the operands are %s",
                operand_names(ctx, st));
        }
        const char *first = compile_argument_for(arguments, called(ctx, sam_tensor_at(st, t)));
        if (first != strchr(arguments->at[i], ':') + 1)
            return diag_error(ctx->diag, (src_loc){0}, "E0914-twice", "a second %s %s", option,
                              arguments->at[i]);
    }
    return true;
}

bool compile_check_names(const compile_options *o, compile_context *ctx, const sam_statement *st) {
    for (uint32_t i = 0; i < o->written.types.len; i++) {
        if (named_by(o->written.types.at[i], ctx, st).v)
            continue;
        return diag_error(ctx->diag, (src_loc){0}, "E0910-operand",
                          "-t %s does not name a tensor of the expression", o->written.types.at[i]);
    }
    for (uint32_t i = 0; i < o->tensors.outputs.len; i++) {
        if (named_by(o->tensors.outputs.at[i], ctx, st).v == st->result.v) {
            const sam_tensor_data *t = sam_tensor_at(st, st->result);
            const compile_written w = {
                .path = strchr(o->tensors.outputs.at[i], ':') + 1,
                .format = compile_argument_for(&o->written.formats, names_text(ctx->names, t->name)),
                .order = t->order};
            if (!compile_can_write(o, ctx, &w))
                return false;
            continue;
        }
        diag_error(ctx->diag, (src_loc){0}, "E0910-operand", "-o %s does not name the result",
                   o->tensors.outputs.at[i]);
        return diag_hint(ctx->diag, "only the result is written, %s here",
                         names_text(ctx->names, sam_tensor_at(st, st->result)->name));
    }
    text_vec given = {0};
    for (uint32_t i = 0; i < o->tensors.in_memory.len; i++)
        vec_push(ctx->mem, &given, arena_printf(ctx->mem, "%s:", o->tensors.in_memory.at[i].name));
    return all_known(&given, "operand", ctx, st) && all_known(&o->tensors.inputs, "-i", ctx, st) &&
           all_known(&o->tensors.generators, "-g", ctx, st);
}

enum { DEFAULT_EXTENT = 42 }; /* taco's */

/* taco's fills, and their density here; NULL: an unsupported pattern. */
static const struct {
    char letter;
    const char *density, *pattern;
} fills[] = {{'d', "1", "dense"},           {'u', "1", "uniform"},
             {'r', "1", "random"},          {'s', "0.07", "sparse"},
             {'h', "0.005", "hypersparse"}, {'v', NULL, "vertical slices"},
             {'l', NULL, "slices"},         {'f', NULL, "FEM"},
             {'b', NULL, "blocked"}};

static bool is_fill(const char *spec) {
    return isalpha((unsigned char)spec[0]) != 0;
}

/* Returns the generator for taco's fill: "42x80:0.07" for "s" and an access of the tensor. */
static const char *fill_generator(const char *spec, const sam_expr_data *access, uint32_t order,
                                  const uint32_t *extent, compile_context *ctx) {
    const char *known = "";
    for (size_t i = 0; i < sizeof fills / sizeof *fills; i++) {
        if (spec[0] != fills[i].letter || spec[1]) {
            known = fills[i].density
                        ? arena_printf(ctx->mem, "%s%s%c", known, *known ? ", " : "", fills[i].letter)
                        : known;
            continue;
        }
        if (!fills[i].density) {
            diag_error(ctx->diag, (src_loc){0}, "E0913-fill", "fill '%c' (%s) is not made here", spec[0],
                       fills[i].pattern);
            diag_hint(ctx->diag, "use a density, such as 100x80:0.05, or read a file with -i");
            return NULL;
        }
        const char *dims = "";
        for (uint32_t m = 0; m < order; m++) {
            uint32_t dim = extent[access->index[m].v - 1];
            dims = arena_printf(ctx->mem, "%s%s%u", dims, m ? "x" : "", dim ? dim : DEFAULT_EXTENT);
        }
        return arena_printf(ctx->mem, "%s:%s", dims, fills[i].density);
    }
    diag_error(ctx->diag, (src_loc){0}, "E0913-fill", "there is no fill '%s'", spec);
    diag_hint(ctx->diag, "fills are %s", known);
    return NULL;
}

static const sam_expr_data *first_access(const sam_statement *st, sam_tensor t) {
    const sam_expr_data *access = sam_access_of(st, t);
    BUG_IF(!access, "an operand that nothing uses");
    return access;
}

/* Exactly one of memory, -i and -g sets a tensor. */
static bool one_source(const compile_source *of, const char *name, src_loc loc, compile_context *ctx) {
    const char *file = of->file, *spec = of->generator;
    const bool given = of->in_memory != NULL;
    if (given && (file || spec))
        diag_error(ctx->diag, loc, "E0914-twice", "%s is given in memory, and has -%c", name,
                   file ? 'i' : 'g');
    if (given)
        return !file && !spec;
    if (!file && !spec) {
        diag_error(ctx->diag, loc, "E0911-no-data", "nothing says what %s holds", name);
        diag_hint(ctx->diag, "give -i %s:FILE, or -g %s:DIMS:DENSITY", name, name);
    } else if (file && spec) {
        diag_error(ctx->diag, loc, "E0914-twice", "%s has both -i %s and -g %s", name, file, spec);
    }
    return !file != !spec;
}

/* Makes a generator of a taco fill by the extents. */
static bool fill(compile_context *ctx, const sam_statement *st, sam_tensor t, const uint32_t *extent,
                 compile_source *from) {
    const sam_tensor_data *tensor = sam_tensor_at(st, t);
    if (tensor->windowed) {
        diag_error(ctx->diag, tensor->loc, "E0913-fill", "the parts of %s do not say how large it is",
                   called(ctx, tensor));
        return diag_hint(ctx->diag, "use sizes and a density, such as 100x80:0.05, or read a file with -i");
    }
    from->generator = fill_generator(from->generator, first_access(st, t), tensor->order, extent, ctx);
    return from->generator != NULL;
}

/* A file without dimensions gets those of -d NAME:SIZES if windows of the tensor are taken, since
 * windows' indices have smaller extents. */
static bool take_stated_extents(const compile_options *o, compile_context *ctx, const sam_tensor_data *tensor,
                                tile_tensor *out) {
    const char *said = compile_argument_for(&o->written.dimensions, called(ctx, tensor));
    uint32_t stated[SAM_MAX_ORDER], n = 0;
    while (said && n < SAM_MAX_ORDER && *said) {
        char *end = NULL;
        stated[n++] = (uint32_t)strtoul(said, &end, 10);
        said = *end == ',' ? end + 1 : end == said ? NULL : end;
    }
    if (!tensor->windowed || !out->dim_inferred || n != out->order)
        return true;
    for (uint32_t m = 0; m < n; m++) {
        if (stated[m] < out->dim[m])
            return diag_error(ctx->diag, tensor->loc, "E0320-dimension",
                              "-d says that index %u of %s runs to %u, and its file has a coordinate %u", m,
                              called(ctx, tensor), stated[m], out->dim[m]);
        out->dim[m] = stated[m];
    }
    out->dim_inferred = false;
    return true;
}

/* Reads operand `number` of the seeds; fills are made once the other operands' extents are known (not
 * NULL). */
static bool read_operand(const compile_options *o, compile_context *ctx, const sam_statement *st,
                         sam_tensor t, uint32_t number, const uint32_t *extent, tile_tensor *out) {
    const sam_tensor_data *tensor = sam_tensor_at(st, t);
    const compile_taken as = {tensor->name,  called(ctx, tensor), sam_source_order(tensor),
                              tensor->scale, o->tensors.values,   number};
    compile_source from = compile_source_of(o, as.called);
    if (!one_source(&from, as.called, tensor->loc, ctx))
        return false;
    const bool filled = from.generator && is_fill(from.generator);
    if (filled != (extent != NULL))
        return true; /* in the other pass */
    if ((filled && !fill(ctx, st, t, extent, &from)) || !compile_take(o, ctx, &from, &as, out))
        return false;
    if (from.file)
        return take_stated_extents(o, ctx, tensor, out);
    return !from.generator || out->order == as.order ||
           diag_error(ctx->diag, tensor->loc, "E0912-order", "-g %s makes a tensor of order %u, %s has %u %s",
                      from.generator, out->order, as.called, as.order, plural(as.order, "index", "indices"));
}

/* Returns the tensor read for an earlier operand from the same file, NULL for none. all[] has whole tensors,
 * sources[] those of windows. */
static const tile_tensor *read_before(const compile_options *o, compile_context *ctx, const sam_statement *st,
                                      sam_tensor t, const tile_tensor *all, const tile_tensor *sources) {
    const sam_tensor_data *tensor = sam_tensor_at(st, t);
    const char *name = called(ctx, tensor);
    const compile_source of = compile_source_of(o, name);
    if (!of.file || of.in_memory || of.generator)
        return NULL;
    const char *file = compile_operand_path(ctx, of.file, name);
    for (uint32_t u = 1; u < t.v; u++) {
        const sam_tensor_data *other = sam_tensor_at(st, (sam_tensor){u});
        const char *its =
            u != st->result.v ? compile_argument_for(&o->tensors.inputs, called(ctx, other)) : NULL;
        if (its && strcmp(compile_operand_path(ctx, its, called(ctx, other)), file) == 0 &&
            sam_source_order(other) == sam_source_order(tensor))
            return other->windowed ? &sources[u - 1] : &all[u - 1];
    }
    return NULL;
}

/* Returns the number of the operand: the number of the first operand with the same user name. */
static uint32_t number_of(compile_context *ctx, const sam_statement *st, sam_tensor t, uint32_t *numbers,
                          uint32_t *next) {
    const char *name = called(ctx, sam_tensor_at(st, t));
    for (uint32_t u = 1; u < t.v; u++) {
        if (u != st->result.v && strcmp(called(ctx, sam_tensor_at(st, (sam_tensor){u})), name) == 0)
            return numbers[t.v - 1] = numbers[u - 1];
    }
    return numbers[t.v - 1] = (*next)++;
}

/* ---- windows --------------------------------------------------------------------------------- */

/* Lists the windows of an operand, its own and the chained ones, of tensors read. Returns their number: 0 for
 * a whole operand. */
static uint32_t list_windows(compile_context *ctx, const sam_statement *st, const tile_tensor *whole,
                             const sam_tensor_data *as, tile_cut *out) {
    uint32_t n = 0;
    as = as->windowed && !as->border.spare ? as : NULL;
    while (as) {
        const sam_tensor_data *next = NULL;
        for (uint32_t t = 0; t < st->tensors.len; t++) {
            if (name_eq(st->tensors.at[t].name, as->name) && whole[t].name.v)
                out[n++] = (tile_cut){&whole[t], as, called(ctx, as)};
            if (as->border.beyond.v && name_eq(st->tensors.at[t].name, as->border.beyond))
                next = &st->tensors.at[t];
        }
        as = next;
    }
    return n;
}

/* Finds the extents of a window's indices, from its tensors: an index that may leave one tensor need not
 * leave another. */
static bool begin_window(compile_context *ctx, const tile_cut *windows, uint32_t n, tile_tensor *out) {
    *out = (tile_tensor){.name = windows->as->name, .order = windows->as->order};
    for (uint32_t m = 0; m < out->order; m++)
        out->dim[m] = TILE_OPEN;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t dim[SAM_MAX_ORDER];
        if (!tile_cut_extents(&windows[k], dim, ctx->diag))
            return false;
        for (uint32_t m = 0; m < out->order; m++) {
            bool open = dim[m] == TILE_OPEN;
            if (!open && out->dim[m] != TILE_OPEN && dim[m] != out->dim[m])
                return diag_error(ctx->diag, windows[k].as->loc, "E0320-dimension",
                                  "index %u runs to %u in this part of %s but to %u in another one", m,
                                  dim[m], windows[k].from, out->dim[m]);
            out->dim[m] = open ? out->dim[m] : dim[m];
            out->dim_inferred = out->dim_inferred || (!open && windows[k].of->dim_inferred);
        }
    }
    return true;
}

/* Lets a stated extent hold for a shifted index: what it leaves out, or has more, lies outside of the tensor.
 */
static void leave_stated(const sam_statement *st, const sam_tensor_data *as, const sam_expr_data *access,
                         tile_tensor *operand) {
    for (uint32_t m = 0; m < as->order; m++) {
        const sam_window *w = &as->window[m];
        if (!w->stride && (w->low || w->down || w->times > 1) && st->vars.at[access->index[m].v - 1].extent)
            operand->dim[m] = TILE_OPEN;
    }
}

static bool begin_windows(compile_context *ctx, const sam_statement *st, const tile_tensor *whole,
                          tile_tensor *data) {
    tile_cut *windows = arena_new_n(ctx->mem, tile_cut, st->tensors.len);
    bool ok = true;
    for (uint32_t t = 0; t < st->tensors.len && ok; t++) {
        const uint32_t n = list_windows(ctx, st, whole, &st->tensors.at[t], windows);
        ok = !n || begin_window(ctx, windows, n, &data[t]);
        if (n && ok)
            leave_stated(st, &st->tensors.at[t], first_access(st, (sam_tensor){t + 1}), &data[t]);
    }
    return ok;
}

/* Returns how far an index runs in a window of a mode with `size` coordinates. */
static int64_t reach_of_window(const sam_window *w, int64_t size, bool alone) {
    const int64_t times = w->times ? w->times : 1, low = w->low;
    if (alone && times == 1)
        return size;
    if (w->down)
        return low < 0 ? 0 : low / times + 1;
    return (size - low + times - 1) / times;
}

/* Extent of index m of a window without other information: for a single window its tensor's extent; for
 * several, or an index used several times, the end of the last window. 0: unknown. */
static uint32_t reach_of(const tile_cut *windows, uint32_t n, uint32_t m) {
    uint32_t source = 0;
    int64_t reach = 0;
    if (!sam_begins_mode(windows->as, m))
        return 0;
    for (uint32_t i = 1; i <= m; i++)
        source += sam_begins_mode(windows->as, i);
    for (uint32_t k = 0; k < n; k++) {
        const sam_window *w = &windows[k].as->window[m];
        const int64_t end = reach_of_window(w, windows[k].of->dim[source], n == 1);
        reach = end > reach ? end : reach;
    }
    return (uint32_t)reach;
}

/* Sets unknown extents to the reach of windows. */
static bool reach_extents(compile_context *ctx, const sam_statement *st, const tile_tensor *whole,
                          const tile_operands *all, uint32_t **extent) {
    tile_cut *windows = arena_new_n(ctx->mem, tile_cut, st->tensors.len);
    if (!tile_known_extents(st, all, ctx->mem, ctx->diag, extent))
        return false;
    bool *open = arena_new_n(ctx->mem, bool, st->vars.len + 1);
    for (uint32_t v = 0; v < st->vars.len; v++)
        open[v] = !(*extent)[v];
    for (uint32_t t = 1; t <= st->tensors.len; t++) {
        const sam_tensor_data *as = sam_tensor_at(st, (sam_tensor){t});
        const uint32_t n = list_windows(ctx, st, whole, as, windows);
        for (uint32_t m = 0; n && m < as->order; m++) {
            uint32_t v = first_access(st, (sam_tensor){t})->index[m].v - 1;
            uint32_t reach = open[v] && all->operand[t - 1].dim[m] == TILE_OPEN ? reach_of(windows, n, m) : 0;
            (*extent)[v] = reach > (*extent)[v] ? reach : (*extent)[v];
        }
    }
    return true;
}

/* Whether an index is added to another, with an entry of the window for each of its coordinates. */
static bool adds_indices(const sam_tensor_data *as) {
    return sam_source_order(as) < as->order;
}

/* Makes the operand of ones where a slice of this mode has its coordinates. */
static void make_slice(const compile_options *o, compile_context *ctx, const sam_window *w, uint32_t dim,
                       tile_tensor *out) {
    const uint32_t high = w->high < dim ? w->high : dim, low = (uint32_t)w->low;
    out->order = 1;
    out->dim[0] = dim;
    out->nnz = low < high ? (high - low - 1) / w->stride + 1 : 0;
    uint32_t *crd = arena_new_n(ctx->mem, uint32_t, out->nnz + 1);
    uint16_t *val = arena_new_n(ctx->mem, uint16_t, out->nnz + 1);
    for (uint32_t c = 0; c < out->nnz; c++) {
        crd[c] = low + c * w->stride;
        val[c] = sam_literal_word(1, o->tensors.dtype == TILE_DTYPE_BF16);
    }
    out->crd = crd;
    out->val = val;
}

/* Adds, after the statement's own operands, the operands of kernels with kept slices: the user's tensors, and
 * ones at the slices' coordinates. */
static void add_kept(const compile_options *o, compile_context *ctx, const sam_statement *st,
                     const tile_tensor *whole, tile_tensor *data, uint32_t *n) {
    for (uint32_t t = 0; t < st->tensors.len; t++) {
        const sam_tensor_data *as = &st->tensors.at[t];
        if (!fe_is_sliced(as))
            continue;
        data[*n] = whole[t];
        data[(*n)++].name = as->called;
        for (uint32_t m = 0; m < as->order; m++) {
            if (!as->window[m].stride)
                continue;
            data[*n].name = fe_slice_name(st, as, m);
            make_slice(o, ctx, &as->window[m], whole[t].dim[m], &data[(*n)++]);
        }
    }
}

/* Makes the operands that are windows, once all other operands are present. */
static bool make_windows(const compile_options *o, compile_context *ctx, const sam_statement *st,
                         const tile_tensor *whole, const tile_operands *all, tile_tensor *data) {
    tile_cut *windows = arena_new_n(ctx->mem, tile_cut, st->tensors.len);
    uint32_t *extent = NULL;
    if (!reach_extents(ctx, st, whole, all, &extent))
        return false;
    for (uint32_t t = 1; t <= st->tensors.len; t++) {
        const sam_tensor_data *as = sam_tensor_at(st, (sam_tensor){t});
        tile_tensor *out = &data[t - 1];
        const uint32_t n = list_windows(ctx, st, whole, as, windows);
        bool known = true;
        if (!n)
            continue;
        for (uint32_t m = 0; m < as->order; m++) {
            const uint32_t v = first_access(st, (sam_tensor){t})->index[m].v - 1;
            /* A file without dimensions may hold only the beginning of a tensor. */
            known = known && (extent[v] || out->dim[m] != TILE_OPEN);
            if (out->dim[m] == TILE_OPEN || (out->dim_inferred && out->dim[m] < extent[v]))
                out->dim[m] = extent[v];
        }
        out->dim_inferred = out->dim_inferred || !known;
        tile_joint joint = {.windows = windows, .n = n};
        for (uint32_t m = 0; m < as->order; m++)
            joint.same[m] = (uint8_t)m;
        if (adds_indices(as))
            compile_find_needed(st, (sam_tensor){t}, data, ctx->mem, &joint);
        if (!compile_join_windows(ctx, &joint, o->cutting.slices == COMPILE_SLICES_KEPT && fe_is_sliced(as),
                                  out))
            return false;
    }
    return true;
}

/* An operand whose file states no dimensions goes as far as its indices do, also where its last rows are
 * empty. */
static void reach_extents_of(const sam_statement *st, const uint32_t *extent, tile_tensor *data) {
    for (uint32_t t = 1; t <= st->tensors.len; t++) {
        tile_tensor *one = &data[t - 1];
        const sam_expr_data *access = sam_access_of(st, (sam_tensor){t});
        const bool short_of =
            one->dim_inferred && access && one->order == sam_tensor_at(st, access->tensor)->order;
        for (uint32_t m = 0; short_of && m < one->order; m++) {
            const uint32_t now = extent[access->index[m].v - 1];
            one->dim[m] = one->dim[m] != TILE_OPEN && one->dim[m] < now ? now : one->dim[m];
        }
    }
}

bool compile_read_operands(const compile_options *o, compile_context *ctx, const sam_statement *st,
                           compile_data *out) {
    if (out->operands.operand)
        return true;
    tile_tensor *data = arena_new_n(ctx->mem, tile_tensor, st->tensors.len * (2 + SAM_MAX_ORDER));
    tile_operands all = {data, st->tensors.len, o->tensors.dtype};
    tile_tensor *whole = arena_new_n(ctx->mem, tile_tensor, st->tensors.len); /* of those that are windows */
    uint32_t *known = NULL, *numbers = arena_new_n(ctx->mem, uint32_t, st->tensors.len + 1);
    for (uint32_t pass = 0; pass < 2; pass++) {
        uint32_t number = 0; /* operands in order of first appearance: the seeds of -g */
        for (uint32_t t = 1; t <= st->tensors.len; t++) {
            const sam_tensor_data *its = sam_tensor_at(st, (sam_tensor){t});
            const bool windowed = its->windowed;
            const tile_tensor *same =
                pass || t == st->result.v ? NULL : read_before(o, ctx, st, (sam_tensor){t}, data, whole);
            if (same) {
                tile_tensor *to = windowed ? &whole[t - 1] : &data[t - 1];
                *to = *same;
                to->name = its->name;
                number_of(ctx, st, (sam_tensor){t}, numbers, &number);
            } else if (t != st->result.v &&
                       !read_operand(o, ctx, st, (sam_tensor){t},
                                     number_of(ctx, st, (sam_tensor){t}, numbers, &number), known,
                                     windowed ? &whole[t - 1] : &data[t - 1]))
                return false;
        }
        out->whole = whole;
        out->operands = all; /* also if they do not fit together: onyx reduce examines them */
        if (!pass && (!begin_windows(ctx, st, whole, data) ||
                      !tile_known_extents(st, &all, ctx->mem, ctx->diag, &known)))
            return false;
    }
    if (!make_windows(o, ctx, st, whole, &all, data) ||
        !tile_extents(st, &all, ctx->mem, ctx->diag, &out->extent))
        return false;
    reach_extents_of(st, out->extent, data);
    if (!compile_check_gathered(st, &all, ctx->diag) || !compile_say_repacked(o, ctx, st, out) ||
        !compile_make_structures(o, ctx, st, out->extent, data))
        return false;
    if (o->cutting.slices == COMPILE_SLICES_KEPT)
        add_kept(o, ctx, st, whole, data, &out->operands.n);
    compile_add_diagonals(o, ctx, st, data, &out->operands.n);
    compile_add_runs(o, ctx, st, out, data);
    return compile_add_parts(o, ctx, st, data, &out->operands.n);
}
