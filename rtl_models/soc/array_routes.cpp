/* array_routes.cpp - see array_routes.h. */
#include "rtl_models/soc/array_routes.h"

#include <map>

namespace onyx {
namespace {

enum Side { EAST, SOUTH, WEST, NORTH, SIDES };
constexpr unsigned OPPOSITE[SIDES] = {WEST, NORTH, EAST, SOUTH};
constexpr unsigned TRACKS = ONYX_TRACKS;
constexpr unsigned WIRES = ONYX_SELECTS; /* of an output; higher selects are core outputs */

/* The settings of a switch-box output. */
struct Fields {
    bool enable, rmux, fifo, start, end;
    unsigned select;
};
Fields fields_of(const Unit &u, unsigned side, unsigned track) {
    const onyx_switch_bits &at = onyx_switch_bit[TRACKS * side + track];
    Fields f = {u.switch_bit(at.enable), u.switch_bit(at.rmux), u.switch_bit(at.fifo),
                u.switch_bit(at.start),  u.switch_bit(at.end),  0};
    for (unsigned i = 0; i < 3; i++)
        f.select |= static_cast<unsigned>(u.switch_bit(at.select + i)) << i;
    return f;
}

} // namespace

void Routes::reset(unsigned width, unsigned height) {
    width_ = width;
    height_ = height;
    registers_.assign(static_cast<size_t>(width) * (height + 1), {});
    segments_.clear();
    sinks_.clear();
    nets_.clear();
    marked_.clear();
}

/* ---- from the configuration to nets ------------------------------------------------------------ */

/* Follows every listener back to its driver, and lays the drivers out net by net. */
struct Routes::Builder {
    Routes &r;
    const Sites &sites;
    std::vector<Segment> drivers;                /* in order of discovery */
    std::vector<std::vector<Sink>> sinks;        /* of each driver */
    std::vector<std::vector<uint32_t>> children; /* its register sinks, as drivers */
    std::map<const Register *, uint32_t> of_register;
    std::map<std::pair<const Unit *, unsigned>, uint32_t> of_port;
    const Unit *loop_at = nullptr;

    Unit *neighbour(const Unit &u, unsigned side) const {
        return r.at(sites, u.x + (side == EAST) - (side == WEST), u.y + (side == SOUTH) - (side == NORTH));
    }
    Register *reg(const Unit &u, unsigned side, unsigned track) const {
        return &r.registers_[u.y * r.width_ + u.x][TRACKS * side + track];
    }

    uint32_t add(const Segment &s) {
        drivers.push_back(s);
        sinks.emplace_back();
        children.emplace_back();
        return static_cast<uint32_t>(drivers.size() - 1);
    }

    /* The driver passed on by the multiplexer of an output. */
    Driver behind_output(Unit &u, unsigned side, unsigned track, unsigned hops) {
        Fields f = fields_of(u, side, track);
        if (!f.enable)
            return {};
        if (f.select < WIRES) {
            unsigned wire = onyx_switch_input[TRACKS * side + track][f.select];
            return behind_wire(u, wire / TRACKS, wire % TRACKS, hops + 1);
        }
        unsigned port = f.select - WIRES;
        return port < Unit::OUTPUTS ? Driver{&u, port, nullptr} : Driver{};
    }
    /* The driver of the wire arriving at u. */
    Driver behind_wire(Unit &u, unsigned side, unsigned track, unsigned hops) {
        Unit *n = neighbour(u, side);
        if (n == nullptr)
            return {};
        if (n->y == 0)
            return {n, 0, nullptr};
        Fields f = fields_of(*n, OPPOSITE[side], track);
        if (f.rmux)
            return {nullptr, 0, reg(*n, OPPOSITE[side], track)};
        if (hops > r.registers_.size() * OUTS) {
            loop_at = &u;
            return {};
        }
        return behind_output(*n, OPPOSITE[side], track, hops);
    }

    /* The segment of a driver; UINT32_MAX for none. All registers have segments by this time. */
    uint32_t segment_of(const Driver &d) {
        if (d.reg != nullptr)
            return of_register.at(d.reg);
        if (d.unit == nullptr)
            return UINT32_MAX;
        auto found = of_port.find({d.unit, d.port});
        if (found != of_port.end())
            return found->second;
        Segment s;
        s.unit = d.unit;
        s.port = d.port;
        return of_port[{d.unit, d.port}] = add(s);
    }

    void add_registers(const Unit &u) {
        for (unsigned side = 0; side < SIDES; side++)
            for (unsigned track = 0; track < TRACKS; track++) {
                Fields f = fields_of(u, side, track);
                if (!f.rmux)
                    continue;
                Segment s;
                s.x = u.x;
                s.reg = reg(u, side, track);
                s.enabled = f.enable;
                s.fifo = f.fifo;
                s.start = f.start;
                s.end = f.end;
                of_register[s.reg] = add(s);
            }
    }
    /* Beyond the edge of the array, and at an IO tile but for its track 0, nothing is ever taken. */
    bool takes_nothing(const Unit &u, unsigned side, unsigned track) const {
        unsigned nx = u.x + (side == EAST) - (side == WEST), ny = u.y + (side == SOUTH) - (side == NORTH);
        if (nx >= r.width_ || ny > r.height_)
            return true;
        return ny == 0 && (track != 0 || neighbour(u, side) == nullptr);
    }
    void listen_outputs(Unit &u) {
        for (unsigned side = 0; side < SIDES; side++)
            for (unsigned track = 0; track < TRACKS; track++) {
                Fields f = fields_of(u, side, track);
                uint32_t driver = segment_of(behind_output(u, side, track, 0));
                if (f.rmux) {
                    uint32_t own = of_register.at(reg(u, side, track));
                    drivers[own].orphan = driver == UINT32_MAX;
                    if (driver != UINT32_MAX)
                        children[driver].push_back(own);
                    driver = own;
                }
                if (driver != UINT32_MAX && takes_nothing(u, side, track))
                    drivers[driver].stuck = true;
            }
    }
    void listen_input(Unit &u, unsigned port, unsigned side, unsigned track) {
        uint32_t driver = segment_of(behind_wire(u, side, track, 0));
        if (driver != UINT32_MAX)
            sinks[driver].push_back({&u, port});
    }
    void listen_inputs(Unit &u) {
        for (unsigned port = 0; port < Unit::INPUTS; port++) {
            unsigned word = u.box_word(port), select = word >> 1;
            if ((word & 1) != 0 && select < OUTS)
                listen_input(u, port, onyx_box_side[select % 4], select / 4);
        }
    }
    /* An IO tile receives track 0 of the tile below. */
    void listen_io(Unit &io) {
        Unit *below = neighbour(io, SOUTH);
        if (below != nullptr)
            listen_input(io, 0, SOUTH, 0);
    }

    /* Depth first: parents precede children. */
    void lay_out(uint32_t driver, uint32_t parent, uint32_t net) {
        uint32_t own = static_cast<uint32_t>(r.segments_.size());
        Segment s = drivers[driver];
        s.parent = parent;
        s.first_sink = static_cast<uint32_t>(r.sinks_.size());
        s.sinks = static_cast<uint32_t>(sinks[driver].size());
        for (const Sink &sink : sinks[driver]) {
            sink.unit->known.in_net[sink.port] = net;
            r.sinks_.push_back(sink);
        }
        if (s.unit != nullptr)
            s.unit->known.out_net[s.port] = net;
        r.segments_.push_back(s);
        for (uint32_t child : children[driver])
            lay_out(child, own, net);
    }
    void lay_out_nets() {
        for (uint32_t i = 0; i < drivers.size(); i++) {
            if (drivers[i].unit == nullptr && !drivers[i].orphan)
                continue;
            Net net;
            net.first = static_cast<uint32_t>(r.segments_.size());
            lay_out(i, 0, static_cast<uint32_t>(r.nets_.size()));
            net.segments = static_cast<uint32_t>(r.segments_.size()) - net.first;
            r.nets_.push_back(net);
        }
    }
};

/* Ports without a net: an input hears nothing, an output is always taken. */
static void disconnect(Unit &u, Awake &awake) {
    awake.wake(u);
    for (unsigned i = 0; i < Unit::INPUTS; i++) {
        u.known.in_net[i] = Routes::NO_NET;
        if (u.in[i].token != nullptr)
            *u.in[i].token = 0;
    }
    for (unsigned i = 0; i < Unit::OUTPUTS; i++) {
        u.known.out_net[i] = Routes::NO_NET;
        if (u.out[i].ready != nullptr)
            *u.out[i].ready = 1;
    }
}

bool Routes::compile(const Sites &sites, Awake &awake, std::string *error) {
    segments_.clear();
    sinks_.clear();
    nets_.clear();
    marked_.clear();
    Builder b{*this, sites, {}, {}, {}, {}, {}};
    for (const auto &u : sites)
        if (u && u->y > 0)
            b.add_registers(*u);
    for (const auto &u : sites) {
        if (!u)
            continue;
        disconnect(*u, awake);
        if (u->y == 0) {
            b.listen_io(*u);
        } else {
            b.listen_outputs(*u);
            b.listen_inputs(*u);
        }
    }
    b.lay_out_nets();
    if (b.loop_at != nullptr || segments_.size() != b.drivers.size()) {
        *error = "the configured routes close a loop";
        if (b.loop_at != nullptr)
            *error += " through tile x" + std::to_string(b.loop_at->x) + "y" + std::to_string(b.loop_at->y);
        return false;
    }
    mark_all();
    return true;
}

/* ---- one cycle --------------------------------------------------------------------------------- */

void Routes::mark_all() {
    for (uint32_t i = 0; i < nets_.size(); i++)
        mark(i);
}

void Routes::tell(const Segment &s, const Sink &sink, uint64_t cycle) const {
    bool offered = s.unit != nullptr ? (*s.unit->out[s.port].token & VALID) != 0 : s.valid;
    bool room = *sink.unit->in[sink.port].ready != 0;
    watcher_(cycle, sink.unit->x, sink.unit->y, sink.port, offered, room, s.valid && room, s.data);
}

/* Whether a register has changed: the net must be settled again. */
bool Routes::settle(Net &net, uint32_t stalled, Awake &awake) {
    Segment *segments = &segments_[net.first];
    for (uint32_t i = 0; i < net.segments; i++)
        segments[i].ready = !segments[i].stuck;
    for (uint32_t i = net.segments; i-- > 0;) {
        Segment &s = segments[i];
        for (uint32_t k = 0; k < s.sinks; k++) {
            const Sink &sink = sinks_[s.first_sink + k];
            s.ready &= *sink.unit->in[sink.port].ready != 0;
        }
        if (s.reg == nullptr)
            continue;
        s.take = s.fifo ? !s.reg->full || (s.ready && !s.start) : !in_mask(stalled, s.x);
        if (!s.orphan)
            segments_[s.parent].ready &= s.take;
    }

    bool again = false;
    for (uint32_t i = 0; i < net.segments; i++) {
        Segment &s = segments[i];
        if (s.unit != nullptr) {
            Unit::Port &out = s.unit->out[s.port];
            bool offered = (*out.token & VALID) != 0;
            if ((*out.ready != 0) != s.ready) {
                if (offered)
                    awake.wake(*s.unit);
                *out.ready = s.ready;
            }
            s.valid = offered && s.ready;
            s.data = *out.token & TOKEN;
        } else {
            bool in_valid = !s.orphan && segments_[s.parent].valid, runs = !in_mask(stalled, s.x);
            IData in_data = s.orphan ? 0 : segments_[s.parent].data;
            Register &q = *s.reg, before = q;
            s.valid = s.enabled && (s.fifo ? q.full || (in_valid && !s.end) : runs);
            s.data = !s.enabled ? 0 : s.fifo && !q.full && !s.end ? in_data : q.value;
            if (runs && !s.fifo)
                q.value = in_data;
            else if (runs && in_valid && s.take && (q.full || s.end || !s.ready))
                q = {true, in_data};
            else if (runs && s.ready)
                q.full = false;
            again |= q.full != before.full || q.value != before.value;
        }
        for (uint32_t k = 0; k < s.sinks; k++) {
            const Sink &sink = sinks_[s.first_sink + k];
            const Unit::Port &in = sink.unit->in[sink.port];
            IData token = (s.valid ? VALID : 0) | s.data, counts = s.valid ? VALID | TOKEN : VALID;
            if (((*in.token ^ token) & counts) != 0 && *in.ready != 0)
                awake.wake(*sink.unit);
            *in.token = token;
            if (watcher_)
                tell(s, sink, awake.cycles);
        }
    }
    return again;
}

void Routes::settle_all(uint32_t stalled, Awake &awake) {
    settling_.swap(marked_);
    for (uint32_t net : settling_) {
        nets_[net].marked = false;
        if (settle(nets_[net], stalled, awake))
            mark(net);
    }
    settling_.clear();
}

/* ---- for messages ------------------------------------------------------------------------------ */

std::string Routes::waiting(Unit &u, const Sites &sites) {
    static const char *const names[SIDES] = {"east", "south", "west", "north"};
    std::string text;
    if (u.y == 0)
        return text;
    Builder b{*this, sites, {}, {}, {}, {}, {}};
    for (unsigned side = 0; side < SIDES; side++)
        for (unsigned track = 0; track < TRACKS; track++) {
            Fields f = fields_of(u, side, track);
            if (!f.enable)
                continue;
            Driver d = b.behind_output(u, side, track, 0);
            const Register *own = f.rmux ? b.reg(u, side, track) : d.reg;
            for (const Segment &s : segments_) {
                bool mine =
                    own != nullptr ? s.reg == own : s.unit != nullptr && s.unit == d.unit && s.port == d.port;
                bool holds = s.unit != nullptr ? (*s.unit->out[s.port].token & VALID) != 0 : s.valid;
                if (mine && holds && !s.ready)
                    text +=
                        std::string(text.empty() ? " " : ", ") + names[side] + " " + std::to_string(track);
            }
        }
    return text;
}

} // namespace onyx
