/* host_int.h - shared by the files of host/ alone. */
#ifndef ONYX_HOST_INT_H
#define ONYX_HOST_INT_H

#include <signal.h>

#include "firmware/lists.h"
#include "firmware/sums.h"
#include "host/child.h"
#include "host/host.h"

/* ---- the link (link.c) ------------------------------------------------------------------------ */

typedef struct {
    const pnr_board *board;
    const host_options *options;
    const char *folder;
    arena *mem;
    diagnostics *d;
    host_child openocd, cosim;
    int rpc;         /* OpenOCD's standard input and output */
    VEC(char) reply; /* the latest */
    int door;        /* back door of a simulated board, or -1 */
    struct {
        int socket;           /* file of the socket, for OpenOCD to inherit, or -1 */
        char *path;           /* to the socket, for OpenOCD */
        bool named;           /* the path is a name in a folder, until the link is closed */
    } jtag;                   /* of a simulated board */
    uint64_t runs_before;     /* of kept batches */
    const pnr_design *design; /* of the job */
    uint32_t batches_before;  /* of earlier jobs of this program: its number of a batch counts all */
    uint64_t checksum;        /* checksum of the program, for leaving the program ready; 0: not left ready */
    uint32_t tried;           /* end of the tested range of SRAM; an offset */
    bool tentative;           /* a refusal by OpenOCD is no error */
    bool other_release;       /* the co-simulation is of another */
    fw_puts unchecked;        /* since the last batch began */
    uint32_t checks;          /* asked for */
    fw_puts there;            /* words put on the chip, and words left by stores, since the start */
    struct {
        uint64_t loaded, kept, collected;
    } bytes;          /* of all its jobs */
    const char *bulk; /* file for bulk data to and from OpenOCD */
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

/* Adds a note that no finished batch is lost. */
void host_note_kept(host_link *l);

/* ---- the board (target.c) --------------------------------------------------------------------- */

/* Returns the address of a member of the mailbox. */
static inline uint32_t host_mailbox(const host_link *l, uint32_t offset) {
    return l->board->map.sram + FW_MAILBOX_OFFSET + offset;
}

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

#endif
