/* Runs a configured array, as a tile library (array_glue.h), on a job file: the RTL of every configured tile,
 * set up by the words of the bitstream through the array's configuration bus. Usage: onyx-array ARRAY JOB
 * RESULT [TRACE] [PATIENCE], the last four as for design_main.cpp, as is what it prints and how it exits.
 * ARRAY is a text, a line each:
 *
 *   array WIDTH HEIGHT MEM_PERIOD MEM_PHASE   first
 *   in X | out X                              IO columns, in the order of the job's streams
 *   tile X Y NAME                             how a tile is called
 *   word ADDRESS DATA                         of the bitstream, hexadecimal, in its order
 *
 * A program of the dense fabric: onyx-array --dense and the files of dense_job.h.
 */
#include "rtl_models/soc/job_run.h"

#include <fstream>
#include <sstream>

#include "cli/models/dense_job.h"
#include "rtl_models/soc/array_glue.h"

namespace {

const char *const kHazards[] = {
#define HAZARD(kind, name, tile, what, help) name,
/* clang-format off */
#include "boards/onyx/hazards.def"
/* clang-format on */
#undef HAZARD
};

constexpr unsigned kSettle = 16; /* cycles between the last word of the configuration and the first flush */

struct Tile {
    unsigned x, y;
    std::string name;
};

class TileLibrary {
  public:
    explicit TileLibrary(const char *path) {
        std::ifstream file(path);
        std::string kind;
        unsigned width = 0, height = 0, period = 0, phase = 0;
        if (!(file >> kind >> width >> height >> period >> phase) || kind != "array" || period == 0)
            onyx::fail(1, std::string("not an array: ") + path);
        array_ = std::make_unique<onyx::Array>(width, height, period, phase);
        array_->set_stall(~0u);
        for (std::string line; std::getline(file, line);)
            read(line, path);
        array_->step(); /* the last word may be for a far row */
        array_->set_stall(0);
        for (unsigned i = 0; i < kSettle; i++)
            clock();
    }

    std::vector<unsigned> columns(bool output) const { return output ? outputs_ : inputs_; }
    void offer(size_t n, bool valid, uint16_t data) { array_->to_array(inputs_[n], valid, data); }
    void accept(size_t n, bool ready) { array_->from_array_ready(outputs_[n], ready); }
    bool takes(size_t n) const { return array_->to_array_ready(inputs_[n]); }
    bool offers(size_t n) const { return array_->from_array_valid(outputs_[n]); }
    uint16_t word(size_t n) const { return array_->from_array_data(outputs_[n]); }
    void flush(bool on) { array_->flush(on ? ~0u : 0); }
    void clock() {
        uint64_t before = array_->evaluations();
        if (!array_->step())
            onyx::fail(5, array_->error());
        rests_ = array_->evaluations() == before;
    }
    std::vector<onyx::Hazard> hazards() const {
        std::vector<onyx::Hazard> raised;
        for (const Tile &t : tiles_)
            for (size_t h = 0; h < sizeof kHazards / sizeof *kHazards; h++)
                if (array_->hazards(t.x, t.y) >> h & 1)
                    raised.push_back({kHazards[h], t.name});
        return raised;
    }
    /* A cycle without an evaluated tile means a finished array. */
    bool rests() const { return rests_; }
    std::string waiting() const { return array_->describe_waiting(); }
    void end() {}

  private:
    void read(const std::string &line, const char *path) {
        std::istringstream words(line);
        std::string kind;
        unsigned a = 0, b = 0;
        if (!(words >> kind))
            return;
        bool hex = kind == "word", one = kind == "in" || kind == "out";
        if (hex)
            words >> std::hex;
        words >> a;
        if (!one)
            words >> b;
        if (!words)
            onyx::fail(1, std::string("not an array: ") + path + ": " + line);
        if (kind == "in") {
            inputs_.push_back(a);
        } else if (kind == "out") {
            outputs_.push_back(a);
        } else if (hex) {
            array_->config_write(a, b);
            array_->step();
        } else {
            std::string name;
            words >> name;
            tiles_.push_back({a, b, "x" + std::to_string(a) + "y" + std::to_string(b) + " " + name});
        }
    }

    std::unique_ptr<onyx::Array> array_;
    std::vector<unsigned> inputs_, outputs_;
    std::vector<Tile> tiles_;
    bool rests_ = false;
};

} // namespace

int main(int argc, char **argv) {
    if (argc == 2 + DENSE_JOB_FILES && std::string(argv[1]) == "--dense")
        return dense_job_run(argv + 2);
    if (argc < 4 || argc > 7)
        onyx::fail(1, "usage: onyx-array ARRAY JOB RESULT [TRACE] [PATIENCE] [FIRST:END]");
    TileLibrary library(argv[1]);
    onyx::run_job(library, argv[2], argv[3], argc > 4 ? argv[4] : nullptr, argc > 5 ? argv[5] : nullptr,
                  argc > 6 ? argv[6] : nullptr);
    return 0;
}
