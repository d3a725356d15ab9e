/* mlir.h - a subset of MLIR's text as an expression with formats. */
#ifndef ONYX_FRONTEND_MLIR_H
#define ONYX_FRONTEND_MLIR_H

#include "sam/sam.h"

/* Reads MLIR's text with one linalg.generic, from the file `path`, as an expression, and the formats of its
 * encodings, "A:ds:0,1 B:ss:0,1". E0187-mlir. */
bool fe_mlir_expression(const char *path, const char *text, arena *mem, diagnostics *d,
                        const char **expression, const char **formats);

#endif
