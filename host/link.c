/* The link to a board: OpenOCD and, where the board is simulated, the simulation. */
#define _GNU_SOURCE /* O_PATH */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "firmware/controller.h"
#include "firmware/cosim_interface.h"
#include "firmware/registers.h"
#include "host/child.h"
#include "host/ready.h"
#include "host/tcl.h"
#include "support/inputs.h"

enum { END_OF_MESSAGE = 0x1A, REPLY_SECONDS = 60 };
enum { FEW_WORDS = 32 };
#define IR_IDCODE "0xe"
#define TAP "onyx.cpu"

volatile sig_atomic_t host_interrupted;
static void on_signal(int number) {
    (void)number;
    host_interrupted = 1;
}

/* ---- errors -------------------------------------------------------------------------------- */

/* Adds the last lines of a log as a hint. */
static void hint_log(host_link *l, const char *name) {
    size_t length = 0;
    const char *text = file_read_if_there(arena_printf(l->mem, "%s/%s", l->folder, name), l->mem, &length);
    if (!text || !length)
        return;
    const char *last = text_tail(text, length, 6), *error = strstr(text, "Error: ");
    /* The line with the error may precede a long list; the error's line is shown all the same. */
    bool earlier = error && error < last;
    diag_hint(l->d, "the end of %s/%s:\n%.*s%s%s", l->folder, name, earlier ? (int)strcspn(error, "\n") : 0,
              earlier ? error : "", earlier ? "\n...\n" : "", last);
}

void host_note_kept(host_link *l) {
    diag_note(l->d, (src_loc){0}, "finished batches are kept: the same command goes on after them");
}

static bool lost(host_link *l, host_child *c, const char *program, const char *log) {
    diag_error(l->d, (src_loc){0}, "E0782-link-lost", "the link to board '%s' is lost: %s %s", l->board->name,
               program, host_child_fate(c, l->mem));
    hint_log(l, log);
    host_note_kept(l);
    return false;
}

/* The end of either program is often seen by the other program before the system reports the end, and may end
 * the other program, too: waits up to two seconds for an end, and a little longer for the program that ended
 * first. */
static void wait_for_an_end(host_link *l) {
    const struct timespec pause = {.tv_nsec = 200000000};
    bool ended = !l->cosim.pid && !l->openocd.pid;
    for (int i = 0; i < 10 && !ended; i++) {
        ended = (l->cosim.pid && !host_child_alive(&l->cosim)) || !host_child_alive(&l->openocd);
        nanosleep(&pause, NULL);
    }
}

/* Reports a missing answer, or an error in place of the answer, and finds the program that ended. */
static bool no_answer(host_link *l, const char *what) {
    if (host_interrupted)
        return false;
    wait_for_an_end(l);
    if (l->cosim.pid && !host_child_alive(&l->cosim))
        return lost(l, &l->cosim, "onyx-cosim", "cosim.log");
    if (!host_child_alive(&l->openocd))
        return lost(l, &l->openocd, "openocd", "openocd.log");
    diag_error(l->d, (src_loc){0}, "E0783-no-answer", "board '%s' does not answer: %s", l->board->name, what);
    hint_log(l, "openocd.log");
    host_note_kept(l);
    return false;
}

/* ---- Tcl RPC --------------------------------------------------------------------------------- */

static bool send_all(int s, const void *from, size_t bytes) {
    for (size_t done = 0; done < bytes;) {
        ssize_t n = send(s, (const char *)from + done, bytes - done, MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR)
            return false;
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* Receives part of a reply within a second; returns 0 at the end of the stream, -1 without data. */
static ssize_t receive(int s, void *to, size_t bytes) {
    struct pollfd p = {s, POLLIN, 0};
    int n = poll(&p, 1, 1000);
    return n > 0 ? recv(s, to, bytes, 0) : n < 0 && errno != EINTR ? 0 : -1;
}

/* Receives up to the end of the message; returns NULL if the end does not come. */
static char *receive_message(host_link *l) {
    double limit = seconds_now() + REPLY_SECONDS;
    l->reply.len = 0;
    while (seconds_now() < limit && !host_interrupted) {
        char chunk[4096];
        ssize_t n = receive(l->rpc, chunk, sizeof chunk);
        if (n == 0)
            return NULL;
        for (ssize_t i = 0; i < n; i++) {
            bool end = chunk[i] == END_OF_MESSAGE;
            vec_push(l->mem, &l->reply, end ? '\0' : chunk[i]);
            if (end)
                return l->reply.at;
        }
    }
    return NULL;
}

/* Braces make a word of any text with paired braces. */
const char *host_tcl_word(const char *text, arena *mem) {
    if (!strpbrk(text, "{}\\"))
        return arena_printf(mem, "{%s}", text);
    char *word = arena_alloc(mem, 2 * strlen(text) + 1), *to = word;
    for (; *text; text++) {
        const bool plain = *text < 0 || strchr("/._-", *text) || (*text >= '0' && *text <= '9') ||
                           (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z');
        if (!plain)
            *to++ = '\\';
        *to++ = *text == '\n' ? 'n' : *text;
    }
    return word;
}

/* The reply begins with the result of catch: 0, or the number of a Tcl error. */
bool host_command(host_link *l, const char **reply, bool *failed, const char *format, ...) {
    char command[1 << 14]; /* a path is at most 4 KB, and twice as long with its backslashes */
    va_list list;
    va_start(list, format);
    int length = vsnprintf(command, sizeof command, format, list);
    va_end(list);
    BUG_IF(length < 0 || (size_t)length >= sizeof command, "a command of %d characters", length);
    char message[sizeof command + 80];
    length = snprintf(message, sizeof message, "format {%%d %%s} [catch {%s} onyx_reply] $onyx_reply%c",
                      command, END_OF_MESSAGE);
    char *text = send_all(l->rpc, message, (size_t)length) ? receive_message(l) : NULL;
    if (!text)
        return no_answer(l, "OpenOCD says nothing");
    bool bad = strncmp(text, "0 ", 2) != 0;
    const char *rest = strchr(text, ' ') ? strchr(text, ' ') + 1 : "";
    if (reply)
        *reply = rest;
    if (failed)
        *failed = bad;
    return !bad || failed ||
           (!l->tentative &&
            no_answer(l, arena_printf(l->mem, "'%.60s' says '%s'", command, *rest ? rest : "nothing")));
}

/* ---- memory ---------------------------------------------------------------------------------- */

bool host_read_words(host_link *l, uint32_t address, uint32_t *to, uint32_t n) {
    const char *reply;
    if (!host_command(l, &reply, NULL, "read_memory 0x%x 32 %u", address, n))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        char *end;
        unsigned long long word = strtoull(reply, &end, 0);
        if (end == reply)
            return no_answer(l, "it gave fewer words than were asked for");
        if (word > UINT32_MAX)
            return no_answer(l, "it gave a word of more than 32 bits");
        to[i] = (uint32_t)word;
        reply = end;
    }
    return true;
}

bool host_write_word(host_link *l, uint32_t address, uint32_t value) {
    return host_command(l, NULL, NULL, "write_memory 0x%x 32 {0x%x}", address, value);
}

static bool door_request(host_link *l, const char *verb, uint32_t address, uint32_t bytes) {
    char line[40];
    int length = snprintf(line, sizeof line, "%s 0x%x 0x%x\n", verb, address, bytes);
    return send_all(l->door, line, (size_t)length);
}

static bool door_receive(host_link *l, void *to, size_t bytes) {
    double limit = seconds_now() + REPLY_SECONDS;
    for (size_t done = 0; done < bytes;) {
        ssize_t n = receive(l->door, (char *)to + done, bytes - done);
        if (n == 0 || seconds_now() > limit || host_interrupted)
            return false;
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* Reads a line of the back door's answer: "ok", or a reason. */
static const char *door_line(host_link *l) {
    char line[240];
    size_t n = 0;
    while (n + 1 < sizeof line && door_receive(l, line + n, 1) && line[n] != '\n')
        n++;
    return arena_strndup(l->mem, line, n);
}

static bool door_answer(host_link *l) {
    const char *line = door_line(l);
    return strcmp(line, "ok") == 0 || no_answer(l, arena_printf(l->mem, "its back door says '%s'", line));
}

bool host_nothing_lost(host_link *l) {
    static const char request[] = "collisions\n";
    if (l->door < 0)
        return true;
    if (!send_all(l->door, request, sizeof request - 1))
        return no_answer(l, "its back door is shut");
    const char *line = door_line(l);
    if (strcmp(line, "ok") == 0)
        return true;
    if (strncmp(line, "no: ", 4) != 0)
        return no_answer(l, "its back door is shut");
    diag_error(l->d, (src_loc){0}, "E0805-bank-collision", "%s", line + 4);
    return diag_hint(
        l->d, "whoever touches a bank waits until no DMA uses it (docs/firmware.md); if nothing but onyx "
              "did, please report it");
}

static bool read_image(host_link *l, uint32_t address, void *to, uint32_t bytes) {
    file_in f;
    if (!host_command(l, NULL, NULL, "dump_image %s 0x%x %u", host_tcl_word(l->bulk, l->mem), address,
                      bytes) ||
        !file_open(&f, l->bulk, l->d))
        return false;
    inputs_note_made(l->d, f.stream); /* OpenOCD wrote the file for this command */
    bool whole = f.length == bytes && file_take(&f, to, bytes);
    file_close(&f);
    return whole || no_answer(l, "it gave fewer bytes than were asked for");
}

static bool write_image(host_link *l, uint32_t address, const void *from, uint32_t bytes) {
    arena mem = {0};
    file_out f;
    bool good = file_create(&f, l->bulk, &mem, l->d);
    if (good) {
        fwrite(from, 1, bytes, f.stream);
        good = file_commit(&f, l->d);
    }
    arena_free(&mem);
    return good &&
           host_command(l, NULL, NULL, "load_image %s 0x%x bin", host_tcl_word(l->bulk, l->mem), address);
}

bool host_read(host_link *l, uint32_t address, void *to, uint32_t bytes) {
    BUG_IF((address | bytes) % 4, "%u bytes at 0x%x are no words", bytes, address);
    if (bytes == 0)
        return true;
    if (l->door >= 0)
        return (door_request(l, "read", address, bytes) || no_answer(l, "its back door is shut")) &&
               door_answer(l) && (door_receive(l, to, bytes) || no_answer(l, "its back door is shut"));
    if (bytes / 4 <= FEW_WORDS)
        return host_read_words(l, address, to, bytes / 4);
    return read_image(l, address, to, bytes);
}

bool host_write(host_link *l, uint32_t address, const void *from, uint32_t bytes) {
    if (bytes == 0)
        return true;
    if (l->door >= 0)
        return ((door_request(l, "write", address, bytes) && send_all(l->door, from, bytes)) ||
                no_answer(l, "its back door is shut")) &&
               door_answer(l);
    return write_image(l, address, from, bytes);
}

/* ---- opening --------------------------------------------------------------------------------- */

static bool not_started(host_link *l, const char *program, host_child *c, const char *log) {
    for (int i = 0; i < 50 && host_child_alive(c); i++) /* the simulation closes its end of the wires before
                                                         * it ends */
        nanosleep(&(const struct timespec){.tv_nsec = 10000000}, NULL);
    bool missing = c->ended && WIFEXITED(c->status) && WEXITSTATUS(c->status) == PROGRAM_MISSING;
    if (host_interrupted)
        return false;
    diag_error(l->d, (src_loc){0}, "E0781-start", missing ? "there is no program '%s'" : "'%s' did not start",
               program);
    if (missing)
        diag_hint(
            l->d,
            "Debian and Ubuntu: openocd; onyx-cosim stands beside onyx and needs libunicorn-dev to be built");
    else
        hint_log(l, log);
    return false;
}

/* Removes a socket's name and the folder of the name. */
static void remove_name(char *path) {
    unlink(path);
    *strrchr(path, '/') = '\0';
    rmdir(path);
}

/* Makes a listening socket with the name a->sun_path. Returns -1 after an error. */
static int listen_at(host_link *l, struct sockaddr_un *a) {
    const char *temporary = getenv("TMPDIR");
    char folder[sizeof a->sun_path - 8];
    if (!temporary || strlen(temporary) + sizeof "/onyx-XXXXXX" > sizeof folder)
        temporary = "/tmp";
    snprintf(folder, sizeof folder, "%s/onyx-XXXXXX", temporary);
    int s = mkdtemp(folder) ? socket(AF_UNIX, SOCK_STREAM, 0) : -1;
    *a = (struct sockaddr_un){.sun_family = AF_UNIX};
    snprintf(a->sun_path, sizeof a->sun_path, "%s/s", folder);
    if (s >= 0 && bind(s, (struct sockaddr *)a, sizeof *a) == 0 && listen(s, 1) == 0)
        return s;
    diag_error(l->d, (src_loc){0}, "E0781-start", "no socket can be made in '%s': %s", temporary,
               strerror(errno));
    diag_hint(l->d, "a folder that may be written, in TMPDIR");
    remove_name(a->sun_path);
    if (s >= 0)
        close(s);
    return -1;
}

/* Makes the listening socket of the back door, and connects to the socket, which needs no name any more. */
static int listen_to_door(host_link *l) {
    struct sockaddr_un a;
    int door = listen_at(l, &a);
    if (door < 0)
        return -1;
    l->door = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (l->door >= 0 && connect(l->door, (struct sockaddr *)&a, sizeof a) != 0) {
        close(l->door);
        l->door = -1;
    }
    remove_name(a.sun_path);
    return door;
}

/* Makes the listening socket of the JTAG wires. OpenOCD connects later, by an inherited file without a name,
 * to leave no file behind after any end; in a system without /proc by the name, until the link is closed. */
static int listen_to_jtag(host_link *l) {
    struct sockaddr_un a;
    int jtag = listen_at(l, &a);
    if (jtag < 0)
        return -1;
    l->jtag.socket = open(a.sun_path, O_PATH);
    l->jtag.path = arena_printf(l->mem, "/proc/self/fd/%d", l->jtag.socket);
    l->jtag.named = access(l->jtag.path, F_OK) != 0;
    if (l->jtag.named)
        l->jtag.path = arena_strdup(l->mem, a.sun_path);
    else
        remove_name(a.sun_path);
    return jtag;
}

/* The co-simulation answers, and speaks another interface. */
static bool other_release(host_link *l) {
    diag_error(l->d, (src_loc){0}, "E0794-cosim-version", "'%s' is of another release than this onyx",
               l->options->cosim);
    diag_hint(l->d, "build or install both together: cmake --build build --target onyx onyx-cosim");
    l->other_release = true;
    return false;
}

/* The simulation inherits both listening sockets, and serves both once its back door answers. */
static bool start_cosim(host_link *l) {
    int jtag = listen_to_jtag(l), door = jtag < 0 ? -1 : listen_to_door(l);
    const char *const argv[] = {l->options->cosim,
                                "--board",
                                l->options->board_path,
                                "--jtag",
                                arena_printf(l->mem, "fd:%d", jtag),
                                "--back-door",
                                arena_printf(l->mem, "fd:%d", door),
                                NULL};
    bool open = door >= 0;
    if (open) {
        host_child_start(&l->cosim, argv, arena_printf(l->mem, "%s/cosim.log", l->folder), -1);
        close(door);
    }
    if (jtag >= 0)
        close(jtag);
    const bool asked = open && send_all(l->door, COSIM_INTERFACE "\n", sizeof COSIM_INTERFACE);
    const char *answer = asked ? door_line(l) : "nothing was sent";
    if (strncmp(answer, "no: ", 4) == 0)
        return other_release(l);
    return open && (strcmp(answer, "ok") == 0 || not_started(l, l->options->cosim, &l->cosim, "cosim.log"));
}

static bool start_openocd(host_link *l, const char *config) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return not_started(l, l->options->openocd, &l->openocd, "openocd.log");
    const char *jtag = l->jtag.path
                           ? arena_printf(l->mem, "set ONYX_JTAG %s", host_tcl_word(l->jtag.path, l->mem))
                           : "set ONYX_JTAG 9824";
    const char *const argv[] = {l->options->openocd,
                                "-c",
                                "noinit; tcl_port pipe; gdb_port disabled; telnet_port disabled",
                                "-c",
                                jtag,
                                "-f",
                                config,
                                NULL};
    bool good =
        host_child_start(&l->openocd, argv, arena_printf(l->mem, "%s/openocd.log", l->folder), ends[1]);
    l->rpc = ends[0];
    close(ends[1]);
    const char *hello = arena_printf(l->mem, "expr 1%c", END_OF_MESSAGE);
    return (good && send_all(l->rpc, hello, strlen(hello)) && receive_message(l)) ||
           not_started(l, l->options->openocd, &l->openocd, "openocd.log");
}

/* Returns whether a TAP with another name is accepted. No public source has the name of the chip's TAP; the
 * default accepts any name, since the platform controller identifies the chip, too. */
static bool takes_idcode(host_link *l, uint32_t idcode) {
    uint32_t wanted = l->board->link.idcode;
    bool refused = l->options->idcode == HOST_IDCODE_ERROR;
    if (idcode == wanted || l->options->idcode == HOST_IDCODE_OFF)
        return true;
    if (refused)
        diag_error(l->d, (src_loc){0}, "E0784-wrong-board",
                   "this is not board '%s': the TAP's IDCODE is 0x%08x, expected 0x%08x", l->board->name,
                   idcode, wanted);
    else
        diag_warning(l->d, (src_loc){0}, "E0784-wrong-board",
                     "this may not be board '%s': the TAP's IDCODE is 0x%08x, expected 0x%08x",
                     l->board->name, idcode, wanted);
    diag_hint(l->d,
              "check the cable, and link.idcode of the board's document (docs/boards.md); --idcode off if "
              "this is the chip's");
    return !refused;
}

bool host_link_idcode(host_link *l, uint32_t *idcode) {
    const char *reply;
    if (!host_command(l, &reply, NULL, "poll off; irscan " TAP " " IR_IDCODE "; drscan " TAP " 32 0"))
        return false;
    *idcode = (uint32_t)strtoul(reply, NULL, 16);
    return true;
}

/* Checks the TAP's name against the board's document. */
static bool identify(host_link *l) {
    uint32_t idcode;
    bool failed;
    if (!host_command(l, NULL, &failed, "init"))
        return false;
    if (failed)
        return no_answer(l, "OpenOCD finds no adapter, or no processor behind it");
    /* Polling is off, since OpenOCD would scan in between. */
    if (!host_link_idcode(l, &idcode))
        return false;
    if (idcode == 0 || idcode == UINT32_MAX)
        return no_answer(l, "nothing is on the JTAG wires");
    return takes_idcode(l, idcode);
}

bool host_link_halt(host_link *l) {
    bool failed;
    uint32_t id;
    if (!host_command(l, NULL, &failed, "reset halt"))
        return false;
    if (failed)
        return no_answer(l, "the processor cannot be halted");
    if (!host_read_words(l, l->board->map.platform + PLATFORM_ID, &id, 1))
        return false;
    if (id == PLATFORM_ID_VALUE)
        return true;
    diag_error(l->d, (src_loc){0}, "E0784-wrong-board",
               "this is not board '%s': the platform controller's identification is 0x%08x, expected 0x%08x",
               l->board->name, id, PLATFORM_ID_VALUE);
    return diag_hint(l->d,
                     "check the cable, and memory_map.platform of the board's document (docs/boards.md)");
}

bool host_link_open(host_link *l, const pnr_board *board, const host_options *o, const char *folder,
                    arena *mem, diagnostics *d) {
    *l = (host_link){.board = board,
                     .options = o,
                     .folder = folder,
                     .mem = mem,
                     .d = d,
                     .rpc = -1,
                     .door = -1,
                     .jtag.socket = -1};
    struct sigaction stop = {.sa_handler = on_signal};
    sigaction(SIGINT, &stop, NULL);
    sigaction(SIGTERM, &stop, NULL);
    l->bulk = arena_printf(mem, "%s/image.bin", folder);
    const char *config = o->config ? o->config : board->link.openocd;
    if (!config) {
        diag_error(d, (src_loc){0}, "E0780-no-link", "board '%s' has no link: nothing says how to reach it",
                   board->name);
        return diag_hint(d, "a member \"link\" in its document (docs/boards.md), or another --board");
    }
    return fw_is_controlled(board, d) && (!board->link.simulated || start_cosim(l)) &&
           start_openocd(l, config) && identify(l);
}

void host_link_close(host_link *l) {
    if (l->rpc >= 0)
        close(l->rpc); /* the end of its input tells OpenOCD to end */
    if (l->door >= 0)
        close(l->door);
    host_child_end(&l->openocd);
    host_child_end(&l->cosim);
    if (l->jtag.socket >= 0)
        close(l->jtag.socket);
    if (l->jtag.named)
        remove_name(l->jtag.path);
    if (l->bulk)
        remove(l->bulk);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
}
