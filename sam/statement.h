/* statement.h - the statement to compute: tensor index notation. */
#ifndef ONYX_SAM_STATEMENT_H
#define ONYX_SAM_STATEMENT_H

#include "support/support.h"

enum { SAM_MAX_ORDER = 12 }; /* of a tensor as stored; split loops count twice */
enum { SAM_MAX_GAPS = 4 };   /* tensors of which one that the host makes has the gaps */

/* These are 1-based handles into sam_statement; 0 is none. */
typedef struct {
    uint32_t v;
} sam_var;
typedef struct {
    uint32_t v;
} sam_tensor;
typedef struct {
    uint32_t v;
} sam_expr;

/* Graphs and stored tensors have dense and compressed levels only. The others are taco's for tensors as the
 * user declares them; fe_pack replaces them by compressed levels. */
typedef enum {
    SAM_LEVEL_NONE,
    SAM_LEVEL_DENSE,
    SAM_LEVEL_COMPRESSED,
    SAM_LEVEL_COMPRESSED_DUPLICATES, /* a coordinate may come several times in one fiber */
    SAM_LEVEL_SINGLETON,             /* one coordinate below each coordinate of the level above */
    SAM_LEVEL_SINGLETON_DUPLICATES
} sam_level_format;

/* How a stored tensor comes from a tensor of the user's; source 0: it is that tensor, as it is. Coordinate v
 * of the stored tensor is (crd[from[v].mode] / from[v].divide) % from[v].modulo of the source's coordinates
 * (modulo 0: no remainder taken). Entries are kept where crd[m] == crd[equal[m]] for every mode m of the
 * source; equal[m] == m where nothing is asked. For the result it is read backwards: crd[m] is the sum of
 * coordinate v x from[v].divide over its parts. So re-packing, diagonals and split loops are one thing. Where
 * loops are fused, crd[from[v].mode] above is the sum of all crd[m] x fused[m].times with this mode as
 * fused[m].onto, itself among them; and backwards crd[m] is (that sum / fused[m].times) % fused[m].extent. */
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
        uint32_t times, extent; /* 0: it is not fused; no remainder is taken */
    } fused[SAM_MAX_ORDER];
    /* By mode of the source, with a stride: coordinate c counts as low + c * stride of that which the operand
     * `slice` runs over. */
    struct {
        name_id slice;
        uint32_t low, stride;
    } place[SAM_MAX_ORDER];
    /* How far the loop of the mode that is split runs, where the operand's last block holds behind that what
     * the last coordinate does; otherwise 0. */
    uint32_t repeats;
    uint8_t merge; /* of the result: the sam_operation that makes one value of several */
} sam_view;

/* How a level is read: as it is best, coordinate after coordinate, at coordinates that others have, by leaps
 * to the next coordinate of others, or by leaps that others follow. */
typedef enum { SAM_BEST, SAM_WALK, SAM_FOLLOW, SAM_GALLOP, SAM_LEAD } sam_protocol;

/* Which part of a mode of the user's tensor an operand is. With a stride: every stride-th coordinate from low
 * on that is below high, numbered from 0. Without: its coordinate c is c + low of the user's, where that has
 * it; the extent stays. */
typedef struct {
    uint32_t stride, high;
    int32_t low;
    /* Not 0: the mode may lie outside of the user's tensor, where others have the value. Its extent is what
     * the other operands say. */
    uint32_t permits;
    /* Not 0: it goes with the index before. The user's coordinate is the sum of the indices that go together,
     * the first one `times` its coordinate (0: once), every other one `beside` times, and of `low` of the
     * first. */
    int32_t beside;
    uint32_t times;
} sam_window;

/* Where an operand is between the batches of a kernel, and its runs in a program: where the batches leave it;
 * off the chip, so that it is loaded for each; or in the global buffer. */
typedef enum { SAM_REGION_AUTO, SAM_REGION_HOST, SAM_REGION_GLB } sam_region;

typedef enum { SAM_VALUES, SAM_STORED, SAM_COMPLEMENT, SAM_FILLED } sam_structure;

typedef struct {
    name_id name;
    name_id called; /* by the user, where that is not its name: an operand that is the result of before */
    src_loc loc;
    uint32_t order;                        /* number of indices, 0 for a scalar */
    sam_level_format level[SAM_MAX_ORDER]; /* by storage level, outermost first */
    uint8_t mode[SAM_MAX_ORDER];           /* mode[l]: which index (0-based) storage level l holds */
    /* In blocks: level[] is of the blocks, and this of what is in them, for each level when its index is
     * split in two. */
    bool blocked;
    sam_level_format inner[SAM_MAX_ORDER];
    sam_view view;
    /* The host makes the tensor, with value 1 at every coordinate of a dense level, and at coordinate 0 only
     * of a compressed one. */
    bool ones;
    /* Where this names tensors, ones have along their variables, in place of that, one coordinate that they
     * all lack for each combination of those that the result has; all of them where there is none. They have
     * the same variables, in any order. */
    name_id gaps[SAM_MAX_GAPS];
    /* Bit l says that every fiber of compressed level l is to hold coordinate 0; the host adds explicit
     * zeros. */
    uint32_t padded;
    /* Bit l: of a compressed and padded level, every coordinate. It was dense. */
    uint32_t whole;
    uint16_t fill; /* the value of what is not stored */
    /* What the host makes of the tensor that the user gives as `called`: 1 wherever that stores something;
     * wherever it does not; or wherever its value is `filled`, stored or not. */
    sam_structure structure;
    uint16_t filled; /* the fill of that tensor */
    /* Sub-tiles of a complement hold what it lacks, and a joiner takes what only its other operand has. */
    bool lacked;
    /* It is a part of the tensor that the user gives as `called`: of each mode, one. */
    bool windowed;
    sam_window window[SAM_MAX_ORDER];
    /* Where an index that may is outside of the user's tensor: the operand that has the value there, which is
     * `spare` if no access has it; or if `bounded` a number. */
    name_id beyond;
    bool spare, bounded;
    uint16_t outside;
    sam_region region;
    src_loc region_loc; /* where that was said */
} sam_tensor_data;

/* Returns whether another index than this one, or none, goes with the mode of the user's tensor before. */
static inline bool sam_begins_mode(const sam_tensor_data *t, uint32_t m) {
    return !t->window[m].beside;
}

/* Returns how many modes the user's tensor has that an operand is a part of. */
static inline uint32_t sam_source_order(const sam_tensor_data *t) {
    uint32_t order = 0;
    for (uint32_t m = 0; m < t->order; m++)
        order += sam_begins_mode(t, m);
    return order;
}

/* Returns the name of the tensor whose entries it has: that which it is a view of, or its own. */
static inline name_id sam_stored_name(const sam_tensor_data *t) {
    return t->view.source.v ? t->view.source : t->name;
}
/* Returns the name that the user gave that. */
static inline name_id sam_user_name(const sam_tensor_data *t) {
    return t->called.v ? t->called : sam_stored_name(t);
}
/* Returns whether only the other operands say how far index m of a part runs. */
static inline bool sam_is_open(const sam_tensor_data *t, uint32_t m) {
    const sam_window *w = &t->window[m];
    return w->permits || w->beside || w->times > 1 || (m + 1 < t->order && w[1].beside);
}

/* Returns whether the host makes the tensor of coordinates that another one lacks. */
static inline bool sam_is_complement(const sam_tensor_data *t) {
    return t->structure == SAM_COMPLEMENT || t->structure == SAM_FILLED;
}

/* Whether every fiber of the level has all coordinates. */
static inline bool sam_level_is_whole(const sam_tensor_data *t, uint32_t level) {
    return t->level[level] == SAM_LEVEL_DENSE || (t->whole >> level & 1);
}

/* Whether all levels are dense, of which there is one at least. */
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

/* Which values a function along an index takes: those that differ from the fill; where a fiber has one, all
 * of the fiber; or all, since dense levels hold them. */
typedef enum { SAM_TAKES_STORED, SAM_TAKES_FIBER, SAM_TAKES_ALL } sam_taken;

typedef struct {
    sam_expr_kind kind;
    src_loc loc;
    sam_expr a, b;
    sam_var var;                  /* SUM */
    sam_tensor tensor;            /* ACCESS */
    sam_var index[SAM_MAX_ORDER]; /* ACCESS: one per index of the tensor, in logical order */
    /* ACCESS, bit v - 1: loop v takes the tensor's level at the coordinates that the other operands have,
     * instead of scanning it. It is the tensor's outermost level, and dense, so they are its references. */
    uint64_t located;
    /* ACCESS, bit v - 1: so are the levels of all others that have loop v, all dense and as long, so that
     * their coordinates need no joiner. */
    uint64_t aligned;
    uint64_t walked; /* ACCESS, bit v - 1: loop v scans the tensor's level, whatever could locate it */
    uint8_t protocol[SAM_MAX_ORDER]; /* ACCESS: a sam_protocol for each index, as the user asks for */
    bool outer_dense; /* ACCESS: the outermost level that it reads is dense, whatever that of the tensor is */
    double literal;
    uint8_t operation;             /* SUM, CALL: a sam_operation (sam/operators.h); 0 is addition */
    struct sam_program *program;   /* CALL of operation `program`: what it computes (sam/operators.h) */
    const struct sam_claim *claim; /* the value of a function of a file: what is said of it; or NULL */
    sam_taken takes;               /* CALL of a function along an index */
} sam_expr_data;

/* result(index...) = rhs, every reduction explicit as SAM_EXPR_SUM, and the loop order. */
typedef struct {
    arena *mem;
    name_table *names;
    VEC(sam_var_data) vars;
    VEC(sam_tensor_data) tensors; /* the result first, then operands in order of first appearance */
    VEC(sam_expr_data) exprs;
    sam_tensor result;
    sam_var result_index[SAM_MAX_ORDER];
    sam_expr rhs;
    VEC(sam_var) loops; /* all variables, outermost first */
    bool integers;      /* the values are int16: x / 0 is 0 */
    /* The result has another fill than the right side, so every coordinate counts. */
    bool everywhere;
    /* Variables, bit (handle - 1), that an operation takes whole sums over: no sub-tile cuts them, so their
     * edges must be as long as they are. */
    uint64_t uncut;
    bool general; /* there are fills that are not 0, or operations besides sums of + - * / */
    /* What sam_unites has found of the first n_unites expressions, by handle - 1: 0 nothing yet, 1 no, 2 yes.
     * NULL: it keeps nothing. Who changes expressions clears it. */
    uint8_t *unites;
    uint32_t n_unites;
    /* The statement runs sub-tile by sub-tile: a dense level goes on behind its variable's last coordinate,
     * where operands hold zeros; and an addend without a variable that is summed up beside it takes part in
     * that variable's first sub-tile only, and has operands of zeros in the others. */
    bool tiled;
    /* Bit (handle - 1) of a variable: what is computed of fills counts along it, so no level goes on behind
     * its last coordinate. */
    uint64_t exact;
    /* Sums by operations that the chip's reducer lacks are cut into sub-tiles of one coordinate, so that it
     * passes on what the host combines. So are loops that are outermost and not the result's, if all operands
     * that have them are dense along them. */
    bool singly;
    /* Bit (handle - 1) of a variable: the graph has no loop of it. A sub-tile is one coordinate long along
     * it, and the host adds up what the runs give. */
    uint64_t stepped;
    /* Bit (handle - 1) of a variable: a sub-tile is one coordinate long along it, so that a dense level
     * inside of it has the references of an outermost one. */
    uint64_t single;
    /* Not 0: the kernel's result is one value, of which its graph makes so many, one for each place in the
     * rows of its loop, and the host combines them (frontend/rows.c). */
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
/* Returns the first access of an operand; NULL: nothing uses it. */
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

/* These return whether v indexes the result; the result's format along v, SAM_LEVEL_NONE if v is summed over;
 * and the variables that index operands in e, bit (handle - 1) each. */
bool sam_is_result_var(const sam_statement *s, sam_var v);
sam_level_format sam_result_level(const sam_statement *s, sam_var v);
uint64_t sam_vars_of(const sam_statement *s, sam_expr e);

#endif
