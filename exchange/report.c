/* Reports about a program of the chip and its run: report.json and the summary. */
#include "report/report.h"
#include "exchange/exchange_int.h"

static cJSON *add_streams(cJSON *json, const char *name, const exchange_streams *all,
                          const exchange_stored *stored) {
    cJSON *list = cJSON_AddArrayToObject(json, name);
    for (uint32_t i = 0; i < all->len; i++) {
        const exchange_stream *s = &all->at[i];
        cJSON *one = json_add_item(list);
        cJSON_AddStringToObject(one, "name", s->name);
        cJSON_AddNumberToObject(one, "column", s->column);
        cJSON_AddNumberToObject(one, "blocks", s->blocks);
        cJSON_AddNumberToObject(one, "words", stored ? stored[i].words.len : s->words.len);
        if (!stored)
            continue;
        cJSON_AddStringToObject(one, "check", exchange_verdict_text(&stored[i]));
        cJSON_AddNumberToObject(one, "zeros", stored[i].zeros);
    }
    return list;
}

/* The worst of all outputs: fail, none where some are not compared, zeros, pass. */
static const char *check_of(const exchange_program *p, const exchange_stored *stored) {
    bool none = false, zeros = false;
    for (uint32_t o = 0; o < p->outputs.len; o++) {
        if (stored[o].verdict == EXCHANGE_DIFFERS)
            return "fail";
        none = none || stored[o].verdict == EXCHANGE_NOT_COMPARED;
        zeros = zeros || stored[o].verdict == EXCHANGE_ZEROS;
    }
    return none ? "none" : zeros ? "zeros" : "pass";
}

cJSON *exchange_report(const compile_options *o, const compile_context *ctx, const exchange_program *p,
                       const exchange_array *a, const exchange_outcome *ran) {
    cJSON *json = cJSON_CreateObject(), *cycles;
    cJSON_AddNumberToObject(json, "format_version", 1);
    cJSON_AddStringToObject(json, "program", p->name);
    cJSON_AddStringToObject(json, "board", a->board.name);
    cJSON_AddStringToObject(json, "profile", o->target.profile);
    cJSON_AddStringToObject(json, "engine", compile_engines[o->target.engine].name);
    cJSON_AddStringToObject(json, "check", check_of(p, ran->stored));
    cJSON_AddNumberToObject(json, "configuration_words", p->bits.words.len);
    cJSON_AddNumberToObject(json, "runs", a->plan.runs.len);
    cJSON_AddBoolToObject(json, "own_registers", a->bare.writes != NULL);
    cycles = cJSON_AddObjectToObject(json, "cycles");
    cJSON_AddNumberToObject(cycles, "config", (double)ran->ran.cycles.config);
    cJSON_AddNumberToObject(cycles, "kernel", (double)ran->ran.cycles.kernel);
    cJSON_AddNumberToObject(cycles, "firmware", (double)ran->ran.cycles.firmware);
    cJSON_AddNumberToObject(cycles, "total", (double)ran->ran.cycles.total);
    add_streams(json, "inputs", &p->inputs, NULL);
    add_streams(json, "outputs", &p->outputs, ran->stored);
    compile_hazards_json(&ran->ran.modelled, json);
    if (!ran->ran.modelled.ahead)
        compile_stalls_json(ctx, &ran->ran.modelled, ran->ran.cycles.kernel, json);
    return json;
}

void exchange_summary(const compile_options *o, const exchange_program *p, const exchange_array *a,
                      const exchange_outcome *ran, const cJSON *report, FILE *out) {
    arena mem = {0};
    fprintf(out, "%s\n  %u configuration words; %u streams in, %u out, by the bitstream's IO cells\n",
            p->name, p->bits.words.len, p->inputs.len, p->outputs.len);
    fprintf(out, "  %llu cycles of engine %s in %u %s, check: %s\n",
            (unsigned long long)ran->ran.cycles.kernel, compile_engines[o->target.engine].name,
            a->plan.runs.len, plural(a->plan.runs.len, "run", "runs"), check_of(p, ran->stored));
    if (a->bare.writes)
        fprintf(out, "  the processor made the %u register writes of the program as they stand\n",
                p->writes.configure.len + p->writes.start.len);
    for (uint32_t i = 0; i < p->outputs.len; i++)
        fprintf(out, "  %-24s x%-2u %5u words, %s\n", p->outputs.at[i].name, p->outputs.at[i].column,
                ran->stored[i].words.len, exchange_verdict_text(&ran->stored[i]));
    const text_vec lines = compile_stalls_lines(report, &mem);
    for (uint32_t i = 0; i < lines.len; i++)
        fprintf(out, "%s%s\n", i ? "    " : "  ", lines.at[i]);
    arena_free(&mem);
}
