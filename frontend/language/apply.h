/* apply.h - functions of the user's, found by name and put into expressions. */
#ifndef ONYX_FRONTEND_APPLY_H
#define ONYX_FRONTEND_APPLY_H

#include "frontend/language/scope.h"
#include "frontend/language/text.h"
#include "sam/operators.h"

enum { FE_MAX_PARAMETERS = 6 };

/* A function is the value of its body, as an expression of scalars. Its parameters are the first tensors of
 * `s`, from handle 1 on. */
typedef struct {
    const char *name;
    src_loc loc;
    uint32_t parameters;
    sam_statement s;
    sam_expr value;
    /* Bit p: where parameter p is 0 the value is 0. The author says so, and the operations of the value alone
     * do not; once the claims are read, the value does. */
    uint32_t narrowed;
    sam_operator says;      /* what the author says */
    const sam_claim *claim; /* about the value; NULL: none that restricts coordinates */
    /* The value with loops only where no parameter is 0, and the definitions of other regions apart; 0: the
     * function has no loop, or no definitions of regions. The claim is about this form. */
    sam_expr apart;
    const sam_claim *claim_apart;
    struct fe_described *described; /* NULL; or external C computes the function, without a value here */
    bool other_type;                /* not for values of this data type */
} fe_user_function;

struct fe_functions {
    VEC(fe_user_function) all;
};

/* Finds the function with the name; NULL: none, as where `all` is NULL. */
const fe_user_function *fe_function_named(const fe_functions *all, const char *name);
/* Returns whether a function, or a word of the language, has the name. */
bool fe_is_defined(const fe_functions *all, const char *name);
/* Finds the function named by the token before a parenthesis; the token becomes the whole name, which may
 * have underscores. NULL: none; schedules alone name functions of whole tensors. */
const fe_user_function *fe_take_function(fe_reader *in);
/* Returns whether the parentheses that open at text[open], after a name, can only hold a call's arguments: an
 * operand in them is applied to parentheses without a slice like i(0:7:2); permit(i) is an index. With
 * `numbers` b(3) counts as a call, a coordinate of an operand; without, as a faulty slice. The common test
 * for the kind of a name. Linear in the text for each depth. */
bool fe_is_call(const char *text, size_t length, size_t open, bool numbers);
/* Returns false after E0152-function where the name at the token is none of a tensor by fe_is_call. */
bool fe_check_is_tensor(const fe_reader *in, diagnostics *d);
/* Makes the value for these arguments, each of which becomes a subexpression. E0118, E0152. */
sam_expr fe_apply_function(sam_statement *s, const fe_user_function *f, src_loc loc,
                           const fe_exprs *arguments, diagnostics *d);

#endif
