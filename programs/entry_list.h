/* entry_list.h - lists of the entries of a matrix, as the chip's processor makes them. */
#ifndef ONYX_PROGRAMS_ENTRY_LIST_H
#define ONYX_PROGRAMS_ENTRY_LIST_H

#include "programs/layout.h"
#include "support/mlist.h"

enum { COMPILE_LEVELS = 3, COMPILE_VALUES = 2 }; /* streams of a matrix, and which of them has the values */
/* What a run has stored of one of its parts, in storage order. */
typedef struct {
    uint32_t cell[COMPILE_LEVELS]; /* of the run table, addresses in SRAM; 0: the level is dense */
    const uint8_t *words[COMPILE_LEVELS];
    uint32_t corner[2], size[2];
} compile_stored_part;
typedef VEC(compile_stored_part) compile_stored_parts;
typedef struct {
    machine *m;
    const compile_left *left;
    const compile_move_in *in;
    const sam_tensor_data *from, *to; /* the result; the operand */
    uint32_t from_edge[2], to_edge[2];
    uint32_t input[COMPILE_LEVELS];
    bool has[COMPILE_LEVELS];
    uint32_t outer;  /* the operand's index that its outer level has */
    uint32_t passes; /* that sorted the list */
    uint32_t rows;   /* stored ones, of all compile_stored_parts */
    bool before;     /* it is listed before what the batch's moves list */
    bool full;       /* there is no room for an entry */
    bool ascend;     /* the coordinates of every fiber do */
    bool turned;     /* its outer level is the result's inner one */
    compile_stored_parts all;
    uint32_t how, fill, mask;
    const sam_operator *op;
    mlist list;
    double cycles;
} compile_making;
bool compile_list_parts(compile_making *g, arena *mem);
/* Returns whether two parts have coordinates in common. O(parts^2). */
bool compile_parts_meet(const compile_stored_parts *all);
/* Makes the list of all entries, and the items that make it there, in the scratch area. Returns NULL, or why
 * the processor cannot. */
const char *compile_make_list(compile_making *g, held *h, bool sorts, arena *mem, compile_move *out);
/* Returns the list that the scratch area has of a matrix, in the order that is wanted, if there is one. */
compile_image *compile_find_list(const compile_making *g, held *h);
/* Goes back to a list that is there, and makes it as it is. Returns NULL, or why the processor cannot. */
const char *compile_use_list(compile_making *g, const held *h, compile_image *image, arena *mem,
                             compile_move *out);
/* Why a list cannot be made. */
extern const char compile_no_room[];

#endif
