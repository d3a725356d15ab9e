/* support/: arenas, vectors, names, diagnostics with caret, JSON, random numbers, atomic files. */
#include "support/bf16.h"
#include "support/inputs.h"
#include "support/number.h"
#include "support/poison.h"
#include "tests/support/bf16_products.h"
#include "tests/test.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

/* The product of a pair of significands is that of IEEE 754, or a unit in the last place below: for as many
 * pairs as on the public netlist. */
static void products_of_bf16_are_cut_and_rounded(void **state) {
    (void)state;
    uint32_t lower = 0;
    for (uint32_t n = 0; n < BF16_PRODUCTS; n++) {
        const bf16_case c = bf16_case_at(n);
        assert_int_equal(bf16_product(c.a, c.b), c.chip);
        assert_int_equal(bf16_product(c.a ^ 0x8000, c.b), c.chip | 0x8000);
        assert_true(c.chip == c.ieee || c.chip + 1 == c.ieee);
        lower += c.chip != c.ieee;
    }
    assert_int_equal(lower, BF16_PRODUCTS_LOWER);
    assert_int_equal(bf16_product(0x3f81, 0x3fc1), 0x3fc2);
}

static void arena_hands_out_zeroed_aligned_memory(void **state) {
    fixture *f = *state;
    for (size_t n = 1; n < 100000; n = n * 3 + 1) {
        unsigned char *p = arena_alloc(&f->mem, n);
        assert_int_equal((uintptr_t)p % 16, 0);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(p[i], 0);
        memset(p, 0xff, n);
    }
    assert_string_equal(arena_printf(&f->mem, "%s=%d", "x", 7), "x=7");
    assert_string_equal(arena_printf(&f->mem, "%d%c%d%s%u", INT_MIN, ',', 0, "", UINT_MAX),
                        "-2147483648,04294967295");
    assert_string_equal(arena_printf(&f->mem, "%s%u%%%3d.", "x", 10, 7), "x10%  7.");
    char cut[6];
    assert_int_equal(number_text(cut, sizeof cut, "%s %d", "abc", -42), 7);
    assert_string_equal(cut, "abc -");
    assert_string_equal(arena_strndup(&f->mem, NULL, 0), "");
}

static void vectors_keep_their_elements_while_they_grow(void **state) {
    fixture *f = *state;
    u32_vec v = {0};
    for (uint32_t i = 0; i < 1000; i++)
        vec_push(&f->mem, &v, i * i);
    assert_int_equal(v.len, 1000);
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(v.at[i], i * i);
}

/* The arena's last vector grows in place; a vector followed by another allocation moves. Copies of a vector
 * do not write to each other's room. */
static void vectors_do_not_overlap(void **state) {
    (void)state;
    arena mem = {0};
    u32_vec v = {0}, w = {0}, copy = {0};
    for (uint32_t i = 0; i < 8; i++)
        vec_push(&mem, &v, i);
    const uint32_t *stood = v.at;
    copy = v;
    vec_push(&mem, &v, 8);
    assert_ptr_equal(v.at, stood);
    vec_push(&mem, &copy, 1000);
    for (uint32_t i = 9; i < 300; i++) {
        vec_push(&mem, &v, i);
        vec_push(&mem, &w, ~i);
        assert_int_equal(v.at[v.cap - 1], v.len == v.cap ? i : 0);
    }
    for (uint32_t i = 0; i < 300; i++)
        assert_int_equal(v.at[i], i);
    for (uint32_t i = 9; i < 300; i++)
        assert_int_equal(w.at[i - 9], ~i);
    assert_int_equal(copy.at[8], 1000);
    arena_free(&mem);
}

/* Pages are mapped before use: touching them causes no fault. */
static void arena_asks_for_many_pages_at_once(void **state) {
    (void)state;
    arena mem = {0};
#ifdef MADV_POPULATE_WRITE
    enum { PAGE = 4096, AHEAD = 32 };
    unsigned char resident[AHEAD], *chunk = arena_alloc(&mem, 1 << 20), *p = arena_alloc(&mem, 1);
    assert_ptr_not_equal(p, chunk + (1 << 20)); /* a chunk of 2 MB begins */
    p += PAGE - (uintptr_t)p % PAGE;
    if (madvise(p, PAGE, MADV_POPULATE_WRITE) != 0)
        skip(); /* the kernel is older than Linux 5.14 */
    assert_int_equal(mincore(p, sizeof resident * PAGE, resident), 0);
    for (size_t i = 0; i < sizeof resident; i++)
        assert_true(resident[i] & 1);
#endif
    arena_free(&mem);
}

/* The address sanitizer knows the allocated parts of a chunk: not the bytes between two pieces, nor the
 * rest. */
static void arena_tells_the_sanitizer(void **state) {
    fixture *f = *state;
    arena *mem = &f->mem;
    assert_non_null(mem);
#ifdef ARENA_POISONS
    enum { BYTES = 13, MORE = 40 };
    char *p = arena_alloc(mem, BYTES), *next = arena_alloc(mem, BYTES);
    assert_true(next > p + BYTES);
    assert_null(__asan_region_is_poisoned(p, BYTES));
    for (char *at = p + BYTES; at < next; at++)
        assert_true(__asan_address_is_poisoned(at));
    assert_true(__asan_address_is_poisoned(next + BYTES));
    u32_vec v = {0};
    for (uint32_t i = 0; i < MORE; i++)
        vec_push(mem, &v, i);
    assert_null(__asan_region_is_poisoned(v.at, v.cap * sizeof *v.at));
    assert_true(__asan_address_is_poisoned(v.at + v.cap));
#endif
}

#ifdef ARENA_POISONS
/* Loses a block in a frame below those of later calls: no pointer remains within the stack. */
static void lose(uint32_t depth) {
    if (depth) {
        lose(depth - 1);
    } else {
        void *volatile lost = malloc(1);
        lost = NULL;
        (void)lost;
    }
}
#endif

/* The leak check is left out only if nothing can have leaked. */
static void sanitizer_still_finds_leaks(void **state) {
    (void)state;
#ifdef ARENA_POISONS
    enum { DEPTH = 200 };
    const pid_t child = fork();
    if (!child) {
        arena mem = {0};
        arena_alloc(&mem, 1);
        arena_free(&mem);
        lose(DEPTH);
        const int null = open("/dev/null", O_WRONLY); /* for what is reported */
        dup2(null, STDERR_FILENO);
        exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_not_equal(WEXITSTATUS(status), 0); /* the child's own is 0, a leak's 1 or 23 */
#endif
}

/* Fills arenas in turn with chunks of every kept size, checks that each piece begins with zeros and keeps its
 * contents, and frees them. Returns NULL on success. */
static void *fill_and_free(void *byte) {
    enum { ROUNDS = 50, PIECES = 90, LEAST = 4000 };
    const unsigned char *own = byte;
    for (int round = 0; round < ROUNDS; round++) {
        arena mem = {0};
        unsigned char *piece[PIECES];
        for (size_t i = 0; i < PIECES; i++) {
            piece[i] = arena_alloc(&mem, LEAST + i);
            for (size_t k = 0; k < LEAST + i; k++)
                if (piece[i][k] != 0)
                    return byte;
            memset(piece[i], *own, LEAST + i);
        }
        for (size_t i = 0; i < PIECES; i++)
            for (size_t k = 0; k < LEAST + i; k++)
                if (piece[i][k] != *own)
                    return byte;
        arena_free(&mem);
#ifdef ARENA_POISONS
        if (round == 0 && !__asan_address_is_poisoned(piece[0]))
            return byte;
#endif
    }
    return NULL;
}

/* A chunk serves arenas in turn, in any thread, but never two at once; freed memory is not readable in
 * between. */
static void arenas_share_chunks_in_turn(void **state) {
    (void)state;
    unsigned char byte[] = {0x11, 0x22};
    void *wrong = byte;
    assert_null(fill_and_free(byte));
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, fill_and_free, &byte[1]), 0);
    assert_null(fill_and_free(byte));
    assert_int_equal(pthread_join(other, &wrong), 0);
    assert_null(wrong);
}

static void equal_names_are_equal_handles(void **state) {
    fixture *f = *state;
    name_table names;
    names_init(&names, &f->mem);
    assert_int_equal(names_find(&names, "n7").v, 0);
    char text[16];
    for (int i = 0; i < 500; i++) {
        snprintf(text, sizeof text, "n%d", i);
        assert_int_equal(names_intern(&names, text).v, i + 1);
    }
    for (int i = 0; i < 500; i++) {
        snprintf(text, sizeof text, "n%d", i);
        assert_int_equal(names_intern(&names, text).v, i + 1);
        assert_string_equal(names_text(&names, names_find(&names, text)), text);
    }
    assert_int_equal(names_intern(&names, "").v, 0);
    assert_true(name_eq(names_intern_n(&names, "n12345", 3), names_find(&names, "n12")));
}

/* The first three values for seed 1000, from the published generator. */
static void random_numbers_are_splitmix64(void **state) {
    (void)state;
    prng p = prng_seed(1000);
    assert_true(prng_next(&p) == 0x3c1eba8b4dccc148u);
    assert_true(prng_next(&p) == 0xd07a9d82d4f4bbafu);
    assert_true(prng_next(&p) == 0xc5fe6a1c2fc9b651u);
    for (int i = 0; i < 1000; i++)
        assert_true(prng_below(&p, 7) < 7);
}

static void a_hash_of_pieces_tells_where_they_end(void **state) {
    (void)state;
    uint64_t first = hash_more(hash_more(0, "ab", 2), "c", 1),
             other = hash_more(hash_more(0, "a", 1), "bc", 2);
    assert_true(first == hash_more(hash_more(0, "ab", 2), "c", 1));
    assert_true(first != other && first != hash_more(0, "abc", 3));
    assert_true(hash_more(first, "", 0) != first);
}

static void files_appear_only_when_committed(void **state) {
    fixture *f = *state;
    const char *folder = test_folder(f);
    char *deep = arena_printf(&f->mem, "%s/a/b", folder);
    char *path = arena_printf(&f->mem, "%s/file", deep);
    assert_true(make_folder(deep, &f->diag));
    file_out out;
    assert_true(file_create(&out, path, &f->mem, &f->diag));
    fputs("hello", out.stream);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_true(file_commit(&out, &f->diag));
    size_t length = 0;
    assert_string_equal(file_read(path, &f->mem, &length, &f->diag), "hello");
    assert_int_equal(length, 5);
    file_in in;
    char part[4] = "";
    assert_true(file_open(&in, path, &f->diag));
    assert_true(in.length == 5 && file_take(&in, part, 3) && in.at == 3);
    assert_string_equal(part, "hel");
    assert_false(file_take(&in, part, 3)); /* and nothing is taken */
    assert_true(file_take(&in, part, 2) && memcmp(part, "lo", 2) == 0 && in.at == 5);
    assert_false(file_go(&in, 6));
    assert_true(file_go(&in, 1) && file_take(&in, part, 1) && part[0] == 'e');
    file_close(&in);
    assert_false(file_open(&in, deep, &f->diag));
    assert_non_null(strstr(fixture_printed(f), "Is a directory [E0001-file]"));
    assert_null(file_read(deep, &f->mem, &length, &f->diag));
    assert_non_null(strstr(fixture_printed(f), "E0001-file"));
    remove_folder(folder);
    assert_int_not_equal(access(folder, F_OK), 0);
}

/* A buffering stream forgets the reason of a failed write; the message has the reason. Data lost on a
 * temporarily full disk make the file incomplete, too. */
static void write_plainly(const char *path) {
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_int_equal(fclose(out), 0);
}

/* A file written by another program where an input was: the file system may give it the input's number. */
static void a_removed_input_is_no_other_file(void **state) {
    fixture *f = *state;
    const char *folder = test_folder(f), *path = arena_printf(&f->mem, "%s/input", folder);
    const struct timespec pause = {.tv_nsec = 20000000}; /* times of birth have steps of some milliseconds */
    for (int i = 0; i < 4; i++) {
        nanosleep(&pause, NULL);
        write_plainly(path);
        assert_true(inputs_spared(&f->diag, path));
        inputs_note(&f->diag, path);
        assert_false(inputs_spared(&f->diag, path));
        assert_non_null(strstr(fixture_printed(f), "E0008-overwrites"));
        assert_int_equal(remove(path), 0);
    }
    remove_folder(folder);
}

static void a_write_that_failed_says_why(void **state) {
    fixture *f = *state;
    const char *folder = test_folder(f);
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 1000;
    signal(SIGXFSZ, SIG_IGN);
    for (int room_again = 0; room_again < 2; room_again++) {
        file_out out;
        assert_true(file_create(&out, arena_printf(&f->mem, "%s/file", folder), &f->mem, &f->diag));
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        for (int i = 0; i < 100000; i++)
            fputs("words\n", out.stream);
        if (room_again)
            assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        bool committed = file_commit(&out, &f->diag);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_false(committed);
        assert_int_equal(f->diag.errors, 1 + room_again);
        assert_non_null(strstr(fixture_printed(f), "/file': File too large [E0004-write]"));
    }
    assert_int_equal(rmdir(folder), 0); /* nothing is left in it */
}

static void a_folder_is_taken_once(void **state) {
    fixture *f = *state;
    const char *folder = test_folder(f);
    int first, second;
    assert_true(folder_take(folder, &f->diag, &first));
    assert_false(folder_take(folder, &f->diag, &second));
    assert_non_null(strstr(fixture_printed(f), "[E0007-in-use]"));
    close(first);
    assert_true(folder_take(folder, &f->diag, &second));
    close(second);
    assert_int_equal(rmdir(folder), 0);
}

static void a_folder_has_a_name(void **state) {
    fixture *f = *state;
    assert_false(make_folder("", &f->diag));
    assert_non_null(
        strstr(fixture_printed(f), "cannot make folder '': No such file or directory [E0004-write]"));
}

static const char *text_of(fixture *f, const char *path, const char *bytes, size_t n, size_t *length) {
    file_out out;
    assert_true(file_create(&out, path, &f->mem, &f->diag));
    fwrite(bytes, 1, n, out.stream);
    assert_true(file_commit(&out, &f->diag));
    return text_read(path, &f->mem, length, &f->diag);
}

static void a_text_has_no_byte_order_mark(void **state) {
    fixture *f = *state;
    const char *folder = test_folder(f);
    const char *path = arena_printf(&f->mem, "%s/a.txt", folder);
    size_t length = 0;
    assert_string_equal(text_of(f, path, "\xef\xbb\xbfone\r\n", 8, &length), "one\r\n");
    assert_int_equal(length, 5);
    assert_string_equal(text_of(f, path, "\xef\xbb\xbf", 3, &length), "");
    assert_int_equal(length, 0);
    assert_string_equal(text_of(f, path, "\xef\xbb", 2, &length), "\xef\xbb");
    assert_string_equal(text_of(f, path, "", 0, &length), "");
    assert_false(diag_failed(&f->diag));
    assert_null(text_of(f, path, "\xff\xfeo\0", 4, &length));
    assert_non_null(strstr(fixture_printed(f), "a.txt:1:1: error: the text is in UTF-16 [E0006-encoding]"));
    assert_null(text_of(f, path, "\xfe\xff\0o", 4, &length));
    assert_int_equal(f->diag.errors, 2);
    remove_folder(folder);
}

static void a_carriage_return_ends_no_printed_line(void **state) {
    fixture *f = *state;
    uint32_t source = diag_add_source(&f->diag, "a.tns", "1 x\r\n2 3\r\n", 10);
    diag_error(&f->diag, src_at(source, 2, 1), "E0302-number", "no number");
    assert_non_null(strstr(fixture_printed(f), "\n    1 x\n      ^\n"));
}

static void a_removed_folder_spares_what_its_links_lead_to(void **state) {
    fixture *f = *state;
    const char *folder = test_folder(f);
    char *inside = arena_printf(&f->mem, "%s/inside", folder),
         *kept = arena_printf(&f->mem, "%s/kept", folder);
    assert_true(make_folder(inside, &f->diag) && make_folder(kept, &f->diag));
    assert_int_equal(symlink(kept, arena_printf(&f->mem, "%s/link", inside)), 0);
    remove_folder(inside);
    assert_int_not_equal(access(inside, F_OK), 0);
    assert_int_equal(access(kept, F_OK), 0);
    remove_folder(inside);
    remove_folder(folder);
    assert_int_not_equal(access(folder, F_OK), 0);
}

static void the_end_of_a_text_is_whole_lines(void **state) {
    const char *text = "one\ntwo\nthree\n";
    (void)state;
    assert_string_equal(text_tail(text, strlen(text), 2), "two\nthree\n");
    assert_string_equal(text_tail(text, strlen(text), 3), text);
    assert_string_equal(text_tail(text, strlen(text), 9), text);
    assert_string_equal(text_tail("", 0, 2), "");
}

static void what_may_be_missing_is_read_without_a_word(void **state) {
    fixture *f = *state;
    const char *folder = test_folder(f);
    const char *path = arena_printf(&f->mem, "%s/log", folder);
    size_t length = 0;
    assert_null(file_read_if_there(path, &f->mem, &length));
    text_of(f, path, "one\ntwo\n", 8, &length);
    assert_string_equal(file_read_if_there(path, &f->mem, &length), "one\ntwo\n");
    assert_int_equal(f->diag.list.len, 0);
    remove_folder(folder);
}

static void programs_report_how_they_ended(void **state) {
    fixture *f = *state;
    const char *folder = test_folder(f), *log = arena_printf(&f->mem, "%s/log", folder);
    size_t length = 0;
    assert_int_equal(program_run((const char *const[]){"sh", "-c", "echo out; echo err >&2", NULL}, log), 0);
    assert_int_equal(program_run((const char *const[]){"sh", "-c", "exit 7", NULL}, log), 7);
    assert_int_equal(program_run((const char *const[]){"sh", "-c", "kill -TERM $$", NULL}, log), -15);
    assert_string_equal(file_read(log, &f->mem, &length, &f->diag), "out\nerr\n");
    assert_int_equal(program_run((const char *const[]){"onyx-no-such-program", NULL}, log), PROGRAM_MISSING);
    assert_non_null(strstr(file_read(log, &f->mem, &length, &f->diag), "onyx-no-such-program: No such file"));
    remove_folder(folder);
}

static volatile sig_atomic_t interrupts;

static void count_interrupt(int signal) {
    interrupts += (sig_atomic_t)(signal == SIGINT);
}

/* A child that swallows the signal, as wrappers do, one ended by the signal, and one that ignores it; each
 * sends the signal to this program, whose own handler must see no signal during the child's run, and must see
 * it afterwards. */
static void an_interruption_ends_the_wait(void **state) {
    struct sigaction now = {.sa_handler = count_interrupt}, before, after;
    assert_int_equal(sigaction(SIGINT, &now, &before), 0);
    (void)state;
    assert_int_equal(program_run((const char *const[]){"sh", "-c", "kill -INT $$", NULL}, "/dev/null"),
                     -SIGINT);
    assert_int_equal(
        program_run((const char *const[]){"sh", "-c", "kill -INT $PPID; exec sleep 100", NULL}, "/dev/null"),
        -SIGINT);
    assert_int_equal(program_run((const char *const[]){"sh", "-c",
                                                       "trap 'exit 3' INT; kill -INT $PPID; "
                                                       "while :; do sleep 0.01; done",
                                                       NULL},
                                 "/dev/null"),
                     -SIGINT);
    assert_int_equal(program_run((const char *const[]){"sh", "-c", "kill -INT $PPID", NULL}, "/dev/null"),
                     -SIGINT);
    assert_int_equal(program_run((const char *const[]){"sh", "-c",
                                                       "trap '' INT; kill -INT $PPID; "
                                                       "exec sleep 100",
                                                       NULL},
                                 "/dev/null"),
                     -SIGINT);
    assert_int_equal(interrupts, 0);
    raise(SIGINT);
    assert_int_equal(interrupts, 1);
    now.sa_handler = SIG_IGN;
    assert_int_equal(sigaction(SIGINT, &now, &after), 0);
    assert_true(after.sa_handler == count_interrupt);
    assert_int_equal(program_run((const char *const[]){"sh", "-c", "kill -INT $PPID", NULL}, "/dev/null"), 0);
    sigaction(SIGINT, &before, NULL);
}

static void a_log_has_a_line_that_says_what_went_wrong(void **state) {
    fixture *f = *state;
    char folder[] = "/tmp/onyx-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    const char *path = arena_printf(&f->mem, "%s/log", folder);
    const struct {
        const char *text, *line;
    } logs[] = {{"a: note: b\nc: error: d\ne: error: f\n", "c: error: d"},
                {"error: d", "error: d"},
                {"a\nb\n", "a"},
                {"", ""}};
    assert_string_equal(file_error_line(path, &f->mem), "");
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
        file_out out;
        assert_true(file_create(&out, path, &f->mem, &f->diag));
        fputs(logs[i].text, out.stream);
        assert_true(file_commit(&out, &f->diag));
        assert_string_equal(file_error_line(path, &f->mem), logs[i].line);
    }
    remove_folder(folder);
}

static double monotonic(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void seconds_are_those_of_the_clock(void **state) {
    const struct timespec pause = {.tv_nsec = 120000000};
    (void)state;
    double outside = monotonic(), begin = seconds_now();
    nanosleep(&pause, NULL);
    double slept = seconds_now() - begin;
    outside = monotonic() - outside;
    assert_true(slept >= 0.12 && slept <= outside);
}

RUN_TESTS(TEST(products_of_bf16_are_cut_and_rounded), TEST(arena_hands_out_zeroed_aligned_memory),
          TEST(arena_asks_for_many_pages_at_once), TEST(arena_tells_the_sanitizer),
          TEST(sanitizer_still_finds_leaks), TEST(arenas_share_chunks_in_turn),
          TEST(vectors_keep_their_elements_while_they_grow), TEST(vectors_do_not_overlap),
          TEST(equal_names_are_equal_handles), TEST(random_numbers_are_splitmix64),
          TEST(a_hash_of_pieces_tells_where_they_end), TEST(files_appear_only_when_committed),
          TEST(a_removed_input_is_no_other_file), TEST(a_write_that_failed_says_why),
          TEST(a_folder_is_taken_once), TEST(a_folder_has_a_name), TEST(a_text_has_no_byte_order_mark),
          TEST(a_carriage_return_ends_no_printed_line), TEST(a_removed_folder_spares_what_its_links_lead_to),
          TEST(the_end_of_a_text_is_whole_lines), TEST(what_may_be_missing_is_read_without_a_word),
          TEST(programs_report_how_they_ended), TEST(an_interruption_ends_the_wait),
          TEST(a_log_has_a_line_that_says_what_went_wrong), TEST(seconds_are_those_of_the_clock))
