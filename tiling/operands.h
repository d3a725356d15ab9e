/* operands.h - operands of a statement, its result, and an independent evaluation. */
#ifndef ONYX_TILING_OPERANDS_H
#define ONYX_TILING_OPERANDS_H

#include "tiling/files.h"

/* Operands by sam_tensor handle: operand[h.v - 1]; the result's entry is not read. */
typedef struct {
    const tile_tensor *operand;
    uint32_t n;
    tile_dtype dtype;
} tile_operands;

/* Returns the first operand of the name, or NULL. */
const tile_tensor *tile_find_operand(const tile_operands *in, name_id name);

/* Finds the extent of every index variable, by handle - 1: from the statement, from the operands with the
 * variable, or from the source loop of a split. Errors: E0320-dimension if a stated dimension differs from
 * another, E0321-no-extent for a loop variable without an extent. */
bool tile_extents(const sam_statement *s, const tile_operands *in, arena *mem, diagnostics *d,
                  uint32_t **extent);

/* Finds the known extents, 0 for the others; an operand of order 0 contributes nothing. E0320. */
bool tile_known_extents(const sam_statement *s, const tile_operands *in, arena *mem, diagnostics *d,
                        uint32_t **extent);

/* Finds the dimensions of the result, by logical mode, from the extents of all variables. */
void tile_result_dim(const sam_statement *s, const uint32_t *extent, uint32_t dim[SAM_MAX_ORDER]);

/* Makes the tensors of a packed statement (fe_pack) from the user's, found by name: views are re-packed, ones
 * filled in. Named tensors of *out, from an earlier call for the statement, stay. Linear in the entries, plus
 * their sorting. */
bool tile_pack(const sam_statement *packed, const tile_operands *in, arena *mem, diagnostics *d,
               tile_operands *out);
/* Makes the user's result, of dimensions `dim`, from the result of a packed statement, by its inverse
 * view. */
void tile_unpack(const sam_tensor_data *result, const tile_tensor *got, const uint32_t *dim, tile_dtype dtype,
                 arena *mem, tile_tensor *out);

/* Evaluates the statement over coordinate maps, without SAM, levels or tiles: the reference that every engine
 * is held to. int16 division truncates, and x / 0 is 0; a point where numerator and denominator are both
 * absent has no entry. bfloat16 rounds after each operation; values that depend on the order of a sum have a
 * tolerance. out->wrapped counts the values that an int16 result does not hold. */
bool tile_reference(const sam_statement *s, const tile_operands *in, arena *mem, diagnostics *d,
                    tile_tensor *out);
/* Returns whether both are equal up to explicit zeros and the tolerance of `want`; if not, E0340-mismatch
 * shows the first coordinates that differ. */
bool tile_equal(const tile_tensor *got, const tile_tensor *want, tile_dtype dtype, const name_table *names,
                diagnostics *d);

#endif
