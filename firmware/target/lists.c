/* Lists of batches, which the processor goes through without the host. Nothing runs on the array between two
 * of them, so that a test is the only user of the bank whose words it reads. */
#include "firmware/target/functions.h"
#include "firmware/target/hal.h"

SMALL_FROM_HERE

_Static_assert(FW_ITEM_CYCLES + 12 == FW_ITEM_BYTES, "an item has three of the mailbox's counters");

/* Returns how many words are not the fill. */
static uint32_t count_others(uint32_t at, uint32_t words, uint32_t fill) {
    const uint32_t end = at + 2 * words;
    uint32_t n = 0, left = 0;
    for (; at < end; at += 2) {
        const uint32_t word = glb_data16(at);
        if (left-- == 0)
            left = word; /* of the next block */
        else
            n += word != fill;
    }
    return n;
}

/* Fails where these bytes are not in the buffer, or so many no bank has. */
static void check_bytes(uint32_t item, uint32_t address, uint32_t bytes) {
    if (bytes > ONYX_GLB_BANK_BYTES ||
        address > ONYX_GLB_TILES * ONYX_GLB_BANKS * ONYX_GLB_BANK_BYTES - bytes)
        fail(FW_ERROR_BAD_BATCH, item, bytes);
}

static __attribute__((noinline)) void copy(uint32_t item) {
    uint32_t from = bus_read32(item + 4), bytes = bus_read32(item + 8), to = bus_read32(item + 12);
    check_bytes(item, from, bytes);
    check_bytes(item, to, bytes);
    if ((from | to | bytes) % 4)
        fail(FW_ERROR_BAD_BATCH, item, bytes);
    from += ONYX_CGRA_DATA;
    to += ONYX_CGRA_DATA;
    for (const uint32_t end = from + bytes; from < end; from += 4, to += 4)
        bus_write32(to, bus_read32(from));
}

static __attribute__((noinline)) bool holds(uint32_t item, uint32_t what) {
    const uint32_t address = bus_read32(item + 4), words = bus_read32(item + 8);
    const int32_t value = (int32_t)bus_read32(item + 16);
    if (address % 2 || words > ONYX_GLB_BANK_BYTES / 2)
        fail(FW_ERROR_BAD_BATCH, item, words);
    check_bytes(item, address, 2 * words);
    const int32_t now = what & FW_TEST_WORD ? (int16_t)glb_data16(address + 2)
                                            : (int32_t)count_others(address, words, bus_read32(item + 12));
    return what & (now < value ? FW_TEST_LESS : now == value ? FW_TEST_EQUAL : FW_TEST_GREATER);
}

static __attribute__((noinline)) void begin_block(uint32_t item) {
    const uint32_t to = bus_read32(item + 4), words = bus_read32(item + 8), from = bus_read32(item + 12);
    if (to % 2 || words >= ONYX_GLB_BANK_BYTES / 2 || from > words)
        fail(FW_ERROR_BAD_BATCH, item, words);
    check_bytes(item, to, 2 * words + 2);
    uint32_t at = ONYX_CGRA_DATA + to;
    const uint32_t end = at + 2 * words + 2;
    bus_write16(at, words);
    for (at += 2 * from + 2; at < end && at % 4; at += 2)
        bus_write16(at, 0);
    for (; at + 2 < end; at += 4)
        bus_write32(at, 0);
    for (; at < end; at += 2)
        bus_write16(at, 0);
}

/* Returns where the words of a cell of a run table begin. */
static inline uint32_t words_of(uint32_t item, uint32_t cell, uint32_t *words) {
    dispatch_check(cell, 1, 8, 0);
    const uint32_t address = bus_read32(cell);
    *words = bus_read32(cell + 4);
    if (address % 2 || *words > ONYX_GLB_BANK_BYTES / 2)
        fail(FW_ERROR_BAD_BATCH, item, *words);
    check_bytes(item, address, 2 * *words);
    return address;
}

/* Moves *at and *words behind the number that a block begins with, which it returns. */
static inline uint32_t begin_of(uint32_t item, uint32_t *at, uint32_t *words) {
    const uint32_t n = *words ? glb_data16(*at) : 0;
    if (n >= *words)
        fail(FW_ERROR_BAD_BATCH, item, *words);
    *at += 2;
    *words -= 1;
    return n;
}

SMALL_TO_HERE

/* Puts words that follow each other behind each other, two at a time where they lie so. */
static void put_part(uint32_t to, uint32_t from, uint32_t n, uint32_t fill) {
    const uint32_t end = to + 2 * n, pairs = fill << 16 | fill;
    if (to % 4 && n) {
        bus_write16(to, bus_read16(from) ^ fill);
        to += 2;
        from += 2;
    }
    for (; from % 4 == 0 && to + 2 < end; to += 4, from += 4)
        bus_write32(to, bus_read32(from) ^ pairs);
    for (; to < end; to += 2, from += 2)
        bus_write16(to, bus_read16(from) ^ fill);
}

static int32_t combined(uint32_t how, int32_t now, int32_t more) {
    switch (how) {
    case FW_SPREAD_ADD:
        return now + more;
    case FW_SPREAD_MIN:
        return more < now ? more : now;
    case FW_SPREAD_MAX:
        return more > now ? more : now;
    case FW_SPREAD_OR:
        return now | more;
    default:
        return now & more;
    }
}

/* Puts the values of a run into a dense vector. */
static __attribute__((noinline)) void spread(uint32_t item, uint32_t how) {
    const uint32_t cell = bus_read32(item + 4), to = bus_read32(item + 12), first = bus_read32(item + 16),
                   count = bus_read32(item + 20), fill = bus_read32(item + 24);
    uint32_t words, value = words_of(item, bus_read32(item + 8), &words), n = begin_of(item, &value, &words),
                    at = 0;
    if (cell) {
        at = words_of(item, cell, &words);
        const uint32_t segments = begin_of(item, &at, &words);
        at += 2 * segments;
        words -= segments;
        const uint32_t coordinates = begin_of(item, &at, &words);
        if (coordinates > n)
            fail(FW_ERROR_BAD_BATCH, item, n);
        n = coordinates;
    }
    if (to % 2 || count > ONYX_GLB_BANK_BYTES / 2)
        fail(FW_ERROR_BAD_BATCH, item, count);
    check_bytes(item, to, 2 * count);
    const uint32_t base = ONYX_CGRA_DATA + to, end = ONYX_CGRA_DATA + value + 2 * n;
    uint32_t from = ONYX_CGRA_DATA + value, crd = ONYX_CGRA_DATA + at, place = first;
    if (!cell && how == FW_SPREAD_SET) {
        const uint32_t skipped = (int32_t)first < 0 ? -first : 0, begin = (int32_t)first < 0 ? 0 : first;
        if (skipped < n && begin < count)
            put_part(base + 2 * begin, from + 2 * skipped,
                     n - skipped < count - begin ? n - skipped : count - begin, fill);
        return;
    }
    for (; from < end && how == FW_SPREAD_SET; from += 2, crd += 2) {
        place = bus_read16(crd) + first;
        if (place < count)
            bus_write16(base + 2 * place, bus_read16(from) ^ fill);
    }
    for (; from < end; from += 2, crd += 2, place++) {
        place = cell ? bus_read16(crd) + first : place;
        if (place >= count)
            continue;
        const uint32_t word = base + 2 * place;
        bus_write16(word,
                    (uint32_t)combined(how, (int16_t)(bus_read16(word) ^ fill), (int16_t)bus_read16(from)) ^
                        fill);
    }
}

/* Runs the batch of an item, and adds up what that took. */
static inline void run_item(const kernel_description *k, uint32_t item, uint32_t part) {
    const uint32_t config = mailbox.config_cycles[0], kernel_ = mailbox.kernel_cycles[0],
                   rest = mailbox.firmware_cycles[0];
    dispatch_batch(k, part, bus_read32(item + 4), bus_read32(item + 8), bus_read32(item + 12));
    const uint32_t at = item + FW_ITEM_CYCLES;
    bus_write32(at, bus_read32(at) + mailbox.config_cycles[0] - config);
    bus_write32(at + 4, bus_read32(at + 4) + mailbox.kernel_cycles[0] - kernel_);
    bus_write32(at + 8, bus_read32(at + 8) + mailbox.firmware_cycles[0] - rest);
}

void lists_batch(const kernel_description *k, uint32_t number, uint32_t table, uint32_t steps,
                 uint32_t outputs) {
    if (number != FW_LIST - FW_FUNCTION) {
        if (!k->call_function)
            fail(FW_ERROR_BAD_FUNCTION, number, 0);
        k->call_function(k, number, table, steps, outputs);
        return;
    }
    dispatch_check(table, 1, FW_LIST_HEAD, 0);
    const uint32_t items = bus_read32(table), again = bus_read32(table + 4), first = table + FW_LIST_HEAD;
    dispatch_check(first, items, FW_ITEM_BYTES, 0);
    if (again >= items)
        fail(FW_ERROR_BAD_BATCH, table, items);
    const uint32_t end = first + items * FW_ITEM_BYTES, since = cycles_now(),
                   before = mailbox.total_cycles[0];
    uint32_t item = first, left = steps;
    for (; left; left--) {
        const uint32_t what = bus_read32(item);
        if (what < FW_BLOCK)
            run_item(k, item, what);
        else if (what == FW_BLOCK)
            begin_block(item);
        else if (what < FW_COPY)
            spread(item, what - FW_SPREAD);
        else if (what == FW_COPY)
            copy(item);
        else if (holds(item, what))
            break;
        mailbox.steps = steps - left + 1;
        item += FW_ITEM_BYTES;
        if (item == end)
            item = first + again * FW_ITEM_BYTES;
    }
    mailbox.steps = steps - left;
    /* What is between the batches is the firmware's, too. */
    mailbox_add_run(0, cycles_now() - since - (mailbox.total_cycles[0] - before));
}
