/* selftest.h - the self test of a board. */
#ifndef ONYX_CLI_SELFTEST_H
#define ONYX_CLI_SELFTEST_H

#include "cli/cli.h"

/* Does onyx program --selftest. E0793-selftest names the component that failed. */
int command_selftest(int argc, char **argv);

#endif
