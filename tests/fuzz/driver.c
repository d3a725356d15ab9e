/* Runs a harness over kept inputs: every file named, and every file of every folder named. With -seconds=N
 * the driver afterwards changes the inputs at random for N seconds: blind, unlike libFuzzer, but with any
 * compiler. Two changes of three are gentle changes of accepted inputs; a tenth of all must be accepted
 * (quota.h). The same changes come in the same order every time; crash.input of the current folder keeps an
 * input that stops the program. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"
#include "tests/quota.h"

typedef struct {
    const uint8_t *bytes;
    size_t length;
    bool accepted; /* as it is kept */
} kept_input;
typedef VEC(kept_input) input_vec;

static void read_file(const char *path, arena *mem, input_vec *inputs) {
    diagnostics d;
    size_t length = 0;
    diag_init(&d, mem);
    const char *text = file_read(path, mem, &length, &d);
    if (text)
        vec_push(mem, inputs, (kept_input){(const uint8_t *)text, length, false});
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

/* Changes the bytes; returns the new length. */
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

static size_t line_at(const uint8_t *bytes, size_t length, size_t at, size_t *end) {
    while (at && bytes[at - 1] != '\n')
        at--;
    for (*end = at; *end < length && bytes[*end] != '\n';)
        ++*end;
    *end += *end < length;
    return at;
}

/* Drops a line or repeats it; returns the new length. */
static size_t change_line(uint8_t *bytes, size_t length, size_t at, bool twice) {
    size_t end = 0;
    const size_t begin = line_at(bytes, length, at, &end), n = end - begin;
    twice = twice && length + n <= MOST_BYTES;
    memmove(bytes + (twice ? end : begin), bytes + (twice ? begin : end), length - (twice ? begin : end));
    return twice ? length + n : length - n;
}

/* A change that a reader may accept: of a bit, in binary files after the head; of a whole line; of a digit.
 * Returns the new length. */
static size_t change_gently(prng *p, uint8_t *bytes, size_t length) {
    const bool binary = length && memchr(bytes, 0, length);
    const uint32_t how = prng_below(p, 8);
    size_t at = length ? prng_below(p, (uint32_t)length) : 0;
    if (!length)
        return 0;
    if (how == 1 || how == 2)
        return change_line(bytes, length, at, how == 2);
    for (uint32_t tries = 0; how > (binary ? 6 : 2) && tries < 200; tries++) {
        if (bytes[at] >= '0' && bytes[at] <= '9') {
            bytes[at] = (uint8_t)('0' + prng_below(p, 10));
            return length;
        }
        at = prng_below(p, (uint32_t)length);
    }
    at = binary ? length / 2 + at / 2 : at;
    bytes[at] ^= (uint8_t)(1u << prng_below(p, 8));
    return length;
}

/* Chooses an input: an accepted input for a gentle change, if available, otherwise any. */
static const kept_input *choose(prng *p, const input_vec *inputs, bool gentle) {
    const uint32_t first = prng_below(p, inputs->len);
    for (uint32_t i = 0; gentle && i < inputs->len; i++) {
        const kept_input *one = &inputs->at[(first + i) % inputs->len];
        if (one->accepted)
            return one;
    }
    return &inputs->at[first];
}

static uint64_t run_changed(const input_vec *inputs, uint64_t seed, uint64_t least, double seconds,
                            quota *shares) {
    static uint8_t bytes[MOST_BYTES];
    prng p = prng_seed(seed);
    uint64_t runs = 0;
    signal(SIGABRT, leave_input);
    for (double end = seconds_now() + seconds; runs < least || seconds_now() < end; runs++) {
        const bool gentle = runs % 3;
        const kept_input *from = choose(&p, inputs, gentle);
        size_t length = from->length < MOST_BYTES ? from->length : MOST_BYTES;
        memcpy(bytes, from->bytes, length);
        for (uint32_t changes = gentle ? 0 : 1 + prng_below(&p, 4); changes; changes--)
            length = change(&p, bytes, length, inputs);
        if (gentle)
            length = change_gently(&p, bytes, length);
        current = (kept_input){bytes, length, false};
        fuzz_accepted = FUZZ_UNASKED;
        LLVMFuzzerTestOneInput(bytes, length);
        quota_add(shares, fuzz_accepted == FUZZ_ACCEPTED, false);
        seen_case(&fuzz_seen);
    }
    return runs;
}

int main(int argc, char **argv) {
    arena mem = {0};
    input_vec inputs = {0};
    uint64_t changes = 0;
    quota shares = {0};
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
        fuzz_accepted = FUZZ_UNASKED;
        LLVMFuzzerTestOneInput(inputs.at[i].bytes, inputs.at[i].length);
        inputs.at[i].accepted = fuzz_accepted == FUZZ_ACCEPTED;
        seen_case(&fuzz_seen);
    }
    uint64_t changed = inputs.len ? run_changed(&inputs, 1, changes, 0, &shares) : 0;
    const bool same = seen_same(&fuzz_seen);
    changed +=
        inputs.len && seconds > 0 ? run_changed(&inputs, 2, 0, seconds - seconds_now() + start, &shares) : 0;
    printf("%u inputs, %llu changed\n", inputs.len, (unsigned long long)changed);
    arena_free(&mem);
    return quota_failed(&shares) || inputs.len == 0 || !same;
}
