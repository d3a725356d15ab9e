/* Contents of the streams between array and global buffer. */
#include "sam/contents.h"

static const sam_contents table[] = {
#define CONTENTS(constant, number, text, words, called, levels, values)                                      \
    [(number)-1] = {text, words, called, levels, values},
#include "sam/contents.def"
};
enum { ROWS = sizeof table / sizeof *table };

const sam_sharing_info sam_sharing_table[SAM_SHARINGS] = {
    [SAM_SHARING_OPEN] = {"levels", SAM_MODE_VALS, SAM_MODE_VALS},
#define SHARING(name, word, load, store) [SAM_SHARING_##name] = {word, load, store},
#include "sam/contents.def"
};

const sam_contents *sam_contents_of(int stream) {
    return stream < 0 ? &table[-stream - 1] : NULL;
}

bool sam_find_contents(const char *text, size_t length, int *stream) {
    for (int row = 0; row < ROWS; row++) {
        if (strlen(table[row].text) == length && memcmp(table[row].text, text, length) == 0) {
            *stream = -row - 1;
            return true;
        }
    }
    return false;
}

bool sam_is_stream(double number) {
    return number >= -ROWS && number < SAM_MAX_ORDER && number == (double)(int)number;
}

bool sam_carries(int stream, int array) {
    const sam_contents *row = sam_contents_of(stream);
    if (!row)
        return stream == array;
    return array < 0 ? row->values : row->levels;
}

uint32_t sam_blocks_before(int stream, const sam_level_format *level, uint32_t order, int array) {
    uint32_t blocks = array == SAM_ARRAYS && sam_carries(stream, SAM_MODE_VALS);
    for (int l = 0; l < (int)order && (array < 0 || l < array); l++)
        blocks += level[l] != SAM_LEVEL_DENSE && sam_carries(stream, l) ? 2 : 0;
    return blocks;
}
