/* dense.h - bitstreams of the dense fabric in onyx bits and bitgen. */
#ifndef ONYX_CLI_DENSE_H
#define ONYX_CLI_DENSE_H

#include "cli/cli.h"
#include "dense/dense.h"

/* A dense bitstream, and with onyx bits diff the second. */
typedef struct {
    const char *path;
    const pnr_board *board;
    const bits_map *map;
    const bits_stream *bits;
} cli_dense_file;

/* Does an action of onyx bits on a dense bitstream, with `other` as the second of diff. */
bool cli_dense_action(cli_session *s, const char *action, const cli_dense_file *file,
                      const cli_dense_file *other);
/* Makes a bitstream of a text form: onyx bitgen FILE.dense. */
bool cli_dense_assemble(cli_session *s, const cli_dense_file *file, const char *out);
/* Places and routes dense tiles anew: onyx pnr of FILE.dense, of dense FILE.bs, or of a program of the chip.
 * *dense: whether the file is one of these. */
bool cli_dense_pnr(cli_session *s, bool *dense);

#endif
