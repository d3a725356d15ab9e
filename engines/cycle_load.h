/* cycle_load.h - a decoded bitstream as a design of the cycle model, which has no notion of bitstreams. */
#ifndef ONYX_ENGINES_CYCLE_LOAD_H
#define ONYX_ENGINES_CYCLE_LOAD_H

#include "bitstream/bitstream.h"
#include "rtl_models/cycle/cycle.h"

/* Fills `out`, in `mem`, with cells and nets in the order of the decoded netlist; cells get names such as
 * "x4y2 intersect". Refuses the designs refused by bits_check_sparse (E0660), and nets of more than 64 sinks
 * (E0662-sinks). Nets whose registers the model does not have, of bitstreams of other tools, become wires,
 * with a warning (E0661-wired-net). */
bool cycle_load(const pnr_design *decoded, const bits_map *map, arena *mem, diagnostics *d,
                cycle_design *out);

/* Runs the design without any input word: an output is early if it is complete in this run. Sets early[i] of
 * the n outputs, whose cell and blocks are set. E0713-early-output (exit 2): an output partly complete. */
bool cycle_find_early(const cycle_design *design, cycle_stream *outputs, uint32_t n, bool *early,
                      diagnostics *d);

#endif
