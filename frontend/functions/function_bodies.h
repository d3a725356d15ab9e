/* function_bodies.h - bodies of functions. */
#ifndef ONYX_FRONTEND_FUNCTION_BODIES_H
#define ONYX_FRONTEND_FUNCTION_BODIES_H

#include "frontend/functions/function_reader.h"

bool fe_read_block(fe_function_reader *r, fe_values *values, sam_expr *returned);
sam_expr fe_add_parameter(const fe_function_reader *r, src_loc loc, sam_tensor t);
/* Whether the block at hand has a loop. */
bool fe_has_loop(const fe_function_reader *r);
/* Reads a body with loops; the value is a call of the new program. */
bool fe_read_program(fe_function_reader *r, fe_values *values, src_loc loc, sam_expr *value);
/* Returns a call of the program that is 0 wherever one of the given parameters, a bit for each, is 0. */
sam_expr fe_guard_program(const fe_function_reader *r, const sam_program *of, uint32_t given);

#endif
