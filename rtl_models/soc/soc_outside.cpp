/* soc_outside.cpp - what is seen of Soc from outside, without time: memory, counters, reports. */
#include "rtl_models/soc/soc_int.h"

namespace onyx {

void Soc::load(uint32_t address, const uint8_t *from, size_t bytes) {
    state_->note_host(address, bytes);
    for (size_t i = 0; i < bytes; i++, address++) {
        QData &word = state_->bank(address)[state_->faulty(address) % BANK_BYTES / 8];
        unsigned shift = 8 * (address % 8);
        word = (word & ~(QData{0xFF} << shift)) | QData{from[i]} << shift;
    }
}

void Soc::dump(uint32_t address, uint8_t *to, size_t bytes) const {
    state_->note_host(address, bytes);
    for (size_t i = 0; i < bytes; i++, address++)
        to[i] = static_cast<uint8_t>(state_->bank(address)[state_->faulty(address) % BANK_BYTES / 8] >>
                                     8 * (address % 8));
}

bool Soc::buffer_in_reset() const {
    return !state_->chip.array_rst_no;
}
bool Soc::interrupt() const {
    return state_->chip.irq_o;
}
uint64_t Soc::cycles() const {
    return state_->cycles;
}
uint64_t Soc::array_cycles() const {
    return state_->busy_before + state_->array.busy_cycles();
}
uint64_t Soc::evaluations() const {
    return state_->evaluations_before + state_->array.evaluations();
}
uint64_t Soc::progress() const {
    return state_->progress + (state_->dense != nullptr ? dense_side_progress(state_->dense) : 0);
}
uint64_t Soc::runs() const {
    return state_->runs_forgotten + state_->run_starts.size();
}
uint64_t Soc::run_cycles(uint64_t run) const {
    return state_->run_cycles.at(run - state_->runs_forgotten);
}
void Soc::forget_runs() {
    state_->runs_forgotten = runs();
    state_->run_starts.clear();
    state_->run_cycles.clear();
}
const Switch &Soc::last_switch() const {
    return state_->last_switch;
}
uint64_t Soc::kernel_cycles() const {
    return state_->kernel_cycles;
}
void Soc::watch(Watcher watcher) {
    state_->watcher = std::move(watcher);
    state_->array.watch([s = state_.get()](uint64_t, unsigned x, unsigned y, unsigned port, bool offered,
                                           bool room, bool moves, uint32_t token) {
        s->watcher(s->cycles, x, y, port, offered, room, moves, token);
    });
}
uint32_t Soc::hazards(unsigned x, unsigned y) const {
    return state_->array.hazards(x, y);
}
const std::vector<Collision> &Soc::collisions() const {
    return state_->collisions;
}
const std::string &Soc::error() const {
    if (state_->dense == nullptr)
        return state_->array.error();
    return state_->dense_error = dense_side_error(state_->dense);
}
bool Soc::dense_stream(uint32_t i, dense_side_stream *out) const {
    return state_->dense != nullptr && dense_side_stream_at(state_->dense, i, out);
}

std::string Soc::describe_stuck() const {
    const State &s = *state_;
    std::string text;
    for (unsigned t = 0; t < TILES; t++) {
        std::string tile = " of GLB tile " + std::to_string(t);
        if (s.loads[t].open) {
            unsigned column = 2 * t + s.is_offered(2 * t + 1);
            bool offers = s.is_offered(column);
            text += "load" + tile + ": the array took " + std::to_string(s.loads[t].words) + " words; ";
            text += offers ? "the next one is not taken by column " + std::to_string(column) + "\n"
                           : "no word is offered\n";
        }
        if (s.stores[t].open) {
            text += "store" + tile + ": " + std::to_string(s.stores[t].words) + " words came; ";
            text += s.has_room(2 * t) || s.has_room(2 * t + 1) ? "it waits for more\n" : "it takes none\n";
        }
        if (s.configs[t].open)
            text += "configuration DMA" + tile + " has not finished\n";
    }
    return text + s.array.describe_waiting();
}

} // namespace onyx
