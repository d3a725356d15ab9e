/* program_gather.h - indices that are values of tensors of a program. */
#ifndef ONYX_FE_PROGRAM_GATHER_H
#define ONYX_FE_PROGRAM_GATHER_H

#include "frontend/schedules/program_int.h"

/* Returns whether the access at the reader has values of other tensors as coordinates, and no table. */
bool fe_program_gathers(const fe_program_reader *r, const fe_reader *in);
/* Writes the access anew, *end behind its ')'. NULL after E0182-gather. */
const char *fe_program_gather(fe_program_reader *r, fe_reader in, size_t *end);
/* Returns whether the result at the reader has values of tensors as coordinates. */
bool fe_program_scatters(const fe_reader *in);
/* Returns the statement with this result and right side, without such coordinates. NULL after E0182-gather.
 */
const char *fe_program_scatter(fe_program_reader *r, fe_reader in, const char *sign, const char *right);

#endif
