/* cpu.h - what one core of the host takes for a statement (--compare-cpu): C of the kind that taco emits,
 * generated, compiled with cc -O3, run and compared with the reference. */
#ifndef ONYX_REPORT_CPU_H
#define ONYX_REPORT_CPU_H

#include "kernel/kernel.h"

enum { CPU_MAX_ACCESSES = 16, CPU_MAX_VARS = 6, CPU_MAX_ARRAYS = 2 * CPU_MAX_ACCESSES * SAM_MAX_ORDER };

/* An operand where the expression reads it, stored in the order of the loops: the variable, the mode and the
 * format of each level. */
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
    uint32_t outer;  /* loops of the result that no sum is around */
    bool dense;      /* the result is one array; otherwise levels that entries are appended to */
    const char *why; /* there is no C for it; NULL: there is */
    src_loc where;   /* of what has none */
} cpu_plan;

/* Chooses the order of the loops in which a core is expected to have least to do, and how operands are
 * stored. Sets p->why where the generator does not have what the statement needs. O(v! accesses). */
void cpu_choose(const sam_statement *st, const tile_operands *in, const uint32_t *extent, cpu_plan *p);
/* Returns the C program. It reads the arrays of the operands from its first argument, each after its length
 * in bytes (uint64): extents, then of each access pos and crd of its compressed levels and the values. It
 * writes the result to its second (dense: values; else entries of uint32 coordinates in the order of the
 * loops, and an int16), and the seconds of its fastest run of ten to standard output. */
const char *cpu_program(const cpu_plan *p, arena *mem);

/* Fills in k->ran.cpu: where there is no C for the statement, or no compiler, a note says so. Returns false
 * if what the core computed is not the reference (E0340-mismatch), or a program failed (E0930-tool). */
bool compile_compare_cpu(compile_context *ctx, compile_kernel *k);

/* What the chip takes for the same, in microseconds: all of it, and of that the configuration, which stays
 * for the next run. 0: there is no chip. */
typedef struct {
    double total, config;
} cpu_chip;
/* Both say nothing where nobody asked. The first adds "cpu" to report.json (docs/report.md); the second says
 * in one line what the core took and when the chip pays. */
void compile_cpu_json(const compile_cpu *cpu, cpu_chip chip, cJSON *json);
void compile_cpu_print(const compile_cpu *cpu, cpu_chip chip, FILE *out);

#endif
