/* Layout of the chip's memory between the batches of a list, and combination of overlapping pieces of a
 * result. */
#include "programs/layout.h"

bool compile_pass_run(const compile_deferred *l, uint32_t output, uint32_t *at) {
    for (uint32_t b = 0; b < l->plan.outputs.at[output].num_blocks; b++) {
        if (2 * *at >= l->stored[output].len)
            return false;
        *at += 1u + word_at(l->stored[output].at, *at);
    }
    return 2 * *at <= l->stored[output].len;
}

bool compile_has_put(const fw_puts *all, const fw_put *w) {
    for (uint32_t i = 0; i < all->len; i++) {
        if (memcmp(&all->at[i], w, sizeof *w) == 0)
            return true;
    }
    return false;
}

bool compile_in_scratch(const interpreter *m, const compile_device_copy *device_copy) {
    return device_copy->put.address & FW_SCRATCH &&
           compile_has_put(&m->session.memory.stored, &device_copy->put);
}

uint32_t compile_find_slot(const interpreter *m, const tensor_slot *h, const bool *alive, bool lists,
                           uint32_t bytes) {
    uint32_t at = 0;
    bool moved = true;
    while (moved) {
        moved = false;
        for (uint32_t t = 0; t < m->a->slots; t++) {
            const compile_resident *resident = m->of[t].resident;
            for (uint32_t i = 0; resident && (alive[t] || &m->of[t] == h) && i < resident->device_copies.len;
                 i++) {
                const compile_device_copy *device_copy = &resident->device_copies.at[i];
                const uint32_t begin = device_copy->put.address & ~FW_SCRATCH;
                if (!compile_in_scratch(m, device_copy) ||
                    (device_copy->list.is && !resident->gone && !(lists && device_copy->list.fresh)) ||
                    !compile_overlap(begin, device_copy->put.bytes, at, bytes))
                    continue;
                at = (begin + device_copy->put.bytes + 3) / 4 * 4;
                moved = true;
            }
        }
    }
    return at;
}

void compile_note_device_copy(interpreter *m, const compile_device_copy *device_copy) {
    fw_memory *memory = &m->session.memory;
    memory->mem = memory->mem ? memory->mem : m->ctx->diag->mem;
    fw_forget(memory, device_copy->put.address, device_copy->put.bytes);
    vec_push(memory->mem, &memory->stored, device_copy->put);
}

bool compile_lies_before(const interpreter *m, const compile_move_in *in, const fw_put *w) {
    for (uint32_t i = 0; i < in->batch->segments.len; i++) {
        const fw_segment *g = &in->batch->segments.at[i];
        const bool stays = i < in->to->columns.n_in && (in->stay >> i & 1);
        if (i != in->input && !stays &&
            compile_overlap(g->address, g->bytes, m->a->board.map.cgra_data + w->address, w->bytes))
            return false;
    }
    return compile_has_put(&in->was->stored, w);
}

void compile_reduction(sam_operation operation, tile_dtype dtype, uint32_t *how, const sam_operator **op) {
    static const uint32_t by[SAM_OPERATIONS] = {
        [SAM_OPERATION_add] = FW_OP_ADD, [SAM_OPERATION_min] = FW_OP_MIN,  [SAM_OPERATION_smin] = FW_OP_MIN,
        [SAM_OPERATION_max] = FW_OP_MAX, [SAM_OPERATION_smax] = FW_OP_MAX, [SAM_OPERATION_or] = FW_OP_OR,
        [SAM_OPERATION_and] = FW_OP_AND};
    *how = by[operation];
    *op = sam_operator_of(operation, dtype == TILE_DTYPE_BF16);
}

void compile_meeting(const sam_statement *s, tile_dtype dtype, uint32_t *how, const sam_operator **op) {
    const sam_expr_data *root = sam_expr_at(s, s->rhs);
    compile_reduction(root->kind == SAM_EXPR_SUM ? (sam_operation)root->operation : SAM_OPERATION_add, dtype,
                      how, op);
}

uint32_t compile_add_table(interpreter *m, uint32_t bytes, uint64_t hash) {
    fw_memory *all = &m->session.memory;
    all->mem = all->mem ? all->mem : m->ctx->diag->mem;
    if (all->table_end + bytes > FW_TABLES_KEPT)
        all->tables.len = all->table_end = 0;
    const uint32_t address = m->a->board.map.sram + FW_TABLE_OFFSET + all->table_end;
    vec_push(all->mem, &all->tables, ((fw_put){address, bytes, hash}));
    all->table_end += bytes;
    return address;
}

uint32_t compile_resident_operand(const interpreter *m, const fe_step *step, uint32_t t) {
    const uint32_t shared = step->use[t].shared;
    const bool is = t + 1 != step->statement.result.v && shared < m->a->slots && m->of[shared].resident;
    return is ? shared : FE_NO_TENSOR;
}
