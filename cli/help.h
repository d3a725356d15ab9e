/* help.h - where the documentation is. */
#ifndef ONYX_HELP_H
#define ONYX_HELP_H

#include "cli/cli.h"

/* Returns the folder of the documentation: next to the commands' data, as in the source tree, or in the
 * installed place. The folder may be missing. */
const char *help_docs_folder(cli_session *s);
/* Returns whether `onyx help TOPIC` has a page. Where a command has the same name, help prints the page, not
 * the command's --help. */
bool help_is_page(const char *topic);
/* Returns whether an error code has a row; true where the documentation is not installed. */
bool help_has_code(cli_session *s, const char *code);

#endif
