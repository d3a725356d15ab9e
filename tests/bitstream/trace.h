/* trace.h - one stimulus for two forms of a design, the configured array and its netlist: words fed by column
 * with random gaps, outputs taken with random stalls, every handshake of every cycle printed.
 *
 * A Dut has: void offer(column, valid, word); bool taken(column); void accept(column, ready); bool
 * given(column); unsigned word(column); void settle() after the inputs changed; void edge().
 */
#ifndef ONYX_TESTS_TRACE_H
#define ONYX_TESTS_TRACE_H

#include <cstdint>
#include <cstdio>
#include <vector>

struct TraceInput {
    unsigned column;
    std::vector<uint16_t> words;
    size_t next;
};

struct TraceStimulus {
    std::vector<TraceInput> inputs;
    std::vector<unsigned> outputs; /* columns */
    unsigned cycles, stall_percent, seed;
};

/* File: cycles stall_percent seed; number of inputs, each: column count words...; number of outputs, columns.
 */
inline bool trace_read(const char *path, TraceStimulus &s) {
    FILE *in = std::fopen(path, "r");
    unsigned inputs = 0, outputs = 0;
    bool good = in && std::fscanf(in, "%u %u %u %u", &s.cycles, &s.stall_percent, &s.seed, &inputs) == 4;
    for (unsigned i = 0; good && i < inputs; i++) {
        unsigned column = 0, count = 0, word = 0;
        good = std::fscanf(in, "%u %u", &column, &count) == 2;
        s.inputs.push_back(TraceInput{column, {}, 0});
        for (unsigned k = 0; good && k < count; k++) {
            good = std::fscanf(in, "%u", &word) == 1;
            s.inputs.back().words.push_back(static_cast<uint16_t>(word));
        }
    }
    good = good && std::fscanf(in, "%u", &outputs) == 1;
    for (unsigned i = 0; good && i < outputs; i++) {
        unsigned column = 0;
        good = std::fscanf(in, "%u", &column) == 1;
        s.outputs.push_back(column);
    }
    if (in)
        std::fclose(in);
    return good;
}

/* Whether a stream moves in this cycle: a function of cycle and column alone (splitmix64 finaliser), hence
 * equal in both runs. */
inline bool trace_go(const TraceStimulus &s, unsigned cycle, unsigned column) {
    uint64_t z = (static_cast<uint64_t>(s.seed) << 40) + (static_cast<uint64_t>(cycle) << 8) + column;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (z ^ (z >> 31)) % 100 >= s.stall_percent;
}

template <class Dut> void trace_run(Dut &dut, TraceStimulus &s, FILE *out) {
    for (unsigned cycle = 0; cycle < s.cycles; cycle++) {
        for (TraceInput &in : s.inputs) {
            bool valid = in.next < in.words.size() && trace_go(s, cycle, in.column);
            dut.offer(in.column, valid, valid ? in.words[in.next] : 0);
        }
        for (unsigned column : s.outputs)
            dut.accept(column, trace_go(s, cycle, column));
        dut.settle();
        std::fprintf(out, "%u", cycle);
        for (TraceInput &in : s.inputs) {
            bool moves = dut.taken(in.column) && in.next < in.words.size() && trace_go(s, cycle, in.column);
            std::fprintf(out, " %c", moves ? 'T' : dut.taken(in.column) ? 'r' : '-');
            in.next += moves;
        }
        for (unsigned column : s.outputs) {
            if (dut.given(column))
                std::fprintf(out, " %04X%c", dut.word(column), trace_go(s, cycle, column) ? '!' : ' ');
            else
                std::fprintf(out, " ----");
        }
        std::fputc('\n', out);
        dut.edge();
    }
}

#endif
