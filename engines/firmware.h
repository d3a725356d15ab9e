/* firmware.h - the firmware program of a kernel, built, or found whole from an earlier run; its batches in a
 * file; batches that run later than they are made. */
#ifndef ONYX_ENGINES_FIRMWARE_H
#define ONYX_ENGINES_FIRMWARE_H

#include "engines/engine.h"

/* The folder firmware/ of a kernel (firmware.c): its program, its batches, and what comes back of them. */
struct compile_firmware {
    const char *folder, *place, *elf, *batches, *result;
    fw_columns columns;
    fw_batch_writer *writer;
    fw_batch_stats counts; /* once the file is ended */
};

/* A batch that is to run later: its file, the program, its plan, and what the model has stored by output. */
struct compile_later {
    const char *elf, *batches;
    fw_columns columns;
    fw_batch_stats counts;
    tile_plan plan; /* of the last batch, without words */
    struct {
        const uint8_t *at;
        uint32_t len;
    } stored[TILE_MAX_STREAMS];
    const sam_tensor_data *operands; /* of calls of a function, by input: dense vectors, or one value for all
                                        calls; NULL: the batch is of the array */
};

/* Makes the folder and begins the file of batches, with at most so many buffers; r->own is the
 * compile_firmware. */
bool compile_firmware_begin(compile_engine_run *r, uint32_t buffers);
/* The first serves as `batch` of an engine that began so. The second ends the file, which is left only if all
 * is good. */
bool compile_firmware_batch(compile_engine_run *r, const tile_plan *plan);
bool compile_firmware_end(compile_engine_run *r, bool good);
/* Returns whether an earlier run left an app.elf that is whole, of this kernel, and as patient as this run's
 * model needs: then that is its app.elf. */
bool compile_firmware_is_there(compile_engine_run *r, const compile_outcome *out);
/* Makes the folder for a file of batches that is of calls (firmware.c); r->own is the compile_firmware. */
bool compile_firmware_begin_calls(compile_engine_run *r);
/* Makes the app.elf; out->firmware_s says how long that took. */
bool compile_firmware_build(compile_engine_run *r, compile_outcome *out);

/* Builds firmware/app.elf in the kernel's folder, of its bitstream or of all that its program has, of which
 * boot configures the first (fw_build), and beside it app.json, which says what it was made of.
 * E0713-early-output. */
bool compile_build_firmware(const compile_options *o, compile_context *ctx, const compile_kernel *k,
                            fw_app *app);
/* Notes the batch in in->later, and what its stores will leave. Returns true. */
bool compile_firmware_later(const compile_engine_run *r, const compile_outcome *out);
/* Notes what the stores of the run, which was made, have left on the chip. */
void compile_firmware_note(const compile_engine_run *r, const compile_outcome *out);

#endif
