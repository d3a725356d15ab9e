/* program.h - the program file: several statements, loops around them, and the tensors that they share
 * (docs/programs.md); and its form as concrete index notation. */
#ifndef ONYX_FRONTEND_PROGRAM_H
#define ONYX_FRONTEND_PROGRAM_H

#include "frontend/frontend.h"

/* What gives a tensor its first values. */
typedef enum { FE_FROM_NOTHING, FE_FROM_FILE, FE_FROM_GENERATOR, FE_FROM_ENTRIES, FE_FROM_NUMBER } fe_origin;

/* A tensor of a program, as its declaration says; one that has none is compressed and holds what the command
 * line gives. */
typedef struct {
    name_id name;
    src_loc loc;
    bool declared, constant; /* constant: of `param` */
    uint32_t order;          /* FE_NO_ORDER: nothing says it yet */
    const char *format;      /* "ss:1,0", every letter and every mode; "" of a scalar */
    const char *region;      /* "@glb", as -f has it; "": nothing was said */
    src_loc region_loc;
    const char *stored; /* the format's name, where it has one: `format` is what the array scans */
    const char *fill;   /* "inf"; NULL: not known yet */
    bool fill_said;     /* by the declaration, for whatever data are given */
    bool sized;         /* dim is stated */
    bool dim_declared;  /* it is by the declaration, for whatever data are given; else by a list of values */
    uint32_t dim[SAM_MAX_ORDER]; /* of entries that state none: as far as they reach */
    fe_origin origin;
    const char *from; /* a file, or what a generator is told */
    enum { FE_AS_STORED, FE_AS_ONES, FE_AS_RAMP } values;
    u32_vec crd;      /* of entries, 0-based */
    VEC(double) val;  /* of entries; one of a scalar, and of a number that every coordinate has */
    bool changes;     /* a statement assigns it, or a swap */
    bool read_first;  /* a statement may read it before anything is assigned, */
    bool added_first; /* or `+=` may add to it */
} fe_shared;

typedef enum { FE_STEP_ASSIGN, FE_STEP_SWAP, FE_STEP_MULTI, FE_STEP_REPEAT } fe_step_kind;
typedef struct fe_step fe_step;
typedef VEC(fe_step) fe_steps;

/* The tensor of a statement, by handle - 1: its index in the program, and whether it is nnz(that). */
typedef struct {
    uint32_t shared;
    bool counts;
} fe_use;
enum { FE_NO_TENSOR = INT32_MAX, FE_NO_ORDER = 255 }; /* shared: of a condition's value */

struct fe_step {
    fe_step_kind kind;
    src_loc loc;
    const char *text;        /* ASSIGN: as written */
    sam_statement statement; /* ASSIGN; REPEAT with `until`: a scalar of the condition's value */
    fe_cin cin;              /* of the statement, without a schedule */
    const fe_use *use;       /* of the statement */
    uint32_t swap[2];        /* SWAP: indices of tensors */
    bool until;              /* REPEAT: it ends when the condition holds, which is tested before each pass */
    uint32_t passes;         /* REPEAT: how many, or with `until` the most */
    fe_steps body;           /* MULTI, REPEAT */
};

typedef struct {
    arena *mem;
    name_table *names;
    VEC(fe_shared) tensors;
    fe_steps steps;
    bool undeclared; /* it was concrete index notation: tensors are what uses them says */
    u32_vec results; /* indices of tensors; the last assignment's where none is named */
} fe_program;

/* A format by name, and how the array scans it: "ds:0,1". */
typedef struct {
    const char *name, *scanned;
} fe_named_format;

/* A program file, and what the command line says of its tensors. */
typedef struct {
    const char *name, *text; /* of the file; text as text_read returns it */
    size_t length;
    bool integers;
    const char *const *settings; /* "steps=3", of params and scalars */
    uint32_t n_settings;
    const fe_functions *functions; /* NULL: none */
    const fe_named_format *formats;
    uint32_t n_formats;
} fe_program_in;

/* What a program file states of itself, as the command line would; NULL: nothing. */
typedef struct {
    const char *dtype, *profile, *board, *functions;
} fe_program_options;
/* Finds the items "dtype bf16", "profile onyx-ext", "board NAME", "functions PATH" of a program, which count
 * for all of it wherever they stand. E0102-syntax where one has no word, or two say the same. */
bool fe_program_stated(const fe_program_in *in, arena *mem, diagnostics *d, fe_program_options *out);

/* Reads a program, and each of its statements as fe_parse does. E0102 and the others of fe_parse, E0170 to
 * E0174. */
bool fe_program_parse(const fe_program_in *in, name_table *names, arena *mem, diagnostics *d,
                      fe_program *out);

/* Returns the index of a tensor, or the number of tensors. */
uint32_t fe_program_find(const fe_program *p, name_id name);
/* Returns the index of the tensor that an assignment is to. */
uint32_t fe_step_result(const fe_step *step);
/* Write a program as concrete index notation and read it: `sequence(p, p)`, `multi(p, p)`, `repeat(n, p)`,
 * `repeat(until(condition, n), p)`, `swap(a, b)` around kernels. The declarations are left out, so that
 * `tensors` has names and orders only. Of what it read the first writes the same text. */
void fe_program_cin_dump(const fe_program *p, FILE *out);
bool fe_program_cin_parse(const char *text, name_table *names, arena *mem, diagnostics *d, fe_program *out);

#endif
