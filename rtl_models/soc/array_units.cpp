/* array_units.cpp - see array_units.h. */
#include "rtl_models/soc/array_units.h"

#include <cstring>

#include "boards/onyx/fabric.h"

#include "Vonyx_unit_io.h"
#include "Vonyx_unit_io___024root.h"
#include "Vonyx_unit_mem.h"
#include "Vonyx_unit_mem___024root.h"
#include "Vonyx_unit_pe.h"
#include "Vonyx_unit_pe___024root.h"

namespace onyx {
namespace {

template <class Model> struct ModelUnit : Unit {
    Model model;

    ModelUnit(VerilatedContext *context, unsigned unit_x, unsigned unit_y) : model(context) {
        x = unit_x;
        y = unit_y;
        control.bind(model.control_i.data(), x, y);
        config_result = &model.cfg_rdata_o;
        in[0] = {&model.in0_i, &model.in0_ready_o};
        out[0] = {&model.out0_o, &model.out0_ready_i};
        for (int level : {1, 0, 1}) { /* puts registers into their reset values from any state */
            model.rst_ni = static_cast<CData>(level);
            model.eval();
        }
    }
    void evaluate() override { model.eval(); }
    void edge() override {
        model.clk_i = 1;
        model.eval();
        fall(model, 0);
    }
    void save(std::vector<char> &to) const override {
        const char *bytes = reinterpret_cast<const char *>(model.rootp);
        to.assign(bytes, bytes + sizeof *model.rootp);
    }
    bool equals(const std::vector<char> &saved_state) const override {
        return std::memcmp(model.rootp, saved_state.data(), sizeof *model.rootp) == 0;
    }
};

/* A field of a register of feature 0, from the macros of boards/onyx/fabric.h. */
struct Field {
    unsigned reg, mask;
    constexpr Field(unsigned r, unsigned lo, unsigned bits) : reg(r), mask(((1u << bits) - 1) << lo) {}
};
constexpr Field PE_OVERRIDES[Unit::INPUTS] = {
    {ONYX_PE_INPUT_WIDTH_17_NUM_0_VALID_REG_SEL},
    {ONYX_PE_INPUT_WIDTH_17_NUM_1_VALID_REG_SEL},
    {ONYX_PE_INPUT_WIDTH_17_NUM_2_VALID_REG_SEL},
    {ONYX_PE_INPUT_WIDTH_17_NUM_3_VALID_REG_SEL},
};
constexpr Field MEM_OVERRIDES[Unit::INPUTS] = {
    {ONYX_MEM_INPUT_WIDTH_17_NUM_0_VALID_REG_SEL},
    {ONYX_MEM_INPUT_WIDTH_17_NUM_1_VALID_REG_SEL},
    {ONYX_MEM_INPUT_WIDTH_17_NUM_2_VALID_REG_SEL},
    {ONYX_MEM_INPUT_WIDTH_17_NUM_3_VALID_REG_SEL},
};
constexpr Field IO_OVERRIDES[] = {{ONYX_IO_F2IO_17_VALID_REG_SEL}, {ONYX_IO_GLB2IO_17_VALID_REG_SEL}};

/* Whether a word written to `reg` of feature 0 overrides the valid of an input: all `fields` are in a single
 * register. */
template <size_t N> void note_overrides(Unit &u, const Field (&fields)[N], unsigned reg, uint32_t data) {
    uint32_t mask = 0;
    for (const Field &f : fields)
        mask |= f.mask;
    if (reg == fields[0].reg)
        u.overridden = (data & mask) != 0;
}

/* PE and MEM: equal except the overrides of the inputs' valids. */
template <class Model, bool MEM> struct CoreUnit final : ModelUnit<Model> {
    using ModelUnit<Model>::model;

    CoreUnit(VerilatedContext *context, unsigned unit_x, unsigned unit_y)
        : ModelUnit<Model>(context, unit_x, unit_y) {
        this->in[1] = {&model.in1_i, &model.in1_ready_o};
        this->in[2] = {&model.in2_i, &model.in2_ready_o};
        this->in[3] = {&model.in3_i, &model.in3_ready_o};
        this->out[1] = {&model.out1_o, &model.out1_ready_i};
        this->out[2] = {&model.out2_o, &model.out2_ready_i};
        this->period = MEM ? 4 : 1;
        this->memory = MEM;
    }
    const char *kind() const override { return MEM ? "MEM" : "PE"; }
    unsigned box_word(unsigned input) const override { return model.cb_o >> 6 * input & 0x3F; }
    bool switch_bit(unsigned bit) const override { return (model.sb17_o[bit / 32] >> bit % 32 & 1) != 0; }
    uint32_t hazards() const override {
        uint32_t raised_now = model.rootp->onyx_unit__DOT__u_core__DOT__g_monitors__DOT__hazard_q;
        return MEM ? raised_now << FIRST_MEM_HAZARD : raised_now;
    }
    void note(unsigned feature, unsigned reg, uint32_t data) override {
        if (feature == 0)
            note_overrides(*this, MEM ? MEM_OVERRIDES : PE_OVERRIDES, reg, data);
    }
};
using PeUnit = CoreUnit<Vonyx_unit_pe, false>;
using MemUnit = CoreUnit<Vonyx_unit_mem, true>;

struct IoUnit final : ModelUnit<Vonyx_unit_io> {
    IoUnit(VerilatedContext *context, unsigned unit_x) : ModelUnit(context, unit_x, 0) {}
    const char *kind() const override { return "IO"; }
    unsigned box_word(unsigned) const override { return 0; }
    bool switch_bit(unsigned) const override { return false; }
    void note(unsigned feature, unsigned reg, uint32_t data) override {
        if (feature == 0)
            note_overrides(*this, IO_OVERRIDES, reg, data);
    }
};

} // namespace

void Awake::rouse(Unit &u) {
    for (uint64_t missed = (cycles - u.known.slept_at) % u.period; missed > 0; missed--) {
        u.edge();
        evaluations++;
    }
    u.known.asleep = false;
    u.known.quiet = 0;
    units.push_back(&u);
}

bool Awake::may_sleep(Unit &u, bool outputs_changed) {
    if (outputs_changed || u.known.touched || u.overridden) {
        u.known.touched = false;
        u.known.quiet = 0;
        return false;
    }
    if (u.known.quiet++ % u.period != 0)
        return false;
    if (u.known.quiet == 1 || !u.equals(u.known.saved)) {
        u.save(u.known.saved);
        return false;
    }
    u.known.asleep = true;
    u.known.slept_at = cycles + 1;
    return true;
}

std::unique_ptr<Unit> make_unit(VerilatedContext *context, unsigned x, unsigned y, bool mem, IoPort *port) {
    if (y == 0) {
        auto unit = std::make_unique<IoUnit>(context, x);
        Vonyx_unit_io &m = unit->model;
        *port = {&m.glb2io_valid_i, &m.glb2io_ready_o, &m.io2glb_valid_o,
                 &m.io2glb_ready_i, &m.glb2io_data_i,  &m.io2glb_data_o};
        return unit;
    }
    if (mem)
        return std::make_unique<MemUnit>(context, x, y);
    return std::make_unique<PeUnit>(context, x, y);
}

} // namespace onyx
