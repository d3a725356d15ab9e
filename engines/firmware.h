/* firmware.h - the firmware program of a kernel, built, or found complete from an earlier run; its batches in
 * a file; deferred batches. */
#ifndef ONYX_ENGINES_FIRMWARE_H
#define ONYX_ENGINES_FIRMWARE_H

#include "engines/engine.h"

/* The folder firmware/ of a kernel (firmware.c): its program, its batches, and their results. */
struct compile_firmware {
    const char *folder, *final_folder, *elf, *batches, *result;
    fw_columns columns;
    fw_batch_writer *writer;
    fw_batch_stats counts; /* once the file is ended */
};

/* A deferred batch: its file, the program, its plan, and the words stored by the model by output. */
struct compile_deferred {
    const char *elf, *batches;
    fw_columns columns;
    fw_batch_stats counts;
    tile_plan plan;         /* of the last batch, without words */
    const uint32_t *in_row; /* by output, its number among those of the table's rows; NULL: the same */
    struct {
        const uint8_t *at;
        uint32_t len;
    } stored[TILE_MAX_STREAMS];
    const sam_tensor_data *operands; /* of calls of a function, by input: dense vectors, or a value for all
                                        calls; NULL: the batch is of the array */
};

/* Makes the folder and begins the file of batches, with at most `buffers` buffers; r->own is the
 * compile_firmware. */
bool compile_firmware_begin(compile_engine_run *r, uint32_t buffers);
/* The first function serves as `batch` of an engine begun by compile_firmware_begin. The second ends the
 * file, kept only if all is good. */
bool compile_firmware_batch(compile_engine_run *r, const tile_plan *plan);
bool compile_firmware_end(compile_engine_run *r, bool good);
/* Returns whether an earlier run left a complete app.elf, of this kernel, with a sufficient time-out for this
 * run's model; r uses this app.elf. */
bool compile_firmware_is_there(compile_engine_run *r, const compile_outcome *out);
/* Makes the folder for a file of batches of calls (firmware.c); r->own is the compile_firmware. */
bool compile_firmware_begin_calls(compile_engine_run *r);
/* Makes the app.elf; out->firmware_s is the time taken. */
bool compile_firmware_build(compile_engine_run *r, compile_outcome *out);

/* Builds firmware/app.elf in the kernel's folder, of its bitstream or of all images of its program (boot
 * configures the first; fw_build), and app.json with its ingredients. E0713-early-output. */
bool compile_build_firmware(const compile_options *o, compile_context *ctx, const compile_kernel *k,
                            fw_app *app);
/* Adds the batch to in->deferred, and records the future results of its stores. Returns true. */
bool compile_defer_firmware_batch(const compile_engine_run *r, const compile_outcome *out);
/* Records the results left on the chip by the stores of a finished run. */
void compile_firmware_note(const compile_engine_run *r, const compile_outcome *out);

#endif
