/* Settings of points: JSON objects, an axis to its value. */
#include "sweep/settings.h"

void put_settings(const char *settings, FILE *out) {
    cJSON *json = json_parse("", settings, strlen(settings), NULL);
    const char *between = "";
    for (const cJSON *m = cJSON_IsObject(json) ? json->child : NULL; m; m = m->next) {
        fprintf(out, "%s%s %s", between, m->string, cJSON_IsString(m) ? m->valuestring : "as chosen");
        between = ", ";
    }
    cJSON_Delete(json);
}

bool sweep_alike(const sweep_row *a, const sweep_row *b) {
    return strcmp(a->plan, b->plan) == 0 && strcmp(a->expression, b->expression) == 0 &&
           strcmp(a->operands, b->operands) == 0 && strcmp(a->engine, b->engine) == 0;
}

const char *row_setting(const sweep_row *r, const char *axis, arena *mem) {
    cJSON *json = json_parse("", r->settings, strlen(r->settings), NULL);
    const char *value = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, axis));
    const char *kept = arena_strdup(mem, value ? value : "");
    cJSON_Delete(json);
    return kept;
}

/* ---- figures ----------------------------------------------------------------------------------- */

/* Facts of an operand in a report's "tensors"; of `dims` the element at `mode`. */
static const struct {
    const char *name, *member;
    int mode;
} facts[] = {{"rows", "dims", 0},
             {"columns", "dims", 1},
             {"entries", "entries", -1},
             {"density", "density", -1},
             {"bandwidth", "bandwidth", -1}};

static bool fact_of(const sweep_row *r, const char *name, double *value) {
    const char *dot = strrchr(name, '.');
    cJSON *all = json_parse("", r->facts, strlen(r->facts), NULL);
    const cJSON *one = NULL, *item = NULL;
    cJSON_ArrayForEach(one, all) {
        const char *tensor = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(one, "tensor"));
        const bool is = tensor && strlen(tensor) == (size_t)(dot - name) &&
                        strncmp(tensor, name, (size_t)(dot - name)) == 0;
        for (size_t f = 0; f < sizeof facts / sizeof *facts && is; f++) {
            if (strcmp(facts[f].name, dot + 1) != 0)
                continue;
            item = cJSON_GetObjectItemCaseSensitive(one, facts[f].member);
            item = facts[f].mode >= 0 ? cJSON_GetArrayItem(item, facts[f].mode) : item;
        }
    }
    const bool found = cJSON_IsNumber(item);
    if (found)
        *value = item->valuedouble;
    cJSON_Delete(all);
    return found;
}

bool row_figure(const sweep_row *r, const char *name, double *value) {
    const struct {
        const char *name;
        double is;
    } measures[] = {{"cycles", r->cycles},
                    {"time_us", r->time_us},
                    {"fmax_mhz", r->fmax_mhz},
                    {"energy_nj", r->energy.nj},
                    {"pe", r->size.pe},
                    {"mem", r->size.mem},
                    {"io", r->size.io},
                    {"tiles", r->size.pe + r->size.mem + r->size.io},
                    {"words", r->size.words},
                    {"passes", r->size.passes},
                    {"result_nnz", r->result_nnz},
                    {"wall_s", r->wall_s}};
    for (size_t m = 0; m < sizeof measures / sizeof *measures; m++) {
        if (strcmp(measures[m].name, name) == 0) {
            *value = measures[m].is;
            return true;
        }
    }
    return strchr(name, '.') && fact_of(r, name, value);
}

/* ---- names ------------------------------------------------------------------------------------- */

static void add_name(sweep_text_vec *names, const char *name, arena *mem) {
    for (uint32_t i = 0; i < names->len; i++) {
        if (strcmp(names->at[i], name) == 0)
            return;
    }
    vec_push(mem, names, arena_strdup(mem, name));
}

sweep_text_vec rows_axes(const sweep_row_vec *rows, arena *mem) {
    sweep_text_vec names = {0};
    for (uint32_t r = 0; r < rows->len; r++) {
        const char *settings = rows->at[r].settings;
        cJSON *json = json_parse("", settings, strlen(settings), NULL);
        for (const cJSON *m = cJSON_IsObject(json) ? json->child : NULL; m; m = m->next)
            add_name(&names, m->string, mem);
        cJSON_Delete(json);
    }
    return names;
}

sweep_text_vec rows_facts(const sweep_row_vec *rows, arena *mem) {
    sweep_text_vec names = {0};
    for (uint32_t r = 0; r < rows->len; r++) {
        cJSON *all = json_parse("", rows->at[r].facts, strlen(rows->at[r].facts), NULL);
        const cJSON *one = NULL;
        cJSON_ArrayForEach(one, all) {
            const char *tensor = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(one, "tensor"));
            for (size_t f = 0; f < sizeof facts / sizeof *facts && tensor; f++)
                add_name(&names, arena_printf(mem, "%s.%s", tensor, facts[f].name), mem);
        }
        cJSON_Delete(all);
    }
    return names;
}
