/* board.h - a board. */
#ifndef ONYX_PNR_BOARD_H
#define ONYX_PNR_BOARD_H

#include "lower_onyx/netlist.h"

/* Columns of an array, tiles of its global buffer: at least two columns stand below each. */
enum { PNR_COLUMNS_MOST = 256, PNR_GLB_TILES_MOST = PNR_COLUMNS_MOST / 2 };

typedef enum { PNR_EAST, PNR_SOUTH, PNR_WEST, PNR_NORTH } pnr_side;
#define PNR_NO_HOP UINT32_MAX

/* ---- board ----------------------------------------------------------------------------------- */

/* Byte addresses and sizes as seen by the processor. */
typedef struct {
    uint32_t code, code_bytes; /* program memory */
    uint32_t sram, sram_bytes; /* data memory */
    uint32_t cgra_data;        /* the global buffer: bank b of GLB tile t at + (t * banks + b) * bank_bytes */
    uint32_t cgra_reg, platform; /* registers of the array, of clocks and resets */
    uint32_t cgra_irq;           /* interrupt number */
} pnr_memory_map;

/* Waits of the processor, [least, most]. */
typedef struct {
    bool known;                /* the document states them */
    uint32_t code[2], sram[2]; /* its cycles for an access, beside the access itself */
    uint32_t interconnect[2];  /* array cycles each way between the processor and the array's side */
} pnr_waits;

/* How a host reaches the board's debug port. */
typedef struct {
    const char *openocd; /* path of the OpenOCD configuration; NULL: the board has no link */
    uint32_t idcode;     /* of the JTAG TAP */
    bool simulated;      /* onyx-cosim, started by the user of the board, answers */
} pnr_link;

/* A board's document as written, for locations. */
typedef struct {
    const char *text;
    size_t length;
    uint32_t source; /* of the diagnostics that the board was read with */
} pnr_board_text;

typedef struct pnr_board {
    const char *name;       /* "onyx" */
    const char *folder;     /* where register map tables lie: "boards/onyx" */
    const char *profile;    /* capabilities of the tiles: PNR_PROFILE, or one of the document's "profiles" */
    uint32_t width, height; /* 32, 17: height counts the IO row */
    uint32_t tracks;        /* per side and direction */
    uint32_t mem_period, mem_phase; /* MEM column iff x % period == phase */
    uint32_t glb_tiles, glb_bank_bytes, glb_banks_per_tile, columns_per_glb_tile;
    uint32_t flush_columns; /* of a flush group: a load stream flushes these columns together */
    uint32_t mem_words;     /* words of an ID of a MEM tile's buffet */
    pnr_memory_map map;
    uint32_t cpu_mhz, cgra_mhz; /* highest clocks */
    pnr_waits waits;
    pnr_link link;
    pnr_board_text text;
    const cJSON *json; /* the whole document; "delays_ps" is read from here */
} pnr_board;

/* A board as read has the profile of the fabricated chip. */
#define PNR_PROFILE "onyx"

/* Reads boards/NAME.json (or a path that ends in .json) from the current folder, else from the source tree,
 * and validates it. Errors: E0001-file, E0002-json, E0003-json-member, E0501-board-member (both show the
 * member), E0502-board-sizes. `out->json` lives until pnr_board_free. */
bool pnr_board_read(const char *name_or_path, arena *mem, diagnostics *d, pnr_board *out);
/* Changes the board's profile to one of its "profiles" or PNR_PROFILE. Error: E0503-board-profile. */
bool pnr_board_set_profile(pnr_board *b, const char *profile, diagnostics *d);
/* Returns whether primitives of ours may be used (docs/boards.md). */
bool pnr_board_extended(const pnr_board *b);
/* Returns the place of a member's name in the document; of its section if the member is missing, of the start
 * if the section is missing, too. `section` is "" for a member outside of sections. */
src_loc pnr_board_member(const pnr_board_text *of, const char *section, const char *key);
void pnr_board_free(pnr_board *b); /* only the JSON document is not in the arena */

#endif
