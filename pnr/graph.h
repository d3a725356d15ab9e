/* graph.h - the fabric proved, and held against files of other tools. */
#ifndef ONYX_PNR_GRAPH_H
#define ONYX_PNR_GRAPH_H

#include "pnr/fabric.h"

typedef struct {
    uint32_t outputs;      /* switch-box outputs */
    uint32_t wires;        /* number of wires with an end; of outputs to the IO row only track 0 is used */
    uint32_t switch_wires; /* input-to-output connections of a switch box */
} pnr_fabric;
/* Proves the implicit fabric: every wire's name leads back to it, every output and wire is declared, the
 * switch box is the generator's formula, wires come in opposite pairs; of both networks, 17 and 1 bit, also
 * by the text of their graphs. O(wires). Error: E0562-fabric. */
bool pnr_fabric_check(const pnr_board *b, diagnostics *d, pnr_fabric *out);

/* Write the fabric as the public tools' files. `width` is 17 or 1, for the two networks; `counts` selects the
 * newer .layout, a number of sites per tile, instead of the older, a digit per tile. The checks read a file
 * (either dialect) and compare the file with the board; errors located: E0560-graph-differs,
 * E0561-layout-differs. */
bool pnr_write_graph(const pnr_board *b, uint32_t width, const char *path, diagnostics *d);
bool pnr_check_graph(const pnr_board *b, uint32_t width, const char *path, diagnostics *d);
bool pnr_write_layout(const pnr_board *b, bool counts, const char *path, diagnostics *d);
bool pnr_check_layout(const pnr_board *b, const char *path, diagnostics *d);

#endif
