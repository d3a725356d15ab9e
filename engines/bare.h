/* bare.h - a bitstream without a kernel on an engine: words go in, words come out. */
#ifndef ONYX_ENGINES_BARE_H
#define ONYX_ENGINES_BARE_H

#include "engines/engine.h"

/* The array of a bitstream. */
typedef struct {
    const pnr_board *board;
    const char *board_path;
    const pnr_design *decoded; /* output cells say their num_blocks */
    const bits_map *map;
    const bits_stream *bits;
    const fw_writes *writes; /* made unchanged by the processor on engine soc; NULL: the firmware's own. With
                              * spans the array is dense, and no cycle model of sparse tiles runs ahead */
    const char *folder, *final_folder; /* as of a kernel */
} compile_bare;

/* Makes the runs of the plan, whose streams are in the order of the bitstream's IO columns, on the engine of
 * the options: any but sam. stored[o] gets the words of output o, all runs one behind the other. The cycle
 * model runs ahead of engines rtl and soc, for hazards (E0803). */
bool compile_run_bare(const compile_options *o, compile_context *ctx, const compile_bare *bare,
                      const tile_plan *plan, compile_outcome *out, u16_vec *stored);

#endif
