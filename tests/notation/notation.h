/* notation.h - the meaning of an expression, by definition and independent of the compiler: an expression
 * tree of its own, a parser and a printer, small tensors, and an evaluation of every point of the index space
 * without notion of sparsity, formats or loop orders.
 */
#ifndef ONYX_TESTS_NOTATION_H
#define ONYX_TESTS_NOTATION_H

#include "sam/sam.h"

enum { NOTE_NODES = 160, NOTE_TENSORS = 16, NOTE_VARS = 12, NOTE_CELLS = 4096, NOTE_NAME = 12 };

typedef enum {
    NOTE_NONE,
    NOTE_ACCESS,
    NOTE_LITERAL,
    NOTE_NEG,
    NOTE_ADD,
    NOTE_SUB,
    NOTE_MUL,
    NOTE_DIV,
    NOTE_SUM, /* over var */
    /* Last operations of some published graphs; not in the compiler's language. */
    NOTE_RELU, /* max(a, 0) */
    NOTE_EXP,  /* e to the a, towards zero */
} note_kind;

typedef struct {
    note_kind kind;
    uint8_t a, b;   /* operands: nodes */
    uint8_t tensor; /* ACCESS */
    uint8_t index[SAM_MAX_ORDER];
    uint8_t var; /* SUM */
    int literal;
} note_node;

/* Cells row-major in logical order. A stored cell may hold zero; an absent cell is zero. */
typedef struct {
    char name[NOTE_NAME];
    uint8_t order;
    char level[SAM_MAX_ORDER + 1]; /* 'd' or 's' by storage level */
    uint8_t mode[SAM_MAX_ORDER];   /* by storage level */
    uint32_t dim[SAM_MAX_ORDER], cells;
    int16_t value[NOTE_CELLS];
    bool stored[NOTE_CELLS];
} note_tensor;

/* result(result_index) = root. Nodes are numbered from 0; tensor 0 is the result. */
typedef struct {
    note_node node[NOTE_NODES];
    uint8_t n_nodes, root;
    char var[NOTE_VARS][NOTE_NAME];
    uint32_t extent[NOTE_VARS];
    uint8_t n_vars;
    note_tensor tensor[NOTE_TENSORS];
    uint8_t n_tensors;
    uint8_t result_index[SAM_MAX_ORDER];
    char schedule[320]; /* "" or commands */
    bool sized;         /* the sizes of all variables are stated */
} note;

/* Reads "X(i,j) = ..."; every level compressed, modes in order, no data. False when it is not of the language
 * (the tests' own tables: no diagnosis) or too large. */
bool note_parse(const char *text, note *n);
char *note_text(const note *n, arena *mem);                  /* the assignment */
char *note_text_of(const note *n, uint8_t node, arena *mem); /* a node and its subtree */
char *note_format(const note_tensor *t, arena *mem);         /* "B:sd:1,0"; NULL for a scalar */
uint32_t note_free_vars(const note *n, uint8_t node);    /* bit v: variable v occurs outside any sum over v */
uint32_t note_used_tensors(const note *n, uint8_t node); /* bit t */

/* Gives every tensor the dimensions of its indices: extents are lowered until each mode of a tensor has one.
 * False when a tensor would have more than NOTE_CELLS cells. */
bool note_set_dimensions(note *n);
/* About percent % of the cells stored, every eighth stored cell an explicit zero, values from low to high. */
void note_random_data(note_tensor *t, prng *random, uint32_t percent, int low, int high);
/* Fills the values of tensor 0: wrapping int16 at every step, x / 0 = 0, quotients towards zero. A variable
 * absent from the result is summed, around the smallest part with every use. O(points of the index space x
 * nodes).
 */
void note_evaluate(note *n);

/* ---- level storage --------------------------------------------------------------------------- */

typedef struct {
    uint32_t crd[SAM_MAX_ORDER]; /* logical order */
    uint16_t value;
} note_entry;
typedef VEC(note_entry) note_entries;

note_entries note_stored(const note_tensor *t, arena *mem);
/* Replaces an empty list by an explicit zero at the origin, the host's form for graphs without empty tensors.
 */
void note_fill_empty(note_entries *entries, arena *mem);
/* Levels of entries in any order. */
sam_tensor_levels note_pack(const note_entries *entries, uint32_t order, const sam_level_format *level,
                            const uint8_t *mode, const uint32_t *dim, arena *mem);
/* Converts levels back to entries. Returns NULL, or the fault: segments, order, range, counts. `dim` by
 * storage level. */
const char *note_unpack(const sam_tensor_levels *t, const uint8_t *mode, const uint32_t *dim, arena *mem,
                        note_entries *out);

#endif
