/* load.h - described functions: the contents of their files, compiled and loaded. */
#ifndef ONYX_FRONTEND_LOAD_H
#define ONYX_FRONTEND_LOAD_H

#include "sam/binding.h"

/* A node of a condition: a number, how far an index runs, how many words a tensor has, or an operation of two
 * nodes. */
typedef struct {
    enum { FE_CONDITION_NUMBER, FE_CONDITION_EXTENT, FE_CONDITION_WORDS, FE_CONDITION_OPERATION } kind;
    int64_t number;
    sam_var var;
    sam_tensor tensor;
    uint32_t level;
    char sign; /* of the operation: a token's */
    uint32_t a, b;
} fe_condition_node;

/* Where a required tag stands: A:symmetric. */
typedef struct {
    sam_tensor tensor;
    const char *tag;
} fe_required_tag;

typedef struct {
    sam_statement s; /* dense levels: arrays, in the order of their modes */
    VEC(fe_condition_node) nodes;
    u32_vec conditions; /* all must hold: indices into nodes */
    VEC(fe_required_tag) tags;
} fe_capability;

typedef VEC(const char *) fe_texts;

/* A bitstream, present or generated at its call, in a folder of onyx compile or run, and its compilation: its
 * loops have the order of the stated expression's loops. */
typedef struct {
    src_loc loc;        /* where the description names it */
    const char *folder; /* a path */
    bool generated;     /* the folder has one for each called shape, in subfolders */
    const char *board, *profile;
    uint32_t copies;
    bool apart;     /* each copy starts by itself */
    uint32_t *edge; /* of sub-tiles, by variable - 1; 0: as long as a call */
} fe_bitstream;

/* What builds a function. */
typedef struct {
    const char *source; /* C, or a shared object; NULL: of a library */
    const char *table;  /* a file of numbers, f(0) first, in place of a call; NULL: none */
    const char *call, *returns;
    const char *types; /* as the file has them */
    fe_texts objects, setup, teardown, headers, include, libraries, flags;
    const char *package; /* Debian's, of the called library; NULL: none */
} fe_built;

/* A file's description of a function (docs/functions.md): its sources, and its computation. */
typedef struct fe_described {
    const char *folder; /* of the file, base of its relative paths */
    fe_built built;
    const char
        *family; /* the file's name of the function, if lists of indices give several; NULL: a single one */
    fe_texts properties; /* checked against values by onyx functions */
    bool fiber;          /* along an index; else of one value or two, or */
    bool array;          /* of whole tensors, with a stated expression */
    fe_capability states;
    fe_bitstream *bitstream;    /* an `array` function computed by the chip's array; else NULL */
    bool q15;                   /* of words equal to x * 32768, saturating */
    const char *rule;           /* no function: the tag stated by the rule; NULL: a function */
    const char *checker;        /* a C function that may refuse; NULL: none */
    double accuracy;            /* of bf16: tolerance relative to the added magnitudes; 0: 1e-9 */
    bool on_processor;          /* runs on the chip's processor; the host calls the same C without one */
    src_loc runs;               /* where the file says so */
    bool root;                  /* for scalars the processor's FW_OP_ROOT */
    double per_call, per_point; /* cycles of that processor */
    sam_foreign *foreign;       /* the loaded function, as the program's; NULL: not loaded yet */
    double seconds;             /* that a call may take */
    arena *mem;                 /* it ends with this */
    uint32_t parameters;
    const char *parameter[2];
    sam_program *program;
} fe_described;

/* Returns a path of the description, relative to the file's folder. */
static inline const char *fe_described_path(const fe_described *f, const char *path, arena *mem) {
    return *path == '/' ? path : arena_printf(mem, "%s/%s", f->folder, path);
}
static inline bool fe_is_object(const fe_described *f) { /* its source is a shared object */
    return f->built.source && strcmp(strrchr(f->built.source, '.'), ".so") == 0;
}
/* Compiles and loads the called function, once. E0164-function-build, at `loc`. */
bool fe_load_described(fe_described *f, src_loc loc, diagnostics *d);
/* Loads a function that needs a package; returns whether the build failed, which counts as a missing
 * package. */
bool fe_lacks_package(fe_described *f, arena *mem);
/* Returns C that includes the source of a function of the chip's processor and defines `name`, a call on
 * words of 16 bits: int name(int X, int Y) of values, void name(int length, const int *coordinates, const
 * short *values, short *result, int one) along an index, void name(const int *extent, const short *const
 * *operand, short *result) of tensors. `first`: the source is not included yet. */
const char *fe_described_words(const fe_described *f, const char *name, bool first, arena *mem);

#endif
