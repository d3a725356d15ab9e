/* host.h - runs a program and its batches on a board, through its debug port.
 *
 * The transport is OpenOCD, a process of its own with the board's configuration, driven over its Tcl RPC; on
 * top of it the host's part of docs/firmware.md. A board that is simulated is started, too. Results of
 * finished batches are kept in the job's folder until all are there, so a run that was cut off goes on with
 * the first batch that is not done. Jobs of one firmware program may share a session: the board is loaded and
 * started for the first of them, and stays as it is. So it does where a job of an earlier command has left
 * the same program ready.
 */
#ifndef ONYX_HOST_H
#define ONYX_HOST_H

#include "firmware/firmware.h"

/* What a job is told when a batch starts, when runs of it are done, and when its results are kept. */
typedef struct host_progress {
    uint32_t batch, batches; /* batch: from 0 up */
    uint32_t done, runs;     /* of this batch */
    uint64_t all_done, all_runs;
} host_progress;

/* What is said when the TAP names itself otherwise than the board's document does, which no public source
 * confirms: a warning, an error, or nothing. */
typedef enum { HOST_IDCODE_WARN, HOST_IDCODE_ERROR, HOST_IDCODE_OFF } host_idcode;

typedef struct {
    const char *openocd;    /* program: "openocd" */
    const char *config;     /* OpenOCD configuration; NULL: the board's own */
    const char *cosim;      /* program: onyx-cosim, for boards that are simulated */
    const char *board_path; /* the board's document, for the same */
    double timeout;         /* seconds without any progress */
    bool unchecked;         /* the program is not asked to check what was loaded */
    bool reload;            /* the board is loaded and started whatever it runs */
    host_idcode idcode;
    void (*progress)(void *context, const struct host_progress *now); /* NULL: nobody looks */
    void *context;
} host_options;
static inline host_options host_options_default(void) {
    return (host_options){.openocd = "openocd", .timeout = 120};
}

/* The board between two jobs. Its first job makes it; host_session_end lets go of it, and may be given NULL.
 */
typedef struct host_session host_session;
void host_session_end(host_session *s);

typedef struct {
    const char *elf, *batches; /* as fw_build and fw_batches_write leave them */
    const char *result;        /* written when all is done: a result file of docs/dump.md */
    const char *folder;        /* for logs and finished batches; exists */
    const pnr_design *design;  /* says which stream did not end, if there is one; or NULL */
    host_session **session; /* whose program runs the batches, once one is loaded: NULL there before the first
                             * job; or NULL: the board is let go when the job is done */
} host_job;

/* What the host did while the board was there, in seconds: put batches into its memory, waited for one to be
 * done, took results out of it. With two buffers a board may work all the while. */
typedef struct {
    double load, wait, collect;
} host_seconds;

/* What a job found on the board: its program, ready for more; or why that had to be loaded and started. */
typedef enum {
    HOST_FOUND_NO_BOARD, /* none was needed, or an earlier job of the session had it */
    HOST_FOUND_READY,
    HOST_FOUND_UNASKED, /* simulated, or host_options.reload */
    HOST_FOUND_NOTHING,
    HOST_FOUND_ANOTHER,   /* program */
    HOST_FOUND_CUT_OFF,   /* it, or the command that gave it batches, did not come to an end */
    HOST_FOUND_CLOCKS,    /* of the array or the processor are not as it sets them */
    HOST_FOUND_DAMAGED,   /* what is in memory is not what was loaded */
    HOST_FOUND_SILENT,    /* it does not run */
    HOST_FOUND_CONFIGURED /* somebody configured the array otherwise */
} host_found;
/* Returns a word or two for it; NULL for HOST_FOUND_NO_BOARD. */
static inline const char *host_found_name(host_found found) {
    static const char *const names[] = {
        NULL,      "ready",        "not asked",      "nothing",   "another program",
        "cut off", "other clocks", "damaged memory", "no answer", "another configuration"};
    return names[found];
}

/* Processor cycles, by the firmware's own count. */
typedef struct {
    host_found found;
    uint32_t batches, kept; /* kept: those an earlier run had finished */
    uint32_t buffers;       /* 2: the next batch was loaded while one ran */
    host_seconds seconds;
    uint64_t config_cycles, kernel_cycles, firmware_cycles; /* of this job */
    struct {
        uint64_t loaded, kept, collected;
    } words; /* of 32 bits, that the host wrote, did not have to, since they were there, and read */
    uint32_t rewritten; /* configuration words that did not read back and were written again */
    bool interrupted;   /* by SIGINT or SIGTERM; nothing is diagnosed then */
} host_outcome;

/* Runs all batches of the job that are not done yet. Two batches and the results of one are in memory at a
 * time. Returns false after an error, or when interrupted; finished batches stay. Errors: those of
 * fw_batches_open; E0780-no-link, E0781-start, E0782-link-lost, E0783-no-answer, E0784-wrong-board,
 * E0785-load, E0786-firmware, E0787-target, E0788-output-range, E0789-sram, E0805-bank-collision. Warnings:
 * E0784-wrong-board, E0790-rewritten. */
bool host_program(const pnr_board *board, const host_job *job, const host_options *o, arena *mem,
                  diagnostics *d, host_outcome *out);

/* Returns how many array cycles pass in a processor cycle, at the board's clocks. */
static inline uint32_t host_cycles_ratio(const pnr_board *b) {
    uint32_t ratio = (b->cgra_mhz + b->cpu_mhz / 2) / b->cpu_mhz;
    return ratio ? ratio : 1;
}

#endif
