/* view.h - shared by the files of onyx view. */
#ifndef ONYX_CLI_VIEW_H
#define ONYX_CLI_VIEW_H

#include "cli/cli.h"

/* Collects the tiles, wires and clock of the dense bitstream design.bs in a folder as a kernel of the page;
 * NULL after an error. The caller deletes it. */
cJSON *cli_view_dense(cli_session *s, const char *folder, const cJSON *report, const pnr_board *board);

#endif
