/* onyx pnr of dense tiles: as text, as words, or as a program with its register writes. */
#include "cli/dense.h"
#include "cli/usage.h"
#include "exchange/exchange.h"
#include "support/number.h"

typedef struct {
    pnr_board board;
    bits_map *map;
    bits_stream bits;      /* of a bitstream or a program */
    dense_program program; /* path NULL: the file is none */
    dense_packed packed;   /* of a .packed file */
    dense_design design;
    dense_placed placed;
    dense_timing timing, given; /* given: of the routes read; period 0: there were none */
} pnr_job;

static bool ends_in(const char *name, const char *end) {
    const size_t length = strlen(name), n = strlen(end);
    return length > n && strcmp(name + length - n, end) == 0;
}

/* Returns whether the file's name is that of dense tiles, or the folder has a dense program; a .json file may
 * be a netlist. */
static bool is_dense_file(const char *path, diagnostics *d) {
    if (ends_in(path, ".packed"))
        return dense_is_packed(path, d);
    if (!ends_in(path, ".json"))
        return ends_in(path, ".dense") || exchange_is_program(path);
    diagnostics quiet;
    diag_init(&quiet, d->mem);
    cJSON *json = json_read(path, &quiet);
    const bool program = cJSON_HasObjectItem(json, "bitstream");
    cJSON_Delete(json);
    return program;
}

/* Refuses options for netlists of streams: schedules decide about registers, register writes about columns.
 */
static bool refuse_options(cli_session *s) {
    static const option_key read[] = {OPTION_FIXED,      OPTION_FOLDER,      OPTION_BOARD,
                                      OPTION_FIRST_SEED, OPTION_ANNEALS,     OPTION_THREADS,
                                      OPTION_EFFORT,     OPTION_STAGE_LIMIT, OPTION_JSON};
    const uint32_t n = sizeof read / sizeof *read, fixed = ends_in(s->options.arguments.at[0], ".packed");
    option_key key;
    const bool unread = cli_unread_option(&s->options, read + !fixed, n - !fixed, &key);
    if (unread)
        diag_error(&s->diag, (src_loc){0}, "E0902-option",
                   "%s is for netlists of streams, and '%s' has dense tiles", options_spelling(key, &s->mem),
                   s->options.arguments.at[0]);
    return !unread;
}

/* Decodes words, which configure dense tiles. */
static bool decode(cli_session *s, const bits_stream *bits, pnr_job *job) {
    if (!dense_is(bits, job->map)) {
        diag_error(&s->diag, (src_loc){0}, "E0970-chip-file", "'%s' configures no dense tile",
                   s->options.arguments.at[0]);
        return diag_hint(
            &s->diag,
            "onyx pnr places sparse tiles from a netlist: the netlist.json or design.packed of a run");
    }
    return dense_decode(bits, &job->board, job->map, &s->diag, &job->design);
}

static bool read_design(cli_session *s, pnr_job *job) {
    const char *path = s->options.arguments.at[0];
    if (!compile_read_board(&s->compile, s->options.compile.target.board, &job->board, NULL) ||
        !bits_map_read(&job->board, &s->mem, &s->diag, &job->map))
        return false;
    if (ends_in(path, ".packed")) {
        const dense_design on = {.board = &job->board, .map = job->map};
        const bool read = dense_read_packed(path, s->options.stages.fixed, &on, &s->diag, &job->packed);
        job->design = job->packed.design;
        return read;
    }
    if (ends_in(path, ".dense"))
        return dense_parse(path, NULL, &job->board, job->map, &s->diag, &job->design);
    if (ends_in(path, ".bs"))
        return bits_read_on(&job->board, path, &s->mem, &s->diag, &job->bits) && decode(s, &job->bits, job);
    return exchange_read_dense(path, &s->mem, &s->diag, &job->program) && decode(s, &job->program.bits, job);
}

static const char *in_folder(cli_session *s, const char *name) {
    return arena_printf(&s->mem, "%s/%s", s->options.compile.files.out, name);
}

static bool write_text(cli_session *s, const dense_design *design, const char *name) {
    file_out file;
    if (!file_create(&file, in_folder(s, name), &s->mem, &s->diag))
        return false;
    dense_dump(design, file.stream);
    return file_commit(&file, &s->diag);
}

/* Writes the files of the chip's own flow: blocks move to the sites of their tiles. */
static bool write_packed(cli_session *s, const pnr_job *job) {
    const dense_placed *p = &job->placed;
    dense_blocks blocks = job->packed.blocks.len ? job->packed.blocks : dense_name_blocks(&p->from, &s->mem);
    for (uint32_t i = 0; i < blocks.len; i++) {
        dense_block *b = &blocks.at[i];
        const pnr_site site = p->site[dense_tile_at(&p->from, b->x, b->y) - p->from.tiles.at];
        b->x = site.x;
        b->y = site.y;
    }
    return dense_write_packed(&p->design, &blocks, s->options.compile.files.out, &s->diag);
}

/* Writes the input of the placement, the placed tiles, their words, and the surrounding program. A .packed
 * file has no settings of units, and so no words. */
static bool write_files(cli_session *s, pnr_job *job) {
    uint32_t off;
    const dense_design links = dense_unroute(&job->design, &s->mem, &off);
    const bits_stream bits = dense_encode(&job->placed.design, &s->mem);
    if (!dense_verify(&bits, &job->placed.design, &s->diag) || !write_text(s, &links, "netlist.dense") ||
        !write_packed(s, job))
        return false;
    if (job->packed.blocks.len)
        return true;
    if (!write_text(s, &job->placed.design, "design.dense") ||
        !bits_write(&bits, in_folder(s, "design.bs"), &s->diag))
        return false;
    if (!job->program.path)
        return true;
    job->program.bits = bits;
    dense_move_writes(&job->program, job->placed.delay, &s->mem);
    return exchange_write_dense(&job->program, in_folder(s, "design.json"), &s->diag);
}

static void print_job(const pnr_job *job) {
    const dense_placed *p = &job->placed;
    const uint32_t width = job->board.width;
    const dense_counts n = dense_count(&p->design);
    printf("%u %s, %u %s, %u IO tiles; %u wires of words, %u of bits, %u registers", n.pes,
           plural(n.pes, "PE", "PEs"), n.buffers + n.memories + n.valid,
           plural(n.buffers + n.memories + n.valid, "memory", "memories"), n.streams, p->wires[0],
           p->wires[1], p->registers);
    number_print(stdout, "; %.0f MHz", 1e6 / job->timing.period_ps);
    if (job->given.period_ps)
        number_print(stdout, ", %.0f MHz by the routes read", 1e6 / job->given.period_ps);
    putchar('\n');
    if (p->lengthened)
        printf("%u %s longer, for %s registers\n", p->lengthened,
               plural(p->lengthened, "path is", "paths are"), plural(p->lengthened, "its", "their"));
    if (p->off)
        printf("%u tiles that were switched off are on\n", p->off);
    for (uint32_t x = 0; x < 2 * width; x++) {
        const int32_t by = p->delay[x / width][x % width];
        if (by)
            printf("words %s column %u %d %s %s than before\n", x < width ? "come into" : "leave", x % width,
                   by < 0 ? -by : by, plural(by < 0 ? (uint32_t)-by : (uint32_t)by, "cycle", "cycles"),
                   by < 0 ? "earlier" : "later");
    }
}

static cJSON *report_job(const pnr_job *job) {
    const dense_placed *p = &job->placed;
    const dense_counts n = dense_count(&p->design);
    cJSON *json = cJSON_CreateObject();
    const struct {
        const char *name;
        uint32_t value;
    } counts[] = {{"tiles", n.tiles},
                  {"pes", n.pes},
                  {"ponds", n.ponds},
                  {"buffers", n.buffers},
                  {"memories", n.memories},
                  {"generators", n.valid},
                  {"io_tiles", n.streams},
                  {"wires", p->wires[0]},
                  {"bit_wires", p->wires[1]},
                  {"registers", p->registers},
                  {"longer_paths", p->lengthened}};
    cJSON_AddNumberToObject(json, "format_version", 1);
    cJSON_AddStringToObject(json, "board", job->board.name);
    cJSON_AddNumberToObject(json, "seed", (double)p->seed);
    cJSON *tiles = cJSON_AddObjectToObject(json, "dense_design");
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        cJSON_AddNumberToObject(tiles, counts[i].name, counts[i].value);
    cJSON_AddItemToObject(json, "timing", dense_timing_report(&job->timing));
    if (job->given.period_ps)
        cJSON_AddItemToObject(json, "timing_read", dense_timing_report(&job->given));
    return json;
}

/* Times the design on its own sites, if the file has routes. */
static bool time_given(cli_session *s, pnr_job *job) {
    return (!job->bits.words.len && !job->program.bits.words.len) ||
           dense_time(&job->design, &s->diag, &job->given);
}

bool cli_dense_pnr(cli_session *s, bool *dense) {
    pnr_job *job = arena_new(&s->mem, pnr_job);
    *dense = is_dense_file(s->options.arguments.at[0], &s->diag);
    const bool ok = *dense && refuse_options(s) && read_design(s, job) && time_given(s, job) &&
                    make_folder(s->options.compile.files.out, &s->diag) &&
                    dense_place(&job->design, &s->options.pnr, &s->diag, &job->placed) &&
                    dense_time(&job->placed.design, &s->diag, &job->timing) && write_files(s, job);
    if (!ok)
        return false;
    cJSON *json = report_job(job);
    const bool written = json_write(json, in_folder(s, "report.json"), &s->diag);
    if (written && s->options.every.json)
        cli_print_json(json);
    else if (written && !s->options.every.quiet)
        print_job(job);
    cJSON_Delete(json);
    return written;
}
