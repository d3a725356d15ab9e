/* formats.h - formats by name: those that ship (formats/) and the user's, and what -f says of the tensors. */
#ifndef ONYX_KERNEL_FORMATS_H
#define ONYX_KERNEL_FORMATS_H

#include "frontend/program.h"
#include "kernel/kernel.h"
#include "tiling/formats.h"

/* Reads the formats that ship, and those of these files, which may not have the same names. */
bool compile_read_formats(compile_context *ctx, const text_vec *files, tile_formats *out);
/* Finds the format that "BCSR" or "dh:1,0" says. E0363-format-unknown. */
bool compile_find_format(compile_context *ctx, const tile_formats *all, const char *text, tile_format *out);
/* Finds a format of tensors of that order among those that ship and that --formats names. E0311, E0363. */
bool compile_find_format_of(const compile_options *o, compile_context *ctx, const char *text, uint32_t order,
                            tile_format *out);
/* Returns whether only the host knows what -f says: a format by name, or levels that the array has not. */
bool compile_is_host_format(const char *format);

/* Finds the formats that -f names, one for each word of it; without levels or parts: the word has letters
 * that the array scans. E0363-format-unknown; E0356-banks where --dispatch asks for banks and none has any.
 */
bool compile_host_formats(const compile_options *o, compile_context *ctx, const tile_format **out);
/* Returns -f as the frontend takes it: of formats by name, and of levels that only the host knows, how the
 * array scans them; and the names they were given by, NULL of letters. */
bool compile_scanned_formats(const compile_options *o, compile_context *ctx, text_vec *out, text_vec *names);
/* Returns whether a format has blocks whose levels the array can scan: a level for what each index is divided
 * by, then one for what is left of it, all dense or compressed. */
bool compile_is_blocked(const tile_format *f);
/* Returns whether -f stores an operand of order 2 by diagonals (DIA), or by runs of equal values (RLE,
 * PackBits), and the options leave it open that loops go along these. */
typedef enum { COMPILE_BY_DIAGONALS, COMPILE_BY_RUNS } compile_shape;
bool compile_is_stored_so(const compile_options *o, compile_context *ctx, const sam_statement *st,
                          sam_tensor t, compile_shape shape);
/* What a tensor takes in a format; the same of its parts, where the format has any. */
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

/* Stores each operand of such a format, the user's whole tensor where the operand is a part of it, and warns
 * of what it takes there and on the array: E0352-repacked. Those in blocks, parts, diagonals or runs are left
 * out where it is open whether they are re-packed. E0364-not-stored. */
bool compile_say_repacked(const compile_options *o, compile_context *ctx, const sam_statement *st,
                          const compile_data *data);

/* Makes the operand that consists of these parts of the user's tensors, and unless `quiet` warns of the bytes
 * it takes: E0353-recut. */
bool compile_join_parts(compile_context *ctx, const tile_joint *all, bool quiet, tile_tensor *out);

/* Says of a program which formats there are by name, and how the array scans them. */
bool compile_list_formats(const compile_options *o, compile_context *ctx, fe_program_in *out);

#endif
