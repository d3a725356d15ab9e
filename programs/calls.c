/* Calls of a function by the chip's processor in a list: operands become consecutive dense vectors in the
 * last tile of the global buffer, single values a block of a length and a word. The processor makes a call
 * for each coordinate, and a call for the lengths before them, whose result it replaces by the length. The
 * result lies in memory as after a store of the array, if possible where a load of the array reads it. */
#include "programs/calls.h"
#include "kernel/processor.h"
#include "programs/commands.h"
#include "programs/grid.h"
#include "sam/calls.h"

/* Bytes from the half of the bank on: limit of computing; constant operands follow. */
enum { CONSTANTS_BEGIN = 48 << 10 };

static const sam_expr_data *call_of(const sam_statement *s) {
    return sam_expr_at(s, s->rhs);
}

static bool is_plain(const sam_tensor_data *t) {
    return !t->fill && !t->structure && !t->windowed && !t->ones && !t->blocked;
}

/* Finds the operands of a call. */
static bool find_call(const sam_statement *s, compile_dense *out) {
    const sam_tensor_data *result = sam_tensor_at(s, s->result);
    const sam_expr_data *call = call_of(s);
    compile_dense d = {.s = s, .body = s->rhs, .how = FW_OP_SET, .results = result->order, .calls = true};
    bool any = false, may = call->kind == SAM_EXPR_CALL && call->program && call->program->on_processor &&
                            !sam_takes_fiber(call) && result->order > 0 &&
                            result->order <= COMPILE_DENSE_MODES && is_plain(result);
    for (; may && d.vars < result->order; d.vars++)
        d.var[d.vars] = s->result_index[d.vars];
    for (uint32_t i = 0; may && i < call->program->parameters; i++) {
        const sam_expr e = i ? call->b : call->a;
        const sam_expr_data *x = e.v ? sam_expr_at(s, e) : NULL;
        may = i < 2 && x && (x->kind == SAM_EXPR_ACCESS || x->kind == SAM_EXPR_LITERAL);
        if (may)
            d.operand[d.operands++] = e;
        if (!may || x->kind == SAM_EXPR_LITERAL)
            continue;
        const sam_tensor_data *t = sam_tensor_at(s, x->tensor);
        may = is_plain(t) && t->order <= result->order;
        for (uint32_t m = 0; m < t->order && may; m++)
            may = compile_dense_mode(&d, x, m) < d.vars && (!m || x->index[0].v != x->index[1].v);
        any = any || t->order;
    }
    *out = d;
    return may && any;
}

bool compile_may_wait_calls(const compile_kernel *k) {
    compile_dense d;
    return k->on_processor && !k->calls.call && find_call(&k->lowered.statement, &d);
}

/* ---- what commands compute ------------------------------------------------------------------------- */

/* Returns whether an operand of the program changes; workspaces do. */
static bool changes(const compile_application *a, const fe_step *step, name_id name) {
    const sam_statement *s = &step->statement;
    const sam_tensor t = sam_operand_named(s, name);
    return !t.v || step->use[t.v - 1].shared >= a->program.tensors.len ||
           a->program.tensors.at[step->use[t.v - 1].shared].changes;
}

/* Returns whether the processor should compute, judging by the array's loads of the operands: a reduction,
 * with each operand a result and each matrix dense. */
static bool is_reduction(const compile_application *a, const fe_step *step, const compile_dense *d) {
    bool is = d->how != FW_OP_SET && d->how != FW_OP_ADD;
    for (uint32_t i = 0; i < d->operands && is; i++) {
        const sam_tensor_data *t = sam_tensor_at(d->s, sam_expr_at(d->s, d->operand[i])->tensor);
        is = (!t->order || changes(a, step, t->name)) && (t->order < 2 || compile_is_grid(t));
    }
    return is;
}

void compile_find_dense_kernels(const compile_application *a, compile_statement_plan *plan) {
    const uint32_t n = plan->n_kernels ? plan->n_kernels : 1;
    const bool computes = plan->step->kind == FE_STEP_ASSIGN && !plan->on_host;
    for (uint32_t p = 0; p < n && computes; p++) {
        compile_statement_plan *kernel_plan = plan->n_kernels ? &plan->kernels[p] : plan;
        const compile_kernel *k = &kernel_plan->kernel;
        compile_dense d;
        if (k->on_host && !k->producers.len) /* the last of several kernels says nothing of the others */
            kernel_plan->by_commands =
                !compile_may_wait_calls(k) && !k->calls.call && compile_find_dense(&k->lowered.statement, &d);
        else if (plan->loops && !k->producers.len &&
                 (p + 1 < n || n == 1)) /* other loops are written without workspaces */
            kernel_plan->by_commands = compile_find_dense(&k->user, &d) && is_reduction(a, plan->step, &d);
    }
}

/* ---- loads and stores --------------------------------------------------------------------------- */

static void put_word(uint8_t *at, uint32_t i, uint16_t word) {
    at[2 * i] = (uint8_t)word;
    at[2 * i + 1] = (uint8_t)(word >> 8);
}

/* Makes a block of the tensor's values row by row, repeated along a missing index; mode[m] is the statement's
 * mode of its mode m. */
static uint8_t *block_of(const tile_tensor *t, const uint32_t *size, const uint8_t *mode, arena *mem) {
    const uint32_t n = size[0] * size[1];
    uint8_t *block = arena_new_n(mem, uint8_t, 2 * (size_t)n + 4);
    put_word(block, 0, (uint16_t)n);
    for (uint64_t e = 0; e < t->nnz; e++) {
        uint32_t begin[] = {0, 0}, end[] = {size[0], size[1]};
        for (uint32_t m = 0; m < t->order; m++) {
            begin[mode[m]] = t->crd[e * t->order + m];
            end[mode[m]] = begin[mode[m]] + 1;
        }
        for (uint32_t i = begin[0]; i < end[0]; i++) {
            for (uint32_t k = begin[1]; k < end[1]; k++)
                put_word(block, 1 + i * size[1] + k, t->val[e]);
        }
    }
    return block;
}

/* Returns the tensor of an operand. */
static const tile_tensor *find_tensor(const tile_operands *all, name_id name) {
    const tile_tensor *t = tile_find_operand(all, name);
    BUG_IF(!t, "an operand is nowhere");
    return t;
}

/* Returns the number of an operand's words: a single value of calls has a length and a word for all calls. */
static uint32_t words_of_operand(const compile_dense *d, const compile_layout *y,
                                 const sam_tensor_data *operand) {
    return 1 + (d->calls && !operand->order ? 1 : y->n);
}

/* Makes the block of an operand, and its description: a matrix by rows, or a vector with the statement's
 * mode. */
static const uint8_t *block_of_operand(const compile_dense *d, uint32_t i, const tile_operands *all,
                                       const compile_layout *y, arena *mem, sam_tensor_data *what) {
    const sam_expr_data *x = sam_expr_at(d->s, d->operand[i]);
    uint16_t word = x->kind == SAM_EXPR_LITERAL ? sam_literal_word(x->literal, !d->s->integers) : 0;
    tile_tensor t = {.nnz = 1, .val = &word};
    uint8_t mode[COMPILE_DENSE_MODES] = {0};
    *what = (sam_tensor_data){.name = {0}};
    if (x->kind == SAM_EXPR_ACCESS) {
        *what = *sam_tensor_at(d->s, x->tensor);
        t = *find_tensor(all, what->name);
    }
    for (uint32_t m = 0; m < what->order; m++) {
        mode[m] = (uint8_t)compile_dense_mode(d, x, m);
        what->level[m] = SAM_LEVEL_DENSE;
        what->mode[what->order == 2 ? mode[m] : 0] = (uint8_t)(what->order == 2 ? m : mode[m]);
    }
    const uint32_t one[COMPILE_DENSE_MODES] = {1, 1};
    return block_of(&t, words_of_operand(d, y, what) == 2 ? one : y->size, mode, mem);
}

/* Writes the loads and stores into the plan: one block each; the result's box is followed by the traversed
 * operand, a matrix or a vector. */
static void plan_blocks(arena *mem, const compile_dense *d, const sam_tensor_data *operands,
                        const compile_layout *y, tile_plan *plan) {
    *plan = (tile_plan){.copies = 1};
    for (uint32_t i = 0; i < y->inputs; i++) {
        tile_input in = {.stream = {.tensor = operands[i].name, .level = SAM_MODE_VALS}};
        const uint32_t words = words_of_operand(d, y, &operands[i]);
        tile_block block = {.length = words, .size = {words - 1}};
        if (operands[i].order == 2) {
            block.row = y->size[1];
            block.size[0] = y->size[operands[i].mode[0] != 0];
            block.size[1] = y->size[operands[i].mode[0] == 0];
        }
        vec_push(mem, &in.blocks, ((tile_block){0}));
        vec_push(mem, &in.blocks, block);
        vec_push(mem, &plan->inputs, in);
        vec_push(mem, &plan->run_block, 1);
    }
    vec_push(mem, &plan->outputs, ((tile_output){.stream.level = SAM_MODE_VALS, .num_blocks = 1}));
    vec_push(mem, &plan->runs, ((tile_run){.bound_words = y->results + 1}));
    vec_push(mem, &plan->boxes, ((tile_box){.size = {y->result_size[0], y->result_size[1]}}));
    vec_push(mem, &plan->boxes, ((tile_box){.size = {y->size[0], d->vars > 1 ? y->size[1] : 0}}));
}

static void put_u32(uint8_t *at, uint32_t word) {
    put_word(at, 0, (uint16_t)word);
    put_word(at, 1, (uint16_t)(word >> 16));
}

/* Makes the row of the calls, and gives the row its place: the processor writes the place of the result
 * there. For commands the row has only the result. */
static void add_row(interpreter *m, arena *mem, const compile_dense *d, const compile_layout *y,
                    fw_batch *b) {
    const uint32_t bytes = fw_row_bytes(y->inputs, 1);
    uint8_t *row = arena_new_n(mem, uint8_t, bytes);
    for (uint32_t i = 0; i < y->inputs && d->calls; i++) {
        put_u32(row + fw_load_cell(i) + FW_AT_cell_first,
                b->segments.at[i].address - m->a->board.map.cgra_data);
        put_u32(row + fw_load_cell(i) + FW_AT_cell_words, b->segments.at[i].bytes / 2);
    }
    put_u32(row + fw_store_cell(y->inputs, 0) + FW_AT_cell_first, d->calls ? 0 : y->to);
    put_u32(row + fw_store_cell(y->inputs, 0) + FW_AT_cell_words, y->results + 1);
    b->runs = 1;
    b->table = compile_add_table(m, bytes, hash_bytes(row, bytes));
    vec_push(mem, &b->segments, ((fw_segment){b->table, bytes, row}));
}

/* Finds a table of the same row in the tables' area. */
static void share_row(interpreter *m, fw_batch *b) {
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

/* The place has no other content from now on. */
static void take_bytes(interpreter *m, uint32_t address, uint32_t bytes) {
    fw_forget(&m->session.memory, address, bytes);
}

/* Returns the words of the calls, one for each coordinate. */
static const uint16_t *call_words(const compile_dense *d, const fw_batch *in, uint32_t n, arena *mem) {
    const sam_expr_data *call = call_of(d->s);
    uint16_t *words = arena_new_n(mem, uint16_t, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        uint16_t of[] = {0, 0};
        for (uint32_t k = 0; k < call->program->parameters; k++)
            of[k] = word_at(in->segments.at[k].content, in->segments.at[k].bytes == 4 ? 1 : 1 + i);
        words[i] = sam_call(call->program, of[0], of[1]);
    }
    return words;
}

/* ---- place of the result ------------------------------------------------------------------------ */

/* A load: a cell of a kernel's array; no kernel: none. */
typedef struct {
    const compile_kernel *kernel;
    uint32_t cell;
} load_cell;

/* Returns the kernel of the statement that loads the tensor of place `to` as a store of the array leaves it,
 * and its name for the tensor; NULL: none. */
static const compile_kernel *reader_in(const compile_statement_plan *plan, uint32_t to, name_id *name) {
    const uint32_t producers = plan->kernel.producers.len;
    if (plan->step->kind != FE_STEP_ASSIGN || plan->on_host || plan->by_commands)
        return NULL;
    for (uint32_t p = 0; p <= producers; p++) {
        const compile_kernel *k = compile_kernel_at(&plan->kernel, p);
        const sam_statement *s = &k->lowered.statement;
        for (uint32_t t = 0; t < s->tensors.len && !k->on_host; t++) {
            const sam_tensor_data *data = &s->tensors.at[t];
            const sam_tensor own = sam_operand_named(&plan->step->statement, sam_stored_name(data));
            *name = data->name;
            if (t + 1 != s->result.v && own.v && plan->step->use[own.v - 1].shared == to &&
                data->order == 1 && !data->fill && data->level[0] == SAM_LEVEL_DENSE)
                return k;
        }
    }
    return NULL;
}

/* Returns the load that reads the statement's result first, in this pass or the next, if the tensor has a
 * single load. */
static load_cell reader_of(const interpreter *m, const compile_statement_plan *plan) {
    const compile_application *a = m->a;
    const compile_statement_plan *whole = plan->whole ? plan->whole : plan;
    const uint32_t n = a->plans.len;
    const compile_kernel *k = NULL;
    uint32_t own = 0, loads = 0;
    name_id name = {0};
    load_cell found = {0};
    while (own < n && &a->plans.at[own] != whole)
        own++;
    for (uint32_t d = 1; d <= n && !k; d++)
        k = reader_in(&a->plans.at[(own + d) % n], plan->to, &name);
    for (uint32_t c = 0; k && c < k->array.design.net->cells.len; c++) {
        const net_cell_data *cell = &k->array.design.net->cells.at[c];
        if (cell->mode != NET_MODE_IO_IN || cell->kernel != k->array.kernel || !name_eq(cell->tensor, name))
            continue;
        found = (load_cell){k, c};
        loads++;
    }
    return loads == 1 ? found : (load_cell){0};
}

static uint32_t tile_of(const load_cell *l, const pnr_board *b) {
    return l->kernel->array.design.site.at[l->cell].x / b->columns_per_glb_tile;
}

/* Returns whether the kernel's array has another load at the tile. */
static bool has_other_load(const compile_kernel *k, const load_cell *own, const pnr_board *b) {
    const pnr_design *design = &k->array.design;
    for (uint32_t c = 0; design->net && c < design->net->cells.len; c++) {
        const bool is_own = c == own->cell && design->site.at == own->kernel->array.design.site.at;
        if (!is_own && design->net->cells.at[c].mode == NET_MODE_IO_IN &&
            tile_of(&(load_cell){k, c}, b) == tile_of(own, b))
            return true;
    }
    return false;
}

/* Returns the bank with the statement's result: where the load that reads the result has its words, if no
 * other load and no other result of the processor's is there; else the last. */
static uint32_t bank_of_result(const interpreter *m, const compile_statement_plan *plan) {
    const compile_application *a = m->a;
    const pnr_board *b = &a->board;
    const load_cell reader = reader_of(m, plan);
    const compile_statement_plan *whole = plan->whole ? plan->whole : plan;
    bool own = reader.kernel && tile_of(&reader, b);
    for (uint32_t i = 0; i < a->plans.len && own; i++) {
        const compile_statement_plan *with = &a->plans.at[i];
        if (with->step->kind != FE_STEP_ASSIGN)
            continue;
        for (uint32_t p = 0; p < with->kernel.producers.len; p++)
            own = own && !has_other_load(&with->kernel.producers.at[p], &reader, b);
        own = own && !has_other_load(&with->kernel, &reader, b);
        if (with == whole || !(with->kernel.on_host || with->by_commands))
            continue;
        const load_cell other = reader_of(m, with);
        own = own && !(other.kernel && tile_of(&other, b) == tile_of(&reader, b));
    }
    return own ? tile_of(&reader, b) * b->glb_banks_per_tile : b->glb_tiles * b->glb_banks_per_tile - 1;
}

/* Finds the extents of the indices, from the operands; false if the operands have too many values. */
static bool find_layout(const interpreter *m, const compile_statement_plan *plan, const compile_dense *d,
                        const tile_operands *all, compile_layout *out) {
    const pnr_board *b = &m->a->board;
    const uint32_t bank = b->glb_bank_bytes;
    compile_layout y = {.size = {1, 1},
                        .inputs = d->operands,
                        .begin = (b->glb_tiles - 1) * b->glb_banks_per_tile * bank + bank / 2,
                        .to = bank_of_result(m, plan) * bank,
                        .results = 1};
    for (uint32_t i = 0; i < d->operands; i++) {
        const sam_expr_data *x = sam_expr_at(d->s, d->operand[i]);
        const sam_tensor_data *t = x->kind == SAM_EXPR_ACCESS ? sam_tensor_at(d->s, x->tensor) : NULL;
        for (uint32_t k = 0; t && k < t->order; k++)
            y.size[compile_dense_mode(d, x, k)] = find_tensor(all, t->name)->dim[k];
    }
    for (uint32_t v = 0; v < COMPILE_DENSE_MODES; v++) {
        y.result_size[v] = v < d->results ? y.size[v] : 1;
        y.results *= y.result_size[v];
    }
    if ((uint64_t)y.size[0] * y.size[1] > INT16_MAX)
        return false;
    y.n = y.size[0] * y.size[1];
    y.bytes = 2 * (y.n + 1);
    y.result_bytes = 2 * (y.results + 1);
    y.each = (y.bytes + 3) / 4 * 4;
    *out = y;
    return y.each * y.inputs <= CONSTANTS_BEGIN;
}

/* Returns the chip's result for an operand, or NULL. */
static const compile_resident *resident_of(const interpreter *m, const compile_statement_plan *plan,
                                           const sam_tensor_data *operand) {
    const sam_tensor t = sam_operand_named(&plan->step->statement, operand->name);
    const uint32_t shared = t.v ? plan->step->use[t.v - 1].shared : FE_NO_TENSOR;
    return shared < m->a->slots ? m->of[shared].resident : NULL;
}

/* Returns the place of these words after a store, unchanged until their read; NULL: no place. */
static const fw_put *find_resident(const interpreter *m, const compile_resident *resident,
                                   const compile_dense *d, const sam_tensor_data *operand,
                                   const uint8_t *block, const compile_layout *y) {
    const uint32_t bytes = 2 * words_of_operand(d, y, operand);
    const uint64_t hash = hash_bytes(block, bytes);
    const bool as_it_is = (operand->order == d->vars && (d->vars == 1 || operand->mode[0] == 0)) ||
                          (d->calls && !operand->order);
    for (uint32_t w = 0; resident && as_it_is && !resident->gone && w < resident->words.len; w++) {
        const fw_put *put = &resident->words.at[w];
        const uint32_t half = m->a->board.glb_bank_bytes / 2;
        if (!compile_has_put(&m->session.memory.stored, put) || put->bytes != bytes || put->hash != hash ||
            put->address % 4 || compile_overlap(put->address, put->bytes, y->begin, half) ||
            compile_overlap(put->address, put->bytes, y->to, y->result_bytes))
            continue;
        return put;
    }
    return NULL;
}

/* Finds a place for words of the host, at the end of the bank: equal words share a place, and the host writes
 * them once. */
static bool find_constant(interpreter *m, const compile_layout *y, const uint8_t *block, uint32_t bytes,
                          uint32_t *at) {
    const uint64_t hash = hash_bytes(block, bytes);
    const fw_puts *all = &m->processor.constants;
    for (uint32_t i = 0; i < all->len; i++) {
        *at = all->at[i].address;
        if (all->at[i].bytes == bytes && all->at[i].hash == hash)
            return true;
    }
    const uint32_t end = all->len ? all->at[all->len - 1].address : y->begin + m->a->board.glb_bank_bytes / 2;
    *at = end - y->each;
    if (end - y->begin - CONSTANTS_BEGIN < y->each)
        return false;
    vec_push(m->ctx->mem, &m->processor.constants, ((fw_put){*at, bytes, hash}));
    take_bytes(m, *at, bytes);
    return true;
}

/* Records the result as a batch of the array leaves it. */
static void note_result(interpreter *m, compile_context *ctx, const compile_layout *y, const uint8_t *made,
                        compile_resident *l) {
    const fw_put put = {y->to, y->result_bytes, hash_bytes(made, y->result_bytes)};
    compile_device_copy home = {.home = true, .put = put};
    compile_deferred *deferred = &l->deferred;
    deferred->elf = m->elf;
    deferred->columns = (fw_columns){.n_in = y->inputs, .n_out = 1, .copies = 1, .buffers = 1};
    deferred->counts.batches = 1;
    deferred->counts.output[0] = y->to;
    deferred->stored[0].at = made;
    deferred->stored[0].len = y->result_bytes;
    take_bytes(m, y->to, y->result_bytes);
    vec_push(m->session.memory.mem, &m->session.memory.stored, put);
    vec_push(
        ctx->mem, &home.blocks,
        ((compile_block){.words = y->results,
                         .grid = {{0}, {y->result_size[0], y->result_size[1]}, {y->result_size[1], 1}}}));
    vec_push(ctx->mem, &l->device_copies, home);
}

/* Records the function of the calls. */
static void note_calls(interpreter *m, const compile_context *ctx, const compile_dense *d,
                       const compile_layout *y, compile_resident *l) {
    const char *name = call_of(d->s)->program->name;
    l->deferred.columns.kernel =
        FW_FUNCTION + FW_HEADED + (y->to / m->a->board.glb_bank_bytes << FW_BANK_SHIFT) +
        compile_number_of(ctx->calls, compile_described_of(ctx->functions, ctx->calls, name));
    l->kernel.ran.processor = (compile_processed){.names = arena_strdup(m->ctx->mem, name),
                                                  .calls = y->n + 1,
                                                  .words = (uint64_t)(y->inputs + 1) * (y->n + 1),
                                                  .measured = true};
}

/* Returns whether the array is expected to be faster, with operands assembled by the host. The price covers
 * computing, writing and the request, as for moves. */
static bool is_dear(const interpreter *m, const compile_layout *y, const fw_commands *commands) {
    const double combined = compile_combined_cycles(m->o->tensors.dtype);
    double cycles = 0;
    for (uint32_t i = 0; i < commands->len; i++) {
        const fw_command *command = &commands->at[i];
        cycles += COMPILE_COMMAND_CYCLES;
        if (fw_command_of(command->word) != FW_COMMAND_copy)
            cycles += combined * (double)FW_GET(command, calc, n) * FW_GET(command, calc, rows);
    }
    const compile_host_price host = compile_host_price_of(m->o, &m->a->board);
    return cycles > host.asked + (y->inputs * y->bytes + y->result_bytes) / 4 * host.word;
}

const char *compile_lay_calls(interpreter *m, compile_context *ctx, const compile_statement_plan *plan,
                              compile_resident *l, fw_batch *b) {
    const pnr_board *board = &m->a->board;
    const tile_operands *all = &l->kernel.data.operands;
    compile_dense d;
    compile_layout y;
    const bool found = plan->by_commands ? compile_find_dense(&l->kernel.lowered.statement, &d)
                                         : find_call(&l->kernel.lowered.statement, &d);
    BUG_IF(!found, "calls that may not wait do");
    if (!find_layout(m, plan, &d, all, &y))
        return "vectors of a function are longer than the processor has room for";
    sam_tensor_data *operands = arena_new_n(ctx->mem, sam_tensor_data, y.inputs + 1);
    for (uint32_t i = 0; i < y.inputs; i++) {
        const uint8_t *block = block_of_operand(&d, i, all, &y, ctx->mem, &operands[i]);
        const compile_resident *resident = resident_of(m, plan, &operands[i]);
        const fw_put *there = find_resident(m, resident, &d, &operands[i], block, &y);
        const uint32_t bytes = 2 * words_of_operand(&d, &y, &operands[i]);
        uint32_t at = there ? there->address : y.begin + i * y.each, constant;
        if (there)
            l->deferred.counts.resident |= 1u << i;
        else if (!resident && find_constant(m, &y, block, bytes, &constant))
            at = constant;
        vec_push(ctx->mem, &b->segments, ((fw_segment){board->map.cgra_data + at, bytes, block}));
    }
    for (uint32_t i = 0; i < y.inputs; i++) {
        if (b->segments.at[i].address == board->map.cgra_data + y.begin + i * y.each)
            take_bytes(m, y.begin + i * y.each, b->segments.at[i].bytes);
    }
    const uint8_t *made = block_of(&l->kernel.ran.result, y.result_size, (const uint8_t[]){0, 1}, ctx->mem);
    uint32_t between = 0;
    const uint16_t *words = d.calls ? call_words(&d, b, y.n, ctx->mem)
                                    : compile_dense_commands(&d, &y, &b->segments, board->map.cgra_data,
                                                             ctx->mem, &l->commands, &between);
    if (!words || y.each * (y.inputs + between) > CONSTANTS_BEGIN)
        return "vectors of a function are longer than the processor has room for";
    if (!d.calls && !plan->kernel.on_host && is_dear(m, &y, &l->commands))
        return "the host is expected to put an operand together sooner";
    for (uint32_t i = 0; i < y.results; i++) {
        if (words[i] != word_at(made, 1 + i))
            return "a function has values where its result has none";
    }
    l->between = (fw_put){y.begin + y.inputs * y.each, between * y.each, 0};
    take_bytes(m, l->between.address, l->between.bytes);
    add_row(m, ctx->mem, &d, &y, b);
    share_row(m, b);
    b->outputs = 1u << (board->glb_tiles - 1);
    plan_blocks(ctx->mem, &d, operands, &y, &l->deferred.plan);
    l->deferred.operands = operands;
    note_result(m, ctx, &y, made, l);
    if (d.calls)
        note_calls(m, ctx, &d, &y, l);
    return NULL;
}
