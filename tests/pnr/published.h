/* published.h - the published netlists and their known results; none without the shared folder. */
#ifndef ONYX_TESTS_PNR_PUBLISHED_H
#define ONYX_TESTS_PNR_PUBLISHED_H

#include "tests/pnr/design.h"

#include <time.h>

enum { MOST_PUBLISHED = 200 };

typedef struct {
    char name[64];
    uint32_t cells, hpwl, hops; /* best known with fixed IO */
} published_row;

static inline double seconds_of(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Lists the netlists; returns their number. */
static inline uint32_t published_list(fixture *f, published_row rows[MOST_PUBLISHED]) {
    size_t length = 0;
    const char *path = ONYX_SHARED_DIR "/data/pnr/best_known.csv";
    if (access(path, R_OK) != 0)
        return 0;
    char *text = file_read(path, &f->mem, &length, &f->diag);
    uint32_t n = 0;
    for (char *line = strchr(text, '\n'); line && line[1] && n < MOST_PUBLISHED;
         line = strchr(line + 1, '\n')) {
        published_row *r = &rows[n];
        n += sscanf(line + 1, "%63[^,],%u,%*u,%*u,%u,%u", r->name, &r->cells, &r->hpwl, &r->hops) == 4;
    }
    return n;
}

/* Reads a netlist, and its IO sites from the file of the same name if `fixed` is not NULL. */
static inline void published_read(fixture *f, const char *name, netlist *net, pnr_site **fixed) {
    const char *folder = ONYX_SHARED_DIR "/data/pnr";
    if (!pnr_read_packed(arena_printf(&f->mem, "%s/%s.packed", folder, name), &f->names, &f->mem, &f->diag,
                         net) ||
        (fixed && !pnr_read_place(net, arena_printf(&f->mem, "%s/%s.io.place", folder, name), &f->mem,
                                  &f->diag, fixed))) {
        diag_print(&f->diag, 0, stderr, false);
        exit(1);
    }
}

/* Has the chip a load and a store stream for each of its inputs and outputs? */
static inline bool published_streams_fit(const netlist *n, const pnr_board *b) {
    uint32_t streams[2] = {0};
    for (uint32_t i = 0; i < n->cells.len; i++)
        streams[n->cells.at[i].output] += n->cells.at[i].tag == 'I';
    return streams[0] <= b->glb_tiles && streams[1] <= b->glb_tiles;
}

#endif
