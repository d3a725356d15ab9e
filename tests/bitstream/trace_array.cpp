#include "tests/bitstream/trace_array.h"

#include "rtl_models/soc/array_glue.h"
#include "tests/bitstream/trace.h"

namespace {

struct ArrayDut {
    onyx::Array array;
    bool good = true;
    void offer(unsigned column, bool valid, uint16_t word) { array.to_array(column, valid, word); }
    bool taken(unsigned column) { return array.to_array_ready(column); }
    void accept(unsigned column, bool ready) { array.from_array_ready(column, ready); }
    bool given(unsigned column) { return array.from_array_valid(column); }
    unsigned word(unsigned column) { return array.from_array_data(column); }
    void settle() {}
    void edge() { good = array.step() && good; }
};

} // namespace

bool trace_array(const uint32_t *pairs, uint32_t count, const char *stimulus, const char *trace) {
    TraceStimulus s{};
    ArrayDut dut;
    FILE *out = std::fopen(trace, "w");
    if (!out || !trace_read(stimulus, s))
        return false;
    dut.array.set_stall(UINT32_MAX);
    for (uint32_t i = 0; i < count; i++) {
        dut.array.config_write(pairs[2 * i], pairs[2 * i + 1]);
        dut.edge();
    }
    dut.edge(); /* the rows far away get the last word now */
    dut.array.set_stall(0);
    dut.array.flush(UINT32_MAX);
    dut.edge();
    trace_run(dut, s, out);
    if (!dut.good)
        std::fprintf(stderr, "%s\n", dut.array.error().c_str());
    return std::fclose(out) == 0 && dut.good;
}
