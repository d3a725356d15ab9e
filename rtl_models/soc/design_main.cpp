/* Runs a verilated onyx_design (a configured design as a netlist of primitives) on a job file. Usage:
 * design_sim JOB RESULT [TRACE] [RECORD] [PATIENCE]; TRACE ("" for none) gets the cycle of every word, a line
 * for each run and stream, RECORD ("" for none) every wire, if the design was verilated with --trace-fst (a
 * nanosecond is a cycle since reset), or how often each line ran, if it was with --coverage-line. PATIENCE is
 * how many cycles may pass without a word at any stream (else 2000000): the netlist cannot tell that nothing
 * in it will ever move, nor can tiles while one polls, but whoever knows the job's cycles can.
 * Standard output has a line "hazard KIND TILE" for each monitor the data raised. Exit: 0 done, 1 file, 5 the
 * design stopped moving (standard error says what each stream waits for).
 *
 * onyx_design_io.h is written beside the netlist: ONYX_INPUTS(X) and ONYX_OUTPUTS(X) list the IO columns in
 * the order of the job's streams.
 */
#include "job_run.h"

#include <memory>

#include "Vonyx_design.h"
#include "onyx_design_io.h"
#include "verilated.h"
#if VM_COVERAGE
#include "verilated_cov.h"
#endif
#if VM_TRACE_FST
#include "verilated_fst_c.h"
#endif

double sc_time_stamp() {
    return 0;
}

namespace {

class Netlist {
  public:
    explicit Netlist(const char *record)
        : record_(record), context_(new VerilatedContext), top_(new Vonyx_design(context_.get())) {
#if VM_TRACE_FST
        if (record) {
            context_->traceEverOn(true);
            context_->timeunit(-9);
            context_->timeprecision(-9);
            waves_ = std::make_unique<VerilatedFstC>();
            top_->trace(waves_.get(), 99);
            waves_->open(record);
        }
#endif
#define X(x) inputs_.push_back({x, &top_->in_##x##_valid_i, &top_->in_##x##_data_i, &top_->in_##x##_ready_o});
        ONYX_INPUTS(X)
#undef X
#define X(x)                                                                                                 \
    outputs_.push_back({x, &top_->out_##x##_valid_o, &top_->out_##x##_data_o, &top_->out_##x##_ready_i});
        ONYX_OUTPUTS(X)
#undef X
        top_->rst_ni = 0;
        clock();
        top_->rst_ni = 1;
        clock();
    }

    std::vector<unsigned> columns(bool output) const {
        std::vector<unsigned> all;
        for (const Pins &p : output ? outputs_ : inputs_)
            all.push_back(p.column);
        return all;
    }
    void offer(size_t n, bool valid, uint16_t data) {
        *inputs_[n].valid = valid;
        *inputs_[n].data = data;
    }
    void accept(size_t n, bool ready) {
        *outputs_[n].ready = ready;
    }
    bool takes(size_t n) const {
        return *inputs_[n].ready != 0;
    }
    bool offers(size_t n) const {
        return *outputs_[n].valid != 0;
    }
    uint16_t word(size_t n) const {
        return *outputs_[n].data;
    }
    void flush(bool on) {
        top_->flush_i = on;
    }
    void clock() {
        top_->clk_i = 0; /* clock gates open while the clock is low */
        top_->eval();
        top_->clk_i = 1;
        top_->eval();
#if VM_TRACE_FST
        if (waves_)
            waves_->dump(clocks_++);
#endif
    }
    std::vector<onyx::Hazard> hazards() const {
        const std::vector<onyx::Hazard> all = {
#define X(kind, tile) {kind, tile},
            ONYX_HAZARDS(X)
#undef X
        };
        const std::vector<uint32_t> words = {
#define X(number) top_->hazard_##number##_o,
            ONYX_HAZARD_WORDS(X)
#undef X
        };
        std::vector<onyx::Hazard> raised;
        for (size_t h = 0; h < all.size(); h++)
            if (words[h / 32] >> h % 32 & 1)
                raised.push_back(all[h]);
        return raised;
    }
    bool rests() const {
        return false;
    }
    std::string waiting() const {
        return {};
    }
    void end() {
        top_->final();
#if VM_TRACE_FST
        if (waves_)
            waves_->close();
#endif
#if VM_COVERAGE
        if (record_)
            context_->coveragep()->write(record_);
#endif
    }

  private:
    struct Pins {
        unsigned column;
        CData *valid;
        SData *data;
        CData *ready;
    };
    const char *record_; /* or null */
    std::unique_ptr<VerilatedContext> context_;
    std::unique_ptr<Vonyx_design> top_;
    std::vector<Pins> inputs_, outputs_;
#if VM_TRACE_FST
    std::unique_ptr<VerilatedFstC> waves_;
    uint64_t clocks_ = 0;
#endif
};

} // namespace

int main(int argc, char **argv) {
    if (argc < 3 || argc > 7)
        onyx::fail(1, "usage: design_sim JOB RESULT [TRACE] [RECORD] [PATIENCE] [FIRST:END]");
    Netlist netlist(argc > 4 && *argv[4] ? argv[4] : nullptr);
    onyx::run_job(netlist, argv[1], argv[2], argc > 3 ? argv[3] : nullptr, argc > 5 ? argv[5] : nullptr,
                  argc > 6 ? argv[6] : nullptr);
    return 0;
}
