/* monolithic.cpp - the golden kernels on onyx_array.sv itself, all tiles in one Verilator model: every output
 * word must come in the very cycle in which the tile library gives it. (A program of its own: the blocks of
 * the model have the names of the library's classes.) */
#include "Vonyx_monolithic.h"
#include "golden.h"
#include "verilated.h"

/* The model behind the calls of onyx::Array. */
class Monolithic {
    using Mask = std::remove_reference<decltype(Vonyx_monolithic::stall_i)>::type;
    static constexpr unsigned COLUMNS = ONYX_MONOLITHIC_COLUMNS;
    static constexpr uint32_t MASK = static_cast<uint32_t>((uint64_t{1} << COLUMNS) - 1);

  public:
    Monolithic() {
        for (int level : {1, 0, 1}) {
            model_.rst_ni = static_cast<CData>(level);
            model_.eval();
        }
    }
    void set_stall(uint32_t columns) { model_.stall_i = static_cast<Mask>(columns & MASK); }
    void flush(uint32_t groups) {
        model_.flush_i = static_cast<CData>(groups & ((1u << (COLUMNS + 3) / 4) - 1));
    }
    void config_write(uint32_t address, uint32_t data) {
        model_.cfg_addr_i = address;
        model_.cfg_data_i = data;
        model_.cfg_write_i = 1;
    }
    void to_array(unsigned column, bool valid, uint16_t data) {
        set_bit(model_.glb2io_valid_i, column, valid);
        EData &word = model_.glb2io_data_i[column / 2];
        unsigned shift = 16 * (column % 2);
        word = (word & ~(0xFFFFu << shift)) | static_cast<EData>(data) << shift;
    }
    bool to_array_ready(unsigned column) const { return (model_.glb2io_ready_o >> column & 1) != 0; }
    void from_array_ready(unsigned column, bool ready) { set_bit(model_.io2glb_ready_i, column, ready); }
    bool from_array_valid(unsigned column) const { return (model_.io2glb_valid_o >> column & 1) != 0; }
    uint16_t from_array_data(unsigned column) const {
        return static_cast<uint16_t>(model_.io2glb_data_o[column / 2] >> 16 * (column % 2));
    }
    bool step() {
        model_.clk_i = 1;
        model_.eval();
        model_.clk_i = 0;
        model_.cfg_write_i = 0;
        model_.flush_i = 0;
        model_.eval();
        return true;
    }

  private:
    static void set_bit(Mask &word, unsigned bit, bool value) {
        word = static_cast<Mask>((word & ~(1u << bit)) | static_cast<uint32_t>(value) << bit);
    }
    Vonyx_monolithic model_;
};

/* onyx_array_monolithic TRACES: the file test_golden_array wrote. */
int main(int argc, char **argv) {
    std::map<std::string, uint64_t> traces;
    std::ifstream in(argc > 1 ? argv[1] : "");
    std::string name;
    uint64_t trace;
    while (in >> name >> trace)
        traces[name] = trace;
    if (traces.empty()) {
        fprintf(stderr, "usage: onyx_array_monolithic TRACES (a file written by test_golden_array)\n");
        return 1;
    }
    int count = 0;
    bool right = golden::run_all<Monolithic>(
        std::string(ONYX_SHARED_DIR) + "/data/onyx_bitstreams/golden_array/", traces, true, &count);
    return right && count > 0 ? 0 : 1;
}
