/* wave.h - what every channel of a cycle model does over time, as an FST file, and a save file for GTKWave
 * that shows it. One time unit (1 ns) is a cycle since reset. A scope per tile, in it for each input `PORT`:
 * the token at it as text ("5", "S1", "D", "N"; empty: none), and `PORT_is`: moves, stalled, held, starved,
 * idle. */
#ifndef ONYX_WAVE_H
#define ONYX_WAVE_H

#include "rtl_models/cycle.h"

typedef struct wave wave;

/* Writes FOLDER/waves.fst from the model's next cycle on. NULL after E0001-file. */
wave *wave_begin(const char *folder, const cycle_design *design, cycle_model *m, arena *mem, diagnostics *d);
/* Completes it, also of a run that failed, and writes FOLDER/waves.gtkw. The model is no longer watched. */
bool wave_end(wave *w, cycle_model *m, diagnostics *d);

#endif
