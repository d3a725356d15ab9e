/* project.h - onyx.toml: common options of a working folder for all its commands. */
#ifndef ONYX_CLI_PROJECT_H
#define ONYX_CLI_PROJECT_H

#include "cli/cli.h"

/* Adds the settings of the current folder's onyx.toml to the words of a command line: options read by the
 * command and missing from the words, and the data folder in front of missing operands. A note names the
 * additions. False after E0009-toml, E0946-project. */
bool project_add_options(cli_session *s, option_command command, int argc, char **argv, text_vec *words);
/* Returns the data folder of the current folder's onyx.toml; NULL without one. */
const char *project_data(cli_session *s);

#endif
