/* plan.h - sub-tiles, and the runs a kernel needs. */
#ifndef ONYX_TILING_PLAN_H
#define ONYX_TILING_PLAN_H

#include "tiling/operands.h"

enum { TILE_MAX_VARS = 64 }; /* of a statement */

/* Cuts of operands, by content, edges and storage order, which the plans of several searches have in common:
 * of 8 MB at most. They are freed with `mem`, or when all are forgotten. A planner that uses them must end
 * before they are. */
typedef struct tile_cuts tile_cuts;
tile_cuts *tile_keep_cuts(arena *mem);
/* Forgets all cuts, or does so only if there is little room for others. `cuts` may be NULL. */
void tile_forget_cuts(tile_cuts *cuts, bool all);

/* What drives the array: a processor that starts so many streams in a run, one of whose cycles is `ratio` of
 * the array's. With a ratio of 0 nothing does, and the array is alone. */
typedef struct {
    uint32_t loads, stores, ratio;
    double pace;  /* its work by the table of instructions, by the work of an instruction a cycle; 0: 1 */
    double join;  /* array cycles of the processor to add a value of a partial sum; 0: nobody's time */
    double piece; /* of the processor to put a run's piece of the result where others load it, if there are
                     several; 0: nobody's time */
    double asked,
        put; /* of a request to the host, and a word of 32 bits to the host, if the host adds partial sums */
    double word; /* of each word between host and chip; 0: nobody's time */
} tile_driver;

/* Room for copies of the kernel: copies with a common start, and copies with separate starts; 0 and 0: not
 * requested. */
typedef struct {
    uint32_t lockstep, independent;
    bool all;        /* as many as fit, even if fewer would do */
    uint32_t cells;  /* of each copy, and configured */
    uint32_t period; /* clock period of the design in picoseconds; 0: unknown */
} tile_room;

typedef struct {
    uint32_t tile; /* edge of a sub-tile in coordinates, along every variable without its own edge; 0 = the
                      largest power of two whose sub-tiles fit for any content */
    uint32_t glb_tile;   /* of a tile for the global buffer; none unless above the sub-tile's */
    uint32_t mem_words;  /* segment, coordinate or value words a MEM tile holds (1024) */
    uint32_t bank_words; /* of a stream's bank in the global buffer; 0 = no bound */
    uint32_t edge[TILE_MAX_VARS], glb_edge[TILE_MAX_VARS]; /* along a variable, by handle - 1; 0: as above */
    /* For each variable, by handle - 1, another one (its handle): the graph drops a coordinate of the first
     * without inner coordinates of the second. 0 without such a dropper; results are then assumed longer than
     * possible. */
    uint8_t drops[TILE_MAX_VARS];
    tile_driver driver; /* for tile_choose: its driver, copies, and its limit of work */
    tile_room room;
    bool clip;             /* chosen edges are at most the length of their loop, if the loop is complete */
    uint64_t steps;        /* 0: no limit */
    uint32_t jobs;         /* processors; 0 is 1 */
    double share;          /* of the operands in the whole; 0: all */
    double least;          /* plans with a larger cost are ignored; 0: none is */
    const uint32_t *begin; /* along each variable: edges to look at first; NULL: none */
    tile_cuts *cuts;       /* kept by tile_choose for later plans; NULL: none are */
    bool vector_reducer;   /* profile onyx-ext has one */
    bool skips; /* scanners skip coordinates absent from the other side of their intersecter (onyx-ext) */
    sam_sharing sharing;  /* of streams by the levels and values of a tensor (onyx-ext) */
    uint32_t table_words; /* of the longest table that a run loads beside the operands; 0: no table */
    src_loc stated; /* the place that states an edge, for messages; no length: an option does, or nobody */
    sam_var dealt;  /* the variable with pieces dealt to `groups` groups in turn (tiling/banks.h); 0: none */
    uint32_t groups;
} tile_options;

/* Returns the edge along v of `options`, or the edge for tile = 0 of this statement. */
uint32_t tile_edge(const sam_statement *s, const tile_options *options, sam_var v);
/* Returns the longest piece of any loop. `extent` has the extent of every variable, by handle - 1, or is NULL
 * if unknown. */
uint32_t tile_longest(const sam_statement *s, const tile_options *options, const uint32_t *extent);

/* Content of one GLB stream, in the order of the netlist's IO cells. */
typedef struct {
    name_id tensor;
    int level;       /* storage level, or contents of contents.def */
    sam_table table; /* n 0: no table; else the stream has these words in every run, for any tensors */
} tile_stream;

enum { TILE_BLOCK_MODES = 2 };
/* One block: the words of the stream for one sub-tile, length headers included. */
typedef struct {
    uint32_t first, length; /* into tile_plan.words */
    /* The sub-tile's corner in the first modes, and its extent there, 0 for the empty sub-tile; of a dense
     * matrix, values from one coordinate of its outer level to the next. */
    uint32_t origin[TILE_BLOCK_MODES], size[TILE_BLOCK_MODES], row;
} tile_block;

typedef struct {
    tile_stream stream;
    VEC(tile_block) blocks; /* one per sub-tile; block 0 is the empty sub-tile */
    uint32_t copy;          /* of the kernel at the stream's sink */
} tile_input;

typedef struct {
    tile_stream stream;
    uint32_t num_blocks; /* 2 for a compressed level (segments, coordinates), 1 for values */
    uint32_t copy;       /* of the kernel at the stream's source */
} tile_output;

/* One pass of the array: every copy of the kernel over one sub-tile of each operand. */
typedef struct {
    uint32_t block_first; /* tile_plan.run_block[block_first + i]: block of input i */
    uint32_t bound_words; /* no output stream of this run is longer (headers included) */
    uint32_t bound_array; /* no array of its result in a memory tile is longer */
    uint32_t group;       /* of its piece along tile_options.dealt, in the plan of one copy */
} tile_run;

/* Where one copy's result of a run lies. */
typedef struct {
    uint32_t origin[SAM_MAX_ORDER]; /* coordinate of the result sub-tile's corner, by logical mode */
    uint32_t size[SAM_MAX_ORDER];   /* its extent; dense levels' words beyond belong to another box */
    bool idle;                      /* the copy runs on empty sub-tiles; its result is not read */
} tile_box;

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
    VEC(tile_box) boxes; /* of run r: boxes[r * copies] and the following boxes, by copy */
    u32_vec run_block;
    uint64_t runs_possible; /* before empty sub-tiles and pairs without work were skipped */
} tile_plan;

enum { TILE_MAX_STREAMS = 128, TILE_SPLITS_LISTED = 8, TILE_COSTS = 40 };

/* Split sub-tiles of a tensor, too large for a memory. For the result: split runs, whose result might not
 * fit. */
typedef struct {
    name_id tensor;
    uint32_t order;
    uint64_t tiles;
    uint64_t most_words;                                /* of the largest array of the fullest */
    uint32_t corner[TILE_SPLITS_LISTED][SAM_MAX_ORDER]; /* of the first ones, by logical mode */
} tile_split;

/* The kinds of work in a run's cycles; tiling/costs.def has their costs. */
typedef enum {
#define ARRAY(NAME, name, cycles, each) TILE_##NAME,
#include "tiling/costs.def"
    TILE_WORKS
} tile_work;
extern const char *const tile_work_name[TILE_WORKS];

/* Expected cost of runs on the array. */
typedef struct {
    uint64_t runs;
    double cycles;           /* of all runs, in sequence */
    double work[TILE_WORKS]; /* that these are made of */
    double partials;         /* values of partial sums, which somebody adds behind the runs */
    double words;            /* of 32 bits, of the operands and the result */
    struct {
        uint64_t runs;
        double cycles, longest; /* of all; of one */
    } alike[TILE_COSTS];        /* runs of similar size: bin b has runs of 2^b to 2^(b+1) cycles */
} tile_forecast;

/* Counts of a plan so far. A split pair is several runs. */
typedef struct {
    uint64_t possible, tile_pairs; /* pairs of uniform sub-tiles: all, and pairs with work */
    uint32_t most_words;           /* of any array in a memory tile */
    uint64_t most_bank_words;      /* of any stream's bank at once */
    uint64_t glb_tiles;            /* tiles for the global buffer with work */
    uint64_t loads;                /* of the global buffer: as many runs as its banks hold, of one tile */
    uint64_t load_words;           /* operand words of all loads; a block is counted once a load */
    tile_forecast expected;        /* of all runs so far */
    VEC(tile_split) splits;        /* by tensor */
} tile_counts;

/* Cuts operands into sub-tiles, enumerates the runs the statement needs, batch by batch, and sees to
 * capacities. Pairing is derived from the expression: a product needs all its factors, a sum what either side
 * has, and a term outside a reduction takes part in that reduction's first tile only. With options->glb_tile,
 * all runs of a tile for the global buffer come before those of the next. Dense levels are padded to the tile
 * edge and have no stream of their own. Where a sub-tile or a result may overflow a memory tile or a bank, a
 * variable's piece is halved for all operands that have it, until all halves fit; E0330-capacity (exit 2)
 * only where even one coordinate would not. docs/tiling.md.
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
/* Counts on, instead of tile_plan_next: counts runs, splits and predicted cycles without making words, up to
 * most_cycles, or most_runs further runs, or the end; *complete tells whether all are counted. Returns false
 * after errors. */
bool tile_plan_count(tile_planner *p, double most_cycles, uint64_t most_runs, bool *complete);
void tile_plan_end(tile_planner *p);

enum { TILE_BINS = 17 };

/* Least, most and sum over a tensor's uniform sub-tiles with entries. */
typedef struct {
    uint64_t least, most, sum;
} tile_range;
typedef struct {
    uint32_t tile, edge[SAM_MAX_ORDER]; /* the longest edge, and all by logical mode */
    uint64_t possible, filled;          /* all sub-tiles, sub-tiles with entries */
    uint64_t overflowing;               /* sub-tiles with an array longer than mem_words */
    uint64_t histogram[TILE_BINS]; /* of entries: bin b counts 2^b to 2^(b+1) - 1, the last one all above */
    tile_range entries, vals;
    tile_range seg[SAM_MAX_ORDER], crd[SAM_MAX_ORDER]; /* words by storage level; 0 for dense ones */
} tile_statistics;
/* Measures the only operand of a statement, packed as for a plan. E0321, E0330, E0331. */
bool tile_stats(const sam_statement *s, const tile_operands *in, const tile_options *options, arena *mem,
                diagnostics *d, tile_statistics *out);

#endif
