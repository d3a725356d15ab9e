/* Calls of a function by the chip's processor in a list: its operands become dense vectors behind each other
 * in the last tile of the global buffer, and one call is made for each coordinate, and one for the lengths
 * before them, in whose place the result's is written afterwards. So the result lies there as a store of the
 * array would leave it. */
#include "compile/application_calls.h"
#include "compile/processor.h"
#include "sam/calls.h"

static const sam_expr_data *call_of(const compile_kernel *k) {
    return sam_expr_at(&k->lowered.statement, k->lowered.statement.rhs);
}

/* Returns argument `i`, or NULL. */
static const sam_expr_data *argument(const compile_kernel *k, uint32_t i) {
    const sam_expr_data *call = call_of(k);
    const sam_expr e = i ? call->b : call->a;
    return e.v ? sam_expr_at(&k->lowered.statement, e) : NULL;
}

static bool is_plain(const sam_tensor_data *t) {
    return !t->fill && !t->structure && !t->windowed && !t->ones && !t->blocked;
}

bool compile_may_wait_calls(const compile_kernel *k) {
    if (!k->on_processor || k->calls.call)
        return false;
    const sam_statement *s = &k->lowered.statement;
    const sam_tensor_data *result = sam_tensor_at(s, s->result);
    const sam_expr_data *call = call_of(k);
    bool any = false, may = call->kind == SAM_EXPR_CALL && call->program && call->program->on_processor &&
                            !sam_takes_fiber(call) && result->order == 1 && is_plain(result);
    for (uint32_t i = 0; may && i < call->program->parameters; i++) {
        const sam_expr_data *x = argument(k, i);
        may = i < 2 && x && (x->kind == SAM_EXPR_ACCESS || x->kind == SAM_EXPR_LITERAL);
        if (!may || x->kind == SAM_EXPR_LITERAL)
            continue;
        const sam_tensor_data *t = sam_tensor_at(s, x->tensor);
        may = is_plain(t) && (!t->order || (t->order == 1 && x->index[0].v == s->result_index[0].v));
        any = any || t->order;
    }
    return may && any;
}

static void put_word(uint8_t *at, uint32_t i, uint16_t word) {
    at[2 * i] = (uint8_t)word;
    at[2 * i + 1] = (uint8_t)(word >> 8);
}

static uint16_t word_at(const uint8_t *at, uint32_t i) {
    return (uint16_t)(at[2 * i] | at[2 * i + 1] << 8);
}

/* Makes a block of the tensor's values, n of them. */
static uint8_t *block_of(const tile_tensor *t, uint32_t n, arena *mem) {
    uint8_t *block = arena_new_n(mem, uint8_t, 2 * n + 4);
    put_word(block, 0, (uint16_t)n);
    for (uint64_t e = 0; e < t->nnz && t->order; e++)
        put_word(block, 1 + t->crd[e], t->val[e]);
    for (uint32_t i = 0; i < n && !t->order; i++)
        put_word(block, 1 + i, t->nnz ? t->val[0] : 0);
    return block;
}

/* Makes the block of an argument, and what it is. */
static const uint8_t *block_of_argument(const compile_kernel *k, uint32_t i, uint32_t n, arena *mem,
                                        sam_tensor_data *what) {
    const sam_statement *s = &k->lowered.statement;
    const sam_expr_data *x = argument(k, i);
    uint16_t word = x->kind == SAM_EXPR_LITERAL ? sam_literal_word(x->literal, !s->integers) : 0;
    tile_tensor t = {.nnz = 1, .val = &word};
    *what = (sam_tensor_data){.name = {0}};
    if (x->kind == SAM_EXPR_ACCESS) {
        *what = *sam_tensor_at(s, x->tensor);
        for (uint32_t o = 0; o < k->data.operands.n; o++) {
            if (name_eq(k->data.operands.operand[o].name, what->name))
                t = k->data.operands.operand[o];
        }
        what->level[0] = SAM_LEVEL_DENSE;
    }
    return block_of(&t, n, mem);
}

/* Says in the plan what is loaded and stored: one block each. */
static void plan_blocks(arena *mem, const sam_tensor_data *operands, uint32_t inputs, uint32_t n,
                        tile_plan *plan) {
    *plan = (tile_plan){.copies = 1};
    for (uint32_t i = 0; i < inputs; i++) {
        tile_input in = {.stream = {operands[i].name, SAM_MODE_VALS}};
        vec_push(mem, &in.blocks, ((tile_block){0}));
        vec_push(mem, &in.blocks, ((tile_block){.length = n + 1, .size = n}));
        vec_push(mem, &plan->inputs, in);
        vec_push(mem, &plan->run_block, 1);
    }
    vec_push(mem, &plan->outputs, ((tile_output){.stream.level = SAM_MODE_VALS, .num_blocks = 1}));
    vec_push(mem, &plan->runs, ((tile_run){.bound_words = n + 1}));
    vec_push(mem, &plan->parts, ((tile_part){.size = {n}}));
}

/* Where the operands begin, how far each is from the next one, and where the result goes. */
typedef struct {
    uint32_t inputs, n, bytes, begin, each, to;
} layout;

static void put_u32(uint8_t *at, uint32_t word) {
    put_word(at, 0, (uint16_t)word);
    put_word(at, 1, (uint16_t)(word >> 16));
}

/* Makes the row of the calls, and gives it its place: the processor writes where the result goes. */
static void add_row(machine *m, arena *mem, const layout *y, fw_batch *b) {
    const uint32_t bytes = fw_row_bytes(y->inputs, 1);
    uint8_t *row = arena_new_n(mem, uint8_t, bytes);
    for (uint32_t i = 0; i <= y->inputs; i++) {
        put_u32(row + 8 * i, i < y->inputs ? b->segments.at[i].address - m->a->board.map.cgra_data : 0);
        put_u32(row + 8 * i + 4, y->n + 1);
    }
    b->runs = 1;
    b->table = compile_add_table(m, bytes, hash_bytes(row, bytes));
    vec_push(mem, &b->segments, ((fw_segment){b->table, bytes, row}));
}

/* Finds a table of the same row in the tables' area. */
static void share_row(machine *m, fw_batch *b) {
    fw_memory *all = &m->session.memory;
    fw_segment *row = &b->segments.at[b->segments.len - 1];
    const uint64_t hash = hash_bytes(row->content, row->bytes);
    for (uint32_t i = 0; i + 1 < all->tables.len; i++) {
        if (all->tables.at[i].bytes != row->bytes || all->tables.at[i].hash != hash)
            continue;
        all->tables.len--;
        all->table_end -= row->bytes;
        row->address = b->table = all->tables.at[i].address;
        return;
    }
}

/* Nothing else lies there from now on. */
static void take_place(machine *m, uint32_t address, uint32_t bytes) {
    fw_forget(&m->session.memory, address, bytes);
}

/* Returns whether a call of each coordinate makes this block. */
static bool makes(const compile_kernel *k, const fw_batch *in, uint32_t n, const uint8_t *block) {
    const sam_expr_data *call = call_of(k);
    bool same = true;
    for (uint32_t i = 1; i <= n && same; i++) {
        const uint16_t b = call->program->parameters > 1 ? word_at(in->segments.at[1].content, i) : 0;
        same = sam_call(call->program, word_at(in->segments.at[0].content, i), b) == word_at(block, i);
    }
    return same;
}

static layout layout_of(const machine *m, const compile_kernel *k) {
    const pnr_board *b = &m->a->board;
    const sam_statement *s = &k->lowered.statement;
    const uint32_t bank = b->glb_bank_bytes, last = (b->glb_tiles - 1) * b->glb_banks_per_tile * bank;
    layout y = {.inputs = call_of(k)->program->parameters, .begin = last + bank / 2, .to = last + bank};
    y.n = k->data.extent[s->result_index[0].v - 1];
    y.bytes = 2 * (y.n + 1);
    y.each = (y.bytes + 3) / 4 * 4;
    return y;
}

/* Finds where a store has left these words, which lie there until the calls are made. */
static bool is_there(const machine *m, const compile_stage_of *stage, const sam_tensor_data *operand,
                     const uint8_t *block, const layout *y, uint32_t *at) {
    const sam_statement *s = &stage->step->statement;
    const compile_left *left = NULL;
    const uint64_t hash = hash_bytes(block, y->bytes);
    for (uint32_t t = 0; t < s->tensors.len && operand->order; t++) {
        const uint32_t shared = stage->step->use[t].shared;
        if (t + 1 != s->result.v && shared < m->a->places && name_eq(s->tensors.at[t].name, operand->name))
            left = m->of[shared].left;
    }
    for (uint32_t w = 0; left && !left->gone && w < left->words.len; w++) {
        const fw_put *put = &left->words.at[w];
        bool there = false;
        for (uint32_t i = 0; i < m->session.memory.stored.len; i++)
            there = there || memcmp(&m->session.memory.stored.at[i], put, sizeof *put) == 0;
        if (!there || put->bytes != y->bytes || put->hash != hash || put->address % 4 ||
            compile_overlap(put->address, put->bytes, y->begin, y->inputs * y->each) ||
            compile_overlap(put->address, put->bytes, y->to, y->bytes))
            continue;
        *at = put->address;
        return true;
    }
    return false;
}

/* Says what a batch of the array would have left of the calls' result. */
static void note_result(machine *m, compile_context *ctx, const layout *y, const uint8_t *made,
                        compile_left *l) {
    const char *name = call_of(&l->kernel)->program->name;
    const fw_put put = {y->to, y->bytes, hash_bytes(made, y->bytes)};
    compile_image home = {.home = true, .put = put};
    compile_later *later = &l->later;
    later->elf = m->elf;
    later->columns = (fw_columns){.n_in = y->inputs, .n_out = 1, .copies = 1, .buffers = 1};
    later->columns.part =
        FW_FUNCTION + compile_number_of(ctx->calls, compile_described_of(ctx->functions, ctx->calls, name));
    later->counts.batches = 1;
    later->counts.output[0] = y->to;
    later->stored[0].at = made;
    later->stored[0].len = y->bytes;
    take_place(m, y->to, y->bytes);
    vec_push(m->session.memory.mem, &m->session.memory.stored, put);
    vec_push(ctx->mem, &home.blocks, ((compile_block){.words = y->n}));
    vec_push(ctx->mem, &l->images, home);
    l->kernel.ran.processor = (compile_processed){.names = arena_strdup(m->ctx->mem, name),
                                                  .calls = y->n + 1,
                                                  .words = (uint64_t)(y->inputs + 1) * (y->n + 1),
                                                  .measured = true};
}

const char *compile_lay_calls(machine *m, compile_context *ctx, const compile_stage_of *stage,
                              compile_left *l, fw_batch *b) {
    const pnr_board *board = &m->a->board;
    const compile_kernel *k = &l->kernel;
    const layout y = layout_of(m, k);
    if (2 * y.each * y.inputs > board->glb_bank_bytes || y.n > INT16_MAX)
        return "vectors of a function are longer than the processor has room for";
    sam_tensor_data *operands = arena_new_n(ctx->mem, sam_tensor_data, y.inputs + 1);
    for (uint32_t i = 0; i < y.inputs; i++) {
        const uint8_t *block = block_of_argument(k, i, y.n, ctx->mem, &operands[i]);
        uint32_t at = y.begin + i * y.each;
        if (is_there(m, stage, &operands[i], block, &y, &at))
            l->later.counts.left |= 1u << i;
        vec_push(ctx->mem, &b->segments, ((fw_segment){board->map.cgra_data + at, y.bytes, block}));
    }
    for (uint32_t i = 0; i < y.inputs; i++) {
        if (!(l->later.counts.left >> i & 1))
            take_place(m, y.begin + i * y.each, y.bytes);
    }
    const uint8_t *made = block_of(&k->ran.result, y.n, ctx->mem);
    if (!makes(k, b, y.n, made))
        return "a function has values where its result has none";
    add_row(m, ctx->mem, &y, b);
    share_row(m, b);
    b->outputs = 1u << (board->glb_tiles - 1);
    plan_blocks(ctx->mem, operands, y.inputs, y.n, &l->later.plan);
    l->later.operands = operands;
    note_result(m, ctx, &y, made, l);
    return NULL;
}
