/* program_int.h - shared by program.c, program_text.c, program_cin.c and the readers of expressions. */
#ifndef ONYX_FE_PROGRAM_INT_H
#define ONYX_FE_PROGRAM_INT_H

#include "frontend/language/singles.h"
#include "frontend/schedules/program.h"

/* How far the indices of a tensor run by the text so far and by the data, once looked at. */
typedef struct {
    fe_extents of;
    bool looked;
} fe_reach;

/* The state of reading a program file. */
typedef struct fe_program_reader fe_program_reader;
struct fe_program_reader {
    const fe_program_in *in;
    fe_program *out;
    diagnostics *d;
    fe_piece text;     /* the whole, where comments are blanks */
    size_t at;         /* what is read next */
    uint32_t depth;    /* of blocks */
    uint32_t files;    /* included around */
    bool within_multi; /* the statements read earlier values */
    const char
        *outside;    /* what counts outside of a place: the identity of the statement's semiring; NULL: 0 */
    VEC(bool) known; /* by tensor: something was given or assigned before */
    VEC(fe_reach) reach; /* by tensor */
    /* Read "{ items }" at `at`; the items up to the end of `text`. E0102, E0118. */
    bool (*block)(fe_program_reader *r, src_loc loc, fe_steps *body);
    bool (*items)(fe_program_reader *r, fe_steps *steps);
};

/* Reads a tensor of the program by its name. E0103-unknown-tensor. */
bool fe_program_tensor(const fe_program_reader *r, fe_reader *in, uint32_t *out);
/* Reads "..." at the reader's token; NULL after E0102. */
const char *fe_program_string(fe_reader *in, diagnostics *d);
/* Adds a tensor with a new name, compressed. */
uint32_t fe_program_add(fe_program *p, name_id name, src_loc loc, uint32_t order);
/* Reads the text after `tensor`, `scalar` or `param`. E0102, E0170, E0173. */
bool fe_program_declare(fe_program_reader *r, fe_reader *in, const fe_token *word);
/* Reads an integer, or the value of a param. E0102, E0170. */
bool fe_program_whole(const fe_program_reader *r, fe_reader *in, uint32_t *out);
/* Splits "semiring NAME" off the end of a statement; *in has the name and its place. */
fe_piece fe_program_semiring(const fe_program_reader *r, const fe_piece *piece, fe_in *in);
/* Reads a statement, or a condition, into a step. Errors of fe_parse, E0104, E0170, E0173. */
bool fe_program_statement(fe_program_reader *r, const fe_piece *piece, fe_step *step);
/* Adds a statement: the text assigned to a new scalar; *name becomes the scalar. */
bool fe_program_add_value(fe_program_reader *r, const char *what, src_loc loc, const char *text,
                          fe_steps *steps, const char **name);
/* Adds a statement: the text assigned to the scalar of a name. */
bool fe_program_assign_value(fe_program_reader *r, const char *name, src_loc loc, const char *text,
                             fe_steps *steps);
/* Marks the tensor of an assignment, or the tensors of a swap, as having values. */
void fe_program_assigned(fe_program_reader *r, uint32_t tensor);
bool fe_program_knows(fe_program_reader *r, uint32_t tensor);
/* Sets the `use` of the step's statement, and adds new tensors to the program. E0104-rank. */
bool fe_program_bind(fe_program *p, diagnostics *d, fe_step *step);
#endif
