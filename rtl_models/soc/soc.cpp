/* soc.cpp - see soc.h.
 *
 * All signals between the array and its surroundings (onyx_periphery) come from registers, except the
 * array's configuration read data, which follow the controller's address. Hence a cycle is: carry all outputs
 * to the inputs, clock both; their order does not matter.
 */
#include "rtl_models/soc/soc_int.h"

#include "Vonyx_periphery___024root.h"
#include "firmware/registers.h"
#include "rtl_models/soc/machine_watch.h"
#include "verilated_sym_props.h"

#include <algorithm>

namespace onyx {
namespace {

constexpr unsigned CONFIG_READ_CYCLES = 128; /* until a word of the array has come to the controller */

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

/* ---- the model of all around the array ------------------------------------------------------- */

void *Soc::State::inside(const std::string &scope, const char *variable) const {
    const VerilatedScope *found = context.scopeFind(("TOP.onyx_periphery." + scope).c_str());
    const VerilatedVar *of = found != nullptr ? found->varFind(variable) : nullptr;
    if (of == nullptr)
        VL_FATAL_MT(__FILE__, __LINE__, scope.c_str(), "no such scope of onyx_periphery");
    return of->datap();
}

Soc::State::State(unsigned w, unsigned h, unsigned mem_period, unsigned mem_phase, const dense_fabric *fabric)
    : chip(&context), array(w, h, mem_period, mem_phase), width(w) {
    for (unsigned t = 0; t < TILES; t++) {
        const std::string tile = "g_tile[" + std::to_string(t) + "].u_tile";
        for (unsigned b = 0; b < BANKS; b++)
            banks[t][b] =
                static_cast<QData *>(inside(tile + ".u_banks.g_bank[" + std::to_string(b) + "].u_bank", "words"));
        registers[t] = static_cast<const IData *>(inside(tile, "reg_q"));
    }
    crossbar = static_cast<const IData *>(inside("u_glc", "crossbar_q"));
    read_address = static_cast<const IData *>(inside("u_glc", "cfg_addr_q"));
    find_outside_banks();
    chip.demand_i = 1;
    if (fabric != nullptr)
        dense = dense_side_create(fabric, line_of, this);
}

uint32_t Soc::State::bits(const EData *words, unsigned each, unsigned i) {
    const unsigned at = each * i;
    const uint64_t high = at % 32 + each > 32 ? words[at / 32 + 1] : 0;
    return static_cast<uint32_t>((words[at / 32] | high << 32) >> at % 32) & ((1u << each) - 1);
}

/* ---- a chip at rest --------------------------------------------------------------------------- */

void Soc::State::find_outside_banks() {
    std::vector<const uint8_t *> begins;
    for (const auto &of_tile : banks)
        for (const QData *bank : of_tile)
            begins.push_back(reinterpret_cast<const uint8_t *>(bank));
    std::sort(begins.begin(), begins.end());
    const auto *from = reinterpret_cast<const uint8_t *>(chip.rootp), *end = from + sizeof *chip.rootp;
    for (const uint8_t *bank : begins) {
        outside_banks.push_back({from, static_cast<size_t>(bank - from)});
        from = bank + BANK_BYTES;
    }
    outside_banks.push_back({from, static_cast<size_t>(end - from)});
}

void Soc::State::keep_registers() {
    kept.clear();
    for (const auto &[from, bytes] : outside_banks)
        kept.insert(kept.end(), from, from + bytes);
}

bool Soc::State::has_registers_kept() const {
    const uint8_t *at = kept.data();
    bool same = true;
    for (const auto &[from, bytes] : outside_banks) {
        same = same && std::equal(from, from + bytes, at);
        at += bytes;
    }
    return same;
}

/* Returns whether the model stays as it is in this cycle: it was so in the cycle before, when nothing was
 * asked either, and no input has changed since. */
bool Soc::State::is_still() {
    const std::array<uint32_t, 4> now = {static_cast<uint32_t>(chip.demand_i), chip.glb2io_ready_i,
                                         chip.cfg_rdata_i, chip.stream_done_i};
    const bool asked = chip.awvalid_i || chip.wvalid_i || chip.bready_i || chip.arvalid_i || chip.rready_i ||
                       chip.buf_we_i || chip.buf_re_i || chip.io2glb_valid_i != 0;
    quiet = asked || now != pins ? 0 : quiet + 1;
    still = still && quiet != 0;
    pins = now;
    return still;
}

/* Inputs settle while the clock is low: the buffer's clock gates take them from there. A model without a
 * change is not evaluated; registers are compared after 16, 32, 64 ... quiet cycles. */
void Soc::State::clock() {
    if (is_still())
        return;
    for (int level : {0, 1}) {
        chip.clk_i = static_cast<CData>(level);
        chip.eval();
    }
    if (quiet >= 16 && (quiet & (quiet - 1)) == 0)
        keep_registers();
    else if (quiet > 16 && ((quiet - 1) & (quiet - 2)) == 0)
        still = has_registers_kept();
}

/* ---- one cycle ------------------------------------------------------------------------------- */

void Soc::State::reset_array() {
    busy_before += array.busy_cycles();
    evaluations_before += array.evaluations();
    array.reset();
    config.clear();
    stalled = offered = taking = 0;
    taken_at = UINT64_MAX;
    if (dense != nullptr)
        dense_side_reset(dense);
}

/* The controller's reset ends all streams of the buffer, and the array is a new one. */
void Soc::State::follow_reset() {
    const bool now = !chip.array_rst_no;
    if (now == in_reset)
        return;
    in_reset = now;
    loads = stores = configs = {};
    if (now)
        reset_array();
}

/* Words on the buses of the columns: each pair has its own on the chip; the tile library has one for all. */
void Soc::State::configure_array() {
    for (uint32_t remaining = chip.cfg_write_o; remaining != 0; remaining &= remaining - 1) {
        const auto t = static_cast<unsigned>(__builtin_ctz(remaining));
        if ((chip.cfg_addr_o[t] >> 8 & 0xFF) / 2 == t)
            config.push_back({chip.cfg_addr_o[t], chip.cfg_data_o[t]});
    }
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
    for (unsigned column = 2 * t; column < 2 * t + 2 && column < width; column++) {
        const bool loads_word = is_offered(column), is_taken = array.to_array_ready(column);
        const bool comes = array.from_array_valid(column), is_stored = has_room(column);
        watcher(cycles, column, 0, MACHINE_LOAD, loads_word, loads_word ? is_taken : loads[t].open,
                loads_word && is_taken, load_word(column));
        watcher(cycles, column, 0, MACHINE_STORE, comes, comes ? is_stored : stores[t].open,
                comes && is_stored, array.from_array_data(column));
    }
}

/* Tells the array what its column sees; ready and valid of an IO tile show its FIFOs' contents, also in a
 * stalled column: a load's word is lost, and a store takes the same word again. */
void Soc::State::carry_stream(unsigned column) {
    uint16_t data = load_word(column);
    if (fault == FAULT_COLUMN && column == 12)
        data &= static_cast<uint16_t>(~(1u << 9));
    array.to_array(column, is_offered(column), data);
    array.from_array_ready(column, has_room(column));
}

/* A column without a word whose store's room is as before is not told again. */
void Soc::State::carry_streams() {
    const uint32_t told = offered, room = taking;
    offered = chip.glb2io_valid_o;
    taking = chip.io2glb_ready_o;
    const uint32_t columns = width < 32 ? (1u << width) - 1 : UINT32_MAX;
    for (uint32_t remaining = (told | offered | (room ^ taking)) & columns; remaining != 0; remaining &= remaining - 1)
        carry_stream(static_cast<unsigned>(__builtin_ctz(remaining)));
    if (array.evaluations() != taken_at) /* no column's FIFO moves while every tile sleeps */
        see_columns();
    note_words(offered & chip.glb2io_ready_i, loads);
    note_words(chip.io2glb_valid_i & taking, stores);
}

/* The array's side of all columns, at the pins. */
void Soc::State::see_columns() {
    uint32_t ready = 0, valid = 0;
    for (unsigned column = 0; column < width; column++) {
        ready |= static_cast<uint32_t>(array.to_array_ready(column)) << column;
        if (!array.from_array_valid(column))
            continue;
        valid |= 1u << column;
        EData &word = chip.io2glb_data_i[column / 2];
        const unsigned shift = 16 * (column % 2);
        word = (word & ~(0xFFFFu << shift)) | static_cast<EData>(array.from_array_data(column)) << shift;
    }
    chip.glb2io_ready_i = ready;
    chip.io2glb_valid_i = valid;
    taken_at = array.evaluations();
}

/* A word moves at each of these columns. */
void Soc::State::note_words(uint32_t columns, std::array<Stream, TILES> &streams) {
    progress += columns != 0;
    for (; columns != 0; columns &= columns - 1)
        streams[static_cast<unsigned>(__builtin_ctz(columns)) / 2].words++;
}

bool Soc::State::any_run_open() const {
    for (unsigned t = 0; t < TILES; t++)
        if (stores[t].open && run_of[t] != NO_RUN)
            return true;
    return false;
}

void Soc::State::note_start() {
    if (starts(LOADS) | starts(STORES))
        note_run();
    for (unsigned t = 0; t < TILES; t++) {
        if (starts(LOADS) >> t & 1)
            loads[t] = {true, 0};
        if (starts(STORES) >> t & 1)
            stores[t] = {true, 0};
        if (starts(CONFIGS) >> t & 1)
            configs[t] = {true, 0};
    }
}

void Soc::State::note_run() {
    if (starts(LOADS)) {
        if (!any_run_open())
            busy_since = cycles;
        if (words && last_switch.stored)
            last_switch = {words, last_switch.stored, cycles, last_switch.stored};
        words = 0;
        run_starts.push_back(cycles);
        run_cycles.push_back(0);
    }
    for (unsigned t = 0; t < TILES; t++) {
        if (starts(STORES) >> t & 1)
            run_of[t] = starts(LOADS) ? runs_forgotten + run_starts.size() - 1 : NO_RUN;
    }
    if (dense != nullptr)
        start_dense();
}

/* ---- dense programs ---------------------------------------------------------------------------- */

uint64_t *Soc::State::line_of(void *state, uint32_t address) {
    return &static_cast<State *>(state)->bank(address)[address % BANK_BYTES / 8];
}

void Soc::State::start_dense() {
    std::array<uint32_t, TILES * DENSE_SIDE_REGISTERS> all{};
    for (unsigned t = 0; t < TILES; t++)
        std::copy_n(registers[t], DENSE_SIDE_REGISTERS - 2, &all[t * DENSE_SIDE_REGISTERS]);
    dense_side_start(dense, starts(LOADS) | starts(STORES) << DENSE_SIDE_STORES, *crossbar, all.data());
}

/* A stream that runs by a schedule cannot wait: nobody else may use its bank, except for readers of a
 * store's. */
void Soc::State::note_dense_access(unsigned t) {
    const uint32_t used = dense_in_use(t), store = used & 3, load = used >> 4 & 3;
    const uint32_t bank = (chip.buf_addr_i >> 18) == t ? 1u << (chip.buf_addr_i >> 17 & 1) : 0;
    const uint32_t written = chip.buf_we_i ? bank : 0, touched = chip.buf_re_i ? bank : written;
    note_collisions(t, (store & written) | (load & touched) << BANKS * 3 | (load & store) << BANKS * 4 |
                           (load & in_use(t) >> 2) << BANKS * 5);
}

void Soc::State::note_done(unsigned t, bool load, bool store, bool configuration) {
    if (load)
        loads[t].open = false;
    if (configuration)
        configs[t].open = false;
    if (store && stores[t].open) { /* the pulse begins in this cycle */
        stores[t].open = false;
        if (run_of[t] != NO_RUN && run_of[t] >= runs_forgotten)
            run_cycles[run_of[t] - runs_forgotten] = cycles - run_starts[run_of[t] - runs_forgotten];
        if (run_of[t] != NO_RUN && !any_run_open()) {
            kernel_cycles += cycles - busy_since;
            last_switch.stored = cycles;
        }
    }
}

void Soc::State::note_dones() {
    const uint32_t of_dense = dense != nullptr ? dense_side_done(dense) : 0;
    const uint32_t load = done(LOADS) | (of_dense & 0xFFFF),
                   store = done(STORES) | of_dense >> DENSE_SIDE_STORES;
    const uint32_t configuration = done(CONFIGS);
    for (uint32_t remaining = load | store | configuration; remaining != 0; remaining &= remaining - 1) {
        const auto t = static_cast<unsigned>(__builtin_ctz(remaining));
        note_done(t, (load >> t & 1) != 0, (store >> t & 1) != 0, (configuration >> t & 1) != 0);
    }
}

void Soc::State::note_all_collisions() {
    EData any = 0;
    for (unsigned i = 0; i < (14 * TILES + 31) / 32; i++)
        any |= chip.collision_o[i];
    for (unsigned t = 0; t < TILES && any != 0; t++)
        note_collisions(t, collision(t));
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

/* The address that an access of the buffer meets. */
uint32_t Soc::State::faulty(uint32_t address) const {
    if (fault == FAULT_BANK_CELL)
        bank(7 * BANK_BYTES)[0x1230 / 8] |= 1u << 6;
    return fault == FAULT_BANK_LINE && address / TILE_BYTES == 7 ? address & ~(1u << 10) : address;
}

void Soc::State::note_host(uint32_t address, size_t bytes) {
    for (size_t bank = address / BANK_BYTES; bytes != 0 && bank * BANK_BYTES < address + bytes; bank++) {
        unsigned t = static_cast<unsigned>(bank / BANKS), of_bank = 0x15u << bank % BANKS;
        note_collisions(t, ((in_use(t) | dense_in_use(t)) & of_bank) << BANKS * HOST_KINDS);
    }
}

/* A word of the array comes back to the controller through all tiles of the buffer at once, without a
 * register between: the word has arrived at the end of the strobe; earlier, the previous word is read. The
 * array is asked once per strobe. */
void Soc::State::read_data_to_controller() {
    if (!chip.cfg_read_o || *read_address != config_read_at)
        config_reading = 0;
    config_read_at = *read_address;
    if (chip.cfg_read_o && config_reading++ == 0)
        config_answer = array.config_read(config_read_at);
    if (config_reading == CONFIG_READ_CYCLES)
        config_read_data = config_answer;
    chip.cfg_rdata_i = config_read_data;
}

void Soc::State::stall_array() {
    const auto columns = static_cast<uint32_t>(chip.stall_o);
    if (columns == stalled)
        return;
    stalled = columns;
    if (dense != nullptr)
        dense_side_stall(dense, stalled);
    else
        array.set_stall(stalled);
}

void Soc::State::step() {
    follow_reset();
    read_data_to_controller();
    if (chip.start_o && !in_reset)
        note_start();
    stall_array();
    configure_array();
    array.flush(chip.flush_o);
    carry_streams();
    for (unsigned t = 0; t < TILES && dense != nullptr && !in_reset; t++)
        note_dense_access(t);
    chip.stream_done_i = dense != nullptr ? dense_side_done(dense) : 0;
    for (unsigned t = 0; t < TILES && watcher; t++)
        tell_streams(t);
    clock();
    note_dones();
    note_all_collisions();
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
    for (int level : {1, 0, 1}) {
        s.chip.rst_ni = static_cast<CData>(level);
        s.chip.eval();
    }
    s.quiet = 0;
    s.still = false;
    s.loads = s.stores = s.configs = {};
    s.reset_array();
    s.in_reset = false;
    s.config_reading = 0;
}

void Soc::set_fault(unsigned fault) {
    state_->fault = fault;
}

void Soc::gate_clocks() {
    state_->chip.demand_i = 0;
}

void Soc::step() {
    state_->step();
}

/* Faults at the pins: a word that never comes, of a register that is not there, of a store that waits for
 * more. */
void Soc::State::break_write(uint32_t &offset, uint32_t &value) const {
    const uint32_t tile = offset & ~uint32_t{GLB_TILE_STRIDE - 1},
                   inside_tile = offset & (GLB_TILE_STRIDE - 1);
    if (fault == FAULT_CONTROLLER && offset < GLB_REGISTERS)
        value &= ~(1u << 12);
    if (fault == FAULT_CONFIGURATION && offset == GLC_PC_START)
        value &= ~1u;
    if (fault == FAULT_TILE_REGISTERS && tile == GLB_REGISTERS + 5 * GLB_TILE_STRIDE)
        offset |= GLB_TILE_STRIDE - 4;
    if (fault == FAULT_STORE && tile == GLB_REGISTERS + 6 * GLB_TILE_STRIDE &&
        inside_tile == GLB_ST_NUM_BLOCKS)
        value++;
}

void Soc::write_register(uint32_t offset, uint32_t value) {
    State &s = *state_;
    s.break_write(offset, value);
    s.chip.awaddr_i = static_cast<SData>(offset);
    s.chip.wdata_i = value;
    s.chip.awvalid_i = s.chip.wvalid_i = s.chip.bready_i = 1;
    s.chip.eval();
    while (!s.chip.awready_o)
        s.step();
    s.step();
    s.chip.awvalid_i = s.chip.wvalid_i = 0;
    while (!s.chip.bvalid_o)
        s.step();
    s.step();
    s.chip.bready_i = 0;
    s.progress++;
}

uint32_t Soc::read_register(uint32_t offset) {
    State &s = *state_;
    s.chip.araddr_i = static_cast<SData>(offset);
    s.chip.arvalid_i = s.chip.rready_i = 1;
    s.chip.eval();
    while (!s.chip.arready_o)
        s.step();
    s.step();
    s.chip.arvalid_i = 0;
    while (!s.chip.rvalid_o)
        s.step();
    uint32_t value = s.chip.rdata_o;
    s.step();
    s.chip.rready_i = 0;
    return value;
}

void Soc::write_buffer(uint32_t address, unsigned bytes, uint64_t value) {
    State &s = *state_;
    address = s.faulty(address);
    unsigned lane = address % 8;
    s.chip.buf_addr_i = address;
    s.chip.buf_strb_i = static_cast<CData>(((1u << bytes) - 1) << lane);
    s.chip.buf_wdata_i = value << 8 * lane;
    s.chip.buf_we_i = 1;
    s.step();
    s.chip.buf_we_i = 0;
    s.progress++;
}

uint64_t Soc::read_buffer(uint32_t address, unsigned bytes) {
    State &s = *state_;
    address = s.faulty(address);
    s.chip.buf_addr_i = address;
    s.chip.buf_re_i = 1;
    s.step();
    s.chip.buf_re_i = 0;
    uint64_t value = s.chip.buf_rdata_o >> 8 * (address % 8);
    s.step();
    s.progress++;
    return bytes >= 8 ? value : value & ((1ull << 8 * bytes) - 1);
}

} // namespace onyx
