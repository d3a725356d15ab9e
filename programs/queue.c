/* Batches of a program that wait, so that the chip's processor goes through many of them by itself, tests of
 * loops included; and results that stay on the chip until somebody needs their values. Until then a tensor
 * holds what the cycle model, which runs ahead, has found: by it the host goes through the program. What the
 * processor does is held against that, and so is every result that the host takes. */
#include "programs/queue.h"
#include "engines/engines.h"
#include "kernel/folder.h"
#include "programs/calls.h"
#include "programs/entries.h"
#include "programs/move.h"
#include "programs/scalar.h"
#include "tiling/call.h"
#include "tiling/plain.h"

enum {
    STEPS_MOST = 2048,   /* of a list */
    TEST_WORDS = 1 << 14 /* that a test counts */
};

/* ---- what lies on the chip --------------------------------------------------------------------- */

static void copy_puts(const fw_puts *from, fw_puts *to, arena *mem) {
    to->len = 0;
    for (uint32_t i = 0; i < from->len; i++)
        vec_push(mem, to, from->at[i]);
}

static fw_memory copy_memory(const fw_memory *m, arena *mem) {
    fw_memory copy = *m;
    copy.stored = copy.tables = (fw_puts){0};
    copy_puts(&m->stored, &copy.stored, mem);
    copy_puts(&m->tables, &copy.tables, mem);
    return copy;
}

static void restore_memory(fw_memory *m, const fw_memory *was) {
    fw_memory now = *was;
    now.stored = m->stored;
    now.tables = m->tables;
    if (m->mem) {
        copy_puts(&was->stored, &now.stored, m->mem);
        copy_puts(&was->tables, &now.tables, m->mem);
    }
    now.mem = m->mem;
    *m = now;
}

/* ---- a list that waits ------------------------------------------------------------------------- */

/* Where the files of a statement's firmware are. */
static compile_firmware files_of(arena *mem, const compile_stage_of *stage, const char *what,
                                 const char *elf) {
    const compile_kernel *k = &stage->kernel;
    const char *folder = arena_printf(mem, "%s/firmware", k->folder);
    return (compile_firmware){.folder = folder,
                              .place = arena_printf(mem, "%s/firmware", k->place),
                              .elf = elf ? elf : arena_printf(mem, "%s/app.elf", folder),
                              .batches = arena_printf(mem, "%s/%s.bin", folder, what),
                              .result = arena_printf(mem, "%s/%s.result", folder, what)};
}

/* Has the chip do what the file says. */
static bool ask(machine *m, compile_context *ctx, const compile_stage_of *stage, const compile_firmware *f,
                compile_outcome *out) {
    compile_kernel k = stage->kernel;
    k.chip.session = &m->session;
    k.chip.images = m->a->images;
    bool ok = compile_ask(&stage->options, ctx, &k, f, out);
    m->ctx->interrupted = m->ctx->interrupted || ctx->interrupted;
    return ok;
}

static bool differs(machine *m, const char *what, src_loc loc) {
    diag_mismatch(m->ctx->diag, loc, "E0344-later", "%s", what);
    diag_hint(m->ctx->diag, "please report it; -O0 has the host start every run");
    m->a->check = "fail";
    return false;
}

/* Returns the part of `all` that is due where `now` of `sum` are done, less what was given before. */
static uint64_t part_of(uint64_t all, double now, double sum, uint64_t *given) {
    const uint64_t due = sum > 0 ? (uint64_t)((double)all * (now / sum)) : 0,
                   more = due > *given ? due - *given : 0;
    *given += more;
    return more;
}

/* Returns whether two kernels are of the same run of a statement. */
static bool is_one_run(const compile_waiting *a, const compile_waiting *b) {
    return a->stage == b->stage && a->visit == b->visit;
}

/* Divides what the list took by what its items did; an item's steps get equal parts, and the boot that the
 * first list has is its first run's. */
static void count_list(machine *m, const fw_list_result *r, uint32_t again, const compile_outcome *out) {
    enum { CONFIG, KERNEL, FIRMWARE };
    const uint64_t all[] = {out->cycles.config, out->cycles.kernel,
                            out->cycles.total - out->cycles.config - out->cycles.kernel};
    const double ratio = host_cycles_ratio(&m->a->board);
    double sum[FW_ITEM_COUNTERS] = {0}, now[FW_ITEM_COUNTERS] = {0};
    uint64_t given[FW_ITEM_COUNTERS] = {0};
    arena scratch = {0};
    uint32_t *times = arena_new_n(&scratch, uint32_t, r->n + 1);
    const uint32_t period = r->n - again;
    for (uint32_t s = 0; s < m->list.steps.len; s++)
        times[s < r->n ? s : again + (s - r->n) % period]++;
    for (uint32_t i = 0; i < r->n; i++) {
        const bool batch = fw_command_of(m->list.steps.at[i].word) == FW_COMMAND_batch;
        for (uint32_t c = 0; c < FW_ITEM_COUNTERS && batch; c++)
            sum[c] += r->cycles[i][c];
    }
    bool first = true;
    compile_line_run run = {.pass = NULL};
    for (uint32_t i = 0; i < m->list.runs.len; i++) {
        const compile_waiting *w = &m->list.runs.at[i];
        compile_visit *visit = &w->stage->visits.at[w->visit];
        if (!i || !is_one_run(w, w - 1))
            run = (compile_line_run){.pass = visit->pass, .begin = m->now};
        if (w->step != COMPILE_NO_STEP) {
            const uint32_t item = w->step < r->n ? w->step : again + (w->step - r->n) % period;
            for (uint32_t c = 0; c < FW_ITEM_COUNTERS; c++)
                now[c] += (double)r->cycles[item][c] / times[item];
            uint64_t config = (uint64_t)((double)r->cycles[item][CONFIG] / times[item] * ratio);
            if (first) {
                const uint64_t others = (uint64_t)(sum[CONFIG] * ratio);
                config += all[CONFIG] > others ? all[CONFIG] - others : 0;
                visit->loaded += out->words.loaded;
                visit->kept += out->words.kept;
                visit->collected += out->words.collected;
            }
            first = false;
            const uint64_t kernel = part_of(all[KERNEL], now[KERNEL], sum[KERNEL], &given[KERNEL]),
                           firmware = part_of(all[FIRMWARE], now[FIRMWARE], sum[FIRMWARE], &given[FIRMWARE]);
            run.config += config;
            run.kernel += kernel;
            run.firmware += firmware;
            run.loaded = visit->loaded;
            run.kept = visit->kept;
            run.collected = visit->collected;
            if (FW_GET(&m->list.steps.at[item], batch, part) >= FW_FUNCTION)
                w->stage->processor.cycles += firmware;
            visit->cycles += config + kernel + firmware;
            m->now += config + kernel + firmware;
            compile_stage_count(w->stage, config, kernel, firmware);
        }
        if (i + 1 == m->list.runs.len || !is_one_run(w, w + 1))
            compile_line_of(m, w->stage, run);
    }
    arena_free(&scratch);
}

/* Lists are numbered from 1 on, in the order in which they run; each has a folder for --dump. */
static bool dump_list(machine *m, const fw_list *list) {
    const char *folder = arena_printf(m->ctx->mem, "%s/list%u", m->ctx->partial, ++m->processor.lists);
    return compile_dump(m->o, m->ctx, folder, (compile_form){.list = list});
}

bool compile_run_list(machine *m) {
    if (!compile_list_waits(m))
        return true;
    compile_context ctx = *m->ctx;
    arena scratch = {0};
    ctx.mem = &scratch;
    const pnr_board *b = &m->a->board;
    const compile_firmware f = files_of(&scratch, m->list.stage, "list", m->list.elf);
    compile_outcome out = {0};
    fw_list_result r = {0};
    uint32_t again;
    const uint32_t n = fw_fold_steps(&m->list.steps, &again);
    const fw_list list = {&m->list.steps, n, again};
    bool ok = dump_list(m, &list) &&
              fw_write_list(&list, &m->list.segments, &m->list.left, b, f.batches, ctx.diag) &&
              ask(m, &ctx, m->list.stage, &f, &out) &&
              fw_read_list_result(f.result, n, &scratch, ctx.diag, &r);
    const uint32_t wanted = m->list.steps.len - m->list.ends;
    if (ok && r.steps != wanted)
        ok = differs(m,
                     arena_printf(ctx.diag->mem,
                                  "the processor made %u of %u steps of a list: a test came out otherwise",
                                  r.steps, wanted),
                     m->list.stage->step->loc);
    if (ok)
        count_list(m, &r, again, &out);
    arena_free(&scratch);
    arena_free(&m->list.mem);
    memset(&m->list, 0, sizeof m->list);
    return ok;
}

/* ---- values that the host needs ---------------------------------------------------------------- */

/* Returns a stage that has the program on the chip: of scalars and of functions any on the array. */
static const compile_stage_of *array_stage(const machine *m, const compile_stage_of *stage) {
    return stage && !compile_stage_on_host(stage) && !stage->by_items ? stage
           : m->ready                                                 ? m->ready
                                                                      : m->configured;
}

/* Takes the words that a load of it would have, where its stores' are no more. */
static bool fetch(machine *m, compile_context *ctx, held *h, const compile_firmware *f, compile_outcome *out,
                  tile_tensor *got) {
    const compile_image *image = compile_image_of(m, h->left);
    const uint8_t *words;
    BUG_IF(!image, "a result is nowhere");
    if (!fw_write_fetch(&image->put, &m->a->board, f->batches, ctx->diag) ||
        !ask(m, ctx, array_stage(m, h->left->stage), f, out) ||
        !fw_read_fetched(f->result, image->put.bytes / 2, ctx->mem, ctx->diag, &words))
        return false;
    *got = image->list.is ? compile_list_values(m, image, words, &h->t, ctx->mem)
                          : compile_image_values(image, words, &h->t, ctx->mem);
    return true;
}

static bool collect(machine *m, compile_context *ctx, compile_left *left, const compile_firmware *f,
                    compile_outcome *out, tile_tensor *got) {
    if (!fw_write_collect(&left->later.columns, FW_GET(&left->step, batch, runs),
                          FW_GET(&left->step, batch, table), f->batches, ctx->diag) ||
        !ask(m, ctx, left->stage, f, out) || !compile_take_results(ctx, &left->kernel, f->result))
        return false;
    *got = left->kernel.ran.result;
    return true;
}

/* Takes the result off the chip, in place of what the model found. */
static bool take(machine *m, held *h) {
    compile_context ctx = *m->ctx;
    arena scratch = {0};
    compile_left *left = h->left;
    compile_outcome out = {0};
    tile_tensor got;
    ctx.mem = &scratch;
    const compile_stage_of *stage = array_stage(m, left->stage);
    const compile_firmware f = files_of(&scratch, stage, "collect", left->later.elf);
    const tile_tensor found = compile_copy_of(&h->t, &scratch);
    bool ok = left->gone || left->later.operands ? fetch(m, &ctx, h, &f, &out, &got)
                                                 : collect(m, &ctx, left, &f, &out, &got);
    if (ok) {
        got.wide = found.wide; /* the chip has the word */
        if (left->stage)
            compile_whole(left->stage)->visits.at[left->visit].collected += out.words.collected;
        const src_loc loc = stage->step->loc;
        const char *name = names_text(ctx.names, found.name);
        compile_hold(h, &got, &found);
        ok = compile_is_same(&found, &h->t) ||
             differs(
                 m, arena_printf(ctx.diag->mem, "%s on the chip is not what the cycle model has found", name),
                 loc);
    }
    arena_free(&scratch);
    return ok;
}

bool compile_settle(machine *m, uint32_t tensor, const char *why) {
    if (m->of[tensor].left && m->of[tensor].left->empty)
        compile_forget_left(&m->of[tensor]);
    if (!m->of[tensor].left)
        return true;
    m->processor.breaks++;
    m->processor.why = why;
    if (!m->of[tensor].left->stage &&
        m->processor.calc.len) { /* the value may not be there yet, and the host knows it */
        compile_forget_left(&m->of[tensor]);
        return compile_run_list(m);
    }
    return compile_run_list(m) && take(m, &m->of[tensor]);
}

bool compile_settle_all(machine *m, const char *why) {
    bool ok = compile_run_list(m);
    for (uint32_t t = 0; t < m->a->places && ok; t++)
        ok = compile_settle(m, t, why);
    return ok;
}

/* Returns the tensor of the program that is operand `t`, if the chip alone has it; otherwise FE_NO_TENSOR. */
static uint32_t left_operand(const machine *m, const fe_step *step, uint32_t t) {
    const uint32_t shared = step->use[t].shared;
    const bool is = t + 1 != step->statement.result.v && shared < m->a->places && m->of[shared].left;
    return is ? shared : FE_NO_TENSOR;
}

bool compile_has_left(const machine *m, const fe_step *step) {
    bool has = false;
    for (uint32_t t = 0; t < step->statement.tensors.len; t++)
        has = has || left_operand(m, step, t) != FE_NO_TENSOR;
    return has;
}

bool compile_settle_operands(machine *m, const fe_step *step, bool array, const char *why) {
    bool ok = true;
    if (array) { /* it may store over any of them */
        m->processor.breaks++;
        m->processor.why = why;
        return compile_settle_all(m, why);
    }
    for (uint32_t t = 0; t < step->statement.tensors.len && ok; t++) {
        const uint32_t shared = left_operand(m, step, t);
        ok = shared == FE_NO_TENSOR || compile_settle(m, shared, why);
    }
    return ok;
}

/* ---- what goes on between runs ---------------------------------------------------------------- */

static bool end_session(machine *m, compile_context *ctx) {
    if (!compile_settle_all(m, "another program begins"))
        return false;
    const bool any = compile_session_is_open(&m->session);
    uint64_t cycles;
    return compile_session_end(ctx, &m->session) &&
           (!any || compile_record_line(m, &m->configured->kernel, m->session_began, &cycles));
}

/* Functions of the processor are in every program: calls of them go to the one that runs, or begin one. */
static void share_program(machine *m, const compile_stage_of *stage, compile_kernel *k) {
    const bool open = compile_session_is_open(&m->session);
    if (!compile_engines[m->o->target.engine].by_processor || m->o->running.wave ||
        !compile_stage_on_processor(stage))
        return;
    if (!open && !m->session.may_wait) { /* what waits goes to the program of what it waits for */
        m->session_began = m->now;
        m->configured = stage;
    }
    for (uint32_t n = 0; n <= k->producers.len; n++) {
        compile_kernel *one = n < k->producers.len ? &k->producers.at[n] : k;
        one->chip.session = &m->session;
        one->chip.images = m->a->images;
    }
}

/* Returns whether the program that runs is that of the stage. */
static bool is_configured(const machine *m, const compile_stage_of *stage) {
    return m->configured == stage ||
           (m->configured && (m->a->images || (stage->array && m->configured->array == stage->array)));
}

bool compile_leave_program(machine *m, compile_context *ctx, const compile_stage_of *stage) {
    if (stage && (!m->configured || compile_stage_on_host(stage) || is_configured(m, stage)))
        return true;
    const bool ok = end_session(m, ctx);
    m->configured = NULL;
    return ok;
}

/* As long as nothing else has to be on the array, it stays configured where a processor starts the runs; and
 * where the firmware program has all the bitstreams, it goes on with another one. */
static void share_session(machine *m, const compile_stage_of *stage, compile_kernel *k) {
    if (compile_stage_on_host(stage)) {
        share_program(m, stage, k);
        return;
    }
    BUG_IF(m->configured && !is_configured(m, stage), "another program runs: its results are operands here");
    const bool open = compile_session_is_open(&m->session) || compile_list_waits(m);
    m->session_began = open ? m->session_began : m->now;
    m->configured = open ? m->configured : stage;
    if (!compile_engines[m->o->target.engine].by_processor ||
        (k->producers.len && !stage->array && !m->a->images))
        return;
    k->chip.session = &m->session;
    for (uint32_t n = 0; n < k->producers.len; n++) {
        compile_kernel *one = &k->producers.at[n];
        one->chip.images = one->on_processor ? m->a->images : one->chip.images;
        /* Without images a program that functions begin has nothing of the array. */
        one->chip.session = !one->on_processor || one->chip.images || open ? &m->session : NULL;
    }
    k->chip.images = k->on_processor ? m->a->images : k->chip.images;
}

/* ---- a run of a statement ---------------------------------------------------------------------- */

/* Keeps what was packed of tensors that nothing changes, and what the host wrote of operands. */
static void keep_packed(const machine *m, compile_stage_of *stage, const compile_kernel *ran) {
    const sam_statement *packed = &stage->kernel.lowered.statement;
    arena *mem = m->ctx->mem;
    stage->kernel.placed = ran->placed;
    if (stage->kernel.data.kept.operand || !ran->data.packed.operand)
        return;
    tile_tensor *kept = arena_new_n(mem, tile_tensor, packed->tensors.len);
    for (uint32_t t = 0; t < packed->tensors.len; t++) {
        const sam_tensor_data *data = &packed->tensors.at[t];
        const name_id source = sam_stored_name(data);
        if (t + 1 == packed->result.v || data->ones || !compile_stays(m, stage->step, source))
            continue;
        kept[t] = compile_copy_of(&ran->data.packed.operand[t], mem);
    }
    stage->kernel.data.kept = (tile_operands){kept, packed->tensors.len, ran->data.packed.dtype};
}

void compile_begin_run(machine *m, compile_context *ctx, compile_stage_of *stage, const compile_data *data,
                       compile_kernel *k) {
    *k = stage->kernel;
    k->producers.at = arena_new_n(ctx->mem, compile_kernel, k->producers.len + 1);
    for (uint32_t n = 0; n < k->producers.len; n++)
        k->producers.at[n] = stage->kernel.producers.at[n];
    k->data.operands = data->operands;
    k->data.extent = data->extent;
    share_session(m, stage, k);
}

bool compile_end_run(machine *m, const compile_context *ctx, compile_stage_of *stage, const compile_kernel *k,
                     bool ok) {
    m->ctx->interrupted = m->ctx->interrupted || ctx->interrupted;
    if (!ok)
        return false;
    keep_packed(m, stage, k);
    stage->kernel.again = true;
    for (uint32_t n = 0; n < k->producers.len; n++)
        stage->kernel.producers.at[n].again = true;
    return true;
}

/* ---- a batch that waits ------------------------------------------------------------------------ */

/* Returns whether a store of the result has left its words there itself, or they were moved there. */
static bool is_stored_at(const machine *m, const compile_left *left, const fw_segment *g) {
    bool is = false;
    for (uint32_t i = 0; i < left->words.len; i++)
        is = is || m->a->board.map.cgra_data + left->words.at[i].address == g->address;
    for (uint32_t i = 0; i < left->images.len; i++)
        is = is || m->a->board.map.cgra_data + left->images.at[i].put.address == g->address;
    return is;
}

/* Returns the tensor of the program that the chip alone has and that an input, of this packed tensor,
 * carries; otherwise FE_NO_TENSOR. */
static uint32_t carried(const machine *m, const compile_stage_of *stage, const sam_tensor_data *data) {
    const sam_statement *s = &stage->step->statement;
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        const uint32_t shared = left_operand(m, stage->step, t);
        if (shared != FE_NO_TENSOR && name_eq(s->tensors.at[t].name, sam_stored_name(data)))
            return shared;
    }
    return FE_NO_TENSOR;
}

/* Returns which tensors the statement or a later one reads, or a test. */
static const bool *alive_at(const machine *m, const compile_stage_of *stage, arena *mem) {
    const uint32_t n = m->a->places;
    bool *alive = arena_new_n(mem, bool, n + 1);
    memcpy(alive, stage->alive, n);
    for (uint32_t t = 0; t < stage->step->statement.tensors.len; t++) {
        if (left_operand(m, stage->step, t) != FE_NO_TENSOR)
            alive[stage->step->use[t].shared] = true;
    }
    return alive;
}

/* Finds how all inputs' words come there, in moves[] by input; notes why they do not. Words that are there by
 * chance are moved all the same, so that all passes of a loop have the same steps. */
static void move_inputs(machine *m, const compile_stage_of *stage, compile_move_in in, arena *mem,
                        compile_move *moves, const char **why) {
    const sam_statement *packed = &stage->kernel.lowered.statement;
    const sam_tensor_data *data[TILE_MAX_STREAMS] = {NULL};
    const uint32_t n = in.to->columns.n_in;
    uint32_t tensor[TILE_MAX_STREAMS];
    in.moved = moves;
    in.statement = packed;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t p = 0; p < packed->tensors.len; p++) {
            if (name_eq(packed->tensors.at[p].name, in.to->plan.inputs.at[i].stream.tensor))
                data[i] = in.to->operands ? &in.to->operands[i] : &packed->tensors.at[p];
        }
        tensor[i] = data[i] ? carried(m, stage, data[i]) : FE_NO_TENSOR;
        if ((in.to->counts.left >> i & 1) &&
            (tensor[i] == FE_NO_TENSOR || is_stored_at(m, m->of[tensor[i]].left, &in.batch->segments.at[i])))
            in.stay |= 1u << i;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (tensor[i] == FE_NO_TENSOR || (in.stay >> i & 1) || moves[i].of)
            continue;
        held *h = &m->of[tensor[i]];
        in.input = in.pair = i;
        in.data = data[i];
        for (uint32_t k = 0; k < n; k++)
            in.pair = data[k] == data[i] && k != i ? k : in.pair;
        if (in.to->operands && !data[i]->order) {
            if (compile_find_broadcast(m, h, &in, mem, &moves[i]))
                moves[i].of = h->left;
            else
                why[tensor[i]] = "a function needs a value that is several on the chip";
        } else if (in.to->operands && data[i]->order == 1 && in.to->plan.parts.at[1].size[1]) {
            if (compile_repeat_vector(m, h, &in, mem, &moves[i]))
                moves[i].of = h->left;
            else
                why[tensor[i]] = "a function needs a vector that is otherwise than it can be spread out";
        } else if (data[i]->order == 1 && data[i]->level[0] == SAM_LEVEL_COMPRESSED) {
            const bool first = in.pair >= i;
            if (first && compile_find_pack(m, h, &in, mem, moves))
                moves[i].of = moves[in.pair].of = h->left;
            else if (!moves[i].of)
                why[tensor[i]] = "a compressed operand is otherwise than the processor packs it";
        } else if (compile_find_move(m, h, &in, mem, &moves[i])) {
            moves[i].of = h->left;
            moves[i].image.home = compile_is_home(&moves[i], &in.batch->segments.at[i], h);
        } else if (h->t.order == 2 && data[i]->order == 2 && !in.to->operands) {
            const char *const cannot = compile_find_entries(m, h, &in, mem, moves);
            why[tensor[i]] = cannot ? cannot : why[tensor[i]];
        } else if (!(in.to->counts.left >> i & 1)) {
            why[tensor[i]] = "a result is loaded otherwise than it was stored";
        }
    }
}

/* Notes of each result that the host is expected to put together sooner than the processor: what it takes and
 * writes for that, and that it has to be asked, which is taken to cost as many words. */
static void weigh_moves(const machine *m, const compile_move_in *in, const compile_move *moves,
                        const char **why) {
    const double word = compile_engines[m->o->target.engine].host_word;
    for (uint32_t t = 0; t < m->a->places; t++) {
        const compile_left *left = m->of[t].left;
        double cycles = 0, words = COMPILE_ASKED_WORDS;
        for (uint32_t i = 0; left && i < left->words.len; i++)
            words += left->words.at[i].bytes / 4;
        for (uint32_t i = 0; left && i < in->to->columns.n_in; i++) {
            cycles += moves[i].of == left ? moves[i].cycles : 0;
            words += moves[i].of == left ? in->batch->segments.at[i].bytes / 4 : 0;
        }
        if (cycles > words * word)
            why[t] = "the host is expected to put an operand together sooner";
    }
}

/* Returns whether the result is somewhere on the chip once the batch has run. */
static bool is_kept(const machine *m, const compile_left *left, const compile_move_in *in,
                    const compile_move *moves) {
    bool kept =
        compile_image_of(m, left) ||
        compile_is_stored(m, left, in->batch, fw_row_bytes(in->to->columns.n_in, in->to->columns.n_out));
    for (uint32_t i = 0; i < in->to->columns.n_in; i++)
        kept = kept || (moves[i].of == left && moves[i].image.home);
    return kept;
}

static bool has_table(const fw_puts *all, const fw_put *one) {
    bool has = false;
    for (uint32_t i = 0; i < all->len; i++)
        has = has || memcmp(&all->at[i], one, sizeof *one) == 0;
    return has;
}

/* Nothing else lies where the processor packs an operand. */
static void forget_packed(machine *m, const compile_move *move) {
    if (move->of && move->packed)
        fw_forget(&m->session.memory, move->image.put.address, move->image.put.bytes);
}

static void put_word(uint8_t *at, uint32_t word) {
    for (uint32_t i = 0; i < 4; i++)
        at[i] = (uint8_t)(word >> 8 * i);
}

/* Finds where the tables' area has this table, or gives it a place. */
static uint32_t table_of(machine *m, const fw_memory *was, uint32_t table, uint32_t bytes, uint64_t hash) {
    fw_memory *all = &m->session.memory;
    uint32_t own = 0;
    while (own + 1 < all->tables.len && all->tables.at[own].address != table)
        own++;
    BUG_IF(own >= all->tables.len || all->tables.at[own].address != table, "a table is nowhere");
    const bool is_new = !has_table(&was->tables, &all->tables.at[own]);
    for (uint32_t i = 0; i < all->tables.len; i++) {
        const fw_put *one = &all->tables.at[i];
        if (i == own || one->bytes != bytes || one->hash != hash)
            continue;
        const uint32_t address = one->address;
        if (is_new && own + 1 == all->tables.len) {
            all->tables.len--;
            all->table_end -= bytes;
        }
        return address;
    }
    if (is_new) {
        all->tables.at[own].hash = hash;
        return table;
    }
    return compile_add_table(m, bytes, hash);
}

/* Rows of an item were numbered from 1 on before the table had a place. */
static void place_table(fw_item *item, uint32_t table) {
    const uint32_t command = fw_command_of(item->word);
    if (command == FW_COMMAND_shape)
        FW_SET(item, shape, table, table);
    if (command != FW_COMMAND_pack && command != FW_COMMAND_gather)
        return;
    const uint32_t crd = FW_GET(item, pack, crd_cell), val = FW_GET(item, pack, val_cell);
    FW_SET(item, pack, crd_cell, crd ? table + crd - 1 : 0);
    FW_SET(item, pack, val_cell, val ? table + val - 1 : 0);
}

/* Rows of which the processor completes loads say where these begin, and nothing of how long they are: so
 * they are the same in each pass. */
static void place_rows(machine *m, const compile_move_in *in, fw_batch *b, arena *mem, compile_move *moves) {
    const uint32_t row_bytes = fw_row_bytes(in->to->columns.n_in, in->to->columns.n_out);
    fw_segment *table = &b->segments.at[b->segments.len - 1];
    uint8_t *content = arena_alloc(mem, table->bytes + 1);
    bool any = false;
    memcpy(content, table->content, table->bytes);
    for (uint32_t i = 0; i < in->to->columns.n_in; i++) {
        for (uint32_t r = 0; r < moves[i].places.len && moves[i].of; r++) {
            put_word(content + r * row_bytes + fw_load_cell(i) + FW_AT_cell_first, moves[i].places.at[r]);
            put_word(content + r * row_bytes + fw_load_cell(i) + FW_AT_cell_words, 0);
            any = true;
        }
    }
    if (any) {
        table->content = content;
        table->address = b->table =
            table_of(m, in->was, b->table, table->bytes, hash_bytes(content, table->bytes));
    }
    for (uint32_t i = 0; i < in->to->columns.n_in; i++) {
        for (uint32_t k = 0; k < moves[i].items.len && moves[i].packed; k++)
            place_table(&moves[i].items.at[k], b->table);
    }
}

/* Has the processor spread out a vector that the batch would store over, or copy a value; returns false where
 * it cannot. */
static bool rescue(machine *m, uint32_t tensor, const compile_move_in *in, arena *mem,
                   compile_moves *rescued) {
    held *h = &m->of[tensor];
    compile_move move = {.of = h->left, .packed = true, .spread = true, .made = true};
    uint16_t *words;
    compile_move_in all = *in;
    bool there = h->left->words.len > 0;
    all.input = UINT32_MAX; /* none is made of it */
    for (uint32_t w = 0; w < h->left->words.len; w++)
        there = there && compile_lies_before(m, &all, &h->left->words.at[w]);
    const compile_image *image = NULL;
    if (there && h->t.order == 2)
        image = compile_list_matrix(m, h, &all, mem, &move);
    else if (there)
        image = compile_spread_out(m, h, in->alive, compile_listing_of(&move, mem), &words);
    if (!image)
        return false;
    move.slot = move.image.put = image->put;
    vec_push(mem, rescued, move);
    return true;
}

/* Takes every result that must be taken before this batch runs: an operand that the processor cannot move to
 * where it is loaded, and what it would store over, unless that is spread out before. How the others move is
 * in moves[], by input. Returns how many there were, or -1 after errors. */
static int take_before(machine *m, compile_stage_of *stage, const compile_move_in *in, fw_batch *b,
                       arena *mem, compile_move *moves, compile_moves *rescued) {
    const uint32_t n = m->a->places;
    arena scratch = {0};
    const char **why = arena_new_n(&scratch, const char *, n + 1);
    int taken = 0;
    compile_move_in with = *in;
    with.alive = alive_at(m, stage, &scratch);
    move_inputs(m, stage, with, mem, moves, why);
    weigh_moves(m, in, moves, why);
    for (uint32_t i = 0; i < in->to->columns.n_in; i++)
        forget_packed(m, &moves[i]);
    place_rows(m, in, b, mem, moves);
    for (uint32_t t = 0; t < n; t++) {
        const compile_left *left = m->of[t].left;
        if (left && !why[t] && t != stage->to && stage->alive[t] && !is_kept(m, left, in, moves) &&
            !rescue(m, t, &with, mem, rescued))
            why[t] = "a result would be stored over one that is needed";
    }
    for (uint32_t t = 0; t < n; t++)
        taken += why[t] != NULL;
    compile_keep_lists(m, taken ? NULL : stage->alive);
    if (taken)
        restore_memory(&m->session.memory, in->was);
    for (uint32_t t = 0; t < n && taken >= 0; t++) {
        if (!why[t])
            continue;
        if (!m->of[t].left->empty && m->of[t].left->stage) { /* from now on the host takes it at once */
            compile_whole(m->of[t].left->stage)->waits = false;
            compile_whole(m->of[t].left->stage)->eager = why[t];
        }
        taken = compile_settle(m, t, why[t]) ? taken : -1;
    }
    arena_free(&scratch);
    return taken;
}

/* Notes where results are once the batch, which is going to wait, has run; forgets those that are nowhere,
 * which nobody reads any more. */
static void note_places(machine *m, const compile_stage_of *stage, const compile_move_in *in,
                        const compile_move *moves) {
    const uint32_t row_bytes = fw_row_bytes(in->to->columns.n_in, in->to->columns.n_out);
    for (uint32_t t = 0; t < m->a->places; t++) {
        compile_left *left = m->of[t].left;
        if (left)
            left->gone = !compile_is_stored(m, left, in->batch, row_bytes);
    }
    for (uint32_t i = 0; i < in->to->columns.n_in; i++) {
        if (!moves[i].of || moves[i].packed)
            continue;
        compile_image own = moves[i].image;
        own.blocks = (compile_block_list){0};
        for (uint32_t b = 0; b < moves[i].image.blocks.len; b++)
            vec_push(&moves[i].of->mem, &own.blocks, moves[i].image.blocks.at[b]);
        vec_push(&moves[i].of->mem, &moves[i].of->images, own);
        vec_push(m->session.memory.mem, &m->session.memory.stored, moves[i].image.put);
    }
    for (uint32_t t = 0; t < m->a->places; t++) {
        const compile_left *left = m->of[t].left;
        if (left && !stage->alive[t] && t != stage->to && !is_kept(m, left, in, moves))
            compile_forget_left(&m->of[t]);
    }
}

/* Returns whether the host may write the segment before the list runs: an operand that does not change may
 * have more sub-tiles behind those of the pass before. */
static bool may_write(const machine *m, const fw_segment *g) {
    bool may = true;
    for (uint32_t i = 0; i < m->list.segments.len; i++) {
        const fw_segment *s = &m->list.segments.at[i];
        const bool begins = s->address == g->address &&
                            memcmp(s->content, g->content, s->bytes < g->bytes ? s->bytes : g->bytes) == 0;
        const bool table = g->address < m->a->board.map.sram + FW_TABLE_OFFSET + FW_TABLES_KEPT;
        if (begins && table && s->bytes == g->bytes) /* which stays as it is */
            return true;
        may = may && ((begins && !table) || !compile_overlap(s->address, s->bytes, g->address, g->bytes));
    }
    for (uint32_t i = 0; i < m->list.left.len; i++)
        may = may &&
              !compile_overlap(m->list.left.at[i].address, m->list.left.at[i].bytes, g->address, g->bytes);
    for (uint32_t i = 0; i < m->list.used.len; i++)
        may = may &&
              !compile_overlap(m->list.used.at[i].address, m->list.used.at[i].bytes, g->address, g->bytes);
    return may;
}

static void add_segment(machine *m, const fw_segment *g) {
    fw_segment own = *g, *begun = NULL;
    for (uint32_t i = 0; i < m->list.segments.len && !begun; i++)
        begun = m->list.segments.at[i].address == g->address ? &m->list.segments.at[i] : NULL;
    if (begun && begun->bytes >= g->bytes)
        return;
    uint8_t *content = arena_alloc(&m->list.mem, g->bytes + 1);
    if (g->bytes)
        memcpy(content, g->content, g->bytes);
    own.content = content;
    if (begun)
        *begun = own;
    else
        vec_push(&m->list.mem, &m->list.segments, own);
}

static void add_step(machine *m, const compile_stage_of *stage, const char *elf, const fw_item *item) {
    if (!compile_list_waits(m)) {
        m->list.stage = array_stage(m, stage);
        m->list.elf = elf ? arena_strdup(&m->list.mem, elf) : NULL;
    }
    vec_push(&m->list.mem, &m->list.steps, *item);
    m->processor.stepped++;
}

bool compile_write_before(machine *m, const fw_segment *g) {
    bool may = may_write(m, g);
    for (uint32_t i = 0; i < m->processor.calc.len; i++)
        may = may && fw_place(&m->a->board, FW_GET(&m->processor.calc.at[i], calc, to)) != g->address;
    if (may)
        add_segment(m, g);
    return may;
}

void compile_add_calc(machine *m, const fw_item *item) {
    vec_push(m->ctx->mem, &m->processor.calc, *item);
}

/* Adds the computations that wait, which the list of this statement may begin with. */
static void add_calcs(machine *m, const compile_stage_of *stage, const char *elf) {
    for (uint32_t i = 0; i < m->processor.calc.len; i++) {
        const fw_item *item = &m->processor.calc.at[i];
        add_step(m, stage, elf, item);
        const uint32_t of[] = {FW_GET(item, calc, a), FW_GET(item, calc, b)};
        vec_push(&m->list.mem, &m->list.left,
                 ((fw_segment){fw_place(&m->a->board, FW_GET(item, calc, to)), 4, NULL}));
        for (uint32_t k = 0; k < (FW_GET(item, calc, number) ? 1u : 2u); k++)
            vec_push(&m->list.mem, &m->list.used, ((fw_segment){fw_place(&m->a->board, of[k]), 4, NULL}));
    }
    m->processor.calc.len = 0;
}

/* Returns whether segment `g` of the batch lies where a store has left it. */
static bool is_left(const compile_later *l, uint32_t g) {
    return g < l->columns.n_in && (l->counts.left >> g & 1);
}

/* Nobody finds there what was there before. */
static void add_scratch(machine *m, const fw_put *slot) {
    vec_push(&m->list.mem, &m->list.left,
             ((fw_segment){fw_place(&m->a->board, slot->address), slot->bytes, NULL}));
}

/* Adds what is read of a result: its words, and the rows of its run table. */
static void add_used(machine *m, const compile_left *of) {
    for (uint32_t i = 0; i < of->words.len; i++)
        vec_push(
            &m->list.mem, &m->list.used,
            ((fw_segment){m->a->board.map.cgra_data + of->words.at[i].address, of->words.at[i].bytes, NULL}));
    vec_push(&m->list.mem, &m->list.used,
             ((fw_segment){FW_GET(&of->step, batch, table),
                           FW_GET(&of->step, batch, runs) *
                               fw_row_bytes(of->later.columns.n_in, of->later.columns.n_out),
                           NULL}));
}

/* Returns how many bytes a copy reads between the first one and the last. */
static uint32_t copied_from(const fw_item *copy) {
    const uint32_t inner = FW_GET(copy, copy, times), outer = FW_GET(copy, copy, times_outer);
    return FW_GET(copy, copy, bytes) + (inner ? (inner - 1) * FW_GET(copy, copy, step) : 0) +
           (outer ? (outer - 1) * FW_GET(copy, copy, step_outer) : 0);
}

/* Has the processor move an operand to where it is loaded from. */
static void add_move(machine *m, const compile_stage_of *stage, const char *elf, const compile_move *move) {
    const compile_left *of = move->of;
    for (uint32_t i = 0; i < move->items.len; i++)
        add_step(m, stage, elf, &move->items.at[i]);
    vec_push(&m->list.mem, &m->list.left,
             ((fw_segment){fw_place(&m->a->board, move->image.put.address),
                           (move->image.put.bytes + 3) / 4 * 4, NULL}));
    for (uint32_t i = 0; i < move->items.len && !move->spread; i++) {
        const fw_item *copy = &move->items.at[i];
        if (fw_command_of(copy->word) == FW_COMMAND_copy)
            vec_push(
                &m->list.mem, &m->list.used,
                ((fw_segment){fw_place(&m->a->board, FW_GET(copy, copy, from)), copied_from(copy), NULL}));
    }
    if (!move->spread)
        return;
    if (move->packed && move->slot.bytes)
        add_scratch(m, &move->slot);
    if (!move->packed || move->made)
        add_used(m, of);
}

/* Has the processor combine what the parts of one value have stored, as the host would, where each has one.
 */
static void gather_value(machine *m, const compile_stage_of *stage, const tile_tensor *value, arena *mem,
                         compile_left *left) {
    const compile_later *l = &left->later;
    const sam_statement *s = &left->kernel.lowered.statement;
    const tile_dtype dtype = left->kernel.data.packed.dtype;
    const uint16_t want = value->nnz ? value->val[0] : value->fill;
    const uint32_t slot = compile_find_slot(m, NULL, stage->alive, true, 4), place = FW_SCRATCH | slot;
    const sam_operator *op;
    uint32_t how, parts = 0;
    uint16_t made = 0;
    fw_items items = {0};
    compile_meeting(s, dtype, &how, &op);
    for (uint32_t o = 0; o < l->plan.outputs.len; o++) {
        const uint32_t n = l->stored[o].len / 4, from = left->words.at[o].address;
        for (uint32_t i = 0; i < n; i++, parts++) {
            const uint16_t word = word_at(l->stored[o].at, 2 * i + 1);
            if (word_at(l->stored[o].at, 2 * i) != 1)
                return;
            made = parts ? op->apply(made, word) : word;
        }
        const uint32_t first = o ? 0 : 1;
        if (!o)
            vec_push(mem, &items, FW_MAKE(copy, .from = from, .bytes = 4, .to = place));
        if (n > first)
            vec_push(mem, &items,
                     FW_MAKE(calc, .op = how, .to = place + 2, .a = place + 2, .b = from + 4 * first + 2,
                             .n = 1, .rows = n - first, .step_b = 4));
    }
    const double cycles =
        (double)items.len * COMPILE_ITEM_CYCLES + (double)parts * compile_combined_cycles(dtype);
    const bool dear = cycles > (COMPILE_ASKED_WORDS + parts) * compile_engines[m->o->target.engine].host_word;
    if (parts < 2 || dear || how == FW_OP_SET || made != want || slot + 4 > FW_SCRATCH_ROOM ||
        !l->stored[0].len)
        return;
    const uint16_t block[] = {1, want};
    const compile_image image = {.home = true, .put = {place, sizeof block, hash_bytes(block, sizeof block)}};
    for (uint32_t i = 0; i < items.len; i++)
        add_step(m, stage, l->elf, &items.at[i]);
    compile_note_image(m, &image);
    vec_push(mem, &left->images, image);
    add_scratch(m, &image.put);
}

/* Has what waits run, since the processor cannot go on by itself. */
static bool break_list(machine *m, const char *why) {
    m->processor.breaks++;
    m->processor.why = why;
    return compile_run_list(m);
}

/* Returns the number of the visit that a run of the statement, or of a kernel of it, is of. */
static uint32_t visit_of(compile_stage_of *stage) {
    const compile_stage_of *whole = compile_whole(stage);
    return whole->visits.len - whole->begun;
}

/* Adds the moves of its operands and the batch, once what waits has run if the host has something to write
 * between. */
static bool add_batch(machine *m, compile_stage_of *stage, const compile_later *l, const fw_batch *b,
                      const compile_move *moves, const compile_moves *rescued, compile_left *left) {
    uint32_t items = 2 + m->processor.calc.len + left->items.len + l->plan.copies + 1;
    bool may = true;
    for (uint32_t i = 0; i < l->columns.n_in; i++)
        items += moves[i].items.len;
    for (uint32_t i = 0; i < rescued->len; i++)
        items += rescued->at[i].items.len;
    if (m->list.steps.len + items > STEPS_MOST && !break_list(m, "its list is full"))
        return false;
    for (uint32_t i = 0; i < b->segments.len; i++) { /* the row of items says the same all along */
        const bool stays = is_left(l, i) || (i < l->columns.n_in && moves[i].of) ||
                           (left->items.len && i == l->columns.n_in);
        may = may && (stays || may_write(m, &b->segments.at[i]));
    }
    if (!may && !break_list(m, "the host writes operands between"))
        return false;
    add_calcs(m, stage, l->elf);
    for (uint32_t i = 0; i < rescued->len; i++)
        add_move(m, stage, l->elf, &rescued->at[i]);
    for (uint32_t i = 0; i < l->columns.n_in; i++) {
        if (moves[i].of)
            add_move(m, stage, l->elf, &moves[i]);
    }
    left->step =
        FW_MAKE(batch, .part = l->columns.part, .table = b->table, .runs = b->runs, .outputs = b->outputs);
    left->stage = stage;
    left->visit = visit_of(stage);
    for (uint32_t i = 0; i < left->items.len; i++)
        add_step(m, stage, l->elf, &left->items.at[i]);
    if (!left->items.len)
        add_step(m, stage, l->elf, &left->step);
    vec_push(&m->list.mem, &m->list.runs,
             ((compile_waiting){compile_whole(stage), left->visit,
                                left->items.len ? COMPILE_NO_STEP : m->list.steps.len - 1}));
    if (l->operands) { /* the length of what the calls have made */
        const uint32_t words = l->stored[0].len / 2 - 1;
        const fw_item length = FW_MAKE(block, .to = l->counts.output[0], .words = words, .from = words);
        add_step(m, stage, l->elf, &length);
    } else if (m->ready != stage) {
        m->ready = stage;
        m->elf = arena_strdup(m->ctx->mem, l->elf);
    }
    for (uint32_t i = 0; i < b->segments.len; i++) {
        if (is_left(l, i) || (i < l->columns.n_in && moves[i].of))
            vec_push(&m->list.mem, &m->list.used,
                     ((fw_segment){b->segments.at[i].address, b->segments.at[i].bytes, NULL}));
        else
            add_segment(m, &b->segments.at[i]);
    }
    for (uint32_t i = 0; i < left->words.len; i++)
        vec_push(&m->list.mem, &m->list.left,
                 ((fw_segment){m->a->board.map.cgra_data + left->words.at[i].address, left->words.at[i].bytes,
                               NULL}));
    if (left->between.bytes)
        add_scratch(m, &left->between);
    return true;
}

/* What the operands of the kernel hold is going to change, and how its words are meant is asked later. */
static void keep_operands(const machine *m, const compile_stage_of *stage, compile_left *left, arena *mem) {
    const sam_statement *packed = &left->kernel.lowered.statement;
    tile_operands *in = &left->kernel.data.packed;
    tile_tensor *own = arena_new_n(mem, tile_tensor, in->n + 1);
    for (uint32_t t = 0; t < in->n; t++) {
        const sam_tensor_data *data = &packed->tensors.at[t];
        own[t] = in->operand[t];
        if (t + 1 != packed->result.v && !data->ones && !compile_stays(m, stage->step, sam_stored_name(data)))
            own[t] = compile_copy_of(&in->operand[t], mem);
    }
    in->operand = own;
}

/* Reads the batch, where there is one; returns false where there are several, or its table is in the way of
 * lists. */
static bool read_batch(const machine *m, compile_context *ctx, const compile_later *l, fw_batch *b,
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

/* Adds a statement that has no runs, since what it computes has nothing. */
static bool add_nothing(machine *m, compile_stage_of *stage, compile_left *left) {
    compile_stage_of *whole = compile_whole(stage);
    left->empty = true;
    left->stage = stage;
    left->visit = visit_of(stage);
    if (!compile_count_run(m, stage, &left->kernel))
        return false;
    if (compile_list_waits(m))
        vec_push(&m->list.mem, &m->list.runs, ((compile_waiting){whole, left->visit, COMPILE_NO_STEP}));
    else
        compile_line_of(m, whole,
                        (compile_line_run){.pass = whole->visits.at[left->visit].pass, .begin = m->now});
    return true;
}

/* Computes the kernel by the cycle model, or its calls by this machine, and makes the batch; *why becomes the
 * reason why that cannot wait. Returns false after errors. */
static bool make_batch(machine *m, compile_context *ctx, compile_stage_of *stage, const compile_data *data,
                       compile_left *l, fw_batch *b, const char **why) {
    compile_kernel *k = &l->kernel;
    bool good = true;
    if (stage->kernel.on_host || stage->by_items) {
        *k = stage->kernel;
        k->data.operands = data->operands;
        k->data.extent = data->extent;
    }
    k->chip.later = &l->later;
    if (k->on_host || stage->by_items) {
        if (k->on_host) {
            good = compile_run_on_host(ctx, k, &data->operands);
        } else { /* as it is written, not as the array has it */
            k->on_host = true;
            k->lowered.statement = k->user;
            k->ran = (compile_outcome){0};
            good = tile_plain(&k->user, &data->operands, ctx->mem, ctx->diag, &k->ran.result);
        }
        *why = good ? compile_lay_calls(m, ctx, stage, l, b) : NULL;
        return good;
    }
    if (!compile_end_run(m, ctx, stage, k, compile_run_kernels(&stage->options, ctx, k, &data->operands)))
        return false;
    if (!read_batch(m, ctx, &l->later, b, &good))
        *why = "a statement has several batches";
    return good;
}

bool compile_wait(machine *m, compile_context *ctx, compile_stage_of *stage, const compile_data *data,
                  tile_tensor *out, compile_left **left, compile_waited *waited) {
    compile_session *s = &m->session;
    compile_left *l = arena_new(ctx->mem, compile_left);
    fw_batch b = {0};
    *waited = COMPILE_NEVER;
    const bool calls = stage->kernel.on_host || stage->by_items;
    if (calls && (!m->ready || !is_configured(m, m->ready)))
        return true; /* there is no program with lists yet */
    if (!calls)
        compile_begin_run(m, ctx, stage, data, &l->kernel);
    const fw_memory was = copy_memory(&s->memory, ctx->mem);
    const uint32_t image = s->last_image;
    const char *why = NULL;
    if (!make_batch(m, ctx, stage, data, l, &b, &why))
        return false;
    if (why) {
        compile_whole(stage)->waits = false;
        compile_whole(stage)->eager = why;
        restore_memory(&s->memory, &was);
        s->last_image = image;
        return true;
    }
    *out = l->kernel.ran.result;
    if (!b.runs) {
        restore_memory(&s->memory, &was);
        s->last_image = image;
        if (!add_nothing(m, stage, l))
            return false;
        keep_operands(m, stage, l, ctx->mem);
        *left = l;
        *waited = COMPILE_WAITS;
        return true;
    }
    compile_move moves[TILE_MAX_STREAMS] = {{.of = NULL}};
    compile_moves rescued = {0};
    const compile_move_in in = {.to = &l->later, .batch = &b, .was = &was};
    const int taken = take_before(m, stage, &in, &b, ctx->mem, moves, &rescued);
    if (taken) {
        *waited = COMPILE_AGAIN;
        s->last_image = image;
        return taken > 0;
    }
    for (uint32_t o = 0; o < l->later.columns.n_out; o++) {
        const uint32_t bytes = l->later.stored[o].len;
        vec_push(ctx->mem, &l->words,
                 ((fw_put){l->later.counts.output[o], bytes, hash_bytes(l->later.stored[o].at, bytes)}));
    }
    if (!add_batch(m, stage, &l->later, &b, moves, &rescued, l))
        return false;
    note_places(m, stage, &in, moves);
    if (!out->order && !calls && l->later.plan.outputs.len == l->later.plan.copies)
        gather_value(m, stage, out, ctx->mem, l);
    if (!compile_count_run(m, stage, &l->kernel))
        return false;
    if (!calls)
        keep_operands(m, stage, l, ctx->mem);
    *left = l;
    *waited = COMPILE_WAITS;
    return true;
}

/* ---- a test that waits ------------------------------------------------------------------------- */

/* Returns the output that has the values, where there is one; otherwise -1. */
static int values_of(const compile_later *l) {
    int at = -1;
    for (uint32_t o = 0; o < l->plan.outputs.len; o++) {
        if (l->plan.outputs.at[o].stream.level == SAM_MODE_VALS)
            at = at == -1 ? (int)o : -2;
    }
    return at;
}

/* Finds what the processor will find: how many of these words are not the fill, or the first value. Returns
 * false where they are not as a test has them. */
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

/* Lists the items that test how many values a compressed vector has, which the processor spreads out first,
 * or the one for other words; *now is what it will find. Returns false where it cannot. */
static bool list_test(machine *m, held *h, fw_test_fields test, arena *mem, fw_items *items, int32_t *now) {
    const compile_left *left = h->left;
    const sam_statement *s = &left->kernel.lowered.statement;
    const sam_tensor_data *result = left->stage ? sam_tensor_at(s, s->result) : NULL;
    const uint32_t dim = (uint32_t)h->t.dim[0];
    const bool counts = !test.word;
    test.fill = h->t.fill;
    if (counts && result && result->order == 1 && result->level[0] == SAM_LEVEL_COMPRESSED) {
        uint16_t *words;
        double cycles = 0;
        uint32_t n = 0;
        bool *alive = arena_new_n(mem, bool, m->a->places + 1);
        memset(alive, true, m->a->places);
        const compile_image *image =
            compile_spread_out(m, h, alive, (compile_listing){items, &cycles, mem}, &words);
        if (!image)
            return false;
        for (uint32_t i = 0; i < dim; i++)
            n += words[i] != 0;
        *now = (int32_t)n;
        test.place = image->put.address;
        test.words = dim + 1;
        test.fill = 0;
    } else if (!counts && !left->stage) {
        if (!compile_list_waits(m) || !compile_scalar_place(m, h, &test.place))
            return false;
        *now = (int16_t)(h->t.nnz ? h->t.val[0] : h->t.fill);
        test.words = 2;
    } else {
        const int at = values_of(&left->later);
        if (at < 0 || left->gone ||
            !find(left->later.stored[at].at, left->later.stored[at].len / 2, counts, h->t.fill, now))
            return false;
        test.place = left->later.counts.output[at];
        test.words = left->later.stored[at].len / 2;
    }
    vec_push(mem, items, fw_encode_test(&test));
    return true;
}

bool compile_wait_test(machine *m, const fe_step *step, bool over) {
    uint32_t operand, holds;
    int32_t value, now;
    bool counts;
    arena scratch = {0};
    fw_items items = {0};
    if (!compile_is_test(step, &operand, &counts, &holds, &value))
        return false;
    const bool fp = !step->statement.integers && !counts;
    held *h = &m->of[step->use[operand].shared];
    const compile_left *left = h->left;
    const fw_test_fields test = {.holds = holds, .word = !counts, .value = (uint32_t)value};
    bool ok = left && (!left->gone || left->images.len) && list_test(m, h, test, &scratch, &items, &now);
    if (ok) {
        const bool is = fp ? compile_holds_bf16(holds, (uint16_t)now, (uint16_t)value)
                           : holds & (now < value    ? FW_TEST_LESS
                                      : now == value ? FW_TEST_EQUAL
                                                     : FW_TEST_GREATER);
        uint64_t others = 0;
        for (uint64_t e = 0; e < h->t.nnz; e++)
            others += h->t.val[e] != h->t.fill;
        /* Parts of a sum that the host adds up are no values. */
        ok = is == over && (counts ? (uint64_t)now == others : now == (int16_t)h->t.val[0]) &&
             (m->list.steps.len + m->processor.calc.len + items.len + 2 <= STEPS_MOST || compile_run_list(m));
    }
    const bool spreads = items.len > 1;
    if (ok && fp) {
        fw_item compare[COMPILE_COMPARE_ITEMS];
        const uint32_t place = FW_GET(&items.at[--items.len], test, place),
                       n = compile_compare_bf16(holds, place, (uint16_t)value, compare);
        for (uint32_t i = 0; i < n; i++)
            vec_push(&scratch, &items, compare[i]);
    }
    const compile_stage_of *stage = ok && left->stage ? left->stage : m->configured;
    const char *elf = ok && left->stage ? left->later.elf : m->list.elf;
    if (ok)
        add_calcs(m, stage, elf);
    for (uint32_t i = 0; i < items.len && ok; i++)
        add_step(m, stage, elf, &items.at[i]);
    if (ok && spreads) {
        add_scratch(m, &left->images.at[left->images.len - 1].put);
        add_used(m, left);
    }
    m->list.ends = ok ? over : m->list.ends;
    arena_free(&scratch);
    return ok;
}
