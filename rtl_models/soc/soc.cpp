/* soc.cpp - see soc.h.
 *
 * All signals between controller, buffer and array come from registers, except two: the buffer's register
 * read data and the array's configuration read data, which follow the controller's address. Hence a cycle is:
 * carry all outputs to the inputs, clock every part; the order of the parts does not matter.
 */
#include "rtl_models/soc/soc_int.h"

#include "Vonyx_glb_tile___024root.h"
#include "firmware/registers.h"
#include "rtl_models/soc/machine_watch.h"

namespace onyx {
namespace {

constexpr unsigned CONFIG_READ_CYCLES = 128; /* until a word of the array has come to the controller */
constexpr unsigned BANKS = 2;                /* of a tile */

/* Losers and winners: the kinds of onyx_glb_tile's collision_o, followed by a DMA (in_use_o) against the
 * host. */
constexpr const char *PROCESSOR = "processor or debug port", *STORE = "store DMA",
                     *CONFIG = "configuration DMA", *LOAD = "load DMA", *HOST = "host";
constexpr struct {
    const char *lost, *to;
} COLLISIONS[] = {{STORE, PROCESSOR}, {CONFIG, PROCESSOR}, {CONFIG, STORE}, {LOAD, PROCESSOR}, {LOAD, STORE},
                  {LOAD, CONFIG},     {PROCESSOR, STORE},  {STORE, HOST},   {CONFIG, HOST},    {LOAD, HOST}};
constexpr unsigned HOST_KINDS = 7; /* from here on */

constexpr uint64_t NO_RUN = UINT64_MAX; /* run of a store started without any load */

} // namespace

/* ---- one cycle ------------------------------------------------------------------------------- */

void Soc::State::reset_array() {
    busy_before += array.busy_cycles();
    evaluations_before += array.evaluations();
    array.reset();
    config.clear();
    stalled = 0;
    if (dense != nullptr)
        dense_side_reset(dense);
}

/* Puts all tiles of the buffer into reset, or releases them: registers and DMAs. Their memory stays. */
void Soc::State::hold_buffer(bool reset) {
    for (unsigned t = 0; t < TILES; t++) {
        tiles[t]->rst_ni = !reset;
        tiles[t]->eval();
        awake[t] = 0;
        loads[t] = stores[t] = configs[t] = Stream();
    }
}

/* The reset of the controller's register resets the array and the buffer. */
void Soc::State::follow_reset() {
    const bool now = !glc.array_rst_no;
    if (now == in_reset)
        return;
    in_reset = now;
    hold_buffer(now);
    if (now)
        reset_array();
}

/* Words the south outputs offer to the columns of their tile, and the controller's own configuration bus. */
void Soc::State::configure_array() {
    for (unsigned t = 0; t < TILES; t++) {
        const Vonyx_glb_tile &m = *tiles[t];
        if (on(t) && m.cfg_south_valid_o && (m.cfg_south_addr_o >> 8 & 0xFF) / 2 == t)
            config.push_back({m.cfg_south_addr_o, m.cfg_south_data_o});
    }
    if (glc.cfg_write_o && !in_reset)
        config.push_back({glc.cfg_addr_o, glc.cfg_data_o});
    if (watcher)
        tell_configuration(!config.empty());
    if (config.empty())
        return;
    if (fault == FAULT_ARRAY_REGISTER && (config.front().address & 0xFFFF) == 0x904)
        config.pop_front();
    else
        configure_word();
    progress++;
    words++;
}

void Soc::State::configure_word() {
    if (dense != nullptr)
        dense_side_configure(dense, config.front().address, config.front().data);
    else
        array.config_write(config.front().address, config.front().data);
    config.pop_front();
}

void Soc::State::tell_configuration(bool moves) const {
    bool open = false;
    for (const Stream &s : configs)
        open = open || s.open;
    watcher(cycles, MACHINE_OUTSIDE, 0, MACHINE_CONFIGURATION, moves, open, moves, 0);
}

/* Both columns of a GLB tile, before this cycle's edge. */
void Soc::State::tell_streams(unsigned t) const {
    const Vonyx_glb_tile &m = *tiles[t];
    for (unsigned column = 2 * t; column < 2 * t + 2 && column < width; column++) {
        const bool odd = column % 2 != 0, here = on(t);
        const bool loads_word = here && (odd ? m.odd_valid_o : m.even_valid_o),
                   is_taken = array.to_array_ready(column);
        const bool comes = array.from_array_valid(column),
                   is_stored = here && (odd ? m.odd_ready_o : m.even_ready_o);
        watcher(cycles, column, 0, MACHINE_LOAD, loads_word, loads_word ? is_taken : loads[t].open,
                loads_word && is_taken, odd ? m.odd_data_o : m.even_data_o);
        watcher(cycles, column, 0, MACHINE_STORE, comes, comes ? is_stored : stores[t].open,
                comes && is_stored, array.from_array_data(column));
    }
}

void Soc::State::flush_array() {
    uint32_t groups = 0;
    for (unsigned g = 0; g < (width + 3) / 4; g++) {
        unsigned source = glc.flush_crossbar_o >> 4 * g & 0xF;
        if (on(source) && tiles[source]->flush_o)
            groups |= 1u << g;
    }
    array.flush(groups);
}

/* A column: both directions between a GLB tile and the IO tile below. Ready and valid of an IO tile show its
 * FIFOs' contents, also in a stalled column: a load's word is lost, and a store takes the same word again. */
void Soc::State::carry_stream_end(unsigned column, bool own_valid, uint16_t own_data, bool own_ready,
                                  CData &ready_in, CData &valid_in, SData &data_in, unsigned t) {
    if (fault == FAULT_COLUMN && column == 12)
        own_data &= static_cast<uint16_t>(~(1u << 9));
    array.to_array(column, own_valid, own_data);
    array.from_array_ready(column, own_ready);
    bool ready = array.to_array_ready(column), valid = array.from_array_valid(column);
    ready_in = ready;
    valid_in = valid;
    data_in = array.from_array_data(column);
    loads[t].words += own_valid && ready;
    stores[t].words += valid && own_ready;
    if ((own_valid && ready) || (valid && own_ready))
        progress++;
}

void Soc::State::carry_streams(unsigned t) {
    Vonyx_glb_tile &m = *tiles[t];
    unsigned column = 2 * t;
    if (column < width)
        carry_stream_end(column, m.even_valid_o, m.even_data_o, m.even_ready_o, m.even_ready_i,
                         m.even_valid_i, m.even_data_i, t);
    if (column + 1 < width)
        carry_stream_end(column + 1, m.odd_valid_o, m.odd_data_o, m.odd_ready_o, m.odd_ready_i, m.odd_valid_i,
                         m.odd_data_i, t);
}

/* Requests of the controller and the western neighbour to tile t in this cycle. */
void Soc::State::carry_control(unsigned t, const std::array<ConfigWord, TILES> &east,
                               const std::array<bool, TILES> &east_valid) {
    Vonyx_glb_tile &m = *tiles[t];
    m.ld_start_i = glc.g2f_start_o >> t & 1;
    m.st_start_i = glc.f2g_start_o >> t & 1;
    m.pc_start_i = glc.pc_start_o >> t & 1;
    m.reg_we_i =
        glc.glb_reg_we_o && (glc.glb_reg_addr_o >> 8) == t && !(fault == FAULT_TILE_REGISTERS && t == 5);
    m.reg_addr_i = static_cast<CData>(glc.glb_reg_addr_o & 0xFF);
    m.reg_wdata_i = glc.glb_reg_wdata_o;
    m.cfg_west_valid_i = t > 0 && east_valid[t - 1];
    m.cfg_west_addr_i = t > 0 ? east[t - 1].address : 0;
    m.cfg_west_data_i = t > 0 ? east[t - 1].data : 0;
    if (m.ld_start_i)
        loads[t] = {true, 0};
    if (m.st_start_i)
        stores[t] = {true, 0};
    if (m.pc_start_i)
        configs[t] = {true, 0};
    if (m.ld_start_i || m.st_start_i || m.pc_start_i || m.reg_we_i || m.cfg_west_valid_i || m.proc_we_i ||
        m.proc_re_i)
        wake(t);
}

/* A store takes words whether started or not. */
bool Soc::State::is_offered_a_word(unsigned t) const {
    for (unsigned column = 2 * t; column < 2 * t + 2 && column < width; column++)
        if (array.from_array_valid(column))
            return true;
    return false;
}

bool Soc::State::any_run_open() const {
    for (unsigned t = 0; t < TILES; t++)
        if (stores[t].open && run_of[t] != NO_RUN)
            return true;
    return false;
}

void Soc::State::note_start() {
    if (glc.g2f_start_o) {
        if (!any_run_open())
            busy_since = cycles;
        if (words && last_switch.stored)
            last_switch = {words, last_switch.stored, cycles, last_switch.stored};
        words = 0;
        run_starts.push_back(cycles);
        run_cycles.push_back(0);
    }
    for (unsigned t = 0; t < TILES; t++) {
        if (glc.f2g_start_o >> t & 1)
            run_of[t] = glc.g2f_start_o ? runs_forgotten + run_starts.size() - 1 : NO_RUN;
    }
    if (dense != nullptr)
        start_dense();
}

/* ---- dense programs ---------------------------------------------------------------------------- */

uint64_t *Soc::State::line_of(void *state, uint32_t address) {
    return &static_cast<State *>(state)->bank(address)[address % BANK_BYTES / 8];
}

void Soc::State::start_dense() {
    std::array<uint32_t, TILES * DENSE_SIDE_REGISTERS> registers{};
    for (uint32_t i = 0; i < registers.size(); i++) {
        Vonyx_glb_tile &m = *tiles[i / DENSE_SIDE_REGISTERS];
        m.reg_addr_i = static_cast<CData>(4 * (i % DENSE_SIDE_REGISTERS));
        m.reg_we_i = 0;
        m.eval();
        registers[i] = m.reg_rdata_o;
    }
    dense_side_start(dense, glc.g2f_start_o | static_cast<uint32_t>(glc.f2g_start_o) << DENSE_SIDE_STORES,
                     glc.flush_crossbar_o, registers.data());
}

/* A stream that runs by a schedule cannot wait: nobody else may use its bank, except for readers of a
 * store's. */
void Soc::State::note_dense_access(unsigned t) {
    const Vonyx_glb_tile &m = *tiles[t];
    const uint32_t used = dense_in_use(t), store = used & 3, load = used >> 4 & 3;
    const uint32_t bank = 1u << (m.proc_addr_i >> 17 & 1), written = m.proc_we_i ? bank : 0;
    const uint32_t touched = m.proc_re_i ? bank : written;
    note_collisions(t, (store & written) | (load & touched) << BANKS * 3 | (load & store) << BANKS * 4 |
                           (load & m.in_use_o >> 2) << BANKS * 5);
}

void Soc::State::note_done(unsigned t) {
    const Vonyx_glb_tile &m = *tiles[t];
    const uint32_t dense_done = dense != nullptr ? dense_side_done(dense) >> t : 0;
    const bool ld_done = m.ld_done_o || (dense_done & 1),
               st_done = m.st_done_o || (dense_done >> DENSE_SIDE_STORES & 1);
    if (ld_done)
        loads[t].open = false;
    if (m.pc_done_o)
        configs[t].open = false;
    if (st_done && stores[t].open) { /* the first cycle of the pulse */
        stores[t].open = false;
        if (run_of[t] != NO_RUN && run_of[t] >= runs_forgotten)
            run_cycles[run_of[t] - runs_forgotten] = cycles - run_starts[run_of[t] - runs_forgotten];
        if (run_of[t] != NO_RUN && !any_run_open()) {
            kernel_cycles += cycles - busy_since;
            last_switch.stored = cycles;
        }
    }
    if (ld_done || st_done || m.pc_done_o)
        wake(t);
}

/* Bits as of `collided`. */
void Soc::State::note_collisions(unsigned t, uint32_t bits) {
    bits &= ~collided[t];
    collided[t] |= bits;
    for (unsigned i = 0; bits >> i != 0; i++)
        if (bits >> i & 1)
            collisions.push_back(
                {t, i % BANKS, COLLISIONS[i / BANKS].lost, COLLISIONS[i / BANKS].to, cycles});
}

void Soc::State::note_host(uint32_t address, size_t bytes) {
    for (size_t bank = address / BANK_BYTES; bytes != 0 && bank * BANK_BYTES < address + bytes; bank++) {
        unsigned t = static_cast<unsigned>(bank / BANKS), of_bank = 0x15u << bank % BANKS;
        note_collisions(t, ((tiles[t]->in_use_o | dense_in_use(t)) & of_bank) << BANKS * HOST_KINDS);
    }
}

/* The two answers to the controller. A register of the buffer answers in the cycle of its address. A word
 * of the array comes back through all tiles of the buffer at once, without a register between: the word
 * has arrived at the end of the strobe; earlier, the previous word is read. The array is asked once per
 * strobe. */
void Soc::State::read_data_to_controller() {
    if (!glc.cfg_read_o || glc.cfg_addr_o != config_read_at)
        config_reading = 0;
    config_read_at = glc.cfg_addr_o;
    if (glc.cfg_read_o && config_reading++ == 0)
        config_answer = array.config_read(glc.cfg_addr_o);
    if (config_reading == CONFIG_READ_CYCLES)
        config_read_data = config_answer;
    glc.cfg_rdata_i = config_read_data;
    if (!register_reading)
        return;
    Vonyx_glb_tile &m = *tiles[glc.glb_reg_addr_o >> 8 & 0xF];
    m.reg_addr_i = static_cast<CData>(glc.glb_reg_addr_o & 0xFF);
    m.reg_we_i = 0;
    m.eval();
    glc.glb_reg_rdata_i = m.reg_rdata_o;
}

void Soc::State::step() {
    follow_reset();
    read_data_to_controller();
    std::array<ConfigWord, TILES> east;
    std::array<bool, TILES> east_valid;
    for (unsigned t = 0; t < TILES; t++) {
        const Vonyx_glb_tile &m = *tiles[t];
        east[t] = {m.cfg_east_addr_o, m.cfg_east_data_o};
        east_valid[t] = on(t) && m.cfg_east_valid_o;
    }
    if ((glc.g2f_start_o || glc.f2g_start_o) && !in_reset)
        note_start();
    if (glc.stall_o != stalled) {
        stalled = glc.stall_o;
        if (dense != nullptr)
            dense_side_stall(dense, stalled);
        else
            array.set_stall(stalled);
    }

    glc.g2f_done_i = glc.f2g_done_i = glc.pc_done_i = 0;
    configure_array();
    flush_array();
    for (unsigned t = 0; t < TILES && !in_reset; t++) {
        carry_control(t, east, east_valid);
        if (awake[t] == 0 && is_offered_a_word(t))
            wake(t);
        if (!on(t))
            continue;
        carry_streams(t);
        glc.g2f_done_i = static_cast<SData>(glc.g2f_done_i | tiles[t]->ld_done_o << t);
        glc.f2g_done_i = static_cast<SData>(glc.f2g_done_i | tiles[t]->st_done_o << t);
        glc.pc_done_i = static_cast<SData>(glc.pc_done_i | tiles[t]->pc_done_o << t);
        if (dense != nullptr)
            note_dense_access(t);
    }
    if (dense != nullptr) {
        const uint32_t done = dense_side_done(dense);
        glc.g2f_done_i = static_cast<SData>(glc.g2f_done_i | done);
        glc.f2g_done_i = static_cast<SData>(glc.f2g_done_i | done >> DENSE_SIDE_STORES);
    }
    for (unsigned t = 0; t < TILES && watcher; t++)
        tell_streams(t);

    if (fault == FAULT_STORE)
        glc.f2g_done_i &= static_cast<SData>(~(1u << 6));
    if (fault == FAULT_CONFIGURATION)
        glc.pc_done_i &= static_cast<SData>(~1u);
    clock(glc);
    for (unsigned t = 0; t < TILES; t++) {
        if (!on(t) || !has_clock(t))
            continue;
        if (awake[t] != 0)
            awake[t]--;
        clock(*tiles[t]);
        note_done(t);
        if (tiles[t]->collision_o)
            note_collisions(t, tiles[t]->collision_o);
    }
    if (!in_reset && dense != nullptr)
        dense_side_step(dense);
    else if (!in_reset)
        array.step();
    cycles++;
}

/* ---- the processor's accesses ---------------------------------------------------------------- */

Soc::Soc(unsigned width, unsigned height, unsigned mem_period, unsigned mem_phase, const dense_fabric *dense)
    : state_(std::make_unique<State>(width, height, mem_period, mem_phase, dense)) {
    reset();
}
Soc::~Soc() = default;

void Soc::reset() {
    State &s = *state_;
    State::reset(s.glc);
    for (bool level : {false, true, false})
        s.hold_buffer(level);
    s.reset_array();
    s.in_reset = false;
    s.clocks[0] = s.clocks[1] = 0;
    s.config_reading = 0;
}

void Soc::set_fault(unsigned fault) {
    state_->fault = fault;
}

void Soc::gate_clocks() {
    state_->gated = true;
}

void Soc::step() {
    state_->step();
}

void Soc::write_register(uint32_t offset, uint32_t value) {
    State &s = *state_;
    if (offset == GLC_GLB_CLK_EN_MASTER || offset == GLC_GLB_CLK_EN_BANK)
        s.clocks[offset == GLC_GLB_CLK_EN_BANK] = value;
    s.glc.awaddr_i = static_cast<SData>(offset);
    s.glc.wdata_i = s.fault == FAULT_CONTROLLER && offset < GLB_REGISTERS ? value & ~(1u << 12) : value;
    s.glc.awvalid_i = s.glc.wvalid_i = s.glc.bready_i = 1;
    s.glc.eval();
    while (!s.glc.awready_o)
        s.step();
    s.step();
    s.glc.awvalid_i = s.glc.wvalid_i = 0;
    while (!s.glc.bvalid_o)
        s.step();
    s.step();
    s.glc.bready_i = 0;
    s.progress++;
}

uint32_t Soc::read_register(uint32_t offset) {
    State &s = *state_;
    s.glc.araddr_i = static_cast<SData>(offset);
    s.glc.arvalid_i = s.glc.rready_i = 1;
    s.glc.eval();
    while (!s.glc.arready_o)
        s.step();
    s.step();
    s.glc.arvalid_i = 0;
    s.register_reading = (offset & GLB_REGISTERS) != 0;
    while (!s.glc.rvalid_o)
        s.step();
    s.register_reading = false;
    uint32_t value = s.glc.rdata_o;
    s.step();
    s.glc.rready_i = 0;
    return value;
}

void Soc::write_buffer(uint32_t address, unsigned bytes, uint64_t value) {
    State &s = *state_;
    address = s.faulty(address);
    Vonyx_glb_tile &m = *s.tiles[address / TILE_BYTES];
    unsigned lane = address % 8;
    m.proc_addr_i = address % TILE_BYTES;
    m.proc_strb_i = static_cast<CData>(((1u << bytes) - 1) << lane);
    m.proc_wdata_i = value << 8 * lane;
    m.proc_we_i = 1;
    s.step();
    m.proc_we_i = 0;
    s.progress++;
}

uint64_t Soc::read_buffer(uint32_t address, unsigned bytes) {
    State &s = *state_;
    address = s.faulty(address);
    Vonyx_glb_tile &m = *s.tiles[address / TILE_BYTES];
    m.proc_addr_i = address % TILE_BYTES;
    m.proc_re_i = 1;
    s.step();
    m.proc_re_i = 0;
    uint64_t value = m.proc_rdata_o >> 8 * (address % 8);
    s.step();
    s.progress++;
    return bytes >= 8 ? value : value & ((1ull << 8 * bytes) - 1);
}

} // namespace onyx
