/* trust.h - ownership of records: folders of other users may name C, which replaying commands compile and
 * run. */
#ifndef ONYX_CLI_TRUST_H
#define ONYX_CLI_TRUST_H

#include "cli/record.h"

/* Returns the mark of a record's words, which only this user can make on this machine: a keyed checksum
 * (SipHash-2-4) as 16 digits. The key lies in onyx/key below $XDG_STATE_HOME or ~/.local/state, unreadable
 * for other users; with `first` a missing key is made. NULL: no key. */
const char *trust_mark(cli_session *s, const char *where, const text_vec *words, bool first);
/* Returns the first path of --functions possibly naming C: a description (.xf) or a folder; NULL: none. */
const char *trust_names_c(const command_line *then);
/* Returns whether the record's command may be gone through: it names no C, this user made the record here, or
 * --trust was given. E0957-untrusted. */
bool trust_allows(cli_session *s, const char *folder, const cli_record *r);

#endif
