/* test_glb_recorded.cpp - load and store DMA of onyx_glb_tile against recordings of the chip's netlist, cycle
 * by cycle. */
#include <fstream>
#include <sstream>
#include <string>

#include <cjson/cJSON.h>

#include "tests/rtl_glb/glb_tile.h"

namespace {

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
    const auto &bank1 =
        t.m.rootp->onyx_glb_tile__DOT__u_banks__DOT__g_bank__BRA__1__KET____DOT__u_bank__DOT__words;
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

} // namespace

int main() {
    const struct CMUnitTest tests[] = {cmocka_unit_test(recorded_stores_are_replayed),
                                       cmocka_unit_test(recorded_loads_are_replayed)};
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
