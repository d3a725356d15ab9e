/* waves.h - `--waves FOLDER`: activity of every channel of the array, in the files of
 * rtl_models/cycle/wave.h. */
#ifndef ONYX_COSIM_WAVES_H
#define ONYX_COSIM_WAVES_H

#include "rtl_models/cycle/wave.h"
#include "rtl_models/soc/machine.h"

/* Begins FOLDER/waves.fst. FOLDER/channels.json lists the channels of interest, channels of a tile together:
 * {"channels": [{"x": 4, "y": 2, "port": 0, "tile": "x4y2 intersect", "name": "coord_in_0", "from": "..."}]};
 * with a "kind" for sources other than a tile's port, and a stream with its "copy" (docs/cosim.md). NULL
 * after errors. */
wave *cosim_waves_begin(const char *folder, machine *m, arena *mem, diagnostics *d);
#endif
