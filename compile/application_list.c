/* Batches of a program that wait, so that the chip's processor goes through many of them by itself, tests of
 * loops included; and results that stay on the chip until somebody needs their values. Until then a tensor
 * holds what the cycle model, which runs ahead, has found: by it the host goes through the program. What the
 * processor does is held against that, and so is every result that the host takes. */
#include "compile/move.h"
#include "compile/waiting.h"
#include "tiling/call.h"

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
    k.session = &m->session;
    k.images = m->a->images;
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
        for (uint32_t c = 0; c < FW_ITEM_COUNTERS && m->list.steps.at[i].word[0] < FW_BLOCK; c++)
            sum[c] += r->cycles[i][c];
    }
    bool first = true;
    for (uint32_t i = 0; i < m->list.runs.len; i++) {
        const compile_waiting *w = &m->list.runs.at[i];
        compile_visit *visit = &w->stage->visits.at[w->visit];
        compile_line_run run = {.pass = visit->pass, .begin = m->now};
        if (w->step != COMPILE_NO_STEP) {
            const uint32_t item = w->step < r->n ? w->step : again + (w->step - r->n) % period;
            for (uint32_t c = 0; c < FW_ITEM_COUNTERS; c++)
                now[c] += (double)r->cycles[item][c] / times[item];
            run.config = (uint64_t)((double)r->cycles[item][CONFIG] / times[item] * ratio);
            if (first) {
                const uint64_t others = (uint64_t)(sum[CONFIG] * ratio);
                run.config += all[CONFIG] > others ? all[CONFIG] - others : 0;
                visit->loaded = out->words.loaded;
                visit->kept = out->words.kept;
                visit->collected += out->words.collected;
            }
            first = false;
            run.kernel = part_of(all[KERNEL], now[KERNEL], sum[KERNEL], &given[KERNEL]);
            run.firmware = part_of(all[FIRMWARE], now[FIRMWARE], sum[FIRMWARE], &given[FIRMWARE]);
            run.loaded = visit->loaded;
            run.kept = visit->kept;
            run.collected = visit->collected;
            visit->cycles = run.config + run.kernel + run.firmware;
            m->now += visit->cycles;
            compile_stage_count(w->stage, run.config, run.kernel, run.firmware);
        }
        compile_line_of(m, w->stage, run);
    }
    arena_free(&scratch);
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
    bool ok =
        fw_write_list(&m->list.steps, n, again, &m->list.segments, &m->list.left, b, f.batches, ctx.diag) &&
        ask(m, &ctx, m->list.stage, &f, &out) && fw_read_list_result(f.result, n, &scratch, ctx.diag, &r);
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

/* Takes the words that a load of it would have, where its stores' are no more. */
static bool fetch(machine *m, compile_context *ctx, held *h, const compile_firmware *f, compile_outcome *out,
                  tile_tensor *got) {
    const compile_image *image = compile_image_of(m, h->left);
    const uint8_t *words;
    BUG_IF(!image, "a result is nowhere");
    if (!fw_write_fetch(&image->put, &m->a->board, f->batches, ctx->diag) ||
        !ask(m, ctx, h->left->stage, f, out) ||
        !fw_read_fetched(f->result, image->put.bytes / 2, ctx->mem, ctx->diag, &words))
        return false;
    *got = compile_image_values(image, words, &h->t, ctx->mem);
    return true;
}

static bool collect(machine *m, compile_context *ctx, compile_left *left, const compile_firmware *f,
                    compile_outcome *out, tile_tensor *got) {
    if (!fw_write_collect(&left->later.columns, left->step.word[2], left->step.word[1], f->batches,
                          ctx->diag) ||
        !ask(m, ctx, left->stage, f, out) || !compile_take_results(ctx, &left->kernel, f->result))
        return false;
    *got = left->kernel.ran.result;
    return true;
}

/* Takes the result off the chip, in place of what the model found. */
static bool take(machine *m, held *h, const tile_tensor *shape) {
    compile_context ctx = *m->ctx;
    arena scratch = {0};
    compile_left *left = h->left;
    compile_outcome out = {0};
    tile_tensor got;
    ctx.mem = &scratch;
    const compile_firmware f = files_of(&scratch, left->stage, "collect", left->later.elf);
    const tile_tensor found = compile_copy_of(&h->t, &scratch);
    bool ok = left->gone ? fetch(m, &ctx, h, &f, &out, &got) : collect(m, &ctx, left, &f, &out, &got);
    if (ok) {
        left->stage->visits.at[left->visit].collected += out.words.collected;
        const src_loc loc = left->stage->step->loc;
        const char *name = names_text(ctx.names, shape->name);
        compile_hold(h, &got, shape);
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
    m->breaks++;
    m->why = why;
    return compile_run_list(m) && take(m, &m->of[tensor], &m->a->given[tensor]);
}

bool compile_settle_all(machine *m, const char *why) {
    bool ok = compile_run_list(m);
    for (uint32_t t = 0; t < m->a->program.tensors.len && ok; t++)
        ok = compile_settle(m, t, why);
    return ok;
}

/* Returns the tensor of the program that is operand `t`, if the chip alone has it; otherwise FE_NO_TENSOR. */
static uint32_t left_operand(const machine *m, const fe_step *step, uint32_t t) {
    const uint32_t shared = step->use[t].shared;
    const bool is =
        t + 1 != step->statement.result.v && shared < m->a->program.tensors.len && m->of[shared].left;
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
        m->breaks++;
        m->why = why;
        return compile_settle_all(m, why);
    }
    for (uint32_t t = 0; t < step->statement.tensors.len && ok; t++) {
        const uint32_t shared = left_operand(m, step, t);
        ok = shared == FE_NO_TENSOR || compile_settle(m, shared, why);
    }
    return ok;
}

/* ---- what goes on between runs ---------------------------------------------------------------- */

bool compile_end_session(machine *m, compile_context *ctx) {
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
    if (!compile_engines[m->o->engine].by_processor || m->o->wave || !compile_stage_on_processor(stage))
        return;
    m->session_began = open ? m->session_began : m->now;
    m->configured = open ? m->configured : stage;
    for (uint32_t n = 0; n <= k->producers.len; n++) {
        compile_kernel *one = n < k->producers.len ? &k->producers.at[n] : k;
        one->session = &m->session;
        one->images = m->a->images;
    }
}

/* As long as nothing else has to be on the array, it stays configured where a processor starts the runs; and
 * where the firmware program has all the bitstreams, it goes on with another one. */
static bool share_session(machine *m, compile_context *ctx, const compile_stage_of *stage,
                          compile_kernel *k) {
    const bool same =
        m->configured == stage ||
        (m->configured && (m->a->images || (stage->array && m->configured->array == stage->array)));
    if (compile_stage_on_host(stage)) {
        share_program(m, stage, k);
        return true;
    }
    bool ok = same || compile_end_session(m, ctx);
    const bool open = compile_session_is_open(&m->session) || compile_list_waits(m);
    m->session_began = open ? m->session_began : m->now;
    m->configured = open ? m->configured : stage;
    if (!compile_engines[m->o->engine].by_processor || (k->producers.len && !stage->array && !m->a->images))
        return ok;
    k->session = &m->session;
    for (uint32_t n = 0; n < k->producers.len; n++) {
        compile_kernel *one = &k->producers.at[n];
        one->images = one->on_processor ? m->a->images : one->images;
        /* Without images a program that functions begin has nothing of the array. */
        one->session = !one->on_processor || one->images || open ? &m->session : NULL;
    }
    k->images = k->on_processor ? m->a->images : k->images;
    return ok;
}

/* ---- a run of a statement ---------------------------------------------------------------------- */

/* Keeps what was packed of tensors that nothing changes. */
static void keep_packed(const machine *m, compile_stage_of *stage, const compile_kernel *ran) {
    const sam_statement *packed = &stage->kernel.lowered.statement;
    arena *mem = m->ctx->mem;
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

bool compile_begin_run(machine *m, compile_context *ctx, compile_stage_of *stage, const compile_data *data,
                       compile_kernel *k) {
    *k = stage->kernel;
    k->producers.at = arena_new_n(ctx->mem, compile_kernel, k->producers.len + 1);
    for (uint32_t n = 0; n < k->producers.len; n++)
        k->producers.at[n] = stage->kernel.producers.at[n];
    k->data.operands = data->operands;
    k->data.extent = data->extent;
    return share_session(m, ctx, stage, k);
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

/* Finds how all inputs' words come there, in moves[] by input; notes why they do not. Words that are there by
 * chance are moved all the same, so that all passes of a loop have the same steps. */
static void move_inputs(const machine *m, const compile_stage_of *stage, compile_move_in in, arena *mem,
                        compile_move *moves, const char **why) {
    const sam_statement *packed = &stage->kernel.lowered.statement;
    compile_streams streams;
    const sam_tensor_data *data[TILE_MAX_STREAMS] = {NULL};
    uint32_t tensor[TILE_MAX_STREAMS];
    compile_streams_of(&stage->kernel.array.design, stage->kernel.array.part, &streams);
    for (uint32_t i = 0; i < streams.n_in; i++) {
        for (uint32_t p = 0; p < packed->tensors.len; p++) {
            if (name_eq(packed->tensors.at[p].name, streams.in[i].stream.tensor))
                data[i] = &packed->tensors.at[p];
        }
        tensor[i] = data[i] ? carried(m, stage, data[i]) : FE_NO_TENSOR;
        if ((in.to->counts.left >> i & 1) &&
            (tensor[i] == FE_NO_TENSOR || is_stored_at(m, m->of[tensor[i]].left, &in.batch->segments.at[i])))
            in.stay |= 1u << i;
    }
    for (uint32_t i = 0; i < streams.n_in; i++) {
        if (tensor[i] == FE_NO_TENSOR || (in.stay >> i & 1))
            continue;
        const held *h = &m->of[tensor[i]];
        in.input = i;
        in.data = data[i];
        if (compile_find_move(m, h->left, &in, mem, &moves[i])) {
            moves[i].of = h->left;
            moves[i].image.home = compile_is_home(&moves[i], &in.batch->segments.at[i], h);
        } else if (!(in.to->counts.left >> i & 1)) {
            why[tensor[i]] = "a result is loaded otherwise than it was stored";
        }
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

/* Takes every result that must be taken before this batch runs: an operand that the processor cannot move to
 * where it is loaded, and what it would store over. How the others move is in moves[], by input. Returns how
 * many there were, or -1 after errors. */
static int take_before(machine *m, compile_stage_of *stage, const compile_move_in *in, arena *mem,
                       compile_move *moves) {
    const uint32_t n = m->a->program.tensors.len;
    arena scratch = {0};
    const char **why = arena_new_n(&scratch, const char *, n + 1);
    int taken = 0;
    move_inputs(m, stage, *in, mem, moves, why);
    for (uint32_t t = 0; t < n; t++) {
        const compile_left *left = m->of[t].left;
        if (left && !why[t] && t != fe_step_result(stage->step) && !is_kept(m, left, in, moves))
            why[t] = "a result would be stored over one that is needed";
    }
    for (uint32_t t = 0; t < n; t++)
        taken += why[t] != NULL;
    if (taken)
        restore_memory(&m->session.memory, in->was);
    for (uint32_t t = 0; t < n && taken >= 0; t++) {
        if (!why[t])
            continue;
        if (!m->of[t].left->empty) { /* from now on the host takes it at once */
            m->of[t].left->stage->waits = false;
            m->of[t].left->stage->eager = why[t];
        }
        taken = compile_settle(m, t, why[t]) ? taken : -1;
    }
    arena_free(&scratch);
    return taken;
}

/* Notes where results are once the batch, which is going to wait, has run. */
static void note_places(machine *m, const compile_move_in *in, const compile_move *moves) {
    const uint32_t row_bytes = fw_row_bytes(in->to->columns.n_in, in->to->columns.n_out);
    for (uint32_t t = 0; t < m->a->program.tensors.len; t++) {
        compile_left *left = m->of[t].left;
        if (left)
            left->gone = !compile_is_stored(m, left, in->batch, row_bytes);
    }
    for (uint32_t i = 0; i < in->to->columns.n_in; i++) {
        if (!moves[i].of)
            continue;
        compile_image own = moves[i].image;
        own.blocks = (compile_block_list){0};
        for (uint32_t b = 0; b < moves[i].image.blocks.len; b++)
            vec_push(&moves[i].of->mem, &own.blocks, moves[i].image.blocks.at[b]);
        vec_push(&moves[i].of->mem, &moves[i].of->images, own);
        vec_push(m->session.memory.mem, &m->session.memory.stored, moves[i].image.put);
    }
}

/* Returns whether the host may write the segment before the list runs. */
static bool may_write(const machine *m, const fw_segment *g) {
    bool may = true;
    for (uint32_t i = 0; i < m->list.segments.len; i++) {
        const fw_segment *s = &m->list.segments.at[i];
        const bool same =
            s->address == g->address && s->bytes == g->bytes && memcmp(s->content, g->content, g->bytes) == 0;
        if (same && g->address < m->a->board.map.cgra_data) /* a table, which stays as it is */
            return true;
        may = may && (same || !compile_overlap(s->address, s->bytes, g->address, g->bytes));
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
    for (uint32_t i = 0; i < m->list.segments.len; i++) {
        if (m->list.segments.at[i].address == g->address)
            return;
    }
    fw_segment own = *g;
    uint8_t *content = arena_alloc(&m->list.mem, g->bytes + 1);
    if (g->bytes)
        memcpy(content, g->content, g->bytes);
    own.content = content;
    vec_push(&m->list.mem, &m->list.segments, own);
}

static void add_step(machine *m, const compile_stage_of *stage, const char *elf, const fw_item *item) {
    if (!compile_list_waits(m)) {
        m->list.stage = stage;
        m->list.elf = elf ? arena_strdup(&m->list.mem, elf) : NULL;
    }
    vec_push(&m->list.mem, &m->list.steps, *item);
    m->stepped++;
}

/* Returns whether segment `g` of the batch lies where a store has left it. */
static bool is_left(const compile_later *l, uint32_t g) {
    return g < l->columns.n_in && (l->counts.left >> g & 1);
}

/* Has the processor move an operand to where it is loaded from. */
static void add_move(machine *m, const compile_stage_of *stage, const char *elf, const compile_move *move) {
    const uint32_t buffer = m->a->board.map.cgra_data;
    const compile_left *of = move->of;
    for (uint32_t i = 0; i < move->items.len; i++)
        add_step(m, stage, elf, &move->items.at[i]);
    vec_push(&m->list.mem, &m->list.left,
             ((fw_segment){buffer + move->image.put.address, (move->image.put.bytes + 3) / 4 * 4, NULL}));
    if (!move->spread) {
        const fw_item *copy = &move->items.at[0];
        vec_push(&m->list.mem, &m->list.used, ((fw_segment){buffer + copy->word[1], copy->word[2], NULL}));
        return;
    }
    for (uint32_t i = 0; i < of->words.len; i++)
        vec_push(&m->list.mem, &m->list.used,
                 ((fw_segment){buffer + of->words.at[i].address, of->words.at[i].bytes, NULL}));
    vec_push(&m->list.mem, &m->list.used,
             ((fw_segment){of->step.word[1],
                           of->step.word[2] * fw_row_bytes(of->later.columns.n_in, of->later.columns.n_out),
                           NULL}));
}

/* Has what waits run, since the processor cannot go on by itself. */
static bool break_list(machine *m, const char *why) {
    m->breaks++;
    m->why = why;
    return compile_run_list(m);
}

/* Adds the moves of its operands and the batch, once what waits has run if the host has something to write
 * between. */
static bool add_batch(machine *m, compile_stage_of *stage, const compile_later *l, const fw_batch *b,
                      const compile_move *moves, compile_left *left) {
    uint32_t items = 1;
    bool may = true;
    for (uint32_t i = 0; i < l->columns.n_in; i++)
        items += moves[i].items.len;
    if (m->list.steps.len + items > STEPS_MOST && !break_list(m, "its list is full"))
        return false;
    for (uint32_t i = 0; i < l->columns.n_in; i++) {
        if (moves[i].of)
            add_move(m, stage, l->elf, &moves[i]);
    }
    for (uint32_t i = 0; i < b->segments.len; i++)
        may = may &&
              (is_left(l, i) || (i < l->columns.n_in && moves[i].of) || may_write(m, &b->segments.at[i]));
    if (!may && !break_list(m, "the host writes operands between"))
        return false;
    left->step = (fw_item){{l->columns.part, b->table, b->runs, b->outputs}};
    left->stage = stage;
    left->visit = stage->visits.len;
    add_step(m, stage, l->elf, &left->step);
    vec_push(&m->list.mem, &m->list.runs, ((compile_waiting){stage, left->visit, m->list.steps.len - 1}));
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
    left->empty = true;
    left->stage = stage;
    left->visit = stage->visits.len;
    if (!compile_count_run(m, stage, &left->kernel))
        return false;
    if (compile_list_waits(m))
        vec_push(&m->list.mem, &m->list.runs, ((compile_waiting){stage, left->visit, COMPILE_NO_STEP}));
    else
        compile_line_of(m, stage,
                        (compile_line_run){.pass = stage->visits.at[left->visit].pass, .begin = m->now});
    return true;
}

bool compile_wait(machine *m, compile_context *ctx, compile_stage_of *stage, const compile_data *data,
                  tile_tensor *out, compile_left **left, compile_waited *waited) {
    compile_session *s = &m->session;
    compile_left *l = arena_new(ctx->mem, compile_left);
    fw_batch b = {0};
    bool good;
    *waited = COMPILE_NEVER;
    if (!compile_begin_run(m, ctx, stage, data, &l->kernel))
        return false;
    const fw_memory was = copy_memory(&s->memory, ctx->mem);
    const uint32_t image = s->last_image;
    l->kernel.later = &l->later;
    if (!compile_end_run(m, ctx, stage, &l->kernel,
                         compile_run_kernels(&stage->options, ctx, &l->kernel, &data->operands)))
        return false;
    if (!read_batch(m, ctx, &l->later, &b, &good)) {
        stage->waits = false;
        stage->eager = "a statement has several batches";
        restore_memory(&s->memory, &was);
        s->last_image = image;
        return good;
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
    const compile_move_in in = {.to = &l->later, .batch = &b, .was = &was};
    const int taken = take_before(m, stage, &in, ctx->mem, moves);
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
    if (!add_batch(m, stage, &l->later, &b, moves, l))
        return false;
    note_places(m, &in, moves);
    if (!compile_count_run(m, stage, &l->kernel))
        return false;
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

static uint32_t word_at(const uint8_t *words, uint32_t i) {
    return words[2 * i] | (uint32_t)words[2 * i + 1] << 8;
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

bool compile_wait_test(machine *m, const fe_step *step, bool over) {
    uint32_t operand, holds;
    int32_t value, now;
    bool counts;
    if (m->o->dtype != TILE_DTYPE_INT16 || !compile_is_test(step, &operand, &counts, &holds, &value))
        return false;
    const held *h = &m->of[step->use[operand].shared];
    const compile_left *left = h->left;
    const int at = left && !left->gone ? values_of(&left->later) : -1;
    if (at < 0 || !find(left->later.stored[at].at, left->later.stored[at].len / 2, counts, h->t.fill, &now))
        return false;
    const uint32_t is = now < value ? FW_TEST_LESS : now == value ? FW_TEST_EQUAL : FW_TEST_GREATER;
    uint64_t others = 0;
    for (uint64_t e = 0; e < h->t.nnz; e++)
        others += h->t.val[e] != h->t.fill;
    /* Parts of a sum that the host adds up are no values. */
    if (((holds & is) != 0) != over || (counts ? (uint64_t)now != others : now != (int16_t)h->t.val[0]))
        return false;
    const fw_item item = {{FW_TEST | holds | (counts ? 0 : FW_TEST_WORD), left->later.counts.output[at],
                           left->later.stored[at].len / 2, h->t.fill, (uint32_t)value}};
    if (m->list.steps.len >= STEPS_MOST && !compile_run_list(m))
        return false;
    add_step(m, left->stage, left->later.elf, &item);
    m->list.ends = over;
    return true;
}
