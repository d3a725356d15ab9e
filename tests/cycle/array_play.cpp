#include "array_play.h"

#include <vector>

#ifdef ONYX_WHOLE_ARRAY
#include "tests/rtl_fabric/whole_array.h"
using Array = WholeArray;
#else
#include "rtl_models/soc/array_glue.h"
using onyx::Array;
#endif

/* Steps of a flush: far rows see the flush in the second step. Recorded kernels have no flush, and began
 * after the first step. */
#ifdef ONYX_RECORDED
enum { kFlushSteps = 1 };
#else
enum { kFlushSteps = 2 };
#endif

namespace {
struct Progress {
    uint32_t remaining = 0, blocks = 0; /* outputs: words of the block at hand, blocks complete */
};
} // namespace

void *array_open(const uint32_t *words, uint32_t n) {
    auto *array = new Array;
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
    delete static_cast<Array *>(array);
}

uint32_t array_hazards(const void *array, uint32_t x, uint32_t y) {
    return static_cast<const Array *>(array)->hazards(x, y);
}

static void record(array_stream &s, uint64_t cycle) {
    s.stamp[s.count++] = static_cast<uint32_t>(cycle);
}

static bool inputs_left(const array_stream *streams, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (!streams[i].output && streams[i].count < streams[i].length)
            return true;
    return false;
}

namespace {
class Play {
  public:
    Play(Array &array, array_stream *streams, uint32_t n)
        : array_(array), streams_(streams), n_(n), progress_(n) {
        for (uint32_t i = 0; i < n; i++) {
            streams[i].count = 0;
            incomplete_ += streams[i].output && streams[i].blocks > 0;
            if (streams[i].output)
                array.from_array_ready(streams[i].column, false);
            else
                array.to_array(streams[i].column, false, 0);
        }
        array.flush(0xFF);
        for (int step = 0; step < kFlushSteps; step++)
            array.step();
    }
    uint32_t incomplete() const { return incomplete_; }
    /* False where a stream has no room for a word, or the array stops. */
    bool cycle(uint64_t now) {
        for (uint32_t i = 0; i < n_; i++) {
            array_stream &s = streams_[i];
            if (s.count == s.most && (s.output ? progress_[i].blocks < s.blocks : s.count < s.length))
                return false;
            if (s.output)
                take(s, progress_[i], now);
            else
                offer(s, now);
        }
        return array_.step();
    }

  private:
    void offer(array_stream &s, uint64_t now) {
        bool remaining = s.count < s.length;
        array_.to_array(s.column, remaining, remaining ? s.words[s.count] : uint16_t{0});
        if (remaining && array_.to_array_ready(s.column))
            record(s, now);
    }
    void take(array_stream &s, Progress &p, uint64_t now) {
        bool ready = p.blocks < s.blocks;
        array_.from_array_ready(s.column, ready);
        if (!ready || !array_.from_array_valid(s.column))
            return;
        uint16_t word = array_.from_array_data(s.column);
        s.got[s.count] = word;
        record(s, now);
        p.remaining = p.remaining == 0 ? word : p.remaining - 1;
        if (p.remaining == 0 && ++p.blocks == s.blocks)
            incomplete_--;
    }

    Array &array_;
    array_stream *streams_;
    uint32_t n_, incomplete_ = 0;
    std::vector<Progress> progress_;
};

constexpr uint64_t kDrain = 128;    /* as design_main.cpp */
constexpr uint64_t kRest = 1 << 20; /* cycles for the inputs' rest */
} // namespace

bool array_play(void *device, array_stream *streams, uint32_t n, uint64_t limit, uint64_t *cycles) {
    Play play(*static_cast<Array *>(device), streams, n);
    uint64_t now = 0;
    for (; play.incomplete() > 0 && now < limit; now++)
        if (!play.cycle(now))
            return false;
    *cycles = now;
    if (play.incomplete() > 0)
        return false;
    for (; inputs_left(streams, n); now++)
        if (now >= limit + kRest || !play.cycle(now))
            return false;
    for (uint64_t end = now + kDrain; now < end; now++)
        if (!play.cycle(now))
            return false;
    return true;
}
