/* test_chip.cpp - onyx_chip, the whole chip in SystemVerilog, beside the chip of the co-simulation: the
 * recorded program of three images, and random accesses; the same answers, interrupts and cycles after each.
 */
#include <array>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>

#include "Vonyx_chip_small.h"
#include "verilated.h"
#include "verilated_sym_props.h"

#include "firmware/registers.h"
#include "rtl_models/soc/soc.h"
#include "tests/cosim/recorded_switch.h"

namespace {

using onyx::Soc;
constexpr unsigned COLUMNS = 4, ROWS = 3, TILES = COLUMNS / 2, BANK_BYTES = Soc::TILE_BYTES / 2;

/* The chip at its pins. Between steps the clock is high. */
class Top {
  public:
    Top() {
        for (unsigned b = 0; b < 2 * TILES; b++) {
            const std::string scope = "TOP.onyx_chip.u_periphery.g_tile[" + std::to_string(b / 2) +
                                      "].u_tile.u_banks.g_bank[" + std::to_string(b % 2) + "].u_bank";
            banks_[b] = static_cast<QData *>(context_.scopeFind(scope.c_str())->varFind("words")->datap());
        }
        reset();
    }
    ~Top() { Verilated::threadContextp(&context_); }
    void reset() {
        for (int level : {1, 0, 1}) {
            m_.rst_ni = static_cast<CData>(level);
            m_.eval();
        }
    }
    void step() {
        for (int level : {0, 1}) {
            m_.clk_i = static_cast<CData>(level);
            m_.eval();
        }
        cycles_++;
    }
    void write_register(uint32_t offset, uint32_t value) {
        m_.awaddr_i = static_cast<SData>(offset);
        m_.wdata_i = value;
        m_.awvalid_i = m_.wvalid_i = m_.bready_i = 1;
        m_.eval();
        while (!m_.awready_o || !m_.wready_o)
            step();
        step();
        m_.awvalid_i = m_.wvalid_i = 0;
        while (!m_.bvalid_o)
            step();
        step();
        m_.bready_i = 0;
    }
    uint32_t read_register(uint32_t offset) {
        m_.araddr_i = static_cast<SData>(offset);
        m_.arvalid_i = m_.rready_i = 1;
        m_.eval();
        while (!m_.arready_o)
            step();
        step();
        m_.arvalid_i = 0;
        while (!m_.rvalid_o)
            step();
        const uint32_t value = m_.rdata_o;
        step();
        m_.rready_i = 0;
        return value;
    }
    /* A burst of one beat, in three cycles: the second has the buffer's access. */
    void write_buffer(uint32_t address, unsigned bytes, uint64_t value) {
        m_.mem_awaddr_i = address;
        m_.mem_awsize_i = 3;
        m_.mem_awburst_i = 1;
        m_.mem_awvalid_i = 1;
        step();
        m_.mem_awvalid_i = 0;
        m_.mem_wstrb_i = static_cast<CData>(((1u << bytes) - 1) << address % 8);
        m_.mem_wdata_i = value << 8 * (address % 8);
        m_.mem_wvalid_i = m_.mem_wlast_i = m_.mem_bready_i = 1;
        step();
        m_.mem_wvalid_i = 0;
        assert_true(m_.mem_bvalid_o);
        step();
        m_.mem_bready_i = 0;
    }
    uint64_t read_buffer(uint32_t address, unsigned bytes) {
        m_.mem_araddr_i = address;
        m_.mem_arsize_i = 3;
        m_.mem_arvalid_i = m_.mem_rready_i = 1;
        step();
        m_.mem_arvalid_i = 0;
        step();
        assert_true(m_.mem_rvalid_o && m_.mem_rlast_o);
        const uint64_t value = m_.mem_rdata_o >> 8 * (address % 8);
        step();
        m_.mem_rready_i = 0;
        return bytes >= 8 ? value : value & ((1ull << 8 * bytes) - 1);
    }
    void load(uint32_t address, const uint8_t *from, size_t bytes) {
        for (size_t i = 0; i < bytes; i++, address++) {
            QData &word = word_at(address);
            word = (word & ~(QData{0xFF} << 8 * (address % 8))) | QData{from[i]} << 8 * (address % 8);
        }
    }
    void dump(uint32_t address, uint8_t *to, size_t bytes) {
        for (size_t i = 0; i < bytes; i++, address++)
            to[i] = static_cast<uint8_t>(word_at(address) >> 8 * (address % 8));
    }
    bool interrupt() const { return m_.irq_o; }
    uint64_t cycles() const { return cycles_; }

  private:
    QData &word_at(uint32_t address) { return banks_[address / BANK_BYTES][address % BANK_BYTES / 8]; }
    VerilatedContext context_;
    Vonyx_chip_small m_{&context_};
    std::array<QData *, 2 * TILES> banks_;
    uint64_t cycles_ = 0;
};

/* Both chips: every access goes to both, and both must show the same. */
class Both {
  public:
    void reset() {
        top_->reset();
        soc_.reset();
        compare();
    }
    void step() {
        top_->step();
        soc_.step();
        compare();
    }
    void write_register(uint32_t offset, uint32_t value) {
        top_->write_register(offset, value);
        soc_.write_register(offset, value);
        compare();
    }
    uint32_t read_register(uint32_t offset) {
        const uint32_t value = soc_.read_register(offset);
        assert_int_equal(top_->read_register(offset), value);
        compare();
        return value;
    }
    void write_buffer(uint32_t address, unsigned bytes, uint64_t value) {
        top_->write_buffer(address, bytes, value);
        soc_.step(); /* the burst's address; its answer is the last cycle */
        soc_.write_buffer(address, bytes, value);
        soc_.step();
        compare();
    }
    uint64_t read_buffer(uint32_t address, unsigned bytes) {
        soc_.step();
        const uint64_t value = soc_.read_buffer(address, bytes);
        assert_int_equal(top_->read_buffer(address, bytes), value);
        compare();
        return value;
    }
    void load(uint32_t address, const uint8_t *from, size_t bytes) {
        top_->load(address, from, bytes);
        soc_.load(address, from, bytes);
    }
    void dump(uint32_t address, uint8_t *to, size_t bytes) {
        std::vector<uint8_t> of_top(bytes);
        top_->dump(address, of_top.data(), bytes);
        soc_.dump(address, to, bytes);
        assert_memory_equal(of_top.data(), to, bytes);
    }
    uint64_t cycles() const { return soc_.cycles(); }
    bool in_reset() const { return soc_.buffer_in_reset(); }
    uint64_t runs() const { return soc_.runs(); }
    uint64_t progress() const { return soc_.progress(); }
    std::string describe_stuck() const { return soc_.describe_stuck(); }

  private:
    void compare() const {
        assert_int_equal(top_->interrupt(), soc_.interrupt());
        assert_int_equal(top_->cycles(), soc_.cycles());
    }
    std::unique_ptr<Top> top_ = std::make_unique<Top>();
    Soc soc_{COLUMNS, ROWS, 4, 3};
};

void three_images_run_as_recorded(void **) {
    auto t = std::make_unique<Trace<Both>>();
    assert_true(t->play("global_reset_trace_repaired.txt"));
    assert_true(t->hangs.empty());
    assert_int_equal(t->chip.runs(), 3);
}

void without_registers_the_second_image_hangs(void **) {
    auto t = std::make_unique<Trace<Both>>();
    assert_true(t->play("global_reset_trace.txt"));
    assert_string_equal(t->hangs.c_str(), "R 38 1 5135");
}

/* ---- random accesses --------------------------------------------------------------------------- */

using Random = std::mt19937;

struct Player {
    Both chip;
    Random random;
    explicit Player(unsigned seed) : random(seed) {}
    uint32_t below(uint32_t n) { return random() % n; }
    bool chance(uint32_t n) { return below(n) == 0; }
    void glc(uint32_t offset, uint32_t value) { chip.write_register(offset, value); }
    void glb(uint32_t offset, uint32_t value) {
        glc(Soc::GLB_REGISTERS + below(TILES) * GLB_TILE_STRIDE + offset, value);
    }
    void steps(unsigned n) {
        while (n-- > 0)
            chip.step();
    }
    /* A word of the buffer, mostly in the banks' first KB, where the streams are. */
    uint32_t address() {
        return below(2 * TILES) * BANK_BYTES + (chance(8) ? below(BANK_BYTES) : below(1024));
    }

    /* IO tiles with all their overrides, and the first registers of cores. */
    void configure() {
        const bool io = !chance(3);
        glc(GLC_CFG_ADDRESS, below(COLUMNS) << 8 | (io ? 0 : 1 + below(ROWS) | below(3) << 24));
        glc(GLC_CFG_DATA, io ? random() | 1u << 23 : random());
        glc(GLC_CFG_WRITE, 1 + below(32));
        steps(32);
    }
    void read_back() {
        glc(GLC_CFG_ADDRESS, below(COLUMNS) << 8 | below(ROWS + 1) | below(2) << 24);
        glc(GLC_CFG_READ, 130);
        steps(140);
        chip.read_register(GLC_CFG_READ_DATA);
    }
    void set_load() {
        glb(GLB_LD_CTRL, 9u | (1 + below(2)) << GLB_LD_CTRL_DATA_MUX_LSB | below(2) << 4);
        glb(GLB_LD_DIM, below(3));
        glb(GLB_LD_START_ADDR, below(2) * BANK_BYTES + 2 * below(200));
        glb(GLB_LD_RANGE, below(40));
        glb(GLB_LD_STRIDE, 2);
        glb(GLB_LD_RANGE + 12, below(3));
        glb(GLB_LD_STRIDE + 12, 2 * below(6));
    }
    void set_store() {
        glb(GLB_ST_CTRL, 5u | (1 + below(2)) << GLB_ST_CTRL_DATA_MUX_LSB);
        glb(GLB_ST_NUM_BLOCKS, 1 + below(3));
        glb(GLB_ST_START_ADDR, below(2) * BANK_BYTES + 2 * below(200));
        glb(GLB_ST_DIM, 1);
        glb(GLB_ST_RANGE, 65534);
        glb(GLB_ST_STRIDE, 2);
    }
    /* Words of a bitstream in the buffer, for any of the columns; both multiplexers at random. */
    void set_configuration() {
        const uint32_t start = below(2) * BANK_BYTES + 8 * below(100), words = below(20);
        const uint32_t tile = below(TILES);
        for (uint32_t i = 0; i < words && !chip.in_reset(); i++)
            chip.write_buffer(tile * Soc::TILE_BYTES + start + 8 * i, 8,
                              uint64_t{below(COLUMNS) << 8} << 32 | random());
        const uint32_t registers = Soc::GLB_REGISTERS + tile * GLB_TILE_STRIDE;
        glc(registers + GLB_PCFG_CTRL, 1);
        glc(registers + GLB_PCFG_START_ADDR, start);
        glc(registers + GLB_PCFG_NUM_WORDS, words);
        for (uint32_t t = 0; t < TILES; t++)
            glc(Soc::GLB_REGISTERS + t * GLB_TILE_STRIDE + GLB_PCFG_BROADCAST_MUX, random() & 0x3F);
    }
    void set_controller() {
        static const uint32_t any[] = {GLC_TEST,       GLC_GLB_CLK_EN_MASTER, GLC_GLB_CLK_EN_BANK,
                                       GLC_F2G_IER,    GLC_G2F_IER,           GLC_PCFG_IER,
                                       GLC_GLOBAL_IER, GLC_FLUSH_CROSSBAR};
        const uint32_t offset = any[below(8)];
        glc(offset, offset == GLC_FLUSH_CROSSBAR ? below(TILES + 2) : random());
    }
    void look() {
        static const uint32_t any[] = {GLC_F2G_ISR, GLC_G2F_ISR, GLC_PCFG_ISR, GLC_GLOBAL_ISR,
                                       GLC_GLOBAL_RESET};
        const uint32_t offset = any[below(5)], value = chip.read_register(offset);
        if (chance(2) && offset <= GLC_PCFG_ISR && offset >= GLC_F2G_ISR)
            glc(offset, value);
        chip.read_register(Soc::GLB_REGISTERS + below(TILES) * GLB_TILE_STRIDE + 4 * below(62));
    }
    void access() {
        if (chip.in_reset())
            return; /* no answer on the chip */
        if (chance(2))
            chip.write_buffer(address() & ~7u, 8, uint64_t{random()} << 32 | random());
        else
            chip.read_buffer(address() & ~7u, 8);
    }
    void act() {
        switch (below(12)) {
        case 0:
            return configure();
        case 1:
            return set_load();
        case 2:
            return set_store();
        case 3:
            return set_configuration();
        case 4:
            return set_controller();
        case 5:
            return look();
        case 6:
            return access();
        case 7:
            return glc(GLC_STREAM_START, below(1u << TILES) | below(1u << TILES) << 16);
        case 8:
            return glc(GLC_PC_START, below(1u << TILES));
        case 9:
            return steps(below(60));
        case 10:
            return chance(8) ? glc(GLC_GLOBAL_RESET, below(40))
                             : glc(GLC_CGRA_STALL, chance(2) ? 0 : random());
        default:
            return chance(4) ? read_back() : access();
        }
    }
};

void random_accesses_are_answered_alike(void **) {
    uint64_t moved = 0;
    const char *outside = std::getenv("ONYX_SEED");
    for (unsigned seed :
         {1u, outside != nullptr ? static_cast<unsigned>(std::strtoul(outside, nullptr, 0)) : 2u}) {
        auto p = std::make_unique<Player>(seed);
        for (int i = 0; i < 300; i++)
            p->act();
        std::vector<uint8_t> words(2048);
        for (unsigned bank = 0; bank < 2 * TILES; bank++)
            p->chip.dump(bank * BANK_BYTES, words.data(), words.size());
        moved += p->chip.progress();
    }
    assert_true(moved > 1000);
}

} // namespace

int main() {
    const struct CMUnitTest tests[] = {cmocka_unit_test(three_images_run_as_recorded),
                                       cmocka_unit_test(without_registers_the_second_image_hangs),
                                       cmocka_unit_test(random_accesses_are_answered_alike)};
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
