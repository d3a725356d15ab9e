/* fills.c - fills in files, and tensors with every value stored. */
#include "tiling/fills.h"
#include "support/number.h"
#include "tiling/containers.h"

#include <ctype.h>
#include <math.h>
#include <sys/stat.h>

static const char fill_said[] = " fill ", scale_said[] = " scale ";

void tile_write_comments(const tile_tensor *t, tile_dtype dtype, char comment, FILE *out) {
    if (t->fill)
        number_print(out, "%c%s%.*g: the value of what is not stored here\n", comment, fill_said,
                     t->scale ? TILE_SCALED_DIGITS : 9, ldexp(tile_to_double(dtype, t->fill), -t->scale));
    if (t->scale)
        fprintf(out, "%c%s%d: values are whole numbers times 2^%d\n", comment, scale_said, t->scale,
                -t->scale);
}

/* Returns the number behind " fill " or " scale " in a line of comment. */
static const char *number_of_line(const char *line, const char *said, arena *mem) {
    const size_t n = strlen(said);
    const bool comment = (line[0] == '%' || line[0] == '#') && strncmp(line + 1, said, n) == 0;
    const char *number = line + 1 + n;
    size_t length = 0;
    while (comment && number[length] && number[length] != ':' && !isspace((unsigned char)number[length]))
        length++;
    return length && number[length] == ':' ? arena_strndup(mem, number, length) : NULL;
}

/* Opens the text of a file; NULL for other files. A pipe gives each byte to a single reader, and the reader
 * of the entries needs all bytes. */
static FILE *open_text(const char *path, arena *mem) {
    const bool packed = text_ends_with(path, ".mtx.gz") || text_ends_with(path, ".tns.gz");
    diagnostics quiet;
    struct stat info;
    size_t length = 0;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return NULL;
    if (!packed)
        return text_ends_with(path, ".mtx") || text_ends_with(path, ".tns") ? fopen(path, "r") : NULL;
    diag_init(&quiet, mem);
    const char *text = file_read(path, mem, &length, &quiet);
    tile_bytes bytes = {path, (const uint8_t *)text, length};
    if (!text || !tile_gunzip(bytes, mem, &quiet, &bytes) || !bytes.length)
        return NULL;
    return fmemopen((void *)(uintptr_t)bytes.at, bytes.length, "r");
}

/* Returns what a comment at the file's beginning says. */
static const char *stated(const char *path, const char *said, arena *mem) {
    enum { LINE = 256 };
    arena scratch = {0};
    const char *number = NULL;
    FILE *in = open_text(path, &scratch);
    char line[LINE];
    while (in && !number && fgets(line, sizeof line, in) && (*line == '%' || *line == '#'))
        number = number_of_line(line, said, mem);
    if (in)
        fclose(in);
    arena_free(&scratch);
    return number;
}

const char *tile_stated_fill(const char *path, arena *mem) {
    return stated(path, fill_said, mem);
}

const char *tile_stated_scale(const char *path, arena *mem) {
    return stated(path, scale_said, mem);
}

void tile_store_fill(tile_tensor *t, arena *mem) {
    const uint64_t most = UINT64_C(1) << 26;
    uint64_t cells = 1, e = 0;
    for (uint32_t m = 0; m < t->order && cells <= most; m++)
        cells *= t->dim[m];
    if (!t->fill || cells > most)
        return;
    uint32_t *crd = arena_new_n(mem, uint32_t, cells * t->order + 1);
    uint16_t *val = arena_new_n(mem, uint16_t, cells + 1);
    for (uint64_t cell = 0; cell < cells; cell++) {
        uint32_t *at = crd + cell * t->order;
        uint64_t rest = cell;
        for (uint32_t m = t->order; m-- > 0; rest /= t->dim[m])
            at[m] = (uint32_t)(rest % t->dim[m]);
        const bool stored =
            e < t->nnz && (!t->order || memcmp(at, t->crd + e * t->order, t->order * sizeof *at) == 0);
        val[cell] = stored ? t->val[e] : t->fill;
        e += stored;
    }
    t->nnz = cells;
    t->crd = crd;
    t->val = val;
}
