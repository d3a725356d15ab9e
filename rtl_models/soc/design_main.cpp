/* Runs a verilated onyx_design (a configured design as a netlist of primitives) on a job file.
 *
 * Around the design stands the simplest global buffer: every input stream offers a word a cycle, every output
 * stream takes a word a cycle, and a run ends when each output has delivered its blocks. Usage: design_sim
 * JOB RESULT [TRACE] [WAVES]; TRACE ("" for none) gets the cycle of every word, a line for each run and
 * stream, WAVES every wire, if the design was verilated with --trace-fst (a nanosecond is a cycle since
 * reset). Standard output has a line "hazard KIND TILE" for each monitor the data raised. Exit: 0 done, 1
 * file, 5 the design stopped moving (standard error says what each channel waits for).
 *
 * onyx_design_io.h is written beside the netlist: ONYX_INPUTS(X) and ONYX_OUTPUTS(X) list the IO columns in
 * the order of the job's streams.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "Vonyx_design.h"
#include "onyx_design_io.h"
#include "verilated.h"
#if VM_TRACE_FST
#include "verilated_fst_c.h"
#endif

double sc_time_stamp() {
    return 0;
}

namespace {

constexpr uint32_t kJobMagic = 0x4a584e4f, kResultMagic = 0x52584e4f, kVersion = 1;
constexpr uint64_t kDrain = 128;          /* cycles in which the last words on their way arrive */
constexpr uint64_t kStuckAfter = 2000000; /* cycles without a word at any stream */

using Words = std::vector<uint16_t>;

[[noreturn]] void fail(int code, const char *message, const char *detail) {
    std::fprintf(stderr, "design_sim: %s%s\n", message, detail);
    std::exit(code);
}

class JobFile {
  public:
    explicit JobFile(const char *path) : file_(std::fopen(path, "rb")), path_(path) {
        if (!file_ || std::fseek(file_, 0, SEEK_END) != 0)
            fail(1, "cannot read ", path);
        left_ = static_cast<uint64_t>(std::ftell(file_));
        std::rewind(file_);
        if (word() != kJobMagic || word() != kVersion)
            fail(1, "not a job file: ", path);
    }
    ~JobFile() { std::fclose(file_); }
    uint32_t word() {
        unsigned char b[4];
        if (left_ < 4 || std::fread(b, 1, 4, file_) != 4)
            fail(1, "the job file ends early: ", path_);
        left_ -= 4;
        return b[0] | b[1] << 8 | b[2] << 16 | static_cast<uint32_t>(b[3]) << 24;
    }
    void words(Words &out) {
        uint32_t n = word();
        if (left_ < (uint64_t{n} + 1) / 2 * 4)
            fail(1, "the job file ends early: ", path_);
        out.resize(n);
        for (size_t i = 0; i < out.size(); i += 2) {
            uint32_t pair = word();
            out[i] = static_cast<uint16_t>(pair);
            if (i + 1 < out.size())
                out[i + 1] = static_cast<uint16_t>(pair >> 16);
        }
    }

  private:
    std::FILE *file_;
    const char *path_;
    uint64_t left_; /* bytes */
};

void put(std::FILE *out, uint32_t w) {
    const unsigned char b[4] = {static_cast<unsigned char>(w), static_cast<unsigned char>(w >> 8),
                                static_cast<unsigned char>(w >> 16), static_cast<unsigned char>(w >> 24)};
    std::fwrite(b, 1, 4, out);
}

void put_words(std::FILE *out, const Words &w) {
    put(out, static_cast<uint32_t>(w.size()));
    for (size_t i = 0; i < w.size(); i += 2)
        put(out, w[i] | (i + 1 < w.size() ? static_cast<uint32_t>(w[i + 1]) << 16 : 0));
}

struct Input {
    const char *name;
    Words words;
    size_t sent = 0;
    std::vector<uint64_t> cycles = {}; /* of the words taken */
};

/* Counts length-headed blocks while words arrive. */
struct Output {
    const char *name;
    uint32_t blocks = 0;
    Words words;
    uint32_t left = 0, done = 0;
    std::vector<uint64_t> cycles = {}; /* of the words */
    bool complete() const { return done == blocks; }
    void take(uint16_t w) {
        words.push_back(w);
        if (left == 0)
            left = w;
        else if (--left > 0)
            return;
        if (left == 0)
            done++;
    }
};

class Simulation {
  public:
    explicit Simulation(const char *waves)
        : context_(new VerilatedContext), top_(new Vonyx_design(context_.get())) {
#if VM_TRACE_FST
        if (waves) {
            context_->traceEverOn(true);
            context_->timeunit(-9);
            context_->timeprecision(-9);
            waves_ = std::make_unique<VerilatedFstC>();
            top_->trace(waves_.get(), 99);
            waves_->open(waves);
        }
#else
        (void)waves;
#endif
#define X(column) inputs.push_back({#column, {}, 0});
        ONYX_INPUTS(X)
#undef X
#define X(column) outputs.push_back({#column, 0, {}, 0, 0});
        ONYX_OUTPUTS(X)
#undef X
        top_->rst_ni = 0;
        clock();
        top_->rst_ni = 1;
        clock();
    }
    ~Simulation() {
        top_->final();
        end_waves();
    }

    /* One run; returns its cycles. */
    uint64_t run() {
        top_->flush_i = 1;
        drive();
        clock();
        top_->flush_i = 0;
        /* Rows below the eighth see the flush one cycle later. */
        clock();
        uint64_t cycles = 0;
        idle_ = 0;
        for (; !complete(); cycles++)
            step(cycles);
        /* SplitFIFOs keep their words over the flush: the rest comes in first. */
        uint64_t now = cycles;
        for (; !taken(); now++)
            step(now);
        for (uint64_t end = now + kDrain; now < end; now++)
            step(now);
        return cycles;
    }

    /* Monitors raised in the run that ended; each is told once. */
    void tell_hazards() {
        const std::vector<std::pair<const char *, const char *>> hazards = {
#define X(kind, tile) {kind, tile},
            ONYX_HAZARDS(X)
#undef X
        };
        const std::vector<uint32_t> words = {
#define X(number) top_->hazard_##number##_o,
            ONYX_HAZARD_WORDS(X)
#undef X
        };
        for (size_t h = 0; h < hazards.size(); h++)
            if ((words[h / 32] >> h % 32 & 1) && told_.insert(h).second)
                std::printf("hazard %s %s\n", hazards[h].first, hazards[h].second);
    }

    std::vector<Input> inputs;
    std::vector<Output> outputs;

  private:
    void clock() {
        top_->clk_i = 0; /* the clock gates open */
        top_->eval();
        top_->clk_i = 1;
        top_->eval();
#if VM_TRACE_FST
        if (waves_)
            waves_->dump(clocks_++);
#endif
    }
    /* What it offers and takes comes from registers, so it is known before the evaluation. */
    void step(uint64_t cycle) {
        drive();
        idle_ = transfer(cycle) ? 0 : idle_ + 1;
        clock();
        if (idle_ > kStuckAfter)
            explain();
    }
    bool taken() const {
        for (const Input &i : inputs)
            if (i.sent < i.words.size())
                return false;
        return true;
    }
    bool complete() const {
        for (const Output &o : outputs)
            if (!o.complete())
                return false;
        return true;
    }
    void drive() {
        size_t n = 0;
#define X(column)                                                                                            \
    top_->in_##column##_valid_i = !top_->flush_i && inputs[n].sent < inputs[n].words.size();                 \
    top_->in_##column##_data_i = top_->in_##column##_valid_i ? inputs[n].words[inputs[n].sent] : 0;          \
    n++;
        ONYX_INPUTS(X)
#undef X
        n = 0;
#define X(column) top_->out_##column##_ready_i = !top_->flush_i && !outputs[n++].complete();
        ONYX_OUTPUTS(X)
#undef X
    }
    /* Notes what the coming clock edge moves. */
    bool transfer(uint64_t cycle) {
        bool moved = false;
        size_t n = 0;
#define X(column)                                                                                            \
    if (top_->in_##column##_valid_i && top_->in_##column##_ready_o) {                                        \
        inputs[n].sent++;                                                                                    \
        inputs[n].cycles.push_back(cycle);                                                                   \
        moved = true;                                                                                        \
    }                                                                                                        \
    n++;
        ONYX_INPUTS(X)
#undef X
        n = 0;
#define X(column)                                                                                            \
    if (top_->out_##column##_valid_o && top_->out_##column##_ready_i) {                                      \
        outputs[n].take(top_->out_##column##_data_o);                                                        \
        outputs[n].cycles.push_back(cycle);                                                                  \
        moved = true;                                                                                        \
    }                                                                                                        \
    n++;
        ONYX_OUTPUTS(X)
#undef X
        return moved;
    }
    [[noreturn]] void explain() {
        std::fprintf(stderr, "design_sim: no stream moved for %llu cycles [E0801-stuck]\n",
                     static_cast<unsigned long long>(kStuckAfter));
        for (const Input &i : inputs)
            std::fprintf(stderr, "  input column %s: %zu of %zu words taken\n", i.name, i.sent,
                         i.words.size());
        for (const Output &o : outputs)
            std::fprintf(stderr, "  output column %s: %u of %u blocks, %zu words\n", o.name, o.done, o.blocks,
                         o.words.size());
        end_waves();
        std::exit(5);
    }
    void end_waves() {
#if VM_TRACE_FST
        if (waves_)
            waves_->close();
#endif
    }

    uint64_t idle_ = 0; /* cycles since a word moved at a stream */
    std::unique_ptr<VerilatedContext> context_;
    std::unique_ptr<Vonyx_design> top_;
#if VM_TRACE_FST
    std::unique_ptr<VerilatedFstC> waves_;
    uint64_t clocks_ = 0;
#endif
    std::set<size_t> told_; /* hazards */
};

void put_trace(std::FILE *trace, uint32_t run, const char *way, const char *column,
               const std::vector<uint64_t> &cycles) {
    std::fprintf(trace, "run %u %s %s:", run, way, column);
    for (uint64_t cycle : cycles)
        std::fprintf(trace, " %llu", static_cast<unsigned long long>(cycle));
    std::fputc('\n', trace);
}

} // namespace

/* What could not be written whole is taken away again. */
static void end_file(std::FILE *out, const char *path) {
    bool bad = std::ferror(out) != 0;
    if (std::fclose(out) != 0 || bad) {
        std::remove(path);
        fail(1, "cannot write ", path);
    }
}

int main(int argc, char **argv) {
    if (argc < 3 || argc > 5)
        fail(1, "usage: design_sim JOB RESULT [TRACE] [WAVES]", "");
    const char *trace_path = argc > 3 && *argv[3] ? argv[3] : nullptr;
    JobFile job(argv[1]);
    Simulation sim(argc > 4 ? argv[4] : nullptr);
    if (job.word() != sim.inputs.size() || job.word() != sim.outputs.size())
        fail(1, "the job was made for another design: ", argv[1]);
    for (Output &o : sim.outputs)
        o.blocks = job.word();
    uint32_t runs = job.word();
    std::FILE *out = std::fopen(argv[2], "wb"), *trace = trace_path ? std::fopen(trace_path, "w") : nullptr;
    if (!out)
        fail(1, "cannot write ", argv[2]);
    if (trace_path && !trace)
        fail(1, "cannot write ", trace_path);
    put(out, kResultMagic);
    put(out, kVersion);
    put(out, runs);
    put(out, static_cast<uint32_t>(sim.outputs.size()));
    for (uint32_t r = 0; r < runs; r++) {
        for (Input &i : sim.inputs) {
            job.words(i.words);
            i.sent = 0;
            i.cycles.clear();
        }
        for (Output &o : sim.outputs) {
            o.words.clear();
            o.left = o.done = 0;
            o.cycles.clear();
        }
        uint64_t cycles = sim.run();
        sim.tell_hazards();
        put(out, static_cast<uint32_t>(cycles));
        put(out, static_cast<uint32_t>(cycles >> 32));
        for (const Output &o : sim.outputs)
            put_words(out, o.words);
        for (const Input &i : sim.inputs)
            if (trace)
                put_trace(trace, r, "in", i.name, i.cycles);
        for (const Output &o : sim.outputs)
            if (trace)
                put_trace(trace, r, "out", o.name, o.cycles);
    }
    if (trace)
        end_file(trace, trace_path);
    end_file(out, argv[2]);
    return 0;
}
