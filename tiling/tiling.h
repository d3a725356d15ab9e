/* tiling.h - sparse tensor files, level storage, coordinate-space sub-tiles, the runs a kernel needs, and an
 * independent evaluation of the statement.
 *
 * Values are raw 16-bit words: int16 (wrap-around) or bfloat16. Coordinates are 0-based here, 1-based in
 * files.
 */
#ifndef ONYX_TILING_H
#define ONYX_TILING_H

#include "sam/sam.h"

/* An extent that the other operands of the statement say. */
#define TILE_OPEN UINT32_MAX

/* A tensor as coordinates: sorted by coordinate in logical order, no duplicates; explicit fills are kept. */
typedef struct {
    name_id name;
    uint32_t order;
    uint32_t dim[SAM_MAX_ORDER];
    bool dim_inferred;   /* the file states no dimensions: dim is the largest coordinate seen */
    uint64_t nnz;        /* stored entries */
    const uint32_t *crd; /* nnz * order, entry by entry */
    const uint16_t *val;
    uint16_t fill;          /* of a result: the value of every other coordinate */
    uint64_t rounded;       /* values that were not whole numbers in the file (int16 only) */
    uint64_t wrapped;       /* values read, or of a reference, that 16 bits do not hold (int16 only) */
    bool divides;           /* a reference whose statement divides: its NaNs in bfloat16 stand for anything */
    const float *tolerance; /* of each value of a bfloat16 reference, or NULL: exact */
} tile_tensor;

typedef enum { TILE_DTYPE_INT16, TILE_DTYPE_BF16 } tile_dtype;
typedef enum { TILE_VALUES_FILE, TILE_VALUES_ONES, TILE_VALUES_RAMP } tile_values;

/* Reads .mtx (Matrix Market: coordinate or array; real, integer, pattern; general, symmetric,
 * skew-symmetric), .tns (FROSTT; an empty one has no entries, a scalar is its value alone), .npy (NumPy) or
 * .npz (SciPy's save_npz, or one array), and each of them packed by gzip (.gz); a name without an extension,
 * such as /dev/stdin, is read as what its first bytes say; "B.stored/1" is part 1 of a stored tensor that has
 * some. `order` is how many indices the statement uses: a
 * file's dimensions of extent 1 are dropped to match it (an N x 1 matrix is a vector), SAM_MAX_ORDER + 1
 * keeps the file's order. int16: rounded to the nearest whole number, halves away from zero, then wrapped to
 * 16 bits; one warning each counts those. Duplicates are added. ONES and RAMP replace the k-th stored value
 * by 1 and by 1 + k % 127. Errors E0301..E0315, located. */
bool tile_read(const char *path, name_id name, uint32_t order, tile_dtype dtype, tile_values values,
               arena *mem, diagnostics *d, tile_tensor *out);
/* Makes a random tensor of "100x80:0.05" or "100x80:0.05:7" (dimensions, density, base seed): splitmix64
 * seeded with base * 1000 + operand, row-major over all coordinates; an entry exists if the next draw is
 * below density * 2^64, its value is then 1 + (next >> 33) % 9. Of more than 2^28 coordinates the number of
 * those left out before an entry is drawn instead of each. Dimensions "" make a scalar, one value. Error
 * E0313-generator. O(product of dimensions) up to there, O(entries) beyond. */
bool tile_generate(const char *spec, name_id name, uint32_t operand, uint64_t base_seed, tile_dtype dtype,
                   arena *mem, diagnostics *d, tile_tensor *out);
/* Makes a tensor of entries in memory, in any order and with duplicates, which are added: crd[e * order +
 * mode] is 0-based, below dim[mode]; values are rounded as by tile_read; messages call it `from`.
 * E0303-range, E0305-value. O(nnz * order). */
bool tile_from_entries(name_id name, uint32_t order, const uint32_t *dim, uint64_t nnz, const uint32_t *crd,
                       const double *val, tile_dtype dtype, const char *from, arena *mem, diagnostics *d,
                       tile_tensor *out);
/* Drops dimensions of extent 1, the last ones first, until the tensor, which `from` gave, has `order` of
 * them. E0311-order. */
bool tile_squeeze(tile_tensor *t, uint32_t order, const char *from, diagnostics *d);
/* Returns the number that a word stands for: -32768 to 32767, or any bfloat16. */
double tile_to_double(tile_dtype dtype, uint16_t word);
/* Writes the format that the name ends in: .mtx up to order 2 (a vector as N x 1, a scalar as 1 x 1), or
 * .tns; coordinates are 1-based and sorted. E0312-extension, which tile_can_write finds before there is a
 * tensor. */
bool tile_can_write(uint32_t order, const char *path, diagnostics *d);
bool tile_write(const tile_tensor *t, tile_dtype dtype, const char *path, diagnostics *d);

/* Operands by sam_tensor handle: operand[h.v - 1]; the result's entry is not read. */
typedef struct {
    const tile_tensor *operand;
    uint32_t n;
    tile_dtype dtype;
} tile_operands;

/* Finds the extent of every index variable, by handle - 1: what the statement states, what the operands that
 * use it say, or what the loop it was split from gives. Errors: E0320-dimension where a stated dimension and
 * another disagree, E0321-no-extent for a loop variable without an extent. */
bool tile_extents(const sam_statement *s, const tile_operands *in, arena *mem, diagnostics *d,
                  uint32_t **extent);

/* Finds the extents that are known so far, and gives 0 to the others; an operand of order 0 says nothing.
 * E0320. */
bool tile_known_extents(const sam_statement *s, const tile_operands *in, arena *mem, diagnostics *d,
                        uint32_t **extent);

/* Finds the dimensions of the result, by logical mode, from the extents of all variables. */
void tile_result_dim(const sam_statement *s, const uint32_t *extent, uint32_t dim[SAM_MAX_ORDER]);

/* Makes the tensors of a packed statement (fe_pack) of the user's, which are found by name: views are
 * re-packed, ones filled in. What *out has already, of an earlier call for the statement, stays: those that
 * have a name. Linear in the entries, plus their sorting. */
bool tile_pack(const sam_statement *packed, const tile_operands *in, arena *mem, diagnostics *d,
               tile_operands *out);
/* Makes the user's result, of dimensions `dim`, of the one that a packed statement computed, by reading its
 * view backwards. */
void tile_unpack(const sam_tensor_data *result, const tile_tensor *got, const uint32_t *dim, tile_dtype dtype,
                 arena *mem, tile_tensor *out);

/* Evaluates the statement over coordinate maps, without SAM, levels or tiles: the reference that every engine
 * is held to. int16 division truncates, and x / 0 is 0; a point where numerator and denominator are both
 * absent has no entry. bfloat16 rounds after each operation; values that depend on the order of a sum have a
 * tolerance. out->wrapped counts the values that an int16 result does not hold. */
bool tile_reference(const sam_statement *s, const tile_operands *in, arena *mem, diagnostics *d,
                    tile_tensor *out);
/* Returns whether both are equal up to explicit zeros and the tolerance of `want`; if not, E0340-mismatch
 * shows the first coordinates that differ. */
bool tile_equal(const tile_tensor *got, const tile_tensor *want, tile_dtype dtype, const name_table *names,
                diagnostics *d);

/* ---- level storage and sub-tiles ------------------------------------------------------------- */

/* Makes the level storage of a whole tensor in its declared format, for the SAM simulator. A tensor without
 * entries is given one explicit zero at its origin: graphs expect operands with at least one coordinate, and
 * the chip's repeaters must not meet an empty outermost fiber. No extent may be 0. */
bool tile_levels(const tile_tensor *t, const sam_tensor_data *format, arena *mem, diagnostics *d,
                 sam_tensor_levels *out);

/* Makes a result tensor of level storage, the other way round. Leaves beyond `extent` (by logical mode) and
 * zeros are dropped; more or fewer values than leaves is E0341-result-stream. */
bool tile_from_levels(const sam_tensor_levels *levels, const sam_tensor_data *format, const uint32_t *extent,
                      tile_dtype dtype, arena *mem, diagnostics *d, tile_tensor *out);

enum { TILE_MAX_VARS = 64 }; /* of a statement */

/* What drives the array: a processor that starts so many streams in a run, one of whose cycles is `ratio` of
 * the array's. With a ratio of 0 nothing does, and the array is alone. */
typedef struct {
    uint32_t loads, stores, ratio;
} tile_driver;

/* How many copies of the kernel there is room for, such that start together and such that each start by
 * themselves; 0 and 0: nobody asks. */
typedef struct {
    uint32_t together, apart;
    bool all;        /* as many as fit, even if fewer would do */
    uint32_t cells;  /* that each has, and that are configured */
    uint32_t period; /* picoseconds that a cycle takes at least; 0: nobody says */
} tile_room;

typedef struct {
    uint32_t tile; /* edge of a sub-tile in coordinates, along every variable that has none of its own; 0 =
                      the largest power of two whose sub-tiles fit whatever they hold */
    uint32_t glb_tile;   /* edge of a tile for the global buffer; there are none where it is not above the
                            sub-tile's */
    uint32_t mem_words;  /* segment, coordinate or value words a MEM tile holds (1024) */
    uint32_t bank_words; /* of a stream's bank in the global buffer; 0 = no bound */
    uint32_t edge[TILE_MAX_VARS], glb_edge[TILE_MAX_VARS]; /* along a variable, by handle - 1; 0: as above */
    /* For each variable, by handle - 1, another one (its handle): the graph drops a coordinate of the first
     * where the second has none inside it. 0 without such a dropper; then results are taken to be longer than
     * they may be. */
    uint8_t drops[TILE_MAX_VARS];
    tile_driver driver; /* these three are for tile_choose: its driver, copies, and how much it may do */
    tile_room room;
    bool clip;      /* of edges that are chosen none is longer than its loop, where all of that is there */
    uint64_t steps; /* 0: as much as it takes */
    double share;   /* of what there is that the operands are; 0: all */
    double least;   /* what is expected to take more is of no interest; 0: all is */
    const uint32_t *begin; /* along each variable: edges to look at first; NULL: none */
    bool vector_reducer;   /* there is one, of profile onyx-ext */
    bool skips;            /* scanners leave out what the other side of their intersecter lacks (onyx-ext) */
    bool in_turn;          /* each operand's levels and values come on one stream, in turn (onyx-ext) */
    bool stored;           /* .. and those of the result leave on one */
    sam_var dealt; /* whose pieces belong to so many groups in turn (tiling/banks.h); 0: no variable's */
    uint32_t groups;
} tile_options;

/* Returns the edge along v that `options` asks for, or the one that tile = 0 chooses for this statement. */
uint32_t tile_edge(const sam_statement *s, const tile_options *options, sam_var v);
/* Returns the longest piece of any loop. `extent` has that of every variable, by handle - 1, or is NULL where
 * they are not known. */
uint32_t tile_longest(const sam_statement *s, const tile_options *options, const uint32_t *extent);

/* What one GLB stream carries, in the order of the netlist's IO cells. */
typedef struct {
    name_id tensor;
    int level; /* storage level, SAM_MODE_VALS (-1), or SAM_IN_TURN (-2): every level that is stored, then
                  values */
} tile_stream;

enum { TILE_BLOCK_MODES = 2 };
/* One block: the words the stream sends for one sub-tile, length headers included. */
typedef struct {
    uint32_t first, length; /* into tile_plan.words */
    /* The sub-tile's corner in the first modes, and its extent there, 0 of the empty one; of a matrix that is
     * dense, values from one coordinate of its outer level to the next. */
    uint32_t origin[TILE_BLOCK_MODES], size[TILE_BLOCK_MODES], row;
} tile_block;

typedef struct {
    tile_stream stream;
    VEC(tile_block) blocks; /* one per sub-tile that exists; block 0 is the empty sub-tile */
    uint32_t copy;          /* of the kernel, that the stream feeds */
} tile_input;

typedef struct {
    tile_stream stream;
    uint32_t num_blocks; /* 2 for a compressed level (segments, coordinates), 1 for values */
    uint32_t copy;       /* of the kernel, that the stream comes from */
} tile_output;

/* One pass of the array: every copy of the kernel over one sub-tile of each operand. */
typedef struct {
    uint32_t block_first; /* tile_plan.run_block[block_first + i]: block of input i */
    uint32_t bound_words; /* no output stream of this run is longer (headers included) */
    uint32_t bound_array; /* no array of its result in a memory tile is longer */
    uint32_t group;       /* of its piece along tile_options.dealt, in the plan of one copy */
} tile_run;

/* What one copy of the kernel does in one run. */
typedef struct {
    uint32_t origin[SAM_MAX_ORDER]; /* coordinate of the result sub-tile's corner, by logical mode */
    uint32_t size[SAM_MAX_ORDER];   /* its extent; what dense levels write beyond belongs to another part */
    bool idle;                      /* the copy runs on empty sub-tiles; its result is not read */
} tile_part;

typedef struct {
    uint32_t tile; /* the longest edge in coordinates */
    /* Edges along each variable, by handle - 1: of sub-tiles, and of tiles for the global buffer (0 without
     * any). They live in the planner's `mem`. */
    const uint32_t *edge, *glb_edge;
    u16_vec words; /* all blocks of all inputs */
    VEC(tile_input) inputs;
    VEC(tile_output) outputs;
    uint32_t copies; /* of the kernel on the array */
    VEC(tile_run) runs;
    VEC(tile_part) parts; /* of run r: parts[r * copies] and those that follow, by copy */
    u32_vec run_block;
    uint64_t runs_possible; /* before empty sub-tiles and pairs without work were skipped */
} tile_plan;

enum { TILE_MAX_STREAMS = 64, TILE_SPLITS_LISTED = 8, TILE_COSTS = 40 };

/* Sub-tiles of a tensor that held too much and were split. For the result they are runs whose result might
 * not fit. */
typedef struct {
    name_id tensor;
    uint32_t order;
    uint64_t tiles;
    uint64_t most_words;                                /* of the largest array of the fullest */
    uint32_t corner[TILE_SPLITS_LISTED][SAM_MAX_ORDER]; /* of the first ones, by logical mode */
} tile_split;

/* The kinds of work that a run's cycles are made of; tiling/costs.def has their costs. */
typedef enum {
#define ARRAY(NAME, name, cycles, each) TILE_##NAME,
#include "tiling/costs.def"
    TILE_WORKS
} tile_work;
extern const char *const tile_work_name[TILE_WORKS];

/* What runs are expected to take the array. */
typedef struct {
    uint64_t runs;
    double cycles;           /* of all runs, one after the other */
    double work[TILE_WORKS]; /* that these are made of */
    struct {
        uint64_t runs;
        double cycles, longest; /* of all; of one */
    } alike[TILE_COSTS];        /* runs of like size: bin b has those of 2^b to 2^(b+1) cycles */
} tile_forecast;

/* What a plan came to so far. A pair that was split is several runs. */
typedef struct {
    uint64_t possible, pairs; /* pairs of uniform sub-tiles: all there are, and those with work */
    uint32_t most_words;      /* of any array in a memory tile */
    uint64_t most_bank_words; /* of any stream's bank at once */
    uint64_t glb_tiles;       /* tiles for the global buffer that had work */
    uint64_t loads;           /* of the global buffer: as many runs as the banks hold, of one of its tiles */
    uint64_t load_words;      /* operand words of all loads; a block is counted once a load */
    tile_forecast expected;   /* of all runs so far */
    VEC(tile_split) splits;   /* by tensor */
} tile_counts;

/* Cuts operands into sub-tiles, enumerates the runs the statement needs, batch by batch, and sees to
 * capacities. Pairing is derived from the expression: a product needs all its factors, a sum what either side
 * has, and a term outside a reduction takes part in that reduction's first tile only. With options->glb_tile,
 * all runs of a tile for the global buffer come before those of the next. Dense levels are padded to the tile
 * edge and have no stream of their own. Where a sub-tile or a result may overflow a memory tile or a bank, a
 * variable's piece is halved for all operands that have it, until all parts fit; E0330-capacity (exit 2) only
 * where even parts of one coordinate would not. docs/tiling.md.
 *
 * `inputs` and `outputs` name the streams the mapped kernel has; they, the statement and the operands must
 * live as long as the planner, which lives in `mem`. NULL after errors. Memory: 4 bytes an entry and 4 a
 * sub-tile, and the batch. Work of all batches: proportional to the entries, and to the runs times the tiles
 * along one variable / 64. */
typedef struct tile_planner tile_planner;
tile_planner *tile_plan_begin(const sam_statement *s, const tile_operands *in, const tile_options *options,
                              const tile_stream *inputs, uint32_t n_inputs, const tile_stream *outputs,
                              uint32_t n_outputs, arena *mem, diagnostics *d);
typedef enum { TILE_BATCH, TILE_END, TILE_FAILED } tile_step;
/* Makes the next runs, in `mem`: about as many as have most_words words of blocks, at most 16384, or all
 * where most_words is 0. Returns TILE_END when none are left; then `out` has streams, but no runs. */
tile_step tile_plan_next(tile_planner *p, uint32_t most_words, arena *mem, tile_plan *out);
const tile_counts *tile_plan_counts(const tile_planner *p);
/* Counts on, instead of tile_plan_next: counts runs, splits and predicted cycles without making words, until
 * there are more than most_cycles, or most_runs more runs, or until all are counted, which *complete says.
 * Returns false after errors. */
bool tile_plan_count(tile_planner *p, double most_cycles, uint64_t most_runs, bool *complete);
void tile_plan_end(tile_planner *p);

enum { TILE_BINS = 17 };

/* Least, most and sum over the uniform sub-tiles of a tensor that have entries. */
typedef struct {
    uint64_t least, most, sum;
} tile_range;
typedef struct {
    uint32_t tile, edge[SAM_MAX_ORDER]; /* the longest edge, and all by logical mode */
    uint64_t possible, filled;          /* sub-tiles there are, those with entries */
    uint64_t overflowing;               /* those of which some array is longer than mem_words */
    uint64_t histogram[TILE_BINS]; /* of entries: bin b counts 2^b to 2^(b+1) - 1, the last one all above */
    tile_range entries, vals;
    tile_range seg[SAM_MAX_ORDER], crd[SAM_MAX_ORDER]; /* words by storage level; 0 for dense ones */
} tile_statistics;
/* Measures the operand of a statement that has only one, packed as for a plan. E0321, E0330, E0331. */
bool tile_stats(const sam_statement *s, const tile_operands *in, const tile_options *options, arena *mem,
                diagnostics *d, tile_statistics *out);

/* A stream, and which copy of the kernel it belongs to. */
typedef struct {
    tile_stream stream;
    uint32_t copy;
} tile_copy_stream;

/* How pairs of sub-tiles are dealt to the copies: in the order of the plan, those of like size together, each
 * when a copy is free (which the engine decides; the plan stays that of one copy), or each to the copy of its
 * group. */
typedef enum {
    TILE_DISPATCH_ORDER = 0, /* numbered as the words of --dispatch */
    TILE_DISPATCH_LOAD,
    TILE_DISPATCH_DYNAMIC,
    TILE_DISPATCH_BANKS
} tile_dispatch;

/* Makes of the plan of one copy that of `copies` of them: every run of the new plan takes the next `copies`
 * runs of the old one, each on the streams of its own copy; or with TILE_DISPATCH_BANKS the next one of each
 * group, on that copy. Copies that a run has nothing for get empty sub-tiles. All copies start together and
 * the slowest ends the run, so unless their order is to stay runs are first sorted by how many words the
 * operands have, most first. `inputs` and `outputs` name the streams of all copies. The new plan shares the
 * words of the old one. O(runs * (inputs + log runs)). */
void tile_unroll(const tile_plan *one, uint32_t copies, tile_dispatch how, const tile_copy_stream *inputs,
                 uint32_t n_inputs, const tile_copy_stream *outputs, uint32_t n_outputs, arena *mem,
                 tile_plan *out);

/* Collects results: words[o] are the words output stream o delivered for this run. Adds them (wrap-around
 * int16 or bf16) at the origin of each copy's part; coordinates beyond the part's or the result's extent are
 * dropped. More words than the run's bounds are E0341-result-stream, as is what is no fibertree. `plan` may
 * be filled anew between runs, with the next batch. */
typedef struct tile_collector tile_collector;
tile_collector *tile_collect_begin(const sam_statement *s, const tile_plan *plan, const uint32_t *extent,
                                   tile_dtype dtype, arena *mem);
bool tile_collect_run(tile_collector *c, uint32_t run, const uint16_t *const *words, const uint32_t *lengths,
                      diagnostics *d);
bool tile_collect_end(tile_collector *c, arena *mem, tile_tensor *out);
/* What was collected so far: the entries of partial results, and the seconds that adding them up took; the
 * words of the longest array that each run wrote into a memory tile, and of what the plan had room for,
 * summed over the runs. */
typedef struct {
    uint64_t entries, words, bound_words;
    double seconds;
} tile_collected;
tile_collected tile_collect_cost(const tile_collector *c);

/* ---- jobs: a plan as a file for an array simulator, and what comes back ---------------------- */

/* Little-endian 32-bit words, docs/dump.md: "ONXJ", 1, inputs, outputs, num_blocks of each output, runs;
 * then per run and input: length in 16-bit words, the words, padded to a multiple of 4 bytes. Written plan by
 * plan, the parts of a whole that is too large for memory; at least one, which may have no runs. */
typedef struct {
    file_out file;
    uint32_t outputs, plans, runs; /* of a plan; so far */
} tile_job;
bool tile_job_begin(tile_job *j, const char *path, diagnostics *d);
void tile_job_add(tile_job *j, const tile_plan *plan);
/* Ends the file, which appears only with `keep`. */
bool tile_job_end(tile_job *j, bool keep, diagnostics *d);

/* The answer: "ONXR", 1, runs, outputs; then per run: cycles (64 bits), and per output: length, words,
 * padding. Read plan by plan, a run in memory at a time. Errors E0342-job-result, of all three. */
typedef struct {
    file_in file;
    const char *path;
    uint32_t outputs;
    uint64_t cycles; /* of the runs so far */
} tile_results;
bool tile_results_open(tile_results *r, const char *path, uint64_t runs, diagnostics *d); /* runs: of all */
/* Feeds the runs of the next plan to the collector. */
bool tile_results_collect(tile_results *r, const tile_plan *plan, tile_collector *c, diagnostics *d);
/* Closes the file, which must be closed whenever it was opened; where all went well (`good`) nothing may be
 * left in it. */
bool tile_results_close(tile_results *r, bool good, diagnostics *d);

#endif
