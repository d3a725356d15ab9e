/* sweep.h - common to onyx sweep and onyx study. */
#ifndef ONYX_CLI_SWEEP_H
#define ONYX_CLI_SWEEP_H

#include "cli/cli.h"
#include "sweep/sweep.h"

typedef struct {
    cli_session *session;
    const char *order; /* --order as given; an axis only after its stars are expanded */
    sweep_job job;
} sweep_command;

/* ---- sweep_axes.c -------------------------------------------------------------------------------- */

/* Adds the axis of an option: the values between separators, each as the option takes it. `pattern` stands
 * around each, as in reorder(i,j), or is NULL. E0903-option-value, E0914-twice. */
void sweep_add_axis(sweep_command *c, option_key key, const char *list, const char *pattern);
/* Gives every point an option. */
void sweep_pass_on(sweep_command *c, option_key key, const char *value);
/* Makes axes of options with several values; all other options go to the points unchanged. */
bool sweep_take_options(sweep_command *c);
/* Adds a value to an axis. E0914-twice, and onyx run's errors about its options. */
void sweep_add_value(sweep_command *c, sweep_axis *axis, const sweep_value *value);
/* Adds an argument of `onyx run` to a value; a program's or a graph's file counts by its contents. */
void sweep_add_kernel(const sweep_command *c, const char *text, sweep_value *value);
/* Returns the names of the boards, at least one. */
text_vec sweep_boards(const sweep_command *c);

/* ---- sweep.c ------------------------------------------------------------------------------------- */

/* Runs the points without a result; `rows` are the rows of this sweep. E0942-points. */
bool sweep_points_run(sweep_command *c, sweep_row_vec *rows);
/* Writes the rows as CSV and as a page, each where its path is not NULL. */
bool sweep_write_reports(cli_session *s, sweep_row_vec *rows, const char *csv, const char *html);

#endif
