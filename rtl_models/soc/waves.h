/* waves.h - `--waves FOLDER`: what every channel of the array does, as rtl_models/cycle/wave.h writes it. */
#ifndef ONYX_COSIM_WAVES_H
#define ONYX_COSIM_WAVES_H

#include "rtl_models/cycle/wave.h"
#include "rtl_models/soc/machine.h"

/* Begins FOLDER/waves.fst. FOLDER/channels.json has the channels of interest, those of one tile together:
 * {"channels": [{"x": 4, "y": 2, "port": 0, "tile": "x4y2 intersect", "name": "coord_in_0", "from": "..."}]};
 * with a "kind", and a stream with the "copy" that it is of, what is no port of a tile (docs/cosim.md). NULL
 * after errors. */
wave *cosim_waves_begin(const char *folder, machine *m, arena *mem, diagnostics *d);
#endif
