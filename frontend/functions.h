/* functions.h - functions of the user's, read from files and applied in expressions. */
#ifndef ONYX_FE_FUNCTIONS_H
#define ONYX_FE_FUNCTIONS_H

#include "frontend/fe_int.h"
#include "sam/operators.h"

enum { FE_MAX_PARAMETERS = 6 };

/* A function is what its body returns, as an expression of scalars. Its parameters are the first tensors of
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
    sam_operator says;              /* what the author says */
    const sam_claim *claim;         /* says of the value; NULL: nothing that decides where it is computed */
    struct fe_described *described; /* NULL; or C of others computes it, and there is no value here */
    bool other_type;                /* that is not for values of this data type */
} fe_user_function;

struct fe_functions {
    VEC(fe_user_function) all;
};

/* What the author says of a function. */
typedef struct {
    enum { FE_COMMUTATIVE, FE_ASSOCIATIVE, FE_IDEMPOTENT, FE_ANNIHILATOR, FE_IDENTITY, FE_SPACE } kind;
    src_loc loc;
    uint32_t at;    /* bits of parameters: of which it holds */
    uint16_t value; /* ANNIHILATOR, IDENTITY */
    /* SPACE: bit a says that the value is to be computed where exactly the parameters with a bit of a differ
     * from what they are tested for. */
    uint64_t space;
    const char *algebra; /* the same as a sam_operator has it */
    uint16_t tested[FE_MAX_PARAMETERS];
} fe_property;

/* Finds the function with the name; NULL: none, as where `all` is NULL. */
const fe_user_function *fe_function_named(const fe_functions *all, const char *name);
/* Returns whether a function, or a word of the language, has the name. */
bool fe_is_defined(const fe_functions *all, const char *name);
/* Finds the function whose name stands at the token before a parenthesis; the token becomes all of that name,
 * which may have underscores. NULL: none; one of whole tensors is named by schedules only. */
const fe_user_function *fe_take_function(fe_reader *in);
/* Returns whether what stands in the parentheses that open at text[open], behind a name, can only be a call's
 * arguments: an operand there is applied to parentheses, and they hold no slice, as i(0:7:2) does; permit(i)
 * is an index. With `numbers` b(3) is one, which is a coordinate of an operand; without, a slice gone wrong.
 * Whoever has to know what a name is asks this. Linear in the text for each depth. */
bool fe_is_call(const char *text, size_t length, size_t open, bool numbers);
/* Returns false after E0152-function where the name at the token is none of a tensor by fe_is_call. */
bool fe_check_is_tensor(const fe_reader *in, diagnostics *d);
/* Makes the value of arguments, each of which becomes a part of it. E0118, E0152. */
sam_expr fe_apply_function(sam_statement *s, const fe_user_function *f, src_loc loc,
                           const fe_exprs *arguments, diagnostics *d);
/* Computes the value of words. */
uint16_t fe_compute(const fe_user_function *f, const uint16_t *argument);
/* Checks a property by computing values: of one unknown all 65536, of more a sample. Then the function says
 * it, and what it narrows is marked. E0159-property. */
bool fe_check_property(fe_user_function *f, const fe_property *p, diagnostics *d);

/* A file of functions; the text must outlive what is made of it. */
typedef struct {
    const char *name, *text;
    size_t length;
} fe_function_file;

/* Adds the functions of a file to *all, which is made where it is NULL: docs/functions.md. They are of one
 * data type, whose values the properties are checked on. E0152, E0158 to E0160.
 */
bool fe_read_functions(const fe_function_file *file, bool integers, name_table *names, arena *mem,
                       diagnostics *d, fe_functions **all);

#endif
