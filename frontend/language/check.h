/* check.h - invariants of a statement. */
#ifndef ONYX_FRONTEND_CHECK_H
#define ONYX_FRONTEND_CHECK_H

#include "sam/sam.h"

/* Checks every invariant of a sam_statement, from fe_parse or any other source. E0130. */
bool fe_check(const sam_statement *s, diagnostics *d);
/* Checks the conditions of fe_check, and the guarantees of fe_pack. E0115, E0130. */
bool fe_check_packed(const sam_statement *s, diagnostics *d);
/* Checks everything but the loops; *bound receives the variables bound by the result or a sum. E0130. */
bool fe_check_tree(const sam_statement *s, uint64_t *bound, diagnostics *d);

/* An invariant of a checker, reported with its code; the calling function returns false if violated. */
#define FE_REQUIRE(code, condition, loc, ...)                                                                \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            diag_error(d, loc, code, __VA_ARGS__);                                                           \
            return false;                                                                                    \
        }                                                                                                    \
    } while (0)

/* Checks that the literals of a statement of integers, of its expressions from `from` on, are whole, and
 * within 16 bits, signed or not: E0127. */
bool fe_check_literals(const sam_statement *s, uint32_t from, diagnostics *d);
/* The literals of scaled integers may have fractions, and no more digits in front of them than others. E0127.
 */
bool fe_check_scaled_literals(const sam_statement *s, diagnostics *d);

#endif
