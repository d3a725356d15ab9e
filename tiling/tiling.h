/* tiling.h - sparse tensor files, level storage, coordinate-space sub-tiles, the runs a kernel needs, and an
 * independent evaluation of the statement.
 *
 * Values are raw 16-bit words: int16 (wrap-around) or bfloat16. Coordinates are 0-based here, 1-based in
 * files.
 */
#ifndef ONYX_TILING_H
#define ONYX_TILING_H

#include "sam/sam.h"

/* A tensor as coordinates: sorted by coordinate, no duplicates. */
typedef struct {
    name_id name;
    uint32_t order;
    uint32_t dim[SAM_MAX_ORDER];
    uint64_t nnz;
    const uint32_t *crd; /* nnz * order, row by row */
    const uint16_t *val; /* nnz; explicit zeros are kept */
    uint64_t rounded;    /* values that were not whole numbers in the file (int16) */
} tile_tensor;

typedef enum { TILE_DTYPE_INT16, TILE_DTYPE_BF16 } tile_dtype;
typedef enum { TILE_VALUES_FILE, TILE_VALUES_ONES, TILE_VALUES_RAMP } tile_values;

/* Reads .mtx (Matrix Market coordinate or array; real, integer, pattern; general, symmetric, skew-symmetric)
 * or .tns (FROSTT). Located errors E03nn. Warns once with the number of values that were rounded. */
bool tile_read(const char *path, name_id name, tile_dtype dtype, tile_values values, arena *mem,
               diagnostics *d, tile_tensor *out);
/* Random tensor "B:100x80:0.05:7" (the part after `-g`): the generator of docs/random_data.md, seed by
 * default 1000*seed+k. */
bool tile_generate(const char *spec, uint64_t default_seed, name_table *names, tile_dtype dtype, arena *mem,
                   diagnostics *d, tile_tensor *out);
/* Writes .mtx up to order 2, .tns above; 1-based, sorted; values as signed int16 or decimal bf16. */
bool tile_write(const tile_tensor *t, tile_dtype dtype, const char *path, diagnostics *d);

/* Operands by sam_tensor handle: operand[h.v - 1]; the result's entry is unused on input. */
typedef struct {
    const tile_tensor *operand;
    uint32_t n;
    tile_dtype dtype;
} tile_operands;

/* Gives every index variable its extent from the operands; error E0320-dimension where two disagree. */
bool tile_extents(const sam_statement *s, const tile_operands *in, arena *mem, diagnostics *d,
                  uint32_t **extent);

/* Evaluates the statement over coordinate maps, without SAM and without tiles: the reference. */
bool tile_reference(const sam_statement *s, const tile_operands *in, arena *mem, diagnostics *d,
                    tile_tensor *out);
/* True if equal up to explicit zeros; otherwise error E0340-mismatch with the first differing coordinates. */
bool tile_equal(const tile_tensor *got, const tile_tensor *want, const name_table *names, diagnostics *d);

/* ---- level storage and sub-tiles --------------------------------------------------------------------- */

/* Level storage of a whole tensor in its declared format (for the SAM simulator). */
bool tile_levels(const tile_tensor *t, const sam_tensor_data *format, arena *mem, diagnostics *d,
                 sam_tensor_levels *out);

typedef struct {
    uint32_t tile;       /* edge of a sub-tile in coordinates, the same for every variable; 0 = choose */
    uint32_t mem_words;  /* segment, coordinate or value words a MEM tile holds (1024) */
    uint32_t bank_words; /* 16-bit words of one global-buffer bank (65536) */
} tile_options;

/* What one GLB stream carries, in the order of the netlist's IO cells. */
typedef struct {
    name_id tensor;
    int level; /* storage level, or SAM_MODE_VALS (-1) */
} tile_stream;

/* One block: the words the stream sends for one sub-tile, length headers included. */
typedef struct {
    uint32_t first, length; /* into tile_plan.words */
} tile_block;

typedef struct {
    tile_stream stream;
    VEC(tile_block) blocks; /* one per sub-tile that exists; block 0 is the empty sub-tile */
} tile_input;

typedef struct {
    tile_stream stream;
    uint32_t num_blocks; /* 2 for a compressed level (segments, coordinates), 1 for values */
} tile_output;

/* One pass of the kernel over one sub-tile of each operand. */
typedef struct {
    uint32_t block_first;           /* tile_plan.run_block[block_first + i]: block of input i */
    uint32_t origin[SAM_MAX_ORDER]; /* coordinate of the result sub-tile's corner, by logical mode */
    uint32_t bound_words;           /* no output stream of this run is longer (headers included) */
} tile_run;

typedef struct {
    uint32_t tile; /* edge in coordinates */
    u16_vec words; /* all blocks of all inputs */
    VEC(tile_input) inputs;
    VEC(tile_output) outputs;
    VEC(tile_run) runs;
    u32_vec run_block;
    uint64_t runs_possible; /* before empty sub-tiles and pairs without work were skipped */
} tile_plan;

/* Cuts operands into sub-tiles, enumerates the runs the statement needs (pairing derived from the expression:
 * a product needs all its factors, a sum what either has), and checks capacities. `inputs` and `outputs` name
 * the streams the mapped kernel has. Dense levels are padded to the tile edge and have no stream of their
 * own. */
bool tile_plan_run(const sam_statement *s, const tile_operands *in, const tile_options *options,
                   const tile_stream *inputs, uint32_t n_inputs, const tile_stream *outputs,
                   uint32_t n_outputs, arena *mem, diagnostics *d, tile_plan *out);

/* Collects results: words[o] are the words output stream o delivered for this run. Adds them (wrap-around
 * int16 or bf16) at the run's origin; coordinates beyond the result's extent are dropped. */
typedef struct tile_collector tile_collector;
tile_collector *tile_collect_begin(const sam_statement *s, const tile_plan *plan, const uint32_t *extent,
                                   tile_dtype dtype, arena *mem);
bool tile_collect_run(tile_collector *c, uint32_t run, const uint16_t *const *words, const uint32_t *lengths,
                      diagnostics *d);
bool tile_collect_end(tile_collector *c, arena *mem, tile_tensor *out);

#endif
