/* function_reader.h - words and expressions of a function. */
#ifndef ONYX_FRONTEND_FUNCTION_READER_H
#define ONYX_FRONTEND_FUNCTION_READER_H

#include "frontend/language/apply.h"

typedef VEC(sam_expr) fe_values; /* of the variable with handle - 1; 0: none yet */
typedef struct {
    fe_reader in;
    fe_user_function *f;
    diagnostics *d;
    uint32_t depth;
    sam_program *program; /* of the current body; NULL: the body is an expression */
} fe_function_reader;
bool fe_refuse_function(const fe_function_reader *r, src_loc loc, const char *what, const char *hint);
bool fe_expect_sign(fe_function_reader *r, char sign);
bool fe_at_word(const fe_function_reader *r, const char *word);
bool fe_take_word(fe_function_reader *r, const char *word);
sam_tensor fe_find_parameter(const fe_function_reader *r, const fe_token *t);
sam_expr fe_read_terms(fe_function_reader *r, const fe_values *values);
/* One of x and y is 0 for each value: the bitwise or is the other. */
sam_expr fe_choose(fe_function_reader *r, src_loc loc, sam_expr condition, sam_expr x, sam_expr y);

#endif
