/* wave.h - activity of channels over time, as an FST file with a save file for GTKWave, and as a time line
 * (timeline.h). A time unit (1 ns) is a cycle of the array since reset. A scope per tile, with two signals
 * for each input PORT: the token at the port as text ("5", "S1", "D", "N"; empty: none), and `PORT_is`:
 * moves, stalled, held, starved, idle. */
#ifndef ONYX_WAVE_H
#define ONYX_WAVE_H

#include "rtl_models/cycle/cycle.h"

typedef struct wave wave;

/* The input of a tile: "x4y2 intersect", "coord_in_0", from "x3y2 fiber_access coord_out"; or another source
 * of tokens or activity, with a kind: timeline.h. */
typedef struct {
    const char *tile, *port, *from, *kind;
} wave_channel;
typedef VEC(wave_channel) wave_channels;

/* Begins FOLDER/waves.fst; channels of a tile are adjacent. NULL after E0001-file. */
wave *wave_begin(const char *folder, const wave_channels *channels, arena *mem, diagnostics *d);
/* Activity of a channel, by index, from `cycle` on; cycles never fall. `token` is valid while a token is
 * present. */
void wave_put(wave *w, uint32_t channel, uint64_t cycle, cycle_activity activity, uint32_t token);
/* Completes the file, and writes FOLDER/waves.gtkw and FOLDER/timeline.json. E0001-file. */
bool wave_end(wave *w, diagnostics *d);

/* wave_begin with all channels of a model. `watcher` gets what is to watch the model (cycle_watch), with the
 * wave as its context; before wave_end the model must be watched no more, or run no more. */
wave *wave_of_model(const char *folder, const cycle_design *design, cycle_watcher **watcher, arena *mem,
                    diagnostics *d);

#endif
