/* log.h - `--log FILE`: what a command was told and all that it printed, besides where it was printed. */
#ifndef ONYX_LOG_H
#define ONYX_LOG_H

#include "support/support.h"

typedef struct cli_log cli_log;
/* Begins FILE with a line that is the command; from now on standard output goes there. NULL after
 * E0004-write. */
cli_log *log_begin(const char *path, const char *command, arena *mem, diagnostics *d);
/* What went there is copied to where standard output was, which it is again. False with errno if that takes
 * no more. Does nothing without a log, and a second time. */
bool log_copy_out(cli_log *log);
/* Writes the messages as text, and the exit code. */
void log_end(cli_log *log, const diagnostics *d, int code);

#endif
