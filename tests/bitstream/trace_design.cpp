/* The netlist of a design under the stimulus of trace.h: Vonyx_design and design_columns.h are made by the
 * test. */
#include "Vonyx_design.h"
#include "tests/bitstream/trace.h"
#include "verilated.h"

namespace {

struct DesignDut {
    VerilatedContext context;
    Vonyx_design top{&context};
    void offer(unsigned column, bool valid, uint16_t word) {
#define INPUT(x)                                                                                             \
    if (column == x) {                                                                                       \
        top.in_##x##_valid_i = valid;                                                                        \
        top.in_##x##_data_i = word;                                                                          \
    }
#define OUTPUT(x)
#include "design_columns.h"
#undef INPUT
#undef OUTPUT
    }
    bool taken(unsigned column) {
#define INPUT(x)                                                                                             \
    if (column == x)                                                                                         \
        return top.in_##x##_ready_o;
#define OUTPUT(x)
#include "design_columns.h"
#undef INPUT
#undef OUTPUT
        return false;
    }
    void accept(unsigned column, bool ready) {
#define INPUT(x)
#define OUTPUT(x)                                                                                            \
    if (column == x)                                                                                         \
        top.out_##x##_ready_i = ready;
#include "design_columns.h"
#undef INPUT
#undef OUTPUT
    }
    bool given(unsigned column) {
#define INPUT(x)
#define OUTPUT(x)                                                                                            \
    if (column == x)                                                                                         \
        return top.out_##x##_valid_o;
#include "design_columns.h"
#undef INPUT
#undef OUTPUT
        return false;
    }
    unsigned word(unsigned column) {
#define INPUT(x)
#define OUTPUT(x)                                                                                            \
    if (column == x)                                                                                         \
        return top.out_##x##_data_o;
#include "design_columns.h"
#undef INPUT
#undef OUTPUT
        return 0;
    }
    void settle() {
        top.eval();
    }
    void edge() {
        top.clk_i = 1;
        top.eval();
        top.clk_i = 0;
        top.eval();
    }
};

} // namespace

int main(int argc, char **argv) {
    TraceStimulus s{};
    FILE *out = argc == 3 ? std::fopen(argv[2], "w") : nullptr;
    if (!out || !trace_read(argv[1], s))
        return 1;
    DesignDut dut;
    dut.top.clk_i = 0;
    dut.top.rst_ni = 1;
    dut.top.eval();
    dut.top.rst_ni = 0; /* an edge, so that asynchronous resets act */
    dut.top.eval();
    dut.top.rst_ni = 1;
    dut.top.flush_i = 1;
    dut.settle();
    dut.edge();
    dut.top.flush_i = 0;
    trace_run(dut, s, out);
    return std::fclose(out) != 0;
}
