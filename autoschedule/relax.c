/* relax.c - compile_choose, and schedules that the board cannot run as they are written.
 *
 * A schedule never changes values, so a schedule that the array cannot follow is no reason to refuse the
 * statement. The forms are tried from the nearest to the farthest; each trial is a whole choice, as for a
 * statement without a schedule: orders of the loops, workspaces, kernels that fit, the host. A note names the
 * first command that the form does not follow, the form, the reason, and what would help.
 */
#include "autoschedule/autoschedule_int.h"
#include "frontend/language/language.h"
#include "frontend/schedules/schedules.h"
#include "kernel/edges.h"

/* A kernel of the schedule, the form in its place, and why it needs one. */
typedef struct {
    const fe_kernel *asked;
    compile_schedule form;
    compile_reason against;
} relaxed;

/* Chooses for a statement without a schedule. */
static bool choose_for(compile_trying *c, const fe_kernel *kernel, compile_schedule *out) {
    fe_in plain = *c->in->in;
    plain.n_schedule = 0;
    plain.extents = NULL; /* the kernel's variables have them */
    const compile_choosing in = {&plain, &kernel->s, c->in->board, NULL};
    compile_trying trial = {.o = c->o, .ctx = c->ctx, .in = &in};
    *out = (compile_schedule){0};
    vec_push(c->ctx->mem, &out->cin.kernels, *kernel);
    const bool works = compile_choose_kernels(&trial, out);
    c->singly |= works && trial.singly;
    return works;
}

/* Chooses for a kernel in whole loops, in the order asked for or else in any. */
static bool relax_kernel(compile_trying *c, const fe_kernel *kernel, compile_schedule *out) {
    fe_kernel whole;
    fe_loosen(kernel, true, c->ctx->mem, &whole);
    if (choose_for(c, &whole, out))
        return true;
    fe_loosen(kernel, false, c->ctx->mem, &whole);
    return choose_for(c, &whole, out);
}

/* Notes the form of a kernel; returns the note's text. */
static const char *say(const compile_trying *c, const relaxed *r) {
    const sam_statement *s = &r->asked->s;
    const fe_cin *cin = &r->form.cin;
    arena *mem = c->ctx->mem;
    const char *how = cin->kernels.len == 1 ? arena_printf(mem, "in the loops %s",
                                                           compile_loops_text(&cin->kernels.at[0].s, mem))
                                            : arena_printf(mem, "by %u kernels", cin->kernels.len);
    const char *text =
        arena_printf(mem, "%s is computed %s, since the array cannot follow the schedule: %s",
                     names_text(s->names, sam_tensor_at(s, s->result)->name), how, r->against.why);
    diag_note(c->ctx->diag, fe_first_command(r->asked), "%s%s%s", text, r->against.hint ? "; " : "",
              r->against.hint ? r->against.hint : "");
    return text;
}

/* Replaces every kernel that does not map. */
static bool relax_kernels(compile_trying *c, compile_schedule *out) {
    const fe_cin asked = out->cin;
    fe_cin all = asked;
    VEC(relaxed) made = {0};
    for (uint32_t n = 0, at = 0; n < asked.kernels.len; n++, at++) {
        relaxed one = {.asked = &asked.kernels.at[n]};
        if (one.asked->on_host || compile_maps(c, one.asked))
            continue;
        one.against = c->last;
        if (!one.against.why || !relax_kernel(c, one.asked, &one.form))
            return false;
        all = compile_with_kernels(&all, at, &one.form.cin, c->ctx->mem);
        at += one.form.cin.kernels.len - 1;
        vec_push(c->ctx->mem, &made, one);
    }
    if (!made.len || !compile_choose_orders(c, &all, &out->chosen))
        return false;
    out->cin = all;
    for (uint32_t i = 0; i < made.len; i++)
        out->staged = compile_add_sentence(out->staged, say(c, &made.at[i]), c->ctx->mem);
    return true;
}

/* Drops the schedule, unless it binds a subexpression to who computes it. */
static bool relax_statement(compile_trying *c, compile_reason against, compile_schedule *out) {
    fe_in plain = *c->in->in;
    fe_cin bare;
    plain.n_schedule = 0;
    for (uint32_t n = 0; n < out->cin.kernels.len; n++) {
        if (out->cin.kernels.at[n].on_host)
            return false;
    }
    relaxed one = {.asked = &out->cin.kernels.at[out->cin.kernels.len - 1], .against = against};
    if (!fe_schedule(&plain, c->in->user, c->ctx->mem, c->ctx->diag, &bare) ||
        !choose_for(c, &bare.kernels.at[0], &one.form))
        return false;
    const char *text = say(c, &one);
    *out = one.form;
    out->staged = text;
    return true;
}

void compile_choose(const compile_options *o, compile_context *ctx, const compile_choosing *in,
                    compile_schedule *out) {
    compile_trying c = {.o = o, .ctx = ctx, .in = in};
    if (compile_choose_kernels(&c, out))
        return;
    const compile_reason against = c.last; /* no message: a mistake of the user, for the kernels to report */
    (void)(against.why && in->in->n_schedule &&
           (relax_kernels(&c, out) || relax_statement(&c, against, out)));
}
