/* lower.h - lowering a graph to a netlist. */
#ifndef ONYX_LOWER_ONYX_LOWER_H
#define ONYX_LOWER_ONYX_LOWER_H

#include "lower_onyx/netlist.h"

typedef struct onyx_graph onyx_graph; /* the Onyx-aware IR; docs/ir_onyx.md */

typedef struct {
    name_id index;
    uint32_t edge;
} lower_piece;
typedef struct {
    uint32_t tile_edge;       /* extent of dense levels inside a sub-tile, and of summed vectors */
    const lower_piece *edges; /* along these index variables, instead of tile_edge */
    uint32_t n_edges;
    bool extended;       /* primitives of profile onyx-ext may be used (docs/boards.md) */
    sam_sharing sharing; /* of streams by the levels and values of a tensor (onyx-ext) */
    bool skips; /* onyx-ext: scanners skip coordinates absent from the other side of their intersecter */
} lower_options;
/* Returns the largest possible sub-tile edge of the graph along `index`, with `extended` of lower_options. */
uint32_t lower_widest(const sam_graph *g, name_id index, bool extended);
/* Count the global buffer's streams of the graph's netlist, including tables, with `sharing` of
 * lower_options. */
uint32_t lower_count_loads(const sam_graph *g, sam_sharing sharing);
uint32_t lower_count_stores(const sam_graph *g, sam_sharing sharing);

/* Returns the approximate words of the longest table for the operations of the graph; 0: none. */
uint32_t lower_table_words(const sam_graph *g);

/* Lowers a SAM graph that passed sam_check (binary joiners, no broadcasts) to the Onyx-aware IR: every memory
 * primitive becomes write scanner, buffet and read scanner; streams become bundles of wires. A dense operand
 * level becomes a scanner without memory, a dense result level whose coordinates all come becomes nothing.
 * False after a diagnostic (docs/errors/lower_onyx.md); E0410-not-on-chip names a primitive the chip lacks
 * (exit 2). */
bool lower_run(const sam_graph *g, const lower_options *options, arena *mem, diagnostics *d,
               onyx_graph **out);
/* Checks neighbour rules, wires, tiles, cycles, and tokens mistaken by the chip's primitives. The check reads
 * the tables nodes.def and neighbours.def and the graph, independently of lower_run. */
bool lower_check(const onyx_graph *g, diagnostics *d);
/* Write and read the text form (docs/ir_onyx.md). lower_parse(lower_dump(g)) dumps to the same text. */
void lower_dump(const onyx_graph *g, FILE *out);
bool lower_parse(const char *name, const char *text, size_t length, name_table *names, diagnostics *d,
                 onyx_graph **out);
/* Packs a graph that passed lower_check: one PE primitive a tile, each memory triplet into one MEM tile, each
 * GLB stream into one IO tile. Cells follow the order of the graph's nodes: inputs by operand and level
 * (values last), then processing, then results. Ends with net_check. */
bool lower_pack(const onyx_graph *g, arena *mem, diagnostics *d, netlist *out);

#endif
