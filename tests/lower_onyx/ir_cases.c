#include "tests/lower_onyx/ir_cases.h"
#include "lower_onyx/lower_int.h"

char *identity(fixture *f) {
    return read_data(f, "vec_identity.onyx");
}

/* Processing primitives alone: their inputs stay open; find the expected message among the rest. */
const diagnostic *message_with_code(fixture *f, const char *code) {
    for (uint32_t i = 0; i < f->diag.list.len; i++) {
        if (strcmp(f->diag.list.at[i].code, code) == 0)
            return &f->diag.list.at[i];
    }
    return NULL;
}
