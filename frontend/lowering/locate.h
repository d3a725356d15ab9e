/* locate.h - dense factors that loops need not scan. */
#ifndef ONYX_FRONTEND_LOCATE_H
#define ONYX_FRONTEND_LOCATE_H

#include "sam/sam.h"

/* Marks the factors (sam_expr_data.located) that loops need not scan, because the other factors' coordinates
 * are their references: outermost dense levels. The statement must come from fe_fill, and after fe_pad if
 * requested. */
void fe_locate(sam_statement *s, arena *mem);

#endif
