/* dense_side.h - the dense fabric behind the chip's controller: the array as the cycle model, and the streams
 * of the global buffer that run by schedules or valid bits.
 *
 * In place of the array's tile library (array_glue.h) while the machine runs a dense program. Tiles are what
 * the words on the configuration bus say once the columns are released. Cycles are the controller's: a start
 * pulse comes in cycle 0, its flush in cycle 7, the array's first cycle is 8. The model knows no state from
 * before: memories are 0 at power-up, and after new words.
 */
#ifndef ONYX_COSIM_DENSE_SIDE_H
#define ONYX_COSIM_DENSE_SIDE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dense_fabric;
typedef struct dense_side dense_side;

enum {
    DENSE_SIDE_TILES = 16,
    DENSE_SIDE_REGISTERS = 64,
    DENSE_SIDE_STORES = 16 /* first bit of the stores */
};

/* Returns the line of 64 bits that holds a byte of the global buffer. */
typedef uint64_t *dense_side_line(void *of, uint32_t address);

/* What is meant by words and registers (dense_fabric.h) outlives the side. */
dense_side *dense_side_create(const struct dense_fabric *fabric, dense_side_line *line, void *of);
void dense_side_destroy(dense_side *s);
/* Forgets words, array and streams. */
void dense_side_reset(dense_side *s);
/* Takes a word of the configuration bus. */
void dense_side_configure(dense_side *s, uint32_t address, uint32_t data);
/* Bit x = 1 stops column x. */
void dense_side_stall(dense_side *s, uint32_t columns);
/* Takes start pulses: bit t the load of buffer tile t, bit DENSE_SIDE_STORES + t its store. `crossbar` has
 * the tile that flushes each group of columns, in four bits; `registers` the registers of all tiles. */
void dense_side_start(dense_side *s, uint32_t streams, uint32_t crossbar, const uint32_t *registers);
/* Runs a cycle. */
void dense_side_step(dense_side *s);
/* Returns the done pulses of this cycle, a bit each as in dense_side_start. */
uint32_t dense_side_done(const dense_side *s);
/* Returns the banks used by open streams of a buffer tile: bit 0 and 1 by its store, 4 and 5 by its load. */
uint32_t dense_side_in_use(const dense_side *s, uint32_t tile);
/* Returns how many words have moved. */
uint64_t dense_side_progress(const dense_side *s);
/* Returns why the side cannot go on as the chip would, or "". */
const char *dense_side_error(const dense_side *s);

/* What stream i did, in the order of starts; cycles of the array, 0 the first after the flush. False: none.
 */
typedef struct {
    bool store, done;
    uint32_t column;
    uint32_t words, first, last;
} dense_side_stream;
bool dense_side_stream_at(const dense_side *s, uint32_t i, dense_side_stream *out);

#ifdef __cplusplus
}
#endif

#endif
