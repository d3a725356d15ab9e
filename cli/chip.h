/* chip.h - programs made for the chip by other tools. */
#ifndef ONYX_CLI_CHIP_H
#define ONYX_CLI_CHIP_H

#include "cli/cli.h"
#include "exchange/exchange.h"

/* Does onyx run for such a program, and prints the summary. `line` is the command at hand, or a replayed one.
 */
bool cli_run_chip(cli_session *s, const command_line *line);

#endif
