/* The stored tensors of a kernel, if all are the user's: the basis of choosing edges and dispatch. */
#include "kernel/pack.h"

bool compile_pack_known(compile_context *ctx, const sam_statement *st, compile_data *data) {
    bool known = true;
    if (data->packed.operand)
        return true;
    for (uint32_t t = 0; t < st->tensors.len && known; t++) {
        const sam_tensor_data *tensor = &st->tensors.at[t];
        known = t + 1 == st->result.v || tensor->ones ||
                tile_find_operand(&data->operands, sam_stored_name(tensor));
    }
    return !known || tile_pack(st, &data->operands, ctx->mem, ctx->diag, &data->packed);
}
