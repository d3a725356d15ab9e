/* Checks of a linked program: its segments, its sums, its sizes and its stack. */
#include "firmware/program.h"
#include "firmware/loaded.h"
#include "firmware/sums.h"

#include <dirent.h>
#include <stdlib.h>

bool fw_refuse_unit(const fw_unit *u, diagnostics *d, const char *what, const char *hint) {
    diag_error(d, u->loc, "E0169-processor", "'%s' is not for the processor of the chip: %s", u->name, what);
    return diag_hint(d, "%s", hint);
}

const char *fw_unit_file(const fw_options *o, uint32_t unit, const char *ending, arena *mem) {
    return arena_printf(mem, "%s/app_functions_%u%s", o->folder, unit, ending);
}

static uint32_t get16(const uint8_t *at) {
    return at[0] | (uint32_t)at[1] << 8;
}

enum { ELF_HEADER = 52, ELF_SEGMENT = 32, ELF_LOAD = 1, ELF_ARM = 40 };

/* The headers of an ELF file's segments. */
typedef struct {
    const uint8_t *file, *headers;
    size_t length;
    uint32_t n;
} elf_program;

/* Reads a program for the processor; a file of another kind has no headers. Returns false without a file. */
static bool read_program(const char *elf, arena *mem, diagnostics *d, elf_program *out) {
    size_t length = 0;
    const uint8_t *e = (const uint8_t *)file_read(elf, mem, &length, d);
    const bool good =
        e && length >= ELF_HEADER && memcmp(e, "\177ELF\1\1", 6) == 0 && get16(e + 18) == ELF_ARM;
    const uint32_t table = good ? file_u32_at(e + 28) : 0, n = good ? get16(e + 44) : 0;
    *out = (elf_program){.file = e, .length = length, .n = n};
    if (good && get16(e + 42) == ELF_SEGMENT && table + (uint64_t)n * ELF_SEGMENT <= length)
        out->headers = e + table;
    return e != NULL;
}

bool fw_read_loaded(const char *elf, arena *mem, diagnostics *d, fw_segments *out) {
    elf_program p;
    if (!read_program(elf, mem, d, &p))
        return false;
    bool good = p.headers != NULL;
    *out = (fw_segments){0};
    for (uint32_t i = 0; good && i < p.n; i++) {
        const uint8_t *segment = p.headers + i * ELF_SEGMENT;
        const uint32_t at = file_u32_at(segment + 4), address = file_u32_at(segment + 12),
                       bytes = file_u32_at(segment + 16);
        good = (uint64_t)at + bytes <= p.length;
        if (good && bytes && file_u32_at(segment) == ELF_LOAD)
            vec_push(mem, out, ((fw_segment){address, bytes, p.file + at}));
    }
    if (!good)
        diag_error(d, (src_loc){0}, "E0705-elf", "'%s' is not a 32-bit Arm program", elf);
    return good;
}

bool fw_seal_code(const char *elf, const pnr_board *b, arena *mem, diagnostics *d) {
    enum { SUM = 8 };
    elf_program p;
    if (!read_program(elf, mem, d, &p))
        return false;
    uint8_t *file = arena_alloc(mem, p.length + 1), *code = arena_alloc(mem, b->map.code_bytes);
    uint32_t end = 0, all = 0, sum_at = 0;
    memcpy(file, p.file, p.length);
    for (uint32_t i = 0; p.headers && i < p.n; i++) {
        const uint8_t *segment = p.headers + i * ELF_SEGMENT;
        const uint32_t at = file_u32_at(segment + 4), first = file_u32_at(segment + 12) - b->map.code,
                       bytes = file_u32_at(segment + 16);
        if (file_u32_at(segment) != ELF_LOAD || !bytes || first >= b->map.code_bytes)
            continue;
        BUG_IF(bytes > b->map.code_bytes - first || bytes > p.length || at > p.length - bytes, "'%s'", elf);
        memcpy(code + first, file + at, bytes);
        all += bytes;
        sum_at = first + bytes > end ? at + bytes - SUM : sum_at;
        end = first + bytes > end ? first + bytes : end;
    }
    BUG_IF(all != end || end % SUM || end < 2 * SUM, "the code of '%s' has gaps", elf);
    const uint64_t sum = fw_sum(b->map.code, code, end - SUM);
    for (uint32_t i = 0; i < SUM; i++)
        file[sum_at + i] = (uint8_t)(sum >> 8 * i);
    file_out f;
    if (!file_create(&f, elf, mem, d))
        return false;
    fwrite(file, 1, p.length, f.stream);
    return file_commit(&f, d);
}

bool fw_read_sizes(const char *elf, const pnr_board *b, uint32_t at, diagnostics *d, fw_app *out) {
    elf_program p;
    if (!read_program(elf, d->mem, d, &p))
        return false;
    bool good = p.headers != NULL;
    for (uint32_t i = 0; good && i < p.n; i++) {
        const uint8_t *segment = p.headers + i * ELF_SEGMENT;
        uint32_t address = file_u32_at(segment + 8), bytes = file_u32_at(segment + 20);
        if (file_u32_at(segment) != ELF_LOAD)
            continue;
        if (address - b->map.code < b->map.code_bytes)
            out->code_bytes += bytes;
        else if (address - b->map.sram < b->map.sram_bytes)
            out->data_bytes += bytes;
        else if (address == b->map.cgra_data + at)
            out->bitstream_bytes += bytes;
        else
            good = false;
    }
    if (!good)
        diag_error(d, (src_loc){0}, "E0705-elf", "'%s' is not a 32-bit Arm program for board '%s'", elf,
                   b->name);
    return good;
}

/* Adds up a report of lines "file:line:column:function<tab>bytes<tab>kind". */
static bool add_frames(const char *text, fw_app *out) {
    for (const char *line = text; *line;) {
        const char *bytes = strchr(line, '\t'), *end = strchr(line, '\n');
        if (!bytes || !end || bytes > end || !strstr(bytes, "static"))
            return false;
        uint32_t frame = (uint32_t)strtoul(bytes + 1, NULL, 10);
        out->stack_bytes += frame;
        if (frame > out->largest_frame)
            out->largest_frame = frame;
        line = end + 1;
    }
    return true;
}

bool fw_read_stack(const char *folder, diagnostics *d, fw_app *out) {
    DIR *list = opendir(folder);
    bool good = list != NULL;
    uint32_t reports = 0;
    for (struct dirent *entry = good ? readdir(list) : NULL; good && entry; entry = readdir(list)) {
        size_t length = strlen(entry->d_name);
        if (length < 3 || strcmp(entry->d_name + length - 3, ".su") != 0)
            continue;
        const char *text =
            file_read(arena_printf(d->mem, "%s/%s", folder, entry->d_name), d->mem, &length, d);
        good = text && add_frames(text, out);
        reports++;
    }
    if (list)
        closedir(list);
    if (!good || !reports)
        diag_error(d, (src_loc){0}, "E0704-stack",
                   "no stack bound: the reports in '%s' are missing or unclear", folder);
    return good && reports;
}

bool fw_check_stack(const fw_app *app, const fw_options *o, diagnostics *d) {
    uint32_t used = FW_MAILBOX_OFFSET + app->data_bytes, have = FW_TABLE_OFFSET - used;
    if (used <= FW_TABLE_OFFSET && app->stack_bytes <= have)
        return true;
    if (o->functions)
        return fw_refuse_unit(
            o->functions->units, d,
            arena_printf(d->mem, "data take %u bytes and the stack up to %u, of %u that there are",
                         app->data_bytes, app->stack_bytes, FW_TABLE_OFFSET - FW_MAILBOX_OFFSET),
            "smaller arrays, in it or in the other functions of the program");
    return diag_error(d, (src_loc){0}, "E0704-stack", "the stack may need %u bytes and has %u",
                      app->stack_bytes, have);
}
