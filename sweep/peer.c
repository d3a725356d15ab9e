/* CSV of other tools: fields between commas, quoted or not, a row on each line. */
#include "support/number.h"
#include "sweep/chart.h"

/* Reads a field and its separator; returns the following text. */
static const char *read_field(const char *at, arena *mem, const char **field, bool *last) {
    char *to = arena_alloc(mem, strlen(at) + 1);
    const bool quoted = *at == '"';
    *field = to;
    for (at += quoted; *at && (quoted ? *at != '"' || at[1] == '"' : !strchr(",\r\n", *at)); at++) {
        at += quoted && *at == '"';
        *to++ = *at;
    }
    at += quoted && *at == '"';
    *last = *at != ',';
    return at + (*at == ',' ? 1 : strspn(at, "\r\n"));
}

/* Takes a field of the header row, or of a row of numbers. */
static void take(peer_results *out, arena *mem, bool head, uint32_t column, const char *field) {
    char *end = NULL;
    if (!column && !head)
        vec_push(mem, &out->x, field);
    else if (column && head)
        vec_push(mem, &out->series, field);
    else if (column && column <= out->series.len)
        vec_push(mem, &out->y, number_read(field, &end));
}

bool peer_read(const char *path, arena *mem, diagnostics *d, peer_results *out) {
    size_t length = 0;
    const char *at = text_read(path, mem, &length, d);
    if (!at)
        return false;
    for (bool head = true; *at; head = false) {
        uint32_t column = 0;
        for (bool last = false; !last; column++) {
            const char *field = NULL;
            at = read_field(at, mem, &field, &last);
            take(out, mem, head, column, field);
        }
        while (!head && column++ <= out->series.len)
            vec_push(mem, &out->y, 0);
    }
    if (!out->x.len || !out->series.len)
        diag_error(d, (src_loc){0}, "E0944-chart", "'%s' has no row of names, or no row of numbers", path);
    return out->x.len && out->series.len;
}
