/* onyx_bench.h - plays recorded words through an exported kernel that Verilator made a class of, and compares
 * the words and the number of cycles. A stream's file has a word a line in hexadecimal digits: bits 15:0 are
 * the word, bit 16 marks the last word of a run.
 *
 *   onyx::Bench bench("spmv", "spmv_words", RUNS, CYCLES);
 *   bench.input("B_0_crd", top.B_0_crd_valid_i, top.B_0_crd_data_i, top.B_0_crd_ready_o);
 *   bench.output("x_vals", top.x_vals_valid_o, top.x_vals_data_o, top.x_vals_ready_i);
 *   bench.monitors(top.hazard_0_o);
 *   return bench.play(top);
 *
 * play() returns 0 if all is as recorded, 1 otherwise, and prints the reason.
 */
#ifndef ONYX_BENCH_H
#define ONYX_BENCH_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace onyx {

class Bench {
  public:
    Bench(std::string name, std::string folder, unsigned runs, uint64_t cycles)
        : name_(std::move(name)), folder_(std::move(folder)), runs_(runs), expected_(cycles) {}

    void input(const char *port, uint8_t &valid, uint16_t &data, const uint8_t &ready) {
        inputs_.push_back({port, read(port), &valid, &data, &ready});
    }
    void output(const char *port, const uint8_t &valid, const uint16_t &data, uint8_t &ready) {
        outputs_.push_back({port, read(port), &valid, &data, &ready});
    }
    void monitors(const uint32_t &word) { monitors_.push_back(&word); }

    template <class Top> int play(Top &top) {
        top.rst_ni = 0;
        clock(top);
        top.rst_ni = 1;
        clock(top);
        for (unsigned run = 0; run < runs_ && !failed_; run++)
            one(top, run);
        if (!failed_ && cycles_ != expected_)
            fail("the number of cycles is not the expected one");
        top.final();
        std::printf("%s: %s, %u runs, %llu words compared, %llu cycles, expected %llu\n", name_.c_str(),
                    failed_ ? "FAIL" : "PASS", runs_, static_cast<unsigned long long>(compared_),
                    static_cast<unsigned long long>(cycles_), static_cast<unsigned long long>(expected_));
        return failed_;
    }

  private:
    static constexpr unsigned kDrain = 128; /* cycles in which surplus words would come */
    struct Input {
        std::string port;
        std::vector<uint32_t> words;
        uint8_t *valid;
        uint16_t *data;
        const uint8_t *ready;
        size_t at = 0;
        bool active = false;
    };
    struct Output {
        std::string port;
        std::vector<uint32_t> words;
        const uint8_t *valid;
        const uint16_t *data;
        uint8_t *ready;
        size_t at = 0;
        bool active = false;
    };

    std::vector<uint32_t> read(const std::string &port) {
        const std::string path = folder_ + "/" + port + ".hex";
        std::vector<uint32_t> words;
        unsigned word = 0;
        std::FILE *file = std::fopen(path.c_str(), "r");
        while (file && std::fscanf(file, "%x", &word) == 1)
            words.push_back(word);
        if (file)
            std::fclose(file);
        if (words.empty() || !(words.back() >> 16)) {
            std::fprintf(stderr, "%s: no words, or cut off\n", path.c_str());
            std::exit(1);
        }
        return words;
    }
    void fail(const std::string &why) {
        std::printf("%s: %s\n", name_.c_str(), why.c_str());
        failed_ = 1;
    }
    template <class Top> static void clock(Top &top) {
        top.clk_i = 0;
        top.eval();
        top.clk_i = 1;
        top.eval();
    }
    template <class Top> void one(Top &top, unsigned run) {
        drive(); /* drives inputs at rest */
        top.flush_i = 1;
        clock(top);
        top.flush_i = 0;
        clock(top); /* far rows see the flush a cycle later */
        for (Input &i : inputs_)
            i.active = true;
        for (Output &o : outputs_)
            o.active = true;
        uint64_t waited = 0;
        for (; !failed_ && (any(inputs_) || any(outputs_)); waited++) {
            cycles_ += any(outputs_);
            step(top);
            if (waited > 2 * expected_ + 100000)
                fail("run " + std::to_string(run) + " does not end" + waiting());
        }
        for (unsigned n = 0; !failed_ && n < kDrain; n++)
            step(top);
        for (size_t n = 0; n < monitors_.size(); n++)
            if (*monitors_[n])
                fail("run " + std::to_string(run) + " raised a monitor of hazard_" + std::to_string(n) +
                     "_o");
    }
    template <class Top> void step(Top &top) {
        drive();
        top.clk_i = 0;
        top.eval(); /* ready and valid are settled */
        for (Input &i : inputs_)
            if (i.active && *i.ready)
                i.active = !(i.words[i.at++] >> 16);
        for (Output &o : outputs_)
            if (*o.valid)
                take(o);
        top.clk_i = 1;
        top.eval();
    }
    void drive() {
        for (Input &i : inputs_) {
            *i.valid = i.active;
            *i.data = i.active ? static_cast<uint16_t>(i.words[i.at]) : uint16_t{0};
        }
        for (Output &o : outputs_)
            *o.ready = o.active;
    }
    void take(Output &o) {
        if (!o.active)
            return fail(o.port + " has a word behind the last");
        if (*o.data != static_cast<uint16_t>(o.words[o.at]))
            fail(o.port + " word " + std::to_string(o.at) + " is " + std::to_string(*o.data) + ", expected " +
                 std::to_string(static_cast<uint16_t>(o.words[o.at])));
        compared_++;
        o.active = !(o.words[o.at++] >> 16);
    }
    template <class Stream> static bool any(const std::vector<Stream> &streams) {
        for (const Stream &s : streams)
            if (s.active)
                return true;
        return false;
    }
    std::string waiting() const {
        std::string text;
        for (const Input &i : inputs_)
            text += i.active ? "; " + i.port + " offers word " + std::to_string(i.at) : "";
        for (const Output &o : outputs_)
            text += o.active ? "; " + o.port + " waits for word " + std::to_string(o.at) : "";
        return text;
    }

    std::string name_, folder_;
    unsigned runs_;
    uint64_t expected_, cycles_ = 0, compared_ = 0;
    std::vector<Input> inputs_;
    std::vector<Output> outputs_;
    std::vector<const uint32_t *> monitors_;
    int failed_ = 0;
};

} // namespace onyx

#endif
