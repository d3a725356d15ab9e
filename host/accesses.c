/* Groups of accesses as one command of Tcl each. */
#include "host/accesses.h"

#include <stdlib.h>

enum { GROUP = 128 }; /* accesses of a command: 40 characters each, of 16 KB */

/* Returns how many accesses from the first on have the same direction, and addresses in a row. */
static uint32_t row_of(const host_access_of *at, uint32_t n) {
    uint32_t row = 1;
    while (row < n && at[row].read == at[0].read && at[row].address == at[0].address + 4 * row)
        row++;
    return row;
}

/* Accesses in a row are one access of memory: the debug port counts addresses by itself. */
static const char *command_of(const host_access_of *at, uint32_t n, arena *mem) {
    char *text = arena_alloc(mem, (size_t)n * 64 + 64), *to = text;
    to += sprintf(to, "set onyx_words {}");
    for (uint32_t i = 0, row; i < n; i += row) {
        row = row_of(at + i, n - i);
        if (at[i].read) {
            to += sprintf(to, ";append onyx_words { } [read_memory 0x%x 32 %u]", at[i].address, row);
            continue;
        }
        to += sprintf(to, ";write_memory 0x%x 32 {", at[i].address);
        for (uint32_t k = 0; k < row; k++)
            to += sprintf(to, "0x%x ", at[i + k].value);
        to += sprintf(to, "}");
    }
    sprintf(to, ";set onyx_words");
    return text;
}

static void take_words(const char *reply, host_access_of *at, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        char *end;
        if (!at[i].read)
            continue;
        at[i].value = (uint32_t)strtoull(reply, &end, 0);
        reply = end;
    }
}

bool host_make_accesses(host_link *l, host_access_list *all, const char **refused) {
    arena mem = {0};
    const char *reply;
    bool ok = true, failed = false;
    *refused = NULL;
    for (uint32_t done = 0, n; done < all->len && ok && !failed; done += n) {
        n = all->len - done < GROUP ? all->len - done : GROUP;
        ok = host_command(l, &reply, &failed, "%s", command_of(&all->at[done], n, &mem));
        if (ok && failed)
            *refused = arena_printf(l->mem, "an access is refused, of those from 0x%08x to 0x%08x",
                                    all->at[done].address, all->at[done + n - 1].address);
        else if (ok)
            take_words(reply, &all->at[done], n);
    }
    arena_free(&mem);
    return ok;
}
