/* monolithic.cpp - the golden kernels on onyx_array.sv itself, all 32x16 tiles in one Verilator model, and on
 * the tile library: words and cycles must be the same. Prints what each costs. Optional arguments: kernels. */
#include <cstring>

#include "Vonyx_array.h"
#include "golden.h"
#include "rtl_models/array_glue.h"
#include "verilated.h"

/* The model behind the calls of onyx::Array. */
class Monolithic {
  public:
    Monolithic() {
        for (int level : {1, 0, 1}) {
            model_.rst_ni = static_cast<CData>(level);
            model_.eval();
        }
    }
    void set_stall(uint32_t columns) { model_.stall_i = columns; }
    void flush(uint32_t groups) { model_.flush_i = static_cast<CData>(groups); }
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
    static void set_bit(IData &word, unsigned bit, bool value) {
        word = (word & ~(1u << bit)) | static_cast<IData>(value) << bit;
    }
    Vonyx_array model_;
};

int main(int argc, char **argv) {
    const std::string folder = std::string(ONYX_SHARED_DIR) + "/data/onyx_bitstreams/golden_array/";
    int failed = 0, run = 0;
    printf("%-24s %8s %8s %12s %12s\n", "kernel", "library", "whole", "library c/s", "whole c/s");
    for (const char *name : golden::KERNELS) {
        bool wanted = argc == 1;
        for (int i = 1; i < argc; i++)
            wanted = wanted || strcmp(argv[i], name) == 0;
        golden::Kernel k;
        if (!wanted || !golden::load(folder + name, k))
            continue;
        long limit = 4 * k.total_cycles + 1000;
        onyx::Array library;
        golden::Run a = golden::run(library, k, limit);
        auto whole = std::make_unique<Monolithic>();
        golden::Run b = golden::run(*whole, k, limit);
        bool same = a.cycles == b.cycles && a.outputs == b.outputs && b.outputs == k.expected;
        printf("%-24s %8ld %8ld %12.0f %12.0f%s\n", name, a.cycles, b.cycles,
               static_cast<double>(a.cycles) / a.seconds, static_cast<double>(b.cycles) / b.seconds,
               same ? "" : "  DIFFERENT");
        fflush(stdout);
        run++;
        failed += !same;
    }
    if (run == 0)
        printf("no golden array data at %s\n", folder.c_str());
    return failed != 0;
}
