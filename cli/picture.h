/* picture.h - a panel of the page of `onyx view` as a file of its own. */
#ifndef ONYX_CLI_PICTURE_H
#define ONYX_CLI_PICTURE_H

#include "cli/cli.h"

/* Draws a panel of the page by a browser without a window, as the options --svg and --png say, and prints the
 * file's name. E0930-tool, E0950-not-compiled where the page has no such panel. */
bool cli_picture(cli_session *s, const char *page, const char *folder);

#endif
