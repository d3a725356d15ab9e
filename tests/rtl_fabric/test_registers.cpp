/* test_registers.cpp - every register of the chip's map exists in every kind of tile, keeps exactly its bits,
 * and is reached through the array's bus; rows above 8 a cycle later. */
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "rtl_models/soc/array_glue.h"

#include "cmocka_cpp.h"

/* (register << 24 | feature << 16) -> mask, per kind of tile. */
using Masks = std::map<std::string, std::map<uint32_t, uint32_t>>;

static Masks read_map() {
    Masks masks;
    std::ifstream in(std::string(ONYX_SHARED_DIR) + "/reference/onyx_regmap.csv");
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line)) {
        for (char &c : line)
            if (c == ',')
                c = ' ';
        std::istringstream row(line);
        std::string tile, field;
        uint32_t feature, reg, low, high;
        row >> tile >> feature >> reg >> low >> high >> field;
        uint32_t bits = static_cast<uint32_t>((uint64_t{2} << high) - (uint64_t{1} << low));
        if (field == "ps_en")
            bits = 0; /* always reads 0 */
        masks[tile][reg << 24 | feature << 16] |= bits;
    }
    return masks;
}

static void registers_keep_their_bits(void **) {
    Masks masks = read_map();
    if (masks.empty()) {
        print_message("no register map in %s: skipped\n", ONYX_SHARED_DIR);
        skip();
    }
    const struct {
        const char *kind;
        uint32_t site;
    } sites[] = {{"IO", 0x0500}, {"PE", 0x0001},  {"PE", 0x1e08}, {"PE", 0x0509},
                 {"PE", 0x1e10}, {"MEM", 0x0301}, {"MEM", 0x1f10}};
    onyx::Array array;
    array.set_stall(0xFFFFFFFFu);
    std::mt19937 random(1);
    for (int round = 0; round < 3; round++) {
        std::map<uint32_t, uint32_t> expected;
        unsigned registers = 0;
        for (const auto &s : sites)
            for (const auto &reg : masks.at(s.kind)) {
                uint32_t data = round == 0 ? 0xFFFFFFFFu : static_cast<uint32_t>(random());
                expected[reg.first | s.site] = data & reg.second;
                array.config_write(reg.first | s.site, data);
                assert_true(array.step());
                registers++;
            }
        assert_true(array.step());
        for (const auto &word : expected)
            assert_int_equal(array.config_read(word.first), word.second);
        assert_int_equal(registers, 2 + 4 * 45 + 2 * 67);
    }
    for (const auto &s : sites) { /* addresses outside the map hold nothing */
        assert_int_equal(array.config_read(0x00100000 | s.site), 0);
        assert_int_equal(array.config_read(0x40000000 | s.site), 0);
    }
    assert_int_equal(array.tiles(), 7);
    array.reset();
    assert_int_equal(array.tiles(), 0);
    assert_int_equal(array.config_read(0x00000001), 0);
}

static void rows_above_8_are_a_cycle_later(void **) {
    onyx::Array array;
    const uint32_t near_site = 0x0208, far_site = 0x0209;
    array.config_write(near_site, 0x11);
    assert_true(array.step());
    assert_int_equal(array.config_read(near_site), 0x11);
    array.config_write(far_site, 0x22);
    assert_true(array.step());
    assert_int_equal(array.config_read(far_site), 0);
    assert_true(array.step());
    assert_int_equal(array.config_read(far_site), 0x22);
    array.config_write(0x00002001, 0x33); /* column 32: outside */
    array.config_write(0x00000011, 0x33); /* row 17: outside */
    assert_true(array.step());
    assert_int_equal(array.tiles(), 2);
}

/* Features 1 and 2 of a MEM tile: 64-bit words, four accesses each, lane 0 first. Stalled, tile enabled. */
static void sram_is_written_and_read_through_the_bus(void **) {
    for (uint32_t site : {0x0301u, 0x0302u, 0x0f0cu}) {
        onyx::Array array;
        array.set_stall(0xFFFFFFFFu);
        const std::pair<uint32_t, uint32_t> enable[] = {{0x2E000000u, 1u << 24},
                                                        {0x00000000u, 0x00C00001u},
                                                        {0x17000000u, 0x00000088u},
                                                        {0x0C000000u, 1u << 31}};
        for (const auto &word : enable) {
            array.config_write(word.first | site, word.second);
            assert_true(array.step());
        }
        auto value = [](uint32_t address, uint32_t lane) { return 0x1000 * lane + (address >> 16 & 0xFFF); };
        std::vector<uint32_t> addresses;
        for (uint32_t feature : {1u, 2u})
            for (uint32_t word : {0x00u, 0x01u, 0x7Fu, 0xFFu})
                addresses.push_back(word << 24 | feature << 16 | site);
        for (uint32_t address : addresses)
            for (uint32_t lane = 0; lane < 4; lane++) {
                array.config_write(address, value(address, lane));
                assert_true(array.step());
            }
        assert_true(array.step());
        for (uint32_t address : addresses)
            for (uint32_t lane = 0; lane < 4; lane++)
                assert_int_equal(array.config_read(address), value(address, lane));
    }
}

int main() {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_keep_their_bits),
        cmocka_unit_test(rows_above_8_are_a_cycle_later),
        cmocka_unit_test(sram_is_written_and_read_through_the_bus),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
