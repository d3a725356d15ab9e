/* frontend.h - from the user's text to a SAM graph: tensor index notation, formats and a schedule become a
 * sam_statement (every reduction explicit, loops ordered), then a SAM graph.
 */
#ifndef ONYX_FRONTEND_H
#define ONYX_FRONTEND_H

#include "sam/sam.h"

/* The user's functions, from files by fe_read_functions. */
typedef struct fe_functions fe_functions;

typedef struct {
    const char *expression;       /* "X(i,j) = B(i,k) * C(k,j)" */
    const struct fe_piece *piece; /* NULL; or the expression is this part of a program (text.h) */
    const char *const *formats;   /* taco's -f: "B:ss", "C:ss:1,0", "x:d" */
    uint32_t n_formats;
    const char *const *format_names; /* NULL; or for each format its name, NULL for letters */
    const char *const *dimensions;   /* taco's -d: "i:100", "B:100,80" */
    uint32_t n_dimensions;
    /* taco's -s, for fe_schedule: "reorder(i,j,k)"; several commands may share one string. */
    const char *const *schedule;
    uint32_t n_schedule;
    const char *const *fills; /* "B:inf": the fill of a tensor; 0 by default */
    uint32_t n_fills;
    const char *semiring;          /* "min_plus"; NULL: plus_times */
    const fe_functions *functions; /* NULL: none */
    bool integers;                 /* the values are 16-bit integers: literals must be integers */
    const struct fe_scales
        *scales; /* of scaled integers (frontend/scales.h), from the same text; NULL: words are numbers */
    bool scaled; /* literals may have fractions: scales are unknown so far */
    bool keeps_absent; /* no complement of an argument for functions of files without their own */
    /* For fe_schedule: how far the data say each variable of its statement runs, by handle - 1; NULL, and 0:
     * they do not say. */
    const uint32_t *extents;
} fe_in;

/* Parses expression, formats and dimensions. Every variable absent from the result is summed over
 * (docs/index_notation.md has the rule), as SAM_EXPR_SUM. Default format: compressed in every level, modes in
 * order. Loops: the result's variables in their storage order, then the sums, outer ones first. in->schedule
 * is left to fe_schedule. Errors E0101 to E0127, located in the expression, a format or a dimension. The
 * texts need not outlive the call. */
bool fe_parse(const fe_in *in, name_table *names, arena *mem, diagnostics *d, sam_statement *out);
/* Checks every invariant of a sam_statement, from fe_parse or any other source. E0130. */
bool fe_check(const sam_statement *s, diagnostics *d);
/* Writes a statement without schedule as concrete index notation, with its loop order: "forall(i, forall(j,
 * forall(k, X(i,j) += B(i,k) * C(k,j))))". */
void fe_dump(const sam_statement *s, FILE *out);

/* ---- concrete index notation: a scheduled statement ------------------------------------------ */

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
typedef enum { FE_LANES = 1, FE_CPU_THREAD, FE_CPU_VECTOR, FE_BLOCK, FE_WARP, FE_THREAD } fe_unit;
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

/* Applies the commands of in->schedule in turn to s, which fe_parse made of the rest of `in`. Without
 * commands the result is s as its only kernel. Errors E0113, E0114, E0140 to E0151, located in the schedule.
 */
bool fe_schedule(const fe_in *in, const sam_statement *s, arena *mem, diagnostics *d, fe_cin *out);
/* Write and read the text form: parse(dump(x)) has the same kernels, by names. Parsing also checks.
 * E0150-cin, and errors of fe_parse. */
void fe_cin_dump(const fe_cin *cin, FILE *out);
bool fe_cin_parse(const char *text, name_table *names, arena *mem, diagnostics *d, fe_cin *out);
/* Checks every invariant of the IR. E0117, E0130, E0150. */
bool fe_cin_check(const fe_cin *cin, diagnostics *d);

/* Ways to split one kernel into several: partial sums get kernels and workspaces of their own; likewise sums
 * that are factors; or products that are terms; or a multiply phase stores every product, and a merge phase
 * adds them up with the sums innermost, which needs only scalar reducers; or a reduction by an operation
 * other than addition over several loops is made from a vector along the outermost. */
typedef enum {
    FE_STAGE_PARTIAL_SUMS,
    FE_STAGE_FACTORS,
    FE_STAGE_TERMS,
    FE_STAGE_PHASES,
    FE_STAGE_ROWS,
    FE_STAGINGS
} fe_staging;
/* Returns the schedule that stages the kernel, in place of the schedule of k. NULL if the kernel has no
 * matching part, and if the schedule splits loops or copies them. */
const char *fe_staged(const fe_kernel *k, fe_staging how, arena *mem);

/* Makes the statement of one kernel with an index for each loop: operands and result of split loops become
 * views. E0149-not-lowered for a relation without a form in the graph. */
bool fe_expand(const fe_kernel *k, arena *mem, diagnostics *d, sam_statement *out);

/* Rewrites integer products of sums as sums of products, (B + C) * D as B * D + C * D, if the sum is joined
 * with the factor: the chip's intersecters cannot take a union's references; with `calls` also other
 * operations that distribute over each other. Masks of sums move inside. Then rewrites, in a term of an
 * addition, sum(j, a * C) as a * sum(j, C): the chip's repeaters mistake fibers that are empty where the term
 * is absent. Values do not change. The statement satisfies fe_check before and after. Returns false with
 * E0118-too-large (exit 2) for a statement beyond any array. */
bool fe_distribute(sam_statement *s, bool calls, diagnostics *d);
/* Gives sums over one variable in several factors of a product a variable each, where the statement runs
 * sub-tile by sub-tile (s->tiled), since sub-tiles of a variable are paired. */
void fe_separate(sam_statement *s);

#endif
