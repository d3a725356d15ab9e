/* firmware.h - host side of the firmware: a program for the kernels of one or several bitstreams, and its
 * batches of runs.
 *
 * target/ runs on the Cortex-M3; protocol.h, errors.def and registers.def are common to both sides and the
 * co-simulation. docs/firmware.md is the text of the contract.
 */
#ifndef ONYX_FIRMWARE_H
#define ONYX_FIRMWARE_H

#include "bitstream/bitstream.h"
#include "firmware/protocol.h"
#include "tiling/tiling.h"

/* ---- the program ----------------------------------------------------------------------------- */

/* Whether the processor can run lists of batches by itself, with values of bf16 or int16; and, as a further
 * bit, lists of entries, from which compressed matrices are made. */
typedef enum {
    FW_NO_LISTS,
    FW_LISTS,
    FW_LISTS_OF_BF16,
    FW_ENTRY_LISTS = 4,
    FW_ENTRY_LISTS_OF_INT16 = FW_ENTRY_LISTS | FW_LISTS,
    FW_ENTRY_LISTS_OF_BF16 = FW_ENTRY_LISTS | FW_LISTS_OF_BF16
} fw_command_lists;

/* Register writes of the global buffer, from the code of a program made by another tool. */
typedef struct {
    uint32_t offset, value;
} fw_write;
typedef VEC(fw_write) fw_write_vec;
/* What a store writes: bytes from the buffer's start on, 16-bit words. */
typedef struct {
    uint32_t first, words;
} fw_span;
typedef struct {
    fw_write_vec configure, start; /* to load the bitstream; to set up streams */
    VEC(fw_span) spans;            /* of the dense fabric's stores by column; else none */
} fw_writes;

typedef struct {
    const char *home;     /* where firmware/target lies: the source tree, or the installed share */
    const char *folder;   /* receives app.elf and its sources; made if missing */
    const char *moved;    /* "FOLDER=WHERE": the folder's later place, for debuggers; NULL: the folder stays
                           */
    const char *compiler; /* "arm-none-eabi-gcc" */
    const char *objects;  /* has a folder of the runtime's objects by board, used if the objects match the
                           * runtime in `home`; NULL: the runtime is compiled */
    bool register_path;   /* configure word by word instead of by DMA */
    bool verify;          /* read every word of a configuration back before the first run */
    bool unchecked;       /* the boot does not look at the program's own code */
    bool poll;            /* ask for done streams instead of sleeping until the interrupt */
    uint32_t timeout;     /* processor cycles a run may take; at least FW_MIN_TIMEOUT */
    fw_command_lists lists;
    const fw_writes *writes; /* register writes to repeat unchanged, for a single image whose words lie where
                              * the writes load from, in the order of `bits`; NULL: the program sets up
                              * everything itself */
    const struct fw_functions *functions; /* functions of the program; NULL: none */
    const pnr_board *board;               /* of a program without a bitstream */
} fw_options;
enum { FW_MIN_TIMEOUT = 1000 };
fw_options fw_options_default(const char *home, const char *folder); /* DMA, interrupt, 2^26 cycles */

/* A bitstream of the program. */
typedef struct {
    const pnr_design *design;
    const bits_stream *bits;
    bool independent; /* each copy of the kernel starts by itself; its columns have a flush of their own */
    uint32_t early_stores; /* a bit per GLB tile: all words of its store come before the first load */
} fw_image;

/* C compiled into the program, for functions on the processor. The C defines, for function number N, void
 * onyx_call_N(kernel_calls *c) (firmware/target/kernel.h). */
typedef struct {
    const char *name; /* a function's name and location, for messages */
    src_loc loc;
    const char *text;
    const char *const *include; /* folders of headers */
    uint32_t n_include;
} fw_unit;
typedef struct fw_functions {
    const fw_unit *units;
    uint32_t n_units;
    const uint32_t *inputs; /* of each function, 1 .. FW_FUNCTION_INPUTS_MOST */
    uint32_t n;             /* 1 .. FW_FUNCTIONS_MOST */
} fw_functions;

typedef struct {
    const char *elf;          /* FOLDER/app.elf */
    uint32_t code_bytes;      /* program and constants */
    uint32_t data_bytes;      /* mailbox and variables, without stack */
    uint32_t bitstream_bytes; /* in the global buffer, headers included */
    uint32_t stack_bytes;     /* bound: every frame once, and the exceptions' */
    uint32_t largest_frame;
    bool interrupted; /* the compiler was interrupted: no other member holds, and nothing is diagnosed */
} fw_app;

/* Writes app_board.h, memory.ld, app_tables.c and app_bitstream.c for these images, 1 to FW_IMAGES_MOST of
 * one board, into the folder, compiles them with the runtime, and checks sizes. Boot configures the first;
 * their kernels are numbered through. Streams are numbered by IO column, loads and stores apart. Errors:
 * E0701-compiler-missing, E0702-compiler, E0703-runtime-missing, E0704-stack, E0705-elf, E0706-streams (a
 * kernel needs a load and a store, a GLB tile has one of each, and the first tile no load with several
 * images), E0707-bitstream-size, E0708-timeout, E0714-empty-block, E0715-bitstream-word, E0720-controller;
 * E0169-processor for a function other than freestanding C of integers without recursion, or beyond the
 * memory. A program of functions alone has no image. */
bool fw_build(const fw_image *images, uint32_t n, const fw_options *o, arena *mem, diagnostics *d,
              fw_app *out);
/* Returns the bytes of an image in the global buffer, for a bitstream of bits_canonical. */
static inline uint32_t fw_image_bytes(const bits_stream *canonical) {
    return (uint32_t)sizeof(fw_image_header) + 8 * canonical->words.len;
}

/* The row of errors.def of a firmware error; fw_error_find returns NULL for a number without a row. */
typedef struct {
    uint32_t number;
    const char *name, *message, *detail[2], *hint; /* details are "" when unused */
} fw_error_info;
const fw_error_info *fw_error_find(uint32_t number);
/* Adds a note for each open stream of the design, by the first detail of RUN_TIMEOUT. */
void fw_note_open_streams(const pnr_design *design, uint32_t open, diagnostics *d);

/* ---- batches --------------------------------------------------------------------------------- */

/* Words at a processor's address. */
typedef struct {
    uint32_t address, bytes;
    const uint8_t *content; /* in the arena */
} fw_segment;
typedef VEC(fw_segment) fw_segments;
/* Words with a place on the chip. */
typedef struct {
    uint32_t address, bytes;
    uint64_t hash;
} fw_put;
typedef VEC(fw_put) fw_puts;
/* Pinned words of an input of a kernel (fw_columns.kernel). */
typedef struct {
    fw_put put;
    uint32_t kernel, input;
} fw_fixed;
enum { FW_TABLES_KEPT = 0x4000 }; /* bytes of the run tables' area for tables of several batches */
/* Words left on the chip by a program's batches, for later batches of the same program. */
typedef struct {
    fw_puts stored;     /* words written by stores, from the first byte of a bank on */
    fw_puts tables;     /* run tables as written by the host; the firmware keeps their loads */
    uint32_t table_end; /* bytes of the area in use */
    uint32_t early;     /* tiles, a bit each, whose second bank a new image has written to since */
    fw_puts loaded;     /* words written by the host, not overwritten since */
    VEC(fw_fixed) fixed;
    arena *mem;
} fw_memory;

/* The user's request for the place of an input between batches. */
typedef struct {
    bool again;         /* the host writes the input for every batch */
    bool fixed;         /* the whole input is written once, and kept for the program's life */
    const char *called; /* "the values of B", for messages */
    src_loc loc;
} fw_region;

/* IO columns of the kernel's streams, ascending: column[i] belongs to plan->inputs.at[i] or outputs.at[i].
 * With fw_options.independent these are the first copy's, and the other copies' columns follow in the same
 * order of streams (hence not ascending): fw_columns_of sorts them. */
typedef struct {
    const uint32_t *in, *out;
    uint32_t n_in, n_out;
    uint32_t copies;  /* copies with independent starts; 0 counts as 1 */
    uint32_t buffers; /* of a batch file: 1, or 2 to load a batch while another runs */
    uint32_t kernel;  /* the kernel, among kernels on the same design or in several images */
    uint32_t pinned;  /* inputs, a bit each, in their own bank, wherever a store has left the words: in its
                         second half, if there is room, kernels next to each other */
    const fw_region *region; /* by input; NULL: nothing is said */
    fw_memory *memory;       /* with a single buffer and copy: contents of the chip; NULL: unknown */
} fw_columns;

/* Finds the columns of a kernel of the design (kernel: 0 for a single kernel), in the arena; `independent` as
 * in fw_options. Two buffers need both banks of a GLB tile for each stream. Errors: E0706-streams,
 * E0714-empty-block. */
bool fw_columns_of(const pnr_design *design, uint32_t kernel, bool independent, arena *mem, diagnostics *d,
                   fw_columns *out);

typedef struct {
    uint32_t batches;
    uint64_t block_words; /* 16-bit words of operands in the file; a block is counted once a batch */
    uint64_t run_words;   /* the number if every run brought its own blocks */
    struct {
        uint64_t loaded, kept; /* bytes written by the host; resident bytes */
        uint32_t times, since; /* batches with bytes from the host; the last, from 1 */
    } input[16];
    uint32_t resident;   /* inputs of the last batch at a store's place, a bit each */
    uint32_t output[16]; /* by output of the last batch: first byte in the global buffer */
} fw_batch_stats;

/* Writes a batch file (protocol.h) of the runs of successive plans, the shares of a problem too large for
 * memory. Operands lie in the banks of every copy, since any copy may take a run. By columns->region an input
 * is written for each batch, or once for all: E0719-stays (exit 2) if impossible. By columns->memory an
 * operand lies where a store of the same GLB tile has left the same words, outputs of this tile go to its
 * other bank, and each run table has a place of its own. Runs keep their order; a batch takes runs until the
 * next run would overflow the run table, the bank of an input, or by bound_words the bank of an output, and
 * ends with its plan. Without columns->memory, an input with all blocks in all batches, except perhaps the
 * last, has equal places in each batch: a host that finds the blocks resident (fw_is_there) writes them once.
 * If a single run overflows a memory: E0710-batch-capacity (exit 2), and the rest is not written. Takes
 * O(runs * streams + words) steps and 8 bytes of memory for each block of the plan. */
typedef struct fw_batch_writer fw_batch_writer;
fw_batch_writer *fw_batches_begin(const fw_columns *columns, const pnr_board *board, const char *path,
                                  arena *mem, diagnostics *d); /* NULL after errors; lives in `mem` */
bool fw_batches_add(fw_batch_writer *w, const tile_plan *plan);
/* The file appears only if all was added, and `keep`. */
bool fw_batches_end(fw_batch_writer *w, bool keep, fw_batch_stats *stats);

typedef struct {
    uint32_t runs, table; /* table: address in SRAM */
    uint32_t outputs;     /* banks of the outputs, for the mailbox */
    fw_segments segments;
    uint32_t again;     /* segments to write always, a bit each */
    fw_segments stored; /* of a list: pieces written by its stores, without content */
} fw_batch;
/* An open batch file, and where its batches lie. */
typedef struct {
    uint32_t inputs, outputs, buffers, callee;
    uint64_t runs, hash; /* of all batches; of the whole file */
    struct {
        uint64_t at; /* byte */
        uint32_t runs;
    } * list;
    uint32_t batches;
    file_in file;
    const char *path;
    const pnr_board *board;
} fw_batches;

/* Kernels whose pinned inputs lie next to each other in a bank, and the room of each: the first ones in its
 * second half, the rest below, where changing operands seldom reach. */
enum { FW_PINNED = 7, FW_PINNED_ABOVE = 4 };
static inline uint32_t fw_pinned_bytes(const pnr_board *b) {
    return b->glb_bank_bytes / 2 / FW_PINNED_ABOVE;
}
static inline uint32_t fw_pinned_place(const pnr_board *b, uint32_t number) {
    const uint32_t n = number % FW_PINNED, half = b->glb_bank_bytes / 2;
    return n < FW_PINNED_ABOVE ? half + n * fw_pinned_bytes(b)
                               : half - (n + 1 - FW_PINNED_ABOVE) * fw_pinned_bytes(b);
}
/* Returns the processor's address of a place in the buffer, or in the scratch area (protocol.h). */
static inline uint32_t fw_address(const pnr_board *b, uint32_t address) {
    return address & FW_SCRATCH ? b->map.sram + FW_SCRATCH_OFFSET + (address & ~FW_SCRATCH)
                                : b->map.cgra_data + address;
}
/* Returns whether the file only collects results of earlier runs (FW_COLLECT). */
static inline bool fw_is_collecting(const fw_batches *all) {
    return all->callee >> 24 == FW_COLLECT >> 24;
}

/* Opens a batch file and validates all of it, with a single batch in memory at a time: segments lie in input
 * banks or in the table's area without overlap, every row is present, every load is inside one segment.
 * Errors are located by byte: E0711-batch-format (damaged), E0712-batch-content. After true the caller must
 * call fw_batches_close. */
bool fw_batches_open(const char *path, const pnr_board *board, arena *mem, diagnostics *d, fw_batches *out);
/* Reads batch `i` into `mem` and validates the batch again. */
bool fw_batches_get(fw_batches *all, uint32_t i, arena *mem, diagnostics *d, fw_batch *out);
static inline void fw_batches_close(fw_batches *all) {
    file_close(&all->file);
}

/* Returns whether the segment's words lie at their place already. Otherwise records the segment in place of
 * all overlapping segments (the caller or a store writes the words now); a segment without content only
 * removes overlapping segments. O(segments). */
bool fw_is_there(fw_puts *there, const fw_segment *g, arena *mem);
/* Returns whether the segment of a batch is written even if resident. */
static inline bool fw_is_again(const fw_batch *b, uint32_t segment) {
    return segment < 32 && (b->again >> segment & 1);
}
/* Returns whether the segment is resident unchanged; never true for a segment that must be written again. */
static inline bool fw_may_stay(fw_puts *there, const fw_segment *g, bool again, arena *mem) {
    if (again) /* what is there goes */
        fw_is_there(there, &(fw_segment){.address = g->address, .bytes = g->bytes}, mem);
    return fw_is_there(there, g, mem);
}
/* Forgets the knowledge about these bytes of the buffer, since other data are written. */
static inline void fw_forget(fw_memory *m, uint32_t address, uint32_t bytes) {
    const fw_segment gone = {.address = address, .bytes = bytes};
    fw_is_there(&m->stored, &gone, m->mem);
    fw_is_there(&m->loaded, &gone, m->mem);
}

#endif
