/* entry_list.h - lists of the entries of a matrix, as the chip's processor makes them. */
#ifndef ONYX_PROGRAMS_ENTRY_LIST_H
#define ONYX_PROGRAMS_ENTRY_LIST_H

#include "programs/layout.h"
#include "support/mlist.h"

enum { COMPILE_LEVELS = 3, COMPILE_VALUES = 2 }; /* streams of a matrix, and which of them has the values */
/* The stored words of a piece, what one copy has made in a run, in storage order. */
typedef struct {
    uint32_t cell[COMPILE_LEVELS]; /* of the run table, addresses in SRAM; 0: the level is dense */
    const uint8_t *words[COMPILE_LEVELS];
    uint32_t corner[2], size[2];
} compile_stored_piece;
typedef VEC(compile_stored_piece) compile_stored_pieces;
typedef struct {
    interpreter *m;
    const compile_resident *resident;
    const compile_move_in *in;
    const sam_tensor_data *from, *to; /* the result; the operand */
    uint32_t from_edge[2], to_edge[2];
    uint32_t input[COMPILE_LEVELS];
    bool has[COMPILE_LEVELS];
    uint32_t outer;  /* the operand's index of its outer level */
    uint32_t passes; /* that sorted the list */
    uint32_t rows;   /* stored ones, of all compile_stored_pieces */
    bool before;     /* listed before the list of the batch's moves */
    bool full;       /* an entry had no room */
    bool ascend;     /* the coordinates of every fiber do */
    bool turned;     /* its outer level is the result's inner level */
    compile_stored_pieces all;
    uint32_t how, fill, mask;
    const sam_operator *op;
    mlist list;
    double cycles;
} compile_making;
bool compile_list_pieces(compile_making *g, arena *mem);
/* Returns whether two pieces have coordinates in common. O(pieces^2). */
bool compile_pieces_meet(const compile_stored_pieces *all);
/* Makes the list of all entries in the scratch area, and its commands. Returns NULL, or the reason for
 * failure. */
const char *compile_make_list(compile_making *g, tensor_slot *h, bool sorts, arena *mem, compile_move *out);
/* Returns the list of a matrix in the scratch area with the requested order, or NULL. */
compile_device_copy *compile_find_list(const compile_making *g, tensor_slot *h);
/* Returns to an existing list, and simulates its commands. Returns NULL, or the reason for failure. */
const char *compile_use_list(compile_making *g, const tensor_slot *h, compile_device_copy *device_copy,
                             arena *mem, compile_move *out);
/* Why a list cannot be made. */
extern const char compile_no_room[];

#endif
