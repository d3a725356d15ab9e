/* bitstream.h - bitstreams as functions: described, and held against their expressions. */
#ifndef ONYX_CLI_BITSTREAM_H
#define ONYX_CLI_BITSTREAM_H

#include "cli/cli.h"

/* onyx functions bitstream FOLDER NAME: writes NAME.xf into a folder of onyx compile or run, with what its
 * report says of the bitstream. E0177-bitstream. */
bool cli_describe_bitstream(cli_session *s);
/* Binds the expression of every bitstream among the functions of the data type of the options to it, on
 * FE_CHECK_INPUTS random inputs each, which the cycle model runs; *checked is raised by one for each that is
 * right. E0166-function-check has the command that is not. */
bool cli_check_bitstreams(cli_session *s, uint64_t seed, uint32_t *checked);

#endif
