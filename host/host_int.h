/* host_int.h - shared by the files of host/ alone. */
#ifndef ONYX_HOST_INT_H
#define ONYX_HOST_INT_H

#include <signal.h>
#include <sys/types.h>

#include "firmware/lists.h"
#include "firmware/sums.h"
#include "host/host.h"

/* ---- child programs (child.c) ----------------------------------------------------------------- */

typedef struct {
    pid_t pid; /* 0: none */
    bool ended;
    int status; /* of waitpid, once ended */
} host_child;

/* Starts a child program in a process group of its own: Ctrl-C reaches the parent alone, and the child ends
 * with the parent. Output goes to `log`; `channel`, if not -1, becomes the child's standard input and output.
 */
bool host_child_start(host_child *c, const char *const *argv, const char *log, int channel);
bool host_child_alive(host_child *c);
/* Says how the child ended: "ended with code 1", "was ended by signal 9". */
const char *host_child_fate(host_child *c, arena *mem);
void host_child_end(host_child *c);

/* ---- the link (link.c) ------------------------------------------------------------------------ */

typedef struct {
    const pnr_board *board;
    const host_options *options;
    const char *folder;
    arena *mem;
    diagnostics *d;
    host_child openocd, cosim;
    int rpc;                  /* OpenOCD's standard input and output */
    VEC(char) reply;          /* the latest */
    int door;                 /* back door of a simulated board, or -1 */
    int jtag_way;             /* file of a simulated board's JTAG socket, for OpenOCD to inherit, or -1 */
    uint64_t runs_before;     /* of kept batches */
    const pnr_design *design; /* of the job */
    uint32_t batches_before;  /* of earlier jobs of this program: its number of a batch counts all */
    uint64_t checksum;        /* checksum of the program, for leaving the program ready; 0: not left ready
                               */
    uint32_t tried;           /* end of the tested part of SRAM; an offset */
    bool tentative;           /* a refusal by OpenOCD is no error */
    fw_puts unchecked;        /* since the last batch began */
    uint32_t checks;          /* asked for */
    fw_puts there;            /* words put on the chip, and words left by stores, since the start */
    struct {
        uint64_t loaded, kept, collected;
    } bytes;           /* of all its jobs */
    const char *image; /* file for bulk data to and from OpenOCD */
} host_link;

/* Set by SIGINT and SIGTERM while a link is open; every wait then gives up. */
extern volatile sig_atomic_t host_interrupted;

/* Starts OpenOCD and, for a simulated board, the simulation; checks that a chip answers, and leaves its
 * processor running. The caller closes the link in any case (host_link_close). */
bool host_link_open(host_link *l, const pnr_board *board, const host_options *o, const char *folder,
                    arena *mem, diagnostics *d);
void host_link_close(host_link *l);

/* Gives OpenOCD a command. Returns false after an error of the link. With `failed`, an error reported by
 * OpenOCD sets *failed. The reply is valid until the next command; NULL: not wanted. */
bool host_command(host_link *l, const char **reply, bool *failed, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Read and write 32-bit words at an aligned address. */
bool host_read_words(host_link *l, uint32_t address, uint32_t *to, uint32_t n);
bool host_write_word(host_link *l, uint32_t address, uint32_t value);
/* Move any number of bytes (reads: whole words only) by the fastest path. */
bool host_read(host_link *l, uint32_t address, void *to, uint32_t bytes); /* `to` is aligned for uint32_t */
bool host_write(host_link *l, uint32_t address, const void *from, uint32_t bytes);

/* Returns false after E0805: on a chip some access to the global buffer would have been lost. Only a
 * simulated board knows. */
bool host_nothing_lost(host_link *l);

/* Adds the last lines of a log as a hint. */
void host_hint_log(host_link *l, const char *name);
/* Adds a note that no finished batch is lost. */
void host_note_kept(host_link *l);

/* ---- the board (target.c) --------------------------------------------------------------------- */

/* Returns the address of a member of the mailbox. */
static inline uint32_t host_mailbox(const host_link *l, uint32_t offset) {
    return l->board->map.sram + FW_MAILBOX_OFFSET + offset;
}
/* Tests the memory needed by a program with the batches (NULL: with any batches), loads the program, verifies
 * the load, starts the program and waits for ready. *rewritten becomes the number of configuration words
 * written twice. */
bool host_target_start(host_link *l, const char *elf, const fw_batches *all, uint32_t *rewritten);

/* A piece of the global buffer. */
typedef struct {
    uint32_t first, bytes; /* from its start; both multiples of 4 */
    uint8_t *content;
} host_piece;

/* Results of a batch: the rows of its run table, completed by the firmware, and from each bank of the buffer
 * the piece with outputs. */
typedef struct {
    uint32_t *table;      /* runs * fw_row_bytes / 4 words */
    host_piece *banks;    /* GLB tiles * banks of a tile, and the scratch area; by address */
    uint64_t counters[3]; /* configuration, kernel, firmware: cycles since boot */
    fw_list_result list;  /* of a list, in place of table and banks */
} host_batch_result;
/* Returns the piece of banks[] with an address of the program; the piece of the scratch area follows all
 * banks. */
static inline uint32_t host_bank_of(const pnr_board *b, uint32_t address) {
    return address & FW_SCRATCH ? b->glb_tiles * b->glb_banks_per_tile : address / b->glb_bank_bytes;
}
/* Steps of a batch; `b` is batch number `batch`. A batch of the other buffer may be loaded after the first
 * batch began, and may begin after the wait for the first. Loaded segments are checked `now`, if nothing
 * runs, or at the begin of the batch. */
bool host_target_load(host_link *l, const fw_batch *b, bool now);
bool host_target_begin(host_link *l, const fw_batches *all, uint32_t batch, const fw_batch *b);
bool host_target_wait(host_link *l, const fw_batches *all, uint32_t batch, const fw_batch *b,
                      host_batch_result *out); /* the counters only */
bool host_target_collect(host_link *l, const fw_batches *all, const fw_batch *b, arena *mem,
                         host_batch_result *out); /* all but the counters, in `mem` */
/* Tells the watcher the number of finished runs of the batch. */
void host_tell(const host_link *l, const fw_batches *all, uint32_t batch, uint32_t done);

/* ---- finished batches (kept.c) ---------------------------------------------------------------- */

typedef struct {
    bool done;
    uint64_t kernel_cycles, firmware_cycles;
} host_kept;

/* Returns the folder of finished batches of the program and the batch file; NULL after an error. */
const char *host_kept_folder(const host_job *job, const fw_batches *all, arena *mem, diagnostics *d);
/* Reads a finished batch; a missing or damaged file means an unfinished batch. */
host_kept host_kept_read(const char *folder, const fw_batches *all, uint32_t batch);
/* Keeps a finished batch; `before` has the counters after the previous batch. Error: E0004-write. */
bool host_kept_write(const char *folder, const fw_batches *all, uint32_t batch, const host_batch_result *r,
                     const uint64_t before[3], diagnostics *d);
/* Writes the result file of all batches, all finished. Error: E0001-file if a kept file has vanished. */
bool host_kept_merge(const char *path, const char *folder, const fw_batches *all, arena *mem, diagnostics *d);

#endif
