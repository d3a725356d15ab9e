/* frontend.h - from what the user types to a SAM graph: tensor index notation, formats and a schedule
 * become a sam_statement (every reduction explicit, loops ordered), and that becomes a SAM graph.
 */
#ifndef ONYX_FRONTEND_H
#define ONYX_FRONTEND_H

#include "sam/sam.h"

typedef struct {
    const char *expression;     /* "X(i,j) = B(i,k) * C(k,j)" */
    const char *const *formats; /* taco's -f: "B:ss", "C:ss:1,0", "x:d" */
    uint32_t n_formats;
    const char *const *dimensions; /* taco's -d: "i:100", "B:100,80" */
    uint32_t n_dimensions;
    const char *const *schedule; /* taco's -s: "reorder(i,j,k)"; several commands may share one string */
    uint32_t n_schedule;
    bool integers; /* the values are 16-bit integers: a literal must be one */
} fe_in;

/* Parses and checks. Every variable that the result lacks is summed over (docs/index_notation.md says where),
 * as SAM_EXPR_SUM. Default format: compressed in every level, modes in order. Default loops: the result's
 * variables as it stores them, then the sums, outer ones first. Errors E0101 to E0125, located in the
 * expression, a format, a dimension or the schedule. The texts need not outlive the call. */
bool fe_parse(const fe_in *in, name_table *names, arena *mem, diagnostics *d, sam_statement *out);
/* Every invariant of a sam_statement, also of one that fe_parse did not build. E0130. */
bool fe_check(const sam_statement *s, diagnostics *d);
/* Concrete index notation: "forall(i, forall(j, X(i,j) += B(i,k) * C(k,j)))", loop order explicit. */
void fe_dump(const sam_statement *s, FILE *out);

/* Makes every access plain: a stored tensor of its own (the second use of B is B_2), indexed by distinct
 * variables, with dense and compressed levels in the order of the loops. Where the user's tensor is not that,
 * the stored one is a view of it (sam_view), which tile_pack makes and tile_unpack undoes. The statement must
 * satisfy fe_check. */
bool fe_pack(const sam_statement *s, arena *mem, diagnostics *d, sam_statement *out);
/* fe_check, and what fe_pack promises. E0115, E0130. */
bool fe_check_packed(const sam_statement *s, diagnostics *d);
/* "C as ss:1,0", "the diagonal of B as s, called B_2": how the host re-packs a tensor; NULL if it does not.
 */
const char *fe_repacked(const sam_statement *s, sam_tensor t, arena *mem);

/* Host-made operands (sam_tensor_data.ones) where the statement's own do not do.
 * Nesting: where the loop of a sum inside an expression is outside of a loop around it, the sum moves out,
 * and what it was added to is counted in its first iteration only: b(i) - sum(j, C(i,j)) in the order j,i
 * becomes sum(j, b(i) * first(j) - C(i,j)). Filling: where a loop reaches further than the operands, ones do:
 * B(i,j) + c(i) becomes B(i,j) + c(i) * ones(j), and a dense level of the result is united with 0 * ones.
 * Values do not change. The statement must satisfy fe_check_packed, as the new one does: what a loop reaches
 * depends on the stored formats. E0105 where nothing says how far a variable goes, E0118, E0125. */
bool fe_fill(const sam_statement *s, arena *mem, diagnostics *d, sam_statement *out);

typedef struct {
    /* Also drop coordinates whose scalar reduction is over nothing, instead of storing a zero for them.
     * Droppers without which the result's levels would disagree are always there. */
    bool drop;
    /* The engine's stops say which of the fibers they close were never opened, as those of sam_simulate do.
     * Without it, what plain streams cannot carry (those of the chip) is refused: E0124, E0126. */
    bool exact_stops;
} fe_lower_options;
/* Statement to SAM graph (section 4.7 of the dissertation): per variable and operand a scanner or a repeater,
 * a joiner where several operands meet, then the compute tree, reducers, and the writers. Joiners have any
 * number of operands. The statement must satisfy fe_check_packed and come from fe_fill.
 *
 * Precondition on the data, without exact stops: every operand has at least one stored value (an empty one
 * may store an explicit zero), and every stored coordinate of a compressed level has something below it, or a
 * dense level. Then each coordinate that reaches a level writer has a non-empty fiber below it and a value
 * for each innermost coordinate, also with writers that merge runs of stops; only a result without any
 * coordinate may come with one stray zero. With exact stops any data is right; with empty operands a stored
 * coordinate may have nothing below it. Errors E0118 to E0130 where the graph cannot exist. */
bool fe_lower(const sam_statement *s, const fe_lower_options *options, arena *mem, diagnostics *d,
              sam_graph *out);

#endif
