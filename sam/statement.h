/* statement.h - the statement to compute: tensor index notation. */
#ifndef ONYX_SAM_STATEMENT_H
#define ONYX_SAM_STATEMENT_H

#include "support/support.h"

enum { SAM_MAX_ORDER = 12 }; /* of a tensor as stored; split loops count twice */
enum { SAM_MAX_GAPS = 4 };   /* most tensors with gaps for a tensor made by the host */

/* 1-based handles into sam_statement; 0 is none. */
typedef struct {
    uint32_t v;
} sam_var;
typedef struct {
    uint32_t v;
} sam_tensor;
typedef struct {
    uint32_t v;
} sam_expr;

/* Graphs and stored tensors have dense and compressed levels only. The remaining formats are taco's for
 * tensors declared by the user; fe_pack replaces them by compressed levels. */
typedef enum {
    SAM_LEVEL_NONE,
    SAM_LEVEL_DENSE,
    SAM_LEVEL_COMPRESSED,
    SAM_LEVEL_COMPRESSED_DUPLICATES, /* a coordinate may occur several times in a fiber */
    SAM_LEVEL_SINGLETON,             /* a single coordinate below each coordinate of the level above */
    SAM_LEVEL_SINGLETON_DUPLICATES
} sam_level_format;

/* Construction of a stored tensor from a user's tensor; source 0: the user's tensor, unchanged. Coordinate v
 * of the stored tensor is (crd[from[v].mode] / from[v].divide) % from[v].modulo of the source's coordinates
 * (modulo 0: no remainder taken). Entries are kept where crd[m] == crd[equal[m]] for every mode m of the
 * source; equal[m] == m without a condition. For the result the view is read backwards: crd[m] is the sum of
 * coordinate v x from[v].divide over its digits. Re-packing, diagonals and split loops are thus the same.
 * With fused loops, crd[from[v].mode] above is the sum of all crd[m] x fused[m].times with this mode as
 * fused[m].onto, itself among them; backwards crd[m] is (this sum / fused[m].times) % fused[m].extent. */
typedef struct {
    name_id source;
    uint32_t source_order;
    struct {
        uint8_t mode;
        uint32_t divide, modulo;
    } from[SAM_MAX_ORDER];
    uint8_t equal[SAM_MAX_ORDER];
    struct {
        uint8_t onto;
        uint32_t times, extent; /* 0: not fused; no remainder is taken */
    } fused[SAM_MAX_ORDER];
    /* By mode of the source, with a stride: coordinate c counts as low + c * stride of the coordinates of
     * operand `slice`. */
    struct {
        name_id slice;
        uint32_t low, stride;
    } place[SAM_MAX_ORDER];
    /* Extent of the split mode's loop, if the operand's last block repeats its last coordinate beyond the
     * extent; otherwise 0. */
    uint32_t repeats;
    uint8_t merge; /* of the result: the sam_operation that merges several values */
} sam_view;

/* Reading of a level: the best way, coordinate after coordinate, at coordinates of other operands, by leaps
 * to the next coordinate of other operands, or by leaps that other operands follow. */
typedef enum { SAM_BEST, SAM_WALK, SAM_FOLLOW, SAM_GALLOP, SAM_LEAD } sam_protocol;

/* The window of a mode of the user's tensor in an operand. With a stride: every stride-th coordinate from low
 * on below high, numbered from 0. Without: coordinate c is c + low of the user's tensor, if present; the
 * extent stays. */
typedef struct {
    uint32_t stride, high;
    int32_t low;
    /* Nonzero: coordinates run downwards. With a stride: from the last one below high on, not below low.
     * Without: coordinate c is low - c. */
    uint32_t down;
    /* Nonzero: the mode may lie outside of the user's tensor, where other operands have the value. The
     * remaining operands give its extent. */
    uint32_t permits;
    /* Nonzero: the mode goes with the previous index. The user's coordinate is the sum of the joined indices,
     * the first one `times` its coordinate (0: once), every other index `times_others` times, and of `low` of
     * the first. */
    int32_t times_others;
    uint32_t times;
} sam_window;

/* Place of an operand between the batches of a kernel, and its runs in a program: wherever the batches leave
 * the operand; off the chip, loaded for each; or in the global buffer. */
typedef enum { SAM_REGION_AUTO, SAM_REGION_HOST, SAM_REGION_GLB } sam_region;

typedef enum { SAM_VALUES, SAM_STORED, SAM_COMPLEMENT, SAM_FILLED, SAM_REACHED, SAM_POSITIONS } sam_structure;

/* With names, ones have along their variables, instead of all coordinates, a single coordinate that all named
 * tensors lack for each combination of the result's coordinates; all coordinates if none is lacking. The
 * named tensors have the same variables, in any order. `near`: only for combinations at which a named tensor
 * stores entries. */
typedef struct {
    name_id of[SAM_MAX_GAPS];
    bool near;
} sam_gaps;

/* The coordinate of mode `along`, counted from `first`. */
typedef struct {
    uint8_t along, first;
} sam_position;

/* For an index outside of the user's tensor: the operand with the value, which is `spare` without an access;
 * or if `bounded` a number. */
typedef struct {
    name_id beyond;
    bool spare, bounded;
    uint16_t outside;
} sam_border;

typedef struct {
    name_id name;
    name_id called; /* the user's name, if different: an operand equal to an earlier result */
    src_loc loc;
    uint32_t order;                        /* number of indices, 0 for a scalar */
    sam_level_format level[SAM_MAX_ORDER]; /* by storage level, outermost first */
    uint8_t mode[SAM_MAX_ORDER];           /* mode[l]: the index (0-based) of storage level l */
    /* In blocks: level[] is of the blocks, and inner[] of their contents, for each level when its index is
     * split in two. */
    bool blocked;
    sam_level_format inner[SAM_MAX_ORDER];
    sam_view view;
    /* The host makes the tensor, with value 1 at every coordinate of a dense level, and at coordinate 0 only
     * of a compressed one. */
    bool ones;
    sam_gaps gaps; /* of ones */
    /* Bit l: every fiber of compressed level l must hold coordinate 0; the host adds explicit zeros. */
    uint32_t padded;
    /* Bit l: a compressed and padded level with every coordinate, dense before. */
    uint32_t whole;
    uint16_t fill; /* the value of absent entries */
    /* The host's tensor made from the user's tensor `called`: 1 at every stored coordinate; at every absent
     * coordinate; at every value equal to `filled`, stored or not; or at every value of the levels: stored
     * ones, and all of an innermost dense level. Of SAM_POSITIONS the value at every stored coordinate is the
     * coordinate as `position` says. */
    sam_structure structure;
    sam_position position;
    uint16_t filled; /* the fill of that tensor */
    /* Sub-tiles of a complement hold the absent coordinates, and a joiner takes the coordinates found only in
     * its other operand. */
    bool lacked;
    /* Coordinates of the user's tensor `called`: a window of each mode. */
    bool windowed;
    sam_window window[SAM_MAX_ORDER];
    sam_border border;
    sam_region region;
    src_loc region_loc; /* where that was said */
    int scale;          /* scaled integers: word w has the value w * 2^-scale */
} sam_tensor_data;

/* Returns whether no index goes with an earlier one in this mode of the user's tensor. */
static inline bool sam_begins_mode(const sam_tensor_data *t, uint32_t m) {
    return !t->window[m].times_others;
}

/* Returns the number of modes of the user's tensor behind a windowed operand. */
static inline uint32_t sam_source_order(const sam_tensor_data *t) {
    uint32_t order = 0;
    for (uint32_t m = 0; m < t->order; m++)
        order += sam_begins_mode(t, m);
    return order;
}

/* Returns the name of the tensor with the entries: the source of the view, or its own. */
static inline name_id sam_stored_name(const sam_tensor_data *t) {
    return t->view.source.v ? t->view.source : t->name;
}
/* Returns the user's name of the stored tensor. */
static inline name_id sam_user_name(const sam_tensor_data *t) {
    return t->called.v ? t->called : sam_stored_name(t);
}
/* Returns whether only the other operands say how far index m of a window runs. */
static inline bool sam_is_open(const sam_tensor_data *t, uint32_t m) {
    const sam_window *w = &t->window[m];
    return w->permits || w->times_others || w->times > 1 || (m + 1 < t->order && w[1].times_others);
}

/* Returns whether the host makes the tensor from coordinates absent in another tensor. */
static inline bool sam_is_complement(const sam_tensor_data *t) {
    return t->structure == SAM_COMPLEMENT || t->structure == SAM_FILLED;
}

/* Whether every fiber of the level has all coordinates. */
static inline bool sam_level_is_whole(const sam_tensor_data *t, uint32_t level) {
    return t->level[level] == SAM_LEVEL_DENSE || (t->whole >> level & 1);
}

/* Whether all levels are dense, with at least one level. */
static inline bool sam_is_dense(const sam_tensor_data *t) {
    bool dense = t->order > 0;
    for (uint32_t l = 0; l < t->order; l++)
        dense = dense && t->level[l] == SAM_LEVEL_DENSE;
    return dense;
}

typedef struct {
    name_id name;
    src_loc loc;
    uint32_t extent; /* 0: what the operands say */
    /* A split loop: this variable is (split_of / divide) % modulo, modulo 0: no remainder taken. */
    sam_var split_of;
    uint32_t divide, modulo;
    name_id instead; /* the index that this one replaces in an operand that is broadcast */
} sam_var_data;

typedef enum {
    SAM_EXPR_NONE,
    SAM_EXPR_ACCESS,  /* tensor, index[] */
    SAM_EXPR_LITERAL, /* literal */
    SAM_EXPR_NEG,     /* a */
    SAM_EXPR_ADD,     /* a + b */
    SAM_EXPR_SUB,
    SAM_EXPR_MUL,
    SAM_EXPR_DIV,
    SAM_EXPR_SUM,  /* over var of a, by `operation` */
    SAM_EXPR_CALL, /* `operation` of a and b, or of a alone */
} sam_expr_kind;

/* Levels of an access that engine sam scans by their kind, bit v - 1 for the level of loop v. */
typedef struct {
    uint64_t bits, blocks, runs; /* joined with others by words: bit maps, blocks, runs */
    uint64_t tables;             /* looked up at coordinates of the others */
    uint64_t spans;              /* stored in spans: its scan and those of others leap */
    uint64_t singles;            /* a coordinate for each entry of a list */
} sam_scans;

/* Values taken by a function along an index: values different from the fill; the whole of any nonempty fiber;
 * or all values, since dense levels hold them. */
typedef enum { SAM_TAKES_STORED, SAM_TAKES_FIBER, SAM_TAKES_ALL } sam_taken;

typedef struct {
    sam_expr_kind kind;
    src_loc loc;
    sam_expr a, b;
    sam_var var;                  /* SUM */
    sam_tensor tensor;            /* ACCESS */
    sam_var index[SAM_MAX_ORDER]; /* ACCESS: a variable per index of the tensor, in logical order */
    /* ACCESS, bit v - 1: loop v takes the tensor's level at the coordinates of the other operands, instead of
     * a scan. The level is the tensor's outermost level, and dense: coordinates are its references. An
     * operation of two: the second is found at the coordinates of the first, a mask, along loop v. */
    uint64_t located;
    /* ACCESS, bit v - 1: so are the levels of all other operands with loop v, all dense and of equal extent:
     * their coordinates need no joiner. */
    uint64_t aligned;
    uint64_t scanned; /* ACCESS, bit v - 1: loop v scans the tensor's level, even if locatable */
    uint64_t leapt;   /* ACCESS, bit v - 1: and the scan leaps to coordinates of the others, if it can */
    sam_scans scans;  /* ACCESS */
    uint8_t protocol[SAM_MAX_ORDER]; /* ACCESS: a sam_protocol for each index, as the user asks for */
    bool outer_dense; /* ACCESS: the outermost level read is dense, whatever the tensor's outermost level */
    double literal;
    double rounded_off; /* LITERAL of scaled integers: what it was more, before it was rounded to a word */
    uint8_t operation;  /* SUM, CALL: a sam_operation (sam/operators.h); 0 is addition */
    struct sam_program *program;   /* CALL of operation `program`: its function (sam/operators.h) */
    const struct sam_claim *claim; /* claims about the value of a file's function; or NULL */
    sam_taken takes;               /* CALL of a function along an index */
} sam_expr_data;

/* result(index...) = rhs, every reduction explicit as SAM_EXPR_SUM, and the loop order. */
typedef struct {
    arena *mem;
    name_table *names;
    VEC(sam_var_data) vars;
    VEC(sam_tensor_data) tensors; /* the result first, followed by operands in order of first appearance */
    VEC(sam_expr_data) exprs;
    sam_tensor result;
    sam_var result_index[SAM_MAX_ORDER];
    sam_expr rhs;
    VEC(sam_var) loops; /* all variables, outermost first */
    bool integers;      /* the values are int16: x / 0 is 0 */
    /* The result's fill differs from the right side's: every coordinate counts. */
    bool everywhere;
    /* Variables, bit (handle - 1), summed as a whole by an operation: no sub-tile cuts them, hence their
     * edges must be their extents. */
    uint64_t uncut;
    bool general; /* some fill is nonzero, or some operation is not a sum of + - * / */
    /* Cache of sam_unites for the first n_unites expressions, by handle - 1: 0 unknown, 1 no, 2 yes. NULL: no
     * cache. A change of expressions must clear the cache. */
    uint8_t *unites;
    uint32_t n_unites;
    /* The statement runs sub-tile by sub-tile: a dense level continues after its variable's last coordinate,
     * where operands hold zeros; an addend without a summed variable takes part only in this variable's first
     * sub-tile, and has operands of zeros in the rest. */
    bool tiled;
    /* Bit (handle - 1) of a variable: values computed from fills count along the variable, hence no level
     * continues after its last coordinate. */
    uint64_t exact;
    /* Sums by operations absent from the chip's reducer are cut into sub-tiles of a single coordinate: the
     * reducer passes the values on, and the host combines them. Outermost loops absent from the result are
     * cut, too, if all their operands are dense along them. */
    bool singly;
    /* Bit (handle - 1) of a variable: the graph has no loop over the variable. A sub-tile is a coordinate
     * long along the variable, and the host adds up the results of the runs. */
    uint64_t stepped;
    /* Bit (handle - 1) of a variable: a sub-tile is a coordinate long along the variable, and an inner dense
     * level has the references of an outermost level. */
    uint64_t single;
    /* Nonzero: the kernel's result is a single value, of which its graph makes `rows`, a value for each place
     * in the rows of its loop, combined by the host (frontend/lowering/rows.c). */
    uint32_t rows;
} sam_statement;

static inline sam_var_data *sam_var_at(const sam_statement *s, sam_var h) {
    return &s->vars.at[h.v - 1];
}
static inline sam_tensor_data *sam_tensor_at(const sam_statement *s, sam_tensor h) {
    return &s->tensors.at[h.v - 1];
}
static inline sam_expr_data *sam_expr_at(const sam_statement *s, sam_expr h) {
    return &s->exprs.at[h.v - 1];
}
/* Returns the operand of the name; no handle if none has the name, or the result alone. */
static inline sam_tensor sam_operand_named(const sam_statement *s, name_id name) {
    for (uint32_t t = 1; t <= s->tensors.len; t++) {
        if (t != s->result.v && name_eq(s->tensors.at[t - 1].name, name))
            return (sam_tensor){t};
    }
    return (sam_tensor){0};
}
/* Returns the first access of an operand; NULL: unused. */
static inline const sam_expr_data *sam_access_of(const sam_statement *s, sam_tensor t) {
    for (uint32_t e = 0; e < s->exprs.len; e++) {
        if (s->exprs.at[e].kind == SAM_EXPR_ACCESS && s->exprs.at[e].tensor.v == t.v)
            return &s->exprs.at[e];
    }
    return NULL;
}
/* Returns how many of the first n expressions read the tensor. */
static inline uint32_t sam_count_reads(const sam_statement *s, sam_tensor t, uint32_t n) {
    uint32_t count = 0;
    for (uint32_t e = 1; e <= n; e++) {
        const sam_expr_data *x = sam_expr_at(s, (sam_expr){e});
        count += x->kind == SAM_EXPR_ACCESS && x->tensor.v == t.v;
    }
    return count;
}
/* Returns the variables, by mode, of the result or of the first access of an operand. */
static inline const sam_var *sam_index_of(const sam_statement *s, sam_tensor t) {
    const sam_expr_data *access = t.v == s->result.v ? NULL : sam_access_of(s, t);
    return access ? access->index : s->result_index;
}

/* Return whether v indexes the result; the result's format along v, SAM_LEVEL_NONE if v is summed over; and
 * the variables that index operands in e, bit (handle - 1) each. */
bool sam_is_result_var(const sam_statement *s, sam_var v);
sam_level_format sam_result_level(const sam_statement *s, sam_var v);
uint64_t sam_vars_of(const sam_statement *s, sam_expr e);

#endif
