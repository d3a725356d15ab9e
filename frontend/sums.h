/* sums.h - splits a kernel into several. */
#ifndef ONYX_FE_SUMS_H
#define ONYX_FE_SUMS_H

#include "frontend/distribute.h"
#include "frontend/settings.h"
#include "frontend/split_parts.h"
#include "frontend/staged.h"
#include "frontend/statement.h"

#endif
