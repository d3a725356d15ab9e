/* contents.h - contents of the streams between array and global buffer. */
#ifndef ONYX_SAM_CONTENTS_H
#define ONYX_SAM_CONTENTS_H

#include "sam/statement.h"

/* Contents of a stream with more than a storage level, and names of these contents: contents.def. An array of
 * a tensor is a storage level or SAM_MODE_VALS. */
enum {
#define CONTENTS(constant, number, ...) constant = -(number),
#include "sam/contents.def"
    SAM_ARRAYS = SAM_MAX_ORDER /* behind the last array */
};
typedef struct {
    const char *text, *words, *called;
    bool levels, values;
} sam_contents;
/* Returns the row of a stream; NULL: the stream carries a storage level. */
const sam_contents *sam_contents_of(int stream);
/* Finds the contents by their text. */
bool sam_find_contents(const char *text, size_t length, int *stream);
/* Returns whether a number is a storage level or a row's. */
bool sam_is_stream(double number);

bool sam_carries(int stream, int array);
/* Returns the number of blocks on a stream before those of an array of its tensor, with the formats of the
 * storage levels; of SAM_ARRAYS all: two of a compressed level (segments, coordinates), one of the values. */
uint32_t sam_blocks_before(int stream, const sam_level_format *level, uint32_t order, int array);

typedef struct {
    const char *word;
    int load, store; /* contents of the common streams */
} sam_sharing_info;
/* How the arrays of a tensor share streams. */
typedef enum {
    SAM_SHARING_OPEN, /* as LEVELS, for somebody to choose */
#define SHARING(name, ...) SAM_SHARING_##name,
#include "sam/contents.def"
    SAM_SHARINGS
} sam_sharing;
extern const sam_sharing_info sam_sharing_table[SAM_SHARINGS];

#endif
