/* trust.h - whose record is it: folders of others may name C, which the commands that go through a record
 * compile and run. */
#ifndef ONYX_CLI_TRUST_H
#define ONYX_CLI_TRUST_H

#include "cli/record.h"

/* Returns the mark of a record's words that only this user can make on this machine: a keyed checksum
 * (SipHash-2-4) as 16 digits. The key lies in onyx/key below $XDG_STATE_HOME or ~/.local/state, and nobody
 * else may read it; with `first` it is made where there is none. NULL: there is no key. */
const char *trust_mark(cli_session *s, const char *where, const text_vec *words, bool first);
/* Returns the first path of --functions that may name C: a description (.xf) or a folder; NULL: none. */
const char *trust_names_c(const command_line *then);
/* Returns whether the record's command may be gone through: it names no C, this user made the record here, or
 * --trust was given. E0957-untrusted. */
bool trust_allows(cli_session *s, const char *folder, const cli_record *r);

#endif
