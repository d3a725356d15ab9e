/* array_glue.cpp - see array_glue.h.
 *
 * A step: changed nets set the inputs of their units; units with a changed input, and units still at work,
 * see a clock edge; a changed output marks its net for the next step. Nothing inside a unit is combinational:
 * the order of units does not matter.
 */
#include "rtl_models/soc/array_glue.h"

#include <algorithm>

#include "rtl_models/soc/array_routes.h"

namespace onyx {

struct Array::State {
    Array &pins;
    unsigned width, height, mem_period, mem_phase;
    VerilatedContext context;
    Routes::Sites sites;
    std::vector<Unit *> units;    /* configured ones */
    std::vector<IoPort> io;       /* [x] */
    std::vector<Unit *> io_units; /* [x]; null: not configured */
    Routes routes;
    Awake awake;
    bool routes_known = false;
    uint32_t flushed = 0, far_flushed = 0; /* groups whose units still have flush set */
    uint64_t busy_cycles = 0;

    State(Array &array, unsigned w, unsigned h, unsigned period, unsigned phase)
        : pins(array), width(w), height(h), mem_period(period), mem_phase(phase) {
        clear();
    }
    ~State() { Verilated::threadContextp(&context); }
    State(const State &) = delete;
    State &operator=(const State &) = delete;

    /* (Models with public signals sign off at the thread's context, which may be another, deleted array's.)
     */
    void clear() {
        Verilated::threadContextp(&context);
        awake.clear();
        units.clear();
        sites.clear();
        sites.resize(static_cast<size_t>(width) * (height + 1));
        routes.reset(width, height);
        routes_known = false;
        io.assign(width, IoPort());
        io_units.assign(width, nullptr);
        pins.clear_pins(width);
        flushed = far_flushed = 0;
        busy_cycles = 0;
    }

    bool inside(unsigned x, unsigned y) const { return x < width && y <= height; }
    Unit *at(unsigned x, unsigned y) const { return inside(x, y) ? sites[y * width + x].get() : nullptr; }
    bool some_column_runs() const {
        return (~pins.stalled & (width < 32 ? (uint32_t{1} << width) - 1 : ~uint32_t{0})) != 0;
    }

    Unit *build(unsigned x, unsigned y);
    void apply_port(unsigned x);
    Unit *addressed(const Bus &b, bool far);
    void put_word(Unit *u, const Bus &b);
    void word_is_written(Unit *u, const Bus &b);
    void set_flush(uint32_t groups, uint32_t &before, bool far);
    bool mark_changes(Unit &u);
    void edge();
    bool step();
};

Unit *Array::State::build(unsigned x, unsigned y) {
    std::unique_ptr<Unit> &site = sites[y * width + x];
    site = make_unit(&context, x, y, x % mem_period == mem_phase, &io[x]);
    std::fill_n(site->known.in_net, Unit::INPUTS, Routes::NO_NET);
    std::fill_n(site->known.out_net, Unit::OUTPUTS, Routes::NO_NET);
    site->control.set_stall(in_mask(pins.stalled, x));
    if (y == 0) {
        io_units[x] = site.get();
        apply_port(x);
    }
    units.push_back(site.get());
    awake.add(*site);
    routes_known = false;
    return site.get();
}

/* The global buffer's side of an IO tile. */
void Array::State::apply_port(unsigned x) {
    Unit *u = io_units[x];
    const Port &p = pins.ports[x];
    if (u == nullptr)
        return;
    IoPort &to = io[x];
    bool offer = *to.to_ready != 0 && ((*to.to_valid != 0) != p.valid || (p.valid && *to.to_data != p.data));
    bool take = *to.from_valid != 0 && (*to.from_ready != 0) != p.ready;
    if (offer || take)
        awake.wake(*u);
    *to.to_valid = p.valid;
    *to.to_data = p.data;
    *to.from_ready = p.ready;
}

/* The tile addressed by a word on a bus, built on first use. */
Unit *Array::State::addressed(const Bus &b, bool far) {
    if (!b.write || !inside(b.x(), b.y()) || b.is_far() != far)
        return nullptr;
    Unit *u = at(b.x(), b.y());
    return u != nullptr ? u : build(b.x(), b.y());
}

void Array::State::put_word(Unit *u, const Bus &b) {
    if (u == nullptr)
        return;
    awake.wake(*u);
    u->control.write(b.address, b.data);
}

void Array::State::word_is_written(Unit *u, const Bus &b) {
    if (u == nullptr)
        return;
    awake.wake(*u);
    u->control.idle();
    u->note(b.feature(), b.reg(), b.data);
    routes_known = false;
}

/* Flush inputs of the rows above or below; `before` are the groups set now. */
void Array::State::set_flush(uint32_t groups, uint32_t &before, bool far) {
    if (groups == before)
        return;
    before = groups;
    for (Unit *u : units) {
        bool now = in_mask(groups, u->x / 4);
        if ((u->y > ONYX_NEAR_ROWS) != far || u->control.flush() == now)
            continue;
        if (now && u->known.flushed)
            u->known.raised |= u->hazards();
        u->known.flushed = u->known.flushed || now;
        awake.wake(*u);
        u->control.set_flush(now);
    }
}

/* Marks the nets of the changed ports of u. */
bool Array::State::mark_changes(Unit &u) {
    bool any = false;
    for (unsigned i = 0; i < Unit::INPUTS && u.in[i].ready != nullptr; i++) {
        if (*u.in[i].ready == u.known.last_ready[i])
            continue;
        u.known.last_ready[i] = *u.in[i].ready;
        routes.mark(u.known.in_net[i]);
        any = true;
    }
    for (unsigned i = 0; i < Unit::OUTPUTS && u.out[i].token != nullptr; i++) {
        if (*u.out[i].token == u.known.last[i])
            continue;
        u.known.last[i] = *u.out[i].token;
        routes.mark(u.known.out_net[i]);
        any = true;
    }
    return any;
}

void Array::State::edge() {
    std::vector<Unit *> &awake_units = awake.units;
    size_t kept = 0;
    busy_cycles += !awake_units.empty();
    awake.evaluations += awake_units.size();
    for (size_t i = 0; i < awake_units.size(); i++) {
        Unit &u = *awake_units[i];
        u.edge();
        bool changed = mark_changes(u);
        if (!awake.may_sleep(u, changed))
            awake_units[kept++] = &u;
    }
    awake_units.resize(kept);
    awake.cycles++;
}

bool Array::State::step() {
    if (!pins.failure.empty())
        return false;
    Unit *target[2] = {addressed(pins.bus, false), addressed(pins.far_bus, true)};
    if (!routes_known && some_column_runs()) {
        if (!routes.compile(sites, awake, &pins.failure))
            return false;
        routes_known = true;
    }
    put_word(target[0], pins.bus);
    put_word(target[1], pins.far_bus);
    set_flush(pins.bus.flush, flushed, false);
    set_flush(pins.far_bus.flush, far_flushed, true);
    if (some_column_runs())
        routes.settle_all(pins.stalled, awake);
    edge();
    word_is_written(target[0], pins.bus);
    word_is_written(target[1], pins.far_bus);
    pins.end_of_step();
    return true;
}

Array::Array(unsigned width, unsigned height, unsigned mem_period, unsigned mem_phase)
    : state_(std::make_unique<State>(*this, width, height, mem_period, mem_phase)) {}
Array::~Array() {
    VerilatedContext *others = Verilated::threadContextp();
    state_.reset();
    Verilated::threadContextp(others); /* whoever owns this array may have models of its own to destroy */
}
void Array::reset() {
    state_->clear();
}

uint32_t Array::config_read(uint32_t address) {
    Unit *u = state_->at(address >> 8 & 0xFF, address & 0xFF);
    if (u == nullptr)
        return 0;
    unsigned feature = address >> 16 & 0xFF;
    bool sram = u->memory && (feature == 1 || feature == 2);
    bool stall = u->control.stall();
    state_->awake.wake(*u);
    u->control.read(address);
    if (sram) { /* an edge of this tile alone, its core and registers stopped */
        u->control.set_stall(true);
        u->edge();
    }
    u->evaluate();
    uint32_t result = *u->config_result;
    u->control.idle();
    u->control.set_stall(stall);
    return result;
}

void Array::set_stall(uint32_t columns) {
    stalled = columns;
    state_->routes.mark_all();
    for (Unit *u : state_->units) {
        bool now = in_mask(columns, u->x);
        if (now == u->control.stall())
            continue;
        state_->awake.wake(*u);
        u->control.set_stall(now);
    }
}

void Array::port_is_set(unsigned column) {
    state_->apply_port(column);
}
bool Array::to_array_ready(unsigned column) const {
    return state_->io_units[column] != nullptr && *state_->io[column].to_ready;
}
bool Array::from_array_valid(unsigned column) const {
    return state_->io_units[column] != nullptr && *state_->io[column].from_valid;
}
uint16_t Array::from_array_data(unsigned column) const {
    return state_->io_units[column] != nullptr ? *state_->io[column].from_data : uint16_t{0};
}

void Array::watch(Watcher watcher) {
    state_->routes.watch(std::move(watcher));
    state_->routes.mark_all();
}

bool Array::step() {
    return state_->step();
}

std::string Array::describe_waiting() const {
    std::string text;
    for (const std::unique_ptr<Unit> &u : state_->sites) {
        std::string waits = u ? state_->routes.waiting(*u, state_->sites) : std::string();
        if (!waits.empty())
            text += "x" + std::to_string(u->x) + "y" + std::to_string(u->y) + " " + u->kind() + ":" + waits +
                    " waits\n";
    }
    return text;
}

uint32_t Array::hazards(unsigned x, unsigned y) const {
    const Unit *u = state_->at(x, y);
    return u != nullptr && u->known.flushed ? u->known.raised | u->hazards() : 0;
}

uint64_t Array::cycles() const {
    return state_->awake.cycles;
}
uint64_t Array::busy_cycles() const {
    return state_->busy_cycles;
}
uint64_t Array::evaluations() const {
    return state_->awake.evaluations;
}
unsigned Array::tiles() const {
    return static_cast<unsigned>(state_->units.size());
}

} // namespace onyx
