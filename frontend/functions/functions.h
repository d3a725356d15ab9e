/* functions.h - functions of files: read, checked, and matched with kernels. */
#ifndef ONYX_FRONTEND_FUNCTIONS_H
#define ONYX_FRONTEND_FUNCTIONS_H

#include "frontend/functions/capability.h"
#include "frontend/functions/described.h"
#include "frontend/functions/library.h"
#include "frontend/functions/mapping.h"
#include "frontend/functions/match.h"
#include "frontend/functions/read_functions.h"

#endif
