/* kernel.h - the firmware's data about an application; app_tables.c of each application defines them. */
#ifndef ONYX_TARGET_KERNEL_H
#define ONYX_TARGET_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint8_t glb_tile;
    uint8_t data_mux;    /* GLB_COLUMN_EVEN or GLB_COLUMN_ODD */
    uint16_t num_blocks; /* stores only: length-headed blocks of a run */
} kernel_stream;

enum {
    KERNEL_MAX_STREAMS = 16, /* a load and a store a GLB tile */
    KERNEL_MAX_LANES = 8     /* a flush a group of four columns */
};

/* Streams with a common start and flush: all copies of the kernel, or a copy by itself. */
typedef struct {
    uint16_t load_mask, store_mask; /* one bit a GLB tile */
} kernel_lane;

/* A bitstream in the global buffer. */
typedef struct {
    const kernel_stream *loads, *stores; /* of all its kernels and their lanes */
    uint32_t n_loads, n_stores;          /* all of them */
    uint32_t at;             /* first byte of its header; the first image lies at the buffer's start */
    uint32_t config_words;   /* {data, address} each, behind the header */
    uint32_t config_tiles;   /* GLB tiles, from the first on, up to the last whose columns have a word */
    uint32_t config_sums[4]; /* of these words, as in fw_image_header */
    uint16_t early_stores;   /* a bit a GLB tile: all their words come before the first load */
} kernel_image;

/* A kernel. Kernels of the same image run in turn without configuration. */
typedef struct {
    const kernel_image *image;
    /* The streams of the first lane, in the order of their IO columns, followed by the corresponding streams
     * of each other lane. Streams of the image's kernels follow each other. */
    const kernel_stream *loads, *stores;
    const kernel_lane *lanes;
    uint32_t n_lanes;           /* 1 .. KERNEL_MAX_LANES */
    uint32_t n_loads, n_stores; /* of a lane; of all lanes and kernels of the image 1 .. KERNEL_MAX_STREAMS */
    uint32_t flush_crossbar;    /* a lane's first load flushes its columns */
} array_kernel;

/* A row of calls of a function; the caller counts the calls. */
typedef struct {
    const void *in[13]; /* FW_FUNCTION_INPUTS_MOST */
    uint32_t words[13]; /* of 16 bits, of each input */
    short *out;
    uint32_t out_words, calls;
} kernel_calls;
typedef struct {
    void (*run)(kernel_calls *c);
    uint32_t inputs;
} kernel_function;

typedef struct kernel_description {
    const kernel_image *images;   /* boot configures the first, if any */
    const array_kernel *kernels;  /* of all images, in their order */
    uint32_t n_images, n_kernels; /* up to FW_IMAGES_MOST and FW_KERNELS_MOST; both 0 only with functions */
    const kernel_function *functions;
    uint32_t n_functions;
    /* lists_batch in programs with lists, functions_batch in programs with functions alone; and
     * functions_batch in programs with functions: other programs link neither. */
    void (*call)(const struct kernel_description *k, uint32_t number, uint32_t table, uint32_t rows,
                 uint32_t outputs);
    void (*call_function)(const struct kernel_description *k, uint32_t number, uint32_t table, uint32_t rows,
                          uint32_t outputs);
    /* Combines two values for lists, if any: lists_combine, or bf16_combine. */
    uint32_t (*combine)(uint32_t how, uint32_t a, uint32_t b);
    /* Executes a command of a list of entries, in programs with such lists: entries_command. */
    void (*entries)(const struct kernel_description *k, uint32_t command, uint32_t what);
    uint32_t stall_mask; /* columns stalled during configuration */
    bool register_path;  /* configure word by word instead of by DMA */
    bool unchecked;      /* neither segments nor the program's own code are looked at */
    bool verify;         /* read every word back whenever an image is configured */
    bool poll;           /* never sleep: ask for done streams instead of waiting for the interrupt */
    uint32_t timeout;    /* processor cycles a run may take */
} kernel_description;

extern const kernel_description kernel;

/* Writes of registers of the global buffer by another tool's code: first the writes that load the bitstream,
 * next the writes that set up streams. Only programs that replay such code have them (writes.c). */
typedef struct {
    uint16_t offset;
    uint32_t value;
} kernel_write;
/* What a store writes in a run: bytes from the buffer's start on, 16-bit words. */
typedef struct {
    uint32_t first, words;
} kernel_span;
typedef struct {
    const kernel_write *configure, *start;
    uint32_t n_configure, n_start;
    const kernel_span *spans; /* of the stores, in programs of the dense fabric; else NULL */
} kernel_writes;
extern const kernel_writes kernel_own;

#endif
