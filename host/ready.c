/* A board that still runs the program of an earlier command: detects the program, and leaves a program ready.
 */
#include "host/ready.h"
#include "firmware/loaded.h"
#include "firmware/registers.h"
#include "host/target.h"

enum {
    SAMPLES = 16,      /* configuration words to read back */
    READ_CYCLES = 128, /* equal to target/configure.c */
    ALIVE_SECONDS = 3  /* until a batch without runs is done (some hundred cycles) */
};

/* The bytes loaded by a debugger, and their first image, configured after a start. */
typedef struct {
    fw_segments loaded;
    uint32_t images, words; /* of the first */
    const uint8_t *image;   /* data, address of each */
} program;

static uint32_t in_image(const uint8_t *header, size_t member) {
    return file_u32_at(header + member);
}

/* Counts the images, which lie back to back. */
static void find_images(program *p, const fw_segment *s) {
    const uint32_t head = sizeof(fw_image_header);
    for (uint32_t at = 0, words; at < s->bytes; at += head + 8 * words) {
        if (s->bytes - at < head)
            return;
        words = in_image(s->content + at, offsetof(fw_image_header, words));
        if (words == 0 || words > (s->bytes - at - head) / 8)
            return;
        if (p->images++ == 0) {
            p->image = s->content + head;
            p->words = words;
        }
    }
}

/* Reads the loadable bytes, and returns their checksum; 0 for a file of another kind. */
static uint64_t read_program(const host_link *l, const char *elf, program *p) {
    diagnostics quiet; /* OpenOCD reports the file's fault */
    uint64_t sum = 0;
    *p = (program){0};
    diag_init(&quiet, l->mem);
    if (!fw_read_loaded(elf, l->mem, &quiet, &p->loaded))
        return 0;
    for (uint32_t i = 0; i < p->loaded.len; i++) {
        const fw_segment *s = &p->loaded.at[i];
        const uint32_t where[] = {s->address, s->bytes};
        sum = hash_more(hash_more(sum, where, sizeof where), s->content, s->bytes);
        if (s->address == l->board->map.cgra_data)
            find_images(p, s);
    }
    return sum;
}

static bool read_mailbox(host_link *l, fw_mailbox *to) {
    return host_read_words(l, host_mailbox(l, 0), (uint32_t *)to, sizeof *to / 4);
}

/* ---- looks ----------------------------------------------------------------------------------- */

/* Each returns the difference found, or HOST_FOUND_READY without a difference. */

static host_found look_at_mailbox(const host_link *l, const fw_mailbox *m) {
    const uint64_t kept = m->kept[0] | (uint64_t)m->kept[1] << 32;
    if (m->magic != FW_MAILBOX_MAGIC || m->version != FW_PROTOCOL_VERSION)
        return HOST_FOUND_NOTHING;
    if (kept && kept != l->checksum)
        return HOST_FOUND_ANOTHER;
    if (!kept || m->state != FW_STATE_READY || m->command != m->done)
        return HOST_FOUND_CUT_OFF;
    return m->tried < FW_TABLE_OFFSET || m->tried > FW_TABLE_END ? HOST_FOUND_DAMAGED : HOST_FOUND_READY;
}

/* Whether the platform's clocks equal the program's settings: without clocks no other unit answers. */
static host_found look_at_clocks(host_link *l) {
    static const struct {
        uint32_t offset, mask, wanted;
    } all[] = {
        {PLATFORM_ID, UINT32_MAX, 0x5a5a5a5a},
        {PLATFORM_SYS_CLK_SELECT, UINT32_MAX, 1},
        {PLATFORM_CGRA_CLK_SELECT, UINT32_MAX, 0},
        {PLATFORM_CLK_GATE_EN, FIELD(PLATFORM_CLK_GATE_EN_CGRA, 1), 0},
        {PLATFORM_RESET_REQ, FIELD(PLATFORM_RESET_REQ_CGRA, 1), 0},
        {PLATFORM_RESET_ACK, FIELD(PLATFORM_RESET_ACK_CGRA, 1), 0},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        uint32_t value;
        if (!host_read_words(l, l->board->map.platform + all[i].offset, &value, 1) ||
            (value & all[i].mask) != all[i].wanted)
            return HOST_FOUND_CLOCKS;
    }
    return HOST_FOUND_READY;
}

/* Whether memory equals the loaded program. Operands overwrite a single image; several images stay. */
static host_found look_at_memory(host_link *l, const program *p) {
    arena mem = {0};
    bool same = true;
    for (uint32_t i = 0; i < p->loaded.len && same; i++) {
        const fw_segment *s = &p->loaded.at[i];
        const uint32_t bytes = (s->bytes + 3) & ~3u;
        if (s->address == l->board->map.cgra_data && p->images == 1)
            continue;
        uint32_t *there = arena_alloc(&mem, bytes);
        same = s->address % 4 == 0 && host_read(l, s->address, there, bytes) &&
               memcmp(there, s->content, s->bytes) == 0;
    }
    arena_free(&mem);
    return same ? HOST_FOUND_READY : HOST_FOUND_DAMAGED;
}

/* Whether the processor counts its cycles (a halted processor does not). */
static bool counts_cycles(host_link *l) {
    uint32_t then, now;
    return host_read_words(l, CORE_BASE + CORE_DWT_CYCCNT, &then, 1) &&
           host_read_words(l, CORE_BASE + CORE_DWT_CYCCNT, &now, 1) && now != then;
}

/* Whether the program completes a batch without runs of its first kernel: the program is then alive, with the
 * first image in the array as after a start. */
static host_found look_whether_alive(host_link *l, const program *p) {
    const fw_batches all = {.callee = p->images ? 0 : FW_FUNCTION};
    const fw_batch none = {.table = l->board->map.sram + FW_TABLE_OFFSET};
    const double limit = seconds_now() + ALIVE_SECONDS;
    const uint32_t number = l->batches_before + 1;
    fw_mailbox m = {0};
    if (!counts_cycles(l) || !host_target_begin(l, &all, 0, &none))
        return HOST_FOUND_SILENT;
    for (uint32_t n = 0; m.done != number && seconds_now() < limit && !host_interrupted; n++) {
        host_pause(n);
        if (!read_mailbox(l, &m) || m.state == FW_STATE_FAILED)
            return HOST_FOUND_SILENT;
    }
    l->batches_before = m.done;
    return m.done == number ? HOST_FOUND_READY : HOST_FOUND_SILENT;
}

/* Whether some words of the first image are in the array, and its columns run. Nobody else is at the
 * configuration bus while the program waits. */
static host_found look_at_array(host_link *l, const program *p) {
    const uint32_t glc = l->board->map.cgra_reg;
    uint32_t stalled = 0;
    bool same = !p->images || host_read_words(l, glc + GLC_CGRA_STALL, &stalled, 1);
    for (uint32_t i = 0; i < SAMPLES && p->images && same; i++) {
        const uint8_t *word = p->image + 8 * (size_t)((uint64_t)(p->words - 1) * i / (SAMPLES - 1));
        uint32_t data;
        same = host_write_word(l, glc + GLC_CFG_ADDRESS, file_u32_at(word + 4)) &&
               host_write_word(l, glc + GLC_CFG_READ, READ_CYCLES) &&
               host_read_words(l, glc + GLC_CFG_READ_DATA, &data, 1) && data == file_u32_at(word);
    }
    return same && !stalled ? HOST_FOUND_READY : HOST_FOUND_CONFIGURED;
}

/* ---- found, and left ------------------------------------------------------------------------- */

static uint64_t counter(const uint32_t words[2]) {
    return words[0] | (uint64_t)words[1] << 32;
}

/* Takes the checksum away while this command is at the board. */
static bool take(host_link *l) {
    return host_write_word(l, host_mailbox(l, FW_MAILBOX_KEPT), 0) &&
           host_write_word(l, host_mailbox(l, FW_MAILBOX_KEPT + 4), 0);
}

static host_found look(host_link *l, const program *p, uint64_t counters[3], uint64_t *checked) {
    fw_mailbox before, after;
    if (!read_mailbox(l, &before))
        return HOST_FOUND_NOTHING;
    host_found found = look_at_mailbox(l, &before);
    if (found == HOST_FOUND_READY)
        found = look_at_clocks(l);
    if (found == HOST_FOUND_READY)
        found = look_at_memory(l, p);
    if (found == HOST_FOUND_READY && !take(l))
        found = HOST_FOUND_DAMAGED;
    l->batches_before = before.done;
    if (found == HOST_FOUND_READY)
        found = look_whether_alive(l, p);
    if (found == HOST_FOUND_READY)
        found = look_at_array(l, p);
    if (found == HOST_FOUND_READY && !read_mailbox(l, &after))
        found = HOST_FOUND_SILENT;
    if (found != HOST_FOUND_READY)
        return found;
    counters[0] = counter(before.config_cycles); /* the first image may have taken the place of another */
    counters[1] = counter(after.kernel_cycles);
    counters[2] = counter(after.firmware_cycles);
    *checked = counter(after.checked);
    l->tried = before.tried;
    return found;
}

bool host_find_ready(host_link *l, const char *elf, const fw_batches *all, host_found *found,
                     uint64_t counters[3], uint64_t *checked) {
    program p;
    *found = HOST_FOUND_UNASKED;
    if (l->board->link.simulated) /* the program ends with the command */
        return true;
    l->checksum = read_program(l, elf, &p);
    if (!l->checksum || l->options->reload)
        return true;
    const uint32_t errors = l->d->list.len;
    l->tentative = true;
    *found = look(l, &p, counters, checked);
    l->tentative = false;
    if (l->d->list.len != errors || host_interrupted)
        return false;
    if (*found == HOST_FOUND_READY)
        return host_target_try(l, all, l->tried);
    l->batches_before = 0;
    return true;
}

void host_leave_ready(host_link *l) {
    diagnostics quiet;
    arena mem = {0};
    const uint32_t low = (uint32_t)l->checksum, high = (uint32_t)(l->checksum >> 32);
    if (!l->checksum || host_interrupted)
        return;
    diag_init(&quiet, &mem);
    l->d = &quiet; /* if the link is lost now, the next command loads the board */
    if (host_write_word(l, host_mailbox(l, FW_MAILBOX_TRIED), l->tried) &&
        host_write_word(l, host_mailbox(l, FW_MAILBOX_KEPT), low))
        host_write_word(l, host_mailbox(l, FW_MAILBOX_KEPT + 4), high);
    arena_free(&mem);
}
