/* parse.h - an expression, formats and dimensions become a statement. */
#ifndef ONYX_FRONTEND_PARSE_H
#define ONYX_FRONTEND_PARSE_H

#include "frontend/language/text.h"

/* Levels of a format that engine sam does not scan as compressed ones, bit l for level l: bit maps are read
 * by words, tables are looked up, scans of spans (bands, blocks, runs) leap, blocks and runs are also read by
 * words of their own, and singletons are entries of a list. */
typedef struct {
    uint32_t bits, tables, spans, blocks, runs, singles;
} fe_scans;

/* Index `mode` of the user's tensor, where the index is `var`, has a single coordinate, and `var` more. */
typedef struct fe_single {
    const char *tensor, *var;
    uint32_t mode;
} fe_single;
typedef VEC(fe_single) fe_singles;

typedef struct {
    const char *expression;     /* "X(i,j) = B(i,k) * C(k,j)" */
    const char *typed;          /* what the user wrote in place of the expression; NULL: the expression */
    const fe_piece *piece;      /* NULL; or the expression is this piece of a program (text.h) */
    const char *const *formats; /* taco's -f: "B:ss", "C:ss:1,0", "x:d" */
    uint32_t n_formats;
    const char *const *format_names; /* NULL; or for each format its name, NULL for letters */
    const char *const *dimensions;   /* taco's -d: "i:100", "B:100,80" */
    uint32_t n_dimensions;
    /* taco's -s, for fe_schedule: "reorder(i,j,k)"; several commands may share one string. */
    const char *const *schedule;
    uint32_t n_schedule;
    const char *const *fills; /* "B:inf": the fill of a tensor; 0 by default */
    uint32_t n_fills;
    const char *semiring;           /* "min_plus"; NULL: plus_times */
    src_loc semiring_at;            /* where a program says so */
    const fe_functions *functions;  /* NULL: none */
    bool integers;                  /* the values are 16-bit integers: literals must be integers */
    const struct fe_scales *scales; /* of scaled integers (frontend/language/scales.h), from the same text;
                                       NULL: words are numbers */
    bool scaled;                    /* literals may have fractions: scales are unknown so far */
    bool leaps;                     /* scanners leap to coordinates of other operands: on engine sam */
    const fe_scans *scans;          /* for each format; NULL: all are scanned */
    const fe_single *singles;       /* indices along which operands are broadcast */
    uint32_t n_singles;
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

#endif
