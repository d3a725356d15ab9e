/* Fallbacks: a mapping chosen by the data may fail on the data; other mappings are tried before the user sees
 * an error. */
#include "compile/fallback.h"
#include "autoschedule/autoschedule.h"
#include "support/trial.h"

#include <stddef.h>

typedef struct {
    compile_context *ctx;
    compile_kernel *k;
    compile_action *action;
    diagnostics before; /* the first attempt */
    const char *stored; /* the formats with which a kernel fits that was too large, or NULL */
    compile_kernel empty;
} fallbacks;

/* Returns whether another mapping may help: the refusal is about the hardware's size or about a hazard of the
 * chip. */
static bool may_fall_back(const fallbacks *r) {
    const diagnostics *now = r->ctx->diag;
    if (r->ctx->interrupted || now->list.len <= r->before.list.len || now->mismatches > r->before.mismatches)
        return false;
    for (uint32_t i = r->before.list.len; i < now->list.len; i++) {
        const diagnostic *d = &now->list.at[i];
        if (d->kind == DIAG_ERROR && d->refusal != DIAG_REFUSED_CYCLE_STUCK)
            return false;
    }
    return true;
}

/* Returns whether anything was chosen by the data. */
static bool was_chosen(const compile_kernel *k) {
    bool chosen = k->tiling.expected.edge || k->array.copies > 1 || k->choices.staged;
    for (uint32_t n = 0; n < k->producers.len; n++)
        chosen = chosen || was_chosen(&k->producers.at[n]);
    return chosen;
}

static bool was_refused(const fallbacks *r, diag_refusal what) {
    bool was = false;
    for (uint32_t i = r->before.list.len; i < r->ctx->diag->list.len; i++)
        was = was || r->ctx->diag->list.at[i].refusal == what;
    return was;
}

/* Drops the results and diagnostics of the attempt before, since the user did not ask for the attempt. */
static void forget(fallbacks *r) {
    diag_return_to(r->ctx->diag, &r->before);
    *r->k = r->empty;
}

static bool try_with(fallbacks *r, const compile_options *o) {
    forget(r);
    return r->action(o, r->ctx, r->k);
}

/* ---- changes tried from the first pass on ----------------------------------------------------------- */

static bool host_may_help(const compile_kernel *k, const compile_options *o) {
    (void)k;
    return !compile_array_alone(o);
}
static bool is_open(const compile_kernel *k, const compile_options *o) {
    (void)k;
    (void)o;
    return true;
}
/* A union in front of an intersection has two paths to the next joiner, and the shorter path may have too few
 * FIFOs. */
static bool may_meet_first(const compile_kernel *k, const compile_options *o) {
    (void)k;
    return strcmp(o->target.profile, PNR_PROFILE) != 0;
}

/* A refusal, and the flag of compile_tried to set for the next attempt, at most once per statement. */
static const struct {
    diag_refusal refused;
    size_t set;
    bool (*may)(const compile_kernel *k, const compile_options *o);
    bool said; /* why the first mapping was replaced */
} changes[] = {
    {DIAG_REFUSED_RANGE, offsetof(compile_tried, any_sign), host_may_help, false},
    {DIAG_REFUSED_COMPLEMENT, offsetof(compile_tried, keeps_absent), is_open, false},
    {DIAG_REFUSED_DEADLOCK, offsetof(compile_tried, met_first), may_meet_first, true},
};

/* Finds the change for the next attempt; false: no change is left. */
static bool find_change(const fallbacks *r, const compile_options *o, compile_options *out, bool *said) {
    for (uint32_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        *out = *o;
        bool *set = (bool *)((char *)&out->tried + changes[i].set);
        if (*set || !changes[i].may(r->k, o) || !was_refused(r, changes[i].refused))
            continue;
        *set = true;
        *said = changes[i].said;
        return true;
    }
    return false;
}

/* ---- other formats ------------------------------------------------------------------------------- */

/* Returns whether the user states how the tensor is stored: "c:d" is the format of c. */
static bool is_stated(const compile_options *o, const char *format) {
    const size_t name = strcspn(format, ":") + 1;
    for (uint32_t i = 0; i < o->written.formats.len; i++) {
        if (strncmp(o->written.formats.at[i], format, name) == 0)
            return true;
    }
    return false;
}

/* Tries formats with which a kernel fits that is too large for the board, unless the user states others. */
static bool try_formats(fallbacks *r, const compile_options *o) {
    arena *mem = r->ctx->mem;
    compile_options other = *o;
    const diagnostics refused = *r->ctx->diag;
    const char *all = "";
    bool open = o->optimize > 0;
    if (!was_refused(r, DIAG_REFUSED_TOO_LARGE) || r->empty.chip.session)
        return false;
    const text_vec formats = compile_find_fitting(o, r->ctx, r->k);
    other.written.formats = (text_vec){0};
    for (uint32_t i = 0; i < o->written.formats.len; i++)
        vec_push(mem, &other.written.formats, o->written.formats.at[i]);
    for (uint32_t i = 0; i < formats.len; i++) {
        vec_push(mem, &other.written.formats, formats.at[i]);
        all = arena_printf(mem, "%s -f %s", all, formats.at[i]);
        open = open && !is_stated(o, formats.at[i]);
    }
    r->stored = formats.len ? all : NULL;
    if (formats.len && open && try_with(r, &other))
        return true;
    diag_return_to(r->ctx->diag, &refused);
    return false;
}

/* ---- changes tried in sequence ---------------------------------------------------------------------- */

/* Returns whether kernels with fewer operands may run after a kernel that lowers was refused. The mapping
 * must be open. Stated edges apply to the smaller kernels, too, and do not prevent the attempt after a
 * hazard. */
static bool may_be_smaller(const fallbacks *r, const compile_options *o) {
    const bool hazard = was_refused(r, DIAG_REFUSED_HAZARD),
               met = hazard && !was_refused(r, DIAG_REFUSED_CYCLE_STUCK),
               may = hazard || was_refused(r, DIAG_REFUSED_DEADLOCK) ||
                     was_refused(r, DIAG_REFUSED_WHOLE_SUM) ||
                     (was_refused(r, DIAG_REFUSED_TOO_LARGE) && strcmp(o->target.board, "onyx") == 0);
    return may && o->running.executes && o->optimize && !o->written.schedule.len &&
           (met || compile_edges_open(o)) && compile_copies_open(o) && !compile_array_alone(o);
}

/* Runs the statement in ever smaller kernels, at last with the host for every operation of two operands.
 * Skips an attempt whose kernels equal the refused kernels of an attempt without choices (`plain`) or with
 * larger kernels. */
static bool try_smaller(fallbacks *r, const compile_options *o, bool plain) {
    compile_options smaller = *o;
    bool ok = false, again = true;
    smaller.tried.plain = true;
    smaller.tried.refused = plain ? r->k->choices.kernels : NULL;
    for (smaller.tried.operands = 6; !ok && again && smaller.tried.operands; smaller.tried.operands--) {
        const diagnostics refused = *r->ctx->diag;
        ok = try_with(r, &smaller);
        if (!ok && r->k->choices.tried)
            diag_return_to(r->ctx->diag, &refused); /* the refusal would repeat */
        smaller.tried.refused = r->k->choices.kernels;
        again = may_fall_back(r);
    }
    return ok;
}

/* Tries other mappings: measured edges, no choices by the data, smaller kernels. A hazard depends on timing;
 * a run of the cycle model finds hazards. */
static bool try_mappings(fallbacks *r, const compile_options *o) {
    const bool open = compile_edges_open(o) || compile_copies_open(o), chosen = open && was_chosen(r->k),
               divisible = may_be_smaller(r, o);
    compile_options other = *o;
    if (was_refused(r, DIAG_REFUSED_HAZARD) && open && o->optimize == 1) {
        other.optimize = 2;
        if (try_with(r, &other))
            return true;
        if (!may_fall_back(r))
            return false;
    }
    other = *o;
    other.tried.plain = true;
    return (chosen && try_with(r, &other)) || (divisible && try_smaller(r, o, chosen));
}

/* Runs the statement without blocks of entries after any refusal of theirs. Scales are of their operand. */
static bool try_uncut(fallbacks *r, const compile_options *o) {
    const compile_options *uncut = o->written.uncut;
    compile_options other = *o;
    if (r->ctx->interrupted || r->ctx->diag->mismatches > r->before.mismatches || o->tensors.scaled)
        return false;
    const uint32_t said = r->ctx->diag->list.len;
    const char *why = said > r->before.list.len ? r->ctx->diag->list.at[said - 1].message : "";
    other.written = uncut->written;
    other.tensors.in_memory = uncut->tensors.in_memory;
    other.tensors.inputs = uncut->tensors.inputs;
    other.tensors.generators = uncut->tensors.generators;
    forget(r);
    const bool found = compile_with_fallbacks(&other, r->ctx, r->k, r->action);
    if (found)
        diag_note(r->ctx->diag, (src_loc){0}, "no operand is cut into blocks of equally many entries: %s",
                  why);
    return found;
}

bool compile_with_fallbacks(const compile_options *o, compile_context *ctx, compile_kernel *k,
                            compile_action *action) {
    fallbacks r = {.ctx = ctx, .k = k, .action = action, .before = *ctx->diag, .empty = *k};
    compile_options other;
    bool said = true;
    const bool ran = action(o, ctx, k);
    if (ran && o->written.uncut)
        diag_note(ctx->diag, (src_loc){0}, "an operand is cut into blocks of equally many entries: %s",
                  o->written.expression);
    if (ran || o->written.uncut)
        return ran || try_uncut(&r, o);
    if (!may_fall_back(&r))
        return false;
    /* Other shards did not meet the hazard, and keep their mapping. */
    if ((o->running.shards || o->running.merged.len) &&
        (was_refused(&r, DIAG_REFUSED_HAZARD) || was_refused(&r, DIAG_REFUSED_CYCLE_STUCK)))
        return false;
    const diagnostic *first = &ctx->diag->list.at[r.before.list.len];
    const char *why =
        first->hint ? arena_printf(ctx->mem, "%s; %s", first->message, first->hint) : first->message;
    if (find_change(&r, o, &other, &said)) {
        forget(&r);
        const bool found = compile_with_fallbacks(&other, ctx, k, action);
        if (said)
            k->choices.instead = found ? why : NULL;
        return found;
    }
    const bool stored = try_formats(&r, o), found = stored || try_mappings(&r, o);
    if (found)
        k->choices.instead = stored ? arena_printf(ctx->mem, "%s; this is with%s", why, r.stored) : why;
    else if (r.stored && was_refused(&r, DIAG_REFUSED_TOO_LARGE))
        diag_hint(ctx->diag,
                  "it fits with%s; or use a larger board, a lower unroll factor, or several kernels",
                  r.stored);
    return found;
}
