/* case.h - the command that made a folder, as something to change and to run again: the ground of `onyx
 * reduce` and `onyx bugreport`. */
#ifndef ONYX_CASE_H
#define ONYX_CASE_H

#include "cli/cli.h"

typedef struct {
    const char *tensor; /* its name */
    tile_tensor data;
} case_operand;

typedef struct {
    option_command command;
    const char *expression;    /* or an absolute FILE.gv */
    VEC(option_given) options; /* but those of every command, and those that name a file to write */
    VEC(case_operand) operands;
    tile_dtype dtype;
    const char *from; /* the folder where it ran */
} cli_case;

/* How a run ended. */
typedef struct {
    int code;         /* its exit code; CASE_LATE: it took longer than it might */
    const char *what; /* the code of its first error, or the place of an internal fault; "" for neither */
    const char *says; /* that error, without a place */
    const char *log;  /* the file with all that it printed */
} case_end;
enum { CASE_LATE = 124 };

/* Reads the command that a folder records, of the last run there even if that failed; paths are absolute
 * afterwards, and the current folder is that of then, if it is still there. E0950-not-compiled. */
bool case_read(cli_session *s, const char *folder, cli_case *c);
/* Reads the operands, so that they can be changed; where that fails they stay options. */
void case_take_operands(cli_session *s, const char *folder, cli_case *c);
/* Returns the command line, for a program `onyx` that is called so; operands are read from `folder`, and what
 * is made goes to `out`. What belongs to tensors that the expression does not have any more is left out. */
text_vec case_words(cli_session *s, const cli_case *c, const char *program, const char *folder,
                    const char *out);
/* Writes the operands that the expression has into the folder. */
bool case_write_operands(cli_session *s, const cli_case *c, const char *folder);
/* Runs words and says how that ended; `words` get the options that make its messages readable by programs
 * where `messages` is NULL; else all that is printed goes to that file as it is. False after E0930-tool, and
 * where the user interrupted it. */
bool case_run(cli_session *s, text_vec words, const char *folder, const char *messages, case_end *end);

#endif
