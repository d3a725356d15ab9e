/* plan_int.h - shared by the files of the planner: cut.c forms sub-tiles, pieces.c finds the pieces of a
 * variable that may contribute, plan.c searches them. */
#ifndef ONYX_PLAN_INT_H
#define ONYX_PLAN_INT_H

#include "sam/coordinates.h"
#include "tiling/tiling_int.h"

#include <pthread.h>

enum { PLAN_MAX_TENSORS = 64, PLAN_NO_DIGIT = -1, PLAN_NO_BLOCK = UINT32_MAX >> 1 };

/* A coordinate consists of digits: the tile for the global buffer, if present, then the sub-tile inside. */
typedef struct {
    sam_var var;
    uint32_t edge;   /* coordinates of a piece */
    uint32_t within; /* length of the range cut into pieces; 0: the whole variable */
    int outer;       /* the digit that chose the range, or PLAN_NO_DIGIT */
    bool of_glb;     /* its pieces are tiles for the global buffer */
} plan_digit;

/* A compressed level in the form of a memory tile; seg NULL: a dense level. */
typedef struct {
    const uint16_t *seg, *crd;
} plan_level;

/* How much of the result a run writes, at most. */
typedef struct {
    uint64_t stream; /* words of the longest output stream */
    uint64_t widest; /* words of the largest array in a memory tile */
} plan_bound;
typedef struct plan_walk plan_walk;

/* The range of a run: coordinates [low, low + size) of each variable, by handle - 1. */
typedef struct {
    uint32_t low[TILE_MAX_VARS], size[TILE_MAX_VARS];
} plan_box;

/* The entries of an operand in a box. Sub-tile 0 is the empty one. Extents by logical mode. */
typedef struct {
    const uint32_t *entry; /* in storage order */
    uint32_t n;
    uint32_t tile; /* the uniform sub-tile around */
    uint32_t low[SAM_MAX_ORDER];
    uint16_t size[SAM_MAX_ORDER];
    uint16_t nodes[SAM_MAX_ORDER]; /* distinct coordinates */
    uint32_t tree[SAM_MAX_ORDER];  /* nodes of each storage level */
    uint32_t most;                 /* words of its largest array */
    uint32_t vals;
    const plan_level *levels; /* NULL before their first use by a walk */
    bool fits;
    uint8_t halve;      /* the mode to halve if the sub-tile does not fit, SAM_MAX_ORDER = unknown so far */
    uint32_t block;     /* of its operand's inputs, PLAN_NO_BLOCK before its first use by a run */
    uint32_t loaded_in; /* the last load of the global buffer with the sub-tile */
    uint32_t next;      /* with the same hash, 0 ends */
    struct plan_tally **tallies; /* by mode, meet.c; NULL before their first use by a meeting */
} sub_tile;

/* Cache of the pieces of sub-tiles [low, high) at a digit: requests repeat often. */
typedef struct {
    uint32_t low, high;
    uint64_t *bits; /* NULL: none yet */
} plan_cached_set;

enum { PLAN_LINE = 4 }; /* words per read of a memory tile */

/* The entries of an operand by uniform sub-tile. */
typedef struct {
    const uint32_t *entry;      /* all entries, by digits, then in storage order */
    const uint32_t *tile_first; /* first of the entries of uniform sub-tile t; n_tiles + 1 elements */
    const uint32_t *piece;      /* of each uniform sub-tile by digit: n_digits for one sub-tile */
    uint32_t n_tiles;           /* uniform sub-tiles with entries */
    double other_lines;         /* share of the entries whose innermost coordinate is in another line of
                                   PLAN_LINE words than the previous entry's */
} plan_cut_entries;

/* A cut, and the hash of everything that it depends on. */
typedef struct {
    uint64_t key;
    plan_cut_entries of;
} plan_kept_cut;
enum { PLAN_MOST_KEPT = 1 << 23 }; /* bytes of kept cuts; beyond half of them a search begins without any */
struct tile_cuts {
    pthread_mutex_t lock; /* of all that follows: two threads may count plans */
    arena own;
    VEC(plan_kept_cut) all;
};

typedef struct {
    const tile_tensor *data;
    const sam_tensor_data *format;
    const sam_expr_data *access;
    uint64_t first_only; /* variables (bit = handle - 1) in whose first piece alone the operand takes part */
    plan_digit *digit;   /* of its own variables, in the order of the search */
    uint8_t *digit_mode; /* the logical mode of each */
    plan_cached_set *cached; /* by digit */
    uint32_t n_digits;
    plan_cut_entries cut;
    int8_t *level_along; /* the first storage level along each variable, by handle - 1, or -1 */
    uint8_t *input;      /* the streams that carry it */
    uint32_t n_inputs;
    uint64_t *was_split;     /* a bit for each uniform sub-tile */
    VEC(sub_tile) subs;      /* those the batch met */
    uint32_t *head, n_heads; /* of the hash chains, a power of two */
} plan_operand;

/* Position of the search in one operand: its sub-tiles [low, high) match the chosen pieces. */
typedef struct {
    uint32_t low, high, depth; /* depth: digits of the operand fixed so far */
} plan_cursor;

typedef enum { PIECES_NONE, PIECES_ANY, PIECES_SOME } piece_kind;
typedef struct {
    piece_kind kind;
    uint64_t *bits; /* PIECES_SOME: one bit per piece */
} piece_set;

/* A digit whose pieces are being visited. */
typedef struct {
    piece_set set;
    uint32_t at, pieces;
    size_t pool; /* in use before it */
} plan_frame;

/* The fibers of operand of[0] along a variable, which come as often as entries of of[1] have the same
 * coordinate of an outer loop. */
typedef struct {
    uint32_t of[2];  /* tensor handles - 1 */
    uint8_t mode[2]; /* along that loop */
    sam_var at, along;
    bool exact;         /* both begin with this loop: its common coordinates are counted, in this run */
    double coordinates; /* so many */
} plan_meeting;

/* How operands' fibers are alike, meet and differ in length. */
typedef struct {
    double *alike; /* by tensor, times tensors, and tensor: 1 + the share, 0: not known yet: alike.c */
    VEC(plan_meeting) meetings; /* meet.c */
    double *skew; /* by variable, handle - 1, times tensors, and tensor: how much longer than on average the
                     fibers are that the loops outside come to, in the present run */
} plan_fibers;

/* Coordinates counted in the present sub-tile have the stamp `now`. */
typedef struct {
    uint16_t *seen, now; /* by level and coordinate */
    uint32_t most_order; /* levels of seen */
} plan_stamps;

/* What a batch is allowed to hold and to cost, and has so far. */
typedef struct {
    bool dry;                   /* count only: no words, no runs */
    uint64_t steps, most_steps; /* of the work so far: entries sorted and formed, runs, coordinates visited;
                                 limit of counting */
    bool at_once, cut_short;    /* stops even within a split sub-tile; has stopped */
} plan_limit;

/* The load of the global buffer at hand. */
typedef struct {
    uint32_t load; /* from 1 */
    bool new_load, new_glb_tile;
    uint64_t in_words[TILE_MAX_STREAMS], out_words;
} plan_load;

/* Where the search through the pieces of the digits stands. */
typedef struct {
    plan_digit *digits; /* in the order of the search */
    uint32_t n_digits;
    uint32_t *piece;       /* chosen, by digit */
    plan_cursor **cursors; /* by depth: one for each tensor */
    plan_frame *frames;
    int depth;      /* of the frame on top, -1: the search is over */
    bool alone;     /* a statement without loops: its only run is pending */
    uint64_t *pool; /* of piece sets, a stack */
    size_t pool_used;
} plan_search;

/* What the statement says of the coordinates that its loops visit. */
typedef struct {
    sam_algebra algebra;
    sam_set coordinates; /* which the loops visit */
    uint64_t *sums;      /* by expression, handle - 1: the variables summed over inside, a bit each */
    uint64_t *separate; /* by variable, handle - 1: the variables whose sums are beside its own, a bit each */
    bool any_apart;
    uint8_t *scanned; /* by variable, handle - 1: operands that scan a level along it, as model.c says */
} plan_visits;

typedef struct {
    const tile_stream *inputs, *outputs;
    uint32_t n_inputs, n_outputs;
} plan_streams;

struct tile_planner {
    const sam_statement *statement;
    plan_visits visits;
    tile_options options;
    uint32_t *edge, *glb; /* of sub-tiles and of tiles for the global buffer (0: none), by handle - 1 */
    uint32_t longest;     /* of edge[] */
    const uint32_t *extent;
    plan_operand *operands; /* by tensor handle - 1 */
    plan_fibers fibers;
    plan_search search;
    plan_stamps stamps;
    plan_load glb_load;
    plan_limit limit;
    plan_streams streams;
    plan_walk *walk; /* NULL: results are bounded, not counted */
    tile_counts counts;
    arena own, scratch;
    arena *home, *mem; /* the caller's: of the counts, of the batch */
    diagnostics *diag;
    tile_plan *plan; /* the batch */
};
/* Returns the place of a message about the sub-tiles of an operand: where their edge is stated, if anywhere.
 */
static inline src_loc plan_place(const tile_planner *p, src_loc operand) {
    return p->options.stated.length ? p->options.stated : operand;
}

/* Returns the variable along storage level l of the operand. */
static inline sam_var plan_level_var(const plan_operand *o, uint32_t l) {
    return o->access->index[o->format->mode[l]];
}

static inline uint64_t var_bit(sam_var v) {
    return UINT64_C(1) << (v.v - 1);
}

/* ---- alike.c --------------------------------------------------------------------------------- */

/* Returns, for two operands with equal variables, the share of the smaller operand's entries present in the
 * other; for others 0. Found at the first question. */
double plan_alike(const tile_planner *p, sam_tensor a, sam_tensor b);

/* ---- plan.c ---------------------------------------------------------------------------------- */

/* Returns the progress of the search, 0 to 1, in pieces of any content. */
double plan_progress(const tile_planner *p);

#endif
