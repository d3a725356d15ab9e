/* The netlist of a dense design on recorded pins: sim PINS. A line of PINS is a cycle: the flush, then in
 * hexadecimal word and bit of each input, and of each output as expected, by the lists of ports.h. Exit code
 * 1 with the first different cycle. */
#include <cstdio>
#include <vector>

#include "Vonyx_design.h"
#include "ports.h"
#include "verilated.h"

double sc_time_stamp() {
    return 0;
}

namespace {

struct Pin {
    unsigned column;
    SData *data;
    CData *bit;
};

void clock(Vonyx_design &top, int level) {
    top.clk_i = static_cast<CData>(level);
    top.eval();
}

} // namespace

int main(int argc, char **argv) {
    VerilatedContext context;
    Vonyx_design top(&context);
    std::FILE *pins = argc == 2 ? std::fopen(argv[1], "r") : nullptr;
    const std::vector<Pin> inputs = {
#define X(x) {x, &top.in_##x##_data_i, &top.in_##x##_bit_i},
        ONYX_INPUTS(X)
#undef X
    };
    const std::vector<Pin> outputs = {
#define X(x) {x, &top.out_##x##_data_o, &top.out_##x##_bit_o},
        ONYX_OUTPUTS(X)
#undef X
    };
    unsigned flush = 0, word = 0, bit = 0;
    if (!pins)
        return 2;
    for (int level : {1, 0, 1}) {
        top.rst_ni = static_cast<CData>(level);
        clock(top, 0);
    }
    for (unsigned long cycle = 0; std::fscanf(pins, "%x", &flush) == 1; cycle++) {
        top.flush_i = static_cast<CData>(flush);
        for (const Pin &p : inputs) {
            if (std::fscanf(pins, "%x %x", &word, &bit) != 2)
                return 2;
            *p.data = static_cast<SData>(word);
            *p.bit = static_cast<CData>(bit);
        }
        top.eval();
        for (const Pin &p : outputs) {
            if (std::fscanf(pins, "%x %x", &word, &bit) != 2)
                return 2;
            if (*p.data == word && *p.bit == bit)
                continue;
            std::printf("cycle %lu, column %u: %04x %x, expected %04x %x\n", cycle, p.column, *p.data, *p.bit,
                        word, bit);
            return 1;
        }
        clock(top, 1);
        clock(top, 0);
    }
    return 0;
}
