/* registers.h - registers of a board, read and written one by one through its debug port. */
#ifndef ONYX_HOST_REGISTERS_H
#define ONYX_HOST_REGISTERS_H

#include "host/host.h"

/* An access to a register or a word: at each, a write first if wanted. */
typedef struct {
    const char *name; /* for messages */
    uint32_t address, value;
    bool write, of_array; /* of_array: the register has the array's clock */
    uint32_t got;         /* read behind the write, if any */
} host_access;
typedef VEC(host_access) host_accesses;
/* Makes the accesses in their order, with the processor as it is; logs go into the folder. Registers without
 * a clock are not touched, since the bus would never answer: E0791-no-clock. Other errors: those of the link.
 */
bool host_registers(const pnr_board *board, const host_options *o, host_accesses *all, const char *folder,
                    arena *mem, diagnostics *d);

#endif
