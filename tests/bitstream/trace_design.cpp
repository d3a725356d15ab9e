/* The netlist of a design under the stimulus of trace.h: Vonyx_design and design_columns.h are made by the
 * test. */
#include <map>

#include "Vonyx_design.h"
#include "tests/bitstream/trace.h"
#include "verilated.h"

namespace {

/* The wires of a column's stream; the stream's direction decides the wires driven by the design. */
struct Stream {
    CData *valid, *ready;
    SData *data;
};

struct DesignDut {
    VerilatedContext context;
    Vonyx_design top{&context};
    std::map<unsigned, Stream> in{
#define INPUT(x) {x, {&top.in_##x##_valid_i, &top.in_##x##_ready_o, &top.in_##x##_data_i}},
#define OUTPUT(x)
#include "design_columns.h"
#undef INPUT
#undef OUTPUT
    };
    std::map<unsigned, Stream> out{
#define INPUT(x)
#define OUTPUT(x) {x, {&top.out_##x##_valid_o, &top.out_##x##_ready_i, &top.out_##x##_data_o}},
#include "design_columns.h"
#undef INPUT
#undef OUTPUT
    };
    void offer(unsigned column, bool valid, uint16_t word) {
        *in.at(column).valid = valid;
        *in.at(column).data = word;
    }
    bool taken(unsigned column) {
        return *in.at(column).ready;
    }
    void accept(unsigned column, bool ready) {
        *out.at(column).ready = ready;
    }
    bool given(unsigned column) {
        return *out.at(column).valid;
    }
    unsigned word(unsigned column) {
        return *out.at(column).data;
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
    dut.top.rst_ni = 0; /* an edge for asynchronous resets */
    dut.top.eval();
    dut.top.rst_ni = 1;
    dut.top.flush_i = 1;
    dut.settle();
    dut.edge();
    dut.top.flush_i = 0;
    trace_run(dut, s, out);
    return std::fclose(out) != 0;
}
