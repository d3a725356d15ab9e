/* Kernels of functions run by the chip's processor. The host evaluates the statement and records every call;
 * the processor makes the calls, rows at a time; the host evaluates the statement once more, with the
 * processor's results. */
#include "engines/calls.h"
#include "engines/overlap.h"
#include "engines/session.h"
#include "sam/calls.h"

/* Approximate number of values in a row: the unit of the host's progress, and of the array's waiting time
 * during concurrent calls. */
enum { ROW_VALUES = 4096, ROW_VALUES_OVERLAPPED = 64 };

/* Default time of an undescribed function: cycles of the processor a call, and for each point of its loops.
 */
static const double PER_CALL = 40, PER_POINT = 20;

/* ---- rows --------------------------------------------------------------------------------------- */

typedef VEC(fw_call_row) call_rows;

/* A function of the kernel, and its calls. */
typedef struct {
    fe_described *f;
    uint32_t number;
    sam_calls calls;
    uint32_t row_values;
} called;
typedef VEC(called *) called_all;

static const uint16_t *as_words(const int32_t *numbers) {
    return (const uint16_t *)numbers; /* the host is little-endian, as the chip is (support.h) */
}

static void rows_of_values(const called *c, arena *mem, call_rows *out) {
    for (uint64_t at = 0; at < c->calls.calls; at += c->row_values) {
        const uint64_t remaining = c->calls.calls - at;
        fw_call_row row = {.out_words = (uint32_t)(remaining < c->row_values ? remaining : c->row_values)};
        for (uint32_t i = 0; i < c->f->parameters; i++) {
            row.in[i].word = c->calls.in[i].at + at;
            row.in[i].words = row.out_words;
        }
        vec_push(mem, out, row);
    }
}

static void rows_of_fibers(const called *c, arena *mem, call_rows *out) {
    uint64_t at = 0;
    for (uint64_t call = 0; call < c->calls.calls;) {
        uint16_t *length = arena_new_n(mem, uint16_t, c->row_values);
        uint32_t n = 0, values = 0;
        do { /* a fiber is no longer than a bank, or the row is refused */
            length[n++] = (uint16_t)c->calls.extents.at[call];
            values += (uint32_t)c->calls.extents.at[call++];
        } while (call < c->calls.calls && n < c->row_values &&
                 values + (uint32_t)c->calls.extents.at[call] <= c->row_values);
        fw_call_row row = {.out_words = values};
        row.in[0].word = length;
        row.in[0].words = n;
        row.in[1].word = c->calls.in[0].at + at;
        row.in[1].words = values;
        if (compile_takes_coordinates(c->f)) {
            row.in[2].word = as_words(c->calls.coordinates.at + at);
            row.in[2].words = 2 * values;
        }
        at += values;
        vec_push(mem, out, row);
    }
}

static void rows_of_tensors(const called *c, arena *mem, call_rows *out) {
    static const uint16_t nothing[2] = {0};
    const sam_statement *s = &c->f->states.s;
    uint64_t at[SAM_CALL_OPERANDS] = {0};
    for (uint64_t call = 0; call < c->calls.calls; call++) {
        const int32_t *extent = s->vars.len ? c->calls.extents.at + call * s->vars.len : NULL;
        fw_call_row row = {0};
        row.in[0].word = extent ? as_words(extent) : nothing;
        row.in[0].words = extent ? 2 * s->vars.len : 1;
        for (uint32_t t = 0; t < s->tensors.len; t++) {
            const sam_var *index = sam_index_of(s, (sam_tensor){t + 1});
            uint32_t words = 1;
            for (uint32_t m = 0; m < s->tensors.at[t].order; m++)
                words *= (uint32_t)extent[index[m].v - 1];
            if (t + 1 == s->result.v) {
                row.out_words = words;
                continue;
            }
            row.in[t].word = words ? c->calls.in[t - 1].at + at[t - 1] : nothing;
            row.in[t].words = words ? words : 1;
            at[t - 1] += words;
        }
        vec_push(mem, out, row);
    }
}

static call_rows rows_of(const called *c, arena *mem) {
    call_rows rows = {0};
    if (c->f->array)
        rows_of_tensors(c, mem, &rows);
    else if (c->f->fiber)
        rows_of_fibers(c, mem, &rows);
    else
        rows_of_values(c, mem, &rows);
    return rows;
}

/* ---- on the processor --------------------------------------------------------------------------- */

static bool make_calls(const compile_calls_in *by, compile_context *ctx, compile_kernel *k, called *c) {
    const call_rows rows = rows_of(c, ctx->mem);
    const compile_called calls = {.f = c->f,
                                  .calls = {c->number, compile_inputs_of(c->f), rows.at, rows.len, 0},
                                  .want = c->calls.out.at,
                                  .n = c->calls.calls};
    compile_engine_in in = {.ctx = ctx,
                            .how = {.on_board = by->o->running.on_board},
                            .board = &k->board,
                            .board_path = k->board_path,
                            .calls = true,
                            .configs = k->chip.configs,
                            .session = k->chip.session,
                            .folder = k->folder,
                            .final_folder = k->final_folder};
    if (!rows.len || compile_defer_calls(&in, by->engine, &calls))
        return true;
    const double before = k->ran.firmware_s;
    const bool ok = compile_make_calls(&in, by->engine, &calls, 0, NULL, &k->ran);
    k->times.firmware += k->ran.firmware_s - before;
    return ok;
}

/* ---- elsewhere ---------------------------------------------------------------------------------- */

/* Returns how often the loops of all calls go around. */
static double points_of(const called *c) {
    const uint32_t vars = c->f->states.s.vars.len;
    double all = 0;
    for (uint64_t i = 0; c->f->fiber && i < c->calls.calls; i++)
        all += c->calls.extents.at[i];
    for (uint64_t i = 0; c->f->array && i < c->calls.calls; i++) {
        double points = 1;
        for (uint32_t v = 0; v < vars; v++)
            points *= c->calls.extents.at[i * vars + v];
        all += points;
    }
    return all;
}

static uint64_t expected_cycles(const called *c, const pnr_board *b) {
    const bool said = c->f->per_call > 0 || c->f->per_point > 0;
    const double per_call = said ? c->f->per_call : PER_CALL, per_point = said ? c->f->per_point : PER_POINT;
    const uint32_t ratio = b->cpu_mhz ? host_cycles_ratio(b) : 1; /* engine sam has no board */
    return (uint64_t)(ratio * (per_call * (double)c->calls.calls + per_point * points_of(c)));
}

/* ---- all of it ---------------------------------------------------------------------------------- */

static void add_called(compile_context *ctx, const compile_kernel *k, fe_described *f, sam_calls **at,
                       called_all *all) {
    if (*at)
        return;
    called *c = arena_new(ctx->mem, called);
    *c = (called){.f = f,
                  .number = compile_number_of(ctx->calls, f),
                  .calls = {.mem = ctx->mem},
                  .row_values =
                      k->chip.session && k->chip.session->may_wait ? ROW_VALUES_OVERLAPPED : ROW_VALUES};
    *at = &c->calls;
    vec_push(ctx->mem, all, c);
}

static void begin_calls(compile_context *ctx, compile_kernel *k, called_all *all) {
    const sam_statement *s = &k->lowered.statement;
    if (k->calls.call)
        add_called(ctx, k, compile_described_of(ctx->functions, ctx->calls, k->calls.name), &k->calls.calls,
                   all);
    for (uint32_t e = 0; e < s->exprs.len && !k->calls.call; e++) {
        sam_program *p = compile_called_at(s, e);
        if (p)
            add_called(ctx, k, compile_described_of(ctx->functions, ctx->calls, p->name), &p->calls, all);
    }
}

static void end_calls(compile_kernel *k) {
    const sam_statement *s = &k->lowered.statement;
    k->calls.calls = NULL;
    for (uint32_t e = 0; e < s->exprs.len; e++) {
        if (compile_called_at(s, e))
            compile_called_at(s, e)->calls = NULL;
    }
}

static void count_calls(const compile_context *ctx, compile_kernel *k, const called *c) {
    const char *before = k->ran.processor.names, *name = c->f->program->name;
    k->ran.processor.names = before ? arena_printf(ctx->diag->mem, "%s, %s", before, name) : name;
    k->ran.processor.calls += c->calls.calls;
    k->ran.processor.words += c->calls.out.len;
    for (uint32_t i = 0; i < c->calls.operands; i++)
        k->ran.processor.words += c->calls.in[i].len;
}

bool compile_run_calls(const compile_calls_in *in, compile_context *ctx, compile_kernel *k) {
    const bool there = compile_engines[in->o->target.engine].by_processor;
    called_all all = {0};
    begin_calls(ctx, k, &all);
    bool ok = in->evaluate(ctx, k, in->named);
    for (uint32_t i = 0; i < all.len && ok; i++) {
        called *c = all.at[i];
        count_calls(ctx, k, c);
        if (there) {
            ok = make_calls(in, ctx, k, c);
            c->calls.made = c->calls.out.at; /* checked against the processor's results, now or later */
        } else {
            const uint64_t cycles = expected_cycles(c, &k->board);
            k->ran.processor.cycles += cycles;
            k->ran.cycles.firmware += cycles;
            k->ran.cycles.total += cycles;
        }
    }
    k->ran.processor.measured = there;
    ok = ok && (!there || in->evaluate(ctx, k, in->named));
    for (uint32_t i = 0; i < all.len && ok && there; i++)
        BUG_IF(all.at[i]->calls.differs || all.at[i]->calls.taken != all.at[i]->calls.out.len,
               "other calls of %s the second time", all.at[i]->f->program->name);
    end_calls(k);
    return ok;
}
