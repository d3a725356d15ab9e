/* onyx tile: tensors by themselves. stats: how full their sub-tiles are; levels: their level storage in any
 * format and order of modes; convert: files of them in any format; query: where their
 * entries are. */
#include "cli/usage.h"
#include "kernel/formats.h"
#include "support/number.h"
#include "tiling/queries.h"

#include <stdlib.h>

/* Reads the tensor of the file, and makes X = B of its order in the format asked for. */
static bool read_tensor(cli_session *s, sam_statement *st, tile_tensor *tensors) {
    const command_line *o = &s->options;
    name_id name = names_intern(&s->names, "B");
    if (!tile_read(o->arguments.at[1], name, SAM_MAX_ORDER + 1, o->compile.tensors.dtype, TILE_VALUES_FILE,
                   &s->mem, &s->diag, &tensors[1]))
        return false;
    const char *index = "";
    for (uint32_t m = 0; m < tensors[1].order; m++)
        index = arena_printf(&s->mem, "%s%si%u", index, m ? "," : "", m);
    const char *format = o->levels ? arena_printf(&s->mem, "B:%s", o->levels) : NULL;
    const fe_in in = {.expression = arena_printf(&s->mem, "X(%s) = B(%s)", index, index),
                      .formats = &format,
                      .n_formats = format != NULL};
    if (!fe_parse(&in, &s->names, &s->mem, &s->diag, st))
        return false;
    for (uint32_t l = 0; l < st->tensors.at[1].order; l++) {
        if (st->tensors.at[1].level[l] != SAM_LEVEL_DENSE &&
            st->tensors.at[1].level[l] != SAM_LEVEL_COMPRESSED)
            return compile_bad_value(&s->diag, "-f", o->levels,
                                     "of dense (d) and compressed (s) levels: others are stored as these");
    }
    return true;
}

/* ---- stats ----------------------------------------------------------------------------------- */

static cJSON *range_json(const tile_range *r, uint64_t n) {
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "min", (double)r->least);
    cJSON_AddNumberToObject(json, "mean", n ? (double)r->sum / (double)n : 0);
    cJSON_AddNumberToObject(json, "max", (double)r->most);
    return json;
}

static cJSON *stats_json(const tile_statistics *t, uint32_t order) {
    cJSON *json = cJSON_CreateObject(), *levels = cJSON_CreateArray(), *histogram = cJSON_CreateArray();
    cJSON_AddNumberToObject(json, "tile", t->tile);
    cJSON *edges = cJSON_AddArrayToObject(json, "edges");
    for (uint32_t m = 0; m < order; m++)
        cJSON_AddItemToArray(edges, cJSON_CreateNumber(t->edge[m]));
    cJSON_AddNumberToObject(json, "subtiles", (double)t->possible);
    cJSON_AddNumberToObject(json, "filled", (double)t->filled);
    cJSON_AddNumberToObject(json, "overflowing", (double)t->overflowing);
    cJSON_AddItemToObject(json, "entries", range_json(&t->entries, t->filled));
    cJSON_AddItemToObject(json, "levels", levels);
    for (uint32_t l = 0; l < order; l++) {
        cJSON *level = json_add_item(levels);
        cJSON_AddItemToObject(level, "seg", range_json(&t->seg[l], t->filled));
        cJSON_AddItemToObject(level, "crd", range_json(&t->crd[l], t->filled));
    }
    cJSON_AddItemToObject(json, "vals", range_json(&t->vals, t->filled));
    cJSON_AddItemToObject(json, "histogram", histogram);
    for (uint32_t b = 0; b < TILE_BINS; b++)
        cJSON_AddItemToArray(histogram, cJSON_CreateNumber((double)t->histogram[b]));
    return json;
}

static void print_range(const char *what, const tile_range *r, uint64_t n) {
    number_print(stdout, "  %-16s %8llu %10.2f %8llu\n", what, (unsigned long long)r->least,
                 n ? (double)r->sum / (double)n : 0, (unsigned long long)r->most);
}

static void print_histogram(const tile_statistics *t) {
    enum { WIDTH = 40 };
    uint64_t most = 1;
    for (uint32_t b = 0; b < TILE_BINS; b++)
        most = t->histogram[b] > most ? t->histogram[b] : most;
    printf("  entries of a sub-tile\n");
    for (uint32_t b = 0; b < TILE_BINS; b++) {
        if (!t->histogram[b])
            continue;
        char bar[WIDTH + 1] = "";
        memset(bar, '#', (size_t)((t->histogram[b] * WIDTH + most - 1) / most));
        printf("  %6u..%-7u %8llu %s\n", 1u << b, (2u << b) - 1, (unsigned long long)t->histogram[b], bar);
    }
}

static void print_stats(const tile_statistics *t, uint32_t order, arena *mem) {
    const char *edges = "";
    bool square = true;
    for (uint32_t m = 0; m < order; m++) {
        edges = arena_printf(mem, "%s%s%u", edges, m ? "x" : "", t->edge[m]);
        square = square && t->edge[m] == t->tile;
    }
    if (square)
        edges = arena_printf(mem, "%u", t->tile);
    number_print(stdout, "sub-tiles of %s: %llu, %.2f %% of them empty; %llu hold more than a memory tile\n",
                 edges, (unsigned long long)t->possible,
                 t->possible ? 100 * (double)(t->possible - t->filled) / (double)t->possible : 0,
                 (unsigned long long)t->overflowing);
    if (!t->filled)
        return;
    printf("  %-16s %8s %10s %8s\n", "words", "min", "mean", "max");
    for (uint32_t l = 0; l < order; l++) {
        print_range(arena_printf(mem, "level %u segments", l), &t->seg[l], t->filled);
        print_range(arena_printf(mem, "level %u coords", l), &t->crd[l], t->filled);
    }
    print_range("values", &t->vals, t->filled);
    print_histogram(t);
}

static bool stats(cli_session *s) {
    command_line *o = &s->options;
    sam_statement st;
    tile_tensor tensors[2] = {{.order = 0}};
    pnr_board board;
    if (!compile_read_board(&s->compile, o->compile.target.board, &board, NULL) ||
        !read_tensor(s, &st, tensors))
        return false;
    const tile_operands in = {tensors, 2, o->compile.tensors.dtype};
    cJSON *all = cJSON_CreateArray();
    bool good = true;
    if (!o->sizes.len)
        vec_push(&s->mem, &o->sizes, (option_size){.n = 1});
    for (uint32_t i = 0; good && i < o->sizes.len; i++) {
        const option_size *size = &o->sizes.at[i];
        tile_options options = {.tile = size->n == 1 ? size->edge[0] : 0, .mem_words = board.mem_words};
        tile_statistics t;
        if (size->n != 1 && size->n != tensors[1].order) {
            compile_bad_value(&s->diag, "--tile", arena_printf(&s->mem, "of %u edges", size->n),
                              arena_printf(&s->mem, "one edge, or %u as in 64x8", tensors[1].order));
            good = false;
            break;
        }
        for (uint32_t m = 0; m < size->n && size->n > 1; m++)
            options.edge[st.result_index[m].v - 1] = size->edge[m];
        good = tile_stats(&st, &in, &options, &s->mem, &s->diag, &t);
        if (good && o->every.json)
            cJSON_AddItemToArray(all, stats_json(&t, tensors[1].order));
        else if (good)
            print_stats(&t, tensors[1].order, &s->mem);
    }
    if (good && o->every.json)
        cli_print_json(all);
    cJSON_Delete(all);
    return good;
}

/* ---- levels ---------------------------------------------------------------------------------- */

static void print_words(const char *name, const uint32_t *words, uint32_t n) {
    printf("\"%s\":[", name);
    for (uint32_t i = 0; i < n; i++)
        printf("%s%u", i ? "," : "", words[i]);
    printf("]");
}

/* Prints a line of JSON: the levels with seg and crd, or dim, and vals. */
static bool levels(cli_session *s) {
    sam_statement st;
    tile_tensor tensors[2] = {{.order = 0}};
    sam_tensor_levels stored;
    if (!read_tensor(s, &st, tensors) ||
        !tile_levels(&tensors[1], &st.tensors.at[1], &s->mem, &s->diag, &stored))
        return false;
    printf("{\"levels\":[");
    for (uint32_t l = 0; l < stored.order; l++) {
        const sam_level_data *level = &stored.level[l];
        printf("%s{\"dim\":%u", l ? "," : "", level->dim);
        if (level->format == SAM_LEVEL_COMPRESSED) {
            printf(",");
            print_words("seg", level->seg, level->n_seg);
            printf(",");
            print_words("crd", level->crd, level->n_crd);
        }
        printf("}");
    }
    printf("],\"vals\":[");
    for (uint32_t i = 0; i < stored.n_vals; i++)
        number_print(stdout, "%s%.9g", i ? "," : "",
                     tile_to_double(s->options.compile.tensors.dtype, stored.vals[i]));
    printf("]}\n");
    return true;
}

/* ---- convert --------------------------------------------------------------------------------- */

static void print_size(const compile_stored_size *size, const char *indent) {
    printf("%s%s: %llu entries, %llu values; %llu bytes, %llu of them metadata\n", indent, size->format,
           (unsigned long long)size->entries, (unsigned long long)size->values,
           (unsigned long long)size->bytes, (unsigned long long)size->metadata);
    if (size->banks)
        number_print(stdout, "%s  %u banks, of %llu entries at most and %.2f on average\n", indent,
                     size->banks, (unsigned long long)size->fullest, (double)size->entries / size->banks);
    for (uint32_t p = 0; p < size->parts; p++)
        print_size(&size->part[p], "  ");
}

/* Writes the tensor in the requested format, and reports its size. */
static bool write_stored(cli_session *s, const tile_tensor *t) {
    compile_stored_size size;
    if (!compile_store(&s->options.compile, &s->compile, s->options.levels, t, &size))
        return false;
    print_size(&size, "");
    return true;
}

static bool convert(cli_session *s) {
    const command_line *o = &s->options;
    const char *path = o->compile.files.out;
    tile_tensor t;
    size_t length = path ? strlen(path) : 0;
    bool stored = length > 7 && strcmp(path + length - 7, ".stored") == 0;
    if (!path || stored != (o->levels != NULL))
        return compile_bad_value(&s->diag, "-o", path ? path : "",
                                 stored
                                     ? "a .mtx or .tns file, or of a format that -f names"
                                     : "a .stored file, with -f FORMAT, or without it a .mtx or .tns file");
    if (!tile_read(o->arguments.at[1], names_intern(&s->names, "B"), SAM_MAX_ORDER + 1,
                   o->compile.tensors.dtype, TILE_VALUES_FILE, &s->mem, &s->diag, &t))
        return false;
    return stored ? write_stored(s, &t) : tile_write(&t, o->compile.tensors.dtype, path, &s->diag);
}

/* ---- query ----------------------------------------------------------------------------------- */

/* Prints a line for each nonempty key: the key, and the answer. */
static bool query(cli_session *s) {
    const command_line *o = &s->options;
    tile_tensor t;
    tile_query q;
    tile_answers all;
    if (!tile_read(o->arguments.at[1], names_intern(&s->names, "B"), SAM_MAX_ORDER + 1,
                   o->compile.tensors.dtype, TILE_VALUES_FILE, &s->mem, &s->diag, &t) ||
        !tile_query_read("<query>", o->arguments.at[2], t.order, &s->diag, &q))
        return false;
    tile_ask(&t, &q, &s->mem, &all);
    for (uint32_t a = 0; a < all.n; a++) {
        for (uint32_t k = 0; k < q.keys; k++)
            printf("%lld ", (long long)all.key[(size_t)a * q.keys + k]);
        printf("%lld\n", (long long)all.value[a]);
    }
    return true;
}

int command_tile(int argc, char **argv) {
    enum { STATS, LEVELS, CONVERT, QUERY };
    static const char *const actions[] = {"stats", "levels", "convert", "query", NULL};
    static bool (*const run[])(cli_session *) = {stats, levels, convert, query};
    static const char usage[] =
        "onyx tile stats FILE, onyx tile levels FILE, onyx tile convert FILE, or onyx tile "
        "query FILE QUERY";
    cli_session s;
    cli_session_begin(&s);
    const bool parsed = cli_parse(&s, COMMAND_TILE, argc, argv),
               asks = parsed && s.options.arguments.len && strcmp(s.options.arguments.at[0], "query") == 0;
    bool ok = parsed && cli_want_arguments(&s, asks ? 3 : 2, usage);
    if (ok) {
        uint32_t action = options_choose("onyx tile", s.options.arguments.at[0], actions, &s.mem, &s.diag);
        if (action != STATS) {
            cli_refuse_option(&s, OPTION_TILE_SIZES, "onyx tile stats");
            cli_refuse_option(&s, OPTION_JSON, "onyx tile stats");
        }
        if (action != CONVERT)
            cli_refuse_option(&s, OPTION_CONVERTED, "onyx tile convert");
        ok = !diag_failed(&s.diag) && run[action](&s);
    }
    return cli_session_end(&s, ok);
}
