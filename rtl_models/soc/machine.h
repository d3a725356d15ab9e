/* machine.h - the whole chip: processor, memories, platform controller, UART, and the array's side (soc.h).
 *
 * Time: the processor and the array run from clocks of a fixed ratio; the platform controller may slow the
 * array down by powers of two. An access to the array's side holds the processor until it is answered.
 */
#ifndef ONYX_COSIM_MACHINE_H
#define ONYX_COSIM_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct machine machine;

/* Byte addresses and sizes as on the board; sizes multiples of 4096. */
typedef struct {
    uint32_t array_width, array_height; /* without the IO row */
    uint32_t mem_period, mem_phase;     /* columns of MEM tiles: x % mem_period == mem_phase */
    uint32_t code, code_bytes, sram, sram_bytes;
    uint32_t buffer, registers,
        platform;  /* global buffer (4 MB), array registers (8 KB), platform controller */
    uint32_t uart; /* CMSDK UART 0; 0: none */
    uint32_t irq;  /* of the array */
    uint32_t array_cycles_per_cpu_cycle; /* with the dividers of a program, 1 and 2; at least 1 */
    FILE *uart_out;                      /* what the program transmits */
} machine_config;

/* Powered up, memories 0, processor not yet reset. NULL if no processor can be had. */
machine *machine_create(const machine_config *config);
void machine_destroy(machine *m);

/* Debugger's access without time, to code, SRAM and buffer. False if the range is not inside one of them. An
 * access to a bank in use by a DMA is a collision. */
bool machine_load(machine *m, uint32_t address, const void *from, size_t bytes);
bool machine_holds(const machine *m, uint32_t address, size_t bytes); /* whether it is */
bool machine_dump(const machine *m, uint32_t address, void *to, size_t bytes);
uint32_t machine_word(const machine *m, uint32_t address); /* 0 outside of memory */

/* Access by the debug port's bus master: like the processor's own, with side effects of registers and time of
 * the array, to everything but the processor's private registers. size 1, 2 or 4, aligned; the value in the
 * low bits. False: bus error. */
bool machine_bus_read(machine *m, uint32_t address, unsigned size, uint32_t *value);
bool machine_bus_write(machine *m, uint32_t address, unsigned size, uint32_t value);
/* The processor; for debug.c. */
struct m3 *machine_core(machine *m);

/* The processor starts from its vector table; call once the program is loaded. */
void machine_reset(machine *m);
/* An instruction, or a cycle of sleep. False: stopped, see machine_stop_reason. */
bool machine_step(machine *m);
/* "" or why nothing runs any more. In the machine until the next call. */
const char *machine_stop_reason(machine *m);
/* "" or the last refused access to the array's side: without a clock, in reset, or without a meaning
 * there. */
const char *machine_refused(const machine *m);

/* The latest run started after configuration words: as Switch of soc.h. */
typedef struct {
    uint64_t words, left, started, stored;
} machine_switch;
typedef struct {
    uint64_t cpu_cycles, instructions;
    uint64_t array_cycles;  /* of the array's clock */
    uint64_t array_stepped; /* cycles with an evaluated array */
    uint64_t evaluations;   /* of array tiles */
    uint64_t progress;      /* grows whenever something moves on the array's side */
    uint64_t runs;          /* start pulses of streams */
    uint64_t kernel;        /* array cycles with a run in progress */
    machine_switch last;
} machine_counters;
machine_counters machine_count(const machine *m);
/* Array cycles of run i since the start, by start pulses: to the last store started by the run. Only runs
 * after the latest machine_forget_runs. */
uint64_t machine_run_cycles(const machine *m, uint64_t run);
void machine_forget_runs(machine *m);
/* Raised monitors of a tile: bit n is hazard n of boards/onyx/hazards.def. */
uint32_t machine_hazards(const machine *m, uint32_t x, uint32_t y);
/* Two simultaneous accesses to a bank of the buffer (docs/errata.md): as Collision of soc.h. */
typedef struct {
    uint32_t glb_tile, bank;
    const char *lost, *to;
    uint64_t cycle;
} machine_collision;
/* The first collision of each kind in each bank, by time: number i, or false. */
bool machine_collided(const machine *m, size_t i, machine_collision *out);
/* Reports every channel of the array on change, as array_glue.h's Watcher; and its sources: in row 0, port
 * MACHINE_LOAD has the words of a column from the global buffer, MACHINE_STORE the words to the buffer; an
 * open stream has room, a closed stream neither. In column MACHINE_OUTSIDE, row 0, MACHINE_PROCESSOR moves
 * while executing, stalls while waiting for the array's side, and starves while asleep; MACHINE_CONFIGURATION
 * moves with each word that configures a tile. */
enum {
    MACHINE_LOAD = 2,
    MACHINE_STORE = 3,
    MACHINE_OUTSIDE = 32,
    MACHINE_PROCESSOR = 0,
    MACHINE_CONFIGURATION = 1
};
typedef struct {
    uint64_t cycle;
    uint32_t x, y, port;
    bool offered, room, moves; /* a token is present; the input has room; the token moves */
    uint32_t token;
} machine_channel;
typedef void machine_watcher(void *context, const machine_channel *now);
void machine_watch(machine *m, machine_watcher *watcher, void *context);
/* Lines: open streams and tiles with waiting outputs. Caller frees. */
char *machine_describe_stuck(const machine *m);

#ifdef __cplusplus
}
#endif

#endif
