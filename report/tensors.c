/* Facts of the operands: how large they are, and where a matrix has its entries. */
#include "report/tensors.h"

/* Returns the largest distance of an entry from the diagonal. */
static uint32_t bandwidth(const tile_tensor *matrix) {
    uint32_t most = 0;
    for (uint64_t e = 0; e < matrix->nnz; e++) {
        const uint32_t i = matrix->crd[2 * e], j = matrix->crd[2 * e + 1], apart = i < j ? j - i : i - j;
        most = apart > most ? apart : most;
    }
    return most;
}

static void add_tensor(const tile_tensor *t, const char *name, cJSON *list) {
    cJSON *item = json_add_item(list);
    cJSON_AddStringToObject(item, "tensor", name);
    cJSON *dims = cJSON_AddArrayToObject(item, "dims");
    double room = 1;
    for (uint32_t m = 0; m < t->order; m++) {
        cJSON_AddItemToArray(dims, cJSON_CreateNumber(t->dim[m]));
        room *= t->dim[m];
    }
    cJSON_AddNumberToObject(item, "entries", (double)t->nnz);
    cJSON_AddNumberToObject(item, "density", room > 0 ? (double)t->nnz / room : 0);
    if (t->order == 2)
        cJSON_AddNumberToObject(item, "bandwidth", bandwidth(t));
}

void compile_tensors_json(const compile_accuracy *a, const name_table *names, cJSON *json) {
    const sam_statement *s = a->statement;
    if (!s || !a->operand)
        return;
    cJSON *list = cJSON_AddArrayToObject(json, "tensors");
    for (uint32_t t = 0; t < a->operands && t < s->tensors.len; t++) {
        const name_id name = sam_user_name(&s->tensors.at[t]);
        bool skip = t + 1 == s->result.v;
        for (uint32_t b = 0; b < t && !skip; b++)
            skip = name_eq(sam_user_name(&s->tensors.at[b]), name);
        if (!skip)
            add_tensor(&a->operand[t], names_text(names, name), list);
    }
}
