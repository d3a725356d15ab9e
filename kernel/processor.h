/* processor.h - functions that the chip's processor runs (runs: m3 of a description). Where a program for it
 * is built it has all of them that the command's kernels name; kernels of them are computed by the host,
 * which gives it the calls. */
#ifndef ONYX_KERNEL_PROCESSOR_H
#define ONYX_KERNEL_PROCESSOR_H

#include "firmware/calls.h"
#include "frontend/described.h"
#include "kernel/kernel.h"

/* The functions, in the order of their numbers in the program. */
typedef struct compile_calls {
    arena *mem; /* which lives as long as the command */
    VEC(fe_described *) all;
    fe_functions *shipped; /* what compile_fall_back has read */
} compile_calls;

/* Finds what the processor runs of a kernel that has nothing on the array: says so in k->on_processor, and
 * gives each such function a number. */
void compile_find_calls(compile_context *ctx, compile_kernel *k);
/* Gives the processor the quotients and remainders of int16 of a kernel that the host has to itself, where
 * the library that ships has a function for them. Where they have values, and which, stays. */
void compile_fall_back(compile_context *ctx, fe_kernel *k);
/* Returns what a firmware program is to have of them, or NULL where there are none. */
const fw_functions *compile_program_functions(compile_context *ctx);
/* Returns the description of a function that there is, of the user's or what shipped, and its number; it gets
 * one if it has none. */
fe_described *compile_described_of(const fe_functions *all, const compile_calls *calls, const char *name);
uint32_t compile_number_of(compile_calls *calls, fe_described *f);
/* Returns the program of an expression that the processor runs, or NULL. */
static inline sam_program *compile_called_at(const sam_statement *s, uint32_t e) {
    sam_program *p = s->exprs.at[e].program;
    return p && p->on_processor ? p : NULL;
}
/* Returns whether a function along an index is handed coordinates. */
static inline bool compile_takes_coordinates(const fe_described *f) {
    return f->fiber && strstr(f->call, "coordinates");
}
/* Returns how many inputs a row has: values their operands; a fiber lengths, values and coordinates; tensors
 * extents and operands. */
static inline uint32_t compile_inputs_of(const fe_described *f) {
    return f->array   ? f->states.s.tensors.len
           : f->fiber ? (compile_takes_coordinates(f) ? 3u : 2u)
                      : f->parameters;
}

#endif
