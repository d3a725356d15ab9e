/* The product of the axes, and what identifies a point. */
#include "support/inputs.h"
#include "sweep/sweep_int.h"

static uint64_t mix_text(uint64_t hash, const char *text) {
    return hash_more(hash, text, strlen(text));
}

static bool mix_file(uint64_t *hash, const char *path, diagnostics *d) {
    arena scratch = {0};
    size_t length = 0;
    char *bytes = file_read(path, &scratch, &length, d);
    if (bytes)
        *hash = hash_more(*hash, bytes, length);
    inputs_note(d, path);
    arena_free(&scratch);
    return bytes != NULL;
}

static void put_key(char key[17], uint64_t hash) {
    snprintf(key, 17, "%016llx", (unsigned long long)hash);
}

static const char *settings_of(const sweep_plan *plan, const uint32_t *at, arena *mem) {
    cJSON *json = cJSON_CreateObject();
    for (uint32_t a = 0; a < plan->axes.len; a++)
        cJSON_AddStringToObject(json, plan->axes.at[a].name, plan->axes.at[a].label.at[at[a]]);
    char *text = json_print(json, false);
    const char *kept = arena_strdup(mem, text);
    cJSON_free(text);
    cJSON_Delete(json);
    return kept;
}

bool sweep_points(sweep_job *job) {
    const sweep_plan *plan = &job->plan;
    arena *mem = job->mem;
    uint64_t fixed = mix_text(0, plan->engine), program = 0;
    for (uint32_t i = 0; i < plan->arguments.len; i++)
        fixed = mix_text(fixed, plan->arguments.at[i]);
    for (uint32_t i = 0; i < plan->inputs.len; i++) {
        if (!mix_file(&fixed, plan->inputs.at[i], job->d))
            return false;
    }
    if (!mix_file(&program, plan->program, job->d))
        return false;
    put_key(job->key, fixed);
    uint32_t *at = arena_new_n(mem, uint32_t, plan->axes.len + 1);
    for (;;) {
        sweep_point p = {.settings = settings_of(plan, at, mem)};
        uint64_t hash = hash_more(fixed, &program, sizeof program);
        vec_push(mem, &p.arguments, "run");
        for (uint32_t i = 0; i < plan->arguments.len; i++)
            vec_push(mem, &p.arguments, plan->arguments.at[i]);
        for (uint32_t a = 0; a < plan->axes.len; a++) {
            const sweep_axis *axis = &plan->axes.at[a];
            vec_push(mem, &p.arguments, axis->option);
            vec_push(mem, &p.arguments, axis->value.at[at[a]]);
            hash = mix_text(mix_text(hash, axis->option), axis->value.at[at[a]]);
        }
        put_key(p.key, hash);
        vec_push(mem, &job->points, p);
        uint32_t a = plan->axes.len;
        while (a > 0 && ++at[a - 1] == plan->axes.at[a - 1].value.len)
            at[--a] = 0;
        if (a == 0)
            return true;
    }
}
