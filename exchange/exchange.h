/* exchange.h - applications that other tools made for the chip: a bitstream, the words of its streams,
 * register writes, expected results. They are read from the files their users hold, and run as they stand.
 *
 * A stream is a level of a tensor (segments, then coordinates) or its values, as the global buffer has it:
 * each block of words with its length before it. */
#ifndef ONYX_EXCHANGE_H
#define ONYX_EXCHANGE_H

#include "dense/dense.h"
#include "engines/engines.h"

/* A stream, by the IO column that it enters or leaves. */
typedef struct {
    const char *name; /* "tensor_B_mode_0", as the files call it; "x4" where they do not */
    const char *from; /* the file of its words, for messages */
    uint32_t column;  /* EXCHANGE_UNPLACED: no file says */
    uint32_t blocks;  /* length-headed ones in a run, as the bitstream's memory tile takes or gives them */
    u16_vec words;    /* of all runs: what is loaded, or what is expected */
    bool known;       /* there are such words; always of an input that runs */
} exchange_stream;
typedef VEC(exchange_stream) exchange_streams;
enum { EXCHANGE_UNPLACED = UINT16_MAX };

typedef struct {
    const char *name, *path;
    bits_stream bits;
    exchange_streams inputs, outputs;
    /* What the program writes to the global buffer: to load the bitstream, and to set up its streams. Both
     * are empty where the files say nothing of it. */
    fw_writes writes;
    uint32_t
        tile_stride; /* between the registers of two GLB tiles in these writes: 0x100, the chip's, or 0x200 */
} exchange_program;

/* The program on its board: what the engine reads of it, and where that is; its streams in the order of their
 * columns, a run for each set of blocks. */
typedef struct {
    compile_bare bare;
    tile_plan plan;
    pnr_design design; /* decoded from the words */
    pnr_board board;
} exchange_array;

/* How an output compares with what is expected, if anything is: its words are the same; or the tensors differ
 * only in explicit zeros that the expected one lacks; or they differ. */
typedef enum { EXCHANGE_NOT_COMPARED, EXCHANGE_SAME, EXCHANGE_ZEROS, EXCHANGE_DIFFERS } exchange_verdict;
typedef struct {
    u16_vec words;
    exchange_verdict verdict;
    uint32_t zeros; /* explicit ones that the expected tensor lacks, of EXCHANGE_ZEROS */
} exchange_stored;

/* Returns whether an argument of onyx run names a program of this kind: FILE.bs, a program as one JSON file
 * (.json, .json.gz), C headers (NAME_script.h beside the others), or a folder with design_meta.json, perhaps
 * in its folder bin, or in folders tile0, tile1 .. of one run each. */
bool exchange_is_program(const char *path);
/* Reads the program, and its streams from what `data` names besides: COLUMN=FILE ("x4=b.raw"), a folder, or a
 * file. E0970-chip-file, E0971-chip-streams. */
bool exchange_read(const char *path, const text_vec *data, arena *mem, diagnostics *d, exchange_program *p);
/* Reads a program of the dense fabric as one JSON file: words, register writes, and the arrays by the tiles
 * of the global buffer that they are dealt out over. E0970-chip-file. */
bool exchange_read_dense(const char *path, arena *mem, diagnostics *d, dense_program *out);
/* Writes the file that p->path names with the words and register writes of the program in place of its own.
 */
bool exchange_write_dense(const dense_program *p, const char *path, diagnostics *d);
/* Decodes the bitstream, finds each stream's IO cell, and cuts the words into runs. Streams get the order of
 * their columns. E0971-chip-streams, and what bits_decode has to say. */
bool exchange_place(const compile_options *o, compile_context *ctx, exchange_program *p, exchange_array *a);
/* What a run yields; `stored` is by output, in the order of the program. */
typedef struct {
    compile_outcome ran;
    exchange_stored *stored;
} exchange_outcome;

/* Runs it on the engine of the options, and compares: E0972-chip-result (exit 3), E0973-chip-zeros (a
 * warning) where explicit zeros alone differ. */
bool exchange_run(const compile_options *o, compile_context *ctx, const exchange_program *p,
                  const exchange_array *a, exchange_outcome *out);
/* Makes a program of a kernel that ran on the cycle model with --io-trace: its streams load what its runs
 * did, and are expected to store what the model stores. */
bool exchange_of_kernel(const compile_options *o, compile_context *ctx, const compile_kernel *k,
                        exchange_program *p, exchange_array *a);
/* Writes it as the chip's own flow takes it: meta file, raw words, C headers, register writes, a debugger's
 * script. */
bool exchange_write_aha(compile_context *ctx, const exchange_program *p, const exchange_array *a,
                        const char *folder);
/* Writes the kernel as the published simulator of SAM takes it: graph, and operands as files of levels. */
bool exchange_write_sam(compile_context *ctx, const compile_kernel *k, const char *folder);
/* Makes report.json of it; and what a person reads. */
cJSON *exchange_report(const compile_options *o, const compile_context *ctx, const exchange_program *p,
                       const exchange_array *a, const exchange_outcome *ran);
void exchange_summary(const compile_options *o, const exchange_program *p, const exchange_array *a,
                      const exchange_outcome *ran, const cJSON *report, FILE *out);

#endif
