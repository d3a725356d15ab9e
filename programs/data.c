/* First content of a program's tensors, and extents of their indices: indices bound by one variable of a
 * statement, or exchanged by a swap, have equal extents. */
#include "frontend/language/language.h"
#include "frontend/schedules/schedules.h"
#include "kernel/operands.h"
#include "kernel/source.h"
#include "kernel/trial.h"
#include "kernel/words.h"
#include "programs/include.h"
#include "programs/programs.h"
#include "support/number.h"
#include "tiling/fills.h"
#include "tiling/wide.h"

#include <math.h>
#include <unistd.h>

/* ---- first values ------------------------------------------------------------------------------ */

/* An int16 is infinite at its ends. */
static double bounded(const compile_options *o, double value) {
    if (o->tensors.dtype != TILE_DTYPE_INT16 || !isinf(value))
        return value;
    return value > 0 ? INT16_MAX : INT16_MIN;
}

static int scale_of(const compile_options *o, const fe_shared *t) {
    return o->tensors.scaled ? fe_scale_named(o->tensors.scaled, t->name) : 0;
}

/* Values that get a scale are read as they are given. */
static tile_dtype type_of(const compile_options *o) {
    return o->tensors.scaled ? TILE_DTYPE_ORIGINAL : o->tensors.dtype;
}

/* A declared scalar of integers has 32 bits, as a computed one: returns whether this is its number. */
static bool is_wide_scalar(const compile_options *o, const fe_shared *t) {
    return !t->order && t->val.len == 1 && !o->tensors.scaled && o->tensors.dtype == TILE_DTYPE_INT16 &&
           t->val.at[0] == floor(t->val.at[0]) &&
           tile_wide_number(o->tensors.dtype, t->val.at[0]) == t->val.at[0];
}

/* The scalar's word is the lower half of its number. */
static void widen_scalar(compile_context *ctx, const fe_shared *t, tile_tensor *out) {
    double *wide = arena_new(ctx->mem, double);
    *wide = t->val.at[0];
    tile_set_wide(out, wide);
    out->original = wide;
    out->original_as = out->val;
}

static bool from_entries(const compile_options *o, compile_context *ctx, const fe_shared *t,
                         tile_tensor *out) {
    double *val = arena_new_n(ctx->mem, double, t->val.len + 1);
    for (uint32_t i = 0; i < t->val.len; i++)
        val[i] = is_wide_scalar(o, t) ? (int16_t)(uint16_t)(int32_t)t->val.at[i] : bounded(o, t->val.at[i]);
    if (!tile_from_entries(t->name, t->order, t->dim, t->val.len, t->crd.at, val, type_of(o),
                           names_text(ctx->names, t->name), ctx->mem, ctx->diag, out) ||
        !compile_type_original(o, ctx, scale_of(o, t), out))
        return false;
    out->dim_inferred = !t->sized;
    if (is_wide_scalar(o, t))
        widen_scalar(ctx, t, out);
    return true;
}

/* Refuses a file whose fill differs from the tensor's, unless the program declares the fill. */
static bool has_its_fill(compile_context *ctx, const fe_shared *t, const char *file) {
    const char *name = names_text(ctx->names, t->name), *stated = tile_stated_fill(file, ctx->mem);
    if (t->fill_said || !stated || number_read(stated, NULL) == number_read(t->fill ? t->fill : "0", NULL))
        return true;
    diag_error(ctx->diag, t->loc, "E0359-other-fill",
               "'%s' states that what it does not store is %s, and %s has fill %s", file, stated, name,
               t->fill ? t->fill : "0");
    return diag_hint(ctx->diag, "declare it with that fill: tensor %s: %.*s fill %s", name, (int)t->order,
                     t->format, stated);
}

static bool has_its_order(compile_context *ctx, const fe_shared *t, const char *generator,
                          const tile_tensor *made) {
    return made->order == t->order ||
           diag_error(ctx->diag, t->loc, "E0912-order", "'%s' makes a tensor of order %u, %s has %u %s",
                      generator, made->order, names_text(ctx->names, t->name), t->order,
                      plural(t->order, "index", "indices"));
}

/* Returns where the content of a tensor comes from: the command, or else its declaration. */
static compile_source source_of(const compile_options *o, compile_context *ctx, const fe_shared *t) {
    compile_source from = compile_source_of(o, names_text(ctx->names, t->name));
    const bool declared = !compile_has_source(&from);
    if (declared && t->origin == FE_FROM_FILE)
        from.file = compile_sibling_path(o->written.expression, t->from, ctx->mem);
    if (declared && t->origin == FE_FROM_GENERATOR)
        from.generator = t->from;
    return from;
}

static compile_taken taken_as(const compile_options *o, const compile_context *ctx, const fe_shared *t,
                              uint32_t number) {
    static const tile_values values[] = {TILE_VALUES_FILE, TILE_VALUES_ONES, TILE_VALUES_RAMP};
    return (compile_taken){t->name,
                           names_text(ctx->names, t->name),
                           t->order,
                           scale_of(o, t),
                           t->values ? values[t->values] : o->tensors.values,
                           number};
}

static bool read_values(const compile_options *o, compile_context *ctx, const fe_shared *t, uint32_t number,
                        tile_tensor *out) {
    const compile_taken as = taken_as(o, ctx, t, number);
    const compile_source stated = compile_source_of(o, as.called), from = source_of(o, ctx, t);
    *out = (tile_tensor){.name = t->name, .order = t->order, .dim_inferred = !t->sized};
    memcpy(out->dim, t->dim, sizeof out->dim);
    if (compile_has_source(&from)) {
        const bool taken = compile_take(o, ctx, &from, &as, out);
        if (!taken && from.file && !compile_has_source(&stated))
            diag_note(ctx->diag, t->loc, "the declaration of %s, whose file it is", as.called);
        return taken && (from.in_memory || (from.file ? has_its_fill(ctx, t, from.file)
                                                      : has_its_order(ctx, t, from.generator, out)));
    }
    if (t->read_first && t->origin == FE_FROM_NOTHING) {
        diag_error(ctx->diag, t->loc, "E0911-no-data", "nothing says what %s holds before it is read",
                   as.called);
        return diag_hint(ctx->diag, "declare it with values, tensor %s: ... = {}, or give -i %s:FILE",
                         as.called, as.called);
    }
    return t->origin != FE_FROM_ENTRIES || from_entries(o, ctx, t, out);
}

bool compile_find_extents(void *of, const fe_shared *operand, uint32_t *dim, bool *inferred) {
    const compile_finding *f = of;
    const compile_source from = source_of(f->o, f->ctx, operand);
    const compile_taken as = taken_as(f->o, f->ctx, operand, 0);
    if (compile_has_source(&from))
        return compile_find_shape(f->o, f->ctx, &from, &as, dim, inferred);
    memcpy(dim, operand->dim, sizeof operand->dim);
    *inferred = !operand->sized;
    return operand->origin != FE_FROM_NOTHING;
}

/* The extents declared by the program equal the extents read, or exceed all entries if a file states none. */
static bool read_first(const compile_options *o, compile_context *ctx, const fe_shared *t, uint32_t number,
                       tile_tensor *out) {
    if (!read_values(o, ctx, t, number, out))
        return false;
    for (uint32_t m = 0; t->dim_declared && m < t->order; m++) {
        if (out->dim_inferred ? out->dim[m] > t->dim[m] : out->dim[m] != t->dim[m])
            return diag_error(ctx->diag, t->loc, "E0320-dimension",
                              "index %u of %s runs to %u here, but to %u in its data", m + 1,
                              names_text(ctx->names, t->name), t->dim[m], out->dim[m]);
        out->dim[m] = t->dim[m];
    }
    out->dim_inferred = out->dim_inferred && !t->dim_declared;
    return true;
}

/* ---- extents ----------------------------------------------------------------------------------- */

/* The cause of equal extents of two indices of tensors: a variable of a statement, or a swap. */
typedef struct {
    uint32_t one, other; /* tensor * SAM_MAX_ORDER + mode */
    const fe_step *step;
    sam_var var; /* 0: a swap */
} tie;
typedef VEC(tie) tie_vec;

/* Indices of tensors, in classes of equal extent. */
typedef struct {
    const compile_application *a;
    uint32_t *parent; /* by tensor * SAM_MAX_ORDER + mode */
    tie_vec *ties;
} classes;

static uint32_t class_of(const classes *c, uint32_t index) {
    while (c->parent[index] != index)
        index = c->parent[index];
    return index;
}

static void join(const classes *c, arena *mem, tie t) {
    c->parent[class_of(c, t.one)] = class_of(c, t.other);
    if (t.one != t.other)
        vec_push(mem, c->ties, t);
}

/* Returns whether mode m of an access states the extent of its index: of a whole tensor, or shifted. */
static bool states_mode(const sam_tensor_data *t, uint32_t m) {
    return !t->window[m].stride && !sam_is_open(t, m);
}

static void join_access(const classes *c, arena *mem, const fe_step *step, sam_tensor t, const sam_var *index,
                        uint32_t *first) {
    const sam_tensor_data *data = sam_tensor_at(&step->statement, t);
    uint32_t shared = step->use[t.v - 1].shared;
    for (uint32_t m = 0, source = 0; m < data->order; m++) {
        uint32_t at = shared * SAM_MAX_ORDER + source, *of = &first[index[m].v - 1];
        source += m + 1 < data->order && sam_begins_mode(data, m + 1);
        if (!states_mode(data, m))
            continue;
        if (*of == UINT32_MAX)
            *of = at;
        join(c, mem, (tie){at, *of, step, index[m]});
    }
}

static void join_steps(const classes *c, arena *mem, const fe_steps *steps) {
    for (uint32_t i = 0; i < steps->len; i++) {
        const fe_step *step = &steps->at[i];
        const sam_statement *s = &step->statement;
        uint32_t first[TILE_MAX_VARS];
        memset(first, 0xff, sizeof first);
        for (uint32_t e = 0; e < s->exprs.len && step->kind == FE_STEP_ASSIGN; e++) {
            if (s->exprs.at[e].kind == SAM_EXPR_ACCESS)
                join_access(c, mem, step, s->exprs.at[e].tensor, s->exprs.at[e].index, first);
        }
        if (step->kind == FE_STEP_ASSIGN)
            join_access(c, mem, step, s->result, s->result_index, first);
        for (uint32_t m = 0; m < SAM_MAX_ORDER && step->kind == FE_STEP_SWAP; m++)
            join(c, mem,
                 (tie){step->swap[0] * SAM_MAX_ORDER + m, step->swap[1] * SAM_MAX_ORDER + m, step, {0}});
        join_steps(c, mem, &step->body);
    }
}

/* State of the search for extents. */
typedef struct {
    const classes *c;
    const compile_options *o;
    uint32_t *extent,
        *from; /* by class: its extent, 0 if unknown so far; the index with this extent, plus 1 */
    const fe_step *step;
    uint32_t dim[SAM_MAX_ORDER]; /* of the step's result */
} sharing;

static bool is_known(const sharing *f, uint32_t tensor, uint32_t m) {
    const uint32_t at = class_of(f->c, tensor * SAM_MAX_ORDER + m);
    return f->extent[at] || f->from[at];
}

static bool are_known(const sharing *f, uint32_t tensor) {
    bool all = true;
    for (uint32_t m = 0; m < f->c->a->initial[tensor].order; m++)
        all = all && is_known(f, tensor, m);
    return all;
}

/* Finds the reach of the result of a step whose operands are windows of tensors, as if the windows were
 * empty. */
static bool find_reach(compile_context *ctx, void *of) {
    sharing *f = of;
    const sam_statement *s = &f->step->statement;
    compile_options own = *f->o;
    compile_data data = {0};
    own.tensors.in_memory.at = NULL;
    own.tensors.in_memory.len = own.tensors.in_memory.cap = 0;
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        const uint32_t shared = f->step->use[t].shared;
        const sam_tensor_data *one = &s->tensors.at[t];
        tile_tensor empty = {.name = one->called.v ? one->called : one->name};
        if (t + 1 == s->result.v)
            continue;
        if (!f->step->use[t].counts)
            empty.order = f->c->a->initial[shared].order;
        for (uint32_t m = 0; m < empty.order; m++)
            empty.dim[m] = f->extent[class_of(f->c, shared * SAM_MAX_ORDER + m)];
        empty.crd = arena_new(ctx->mem, uint32_t);
        empty.val = arena_new(ctx->mem, uint16_t);
        vec_push(ctx->mem, &own.tensors.in_memory,
                 (compile_in_memory){names_text(ctx->names, empty.name), empty});
    }
    if (!compile_read_operands(&own, ctx, s, &data))
        return false;
    for (uint32_t m = 0; m < sam_tensor_at(s, s->result)->order; m++)
        f->dim[m] = data.extent[s->result_index[m].v - 1];
    return true;
}

/* Sets extents of results known only from windows of tensors, like slices. Returns whether any was set. */
static bool reach_steps(sharing *f, const compile_context *ctx, const fe_steps *steps) {
    bool found = false;
    for (uint32_t i = 0; i < steps->len; i++) {
        const fe_step *step = &steps->at[i];
        const sam_statement *s = &step->statement;
        found = reach_steps(f, ctx, &step->body) || found;
        if (step->kind != FE_STEP_ASSIGN)
            continue;
        f->step = step;
        const uint32_t result = fe_step_result(step);
        bool ready = !are_known(f, result);
        for (uint32_t t = 0; t < s->tensors.len; t++)
            ready = ready && (t + 1 == s->result.v || are_known(f, step->use[t].shared));
        if (!ready || !compile_try(ctx, find_reach, f).works)
            continue;
        for (uint32_t m = 0; m < f->c->a->initial[result].order; m++) {
            const uint32_t at = class_of(f->c, result * SAM_MAX_ORDER + m);
            f->extent[at] = is_known(f, result, m) ? f->extent[at] : f->dim[m];
            f->from[at] = f->from[at] ? f->from[at] : result * SAM_MAX_ORDER + m + 1;
        }
        found = true;
    }
    return found;
}

/* Notes the shortest chain of ties from an index of a tensor to another index of its class. */
static void note_ties(const classes *c, const compile_context *ctx, uint32_t one, uint32_t other) {
    const fe_program *p = &c->a->program;
    const uint32_t n = p->tensors.len * SAM_MAX_ORDER;
    const tie **by = arena_new_n(ctx->mem, const tie *, n); /* of each index: the next tie towards `other` */
    uint32_t *queue = arena_new_n(ctx->mem, uint32_t, n), len = 0;
    queue[len++] = other;
    for (uint32_t i = 0; i < len && !by[one]; i++) {
        for (uint32_t t = 0; t < c->ties->len; t++) {
            const tie *of = &c->ties->at[t];
            const uint32_t next = of->one == queue[i] ? of->other : of->one;
            if ((of->one != queue[i] && of->other != queue[i]) || next == other || by[next])
                continue;
            by[next] = of;
            queue[len++] = next;
        }
    }
    for (uint32_t at = one, next; at != other && by[at]; at = next) {
        const tie *of = by[at];
        next = of->one == at ? of->other : of->one;
        const char *a = names_text(ctx->names, p->tensors.at[at / SAM_MAX_ORDER].name),
                   *b = names_text(ctx->names, p->tensors.at[next / SAM_MAX_ORDER].name);
        const uint32_t m = at % SAM_MAX_ORDER + 1, k = next % SAM_MAX_ORDER + 1;
        if (of->var.v)
            diag_note(ctx->diag, of->step->loc, "'%s' is index %u of %s and index %u of %s here",
                      names_text(ctx->names, sam_var_at(&of->step->statement, of->var)->name), m, a, k, b);
        else
            diag_note(ctx->diag, of->step->loc, "%s and %s are exchanged here", a, b);
    }
}

static void report_extents(const classes *c, const compile_context *ctx, uint32_t index, uint32_t from,
                           uint32_t extent) {
    const fe_program *p = &c->a->program;
    const fe_shared *one = &p->tensors.at[index / SAM_MAX_ORDER];
    const uint32_t m = index % SAM_MAX_ORDER;
    diag_error(ctx->diag, one->loc, "E0320-dimension",
               "index %u of %s runs to %u here, but to %u elsewhere in the program", m + 1,
               names_text(ctx->names, one->name), c->a->initial[index / SAM_MAX_ORDER].dim[m], extent);
    if (!from)
        return;
    const fe_shared *other = &p->tensors.at[(from - 1) / SAM_MAX_ORDER];
    note_ties(c, ctx, index, from - 1);
    diag_note(ctx->diag, other->loc, "index %u of %s", (from - 1) % SAM_MAX_ORDER + 1,
              names_text(ctx->names, other->name));
}

/* A matrix that the reader made is square where nothing says how far one of its indices runs. */
static void make_square(const sharing *f) {
    const fe_program *p = &f->c->a->program;
    for (uint32_t i = 0; i < 2 * p->tensors.len; i++) {
        const uint32_t t = i / 2, m = i % 2, at = class_of(f->c, t * SAM_MAX_ORDER + m),
                       other = class_of(f->c, t * SAM_MAX_ORDER + 1 - m);
        if (!p->tensors.at[t].made.square || p->tensors.at[t].order != 2 || is_known(f, t, m))
            continue;
        f->extent[at] = f->extent[other];
        f->from[at] = f->from[other];
    }
}

/* Gives every index of a class the stated extent of one index, or the largest reach. */
static bool share_extents(const classes *c, const compile_options *o, compile_context *ctx) {
    const fe_program *p = &c->a->program;
    uint32_t n = p->tensors.len * SAM_MAX_ORDER, *extent = arena_new_n(ctx->mem, uint32_t, n);
    uint32_t *from = arena_new_n(ctx->mem, uint32_t, n); /* the index with the stated extent, plus 1 */
    for (uint32_t i = 0; i < n; i++) {
        uint32_t t = i / SAM_MAX_ORDER, m = i % SAM_MAX_ORDER, at = class_of(c, i);
        const tile_tensor *given = &c->a->initial[t];
        if (m >= given->order)
            continue;
        bool stated = !given->dim_inferred;
        if ((from[at] && given->dim[m] > extent[at]) || (stated && given->dim[m] < extent[at]) ||
            (stated && from[at] && given->dim[m] != extent[at])) {
            report_extents(c, ctx, i, from[at], extent[at]);
            return false;
        }
        extent[at] = given->dim[m] > extent[at] ? given->dim[m] : extent[at];
        from[at] = stated ? i + 1 : from[at];
    }
    sharing found = {.c = c, .o = o, .extent = extent, .from = from};
    while (reach_steps(&found, ctx, &p->steps))
        ;
    make_square(&found);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t t = i / SAM_MAX_ORDER, m = i % SAM_MAX_ORDER, at = class_of(c, i);
        tile_tensor *given = &c->a->initial[t];
        if (m >= given->order)
            continue;
        given->dim[m] = extent[at];
        given->dim_inferred = false;
        if (extent[at] || from[at])
            continue;
        diag_error(ctx->diag, p->tensors.at[t].loc, "E0321-no-extent",
                   "nothing tells how far index %u of %s runs", m + 1,
                   names_text(ctx->names, p->tensors.at[t].name));
        const char *extents = "100";
        for (uint32_t k = 1; k < given->order; k++)
            extents = arena_printf(ctx->mem, "%s,100", extents);
        return diag_hint(ctx->diag, "declare it with its extents: tensor %s(%s)",
                         names_text(ctx->names, p->tensors.at[t].name), extents);
    }
    return true;
}

/* Returns whether an access on the right states the extent of v. */
static bool states_extent(const sam_statement *s, sam_var v) {
    bool states = false;
    for (uint32_t e = 0; e < s->exprs.len; e++) {
        const sam_expr_data *x = &s->exprs.at[e];
        const sam_tensor_data *t = x->kind == SAM_EXPR_ACCESS ? sam_tensor_at(s, x->tensor) : NULL;
        for (uint32_t m = 0; t && m < t->order; m++)
            states = states || (x->index[m].v == v.v && states_mode(t, m));
    }
    return states;
}

/* Copies the extent of an index that no operand states, as in `x(i) = 1` and `x(i) = a(2*i)`, from the
 * result. */
static void state_extents(const compile_application *a, fe_steps *steps) {
    for (uint32_t i = 0; i < steps->len; i++) {
        fe_step *step = &steps->at[i];
        sam_statement *s = &step->statement;
        state_extents(a, &step->body);
        if (step->kind != FE_STEP_ASSIGN)
            continue;
        const tile_tensor *result = &a->initial[fe_step_result(step)];
        for (uint32_t m = 0; m < result->order; m++) {
            const sam_var v = s->result_index[m];
            if (!states_extent(s, v))
                sam_var_at(s, v)->extent = result->dim[m];
        }
    }
}

enum { EVERYWHERE_MOST = 1 << 26, PATTERN_MOST = 1 << 22 }; /* coordinates */

/* Returns the value of a tensor that a number or a pattern fills. */
static double value_at(const fe_shared *t, const uint32_t *at) {
    const double first = t->val.at[0], right = t->order == 2 ? (double)at[1] - at[0] : 0;
    if (t->origin == FE_FROM_NUMBER)
        return first;
    return t->made.pattern == FE_INDEX  ? at[0]
           : t->made.pattern == FE_EYE  ? right == first
           : t->made.pattern == FE_TRIL ? right <= first
                                        : right >= first;
}

/* Integers have words without a sign: coordinates end at 32767; bf16 has all whole numbers up to 256. */
static bool may_fill(const compile_options *o, compile_context *ctx, const fe_shared *t,
                     const tile_tensor *shape, uint64_t *cells) {
    const char *name = names_text(ctx->names, t->name);
    const uint32_t most = o->tensors.dtype == TILE_DTYPE_BF16 ? 257 : INT16_MAX + 1;
    const bool number = t->origin == FE_FROM_NUMBER;
    *cells = 1;
    for (uint32_t m = 0; m < shape->order && *cells <= EVERYWHERE_MOST; m++)
        *cells *= shape->dim[m];
    if (!number && t->made.pattern == FE_INDEX && shape->dim[0] > most)
        diag_error(ctx->diag, t->loc, "E0170-declaration",
                   "coordinates of '%s' above %u are no values of the type", name, most - 1);
    else if (*cells > (number ? EVERYWHERE_MOST : PATTERN_MOST))
        diag_error(ctx->diag, t->loc, number ? "E0331-dense" : "E0170-declaration",
                   number ? "%s has more than %d values" : "'%s' has more than %d coordinates", name,
                   number ? EVERYWHERE_MOST : PATTERN_MOST);
    else
        return true;
    return false;
}

/* `all v`, and patterns: once the extents are known. */
static bool fill_in(const compile_options *o, compile_context *ctx, const fe_shared *t, tile_tensor *out) {
    const bool whole = t->origin == FE_FROM_NUMBER || t->made.pattern == FE_INDEX;
    uint32_t at[SAM_MAX_ORDER];
    uint64_t cells;
    u32_vec crd = {0};
    VEC(double) val = {0};
    if (!may_fill(o, ctx, t, out, &cells))
        return false;
    for (uint64_t cell = 0; cell < cells; cell++) {
        uint64_t rest = cell;
        for (uint32_t m = out->order; m-- > 0; rest /= out->dim[m])
            at[m] = (uint32_t)(rest % out->dim[m]);
        const double value = value_at(t, at);
        if (!whole && value == 0)
            continue;
        for (uint32_t m = 0; m < out->order; m++)
            vec_push(ctx->mem, &crd, at[m]);
        vec_push(ctx->mem, &val, bounded(o, value));
    }
    const tile_tensor shape = *out;
    return tile_from_entries(t->name, shape.order, shape.dim, val.len, crd.at, val.at, type_of(o),
                             names_text(ctx->names, t->name), ctx->mem, ctx->diag, out) &&
           compile_type_original(o, ctx, scale_of(o, t), out);
}

/* ---- the whole --------------------------------------------------------------------------------- */

static bool all_known(const compile_context *ctx, const compile_application *a, const text_vec *arguments,
                      const char *option) {
    for (uint32_t i = 0; i < arguments->len; i++) {
        name_id name = names_intern_n(ctx->names, arguments->at[i], strcspn(arguments->at[i], ":"));
        if (fe_program_find(&a->program, name) < a->program.tensors.len)
            continue;
        return diag_error(ctx->diag, (src_loc){0}, "E0910-operand", "%s %s names no tensor of the program",
                          option, arguments->at[i]);
    }
    return true;
}

bool compile_application_data(const compile_options *o, compile_context *ctx, compile_application *a) {
    const fe_program *p = &a->program;
    const uint32_t n = p->tensors.len;
    tie_vec ties = {0};
    classes c = {a, arena_new_n(ctx->mem, uint32_t, n * SAM_MAX_ORDER + 1), &ties};
    a->initial = arena_new_n(ctx->mem, tile_tensor, n + 1);
    for (uint32_t i = 0; i < n * SAM_MAX_ORDER; i++)
        c.parent[i] = i;
    text_vec given = {0};
    for (uint32_t i = 0; i < o->tensors.in_memory.len; i++)
        vec_push(ctx->mem, &given, o->tensors.in_memory.at[i].name);
    if (!all_known(ctx, a, &given, "operand") || !all_known(ctx, a, &o->tensors.inputs, "-i") ||
        !all_known(ctx, a, &o->tensors.generators, "-g"))
        return false;
    for (uint32_t t = 0; t < n; t++) {
        if (!read_first(o, ctx, &p->tensors.at[t], t, &a->initial[t]))
            return false;
    }
    join_steps(&c, ctx->mem, &p->steps);
    if (!share_extents(&c, o, ctx))
        return false;
    state_extents(a, &a->program.steps);
    for (uint32_t t = 0; t < n; t++) {
        const fe_shared *one = &p->tensors.at[t];
        const compile_source from = compile_source_of(o, names_text(ctx->names, one->name));
        if ((one->origin == FE_FROM_NUMBER || one->origin == FE_FROM_PATTERN) && !compile_has_source(&from) &&
            !fill_in(o, ctx, one, &a->initial[t]))
            return false;
        a->initial[t].scale = scale_of(o, one);
        if (one->added_first && !a->initial[t].nnz) {
            diag_warning(ctx->diag, one->loc, "E0129-from-zero", "%s holds nothing where += first adds to it",
                         names_text(ctx->names, one->name));
            diag_hint(ctx->diag, "declare it with = {} if that is meant");
        }
    }
    return true;
}
