/* The operands of a batch that waits: which of them the processor moves to where they are loaded, which
 * results must be taken before, and what lies where afterwards. */
#include "programs/batch_operands.h"
#include "programs/entries.h"
#include "programs/gather.h"
#include "programs/move.h"
#include "programs/pack.h"

static void copy_puts(const fw_puts *from, fw_puts *to, arena *mem) {
    to->len = 0;
    for (uint32_t i = 0; i < from->len; i++)
        vec_push(mem, to, from->at[i]);
}

fw_memory compile_copy_memory(const fw_memory *m, arena *mem) {
    fw_memory copy = *m;
    copy.stored = copy.tables = (fw_puts){0};
    copy_puts(&m->stored, &copy.stored, mem);
    copy_puts(&m->tables, &copy.tables, mem);
    return copy;
}

void compile_restore_memory(fw_memory *m, const fw_memory *was) {
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

/* Returns whether the place has the result's words, by a store or by a move. */
static bool is_stored_at(const interpreter *m, const compile_resident *resident, const fw_segment *g) {
    bool is = false;
    for (uint32_t i = 0; i < resident->words.len; i++)
        is = is || m->a->board.map.cgra_data + resident->words.at[i].address == g->address;
    for (uint32_t i = 0; i < resident->device_copies.len; i++)
        is = is || m->a->board.map.cgra_data + resident->device_copies.at[i].put.address == g->address;
    return is;
}

/* Returns the tensor of the program, with its value on the chip only, that an input of this packed tensor
 * carries; otherwise FE_NO_TENSOR. */
static uint32_t carried(const interpreter *m, const compile_statement_plan *plan,
                        const sam_tensor_data *data) {
    const sam_statement *s = &plan->step->statement;
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        const uint32_t shared = compile_resident_operand(m, plan->step, t);
        if (shared != FE_NO_TENSOR && name_eq(s->tensors.at[t].name, sam_stored_name(data)))
            return shared;
    }
    return FE_NO_TENSOR;
}

/* Returns the tensors read by the statements of a run, a later statement or a test. */
static const bool *alive_at(const interpreter *m, const compile_statement_plan *plan, arena *mem) {
    const uint32_t n = m->a->slots;
    const compile_joint *joint = compile_joint_of(m->a, plan);
    bool *alive = arena_new_n(mem, bool, n + 1);
    memcpy(alive, plan->alive, n);
    for (uint32_t p = 0; p < (joint ? joint->n : 1); p++) {
        const fe_step *step = joint ? joint->of[p]->step : plan->step;
        for (uint32_t t = 0; t < step->statement.tensors.len; t++) {
            if (compile_resident_operand(m, step, t) != FE_NO_TENSOR)
                alive[step->use[t].shared] = true;
        }
    }
    return alive;
}

/* Finds a move for each input, in moves[] by input; notes the reason for a failure. Words already in place by
 * chance are moved as well: all passes of a loop must have the same steps. */
static void move_inputs(interpreter *m, compile_statement_plan *plan, compile_move_in in, arena *mem,
                        compile_move *moves, const char **why) {
    const sam_tensor_data *data[TILE_MAX_STREAMS] = {NULL};
    const tile_input *inputs = in.to->plan.inputs.at;
    const uint32_t n = in.to->columns.n_in;
    uint32_t tensor[TILE_MAX_STREAMS];
    in.moved = moves;
    for (uint32_t i = 0; i < n; i++) {
        const compile_statement_plan *its = compile_member_of(m->a, plan, inputs[i].copy);
        const sam_statement *packed = &its->kernel.lowered.statement;
        for (uint32_t p = 0; p < packed->tensors.len; p++) {
            if (name_eq(packed->tensors.at[p].name, inputs[i].stream.tensor))
                data[i] = in.to->operands ? &in.to->operands[i] : &packed->tensors.at[p];
        }
        tensor[i] = data[i] ? carried(m, its, data[i]) : FE_NO_TENSOR;
        if ((in.to->counts.resident >> i & 1) &&
            (tensor[i] == FE_NO_TENSOR ||
             is_stored_at(m, m->of[tensor[i]].resident, &in.batch->segments.at[i])))
            in.stay |= 1u << i;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (tensor[i] == FE_NO_TENSOR || (in.stay >> i & 1) || moves[i].of)
            continue;
        tensor_slot *h = &m->of[tensor[i]];
        in.input = in.partner = i;
        in.data = data[i];
        in.statement = &compile_member_of(m->a, plan, inputs[i].copy)->kernel.lowered.statement;
        for (uint32_t k = 0; k < n; k++) {
            if (data[k] == data[i] && inputs[k].copy == inputs[i].copy && k != i)
                in.partner = k;
        }
        if (in.to->operands && !data[i]->order) {
            if (compile_find_broadcast(m, h, &in, mem, &moves[i]))
                moves[i].of = h->resident;
            else
                why[tensor[i]] = "a function needs a value that is several on the chip";
        } else if (in.to->operands && data[i]->order == 1 && in.to->plan.boxes.at[1].size[1]) {
            if (compile_repeat_vector(m, h, &in, mem, &moves[i]))
                moves[i].of = h->resident;
            else
                why[tensor[i]] = "a function needs a vector that is otherwise than it can be spread out";
        } else if (data[i]->order == 1 && data[i]->level[0] == SAM_LEVEL_COMPRESSED) {
            const bool first = in.partner >= i;
            if (first && compile_find_pack(m, h, &in, mem, moves))
                moves[i].of = moves[in.partner].of = h->resident;
            else if (!moves[i].of)
                why[tensor[i]] = "a compressed operand is otherwise than the processor packs it";
        } else if (compile_find_move(m, h, &in, mem, &moves[i])) {
            moves[i].of = h->resident;
            moves[i].device_copy.home = compile_is_home(&moves[i], &in.batch->segments.at[i], h);
        } else if (h->t.order == 2 && data[i]->order == 2 && !in.to->operands) {
            const char *const cannot = compile_find_entries(m, h, &in, mem, moves);
            why[tensor[i]] = cannot ? cannot : why[tensor[i]];
        } else if (!(in.to->counts.resident >> i & 1)) {
            why[tensor[i]] = "a result is loaded otherwise than it was stored";
        }
    }
}

/* Notes the results that the host is expected to assemble faster than the processor: the price covers taking
 * and writing the words, and the request, which counts as a fixed number of words. */
static void weigh_moves(const interpreter *m, const compile_move_in *in, const compile_move *moves,
                        const char **why) {
    const compile_host_price host = compile_host_price_of(m->o, &m->a->board);
    for (uint32_t t = 0; t < m->a->slots; t++) {
        const compile_resident *resident = m->of[t].resident;
        double cycles = 0, words = 0;
        for (uint32_t i = 0; resident && i < resident->words.len; i++)
            words += resident->words.at[i].bytes / 4;
        for (uint32_t i = 0; resident && i < in->to->columns.n_in; i++) {
            cycles += moves[i].of == resident ? moves[i].cycles : 0;
            words += moves[i].of == resident ? in->batch->segments.at[i].bytes / 4 : 0;
        }
        if (cycles > host.asked + words * host.word)
            why[t] = "the host is expected to put an operand together sooner";
    }
}

/* Returns whether the result is somewhere on the chip once the batch has run. */
static bool is_kept(const interpreter *m, const compile_resident *resident, const compile_move_in *in,
                    const compile_move *moves) {
    bool kept =
        compile_device_copy_of(m, resident) ||
        compile_is_stored(m, resident, in->batch, fw_row_bytes(in->to->columns.n_in, in->to->columns.n_out));
    for (uint32_t i = 0; i < in->to->columns.n_in; i++)
        kept = kept || (moves[i].of == resident && moves[i].device_copy.home);
    return kept;
}

static bool has_table(const fw_puts *all, const fw_put *one) {
    bool has = false;
    for (uint32_t i = 0; i < all->len; i++)
        has = has || memcmp(&all->at[i], one, sizeof *one) == 0;
    return has;
}

/* Nothing else lies where the processor packs an operand. */
static void forget_packed(interpreter *m, const compile_move *move) {
    if (move->of && move->packed)
        fw_forget(&m->session.memory, move->device_copy.put.address, move->device_copy.put.bytes);
}

static void put_word(uint8_t *at, uint32_t word) {
    for (uint32_t i = 0; i < 4; i++)
        at[i] = (uint8_t)(word >> 8 * i);
}

/* Finds the table in the tables' area, or allocates a place. */
static uint32_t table_of(interpreter *m, const fw_memory *was, uint32_t table, uint32_t bytes,
                         uint64_t hash) {
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

/* Rows of a command were numbered from 1 on before the table had a place. */
static void place_table(fw_command *command, uint32_t table) {
    const uint32_t kind = fw_command_of(command->word);
    if (kind == FW_COMMAND_shape)
        FW_SET(command, shape, table, table);
    if (kind != FW_COMMAND_pack && kind != FW_COMMAND_gather)
        return;
    const uint32_t crd = FW_GET(command, pack, crd_cell), val = FW_GET(command, pack, val_cell);
    FW_SET(command, pack, crd_cell, crd ? table + crd - 1 : 0);
    FW_SET(command, pack, val_cell, val ? table + val - 1 : 0);
}

/* Rows completed by the processor have the beginnings of loads without lengths: the rows are equal in each
 * pass. */
static void place_rows(interpreter *m, const compile_move_in *in, fw_batch *b, arena *mem,
                       compile_move *moves) {
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
        for (uint32_t k = 0; k < moves[i].commands.len && moves[i].packed; k++)
            place_table(&moves[i].commands.at[k], b->table);
    }
}

/* Lists commands by which the processor spreads out a vector before the batch overwrites its words, or copies
 * a value; returns false if impossible. */
static bool rescue(interpreter *m, uint32_t tensor, const compile_move_in *in, arena *mem,
                   compile_moves *rescued) {
    tensor_slot *h = &m->of[tensor];
    compile_move move = {.of = h->resident, .packed = true, .spread = true, .made = true};
    uint16_t *words;
    compile_move_in all = *in;
    bool there = h->resident->words.len > 0;
    all.input = UINT32_MAX; /* none is made of it */
    for (uint32_t w = 0; w < h->resident->words.len; w++)
        there = there && compile_lies_before(m, &all, &h->resident->words.at[w]);
    const compile_device_copy *device_copy = NULL;
    if (there && h->t.order == 2)
        device_copy = compile_list_matrix(m, h, &all, mem, &move);
    else if (there)
        device_copy = compile_spread_out(m, h, in->alive, compile_listing_of(&move, mem), &words);
    if (!device_copy)
        return false;
    move.slot = move.device_copy.put = device_copy->put;
    vec_push(mem, rescued, move);
    return true;
}

const char *const *compile_address_operands(interpreter *m, compile_statement_plan *plan,
                                            const compile_move_in *in, fw_batch *b, arena *mem,
                                            compile_move *moves, compile_moves *rescued) {
    const uint32_t n = m->a->slots;
    const char **why = arena_new_n(mem, const char *, n + 1);
    bool taken = false;
    compile_move_in with = *in;
    with.alive = alive_at(m, plan, mem);
    move_inputs(m, plan, with, mem, moves, why);
    weigh_moves(m, in, moves, why);
    for (uint32_t i = 0; i < in->to->columns.n_in; i++)
        forget_packed(m, &moves[i]);
    place_rows(m, in, b, mem, moves);
    for (uint32_t t = 0; t < n; t++) {
        const compile_resident *resident = m->of[t].resident;
        if (resident && !why[t] && !compile_gives(m->a, plan, t) && plan->alive[t] &&
            !is_kept(m, resident, in, moves) && !rescue(m, t, &with, mem, rescued))
            why[t] = "a result would be stored over one that is needed";
    }
    for (uint32_t t = 0; t < n; t++)
        taken = taken || why[t];
    compile_keep_lists(m, taken ? NULL : plan->alive);
    if (taken)
        compile_restore_memory(&m->session.memory, in->was);
    return taken ? why : NULL;
}

void compile_note_addresses(interpreter *m, const compile_statement_plan *plan, const compile_move_in *in,
                            const compile_move *moves) {
    const uint32_t row_bytes = fw_row_bytes(in->to->columns.n_in, in->to->columns.n_out);
    for (uint32_t t = 0; t < m->a->slots; t++) {
        compile_resident *resident = m->of[t].resident;
        if (resident)
            resident->gone = !compile_is_stored(m, resident, in->batch, row_bytes);
    }
    for (uint32_t i = 0; i < in->to->columns.n_in; i++) {
        if (!moves[i].of || moves[i].packed)
            continue;
        compile_device_copy own = moves[i].device_copy;
        own.blocks = (compile_block_list){0};
        for (uint32_t b = 0; b < moves[i].device_copy.blocks.len; b++)
            vec_push(&moves[i].of->mem, &own.blocks, moves[i].device_copy.blocks.at[b]);
        vec_push(&moves[i].of->mem, &moves[i].of->device_copies, own);
        vec_push(m->session.memory.mem, &m->session.memory.stored, moves[i].device_copy.put);
    }
    for (uint32_t t = 0; t < m->a->slots; t++) {
        const compile_resident *resident = m->of[t].resident;
        if (resident && !plan->alive[t] && !compile_gives(m->a, plan, t) && !is_kept(m, resident, in, moves))
            compile_forget_resident(&m->of[t]);
    }
}
