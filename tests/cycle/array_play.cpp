#include "array_play.h"

#include "rtl_models/array_glue.h"

#include <vector>

namespace {
struct Progress {
    uint32_t left = 0, blocks = 0; /* outputs: words of the block at hand, blocks complete */
};
} // namespace

void *array_open(const uint32_t *words, uint32_t n) {
    auto *array = new onyx::Array;
    array->set_stall(0xFFFFFFFFu);
    for (uint32_t i = 0; i < n; i++) {
        array->config_write(words[2 * i], words[2 * i + 1]);
        array->step();
    }
    array->step(); /* far rows see the last word now */
    array->set_stall(0);
    return array;
}

void array_close(void *array) {
    delete static_cast<onyx::Array *>(array);
}

static void record(array_stream &s, uint64_t cycle) {
    s.stamp[s.count++] = static_cast<uint32_t>(cycle);
}

bool array_play(void *device, array_stream *streams, uint32_t n, uint64_t limit, uint64_t *cycles) {
    auto &array = *static_cast<onyx::Array *>(device);
    std::vector<Progress> progress(n);
    uint32_t incomplete = 0;
    for (uint32_t i = 0; i < n; i++) {
        streams[i].count = 0;
        incomplete += streams[i].output && streams[i].blocks > 0;
        if (streams[i].output)
            array.from_array_ready(streams[i].column, false);
        else
            array.to_array(streams[i].column, false, 0);
    }
    array.flush(0xFF);
    array.step();
    array.step();
    uint64_t cycle = 0;
    for (; incomplete > 0 && cycle < limit; cycle++) {
        for (uint32_t i = 0; i < n; i++) {
            array_stream &s = streams[i];
            if (s.count == s.most && (s.output || s.count < s.length))
                return false;
            if (!s.output) {
                bool left = s.count < s.length;
                array.to_array(s.column, left, left ? s.words[s.count] : uint16_t{0});
                if (left && array.to_array_ready(s.column))
                    record(s, cycle);
                continue;
            }
            Progress &p = progress[i];
            bool ready = p.blocks < s.blocks;
            array.from_array_ready(s.column, ready);
            if (!ready || !array.from_array_valid(s.column))
                continue;
            uint16_t word = array.from_array_data(s.column);
            s.got[s.count] = word;
            record(s, cycle);
            p.left = p.left == 0 ? word : p.left - 1;
            if (p.left == 0 && ++p.blocks == s.blocks)
                incomplete--;
        }
        if (!array.step())
            return false;
    }
    *cycles = cycle;
    return incomplete == 0;
}
