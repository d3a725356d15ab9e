/* Lists of batches, run by the processor without the host. The array is idle between two batches: a test is
 * the only user of the bank it reads. */
#include "firmware/target/commands.h"
#include "firmware/target/functions.h"
#include "firmware/target/hal.h"
#include "firmware/target/mailbox.h"

/* Returns how many words of blocks, at an address of the processor's, are not the fill; no more are counted
 * once they are more than `most`. */
static int32_t count_others(uint32_t at, uint32_t words, uint32_t fill, int32_t most) {
    const uint32_t end = at + 2 * words;
    int32_t n = 0;
    while (at < end) {
        const uint32_t words_of_block = bus_take16(&at), behind = at + 2 * words_of_block;
        for (const uint32_t stop = behind < end ? behind : end; at < stop;) {
            if (bus_take16(&at) != fill && ++n > most)
                return n;
        }
    }
    return n;
}

uint32_t lists_address(uint32_t command, uint32_t address, uint32_t bytes) {
    const uint32_t in_scratch = address & FW_SCRATCH, at = address & ~FW_SCRATCH,
                   room = in_scratch ? FW_SCRATCH_END - FW_SCRATCH_OFFSET
                                     : ONYX_GLB_TILES * ONYX_GLB_BANKS * ONYX_GLB_BANK_BYTES;
    if (bytes > ONYX_GLB_BANK_BYTES || bytes > room || at > room - bytes)
        fail(FW_ERROR_BAD_BATCH, command, bytes);
    return at + (in_scratch ? ONYX_SRAM + FW_SCRATCH_OFFSET : ONYX_CGRA_DATA);
}

/* Copies consecutive words: four at a time with aligned memory, else two, the second of which is read with
 * the next pair. */
static __attribute__((noinline)) void put_words(uint32_t to, uint32_t from, uint32_t n, uint32_t fill) {
    const uint32_t end = to + 2 * n, pairs = fill << 16 | fill;
    if (to % 4 && n)
        bus_put16(&to, bus_take16(&from) ^ fill);
    if (from % 4 == 0) {
        while (!pairs && to + 14 < end)
            bus_copy_four(&from, &to);
        while (to + 14 < end)
            bus_move_four(&from, &to, pairs);
        if (to + 6 < end)
            bus_move_pair(&from, &to, pairs);
    }
    if (from % 4 && to < end) {
        uint32_t read = (uint32_t)bus_read16(from) << 16;
        for (from += 2; to + 2 < end; from += 4, to += 4) {
            const uint32_t first = read >> 16;
            read = bus_read32(from);
            bus_write32(to, (read << 16 | first) ^ pairs);
        }
        from -= 2;
    }
    while (to < end)
        bus_put16(&to, bus_take16(&from) ^ fill);
}

/* Returns the bytes from the begin of the first piece to that of the last: `times` and `steps` have the
 * counts and strides along one dimension in their lower half, and along the other in the upper half. */
static uint32_t reach_of(uint32_t command, uint32_t times, uint32_t steps) {
    uint32_t reach = 0;
    for (uint32_t dimension = 0; dimension < 2; dimension++, times >>= 16, steps >>= 16) {
        const uint32_t more = (times & 0xffff) ? (times & 0xffff) - 1 : 0, step = steps & 0xffff;
        if (step % 2 || more * step > ONYX_GLB_BANK_BYTES)
            fail(FW_ERROR_BAD_BATCH, command, step);
        reach += more * step;
    }
    return reach;
}

/* Copies pieces of `bytes` bytes along two dimensions. */
static __attribute__((noinline)) void copy_along(uint32_t command, uint32_t bytes, uint32_t times) {
    const uint32_t steps = command_word(command, copy, step), steps_to = command_word(command, copy, step_to);
    uint32_t from = lists_address(command, command_field(command, copy, from),
                                  bytes + reach_of(command, times, steps)),
             to = lists_address(command, command_field(command, copy, to),
                                bytes + reach_of(command, times, steps_to));
    for (uint32_t j = times >> 16 ? times >> 16 : 1; j; j--, from += steps >> 16, to += steps_to >> 16) {
        const uint32_t step = steps & 0xffff, step_to = steps_to & 0xffff;
        uint32_t at = from, put = to, i = (times & 0xffff) ? times & 0xffff : 1;
        for (; i && bytes == 2; i--, at += step, put += step_to)
            bus_write16(put, bus_read16(at));
        for (; i; i--, at += step, put += step_to)
            put_words(put, at, bytes / 2, 0);
    }
}

static void copy(uint32_t command, uint32_t how) {
    const uint32_t bytes = command_field(command, copy, bytes), times = command_word(command, copy, times);
    const uint32_t from = lists_address(command, command_field(command, copy, from), bytes),
                   to = lists_address(command, command_field(command, copy, to), bytes);
    if ((from | to | bytes) % 2 || how)
        fail(FW_ERROR_BAD_BATCH, command, bytes);
    if (times)
        copy_along(command, bytes, times);
    else
        put_words(to, from, bytes / 2, 0);
}

static uint32_t root_of(int32_t x) {
    int32_t root = 0;
    for (int32_t bit = 128; bit; bit /= 2) {
        if ((root + bit) * (root + bit) <= x)
            root += bit;
    }
    return (uint32_t)root;
}

uint32_t lists_combine(uint32_t how, uint32_t word, uint32_t with) {
    const int32_t a = (int16_t)word, b = (int16_t)with;
    switch (how) {
    case FW_OP_ADD:
        return (uint32_t)(a + b);
    case FW_OP_MIN:
        return (uint32_t)(a < b ? a : b);
    case FW_OP_MAX:
        return (uint32_t)(a > b ? a : b);
    case FW_OP_OR:
        return word | with;
    case FW_OP_AND:
        return word & with;
    case FW_OP_SUB:
        return (uint32_t)(a - b);
    case FW_OP_MUL:
        return (uint32_t)(a * b);
    case FW_OP_DIV:
        return b ? (uint32_t)(a / b) : 0;
    case FW_OP_LESS:
        return a < b;
    case FW_OP_LESS_EQUAL:
        return a <= b;
    case FW_OP_EQUAL:
        return a == b;
    case FW_OP_UNEQUAL:
        return a != b;
    case FW_OP_ROOT:
        return root_of(a);
    default:
        return with;
    }
}

static __attribute__((noinline)) bool holds(uint32_t command, uint32_t what) {
    const uint32_t address = command_field(command, test, place), words = command_field(command, test, words);
    const int32_t value = (int32_t)command_field(command, test, value);
    if (address % 2 || words > ONYX_GLB_BANK_BYTES / 2)
        fail(FW_ERROR_BAD_BATCH, command, words);
    const uint32_t at = lists_address(command, address, 2 * words);
    const int32_t now = what & FW_TEST_WORD
                            ? (int16_t)bus_read16(at + 2)
                            : count_others(at, words, command_field(command, test, fill), value);
    return what & (now < value ? FW_TEST_LESS : now == value ? FW_TEST_EQUAL : FW_TEST_GREATER);
}

static __attribute__((noinline)) void begin_block(uint32_t command, uint32_t how) {
    const uint32_t to = command_field(command, block, to), words = command_field(command, block, words),
                   from = command_field(command, block, from);
    if (to % 2 || words >= ONYX_GLB_BANK_BYTES / 2 || from > words || how)
        fail(FW_ERROR_BAD_BATCH, command, words);
    uint32_t at = lists_address(command, to, 2 * words + 2);
    const uint32_t end = at + 2 * words + 2;
    bus_write16(at, words);
    at += 2 * from + 2;
    if (at < end && at % 4)
        bus_put16(&at, 0);
    while (at + 6 < end)
        bus_set_pair(&at, 0, 0);
    while (at < end)
        bus_put16(&at, 0);
}

uint64_t lists_words(uint32_t command, uint32_t cell) {
    uint32_t address, words;
    if (cell % 4 || cell - (ONYX_SRAM + FW_TABLE_OFFSET) > FW_TABLE_END - FW_TABLE_OFFSET - FW_CELL_BYTES)
        dispatch_check(cell, 1, FW_CELL_BYTES, 0); /* fails */
    read_cell(cell, &address, &words);
    if (address % 2 || address & FW_SCRATCH || words > ONYX_GLB_BANK_BYTES / 2)
        fail(FW_ERROR_BAD_BATCH, command, words);
    return (uint64_t)words << 32 | lists_address(command, address, 2 * words);
}

uint32_t lists_begin(uint32_t command, uint32_t at, uint32_t words) {
    const uint32_t n = words ? bus_read16(at) : 0;
    if (n >= words)
        fail(FW_ERROR_BAD_BATCH, command, words);
    return n;
}

/* Finds a run's stored values of a piece of a vector, from *from on, and their coordinates from *at on;
 * without a coordinate cell there are none. Returns their number. */
static __attribute__((noinline)) uint32_t piece_of(uint32_t command, uint32_t crd_cell, uint32_t val_cell,
                                                   uint32_t *at, uint32_t *from) {
    const uint64_t values = lists_words(command, val_cell);
    const uint32_t n = lists_begin(command, (uint32_t)values, (uint32_t)(values >> 32));
    *from = (uint32_t)values + 2;
    if (!crd_cell)
        return n;
    const uint64_t coordinates = lists_words(command, crd_cell);
    const uint32_t words = (uint32_t)(coordinates >> 32), begin = (uint32_t)coordinates,
                   segments = 1 + lists_begin(command, begin, words),
                   those = lists_begin(command, begin + 2 * segments, words - segments);
    *at = begin + 2 * segments + 2;
    if (those > n)
        fail(FW_ERROR_BAD_BATCH, command, n);
    return those;
}

/* Puts the values of a run into a dense vector. Coordinates ascend: if their span equals their number, no
 * coordinate is missing, and the values are put like a dense piece. */
static __attribute__((noinline)) void spread(const kernel_description *k, uint32_t command, uint32_t how) {
    const uint32_t cell = command_field(command, spread, crd_cell), to = command_field(command, spread, to),
                   count = command_field(command, spread, count), fill = command_field(command, spread, fill);
    uint32_t first = command_field(command, spread, first);
    uint32_t at = 0, from;
    const uint32_t n = piece_of(command, cell, command_field(command, spread, val_cell), &at, &from);
    if (to % 2 || count > ONYX_GLB_BANK_BYTES / 2)
        fail(FW_ERROR_BAD_BATCH, command, count);
    const uint32_t base = lists_address(command, to, 2 * count), end = from + 2 * n;
    bool follows = !cell;
    if (cell && n) {
        const uint32_t begin = bus_read16(at);
        follows = bus_read16(at + 2 * n - 2) - begin == n - 1;
        first += follows ? begin : 0;
    }
    uint32_t place = first;
    if (follows && how == FW_OP_SET) {
        const uint32_t skipped = (int32_t)first < 0 ? -first : 0, begin = (int32_t)first < 0 ? 0 : first;
        if (skipped < n && begin < count)
            put_words(base + 2 * begin, from + 2 * skipped,
                      n - skipped < count - begin ? n - skipped : count - begin, fill);
        return;
    }
    for (; from < end && how == FW_OP_SET; from += 2, at += 2) {
        place = bus_read16(at) + first;
        if (place < count)
            bus_write16(base + 2 * place, bus_read16(from) ^ fill);
    }
    if (how == FW_OP_ADD && k->combine == lists_combine && follows && place < count &&
        n <= count - place) { /* most sums */
        for (uint32_t word = base + 2 * place; from < end; from += 2, word += 2)
            bus_write16(word, ((bus_read16(word) ^ fill) + bus_read16(from)) ^ fill);
    }
    for (; from < end; from += 2, at += 2, place++) {
        place = follows ? place : bus_read16(at) + first;
        if (place >= count)
            continue;
        const uint32_t word = base + 2 * place;
        bus_write16(word, k->combine(how, bus_read16(word) ^ fill, bus_read16(from)) ^ fill);
    }
}

void lists_complete(uint32_t cell, uint32_t rows, uint32_t address, uint32_t words) {
    uint32_t changes = 0;
    for (; rows >> 16; rows -= 1u << 16, cell += rows & 0xffff) {
        if (bus_read32(cell + FW_AT_cell_first) != address)
            continue;
        changes |= bus_read32(cell + FW_AT_cell_words) ^ words;
        bus_write32(cell + FW_AT_cell_words, words);
    }
    if (changes)
        dispatch_settled = dispatch_ahead = 0;
}

/* Where the next entry goes; 0: coordinates or values go nowhere. */
typedef struct {
    uint32_t crd, val;
} entry_place;

static inline void put_entry(entry_place *to, uint32_t coordinate, uint32_t value) {
    if (to->crd)
        bus_put16(&to->crd, coordinate);
    if (to->val)
        bus_put16(&to->val, value);
}

/* Makes the entries of `count` words, and returns their number. */
static __attribute__((noinline)) uint32_t put_entries(entry_place begin, uint32_t from, uint32_t count,
                                                      uint32_t how) {
    const uint32_t lacked = how & FW_PACK_LACKED ? 1 : 0, end = from + 2 * count;
    const bool absent = how & FW_PACK_ABSENT;
    entry_place to = begin;
    uint32_t at = from;
    if (how & FW_PACK_PADDED && count && !bus_read16(at) != absent) {
        put_entry(&to, 0, 0);
        at += 2;
    }
    if (begin.crd && begin.val && !(how & (FW_PACK_ABSENT | FW_PACK_ONES)))
        at = bus_put_words(from, at, end, &to.crd, &to.val);
    for (; at < end; at += 2) {
        const uint32_t word = bus_read16(at);
        if (!word == absent)
            put_entry(&to, (at - from) / 2, how & (FW_PACK_ABSENT | FW_PACK_ONES) ? 1 : word);
    }
    if (to.crd == begin.crd && to.val == begin.val)
        put_entry(&to, lacked * count, lacked);
    return (begin.crd ? to.crd - begin.crd : to.val - begin.val) / 2;
}

/* Returns the first of `n` ascending words not below `least`: mostly one of the ends. */
static __attribute__((noinline)) uint32_t first_from(uint32_t at, uint32_t n, int32_t least) {
    uint32_t low = 0;
    if (!n || (int32_t)bus_read16(at) >= least)
        return 0;
    if ((int32_t)bus_read16(at + 2 * n - 2) < least)
        return n;
    while (low < n) {
        const uint32_t middle = (low + n) / 2;
        if ((int32_t)bus_read16(at + 2 * middle) < least)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

/* Puts consecutive entries. */
static __attribute__((noinline)) void put_run(entry_place *to, entry_place from, uint32_t n, uint32_t first,
                                              uint32_t how) {
    if (to->crd && !first)
        put_words(to->crd, from.crd, n, 0);
    for (uint32_t i = 0; to->crd && first && i < 2 * n; i += 2)
        bus_write16(to->crd + i, bus_read16(from.crd + i) - first);
    if (to->val && !(how & FW_PACK_ONES))
        put_words(to->val, from.val, n, how >> FW_PACK_FILL_SHIFT);
    for (uint32_t i = 0; to->val && how & FW_PACK_ONES && i < 2 * n; i += 2)
        bus_write16(to->val + i, 1);
    to->crd += to->crd ? 2 * n : 0;
    to->val += to->val ? 2 * n : 0;
}

/* Returns the place of the first fill word from `at` on, or the end. */
static inline uint32_t run_end(uint32_t at, uint32_t end, uint32_t fill) {
    for (; at < end && (at % 4 || at + 4 > end); at += 2) {
        if (bus_read16(at) == fill)
            return at;
        if (at + 2 == end)
            return end;
    }
    for (; at + 4 <= end; at += 4) {
        const uint32_t two = bus_read32(at);
        if ((two & 0xffff) == fill)
            return at;
        if (two >> 16 == fill)
            return at + 2;
    }
    return at < end && bus_read16(at) != fill ? end : at;
}

/* Makes entries of a run's stored values, after `had` entries of the block, and returns their number. */
static __attribute__((noinline)) uint32_t put_stored(entry_place begin, uint32_t command, uint32_t how,
                                                     uint32_t had) {
    const uint32_t words = command_word(command, gather, count), count = FW_TAKE(words, gather, count),
                   fill = how >> FW_PACK_FILL_SHIFT;
    const int32_t first = (int32_t)words >> FW_LOW_gather_first;
    entry_place to = begin, from;
    const uint32_t n = piece_of(command, command_field(command, gather, from_crd),
                                command_field(command, gather, from_val), &from.crd, &from.val),
                   low = first_from(from.crd, n, first),
                   some = low + first_from(from.crd + 2 * low, n - low, first + (int32_t)count);
    if (had + some - low > count)
        fail(FW_ERROR_BAD_BATCH, command, some - low);
    const uint32_t end = from.val + 2 * some;
    bool none = !had, padded = none && how & FW_PACK_PADDED && count;
    from.crd += 2 * low;
    from.val += 2 * low;
    for (;;) {
        uint32_t at = from.val;
        while (at < end && bus_read16(at) == fill)
            at += 2;
        from.crd += at - from.val;
        from.val = at;
        at = run_end(at, end, fill);
        if (at == from.val)
            break;
        if (padded && (int32_t)bus_read16(from.crd) != first)
            put_entry(&to, 0, 0);
        padded = none = false;
        put_run(&to, from, (at - from.val) / 2, (uint32_t)first, how);
        from.crd += at - from.val;
        from.val = at;
    }
    if (none && !(how & FW_PACK_OPEN)) {
        const uint32_t lacked = how & FW_PACK_LACKED && !padded;
        put_entry(&to, lacked * count, lacked);
    }
    return (begin.crd ? to.crd - begin.crd : to.val - begin.val) / 2;
}

/* Returns the place of a command's block of coordinates or of values, of up to `bytes` bytes; 0: no such
 * stream. */
static __attribute__((noinline)) uint32_t stream_of(uint32_t command, uint32_t how, bool values,
                                                    uint32_t bytes) {
    const uint32_t cell = command_word(command + 4 * values, pack, crd_cell),
                   rows = command_word(command, pack, rows);
    if (!cell)
        return 0;
    if (rows >> 16)
        dispatch_check(cell, 1, ((rows >> 16) - 1) * (rows & 0xffff) + FW_CELL_BYTES, 0);
    const uint32_t address =
        bus_read32(how & FW_PACK_STORED ? cell + FW_AT_cell_first : command + FW_AT_pack_crd + 4 * values);
    if (address % 4 || address & FW_SCRATCH || !(rows >> 16))
        fail(FW_ERROR_BAD_BATCH, command, address);
    return lists_address(command, address, bytes);
}

/* Makes a block of a compressed vector. */
static __attribute__((noinline)) void pack(uint32_t command, uint32_t how) {
    const uint32_t words = command_word(command, pack, count), count = FW_TAKE(words, pack, count),
                   crd_cell = command_field(command, pack, crd_cell),
                   val_cell = command_field(command, pack, val_cell),
                   rows = command_word(command, pack, rows);
    const bool stored = how & FW_PACK_STORED;
    if ((!stored && how > FW_PACK_BITS) ||
        (stored && (how & FW_PACK_ABSENT || !command_field(command, gather, from_crd))) ||
        !(crd_cell | val_cell))
        fail(FW_ERROR_BAD_BATCH, command, how);
    const uint32_t segments = stream_of(command, how, false, 2 * count + 10),
                   length = stream_of(command, how, true, 2 * count + 4);
    uint32_t had = 0;
    if (stored && how & FW_PACK_MORE)
        had = bus_read16(segments ? segments + 4 : length);
    const entry_place to = {segments ? segments + 8 + 2 * had : 0, length ? length + 2 + 2 * had : 0};
    const uint32_t n =
        stored
            ? had + put_stored(to, command, how, had)
            : put_entries(to, lists_address(command, FW_SCRATCH | 2 * FW_TAKE(words, pack, first), 2 * count),
                          count, how);
    if (segments) {
        bus_write32(segments, 2);
        bus_write32(segments + 4, n << 16 | n);
        lists_complete(crd_cell, rows, segments - ONYX_CGRA_DATA, n + 4);
    }
    if (length) {
        bus_write16(length, n);
        lists_complete(val_cell, rows, length - ONYX_CGRA_DATA, n + 1);
    }
}

/* Computes rows of values, each of two. */
static __attribute__((noinline)) void calculate_rows(const kernel_description *k, uint32_t command,
                                                     uint32_t how) {
    const uint32_t times = command_word(command, calc, n), bytes = 2 * FW_TAKE(times, calc, n),
                   rows = FW_TAKE(times, calc, rows), steps = command_word(command, calc, step_to),
                   above = rows << 16;
    const uint32_t step = how & FW_CALC_NUMBER ? 0 : 2, /* a number stays at its place in the command */
        step_b = step ? command_field(command, calc, step_b) : 0;
    uint32_t to = lists_address(command, command_field(command, calc, to),
                                bytes + reach_of(command, above, steps << 16)),
             a = lists_address(command, command_field(command, calc, a),
                               bytes + reach_of(command, above, steps)),
             b = command + FW_AT_calc_b;
    how &= ~(uint32_t)FW_CALC_NUMBER;
    if (step)
        b = lists_address(command, bus_read32(b), bytes + reach_of(command, above, step_b << 16));
    if ((to | a | b) % 2 || how >= FW_OPS)
        fail(FW_ERROR_BAD_BATCH, command, how);
    for (uint32_t j = rows; j; j--) {
        for (const uint32_t end = to + bytes; to < end; b += step) {
            const uint32_t word = bus_take16(&a), with = bus_read16(b);
            bus_put16(&to, how == FW_OP_DIV && !(word | with) ? 0 : k->combine(how, word, with));
        }
        to += (steps & 0xffff) - bytes;
        a += (steps >> 16) - bytes;
        b += step ? (step_b & 0xffff) - bytes : 0;
    }
}

/* Computes one value of two. */
static __attribute__((noinline)) void calculate(const kernel_description *k, uint32_t command, uint32_t how) {
    if (command_word(command, calc, n)) {
        calculate_rows(k, command, how);
        return;
    }
    const uint32_t to = lists_address(command, command_field(command, calc, to), 4);
    const uint32_t a = bus_read16(lists_address(command, command_field(command, calc, a), 4) + 2);
    uint32_t b = command_field(command, calc, b);
    if (!(how & FW_CALC_NUMBER))
        b = bus_read16(lists_address(command, b, 4) + 2);
    how &= ~(uint32_t)FW_CALC_NUMBER;
    if (to % 4 || how >= FW_OPS)
        fail(FW_ERROR_BAD_BATCH, command, how);
    bus_write32(to, k->combine(how, a, b) << 16 | 1);
}

static uint32_t list_start; /* a cycle less all that was counted then */

/* Counts cycles of short runs and between the batches, which are firmware, too: those since the list's start.
 */
static __attribute__((noinline)) void count_rest(void) {
    dispatch_report();
    mailbox_add_run(dispatch_short_work, cycles_now() - mailbox.total_cycles[0] - list_start);
    dispatch_short_work = 0;
}

/* A clock counts to 2^32: cycles are counted after each call and each pass, if there are many. */
static inline __attribute__((always_inline)) void count_many(void) {
    if ((cycles_now() - mailbox.total_cycles[0] - list_start) >> 31)
        count_rest();
}

/* Makes the calls of a command, and adds up their cycles in the command. */
static inline __attribute__((always_inline)) void call(const kernel_description *k, uint32_t command,
                                                       uint32_t function) {
    const uint32_t start = cycles_now(), at = command + FW_AT_batch_rest;
    if (!k->call_function)
        fail(FW_ERROR_BAD_FUNCTION, function, 0);
    k->call_function(k, function, command_field(command, batch, table), command_field(command, batch, runs),
                     command_field(command, batch, outputs));
    bus_write32(at, bus_read32(at) + cycles_now() - start);
    count_many();
}

static void entries(const kernel_description *k, uint32_t command, uint32_t what) {
    if (!k->entries)
        fail(FW_ERROR_BAD_BATCH, command, what);
    k->entries(k, command, what);
}

/* Executes a command; returns whether the list ends before the next. */
static inline __attribute__((always_inline)) bool execute(const kernel_description *k, uint32_t command) {
    const uint32_t what = bus_read32(command), how = what & 0x0fffffff;
    if (what < FW_ENTRIES) {
        dispatch_command(k, command);
        return false;
    }
    switch (what >> 28) {
    case FW_ENTRIES >> 28:
        entries(k, command, how);
        break;
    case FW_CALC >> 28:
        calculate(k, command, how);
        break;
    case FW_PACK >> 28:
        pack(command, how);
        break;
    case FW_BLOCK >> 28:
        begin_block(command, how);
        break;
    case FW_TEST >> 28:
        return holds(command, how);
    case FW_COPY >> 28:
        copy(command, how);
        break;
    case FW_FUNCTION >> 28:
        call(k, command, how);
        break;
    default:
        spread(k, command, how);
    }
    return false;
}

void lists_batch(const kernel_description *k, uint32_t number, uint32_t table, uint32_t steps,
                 uint32_t outputs) {
    if (number != FW_COMMAND_LIST - FW_FUNCTION) {
        if (!k->call_function)
            fail(FW_ERROR_BAD_FUNCTION, number, 0);
        k->call_function(k, number, table, steps, outputs);
        return;
    }
    dispatch_check(table, 1, FW_LIST_HEAD, 0);
    const uint32_t commands = bus_read32(table), again = bus_read32(table + 4), first = table + FW_LIST_HEAD;
    dispatch_check(first, commands, FW_COMMAND_BYTES, 0);
    if (again >= commands)
        fail(FW_ERROR_BAD_BATCH, table, commands);
    const uint32_t end = first + commands * FW_COMMAND_BYTES;
    uint32_t command = first, remaining = steps;
    list_start = cycles_now() - mailbox.total_cycles[0];
    dispatch_settled = dispatch_ahead = dispatch_followed = 0; /* the host has written rows */
    dispatch_list[0] = end;
    dispatch_list[1] = first + again * FW_COMMAND_BYTES;
    for (; remaining; remaining--) {
        mailbox.steps = steps - remaining;
        if (execute(k, command))
            break;
        command += FW_COMMAND_BYTES;
        if (command == end) {
            command = dispatch_list[1];
            count_many();
        }
    }
    mailbox.steps = steps - remaining;
    count_rest();
}
