/* autoschedule_int.h - shared by the choosing files: a statement on trial, its kernels, and their dense
 * operands. */
#ifndef ONYX_AUTOSCHEDULE_INT_H
#define ONYX_AUTOSCHEDULE_INT_H

#include "autoschedule/choose.h"
#include "frontend/language/language.h"
#include "kernel/trial.h"

#include <math.h>

/* Share of a search's steps for all trials of a kernel together. */
enum { COMPILE_ORDERS_SHARE = 4 };

/* A program on trial. */
typedef struct {
    const compile_options *o;
    compile_context *ctx;
    const compile_choosing *in;
    const char *schedule; /* the statement on trial */
    bool singly;          /* the host combines values that the chip cannot (sam_statement.singly) */
    bool nested;          /* of a statement: tiles too large for an order of the loops are cut further */
    bool crowded;         /* the stated copies do not fit with the present formats */
    bool written;         /* workspaces may be stored dense, too */
    compile_reason last;  /* refusal; without a message: a mistake of the user */
    const tile_operands *whole; /* the user's operands, if choices use a sample */
} compile_trying;

typedef struct {
    const compile_trying *c;
    const fe_kernel *kernel;
} compile_one_kernel;

/* A dense outermost level of an operand: for all accesses of the tensor, or for a single access. */
typedef struct {
    sam_expr access;
    bool alone;
} compile_dense_level;

/* ---- trials (choose.c) ------------------------------------------------------------------------ */

/* Returns whether the trial works. */
static inline bool compile_works(const compile_trying *c, compile_trial *trial, void *of) {
    return compile_try(c->ctx, trial, of).works;
}
/* Returns whether the chip can run the kernel. */
bool compile_maps(compile_trying *c, const fe_kernel *kernel);
/* Returns whether the chip can run the kernel with the dense operand. A tensor of two levels or more must be
 * located, since its other levels stay. */
bool compile_pays_dense(const compile_trying *c, const fe_kernel *kernel, compile_dense_level store);
/* A trial of a compile_one_kernel: the array can run the kernel, and an operation of the kernel takes whole
 * sums. */
bool compile_takes_whole_sums(compile_context *ctx, void *of);
/* Gives all kernels orders of their loops that map, and *chosen a sentence for each new order. For a run,
 * sums of a workspace that an operation takes whole get kernels. */
bool compile_choose_orders(compile_trying *c, fe_cin *cin, text_vec *chosen);
/* Returns the first split into several kernels that all map, as a schedule; NULL: no split maps. As a last
 * resort the host combines the values of single points or rows (`singly`), of a vector at least. */
const char *compile_find_staging(compile_trying *c, const fe_kernel *kernel);
/* Gives kernels a form that the board can run, as far as their schedule goes. Returns false with the reason
 * in c->last if none is found; the kernels are unchanged then. */
bool compile_choose_kernels(compile_trying *c, compile_schedule *out);
/* Returns the input with this schedule in the place of its own. */
static inline fe_in compile_with_schedule(const fe_in *in, const char *const *schedule) {
    fe_in other = *in;
    other.schedule = schedule;
    other.n_schedule = 1;
    return other;
}
/* Returns whether the chip can run the statement as the schedule says, in some order of the loops. */
bool compile_schedule_maps(const compile_trying *c, const char *schedule);

/* ---- dense operands (choose_dense.c) ------------------------------------------------------------ */

/* Returns whether some kernel of the program writes the tensor. */
static inline bool compile_is_written(const fe_cin *cin, name_id tensor) {
    for (uint32_t n = 0; n < cin->kernels.len; n++) {
        const sam_statement *s = &cin->kernels.at[n].s;
        if (name_eq(sam_tensor_at(s, s->result)->name, tensor))
            return true;
    }
    return false;
}
/* Returns in how many ways an operand of kernel n may be stored dense. */
uint32_t compile_count_stores(const compile_trying *c, const fe_cin *cin, uint32_t n);
/* Stores operands of kernel n dense along their outermost levels: in sequence, if the predicted time falls,
 * then the rest together, since two operands of a sum are both scanned while either is compressed. Returns
 * the chip's predicted time for all kernels; INFINITY: no operand may be dense. */
double compile_choose_stores(compile_trying *c, const compile_search_in *by, uint32_t n,
                             compile_schedule *out);
/* Stores nearly full operands dense along all levels, if the predicted time falls, and leaves out operands
 * whose compressed form is then faster. Dense operands need no coordinates; their best order of the loops may
 * differ, and may be the written order if dense operands alone map in the written order. Returns a sentence;
 * NULL: no operand is stored dense. */
const char *compile_choose_full(compile_trying *c, const compile_search_in *by, uint32_t n,
                                compile_schedule *out);
/* Returns whether kernel n can run by columns. */
bool compile_has_columns(const compile_trying *c, const fe_cin *cin, uint32_t n);
/* Takes kernel n by columns of dense matrices if the predicted time is below *least, the program's time. */
void compile_choose_columns(compile_trying *c, const compile_search_in *by, uint32_t n, double *least,
                            compile_schedule *out);

/* ---- programs with another kernel --------------------------------------------------------------- */

/* Returns the program with another kernel in the place of kernel `at`. */
static inline fe_cin compile_with_kernel(const fe_cin *cin, uint32_t at, const fe_kernel *kernel,
                                         arena *mem) {
    fe_cin out = *cin;
    out.kernels.at = NULL;
    out.kernels.len = out.kernels.cap = 0;
    for (uint32_t n = 0; n < cin->kernels.len; n++)
        vec_push(mem, &out.kernels, n == at ? *kernel : cin->kernels.at[n]);
    return out;
}

/* Returns the program with the kernels of another program in place of a kernel; workspaces of the other
 * program get new names. */
static inline fe_cin compile_with_kernels(const fe_cin *cin, uint32_t at, fe_cin *inner, arena *mem) {
    fe_cin out = {0};
    fe_name_apart(inner, cin);
    for (uint32_t n = 0; n < cin->kernels.len; n++) {
        for (uint32_t i = 0; n == at && i < inner->kernels.len; i++)
            vec_push(mem, &out.kernels, inner->kernels.at[i]);
        if (n != at)
            vec_push(mem, &out.kernels, cin->kernels.at[n]);
    }
    return out;
}

/* Returns whether another form of a kernel gains enough: the program's predicted gain relative to the
 * kernel's time. */
static inline bool compile_is_worth(double cycles, double now, double own) {
    return isfinite(now) ? cycles < now - (1 - COMPILE_WORTH_CHANGING) * own : isfinite(cycles);
}

/* Gives the kernel tensors of its own, whose levels may change. */
static inline void compile_own_tensors(fe_kernel *kernel, arena *mem) {
    const sam_tensor_data *had = kernel->s.tensors.at;
    kernel->s.tensors.at = arena_new_n(mem, sam_tensor_data, kernel->s.tensors.len);
    memcpy(kernel->s.tensors.at, had, sizeof *had * kernel->s.tensors.len);
}

/* Returns the -f text of a tensor with a dense outermost level. */
static inline const char *compile_format_text(const sam_tensor_data *t, const char *name, arena *mem) {
    const char *format = arena_printf(mem, "%s:d", name);
    for (uint32_t l = 1; l < t->order; l++)
        format = arena_printf(mem, "%s%c", format, t->level[l] == SAM_LEVEL_DENSE ? 'd' : 's');
    return format;
}

/* Returns both sentences as one; either may be NULL. */
static inline const char *compile_add_sentence(const char *before, const char *next, arena *mem) {
    return before && next ? arena_printf(mem, "%s; %s", before, next) : before ? before : next;
}

#endif
