/* A board's JSON document: one table of its members, read and validated row by row. */
#include "pnr/pnr.h"

#include <stdlib.h>
#include <unistd.h>

/* A whole number of the document: where it stands, its range, where it goes. */
typedef struct {
    const char *section, *key;
    uint32_t low, high;
    size_t offset;
} board_member;

#define TO(field) offsetof(pnr_board, field)
static const board_member members[] = {
    {"array", "width", 2, 256, TO(width)},
    {"array", "height", 2, 256, TO(height)},
    {"array", "tracks", 1, 8, TO(tracks)},
    {"array", "mem_period", 1, 256, TO(mem_period)},
    {"array", "mem_phase", 0, 255, TO(mem_phase)},
    {"glb", "tiles", 1, 16, TO(glb_tiles)},
    {"glb", "banks", 1, 16, TO(glb_banks_per_tile)},
    {"glb", "bank_bytes", 8, 1 << 24, TO(glb_bank_bytes)},
    {"glb", "columns_per_tile", 2, 256, TO(columns_per_glb_tile)},
    {"glb", "flush_columns", 1, 256, TO(flush_columns)},
    {"mem", "words", 1, 1 << 16, TO(mem_words)},
    {"memory_map", "code", 0, UINT32_MAX, TO(map.code)},
    {"memory_map", "code_bytes", 1, UINT32_MAX, TO(map.code_bytes)},
    {"memory_map", "sram", 0, UINT32_MAX, TO(map.sram)},
    {"memory_map", "sram_bytes", 1, UINT32_MAX, TO(map.sram_bytes)},
    {"memory_map", "cgra_data", 0, UINT32_MAX, TO(map.cgra_data)},
    {"memory_map", "cgra_reg", 0, UINT32_MAX, TO(map.cgra_reg)},
    {"memory_map", "platform", 0, UINT32_MAX, TO(map.platform)},
    {"memory_map", "cgra_irq", 0, 239, TO(map.cgra_irq)},
    {"clocks", "cpu_mhz", 1, 10000, TO(cpu_mhz)},
    {"clocks", "cgra_mhz", 1, 10000, TO(cgra_mhz)},
};
#define MEMBERS (sizeof members / sizeof members[0])
static const char *const sections[] = {"array", "glb", "mem", "memory_map", "clocks"};
#define SECTIONS (sizeof sections / sizeof sections[0])

static void member_error(const char *where, const char *key, const char *wants, diagnostics *d) {
    diag_error(d, (src_loc){0}, "E0501-board-member", "%s: member \"%s\" %s", where, key, wants);
}

/* Addresses read better in hexadecimal, which JSON lacks: "0x..." strings are whole numbers, too. */
static bool get_number(const cJSON *object, const char *where, const char *key, uint32_t *out,
                       diagnostics *d) {
    const cJSON *m = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!cJSON_IsString(m))
        return json_get_u32(object, where, key, out, d);
    const char *text = m->valuestring;
    char *end = NULL;
    unsigned long long value = strncmp(text, "0x", 2) == 0 ? strtoull(text + 2, &end, 16) : 0;
    bool good =
        end && end > text + 2 && *end == '\0' && text[2] != '-' && text[2] != '+' && value <= UINT32_MAX;
    if (!good)
        member_error(where, key, "must be a whole number or a string \"0x...\" of at most 32 bits", d);
    *out = (uint32_t)value;
    return good;
}

static bool read_member(const board_member *m, const cJSON *object, const char *where, arena *mem,
                        diagnostics *d, pnr_board *out) {
    uint32_t value = 0;
    if (!get_number(object, where, m->key, &value, d))
        return false;
    if (value < m->low || value > m->high) {
        member_error(where, m->key, arena_printf(mem, "must be from %u to %u, is %u", m->low, m->high, value),
                     d);
        return false;
    }
    memcpy((char *)out + m->offset, &value, sizeof value);
    return true;
}

/* A misspelt member would silently be ignored otherwise. */
static bool no_other_member(const char *section, const cJSON *object, const char *where, diagnostics *d) {
    for (const cJSON *m = object->child; m; m = m->next) {
        bool known = false;
        for (size_t i = 0; i < MEMBERS; i++)
            known |= strcmp(members[i].section, section) == 0 && strcmp(members[i].key, m->string) == 0;
        if (!known) {
            member_error(where, m->string, "is not one of this section", d);
            return false;
        }
    }
    return true;
}

static bool read_section(const char *section, const char *path, arena *mem, diagnostics *d, pnr_board *out) {
    const cJSON *object = json_get_object(out->json, path, section, d);
    if (!object)
        return false;
    const char *where = arena_printf(mem, "%s: %s", path, section);
    for (size_t i = 0; i < MEMBERS; i++)
        if (strcmp(members[i].section, section) == 0 && !read_member(&members[i], object, where, mem, d, out))
            return false;
    return no_other_member(section, object, where, d);
}

/* Delays are [least, most] pairs in picoseconds; their names are the timing analysis's business. */
static bool check_delays(const char *path, arena *mem, diagnostics *d, const cJSON *json) {
    const cJSON *delays = json_get_object(json, path, "delays_ps", d);
    const char *where = arena_printf(mem, "%s: delays_ps", path);
    for (const cJSON *m = delays ? delays->child : NULL; m; m = m->next) {
        const cJSON *least = cJSON_GetArrayItem(m, 0), *most = cJSON_GetArrayItem(m, 1);
        bool good = cJSON_IsArray(m) && cJSON_GetArraySize(m) == 2 && cJSON_IsNumber(least) &&
                    cJSON_IsNumber(most) && least->valuedouble >= 0 &&
                    least->valuedouble <= most->valuedouble && most->valuedouble <= 1e6;
        if (!good) {
            member_error(where, m->string, "must be [least, most] picoseconds, 0 <= least <= most <= 1000000",
                         d);
            return false;
        }
    }
    return delays != NULL;
}

static bool check_sizes(const char *path, const pnr_board *b, diagnostics *d) {
    const char *code = "E0502-board-sizes";
    if (b->mem_phase >= b->mem_period)
        diag_error(d, (src_loc){0}, code, "%s: array.mem_phase %u must be below array.mem_period %u", path,
                   b->mem_phase, b->mem_period);
    else if (b->glb_tiles * b->columns_per_glb_tile != b->width)
        diag_error(d, (src_loc){0}, code,
                   "%s: %u glb.tiles of %u glb.columns_per_tile are not array.width %u", path, b->glb_tiles,
                   b->columns_per_glb_tile, b->width);
    else
        return true;
    return false;
}

/* "profiles", which may be absent: names of tables, so letters, digits and '-' only. */
static bool check_profiles(const char *path, const cJSON *json, diagnostics *d) {
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(json, "profiles");
    bool good = !list || cJSON_IsArray(list);
    for (const cJSON *m = good && list ? list->child : NULL; good && m; m = m->next)
        good = cJSON_IsString(m) && *m->valuestring &&
               strspn(m->valuestring, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(m->valuestring);
    if (!good)
        member_error(path, "profiles", "must be a list of names of small letters, digits and '-'", d);
    return good;
}

/* Reads `name`, `format_version` and the register map's folder, which stands next to the document. */
static bool read_head(const char *path, arena *mem, diagnostics *d, pnr_board *out) {
    uint32_t version = 0;
    const char *tables = NULL;
    if (!json_get_u32(out->json, path, "format_version", &version, d) ||
        !json_get_text(out->json, path, "name", &out->name, d) ||
        !json_get_text(out->json, path, "register_map", &tables, d))
        return false;
    if (version != 1) {
        member_error(path, "format_version", "must be 1", d);
        return false;
    }
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path + 1) : 0;
    out->folder = arena_printf(mem, "%s%s", arena_strndup(mem, path, length), tables);
    return true;
}

static const char *board_path(const char *name, arena *mem) {
    size_t length = strlen(name);
    if (length > 5 && strcmp(name + length - 5, ".json") == 0)
        return name;
    const char *here = arena_printf(mem, "boards/%s.json", name);
    const char *there = arena_printf(mem, "%s/%s.json", ONYX_BOARDS_DIR, name);
    return access(here, R_OK) != 0 && access(there, R_OK) == 0 ? there : here;
}

bool pnr_board_read(const char *name_or_path, arena *mem, diagnostics *d, pnr_board *out) {
    *out = (pnr_board){.profile = PNR_PROFILE};
    const char *path = board_path(name_or_path, mem);
    out->json = json_read(path, d);
    bool good = out->json && read_head(path, mem, d, out);
    for (size_t i = 0; good && i < SECTIONS; i++)
        good = read_section(sections[i], path, mem, d, out);
    good = good && check_profiles(path, out->json, d) && check_delays(path, mem, d, out->json) &&
           check_sizes(path, out, d);
    if (!good)
        pnr_board_free(out);
    return good;
}

bool pnr_board_set_profile(pnr_board *b, const char *profile, diagnostics *d) {
    const cJSON *m = cJSON_GetObjectItemCaseSensitive(b->json, "profiles");
    bool known = strcmp(profile, PNR_PROFILE) == 0;
    for (m = m ? m->child : NULL; m && !known; m = m->next)
        known = strcmp(profile, m->valuestring) == 0;
    if (known) {
        b->profile = profile;
        return true;
    }
    diag_error(d, (src_loc){0}, "E0503-board-profile", "board '%s' has no profile '%s'", b->name, profile);
    diag_hint(d, "'onyx boards' lists the profiles of each board");
    return false;
}

bool pnr_board_extended(const pnr_board *b) {
    return strcmp(b->profile, PNR_PROFILE) != 0;
}

void pnr_board_free(pnr_board *b) {
    cJSON_Delete((cJSON *)b->json); /* NULL is fine */
    *b = (pnr_board){0};
}
