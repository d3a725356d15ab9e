/* Streams of the global buffer bound the copies of a kernel, and whether there is one: finds formats of
 * operands and orders of the loops with fewer streams. */
#include "autoschedule/autoschedule.h"
#include "autoschedule/autoschedule_int.h"
#include "kernel/edges.h"
#include "kernel/lower.h"

#include <float.h>
#include <math.h>

/* Orders of the loops to try: all orders of three loops. */
enum { MOST_FREEING_ORDERS = 6 };

typedef struct {
    const compile_options *o;
    compile_context ctx;            /* whose memory goes, and whose diagnostics nobody hears */
    const compile_kernel *last, *k; /* of all kernels; the current kernel */
    compile_stream_relief *out;
    arena *mem; /* arena for results */
} freeing;

static uint32_t most_of(tile_room r) {
    return r.lockstep > r.independent ? r.lockstep : r.independent;
}

/* Returns the chip's predicted array cycles for a form of the kernel, INFINITY unless below the present
 * form's. */
static double expect(freeing *f, const fe_kernel *kernel) {
    const double now = f->out->cycles;
    const compile_search_in by = {.options = f->o, .board = &f->k->board, .data = &f->k->data, .most = now};
    compile_tilings unused;
    fe_cin cin = {0};
    vec_push(f->ctx.mem, &cin.kernels, *kernel);
    const double cycles = isfinite(now) ? compile_search(&by, &f->ctx, &cin, &unused) : INFINITY;
    return cycles < now ? cycles : INFINITY;
}

/* Adds a form of the kernel, named by `how`, with fewer streams and room for more copies. Returns whether the
 * form was added. */
static bool add_form(freeing *f, const fe_kernel *kernel, const char *how) {
    compile_lowered lowered;
    compile_freeing one = {.how = how};
    tile_options edges = f->k->tiling.options;
    if (!compile_lower_sam(f->o, true, &f->ctx, kernel, &lowered) || !compile_make_legal(&f->ctx, &lowered))
        return false;
    one.loads = lower_count_loads(&lowered.hardware, edges.sharing);
    one.stores = lower_count_stores(&lowered.hardware, edges.sharing);
    if (one.loads >= f->out->loads && one.stores >= f->out->stores)
        return false;
    one.copies = most_of(compile_kernel_room(f->o, &f->ctx, &f->k->board, &lowered, &edges));
    if (one.copies <= f->out->room)
        return false;
    one.cycles = expect(f, kernel);
    vec_push(f->mem, &f->out->by, one);
    return true;
}

/* Returns whether -f can express the tensor's format, and the host can store any data in the format. */
static bool has_format(const freeing *f, const sam_tensor_data *t) {
    bool plain = t->order && !t->ones && !t->view.source.v && !t->windowed && !t->called.v &&
                 (t->structure == SAM_VALUES || t->structure == SAM_STORED) &&
                 f->o->tensors.dtype == TILE_DTYPE_INT16;
    for (uint32_t l = 0; l < t->order; l++)
        plain = plain && (t->level[l] == SAM_LEVEL_COMPRESSED || t->level[l] == SAM_LEVEL_DENSE);
    return plain && fe_find_tensor(&f->last->user, t->name).v;
}

/* Adds the first format of a tensor that frees a stream, with more and more outer levels dense. */
static void add_formats(freeing *f, const fe_kernel *kernel, uint32_t tensor) {
    fe_kernel other = *kernel;
    compile_own_tensors(&other, f->ctx.mem);
    sam_tensor_data *t = &other.s.tensors.at[tensor];
    bool added = !has_format(f, t);
    for (uint32_t outer = 0; outer < t->order && !added; outer++) {
        if (t->level[outer] == SAM_LEVEL_DENSE)
            continue;
        t->level[outer] = SAM_LEVEL_DENSE;
        const char *format = compile_format_text(t, names_text(f->ctx.names, t->name), f->ctx.mem);
        added = add_form(f, &other, arena_printf(f->mem, "-f %s", format));
    }
}

/* Adds the first order of the loops with fewer streams. */
static void add_order(freeing *f, const fe_kernel *kernel) {
    const uint32_t n = kernel->s.loops.len;
    uint32_t *permutation = arena_new_n(f->ctx.mem, uint32_t, n + 1);
    fe_kernel other = *kernel;
    bool added = false;
    for (uint32_t i = 0; i < n; i++)
        permutation[i] = i;
    other.s.loops.at = arena_new_n(f->ctx.mem, sam_var, n + 1);
    for (uint32_t tried = 1; tried < MOST_FREEING_ORDERS && !added && compile_next_order(permutation, n);
         tried++) {
        for (uint32_t i = 0; i < n; i++)
            other.s.loops.at[i] = kernel->s.loops.at[permutation[i]];
        added = add_form(
            f, &other, arena_printf(f->mem, "-s \"reorder(%s)\"", compile_loops_text(&other.s, f->ctx.mem)));
    }
}

void compile_find_stream_relief(const compile_options *o, compile_context *ctx, const compile_kernel *last,
                                compile_kernel *k) {
    arena scratch = {0};
    diagnostics quiet;
    const fe_kernel *kernel = k->source;
    freeing f = {.o = o, .ctx = *ctx, .last = last, .k = k, .out = &k->choices.freed, .mem = ctx->mem};
    if ((o->copies.unroll && !compile_copies_open(o)) || !kernel || k->prebuilt)
        return;
    f.ctx.mem = &scratch;
    diag_init(&quiet, &scratch);
    f.ctx.diag = &quiet;
    const tile_room room = compile_kernel_room(o, &f.ctx, &k->board, &k->lowered, &k->tiling.options);
    f.out->room = most_of(room);
    f.out->cycles = k->tiling.expected.cost > 0 ? k->tiling.expected.cost + COMPILE_BOOT : INFINITY;
    f.out->loads = lower_count_loads(&k->lowered.hardware, k->tiling.options.sharing);
    f.out->stores = lower_count_stores(&k->lowered.hardware, k->tiling.options.sharing);
    if (k->array.copies >= (k->array.independent ? room.independent : room.lockstep)) {
        for (uint32_t t = 0; t < kernel->s.tensors.len; t++)
            add_formats(&f, kernel, t);
        if (!last->producers.len && compile_loops_are_open(kernel))
            add_order(&f, kernel);
    }
    arena_free(&scratch);
}

/* ---- what does not fit ------------------------------------------------------------------------- */

enum { MOST_STORED = 8 };

/* Operands that may be stored otherwise, and how many of their outer levels are dense. */
typedef struct {
    uint32_t n, tensor[MOST_STORED], had[MOST_STORED], dense[MOST_STORED];
} storing;

static uint32_t outer_dense(const sam_tensor_data *t) {
    uint32_t n = 0;
    while (n < t->order && t->level[n] == SAM_LEVEL_DENSE)
        n++;
    return n;
}

/* Goes to the next combination of dense levels; false after the last one. */
static bool next_storing(const fe_kernel *kernel, storing *w) {
    for (uint32_t i = 0; i < w->n; i++) {
        if (++w->dense[i] <= kernel->s.tensors.at[w->tensor[i]].order)
            return true;
        w->dense[i] = w->had[i];
    }
    return false;
}

static uint32_t added_levels(const storing *w) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < w->n; i++)
        sum += w->dense[i] - w->had[i];
    return sum;
}

/* Makes a form of the kernel; returns what the chip is expected to take for it, FLT_MAX where nothing is
 * known, or INFINITY where the board has no room for a copy. */
static double expect_stored(freeing *f, const fe_kernel *kernel, const storing *w) {
    fe_kernel other = *kernel;
    compile_lowered lowered;
    const tile_options edges = f->k->tiling.options;
    compile_own_tensors(&other, f->ctx.mem);
    for (uint32_t i = 0; i < w->n; i++) {
        for (uint32_t l = 0; l < w->dense[i]; l++)
            other.s.tensors.at[w->tensor[i]].level[l] = SAM_LEVEL_DENSE;
    }
    if (!compile_lower_sam(f->o, true, &f->ctx, &other, &lowered) || !compile_make_legal(&f->ctx, &lowered) ||
        !most_of(compile_kernel_room(f->o, &f->ctx, &f->k->board, &lowered, &edges)))
        return INFINITY;
    const compile_search_in by = {
        .options = f->o, .board = &f->k->board, .data = &f->k->data, .most = INFINITY};
    compile_tilings tilings;
    fe_cin cin = {0};
    vec_push(f->ctx.mem, &cin.kernels, other);
    const double cycles = f->o->running.executes ? compile_search(&by, &f->ctx, &cin, &tilings) : INFINITY;
    return isfinite(cycles) ? cycles : FLT_MAX;
}

/* Adds the formats of a form, as -f says them. */
static void say_stored(const freeing *f, const fe_kernel *kernel, const storing *w, text_vec *formats) {
    fe_kernel other = *kernel;
    compile_own_tensors(&other, f->mem);
    for (uint32_t i = 0; i < w->n; i++) {
        sam_tensor_data *t = &other.s.tensors.at[w->tensor[i]];
        for (uint32_t l = 0; l < w->dense[i]; l++)
            t->level[l] = SAM_LEVEL_DENSE;
        if (w->dense[i] > w->had[i])
            vec_push(f->mem, formats, compile_format_text(t, names_text(f->ctx.names, t->name), f->mem));
    }
}

text_vec compile_find_fitting(const compile_options *o, compile_context *ctx, const compile_kernel *k) {
    arena scratch = {0};
    diagnostics quiet;
    text_vec formats = {0};
    compile_stream_relief unused = {0};
    const fe_kernel *kernel = k->source;
    freeing f = {.o = o, .ctx = *ctx, .last = k, .k = k, .out = &unused, .mem = ctx->mem};
    storing w = {0};
    if (!kernel || k->prebuilt || k->producers.len)
        return formats;
    f.ctx.mem = &scratch;
    diag_init(&quiet, &scratch);
    f.ctx.diag = &quiet;
    uint32_t most = 0;
    for (uint32_t t = 0; t < kernel->s.tensors.len && w.n < MOST_STORED; t++) {
        const sam_tensor_data *one = &kernel->s.tensors.at[t];
        if (t + 1 == kernel->s.result.v || !has_format(&f, one))
            continue;
        w.tensor[w.n] = t;
        w.had[w.n] = w.dense[w.n] = outer_dense(one);
        most += one->order - w.had[w.n++];
    }
    const storing none = w;
    storing best = w;
    double least = INFINITY;
    for (uint32_t levels = 1, last = most; levels <= last; levels++) {
        for (w = none; next_storing(kernel, &w);) {
            const double cycles = added_levels(&w) == levels ? expect_stored(&f, kernel, &w) : INFINITY;
            best = cycles < least ? w : best;
            least = cycles < least ? cycles : least;
        }
        if (isfinite(least) && last == most)
            last = levels + 1;
    }
    if (isfinite(least))
        say_stored(&f, kernel, &best, &formats);
    arena_free(&scratch);
    return formats;
}
