/* cpu.h - the time of a core of the host for a statement (--compare-cpu): generates C as taco emits, compiles
 * with cc -O3, runs, and compares with the reference. */
#ifndef ONYX_REPORT_CPU_H
#define ONYX_REPORT_CPU_H

#include "kernel/kernel.h"

enum { CPU_MAX_ACCESSES = 16, CPU_MAX_VARS = 6, CPU_MAX_ARRAYS = 2 * CPU_MAX_ACCESSES * SAM_MAX_ORDER };

/* An access of an operand, stored in the order of the loops: the variable, the mode and the format of each
 * level. */
typedef struct {
    sam_expr expr;
    uint32_t order;
    sam_var var[SAM_MAX_ORDER];
    uint8_t mode[SAM_MAX_ORDER];
    bool dense[SAM_MAX_ORDER];
} cpu_access;

typedef struct {
    const sam_statement *st;
    const tile_tensor *operand; /* by tensor handle - 1 */
    const uint32_t *extent;     /* by variable handle - 1 */
    cpu_access access[CPU_MAX_ACCESSES];
    uint32_t accesses;
    sam_var loop[CPU_MAX_VARS]; /* outermost first */
    uint32_t loops;
    uint32_t outer;  /* loops of the result outside of every sum */
    bool dense;      /* the result is an array; otherwise levels with appended entries */
    const char *why; /* reason for a statement without C; NULL: the statement has C */
    src_loc where;   /* of the expression without C */
} cpu_plan;

/* Chooses the order of the loops with the fewest expected steps on a core, and the formats of operands. Sets
 * p->why if the generator lacks a feature of the statement. O(v! accesses). */
void cpu_choose(const sam_statement *st, const tile_operands *in, const uint32_t *extent, cpu_plan *p);
/* Returns the C program. Its first argument is a file of the operands' arrays, each after its length in bytes
 * (uint64): extents, then for each access pos and crd of its compressed levels and the values. The program
 * writes the result to its second argument (dense: values; else entries of uint32 coordinates in the order of
 * the loops, and an int16), and the seconds of its fastest run of ten to standard output. */
const char *cpu_program(const cpu_plan *p, arena *mem);

/* Writes the C to o->running.source, if given, and with --compare-cpu fills in k->ran.cpu; a note reports a
 * statement without C, or a missing compiler. Returns false if the core's result differs from the reference
 * (E0340-mismatch), or a program failed (E0930-tool). */
bool compile_compare_cpu(const compile_run_options *o, compile_context *ctx, compile_kernel *k);

/* The chip's time for the same statement, in microseconds: the whole, and the configuration's time, which a
 * second run saves. 0: no chip. */
typedef struct {
    double total, config;
} cpu_chip;
/* Without --compare-cpu both do nothing. The first adds "cpu" to report.json (docs/report.md); the second
 * prints a line with the core's time and the number of runs from which the chip pays. */
void compile_cpu_json(const compile_cpu *cpu, cpu_chip chip, cJSON *json);
void compile_cpu_print(const compile_cpu *cpu, cpu_chip chip, FILE *out);

#endif
