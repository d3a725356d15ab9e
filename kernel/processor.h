/* processor.h - functions run by the chip's processor (runs: m3 of a description). A program built for the
 * processor has all functions named by the command's kernels; the host computes kernels of such functions,
 * and gives the processor the calls. */
#ifndef ONYX_KERNEL_PROCESSOR_H
#define ONYX_KERNEL_PROCESSOR_H

#include "firmware/calls.h"
#include "frontend/language/language.h"
#include "kernel/kernel.h"

/* The functions, in the order of their numbers in the program. */
typedef struct compile_calls {
    arena *mem; /* lives as long as the command */
    VEC(fe_described *) all;
    fe_functions *shipped; /* what compile_fall_back has read */
} compile_calls;

/* Finds the processor's functions in a kernel without an array: sets k->on_processor, and gives each function
 * a number. */
void compile_find_calls(compile_context *ctx, compile_kernel *k);
/* Gives the processor the quotients and remainders of int16 of a host-only kernel, if the shipped library has
 * a function for them. Their values and coordinates stay equal. */
void compile_fall_back(compile_context *ctx, fe_kernel *k);
/* Returns the functions for a firmware program, or NULL for none. */
const fw_functions *compile_program_functions(compile_context *ctx);
/* Returns the description of an existing function, of the user's or the shipped library, and its number,
 * assigned on first use. */
fe_described *compile_described_of(const fe_functions *all, const compile_calls *calls, const char *name);
uint32_t compile_number_of(compile_calls *calls, fe_described *f);
/* Returns the program of an expression run by the processor, or NULL. */
static inline sam_program *compile_called_at(const sam_statement *s, uint32_t e) {
    sam_program *p = s->exprs.at[e].program;
    return p && p->on_processor ? p : NULL;
}
/* Returns whether a function along an index is handed coordinates. */
static inline bool compile_takes_coordinates(const fe_described *f) {
    return f->fiber && strstr(f->built.call, "coordinates");
}
/* Returns how many inputs a row has: values their operands; a fiber lengths, values and coordinates; tensors
 * extents and operands. */
static inline uint32_t compile_inputs_of(const fe_described *f) {
    return f->array   ? f->states.s.tensors.len
           : f->fiber ? (compile_takes_coordinates(f) ? 3u : 2u)
                      : f->parameters;
}

#endif
