/* Lists of batches run by the chip's processor itself: their files, and their results. */
#include "firmware/lists.h"
#include "firmware/fw_int.h"
#include "firmware/sums.h"

static bool is_same(const fw_command *a, const fw_command *b) {
    return memcmp(a, b, sizeof *a) == 0;
}

uint32_t fw_fold_steps(const fw_commands *steps, uint32_t *again) {
    uint32_t best = steps->len;
    *again = 0;
    for (uint32_t period = 1; period <= FW_PERIOD_MOST && period < best; period++) {
        uint32_t first = steps->len - period; /* each further step equals the step of the previous period */
        while (first > 0 && is_same(&steps->at[first - 1], &steps->at[first - 1 + period]))
            first--;
        if (first + period >= best)
            continue;
        best = first + period;
        *again = first;
    }
    return best;
}

void fw_list_print(const fw_list *list, FILE *out) {
    fprintf(out, "list commands=%u again=%u\n", list->n, list->again);
    for (uint32_t i = 0; i < list->n; i++)
        fw_command_print(out, list->steps->at[i].word);
}

bool fw_list_parse(const char *text, arena *mem, fw_commands *commands, uint32_t *again) {
    uint32_t n;
    int length = 0;
    *commands = (fw_commands){0};
    if (sscanf(text, "list commands=%u again=%u\n%n", &n, again, &length) != 2 || !length)
        return false;
    for (text += length; *text; text += strcspn(text, "\n"), text += *text == '\n') {
        fw_command command;
        if (!fw_command_parse(text, &command))
            return false;
        vec_push(mem, commands, command);
    }
    return commands->len == n && *again < n;
}

uint32_t fw_list_address(const pnr_board *b, uint32_t commands) {
    return b->map.sram + FW_TABLE_END - (FW_LIST_HEAD + commands * FW_COMMAND_BYTES);
}

static void write_head(FILE *out, uint32_t inputs, uint32_t outputs, uint32_t callee) {
    const uint32_t head[] = {FW_BATCH_MAGIC, FW_BATCH_VERSION, inputs, outputs, 1, 1, callee};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        file_put_u32(out, head[i]);
}

static void write_segment(FILE *out, const fw_segment *s) {
    file_put_u32(out, s->address);
    file_put_u32(out, s->bytes);
    fwrite(s->content, 1, s->bytes, out);
    for (uint32_t pad = s->bytes; pad % 4; pad++)
        fputc(0, out);
}

bool fw_write_list(const fw_list *list, const fw_segments *segments, const fw_segments *stored,
                   const pnr_board *b, const char *path, diagnostics *d) {
    const uint32_t n = list->n;
    const uint32_t table = fw_list_address(b, n);
    file_out f;
    if (!file_create(&f, path, d->mem, d))
        return false;
    write_head(f.stream, 1, 1, FW_COMMAND_LIST);
    file_put_u32(f.stream, list->steps->len);
    file_put_u32(f.stream, table);
    file_put_u32(f.stream, segments->len + 1);
    for (uint32_t i = 0; i < segments->len; i++)
        write_segment(f.stream, &segments->at[i]);
    file_put_u32(f.stream, table);
    file_put_u32(f.stream, FW_LIST_HEAD + n * FW_COMMAND_BYTES);
    file_put_u32(f.stream, n);
    file_put_u32(f.stream, list->again);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t w = 0; w < FW_COMMAND_WORDS; w++)
            file_put_u32(f.stream, list->steps->at[i].word[w]);
    }
    file_put_u32(f.stream, stored->len);
    for (uint32_t i = 0; i < stored->len; i++) {
        file_put_u32(f.stream, stored->at[i].address);
        file_put_u32(f.stream, stored->at[i].bytes);
    }
    return fw_commit_batches(&f, d);
}

bool fw_write_collect(const fw_columns *c, uint32_t runs, uint32_t table, const char *path, diagnostics *d) {
    file_out f;
    if (!file_create(&f, path, d->mem, d))
        return false;
    write_head(f.stream, c->n_in, c->n_out, FW_COLLECT | c->kernel);
    file_put_u32(f.stream, runs);
    file_put_u32(f.stream, table);
    file_put_u32(f.stream, 0);
    return fw_commit_batches(&f, d);
}

/* The words of the only store of a run that nobody makes. */
enum { FETCH_ROW_WORDS = 6 };

bool fw_write_fetch(const fw_put *put, const pnr_board *b, const char *path, diagnostics *d) {
    const uint32_t table = b->map.sram + FW_TABLE_END - 4 * FETCH_ROW_WORDS,
                   cell[] = {put->address, put->bytes / 2};
    file_out f;
    if (!file_create(&f, path, d->mem, d))
        return false;
    write_head(f.stream, 1, 1, FW_COLLECT);
    file_put_u32(f.stream, 1);
    file_put_u32(f.stream, table);
    file_put_u32(f.stream, 1);
    file_put_u32(f.stream, table);
    file_put_u32(f.stream, 4 * FETCH_ROW_WORDS);
    for (uint32_t i = 0; i < FETCH_ROW_WORDS; i++)
        file_put_u32(f.stream, i < 4 ? cell[i % 2] : 0);
    return fw_commit_batches(&f, d);
}

static bool no_results(diagnostics *d, const char *path, const char *of, uint32_t n, const char *what) {
    diag_error(d, (src_loc){0}, "E0718-list-results", "'%s' has not the results of a %s of %u %s", path, of,
               n, what);
    return diag_hint(d, "please report it");
}

bool fw_read_fetched(const char *path, uint32_t words, arena *mem, diagnostics *d, const uint8_t **out) {
    enum { HEAD = 28, LENGTH_AT = 24 }; /* of a file of results, of its only run and store */
    size_t length = 0;
    const uint8_t *bytes = (const uint8_t *)file_read(path, mem, &length, d);
    if (!bytes)
        return false;
    if (length != HEAD + ((size_t)words + 1) / 2 * 4 || file_u32_at(bytes + LENGTH_AT) != words)
        return no_results(d, path, "fetch", words, "words");
    *out = bytes + HEAD;
    return true;
}

#define LIST_MAGIC 0x4c584e4fu /* "ONXL" */

bool fw_write_list_result(FILE *out, const fw_list_result *r) {
    const uint32_t head[] = {LIST_MAGIC, 1, r->steps, r->n};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        file_put_u32(out, head[i]);
    for (uint32_t i = 0; i < r->n; i++) {
        for (uint32_t c = 0; c < FW_COMMAND_COUNTERS; c++)
            file_put_u32(out, r->cycles[i][c]);
    }
    return !ferror(out);
}

bool fw_read_list_result(const char *path, uint32_t n, arena *mem, diagnostics *d, fw_list_result *out) {
    size_t length = 0;
    const uint8_t *bytes = (const uint8_t *)file_read(path, mem, &length, d);
    if (!bytes)
        return false;
    *out = (fw_list_result){.n = n, .cycles = arena_alloc(mem, sizeof *out->cycles * ((size_t)n + 1))};
    if (length != 16 + sizeof *out->cycles * n || file_u32_at(bytes) != LIST_MAGIC ||
        file_u32_at(bytes + 4) != 1 || file_u32_at(bytes + 12) != n)
        return no_results(d, path, "list", n, "commands");
    out->steps = file_u32_at(bytes + 8);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t c = 0; c < FW_COMMAND_COUNTERS; c++)
            out->cycles[i][c] = file_u32_at(bytes + 16 + 4 * ((size_t)i * FW_COMMAND_COUNTERS + c));
    }
    return true;
}
