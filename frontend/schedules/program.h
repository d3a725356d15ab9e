/* program.h - the program file: several statements, loops around them, and their shared tensors
 * (docs/programs.md); and its form as concrete index notation. */
#ifndef ONYX_FRONTEND_PROGRAM_H
#define ONYX_FRONTEND_PROGRAM_H

#include "frontend/language/cin.h"
#include "frontend/language/text.h"

/* The source of a tensor's first values; a number and a pattern fill all extents. */
typedef enum {
    FE_FROM_NOTHING,
    FE_FROM_FILE,
    FE_FROM_GENERATOR,
    FE_FROM_ENTRIES,
    FE_FROM_NUMBER,
    FE_FROM_PATTERN
} fe_origin;
/* Matrices and vectors by name: 1 on a diagonal, on and below a diagonal, on and above a diagonal; each
 * coordinate. The tensor's value is the distance of the diagonal to the right of the main diagonal. */
typedef enum { FE_EYE, FE_TRIL, FE_TRIU, FE_INDEX, FE_NO_PATTERN } fe_pattern;

/* A declared tensor of a program; an undeclared one is compressed and takes its values from the command
 * line. */
typedef struct {
    name_id name;
    src_loc loc;
    bool declared, constant; /* constant: of `param` */
    uint32_t order;          /* FE_NO_ORDER: nothing says it yet */
    const char *format;      /* "ss:1,0", every letter and every mode; "" of a scalar */
    const char *region;      /* "@glb", as in -f; "": not stated */
    src_loc region_loc;
    const char *stored;          /* the format's name, if any: `format` is the array's scan */
    const char *fill;            /* "inf"; NULL: not known yet */
    bool fill_said;              /* by the declaration, for whatever data are given */
    bool sized;                  /* dim is stated */
    bool dim_declared;           /* by the declaration, for any data; else by a list of values */
    uint32_t dim[SAM_MAX_ORDER]; /* of entries without stated extents: their largest coordinates */
    fe_origin origin;
    const char *from; /* a file, or the arguments of a generator */
    enum { FE_AS_STORED, FE_AS_ONES, FE_AS_RAMP } values;
    u32_vec crd;     /* of entries, 0-based */
    VEC(double) val; /* of entries; one of a scalar, and of a number for every coordinate */
    struct {
        fe_pattern pattern;
        bool coordinates; /* each coordinate, for indices that gather */
        bool square;      /* an unknown extent equals the other extent */
    } made;               /* by the reader */
    bool changes;         /* assigned by a statement or a swap */
    bool read_first;      /* possibly read before any assignment, */
    bool added_first;     /* or `+=` may add to it */
} fe_shared;

typedef enum {
    FE_STEP_ASSIGN,
    FE_STEP_SWAP,
    FE_STEP_MULTI,
    FE_STEP_REPEAT,
    FE_STEP_PRINT,
    FE_STEP_COORDINATE
} fe_step_kind;
enum { FE_STEP_KINDS = FE_STEP_COORDINATE + 1 };
/* A branch of an `if` is a loop of at most one pass, until a scalar with the condition's value is 0, or is
 * not. */
typedef enum { FE_NO_BRANCH, FE_BRANCH_IF, FE_BRANCH_ELSE } fe_branch;
typedef struct fe_step fe_step;
typedef VEC(fe_step) fe_steps;

/* The tensor of a statement, by handle - 1: its index in the program, and whether its nnz() is meant. */
typedef struct {
    uint32_t shared;
    bool counts;
} fe_use;
enum { FE_NO_TENSOR = INT32_MAX, FE_NO_ORDER = 255 }; /* shared: of a condition's value */

/* The present value of a scalar, or a number. */
typedef struct {
    uint32_t scalar; /* FE_NO_TENSOR: the number */
    int32_t number;
} fe_bound;
/* An operand with ones, made before each run: a vector with 1 at `low`, or of `ranges` from `low` to before
 * `high`; or a matrix with 1 at (i,k) where k is low + i * along, and before `high`. */
typedef struct {
    uint32_t tensor;
    fe_bound low, high;
    int along;                  /* 1 or -1 */
    bool minus, ranges, shifts; /* minus: k is i - low; shifts: `low` may be negative */
} fe_placing;

/* A piece of what a step prints: a text, or the tensor of this index. */
typedef struct {
    const char *text; /* NULL: the tensor */
    uint32_t tensor;
} fe_print;

struct fe_step {
    fe_step_kind kind;
    src_loc loc;
    const char *text;        /* ASSIGN: as written */
    bool hidden;             /* ASSIGN: of a scalar that the reader made, for an `if` or a `print` */
    bool paired;             /* ASSIGN: the step before has the other result of one statement */
    sam_statement statement; /* ASSIGN; REPEAT with `until`: a scalar of the condition's value */
    fe_cin cin;              /* of the statement, without a schedule */
    const fe_use *use;       /* of the statement */
    union {
        uint32_t swap[2];      /* SWAP: indices of tensors */
        fe_placing coordinate; /* COORDINATE */
    };
    bool until;       /* REPEAT: ends when the condition holds, tested before each pass */
    uint32_t passes;  /* REPEAT: how many, or with `until` the most */
    bool fails;       /* REPEAT with `until`: an error if the condition does not hold after the last pass */
    fe_branch branch; /* REPEAT */
    VEC(fe_print) prints; /* PRINT */
    fe_steps body;        /* MULTI, REPEAT */
};

typedef struct {
    arena *mem;
    name_table *names;
    VEC(fe_shared) tensors;
    fe_steps steps;
    bool undeclared; /* from concrete index notation: tensors take their properties from their uses */
    u32_vec results; /* indices of tensors; the last assignment's where none is named */
} fe_program;

/* A format by name, and the array's scan: "ds:0,1". */
typedef struct {
    const char *name, *scanned;
} fe_named_format;

/* A file that a program includes, by its name there. */
typedef struct {
    const char *name, *path, *text;
    size_t length;
} fe_included;
typedef VEC(fe_included) fe_included_vec;

/* A program file, and the command line's settings of its tensors. */
typedef struct {
    const char *name, *text; /* of the file; text from text_read */
    size_t length;
    bool integers, scaled;          /* scaled: literals may have fractions */
    const struct fe_scales *scales; /* as of fe_in; NULL: none */
    const char *const *settings;    /* "steps=3", of params and scalars */
    uint32_t n_settings;
    const fe_functions *functions; /* NULL: none */
    const fe_named_format *formats;
    uint32_t n_formats;
    const fe_included_vec *included; /* NULL: none */
    /* Finds the extents of an operand in its data, for a tensor that states none; *inferred: entries alone
     * say them. False: no data. NULL: none. */
    bool (*extents)(void *of, const fe_shared *operand, uint32_t *dim, bool *inferred);
    void *data; /* its first argument */
} fe_program_in;

/* Settings of a program file, in place of command-line options; NULL: none. */
typedef struct {
    const char *dtype, *profile, *board, *functions;
} fe_program_options;
/* Finds the items "dtype bf16", "profile onyx-ext", "board NAME", "functions PATH" of a program, valid for
 * the whole program. E0102-syntax for an item without a word, or a repeated item. */
bool fe_program_stated(const fe_program_in *in, arena *mem, diagnostics *d, fe_program_options *out);

/* Reads a program, and each of its statements like fe_parse. E0102 and the others of fe_parse, E0170 to
 * E0174. */
bool fe_program_parse(const fe_program_in *in, name_table *names, arena *mem, diagnostics *d,
                      fe_program *out);

/* Returns whether a text is a statement of two results, "m(i), p(i) = argmax(j, e)". */
bool fe_is_pair(const char *text, size_t length);
/* Returns the function of the library that leaves the value at the place that this function gives, "largest"
 * of "argmax"; NULL: none. */
const char *fe_value_function(const char *place);
/* Returns the library's function for the root of `norm`. */
static inline const char *fe_root_function(bool integers) {
    return integers ? "isqrt" : "sqrt";
}
/* Returns the index of a tensor, or the number of tensors. */
uint32_t fe_program_find(const fe_program *p, name_id name);
/* Returns the index of the tensor assigned by a step. */
uint32_t fe_step_result(const fe_step *step);
/* Write a program as concrete index notation and read the text: `sequence(p, p)`, `multi(p, p)`, `repeat(n,
 * p)`, `repeat(until(condition, n), p)`, `swap(a, b)` around kernels. The text has no declarations: `tensors`
 * then has names and orders only. A program read from text is written as the same text. */
void fe_program_cin_dump(const fe_program *p, FILE *out);
bool fe_program_cin_parse(const char *text, name_table *names, arena *mem, diagnostics *d, fe_program *out);

#endif
