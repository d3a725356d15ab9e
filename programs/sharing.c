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

/* Adds kernels that run in turn to the first group with room, or to a new group. */
static void add_kernels(const compile_options *o, compile_context *ctx, const compile_kernels *own,
                        bool one_of, groups *all) {
    for (uint32_t g = 0; g < all->len; g++) {
        if (all->at[g].alone || !have_room(o, &all->at[g].kernels, own, one_of))
            continue;
        for (uint32_t k = 0; k < own->len; k++)
            vec_push(ctx->mem, &all->at[g].kernels, own->at[k]);
        return;
    }
    group one = {0};
    for (uint32_t i = 0; i < own->len; i++)
        vec_push(ctx->mem, &one.kernels, own->at[i]);
    vec_push(ctx->mem, all, one);
}

/* Lists the statement's kernels on the array, in the order of their runs; none if an earlier statement runs
 * the kernel. */
static void list_kernels(compile_context *ctx, const compile_application *a, compile_statement_plan *plan,
                         compile_kernels *out) {
    compile_kernel *last = &plan->kernel;
    if (compile_is_joined_to(a, plan))
        return;
    for (uint32_t n = 0; n <= last->producers.len; n++) {
        compile_kernel *k = compile_kernel_at(last, n);
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

static bool on_array(const compile_statement_plan *plan) {
    return plan->step->kind == FE_STEP_ASSIGN && !plan->on_host;
}

/* Adds kernels that fit together; a kernel that shares no array is alone. */
static void add_sequence(const compile_options *o, compile_context *ctx, const compile_kernels *own,
                         bool one_of, groups *all) {
    if (may_share(ctx, own))
        add_kernels(o, ctx, own, one_of, all);
    else
        add_group(ctx, own->at[0], true, all);
}

/* ---- kernels of a loop --------------------------------------------------------------------------- */

/* Returns how many kernels of a pass, from number `from` on and behind the last the first, fit together. */
static uint32_t fitting_from(const compile_options *o, compile_context *ctx, const compile_kernels *pass,
                             uint32_t from, bool one_of) {
    arena scratch = {0};
    compile_kernels own = {0};
    uint32_t n = 0;
    bool fit = true;
    while (n < pass->len && fit) {
        vec_push(&scratch, &own, pass->at[(from + n) % pass->len]);
        const compile_kernels last = {&own.at[n], 1, 1};
        fit = may_share(ctx, &last) && (!n || compile_fit_together(o, &own, one_of));
        n += fit;
    }
    arena_free(&scratch);
    return n ? n : 1;
}

/* Returns the number of switches of a pass whose first array begins with kernel `from`. */
static uint32_t count_switches(const uint32_t *fitting, uint32_t kernels, uint32_t from) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < kernels; k += fitting[(from + k) % kernels])
        n++;
    return n;
}

/* Adds the kernels of a loop: those that run one after the other are on one array, with the fewest switches
 * between arrays in a pass, behind whose last kernel the first one runs again. */
static void add_pass(const compile_options *o, compile_context *ctx, const compile_kernels *pass, bool one_of,
                     groups *all) {
    uint32_t *fitting = arena_new_n(ctx->mem, uint32_t, pass->len + 1), best = 0;
    for (uint32_t k = 0; k < pass->len; k++)
        fitting[k] = fitting_from(o, ctx, pass, k, one_of);
    for (uint32_t k = 1; k < pass->len; k++) {
        if (count_switches(fitting, pass->len, k) < count_switches(fitting, pass->len, best))
            best = k;
    }
    for (uint32_t k = 0, n; k < pass->len; k += n) {
        compile_kernels own = {0};
        n = fitting[(best + k) % pass->len];
        for (uint32_t i = 0; i < n && k + i < pass->len; i++)
            vec_push(ctx->mem, &own, pass->at[(best + k + i) % pass->len]);
        add_sequence(o, ctx, &own, one_of, all);
    }
}

/* Divides the program's kernels into arrays, innermost loops first. */
static groups divide(const compile_options *o, compile_context *ctx, compile_application *a, bool one_of) {
    groups all = {0};
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < a->plans.len; i++)
        deepest = a->plans.at[i].loops > deepest ? a->plans.at[i].loops : deepest;
    for (uint32_t loops = deepest + 1; loops-- > 0;) {
        compile_kernels pass = {0}; /* of the loop, or of a statement outside of loops */
        for (uint32_t i = 0; i < a->plans.len; i++) {
            compile_statement_plan *plan = &a->plans.at[i];
            const bool begins = plan->step->kind == FE_STEP_REPEAT && plan->loops < loops;
            if (loops ? begins : on_array(plan)) { /* a pass ends at another loop or statement */
                add_pass(o, ctx, &pass, one_of, &all);
                pass.len = 0;
            }
            if (plan->loops == loops && on_array(plan))
                list_kernels(ctx, a, plan, &pass);
        }
        add_pass(o, ctx, &pass, one_of, &all);
    }
    return all;
}

/* ---- arrays --------------------------------------------------------------------------------------- */

/* Splits a group that is not placed or routed into halves, behind each other. */
static void halve(compile_context *ctx, groups *all, uint32_t g) {
    compile_kernels *whole = &all->at[g].kernels;
    group rest = {0};
    const uint32_t n = whole->len - whole->len / 2;
    for (uint32_t i = n; i < whole->len; i++)
        vec_push(ctx->mem, &rest.kernels, whole->at[i]);
    whole->len = n;
    vec_push(ctx->mem, all, rest);
    for (uint32_t i = all->len - 1; i > g + 1; i--) {
        all->at[i] = all->at[i - 1];
        all->at[i - 1] = rest;
    }
}

/* Places and routes each group's array. A failed group is halved, and *all becomes the final groups. */
static bool make_arrays(const compile_options *o, compile_context *ctx, compile_application *a, groups *all,
                        bool one_of) {
    bool ok = true;
    for (uint32_t g = 0; g < all->len && ok;) {
        const compile_kernels own = all->at[g].kernels;
        compile_times times = {0};
        const compile_colocated_list colocated = compile_list_colocated(ctx, a, &own);
        ok = own.len > 1 ? compile_share(o, ctx, &own, one_of, &colocated, &times)
                         : compile_make_again(o, ctx, own.at[0], one_of, &colocated, &times);
        a->times.place += times.place;
        a->times.route += times.route;
        if (own.len > 1 && own.at[0]->array.kernels < 2)
            halve(ctx, all, g);
        else
            g++;
    }
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
    for (uint32_t i = 0; i < a->plans.len; i++) {
        compile_statement_plan *plan = &a->plans.at[i];
        compile_kernels own = {0};
        if (!on_array(plan))
            continue;
        list_kernels(ctx, a, plan, &own);
        uint32_t first = own.len ? group_of(all, own.at[0]) : all->len;
        bool together = first < all->len && (all->at[first].kernels.len > 1 || compile_joint_of(a, plan));
        for (uint32_t n = 1; n < own.len; n++)
            together = together && group_of(all, own.at[n]) == first;
        plan->array = together ? first + 1 : 0;
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
    for (uint32_t i = 0; i < a->plans.len; i++) {
        compile_kernels own = {0};
        if (!on_array(&a->plans.at[i]))
            continue;
        list_kernels(ctx, a, &a->plans.at[i], &own);
        for (uint32_t n = 0; n < own.len; n++) {
            const compile_kernels *with = &all->at[group_of(all, own.at[n])].kernels;
            if (own.at[n]->chip.configs)
                continue;
            for (uint32_t k = 0; k < with->len; k++) {
                with->at[k]->chip.configs = images;
                with->at[k]->chip.image = images->n;
                with->at[k]->chip.number = number++;
            }
            images->of[images->n++] = with->at[0];
        }
    }
    a->configs = images;
}

bool compile_share_plans(const compile_options *o, compile_context *ctx, compile_application *a) {
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
