/* Any bytes as input at the back door of onyx-cosim --jtag: every request is answered according to serve.h,
 * compared with a model of the memories; the server hangs up on anything else. */
#include <ctype.h>
#include <sys/socket.h>
#include <unistd.h>

#include "firmware/cosim_interface.h"
#include "rtl_models/soc/machine_memory.h"
#include "rtl_models/soc/serve_int.h"
#include "tests/fuzz/fuzz.h"

enum { MOST_IN = 1 << 14, MOST_OUT = 1 << 16, MOST_LINE = 79, MEMORIES = 3, GLB_BYTES = 1 << 22 };

typedef struct {
    uint32_t first, bytes;
    uint8_t *content;
} memory;

typedef struct {
    fuzz_run forever;
    machine *m;
    memory memories[MEMORIES];
} bench;

static bench *the_bench(void) {
    static bench b;
    static pnr_board board;
    if (b.m)
        return &b;
    fuzz_begin(&b.forever);
    FUZZ_CHECK(&b.forever, pnr_board_read("onyx-8x8", &b.forever.mem, &b.forever.diag, &board));
    b.m = cosim_machine(&board, (cosim_chip){0}, NULL, &b.forever.diag);
    FUZZ_CHECK(&b.forever, b.m);
    const memory all[MEMORIES] = {{board.map.code, board.map.code_bytes, NULL},
                                  {board.map.sram, board.map.sram_bytes, NULL},
                                  {board.map.cgra_data, GLB_BYTES, NULL}};
    for (uint32_t i = 0; i < MEMORIES; i++) {
        b.memories[i] = all[i];
        b.memories[i].content = arena_alloc(&b.forever.mem, all[i].bytes);
    }
    return &b;
}

/* The model's copy of the bytes, or NULL. */
static uint8_t *kept(bench *b, uint64_t address, uint64_t bytes) {
    for (uint32_t i = 0; i < MEMORIES; i++) {
        const memory *m = &b->memories[i];
        if (address >= m->first && address < (uint64_t)m->first + m->bytes &&
            address + bytes <= (uint64_t)m->first + m->bytes)
            return m->content + (address - m->first);
    }
    return NULL;
}

/* A blank and a number as in C of 32 bits; false for anything else. */
static bool take_number(const uint8_t *text, size_t length, size_t *at, uint64_t *value) {
    size_t i = *at, begin;
    if (i == length || text[i++] != ' ')
        return false;
    bool hex = length - i > 2 && text[i] == '0' && (text[i + 1] | 32) == 'x' && isxdigit(text[i + 2]);
    uint32_t base = hex ? 16 : i < length && text[i] == '0' ? 8 : 10;
    i += hex ? 2 : 0;
    *value = 0;
    for (begin = i; i < length && *value <= UINT32_MAX; i++) {
        uint32_t c = text[i] | 32u, digit = isdigit(text[i])    ? c - '0'
                                            : isxdigit(text[i]) ? c - 'a' + 10
                                                                : 16;
        if (digit >= base)
            break;
        *value = *value * base + digit;
    }
    *at = i;
    return i > begin && *value <= UINT32_MAX;
}

typedef enum { WRITES, READS, ASKS_OK, MAKES_NO_SENSE, ENDS } request_kind;
typedef struct {
    request_kind kind;
    uint64_t address, bytes;
    size_t length; /* of the line */
} request;

static request next_request(const uint8_t *text, size_t length) {
    request q = {.kind = MAKES_NO_SENSE};
    const uint8_t *end = length ? memchr(text, '\n', length < MOST_LINE ? length : MOST_LINE) : NULL;
    if (!end)
        return (request){.kind = ENDS};
    size_t line = (size_t)(end - text), at = 0;
    static const char collisions[] = "collisions", interface[] = COSIM_INTERFACE;
    q.length = line + 1;
    if ((line == sizeof collisions - 1 && memcmp(text, collisions, line) == 0) ||
        (line == sizeof interface - 1 && memcmp(text, interface, line) == 0)) {
        q.kind = ASKS_OK;
        return q;
    }
    if (line >= 5 && memcmp(text, "write", 5) == 0) {
        q.kind = WRITES;
        at = 5;
    } else if (line >= 4 && memcmp(text, "read", 4) == 0) {
        q.kind = READS;
        at = 4;
    }
    if (!take_number(text, line, &at, &q.address) || !take_number(text, line, &at, &q.bytes) || at != line)
        q.kind = MAKES_NO_SENSE;
    return q;
}

/* Asks the server for its answer to the next request, and compares. */
static void expect(fuzz_run *r, server *s, int client, const void *head, const void *bytes, size_t n) {
    static char got[MOST_OUT + 64];
    serve_back_door(s);
    ssize_t length = recv(client, got, sizeof got, MSG_DONTWAIT);
    size_t first = head ? strlen(head) : 0;
    FUZZ_CHECK(r, (length < 0 ? 0 : (size_t)length) == first + n);
    FUZZ_CHECK(r, !first || memcmp(got, head, first) == 0);
    FUZZ_CHECK(r, !n || memcmp(got + first, bytes, n) == 0);
}

/* Serves a request; false when the server must hang up. *used: bytes of the text. */
static bool one(fuzz_run *r, bench *b, server *s, int client, const uint8_t *text, size_t length,
                size_t *used) {
    static const char no[] = "no: not inside a memory\n";
    request q = next_request(text, length);
    size_t left = length - q.length;
    uint8_t *at = kept(b, q.address, q.bytes);
    *used = q.length;
    if (q.kind == ENDS || (q.kind == WRITES && q.bytes > left)) {
        expect(r, s, client, NULL, NULL, 0);
        return false;
    }
    if (q.kind == MAKES_NO_SENSE) {
        expect(r, s, client, "no: write ADDRESS BYTES, read ADDRESS BYTES, or collisions\n", NULL, 0);
        return false;
    }
    if (q.kind == ASKS_OK) { /* no stream ever runs here */
        expect(r, s, client, "ok\n", NULL, 0);
        return true;
    }
    if (q.kind == READS) {
        expect(r, s, client, at ? "ok\n" : no, at, at ? q.bytes : 0);
        return true;
    }
    *used += q.bytes;
    if (at && q.bytes)
        memcpy(at, text + q.length, q.bytes);
    expect(r, s, client, at ? "ok\n" : no, NULL, 0);
    return true;
}

/* Bytes up to the first request whose answer or data exceed the socket's buffer while nobody reads. */
static size_t short_enough(bench *b, const uint8_t *data, size_t size) {
    size_t at = 0;
    for (size_t begin = 0; at < size; begin = at) {
        request q = next_request(data + at, size - at);
        if (q.kind == READS && q.bytes > MOST_OUT && kept(b, q.address, q.bytes))
            return begin;
        if (q.kind == ENDS || q.kind == MAKES_NO_SENSE ||
            (q.kind == WRITES && q.bytes > size - at - q.length))
            return size;
        at += q.length + (q.kind == WRITES ? q.bytes : 0);
    }
    return size;
}

/* Restores the machine's power-up state for the next input. */
static void forget(bench *b, const uint8_t *data, size_t size) {
    for (size_t at = 0; at < size;) {
        request q = next_request(data + at, size - at);
        if (q.kind == ENDS || q.kind == MAKES_NO_SENSE ||
            (q.kind == WRITES && q.bytes > size - at - q.length))
            return;
        uint8_t *bytes = q.kind == WRITES ? kept(b, q.address, q.bytes) : NULL;
        if (bytes && q.bytes) {
            memset(bytes, 0, q.bytes);
            machine_load(b->m, (uint32_t)q.address, bytes, q.bytes);
        }
        at += q.length + (q.kind == WRITES ? q.bytes : 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_run r;
    server s;
    int ends[2];
    bench *b = the_bench();
    fuzz_begin(&r);
    size = short_enough(b, data, size < MOST_IN ? size : MOST_IN);
    serve_begin(&s, b->m);
    FUZZ_CHECK(&r, socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    s.back.client = ends[1];
    FUZZ_CHECK(&r, send(ends[0], data, size, 0) == (ssize_t)size && shutdown(ends[0], SHUT_WR) == 0);
    bool good = true;
    for (size_t at = 0, used = 0; good; at += used) {
        good = one(&r, b, &s, ends[0], data + at, size - at, &used);
        if (good)
            fuzz_accepted = FUZZ_ACCEPTED; /* a request was answered */
        FUZZ_CHECK(&r, (s.back.client >= 0) == good);
    }
    close(ends[0]);
    forget(b, data, size);
    arena_free(&r.mem);
    return 0;
}
