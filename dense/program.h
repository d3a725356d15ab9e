/* program.h - a dense program of the chip: its words, arrays, and register writes. */
#ifndef ONYX_DENSE_PROGRAM_H
#define ONYX_DENSE_PROGRAM_H

#include "dense/design.h"
#include "rtl_models/cycle/dense_streams.h"

enum { DENSE_GLB_TILES = 16 };

typedef struct {
    uint32_t offset, value; /* offset: 0x100 for each tile of the buffer, plus the register's */
} dense_write;

/* An array distributed word by word over tiles of the global buffer. */
typedef struct {
    u32_vec tiles;
    u16_vec words; /* empty: missing from the file */
    const char *name;
    bool anywhere; /* the file does not name the tiles */
} dense_words;
typedef VEC(dense_words) dense_words_vec;

/* The GLB tile whose start flushes each group of columns, 4 bits a group. */
typedef struct {
    bool set; /* a register write states the tiles */
    uint32_t groups;
} dense_crossbar;

typedef struct {
    const char *path;
    dense_words_vec inputs, outputs; /* outputs: what is expected */
    bits_stream bits;
    VEC(dense_write) writes, configure; /* of the streams; of the DMA that loads the words */
    dense_crossbar crossbar;
    bool scheduled;    /* its files say that its streams have schedules, whatever the words are */
    uint32_t disturbs; /* further writes, which stall columns or configure tiles while streams are set up */
} dense_program;

/* Returns the streams set up by the register writes. E0981-dense-stream names impossible settings of a dense
 * stream. */
bool dense_streams_of(const dense_program *p, arena *mem, diagnostics *d, dense_streams *out);
/* Deals an array that no file places out over the tiles of its streams, in the order of their columns, unless
 * it is that of one stream; of several such arrays each is one stream's. E0981-dense-stream where the numbers
 * differ. */
bool dense_deal_arrays(const dense_streams *streams, dense_program *p, diagnostics *d);
/* Moves the schedules in the register writes by the delays of arriving words (delay[0]) and leaving words
 * (delay[1]), by IO column. */
void dense_move_writes(dense_program *p, int32_t *const delay[2], arena *mem);
/* Returns streams for a program without register writes: a word a cycle from the first cycle on for each IO
 * tile that feeds the array, and each word with a valid bit for each IO tile fed by the array. */
void dense_linear_streams(const dense_design *design, const dense_program *p, arena *mem, dense_streams *out);

/* Adds writes of registers that set up these streams. */
void dense_writes_of(const dense_streams *streams, arena *mem, dense_program *p);
/* Finds the first and last byte in the global buffer of a stream's words. */
void dense_reach_of(const dense_stream *s, uint32_t *first, uint32_t *last);

#endif
