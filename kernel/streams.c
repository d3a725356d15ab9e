/* The streams of a design, in the order of its IO columns. */
#include "kernel/streams.h"

void compile_streams_of(const pnr_design *design, uint32_t kernel, compile_streams *streams) {
    *streams = (compile_streams){0};
    for (uint32_t x = 0; x < design->board->width; x++) {
        for (uint32_t c = 0; c < design->net->cells.len; c++) {
            const net_cell_data *cell = &design->net->cells.at[c];
            bool io = cell->mode == NET_MODE_IO_IN || cell->mode == NET_MODE_IO_OUT;
            if (!io || design->site.at[c].x != x || cell->kernel != kernel)
                continue;
            const tile_copy_stream stream = {{cell->tensor, cell->level, cell->table}, cell->copy};
            uint32_t *n = cell->output ? &streams->n_out : &streams->n_in;
            BUG_IF(*n == TILE_MAX_STREAMS, "a kernel has more than %u streams", TILE_MAX_STREAMS);
            (cell->output ? streams->out : streams->in)[*n] = stream;
            (cell->output ? streams->out_cell : streams->in_cell)[*n] = c;
            (cell->output ? streams->out_column : streams->in_column)[(*n)++] = x;
        }
    }
}
