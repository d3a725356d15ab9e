/* brought.h - other notations than index notation. */
#ifndef ONYX_FE_BROUGHT_H
#define ONYX_FE_BROUGHT_H

#include "frontend/cin_parse.h"
#include "frontend/einsum.h"
#include "frontend/mlir.h"

#endif
