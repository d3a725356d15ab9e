/* text_int.h - names common to the printer and the parser of the text form. */
#ifndef ONYX_DENSE_TEXT_INT_H
#define ONYX_DENSE_TEXT_INT_H

#include "dense/text.h"
#include "dense/units.h"
#include "dense/wires.h"

/* A word of the text for a value of a field of a tile's kind. */
typedef struct {
    net_tile tile;
    uint32_t feature;
    const char *field;
    uint32_t value;
} dense_fixed;

/* Lines of a single word for several fields: the meaning of `alu`, `stream`, `buffer`. The list of a word
 * ends with field NULL. */
typedef struct {
    const char *word;
    const dense_fixed *fixed;
} dense_word_line;
extern const dense_word_line dense_word_lines[];
extern const uint32_t dense_word_line_count;

/* Settings with a short name. */
typedef struct {
    const char *name;
    net_tile tile;
    uint32_t feature;
    const char *field;
} dense_named;
extern const dense_named dense_named_settings[];
extern const uint32_t dense_named_count;

enum { DENSE_KINDS = 3, DENSE_OPCODES = 20, DENSE_CONDITIONS = 20 };
extern const char *const dense_opcode_names[DENSE_KINDS][DENSE_OPCODES]; /* NULL: no operation */
extern const char *const dense_condition_names[DENSE_CONDITIONS];
extern const char *const dense_mode_names[4]; /* of an operand; the first is a constant */

/* Returns the name of an input's select other than a wire: "zero", or an output of the same tile; NULL
 * otherwise. */
const char *dense_inner_name(dense_port port, uint32_t select);

/* An IO tile's names of each width; and the name of an output of a tile, NULL if absent. */
extern const char *const dense_io_names[DENSE_WIDTHS];
const char *dense_output_name(net_tile kind, uint32_t width, uint32_t place);

/* Fields of the instruction by operand. */
extern const char *const dense_mode_fields[6], *const dense_constant_fields[6];

#endif
