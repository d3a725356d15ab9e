/* dot.h - the syntax of DOT, without any meaning: the input of sam_parse. */
#ifndef ONYX_SAM_DOT_H
#define ONYX_SAM_DOT_H

#include "support/support.h"

typedef struct {
    name_id key, value;
    src_loc loc; /* of the value */
} dot_attribute;
typedef VEC(dot_attribute) dot_attributes;

typedef struct {
    name_id id;
    src_loc loc; /* of the statement's id, or of the first mention in an edge */
    bool declared;
    dot_attributes attributes; /* of all statements of this id, in order */
} dot_node;

typedef struct {
    uint32_t src, dst; /* indices into dot_graph.nodes */
    src_loc loc;       /* from the source's id to the destination's */
    dot_attributes attributes;
} dot_edge;

typedef struct {
    src_loc loc;               /* of "digraph" */
    dot_attributes attributes; /* "key=value" statements of the graph itself */
    VEC(dot_node) nodes;       /* in order of first mention */
    VEC(dot_edge) edges;
} dot_graph;

/* Reads `digraph NAME { ... }`: node and edge statements (chains too), attribute lists with or without
 * commas, quoted strings with raw newlines, comments from '#' or "//" to the end of the line and between
 * slash-star and star-slash. Default-attribute statements (node [...], edge [...], graph [...]) are read
 * and dropped. On an error: E0201-dot-syntax or E0202-dot-string, located, and false.
 * Recursive descent, O(length). */
bool dot_read(const char *name, const char *text, size_t length, name_table *names, diagnostics *d,
              dot_graph *out);

/* Returns the last value of `key`, or NULL. */
const dot_attribute *dot_find(const dot_attributes *list, const name_table *names, const char *key);

#endif
