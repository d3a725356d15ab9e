/* serve.h - onyx-cosim as a chip on a bench: its debug port on a socket, and a back door for bulk data.
 *
 * The debug port speaks OpenOCD's remote_bitbang. The back door takes requests of a line and gives answers of
 * a line: "write ADDRESS BYTES" and the bytes: "ok"; "read ADDRESS BYTES": "ok" and the bytes; "collisions":
 * "ok" as long as the global buffer had none; COSIM_INTERFACE: "ok"; anything else, a range
 * outside of code, SRAM or global buffer, and after a collision: "no: " and why. Numbers as in C. The back
 * door takes no time of the machine, and needs no clock of the array.
 */
#ifndef ONYX_COSIM_SERVE_H
#define ONYX_COSIM_SERVE_H

#include "rtl_models/soc/session.h"

typedef struct {
    const char *elf;  /* loaded before the first step, or NULL */
    const char *jtag; /* a TCP port of 127.0.0.1 (0: any, printed), the path of a UNIX socket, or "fd:N", a
                       listening socket that is open already */
    const char *back_door; /* the same, or NULL */
    unsigned fault;        /* of faults.h: the chip has the fault; 0: none */
    uint64_t hostile;      /* seed of hostile.h; 0: kind */
    FILE *uart_out;
} cosim_serve_options;

/* Powers the machine up and serves debuggers in turn until SIGTERM or SIGINT. Errors: E0750..E0753,
 * E0754-socket (COSIM_USAGE). A stop of the processor is printed as a warning, and the processor waits
 * for the debugger. A collision in the global buffer is printed when detected, and the exit code is
 * COSIM_TARGET. */
int cosim_serve(const cosim_serve_options *o, const pnr_board *board, arena *mem, diagnostics *d);

#endif
