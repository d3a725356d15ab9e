/* operators.h - computations on words, and their known properties: the operators of sam/operations.def and
 * the user's functions with loops.
 */
#ifndef ONYX_SAM_OPERATORS_H
#define ONYX_SAM_OPERATORS_H

#include "sam/foreign.h"
#include "sam/sam.h"

enum { SAM_EACH = -1, SAM_MAX_ARGUMENTS = 8 };

/* A value that decides the result if argument `at` has this value; SAM_EACH: if any argument has this
 * value. */
typedef struct {
    bool given;
    int8_t at;
    uint16_t value;
} sam_special;

/* Properties of an operator of a data type, for the derivation. */
typedef struct {
    bool fp;                 /* the words are bfloat16, with minus zero equal to zero */
    bool commutative;        /* a property of an argument holds for each argument */
    bool idempotent;         /* f(x, ..., x) is x */
    sam_special annihilator; /* the result is this value, too */
    sam_special identity;    /* the result is the other argument */
    sam_special monoid;      /* of a reduction over nothing: the operator is associative and commutative */
    /* Instead of properties: where the result is not its fill, in postfix: "0" to "7" is where that argument
     * is not tested[argument], '*' is everywhere, '|' and '&' unite and meet two sets, '~' is the complement
     * of one. "01|" is the greatest common divisor. */
    const char *algebra;
    uint16_t tested[SAM_MAX_ARGUMENTS];
    bool fill_is_given; /* the author gives the result for fills; with an algebra, for the tested fills */
    uint16_t fill;
    /* Computes the operator on two arguments; a unary operator ignores the second, and more arguments are
     * taken from the left. */
    uint16_t (*apply)(uint16_t a, uint16_t b);
    /* Computes the operator instead, unless NULL. With neither, the operator's result for fills is
     * unknown. */
    struct sam_program *program;
} sam_operator;

typedef enum {
#define OPERATION(name, ...) SAM_OPERATION_##name,
#include "sam/operations.def"
#undef OPERATION
    SAM_OPERATIONS
} sam_operation;

/* Returns the row of sam/operations.def. */
const sam_operator *sam_operator_of(sam_operation operation, bool fp);
/* Finds the row by the graphs' name; and returns this name. */
bool sam_find_operation(const char *name, sam_operation *out);
const char *sam_operation_name(sam_operation operation);
/* Returns the operation of a reducer or an accumulator, addition if its node names none; NULL if the
 * operation cannot reduce. */
const sam_operator *sam_reducing(const sam_graph *g, sam_node n);
/* Returns the operation of an expression: all kinds except accesses and literals. */
sam_operation sam_operation_of(const sam_expr_data *x);
/* Computes the operator on two arguments, if known. */
uint16_t sam_apply(const sam_operator *f, uint16_t a, uint16_t b);
/* Returns the word of a literal. */
uint16_t sam_literal_word(double literal, bool fp);
/* Returns the number of a word: a bf16 with fp, else an int16. */
double sam_word_number(uint16_t word, bool fp);
/* Computes an expression of scalars without sums; value[h.v - 1] is the value of tensor h. */
uint16_t sam_compute(const sam_statement *s, sam_expr e, const uint16_t *value);

/* ---- functions with loops -------------------------------------------------------------------- */

/* A loop may count through all int16, with a dozen steps a pass. */
enum { SAM_MAX_VARIABLES = 64, SAM_MAX_STEPS = 1 << 20 };

/* SET gives variable `to` the value of e; GO goes on at step `to`, and UNLESS does where e is zero; RETURN
 * ends with the value of e. */
typedef struct {
    sam_expr e;
    uint32_t to;
    enum { SAM_STEP_SET, SAM_STEP_UNLESS, SAM_STEP_GO, SAM_STEP_RETURN } kind;
} sam_program_step;

/* A function of one or two scalars with loops, which no expression represents. Its variables are the tensors
 * of `s`, the parameters first; variable h.v has the value of tensor h. */
typedef struct sam_program {
    const char *name;
    src_loc loc;
    sam_statement s;
    uint32_t parameters;
    VEC(sam_program_step) steps;
    /* Replaces the steps: our C or, once loaded, foreign C, of one value or two, or of all stored values of a
     * fiber along an index (docs/functions.md). */
    double (*plain)(double x, double y);
    sam_foreign *foreign;
    bool takes_fiber;        /* it is of a fiber; with steps these fold the values of a fiber */
    bool on_processor;       /* the chip's processor computes the function if present; otherwise the host's
                                functions do */
    bool places;             /* along an index: its values are coordinates */
    bool chooses;            /* along an index: 0 wherever it chooses no value, so where nothing is stored */
    bool accumulates;        /* along an index: each value is the prefix sum */
    bool root;               /* the square root; for int16 rounded down, and 0 for negative values */
    struct sam_calls *calls; /* calls under recording or replay (sam/calls.h); NULL: none */
    const uint16_t
        *words;       /* of one value: its value for each word, of C after the first sam_words_of; or NULL */
    bool no_words;    /* a call for a value of `words` had a fault */
    uint32_t entries; /* length of the gathered vector: words outside 0 to entries - 1 are a fault */
    double sensitivity; /* bound of the result's error as a multiple of the operands' errors */
    sam_operator of;    /* the author's claims; of.program is this program */
    /* Its value at overran_at[] did not come within SAM_MAX_STEPS steps, and was taken as 0. */
    bool overran;
    uint16_t overran_at[2];
} sam_program;

/* The claims of a function's author about its value. The value is an expression of the parameters, tensors 1
 * to `parameters` of `s`; at an application the arguments replace the parameters. */
typedef struct sam_claim {
    sam_statement s;
    sam_expr value;
    uint32_t parameters;
    sam_operator of; /* its algebra and its properties; without computation */
} sam_claim;

/* Returns whether C computes a program of one value or two, and its value. */
static inline bool sam_is_plain(const sam_program *p) {
    return p->plain || p->words || (p->foreign && !p->takes_fiber);
}

/* Returns whether an expression is a function of whole fibers: along x->var, which stays. */
static inline bool sam_takes_fiber(const sam_expr_data *x) {
    return x->program && x->program->takes_fiber;
}
/* Returns the first function of whole fibers under e, or NULL. */
const sam_expr_data *sam_fiber_function_in(const sam_statement *s, sam_expr e);
/* Applies a function of whole fibers to the n values of a fiber, in place. Absent entries stay absent. */
void sam_apply_fiber(const sam_program *p, uint32_t n, const int *crd, uint16_t *word);
/* Returns false after E0161-endless, E0181-function-fault or E0182-gather where some value of the program did
 * not come. */
bool sam_program_ended(const sam_program *p, diagnostics *d);

#endif
