/* registers.h - register writes of programs of the chip. */
#ifndef ONYX_EXCHANGE_REGISTERS_H
#define ONYX_EXCHANGE_REGISTERS_H

#include "exchange/exchange.h"

/* Finds the last value written by the program's code to a register of a GLB tile; false without a write. */
bool exchange_written(const exchange_program *p, uint32_t tile, uint32_t reg, uint32_t *value);
/* Returns the words of the tile's load in a run, by the register writes. */
uint32_t exchange_words_of_load(const exchange_program *p, uint32_t tile);
/* Makes the processor of engine soc or program do these writes, if they fit this bitstream and these words;
 * E0975-chip-registers, a warning, gives the reason otherwise. */
void exchange_take_registers(const compile_options *o, compile_context *ctx, const exchange_program *p,
                             exchange_array *a);
/* Returns the GLB tiles, from the first on, that words of configuration pass to their last column. */
uint32_t exchange_config_tiles(const bits_stream *bits, const pnr_board *b);
/* Returns the broadcast multiplexer of a GLB tile: the DMA of the first tile sends the words to its own
 * columns and to the east, the other tiles forward them. */
uint32_t exchange_broadcast(uint32_t tile);
/* Adds the writes that load a bitstream from the start of the global buffer. */
void exchange_configure_writes(const bits_stream *bits, const pnr_board *b, arena *mem, fw_write_vec *to);

#endif
