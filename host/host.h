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

/* Calls back when a batch starts, when runs of the batch are done, and when its results are kept. */
typedef struct host_progress {
    uint32_t batch, batches; /* batch: from 0 up */
    uint32_t done, runs;     /* of this batch */
    uint64_t all_done, all_runs;
} host_progress;

/* Severity of a TAP whose name differs from the board's document (no public source confirms the document): a
 * warning, an error, or nothing. */
typedef enum { HOST_IDCODE_WARN, HOST_IDCODE_ERROR, HOST_IDCODE_OFF } host_idcode;

typedef struct {
    const char *openocd;    /* program: "openocd" */
    const char *config;     /* OpenOCD configuration; NULL: the board's own */
    const char *cosim;      /* program: onyx-cosim, for simulated boards */
    const char *board_path; /* the board's document, for the same */
    double timeout;         /* seconds without any progress */
    bool unchecked;         /* the program does not check loaded words */
    bool reload;            /* the board is loaded and started in any case */
    host_idcode idcode;
    void (*progress)(void *context, const struct host_progress *now); /* NULL: nobody looks */
    void *context;
} host_options;
static inline host_options host_options_default(void) {
    return (host_options){.openocd = "openocd", .timeout = 120};
}

/* The board between two jobs. Made by the first job, released by host_session_end (which accepts NULL). */
typedef struct host_session host_session;
void host_session_end(host_session *s);

typedef struct {
    const char *elf, *batches; /* made by fw_build and fw_batches_write */
    const char *result;        /* written when all is done: a result file of docs/dump.md */
    const char *folder;        /* for logs and finished batches; exists */
    const pnr_design *design;  /* names the stream that did not end, if any; or NULL */
    host_session **session; /* the session with the program of the batches (*session is NULL before the first
                             * job); NULL: the board is released after the job */
} host_job;

/* The host's time with the board, in seconds: loading batches, waiting for a batch, collecting results. With
 * two buffers the board may work meanwhile. */
typedef struct {
    double load, wait, collect;
} host_seconds;

/* State of the board before a job: its program, ready for batches; or the reason for loading and starting. */
typedef enum {
    HOST_FOUND_NO_BOARD, /* no board was needed, or an earlier job of the session had the board */
    HOST_FOUND_READY,
    HOST_FOUND_UNASKED, /* simulated, or host_options.reload */
    HOST_FOUND_NOTHING,
    HOST_FOUND_ANOTHER,   /* program */
    HOST_FOUND_CUT_OFF,   /* the program, or the command before, did not end */
    HOST_FOUND_CLOCKS,    /* clocks of the array or the processor differ from the program's settings */
    HOST_FOUND_DAMAGED,   /* memory differs from the loaded program */
    HOST_FOUND_SILENT,    /* the program does not run */
    HOST_FOUND_CONFIGURED /* somebody configured the array otherwise */
} host_found;
/* Returns a word or two for the state; NULL for HOST_FOUND_NO_BOARD. */
static inline const char *host_found_name(host_found found) {
    static const char *const names[] = {
        NULL,      "ready",        "not asked",      "nothing",   "another program",
        "cut off", "other clocks", "damaged memory", "no answer", "another configuration"};
    return names[found];
}

/* Processor cycles, by the firmware's own count. */
typedef struct {
    host_found found;
    uint32_t batches, kept; /* kept: finished by an earlier run */
    uint32_t buffers;       /* 2: the next batch was loaded during a batch */
    host_seconds seconds;
    uint64_t config_cycles, kernel_cycles, firmware_cycles; /* of this job */
    uint64_t check_cycles; /* of this job: sums of loaded segments, which no other count holds */
    struct {
        uint64_t loaded, kept, collected;
    } words;            /* words of 32 bits that the host wrote, found on the chip already, and read */
    uint32_t rewritten; /* configuration words written again after a wrong read-back */
    bool interrupted;   /* by SIGINT or SIGTERM, without a diagnostic */
} host_outcome;

/* Runs all unfinished batches of the job. Two batches and the results of a single batch are in memory at a
 * time. Returns false after an error, or when interrupted; finished batches stay. Errors: as fw_batches_open;
 * E0780-no-link, E0781-start, E0782-link-lost, E0783-no-answer, E0784-wrong-board, E0785-load,
 * E0786-firmware, E0787-target, E0788-output-range, E0789-sram, E0805-bank-collision. Warnings:
 * E0784-wrong-board, E0790-rewritten. */
bool host_program(const pnr_board *board, const host_job *job, const host_options *o, arena *mem,
                  diagnostics *d, host_outcome *out);

/* Returns how many array cycles pass in a processor cycle, at the board's clocks. */
static inline uint32_t host_cycles_ratio(const pnr_board *b) {
    uint32_t ratio = (b->cgra_mhz + b->cpu_mhz / 2) / b->cpu_mhz;
    return ratio ? ratio : 1;
}

#endif
