/* session.h - the work of onyx-cosim: load a program, run batches, write results. */
#ifndef ONYX_COSIM_SESSION_H
#define ONYX_COSIM_SESSION_H

#include "firmware/firmware.h"
#include "rtl_models/soc/machine.h"
#include "rtl_models/soc/machine_watch.h"

/* Exit codes of onyx-cosim. */
enum { COSIM_OK = 0, COSIM_USAGE = 1, COSIM_TARGET = 4, COSIM_WATCHDOG = 5 };

typedef struct {
    const char *elf, *batches, *result;
    const char *stats;                /* NULL: none */
    const char *waves;                /* folder, or NULL: waves.h */
    bool unchecked;                   /* the program does not check loaded segments */
    const struct dense_fabric *dense; /* the program is of the dense fabric: dense_side.h; else NULL */
    bool more;        /* each line of standard input requests the current file of batches once more */
    uint32_t jobs;    /* processes that share the batches, if all streams of the program start together */
    uint64_t hostile; /* seed of hostile.h; 0: kind */
    machine_clocking clocking;
    uint64_t max_cycles; /* of the array; 0: no bound */
    uint64_t watchdog;   /* most array cycles without any movement */
    FILE *uart_out;
} cosim_options;
enum { COSIM_WATCHDOG_CYCLES = 1000000, COSIM_JOBS_MOST = 1024 };

/* Runs all batches. Results and statistics exist only for COSIM_OK; with `more` a file's results exist when a
 * line on standard output answers, and statistics cover all files up to now. With `jobs` both equal those of
 * a single process, except wall time; `more`, `waves` or `max_cycles` force a single process. Collisions in
 * the global buffer are warnings, E0805-bank-collision. Errors: E0750-board-model, E0751-elf,
 * E0752-elf-address, E0753-processor, those of fw_batches_open; E0760-target, E0761-stopped,
 * E0762-output-range, E0763-runs (COSIM_TARGET); E0770-watchdog, E0771-max-cycles (COSIM_WATCHDOG). */
int cosim_run(const cosim_options *o, const pnr_board *board, arena *mem, diagnostics *d);

/* The machine of a board, a chip without a fault: all 0. NULL after E0750 or E0753. */
typedef struct {
    const struct dense_fabric *dense; /* of a dense program; else NULL */
    unsigned fault;                   /* of faults.h */
    uint64_t hostile;                 /* seed of hostile.h */
    machine_clocking clocking;
} cosim_chip;
machine *cosim_machine(const pnr_board *board, cosim_chip chip, FILE *uart_out, diagnostics *d);
/* Kind and place of a collision, without a line's end; `size` 200 is enough. */
void cosim_collision_text(const machine_collision *c, char *to, size_t size);
/* Loads the segments of a 32-bit Arm ELF file to their physical addresses. False after E0751 or E0752. */
bool cosim_load_elf(machine *m, const char *path, arena *mem, diagnostics *d);

#endif
