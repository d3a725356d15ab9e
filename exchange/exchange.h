/* exchange.h - applications made for the chip by other tools: a bitstream, the words of its streams, register
 * writes, expected results. They are read from their users' files, and run unchanged.
 *
 * A stream is a level of a tensor (segments, followed by coordinates) or its values, in the global buffer's
 * form: each block of words preceded by its length. */
#ifndef ONYX_EXCHANGE_H
#define ONYX_EXCHANGE_H

#include "dense/dense.h"
#include "engines/engines.h"

/* Files for another tool. AHA: those of the chip's own flow (meta file, raw words, C headers, register
 * writes, a debugger's script). BENCH: the kernel as RTL (a module, its library, a map of its ports, words of
 * its streams) with a bench of this kind. */
typedef struct exchange_target {
    enum { EXCHANGE_AHA, EXCHANGE_BENCH_VERILATOR, EXCHANGE_BENCH_SV, EXCHANGE_BENCH_COCOTB } form;
    const char *folder, *name; /* of the module; NULL: kernel_ and the result's name */
} exchange_target;

/* A stream, by its IO column. */
typedef struct {
    const char *name; /* "tensor_B_mode_0", the files' name; "x4" without a name */
    const char *from; /* the file of its words, for messages */
    uint32_t column;  /* EXCHANGE_UNPLACED: no file says */
    uint32_t blocks;  /* length-headed blocks in a run, as taken or given by the bitstream's memory tile */
    u16_vec words;    /* of all runs: loaded words, or expected words */
    bool known;       /* `words` are known; always for an input of a run */
} exchange_stream;
typedef VEC(exchange_stream) exchange_streams;
enum { EXCHANGE_UNPLACED = UINT16_MAX };

typedef struct {
    const char *name, *path;
    bits_stream bits;
    exchange_streams inputs, outputs;
    const netlist *net; /* of an exported kernel; else NULL */
    /* Writes of the program to the global buffer: to load the bitstream, and to set up its streams. Both are
     * empty if the files have none. */
    fw_writes writes;
} exchange_program;

/* The program on its board: the engine's inputs, and their paths; its streams in the order of their columns,
 * a run for each set of blocks. */
typedef struct {
    compile_bare bare;
    tile_plan plan;
    pnr_design design; /* decoded from the words */
    pnr_board board;
} exchange_array;

/* Comparison of an output with the expected output, if any: equal words; or tensors that differ only in
 * explicit zeros absent from the expected tensor; or different. */
typedef enum { EXCHANGE_NOT_COMPARED, EXCHANGE_SAME, EXCHANGE_ZEROS, EXCHANGE_DIFFERS } exchange_verdict;
typedef struct {
    u16_vec words;
    exchange_verdict verdict;
    uint32_t zeros; /* number of explicit zeros absent from the expected tensor, for EXCHANGE_ZEROS */
} exchange_stored;

/* Returns whether an argument of onyx run names a program of this kind: FILE.bs, a program as a JSON file
 * (.json, .json.gz), C headers (NAME_script.h next to the rest), or a folder with design_meta.json, perhaps
 * in its folder bin, or in folders tile0, tile1 .. of a run each. */
bool exchange_is_program(const char *path);
/* Reads the program, and its streams from the additional files of `data`: COLUMN=FILE ("x4=b.raw"), a folder,
 * or a file. E0970-chip-file, E0971-chip-streams. */
bool exchange_read(const char *path, const text_vec *data, arena *mem, diagnostics *d, exchange_program *p);
/* Reads a program of the dense fabric: words, register writes, and the arrays by their tiles of the global
 * buffer. The path names a JSON file, C headers (NAME_script.h), a folder with streams of the dense fabric in
 * design_meta.json, or words alone (.bs). E0970-chip-file. */
bool exchange_read_dense(const char *path, arena *mem, diagnostics *d, dense_program *out);
/* Writes the file p->path, or the program of the folder p->path as a JSON file, with the words and register
 * writes of the program in place of its own. */
bool exchange_write_dense(const dense_program *p, const char *path, diagnostics *d);
/* Runs the program on the engine of the options, cycle or soc: by its own register writes on soc, by the
 * firmware's where it has none (E0975-chip-registers). Writes the words of each store, by their addresses, as
 * xN.raw for IO column N. E0971-chip-streams, and the errors of the engine. */
bool exchange_run_dense(const compile_options *o, compile_context *ctx, const dense_design *design,
                        const dense_program *p, const dense_streams *streams, dense_outcome *out);
/* Decodes the bitstream, finds each stream's IO cell, and cuts the words into runs. Streams get the order of
 * their columns. E0971-chip-streams, and what bits_decode has to say. */
bool exchange_place(const compile_options *o, compile_context *ctx, exchange_program *p, exchange_array *a);
/* The result of a run; `stored` is by output, in the order of the program. */
typedef struct {
    compile_outcome ran;
    exchange_stored *stored;
} exchange_outcome;

/* Runs the program on the engine of the options, and compares: E0972-chip-result (exit 3), E0973-chip-zeros
 * (a warning) if only explicit zeros differ. */
bool exchange_run(const compile_options *o, compile_context *ctx, const exchange_program *p,
                  const exchange_array *a, exchange_outcome *out);
/* Makes a program of a kernel that ran on the cycle model with --io-trace: its streams load the runs' words,
 * and expect the words stored by the model. */
bool exchange_of_kernel(const compile_options *o, compile_context *ctx, const compile_kernel *k,
                        exchange_program *p, exchange_array *a);
/* Writes the kernel, and the program made of it, in this form. E0976-export for an unusable name. */
bool exchange_write(compile_context *ctx, const compile_kernel *k, const exchange_program *p,
                    const exchange_array *a, const exchange_target *how);
/* Writes the kernel in the files of the published SAM simulator: graph, and operands as files of levels. */
bool exchange_write_sam(compile_context *ctx, const compile_kernel *k, const char *folder);
/* Makes report.json of the program; and the summary for people. */
cJSON *exchange_report(const compile_options *o, const compile_context *ctx, const exchange_program *p,
                       const exchange_array *a, const exchange_outcome *ran);
void exchange_summary(const compile_options *o, const exchange_program *p, const exchange_array *a,
                      const exchange_outcome *ran, const cJSON *report, FILE *out);

#endif
