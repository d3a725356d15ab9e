/* The twelve bitstreams made for the reference netlist and run there: each decodes without an unknown bit,
 * gives the original netlist, and encodes to the same bytes. */
#include "tests/bitstream/bits_fixture.h"

#define GOLDEN ONYX_SHARED_DIR "/data/onyx_bitstreams/golden_array/"

static const char *const kernels[] = {
    "mat_elemadd",  "mat_elemadd_pipe",  "mat_elemmul",       "mat_elemmul_pipe",
    "mat_identity", "mat_identity_pipe", "matmul_ijk_nodrop", "matmul_ijk_nodrop_pipe",
    "vec_elemadd",  "vec_elemadd_pipe",  "vec_elemmul",       "vec_elemmul_pipe",
};
#define KERNELS (sizeof kernels / sizeof kernels[0])

static void skip_without_data(void) {
    if (access(GOLDEN "mat_identity.bs", R_OK) != 0) {
        print_message("no shared data: golden bitstreams are not checked\n");
        skip();
    }
}

static bits_stream read_kernel(fixture *f, const char *kernel) {
    bits_stream words;
    if (!bits_read(arena_printf(&f->mem, GOLDEN "%s.bs", kernel), &f->mem, &f->diag, &words))
        fail_msg("%s", fixture_printed(f));
    return words;
}

static void assert_same_bytes(fixture *f, const char *left, const char *right) {
    size_t a_length = 0, b_length = 0;
    const char *a = file_read(left, &f->mem, &a_length, &f->diag);
    const char *b = file_read(right, &f->mem, &b_length, &f->diag);
    assert_non_null(a);
    assert_non_null(b);
    assert_int_equal(a_length, b_length);
    assert_memory_equal(a, b, a_length);
}

static void golden_words_decode_and_encode_to_the_same_bytes(void **state) {
    bits_bench *p = *state;
    fixture *f = &p->f;
    skip_without_data();
    const char *path = scratch_path(f, "golden.bs");
    for (size_t k = 0; k < KERNELS; k++) {
        bits_stream words = read_kernel(f, kernels[k]), again;
        bits_decoded *got = bits_decode_new(f, &p->b, &words);
        if (!got->good)
            fail_msg("%s: %s", kernels[k], fixture_printed(f));
        assert_int_equal(got->unknown, 0);
        assert_true(bits_encode(&got->design, p->b.map, &f->mem, &f->diag, &again));
        bits_order_as(&again, &words, &f->mem);
        assert_true(bits_write(&again, path, &f->diag));
        assert_same_bytes(f, path, arena_printf(&f->mem, GOLDEN "%s.bs", kernels[k]));
        unlink(path);
    }
}

/* A pin of the JSON: [instance, port], the instance's site found in "placement". */
static void pin_site(const cJSON *json, const cJSON *pin, pnr_site *at, uint32_t *port) {
    const char *name = cJSON_GetArrayItem(pin, 0)->valuestring;
    const cJSON *site =
        cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(json, "placement"), name);
    assert_non_null(site);
    at->x = (uint16_t)cJSON_GetArrayItem(site, 0)->valueint;
    at->y = (uint16_t)cJSON_GetArrayItem(site, 1)->valueint;
    *port = (uint32_t)cJSON_GetArrayItem(pin, 1)->valueint;
}

static bool pin_is(const pnr_design *design, net_pin pin, const cJSON *json, const cJSON *wanted) {
    pnr_site at, site = design->site.at[pin.cell.v - 1];
    uint32_t port = 0;
    pin_site(json, wanted, &at, &port);
    return site.x == at.x && site.y == at.y && pin.port == port;
}

static const net_data *net_driven_by(const pnr_design *design, const cJSON *json, const cJSON *source) {
    for (uint32_t i = 0; i < design->net->nets.len; i++) {
        if (pin_is(design, design->net->nets.at[i].source, json, source))
            return &design->net->nets.at[i];
    }
    return NULL;
}

static void check_net(const pnr_design *design, const cJSON *json, const cJSON *net) {
    const net_data *got = net_driven_by(design, json, cJSON_GetArrayItem(net, 0));
    const cJSON *sinks = cJSON_GetArrayItem(net, 1), *sink;
    assert_non_null(got);
    assert_int_equal(got->sinks.len, cJSON_GetArraySize(sinks));
    cJSON_ArrayForEach(sink, sinks) {
        uint32_t hits = 0;
        for (uint32_t i = 0; i < got->sinks.len; i++)
            hits += pin_is(design, got->sinks.at[i], json, sink);
        assert_int_equal(hits, 1);
    }
}

static uint32_t registers(const pnr_design *design) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < design->route.len; i++) {
        for (uint32_t h = 0; h < design->route.at[i].hops.len; h++)
            count += design->route.at[i].hops.at[h].registered;
    }
    return count;
}

static void golden_netlists_are_found_again(void **state) {
    bits_bench *p = *state;
    fixture *f = &p->f;
    skip_without_data();
    for (size_t k = 0; k < KERNELS; k++) {
        bits_stream words = read_kernel(f, kernels[k]);
        bits_decoded *got = bits_decode_new(f, &p->b, &words);
        cJSON *json = json_read(arena_printf(&f->mem, GOLDEN "%s.json", kernels[k]), &f->diag);
        assert_non_null(json);
        const cJSON *nets = cJSON_GetObjectItem(json, "nets"), *net;
        assert_int_equal(got->design.net->cells.len,
                         cJSON_GetArraySize(cJSON_GetObjectItem(json, "placement")));
        assert_int_equal(got->design.net->nets.len, cJSON_GetArraySize(nets));
        cJSON_ArrayForEach(net, nets) {
            check_net(&got->design, json, net);
        }
        assert_int_equal(registers(&got->design), 2 * cJSON_GetObjectItem(json, "splitfifo_pairs")->valueint);
        assert_int_equal(words.words.len, cJSON_GetObjectItem(json, "config_words")->valueint);
        cJSON_Delete(json);
    }
}

RUN_TESTS(ON_CHIP(golden_words_decode_and_encode_to_the_same_bytes), ON_CHIP(golden_netlists_are_found_again))
