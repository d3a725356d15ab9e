/* dense_job.c - see dense_job.h. */
#include "cli/models/dense_job.h"

#include "dense/load.h"
#include "dense/run.h"
#include "rtl_models/soc/dense_rtl.h"
#include "support/diagnostics_print.h"
#include "support/file.h"

typedef struct {
    pnr_board board;
    bits_map *map;
    dense_program program;
    dense_design design;
    dense_array array;
    dense_streams streams;
    dense_outcome out;
} job;

static bool read_writes(const char *path, arena *mem, diagnostics *d, dense_program *out) {
    size_t length = 0;
    const char *text = file_read(path, mem, &length, d);
    dense_write w;
    int used = 0;
    for (; text && sscanf(text, "%x %x%n", &w.offset, &w.value, &used) == 2; text += used)
        vec_push(mem, &out->writes, w);
    return text != NULL;
}

static bool write_result(const char *path, const dense_outcome *out, diagnostics *d) {
    cJSON *json = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(json, "dense_streams");
    for (uint32_t i = 0; i < out->streams.len; i++)
        dense_list_stream(&out->streams.at[i].stream, &out->streams.at[i].state, list);
    const bool ok = json_write(json, path, d);
    cJSON_Delete(json);
    return ok;
}

static bool read_job(char *const *file, arena *mem, diagnostics *d, job *j) {
    return pnr_board_read(file[DENSE_JOB_BOARD], mem, d, &j->board) &&
           bits_map_read(&j->board, mem, d, &j->map) &&
           bits_read(file[DENSE_JOB_WORDS], mem, d, &j->program.bits) &&
           read_writes(file[DENSE_JOB_WRITES], mem, d, &j->program) &&
           dense_decode(&j->program.bits, &j->board, j->map, d, &j->design) &&
           dense_load(&j->design, d, &j->array) && dense_streams_of(&j->program, mem, d, &j->streams);
}

static bool run_job(char *const *file, arena *mem, diagnostics *d, job *j) {
    uint32_t ring = 0;
    uint16_t *memory = arena_new_n(mem, uint16_t, DENSE_GLB_BYTES / 2);
    if (!dense_read_memory(file[DENSE_JOB_MEMORY], d, memory))
        return false;
    dense_rtl *rtl = dense_rtl_create(&j->array, &j->program.bits, mem, &ring);
    if (!rtl) {
        dense_report_ring(&j->array, ring, d);
        return false;
    }
    const dense_machine machine = dense_rtl_machine(rtl);
    const bool ran = dense_run_machine(&machine, &j->array, &j->streams, memory, d, &j->out);
    dense_rtl_destroy(rtl);
    return ran && dense_write_memory(memory, file[DENSE_JOB_MEMORY], d) &&
           write_result(file[DENSE_JOB_RESULT], &j->out, d);
}

int dense_job_run(char *const file[DENSE_JOB_FILES]) {
    arena mem = {0};
    diagnostics d;
    job *j = arena_new(&mem, job);
    json_begin();
    diag_init(&d, &mem);
    const bool ok = read_job(file, &mem, &d, j) && run_job(file, &mem, &d, j);
    diag_print(&d, 0, stderr, diag_colour(stderr));
    pnr_board_free(&j->board);
    arena_free(&mem);
    return ok ? 0 : 1;
}
