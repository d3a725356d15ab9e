/* print.c - the step "print" of a program: a scalar as a number, a tensor as its first entries. */
#include "programs/print.h"
#include "programs/read_back.h"
#include "support/number.h"

enum { MOST_ENTRIES = 20 };

static void print_coordinate(const tile_tensor *t, uint64_t entry, FILE *out) {
    fputs(t->order > 1 ? "(" : "", out);
    for (uint32_t i = 0; i < t->order; i++)
        fprintf(out, "%s%u", i ? "," : "", t->crd[entry * t->order + i]);
    fputs(t->order > 1 ? ")" : "", out);
}

/* As a program writes entries: {0: 1, 3: -2}. */
static void print_entries(const interpreter *m, const tile_tensor *t, FILE *out) {
    fputc('{', out);
    for (uint64_t e = 0; e < t->nnz && e < MOST_ENTRIES; e++) {
        fputs(e ? ", " : "", out);
        print_coordinate(t, e, out);
        number_print(out, ": %.9g", tile_value_at(m->o->tensors.dtype, t, e));
    }
    if (t->nnz > MOST_ENTRIES)
        fprintf(out, ", ... of %llu", (unsigned long long)t->nnz);
    fputc('}', out);
}

bool compile_print(interpreter *m, const fe_step *step) {
    for (uint32_t i = 0; i < step->prints.len; i++) {
        if (!step->prints.at[i].text && !compile_sync(m, step->prints.at[i].tensor, "a print shows it"))
            return false;
    }
    for (uint32_t i = 0; i < step->prints.len; i++) {
        const fe_print *one = &step->prints.at[i];
        const tile_tensor *t = &m->of[one->tensor].t;
        fputs(i ? " " : "", stderr);
        if (one->text)
            fputs(one->text, stderr);
        else if (t->order)
            print_entries(m, t, stderr);
        else
            number_print(stderr, "%.9g", tile_scalar_value(m->o->tensors.dtype, t));
    }
    fputc('\n', stderr);
    return true;
}
