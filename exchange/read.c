/* Finds the kind of a program's files, and reads the command line's streams. */
#include "exchange/exchange_int.h"
#include "exchange/find.h"
#include "exchange/json_file.h"

#include <stdlib.h>

static bool is_one_file(const char *path) {
    return text_ends_with(path, ".json") || text_ends_with(path, ".json.gz") ||
           text_ends_with(path, "_script.h");
}

/* Appends the words of a run to the earlier runs, stream by stream. */
static bool append_run(exchange_streams *all, const exchange_streams *run, const char *folder, arena *mem,
                       diagnostics *d) {
    bool same = all->len == run->len;
    for (uint32_t i = 0; i < all->len && same; i++) {
        const u16_vec *words = &run->at[i].words;
        same = all->at[i].column == run->at[i].column;
        all->at[i].known = all->at[i].known && run->at[i].known;
        for (uint32_t w = 0; w < words->len; w++)
            vec_push(mem, &all->at[i].words, words->at[w]);
    }
    if (!same)
        diag_error(d, (src_loc){0}, "E0970-chip-file",
                   "'%s' has other streams than the folder of the first run", folder);
    return same;
}

static bool read_folder(const char *path, arena *mem, diagnostics *d, exchange_program *p) {
    const char *folder = exchange_run_folder(path, 0, mem);
    bool ok = exchange_read_meta(folder, mem, d, p);
    for (uint32_t run = 1; ok && (folder = exchange_run_folder(path, run, mem)) != NULL; run++) {
        exchange_program one = {.bits = p->bits};
        ok = exchange_read_meta(folder, mem, d, &one) &&
             append_run(&p->inputs, &one.inputs, folder, mem, d) &&
             append_run(&p->outputs, &one.outputs, folder, mem, d);
    }
    return ok;
}

bool exchange_is_program(const char *path) {
    arena mem = {0};
    const bool is = text_ends_with(path, ".bs") || is_one_file(path) ||
                    (is_folder(path) &&
                     (exchange_run_folder(path, 0, &mem) != NULL || exchange_headers_in(path, &mem) != NULL));
    arena_free(&mem);
    return is;
}

/* The file's name without its folder and ends. */
static const char *name_of(const char *path, arena *mem) {
    const char *slash = strrchr(path, '/'), *from = slash && slash[1] ? slash + 1 : path;
    return arena_strndup(mem, from, strcspn(from, "./"));
}

static bool is_taken(const exchange_streams *all, const char *name) {
    for (uint32_t i = 0; i < all->len; i++) {
        if (strcmp(all->at[i].name, name) == 0)
            return true;
    }
    return false;
}

/* Names a stream after its file if the file is called as a level of a tensor, "tensor_X_mode_0.raw", whose
 * levels are compared together; else after its column. */
static const char *name_stream(const exchange_program *p, const exchange_stream *s, arena *mem) {
    const char *name = name_of(s->from, mem);
    const bool is_level =
        strstr(name, "_mode_") && !is_taken(&p->inputs, name) && !is_taken(&p->outputs, name);
    return is_level ? name : arena_printf(mem, "x%u", s->column);
}

/* Takes COLUMN=FILE. The bitstream decides the stream's direction: it is kept as an input until
 * exchange_place. */
static bool take_column(const char *text, arena *mem, diagnostics *d, exchange_program *p) {
    char *end = NULL;
    const unsigned long column = *text == 'x' ? strtoul(text + 1, &end, 10) : 0;
    if (!end || end == text + 1 || *end != '=' || !end[1] || column >= EXCHANGE_UNPLACED) {
        diag_error(d, (src_loc){0}, "E0903-option-value",
                   "--data '%s' is neither a folder, a program as one file, "
                   "nor COLUMN=FILE",
                   text);
        return diag_hint(d, "--data x4=tensor_B_mode_0.raw: the words of the stream at IO column 4");
    }
    exchange_stream s = {.column = (uint32_t)column, .from = end + 1, .known = true};
    exchange_stream *there = exchange_stream_at(&p->inputs, s.column);
    there = there ? there : exchange_stream_at(&p->outputs, s.column);
    s.name = there ? there->name : name_stream(p, &s, mem);
    s.blocks = there ? there->blocks : 0;
    if (!exchange_read_words(s.from, mem, d, &s.words))
        return false;
    if (there)
        *there = s;
    else
        vec_push(mem, &p->inputs, s);
    return true;
}

static bool take_data(const char *text, arena *mem, diagnostics *d, exchange_program *p) {
    text = exchange_stand_for(text, mem);
    if (is_one_file(text)) {
        exchange_program other = {0};
        if (!exchange_read_json(text, mem, d, &other))
            return false;
        other.bits = p->bits;
        other.name = p->name;
        other.path = p->path;
        *p = other;
        return true;
    }
    if (!is_folder(text))
        return take_column(text, mem, d, p);
    if (exchange_run_folder(text, 0, mem))
        return read_folder(text, mem, d, p);
    diag_error(d, (src_loc){0}, "E0970-chip-file", "'%s' has no design_meta.json, nor has its folder bin",
               text);
    return diag_hint(d, "--data COLUMN=FILE names the words of one stream");
}

/* Reads the streams of the meta file beside a bitstream, unless the command line states streams. */
static bool read_companions(const char *path, const text_vec *data, arena *mem, diagnostics *d,
                            exchange_program *p) {
    const char *folder = exchange_folder_of(path, mem);
    return data->len || exchange_meta_folder(folder, mem) != folder || exchange_read_meta(folder, mem, d, p);
}

bool exchange_read(const char *path, const text_vec *data, arena *mem, diagnostics *d, exchange_program *p) {
    path = exchange_stand_for(path, mem);
    *p = (exchange_program){.path = path, .name = name_of(path, mem)};
    bool ok = is_one_file(path) ? exchange_read_json(path, mem, d, p)
              : is_folder(path)
                  ? read_folder(path, mem, d, p)
                  : exchange_read_bits(path, mem, d, &p->bits) && read_companions(path, data, mem, d, p);
    for (uint32_t i = 0; i < data->len && ok; i++)
        ok = take_data(data->at[i], mem, d, p);
    return ok;
}
