/* Writes the C and linker files of a program, from its designs and their bitstreams. */
#include "firmware/fw_int.h"

#include <stdlib.h>

static int by_column(const void *left, const void *right) {
    const fw_stream *a = left, *b = right;
    return a->column < b->column ? -1 : a->column > b->column;
}

/* Adds the stream of an IO cell in column x. */
static bool add_stream(fw_streams *to, const pnr_board *b, const net_cell_data *cell, uint32_t x,
                       diagnostics *d) {
    const char *what = cell->output ? "store" : "load";
    const uint32_t glb_tile = x / b->columns_per_glb_tile;
    fw_stream *list = cell->output ? to->store : to->load;
    uint32_t *n = cell->output ? &to->n_stores : &to->n_loads;
    bool used = glb_tile >= b->glb_tiles;
    for (uint32_t i = 0; i < *n; i++)
        used = used || list[i].column / b->columns_per_glb_tile == glb_tile;
    if (used) {
        diag_error(d, cell->loc, "E0706-streams", "GLB tile %u would need two %ss: column %u is the second",
                   glb_tile, what, x);
        return diag_hint(d,
                         "place inputs and outputs by the chip's rules: one load and one store a GLB tile");
    }
    list[(*n)++] = (fw_stream){x, cell};
    return true;
}

/* Checks that only the last block of a store can be empty, since the chip loses the length after an empty
 * block. Segments begin with a 0 and are never empty; coordinates and values may be empty, unless all levels
 * come in turn (onyx-ext), where an empty block comes as the word 0. */
static bool check_blocks(const net_cell_data *cell, diagnostics *d) {
    const sam_contents *shared = sam_contents_of(cell->level);
    const uint32_t most = shared ? 1 : 2;
    if (cell->num_blocks <= most || (shared && shared->levels))
        return true;
    diag_error(d, cell->loc, "E0714-empty-block",
               "a store takes %u blocks of %s, where each but the last may be empty", cell->num_blocks,
               most == 1 ? "values" : "a level");
    return diag_hint(
        d, "the chip loses what follows an empty block: a store takes the segments and the coordinates of a "
           "level, or the values, and nothing else");
}

/* Whether two cells carry the same, each for its copy. */
static bool same_stream(const net_cell_data *a, const net_cell_data *b) {
    return name_eq(a->tensor, b->tensor) && a->level == b->level;
}

/* Orders `all`, which is by column, by lane: each lane's streams in the order of the first. *n becomes the
 * number of a lane. Returns false if the lanes are not alike. */
static bool by_lane(fw_stream *all, uint32_t *n, uint32_t lanes) {
    fw_stream sorted[TILE_MAX_STREAMS];
    uint32_t ones = 0, used = 0;
    for (uint32_t i = 0; i < *n; i++) {
        if (all[i].cell->copy == 0)
            sorted[ones++] = all[i];
    }
    for (used = ones; used < lanes * ones && used < *n; used++) {
        uint32_t i = 0;
        while (i < *n &&
               (all[i].cell->copy != used / ones || !same_stream(all[i].cell, sorted[used % ones].cell)))
            i++;
        if (i == *n)
            return false;
        sorted[used] = all[i];
    }
    if (used != *n || lanes * ones != *n)
        return false;
    memcpy(all, sorted, sizeof *all * *n);
    *n = ones;
    return true;
}

static bool find_lanes(const pnr_design *design, diagnostics *d, fw_streams *out) {
    const netlist *net = design->net;
    for (uint32_t c = 0; c < net->cells.len; c++) {
        if (net->cells.at[c].copy >= out->lanes)
            out->lanes = net->cells.at[c].copy + 1;
    }
    if (by_lane(out->load, &out->n_loads, out->lanes) && by_lane(out->store, &out->n_stores, out->lanes))
        return true;
    diag_error(d, (src_loc){0}, "E0706-streams", "the %u copies of the kernel cannot start each by itself",
               out->lanes);
    return diag_hint(d, "all copies have the same streams");
}

bool fw_streams_of(const pnr_design *design, uint32_t kernel, bool independent, diagnostics *d,
                   fw_streams *out) {
    const pnr_board *b = design->board;
    *out = (fw_streams){.lanes = 1};
    for (uint32_t c = 0; c < design->net->cells.len; c++) {
        const net_cell_data *cell = &design->net->cells.at[c];
        if (pnr_cell_tile(cell) != NET_TILE_IO || cell->kernel != kernel)
            continue;
        if (cell->output && !check_blocks(cell, d))
            return false;
        if (!add_stream(out, b, cell, design->site.at[c].x, d))
            return false;
    }
    qsort(out->load, out->n_loads, sizeof *out->load, by_column);
    qsort(out->store, out->n_stores, sizeof *out->store, by_column);
    if (out->n_loads && out->n_stores)
        return !independent || find_lanes(design, d, out);
    diag_error(d, (src_loc){0}, "E0706-streams", "the kernel has no %s stream",
               out->n_loads ? "output" : "input");
    return diag_hint(d,
                     "a run starts with a load, which also flushes the array, and ends with the last store");
}

static const uint32_t *columns_of(const fw_stream *list, uint32_t n, arena *mem) {
    uint32_t *columns = arena_new_n(mem, uint32_t, n);
    for (uint32_t i = 0; i < n; i++)
        columns[i] = list[i].column;
    return columns;
}

/* Whether no GLB tile has both a load and a store. */
static bool banks_are_free(const fw_streams *s, const pnr_board *b) {
    for (uint32_t i = 0; i < s->lanes * s->n_loads; i++)
        for (uint32_t k = 0; k < s->lanes * s->n_stores; k++)
            if (s->load[i].column / b->columns_per_glb_tile == s->store[k].column / b->columns_per_glb_tile)
                return false;
    return true;
}

bool fw_columns_of(const pnr_design *design, uint32_t kernel, bool independent, arena *mem, diagnostics *d,
                   fw_columns *out) {
    fw_streams s;
    if (!fw_streams_of(design, kernel, independent, d, &s))
        return false;
    *out = (fw_columns){columns_of(s.load, s.lanes * s.n_loads, mem),
                        columns_of(s.store, s.lanes * s.n_stores, mem),
                        s.n_loads,
                        s.n_stores,
                        s.lanes,
                        fw_kernels_of(design) == 1 && banks_are_free(&s, design->board) ? FW_BUFFERS_MOST : 1,
                        kernel,
                        0,
                        NULL,
                        NULL};
    return true;
}

/* ---- the board ------------------------------------------------------------------------------- */

static bool write_board_header(const pnr_board *b, const char *folder, diagnostics *d) {
    file_out f;
    if (!file_create(&f, arena_printf(d->mem, "%s/app_board.h", folder), d->mem, d))
        return false;
    fprintf(
        f.stream,
        "/* Board '%s' for the firmware. Generated by onyx; do not edit. */\n"
        "#ifndef APP_BOARD_H\n#define APP_BOARD_H\n\n"
        "#define ONYX_SRAM 0x%08xu\n#define ONYX_CGRA_DATA 0x%08xu\n#define ONYX_CGRA_REG 0x%08xu\n"
        "#define ONYX_PLATFORM 0x%08xu\n#define ONYX_CGRA_IRQ %u\n"
        "#define ONYX_GLB_TILES %uu\n#define ONYX_GLB_BANKS %uu\n#define ONYX_GLB_BANK_BYTES "
        "0x%xu\n#define ONYX_COLUMNS %uu\n#define ONYX_ROWS %uu\n#define ONYX_BOARD_ID 0x%08xu\n\n#endif\n",
        b->name, b->map.sram, b->map.cgra_data, b->map.cgra_reg, b->map.platform, b->map.cgra_irq,
        b->glb_tiles, b->glb_banks_per_tile, b->glb_bank_bytes, b->width, b->height, fw_board_id(b));
    return file_commit(&f, d);
}

static void region(FILE *out, const char *name, uint32_t origin, uint32_t length, const char *what) {
    fprintf(out, "    %-7s : ORIGIN = 0x%08x, LENGTH = 0x%05x /* %s */\n", name, origin, length, what);
}

static bool write_memory(const pnr_board *b, uint32_t at, const char *folder, diagnostics *d) {
    const uint32_t data = FW_MAILBOX_OFFSET + FW_MAILBOX_BYTES;
    file_out f;
    if (!file_create(&f, arena_printf(d->mem, "%s/memory.ld", folder), d->mem, d))
        return false;
    fprintf(f.stream, "/* Memories of board '%s'. Generated by onyx; do not edit. */\nMEMORY {\n", b->name);
    region(f.stream, "CODE", b->map.code, b->map.code_bytes, "program");
    region(f.stream, "MAILBOX", b->map.sram + FW_MAILBOX_OFFSET, FW_MAILBOX_BYTES, "seen by the host");
    region(f.stream, "DATA", b->map.sram + data, FW_TABLE_OFFSET - data, "variables, then stack");
    region(f.stream, "TABLE", b->map.sram + FW_TABLE_OFFSET, FW_TABLE_END - FW_TABLE_OFFSET,
           "run table, written by the host");
    region(f.stream, "GLB", b->map.cgra_data + at, b->glb_bank_bytes, "bitstreams: a bank of GLB tile 0");
    fprintf(f.stream, "}\n");
    return file_commit(&f, d);
}

bool fw_write_board(const pnr_board *b, uint32_t at, const char *folder, diagnostics *d) {
    return write_board_header(b, folder, d) && write_memory(b, at, folder, d);
}

/* ---- the kernel ------------------------------------------------------------------------------ */

static uint32_t glb_mask(const pnr_board *b, const fw_stream *list, uint32_t n) {
    uint32_t mask = 0;
    for (uint32_t i = 0; i < n; i++)
        mask |= 1u << list[i].column / b->columns_per_glb_tile;
    return mask;
}

/* Returns the contents of a stream: "B values", "B level 0". */
static const char *stream_text(const pnr_design *design, const net_cell_data *cell, arena *mem) {
    const char *tensor = names_text(design->net->names, cell->tensor);
    return cell->level < 0 ? arena_printf(mem, "%s%s", tensor, sam_contents_of(cell->level)->called)
                           : arena_printf(mem, "%s level %d", tensor, cell->level);
}

void fw_note_open_streams(const pnr_design *design, uint32_t open, diagnostics *d) {
    for (uint32_t c = 0; c < design->net->cells.len; c++) {
        const net_cell_data *cell = &design->net->cells.at[c];
        uint32_t x = design->site.at[c].x, tile = x / design->board->columns_per_glb_tile;
        bool store = cell->mode == NET_MODE_IO_OUT;
        if ((store || cell->mode == NET_MODE_IO_IN) && open >> (store ? 16 + tile : tile) & 1)
            diag_note(d, (src_loc){0}, "open: the %s of global buffer tile %u, column %u: %s",
                      store ? "store" : "load", tile, x, stream_text(design, cell, d->mem));
    }
}

static void write_streams(FILE *out, const pnr_design *design, const fw_stream *list, uint32_t n,
                          arena *mem) {
    uint32_t per_tile = design->board->columns_per_glb_tile;
    for (uint32_t i = 0; i < n; i++) {
        const net_cell_data *cell = list[i].cell;
        uint32_t x = list[i].column;
        fprintf(out, "    {.glb_tile = %u, .data_mux = %s, .num_blocks = %u}, /* column %u: %s */\n",
                x / per_tile, x % per_tile == 0 ? "GLB_COLUMN_EVEN" : "GLB_COLUMN_ODD", cell->num_blocks, x,
                stream_text(design, cell, mem));
    }
}

/* Works out the crossbar's word: for each group of columns four bits, the GLB tile of the first load of the
 * lane whose cells are there. */
static bool flush_crossbar(const pnr_design *design, const fw_streams *s, diagnostics *d, uint32_t *out) {
    enum { NOBODY = UINT8_MAX };
    const pnr_board *b = design->board;
    uint8_t owner[FW_FLUSH_GROUPS];
    memset(owner, NOBODY, sizeof owner);
    for (uint32_t c = 0; s->lanes > 1 && c < design->net->cells.len; c++) {
        uint8_t *group = &owner[design->site.at[c].x / b->flush_columns];
        uint8_t copy = (uint8_t)design->net->cells.at[c].copy;
        if (*group != NOBODY && *group != copy) {
            diag_error(d, (src_loc){0}, "E0706-streams",
                       "copies %u and %u stand in the same flush group of columns", *group, copy);
            return diag_hint(d, "place them apart, or start them together");
        }
        *group = copy;
    }
    *out = 0;
    for (uint32_t g = 0; g < FW_FLUSH_GROUPS; g++) {
        uint32_t lane = owner[g] == NOBODY ? 0 : owner[g];
        *out |= s->load[lane * s->n_loads].column / b->columns_per_glb_tile << 4 * g;
    }
    return true;
}

static void write_lanes(FILE *out, const pnr_board *b, const fw_streams *s) {
    for (uint32_t lane = 0; lane < s->lanes; lane++)
        fprintf(out, "    {.load_mask = 0x%04x, .store_mask = 0x%04x},\n",
                glb_mask(b, s->load + lane * s->n_loads, s->n_loads),
                glb_mask(b, s->store + lane * s->n_stores, s->n_stores));
}

/* Calls for each kernel of each image, in their order. */
#define EACH_KERNEL(images, n, i, p)                                                                         \
    for (uint32_t i = 0; i < (n); i++)                                                                       \
        for (uint32_t p = 0; p < (images)[i].kernels; p++)

/* Writes the streams and lanes of all kernels, in order. */
static void write_all_streams(FILE *out, const fw_placed *images, uint32_t n, arena *mem) {
    fprintf(out, "static const kernel_stream loads[] = {\n");
    EACH_KERNEL(images, n, i, p) {
        const fw_streams *s = &images[i].streams[p];
        write_streams(out, images[i].of->design, s->load, s->lanes * s->n_loads, mem);
    }
    fprintf(out, "};\nstatic const kernel_stream stores[] = {\n");
    EACH_KERNEL(images, n, i, p) {
        const fw_streams *s = &images[i].streams[p];
        write_streams(out, images[i].of->design, s->store, s->lanes * s->n_stores, mem);
    }
    fprintf(out, "};\nstatic const kernel_lane lanes[] = {\n");
    EACH_KERNEL(images, n, i, p) {
        write_lanes(out, images[i].of->design->board, &images[i].streams[p]);
    }
    fprintf(out, "};\n");
}

/* Returns the number of GLB tiles, from the first on, that words pass to the last column with a word. */
static uint32_t glb_tiles_of(const pnr_board *b, const bits_stream *bits) {
    uint32_t last = 0;
    for (uint32_t i = 0; i < bits->words.len; i++) {
        uint32_t column = bits->words.at[i].address >> 8 & 0xff;
        last = column > last ? column : last;
    }
    return last / b->columns_per_glb_tile + 1;
}

static void write_images(FILE *out, const fw_placed *images, uint32_t n) {
    uint32_t loads = 0, stores = 0;
    fprintf(out, "static const kernel_image images[] = {\n");
    for (uint32_t i = 0; i < n; i++) {
        const fw_placed *image = &images[i];
        const pnr_board *b = image->of->design->board;
        uint32_t sums[FW_IMAGE_SUMS], n_loads = 0, n_stores = 0;
        for (uint32_t p = 0; p < image->kernels; p++) {
            const fw_streams *s = &image->streams[p];
            n_loads += s->lanes * s->n_loads;
            n_stores += s->lanes * s->n_stores;
        }
        fw_add_up(b, image->at, &image->words, sums);
        fprintf(out,
                "    {.loads = loads + %u, .stores = stores + %u, .n_loads = %u, .n_stores = %u,\n"
                "     .at = 0x%x, .config_words = %u, .config_tiles = %u,\n"
                "     .config_sums = {0x%08x, 0x%08x, 0x%08x, 0x%08x}, .early_stores = 0x%04x},\n",
                loads, stores, n_loads, n_stores, image->at, image->words.words.len,
                glb_tiles_of(b, &image->words), sums[0], sums[1], sums[2], sums[3], image->of->early_stores);
        loads += n_loads;
        stores += n_stores;
    }
    fprintf(out, "};\n");
}

/* Writes the kernels of all images; returns their number, or 0 after errors. */
static uint32_t write_kernels(FILE *out, const fw_placed *images, uint32_t n, diagnostics *d) {
    uint32_t loads = 0, stores = 0, lanes = 0, kernels = 0, crossbar = 0;
    fprintf(out, "static const array_kernel kernels[] = {\n");
    EACH_KERNEL(images, n, i, p) {
        const fw_streams *s = &images[i].streams[p];
        if (!flush_crossbar(images[i].of->design, s, d, &crossbar))
            return 0;
        fprintf(
            out,
            "    {.image = images + %u, .loads = loads + %u, .stores = stores + %u, .lanes = lanes + %u,\n"
            "     .n_lanes = %u, .n_loads = %u, .n_stores = %u, .flush_crossbar = 0x%08x},\n",
            i, loads, stores, lanes, s->lanes, s->n_loads, s->n_stores, crossbar);
        loads += s->lanes * s->n_loads;
        stores += s->lanes * s->n_stores;
        lanes += s->lanes;
        kernels++;
    }
    fprintf(out, "};\n");
    return kernels;
}

/* Writes the functions, if any, and returns their initializers in the description. */
static const char *write_functions(FILE *out, const fw_functions *f) {
    if (!f)
        return "";
    for (uint32_t i = 0; i < f->n; i++)
        fprintf(out, "void onyx_call_%u(kernel_calls *c);\n", i);
    fprintf(out, "static const kernel_function functions[] = {\n");
    for (uint32_t i = 0; i < f->n; i++)
        fprintf(out, "    {.run = onyx_call_%u, .inputs = %u},\n", i, f->inputs[i]);
    fprintf(out, "};\n");
    return "    FUNCTIONS_OF(functions),\n";
}

/* Without kernels, no kernel is taken by its number either. */
static void write_no_kernels(FILE *out) {
    fprintf(out, "static const kernel_image images[1];\nstatic const array_kernel kernels[1];\n");
}

static void write_list(FILE *out, const char *name, const fw_write_vec *list) {
    fprintf(out, "static const kernel_write %s[] = {\n", name);
    for (uint32_t i = 0; i < list->len; i++)
        fprintf(out, "    {0x%03x, 0x%08x},\n", list->at[i].offset, list->at[i].value);
    fprintf(out, "};\n");
}

static void write_own(FILE *out, const fw_writes *w) {
    write_list(out, "configure", &w->configure);
    write_list(out, "start", &w->start);
    fputs(w->spans.len ? "static const kernel_span spans[] = {\n" : "", out);
    for (uint32_t i = 0; i < w->spans.len; i++)
        fprintf(out, "    {0x%06x, %u},\n", w->spans.at[i].first, w->spans.at[i].words);
    fprintf(out, "%sconst kernel_writes kernel_own = {configure, start, %u, %u, %s};\n",
            w->spans.len ? "};\n" : "", w->configure.len, w->start.len, w->spans.len ? "spans" : "0");
}

bool fw_write_tables(const fw_placed *images, uint32_t n, const pnr_board *b, const fw_options *o,
                     diagnostics *d) {
    file_out f;
    if (!file_create(&f, arena_printf(d->mem, "%s/app_tables.c", o->folder), d->mem, d))
        return false;
    fprintf(f.stream,
            "/* The kernels for the firmware: streams, masks by GLB tile, and bitstreams.\n"
            " * Generated by onyx; do not edit. */\n"
            "#include \"firmware/registers.h\"\n#include \"firmware/target/%s.h\"\n\n",
            o->functions || o->lists ? "functions" : "kernel");
    if (n) {
        write_all_streams(f.stream, images, n, d->mem);
        write_images(f.stream, images, n);
    } else {
        write_no_kernels(f.stream);
    }
    const uint32_t kernels = n ? write_kernels(f.stream, images, n, d) : 0;
    if (n && !kernels)
        return file_abandon(&f);
    if (o->writes)
        write_own(f.stream, o->writes);
    const char *functions = write_functions(f.stream, o->functions);
    fprintf(f.stream,
            "\nconst kernel_description kernel = {\n%s%s%s"
            "    .images = images,\n    .kernels = kernels,\n    .n_images = %u,\n    .n_kernels = %u,\n"
            "    .stall_mask = 0x%08x,\n    .register_path = %s,\n    .verify = %s,\n    .poll = %s,\n    "
            ".unchecked = %s,\n"
            "    .timeout = %u,\n};\n",
            functions,
            o->lists & FW_LISTS_OF_BF16 ? "    LISTS_OF_BF16,\n"
            : o->lists                  ? "    LISTS_OF_INT16,\n"
            : o->functions              ? "    .call = functions_batch,\n"
                                        : "",
            o->lists & FW_ENTRY_LISTS ? "    LISTS_OF_ENTRIES,\n" : "", n, kernels,
            b->width >= 32 ? UINT32_MAX : (1u << b->width) - 1, o->register_path ? "true" : "false",
            o->verify ? "true" : "false", o->poll ? "true" : "false", o->unchecked ? "true" : "false",
            o->timeout);
    return file_commit(&f, d);
}

/* ---- the bitstream --------------------------------------------------------------------------- */

static uint32_t crc_of(uint32_t crc, uint32_t word) {
    crc = ~crc;
    for (uint32_t bit = 0; bit < 32; bit++) {
        uint32_t out = (crc ^ word >> bit) & 1;
        crc = crc >> 1 ^ (out ? 0xedb88320u : 0);
    }
    return ~crc;
}

void fw_add_up(const pnr_board *b, uint32_t at, const bits_stream *bits, uint32_t sums[FW_IMAGE_SUMS]) {
    uint64_t data = 0, addresses = 0, weight = b->map.cgra_data + at + sizeof(fw_image_header);
    for (uint32_t i = 0; i < bits->words.len; i++) {
        weight += 8;
        data += weight * bits->words.at[i].data;
        addresses += weight * bits->words.at[i].address;
    }
    const uint32_t halves[FW_IMAGE_SUMS] = {(uint32_t)data, (uint32_t)(data >> 32), (uint32_t)addresses,
                                            (uint32_t)(addresses >> 32)};
    memcpy(sums, halves, sizeof halves);
}

uint32_t fw_board_id(const pnr_board *b) {
    const uint32_t what[] = {b->width,     b->height,   b->tracks,        b->mem_period,   b->mem_phase,
                             b->glb_tiles, b->map.sram, b->map.cgra_data, b->map.cgra_reg, b->map.platform};
    uint32_t crc = 0;
    for (size_t i = 0; i < sizeof what / sizeof *what; i++)
        crc = crc_of(crc, what[i]);
    for (const char *c = b->name; *c; c++)
        crc = crc_of(crc, (uint8_t)*c);
    return crc;
}

static fw_image_header header_of(const fw_placed *image) {
    const pnr_board *b = image->of->design->board;
    fw_image_header h = {.magic = FW_IMAGE_MAGIC,
                         .version = FW_IMAGE_VERSION,
                         .board = fw_board_id(b),
                         .words = image->words.words.len};
    fw_add_up(b, image->at, &image->words, h.sums);
    return h;
}

/* The words alone, in the order of their file: their program loads them unchanged. */
static bool write_bare_words(const bits_stream *bits, const char *folder, diagnostics *d) {
    file_out f;
    if (!file_create(&f, arena_printf(d->mem, "%s/app_bitstream.c", folder), d->mem, d))
        return false;
    fprintf(f.stream, "/* The bitstream: data, address. Generated by onyx; do not edit. */\n"
                      "extern const unsigned app_bitstream[];\n"
                      "__attribute__((section(\".bitstream\"), used)) const unsigned app_bitstream[] = {\n");
    for (uint32_t w = 0; w < bits->words.len; w++)
        fprintf(f.stream, "    0x%08x, 0x%08x,\n", bits->words.at[w].data, bits->words.at[w].address);
    fprintf(f.stream, "};\n");
    return file_commit(&f, d);
}

bool fw_write_bitstreams(const fw_placed *images, uint32_t n, const fw_options *o, diagnostics *d) {
    const char *folder = o->folder;
    file_out f;
    if (o->writes)
        return write_bare_words(images->of->bits, folder, d);
    if (!file_create(&f, arena_printf(d->mem, "%s/app_bitstream.c", folder), d->mem, d))
        return false;
    if (!n) {
        fprintf(f.stream,
                "/* There is no bitstream. Generated by onyx; do not edit. */\ntypedef int none;\n");
        return file_commit(&f, d);
    }
    fprintf(f.stream,
            "/* The bitstreams, for the start of the global buffer: each a header (firmware/protocol.h), "
            "then data, address\n"
            " * (register, feature, x, y). Generated by onyx; do not edit. */\n"
            "#include \"firmware/protocol.h\"\n\n"
            "typedef struct {\n");
    for (uint32_t i = 0; i < n; i++)
        fprintf(f.stream, "    fw_image_header header%u;\n    uint32_t words%u[%u];\n", i, i,
                2 * images[i].words.words.len);
    fprintf(f.stream, "} all;\nextern const all app_bitstream;\n"
                      "__attribute__((section(\".bitstream\"), used)) const all app_bitstream = {\n");
    for (uint32_t i = 0; i < n; i++) {
        const fw_image_header h = header_of(&images[i]);
        fprintf(f.stream, "    {0x%08x, %u, 0x%08x, %u, {0x%08x, 0x%08x, 0x%08x, 0x%08x}},\n    {\n", h.magic,
                h.version, h.board, h.words, h.sums[0], h.sums[1], h.sums[2], h.sums[3]);
        for (uint32_t w = 0; w < h.words; w++)
            fprintf(f.stream, "    0x%08x, 0x%08x,\n", images[i].words.words.at[w].data,
                    images[i].words.words.at[w].address);
        fprintf(f.stream, "    },\n");
    }
    fprintf(f.stream, "};\n");
    return file_commit(&f, d);
}
