/* Runs a harness over kept inputs: every file named, and every file of every folder named. With -seconds=N it
 * then changes them at random for so long: blind, unlike libFuzzer, but with any compiler. The same changes
 * come in the same order every time; an input that stops the program is left in crash.input of the current
 * folder. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

typedef struct {
    const uint8_t *bytes;
    size_t length;
} kept_input;
typedef VEC(kept_input) input_vec;

static void read_file(const char *path, arena *mem, input_vec *inputs) {
    diagnostics d;
    size_t length = 0;
    diag_init(&d, mem);
    const char *text = file_read(path, mem, &length, &d);
    if (text)
        vec_push(mem, inputs, (kept_input){(const uint8_t *)text, length});
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void read_folder(const char *path, arena *mem, input_vec *inputs) {
    struct dirent **entries = NULL;
    int count = scandir(path, &entries, NULL, by_name);
    if (count < 0)
        read_file(path, mem, inputs);
    for (int i = 0; i < count; i++) {
        if (entries[i]->d_name[0] != '.')
            read_file(arena_printf(mem, "%s/%s", path, entries[i]->d_name), mem, inputs);
        free(entries[i]);
    }
    free(entries);
}

/* ---- changes --------------------------------------------------------------------------------- */

enum { MOST_BYTES = 1 << 14 };
static kept_input current; /* for the signal's handler */
static const char *crash;

static void leave_input(int signal) {
    int file = open(crash, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0 || write(file, current.bytes, current.length) != (ssize_t)current.length)
        _exit(128 + signal);
    close(file);
}

/* One change of the bytes; the new length. */
static size_t change(prng *p, uint8_t *bytes, size_t length, const input_vec *inputs) {
    static const char *const words[] = {"0", "-1", "65536", "4294967295", "\n", " ", "\0", "\xff"};
    uint32_t at = prng_below(p, (uint32_t)length + 1), n = 1 + prng_below(p, 16);
    if (at + n > length)
        n = (uint32_t)length - at;
    const kept_input *other = &inputs->at[prng_below(p, inputs->len)];
    uint32_t from = prng_below(p, (uint32_t)other->length + 1);
    size_t room = MOST_BYTES - length, more = other->length - from;
    switch (prng_below(p, 5)) {
    case 0: /* a bit */
        if (at < length)
            bytes[at] ^= (uint8_t)(1u << prng_below(p, 8));
        return length;
    case 1: /* a byte */
        if (at < length)
            bytes[at] = (uint8_t)prng_next(p);
        return length;
    case 2: /* less */
        memmove(bytes + at, bytes + at + n, length - at - n);
        return length - n;
    case 3: { /* a word */
        const char *word = words[prng_below(p, sizeof words / sizeof *words)];
        more = *word ? strlen(word) : 1;
        if (more > room)
            return length;
        memmove(bytes + at + more, bytes + at, length - at);
        memcpy(bytes + at, word, more);
        return length + more;
    }
    default: /* some of another input */
        more = more < 40 ? more : 40;
        more = more < room ? more : room;
        memmove(bytes + at + more, bytes + at, length - at);
        memcpy(bytes + at, other->bytes + from, more);
        return length + more;
    }
}

static uint64_t run_changed(const input_vec *inputs, uint64_t seed, uint64_t least, double seconds) {
    static uint8_t bytes[MOST_BYTES];
    prng p = prng_seed(seed);
    uint64_t runs = 0;
    signal(SIGABRT, leave_input);
    for (double end = seconds_now() + seconds; runs < least || seconds_now() < end; runs++) {
        const kept_input *from = &inputs->at[prng_below(&p, inputs->len)];
        size_t length = from->length < MOST_BYTES ? from->length : MOST_BYTES;
        memcpy(bytes, from->bytes, length);
        for (uint32_t changes = 1 + prng_below(&p, 4); changes; changes--)
            length = change(&p, bytes, length, inputs);
        current = (kept_input){bytes, length};
        LLVMFuzzerTestOneInput(bytes, length);
        seen_case(&fuzz_seen);
    }
    return runs;
}

int main(int argc, char **argv) {
    arena mem = {0};
    input_vec inputs = {0};
    uint64_t changes = 0;
    double seconds = 0, start = seconds_now();
    crash = arena_printf(&mem, "%s.crash", argv[0]);
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "-seconds=", 9) == 0)
            seconds = strtod(argv[i] + 9, NULL);
        else if (strncmp(argv[i], "-changes=", 9) == 0)
            changes = strtoull(argv[i] + 9, NULL, 10);
        else
            read_folder(argv[i], &mem, &inputs);
    }
    seen_begin(&fuzz_seen);
    for (uint32_t i = 0; i < inputs.len; i++) {
        LLVMFuzzerTestOneInput(inputs.at[i].bytes, inputs.at[i].length);
        seen_case(&fuzz_seen);
    }
    uint64_t changed = inputs.len ? run_changed(&inputs, 1, changes, 0) : 0;
    const bool same = seen_same(&fuzz_seen);
    changed += inputs.len && seconds > 0 ? run_changed(&inputs, 2, 0, seconds - seconds_now() + start) : 0;
    printf("%u inputs, %llu changed\n", inputs.len, (unsigned long long)changed);
    arena_free(&mem);
    return inputs.len == 0 || !same;
}
