/* machine_watch.h - what the whole chip has done: counters, hazards, collisions, channels. */
#ifndef ONYX_RTL_MODELS_SOC_MACHINE_WATCH_H
#define ONYX_RTL_MODELS_SOC_MACHINE_WATCH_H

#include "rtl_models/soc/machine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The latest run started after configuration words: as Switch of soc.h. */
typedef struct {
    uint64_t words, departed, started, stored;
} machine_switch;
typedef struct {
    uint64_t cpu_cycles, instructions;
    uint64_t array_cycles;  /* of the array's clock */
    uint64_t array_stepped; /* cycles with an evaluated array */
    uint64_t evaluations;   /* of array tiles */
    uint64_t progress;      /* grows whenever something moves on the array's side */
    uint64_t runs;          /* start pulses of streams */
    uint64_t kernel;        /* array cycles with a run in progress */
    uint64_t lag[2];        /* half processor cycles more than counted, least and most: machine_time.h */
    machine_switch last;
} machine_counters;
/* Two simultaneous accesses to a bank of the buffer (docs/errata.md): as Collision of soc.h. */
typedef struct {
    uint32_t glb_tile, bank;
    const char *lost, *to;
    uint64_t cycle;
} machine_collision;
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
machine_counters machine_count(const machine *m);
/* Array cycles of run i since the start, by start pulses: to the last store started by the run. Only runs
 * after the latest machine_forget_runs. */
uint64_t machine_run_cycles(const machine *m, uint64_t run);
void machine_forget_runs(machine *m);
/* Raised monitors of a tile: bit n is hazard n of boards/onyx/hazards.def. */
uint32_t machine_hazards(const machine *m, uint32_t x, uint32_t y);
/* The first collision of each kind in each bank, by time: number i, or false. */
bool machine_collided(const machine *m, size_t i, machine_collision *out);
void machine_watch(machine *m, machine_watcher *watcher, void *context);
/* Lines: open streams and tiles with waiting outputs. Caller frees. */
char *machine_describe_stuck(const machine *m);

#ifdef __cplusplus
}
#endif

#endif
