/* Times of instructions: the table of the Cortex-M3's technical reference manual (ARM DDI 0337). */
#include "rtl_models/soc/m3_time.h"
#include "tests/test.h"

static void instructions_take_the_manuals_cycles(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint32_t first, second;
        uint8_t least, most, words;
        bool literal;
    } rows[] = {
        {"adds r0, r1, r2", 0x1888, 0, 1, 1, 0, false},
        {"movs r0, #1", 0x2001, 0, 1, 1, 0, false},
        {"muls r0, r1", 0x4348, 0, 1, 1, 0, false},
        {"ldr r0, [pc, #4]", 0x4801, 0, 1, 2, 1, true},
        {"bx lr", 0x4770, 0, 1, 1, 0, false},
        {"str r0, [r1, r2]", 0x5088, 0, 1, 1, 1, false},
        {"ldrsb r0, [r1, r2]", 0x5688, 0, 1, 2, 1, false},
        {"ldr r0, [r1]", 0x6808, 0, 1, 2, 1, false},
        {"strb r0, [r1]", 0x7008, 0, 1, 1, 1, false},
        {"ldrh r0, [r1]", 0x8808, 0, 1, 2, 1, false},
        {"str r0, [sp]", 0x9000, 0, 1, 1, 1, false},
        {"add r0, sp, #0", 0xA800, 0, 1, 1, 0, false},
        {"cbz r0", 0xB100, 0, 1, 1, 0, false},
        {"uxth r0, r0", 0xB280, 0, 1, 1, 0, false},
        {"push {r4-r6, lr}", 0xB570, 0, 5, 5, 4, false},
        {"cpsid i", 0xB672, 0, 1, 2, 0, false},
        {"pop {r4, pc}", 0xBD10, 0, 3, 3, 2, false},
        {"nop", 0xBF00, 0, 1, 1, 0, false},
        {"it eq", 0xBF08, 0, 1, 1, 0, false},
        {"stmia r0!, {r1-r3}", 0xC00E, 0, 4, 4, 3, false},
        {"beq", 0xD000, 0, 1, 1, 0, false},
        {"b", 0xE000, 0, 1, 1, 0, false},
        {"stmia r0, {r3-r11, lr}", 0xE880, 0x4FF8, 11, 11, 10, false},
        {"ldrd r0, r1, [r2], #8", 0xE8F2, 0x0102, 3, 3, 2, false},
        {"strd r0, r1, [r2]", 0xE9C2, 0x0100, 3, 3, 2, false},
        {"tbb [pc, r0]", 0xE8DF, 0xF000, 2, 2, 1, true},
        {"ldrex r0, [r1]", 0xE851, 0x0F00, 2, 2, 1, false},
        {"ldr.w r0, [r1, #4]", 0xF8D1, 0x0004, 1, 2, 1, false},
        {"ldr.w r0, [pc, #8]", 0xF8DF, 0x0008, 1, 2, 1, true},
        {"strh.w r0, [r1, #2]", 0xF8A1, 0x0002, 1, 1, 1, false},
        {"mul r0, r1, r2", 0xFB01, 0xF002, 1, 1, 0, false},
        {"mla r0, r1, r2, r3", 0xFB01, 0x3002, 2, 2, 0, false},
        {"smull r0, r1, r2, r3", 0xFB82, 0x0103, 3, 5, 0, false},
        {"umull r0, r1, r2, r3", 0xFBA2, 0x0103, 3, 5, 0, false},
        {"umlal r0, r1, r2, r3", 0xFBE2, 0x0103, 4, 7, 0, false},
        {"sdiv r0, r1, r2", 0xFB91, 0xF0F2, 2, 12, 0, false},
        {"udiv r0, r1, r2", 0xFBB1, 0xF0F2, 2, 12, 0, false},
        {"mrs r0, ipsr", 0xF3EF, 0x8005, 1, 2, 0, false},
        {"msr control, r3", 0xF383, 0x8814, 1, 2, 0, false},
        {"dmb", 0xF3BF, 0x8F5F, 1, 1, 0, false},
        {"bl", 0xF000, 0xF800, 1, 1, 0, false},
        {"add.w r0, r1, #1", 0xF101, 0x0001, 1, 1, 0, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const m3_time t = m3_time_of(rows[i].first, rows[i].second, false);
        if (t.least != rows[i].least || t.most != rows[i].most || t.words != rows[i].words ||
            t.literal != rows[i].literal || t.refill || t.halfwords != (rows[i].second ? 2 : 1))
            fail_msg("%s: %u to %u cycles, %u words", rows[i].text, t.least, t.most, t.words);
        assert_true(m3_time_of(rows[i].first, rows[i].second, true).refill);
    }
    assert_true(m3_time_of(0xF3BF, 0x8F6F, false).refill); /* ISB */
}

RUN_TESTS(TEST(instructions_take_the_manuals_cycles))
