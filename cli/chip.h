/* chip.h - programs that other tools made for the chip. */
#ifndef ONYX_CLI_CHIP_H
#define ONYX_CLI_CHIP_H

#include "cli/cli.h"
#include "exchange/exchange.h"

/* Does all of onyx run with such a program, and prints the summary. */
bool cli_run_chip(cli_session *s);

#endif
