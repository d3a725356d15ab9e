/* waves.h - what the units of a dense array do in every cycle, as waveforms and a time line. */
#ifndef ONYX_DENSE_WAVES_H
#define ONYX_DENSE_WAVES_H

#include "dense/design.h"
#include "rtl_models/cycle/dense.h"

typedef struct dense_waves dense_waves;

/* Begins FOLDER/waves.fst (rtl_models/cycle/wave.h): a channel for each output of a unit, and for each word
 * and bit of an IO tile. Registers on wires have none. NULL after E0001-file. */
dense_waves *dense_waves_begin(const char *folder, const dense_array *array, diagnostics *d);
/* Takes the values of a cycle that dense_cycle has just run. */
void dense_waves_cycle(dense_waves *w, const dense_model *m, uint32_t cycle);
/* A stream moved this word at the IO node. */
void dense_waves_move(dense_waves *w, uint32_t node, uint32_t cycle, uint16_t word);
/* Completes waves.fst, waves.gtkw and timeline.json. E0001-file. */
bool dense_waves_end(dense_waves *w, diagnostics *d);

#endif
