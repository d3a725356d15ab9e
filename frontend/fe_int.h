/* fe_int.h - shared by the files of frontend/ only: the token reader of the three small languages, the steps
 * of fe_parse, and the scopes of a statement.
 */
#ifndef ONYX_FE_INT_H
#define ONYX_FE_INT_H

#include "frontend/frontend.h"

/* ---- tokens: expression, format and schedule are read by the same reader --------------------- */

typedef enum { FE_END, FE_NAME, FE_NUMBER, FE_SIGN, FE_BAD } fe_token_kind;

/* Signs of two characters. */
enum { FE_EQ = 'a', FE_NE, FE_LE, FE_GE, FE_AND, FE_OR, FE_SHL, FE_SHR };

typedef struct {
    fe_token_kind kind;
    char sign; /* FE_SIGN: the character, or one of the above */
    src_loc loc;
    const char *at;
    size_t length;
} fe_token;

/* A reader has a text and the token at its position. */
typedef struct {
    uint32_t source;
    const char *text;
    size_t length, pos;
    bool underscores; /* names may have some, as those of loops; in an expression B_i is an access */
    bool counts;      /* nnz(T) is a scalar: of a program */
    bool infinite;    /* inf is a number: of concrete index notation, where fills are */
    const fe_functions *functions; /* the user's; NULL: none */
    fe_token token;
} fe_reader;

/* Registers a copy of the text with the diagnostics and reads the first token. */
fe_reader fe_read(const char *name, const char *text, diagnostics *d);
void fe_advance(fe_reader *r);
bool fe_at_sign(const fe_reader *r, char sign);
bool fe_take_sign(fe_reader *r, char sign); /* advances if it is there */
char fe_peek(const fe_reader *r);           /* the first character after the token and blanks; 0 at the end */
bool fe_is_word(const fe_token *t, const char *word);
/* Returns the token's value if it is a whole number up to 2^31 - 1, otherwise `other`. */
uint32_t fe_whole_number(const fe_token *t, uint32_t other);
/* Reports E0101-character or E0102-syntax at the current token: "expected WHAT, found ...". */
void fe_expected(const fe_reader *r, const char *what, diagnostics *d);

/* ---- the steps of fe_parse ------------------------------------------------------------------- */

/* Reads "A = B" into vars, tensors, exprs, result and rhs, with the sums that are written only. E0101-E0108,
 * E0116-E0118. */
bool fe_parse_expression(const fe_in *in, diagnostics *d, sam_statement *s);
/* Puts the "-f" strings onto the tensors; those without one get compressed levels in order. E0103, E0110,
 * E0111. */
bool fe_parse_formats(const fe_in *in, diagnostics *d, sam_statement *s);
/* Reads "ss:1,0@glb", as many levels as the tensor has indices, onto it. `called` is the format's name, or
 * NULL; a result has no region. E0102, E0110 to E0112, E0178. */
bool fe_parse_layout(fe_reader *r, const char *called, const sam_statement *s, bool result,
                     sam_tensor_data *t, diagnostics *d);
/* Orders the loops: the result's variables as it stores them, then each scope's sums, outer scopes first. */
void fe_default_loops(sam_statement *s);

/* These read pieces of the expression's grammar for the other languages; s receives what they name. */
sam_expr fe_parse_terms(fe_reader *in, sam_statement *s, diagnostics *d);
bool fe_parse_access(fe_reader *in, sam_statement *s, diagnostics *d, sam_expr_data *access);
sam_var fe_use_var(sam_statement *s, const fe_token *t, diagnostics *d); /* v = 0 after E0118-too-large */

/* ---- scopes ---------------------------------------------------------------------------------- */

enum { FE_MAX_EXPRS = 4096, FE_MAX_DEPTH = 256 };

typedef VEC(sam_var) fe_vars;

/* The variables of one scope and what is computed inside all its loops. The outermost scope has the result's
 * variables and those of the sums that enclose the whole right side; each sum inside a body starts an inner
 * scope. */
typedef struct {
    fe_vars vars;      /* result variables, then sums, outermost first; fe_scope_order: in loop order */
    uint8_t operation; /* that its sums are by */
    sam_expr body;
} fe_scope;

fe_scope fe_outer_scope(const sam_statement *s, arena *mem);
fe_scope fe_sum_scope(const sam_statement *s, sam_expr sum, arena *mem);
void fe_scope_order(const sam_statement *s, fe_scope *scope); /* sorts vars by their place in s->loops */
/* Returns whether loop `at`, or one inside of it, is a loop of the result: its coordinates hang on loop `at`.
 */
static inline bool fe_results_hang_on(const sam_statement *s, const fe_vars *loops, uint32_t at) {
    while (at < loops->len && !sam_is_result_var(s, loops->at[at]))
        at++;
    return at < loops->len;
}
/* Lists the sums inside e that no other sum of e contains, from left to right. */
typedef VEC(sam_expr) fe_exprs;
void fe_inner_sums(const sam_statement *s, sam_expr e, arena *mem, fe_exprs *out);

char fe_level_letter(sam_level_format format); /* 'd', 's', 'u', 'q', 'c' */

sam_var fe_find_var(const sam_statement *s, name_id name);
sam_tensor fe_find_tensor(const sam_statement *s, name_id name);
uint32_t fe_loop_position(const sam_statement *s, sam_var v); /* 0 = outermost; loops.len if absent */
uint64_t fe_free_vars(const sam_statement *s, sam_expr e);    /* bit v - 1 for each variable free in e */
const char *fe_var_text(const sam_statement *s, sam_var v);
const char *fe_tensor_text(const sam_statement *s, sam_tensor t);
/* Returns the access as text: "B(i,k)". */
const char *fe_access_text(const sam_statement *s, sam_tensor t, const sam_var *index, arena *mem);

/* ---- concrete index notation ----------------------------------------------------------------- */

/* Adds an expression to the statement and returns its handle. */
static inline sam_expr fe_add_expr(sam_statement *s, sam_expr_data x) {
    vec_push(s->mem, &s->exprs, x);
    return (sam_expr){s->exprs.len};
}
void fe_copy_statement(const sam_statement *s, arena *mem, sam_statement *out);
/* Removes expressions that are not under rhs, and tensors that it does not name; those that stay get new
 * handles. */
void fe_compact(sam_statement *s);
/* Checks that the relation replaces variables that are still there by new ones, and updates both sets (bit v
 * - 1): *open has the variables that may be replaced, *known those that have ever been there. E0150. */
bool fe_check_relation(const fe_kernel *k, const fe_relation *r, uint64_t *open, uint64_t *known,
                       diagnostics *d);
/* Returns the relation that replaces v, or NULL; and the one that introduces it. */
const fe_relation *fe_replacing(const fe_kernel *k, sam_var v);
const fe_relation *fe_making(const fe_kernel *k, sam_var v);
bool fe_is_position(const fe_kernel *k, sam_var v); /* it counts stored coordinates, in some way */
/* Lists the variables that a relation introduces; returns how many they are. */
uint32_t fe_new_vars(const fe_relation *r, sam_var v[2]);
/* Returns the loops of a scope's variables, outermost first. */
fe_vars fe_scope_loops(const fe_kernel *k, const fe_scope *scope, arena *mem);
/* Returns whether every loop of a sum lies inside the loops of the scopes around it. Where one does not,
 * fe_fill moves sums. */
bool fe_loops_nest(const fe_kernel *k, arena *mem);
uint64_t fe_roots_of(const fe_kernel *k, sam_var v);     /* bits of the expression's variables behind v */
uint32_t fe_known_extent(const fe_kernel *k, sam_var v); /* 0: only the data say */
const fe_tag *fe_tag_of(const fe_kernel *k, sam_var loop);
/* These read words and numbers that are the same in schedules and CIN (words.c), at the reader's position.
 * E0142, E0144. */
bool fe_parse_number(fe_reader *in, uint32_t low, uint32_t high, diagnostics *d, uint32_t *out);
bool fe_parse_bound_type(fe_reader *in, diagnostics *d, fe_bound_type *out);
bool fe_parse_parallel(fe_reader *in, diagnostics *d, fe_tag *tag, bool *parallel); /* "unit, strategy" */
/* Gives units other than lanes as many copies as the loop has iterations; one, where these are more than
 * FE_MAX_COPIES or not known. */
void fe_count_copies(const fe_kernel *k, fe_tag *tag);
const char *fe_bound_text(fe_bound_type type);
const char *fe_unit_text(fe_unit unit);
const char *fe_strategy_text(fe_races strategy);
/* Writes an expression in index notation, with sums as sum(v, ...). */
const char *fe_expr_text(const fe_kernel *k, sam_expr e, arena *mem);
/* Reads and applies a command about a part of the right side, after its opening parenthesis. `said` is what
 * fix, promote and tag said before, which bind and map take. E0151-subexpression, E0167-bind and others. */
typedef enum { FE_TO_WORKSPACE, FE_TO_BIND, FE_TO_MAP } fe_taking;
bool fe_precompute(fe_reader *in, fe_taking how, fe_binding *said, fe_cin *cin, diagnostics *d);
/* Returns whether the name is a word that stands before a parenthesis, so that no tensor with indices may
 * have it. */
bool fe_is_keyword(const char *name);
/* Reads the name of a variable, or of a tensor, which no other in cin may have yet; a variable and a tensor
 * may share one. E0140-new-name. */
typedef enum { FE_NEW_VAR, FE_NEW_TENSOR } fe_named;
bool fe_parse_new_name(fe_reader *in, const fe_cin *cin, fe_named what, diagnostics *d, name_id *out);

/* Checks everything but the loops; *bound receives the variables that the result or a sum binds. E0130. */
bool fe_check_parts(const sam_statement *s, uint64_t *bound, diagnostics *d);

/* ---- host-made operands (nest.c, guard.c, fill.c) ------------------------------------------------ */

/* Makes quotients in sums 0 where they are absent, unless the statement is one of integers. In place. */
void fe_guard_quotients(sam_statement *s, arena *mem);
/* Moves sums outwards until every loop lies inside the loops of the scopes around it. In place. E0125. */
bool fe_nest_sums(sam_statement *s, arena *mem, diagnostics *d);
/* Moves every sum that is only a part of the right side out to the outermost scope, whatever the order of the
 * loops. In place. Returns false where one cannot move; then the statement is of no use. */
bool fe_pull_sums(sam_statement *s, arena *mem);
/* Returns the first of BASE, BASE2, BASE3, ... that no tensor and no variable has as its name. */
name_id fe_fresh_name(const sam_statement *s, const char *base, arena *mem);
/* Adds an operand of ones without indices. */
sam_expr fe_add_ones(sam_statement *s, src_loc loc, arena *mem);
/* Sets the body of the scope that starts at `sum`, or of the outermost one where that is 0. */
void fe_set_body(sam_statement *s, sam_expr sum, sam_expr body);

/* ---- dense factors (locate.c) ----------------------------------------------------------------- */

/* Marks the factors (sam_expr_data.located) that loops need not scan, since the other factors' coordinates
 * are their references: outermost dense levels. The statement must come from fe_fill, and from fe_pad if that
 * is wanted. */
void fe_locate(sam_statement *s, arena *mem);

/* ---- sub-tiles (tiled.c) --------------------------------------------------------------------- */

/* Returns whether a sum over v adds up the padding of dense levels, which must be 0 then. */
bool fe_meets_padding(const sam_statement *s, sam_var v);
/* Returns whether an operand's zeros say in which sub-tiles its addend does not take part. */
bool fe_takes_part_once(const sam_statement *s, sam_expr access);
/* Multiplies by a scalar of ones what takes part in one sub-tile only and would not be 0 if its operands
 * were: an addend, or the part of it of which that holds. In place. */
void fe_fill_once(sam_statement *s, arena *mem);

/* ---- dense levels of the result (reach.c) ---------------------------------------------------- */

/* What an operand of ones has along its variables, a bit v - 1 for each. */
typedef struct {
    uint64_t dense; /* with all coordinates */
    uint64_t first; /* with coordinate 0 only */
} fe_reach;

/* Returns what a term 0 * ones must have to fill level v. `loops` has those of the outermost scope, outermost
 * first. */
fe_reach fe_level_reach(const sam_statement *s, const fe_vars *loops, sam_var v);
bool fe_level_is_filled(const sam_statement *s, const fe_vars *loops, sam_var v, arena *mem);
/* Returns the outermost dense level that is not filled and lacks coordinates, or 0. `full` has bit v - 1 for
 * each loop that reaches every coordinate by itself. */
sam_var fe_unfilled_level(const sam_statement *s, const fe_vars *loops, uint64_t full, arena *mem);

/* ---- which operands are present, and where loops may run empty (presence.c) ------------------ */

/* One access of the right side while it is being iterated. */
typedef struct {
    sam_expr access;
    sam_tensor tensor;
    bool always_joined; /* no union leaves it out: wherever its expression is computed, it is present */
    bool reaches; /* an expression is reached by it: it is there also where that is absent, and so its fill */
} fe_leaf;

typedef struct {
    const sam_statement *s;
    VEC(fe_leaf) list;      /* in the order of the text */
    const uint32_t *number; /* by expression - 1: index into list of an access */
} fe_leaves;

enum { FE_EXACT_LEAVES = 10 };

/* The sets of leaves that can be present (reference not empty) together at a point of the iteration, one flag
 * for each of the 2^leaves subsets. NULL: too many leaves; then a leaf counts as present only if
 * always_joined. */
typedef struct {
    uint8_t *possible;
} fe_presence;

/* What loop v of an expression runs over, in every case that can occur. */
typedef struct {
    bool universe; /* nothing in the expression is indexed by v */
    bool full;     /* every coordinate of the dimension */
    bool nonempty; /* at least one coordinate, given that no operand tensor is empty */
    bool corner;   /* coordinate 0, by dense and padded levels */
    sam_expr bad;  /* a union that needs all coordinates for its side without v */
} fe_domain;

/* Lets sam_unites keep what it finds, as long as expressions do not change. */
static inline void fe_keep_joins(sam_statement *s, arena *mem) {
    s->unites = arena_new_n(mem, uint8_t, s->exprs.len + 1);
    s->n_unites = s->exprs.len;
}
fe_leaves fe_collect_leaves(const sam_statement *s, arena *mem);
fe_presence fe_presence_start(const fe_leaves *leaves, arena *mem); /* all leaves present */
/* Returns the domain before loop v. O(subsets * e). */
fe_domain fe_domain_of(const fe_leaves *leaves, const fe_presence *p, sam_expr e, sam_var v);
/* Returns the presence inside loop v of e, as a new value. O(3^leaves * e). */
fe_presence fe_presence_inside(const fe_leaves *leaves, const fe_presence *p, sam_expr e, sam_var v,
                               arena *mem);
bool fe_has_index(const sam_statement *s, sam_expr access, sam_var v);
uint32_t fe_level_of(const sam_statement *s, sam_expr access, sam_var v); /* the storage level that holds v */
/* Returns whether e is a literal 0, a product with one, or 1 less a scalar of ones. */
bool fe_is_zero(const sam_statement *s, sam_expr e);
/* Lists the operands of the chain of products, or of unions, that e is. Signs and sums do not change where an
 * expression has coordinates and are skipped. */
void fe_chain_operands(const sam_statement *s, sam_expr e, arena *mem, fe_exprs *operands);
/* Returns whether an access without v, inside a term of a union over v, must be repeated by the term's own
 * coordinates: repeated by those of the whole union, it would iterate further inside where the term is
 * absent. */
bool fe_repeats_inside(const fe_leaves *leaves, sam_expr term, sam_expr access, sam_var v);

/* B_2, B_3, ...: the first name that no tensor and no variable has. */
name_id fe_copy_name(const sam_statement *s, name_id name);

/* An invariant of a checker, whose code it reports: the function around it returns false where it is broken.
 */
#define FE_REQUIRE(code, condition, loc, ...)                                                                \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            diag_error(d, loc, code, __VA_ARGS__);                                                           \
            return false;                                                                                    \
        }                                                                                                    \
    } while (0)

#endif
