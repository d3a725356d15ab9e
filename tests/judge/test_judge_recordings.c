/* The chip's meaning of the primitives against whole kernels recorded on an array of the chip's reference
 * tiles: the words of each run, or none where the array stands still. Skipped without the shared data. */
#include <dirent.h>

#include "engines/cycle_load.h"
#include "tests/judge/judge.h"
#include "tests/test.h"

enum { STREAMS = 64 };

/* Time decides whether a late done at an accumulator's memory is lost; this meaning has no time. */
static bool is_of_time(const char *name) {
    return strncmp(name, "acc_", 4) == 0;
}

static void read_design(fixture *f, const cJSON *json, bits_map *map, cycle_design *out) {
    const char *path = arena_printf(&f->mem, "%s/kernel.bs", test_folder(f));
    FILE *file = fopen(path, "w");
    const cJSON *word;
    bits_stream bits;
    pnr_design decoded;
    uint32_t unknown;
    assert_non_null(file);
    cJSON_ArrayForEach(word, cJSON_GetObjectItem(json, "bitstream")) fprintf(file, "%s\n", word->valuestring);
    assert_int_equal(fclose(file), 0);
    assert_true(bits_read(path, &f->mem, &f->diag, &bits));
    assert_true(bits_decode(&bits, map, &f->names, &f->diag, &decoded, &unknown));
    assert_true(cycle_load(&decoded, map, &f->mem, &f->diag, out));
}

/* The name of an IO tile begins with its column: "x12y0". */
static uint32_t cell_at(const cycle_design *d, uint32_t column, bool output) {
    for (uint32_t c = 0; c < d->cells.len; c++) {
        const cycle_cell *cell = &d->cells.at[c];
        if (cell->kind == (output ? CYCLE_IO_OUT : CYCLE_IO_IN) &&
            strtoul(cell->name + 1, NULL, 10) == column)
            return c;
    }
    fail_msg("no stream at column %u", column);
    return 0;
}

static u16_vec words_of(const cJSON *list, arena *mem) {
    u16_vec words = {0};
    const cJSON *word;
    cJSON_ArrayForEach(word, list) vec_push(mem, &words, (uint16_t)word->valueint);
    return words;
}

static uint32_t count_blocks(const u16_vec *words) {
    uint32_t blocks = 0;
    for (uint32_t at = 0; at < words->len; at += 1u + words->at[at])
        blocks++;
    return blocks;
}

/* Whether the outputs have the recorded words. */
static bool same_words(const cycle_design *d, const cJSON *recorded, const judge_stream *streams, uint32_t n,
                       arena *mem) {
    const cJSON *list;
    cJSON_ArrayForEach(list, recorded) {
        const u16_vec words = words_of(list, mem);
        const uint32_t cell = cell_at(d, (uint32_t)atoi(list->string), true);
        for (uint32_t i = 0; i < n; i++) {
            const u16_vec *got = &streams[i].got;
            if (streams[i].cell == cell &&
                (got->len < words.len || memcmp(got->at, words.at, words.len * sizeof *words.at) != 0))
                return false;
        }
    }
    return true;
}

static void play(fixture *f, const char *name, const cycle_design *d, const cJSON *run) {
    const char *outcome = cJSON_GetObjectItem(run, "outcome")->valuestring;
    const bool hangs = strcmp(outcome, "hang") == 0;
    judge_stream streams[STREAMS];
    uint32_t n = 0, alike = 0;
    const cJSON *list;
    if (is_of_time(name) && strcmp(outcome, "equal") != 0)
        return;
    cJSON_ArrayForEach(list, cJSON_GetObjectItem(run, "inputs")) {
        const u16_vec words = words_of(list, &f->mem);
        streams[n++] = (judge_stream){
            .cell = cell_at(d, (uint32_t)atoi(list->string), false), .words = words.at, .length = words.len};
    }
    cJSON_ArrayForEach(list, cJSON_GetObjectItem(run, "expected")) {
        const u16_vec words = words_of(list, &f->mem);
        streams[n++] = (judge_stream){.cell = cell_at(d, (uint32_t)atoi(list->string), true),
                                      .blocks = count_blocks(&words),
                                      .output = true};
    }
    for (spec_meaning m = SPEC_CHIP; m < SPEC_MEANINGS; m++) {
        judge_evaluate(d, m, streams, n, &f->mem);
        alike += judge_complete(streams, n)
                     ? !hangs && same_words(d, cJSON_GetObjectItem(run, "reference"), streams, n, &f->mem)
                     : hangs;
    }
    if (alike == 0)
        fail_msg("%s: the array's outcome is \"%s\", the meaning's another", name, outcome);
}

static int is_recording(const struct dirent *e) {
    const char *end = strrchr(e->d_name, '.');
    return end != NULL && strcmp(end, ".json") == 0;
}

static void test_recordings(void **state) {
    const char *folder = ONYX_RECORDED_DIR "/runs";
    struct dirent **file;
    fixture *all = *state;
    pnr_board board;
    bits_map *map;
    const int n = scandir(folder, &file, is_recording, alphasort);
    if (n < 0) {
        print_message("skipped: no %s\n", folder);
        skip();
    }
    assert_true(pnr_board_read("onyx", &all->mem, &all->diag, &board));
    assert_true(bits_map_read(&board, &all->mem, &all->diag, &map));
    for (int i = 0; i < n; i++) {
        fixture f = {0};
        cycle_design design = {.recorded = false};
        const cJSON *run;
        fixture_begin(&f);
        cJSON *json = json_read(arena_printf(&f.mem, "%s/%s", folder, file[i]->d_name), &f.diag);
        assert_non_null(json);
        read_design(&f, json, map, &design);
        cJSON_ArrayForEach(run, cJSON_GetObjectItem(json, "runs")) play(&f, file[i]->d_name, &design, run);
        cJSON_Delete(json);
        arena_free(&f.mem);
        free(file[i]);
    }
    free(file);
    pnr_board_free(&board);
    assert_true(n >= 74);
}

RUN_TESTS(TEST(test_recordings))
