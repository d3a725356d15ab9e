/* onyx pnr of dense tiles: as text, as words, or as a program with its register writes. */
#include "cli/dense.h"
#include "cli/usage.h"
#include "exchange/exchange.h"

typedef struct {
    pnr_board board;
    bits_map *map;
    bits_stream bits;      /* of a bitstream or a program */
    dense_program program; /* path NULL: the file is none */
    dense_design design;
    dense_placed placed;
} pnr_job;

static bool ends_in(const char *name, const char *end) {
    const size_t length = strlen(name), n = strlen(end);
    return length > n && strcmp(name + length - n, end) == 0;
}

/* Returns whether the file's name is that of dense tiles; a .json file may be a netlist. */
static bool is_dense_file(const char *path, diagnostics *d) {
    if (!ends_in(path, ".json"))
        return ends_in(path, ".dense") || ends_in(path, ".bs") || ends_in(path, ".json.gz");
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
    static const option_key read[] = {OPTION_FOLDER,  OPTION_BOARD,  OPTION_FIRST_SEED, OPTION_ANNEALS,
                                      OPTION_THREADS, OPTION_EFFORT, OPTION_STAGE_LIMIT};
    option_key key;
    const bool unread = cli_unread_option(&s->options, read, sizeof read / sizeof *read, &key);
    if (unread)
        diag_error(&s->diag, (src_loc){0}, "E0902-option",
                   "%s is for netlists of streams, and '%s' has dense tiles", options_spelling(key, &s->mem),
                   s->options.arguments.at[0]);
    return !unread;
}

static bool read_design(cli_session *s, pnr_job *job) {
    const char *path = s->options.arguments.at[0];
    if (!compile_read_board(&s->compile, s->options.compile.target.board, &job->board, NULL) ||
        !bits_map_read(&job->board, &s->mem, &s->diag, &job->map))
        return false;
    if (ends_in(path, ".dense"))
        return dense_parse(path, NULL, &job->board, job->map, &s->diag, &job->design);
    if (ends_in(path, ".bs"))
        return bits_read(path, &s->mem, &s->diag, &job->bits) &&
               dense_decode(&job->bits, &job->board, job->map, &s->diag, &job->design);
    return exchange_read_dense(path, &s->mem, &s->diag, &job->program) &&
           dense_decode(&job->program.bits, &job->board, job->map, &s->diag, &job->design);
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

/* Writes the input of the placement, the placed tiles, their words, and the surrounding program. */
static bool write_files(cli_session *s, pnr_job *job) {
    uint32_t off;
    const dense_design links = dense_unroute(&job->design, &s->mem, &off);
    const bits_stream bits = dense_encode(&job->placed.design, &s->mem);
    if (!dense_verify(&bits, &job->placed.design, &s->diag) || !write_text(s, &links, "netlist.dense") ||
        !write_text(s, &job->placed.design, "design.dense") ||
        !bits_write(&bits, in_folder(s, "design.bs"), &s->diag))
        return false;
    if (!job->program.path)
        return true;
    job->program.bits = bits;
    dense_move_writes(&job->program, job->placed.later, &s->mem);
    return exchange_write_dense(&job->program, in_folder(s, "design.json"), &s->diag);
}

static void print_job(const pnr_job *job) {
    const dense_placed *p = &job->placed;
    const uint32_t width = job->board.width;
    const dense_counts n = dense_count(&p->design);
    printf("%u %s, %u %s, %u IO tiles; %u wires of words, %u of bits, %u registers\n", n.pes,
           plural(n.pes, "PE", "PEs"), n.buffers + n.memories + n.valid,
           plural(n.buffers + n.memories + n.valid, "memory", "memories"), n.streams, p->wires[0],
           p->wires[1], p->registers);
    if (p->lengthened)
        printf("%u %s longer, for %s registers\n", p->lengthened,
               plural(p->lengthened, "path is", "paths are"), plural(p->lengthened, "its", "their"));
    if (p->off)
        printf("%u tiles that were switched off are on\n", p->off);
    for (uint32_t x = 0; x < 2 * width; x++) {
        const int32_t by = p->later[x / width][x % width];
        if (by)
            printf("words %s column %u %d %s %s than before\n", x < width ? "come into" : "leave", x % width,
                   by < 0 ? -by : by, plural(by < 0 ? (uint32_t)-by : (uint32_t)by, "cycle", "cycles"),
                   by < 0 ? "earlier" : "later");
    }
}

bool cli_dense_pnr(cli_session *s, bool *dense) {
    pnr_job *job = arena_new(&s->mem, pnr_job);
    *dense = is_dense_file(s->options.arguments.at[0], &s->diag);
    const bool ok = *dense && refuse_options(s) && read_design(s, job) &&
                    make_folder(s->options.compile.files.out, &s->diag) &&
                    dense_place(&job->design, &s->options.pnr, &s->diag, &job->placed) && write_files(s, job);
    if (ok && !s->options.every.quiet)
        print_job(job);
    return ok;
}
