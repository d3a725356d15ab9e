/* test_glb_tile.cpp - onyx_glb_tile alone: registers, processor port, load, store and configuration DMA. What
 * the streams must carry is computed here from loop extents and memory contents. */
#include "tests/rtl_glb/glb_tile.h"

namespace {

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
