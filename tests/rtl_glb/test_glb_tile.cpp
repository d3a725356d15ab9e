/* test_glb_tile.cpp - onyx_glb_tile alone: registers, processor port, load, store and configuration DMA. What
 * the streams must carry is computed here from loop extents and memory contents. */
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "Vonyx_glb_tile.h"
#include "Vonyx_glb_tile___024root.h"
#include "verilated.h"

#include <cjson/cJSON.h>

#include "firmware/registers.h"
#include "tests/rtl_fabric/cmocka_cpp.h"

namespace {

struct Word {
    uint32_t address, data;
    bool operator==(const Word &o) const { return address == o.address && data == o.data; }
};

struct Tile {
    VerilatedContext context;
    Vonyx_glb_tile m{&context};
    int flushes = 0, ld_done = 0, st_done = 0, pc_done = 0; /* pulses */
    std::vector<uint16_t> even, odd;                        /* taken from the load */
    std::vector<Word> south, east;
    unsigned collisions = 0; /* all of collision_o so far */

    Tile() {
        for (int level : {1, 0, 1}) {
            m.rst_ni = static_cast<CData>(level);
            m.eval();
        }
    }
    /* A model with public memories signs off at the thread's context. */
    ~Tile() { Verilated::threadContextp(&context); }

    void step() {
        m.eval();
        if (m.even_valid_o && m.even_ready_i)
            even.push_back(m.even_data_o);
        if (m.odd_valid_o && m.odd_ready_i)
            odd.push_back(m.odd_data_o);
        bool was_ld_done = m.ld_done_o, was_st_done = m.st_done_o, was_pc_done = m.pc_done_o;
        m.clk_i = 1;
        m.eval();
        m.clk_i = 0;
        m.eval();
        flushes += m.flush_o;
        ld_done += m.ld_done_o && !was_ld_done;
        st_done += m.st_done_o && !was_st_done;
        pc_done += m.pc_done_o && !was_pc_done;
        collisions |= m.collision_o;
        if (m.cfg_south_valid_o)
            south.push_back({m.cfg_south_addr_o, m.cfg_south_data_o});
        if (m.cfg_east_valid_o)
            east.push_back({m.cfg_east_addr_o, m.cfg_east_data_o});
    }
    void set(uint32_t offset, uint32_t value) {
        m.reg_we_i = 1;
        m.reg_addr_i = static_cast<CData>(offset);
        m.reg_wdata_i = value;
        step();
        m.reg_we_i = 0;
    }
    uint32_t get(uint32_t offset) {
        m.reg_addr_i = static_cast<CData>(offset);
        m.eval();
        return m.reg_rdata_o;
    }
    void write(uint32_t address, uint64_t value, unsigned strobes) {
        m.proc_addr_i = address;
        m.proc_wdata_i = value;
        m.proc_strb_i = static_cast<CData>(strobes);
        m.proc_we_i = 1;
        step();
        m.proc_we_i = 0;
    }
    uint64_t read(uint32_t address) {
        m.proc_addr_i = address;
        m.proc_re_i = 1;
        step();
        m.proc_re_i = 0;
        return m.proc_rdata_o;
    }
    uint16_t read16(uint32_t address) {
        return static_cast<uint16_t>(read(address & ~7u) >> 8 * (address & 6));
    }
    /* A cycle of the start pulses: load, store, configuration. */
    void start(bool ld, bool st, bool pc) {
        m.ld_start_i = ld;
        m.st_start_i = st;
        m.pc_start_i = pc;
        step();
        m.ld_start_i = m.st_start_i = m.pc_start_i = 0;
    }
    /* Words 0, 1, 2.. times 3 + 7 from the byte address on. */
    void fill(uint32_t address, unsigned words) {
        for (unsigned i = 0; i < words; i++)
            write((address + 2 * i) & ~7u, uint64_t{value(i)} << 8 * ((address + 2 * i) & 6),
                  3u << ((address + 2 * i) & 6));
    }
    static uint16_t value(unsigned i) { return static_cast<uint16_t>(3 * i + 7); }
};

using Random = std::mt19937;

constexpr uint32_t LD_ON = DMA_ONCE << GLB_LD_CTRL_MODE_LSB | LD_READY_VALID << GLB_LD_CTRL_VALID_MODE_LSB;
constexpr uint32_t ST_ON = DMA_ONCE << GLB_ST_CTRL_MODE_LSB | ST_READY_VALID << GLB_ST_CTRL_VALID_MODE_LSB;

void setup_load(Tile &t, uint32_t column, uint32_t address,
                const std::vector<std::pair<uint32_t, int32_t>> &loops) {
    t.set(GLB_LD_CTRL, LD_ON | column << GLB_LD_CTRL_DATA_MUX_LSB);
    t.set(GLB_LD_DIM, static_cast<uint32_t>(loops.size()));
    t.set(GLB_LD_START_ADDR, address);
    for (unsigned i = 0; i < loops.size(); i++) {
        t.set(GLB_LD_RANGE + 12 * i, loops[i].first - 2);
        t.set(GLB_LD_STRIDE + 12 * i, static_cast<uint32_t>(loops[i].second));
    }
}

/* A store of `blocks` blocks with the firmware's settings, and stride 0 on request. */
void setup_store(Tile &t, uint32_t column, uint32_t address, uint32_t blocks, uint32_t stride = 2) {
    t.set(GLB_ST_CTRL, ST_ON | column << GLB_ST_CTRL_DATA_MUX_LSB);
    t.set(GLB_ST_NUM_BLOCKS, blocks);
    t.set(GLB_ST_START_ADDR, address);
    t.set(GLB_ST_DIM, 1);
    t.set(GLB_ST_RANGE, 65534);
    t.set(GLB_ST_STRIDE, stride);
}

/* Runs until the load is done; the sink is ready in `percent` of the cycles, the processor reads bank `busy`
 * (0, 1; -1 none) in half of them. */
void drain(Tile &t, unsigned percent, int busy, Random &random) {
    for (int i = 0; i < 20000 && t.ld_done == 0; i++) {
        t.m.even_ready_i = t.m.odd_ready_i = random() % 100 < percent;
        t.m.proc_re_i = busy >= 0 && random() % 2;
        t.m.proc_addr_i = busy > 0 ? 0x20000 : 0;
        t.step();
    }
    t.m.proc_re_i = 0;
    assert_int_equal(t.ld_done, 1);
    for (int i = 0; i < 10; i++)
        t.step();
    assert_int_equal(t.ld_done, 1);
}

void registers_hold_what_is_written(void **) {
    Tile t;
    for (uint32_t offset = 0; offset <= 0xF4; offset += 4)
        assert_int_equal(t.get(offset), 0);
    for (uint32_t offset = 0; offset <= 0xF4; offset += 4)
        t.set(offset, 0x9E3779B9u * (offset + 1));
    for (uint32_t offset = 0; offset <= 0xF4; offset += 4)
        assert_int_equal(t.get(offset), 0x9E3779B9u * (offset + 1));
    t.set(0xF8, 5);
    assert_int_equal(t.get(0xF8), 0);
}

void the_processor_writes_bytes(void **) {
    Tile t;
    for (uint32_t bank : {0u, 0x20000u}) {
        t.write(bank | 0x1FFF8, 0x1122334455667788u, 0xFF);
        t.write(bank | 0x1FFF8, 0xAABBCCDDEEFF0011u, 0x42);
        assert_true(t.read(bank | 0x1FFF8) == 0x11BB334455660088u);
    }
    t.write(0, 1, 0xFF);
    t.write(0x20000, 2, 0xFF);
    assert_true(t.read(0) == 1 && t.read(0x20000) == 2);
}

void a_load_sends_its_words(void **) {
    Random random(1);
    for (unsigned words : {1u, 2u, 3u, 64u, 500u})
        for (unsigned percent : {100u, 40u})
            for (int busy : {-1, 0, 1}) {
                Tile t;
                uint32_t start = words % 2 ? 0x102 : 0x20106;
                t.fill(start, words);
                if (words == 1)
                    setup_load(t, GLB_COLUMN_EVEN, start, {});
                else
                    setup_load(t, GLB_COLUMN_EVEN, start, {{words, 2}});
                t.start(true, false, false);
                drain(t, percent, busy, random);
                assert_int_equal(t.even.size(), words);
                assert_int_equal(t.odd.size(), 0);
                assert_int_equal(t.flushes, 1);
                for (unsigned i = 0; i < words; i++)
                    assert_int_equal(t.even[i], Tile::value(i));
            }
}

void a_load_sends_one_word_a_cycle(void **) {
    Tile t;
    Random random(2);
    setup_load(t, GLB_COLUMN_ODD, 0, {{1000, 2}});
    t.start(true, false, false);
    int cycles = 0;
    t.m.odd_ready_i = 1;
    for (; t.ld_done == 0 && cycles < 2000; cycles++)
        t.step();
    assert_int_equal(t.odd.size(), 1000);
    assert_in_range(cycles, 1000, 1010);
}

/* 5 rows of 4 words, 6 words apart, twice. */
void a_load_follows_strides(void **) {
    Random random(3);
    Tile t;
    t.fill(0, 40);
    setup_load(t, GLB_COLUMN_ODD, 4, {{4, 2}, {5, 12 - 6}, {2, -(4 * 12 + 6)}});
    t.start(true, false, false);
    drain(t, 70, 0, random);
    assert_int_equal(t.odd.size(), 40);
    for (unsigned i = 0; i < 40; i++)
        assert_int_equal(t.odd[i], Tile::value(2 + 6 * (i / 4 % 5) + i % 4));
}

void a_load_can_be_run_again(void **) {
    Random random(4);
    Tile t;
    t.fill(0, 30);
    setup_load(t, GLB_COLUMN_EVEN, 0, {{10, 2}});
    for (unsigned run = 0; run < 3; run++) {
        t.ld_done = 0;
        t.even.clear();
        t.set(GLB_LD_START_ADDR, 20 * run);
        t.start(true, false, false);
        drain(t, 60, -1, random);
        assert_int_equal(t.even.size(), 10);
        assert_int_equal(t.even[9], Tile::value(10 * run + 9));
    }
    assert_int_equal(t.flushes, 3);
}

void mode_and_flush_mode_count(void **) {
    Tile t;
    setup_load(t, GLB_COLUMN_EVEN, 0, {{10, 2}});
    t.m.even_ready_i = 1;
    t.set(GLB_LD_CTRL, LD_ON | GLB_COLUMN_EVEN << GLB_LD_CTRL_DATA_MUX_LSB | 1u << 4); /* flush inside */
    t.start(true, false, false);
    for (int i = 0; i < 40; i++)
        t.step();
    assert_int_equal(t.ld_done, 1);
    assert_int_equal(t.flushes, 0);
    t.set(GLB_LD_CTRL, GLB_COLUMN_EVEN << GLB_LD_CTRL_DATA_MUX_LSB); /* off */
    t.start(true, false, false);
    for (int i = 0; i < 40; i++)
        t.step();
    assert_int_equal(t.ld_done, 1);
    assert_int_equal(t.flushes, 0);
    assert_int_equal(t.even.size(), 10);
}

/* Sends words into the column in `percent` of the cycles; the processor reads the store's bank in half of the
 * cycles. */
size_t feed(Tile &t, bool odd, const std::vector<uint16_t> &words, unsigned percent, Random &random) {
    size_t at = 0;
    for (int i = 0; i < 20000 && t.st_done == 0; i++) {
        bool offer = at < words.size() && random() % 100 < percent;
        CData &valid = odd ? t.m.odd_valid_i : t.m.even_valid_i;
        SData &data = odd ? t.m.odd_data_i : t.m.even_data_i;
        valid = offer;
        data = offer ? words[at] : uint16_t{0xDEAD};
        t.m.proc_re_i = percent < 100 && random() % 2;
        t.m.proc_addr_i = 0x20000;
        t.m.eval();
        at += offer && (odd ? t.m.odd_ready_o : t.m.even_ready_o);
        t.step();
    }
    t.m.proc_re_i = t.m.odd_valid_i = t.m.even_valid_i = 0;
    return at;
}

void a_store_writes_blocks(void **) {
    Random random(5);
    const std::vector<std::vector<uint16_t>> cases = {
        {0}, {1, 9}, {3, 5, 6, 7}, {1, 2, 2, 8, 9}, {2, 8, 9, 0}, {4, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5}};
    for (const auto &words : cases)
        for (bool odd : {false, true})
            for (unsigned percent : {100u, 50u}) {
                unsigned blocks = 0;
                for (size_t i = 0; i < words.size(); i += 1u + words[i])
                    blocks++;
                Tile t;
                std::vector<uint16_t> sent = words;
                if (words.back() != 0)
                    sent.insert(sent.end(), 20, 0xBEEF); /* later words are not taken into memory */
                setup_store(t, odd ? GLB_COLUMN_ODD : GLB_COLUMN_EVEN, 0x20106, blocks);
                t.start(false, true, false);
                feed(t, odd, sent, percent, random);
                assert_int_equal(t.st_done, 1);
                for (unsigned i = 0; i < words.size(); i++)
                    assert_int_equal(t.read16(0x20106 + 2 * i), words[i]);
                assert_int_equal(t.read16(0x20106 + 2 * static_cast<uint32_t>(words.size())), 0);
                assert_int_equal(t.read16(0x20104), 0);
            }
}

/* A block of length 0 takes a cycle more: a word in this cycle is written, and is no length. */
void an_empty_block_swallows_the_length_behind_it(void **) {
    for (int gap : {0, 1, 2}) {
        Tile t;
        setup_store(t, GLB_COLUMN_EVEN, 0x20000, 2);
        t.start(false, true, false);
        for (uint16_t word : {0, 2, 8, 9}) {
            t.m.even_valid_i = 1;
            t.m.even_data_i = word;
            t.step();
            t.m.even_valid_i = 0;
            for (int i = 0; i < gap; i++)
                t.step();
        }
        for (int i = 0; i < 20; i++)
            t.step();
        assert_int_equal(t.st_done, gap != 0);
        for (uint32_t i = 0; gap && i < 4; i++)
            assert_int_equal(t.read16(0x20000 + 2 * i), i < 2 ? 2 * i : 6 + i);
    }
}

/* Registers after a reset: the loops do not advance, yet the store is done. */
void a_store_without_a_stride_loses_its_words(void **) {
    Random random(7);
    for (bool no_dim : {false, true}) {
        Tile t;
        setup_store(t, GLB_COLUMN_EVEN, 0x20000, 2, no_dim ? 2 : 0);
        if (no_dim)
            t.set(GLB_ST_DIM, 0);
        t.start(false, true, false);
        feed(t, false, {2, 10, 11, 3, 12, 13, 14}, 100, random);
        assert_int_equal(t.st_done, 1);
        assert_int_equal(t.read16(0x20000), 14);
        for (uint32_t i = 1; i < 10; i++)
            assert_int_equal(t.read16(0x20000 + 2 * i), 0);
    }
}

void a_start_while_the_store_runs_is_ignored(void **) {
    Random random(8);
    Tile t;
    setup_store(t, GLB_COLUMN_EVEN, 0x20000, 1);
    t.start(false, true, false);
    t.m.even_valid_i = 1;
    for (uint16_t word : {4, 1, 2}) {
        t.m.even_data_i = word;
        t.step();
    }
    t.m.even_valid_i = 0;
    t.set(GLB_ST_START_ADDR, 0x20100);
    t.start(false, true, false);
    feed(t, false, {3, 4}, 100, random);
    assert_int_equal(t.st_done, 1);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(t.read16(0x20000 + 2 * i), i ? i : 4);
    assert_int_equal(t.read16(0x20100), 0);
}

/* Recordings of the chip's reference netlist; null if absent. */
cJSON *recordings(const char *name) {
    std::ifstream file(std::string(ONYX_RECORDED_DIR "/vectors/glb/") + name);
    std::stringstream text;
    text << file.rdbuf();
    return file ? cJSON_Parse(text.str().c_str()) : nullptr;
}

uint32_t member(const cJSON *object, const char *name) {
    return static_cast<uint32_t>(cJSON_GetObjectItem(object, name)->valuedouble);
}

/* A cycle of a store, as seen before the clock edge: a written line has its strobes by byte. */
struct StoreCycle {
    bool start, valid, ready, writes, done;
    uint16_t data;
    uint32_t strobes, address;
    uint64_t line;
};

std::vector<StoreCycle> store_cycles(const cJSON *rows) {
    std::vector<StoreCycle> cycles;
    const cJSON *row;
    cJSON_ArrayForEach(row, rows) {
        auto at = [&](int i) { return static_cast<uint32_t>(cJSON_GetArrayItem(row, i)->valuedouble); };
        const char *line = cJSON_GetArrayItem(row, 7)->valuestring;
        cycles.push_back({at(0) != 0, at(1) != 0, at(3) != 0, at(4) != 0, at(8) != 0,
                          static_cast<uint16_t>(at(2)), at(5), at(6),
                          *line ? std::stoull(line, nullptr, 16) : 0});
    }
    return cycles;
}

/* First word's address of the store that starts in cycle `at`. */
uint32_t first_address(const std::vector<StoreCycle> &cycles, size_t at) {
    while (at < cycles.size() && !cycles[at].writes)
        at++;
    if (at == cycles.size())
        return 0x20000;
    uint32_t address = cycles[at].address & ~7u;
    while (!(cycles[at].strobes >> address % 8 & 1))
        address++;
    return address;
}

/* Room, words in memory and done, all in the recorded cycles. */
void replay_store(Tile &t, const std::vector<StoreCycle> &cycles) {
    std::vector<uint64_t> lines(0x100, 0);
    const auto &bank1 = t.m.rootp->onyx_glb_tile__DOT__u_banks__DOT__g_bank__BRA__1__KET____DOT__u_bank__DOT__words;
    auto in_memory = [&](size_t i) { return bank1[static_cast<int>(i)]; };
    t.set(GLB_ST_START_ADDR, first_address(cycles, 0));
    for (size_t i = 0; i < cycles.size(); i++) {
        const StoreCycle &c = cycles[i];
        t.m.st_start_i = c.start;
        t.m.even_valid_i = c.valid;
        t.m.even_data_i = c.data;
        t.m.reg_we_i = i > 0 && i + 1 < cycles.size() && cycles[i + 1].start;
        t.m.reg_addr_i = GLB_ST_START_ADDR;
        t.m.reg_wdata_i = first_address(cycles, i + 1);
        t.m.eval();
        assert_int_equal(t.m.even_ready_o, c.ready);
        assert_int_equal(t.m.st_done_o, c.done);
        t.step();
        for (unsigned b = 0; c.writes && b < 8; b++) {
            uint64_t byte = uint64_t{0xff} << 8 * b;
            if (c.strobes >> b & 1)
                lines[(c.address & 0x1fff8) / 8] &= ~byte, lines[(c.address & 0x1fff8) / 8] |= c.line & byte;
        }
        if (c.writes)
            assert_true(in_memory((c.address & 0x1fff8) / 8) == lines[(c.address & 0x1fff8) / 8]);
    }
    for (size_t i = 0; i < lines.size(); i++)
        assert_true(in_memory(i) == lines[i]);
}

void recorded_stores_are_replayed(void **) {
    cJSON *cases = recordings("store_dma.json");
    if (!cases)
        skip();
    const cJSON *one;
    cJSON_ArrayForEach(one, cases) {
        Tile t;
        setup_store(t, GLB_COLUMN_EVEN, 0, member(one, "num_blocks"), member(one, "stride_0"));
        replay_store(t, store_cycles(cJSON_GetObjectItem(one, "cycles")));
    }
    assert_int_equal(cJSON_GetArraySize(cases), 32);
    cJSON_Delete(cases);
}

/* Words, the flush and done, all in the recorded cycles. The word at byte address A is A / 2. */
void recorded_loads_are_replayed(void **) {
    cJSON *cases = recordings("load_dma.json");
    if (!cases)
        skip();
    const cJSON *one, *start, *row;
    cJSON_ArrayForEach(one, cases) {
        Tile t;
        for (uint32_t at = 0; at < 0x400; at += 8)
            t.write(at, 0x0003000200010000u + uint64_t{at / 2} * 0x0001000100010001u, 0xff);
        cJSON_ArrayForEach(start, cJSON_GetObjectItem(one, "starts")) {
            setup_load(t, GLB_COLUMN_EVEN, member(start, "start_addr"), {{member(start, "range_0") + 2, 2}});
            t.set(GLB_LD_DIM, member(start, "dim"));
            cJSON_ArrayForEach(row, cJSON_GetObjectItem(start, "cycles")) {
                auto at = [&](int i) { return static_cast<int>(cJSON_GetArrayItem(row, i)->valuedouble); };
                t.m.ld_start_i = at(0) != 0;
                t.m.even_ready_i = at(1) != 0;
                t.m.eval();
                assert_int_equal(t.m.even_valid_o, at(2));
                if (at(2))
                    assert_int_equal(t.m.even_data_o, at(3));
                assert_int_equal(t.m.flush_o, at(4));
                assert_int_equal(t.m.ld_done_o, at(5));
                t.step();
            }
        }
    }
    assert_int_equal(cJSON_GetArraySize(cases), 32);
    cJSON_Delete(cases);
}

/* Running or not, the store has room for three words, and takes the next offered word for a fourth; a start
 * drops all words except the word offered during the start. */
void an_idle_store_takes_three_words(void **) {
    Random random(9);
    for (bool odd : {false, true}) {
        Tile t;
        setup_store(t, odd ? GLB_COLUMN_ODD : GLB_COLUMN_EVEN, 0x20000, 1);
        unsigned taken = 0;
        for (uint16_t i = 0; i < 10; i++) {
            (odd ? t.m.odd_valid_i : t.m.even_valid_i) = 1;
            (odd ? t.m.odd_data_i : t.m.even_data_i) = i;
            t.m.eval();
            assert_false(odd ? t.m.even_ready_o : t.m.odd_ready_o);
            taken += odd ? t.m.odd_ready_o : t.m.even_ready_o;
            t.step();
        }
        assert_int_equal(taken, 3);
        t.m.odd_valid_i = t.m.even_valid_i = 0;
        for (int i = 0; i < 5; i++)
            t.step();
        t.start(false, true, false);
        feed(t, odd, {2, 77, 78}, 60, random);
        assert_int_equal(t.st_done, 1);
        for (uint32_t i = 0; i < 3; i++)
            assert_int_equal(t.read16(0x20000 + 2 * i), i ? 76 + i : 2);
    }
}

/* An unselected column neither gives nor gets words; modes other than ready-valid do not start.
 */
void what_is_not_set_does_not_run(void **) {
    for (uint32_t mode = 0; mode < 16; mode++) {
        Tile t;
        setup_store(t, 0, 0x20000, 1);
        setup_load(t, 0, 0, {{10, 2}});
        t.set(GLB_ST_CTRL, mode == 5 ? mode : mode | GLB_COLUMN_EVEN << GLB_ST_CTRL_DATA_MUX_LSB);
        t.set(GLB_LD_CTRL, mode == 9 ? mode : mode | GLB_COLUMN_EVEN << GLB_LD_CTRL_DATA_MUX_LSB);
        t.start(true, true, false);
        t.m.even_valid_i = t.m.odd_valid_i = t.m.even_ready_i = t.m.odd_ready_i = 1;
        for (int i = 0; i < 40; i++)
            t.step();
        assert_int_equal(t.st_done + t.ld_done, 0);
        assert_int_equal(t.even.size() + t.odd.size(), 0);
        assert_int_equal(t.read16(0x20000), 0);
    }
}

/* Chains to the next tile, and delays, are not modelled: an earlier program's settings must be cleared.
 */
void what_is_chained_or_delayed_does_not_run(void **) {
    constexpr struct {
        uint32_t offset;
        bool ld, st, pc; /* what starts all the same */
    } CASES[] = {{GLB_DATA_NET_CTRL, false, false, true}, {GLB_DATA_NET_LATENCY, false, false, true},
                 {GLB_PCFG_NET_CTRL, true, true, false},  {GLB_PCFG_NET_LATENCY, true, true, false},
                 {GLB_LD_CYCLE_START, false, true, true}, {GLB_ST_CYCLE_START, true, false, true}};
    for (const auto &c : CASES) {
        Tile t;
        setup_store(t, GLB_COLUMN_ODD, 0x20000, 1);
        setup_load(t, GLB_COLUMN_EVEN, 0, {{10, 2}});
        t.set(GLB_PCFG_CTRL, 1);
        t.set(GLB_PCFG_NUM_WORDS, 1);
        t.set(GLB_PCFG_START_ADDR, 0x400);
        t.set(c.offset, 1);
        t.start(true, true, true);
        t.m.odd_valid_i = t.m.even_ready_i = 1; /* a block of no words */
        for (int i = 0; i < 60; i++)
            t.step();
        assert_int_equal(t.ld_done > 0, c.ld);
        assert_int_equal(t.st_done > 0, c.st);
        assert_int_equal(t.pc_done > 0, c.pc);
    }
}

void load_and_store_run_together(void **) {
    Random random(6);
    Tile t;
    t.fill(0x20000, 100); /* both in bank 1 */
    setup_load(t, GLB_COLUMN_EVEN, 0x20000, {{100, 2}});
    setup_store(t, GLB_COLUMN_ODD, 0x21000, 1);
    t.start(true, true, false);
    std::vector<uint16_t> words = {99};
    for (uint16_t i = 0; i < 99; i++)
        words.push_back(i);
    t.m.even_ready_i = 1;
    feed(t, true, words, 80, random);
    drain(t, 90, 1, random);
    assert_int_equal(t.even.size(), 100);
    assert_int_equal(t.even[99], Tile::value(99));
    assert_int_equal(t.read16(0x21000 + 2 * 99), 98);
}

void configuration_goes_where_the_multiplexers_say(void **) {
    for (unsigned south : {0u, 1u, 2u})
        for (unsigned east : {0u, 1u, 2u}) {
            Tile t;
            std::vector<Word> own, west;
            for (uint32_t i = 0; i < 20; i++) {
                own.push_back({0x01000000u * i | 0x0203, i * 77});
                west.push_back({0xF0000000u + i, i * 99});
                t.write(0x400 + 8 * i, uint64_t{own[i].address} << 32 | own[i].data, 0xFF);
            }
            t.set(GLB_PCFG_CTRL, 1);
            t.set(GLB_PCFG_START_ADDR, 0x400);
            t.set(GLB_PCFG_NUM_WORDS, 20);
            t.set(GLB_PCFG_BROADCAST_MUX, south << 4 | east << 2);
            t.start(false, false, true);
            for (uint32_t i = 0; i < 60; i++) {
                t.m.cfg_west_valid_i = i % 3 == 0;
                t.m.cfg_west_addr_i = west[i / 3].address;
                t.m.cfg_west_data_i = west[i / 3].data;
                t.m.proc_re_i = i % 4 == 0; /* takes the bank away */
                t.step();
            }
            assert_int_equal(t.pc_done, 1);
            const std::vector<Word> nothing;
            assert_true(t.south == (south == 0 ? nothing : south == 1 ? own : west));
            assert_true(t.east == (east == 0 ? nothing : east == 1 ? own : west));
        }
}

void configuration_of_no_words_does_not_start(void **) {
    Tile t;
    t.set(GLB_PCFG_CTRL, 1);
    t.set(GLB_PCFG_BROADCAST_MUX, 1u << 4);
    t.start(false, false, true);
    for (int i = 0; i < 20; i++)
        t.step();
    assert_int_equal(t.pc_done, 0);
    assert_int_equal(t.south.size(), 0);
}

/* ---- two accesses to a bank in the same cycle ------------------------------------------------- */

enum Access : unsigned { PROC_WRITE = 1, PROC_READ = 2, STORE = 4, CONFIG = 8, LOAD = 16 };

/* The kinds of collision_o, told by who loses to whom. */
constexpr struct {
    Access lost, to;
    unsigned bit;
} KINDS[] = {{STORE, PROC_WRITE, 0}, {CONFIG, PROC_WRITE, 1}, {CONFIG, PROC_READ, 1},
             {CONFIG, STORE, 2},     {LOAD, PROC_WRITE, 3},   {LOAD, PROC_READ, 3},
             {LOAD, STORE, 4},       {LOAD, CONFIG, 5},       {PROC_READ, STORE, 6}};

constexpr unsigned ROUNDS = 60;

/* Those of `who` at work in every cycle, the DMAs on ROUNDS words from the start of their banks; bit n of
 * `banks` is the bank of access n. */
void all_at_once(Tile &t, unsigned who, unsigned banks) {
    auto start = [&](unsigned access) { return banks & access ? 0x20000u : 0u; };
    setup_store(t, GLB_COLUMN_ODD, start(STORE), 1);
    t.set(GLB_PCFG_CTRL, 1);
    t.set(GLB_PCFG_START_ADDR, start(CONFIG));
    t.set(GLB_PCFG_NUM_WORDS, ROUNDS);
    setup_load(t, GLB_COLUMN_EVEN, start(LOAD), {{ROUNDS, 2}});
    t.m.even_ready_i = 1;
    t.start(who & LOAD, who & STORE, who & CONFIG);
    t.m.odd_valid_i = (who & STORE) != 0;
    t.m.odd_data_i = ROUNDS - 1;
    for (unsigned i = 0; i < 10 * ROUNDS; i++) {
        bool proc = i < ROUNDS; /* afterwards the DMAs can continue */
        t.m.proc_we_i = proc && who & PROC_WRITE;
        t.m.proc_re_i = proc && who & PROC_READ;
        t.m.proc_strb_i = 0;
        t.m.proc_addr_i = start(PROC_WRITE | PROC_READ);
        t.step();
    }
    t.m.proc_we_i = t.m.proc_re_i = 0;
}

/* Every pair, in one bank and in two: exactly their bit, or none. The DMAs finish in either case. */
void a_pair_in_one_bank_collides(void **) {
    for (const auto &kind : KINDS)
        for (unsigned bank : {0u, 1u})
            for (bool same : {true, false}) {
                Tile t;
                unsigned lost = bank ? kind.lost : 0u, to = (bank == 1) == same ? kind.to : 0u;
                all_at_once(t, kind.lost | kind.to, lost | to);
                assert_int_equal(t.collisions, same ? 1u << (2 * kind.bit + bank) : 0u);
                unsigned who = kind.lost | kind.to;
                assert_int_equal(t.st_done, (who & STORE) != 0);
                assert_int_equal(t.pc_done, (who & CONFIG) != 0);
                assert_int_equal(t.ld_done, (who & LOAD) != 0);
            }
}

void one_alone_does_not_collide(void **) {
    for (unsigned who : {PROC_WRITE, PROC_READ, STORE, CONFIG, LOAD}) {
        Tile t;
        all_at_once(t, who, 0);
        assert_int_equal(t.collisions, 0);
    }
    Tile t;
    all_at_once(t, PROC_WRITE | STORE | CONFIG | LOAD, 0);
    assert_int_equal(t.collisions, 0x555); /* all in bank 0 but for the processor's read */
}

/* A read does not see the store's write of the same cycle: the read repeats the previous read's data.
 */
void the_processors_read_is_lost_to_a_store(void **) {
    Tile t;
    t.write(0, 0x1111, 0xFF);
    t.write(0x20000, 0x2222, 0xFF);
    assert_true(t.read(0) == 0x1111);
    setup_store(t, GLB_COLUMN_ODD, 0x20100, 1, 8); /* a line a word */
    t.start(false, true, false);
    t.m.odd_valid_i = 1;
    t.m.odd_data_i = 50;
    for (int i = 0; i < 10; i++)
        t.step();
    t.collisions = 0;
    assert_true(t.read(0x20000) == 0x1111);
    assert_int_equal(t.collisions, 1u << 13);
    assert_true(t.read(0) == 0x1111);
}

/* The line is gone, and the store is done all the same. */
void a_store_loses_its_line_to_the_processor(void **) {
    for (bool same : {true, false}) {
        Tile t;
        setup_store(t, GLB_COLUMN_EVEN, 0x20000, 1);
        t.start(false, true, false);
        for (int i = 0; i < 30; i++) {
            t.m.even_valid_i = i < 4;
            t.m.even_data_i = static_cast<SData>(i ? i : 3);
            t.m.proc_we_i = 1;
            t.m.proc_strb_i = 0;
            t.m.proc_addr_i = same ? 0x20000 : 0;
            t.step();
        }
        t.m.proc_we_i = 0;
        assert_int_equal(t.st_done, 1);
        assert_true(t.read(0x20000) == (same ? 0 : 0x0003000200010003u));
    }
}

void dmas_tell_which_bank_they_use(void **) {
    for (unsigned bank : {0u, 1u}) {
        Tile t;
        assert_int_equal(t.m.in_use_o, 0);
        t.set(GLB_ST_CTRL, ST_ON | GLB_COLUMN_ODD << GLB_ST_CTRL_DATA_MUX_LSB);
        t.set(GLB_ST_NUM_BLOCKS, 1);
        t.set(GLB_ST_START_ADDR, bank << 17);
        t.start(false, true, false);
        t.step();
        assert_int_equal(t.m.in_use_o, 1u << bank);
        t.set(GLB_PCFG_CTRL, 1);
        t.set(GLB_PCFG_START_ADDR, (1 - bank) << 17);
        t.set(GLB_PCFG_NUM_WORDS, 100);
        t.start(false, false, true);
        setup_load(t, GLB_COLUMN_EVEN, bank << 17, {{30, 2}});
        t.start(true, false, false);
        for (int i = 0; i < 4; i++)
            t.step();
        assert_int_equal(t.m.in_use_o, 1u << bank | 1u << (3 - bank) | 1u << (4 + bank));
        for (int i = 0; i < 200; i++) {
            t.m.even_ready_i = 1;
            t.step();
        }
        assert_int_equal(t.m.in_use_o, 1u << bank); /* no words came for the store */
    }
}

} // namespace

int main() {
    const struct CMUnitTest tests[] = {cmocka_unit_test(registers_hold_what_is_written),
                                       cmocka_unit_test(the_processor_writes_bytes),
                                       cmocka_unit_test(a_load_sends_its_words),
                                       cmocka_unit_test(a_load_sends_one_word_a_cycle),
                                       cmocka_unit_test(a_load_follows_strides),
                                       cmocka_unit_test(a_load_can_be_run_again),
                                       cmocka_unit_test(mode_and_flush_mode_count),
                                       cmocka_unit_test(a_store_writes_blocks),
                                       cmocka_unit_test(an_empty_block_swallows_the_length_behind_it),
                                       cmocka_unit_test(a_store_without_a_stride_loses_its_words),
                                       cmocka_unit_test(a_start_while_the_store_runs_is_ignored),
                                       cmocka_unit_test(recorded_stores_are_replayed),
                                       cmocka_unit_test(recorded_loads_are_replayed),
                                       cmocka_unit_test(an_idle_store_takes_three_words),
                                       cmocka_unit_test(what_is_not_set_does_not_run),
                                       cmocka_unit_test(what_is_chained_or_delayed_does_not_run),
                                       cmocka_unit_test(load_and_store_run_together),
                                       cmocka_unit_test(configuration_goes_where_the_multiplexers_say),
                                       cmocka_unit_test(configuration_of_no_words_does_not_start),
                                       cmocka_unit_test(a_pair_in_one_bank_collides),
                                       cmocka_unit_test(one_alone_does_not_collide),
                                       cmocka_unit_test(the_processors_read_is_lost_to_a_store),
                                       cmocka_unit_test(a_store_loses_its_line_to_the_processor),
                                       cmocka_unit_test(dmas_tell_which_bank_they_use)};
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
