/* Waiting batches of a program, run in sequence by the chip's processor, including tests of loops; and
 * results that stay on the chip until the host needs their values. Until then a tensor holds the prediction
 * of the cycle model, which runs ahead and directs the host's execution. The host compares the processor's
 * steps, and every result taken from the chip, with the prediction. */
#include "programs/queue.h"
#include "engines/engines.h"
#include "programs/batch_operands.h"
#include "programs/calls.h"
#include "programs/command_list.h"
#include "programs/configured.h"
#include "programs/gather.h"
#include "programs/read_back.h"
#include "programs/scalar.h"
#include "tiling/plain.h"

/* ---- a waiting batch --------------------------------------------------------------------------- */

/* Returns whether segment `g` of the batch is at the place of its store. */
static bool is_resident(const compile_deferred *l, uint32_t g) {
    return g < l->columns.n_in && (l->counts.resident >> g & 1);
}

/* Stored values of one result, `step` bytes apart. */
typedef struct {
    uint32_t from, n, step;
} value_piece;
typedef VEC(value_piece) value_pieces;

/* Lists the pieces of a value: a store's pieces, of all runs, lie in blocks of one value beside each other.
 * Returns whether each piece has one. */
static bool list_values(const compile_resident *resident, arena *mem, value_pieces *out) {
    const compile_deferred *l = &resident->deferred;
    for (uint32_t o = 0; o < l->plan.outputs.len; o++) {
        const uint32_t n = l->stored[o].len / 4;
        for (uint32_t i = 0; i < n; i++) {
            if (word_at(l->stored[o].at, 2 * i) != 1)
                return false;
        }
        if (n)
            vec_push(mem, out, ((value_piece){resident->words.at[o].address + 2, n, 4}));
    }
    return l->plan.outputs.len == l->plan.copies;
}

/* Lists the values of rows (sam_statement.rows), in the order in which the host collects them. */
static bool list_rows(const compile_resident *resident, arena *mem, value_pieces *out) {
    const compile_deferred *l = &resident->deferred;
    uint32_t at[TILE_MAX_STREAMS] = {0};
    for (uint32_t r = 0; r < l->plan.runs.len; r++) {
        for (uint32_t o = 0; o < l->plan.outputs.len; o++) {
            const uint32_t begin = at[o];
            if (!compile_pass_run(l, o, &at[o]))
                return false;
            const uint32_t n = word_at(l->stored[o].at, begin);
            if (l->plan.outputs.at[o].stream.level == SAM_MODE_VALS && n)
                vec_push(mem, out, ((value_piece){resident->words.at[o].address + 2 * begin + 2, n, 2}));
        }
    }
    return true;
}

/* Returns the word that the pieces combine to, in their order, and their number of values. */
static uint16_t combine_pieces(const compile_resident *resident, const value_pieces *all,
                               const sam_operator *op, uint32_t *values) {
    uint16_t made = 0;
    *values = 0;
    for (uint32_t p = 0; p < all->len; p++) {
        uint32_t o = 0;
        while (all->at[p].from - resident->words.at[o].address >= resident->words.at[o].bytes)
            o++;
        for (uint32_t i = 0; i < all->at[p].n; i++, ++*values) {
            const uint32_t at = all->at[p].from - resident->words.at[o].address + i * all->at[p].step;
            const uint16_t word = word_at(resident->deferred.stored[o].at, at / 2);
            made = *values ? op->apply(made, word) : word;
        }
    }
    return made;
}

/* Adds commands that combine the stored pieces of one value, as on the host. */
static void gather_value(interpreter *m, const compile_statement_plan *plan, const tile_tensor *value,
                         arena *mem, compile_resident *resident) {
    const compile_deferred *l = &resident->deferred;
    const sam_statement *s = &resident->kernel.lowered.statement;
    const tile_dtype dtype = resident->kernel.data.packed.dtype;
    const uint16_t want = value->nnz ? value->val[0] : value->fill;
    const uint32_t slot = compile_find_slot(m, NULL, plan->alive, true, 4), address = FW_SCRATCH | slot;
    const sam_operator *op;
    uint32_t how, values = 0;
    value_pieces all = {0};
    compile_meeting(s, dtype, &how, &op);
    const bool rows = sam_tensor_at(s, s->result)->order;
    if (how == FW_OP_SET || !(rows ? list_rows : list_values)(resident, mem, &all) || !all.len)
        return;
    const uint16_t made = combine_pieces(resident, &all, op, &values);
    const double cycles =
        (double)(all.len + 1) * COMPILE_COMMAND_CYCLES + (double)values * compile_combined_cycles(dtype);
    const compile_host_price host = compile_host_price_of(m->o, &m->a->board);
    const bool dear = cycles > host.asked + values * host.word;
    if ((values < 2 && !rows) || dear || made != want || slot + 4 > FW_SCRATCH_ROOM)
        return;
    const uint32_t first = all.at[0].from - 2; /* a block's values lie behind a word */
    const fw_command begin = FW_MAKE(calc, .op = FW_OP_SET, .to = address, .a = first, .b = first);
    compile_add_step(m, plan, l->elf, &begin);
    for (uint32_t p = 0; p < all.len; p++) {
        const value_piece *piece = &all.at[p];
        const uint32_t from = piece->from + (p ? 0 : piece->step), n = piece->n - !p;
        const fw_command command = FW_MAKE(calc, .op = how, .to = address + 2, .a = address + 2, .b = from,
                                           .n = 1, .rows = n, .step_b = piece->step);
        if (n)
            compile_add_step(m, plan, l->elf, &command);
    }
    const uint16_t block[] = {1, want};
    const compile_device_copy device_copy = {.home = true,
                                             .put = {address, sizeof block, hash_bytes(block, sizeof block)}};
    compile_note_device_copy(m, &device_copy);
    vec_push(mem, &resident->device_copies, device_copy);
    compile_add_scratch(m, &device_copy.put);
}

/* Returns the execution number of a run of the statement, or of one of its kernels. */
static uint32_t execution_of(compile_statement_plan *plan) {
    const compile_statement_plan *whole = compile_whole(plan);
    return whole->executions.len - whole->begun;
}

/* Adds the moves of the operands and the batch; first runs the waiting list if the host must write in
 * between. */
static bool add_batch(interpreter *m, compile_statement_plan *plan, const compile_deferred *l,
                      const fw_batch *b, const compile_move *moves, const compile_moves *rescued,
                      compile_resident *resident) {
    uint32_t commands = 2 + m->processor.calc.len + resident->commands.len + l->plan.copies + 1;
    bool may = true;
    for (uint32_t i = 0; i < l->columns.n_in; i++)
        commands += moves[i].commands.len;
    for (uint32_t i = 0; i < rescued->len; i++)
        commands += rescued->at[i].commands.len;
    if (m->list.steps.len + commands > COMPILE_LIST_STEPS && !compile_break_list(m, "its list is full"))
        return false;
    for (uint32_t i = 0; i < b->segments.len; i++) { /* the row of commands says the same all along */
        const bool stays = is_resident(l, i) || (i < l->columns.n_in && moves[i].of) ||
                           (resident->commands.len && i == l->columns.n_in);
        may = may && (stays || compile_may_write(m, &b->segments.at[i]));
    }
    if (!may && !compile_break_list(m, "the host writes operands between"))
        return false;
    compile_add_calcs(m, plan, l->elf);
    for (uint32_t i = 0; i < rescued->len; i++)
        compile_add_move(m, plan, l->elf, &rescued->at[i]);
    for (uint32_t i = 0; i < l->columns.n_in; i++) {
        if (moves[i].of)
            compile_add_move(m, plan, l->elf, &moves[i]);
    }
    resident->step = FW_MAKE(batch, .callee = l->columns.kernel, .table = b->table, .runs = b->runs,
                             .outputs = b->outputs);
    resident->plan = plan;
    resident->execution = execution_of(plan);
    for (uint32_t i = 0; i < resident->commands.len; i++)
        compile_add_step(m, plan, l->elf, &resident->commands.at[i]);
    if (!resident->commands.len)
        compile_add_step(m, plan, l->elf, &resident->step);
    vec_push(&m->list.mem, &m->list.runs,
             ((compile_queued_run){compile_whole(plan), resident->execution,
                                   resident->commands.len ? COMPILE_NO_STEP : m->list.steps.len - 1}));
    if (resident->commands.len) { /* stores the length of the commands' result; calls do so themselves */
        const uint32_t words = l->stored[0].len / 2 - 1;
        const fw_command length = FW_MAKE(block, .to = l->counts.output[0], .words = words, .from = words);
        compile_add_step(m, plan, l->elf, &length);
    } else if (!l->operands && m->ready != plan) {
        m->ready = plan;
        m->elf = arena_strdup(m->ctx->mem, l->elf);
    }
    for (uint32_t i = 0; i < b->segments.len; i++) {
        if (is_resident(l, i) || (i < l->columns.n_in && moves[i].of))
            vec_push(&m->list.mem, &m->list.used,
                     ((fw_segment){b->segments.at[i].address, b->segments.at[i].bytes, NULL}));
        else
            compile_add_segment(m, &b->segments.at[i]);
    }
    for (uint32_t i = 0; i < resident->words.len; i++)
        vec_push(&m->list.mem, &m->list.resident,
                 ((fw_segment){m->a->board.map.cgra_data + resident->words.at[i].address,
                               resident->words.at[i].bytes, NULL}));
    if (resident->between.bytes)
        compile_add_scratch(m, &resident->between);
    return true;
}

/* The kernel's operands will change, but the format of their words is needed later. */
static void keep_operands(const interpreter *m, const compile_statement_plan *plan,
                          compile_resident *resident, arena *mem) {
    const sam_statement *packed = &resident->kernel.lowered.statement;
    tile_operands *in = &resident->kernel.data.packed;
    tile_tensor *own = arena_new_n(mem, tile_tensor, in->n + 1);
    for (uint32_t t = 0; t < in->n; t++) {
        const sam_tensor_data *data = &packed->tensors.at[t];
        own[t] = in->operand[t];
        if (t + 1 != packed->result.v && !data->ones && !compile_stays(m, plan->step, sam_stored_name(data)))
            own[t] = compile_copy_of(&in->operand[t], mem);
    }
    in->operand = own;
}

/* Reads the batch, if present; returns false for several batches, or a table that overlaps the lists. */
static bool read_batch(const interpreter *m, compile_context *ctx, const compile_deferred *l, fw_batch *b,
                       bool *good) {
    fw_batches all;
    *good = fw_batches_open(l->batches, &m->a->board, ctx->mem, ctx->diag, &all);
    if (!*good)
        return false;
    const uint32_t n = all.batches;
    *good = n != 1 || fw_batches_get(&all, 0, ctx->mem, ctx->diag, b);
    fw_batches_close(&all);
    return *good && n < 2 &&
           (!n || b->table + b->runs * fw_row_bytes(l->columns.n_in, l->columns.n_out) <=
                      m->a->board.map.sram + FW_TABLE_OFFSET + FW_TABLES_KEPT);
}

/* Adds a statement without runs, with an empty result. */
static bool add_nothing(interpreter *m, compile_statement_plan *plan, compile_resident *resident) {
    compile_statement_plan *whole = compile_whole(plan);
    resident->empty = true;
    resident->plan = plan;
    resident->execution = execution_of(plan);
    if (!compile_count_run(m, plan, &resident->kernel))
        return false;
    if (compile_queue_has_commands(m))
        vec_push(&m->list.mem, &m->list.runs,
                 ((compile_queued_run){whole, resident->execution, COMPILE_NO_STEP}));
    else
        compile_add_timeline_run(
            m, whole,
            (compile_timeline_run){.pass = whole->executions.at[resident->execution].pass, .begin = m->now});
    return true;
}

/* Computes the kernel by the cycle model, or its calls by this machine, and makes the batch; *why becomes the
 * reason why that cannot wait. Returns false after errors. */
static bool make_batch(interpreter *m, compile_context *ctx, const compile_member *members, uint32_t n,
                       fw_batch *b, const char **why) {
    compile_statement_plan *plan = members[0].plan;
    const compile_data *data = &members[0].data;
    compile_resident *l = members[0].resident;
    compile_kernel *k = &l->kernel;
    bool good = true;
    if (plan->kernel.on_host || plan->by_commands) {
        *k = plan->kernel;
        k->data.operands = data->operands;
        k->data.extent = data->extent;
    }
    k->chip.deferred = &l->deferred;
    if (k->on_host || plan->by_commands) {
        if (k->on_host) {
            good = compile_run_on_host(ctx, k, &data->operands);
        } else { /* as written, not as the array stores the tensor */
            k->on_host = true;
            k->lowered.statement = k->user;
            k->ran = (compile_outcome){0};
            good = tile_plain(&k->user, &data->operands, ctx->mem, ctx->diag, &k->ran.result);
        }
        *why = good ? compile_lay_calls(m, ctx, plan, l, b) : NULL;
        return good;
    }
    good = compile_run_kernels(&plan->options, ctx, k, &data->operands);
    for (uint32_t p = 0; p < n; p++)
        good = compile_end_run(m, ctx, members[p].plan, &members[p].resident->kernel, good);
    if (!good)
        return false;
    if (!read_batch(m, ctx, &l->deferred, b, &good))
        *why = "a statement has several batches";
    return good;
}

/* Takes results before a batch runs, each for its reason; from now on the host takes them at once. */
static bool take_results(interpreter *m, const char *const *why) {
    for (uint32_t t = 0; t < m->a->slots; t++) {
        if (!why[t])
            continue;
        if (!m->of[t].resident->empty && m->of[t].resident->plan) {
            compile_whole(m->of[t].resident->plan)->waits = false;
            compile_whole(m->of[t].resident->plan)->eager = why[t];
        }
        if (!compile_sync(m, t, why[t]))
            return false;
    }
    return true;
}

/* The chip's memory before a run. */
typedef struct {
    fw_memory was;
    uint32_t image;
} chip_before;

static void restore(interpreter *m, const chip_before *before) {
    compile_restore_memory(&m->session.memory, &before->was);
    m->session.last_image = before->image;
}

/* Notes that the statements cannot wait. */
static void stop_waiting(const compile_member *members, uint32_t n, const char *why) {
    for (uint32_t p = 0; p < n; p++) {
        compile_whole(members[p].plan)->waits = false;
        compile_whole(members[p].plan)->eager = why;
    }
}

/* Begins the run of all statements, by the first statement's kernel. */
static void begin_runs(interpreter *m, compile_context *ctx, const compile_member *members, uint32_t n) {
    compile_kernel *first = &members[0].resident->kernel;
    for (uint32_t p = 0; p < n; p++) {
        compile_resident *l = members[p].resident;
        compile_begin_run(m, ctx, members[p].plan, &members[p].data, &l->kernel);
        l->kernel.chip.deferred = &l->deferred;
        if (p)
            vec_push(ctx->mem, &first->array.others, &l->kernel);
    }
}

/* Adds the places of the outputs. */
static void add_words(const compile_deferred *l, arena *mem, fw_puts *words) {
    for (uint32_t o = 0; o < l->columns.n_out; o++) {
        const uint32_t bytes = l->stored[o].len;
        vec_push(mem, words, ((fw_put){l->counts.output[o], bytes, hash_bytes(l->stored[o].at, bytes)}));
    }
}

/* Returns the outputs of statement `copy` of a run, as of a run of its own; rows and columns are the
 * run's. */
static compile_deferred deferred_of(const compile_deferred *l, const compile_kernel *k, uint32_t copy,
                                    arena *mem) {
    compile_deferred own = *l;
    uint32_t n = 0, *in_row = arena_new_n(mem, uint32_t, l->plan.outputs.len + 1);
    own.in_row = in_row;
    own.plan = (tile_plan){.tile = k->ran.cut.tile, .edge = k->ran.cut.edge, .copies = 1};
    for (uint32_t o = 0; o < l->plan.outputs.len; o++) {
        tile_output output = l->plan.outputs.at[o];
        if (output.copy != copy)
            continue;
        output.copy = 0;
        vec_push(mem, &own.plan.outputs, output);
        in_row[n] = o;
        own.stored[n] = l->stored[o];
        own.counts.output[n++] = l->counts.output[o];
    }
    for (uint32_t r = 0; r < l->plan.runs.len; r++) {
        vec_push(mem, &own.plan.runs, l->plan.runs.at[r]);
        vec_push(mem, &own.plan.boxes, l->plan.boxes.at[r * l->plan.copies + copy]);
    }
    return own;
}

/* Gives each statement its own result of the run. */
static void divide_results(interpreter *m, arena *mem, const compile_member *members, uint32_t n) {
    const compile_deferred all = members[0].resident->deferred;
    const fw_puts words = members[0].resident->words;
    for (uint32_t p = 0; p < n && n > 1; p++) {
        compile_resident *l = members[p].resident;
        l->deferred = deferred_of(&all, &l->kernel, p, mem);
        l->words = (fw_puts){0};
        for (uint32_t o = 0; o < words.len; o++) {
            if (all.plan.outputs.at[o].copy == p)
                vec_push(mem, &l->words, words.at[o]);
        }
        l->step = members[0].resident->step;
        l->plan = members[p].plan;
        if (!p)
            continue;
        l->execution = execution_of(l->plan);
        vec_push(&m->list.mem, &m->list.runs,
                 ((compile_queued_run){compile_whole(l->plan), l->execution, COMPILE_NO_STEP}));
    }
}

/* Counts the runs, and adds what a single value and later needs take. */
static bool end_runs(interpreter *m, compile_context *ctx, const compile_member *members, uint32_t n,
                     bool calls) {
    bool ok = true;
    divide_results(m, ctx->mem, members, n);
    for (uint32_t p = 0; p < n && ok; p++) {
        compile_resident *l = members[p].resident;
        if (!members[p].value.order && !calls)
            gather_value(m, members[p].plan, &members[p].value, ctx->mem, l);
        ok = compile_count_run(m, members[p].plan, &l->kernel);
        if (ok && !calls)
            keep_operands(m, members[p].plan, l, ctx->mem);
    }
    return ok;
}

/* Adds statements without runs. */
static bool add_no_runs(interpreter *m, compile_context *ctx, const compile_member *members, uint32_t n) {
    bool ok = true;
    for (uint32_t p = 0; p < n && ok; p++) {
        ok = add_nothing(m, members[p].plan, members[p].resident);
        if (ok)
            keep_operands(m, members[p].plan, members[p].resident, ctx->mem);
    }
    return ok;
}

/* Moves the operands of the batch, and adds the batch. */
static bool add_run(interpreter *m, compile_context *ctx, compile_member *members, uint32_t n,
                    const chip_before *before, fw_batch *b, compile_enqueued *waited) {
    compile_statement_plan *plan = members[0].plan;
    compile_resident *l = members[0].resident;
    compile_move moves[TILE_MAX_STREAMS] = {{.of = NULL}};
    compile_moves rescued = {0};
    const compile_move_in in = {.to = &l->deferred, .batch = b, .was = &before->was};
    const char *const *taken = compile_address_operands(m, plan, &in, b, ctx->mem, moves, &rescued);
    if (taken) {
        *waited = COMPILE_AGAIN;
        m->session.last_image = before->image;
        return take_results(m, taken);
    }
    add_words(&l->deferred, ctx->mem, &l->words);
    if (!add_batch(m, plan, &l->deferred, b, moves, &rescued, l))
        return false;
    compile_note_addresses(m, plan, &in, moves);
    if (!end_runs(m, ctx, members, n, plan->kernel.on_host || plan->by_commands))
        return false;
    *waited = COMPILE_QUEUED;
    return true;
}

/* Adds the run, or forgets the results if the run cannot wait. */
static bool enqueue(interpreter *m, compile_context *ctx, compile_member *members, uint32_t n,
                    compile_enqueued *waited) {
    const compile_statement_plan *plan = members[0].plan;
    const chip_before before = {compile_copy_memory(&m->session.memory, ctx->mem), m->session.last_image};
    fw_batch b = {0};
    const char *why = NULL;
    if (!plan->kernel.on_host && !plan->by_commands)
        begin_runs(m, ctx, members, n);
    if (!make_batch(m, ctx, members, n, &b, &why))
        return false;
    for (uint32_t p = 0; p < n && !why; p++)
        members[p].value = members[p].resident->kernel.ran.result;
    if (why)
        stop_waiting(members, n, why);
    if (why || !b.runs)
        restore(m, &before);
    if (why)
        return true;
    if (b.runs)
        return add_run(m, ctx, members, n, &before, &b, waited);
    *waited = COMPILE_QUEUED;
    return add_no_runs(m, ctx, members, n);
}

bool compile_enqueue(interpreter *m, compile_context *ctx, compile_member *members, uint32_t n,
                     compile_enqueued *waited) {
    const compile_statement_plan *plan = members[0].plan;
    const bool calls = plan->kernel.on_host || plan->by_commands;
    *waited = COMPILE_NEVER;
    for (uint32_t p = 0; p < n; p++)
        members[p].resident = NULL;
    if (calls && (!m->ready || !compile_is_configured(m, m->ready)))
        return true; /* the device has no program with lists */
    for (uint32_t p = 0; p < n; p++)
        members[p].resident = arena_new(ctx->mem, compile_resident);
    const bool ok = enqueue(m, ctx, members, n, waited);
    for (uint32_t p = 0; p < n && (!ok || *waited != COMPILE_QUEUED); p++)
        members[p].resident = NULL;
    return ok;
}

/* ---- a waiting test ---------------------------------------------------------------------------- */

enum { TEST_WORDS = 1 << 14 }; /* that a test counts */

/* Returns the output with the values, or -1. */
static int values_of(const compile_deferred *l) {
    int at = -1;
    for (uint32_t o = 0; o < l->plan.outputs.len; o++) {
        if (l->plan.outputs.at[o].stream.level == SAM_MODE_VALS)
            at = at == -1 ? (int)o : -2;
    }
    return at;
}

/* Computes the processor's finding: the number of words unequal to the fill, or the first value. Returns
 * false for words unfit for a test. */
static bool find(const uint8_t *stored, uint32_t words, bool counts, uint32_t fill, int32_t *now) {
    uint32_t n = 0, at = 0;
    if (words < 2 || words > TEST_WORDS)
        return false;
    *now = (int16_t)word_at(stored, 1);
    if (!counts)
        return words == 2 && word_at(stored, 0) == 1;
    while (at < words) {
        for (uint32_t block = word_at(stored, at++); block && at < words; block--)
            n += word_at(stored, at++) != fill;
    }
    *now = (int32_t)n;
    return true;
}

/* Lists the commands that test the number of values of a compressed vector, which the processor spreads out
 * first, or the command for other words; *now is the expected finding. Returns false if impossible. */
static bool list_test(interpreter *m, tensor_slot *h, fw_test_fields test, arena *mem, fw_commands *commands,
                      int32_t *now) {
    const compile_resident *resident = h->resident;
    const sam_statement *s = &resident->kernel.lowered.statement;
    const sam_tensor_data *result = resident->plan ? sam_tensor_at(s, s->result) : NULL;
    const uint32_t dim = (uint32_t)h->t.dim[0];
    const bool counts = !test.word;
    test.fill = h->t.fill;
    if (counts && result && result->order == 1 && result->level[0] == SAM_LEVEL_COMPRESSED) {
        uint16_t *words;
        double cycles = 0;
        uint32_t n = 0;
        bool *alive = arena_new_n(mem, bool, m->a->slots + 1);
        memset(alive, true, m->a->slots);
        const compile_device_copy *device_copy =
            compile_spread_out(m, h, alive, (compile_listing){commands, &cycles, mem}, &words);
        if (!device_copy)
            return false;
        for (uint32_t i = 0; i < dim; i++)
            n += words[i] != 0;
        *now = (int32_t)n;
        test.place = device_copy->put.address;
        test.words = dim + 1;
        test.fill = 0;
    } else if (!counts && !resident->plan) {
        if (!compile_queue_has_commands(m) || !compile_scalar_address(m, h, &test.place))
            return false;
        *now = (int16_t)(h->t.nnz ? h->t.val[0] : h->t.fill);
        test.words = 2;
    } else {
        const int at = values_of(&resident->deferred);
        if (at < 0 || resident->gone ||
            !find(resident->deferred.stored[at].at, resident->deferred.stored[at].len / 2, counts, h->t.fill,
                  now))
            return false;
        test.place = resident->deferred.counts.output[at];
        test.words = resident->deferred.stored[at].len / 2;
    }
    vec_push(mem, commands, fw_encode_test(&test));
    return true;
}

bool compile_enqueue_test(interpreter *m, const fe_step *step, bool over) {
    uint32_t operand, holds;
    int32_t value, now;
    bool counts;
    arena scratch = {0};
    fw_commands commands = {0};
    if (!compile_is_test(step, &operand, &counts, &holds, &value))
        return false;
    const bool fp = !step->statement.integers && !counts;
    tensor_slot *h = &m->of[step->use[operand].shared];
    const compile_resident *resident = h->resident;
    const fw_test_fields test = {.holds = holds, .word = !counts, .value = (uint32_t)value};
    bool ok = resident && (!resident->gone || resident->device_copies.len) &&
              list_test(m, h, test, &scratch, &commands, &now);
    if (ok) {
        const bool is = fp ? compile_holds_bf16(holds, (uint16_t)now, (uint16_t)value)
                           : holds & (now < value    ? FW_TEST_LESS
                                      : now == value ? FW_TEST_EQUAL
                                                     : FW_TEST_GREATER);
        uint64_t others = 0;
        for (uint64_t e = 0; e < h->t.nnz; e++)
            others += h->t.val[e] != h->t.fill;
        /* Partial sums, added up by the host, are not values. */
        ok = is == over && (counts ? (uint64_t)now == others : now == (int16_t)h->t.val[0]) &&
             (m->list.steps.len + m->processor.calc.len + commands.len + 2 <= COMPILE_LIST_STEPS ||
              compile_run_list(m));
    }
    const bool spreads = commands.len > 1;
    if (ok && fp) {
        fw_command compare[COMPILE_COMPARE_COMMANDS];
        const uint32_t address = FW_GET(&commands.at[--commands.len], test, place),
                       n = compile_compare_bf16(holds, address, (uint16_t)value, compare);
        for (uint32_t i = 0; i < n; i++)
            vec_push(&scratch, &commands, compare[i]);
    }
    const compile_statement_plan *plan = ok && resident->plan ? resident->plan : m->configured;
    const char *elf = ok && resident->plan ? resident->deferred.elf : m->list.elf;
    if (ok)
        compile_add_calcs(m, plan, elf);
    for (uint32_t i = 0; i < commands.len && ok; i++)
        compile_add_step(m, plan, elf, &commands.at[i]);
    if (ok && spreads) {
        compile_add_scratch(m, &resident->device_copies.at[resident->device_copies.len - 1].put);
        compile_add_used(m, resident);
    }
    m->list.ends = ok ? over : m->list.ends;
    arena_free(&scratch);
    return ok;
}
