/* bitstream.h - bitstreams as functions: described, and held against their expressions. */
#ifndef ONYX_CLI_BITSTREAM_H
#define ONYX_CLI_BITSTREAM_H

#include "cli/cli.h"

/* onyx functions bitstream FOLDER NAME: writes NAME.xf into a folder of onyx compile or run, with what its
 * report says of the bitstream. E0177-bitstream. */
bool cli_describe_bitstream(cli_session *s);
/* Compares the expression of every bitstream among the functions of the options' data type with the
 * bitstream, on FE_CHECK_INPUTS random inputs each, run by the cycle model; *checked counts the right ones.
 * E0166-function-check has the command of a wrong one. */
bool cli_check_bitstreams(cli_session *s, uint64_t seed, uint32_t *checked);

#endif
