/* tile_array.cpp - see tile_array.h.
 *
 * A step is: set inputs, rising edge in every tile with state, settle. No tile output moves to a neighbour
 * before all edges are done: all tiles sample the same instant. Settling is Gauss-Seidel over the tiles in
 * the order of the configured routes, backwards first (ready), forwards second (data and valid): ready never
 * depends on valid; two sweeps suffice if the routes are acyclic tile by tile, and sweeps repeat otherwise. A
 * tile is evaluated in a sweep only if one of its inputs changed.
 */
#include "tile_array.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "boards/onyx/fabric.h"

#include "Vonyx_tile_io.h"
#include "Vonyx_tile_mem.h"
#include "Vonyx_tile_pe.h"
#include "rtl_models/soc/pins.h"

namespace onyx {
namespace {

enum Side { EAST, SOUTH, WEST, NORTH, SIDES };
constexpr unsigned OPPOSITE[SIDES] = {WEST, NORTH, EAST, SOUTH};
constexpr unsigned TRACKS = ONYX_TRACKS;
constexpr unsigned BUNDLE_WORDS = 3; /* 90 bits, onyx_pkg::side_t */
constexpr uint8_t ALL_TRACKS = 0x1F;

/* The wires arriving at and leaving a tile on a side, data and valid together; ready_in answers `out`. */
struct Bundle {
    EData *in = nullptr, *out = nullptr;
    CData *ready_in = nullptr, *ready_out = nullptr;
};

/* A tile: its ports by name, for any model. */
struct Tile {
    unsigned x = 0, y = 0;
    CData *clock = nullptr, *reset_n = nullptr;
    Control control;
    IData *config_result = nullptr;
    Bundle side[SIDES];
    Tile *neighbour[SIDES] = {};
    bool dirty = false;    /* an input changed since the last evaluation */
    bool stateful = false; /* core or a switch-box register in use: has to see every edge */
    uint32_t core_control = 0, switch_words[6] = {};

    virtual ~Tile() = default;
    virtual void evaluate() = 0;
    /* Records the part of a configuration word needed for settling. */
    virtual void note(unsigned feature, unsigned reg, uint32_t data) = 0;
    virtual bool drives(unsigned toward) const = 0;
    virtual bool enabled(unsigned toward, unsigned track) const = 0;

  protected:
    template <class Model> void bind(Model &m) {
        clock = &m.clk_i;
        reset_n = &m.rst_ni;
        control.bind(m.control_i.data(), x, y);
        config_result = &m.cfg_rdata_o;
    }
};

#define BIND_SIDE(index, name)                                                                               \
    side[index] = {model.name##_i.data(), model.name##_o.data(), &model.name##_ready_i, &model.name##_ready_o}

/* PE and MEM tiles: alike but for where their registers are. */
template <class Model, unsigned SWITCH_FEATURE, unsigned CONTROL_REG, unsigned ENABLE_BIT, unsigned>
struct ComputeTile final : Tile {
    Model model;

    ComputeTile(VerilatedContext *context, unsigned tile_x, unsigned tile_y) : model(context) {
        x = tile_x;
        y = tile_y;
        bind(model);
        BIND_SIDE(EAST, east);
        BIND_SIDE(SOUTH, south);
        BIND_SIDE(WEST, west);
        BIND_SIDE(NORTH, north);
    }
    void evaluate() override { model.eval(); }
    void note(unsigned feature, unsigned reg, uint32_t data) override {
        if (feature == 0 && reg == CONTROL_REG)
            core_control = data;
        if (feature == SWITCH_FEATURE && reg < 6)
            switch_words[reg] = data;
        bool registers = (switch_words[1] >> 28) != 0 || (switch_words[2] & 0xFFFF) != 0; /* the RMUX bits */
        stateful = (core_control >> ENABLE_BIT & 1) != 0 || registers;
    }
    /* Whether any output of the side is enabled. */
    bool drives(unsigned toward) const override {
        for (unsigned track = 0; track < TRACKS; track++)
            if (enabled(toward, track))
                return true;
        return false;
    }
    bool enabled(unsigned toward, unsigned track) const override {
        unsigned bit = onyx_switch_bit[TRACKS * toward + track].enable;
        return (switch_words[bit / 32] >> (bit % 32) & 1) != 0;
    }
};
using PeTile = ComputeTile<Vonyx_tile_pe, ONYX_PE_SWITCH_FEATURE, ONYX_PE_TILE_EN>;
using MemTile = ComputeTile<Vonyx_tile_mem, ONYX_MEM_SWITCH_FEATURE, ONYX_MEM_TILE_EN>;

struct IoTile final : Tile {
    Vonyx_tile_io model;

    IoTile(VerilatedContext *context, unsigned tile_x) : model(context) {
        x = tile_x;
        stateful = true;
        bind(model);
        BIND_SIDE(SOUTH, south);
    }
    void evaluate() override { model.eval(); }
    void note(unsigned, unsigned, uint32_t) override {}
    bool drives(unsigned toward) const override { return toward == SOUTH; }
    bool enabled(unsigned toward, unsigned) const override { return toward == SOUTH; }
};

/* Rising edge under reset: puts registers into their reset values from any state. */
void power_up(Tile &t) {
    *t.reset_n = 1;
    t.evaluate();
    *t.reset_n = 0;
    t.evaluate();
    *t.reset_n = 1;
    t.evaluate();
}

class TileArray final : public ArrayPins {
    unsigned width, height, mem_period, mem_phase;
    VerilatedContext context;
    std::vector<std::unique_ptr<Tile>> sites; /* [y * width + x]; null: not configured */
    std::vector<IoTile *> io;                 /* [x]; null: not configured */
    std::vector<Tile *> order;                /* configured tiles, sources of routes first */
    bool order_known = false;
    uint64_t cycles = 0;

    bool is_mem(unsigned x) const { return x % mem_period == mem_phase; }
    bool inside(unsigned x, unsigned y) const { return x < width && y <= height; }
    Tile *at(unsigned x, unsigned y) const { return inside(x, y) ? sites[y * width + x].get() : nullptr; }

    Tile *build(unsigned x, unsigned y) {
        std::unique_ptr<Tile> &site = sites[y * width + x];
        if (y == 0) {
            site = std::make_unique<IoTile>(&context, x);
            io[x] = static_cast<IoTile *>(site.get());
        } else if (is_mem(x)) {
            site = std::make_unique<MemTile>(&context, x, y);
        } else {
            site = std::make_unique<PeTile>(&context, x, y);
        }
        Tile *t = site.get();
        power_up(*t);
        t->control.set_stall((stalled >> x & 1) != 0);
        connect(*t);
        t->dirty = true;
        order.push_back(t);
        order_known = false;
        return t;
    }

    /* A site without a tile takes everything (none of its sinks is enabled) and gives nothing; beyond the
     * edge of the array, and at an IO tile that is not configured, nothing is taken. */
    void connect(Tile &t) {
        for (unsigned s = 0; s < SIDES; s++) {
            if (t.side[s].in == nullptr)
                continue;
            unsigned nx = t.x + (s == EAST) - (s == WEST), ny = t.y + (s == SOUTH) - (s == NORTH);
            bool exists = inside(nx, ny);
            Tile *n = exists ? at(nx, ny) : nullptr;
            *t.side[s].ready_in = exists && ny > 0 ? ALL_TRACKS : 0;
            if (n == nullptr)
                continue;
            t.neighbour[s] = n;
            n->neighbour[OPPOSITE[s]] = &t;
            drive(*n, OPPOSITE[s]);
            drive(t, s);
        }
    }

    /* Copies the outputs of t on side s to its neighbour, and marks the neighbour after a change. */
    static void drive(Tile &t, unsigned s) {
        const Bundle &from = t.side[s];
        Tile &n = *t.neighbour[s];
        const Bundle &to = n.side[OPPOSITE[s]];
        if (std::memcmp(from.out, to.in, BUNDLE_WORDS * sizeof(EData)) != 0) {
            std::memcpy(to.in, from.out, BUNDLE_WORDS * sizeof(EData));
            n.dirty = true;
        }
        if (*from.ready_out != *to.ready_in) {
            *to.ready_in = *from.ready_out;
            n.dirty = true;
        }
    }
    static void drive_all(Tile &t) {
        for (unsigned s = 0; s < SIDES; s++)
            if (t.neighbour[s] != nullptr)
                drive(t, s);
    }

    /* Depth-first postorder over the configured routes, reversed: sources first wherever routes are acyclic.
     * O(tiles). */
    void visit(Tile *t, std::vector<char> &seen, std::vector<Tile *> &post) const {
        size_t index = static_cast<size_t>(t->y) * width + t->x;
        if (seen[index])
            return;
        seen[index] = 1;
        for (unsigned s = 0; s < SIDES; s++)
            if (t->neighbour[s] != nullptr && t->drives(s))
                visit(t->neighbour[s], seen, post);
        post.push_back(t);
    }
    void sort_tiles() {
        std::vector<char> seen(sites.size());
        std::vector<Tile *> post;
        for (const std::unique_ptr<Tile> &t : sites)
            if (t)
                visit(t.get(), seen, post);
        order.assign(post.rbegin(), post.rend());
        order_known = true;
    }

    bool sweep(bool forward) {
        bool any = false;
        for (size_t i = 0; i < order.size(); i++) {
            Tile &t = *order[forward ? i : order.size() - 1 - i];
            if (!t.dirty)
                continue;
            any = true;
            t.dirty = false;
            t.evaluate();
            drive_all(t);
        }
        return any;
    }
    bool settle() {
        size_t limit = 4 * order.size() + 8;
        for (size_t i = 0; i < limit; i++)
            if (!sweep(i % 2 == 1))
                return true;
        for (const Tile *t : order)
            if (t->dirty)
                failure = "the wires do not settle in cycle " + std::to_string(cycles) + " around tile x" +
                          std::to_string(t->x) + "y" + std::to_string(t->y) +
                          ": the configured routes close a combinational loop";
        return failure.empty();
    }

    void apply_port(unsigned x) {
        if (io[x] == nullptr)
            return;
        io[x]->model.glb2io_valid_i = ports[x].valid;
        io[x]->model.glb2io_data_i = ports[x].data;
        io[x]->model.io2glb_ready_i = ports[x].ready;
    }

    /* The tile addressed by a word on a bus, built on first use. */
    Tile *addressed(const Bus &b, bool far) {
        if (!b.write || !inside(b.x(), b.y()) || b.is_far() != far)
            return nullptr;
        Tile *t = at(b.x(), b.y());
        return t != nullptr ? t : build(b.x(), b.y());
    }
    static void put_word(Tile *t, const Bus &b) {
        if (t == nullptr)
            return;
        t->control.write(b.address, b.data);
    }

    void port_is_set(unsigned) override {} /* a step reads all ports */

  public:
    TileArray(unsigned w, unsigned h, unsigned period, unsigned phase)
        : width(w), height(h), mem_period(period), mem_phase(phase) {
        TileArray::reset();
    }
    ~TileArray() override { Verilated::threadContextp(&context); }

    /* (Models with public signals sign off at the thread's context, which may be another, deleted array's.)
     */
    void reset() override {
        Verilated::threadContextp(&context);
        clear_pins(width);
        order.clear();
        order_known = false;
        sites.clear();
        sites.resize(static_cast<size_t>(width) * (height + 1));
        io.assign(width, nullptr);
        cycles = 0;
    }
    void set_stall(uint32_t columns) override {
        stalled = columns;
        for (Tile *t : order) {
            bool now = (columns >> t->x & 1) != 0;
            t->dirty = t->dirty || now != t->control.stall();
            t->control.set_stall(now);
        }
    }
    bool to_array_ready(unsigned x) const override { return io[x] != nullptr && io[x]->model.glb2io_ready_o; }
    bool from_array_valid(unsigned x) const override {
        return io[x] != nullptr && io[x]->model.io2glb_valid_o;
    }
    uint16_t from_array_data(unsigned x) const override {
        return io[x] != nullptr ? io[x]->model.io2glb_data_o : uint16_t{0};
    }
    uint32_t config_read(uint32_t address) override;
    bool step() override;
};

bool TileArray::step() {
    if (!failure.empty())
        return false;
    Tile *target[2] = {addressed(bus, false), addressed(far_bus, true)};
    put_word(target[0], bus);
    put_word(target[1], far_bus);
    if (!order_known)
        sort_tiles();
    for (unsigned x = 0; x < width; x++)
        apply_port(x);
    if (!settle()) /* a changed stall or a new tile; else nothing is dirty */
        return false;

    for (Tile *t : order) {
        if (!t->stateful && t != target[0] && t != target[1])
            continue;
        t->control.set_flush(((t->y > ONYX_NEAR_ROWS ? far_bus.flush : bus.flush) >> (t->x / 4) & 1) != 0);
        *t->clock = 1;
        t->evaluate();
        *t->clock = 0;
        t->dirty = true; /* the falling edge, with the settled inputs */
    }
    const Bus *buses[2] = {&bus, &far_bus};
    for (unsigned i = 0; i < 2; i++) {
        if (target[i] == nullptr)
            continue;
        target[i]->control.idle();
        target[i]->note(buses[i]->feature(), buses[i]->reg(), buses[i]->data);
        order_known = false;
    }
    for (Tile *t : order)
        drive_all(*t);
    cycles++;
    end_of_step();
    return settle();
}

uint32_t TileArray::config_read(uint32_t address) {
    Tile *t = at(address >> 8 & 0xFF, address & 0xFF);
    if (t == nullptr)
        return 0;
    unsigned feature = address >> 16 & 0xFF;
    bool sram = t->y > 0 && is_mem(t->x) && (feature == 1 || feature == 2);
    bool stall = t->control.stall();
    t->control.read(address);
    if (sram) { /* an edge of this tile alone, its core and registers stopped */
        t->control.set_stall(true);
        *t->clock = 1;
        t->evaluate();
        *t->clock = 0;
    }
    t->evaluate();
    uint32_t result = *t->config_result;
    t->control.idle();
    t->control.set_stall(stall);
    t->evaluate();
    return result;
}

} // namespace

std::unique_ptr<ArrayPins> tile_array(unsigned width, unsigned height, unsigned mem_period,
                                      unsigned mem_phase) {
    return std::make_unique<TileArray>(width, height, mem_period, mem_phase);
}

} // namespace onyx
