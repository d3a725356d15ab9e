/* netlist_of.h - a SAM graph's file all the way to tiles. */
#ifndef ONYX_TESTS_NETLIST_OF_H
#define ONYX_TESTS_NETLIST_OF_H

#include "lower_onyx/lower_onyx.h"
#include "sam/sam.h"
#include "tests/test.h"

/* The graph has binary joiners and no broadcasts. False after an error. */
static inline bool netlist_of(fixture *f, const char *path, netlist *out) {
    size_t length = 0;
    sam_graph sam;
    onyx_graph *g;
    char *text = file_read(path, &f->mem, &length, &f->diag);
    return text && sam_parse(path, text, length, &f->names, &f->diag, &sam) && sam_check(&sam, &f->diag) &&
           lower_run(&sam, &(lower_options){.tile_edge = 30}, &f->mem, &f->diag, &g) &&
           lower_pack(g, &f->mem, &f->diag, out);
}

#endif
