/* machine.h - the whole chip: processor, memories, platform controller, UART, and the array's side (soc.h).
 *
 * Time: the processor and the array run from clocks of a fixed ratio; the platform controller may slow the
 * array down by powers of two. An instruction takes a cycle, or the time of m3_time.h. An access to the
 * array's side holds the processor until it is answered.
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

/* Waits of the processor, least and most (docs/boards.md): cycles of its own for an access of code and of
 * SRAM; of the array's clock each way between the processor and the array's side. */
enum { MACHINE_LEAST, MACHINE_MOST, MACHINE_ENDS };
typedef struct {
    bool known;
    uint32_t code_wait[MACHINE_ENDS], sram_wait[MACHINE_ENDS], interconnect[MACHINE_ENDS];
} machine_times;
typedef enum { MACHINE_BY_COUNT, MACHINE_BY_LEAST, MACHINE_BY_MOST } machine_clocking;

/* Byte addresses and sizes as on the board; sizes multiples of 4096. */
typedef struct {
    uint32_t array_width, array_height; /* without the IO row */
    uint32_t mem_period, mem_phase;     /* columns of MEM tiles: x % mem_period == mem_phase */
    uint32_t code, code_bytes, sram, sram_bytes;
    uint32_t buffer, registers,
        platform;  /* global buffer (4 MB), array registers (8 KB), platform controller */
    uint32_t uart; /* CMSDK UART 0; 0: none */
    uint32_t watchdog; /* CMSDK watchdog, its interrupt is the NMI; 0: none */
    uint32_t irq;  /* of the array */
    uint32_t array_cycles_per_cpu_cycle; /* with the dividers of a program, 1 and 2; at least 1 */
    FILE *uart_out;                      /* what the program transmits */
    machine_times times;
    machine_clocking
        clocking;     /* an instruction takes a cycle, or the time of m3_time.h at an end of `times` */
    unsigned fault;   /* of faults.h; 0: none */
    uint64_t hostile; /* seed of hostile.h; 0: kind */
    const struct dense_fabric *dense; /* of a dense program: outlives the machine; else NULL */
} machine_config;

/* Powered up, memories 0, processor not yet reset. NULL if no processor can be had. */
machine *machine_create(const machine_config *config);
void machine_destroy(machine *m);

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

#ifdef __cplusplus
}
#endif

#endif
