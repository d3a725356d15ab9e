/* Assignment of a program's statements to arrays: configuring an array anew takes longer than most statements
 * run. If one array is too small, the bitstreams share the global buffer, for one firmware program. */
#include "programs/programs.h"

/* Kernels for a common array. */
typedef struct {
    compile_kernels kernels;
    bool alone; /* nothing may join it */
} group;
typedef VEC(group) groups;

static void add_group(compile_context *ctx, compile_kernel *k, bool alone, groups *all) {
    group one = {.alone = alone};
    vec_push(ctx->mem, &one.kernels, k);
    vec_push(ctx->mem, all, one);
}

static bool have_room(const compile_options *o, const compile_kernels *there, const compile_kernels *own,
                      bool one_of) {
    arena scratch = {0};
    compile_kernels with = {0};
    for (uint32_t i = 0; i < there->len; i++)
        vec_push(&scratch, &with, there->at[i]);
    for (uint32_t i = 0; i < own->len; i++)
        vec_push(&scratch, &with, own->at[i]);
    const bool have = compile_fit_together(o, &with, one_of);
    arena_free(&scratch);
    return have;
}

/* Adds kernels of a statement, which run in turn, to the first group with room, or to a new group.
 */
static void add_kernels(const compile_options *o, compile_context *ctx, const compile_kernels *own,
                        bool one_of, groups *all) {
    for (uint32_t g = 0; g < all->len; g++) {
        if (all->at[g].alone || !have_room(o, &all->at[g].kernels, own, one_of))
            continue;
        for (uint32_t i = 0; i < own->len; i++)
            vec_push(ctx->mem, &all->at[g].kernels, own->at[i]);
        return;
    }
    group one = {0};
    for (uint32_t i = 0; i < own->len; i++)
        vec_push(ctx->mem, &one.kernels, own->at[i]);
    vec_push(ctx->mem, all, one);
}

/* Lists the statement's kernels on the array, in the order of their runs. */
static void list_kernels(compile_context *ctx, compile_statement_plan *stage, compile_kernels *out) {
    compile_kernel *last = &stage->kernel;
    for (uint32_t n = 0; n <= last->producers.len; n++) {
        compile_kernel *k = n < last->producers.len ? &last->producers.at[n] : last;
        if (!k->on_host)
            vec_push(ctx->mem, out, k);
    }
}

static bool may_share(compile_context *ctx, const compile_kernels *all) {
    bool may = true;
    for (uint32_t i = 0; i < all->len; i++)
        may = may && compile_may_share(ctx, all->at[i]);
    return may;
}

static bool on_array(const compile_statement_plan *stage) {
    return stage->step->kind == FE_STEP_ASSIGN && !stage->on_host;
}

/* Divides the program's kernels into arrays, innermost loops first. */
static groups divide(const compile_options *o, compile_context *ctx, compile_application *a, bool one_of) {
    groups all = {0};
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < a->stages.len; i++)
        deepest = a->stages.at[i].loops > deepest ? a->stages.at[i].loops : deepest;
    for (uint32_t loops = deepest + 1; loops-- > 0;) {
        for (uint32_t i = 0; i < a->stages.len; i++) {
            compile_statement_plan *stage = &a->stages.at[i];
            compile_kernels own = {0};
            if (stage->loops != loops || !on_array(stage))
                continue;
            list_kernels(ctx, stage, &own);
            if (!may_share(ctx, &own)) {
                for (uint32_t n = 0; n < own.len; n++)
                    add_group(ctx, own.at[n], true, &all);
            } else if (own.len && (own.len == 1 || compile_fit_together(o, &own, one_of))) {
                add_kernels(o, ctx, &own, one_of, &all);
            } else {
                for (uint32_t n = 0; n < own.len; n++) {
                    const compile_kernels one = {&own.at[n], 1, 1};
                    add_kernels(o, ctx, &one, one_of, &all);
                }
            }
        }
    }
    return all;
}

/* Places and routes each group's array. The kernels of a failed group stay separate, and *all becomes the
 * final groups. */
static bool make_arrays(const compile_options *o, compile_context *ctx, compile_application *a, groups *all,
                        bool one_of) {
    groups made = {0};
    bool ok = true;
    for (uint32_t g = 0; g < all->len && ok; g++) {
        group *one = &all->at[g];
        compile_times times = {0};
        const compile_pairs pairs = compile_pair_streams(ctx, a, &one->kernels);
        if (one->kernels.len > 1) {
            ok = compile_share(o, ctx, &one->kernels, one_of, &pairs, &times);
            a->times.place += times.place;
            a->times.route += times.route;
        }
        if (one->kernels.len > 1 && one->kernels.at[0]->array.parts > 1) {
            vec_push(ctx->mem, &made, *one);
            continue;
        }
        for (uint32_t i = 0; i < one->kernels.len && ok; i++) {
            const compile_kernels alone = {&one->kernels.at[i], 1, 1};
            const compile_pairs own = compile_pair_streams(ctx, a, &alone);
            add_group(ctx, one->kernels.at[i], true, &made);
            ok = compile_make_again(o, ctx, one->kernels.at[i], one_of, &own, &times);
            a->times.place += times.place;
            a->times.route += times.route;
        }
    }
    *all = made;
    return ok;
}

static uint32_t group_of(const groups *all, const compile_kernel *k) {
    for (uint32_t g = 0; g < all->len; g++) {
        for (uint32_t i = 0; i < all->at[g].kernels.len; i++) {
            if (all->at[g].kernels.at[i] == k)
                return g;
        }
    }
    return all->len;
}

/* Numbers the arrays shared by statements. */
static void number_arrays(compile_context *ctx, compile_application *a, const groups *all) {
    for (uint32_t i = 0; i < a->stages.len; i++) {
        compile_statement_plan *stage = &a->stages.at[i];
        compile_kernels own = {0};
        if (!on_array(stage))
            continue;
        list_kernels(ctx, stage, &own);
        uint32_t first = own.len ? group_of(all, own.at[0]) : all->len;
        bool together = first < all->len && all->at[first].kernels.len > 1;
        for (uint32_t n = 1; n < own.len; n++)
            together = together && group_of(all, own.at[n]) == first;
        stage->array = together ? first + 1 : 0;
    }
}

/* Whether bank 0 of GLB tile 0 holds all bitstreams, and their number is within a program's limit. */
static bool images_fit(compile_context *ctx, const groups *all) {
    uint64_t bytes = 0, kernels = 0;
    bool ok = all->len <= FW_IMAGES_MOST;
    for (uint32_t g = 0; g < all->len; g++) {
        const compile_kernel *k = all->at[g].kernels.at[0];
        const bits_stream words = bits_canonical(&k->bits.stream, ctx->mem);
        ok = ok && k->array.one_of;
        bytes += fw_image_bytes(&words);
        kernels += all->at[g].kernels.len;
    }
    return ok && kernels <= FW_KERNELS_MOST && bytes <= all->at[0].kernels.at[0]->board.glb_bank_bytes;
}

/* Gives all kernels one firmware program; its images are in the order of their first need in the program's
 text.
 */
static void give_images(compile_context *ctx, compile_application *a, const groups *all) {
    compile_config_set *images = arena_new(ctx->mem, compile_config_set);
    uint32_t number = 0;
    for (uint32_t i = 0; i < a->stages.len; i++) {
        compile_kernels own = {0};
        if (!on_array(&a->stages.at[i]))
            continue;
        list_kernels(ctx, &a->stages.at[i], &own);
        for (uint32_t n = 0; n < own.len; n++) {
            const compile_kernels *with = &all->at[group_of(all, own.at[n])].kernels;
            if (own.at[n]->chip.images)
                continue;
            for (uint32_t k = 0; k < with->len; k++) {
                with->at[k]->chip.images = images;
                with->at[k]->chip.image = images->n;
                with->at[k]->chip.number = number++;
            }
            images->of[images->n++] = with->at[0];
        }
    }
    a->images = images;
}

bool compile_share_stages(const compile_options *o, compile_context *ctx, compile_application *a) {
    if (!o->optimize || o->target.engine == ENGINE_SAM)
        return true;
    groups all = divide(o, ctx, a, false);
    const bool several = all.len > 1;
    if (several)
        all = divide(o, ctx, a, true);
    if (!make_arrays(o, ctx, a, &all, several))
        return false;
    number_arrays(ctx, a, &all);
    if (several && compile_engines[o->target.engine].by_processor && !o->running.wave &&
        images_fit(ctx, &all))
        give_images(ctx, a, &all);
    return true;
}
