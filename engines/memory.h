/* memory.h - the finite memory around the graph of engine sam, --memory-model FILE: docs/simulator.md. */
#ifndef ONYX_ENGINES_MEMORY_H
#define ONYX_ENGINES_MEMORY_H

#include "kernel/kernel.h"

/* DRAM, a buffer on the chip, and the element that runs the graph: rates in bytes a cycle, latencies in
 * cycles, sizes in bytes. The element holds so many sets of sub-tiles: with 2 a set is loaded while another
 * is read. A word is a coordinate, a segment or a value. */
typedef struct {
    double dram_rate, dram_latency, buffer_rate, buffer_latency, buffer_bytes;
    double element_bytes, element_sets, element_word;
} compile_memory;

/* A machine, and the sub-tiles that fit its element. */
typedef struct compile_finite {
    compile_memory machine;
    tile_options cut;
    bool open; /* nobody states edges: wider ones are tried */
} compile_finite;

/* Reads a machine. E0001-file, E0009-toml, E0947-memory. */
bool compile_memory_read(const char *path, arena *mem, diagnostics *d, compile_memory *out);

/* Returns the longest array that fits a set of the element with the others of the statement, in words. */
uint32_t compile_memory_array(const compile_memory *m, const sam_statement *s);

/* Counts the cycles of runs, one after another: sub-tiles are fetched from DRAM where the buffer lacks them
 * and loaded into a free set of the element, results go the same way back. The buffer keeps the sub-tiles
 * read last. Transfers on DRAM's wires follow each other as they become ready, in both directions; the buffer
 * has wires for each direction; latencies overlap. O(1) a sub-tile. */
typedef struct compile_memory_clock compile_memory_clock;
compile_memory_clock *compile_memory_begin(const compile_memory *m, uint32_t operands, arena *mem);
/* Requests a sub-tile of an operand, by its number, for the next run; nothing moves if the run before read
 * it. */
void compile_memory_load(compile_memory_clock *c, uint32_t operand, uint32_t sub_tile, uint64_t words);
/* Runs the graph on what was requested. */
void compile_memory_run(compile_memory_clock *c, uint64_t cycles, uint64_t stored_words);
/* Returns the counts of all runs, until the last word is in DRAM. */
compile_memory_counts compile_memory_end(compile_memory_clock *c);

#endif
