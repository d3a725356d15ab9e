/* formats.h - formats by name: the shipped formats (formats/) and the user's, and the tensors' formats of
 * -f. */
#ifndef ONYX_KERNEL_FORMATS_H
#define ONYX_KERNEL_FORMATS_H

#include "frontend/schedules/schedules.h"
#include "kernel/kernel.h"
#include "tiling/formats.h"

/* Reads the shipped formats, and the formats of these files, which need different names. */
bool compile_read_formats(compile_context *ctx, const text_vec *files, tile_formats *out);
/* Finds a format of tensors of this order among the shipped formats and those of --formats. E0311, E0363. */
bool compile_find_format_of(const compile_options *o, compile_context *ctx, const char *text, uint32_t order,
                            tile_format *out);
/* Returns whether only the host knows a format of -f: a format by name, or levels absent from the array. */
bool compile_is_host_format(const char *format);

/* Finds the formats of -f, one for each word; without levels or parts: the word has letters scanned by the
 * array. E0363-format-unknown; E0356-banks if --dispatch requests banks and no format has any.
 */
bool compile_host_formats(const compile_options *o, compile_context *ctx, const tile_format **out);
typedef VEC(fe_scans) compile_scans;
/* Returns -f in the frontend's form: the array's scanning formats in place of formats by name, and of
 * host-only levels; their original names, NULL for letters; and the levels of each that engine sam does not
 * scan. */
bool compile_scanned_formats(const compile_options *o, compile_context *ctx, text_vec *out, text_vec *names,
                             compile_scans *scans);
/* Returns whether a format has blocks whose levels the array can scan: a level for each index' quotient,
 * followed by a level for each remainder, all dense or compressed. */
bool compile_is_blocked(const tile_format *f);
/* Returns whether -f stores an operand of order 2 by diagonals (DIA), or by runs of equal values (RLE,
 * PackBits), and the options allow loops along them. */
typedef enum { COMPILE_BY_DIAGONALS, COMPILE_BY_RUNS } compile_shape;
bool compile_is_stored_so(const compile_options *o, compile_context *ctx, const sam_statement *st,
                          sam_tensor t, compile_shape shape);
/* Size of a tensor in a format; and of its parts, if the format has any. */
typedef struct compile_stored_size {
    const char *format;
    uint64_t entries, values, bytes, metadata;
    uint32_t banks, parts; /* 0: none */
    uint64_t fullest;      /* entries of a bank at most */
    const struct compile_stored_size *part;
} compile_stored_size;
/* Writes a tensor in a format to a .stored file. E0311, E0363, E0364. */
bool compile_store(const compile_options *o, compile_context *ctx, const char *format, const tile_tensor *t,
                   compile_stored_size *out);

/* Stores each operand in its host format (the user's whole tensor for a window), and warns of its size there
 * and on the array: E0352-repacked. Operands in blocks, parts, diagonals or runs are left out while their
 * re-packing is open. E0364-not-stored. */
bool compile_say_repacked(const compile_options *o, compile_context *ctx, const sam_statement *st,
                          const compile_data *data);

/* Makes the operand of these windows of the user's tensors, and unless `quiet` warns of its bytes:
 * E0353-recut. */
bool compile_join_windows(compile_context *ctx, const tile_joint *all, bool quiet, tile_tensor *out);

/* Gives a program the formats by name, and their scanning formats on the array. */
bool compile_list_formats(const compile_options *o, compile_context *ctx, fe_program_in *out);

#endif
