/* draw - a plot from JSON on standard input, as SVG on standard output: for studies in Python.
 *
 * {"title", "x_label", "y_label", "log_y", "category": [...], "series": [{"name", "y": [...], "published"},
 * ...]}: bars, a group a category. */
#include "sweep/plot.h"

#include "support/support.h"

enum { MOST_BYTES = 1 << 20 };

static const char *text_at(const cJSON *json, const char *key) {
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(json, key));
    return text ? text : "";
}

static const double *numbers(const cJSON *list, uint32_t n, arena *mem) {
    double *out = arena_new_n(mem, double, n + 1);
    for (uint32_t i = 0; i < n; i++)
        out[i] = cJSON_GetNumberValue(cJSON_GetArrayItem(list, (int)i));
    return out;
}

int main(void) {
    arena mem = {0};
    char *text = arena_alloc(&mem, MOST_BYTES);
    size_t length = fread(text, 1, MOST_BYTES - 1, stdin);
    cJSON *json = cJSON_ParseWithLength(text, length);
    const cJSON *category = cJSON_GetObjectItem(json, "category"),
                *series = cJSON_GetObjectItem(json, "series"), *s;
    uint32_t n = (uint32_t)cJSON_GetArraySize(category);
    const char **groups = arena_new_n(&mem, const char *, n + 1);
    for (uint32_t i = 0; i < n; i++)
        groups[i] = cJSON_GetStringValue(cJSON_GetArrayItem(category, (int)i));
    plot p = {.title = text_at(json, "title"),
              .x_label = text_at(json, "x_label"),
              .y_label = text_at(json, "y_label"),
              .n = n,
              .category = groups,
              .log_y = cJSON_IsTrue(cJSON_GetObjectItem(json, "log_y"))};
    cJSON_ArrayForEach(s, series) {
        if (p.n_series == PLOT_SERIES || (uint32_t)cJSON_GetArraySize(cJSON_GetObjectItem(s, "y")) != n) {
            fputs("draw: too many series, or one that has not a value for each category\n", stderr);
            return 1;
        }
        p.series[p.n_series++] =
            (plot_series){text_at(s, "name"), numbers(cJSON_GetObjectItem(s, "y"), n, &mem),
                          cJSON_IsTrue(cJSON_GetObjectItem(s, "published"))};
    }
    if (!n || !p.n_series) {
        fputs("draw: no categories, or no series\n", stderr);
        return 1;
    }
    plot_write(&p, stdout);
    cJSON_Delete(json);
    arena_free(&mem);
    return fflush(stdout) != 0;
}
