/* project.h - onyx.toml: what a folder of work has said once for all its commands. */
#ifndef ONYX_CLI_PROJECT_H
#define ONYX_CLI_PROJECT_H

#include "cli/cli.h"

/* Adds what onyx.toml of the current folder says to the words of a command line: options that the command
 * reads and the words do not have, and the data folder in front of operands that are not here. A note says
 * what was added. False after E0009-toml, E0946-project. */
bool project_settle(cli_session *s, option_command command, int argc, char **argv, text_vec *words);

#endif
