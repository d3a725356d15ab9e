/* guard.h - absent quotients. */
#ifndef ONYX_FRONTEND_GUARD_H
#define ONYX_FRONTEND_GUARD_H

#include "sam/sam.h"

/* Makes quotients in sums 0 where they are absent, except in statements of integers. In place. */
void fe_guard_quotients(sam_statement *s, arena *mem);

#endif
