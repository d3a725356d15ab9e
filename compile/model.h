/* model.h - the cycle model on the batches of a kernel: as engine cycle, or ahead of another engine. */
#ifndef ONYX_COMPILE_MODEL_H
#define ONYX_COMPILE_MODEL_H

#include "compile/engine.h"

typedef struct compile_model compile_model;
/* Loads the decoded design; out->modelled is what runs on. NULL after errors. */
compile_model *compile_model_begin(const compile_engine_in *in, compile_outcome *out);
/* All runs of the plan. Their words are collected and the cycles of these written, where there is something
 * to collect and write them to. E0802. */
bool compile_model_batch(compile_model *m, const tile_plan *plan, tile_collector *c, FILE *trace);
/* Cycles of the array so far. */
uint64_t compile_model_cycles(const compile_model *m);
/* The hazards it met, as --hazards says: E0803, false if they end the run. */
bool compile_model_report(const compile_engine_in *in, const compile_modelled *met);
/* Whether the monitor of hazard `kind`, by its name, at `tile` raised it in the model. */
bool compile_model_raised(const compile_modelled *met, const char *kind, const char *tile);
/* A monitor of the array was raised at tile x, y: reported like the model's, unless that has raised the same.
 * E0803; false if it ends the run. */
bool compile_hazard_of_array(const compile_engine_in *in, const compile_modelled *met, cycle_hazard_kind kind,
                             pnr_site at);

#endif
