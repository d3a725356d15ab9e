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

enum { SQUARES = 48 }; /* of a picture, along each side, at most */

/* Returns how many coordinates a square is long, and in *n how many squares there are. */
static uint32_t square_of(uint32_t dim, uint32_t *n) {
    const uint32_t side = dim > SQUARES ? (dim + SQUARES - 1) / SQUARES : 1;
    *n = dim ? (dim + side - 1) / side : 0;
    return side;
}

/* Adds where the entries are, by the first two modes: a row of squares as a text, a square as a digit of
 * base 36, how many of its places are taken in 35ths, at least 1 where one is. */
static void add_picture(const tile_tensor *t, cJSON *item) {
    const uint32_t last = t->order > 1 ? 1 : 0, over = t->order > 1 ? t->dim[0] : 1;
    uint32_t rows, columns, *count;
    const uint32_t high = square_of(over, &rows), wide = square_of(t->dim[last], &columns);
    arena scratch = {0};
    double places = (double)high * wide;
    for (uint32_t m = 2; m < t->order; m++)
        places *= t->dim[m];
    count = arena_new_n(&scratch, uint32_t, SQUARES * SQUARES);
    for (uint64_t e = 0; e < t->nnz; e++) {
        const uint32_t *at = &t->crd[t->order * e];
        count[(t->order > 1 ? at[0] / high : 0) * columns + at[last] / wide]++;
    }
    cJSON *list = cJSON_AddArrayToObject(item, "picture");
    for (uint32_t r = 0; r < rows; r++) {
        char row[SQUARES + 1] = {0};
        for (uint32_t c = 0; c < columns; c++) {
            const double share = 35 * count[r * columns + c] / places;
            const int digit = share > 34 ? 35 : (int)share + (count[r * columns + c] > 0);
            row[c] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[digit];
        }
        cJSON_AddItemToArray(list, cJSON_CreateString(row));
    }
    arena_free(&scratch);
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
    if (t->order && room > 0)
        add_picture(t, item);
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
