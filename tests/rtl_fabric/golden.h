/* golden.h - runs the kernels of the golden array (bitstream and JSON) on anything that is an array: the tile
 * library or a verilated onyx_array. */
#ifndef ONYX_TESTS_GOLDEN_H
#define ONYX_TESTS_GOLDEN_H

#include <cjson/cJSON.h>

#include <cstdint>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace golden {

static const char *const KERNELS[] = {
    "mat_identity", "mat_identity_pipe", "vec_elemmul",       "vec_elemmul_pipe",
    "vec_elemadd",  "vec_elemadd_pipe",  "mat_elemadd",       "mat_elemadd_pipe",
    "mat_elemmul",  "mat_elemmul_pipe",  "matmul_ijk_nodrop", "matmul_ijk_nodrop_pipe",
};

using Streams = std::map<unsigned, std::vector<uint16_t>>; /* by IO column */

struct Kernel {
    std::vector<std::pair<uint32_t, uint32_t>> words;
    Streams inputs, expected;
    long total_cycles = 0;
};

inline std::string read_file(const std::string &path) {
    std::ifstream in(path);
    std::stringstream all;
    all << in.rdbuf();
    return in ? all.str() : std::string();
}

inline Streams streams(const cJSON *object) {
    Streams out;
    for (const cJSON *list = object->child; list != nullptr; list = list->next)
        for (const cJSON *word = list->child; word != nullptr; word = word->next)
            out[static_cast<unsigned>(std::stoul(list->string))].push_back(
                static_cast<uint16_t>(word->valueint));
    return out;
}

/* False without the files. */
inline bool load(const std::string &stem, Kernel &k) {
    std::istringstream bits(read_file(stem + ".bs"));
    uint32_t address, data;
    while (bits >> std::hex >> address >> data)
        k.words.emplace_back(address, data);
    cJSON *json = cJSON_Parse(read_file(stem + ".json").c_str());
    if (k.words.empty() || json == nullptr)
        return false;
    k.inputs = streams(cJSON_GetObjectItem(json, "inputs"));
    k.expected = streams(cJSON_GetObjectItem(json, "expected"));
    k.total_cycles = static_cast<long>(cJSON_GetObjectItem(json, "golden_total_cycles")->valuedouble);
    cJSON_Delete(json);
    return true;
}

struct Run {
    bool settled = true;
    bool unread = false; /* some input word was not taken when the last output came */
    long cycles = 0;     /* from the first cycle after the flush to the last output word */
    double seconds = 0;  /* processor time of those cycles */
    Streams outputs;
    uint64_t trace = 0xcbf29ce484222325u; /* FNV-1a of (cycle, column, word) of every output word */

    void note(uint64_t value) { trace = (trace ^ value) * 0x100000001b3u; }
};

/* Configures stalled, releases, waits 5 cycles, flushes, then feeds and drains; sinks always ready. Stops
 * when every output has its number of words, or after limit cycles. */
template <class Dut> Run run(Dut &array, const Kernel &k, long limit) {
    Run r;
    array.set_stall(0xFFFFFFFFu);
    for (const auto &w : k.words) {
        array.config_write(w.first, w.second);
        r.settled = array.step() && r.settled;
    }
    r.settled = array.step() && r.settled;
    array.set_stall(0);
    for (int i = 0; i < 5; i++)
        r.settled = array.step() && r.settled;
    array.flush(0xFF);
    r.settled = array.step() && r.settled;

    size_t missing = 0;
    std::map<unsigned, size_t> position;
    for (const auto &out : k.expected) {
        missing += out.second.size();
        array.from_array_ready(out.first, true);
        r.outputs[out.first] = {};
    }
    std::clock_t start = std::clock();
    long cycle = 0;
    for (; missing != 0 && cycle < limit && r.settled; cycle++) {
        for (const auto &in : k.inputs) {
            size_t at = position[in.first];
            bool left = at < in.second.size();
            array.to_array(in.first, left, left ? in.second[at] : uint16_t{0});
            if (left && array.to_array_ready(in.first))
                position[in.first]++;
        }
        for (auto &out : r.outputs) {
            if (!array.from_array_valid(out.first))
                continue;
            out.second.push_back(array.from_array_data(out.first));
            r.note(static_cast<uint64_t>(cycle) << 24 | out.first << 16 | out.second.back());
            if (out.second.size() <= k.expected.at(out.first).size())
                missing--;
        }
        r.settled = array.step();
    }
    r.seconds = static_cast<double>(std::clock() - start + 1) / CLOCKS_PER_SEC;
    r.cycles = cycle;
    for (const auto &in : k.inputs)
        r.unread = r.unread || position[in.first] < in.second.size();
    return r;
}

/* The fault of a run, printed after its figures; "" for none. */
inline const char *verdict(const Kernel &k, const Run &r) {
    if (!r.settled)
        return "  does not settle";
    return r.unread || r.outputs != k.expected ? "  WRONG WORDS" : "";
}

inline double cycles_a_second(const Run &r) {
    return static_cast<double>(r.cycles) / r.seconds;
}

} // namespace golden

#endif
