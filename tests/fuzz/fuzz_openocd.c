/* Any bytes as what OpenOCD answers, each answer ended by 0x1A, while a program is loaded, started and given
 * a batch: refused with a code, or the batch's results are within the board's memory, kept, and read back. */
#include <sys/socket.h>
#include <unistd.h>

#include "host/host_int.h"
#include "host/kept.h"
#include "host/target.h"
#include "tests/fuzz/board.h"

static const pnr_board *board(void) {
    return fuzz_board("onyx-8x8");
}

enum { RUNS = 2, INPUTS = 1, OUTPUTS = 1, SEGMENT_BYTES = 48, MESSAGE_BYTES = 4096 };

/* A packet each: messages that come along with an answer are dropped, since nobody asked. */
static void send_messages(int to, const uint8_t *data, size_t size) {
    for (size_t at = 0, length; at < size; at += length) {
        size_t most = size - at < MESSAGE_BYTES ? size - at : MESSAGE_BYTES;
        const uint8_t *end = memchr(data + at, 0x1A, most);
        length = end ? (size_t)(end - (data + at)) + 1 : most;
        if (send(to, data + at, length, MSG_DONTWAIT) < 0)
            return;
    }
}

/* Kept, found again and merged, the lengths equal the run table's, inside the global buffer. */
static void check_kept(fuzz_run *r, const fw_batches *all, const host_batch_result *result,
                       const char *path) {
    enum { HEAD_BYTES = 16 };
    const uint64_t before[3] = {0}, buffer = (uint64_t)board()->glb_tiles * 2 * board()->glb_bank_bytes;
    const char *folder = arena_printf(&r->mem, "%s.kept", path), *merged = fuzz_file(r, ".result", "", 0);
    size_t length = 0;
    FUZZ_CHECK(r, make_folder(folder, &r->diag));
    FUZZ_CHECK(r, host_kept_write(folder, all, 0, result, before, &r->diag));
    host_kept kept = host_kept_read(folder, all, 0);
    FUZZ_CHECK(r, kept.done && kept.kernel_cycles == result->counters[1]);
    FUZZ_CHECK(r, host_kept_merge(merged, folder, all, &r->mem, &r->diag));
    const uint8_t *bytes = (const uint8_t *)fuzz_content(r, merged, &length);
    size_t at = HEAD_BYTES;
    for (uint32_t run = 0; run < RUNS; run++) {
        uint32_t address = result->table[6 * run + 2], words = result->table[6 * run + 3];
        FUZZ_CHECK(r, (uint64_t)address + 2 * (uint64_t)words <= buffer);
        FUZZ_CHECK(r, at + 12 <= length && file_u32_at(bytes + at + 8) == words);
        at += 12 + (2 * (size_t)words + 3) / 4 * 4;
    }
    FUZZ_CHECK(r, at == length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static uint8_t content[SEGMENT_BYTES];
    fuzz_run r;
    int ends[2];
    host_batch_result result = {0};
    fw_batches all = {
        .inputs = INPUTS, .outputs = OUTPUTS, .runs = RUNS, .batches = 1, .buffers = 1, .board = board()};
    host_options o = host_options_default();
    fuzz_begin(&r);
    o.timeout = 0.005;
    o.unchecked = true; /* the answers to checks of segments are in tests/program */
    fw_batch b = {.runs = RUNS, .table = board()->map.sram + FW_TABLE_OFFSET};
    vec_push(&r.mem, &b.segments, ((fw_segment){b.table, SEGMENT_BYTES, content}));
    all.list = arena_alloc(&r.mem, sizeof *all.list);
    all.list[0].runs = RUNS;
    FUZZ_CHECK(&r, socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0);
    send_messages(ends[1], data, size);
    FUZZ_CHECK(&r, shutdown(ends[1], SHUT_WR) == 0);
    const char *path = fuzz_file(&r, ".image", content, sizeof content);
    host_link l = {.board = board(),
                   .options = &o,
                   .folder = "/nowhere",
                   .mem = &r.mem,
                   .d = &r.diag,
                   .rpc = ends[0],
                   .door = -1,
                   .jtag.socket = -1,
                   .bulk = path};
    uint32_t rewritten;
    bool ok = host_target_start(&l, "app.elf", &all, &rewritten) && host_target_load(&l, &b, false) &&
              host_target_begin(&l, &all, 0, &b) && host_target_wait(&l, &all, 0, &b, &result) &&
              host_target_collect(&l, &all, &b, &r.mem, &result);
    fuzz_answer(&r, ok);
    if (ok)
        check_kept(&r, &all, &result, path);
    close(ends[0]);
    close(ends[1]);
    arena_free(&r.mem);
    return 0;
}
