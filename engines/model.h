/* model.h - runs the cycle model on the batches of a kernel: as engine cycle, or ahead of another engine. */
#ifndef ONYX_ENGINES_MODEL_H
#define ONYX_ENGINES_MODEL_H

#include "engines/engine.h"

typedef struct compile_model compile_model;
/* Loads the decoded design; the model runs on out->modelled. Returns NULL after errors. */
compile_model *compile_model_begin(const compile_engine_in *in, compile_outcome *out);
/* Makes all runs of the plan. Collects their words in `c` and writes the cycle of each word to `trace`,
 * unless these are NULL. E0802. */
bool compile_model_batch(compile_model *m, const tile_plan *plan, tile_collector *c, FILE *trace);
/* Makes all runs of the plan in so many processes, and collects their words in `c`, unless that is NULL;
 * where copies start by themselves, each when it is free, in this one. E0802, E0930. */
bool compile_model_share(compile_model *m, const tile_plan *plan, tile_collector *c, uint32_t jobs);
/* Makes of the plan's runs number i, i + n, i + 2 n .. and leaves what it found in a file, which is new.
 * E0802, E0004. */
bool compile_model_shard(compile_model *m, const tile_plan *plan, uint32_t i, uint32_t n, const char *path);
/* Takes the plan's runs from n such files, file[i] of those that begin with i, and collects their words in
 * `c`, unless that is NULL. Everything is then as if the model had made them. E0955-shards. */
bool compile_model_merge(compile_model *m, const tile_plan *plan, tile_collector *c, const char *const *file,
                         uint32_t n);
/* E0930, of the process `i` of `n` that share these runs: how it ended, as child_part has it. Returns false;
 * where somebody interrupted it, with ctx->interrupted alone. */
bool compile_share_failed(compile_context *ctx, const char *runs, uint32_t i, uint32_t n, int end);
/* Returns how many cycles the array took so far. */
uint64_t compile_model_cycles(const compile_model *m);
/* Reports the hazards it met, as --hazards says: E0803. Returns false if they end the run. */
bool compile_model_report(const compile_engine_in *in, const compile_modelled *met);
/* Returns whether the monitor of hazard `kind`, by its name, at `tile` raised it in the model. */
bool compile_model_raised(const compile_modelled *met, const char *kind, const char *tile);
/* Reports a monitor of the array that was raised at a tile as it does the model's, unless the model has
 * raised the same: E0803. Returns false if it ends the run. */
bool compile_hazard_of_array(const compile_engine_in *in, const compile_modelled *met, cycle_hazard_kind kind,
                             pnr_site at);

#endif
