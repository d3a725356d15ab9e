/* pack.h - a statement in the form that has a graph: stored operands, one for each access. */
#ifndef ONYX_FRONTEND_PACK_H
#define ONYX_FRONTEND_PACK_H

#include "frontend/frontend.h"

/* Makes every access plain: a stored tensor of its own (the second use of B is B_2), indexed by distinct
 * variables, with dense and compressed levels in the order of the loops. If the user's tensor differs, the
 * stored one is a view (sam_view), made by tile_pack and undone by tile_unpack. With sparse_result the
 * result's dense levels are written compressed, too. The statement must satisfy fe_check. */
bool fe_pack(const sam_statement *s, bool sparse_result, arena *mem, diagnostics *d, sam_statement *out);
/* Checks the conditions of fe_check, and the guarantees of fe_pack. E0115, E0130. */
bool fe_check_packed(const sam_statement *s, diagnostics *d);
/* Returns how the host re-packs a tensor, as "C as ss:1,0" or "the diagonal of B as s, called B_2"; NULL if
 * it does not. */
const char *fe_repacked(const sam_statement *s, sam_tensor t, arena *mem);
/* Adds operands made by the host (sam_tensor_data.ones) if the statement's own are insufficient. Nesting: if
 * the loop of a sum inside an expression is outside of a loop around the sum, the sum moves out, and its
 * other addend counts in the first iteration only: b(i) - sum(j, C(i,j)) in the order j,i becomes sum(j, b(i)
 * * first(j) - C(i,j)). Filling: a loop that extends beyond the operands gets ones: B(i,j) + c(i) becomes
 * B(i,j) + c(i) * ones(j), and a dense level of the result is united with 0 * ones. A sum over padded levels
 * (sam_statement.tiled) gets ones also for a dense B, since c(i) must not count in the padding. Quotients: in
 * floating point an added quotient gets a denominator of 1 where absent. Values do not change. The old and
 * the new statement satisfy fe_check_packed: the extent of a loop depends on the stored formats. E0105 for a
 * variable of unknown extent, E0118, E0125. */
bool fe_fill(const sam_statement *s, arena *mem, diagnostics *d, sam_statement *out);
/* Marks the levels that the host pads (sam_tensor_data.padded) for the chip, whose repeaters and droppers
 * mistake empty fibers: no loop may meet an empty fiber with a dependent repeater or dependent coordinates of
 * the result. All operands of such a loop then share coordinate 0, and an explicit zero changes no value. A
 * loop that stays empty where a term of a union is absent keeps its droppers, and its inner scanned dense
 * levels become compressed levels with all coordinates; likewise dense levels of absent operands whose
 * coordinates are used. `locates`: fe_locate follows, and located levels are not scanned. The statement must
 * come from fe_fill. */
void fe_pad(sam_statement *s, bool locates, arena *mem);

#endif
