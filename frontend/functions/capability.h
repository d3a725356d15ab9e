/* capability.h - the computation of a described function, stated as an expression, and its conditions. */
#ifndef ONYX_FE_CAPABILITY_H
#define ONYX_FE_CAPABILITY_H

#include "frontend/language/load.h"
#include "frontend/language/text.h"

/* What fe_read_capability reads. */
typedef struct {
    fe_piece text;              /* "y(i) = A(i,k) * x(k) when i < 64" */
    const char *const *formats; /* "A:dd:1,0": how arrays lie; row by row where nothing is said */
    uint32_t n_formats;
    const char *const *tags; /* "A:symmetric" */
    uint32_t n_tags;
    src_loc formats_loc, tags_loc;
    bool sparse; /* levels may be compressed: for computations other than functions of arrays */
    const fe_functions *functions;
    bool integers;
} fe_capability_in;

/* Errors E0163-description and errors of fe_parse, located in the text. */
bool fe_read_capability(const fe_capability_in *in, name_table *names, diagnostics *d, fe_capability *out);
/* Returns text with the same capability when parsed, without formats and tags. */
const char *fe_capability_text(const fe_capability *c, arena *mem);
const char *fe_condition_text(const fe_capability *c, uint32_t node, arena *mem);
/* Returns the variables of a condition, bit v - 1 each. */
uint64_t fe_condition_vars(const fe_capability *c, uint32_t node);
/* Returns the value, of a condition 1 or 0; extent[v - 1] is the extent of index v. Values saturate at 2^63 -
 * 1; x / 0 and x % 0 are 0. */
int64_t fe_condition_value(const fe_capability *c, uint32_t node, const uint32_t *extent);

#endif
