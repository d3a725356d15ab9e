/* loops.h - loops of a schedule. */
#ifndef ONYX_FRONTEND_LOOPS_H
#define ONYX_FRONTEND_LOOPS_H

#include "frontend/language/cin.h"
#include "frontend/language/text.h"
#include "frontend/schedules/environment.h"

typedef struct {
    fe_reader in;
    fe_cin *cin;
    arena *mem;
    diagnostics *d;
    fe_token name;     /* of the command at hand */
    const char *usage; /* how to write it */
    fe_binding *said;  /* by fix, promote and tag, of the next bind or map */
    src_loc *said_at;
    fe_environments *environments; /* of earlier commands */
} fe_scheduler;
bool fe_syntax(fe_scheduler *c, const char *what);
bool fe_take(fe_scheduler *c, char sign);
/* Returns the loop that bound made of v, which is known by both names; else v. */
sam_var fe_bounded_by(const fe_kernel *k, sam_var v);
/* Reads a loop of *k, or if NULL of the last kernel with a loop of this name. */
bool fe_parse_loop(fe_scheduler *c, fe_kernel **k, sam_var *v);
/* Removes an earlier hint on a loop's copies. */
void fe_drop_hint(fe_scheduler *c, fe_kernel *k, sam_var loop);
bool fe_do_split(fe_scheduler *c);
bool fe_do_pos(fe_scheduler *c);
bool fe_do_fuse(fe_scheduler *c);
bool fe_do_bound(fe_scheduler *c);

#endif
