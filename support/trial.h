/* trial.h - diagnostics of what is tried, and dropped if something else is done in its place. */
#ifndef ONYX_SUPPORT_TRIAL_H
#define ONYX_SUPPORT_TRIAL_H

#include "support/diagnostics.h"

/* Makes the messages of *d those of `before`, an earlier or a later copy of *d. Later messages change no
 * copy; sources and names of files stay, since places and results of the trial refer to them. */
void diag_return_to(diagnostics *d, const diagnostics *before);
/* Begins with no messages; returns those so far, for diag_return_to. */
diagnostics diag_set_aside(diagnostics *d);

#endif
