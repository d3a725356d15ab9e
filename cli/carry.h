/* carry.h - files read by a recorded command, copied into the folder of a report. */
#ifndef ONYX_CLI_CARRY_H
#define ONYX_CLI_CARRY_H

#include "cli/case.h"

typedef struct {
    cli_session *s;
    const char *folder; /* the report's, absolute */
    cJSON *files;       /* of bugreport.json; carry_files makes it */
} carry;

/* Copies operands, the graph, functions with their C files, formats and the board, and renames them in the
 * command's words. The report may be about an unreadable file, hence such files are skipped. E0958-incomplete
 * (a warning) if functions name files outside of their folder. */
void carry_files(carry *to, cli_case *c);
bool carry_write(const carry *to, const char *name, const char *bytes, size_t length);
/* Removes the operands again, once the command has read them. */
void carry_remove_operands(const carry *to, const cli_case *c);

#endif
