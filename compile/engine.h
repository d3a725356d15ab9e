/* engine.h - what runs the batches of a compiled kernel, and what the engines share. */
#ifndef ONYX_COMPILE_ENGINE_H
#define ONYX_COMPILE_ENGINE_H

#include "compile/compile_int.h"

/* The kernel's streams in the order of their IO columns; cells by index in the design's netlist. A decoded
 * design has columns and cells only. */
typedef struct {
    tile_copy_stream in[64], out[64];
    uint32_t in_column[64], out_column[64];
    uint32_t in_cell[64], out_cell[64];
    uint32_t n_in, n_out;
} compile_streams;
void compile_streams_of(const pnr_design *design, compile_streams *streams);

/* sam_simulate with the options of engine sam; writes the statistics and the trace, also of a run that
 * failed; of several kernels those of the last. E0907-trace-edge. */
bool compile_watched_simulate(const compile_options *o, compile_context *ctx, const sam_graph *g,
                              const sam_tensor_levels *operands, uint32_t n_operands, sam_sim_result *out);
/* ---- the runs of a kernel, batch by batch (batches.c) ----------------------------------------- */

/* Dealt to the copies of the kernel, so many at a time that host memory stays bounded: by what the global
 * buffer holds. */
typedef struct {
    compile_context *ctx;
    compile_kernel *kernel;
    const tile_operands *operands; /* packed */
    tile_planner *planner;         /* NULL: ended */
    compile_streams streams;
    tile_stream inputs[TILE_MAX_STREAMS], outputs[TILE_MAX_STREAMS]; /* of one copy */
    uint32_t n_in, n_out;
    tile_dispatch how;
    uint32_t most_words; /* of a batch */
    arena mem;           /* of the present batch */
    bool again;          /* the same ones a second time, which are not counted */
    bool failed;
} compile_batches;
bool compile_begin_batches(compile_context *ctx, compile_kernel *k, const tile_operands *in,
                           compile_batches *b);
/* The next one, in kernel->plan; false: there is none (kernel->plan has streams, but no runs), or it failed.
 */
bool compile_next_batch(compile_batches *b);
void compile_end_batches(compile_batches *b);

/* For engines that take all runs from a file: every batch goes through the cycle model, for what the chip
 * would get wrong there (E0803), and to `put`, the last one without runs. No planner is left then. */
typedef bool compile_put_plan(void *to, const tile_plan *plan);
bool compile_write_batches(const compile_options *o, compile_batches *b, compile_outcome *out,
                           compile_put_plan *put, void *to);
/* Makes the batches again, to collect what came back of them in a result file; *cycles: of all runs. */
bool compile_collect_batches(compile_batches *b, const char *result, tile_collector *c, uint64_t *cycles);

/* The result of these is that of the packed statement. */
/* FOLDER/channels.json, the channels whose waves onyx-cosim writes; FOLDER/waves.gtkw and tokens.txt, which
 * show the wires of the netlist of engine rtl in GTKWave. */
bool compile_write_channels(const pnr_design *d, const char *folder, compile_context *ctx);
bool compile_write_netlist_waves(const pnr_design *d, const char *folder, compile_context *ctx);
bool compile_run_cycle(const compile_options *o, compile_context *ctx, compile_kernel *k,
                       compile_batches *batches, tile_collector *c, compile_outcome *out);
/* The cycle model ahead of another engine, batch by batch; `out` keeps it. The end reports hazards: E0803. */
typedef struct compile_ahead compile_ahead;
compile_ahead *compile_ahead_begin(compile_context *ctx, const compile_kernel *k, compile_outcome *out);
bool compile_ahead_batch(compile_context *ctx, compile_ahead *a, const tile_plan *plan, compile_outcome *out);
bool compile_ahead_end(const compile_options *o, compile_context *ctx, const compile_outcome *out);
/* Whether the monitor of hazard `kind`, by its name, at `tile` raised it in the model. */
bool compile_model_raised(const compile_outcome *out, const char *kind, const char *tile);
/* A monitor of the array was raised at tile x, y: reported like the model's, unless that has raised the same.
 * E0803; false if it ends the run. */
bool compile_hazard_of_array(const compile_options *o, compile_context *ctx, const compile_outcome *out,
                             cycle_hazard_kind kind, uint32_t x, uint32_t y);
bool compile_run_rtl(const compile_options *o, compile_context *ctx, compile_kernel *k,
                     compile_batches *batches, tile_collector *c, compile_outcome *out);
bool compile_run_soc(const compile_options *o, compile_context *ctx, compile_kernel *k,
                     compile_batches *batches, tile_collector *c, compile_outcome *out);
bool compile_run_program(const compile_options *o, compile_context *ctx, compile_kernel *k,
                         compile_batches *batches, tile_collector *c, compile_outcome *out);
/* compile_write_batches to a batch file of at most so many buffers. */
bool compile_write_batch_file(const compile_options *o, compile_context *ctx, compile_kernel *k,
                              uint32_t buffers, const char *path, compile_batches *batches,
                              compile_outcome *out);
/* The app.elf in the folder is whole, and of this kernel. */
bool compile_firmware_is_there(compile_context *ctx, const compile_kernel *k, const char *folder);
/* The file of a program of the toolchain, "onyx-cosim". */
const char *compile_program(const compile_context *ctx, const char *name);
/* Runs a program and waits; its standard output goes to `log`. False with E0930-tool when it fails, and with
 * ctx->interrupted and nothing else when somebody interrupted it. */
bool compile_spawn(compile_context *ctx, const char *const *argv, const char *log);

#endif
