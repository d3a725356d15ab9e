/* cin.h - concrete index notation: relations, loops, tags. */
#ifndef ONYX_FRONTEND_CIN_H
#define ONYX_FRONTEND_CIN_H

#include "frontend/language/scope.h"

typedef enum { FE_SPLIT = 1, FE_DIVIDE, FE_POS, FE_FUSE, FE_BOUND } fe_relation_kind;
typedef enum { FE_MIN_EXACT = 1, FE_MIN_CONSTRAINT, FE_MAX_EXACT, FE_MAX_CONSTRAINT } fe_bound_type;

/* How loops come from variables of the expression. Accesses and sums name the variables of the expression,
 * loops what is left when every relation has replaced its first variables (fuse: its first two). */
typedef struct {
    fe_relation_kind kind;
    src_loc loc;
    sam_var var[3];      /* split, divide: i, i0, i1; pos, bound: i, new; fuse: i, j, new */
    uint32_t number;     /* split: size of i1; divide: extent of i0; bound: the extent */
    name_id tensor;      /* pos */
    fe_bound_type bound; /* bound */
} fe_relation;

typedef enum { FE_UNROLL = 1, FE_PARALLELIZE } fe_tag_kind;
typedef enum {
    FE_LANES = 1,
    FE_CPU_THREAD,
    FE_CPU_VECTOR,
    FE_CPU_GROUP,
    FE_DEFAULT_UNIT,
    FE_BLOCK, /* from here on of GPUs */
    FE_WARP,
    FE_THREAD,
    FE_BLOCK_REDUCTION,
    FE_WARP_REDUCTION
} fe_unit;
typedef enum { FE_NO_RACES = 1, FE_IGNORE_RACES, FE_TEMPORARY, FE_PARALLEL_REDUCTION, FE_ATOMICS } fe_races;

/* A loop with several copies in the graph. */
typedef struct {
    fe_tag_kind kind;
    src_loc loc;
    sam_var loop;
    uint32_t copies;   /* 1 to FE_MAX_COPIES */
    fe_unit unit;      /* parallelize */
    fe_races strategy; /* parallelize */
    bool hint;         /* parallelize: any unit but lanes; the graph may also do without the copies */
} fe_tag;

enum { FE_MAX_COPIES = 64 };

/* A statement about a binding to a function of whole tensors: an operand gets an index of one coordinate at a
 * place, or has a tag. */
typedef struct {
    enum { FE_PROMOTED = 1, FE_TAGGED } kind;
    name_id tensor;
    uint32_t position; /* PROMOTED */
    name_id tag;       /* TAGGED */
} fe_binding_note;

/* The described function whose calls compute a kernel on the host. */
typedef struct {
    name_id function; /* 0: none */
    uint64_t fixed;   /* bit v - 1: each call has one coordinate of the variable */
    VEC(fe_binding_note) notes;
} fe_binding;

/* A kernel becomes one graph. */
typedef struct {
    sam_statement s; /* s.loops: the loops after all relations */
    VEC(fe_relation) relations;
    VEC(fe_tag) tags;
    bool ordered;       /* a command sets the order of its loops */
    src_loc order_at;   /* the first such command; nowhere in other forms than schedules */
    bool on_host;       /* by the host, coordinate by coordinate: at most one sum, around all */
    fe_binding binding; /* or by calls of a function: with any sums, and loops split once */
} fe_kernel;

/* Kernels in the order of their runs. Each but the last computes a workspace that later ones read under its
 * name; the last computes the result. Text form: docs/schedule.md, without formats. */
typedef struct {
    VEC(fe_kernel) kernels;
} fe_cin;

void fe_copy_statement(const sam_statement *s, arena *mem, sam_statement *out);
/* Removes expressions not under rhs, and tensors not used; the others get new handles. */
void fe_compact(sam_statement *s);
/* Returns the loops of a scope's variables, outermost first. */
fe_vars fe_scope_loops(const fe_kernel *k, const fe_scope *scope, arena *mem);
/* Returns whether every loop of a sum lies inside the loops of the outer scopes. Otherwise fe_fill moves
 * sums. */
bool fe_loops_nest(const fe_kernel *k, arena *mem);
const fe_tag *fe_tag_of(const fe_kernel *k, sam_var loop);

/* Checks every invariant of the IR. E0117, E0130, E0150. */
bool fe_cin_check(const fe_cin *cin, diagnostics *d);
/* Returns whether a variable or tensor of any kernel has the name. */
bool fe_is_cin_name(const fe_cin *cin, name_id name);
/* Returns the first of w, w2, w3, ... unused in both. */
name_id fe_unused_workspace(const fe_cin *cin, const fe_cin *other);
/* Renames the workspaces of a program apart from the kernels of the program around. */
void fe_name_apart(fe_cin *cin, const fe_cin *others);

#endif
