/* onyx run of a program of the dense fabric. */
#include "cli/dense_run.h"
#include "cli/usage.h"
#include "exchange/exchange.h"
#include "kernel/folder.h"
#include "support/number.h"

typedef struct {
    pnr_board board;
    bits_map *map;
    dense_program program;
    dense_design design;
    dense_streams streams;
    dense_outcome outcome;
    dense_timing timing;
} dense_job;

/* Returns whether the path names a dense program; mistakes in the files of others are theirs. */
static bool is_dense(cli_session *s, dense_job *job) {
    const compile_options *o = &s->options.compile;
    diagnostics quiet;
    diag_init(&quiet, &s->mem);
    if (!exchange_read_dense(o->written.expression, &s->mem, &quiet, &job->program) &&
        !job->program.bits.words.len)
        return false;
    if (!compile_read_board(&s->compile, o->target.board, &job->board, NULL) ||
        !bits_map_read(&job->board, &s->mem, &s->diag, &job->map))
        return false;
    return job->program.scheduled || dense_is(&job->program.bits, job->map);
}

/* Takes arrays and register writes of --data, a program as one file or a folder, around the words at hand. */
static bool take_data(cli_session *s, dense_job *job) {
    dense_program *p = &job->program;
    for (uint32_t i = 0; i < s->options.data.len; i++) {
        dense_program other;
        if (!exchange_read_dense(s->options.data.at[i], &s->mem, &s->diag, &other))
            return false;
        other.bits = p->bits;
        other.path = p->path;
        *p = other;
    }
    return true;
}

/* Finds its own register writes, or streams of a word a cycle where the program has none. */
static bool find_streams(cli_session *s, dense_job *job) {
    const dense_program *p = &job->program;
    if (p->writes.len)
        return dense_streams_of(p, &s->mem, &s->diag, &job->streams);
    if (p->inputs.len && p->inputs.at[0].words.len) {
        dense_linear_streams(&job->design, p, &s->mem, &job->streams);
        return true;
    }
    diag_error(&s->diag, (src_loc){0}, "E0981-dense-stream",
               "%s has neither register writes nor words to load", p->path);
    return diag_hint(&s->diag, "onyx bits to-text prints the tiles of its bitstream");
}

static bool keeps_rules(cli_session *s, const dense_job *job) {
    diagnostics *d = &s->diag;
    const bool tiles = dense_check(&job->design, d),
               order = dense_check_order(&job->program.bits, &job->design, d),
               streams = dense_check_streams(&job->design, &job->streams, d),
               flush = dense_check_flush(&job->design, &job->streams, &job->program, d),
               writes = dense_check_writes(&job->program, d);
    const bool keeps = tiles && order && streams && flush && writes;
    if (keeps)
        dense_check_rounding(&job->design, &job->program, d);
    if (keeps)
        dense_check_arrivals(&job->design, &job->streams, d);
    return keeps;
}

/* With --hazards warn or off the program runs whatever its rules. */
static bool run_job(cli_session *s, dense_job *job) {
    dense_program *p = &job->program;
    if (!dense_decode(&p->bits, &job->board, job->map, &s->diag, &job->design) || !find_streams(s, job) ||
        !dense_deal_arrays(&job->streams, p, &s->diag))
        return false;
    if (s->options.compile.target.hazards == REPORT_ERROR && !keeps_rules(s, job))
        return false;
    return exchange_run_dense(&s->options.compile, &s->compile, &job->design, p, &job->streams,
                              &job->outcome) &&
           dense_time(&job->design, &s->diag, &job->timing);
}

/* Compares each output; the message has the first different word. */
static bool compare_job(cli_session *s, const dense_job *job) {
    bool right = job->outcome.done;
    if (!right)
        diag_mismatch(&s->diag, (src_loc){0}, "E0972-chip-result",
                      "not all streams ended: the schedules miss words");
    for (uint32_t i = 0; i < job->program.outputs.len; i++) {
        const dense_words *w = &job->program.outputs.at[i];
        uint32_t first = 0, equal = dense_equal_words(w, job->outcome.memory, &first);
        if (equal == w->words.len)
            continue;
        right = false;
        diag_mismatch(&s->diag, (src_loc){0}, "E0972-chip-result",
                      "output '%s': %u of %u words are as expected; word %u is the first that is not",
                      w->name, equal, w->words.len, first);
    }
    return right;
}

static void print_job(const cli_session *s, const dense_job *job) {
    const dense_program *p = &job->program;
    if (s->options.every.quiet)
        return;
    printf("%s: dense, %u words, %u cycles", p->path, p->bits.words.len, job->outcome.cycles);
    number_print(stdout, ", %.0f MHz\n", 1e6 / job->timing.period_ps);
    if (!p->writes.len)
        printf("no register writes: a word a cycle for each stream\n");
    for (uint32_t i = 0; i < p->outputs.len; i++) {
        uint32_t first = 0, words = p->outputs.at[i].words.len,
                 equal = dense_equal_words(&p->outputs.at[i], job->outcome.memory, &first);
        if (words)
            printf("%s: %u of %u words as expected\n", p->outputs.at[i].name, equal, words);
        else
            printf("%s: no words are expected\n", p->outputs.at[i].name);
    }
}

/* ---- --json ------------------------------------------------------------------------------------ */

static void add_streams(const dense_outcome *o, cJSON *json) {
    cJSON *list = cJSON_AddArrayToObject(json, "streams");
    for (uint32_t i = 0; i < o->streams.len; i++) {
        const dense_ran_stream *s = &o->streams.at[i];
        cJSON *one = json_add_item(list);
        cJSON_AddNumberToObject(one, "column", s->stream.column);
        cJSON_AddStringToObject(one, "direction", s->stream.store ? "store" : "load");
        cJSON_AddNumberToObject(one, "words", s->state.words);
        if (!s->state.words)
            continue;
        cJSON_AddNumberToObject(one, "first_cycle", (double)s->state.first - DENSE_FIRST_CYCLE);
        cJSON_AddNumberToObject(one, "last_cycle", (double)s->state.last - DENSE_FIRST_CYCLE);
    }
}

/* Makes the report. Cycles are those of the array, 0 the first after the flush. */
static cJSON *report_job(const cli_session *s, const dense_job *job, bool right) {
    const dense_program *p = &job->program;
    cJSON *json = cJSON_CreateObject(), *list;
    cJSON_AddNumberToObject(json, "format_version", 1);
    cJSON_AddStringToObject(json, "dense_program", p->path);
    cJSON_AddStringToObject(json, "board", job->board.name);
    cJSON_AddStringToObject(json, "engine", compile_engines[s->options.compile.target.engine].name);
    cJSON_AddStringToObject(json, "check", right ? "pass" : "fail");
    cJSON_AddNumberToObject(json, "configuration_words", p->bits.words.len);
    cJSON_AddBoolToObject(json, "own_registers", p->writes.len > 0);
    cJSON_AddNumberToObject(json, "cycles", job->outcome.cycles);
    cJSON_AddNumberToObject(json, "time_us", job->outcome.cycles * (double)job->timing.period_ps / 1e6);
    cJSON_AddItemToObject(json, "timing", dense_timing_report(&job->timing));
    add_streams(&job->outcome, json);
    list = cJSON_AddArrayToObject(json, "outputs");
    for (uint32_t i = 0; i < p->outputs.len; i++) {
        uint32_t first = 0;
        cJSON *one = json_add_item(list);
        cJSON_AddStringToObject(one, "name", p->outputs.at[i].name);
        cJSON_AddNumberToObject(one, "words", p->outputs.at[i].words.len);
        cJSON_AddNumberToObject(one, "equal",
                                dense_equal_words(&p->outputs.at[i], job->outcome.memory, &first));
    }
    return json;
}

/* Refuses engines and options that no dense program has yet. */
static bool refuse_options(cli_session *s) {
    static const option_key read[] = {OPTION_OUTPUT, OPTION_ENGINE, OPTION_BOARD, OPTION_HAZARDS,
                                      OPTION_JSON,   OPTION_WAVE,   OPTION_DATA};
    const compile_engine engine = s->options.compile.target.engine;
    option_key key;
    if (engine != ENGINE_CYCLE && engine != ENGINE_RTL && engine != ENGINE_SOC) {
        diag_error(&s->diag, (src_loc){0}, "E0906-engine-option",
                   "a dense program runs on engines cycle, rtl and soc");
        return diag_hint(&s->diag, "--engine cycle");
    }
    if (engine == ENGINE_RTL && s->options.compile.running.wave) {
        diag_error(&s->diag, (src_loc){0}, "E0906-engine-option",
                   "--wave of a dense program is for engines cycle and soc");
        return diag_hint(&s->diag, "engine cycle has every word in the same cycle");
    }
    return !cli_unread_option(&s->options, read, sizeof read / sizeof *read, &key) ||
           diag_error(&s->diag, (src_loc){0}, "E0902-option", "a dense program does not read %s",
                      options_spelling(key, &s->mem));
}

bool cli_dense_run(cli_session *s, bool *dense) {
    const compile_options *o = &s->options.compile;
    dense_job *job = arena_new(&s->mem, dense_job);
    *dense = is_dense(s, job);
    if (!*dense || !exchange_read_dense(o->written.expression, &s->mem, &s->diag, &job->program) ||
        !refuse_options(s) || !take_data(s, job) || !compile_take_folder(&s->compile, o->files.out) ||
        !compile_begin_partial(o, &s->compile) || !run_job(s, job))
        return false;
    const bool right = compare_job(s, job);
    cJSON *json = report_job(s, job, right);
    const bool ok =
        bits_write(&job->program.bits, arena_printf(&s->mem, "%s/design.bs", s->compile.partial), &s->diag) &&
        compile_publish(o, &s->compile, json);
    if (ok && s->options.every.json)
        cli_print_json(json);
    else if (ok)
        print_job(s, job);
    cJSON_Delete(json);
    return ok && right;
}
