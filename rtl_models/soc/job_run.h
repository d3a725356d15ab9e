/* job_run.h - a job file (docs/dump.md) on a configured design: the verilated netlist of a kernel
 * (design_main.cpp) or the array as a tile library (array_main.cpp). A header alone, since every netlist is
 * compiled with job_run.h, too.
 *
 * Around the design stands the simplest global buffer: every input stream offers a word a cycle, every output
 * stream takes a word a cycle, and a run ends when each output has delivered its blocks. The design's offers
 * and ready come from registers, known before the clock edge. A Design has
 *
 *   columns(output)               the IO columns in the order of the job's streams
 *   offer(n, valid, data)         what the global buffer offers at input n, until told otherwise
 *   accept(n, ready)              whether it takes a word at output n
 *   takes(n)                      whether input n has room
 *   offers(n), word(n)            whether output n has a word; the word
 *   flush(on)                     the flush at the next clock edge
 *   clock()                       a cycle
 *   hazards()                     the monitors that data have raised, each as kind and tile
 *   rests()                       true if no later cycle can change anything
 *   waiting()                     who waits for whom, if it knows
 *   end()                         called before the program exits
 */
#ifndef ONYX_RTL_MODELS_JOB_RUN_H
#define ONYX_RTL_MODELS_JOB_RUN_H

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace onyx {

constexpr uint32_t kJobMagic = 0x4a584e4f, kResultMagic = 0x52584e4f, kVersion = 1;
constexpr uint64_t kDrain = 128; /* cycles for the last words to arrive */

using Words = std::vector<uint16_t>;
using Hazard = std::pair<std::string, std::string>; /* kind and tile */

/* Ends the program: 1 after a file error, 5 for a design that stopped moving. */
[[noreturn]] inline void fail(int code, const std::string &message) {
    std::fprintf(stderr, "%s\n", message.c_str());
    std::exit(code);
}

class JobFile {
  public:
    explicit JobFile(const char *path) : file_(std::fopen(path, "rb")), path_(path) {
        if (!file_ || std::fseek(file_, 0, SEEK_END) != 0)
            fail(1, "cannot read " + path_);
        remaining_ = static_cast<uint64_t>(std::ftell(file_));
        std::rewind(file_);
        if (word() != kJobMagic || word() != kVersion)
            fail(1, "not a job file: " + path_);
    }
    ~JobFile() { std::fclose(file_); }
    JobFile(const JobFile &) = delete;
    JobFile &operator=(const JobFile &) = delete;
    uint32_t word() {
        unsigned char b[4];
        if (remaining_ < 4 || std::fread(b, 1, 4, file_) != 4)
            fail(1, "the job file ends early: " + path_);
        remaining_ -= 4;
        return b[0] | static_cast<uint32_t>(b[1]) << 8 | static_cast<uint32_t>(b[2]) << 16 |
               static_cast<uint32_t>(b[3]) << 24;
    }
    void words(Words &out) {
        uint32_t n = word();
        if (remaining_ < (uint64_t{n} + 1) / 2 * 4)
            fail(1, "the job file ends early: " + path_);
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
    std::string path_;
    uint64_t remaining_ = 0; /* bytes */
};

/* A file removed again unless written completely. */
class OutFile {
  public:
    OutFile(const char *path, const char *mode) : path_(path), file_(std::fopen(path, mode)) {
        if (!file_)
            fail(1, "cannot write " + path_);
    }
    OutFile(const OutFile &) = delete;
    OutFile &operator=(const OutFile &) = delete;
    std::FILE *file() const { return file_; }
    void word(uint32_t w) {
        const unsigned char b[4] = {static_cast<unsigned char>(w), static_cast<unsigned char>(w >> 8),
                                    static_cast<unsigned char>(w >> 16), static_cast<unsigned char>(w >> 24)};
        std::fwrite(b, 1, 4, file_);
    }
    void words(const Words &w) {
        word(static_cast<uint32_t>(w.size()));
        for (size_t i = 0; i < w.size(); i += 2)
            word(w[i] | (i + 1 < w.size() ? static_cast<uint32_t>(w[i + 1]) << 16 : 0));
    }
    void close() {
        bool bad = std::ferror(file_) != 0;
        if (std::fclose(file_) == 0 && !bad)
            return;
        std::remove(path_.c_str());
        fail(1, "cannot write " + path_);
    }

  private:
    std::string path_;
    std::FILE *file_;
};

/* Runs of a job, from run `first` on, up to run `end` or the last. */
struct Range {
    uint32_t first = 0, end = UINT32_MAX;
};

/* Reads "FIRST:END"; of null and "" the whole job. */
inline Range range_of(const char *text) {
    Range p;
    char *rest = nullptr;
    if (!text || !*text)
        return p;
    p.first = static_cast<uint32_t>(std::strtoul(text, &rest, 10));
    if (*rest != ':')
        fail(1, std::string("no part of a job: ") + text);
    p.end = static_cast<uint32_t>(std::strtoul(rest + 1, nullptr, 10));
    return p;
}

struct Input {
    unsigned column;
    Words words = {};
    size_t sent = 0;
    std::vector<uint64_t> cycles = {}; /* of the words taken */
    bool taken() const { return sent == words.size(); }
};

/* Counts length-headed blocks while words arrive. */
struct Output {
    unsigned column;
    uint32_t blocks = 0;
    Words words = {};
    uint32_t remaining = 0, done = 0;
    std::vector<uint64_t> cycles = {}; /* of the words */
    bool complete() const { return done == blocks; }
    void take(uint16_t w) {
        words.push_back(w);
        if (remaining == 0)
            remaining = w;
        else if (--remaining > 0)
            return;
        if (remaining == 0)
            done++;
    }
};

template <class Design> class JobRun {
  public:
    JobRun(Design &design, uint64_t patience) : design_(design), patience_(patience) {
        for (unsigned column : design.columns(false))
            inputs_.push_back({column});
        for (unsigned column : design.columns(true))
            outputs_.push_back({column});
    }

    /* Runs a range of the job; `trace`, null for none, gets the cycle of every word, a line for each run and
     * stream. */
    void run(JobFile &job, OutFile &out, OutFile *trace, const Range &range) {
        if (job.word() != inputs_.size() || job.word() != outputs_.size())
            fail(1, "the job was made for another design");
        for (Output &o : outputs_)
            o.blocks = job.word();
        uint32_t end = std::min(job.word(), range.end), first = std::min(range.first, end);
        for (uint32_t w : {kResultMagic, kVersion, end - first, static_cast<uint32_t>(outputs_.size())})
            out.word(w);
        for (uint32_t r = 0; r < end; r++) {
            begin(job);
            if (r < first)
                continue;
            uint64_t cycles = one();
            tell_hazards();
            out.word(static_cast<uint32_t>(cycles));
            out.word(static_cast<uint32_t>(cycles >> 32));
            for (const Output &o : outputs_)
                out.words(o.words);
            for (const Input &i : inputs_)
                if (trace)
                    put_trace(trace->file(), r, "in", i.column, i.cycles);
            for (const Output &o : outputs_)
                if (trace)
                    put_trace(trace->file(), r, "out", o.column, o.cycles);
        }
    }

  private:
    void begin(JobFile &job) {
        for (Input &i : inputs_) {
            job.words(i.words);
            i.sent = 0;
            i.cycles.clear();
        }
        for (Output &o : outputs_) {
            o.words.clear();
            o.remaining = o.done = 0;
            o.cycles.clear();
        }
    }
    /* One run; returns its cycles. */
    uint64_t one() {
        for (size_t n = 0; n < inputs_.size(); n++)
            design_.offer(n, false, 0);
        for (size_t n = 0; n < outputs_.size(); n++)
            design_.accept(n, false);
        design_.flush(true);
        design_.clock();
        design_.flush(false);
        /* Rows below the eighth see the flush a cycle later. */
        design_.clock();
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
    void step(uint64_t cycle) {
        drive();
        idle_ = transfer(cycle) ? 0 : idle_ + 1;
        design_.clock();
        if (idle_ > patience_ || (idle_ > kDrain && !(complete() && taken()) && design_.rests()))
            explain();
    }
    bool taken() const {
        for (const Input &i : inputs_)
            if (!i.taken())
                return false;
        return true;
    }
    bool complete() const {
        for (const Output &o : outputs_)
            if (!o.complete())
                return false;
        return true;
    }
    void drive() {
        for (size_t n = 0; n < inputs_.size(); n++) {
            const Input &i = inputs_[n];
            design_.offer(n, !i.taken(), i.taken() ? uint16_t{0} : i.words[i.sent]);
        }
        for (size_t n = 0; n < outputs_.size(); n++)
            design_.accept(n, !outputs_[n].complete());
    }
    /* Records the transfers of the coming clock edge. */
    bool transfer(uint64_t cycle) {
        bool moved = false;
        for (size_t n = 0; n < inputs_.size(); n++) {
            Input &i = inputs_[n];
            if (i.taken() || !design_.takes(n))
                continue;
            i.sent++;
            i.cycles.push_back(cycle);
            moved = true;
        }
        for (size_t n = 0; n < outputs_.size(); n++) {
            Output &o = outputs_[n];
            if (o.complete() || !design_.offers(n))
                continue;
            o.take(design_.word(n));
            o.cycles.push_back(cycle);
            moved = true;
        }
        return moved;
    }
    /* Monitors raised in the ended run; each is reported once. */
    void tell_hazards() {
        for (const Hazard &h : design_.hazards())
            if (told_.insert(h).second)
                std::printf("hazard %s %s\n", h.first.c_str(), h.second.c_str());
    }
    [[noreturn]] void explain() {
        std::fprintf(stderr, "no stream moved for %llu cycles [E0801-stuck]\n",
                     static_cast<unsigned long long>(idle_));
        for (const Input &i : inputs_)
            std::fprintf(stderr, "  input column %u: %zu of %zu words taken\n", i.column, i.sent,
                         i.words.size());
        for (const Output &o : outputs_)
            std::fprintf(stderr, "  output column %u: %u of %u blocks, %zu words\n", o.column, o.done,
                         o.blocks, o.words.size());
        std::string waiting = design_.waiting();
        design_.end();
        fail(5, waiting);
    }
    static void put_trace(std::FILE *trace, uint32_t run, const char *kind, unsigned column,
                          const std::vector<uint64_t> &cycles) {
        std::fprintf(trace, "run %u %s %u:", run, kind, column);
        for (uint64_t cycle : cycles)
            std::fprintf(trace, " %llu", static_cast<unsigned long long>(cycle));
        std::fputc('\n', trace);
    }

    Design &design_;
    uint64_t patience_; /* cycles without a word at any stream until the run is stuck */
    std::vector<Input> inputs_;
    std::vector<Output> outputs_;
    uint64_t idle_ = 0; /* cycles since a word moved at a stream */
    std::set<Hazard> told_;
};

/* Runs the job at `job_path`, or its runs "FIRST:END"; optional arguments may be null or empty. */
template <class Design>
void run_job(Design &design, const char *job_path, const char *result_path, const char *trace_path,
             const char *patience, const char *range) {
    JobFile job(job_path);
    JobRun<Design> run(design, patience ? std::strtoull(patience, nullptr, 10) : 2000000);
    OutFile out(result_path, "wb");
    if (trace_path && *trace_path) {
        OutFile trace(trace_path, "w");
        run.run(job, out, &trace, range_of(range));
        trace.close();
    } else {
        run.run(job, out, nullptr, range_of(range));
    }
    out.close();
    design.end();
}

} // namespace onyx

#endif
