/* The product of the axes, and the identity of a point. */
#include "support/inputs.h"
#include "sweep/sweep_int.h"

static uint64_t mix_text(uint64_t hash, const char *text) {
    return hash_more(hash, text, strlen(text));
}

/* Mixes the contents of files in. E0001-file. */
static bool mix_files(uint64_t *hash, const sweep_text_vec *paths, diagnostics *d) {
    arena scratch = {0};
    bool ok = true;
    for (uint32_t i = 0; i < paths->len && ok; i++) {
        size_t length = 0;
        char *bytes = file_read(paths->at[i], &scratch, &length, d);
        ok = bytes != NULL;
        if (ok)
            *hash = hash_more(*hash, bytes, length);
        inputs_note(d, paths->at[i]);
    }
    arena_free(&scratch);
    return ok;
}

static void put_key(char key[17], uint64_t hash) {
    snprintf(key, 17, "%016llx", (unsigned long long)hash);
}

/* Returns whether a point has no value of an axis. */
static bool is_omitted(const sweep_axis *axis, bool plain) {
    return plain && axis->chosen;
}

static const char *settings_of(const sweep_plan *plan, const uint32_t *at, bool plain, arena *mem) {
    cJSON *json = cJSON_CreateObject();
    for (uint32_t a = 0; a < plan->axes.len; a++) {
        const sweep_axis *axis = &plan->axes.at[a];
        if (is_omitted(axis, plain))
            cJSON_AddNullToObject(json, axis->name);
        else
            cJSON_AddStringToObject(json, axis->name, axis->values.at[at[a]].label);
    }
    char *text = json_print(json, false);
    const char *kept = arena_strdup(mem, text);
    cJSON_free(text);
    cJSON_Delete(json);
    return kept;
}

/* Returns hashes of the contents of the files of each value, an axis behind the other; 0 of a value without
 * files, NULL after E0001-file. */
static uint64_t **value_sums(const sweep_plan *plan, arena *mem, diagnostics *d) {
    uint64_t **sums = arena_new_n(mem, uint64_t *, plan->axes.len + 1);
    for (uint32_t a = 0; a < plan->axes.len; a++) {
        const sweep_axis *axis = &plan->axes.at[a];
        sums[a] = arena_new_n(mem, uint64_t, axis->values.len);
        for (uint32_t v = 0; v < axis->values.len; v++) {
            if (!mix_files(&sums[a][v], &axis->values.at[v].inputs, d))
                return NULL;
        }
    }
    return sums;
}

/* Adds the words of a value to a point, and mixes them into the hash. */
static void take_value(sweep_point *p, const sweep_value *value, uint64_t sum, arena *mem, uint64_t *hash) {
    for (uint32_t w = 0; w < value->words.len; w++) {
        const char *word = value->words.at[w];
        if (w && strcmp(value->words.at[w - 1], "--engine") == 0)
            p->engine = word;
        vec_push(mem, &p->arguments, word);
        *hash = mix_text(*hash, word);
    }
    if (value->inputs.len)
        *hash = hash_more(*hash, &sum, sizeof sum);
}

/* Returns the point with these values of the axes; `hash` covers what is common to the points. */
static sweep_point point_at(const sweep_plan *plan, const uint32_t *at, bool plain, uint64_t *const *sums,
                            uint64_t hash, arena *mem) {
    sweep_point p = {.settings = settings_of(plan, at, plain, mem), .engine = plan->engine};
    vec_push(mem, &p.arguments, "run");
    for (uint32_t i = 0; i < plan->arguments.len; i++)
        vec_push(mem, &p.arguments, plan->arguments.at[i]);
    for (uint32_t a = 0; a < plan->axes.len; a++) {
        if (!is_omitted(&plan->axes.at[a], plain))
            take_value(&p, &plan->axes.at[a].values.at[at[a]], sums[a][at[a]], mem, &hash);
    }
    put_key(p.key, hash);
    return p;
}

/* Goes to the next combination of values, the last axis first; false after the last combination. */
static bool next_point(const sweep_plan *plan, uint32_t *at, bool plain) {
    uint32_t a = plan->axes.len;
    for (; a > 0; at[--a] = 0) {
        const sweep_axis *axis = &plan->axes.at[a - 1];
        if (!is_omitted(axis, plain) && ++at[a - 1] < axis->values.len)
            break;
    }
    return a > 0;
}

static bool has_chosen_axis(const sweep_plan *plan) {
    for (uint32_t a = 0; a < plan->axes.len; a++) {
        if (plan->axes.at[a].chosen)
            return true;
    }
    return false;
}

bool sweep_points(sweep_job *job) {
    const sweep_plan *plan = &job->plan;
    arena *mem = job->mem;
    uint64_t fixed = mix_text(0, plan->engine), program = 0;
    for (uint32_t i = 0; i < plan->arguments.len; i++)
        fixed = mix_text(fixed, plan->arguments.at[i]);
    sweep_text_vec of_program = {0};
    vec_push(mem, &of_program, plan->program);
    uint64_t **sums = value_sums(plan, mem, job->d);
    if (!sums || !mix_files(&fixed, &plan->inputs, job->d) || !mix_files(&program, &of_program, job->d))
        return false;
    put_key(job->key, fixed);
    uint32_t *at = arena_new_n(mem, uint32_t, plan->axes.len + 1);
    const uint64_t hash = hash_more(fixed, &program, sizeof program);
    for (int plain = 0; plain <= has_chosen_axis(plan); plain++) {
        do
            vec_push(mem, &job->points, point_at(plan, at, plain, sums, hash, mem));
        while (next_point(plan, at, plain));
        if (!plain)
            job->grid = job->points.len;
    }
    return true;
}
