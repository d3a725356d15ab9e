/* model.h - runs the cycle model on the batches of a kernel: as engine cycle, or ahead of another engine. */
#ifndef ONYX_ENGINES_MODEL_H
#define ONYX_ENGINES_MODEL_H

#include "engines/engine.h"
#include "rtl_models/cycle/samples.h"

typedef struct compile_model compile_model;
/* Loads the decoded design; the model runs on out->modelled. Returns NULL after errors. */
compile_model *compile_model_begin(const compile_engine_in *in, compile_outcome *out);
/* Makes all runs of the plan. Collects their words in `c` and writes the cycle of each word to `trace`,
 * unless these are NULL. E0802. */
bool compile_model_batch(compile_model *m, const tile_plan *plan, tile_collector *c, FILE *trace);
/* Makes all runs of the plan in `jobs` processes, and collects their words in `c`, unless NULL; copies with
 * independent starts run in this process. E0802, E0930. */
bool compile_model_share(compile_model *m, const tile_plan *plan, tile_collector *c, uint32_t jobs);
/* Makes runs i, i + n, i + 2 n .. of the plan and writes the results into a new file. E0802, E0004. */
bool compile_model_shard(compile_model *m, const tile_plan *plan, uint32_t i, uint32_t n, const char *path);
/* Takes the plan's runs from n files, file[i] with the runs from i, and collects their words in `c`, unless
 * NULL. The state afterwards equals that of a model that made all runs. E0955-shards. */
bool compile_model_merge(compile_model *m, const tile_plan *plan, tile_collector *c, const char *const *file,
                         uint32_t n);
/* E0930, of process `i` of `n` for these runs: its end, as in child_result. Returns false; after an
 * interruption with ctx->interrupted alone. */
bool compile_share_failed(compile_context *ctx, const char *runs, uint32_t i, uint32_t n, int end);
/* Has the runs to come sampled; the result has so many modes. */
cycle_samples *compile_model_sample(compile_model *m, uint32_t modes);
/* Returns the cycles of the array up to now. */
uint64_t compile_model_cycles(const compile_model *m);
/* Reports the model's hazards by --hazards: E0803. Returns false if they end the run. */
bool compile_model_report(const compile_engine_in *in, const compile_modelled *met);
/* Returns whether the monitor of hazard `kind`, by name, at `tile` was raised in the model. */
bool compile_model_raised(const compile_modelled *met, const char *kind, const char *tile);
/* Reports a raised monitor of the array at a tile like the model's, unless the model raised the same monitor:
 * E0803. Returns false if the hazard ends the run. */
bool compile_hazard_of_array(const compile_engine_in *in, const compile_modelled *met, cycle_hazard_kind kind,
                             pnr_site at);

#endif
