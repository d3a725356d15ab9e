#include "mem_design.h"

#include "Vonyx_fiber_access.h"

/* The fiber access, and the required FIFO after its positions: two words, as onyx_fifo2. */
struct fiber_device : Vonyx_fiber_access {
    uint32_t held[2] = {0, 0};
    unsigned count = 0;
    bool flush = false, reset = false, taken = false;
};

/* A stream as in onyx_pkg: valid on top of the token. */
static uint32_t offered(const bench_pins *p, int port) {
    return p->in_data[port] | (p->in_valid[port] ? 1u << 17 : 0);
}

static void give(bench_pins *p, int port, uint32_t stream) {
    p->out_data[port] = stream & 0x1ffff;
    p->out_valid[port] = stream >> 17;
}

static void settle(void *device, bench_pins *p) {
    auto *t = static_cast<fiber_device *>(device);
    t->clk_i = 0;
    t->rst_ni = !p->reset, t->en_i = p->enable, t->flush_i = p->flush;
    t->pos_in_i = offered(p, 0);
    t->addr_in_i = offered(p, 1);
    t->block_wr_i = offered(p, 2);
    t->data_in_i = offered(p, 3);
    t->block_rd_ready_i = p->out_ready[0];
    t->coord_out_ready_i = p->out_ready[1];
    t->pos_out_ready_i = t->count < 2;
    t->flush = p->flush, t->reset = p->reset, t->taken = p->out_ready[2] && t->count > 0;
    t->eval();
    p->in_ready[0] = t->pos_in_ready_o;
    p->in_ready[1] = t->addr_in_ready_o;
    p->in_ready[2] = t->block_wr_ready_o;
    p->in_ready[3] = t->data_in_ready_o;
    give(p, 0, t->block_rd_o);
    give(p, 1, t->coord_out_o);
    give(p, 2, t->count > 0 ? t->held[0] : 0);
}

static void rising_edge(void *device) {
    auto *t = static_cast<fiber_device *>(device);
    uint32_t pos = t->pos_out_o;
    bool comes = pos >> 17 && t->count < 2;
    t->clk_i = 1;
    t->eval();
    if (t->reset || (t->en_i && t->flush)) {
        t->count = 0;
    } else if (t->en_i) {
        if (t->taken)
            t->held[0] = t->held[1], t->count--;
        if (comes)
            t->held[t->count++] = pos;
    }
    if (t->en_i)
        t->turn_i = t->flush_i || !t->rst_ni ? 0 : (t->turn_i + 1) & 3;
}

bench_design fiber_design_new(void) {
    return {new fiber_device, settle, rising_edge};
}

void fiber_design_free(bench_design design) {
    delete static_cast<fiber_device *>(design.device);
}

void fiber_design_configure(bench_design design, bool tile_en, uint32_t mode, const uint32_t space[4]) {
    (void)tile_en;
    (void)mode;
    auto *t = static_cast<fiber_device *>(design.device);
    t->wr_run_i = space[0] & 1;
    t->wr_stop_lvl_i = space[0] >> 1 & 0xffff;
    t->wr_spacc_i = space[0] >> 17 & 1;
    t->wr_lowest_level_i = space[0] >> 18 & 1;
    t->wr_init_blank_i = space[0] >> 19 & 1;
    t->wr_compressed_i = space[0] >> 20 & 1;
    t->wr_block_mode_i = space[0] >> 21 & 1;
    t->wr_before_i = space[3] >> 8 & 15;
    t->wr_behind_i = space[3] >> 12 & 15;
    t->rd_skip_i = space[3] >> 16 & 1;
    t->rd_ahead_i = space[3] >> 17 & 15;
    t->rd_run_i = space[0] >> 23 & 1;
    t->rd_stop_lvl_i = space[0] >> 24 & 0xff;
    t->rd_spacc_i = space[1] >> 8 & 1;
    t->rd_root_i = space[1] >> 9 & 1;
    t->rd_lookup_i = space[1] >> 27 & 1;
    t->rd_dim_size_i = space[2] >> 13 & 0xffff;
    t->rd_dense_i = space[2] >> 29 & 1;
    t->rd_block_mode_i = space[2] >> 30 & 1;
    t->buffet_run_i = space[2] >> 31;
    t->cap_log_0_i = space[3] >> 4 & 15;
    t->cap_log_1_i = space[3] & 15;
}
