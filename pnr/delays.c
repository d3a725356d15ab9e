/* A board's delays: "delays_ps", and the delays of its corner. Of [least, most] picoseconds only `most`
 * counts. */
#include "pnr/pnr_int.h"

typedef struct {
    const char *name;
    size_t offset;
} delay_row;

#define AT(field) offsetof(pnr_delays, field)
static const delay_row delay_rows[] = {
    {"pe_core", AT(core[NET_TILE_PE])},
    {"mem_core", AT(core[NET_TILE_MEM])},
    {"io_core", AT(launch[NET_TILE_IO])},
    {"fifo_to_sb_pe", AT(launch[NET_TILE_PE])},
    {"fifo_to_sb_mem", AT(launch[NET_TILE_MEM])},
    {"sb_to_fifo_pe", AT(capture[NET_TILE_PE])},
    {"sb_to_fifo_mem", AT(capture[NET_TILE_MEM])},
    {"sb_to_fifo_mem", AT(capture[NET_TILE_IO])}, /* the table has no row for IO: the slower tile's */
    {"sb_pe_data", AT(data[NET_TILE_PE])},
    {"sb_pe_valid", AT(valid[NET_TILE_PE])},
    {"sb_pe_ready", AT(ready[NET_TILE_PE])},
    {"sb_mem", AT(data[NET_TILE_MEM])},
    {"sb_mem", AT(valid[NET_TILE_MEM])},
    {"sb_mem", AT(ready[NET_TILE_MEM])},
    {"rmux", AT(rmux[NET_TILE_PE])},
    {"rmux", AT(rmux[NET_TILE_MEM])},
};

/* Rows that only a corner may distinguish. */
static const delay_row corner_rows[] = {
    {"rmux_pe", AT(rmux[NET_TILE_PE])},           {"rmux_mem", AT(rmux[NET_TILE_MEM])},
    {"ready_pe", AT(ready_launch[NET_TILE_PE])},  {"ready_mem", AT(ready_launch[NET_TILE_MEM])},
    {"ready_mem", AT(ready_launch[NET_TILE_IO])},
};

/* Rows of the dense fabric, which a board may lack. */
static const delay_row dense_rows[] = {
    {"sb_to_cb_pe", AT(box[NET_TILE_PE])},
    {"sb_to_cb_mem", AT(box[NET_TILE_MEM])},
};

enum {
    DELAY_ROWS = sizeof delay_rows / sizeof delay_rows[0],
    CORNER_ROWS = sizeof corner_rows / sizeof corner_rows[0],
    DENSE_ROWS = sizeof dense_rows / sizeof dense_rows[0]
};

static bool has_row(const delay_row *rows, size_t n, const char *name) {
    bool has = false;
    for (size_t i = 0; i < n; i++)
        has = has || strcmp(rows[i].name, name) == 0;
    return has;
}

const char *pnr_wrong_delay(const cJSON *delays, bool corner) {
    for (const cJSON *m = delays->child; m; m = m->next) {
        const bool known = has_row(delay_rows, DELAY_ROWS, m->string) ||
                           (corner ? has_row(corner_rows, CORNER_ROWS, m->string)
                                   : has_row(dense_rows, DENSE_ROWS, m->string));
        if (!known)
            return m->string;
    }
    for (size_t i = 0; i < DELAY_ROWS && !corner; i++) {
        if (!cJSON_GetObjectItemCaseSensitive(delays, delay_rows[i].name))
            return delay_rows[i].name;
    }
    return NULL;
}

/* Overwrites the delays by the table's values. */
static void read_rows(const cJSON *table, const delay_row *rows, size_t n, pnr_delays *out) {
    for (size_t i = 0; i < n; i++) {
        const cJSON *most = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(table, rows[i].name), 1);
        const uint32_t value = most ? (uint32_t)most->valuedouble : 0;
        if (most)
            memcpy((char *)out + rows[i].offset, &value, sizeof value);
    }
}

bool pnr_read_delays(const pnr_board *b, diagnostics *d, pnr_delays *out) {
    const cJSON *table = b->json ? cJSON_GetObjectItemCaseSensitive(b->json, "delays_ps") : NULL;
    *out = (pnr_delays){0};
    for (size_t i = 0; i < DELAY_ROWS; i++) {
        const cJSON *row = cJSON_GetObjectItemCaseSensitive(table, delay_rows[i].name);
        const cJSON *most = cJSON_GetArrayItem(row, 1);
        if (!most) {
            diag_error(d, (src_loc){0}, "E0550-no-delay", "board '%s' states no delay \"%s\"", b->name,
                       delay_rows[i].name);
            return diag_hint(d, "add \"%s\": [least, most] picoseconds to \"delays_ps\" of the board",
                             delay_rows[i].name);
        }
    }
    read_rows(table, delay_rows, DELAY_ROWS, out);
    memcpy(out->box, out->capture, sizeof out->box);
    read_rows(table, dense_rows, DENSE_ROWS, out);
    return true;
}

const char *pnr_read_corner(const pnr_board *b, pnr_delays *out) {
    const cJSON *corner = cJSON_GetObjectItemCaseSensitive(b->json, "corner"),
                *table = cJSON_GetObjectItemCaseSensitive(corner, "delays_ps");
    read_rows(table, delay_rows, DELAY_ROWS, out);
    read_rows(table, corner_rows, CORNER_ROWS, out);
    return corner ? cJSON_GetObjectItemCaseSensitive(corner, "name")->valuestring : NULL;
}
