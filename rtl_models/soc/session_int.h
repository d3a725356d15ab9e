/* session_int.h - a session, and its batches, run; private to session*.c. */
#ifndef ONYX_RTL_MODELS_SOC_SESSION_INT_H
#define ONYX_RTL_MODELS_SOC_SESSION_INT_H

#include "rtl_models/soc/machine_watch.h"
#include "rtl_models/soc/session.h"

enum { MAILBOX_COUNTERS = 4, TOTAL_CYCLES = FW_MAILBOX_CYCLES + 24 };
/* Bytes moved by the host. */
typedef struct {
    uint64_t loaded, kept, collected; /* kept: did not need to be loaded */
} cosim_moved;
/* Counts; every member is a sum of 64 bits, except machine.last, which nobody reads here. */
typedef struct {
    uint64_t cycles[MAILBOX_COUNTERS]; /* of the processor, as in the mailbox */
    uint64_t checked;                  /* of the array, while segments were checked */
    uint64_t uncounted;                /* of the processor, during checks and before its own count */
    uint64_t lag[MACHINE_ENDS];        /* of machine_counters, during the same */
    machine_counters machine;
    cosim_moved bytes;
} cosim_counts;
/* Runs after `words` configuration words, since the last store before: cycles of the array without cycles of
 * a list's other commands in between. The first includes work done once for each bitstream. */
typedef struct {
    uint64_t words, times, first, least, most;
} cosim_switches;
/* Checks requested from the program. */
typedef struct {
    fw_puts pending;        /* segments loaded since the last command */
    uint32_t asked;         /* commands so far */
    uint64_t cycles;        /* of the array, for the checks */
    uint64_t since, lately; /* cycle of the first check after the latest store; cycles of checks since then */
    uint64_t uncounted;     /* of the processor: during checks, and before the program's own count */
    uint64_t lag[MACHINE_ENDS]; /* of machine_counters, during checks */
} cosim_checks;
typedef struct {
    const cosim_options *options;
    const char *result, *stats; /* files of the current batches */
    const pnr_board *board;
    machine *m;
    cosim_moved bytes;
    cosim_counts others; /* counts of the processes that ran batches of this session */
    uint32_t *hazards;   /* raised monitors of these processes, as machine_hazards; by tile */
    fw_puts there;       /* data on the chip, from the host and from stores */
    diagnostics *d;
    arena *mem;
    VEC(cosim_switches) switches;
    cosim_checks checks;
    uint64_t switched; /* when the latest began */
    uint64_t commands_from,
        commands_to;   /* when the first command of a list was over since the last store, and the last */
    uint32_t commands; /* finished commands of the list at the last poll */
    uint32_t batches;  /* of the files before */
    bool calls;        /* the processor runs calls, without movement in the array */
    uint64_t last_progress, moved_at; /* machine_counters.progress, and array time of its last growth */
    int exit_code;
} cosim_session;
/* Return a word of the mailbox, and a counter of 64 bits. */
uint32_t session_mailbox(const cosim_session *s, uint32_t offset);
uint64_t session_mailbox_counter(const cosim_session *s, uint32_t at);
/* Array cycles per processor cycle. */
uint64_t session_ratio(const cosim_session *s);
/* Runs until the program has finished batch `number`; 0: until ready for the first batch. */
bool session_run_until_done(cosim_session *s, uint32_t number);
/* Whether the processor makes calls, in place of runs of the array. */
bool session_is_function(const fw_batches *all);
/* Loads the segments that are not there. */
void session_load_batch(cosim_session *s, const fw_batch *b);
/* Makes the program run loaded batch `i`, from run `first` on. */
bool session_make_runs(cosim_session *s, const fw_batches *all, uint32_t i, const fw_batch *b,
                       uint32_t first);
/* Each batch is in memory while running. */
bool session_run_batches(cosim_session *s, fw_batches *all, uint32_t first, uint32_t end, FILE *out);

#endif
