/* dense_run.h - programs of the dense fabric in onyx run. */
#ifndef ONYX_CLI_DENSE_RUN_H
#define ONYX_CLI_DENSE_RUN_H

#include "cli/cli.h"

/* Runs a dense program of a single file; *dense: whether the file is dense. E0906-engine-option,
 * E0972-chip-result. */
bool cli_dense_run(cli_session *s, bool *dense);

#endif
