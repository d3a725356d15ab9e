/* Fiber access: a writer that makes blocks of trees, a reader that takes blocks in the same order. The tile's
 * limit of two finished blocks only delays the writer: here all blocks are written first. */
#include "tests/spec/streams.h"

enum { IN_REF, IN_ADDR, IN_BLOCK, IN_DATA, OUT_BLOCK = 0, OUT_CRD, OUT_POS };

typedef struct {
    bool writer_on, lowest_level, compressed, block_write, sums_write, init_blank;
    bool reader_on, root, lookup, dense, block_read, sums_read;
    uint8_t write_level, read_level; /* level of the stops that end an accumulator's block */
    uint16_t dim_size;
    uint32_t before, behind; /* blocks of other scanners on a shared stream */
    uint32_t ahead;          /* blocks of tiles ahead on a shared store stream */
    uint32_t capacity[2];    /* entries of ID 0 and 1 */
} fields;

typedef struct {
    fields config;
    spec_streams *s;
    VEC(u16_vec) blocks[2]; /* finished, by ID */
    bool blank;             /* the accumulation being written has its empty block */
    uint32_t end;           /* last token of the block */
    bool read_out;          /* an accumulator's reader gives to the read-out */
} access;

static bool bit(const spec_mem_config *c, uint32_t index) {
    return c->space[index / 32] >> index % 32 & 1;
}

static uint32_t entries_of(uint32_t capacity_log) {
    return capacity_log == 0 ? 0 : 4u << (capacity_log > 9 ? 9 : capacity_log);
}

static fields decode(const spec_mem_config *c) {
    bool on = bit(c, 22) && bit(c, 95); /* fiber access and buffet */
    return (fields){
        .writer_on = on && bit(c, 0),
        .write_level = (uint8_t)(c->space[0] >> 1),
        .sums_write = bit(c, 17),
        .init_blank = bit(c, 19),
        .read_level = (uint8_t)(c->space[0] >> 24),
        .sums_read = bit(c, 40),
        .lowest_level = bit(c, 18),
        .compressed = bit(c, 20),
        .block_write = bit(c, 21),
        .reader_on = on && bit(c, 23),
        .root = bit(c, 41),
        .lookup = bit(c, 59),
        .dim_size = (uint16_t)(c->space[2] >> 13),
        .dense = bit(c, 93),
        .block_read = bit(c, 94),
        .before = c->space[3] >> 8 & 15,
        .behind = c->space[3] >> 12 & 15,
        .ahead = c->space[3] >> 17 & 15,
        .capacity = {entries_of(c->space[3] >> 4 & 15), entries_of(c->space[3] & 15)},
    };
}

/* ---- writer: each function makes the blocks of a tree; false when the inputs end too early ---- */

static bool write_block(access *a, u16_vec *block) {
    if (!has(a->s, IN_BLOCK))
        return false;
    for (uint32_t left = take(a->s, IN_BLOCK) & 0xffff; left > 0; left--) {
        if (!has(a->s, IN_BLOCK))
            return false;
        vec_push(a->s->mem, block, (uint16_t)take(a->s, IN_BLOCK));
    }
    return true;
}

/* A scanner keeps its own blocks of a shared stream. */
static bool write_own(access *a, u16_vec block[2]) {
    const fields *c = &a->config;
    const uint32_t own = c->lowest_level ? 1 : 2;
    for (uint32_t i = 0; i < c->before + own + c->behind; i++) {
        u16_vec other = {0};
        const bool is_own = i >= c->before && i < c->before + own;
        if (!write_block(a, is_own ? &block[i - c->before] : &other))
            return false;
    }
    return true;
}

/* Whether a token ends the block: done does, of an accumulator a stop of the level set. */
static bool ends_block(access *a, uint32_t token) {
    a->end = token;
    if (!a->config.sums_write)
        return rtl_is_done(token);
    return rtl_is_stop(token) && rtl_stop_level(token) >= a->config.write_level;
}

static bool write_values(access *a, u16_vec *values) {
    while (has(a->s, IN_DATA)) {
        uint32_t token = take(a->s, IN_DATA);
        if (ends_block(a, token))
            return true;
        if (!rtl_is_control(token))
            vec_push(a->s->mem, values, (uint16_t)token);
    }
    return false;
}

/* Done waits for done; other control tokens vanish. */
static bool write_pairs(access *a, u16_vec *values) {
    while (has(a->s, IN_DATA) && has(a->s, IN_ADDR)) {
        uint32_t data = head(a->s, IN_DATA), addr = head(a->s, IN_ADDR);
        bool both = rtl_is_control(data) == rtl_is_control(addr) && rtl_is_done(data) == rtl_is_done(addr);
        if (both || rtl_is_done(addr) || (rtl_is_control(data) && !rtl_is_done(data)))
            take(a->s, IN_DATA);
        if (both || rtl_is_done(data) || (rtl_is_control(addr) && !rtl_is_done(addr)))
            take(a->s, IN_ADDR);
        if (both && rtl_is_done(data))
            return true;
        if (!both || rtl_is_control(data))
            continue;
        while (values->len <= addr)
            vec_push(a->s->mem, values, 0);
        values->at[addr] = (uint16_t)data;
    }
    return false;
}

static bool write_level(access *a, u16_vec *seg, u16_vec *crd) {
    arena *mem = a->s->mem;
    bool in_fiber = false, ended = false; /* a coordinate, a segment was the last thing written */
    vec_push(mem, seg, 0);
    while (has(a->s, IN_DATA)) {
        uint32_t token = take(a->s, IN_DATA);
        /* Equal neighbours, and consecutive stops; accumulators depend on the merge. */
        const bool merges = a->s->meaning != SPEC_SAM || a->config.sums_write;
        if (!rtl_is_control(token)) {
            if (!in_fiber || !merges || crd->at[crd->len - 1] != token)
                vec_push(mem, crd, (uint16_t)token);
            in_fiber = true;
            ended = false;
            continue;
        }
        if (rtl_is_done(token) && a->config.sums_write)
            continue;
        if (!ended || (!merges && !rtl_is_done(token)))
            vec_push(mem, seg, (uint16_t)crd->len);
        in_fiber = false;
        ended = true;
        if (ends_block(a, token))
            return true;
    }
    return false;
}

/* The empty fiber at the start of an accumulation, present before the first token. */
static void write_blank(access *a) {
    u16_vec block[2] = {{0}};
    vec_push(a->s->mem, &block[0], 0);
    vec_push(a->s->mem, &block[0], 0);
    vec_push(a->s->mem, &a->blocks[0], a->config.lowest_level ? (u16_vec){0} : block[0]);
    vec_push(a->s->mem, &a->blocks[1], block[1]);
    a->blank = true;
}

static bool write_tree(access *a) {
    const fields *c = &a->config;
    u16_vec block[2] = {{0}};
    bool whole;
    if (c->sums_write && c->init_blank && !a->blank)
        write_blank(a);
    if (c->block_write)
        whole = write_own(a, block);
    else if (c->lowest_level)
        whole = c->compressed ? write_values(a, &block[0]) : write_pairs(a, &block[0]);
    else
        whole = write_level(a, &block[0], &block[1]);
    if (!whole || block[0].len > c->capacity[0] || block[1].len > c->capacity[1])
        return false;
    vec_push(a->s->mem, &a->blocks[0], block[0]);
    vec_push(a->s->mem, &a->blocks[1], block[1]);
    a->blank = a->blank && rtl_stop_level(a->end) <= c->write_level;
    return true;
}

/* ---- reader ---------------------------------------------------------------------------------- */

/* Entry `at` of the block of tree `tree`. False: the block does not exist yet. */
static bool entry(const access *a, int id, uint32_t tree, uint32_t at, uint16_t *value) {
    if (tree >= a->blocks[id].len)
        return false;
    const u16_vec *block = &a->blocks[id].at[tree];
    *value = at < block->len ? block->at[at] : 0;
    return true;
}

static void put_item(access *a, uint32_t token) {
    put(a->s, a->read_out ? OUT_BLOCK : OUT_CRD, token);
}

static void put_both(access *a, uint32_t token) {
    put_item(a, token);
    put(a->s, OUT_POS, token);
}

/* The fiber of a reference, without its stop. */
static bool scan_fiber(access *a, uint32_t tree, uint32_t ref) {
    if (a->config.dense) {
        for (uint32_t k = 0; k < a->config.dim_size; k++) {
            put_item(a, k);
            put(a->s, OUT_POS, (ref * a->config.dim_size + k) & 0xffff);
        }
        return true;
    }
    uint16_t first, end, crd;
    if (!entry(a, 0, tree, ref, &first) || !entry(a, 0, tree, ref + 1, &end))
        return false;
    for (uint32_t at = first; at < end; at++) {
        if (!entry(a, 1, tree, at, &crd))
            return false;
        put_item(a, crd);
        put(a->s, OUT_POS, at);
    }
    return true;
}

/* The fiber and the stop that the reference or the stop at the head stands for; the stop, 0 if the stream or
 * the blocks end before. */
static uint32_t scan_reference(access *a, uint32_t tree) {
    uint32_t token = take(a->s, IN_REF), stop = RTL_STOP(0);
    const bool passes =
        a->config.dense && a->s->meaning >= SPEC_CHIP; /* a stop, too, followed by a second stop */
    if (rtl_is_stop(token) && !passes) {               /* an empty fiber one level up */
        stop = token + 1;
    } else {
        if (rtl_is_control(token) && a->config.dense)
            put_both(a, token);
        if (!rtl_is_control(token) && !scan_fiber(a, tree, token))
            return 0;
        if (!has(a->s, IN_REF))
            return 0;
        if (rtl_is_stop(head(a->s, IN_REF)))
            stop = take(a->s, IN_REF) + 1;
    }
    put_both(a, stop);
    return stop;
}

/* A tree of references; false when references or blocks end too early. */
static bool scan_tree(access *a, uint32_t tree) {
    while (has(a->s, IN_REF)) {
        if (rtl_is_done(head(a->s, IN_REF))) {
            put_both(a, take(a->s, IN_REF));
            return true;
        }
        if (!scan_reference(a, tree))
            return false;
    }
    return false;
}

/* All passes of an accumulator over the coordinates of its blocks, in order: a pass for each added sub-fiber,
 * and a pass for the total, which goes to the read-out. */
static void scan_sums(access *a) {
    bool last = false; /* the sum of the tree's last accumulation is being read out */
    uint32_t stop = 0;
    for (uint32_t block = 0;; block++) {
        while (!a->read_out && has(a->s, IN_REF) && rtl_is_done(head(a->s, IN_REF)))
            take(a->s, IN_REF);
        if (!a->read_out && !has(a->s, IN_REF))
            return;
        put(a->s, OUT_POS, RTL_ROUTE | a->read_out);
        if (a->read_out) {
            if (!scan_fiber(a, block, 0))
                return;
            put_both(a, stop - 1);
            if (last)
                put_both(a, RTL_DONE);
            a->read_out = false;
            continue;
        }
        do {
            stop = has(a->s, IN_REF) ? scan_reference(a, block) : 0;
            if (!stop)
                return;
        } while (rtl_stop_level(stop) < a->config.read_level);
        last = rtl_stop_level(stop) == a->config.read_level + 2u;
        if (last)
            put_both(a, RTL_DONE);
        a->read_out = rtl_stop_level(stop) > a->config.read_level;
    }
}

static bool ends_lookup(const access *a, uint32_t token) {
    return a->config.sums_read ? rtl_is_stop(token) && rtl_stop_level(token) >= a->config.read_level
                               : rtl_is_done(token);
}

static bool look_up_tree(access *a, uint32_t tree) {
    while (has(a->s, IN_REF)) {
        uint32_t token = take(a->s, IN_REF);
        uint16_t value;
        if (a->config.sums_read && (token & ~1u) == RTL_ROUTE) {
            a->read_out = token & 1;
        } else if (rtl_is_maybe(token)) {
            put_item(a, 0);
        } else if (rtl_is_control(token)) {
            put_item(a, token);
            if (ends_lookup(a, token))
                return true;
        } else {
            if (!entry(a, 0, tree, token, &value))
                return false;
            put_item(a, value);
        }
    }
    return false;
}

/* Passes on blocks of the tiles ahead in a store stream; an empty block leaves as the word 0. */
static bool pass_ahead(access *a) {
    for (uint32_t block = 0; block < a->config.ahead; block++) {
        if (!has(a->s, IN_BLOCK))
            return false;
        const uint32_t words = take(a->s, IN_BLOCK) & 0xffff;
        put(a->s, OUT_BLOCK, words ? words : 1);
        for (uint32_t i = 0; i < words; i++) {
            if (!has(a->s, IN_BLOCK))
                return false;
            put(a->s, OUT_BLOCK, take(a->s, IN_BLOCK));
        }
        if (words == 0)
            put(a->s, OUT_BLOCK, 0);
    }
    return true;
}

static bool read_out_tree(access *a, uint32_t tree) {
    if (!pass_ahead(a))
        return false;
    for (int id = 0; id < (a->config.lookup ? 1 : 2); id++) {
        if (tree >= a->blocks[id].len)
            return false;
        const u16_vec *block = &a->blocks[id].at[tree];
        put(a->s, OUT_BLOCK, block->len);
        for (uint32_t i = 0; i < block->len; i++)
            put(a->s, OUT_BLOCK, block->at[i]);
    }
    return true;
}

/* A root scanner makes its own reference stream, once for each tree written; a dense root once. */
static void make_root(access *a) {
    spec_streams *s = a->s;
    s->in[IN_REF] = (u32_vec){0};
    s->taken[IN_REF] = 0;
    uint32_t trees = a->config.dense ? 1 : a->blocks[0].len;
    for (uint32_t tree = 0; tree < trees; tree++) {
        vec_push(s->mem, &s->in[IN_REF], 0);
        vec_push(s->mem, &s->in[IN_REF], RTL_DONE);
    }
}

void spec_fiber_access(const spec_mem_config *config, spec_streams *streams) {
    access a = {.config = decode(config), .s = streams};
    while (a.config.writer_on && write_tree(&a))
        continue;
    if (!a.config.reader_on)
        return;
    if (a.config.root && a.config.lookup && !a.config.block_read && streams->meaning >= SPEC_CHIP)
        return; /* it never answers */
    if (a.config.root && !a.config.block_read)
        make_root(&a);
    if (a.config.sums_read && !a.config.root && !a.config.dense && !a.config.lookup && !a.config.block_read) {
        scan_sums(&a);
        return;
    }
    for (uint32_t tree = 0;; tree++) {
        bool whole = a.config.block_read ? read_out_tree(&a, tree)
                     : a.config.lookup   ? look_up_tree(&a, tree)
                                         : scan_tree(&a, tree);
        if (!whole)
            return;
    }
}

/* ---- skipping ---------------------------------------------------------------------------------- */

static bool is_in_fiber(const u32_vec *stream, uint32_t from, uint32_t crd) {
    for (uint32_t i = from; i < stream->len && !rtl_is_stop(stream->at[i]); i++)
        if (stream->at[i] == crd)
            return true;
    return false;
}

static uint32_t behind_stop(const u32_vec *stream, uint32_t at) {
    while (at < stream->len && !rtl_is_stop(stream->at[at]))
        at++;
    return at + 1;
}

const char *spec_skip_fault(const u32_vec all[2], const u32_vec *partner, const u32_vec *crd,
                            const u32_vec *pos) {
    uint32_t got = 0, fiber = 0; /* the next token given; where the other side's fiber begins */
    if (crd->len != pos->len)
        return "coordinates and positions are not as many";
    for (uint32_t i = 0; i < all[0].len; i++) {
        const uint32_t token = all[0].at[i];
        if (got < crd->len && crd->at[got] == token && pos->at[got] == all[1].at[i])
            got++;
        else if (rtl_is_control(token))
            return "a stop or the end is not there, or comes behind what is none of its fiber";
        else if (is_in_fiber(partner, fiber, token))
            return "a coordinate of both sides is left out";
        if (rtl_is_stop(token))
            fiber = behind_stop(partner, fiber);
    }
    return got == crd->len ? NULL : "something is given that is in no fiber";
}
