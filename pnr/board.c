/* A board's JSON document: a table of its members, read and validated row by row. */
#include "pnr/pnr_int.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* An integer of the document: its place, range and destination. */
typedef struct {
    const char *section, *key;
    uint32_t low, high;
    size_t offset;
} board_member;

#define TO(field) offsetof(pnr_board, field)
static const board_member members[] = {
    {"array", "width", 2, PNR_COLUMNS_MOST, TO(width)},
    {"array", "height", 2, 256, TO(height)},
    {"array", "tracks", 1, 8, TO(tracks)},
    {"array", "mem_period", 1, 256, TO(mem_period)},
    {"array", "mem_phase", 0, 255, TO(mem_phase)},
    {"glb", "tiles", 1, PNR_GLB_TILES_MOST, TO(glb_tiles)},
    {"glb", "banks", 1, 16, TO(glb_banks_per_tile)},
    {"glb", "bank_bytes", 8, 1 << 24, TO(glb_bank_bytes)},
    {"glb", "columns_per_tile", PNR_COLUMNS_MOST / PNR_GLB_TILES_MOST, PNR_COLUMNS_MOST,
     TO(columns_per_glb_tile)},
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

/* Names stand in reports, file names and generated sources. */
#define NAME_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
enum { REGISTER_BYTES = 0x1000 }; /* at least, of the array's controller and of the platform's */

/* The document as text, for locations; `section` is the current section, "" outside of sections. */
typedef struct {
    pnr_board_text of;
    const char *section;
    diagnostics *d;
    arena *mem;
} document;

src_loc pnr_board_member(const pnr_board_text *doc, const char *section, const char *key) {
    src_loc best = src_at(doc->source, 0, 1);
    bool inside = *section == '\0';
    unsigned depth = 0, wanted = inside ? 1 : 2;
    for (size_t at = 0, end; at < doc->length; at = end) {
        end = at + 1;
        depth += doc->text[at] == '{' || doc->text[at] == '[';
        depth -= doc->text[at] == '}' || doc->text[at] == ']';
        if (doc->text[at] != '"')
            continue;
        while (doc->text[end] != '"')
            end += doc->text[end] == '\\' ? 2 : 1;
        size_t length = ++end - at - 2, after = end + strspn(doc->text + end, " \t\r\n");
        const char *name = doc->text + at + 1;
        if (doc->text[after] != ':')
            continue;
        if (wanted == 2 && depth == 1) {
            inside = strlen(section) == length && strncmp(name, section, length) == 0;
            if (inside)
                best = src_at(doc->source, at, end - at);
        }
        if (inside && depth == wanted && strlen(key) == length && strncmp(name, key, length) == 0)
            return src_at(doc->source, at, end - at);
    }
    return best;
}

static src_loc member_at(const document *doc, const char *key) {
    return pnr_board_member(&doc->of, doc->section, key);
}

static bool member_error(const document *doc, const char *code, const char *key, const char *wants) {
    return diag_error(doc->d, member_at(doc, key), code, "%s%smember \"%s\" %s", doc->section,
                      *doc->section ? ": " : "", key, wants);
}
static bool bad_member(const document *doc, const char *key, const char *wants) {
    return member_error(doc, "E0501-board-member", key, wants);
}
static bool bad_type(const document *doc, const char *key, const char *wants) {
    return member_error(doc, "E0003-json-member", key, wants);
}

/* Addresses read better in hexadecimal, absent from JSON: "0x..." strings are integers, too. */
static bool get_number(const document *doc, const cJSON *object, const char *key, uint32_t *out) {
    const cJSON *m = cJSON_GetObjectItemCaseSensitive(object, key);
    if (cJSON_IsNumber(m) && m->valuedouble >= 0 && m->valuedouble <= UINT32_MAX &&
        m->valuedouble == (double)(uint32_t)m->valuedouble) {
        *out = (uint32_t)m->valuedouble;
        return true;
    }
    if (!cJSON_IsString(m))
        return bad_type(doc, key, "must be a whole number from 0 to 4294967295");
    const char *text = m->valuestring;
    char *end = NULL;
    unsigned long long value = strncmp(text, "0x", 2) == 0 ? strtoull(text + 2, &end, 16) : 0;
    *out = (uint32_t)value;
    return (end && end > text + 2 && *end == '\0' && text[2] != '-' && text[2] != '+' &&
            value <= UINT32_MAX) ||
           bad_member(doc, key, "must be a whole number or a string \"0x...\" of at most 32 bits");
}

static bool get_text(const document *doc, const cJSON *object, const char *key, const char **out) {
    const cJSON *m = cJSON_GetObjectItemCaseSensitive(object, key);
    *out = cJSON_IsString(m) ? m->valuestring : NULL;
    return *out || bad_type(doc, key, "must be a string");
}

static const cJSON *get_object(const document *doc, const cJSON *json, const char *key) {
    const cJSON *m = cJSON_GetObjectItemCaseSensitive(json, key);
    if (cJSON_IsObject(m))
        return m;
    bad_type(doc, key, "must be an object");
    return NULL;
}

static bool read_member(const board_member *m, const cJSON *object, const document *doc, pnr_board *out) {
    uint32_t value = 0;
    if (!get_number(doc, object, m->key, &value))
        return false;
    if (value < m->low || value > m->high)
        return bad_member(doc, m->key,
                          arena_printf(doc->mem, "must be from %u to %u, is %u", m->low, m->high, value));
    memcpy((char *)out + m->offset, &value, sizeof value);
    return true;
}

/* Refuses duplicate members: cJSON takes the first, other readers the last. */
static bool each_once(const document *doc, const cJSON *object) {
    for (const cJSON *m = object->child; m; m = m->next) {
        if (cJSON_GetObjectItemCaseSensitive(object, m->string) != m)
            return bad_member(doc, m->string, "is there twice");
    }
    return true;
}

/* Refuses unknown members: a misspelt name would silently be ignored otherwise. */
static bool only_members(const document *doc, const cJSON *object, const char *const *known) {
    if (!each_once(doc, object))
        return false;
    for (const cJSON *m = object->child; m; m = m->next) {
        size_t i = 0;
        while (known[i] && strcmp(known[i], m->string) != 0)
            i++;
        if (!known[i])
            return bad_member(doc, m->string,
                              *doc->section ? "is not one of this section" : "is not one of a board");
    }
    return true;
}

static bool read_section(document *doc, const char *section, pnr_board *out) {
    const char *known[MEMBERS + 1];
    size_t n = 0;
    const cJSON *object = get_object(doc, out->json, section);
    bool good = object != NULL;
    doc->section = section;
    for (size_t i = 0; good && i < MEMBERS; i++) {
        if (strcmp(members[i].section, section) != 0)
            continue;
        known[n++] = members[i].key;
        good = read_member(&members[i], object, doc, out);
    }
    known[n] = NULL;
    good = good && only_members(doc, object, known);
    doc->section = "";
    return good;
}

/* Checks that delays are [least, most] pairs in picoseconds. */
static bool are_delays(document *doc, const cJSON *delays) {
    doc->section = "delays_ps";
    bool good = delays && each_once(doc, delays);
    for (const cJSON *m = delays ? delays->child : NULL; good && m; m = m->next) {
        const cJSON *least = cJSON_GetArrayItem(m, 0), *most = cJSON_GetArrayItem(m, 1);
        good = cJSON_IsArray(m) && cJSON_GetArraySize(m) == 2 && cJSON_IsNumber(least) &&
               cJSON_IsNumber(most) && least->valuedouble >= 0 && least->valuedouble <= most->valuedouble &&
               most->valuedouble <= 1e6;
        if (!good)
            bad_member(doc, m->string, "must be [least, most] picoseconds, 0 <= least <= most <= 1000000");
    }
    return good;
}

static bool is_corner(document *doc, const cJSON *corner) {
    static const char *const known[] = {"name", "delays_ps", NULL};
    const char *name;
    doc->section = "corner";
    if (!get_text(doc, corner, "name", &name) || !only_members(doc, corner, known))
        return false;
    const cJSON *delays = get_object(doc, corner, "delays_ps");
    if (!delays || !are_delays(doc, delays))
        return false;
    const char *unknown = pnr_wrong_delay(delays, true);
    return !unknown || bad_member(doc, unknown, "is no delay that timing knows");
}

/* Checks the board's delays and those of its corner, if any; the timing analysis checks their
 * completeness. */
static bool check_delays(document *doc, const cJSON *json) {
    const cJSON *delays = get_object(doc, json, "delays_ps"),
                *corner = cJSON_GetObjectItemCaseSensitive(json, "corner");
    bool good = are_delays(doc, delays);
    const char *wrong = good ? pnr_wrong_delay(delays, false) : NULL;
    if (wrong && cJSON_GetObjectItemCaseSensitive(delays, wrong))
        good = bad_member(doc, wrong, "is no delay that timing knows");
    else if (wrong)
        good = bad_type(doc, wrong, "must be [least, most] picoseconds");
    doc->section = "";
    if (!good || !corner)
        return good;
    good = get_object(doc, json, "corner") && is_corner(doc, corner);
    doc->section = "";
    return good;
}

/* Reads the board's optional link to a host. */
static bool read_link(document *doc, pnr_board *out) {
    static const char *const known[] = {"openocd", "idcode", "simulated", NULL};
    const cJSON *link = cJSON_GetObjectItemCaseSensitive(out->json, "link");
    if (!link)
        return true;
    if (!get_object(doc, out->json, "link"))
        return false;
    const cJSON *simulated = cJSON_GetObjectItemCaseSensitive(link, "simulated");
    doc->section = "link";
    bool good = get_text(doc, link, "openocd", &out->link.openocd) &&
                get_number(doc, link, "idcode", &out->link.idcode) && only_members(doc, link, known);
    if (good && simulated && !cJSON_IsBool(simulated))
        good = bad_type(doc, "simulated", "must be true or false");
    out->link.simulated = cJSON_IsTrue(simulated);
    doc->section = "";
    return good;
}

/* Reads [least, most], whole cycles. */
static bool get_range(const document *doc, const cJSON *object, const char *key, uint32_t out[2]) {
    enum { MOST = 1000 };
    const cJSON *m = cJSON_GetObjectItemCaseSensitive(object, key), *least = cJSON_GetArrayItem(m, 0),
                *most = cJSON_GetArrayItem(m, 1);
    const bool good =
        cJSON_IsArray(m) && cJSON_GetArraySize(m) == 2 && cJSON_IsNumber(least) && cJSON_IsNumber(most) &&
        least->valuedouble >= 0 && least->valuedouble <= most->valuedouble && most->valuedouble <= MOST &&
        least->valuedouble == floor(least->valuedouble) && most->valuedouble == floor(most->valuedouble);
    if (!good)
        return bad_member(doc, key, "must be [least, most] cycles, whole, 0 <= least <= most <= 1000");
    out[0] = (uint32_t)least->valuedouble;
    out[1] = (uint32_t)most->valuedouble;
    return true;
}

/* Reads the processor's optional waits. */
static bool read_waits(document *doc, pnr_board *out) {
    static const char *const known[] = {"code_wait", "sram_wait", "interconnect", NULL};
    const cJSON *of = cJSON_GetObjectItemCaseSensitive(out->json, "processor");
    if (!of)
        return true;
    if (!get_object(doc, out->json, "processor"))
        return false;
    doc->section = "processor";
    out->waits.known = get_range(doc, of, "code_wait", out->waits.code) &&
                       get_range(doc, of, "sram_wait", out->waits.sram) &&
                       get_range(doc, of, "interconnect", out->waits.interconnect) &&
                       only_members(doc, of, known);
    doc->section = "";
    return out->waits.known;
}

/* Refuses overlapping memories: a write to either would change the other. */
static bool check_memories(document *doc, const pnr_board *b) {
    const struct {
        const char *name;
        uint32_t first;
        uint64_t bytes;
    } areas[] = {
        {"code", b->map.code, b->map.code_bytes},
        {"sram", b->map.sram, b->map.sram_bytes},
        {"cgra_data", b->map.cgra_data, (uint64_t)b->glb_tiles * b->glb_banks_per_tile * b->glb_bank_bytes},
        {"cgra_reg", b->map.cgra_reg, REGISTER_BYTES},
        {"platform", b->map.platform, REGISTER_BYTES},
    };
    enum { AREAS = sizeof areas / sizeof areas[0] };
    for (size_t i = 0; i < AREAS; i++) {
        for (size_t k = 0; k < i; k++) {
            if (areas[i].first >= areas[k].first + areas[k].bytes ||
                areas[k].first >= areas[i].first + areas[i].bytes)
                continue;
            doc->section = "memory_map";
            return diag_error(doc->d, member_at(doc, areas[i].name), "E0502-board-sizes",
                              "memory_map: \"%s\" at 0x%08x overlaps \"%s\", %llu bytes at 0x%08x",
                              areas[i].name, areas[i].first, areas[k].name,
                              (unsigned long long)areas[k].bytes, areas[k].first);
        }
    }
    return true;
}

static bool check_sizes(document *doc, const pnr_board *b) {
    const char *code = "E0502-board-sizes";
    if (b->mem_phase >= b->mem_period) {
        doc->section = "array";
        diag_error(doc->d, member_at(doc, "mem_phase"), code,
                   "array.mem_phase %u must be below array.mem_period %u", b->mem_phase, b->mem_period);
    } else if (b->glb_tiles * b->columns_per_glb_tile != b->width) {
        doc->section = "glb";
        diag_error(doc->d, member_at(doc, "tiles"), code,
                   "%u glb.tiles of %u glb.columns_per_tile are not array.width %u", b->glb_tiles,
                   b->columns_per_glb_tile, b->width);
    } else {
        return check_memories(doc, b);
    }
    return false;
}

static const char *in_same_folder(const char *path, const char *name, arena *mem) {
    const char *slash = *name == '/' ? NULL : strrchr(path, '/');
    return arena_printf(mem, "%.*s%s", slash ? (int)(slash - path + 1) : 0, path, name);
}

/* Reads "profiles", which may be absent. Profiles name tables: only letters, digits and '-' are allowed. */
static bool check_profiles(const document *doc, const cJSON *json) {
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(json, "profiles");
    bool good = !list || cJSON_IsArray(list);
    for (const cJSON *m = good && list ? list->child : NULL; good && m; m = m->next)
        good = cJSON_IsString(m) && *m->valuestring &&
               strspn(m->valuestring, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(m->valuestring);
    return good || bad_member(doc, "profiles", "must be a list of names of small letters, digits and '-'");
}

/* Reads `name`, `format_version` and the register map's folder, next to the document. */
static bool read_head(const document *doc, const char *path, pnr_board *out) {
    uint32_t version = 0;
    const char *tables = NULL;
    if (!cJSON_IsObject(out->json))
        return diag_error(doc->d, src_at(doc->of.source, 0, 1), "E0003-json-member", "a board is an object");
    if (!get_number(doc, out->json, "format_version", &version) ||
        !get_text(doc, out->json, "name", &out->name) || !get_text(doc, out->json, "register_map", &tables))
        return false;
    if (version != 1)
        return bad_member(doc, "format_version", "must be 1");
    if (!*out->name || strspn(out->name, NAME_LETTERS) != strlen(out->name))
        return bad_member(doc, "name", "must be of letters, digits, '-', '_' and '.'");
    out->folder = in_same_folder(path, tables, doc->mem);
    return true;
}

static bool no_other_section(const document *doc, const cJSON *json) {
    static const char *const known[] = {
        "format_version", "name",      "register_map", "array",    "glb",    "mem",       "memory_map",
        "clocks",         "delays_ps", "link",         "profiles", "corner", "processor", NULL};
    return only_members(doc, json, known);
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
    document doc = {.section = "", .d = d, .mem = mem};
    pnr_board_text *of = &doc.of;
    of->text = text_read(path, mem, &of->length, d);
    out->json = of->text ? json_parse(path, of->text, of->length, d) : NULL;
    if (!out->json)
        return false;
    of->source = diag_add_source(d, path, of->text, of->length);
    out->text = *of;
    bool good = read_head(&doc, path, out);
    for (size_t i = 0; good && i < SECTIONS; i++)
        good = read_section(&doc, sections[i], out);
    good = good && check_profiles(&doc, out->json) && check_delays(&doc, out->json) &&
           read_waits(&doc, out) && read_link(&doc, out) && check_sizes(&doc, out) &&
           no_other_section(&doc, out->json);
    if (good && out->link.openocd)
        out->link.openocd = in_same_folder(path, out->link.openocd, mem);
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
    return diag_hint(d, "'onyx boards' lists the profiles of each board");
}

bool pnr_board_extended(const pnr_board *b) {
    return b->profile && strcmp(b->profile, PNR_PROFILE) != 0;
}

void pnr_board_free(pnr_board *b) {
    cJSON_Delete((cJSON *)b->json); /* NULL is fine */
    *b = (pnr_board){0};
}
