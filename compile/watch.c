/* Engine sam with a look inside: the statistics as JSON, the trace as text. docs/simulator.md. */
#include "compile/engine.h"

typedef struct {
    const compile_options *o;
    const name_table *names;
    file_out file;
    bool *met; /* by --trace-edge: a token went there */
} tracing;

/* The last --trace-edge that is this edge plus 1, or 0. */
static uint32_t asked_for(const tracing *t, const sam_edge_statistics *e) {
    const char *src = names_text(t->names, e->src), *dst = names_text(t->names, e->dst);
    for (uint32_t i = t->o->trace_edges.len; i > 0; i--) {
        const char *edge = t->o->trace_edges.at[i - 1];
        size_t length = strlen(src);
        if (strncmp(edge, src, length) == 0 && edge[length] == ',' && strcmp(edge + length + 1, dst) == 0)
            return i;
    }
    return 0;
}

static void trace_token(void *context, const sam_trace_event *event) {
    tracing *t = context;
    const sam_edge_statistics *e = event->edge;
    uint32_t asked = asked_for(t, e);
    if (t->o->trace_edges.len && !asked)
        return;
    if (asked)
        t->met[asked - 1] = true;
    fprintf(t->file.stream, "%llu %s.%u %s.%u %s ", (unsigned long long)event->cycle,
            names_text(t->names, e->src), e->src_port, names_text(t->names, e->dst), e->dst_port,
            sam_stream_name(e->stream));
    if (event->kind == SAM_TOKEN_NUMBER)
        fprintf(t->file.stream, "%u\n", event->value);
    else if (event->kind == SAM_TOKEN_STOP)
        fprintf(t->file.stream, "S%u\n", event->value);
    else
        fputs(event->kind == SAM_TOKEN_EMPTY ? "N\n" : "D\n", t->file.stream);
}

static bool end_trace(tracing *t, bool finished, compile_context *ctx) {
    for (uint32_t i = 0; i < t->o->trace_edges.len && finished; i++) {
        if (t->met[i])
            continue;
        diag_error(ctx->diag, (src_loc){0}, "E0907-trace-edge", "no edge goes as --trace-edge %s says",
                   t->o->trace_edges.at[i]);
        diag_hint(ctx->diag, "the ids of two nodes of the graph, a comma between them: --trace-edge 3,12");
        file_abandon(&t->file);
        return false;
    }
    return file_commit(&t->file, ctx->diag);
}

static void add_tokens(cJSON *object, const uint64_t *tokens) {
    static const char *const kinds[SAM_TOKEN_KINDS] = {"number", "stop", "empty", "done"};
    cJSON *json = cJSON_AddObjectToObject(object, "tokens");
    for (int kind = 0; kind < SAM_TOKEN_KINDS; kind++)
        cJSON_AddNumberToObject(json, kinds[kind], (double)tokens[kind]);
}

static bool write_statistics(const compile_options *o, compile_context *ctx, const sam_sim_result *r) {
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "format_version", 1);
    cJSON_AddStringToObject(json, "timing", o->timing == SAM_TIMING_PUBLISHED ? "sam" : "ideal");
    cJSON_AddNumberToObject(json, "fifo", o->fifo_depth);
    cJSON_AddNumberToObject(json, "cycles", (double)r->cycles);
    cJSON_AddNumberToObject(json, "tokens", (double)r->tokens);
    cJSON_AddNumberToObject(json, "stored", (double)r->stored);
    cJSON *primitives = cJSON_AddArrayToObject(json, "primitives");
    for (uint32_t i = 0; i < r->n_units; i++) {
        const sam_unit_statistics *u = &r->units[i];
        cJSON *item = json_add_item(primitives);
        cJSON_AddStringToObject(item, "id", names_text(ctx->names, u->id));
        cJSON_AddStringToObject(item, "label", u->label);
        cJSON_AddNumberToObject(item, "active", (double)u->active);
        cJSON_AddNumberToObject(item, "idle", (double)u->idle);
        cJSON_AddNumberToObject(item, "stalled", (double)u->stalled);
        cJSON_AddNumberToObject(item, "done", (double)u->done);
        add_tokens(item, u->tokens);
    }
    cJSON *edges = cJSON_AddArrayToObject(json, "edges");
    for (uint32_t i = 0; i < r->n_edges; i++) {
        const sam_edge_statistics *e = &r->edges[i];
        cJSON *item = json_add_item(edges);
        cJSON_AddStringToObject(item, "src", names_text(ctx->names, e->src));
        cJSON_AddNumberToObject(item, "src_port", e->src_port);
        cJSON_AddStringToObject(item, "dst", names_text(ctx->names, e->dst));
        cJSON_AddNumberToObject(item, "dst_port", e->dst_port);
        cJSON_AddStringToObject(item, "stream", sam_stream_name(e->stream));
        cJSON_AddNumberToObject(item, "high_water", e->high_water);
        add_tokens(item, e->tokens);
    }
    bool good = json_write(json, o->stats, ctx->diag);
    cJSON_Delete(json);
    return good;
}

bool compile_watched_simulate(const compile_options *o, compile_context *ctx, const sam_graph *g,
                              const sam_tensor_levels *operands, uint32_t n_operands, sam_sim_result *out) {
    tracing t = {.o = o, .names = ctx->names};
    sam_sim_options options = {.timing = o->timing, .fifo_depth = o->fifo_depth, .statistics = o->stats};
    if (o->trace) {
        if (!file_create(&t.file, o->trace, ctx->mem, ctx->diag))
            return false;
        t.met = arena_new_n(ctx->mem, bool, o->trace_edges.len + 1);
        options.trace = trace_token;
        options.trace_context = &t;
    }
    compile_stage(ctx, "simulating the graph", 0);
    bool good = sam_simulate(g, operands, n_operands, &options, ctx->mem, ctx->diag, out);
    good = (!o->trace || end_trace(&t, good, ctx)) && good;
    return (!o->stats || write_statistics(o, ctx, out)) && good;
}
