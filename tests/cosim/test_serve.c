/* test_serve.c - the sockets of onyx-cosim --jtag: remote_bitbang, the back door, client after client.
 */
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>

#include "firmware/cosim_interface.h"
#include "rtl_models/soc/serve.h"
#include "tests/test.h"

typedef struct {
    const char *folder, *jtag, *door;
    pid_t process;
    pnr_board board;
} bench;

static int connect_to(const char *path) {
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    snprintf(a.sun_path, sizeof a.sun_path, "%s", path);
    for (int i = 0; i < 500; i++) { /* it may not listen yet */
        int s = socket(AF_UNIX, SOCK_STREAM, 0);
        if (connect(s, (struct sockaddr *)&a, sizeof a) == 0)
            return s;
        close(s);
        nanosleep(&(const struct timespec){.tv_nsec = 10000000}, NULL);
    }
    fail_msg("nobody listens on %s", path);
    return -1;
}

static bench *bench_new(fixture *f) {
    bench *b = arena_new(&f->mem, bench);
    b->folder = test_folder(f);
    b->jtag = arena_printf(&f->mem, "%s/jtag", b->folder);
    b->door = arena_printf(&f->mem, "%s/door", b->folder);
    assert_true(pnr_board_read("onyx-cosim", &f->mem, &f->diag, &b->board));
    b->process = fork();
    if (b->process == 0) {
        const cosim_serve_options o = {.jtag = b->jtag, .back_door = b->door};
        _exit(cosim_serve(&o, &b->board, &f->mem, &f->diag));
    }
    return b;
}

static void end(bench *b) {
    int status;
    kill(b->process, SIGTERM);
    assert_int_equal(waitpid(b->process, &status, 0), b->process);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == COSIM_OK);
    assert_int_not_equal(access(b->jtag, F_OK), 0);
    assert_int_not_equal(access(b->door, F_OK), 0);
    remove_folder(b->folder);
    pnr_board_free(&b->board);
}

static void ask(int s, const char *text, size_t length) {
    assert_int_equal(send(s, text, length, MSG_NOSIGNAL), length);
}
static void answer(int s, const char *want, size_t length) {
    char got[256];
    assert_int_equal(recv(s, got, length, MSG_WAITALL), length);
    assert_memory_equal(got, want, length);
}
static void hung_up(int s) {
    char one;
    assert_true(recv(s, &one, 1, 0) <= 0);
    close(s);
}
#define ASK(s, text) ask(s, text, sizeof(text) - 1)
#define ANSWER(s, text) answer(s, text, sizeof(text) - 1)

/* Five ones reset; to Shift-DR; 32 times TDO and a clock. */
static uint32_t read_idcode(int s) {
    char bits[32];
    uint32_t id = 0;
    ASK(s, "2626262626"
           "04"
           "2604"
           "04");
    for (int i = 0; i < 32; i++)
        ASK(s, "R04");
    assert_int_equal(recv(s, bits, sizeof bits, MSG_WAITALL), sizeof bits);
    for (int i = 0; i < 32; i++)
        id |= (uint32_t)(bits[i] == '1') << i;
    return id;
}

static void test_bitbang(void **state) {
    bench *b = bench_new(*state);
    int s = connect_to(b->jtag);
    assert_int_equal(read_idcode(s), 0x4BA00477);
    int second = connect_to(b->jtag); /* waits */
    assert_int_equal(read_idcode(s), 0x4BA00477);
    ASK(s, "Q");
    hung_up(s);
    assert_int_equal(read_idcode(second), 0x4BA00477);
    close(second);
    s = connect_to(b->jtag);
    assert_int_equal(read_idcode(s), 0x4BA00477);
    ASK(s, "tr0"); /* TRST on and off; TCK low */
    close(s);
    s = connect_to(b->jtag);
    assert_int_equal(read_idcode(s), 0x4BA00477);
    close(s);
    end(b);
}

static void test_back_door(void **state) {
    fixture *f = *state;
    bench *b = bench_new(f);
    int s = connect_to(b->door);
    ASK(s, "write 0x20400001 6\nsparse");
    ANSWER(s, "ok\n");
    ASK(s, "read 0x20400000 8\n");
    ANSWER(s, "ok\n\0sparse\0");
    ASK(s, "write 0x20001000 4\nabcdread 0x20001002 2\n"); /* two at once */
    ANSWER(s, "ok\nok\ncd");
    ASK(s, "write 0x30000000 3\nabc"); /* no memory: refused, and the next request is understood */
    ANSWER(s, "no: not inside a memory\n");
    ASK(s, "read 0x207fffff 2\n"); /* over the end of the buffer */
    ANSWER(s, "no: not inside a memory\n");
    ASK(s, "read 0x207fffff 1\n");
    ANSWER(s, "ok\n\0");
    /* More than is moved at once. */
    size_t bytes = 300000;
    char *block = arena_alloc(&f->mem, bytes), *back = arena_alloc(&f->mem, bytes);
    for (size_t i = 0; i < bytes; i++)
        block[i] = (char)(i * 7 ^ i >> 8);
    ASK(s, "write 0x20400100 300000\n");
    for (size_t done = 0; done < bytes;)
        done += (size_t)send(s, block + done, bytes - done, MSG_NOSIGNAL);
    ANSWER(s, "ok\n");
    ASK(s, "read 0x20400100 300000\n");
    ANSWER(s, "ok\n");
    assert_int_equal(recv(s, back, bytes, MSG_WAITALL), bytes);
    assert_memory_equal(block, back, bytes);
    ASK(s, "collisions\n");
    ANSWER(s, "ok\n");
    ASK(s, COSIM_INTERFACE "\n");
    ANSWER(s, "ok\n");
    ASK(s, "peek 0x20400000 4\n");
    ANSWER(s, "no: write ADDRESS BYTES, read ADDRESS BYTES, or collisions\n");
    hung_up(s);
    end(b);
}

/* SIGTERM ends the server although the client takes none of its answers. */
static void test_a_client_that_does_not_listen(void **state) {
    bench *b = bench_new(*state);
    int s = connect_to(b->jtag);
    char questions[4096];
    memset(questions, 'R', sizeof questions);
    for (int quiet = 0; quiet < 20;) {
        if (send(s, questions, sizeof questions, MSG_NOSIGNAL | MSG_DONTWAIT) > 0)
            quiet = 0;
        else
            quiet++;
        nanosleep(&(const struct timespec){.tv_nsec = 1000000}, NULL);
    }
    end(b);
    close(s);
}

static void test_a_socket_that_cannot_be(void **state) {
    fixture *f = *state;
    pnr_board board;
    assert_true(pnr_board_read("onyx-cosim", &f->mem, &f->diag, &board));
    const cosim_serve_options o = {.jtag = "/no/such/folder/jtag"}, inherited = {.jtag = "fd:999"};
    assert_int_equal(cosim_serve(&o, &board, &f->mem, &f->diag), COSIM_USAGE);
    assert_int_equal(cosim_serve(&inherited, &board, &f->mem, &f->diag), COSIM_USAGE);
    const char *printed = fixture_printed(f);
    assert_non_null(strstr(printed, "cannot listen on '/no/such/folder/jtag': No such file or directory "
                                    "[E0754-socket]"));
    assert_non_null(strstr(printed, "cannot listen on 'fd:999': Bad file descriptor [E0754-socket]"));
    pnr_board_free(&board);
}

RUN_TESTS(TEST(test_bitbang), TEST(test_back_door), TEST(test_a_client_that_does_not_listen),
          TEST(test_a_socket_that_cannot_be))
