/* Streams of the global buffer bound the copies of a kernel: finds formats of operands and orders of the
 * loops with fewer streams. */
#include "autoschedule/choosing.h"
#include "kernel/edges.h"
#include "kernel/lower.h"

#include <math.h>

/* Orders of the loops to try: all orders of three loops. */
enum { MOST_FREEING_ORDERS = 6 };

typedef struct {
    const compile_options *o;
    compile_context ctx;            /* whose memory goes, and whose diagnostics nobody hears */
    const compile_kernel *last, *k; /* of all kernels; the current kernel */
    compile_freed *out;
    arena *mem; /* arena for results */
} freeing;

static uint32_t most_of(tile_room r) {
    return r.together > r.apart ? r.together : r.apart;
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
    one.loads = lower_count_loads(&lowered.hardware, edges.in_turn);
    one.stores = lower_count_stores(&lowered.hardware, edges.stored);
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
    bool users = false;
    for (uint32_t l = 0; l < t->order; l++)
        plain = plain && (t->level[l] == SAM_LEVEL_COMPRESSED || t->level[l] == SAM_LEVEL_DENSE);
    for (uint32_t u = 0; u < f->last->user.tensors.len; u++)
        users = users || name_eq(f->last->user.tensors.at[u].name, t->name);
    return plain && users;
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
    uint32_t *place = arena_new_n(f->ctx.mem, uint32_t, n + 1);
    fe_kernel other = *kernel;
    bool added = false;
    for (uint32_t i = 0; i < n; i++)
        place[i] = i;
    other.s.loops.at = arena_new_n(f->ctx.mem, sam_var, n + 1);
    for (uint32_t tried = 1; tried < MOST_FREEING_ORDERS && !added && compile_next_order(place, n); tried++) {
        for (uint32_t i = 0; i < n; i++)
            other.s.loops.at[i] = kernel->s.loops.at[place[i]];
        added = add_form(
            f, &other, arena_printf(f->mem, "-s \"reorder(%s)\"", compile_loops_text(&other.s, f->ctx.mem)));
    }
}

void compile_find_freed(const compile_options *o, compile_context *ctx, const compile_kernel *last,
                        compile_kernel *k) {
    arena scratch = {0};
    diagnostics quiet;
    const fe_kernel *kernel = k->source;
    freeing f = {.o = o, .ctx = *ctx, .last = last, .k = k, .out = &k->choices.freed, .mem = ctx->mem};
    if ((o->copies.unroll && !compile_copies_open(o)) || !kernel || k->given)
        return;
    f.ctx.mem = &scratch;
    diag_init(&quiet, &scratch);
    f.ctx.diag = &quiet;
    const tile_room room = compile_kernel_room(o, &f.ctx, &k->board, &k->lowered, &k->tiling.options);
    f.out->room = most_of(room);
    f.out->cycles = k->tiling.expected.cost > 0 ? k->tiling.expected.cost + COMPILE_BOOT : INFINITY;
    f.out->loads = lower_count_loads(&k->lowered.hardware, k->tiling.options.in_turn);
    f.out->stores = lower_count_stores(&k->lowered.hardware, k->tiling.options.stored);
    if (k->array.copies >= (k->array.apart ? room.apart : room.together)) {
        for (uint32_t t = 0; t < kernel->s.tensors.len; t++)
            add_formats(&f, kernel, t);
        if (!last->producers.len && compile_loops_are_open(kernel))
            add_order(&f, kernel);
    }
    arena_free(&scratch);
}
