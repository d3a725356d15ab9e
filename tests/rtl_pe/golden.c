#include "golden.h"

#include "tests/test.h"

static uint32_t hex(const cJSON *text) {
    assert_true(cJSON_IsString(text));
    return (uint32_t)strtoul(text->valuestring, NULL, 16);
}

void golden_tokens(const cJSON *ports, const char *port, arena *mem, u32_vec *out) {
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(ports, port)) vec_push(mem, out, hex(item));
}

void golden_registers(const cJSON *json, uint32_t reg[256]) {
    const cJSON *word;
    cJSON_ArrayForEach(word, cJSON_GetObjectItem(json, "config")) {
        uint32_t address = hex(cJSON_GetArrayItem(word, 0));
        if ((address >> 16 & 0xff) == 0)
            reg[address >> 24] = hex(cJSON_GetArrayItem(word, 1));
    }
}

void golden_read(const char *file, const cJSON *json, arena *mem, golden_case *c) {
    const cJSON *item;
    *c = (golden_case){.file = file, .name = cJSON_GetObjectItem(json, "name")->valuestring};
    for (int i = 0; i < BENCH_INS; i++) {
        char port[] = {'i', 'n', (char)('0' + i), 0};
        golden_tokens(cJSON_GetObjectItem(json, "inputs"), port, mem, &c->in[i]);
        cJSON_ArrayForEach(item, cJSON_GetObjectItem(cJSON_GetObjectItem(json, "input_accept_cycles"), port))
            vec_push(mem, &c->accepted[i], (uint32_t)item->valueint);
    }
    for (int o = 0; o < BENCH_OUTS; o++) {
        char port[] = {'o', 'u', 't', (char)('0' + o), 0};
        cJSON_ArrayForEach(item, cJSON_GetObjectItem(cJSON_GetObjectItem(json, "outputs"), port)) {
            vec_push(mem, &c->out[o].cycle, (uint32_t)cJSON_GetArrayItem(item, 0)->valueint);
            vec_push(mem, &c->out[o].token, hex(cJSON_GetArrayItem(item, 1)));
        }
    }
}

void golden_check(const char *who, const golden_case *c, const bench_trace got[BENCH_OUTS],
                  const u32_vec want[BENCH_OUTS], arena *mem) {
    for (int o = 0; o < BENCH_OUTS; o++) {
        const char *difference = bench_difference(&got[o], &want[o], mem);
        if (difference)
            fail_msg("%s %s %s out%d: %s", who, c->file, c->name, o, difference);
    }
}

static bench_result play(bench_design design, bench_pace pace, const golden_case *c,
                         const u32_vec want[BENCH_OUTS], arena *mem) {
    bench_result got;
    bench_run(design, pace, c->in, mem, &got);
    if (got.fault)
        fail_msg("%s %s: %s", c->file, c->name, got.fault);
    golden_check("RTL", c, got.out, want, mem);
    return got;
}

bench_result golden_play(bench_design design, const golden_case *c, const u32_vec want[BENCH_OUTS],
                         arena *mem) {
    bench_reset(design);
    return play(design, (bench_pace){0}, c, want, mem);
}

void golden_play_stalled(bench_design design, const golden_case *c, const u32_vec want[BENCH_OUTS],
                         arena *mem) {
    play(design, (bench_pace){.seed = 1, .out_stall_pct = 50}, c, want, mem);
    play(design, (bench_pace){.seed = 2, .in_gap_pct = 40, .freeze_pct = 10}, c, want, mem);
    play(design, (bench_pace){.seed = 3, .in_gap_pct = 30, .out_stall_pct = 70}, c, want, mem);
}
