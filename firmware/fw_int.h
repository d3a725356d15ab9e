/* fw_int.h - common to the files of firmware/ and private to them. */
#ifndef ONYX_FW_INT_H
#define ONYX_FW_INT_H

#include "firmware/firmware.h"
#include "firmware/registers.h"

enum {
    FW_MAX_STREAMS = GLC_STREAM_START_G2F_WIDTH, /* a load and a store a GLB tile of the chip's controller */
    FW_FLUSH_GROUPS = 8                          /* groups of columns in the controller's crossbar */
};

/* A stream of the array's edge. */
typedef struct {
    uint32_t column;
    const net_cell_data *cell;
} fw_stream;

/* Streams of the first lane by column, followed by the corresponding streams of each other lane. */
typedef struct {
    fw_stream load[TILE_MAX_STREAMS], store[TILE_MAX_STREAMS];
    uint32_t lanes;
    uint32_t n_loads, n_stores; /* of a lane */
} fw_streams;

/* Finds the IO cells of a kernel of the design: they form a single lane, or with `independent` each copy of
 * the kernel is a lane of its own. E0706-streams when the chip cannot stream them. */
bool fw_streams_of(const pnr_design *design, uint32_t kernel, bool independent, diagnostics *d,
                   fw_streams *out);
/* Returns how many kernels share the design. */
static inline uint32_t fw_kernels_of(const pnr_design *design) {
    uint32_t last = 0;
    for (uint32_t c = 0; c < design->net->cells.len; c++)
        last = design->net->cells.at[c].kernel > last ? design->net->cells.at[c].kernel : last;
    return last + 1;
}

static inline uint32_t fw_bank_address(const pnr_board *b, uint32_t glb_tile, uint32_t bank) {
    return (glb_tile * b->glb_banks_per_tile + bank) * b->glb_bank_bytes;
}

/* Writes app_board.h and memory.ld; `at`: first byte of the bitstreams in the global buffer. */
bool fw_write_board(const pnr_board *b, uint32_t at, const char *folder, diagnostics *d);
/* An image with derived data. */
typedef struct {
    const fw_image *of;
    bits_stream words;         /* canonical */
    uint32_t at, kernels;      /* first byte of its header in the global buffer; kernels of the image */
    const fw_streams *streams; /* of each */
} fw_placed;
/* app_tables.c */
bool fw_write_tables(const fw_placed *images, uint32_t n, const pnr_board *b, const fw_options *o,
                     diagnostics *d);
/* app_bitstream.c: the words of each image after their header (protocol.h); without a header for o->writes */
bool fw_write_bitstreams(const fw_placed *images, uint32_t n, const fw_options *o, diagnostics *d);

/* Returns the board's identity for an image and its program: a CRC-32 of its name and of all data that decide
 * the meaning of addresses. */
uint32_t fw_board_id(const pnr_board *b);
/* Fills in the sums of an image of these words whose header is at byte `at` of the global buffer, as computed
 * by the firmware before configuration. */
void fw_add_up(const pnr_board *b, uint32_t at, const bits_stream *bits, uint32_t sums[FW_IMAGE_SUMS]);

/* Finds the bytes of each loadable segment of an ELF file, by the board's memory map, with bitstreams at byte
 * `at` of the global buffer. Error: E0705-elf. */
bool fw_read_sizes(const char *elf, const pnr_board *b, uint32_t at, diagnostics *d, fw_app *out);
/* Sums the stack reports (.su) the compiler left in the folder. */
bool fw_read_stack(const char *folder, diagnostics *d, fw_app *out);

#endif
