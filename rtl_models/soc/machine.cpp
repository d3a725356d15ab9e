/* machine.cpp - see machine.h. */
#include "rtl_models/soc/machine.h"
#include "rtl_models/soc/faults.h"
#include "rtl_models/soc/hostile.h"
#include "rtl_models/soc/machine_memory.h"
#include "rtl_models/soc/machine_time.h"
#include "rtl_models/soc/machine_watch.h"
#include "rtl_models/soc/machine_watchdog.h"

#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "firmware/registers.h"
#include "rtl_models/soc/m3_barrier.h"
#include "rtl_models/soc/m3_debug.h"
#include "rtl_models/soc/m3_nmi.h"
#include "rtl_models/soc/machine_dense.h"
#include "rtl_models/soc/soc.h"

namespace {

constexpr uint32_t PAGE = 0x1000;
constexpr uint32_t CGRA_ENTITY = 1u << PLATFORM_CLK_GATE_EN_CGRA_LSB;

/* Registers with their values at power-up; registers without an effect in the model are plain storage. */
struct Platform {
    uint32_t words[PAGE / 4] = {};

    Platform() {
#define REGISTER(block, name, offset, access, reset, doc) RESET_##block(offset, reset)
#define REGISTER_FIELD(block, reg, field, lsb, width, doc)
#define RESET_PLATFORM(offset, reset) words[(offset) / 4] = (reset);
#define RESET_GLC(offset, reset)
#define RESET_GLB(offset, reset)
#define RESET_CORE(offset, reset)
#include "firmware/registers.def"
#undef REGISTER
#undef REGISTER_FIELD
    }
    uint32_t &at(uint32_t offset) {
        return words[offset / 4];
    }
    uint32_t at(uint32_t offset) const {
        return words[offset / 4];
    }
    void write(uint32_t offset, uint32_t value, unsigned fault) {
        if (offset == PLATFORM_ID || offset == PLATFORM_RESET_ACK)
            return;
        at(offset) = value;
        at(PLATFORM_CLK_GATE_EN) |= fault == FAULT_CLOCK ? CGRA_ENTITY : 0;
        at(PLATFORM_RESET_ACK) =
            at(PLATFORM_RESET_REQ) | (fault == FAULT_RESET ? CGRA_ENTITY : 0); /* the reset acts at once */
    }
    bool array_clocked() const {
        return (at(PLATFORM_CLK_GATE_EN) & CGRA_ENTITY) == 0;
    }
    bool array_in_reset() const {
        return (at(PLATFORM_RESET_ACK) & CGRA_ENTITY) != 0;
    }
    /* Without a clock, or in reset. */
    bool is_off(uint32_t entity) const {
        return ((at(PLATFORM_CLK_GATE_EN) | at(PLATFORM_RESET_REQ)) & entity) != 0;
    }
    unsigned array_divider() const {
        return 1u << (at(PLATFORM_CGRA_CLK_SELECT) & 7);
    }
    unsigned processor_divider() const {
        return 1u << (at(PLATFORM_SYS_CLK_SELECT) & 7);
    }
};

struct Uart {
    enum { DATA = 0x00, STATE = 0x04, CTRL = 0x08, BAUDDIV = 0x10 };
    static constexpr uint32_t ENTITY = 1u << 12;
    uint32_t ctrl = 0, divider = 0;

    uint32_t read(uint32_t offset) const { return offset == CTRL ? ctrl : offset == BAUDDIV ? divider : 0; }
    void write(uint32_t offset, uint32_t value, FILE *out) {
        if (offset == CTRL)
            ctrl = value & 0x7F;
        else if (offset == BAUDDIV)
            divider = value & 0xFFFFF;
        else if (offset == DATA && (ctrl & 1) && out != nullptr)
            std::fputc(static_cast<int>(value & 0xFF), out);
    }
};

} // namespace

struct machine {
    machine_config config;
    onyx::Soc soc;
    Platform platform;
    struct {
        Uart uart;
        onyx::Watchdog watchdog;
    } outside;
    std::vector<uint8_t> code, sram;
    m3 *core = nullptr;
    onyx::Timing time;
    std::string refused, stop_reason;
    onyx::Hostile hostile;
    struct {
        machine_watcher *tell = nullptr;
        void *of = nullptr;
    } watcher;

    explicit machine(const machine_config &c)
        : config(c), soc(c.array_width, c.array_height, c.mem_period, c.mem_phase, c.dense),
          time(c.times, c.array_cycles_per_cpu_cycle), hostile(c.hostile) {}
    ~machine() { m3_destroy(core); }
    machine(const machine &) = delete;
    machine &operator=(const machine &) = delete;

    /* The processor's new state: `moves`; otherwise waiting (offered) or asleep (room). */
    void tell(bool offered, bool room, bool moves) const {
        const machine_channel now = {soc.cycles(), MACHINE_OUTSIDE, 0, MACHINE_PROCESSOR, offered,
                                     room,         moves,           0};
        if (watcher.tell != nullptr)
            watcher.tell(watcher.of, &now);
    }
    bool refuse(const char *what, uint32_t address);
    bool array_read(uint32_t address, unsigned size, uint32_t *value);
    bool array_write(uint32_t address, unsigned size, uint32_t value);
    bool device_read(uint32_t address, unsigned size, uint32_t *value);
    bool device_write(uint32_t address, unsigned size, uint32_t value);
    const uint8_t *memory(uint32_t address, size_t bytes) const;
};

/* At power-up the processor's clock is divided by two already. */
static int64_t array_period(const machine *m) {
    return int64_t{2} * m->platform.array_divider();
}
static int64_t cpu_period(const machine *m) {
    return int64_t{m->config.array_cycles_per_cpu_cycle} * m->platform.processor_divider();
}

static bool array_runs(const machine *m) {
    return m->platform.array_clocked() && !m->platform.array_in_reset();
}
/* The processor waits for the array's side from now on; returns the cycle. */
static uint64_t ask(machine *m) {
    m->tell(true, false, false);
    m->time.accesses.array++;
    return m->soc.cycles();
}

static bool inside(uint32_t address, uint32_t base, uint32_t bytes) {
    return address - base < bytes;
}

/* ---- accesses of the processor --------------------------------------------------------------- */

bool machine::refuse(const char *what, uint32_t address) {
    char text[120];
    std::snprintf(text, sizeof text, "access to 0x%08x: %s", static_cast<unsigned>(address), what);
    refused = text;
    return false;
}

static bool is_done_register(uint32_t offset) {
    return offset >= GLC_F2G_ISR && offset <= GLC_PCFG_ISR;
}

static void wait_for_bus(machine *m);
static void finish_stores(machine *m, size_t remaining);

/* A buffer access may lie across two 64-bit words. */
bool machine::array_read(uint32_t address, unsigned size, uint32_t *value) {
    if (!array_runs(this))
        return refuse("the array has no clock or is in reset", address);
    if (soc.buffer_in_reset() && !inside(address, config.registers, onyx::Soc::GLB_REGISTERS))
        return refuse("the global buffer is in reset and never answers", address);
    const bool reg = inside(address, config.registers, onyx::Soc::REGISTER_BYTES);
    if (!reg)
        finish_stores(this, 0);
    uint64_t before = ask(this);
    wait_for_bus(this);
    if (reg) {
        if (size != 4 || address % 4 != 0)
            return refuse("array registers are read as whole words", address);
        *value = soc.read_register(address - config.registers);
        time.accesses.looks = time.accesses.looks || is_done_register(address - config.registers);
    } else {
        *value = 0;
        for (unsigned done = 0, bytes; done < size; done += bytes) {
            uint32_t at = address - config.buffer + done;
            bytes = size - done < 8 - at % 8 ? size - done : 8 - at % 8;
            *value |= static_cast<uint32_t>(soc.read_buffer(at, bytes)) << 8 * done;
        }
    }
    time.accesses.taken += soc.cycles() - before;
    return true;
}

/* Latencies of the interconnect, both ways together. */
static void wait_for_bus(machine *m) {
    const uint32_t one_direction = m->config.clocking == MACHINE_BY_COUNT
                                       ? 0
                                       : m->config.times.interconnect[m->config.clocking - MACHINE_BY_LEAST];
    for (uint32_t remaining = (m->hostile ? m->hostile.latency() : 0) + 2 * one_direction; remaining != 0;
         remaining--)
        m->soc.step();
}

static void store(machine *m, uint32_t address, unsigned size, uint32_t value) {
    const uint64_t before = ask(m);
    wait_for_bus(m);
    if (inside(address, m->config.registers, onyx::Soc::REGISTER_BYTES)) {
        const uint32_t offset = address - m->config.registers;
        m->soc.write_register(offset, value);
        m->time.accesses.starts =
            m->time.accesses.starts || offset == GLC_STREAM_START || offset == GLC_PC_START;
    } else
        for (unsigned done = 0, bytes; done < size; done += bytes) {
            uint32_t at = address - m->config.buffer + done;
            bytes = size - done < 8 - at % 8 ? size - done : 8 - at % 8;
            m->soc.write_buffer(at, bytes, value >> 8 * done);
        }
    m->time.accesses.taken += m->soc.cycles() - before;
}

/* Stores of the buffer's port that wait; later accesses of the registers' port do not wait for them. */
static void finish_stores(machine *m, size_t remaining) {
    for (; m->hostile.posted.size() > remaining; m->hostile.posted.pop_front()) {
        const onyx::Hostile::Store &s = m->hostile.posted.front();
        store(m, s.address, s.size, s.value);
    }
}

bool machine::array_write(uint32_t address, unsigned size, uint32_t value) {
    const bool reg = inside(address, config.registers, onyx::Soc::REGISTER_BYTES);
    if (!array_runs(this))
        return refuse("the array has no clock or is in reset", address);
    if (reg && (size != 4 || address % 4 != 0))
        return refuse("array registers are written as whole words", address);
    if (!hostile || reg) {
        store(this, address, size, value);
        return true;
    }
    hostile.post({address, size, value});
    finish_stores(this, onyx::Hostile::MOST_POSTED);
    return true;
}

bool machine::device_read(uint32_t address, unsigned size, uint32_t *value) {
    if (inside(address, config.buffer, onyx::Soc::GLB_BYTES) ||
        inside(address, config.registers, onyx::Soc::REGISTER_BYTES))
        return array_read(address, size, value);
    uint32_t word;
    if (inside(address, config.platform, PAGE))
        word = platform.at(address - config.platform);
    else if (inside(address, config.watchdog, PAGE))
        word = outside.watchdog.read((address - config.watchdog) & ~3u);
    else
        word = platform.is_off(Uart::ENTITY) ? 0 : outside.uart.read((address - config.uart) & ~3u);
    *value = word >> 8 * (address % 4);
    return true;
}

bool machine::device_write(uint32_t address, unsigned size, uint32_t value) {
    if (inside(address, config.buffer, onyx::Soc::GLB_BYTES) ||
        inside(address, config.registers, onyx::Soc::REGISTER_BYTES))
        return array_write(address, size, value);
    if (inside(address, config.platform, PAGE)) {
        if (size != 4 || address % 4 != 0)
            return refuse("the platform controller is written in whole words", address);
        bool was_in_reset = platform.array_in_reset();
        platform.write(address - config.platform, value, config.fault);
        if (platform.array_in_reset() != was_in_reset)
            soc.reset();
    } else if (inside(address, config.watchdog, PAGE)) {
        outside.watchdog.write(address - config.watchdog, value);
    } else if (!platform.is_off(Uart::ENTITY)) {
        outside.uart.write(address - config.uart, value, config.uart_out);
    }
    return true;
}

static bool on_read(void *context, uint32_t address, unsigned size, uint32_t *value) {
    auto *m = static_cast<machine *>(context);
    m->time.accesses.devices++;
    return m->device_read(address, size, value);
}
static bool on_write(void *context, uint32_t address, unsigned size, uint32_t value) {
    auto *m = static_cast<machine *>(context);
    m->time.accesses.devices++;
    return m->device_write(address, size, value);
}

/* ---- life ------------------------------------------------------------------------------------ */

extern "C" [[noreturn]] void out_of_memory(std::size_t bytes); /* of support/ */

/* Contents at power-up; clocks that an earlier program left. */
static void leave_anything(machine *m) {
    std::vector<uint8_t> buffer(onyx::Soc::GLB_BYTES);
    m->hostile.fill(m->code.data(), m->code.size());
    m->hostile.fill(m->sram.data(), m->sram.size());
    m->hostile.fill(buffer.data(), buffer.size());
    m->soc.load(0, buffer.data(), buffer.size());
    m->soc.gate_clocks();
    m->platform.at(PLATFORM_SYS_CLK_SELECT) =
        m->hostile.next() % 4 == 0 ? 2 : 0; /* differs from the firmware's */
    m->platform.at(PLATFORM_CGRA_CLK_SELECT) = m->hostile.next() % 6;
}

machine *machine_create(const machine_config *config) {
    std::set_new_handler([] { out_of_memory(0); });
    auto m = std::make_unique<machine>(*config);
    m->code.resize(config->code_bytes);
    m->sram.resize(config->sram_bytes);
    m->soc.set_fault(config->fault);
    m->platform.words[PLATFORM_ID / 4] += config->fault == FAULT_PLATFORM;
    m->core = m3_create({m.get(), on_read, on_write});
    if (m->core == nullptr || !m3_map_ram(m->core, config->code, m->code.data(), config->code_bytes) ||
        !m3_map_ram(m->core, config->sram, m->sram.data(), config->sram_bytes) ||
        !m3_map_device(m->core, config->buffer, onyx::Soc::GLB_BYTES) ||
        !m3_map_device(m->core, config->registers, onyx::Soc::REGISTER_BYTES) ||
        !m3_map_device(m->core, config->platform, PAGE) ||
        (config->uart != 0 && !m3_map_device(m->core, config->uart, PAGE)) ||
        (config->watchdog != 0 && !m3_map_device(m->core, config->watchdog, PAGE)))
        return nullptr;
    if (m->hostile)
        leave_anything(m.get());
    return m.release();
}

void machine_destroy(machine *m) {
    delete m;
}

/* Cells of a memory that keep a value whatever is written. */
static void force_cells(machine *m) {
    if (m->config.fault == FAULT_CODE)
        m->code[0x1230] |= 1u << 5;
    if (m->config.fault == FAULT_SRAM)
        m->sram[0x4568 + 2] &= static_cast<uint8_t>(~(1u << 1));
}

/* Code or SRAM at the address, or null. */
const uint8_t *machine::memory(uint32_t address, size_t bytes) const {
    if (inside(address, config.code, config.code_bytes) &&
        bytes <= config.code_bytes - (address - config.code))
        return &code[address - config.code];
    if (inside(address, config.sram, config.sram_bytes) &&
        bytes <= config.sram_bytes - (address - config.sram))
        return &sram[address - config.sram];
    return nullptr;
}

static bool in_buffer(const machine *m, uint32_t address, size_t bytes) {
    return inside(address, m->config.buffer, onyx::Soc::GLB_BYTES) &&
           bytes <= onyx::Soc::GLB_BYTES - (address - m->config.buffer);
}

bool machine_holds(const machine *m, uint32_t address, size_t bytes) {
    return m->memory(address, bytes) != nullptr || in_buffer(m, address, bytes);
}

bool machine_load(machine *m, uint32_t address, const void *from, size_t bytes) {
    if (const uint8_t *to = m->memory(address, bytes))
        std::memcpy(const_cast<uint8_t *>(to), from, bytes);
    else if (in_buffer(m, address, bytes))
        m->soc.load(address - m->config.buffer, static_cast<const uint8_t *>(from), bytes);
    else
        return false;
    force_cells(m);
    return true;
}

bool machine_dump(const machine *m, uint32_t address, void *to, size_t bytes) {
    if (const uint8_t *from = m->memory(address, bytes))
        std::memcpy(to, from, bytes);
    else if (in_buffer(m, address, bytes))
        m->soc.dump(address - m->config.buffer, static_cast<uint8_t *>(to), bytes);
    else
        return false;
    return true;
}

uint32_t machine_word(const machine *m, uint32_t address) {
    uint8_t bytes[4] = {};
    machine_dump(m, address, bytes, sizeof bytes);
    return bytes[0] | static_cast<uint32_t>(bytes[1]) << 8 | static_cast<uint32_t>(bytes[2]) << 16 |
           static_cast<uint32_t>(bytes[3]) << 24;
}

/* An access outside of any instruction moved the array ahead: the next instructions wait. */
static void pay(machine *m, uint64_t taken) {
    if (m->platform.array_clocked())
        m->time.phase -= static_cast<int64_t>(taken) * array_period(m);
}

static bool device_at(const machine *m, uint32_t address) {
    return inside(address, m->config.buffer, onyx::Soc::GLB_BYTES) ||
           inside(address, m->config.registers, onyx::Soc::REGISTER_BYTES) ||
           inside(address, m->config.platform, PAGE) || inside(address, m->config.uart, PAGE) ||
           inside(address, m->config.watchdog, PAGE);
}

bool machine_bus_read(machine *m, uint32_t address, unsigned size, uint32_t *value) {
    *value = 0;
    if (const uint8_t *from = m->memory(address, size)) {
        for (unsigned i = 0; i < size; i++)
            *value |= static_cast<uint32_t>(from[i]) << 8 * i;
        return true;
    }
    m->time.accesses.taken = 0;
    bool good = device_at(m, address) && m->device_read(address, size, value);
    pay(m, m->time.accesses.taken);
    return good;
}

bool machine_bus_write(machine *m, uint32_t address, unsigned size, uint32_t value) {
    if (const uint8_t *to = m->memory(address, size)) {
        for (unsigned i = 0; i < size; i++)
            const_cast<uint8_t *>(to)[i] = static_cast<uint8_t>(value >> 8 * i);
        if (inside(address, m->config.code, m->config.code_bytes))
            m3_code_changed(m->core);
        force_cells(m);
        return true;
    }
    m->time.accesses.taken = 0;
    bool good = device_at(m, address) && m->device_write(address, size, value);
    finish_stores(m, 0); /* the port answers once the store has arrived */
    pay(m, m->time.accesses.taken);
    return good;
}

struct m3 *machine_core(machine *m) {
    return m->core;
}

void machine_reset(machine *m) {
    m3_reset(m->core);
    for (unsigned n = 0; n < 13 && m->hostile; n++)
        m3_set_debug_register(m->core, n, m->hostile.next());
}

/* The accesses of the instruction have moved the array ahead of the processor; the processor catches up. */
static m3_state execute(machine *m, unsigned *cycles) {
    *cycles = 1;
    if (m->config.fault == FAULT_PROCESSOR)
        return M3_SLEEPING;
    const m3_state state = m3_step(m->core, cycles);
    if (m3_take_barrier(m->core))
        finish_stores(m, 0);
    else if (m->hostile.is_due())
        finish_stores(m, m->hostile.posted.size() - 1);
    return state;
}

static void tick_watchdog(machine *m, unsigned cycles) {
    if (m->platform.is_off(onyx::Watchdog::ENTITY))
        return;
    if (m->outside.watchdog.tick(cycles))
        m3_request_reset(m->core, "the watchdog reset the chip");
    m3_nmi(m->core, m->outside.watchdog.interrupt());
}

/* Processor cycles of a step that takes one or more; a half cycle waits for the next step. */
static unsigned by_table(machine *m, const m3_time &t) {
    m->time.half += onyx::half_cycles(t, m->config.clocking - MACHINE_BY_LEAST, m->config.times,
                                      m->time.accesses.devices);
    const unsigned cycles = m->time.half / 2;
    m->time.half %= 2;
    return cycles;
}

bool machine_step(machine *m) {
    unsigned cycles;
    m->time.accesses = {};
    m3_state state = execute(m, &cycles);
    const m3_time time = m3_last_time(m->core);
    if (m->config.clocking != MACHINE_BY_COUNT && state == M3_RUNNING)
        cycles = by_table(m, time);
    const unsigned own = cycles;
    m->tell(false, state == M3_SLEEPING, state == M3_RUNNING);
    int64_t divider = array_period(m), ratio = cpu_period(m);
    if (m->platform.array_clocked()) {
        m->time.phase +=
            static_cast<int64_t>(cycles) * ratio - static_cast<int64_t>(m->time.accesses.taken) * divider;
        for (; m->time.phase < 0; m->time.phase += ratio)
            cycles++;
        for (; m->time.phase >= divider; m->time.phase -= divider)
            if (!m->platform.array_in_reset())
                m->soc.step();
        m3_irq(m->core, m->config.irq,
               m->hostile ? m->hostile.interrupt(m->soc.interrupt()) : m->soc.interrupt());
    }
    m->time.cpu_cycles += cycles;
    if (state == M3_RUNNING && m->config.clocking == MACHINE_BY_COUNT)
        m->time.lag.step(time, m->time.accesses, own, cycles);
    m3_tick(m->core, cycles);
    tick_watchdog(m, cycles);
    return state != M3_STOPPED && m->soc.error().empty();
}

const char *machine_stop_reason(machine *m) {
    m->stop_reason = m3_stop_reason(m->core);
    if (!m->soc.error().empty())
        m->stop_reason = m->soc.error();
    return m->stop_reason.c_str();
}

const char *machine_refused(const machine *m) {
    return m->refused.c_str();
}

machine_counters machine_count(const machine *m) {
    const onyx::Switch &s = m->soc.last_switch();
    return {m->time.cpu_cycles,
            m3_instructions(m->core),
            m->soc.cycles(),
            m->soc.array_cycles(),
            m->soc.evaluations(),
            m->soc.progress(),
            m->soc.runs(),
            m->soc.kernel_cycles(),
            {m->time.lag.halves(MACHINE_LEAST), m->time.lag.halves(MACHINE_MOST)},
            {s.words, s.departed, s.started, s.stored}};
}

uint64_t machine_run_cycles(const machine *m, uint64_t run) {
    return m->soc.run_cycles(run);
}
void machine_forget_runs(machine *m) {
    m->soc.forget_runs();
}

void machine_watch(machine *m, machine_watcher *watcher, void *context) {
    m->watcher.tell = watcher;
    m->watcher.of = context;
    m->soc.watch([=](uint64_t cycle, unsigned x, unsigned y, unsigned port, bool offered, bool room,
                     bool moves, uint32_t token) {
        const machine_channel now = {cycle, x, y, port, offered, room, moves, token};
        watcher(context, &now);
    });
}
uint32_t machine_hazards(const machine *m, uint32_t x, uint32_t y) {
    return m->soc.hazards(x, y);
}

bool machine_dense_stream(const machine *m, uint32_t i, dense_side_stream *out) {
    return m->soc.dense_stream(i, out);
}

bool machine_collided(const machine *m, size_t i, machine_collision *out) {
    if (i >= m->soc.collisions().size())
        return false;
    const onyx::Collision &c = m->soc.collisions()[i];
    *out = {c.tile, c.bank, c.lost, c.to, c.cycle};
    return true;
}

char *machine_describe_stuck(const machine *m) {
    char *text = strdup(m->soc.describe_stuck().c_str());
    if (text == nullptr)
        out_of_memory(0);
    return text;
}
