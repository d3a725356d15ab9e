/* log.h - `--log FILE`: the command and its complete output, in addition to the normal output. */
#ifndef ONYX_LOG_H
#define ONYX_LOG_H

#include "support/support.h"

typedef struct cli_log cli_log;
/* Begins FILE with the command as a line; redirects standard output to FILE. NULL after E0004-write. */
cli_log *log_begin(const char *path, const char *command, arena *mem, diagnostics *d);
/* Copies the log to the original standard output, and restores standard output. False with errno on a write
 * error. Does nothing without a log, and a second time. */
bool log_copy_out(cli_log *log);
/* Writes the messages as text, and the exit code. */
void log_end(cli_log *log, const diagnostics *d, int code);

#endif
