/* The board for native tests of the firmware: the header that fw_build generates for boards/onyx.json. */
#ifndef APP_BOARD_H
#define APP_BOARD_H

#define ONYX_SRAM 0x20000000u
#define ONYX_CGRA_DATA 0x20400000u
#define ONYX_CGRA_REG 0x40010000u
#define ONYX_PLATFORM 0x40007000u
#define ONYX_CGRA_IRQ 9
#define ONYX_GLB_TILES 16u
#define ONYX_GLB_BANKS 2u
#define ONYX_GLB_BANK_BYTES 0x20000u
#define ONYX_COLUMNS 32u
#define ONYX_ROWS 17u
#define ONYX_BOARD_ID 0xb0a2d001u

#endif
