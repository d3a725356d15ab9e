#include "units_design.h"

#include <memory>

#include "Vonyx_dense_units.h"
#include "verilated.h"

struct units_design {
    VerilatedContext context;
    Vonyx_dense_units m{&context};
};

units_design *units_new(void) {
    auto u = std::make_unique<units_design>();
    units_reset(u.get());
    return u.release();
}

void units_free(units_design *u) {
    delete u;
}

void units_reset(units_design *u) {
    u->m.clk_i = 0;
    for (int level : {1, 0, 1}) {
        u->m.rst_ni = static_cast<CData>(level);
        u->m.eval();
    }
}

void units_configure(units_design *u, const uint32_t mem[UNITS_MEM_WORDS],
                     const uint32_t pond[UNITS_POND_WORDS]) {
    for (int i = 0; i < UNITS_MEM_WORDS; i++)
        u->m.mem_space_i[i] = mem[i];
    for (int i = 0; i < UNITS_POND_WORDS; i++)
        u->m.pond_space_i[i] = pond[i];
    u->m.mem_space_i[UNITS_MEM_WORDS - 1] &= 0x7ffff;      /* 1459 bits */
    u->m.pond_space_i[UNITS_POND_WORDS - 1] &= 0x3fffffff; /* 542 bits */
}

void units_instruct(units_design *u, const uint32_t pe[UNITS_PE_WORDS]) {
    for (int i = 0; i < UNITS_PE_WORDS; i++)
        u->m.pe_inst_i[i] = pe[i] >> 1 | (i + 1 < UNITS_PE_WORDS ? pe[i + 1] << 31 : 0);
    u->m.pe_inst_i[UNITS_PE_WORDS - 1] &= 0xfffff; /* 84 bits */
}

static uint32_t pair(const uint16_t words[2]) {
    return words[0] | static_cast<uint32_t>(words[1]) << 16;
}

units_out units_cycle(units_design *u, const units_in *in) {
    Vonyx_dense_units &m = u->m;
    units_out out = {};
    m.en_i = in->enable;
    m.flush_i = in->flush;
    m.data_i = pair(in->data);
    m.chain_i = pair(in->chain);
    m.pond_data_i = pair(in->pond);
    m.ren_i = in->read;
    m.wen_i = in->write;
    m.addr_i = in->address & 0x7ff;
    m.ram_data_i = in->word;
    m.pe_data_i = pair(in->operand) | static_cast<QData>(in->operand[2]) << 32;
    m.pe_bit_i =
        static_cast<CData>((in->operand[3] & 1) | (in->operand[4] & 1) << 1 | (in->operand[5] & 1) << 2);
    m.eval();
    for (int p = 0; p < 2; p++) {
        out.data[p] = static_cast<uint16_t>(m.data_o >> 16 * p);
        out.accessor[p] = m.accessor_o >> p & 1;
        out.pond_bit[p] = m.pond_bit_o >> p & 1;
    }
    out.valid = m.valid_o;
    out.pond = m.pond_data_o;
    out.word = m.ram_data_o;
    out.word_valid = m.ram_valid_o;
    out.ready = m.ram_ready_o;
    out.result = m.pe_data_o;
    out.result_bit = m.pe_bit_o;
    m.clk_i = 1;
    m.eval();
    m.clk_i = 0;
    m.eval();
    return out;
}

units_wires units_wire(units_design *u, const units_wiring *in) {
    Vonyx_dense_units &m = u->m;
    m.en_i = in->enable;
    m.switch_sel_i = in->select;
    m.switch_enable_i = in->on;
    m.switch_register_i = in->registered;
    m.arriving_i = in->arriving;
    m.core_i = in->core;
    m.box_enable_i = in->box;
    m.box_sel_i = in->box_select;
    m.inner_i = in->inner;
    m.eval();
    const units_wires out = {m.leaving_o, m.box_o != 0};
    m.clk_i = 1;
    m.eval();
    m.clk_i = 0;
    m.eval();
    return out;
}
