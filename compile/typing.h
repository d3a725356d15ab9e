/* typing.h - facts about the values of a statement, and the reference's judgement of a type. */
#ifndef ONYX_COMPILE_TYPING_H
#define ONYX_COMPILE_TYPING_H

#include "compile/compile.h"

/* Facts about the values of an operand or a literal. */
typedef struct {
    name_id name; /* the user's; 0: a literal */
    uint64_t values, fractions, beyond;
    double largest; /* absolute */
    int exact;      /* the least scale at which all values are whole; 16 bits may be too few for the words */
} value_facts;

typedef struct {
    const compile_options *o;
    compile_context *ctx;
    compile_context quiet; /* its diagnostics are dropped */
    sam_statement st;      /* with the literals of the text */
    VEC(value_facts) facts;
    bool small; /* the reference keeps few values */
} typing;

/* The reference's judgement of a type. */
typedef struct {
    bool fits;      /* no word wrapped */
    double largest; /* absolute, of the result in double precision, in units of a word's last bit */
    double lost;    /* as of tile_accuracy */
} verdict;

/* Adds a value to the facts. */
void typing_add_value(value_facts *f, double x);
/* Returns the largest scale at which a word has room for the value. */
int typing_most_scale(double x);
/* Returns the options with a stated type. */
compile_options *typing_stated(const typing *t, tile_dtype dtype);
/* Parses the expression as one of the options' type. */
bool typing_parse(const compile_options *o, bool scaled, compile_context *ctx, sam_statement *out);
/* Returns a bound on the absolute values of a statement of whole numbers, and of all values that it computes
 * on the way: by the largest value of each operand, and by its longest fiber along the index of a sum. */
double typing_bound(const typing *t, const sam_statement *st, const compile_data *data);
/* Computes the reference of a type, and frees its memory. False: the reference failed. */
bool typing_judge(const typing *t, const compile_options *o, const sam_statement *st, verdict *out);
#endif
