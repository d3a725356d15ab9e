/* Any bytes as a debugger's bytes for onyx-cosim --jtag. A byte below 128 goes over the wires unchanged; a
 * larger byte stands for a whole access of the debug port or the access port, whose four bytes of data
 * follow. For any bytes, every R is answered, and the next debugger can reset, identify and use the port. */
#include <sys/socket.h>
#include <unistd.h>

#include "rtl_models/soc/serve_int.h"
#include "tests/fuzz/fuzz.h"

enum { CHUNK = 4096, STEPS = 4 };
enum { CTRL_STAT = 4, SELECT = 8, RDBUFF = 12, CSW = 0, TAR = 4, DRW = 12 };
#define POWERED_AND_CLEARED 0x50000032u
#define CSW_WORDS 0x23000002u

typedef struct {
    fuzz_run *r;
    server s;
    int debugger;
    char out[CHUNK];
    size_t n;
    char answers[CHUNK];
    size_t n_answers;
} bench;

static void connect_debugger(bench *b) {
    int ends[2];
    FUZZ_CHECK(b->r, socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    b->debugger = ends[0];
    b->s.jtag.client = ends[1];
}

/* Sends the gathered bytes and takes the answers; after a hang-up the next debugger connects. */
static void exchange(bench *b) {
    size_t asked = 0;
    ssize_t got;
    for (size_t i = 0; i < b->n; i++)
        asked += b->out[i] == 'R';
    if (b->n) {
        FUZZ_CHECK(b->r, send(b->debugger, b->out, b->n, 0) == (ssize_t)b->n);
        serve_jtag(&b->s);
        got = recv(b->debugger, b->answers, sizeof b->answers, MSG_DONTWAIT);
        b->n_answers = got > 0 ? (size_t)got : 0;
        FUZZ_CHECK(b->r, b->n_answers == asked);
        for (size_t i = 0; i < b->n_answers; i++)
            FUZZ_CHECK(b->r, b->answers[i] == '0' || b->answers[i] == '1');
    }
    b->n = 0;
    if (b->s.jtag.client < 0) {
        close(b->debugger);
        connect_debugger(b);
    }
    for (uint32_t i = 0; i < STEPS; i++)
        debug_step(&b->s.debug);
}

static void put(bench *b, char c) {
    if (b->n == CHUNK)
        exchange(b);
    b->out[b->n++] = c;
}

/* A clock; with `read`, also the value of TDO before the clock. */
static void put_clock(bench *b, bool tms, bool tdi, bool read) {
    char wires = (char)('0' + 2 * tms + tdi);
    if (read)
        put(b, 'R');
    put(b, wires);
    put(b, (char)(wires + 4));
}

/* From Run-Test/Idle through a shift and back. */
static void put_scan(bench *b, bool ir, uint64_t in, unsigned bits, bool read) {
    put_clock(b, true, true, false);
    if (ir)
        put_clock(b, true, true, false);
    put_clock(b, false, true, false);
    put_clock(b, false, true, false);
    for (unsigned i = 0; i < bits; i++)
        put_clock(b, i + 1 == bits, in >> i & 1, read);
    put_clock(b, true, true, false);
    put_clock(b, false, true, false);
}

static void put_access(bench *b, bool ap, bool read, unsigned address, uint32_t data, bool answer) {
    put_scan(b, true, ap ? JTAG_APACC : JTAG_DPACC, JTAG_IR_BITS, false);
    put_scan(b, false, (uint64_t)data << 3 | address / 4 << 1 | read, JTAG_DP_BITS, answer);
}

static uint64_t answer(bench *b, unsigned bits) {
    uint64_t value = 0;
    exchange(b);
    FUZZ_CHECK(b->r, b->n_answers == bits);
    for (unsigned i = 0; i < bits; i++)
        value |= (uint64_t)(b->answers[i] == '1') << i;
    return value;
}

static void put_reset(bench *b) {
    put(b, 'r');
    for (uint32_t i = 0; i < 6; i++)
        put_clock(b, i < 5, true, false);
}

static void check_usable(bench *b, uint32_t sram) {
    const uint32_t word = 0x5eed1e55;
    exchange(b);
    put_reset(b);
    put_scan(b, false, 0, 32, true);
    FUZZ_CHECK(b->r, answer(b, 32) == JTAG_IDCODE);
    put_access(b, false, false, CTRL_STAT, POWERED_AND_CLEARED, false);
    put_access(b, false, false, SELECT, 0, false);
    put_access(b, true, false, CSW, CSW_WORDS, false);
    put_access(b, true, false, TAR, sram + 0x100, false);
    put_access(b, true, false, DRW, word, false);
    exchange(b);
    put_access(b, true, true, DRW, 0, false);
    exchange(b);
    put_access(b, false, true, RDBUFF, 0, true);
    FUZZ_CHECK(b->r, (uint32_t)(answer(b, JTAG_DP_BITS) >> 3) == word);
}

static void feed(bench *b, const uint8_t *data, size_t size) {
    for (size_t i = 0; i < size; i++) {
        if (data[i] < 128) {
            put(b, (char)data[i]);
            if (data[i] == 'Q')
                exchange(b);
        } else if (size - i > 4) {
            put_access(b, data[i] & 8, data[i] & 1, 2 * (data[i] & 6u), file_u32_at(data + i + 1), false);
            exchange(b);
            fuzz_accepted = FUZZ_ACCEPTED; /* a whole access reached the port */
            i += 4;
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_run r;
    pnr_board board;
    bench b = {.r = &r};
    fuzz_begin(&r);
    FUZZ_CHECK(&r, pnr_board_read("onyx-8x8", &r.mem, &r.diag, &board));
    machine *m = cosim_machine(&board, (cosim_chip){0}, NULL, &r.diag);
    FUZZ_CHECK(&r, m);
    serve_begin(&b.s, m);
    connect_debugger(&b);
    put_reset(&b);
    put_access(&b, false, false, CTRL_STAT, POWERED_AND_CLEARED, false);
    exchange(&b);
    feed(&b, data, size);
    check_usable(&b, board.map.sram);
    close(b.debugger);
    close(b.s.jtag.client);
    machine_destroy(m);
    pnr_board_free(&board);
    arena_free(&r.mem);
    return 0;
}
