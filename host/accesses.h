/* accesses.h - many accesses of words in few commands of the debug port. */
#ifndef ONYX_HOST_ACCESSES_H
#define ONYX_HOST_ACCESSES_H

#include "host/host_int.h"

typedef struct {
    uint32_t address, value; /* of a read: the answer */
    bool read;
} host_access_of;
typedef VEC(host_access_of) host_access_list;

static inline void host_add_write(host_access_list *all, uint32_t address, uint32_t value, arena *mem) {
    vec_push(mem, all, ((host_access_of){address, value, false}));
}
static inline void host_add_read(host_access_list *all, uint32_t address, arena *mem) {
    vec_push(mem, all, ((host_access_of){address, 0, true}));
}
/* Makes the accesses in their order. An access refused by the chip ends the list, and *refused says which
 * group of accesses has it, otherwise NULL. Returns false after an error of the link. */
bool host_make_accesses(host_link *l, host_access_list *all, const char **refused);

#endif
