/* case.h - the command recorded in a folder, to be changed and run again: the base of `onyx reduce` and `onyx
 * bugreport`. */
#ifndef ONYX_CASE_H
#define ONYX_CASE_H

#include "cli/cli.h"

typedef struct {
    const char *tensor; /* its name */
    tile_tensor data;
} case_operand;

typedef struct {
    option_command command;
    const char *expression; /* or an absolute FILE.gv */
    VEC(option_given) options; /* without common options and output files */
    VEC(case_operand) operands;
    tile_dtype dtype;
    const char *from; /* the folder where it ran */
} cli_case;

/* How a run ended. */
typedef struct {
    int code;         /* its exit code; CASE_LATE: the time limit was exceeded */
    const char *what; /* the code of its first error, or the place of an internal fault; "" for neither */
    const char *says; /* that error, without a place */
    const char *log;  /* the file with its complete output */
} case_end;
enum { CASE_LATE = 124 };

/* Reads the command recorded in a folder, of the last run even if failed; paths are absolute afterwards, and
 * the current folder is the recorded one, if present. E0950-not-compiled. */
bool case_read(cli_session *s, const char *folder, cli_case *c);
/* Reads the operands, to allow changes; on failure they stay options. */
void case_take_operands(cli_session *s, const char *folder, cli_case *c);
/* Returns the command line, for a program `onyx` of this name; operands are read from `folder`, and outputs
 * go to `out`. Options of tensors absent from the expression are left out. */
text_vec case_words(cli_session *s, const cli_case *c, const char *program, const char *folder,
                    const char *out);
/* Writes the operands of the expression into the folder. */
bool case_write_operands(cli_session *s, const cli_case *c, const char *folder);
/* Runs words and records the end; with `messages` NULL, `words` get the options for machine-readable
 * messages; otherwise the complete output goes to this file unchanged. False after E0930-tool, and after an
 * interruption by the user. */
bool case_run(cli_session *s, text_vec words, const char *folder, const char *messages, case_end *end);

#endif
