/* test_glc.cpp - onyx_glc alone, through its AXI4-Lite port: registers, pulses, interrupts, the configuration
 * bus. */
#include <csignal>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "Vonyx_glc.h"
#include "verilated.h"

#include "firmware/registers.h"
#include "tests/rtl_fabric/cmocka_cpp.h"

namespace {

struct Controller {
    VerilatedContext context;
    Vonyx_glc m{&context};
    /* Active cycles of each signal. */
    int g2f = 0, f2g = 0, pc = 0, cfg_write = 0, cfg_read = 0, glb_write = 0, in_reset = 0;

    Controller() {
        for (int level : {1, 0, 1}) {
            m.rst_ni = static_cast<CData>(level);
            m.eval();
        }
    }
    void step() {
        m.eval();
        m.clk_i = 1;
        m.eval();
        m.clk_i = 0;
        m.eval();
        g2f += m.g2f_start_o != 0;
        f2g += m.f2g_start_o != 0;
        pc += m.pc_start_o != 0;
        cfg_write += m.cfg_write_o;
        cfg_read += m.cfg_read_o;
        glb_write += m.glb_reg_we_o;
        in_reset += !m.array_rst_no;
    }
    void steps(uint32_t n) {
        while (n-- > 0)
            step();
    }
    /* Cycles until the answer. */
    int write(uint32_t offset, uint32_t value) {
        int cycles = 0;
        m.awaddr_i = static_cast<SData>(offset);
        m.wdata_i = value;
        m.awvalid_i = m.wvalid_i = m.bready_i = 1;
        m.eval();
        assert_true(m.awready_o && m.wready_o);
        do {
            step();
            m.awvalid_i = m.wvalid_i = 0;
            assert_true(++cycles < 200);
        } while (!m.bvalid_o);
        step();
        m.bready_i = 0;
        return cycles;
    }
    uint32_t read(uint32_t offset) {
        int cycles = 0;
        m.araddr_i = static_cast<SData>(offset);
        m.arvalid_i = m.rready_i = 1;
        m.eval();
        assert_true(m.arready_o);
        do {
            step();
            m.arvalid_i = 0;
            assert_true(++cycles < 200);
        } while (!m.rvalid_o);
        uint32_t value = m.rdata_o;
        step();
        m.rready_i = 0;
        return value;
    }
    void done(uint32_t f2g_mask, uint32_t g2f_mask, uint32_t pc_mask) {
        m.f2g_done_i = static_cast<SData>(f2g_mask);
        m.g2f_done_i = static_cast<SData>(g2f_mask);
        m.pc_done_i = static_cast<SData>(pc_mask);
        step();
        m.f2g_done_i = m.g2f_done_i = m.pc_done_i = 0;
    }
};

enum class Access { READ_WRITE, READ_ONLY, CLEARS, PULSE };

struct Register {
    uint32_t offset;
    Access access;
    uint32_t reset, mask; /* mask: bits that keep a written value */
};
constexpr Access RW = Access::READ_WRITE, RO = Access::READ_ONLY, W1C = Access::CLEARS, WP = Access::PULSE;

/* Offsets, kinds and reset values from the register table; widths here. */
std::vector<Register> registers() {
    std::vector<Register> list;
#define REGISTER(block, name, offset, access, reset, doc)                                                    \
    if (std::string(#block) == "GLC")                                                                        \
        list.push_back({offset, access, reset, 0xFFFFFFFFu});
#define REGISTER_FIELD(block, reg, field, lsb, width, doc)
#include "firmware/registers.def"
#undef REGISTER
#undef REGISTER_FIELD
    for (Register &r : list) {
        if ((r.offset >= GLC_GLB_CLK_EN_MASTER && r.offset <= GLC_PCFG_BROADCAST_STALL) ||
            (r.offset >= GLC_F2G_IER && r.offset <= GLC_PCFG_IER))
            r.mask = 0xFFFF;
        if (r.offset == GLC_GLOBAL_IER)
            r.mask = 7;
    }
    return list;
}

void registers_reset_and_hold(void **) {
    Controller c;
    std::vector<Register> list = registers();
    assert_int_equal(list.size(), 22);
    for (const Register &r : list)
        assert_int_equal(c.read(r.offset), r.reset);
    for (const Register &r : list) {
        if (r.access != RW || r.offset == GLC_GLOBAL_RESET)
            continue;
        uint32_t value = 0x5A3C96E1u * (r.offset + 5);
        c.write(r.offset, value);
        assert_int_equal(c.read(r.offset), value & r.mask);
    }
    assert_int_equal(c.m.stall_o, c.read(GLC_CGRA_STALL));
    assert_int_equal(c.m.flush_crossbar_o, c.read(GLC_FLUSH_CROSSBAR));
    assert_int_equal(c.read(0x58), 0);
}

void starts_are_single_pulses(void **) {
    Controller c;
    c.write(GLC_STREAM_START, 0x80010002u);
    assert_int_equal(c.g2f, 1);
    assert_int_equal(c.f2g, 1);
    c.write(GLC_STREAM_START, 0x00000004u);
    assert_int_equal(c.g2f, 2);
    assert_int_equal(c.f2g, 1);
    c.write(GLC_PC_START, 1);
    assert_int_equal(c.pc, 1);
    assert_int_equal(c.read(GLC_STREAM_START), 0);
    assert_int_equal(c.read(GLC_PC_START), 0);
}

void interrupts_are_masked_and_cleared(void **) {
    const uint32_t isr[] = {GLC_F2G_ISR, GLC_G2F_ISR, GLC_PCFG_ISR},
                   ier[] = {GLC_F2G_IER, GLC_G2F_IER, GLC_PCFG_IER};
    for (unsigned kind = 0; kind < 3; kind++) {
        Controller c;
        c.done(kind == 0 ? 0x8003 : 0, kind == 1 ? 0x8003 : 0, kind == 2 ? 0x8003 : 0);
        assert_int_equal(c.read(isr[kind]), 0); /* not enabled */
        assert_int_equal(c.read(GLC_GLOBAL_ISR), 0);
        c.write(ier[kind], 0x8001);
        assert_int_equal(c.read(isr[kind]), 0x8001);
        assert_int_equal(c.read(GLC_GLOBAL_ISR), 1u << kind);
        assert_false(c.m.irq_o);
        c.write(GLC_GLOBAL_IER, 7u & ~(1u << kind));
        assert_false(c.m.irq_o);
        c.write(GLC_GLOBAL_IER, 1u << kind);
        assert_true(c.m.irq_o);
        c.write(isr[kind], 0x8000);
        assert_int_equal(c.read(isr[kind]), 1);
        assert_true(c.m.irq_o);
        c.write(isr[kind], 1);
        assert_false(c.m.irq_o);
        c.write(ier[kind], 0xFFFF);
        assert_int_equal(c.read(isr[kind]), 2);
    }
}

void a_pulse_at_the_clearing_write_is_kept(void **) {
    Controller c;
    c.write(GLC_F2G_IER, 0xFFFF);
    c.m.f2g_done_i = 4; /* in every cycle of the write */
    c.write(GLC_F2G_ISR, 0xFFFF);
    c.m.f2g_done_i = 0;
    assert_int_equal(c.read(GLC_F2G_ISR), 4);
}

/* The strobe continues after the write's answer, and the read value is the value in the strobe's last
 * cycle. */
void configuration_is_strobed_for_its_cycles(void **) {
    for (uint32_t n : {1u, 2u, 32u}) {
        Controller c;
        c.write(GLC_CFG_ADDRESS, 0x12345678);
        c.write(GLC_CFG_DATA, 0x9ABCDEF0);
        assert_in_range(c.write(GLC_CFG_WRITE, n), 1, 4);
        c.steps(n);
        assert_int_equal(c.cfg_write, n);
        assert_int_equal(c.cfg_read, 0);
        assert_int_equal(c.m.cfg_addr_o, 0x12345678);
        assert_int_equal(c.m.cfg_data_o, 0x9ABCDEF0);
        assert_in_range(c.write(GLC_CFG_READ, n), 1, 4);
        while (c.m.cfg_read_o) {
            c.m.cfg_rdata_i = 0x600D0000 + static_cast<uint32_t>(c.cfg_read);
            c.step();
        }
        c.m.cfg_rdata_i = 0xBAD;
        assert_int_equal(c.cfg_read, n);
        assert_int_equal(c.cfg_write, n);
        if (n > 2) /* a shorter strobe is over when the write is answered */
            assert_int_equal(c.read(GLC_CFG_READ_DATA), 0x600D0000 + n);
    }
    Controller c;
    c.write(GLC_CFG_WRITE, 0);
    assert_int_equal(c.cfg_write, 0);
}

/* A program that does not wait for the end of the strobe changes the address in its middle, and reads an old
 * value. */
void a_strobe_does_not_wait(void **) {
    Controller c;
    c.write(GLC_CFG_ADDRESS, 0x11);
    c.write(GLC_CFG_WRITE, 32);
    c.write(GLC_CFG_ADDRESS, 0x22);
    assert_true(c.m.cfg_write_o);
    assert_int_equal(c.m.cfg_addr_o, 0x22);
    c.steps(32);
    c.m.cfg_rdata_i = 0x01D;
    c.write(GLC_CFG_READ, 32);
    assert_int_equal(c.read(GLC_CFG_READ_DATA), 0x01D);
    c.m.cfg_rdata_i = 0x600D;
    c.steps(32);
    assert_int_equal(c.read(GLC_CFG_READ_DATA), 0x600D);
}

void reset_is_held_for_its_cycles(void **) {
    Controller c;
    c.write(GLC_GLOBAL_RESET, 17);
    for (int i = 0; i < 30; i++)
        c.step();
    assert_int_equal(c.in_reset, 17);
}

void buffer_registers_are_reached(void **) {
    Controller c;
    int cycles = c.write(0x1000 + 0x100 * 13 + 0x84, 0xCAFE);
    assert_in_range(cycles, 26, 30);
    assert_int_equal(c.glb_write, 1);
    assert_int_equal(c.m.glb_reg_addr_o, 0xD84);
    assert_int_equal(c.m.glb_reg_wdata_o, 0xCAFE);
    c.m.glb_reg_rdata_i = 0xF00D;
    assert_int_equal(c.read(0x1000), 0xF00D);
    assert_int_equal(c.glb_write, 1);
    assert_int_equal(c.read(GLC_TEST), 0);
}

/* A broken contract of a module ends the program with the contract's message. */
void a_broken_contract_ends_the_program(void **) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        signal(SIGABRT, SIG_DFL);
        Controller c;
        c.write(GLC_CFG_WRITE, 32);
        c.write(GLC_CFG_READ, 32);
        c.steps(4);
        _exit(0);
    }
    close(ends[1]);
    std::string said;
    char byte;
    while (read(ends[0], &byte, 1) == 1)
        said += byte;
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_true(said.find("a program writes or reads the configuration bus") != std::string::npos);
}

} // namespace

int main() {
    const struct CMUnitTest tests[] = {cmocka_unit_test(registers_reset_and_hold),
                                       cmocka_unit_test(starts_are_single_pulses),
                                       cmocka_unit_test(interrupts_are_masked_and_cleared),
                                       cmocka_unit_test(a_pulse_at_the_clearing_write_is_kept),
                                       cmocka_unit_test(configuration_is_strobed_for_its_cycles),
                                       cmocka_unit_test(a_strobe_does_not_wait),
                                       cmocka_unit_test(reset_is_held_for_its_cycles),
                                       cmocka_unit_test(buffer_registers_are_reached),
                                       cmocka_unit_test(a_broken_contract_ends_the_program)};
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
