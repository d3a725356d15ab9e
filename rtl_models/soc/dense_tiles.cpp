/* dense_tiles.cpp - see dense_tiles.h. */
#include "rtl_models/soc/dense_tiles.h"

#include <memory>
#include <vector>

#include "rtl_models/soc/pins.h"

#include "Vonyx_dense_register.h"
#include "Vonyx_dense_register___024root.h"
#include "Vonyx_dense_unit_io.h"
#include "Vonyx_dense_unit_io___024root.h"
#include "Vonyx_dense_unit_mem.h"
#include "Vonyx_dense_unit_mem___024root.h"
#include "Vonyx_dense_unit_pe.h"
#include "Vonyx_dense_unit_pe___024root.h"

struct dense_rtl_tile {
    virtual ~dense_rtl_tile() = default;
    virtual void write(uint32_t address, uint32_t data) = 0;
    virtual void release() = 0;
    virtual void set(unsigned unit, const uint16_t *in) = 0;
    virtual void settle() = 0;
    virtual void get(unsigned unit, uint16_t *out) const = 0;
    virtual void clock(bool flush) = 0;
};

struct dense_rtl_tiles {
    VerilatedContext context;
    std::vector<std::unique_ptr<dense_rtl_tile>> all;
};

namespace {

QData words(const uint16_t *in, unsigned n) {
    QData all = 0;
    for (unsigned i = n; i-- > 0;)
        all = all << 16 | in[i];
    return all;
}

template <class Model> struct Clocked : dense_rtl_tile {
    Model model;

    explicit Clocked(VerilatedContext *context) : model(context) {}
    void settle() override { model.eval(); }
    void edge() {
        model.clk_i = 1;
        model.eval();
        onyx::fall(model, 0);
    }
    /* Puts registers into their reset values from any state. */
    void reset() {
        for (int level : {1, 0, 1}) {
            model.rst_ni = static_cast<CData>(level);
            model.eval();
        }
    }
};

/* A tile on the configuration bus. */
template <class Model> struct Tile : Clocked<Model> {
    using Clocked<Model>::model;
    onyx::Control control;

    Tile(VerilatedContext *context, unsigned x, unsigned y) : Clocked<Model>(context) {
        control.bind(model.control_i.data(), x, y);
        control.set_stall(true);
        this->reset();
    }
    void write(uint32_t address, uint32_t data) override {
        control.write(address, data);
        this->edge();
        control.idle();
    }
    void release() override {
        control.set_stall(false);
        model.eval();
    }
    void clock(bool flush) override {
        control.set_flush(flush);
        this->edge();
    }
};

struct PeTile final : Tile<Vonyx_dense_unit_pe> {
    using Tile::Tile;
    void set(unsigned unit, const uint16_t *in) override {
        if (unit == DENSE_UNIT_POND) {
            model.pond_data_i = static_cast<IData>(words(in, 2));
            return;
        }
        model.data_i = words(in, 3);
        model.bit_i = static_cast<CData>((in[3] & 1) | (in[4] & 1) << 1 | (in[5] & 1) << 2);
    }
    void get(unsigned unit, uint16_t *out) const override {
        const bool pond = unit == DENSE_UNIT_POND;
        out[0] = pond ? model.pond_data_o : model.data_o;
        out[1] = pond ? model.pond_bit_o & 1 : model.bit_o;
        out[2] = pond ? model.pond_bit_o >> 1 & 1 : 0;
    }
};

struct MemTile final : Tile<Vonyx_dense_unit_mem> {
    using Tile::Tile;
    void set(unsigned unit, const uint16_t *in) override {
        const bool ram = unit == DENSE_UNIT_RAM;
        const uint16_t buffer[4] = {in[2], in[3], in[0], in[1]}, memory[4] = {in[0], 0, in[1], 0};
        model.data_i = words(ram ? memory : buffer, 4);
        model.bit_i = static_cast<CData>(ram ? (in[2] & 1) | (in[3] & 1) << 1 : 0);
    }
    void get(unsigned unit, uint16_t *out) const override {
        const uint16_t low = static_cast<uint16_t>(model.data_o), high = model.data_o >> 16;
        const uint16_t bit[3] = {static_cast<uint16_t>(model.bit_o & 1),
                                 static_cast<uint16_t>(model.bit_o >> 1 & 1),
                                 static_cast<uint16_t>(model.bit_o >> 2 & 1)};
        const bool ram = unit == DENSE_UNIT_RAM;
        out[0] = unit == DENSE_UNIT_VALID ? bit[2] : low;
        out[1] = ram ? bit[0] : high;
        out[2] = ram ? bit[1] : bit[0];
        out[3] = bit[1];
    }
};

struct IoTile final : Tile<Vonyx_dense_unit_io> {
    using Tile::Tile;
    void set(unsigned unit, const uint16_t *in) override {
        const CData bit = in[1] & 1;
        if (unit == DENSE_UNIT_INPUT) {
            model.glb2io_data_i = in[0];
            model.glb2io_bit_i = bit;
        } else {
            model.data_i = in[0];
            model.bit_i = bit;
        }
    }
    void get(unsigned unit, uint16_t *out) const override {
        out[0] = unit == DENSE_UNIT_INPUT ? model.data_o : model.io2glb_data_o;
        out[1] = unit == DENSE_UNIT_INPUT ? model.bit_o : model.io2glb_bit_o;
    }
};

/* A switch-box register as a SplitFIFO that is a plain register: as the tiles' output has it with RMUX 1. */
struct Register final : Clocked<Vonyx_dense_register> {
    explicit Register(VerilatedContext *context) : Clocked(context) {
        model.ce_i = 1;
        model.out_ready_i = 1;
        reset();
    }
    void write(uint32_t, uint32_t) override {}
    void release() override {}
    void set(unsigned, const uint16_t *in) override { model.in_i = onyx::VALID >> 1 | in[0]; }
    void get(unsigned, uint16_t *out) const override { out[0] = static_cast<uint16_t>(model.out_o); }
    void clock(bool) override { edge(); }
};

} // namespace

dense_rtl_tiles *dense_rtl_tiles_create(void) {
    return new dense_rtl_tiles;
}

void dense_rtl_tiles_destroy(dense_rtl_tiles *t) {
    delete t;
}

dense_rtl_tile *dense_rtl_tile_add(dense_rtl_tiles *t, dense_rtl_kind kind, unsigned x, unsigned y) {
    std::unique_ptr<dense_rtl_tile> made;
    switch (kind) {
    case DENSE_RTL_PE:
        made = std::make_unique<PeTile>(&t->context, x, y);
        break;
    case DENSE_RTL_MEM:
        made = std::make_unique<MemTile>(&t->context, x, y);
        break;
    case DENSE_RTL_IO:
        made = std::make_unique<IoTile>(&t->context, x, y);
        break;
    case DENSE_RTL_REGISTER:
        made = std::make_unique<Register>(&t->context);
        break;
    }
    t->all.push_back(std::move(made));
    return t->all.back().get();
}

void dense_rtl_tile_write(dense_rtl_tile *t, uint32_t address, uint32_t data) {
    t->write(address, data);
}

void dense_rtl_tile_release(dense_rtl_tile *t) {
    t->release();
}

void dense_rtl_tile_set(dense_rtl_tile *t, unsigned unit, const uint16_t in[DENSE_RTL_INS]) {
    t->set(unit, in);
}

void dense_rtl_tile_settle(dense_rtl_tile *t) {
    t->settle();
}

void dense_rtl_tile_get(const dense_rtl_tile *t, unsigned unit, uint16_t out[DENSE_RTL_OUTS]) {
    t->get(unit, out);
}

void dense_rtl_tile_clock(dense_rtl_tile *t, bool flush) {
    t->clock(flush);
}
