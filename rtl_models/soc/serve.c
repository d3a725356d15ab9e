/* serve.c - see serve.h. A single thread: alternates steps of the machine and pending input. */
#include "firmware/cosim_interface.h"
#include "rtl_models/soc/faults.h"
#include "rtl_models/soc/machine_memory.h"
#include "rtl_models/soc/machine_watch.h"
#include "rtl_models/soc/serve_int.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* Machine steps between two polls of the sockets; fewer while the processor is halted (the debugger is busy),
 * with milliseconds of waiting in the poll. */
enum { STEPS = 64, HALTED_STEPS = 4, HALTED_WAIT_MS = 1, SCAN_STEPS = 80 };
enum { BACK_DOOR_TIMEOUT_S = 10, BACK_DOOR_CHUNK = 1 << 16 };

static volatile sig_atomic_t ended;
static void on_signal(int number) {
    (void)number;
    ended = 1;
}

/* ---- sockets --------------------------------------------------------------------------------- */

static bool socket_error(const char *where, diagnostics *d) {
    diag_error(d, (src_loc){0}, "E0754-socket", "cannot listen on '%s': %s", where, strerror(errno));
    diag_hint(d, "a free TCP port, or the path of a UNIX socket in a folder that may be written");
    return false;
}

static int listen_unix(const char *path) {
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof a.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(a.sun_path, path, strlen(path) + 1);
    int s = socket(AF_UNIX, SOCK_STREAM, 0);
    if (s >= 0 && bind(s, (struct sockaddr *)&a, sizeof a) == 0 && listen(s, 1) == 0)
        return s;
    if (s >= 0)
        close(s);
    return -1;
}

static int listen_tcp(uint16_t number) {
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(number)};
    socklen_t length = sizeof a;
    int one = 1, s = socket(AF_INET, SOCK_STREAM, 0);
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (s >= 0 && setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) == 0 &&
        bind(s, (struct sockaddr *)&a, sizeof a) == 0 && listen(s, 1) == 0 &&
        getsockname(s, (struct sockaddr *)&a, &length) == 0) {
        printf("127.0.0.1:%u\n", ntohs(a.sin_port));
        fflush(stdout);
        return s;
    }
    if (s >= 0)
        close(s);
    return -1;
}

/* An inherited socket in the listening state. */
static int listening(int s) {
    int yes = 0;
    socklen_t length = sizeof yes;
    errno = EINVAL; /* the socket does not listen */
    if (getsockopt(s, SOL_SOCKET, SO_ACCEPTCONN, &yes, &length) == 0 && yes)
        return s;
    return -1;
}

static bool open_door(serve_door *x, const char *where, diagnostics *d) {
    char *end;
    bool given = strncmp(where, "fd:", 3) == 0;
    const char *digits = given ? where + 3 : where;
    unsigned long number = strtoul(digits, &end, 10);
    const bool whole = isdigit((unsigned char)*digits) && *end == '\0', far = whole && number > UINT16_MAX;
    errno = ERANGE;
    x->listener = far              ? -1
                  : given && whole ? listening((int)number)
                  : whole          ? listen_tcp((uint16_t)number)
                                   : listen_unix(where);
    x->path = whole || x->listener < 0 ? NULL : where;
    return x->listener >= 0 || socket_error(where, d);
}

static void hang_up(serve_door *x) {
    if (x->client >= 0)
        close(x->client);
    x->client = -1;
}

static void close_door(serve_door *x) {
    hang_up(x);
    if (x->listener >= 0)
        close(x->listener);
    if (x->path)
        unlink(x->path);
}

static void answer_door(serve_door *x) {
    x->client = accept(x->listener, NULL, NULL);
}

/* A single client at a time; the next client waits for its end. */
static int awaited(const serve_door *x) {
    return x->client < 0 ? x->listener : -1;
}

static bool send_all(int s, const void *from, size_t bytes) {
    for (size_t done = 0; done < bytes;) {
        ssize_t n = send(s, (const char *)from + done, bytes - done, MSG_NOSIGNAL);
        if (n <= 0 && (errno != EINTR || ended))
            return false;
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* ---- remote_bitbang -------------------------------------------------------------------------- */

static void set_wires(server *s, unsigned wires) {
    bool tck = wires & 4;
    if (tck && !s->tck)
        jtag_clock(&s->port, wires & (JTAG_TMS | JTAG_TDI));
    s->tck = tck;
}

/* The letters r to u: bit 0 is SRST, bit 1 TRST. */
static void set_resets(server *s, unsigned resets) {
    const bool srst = resets & 1;
    if (resets & 2)
        jtag_trst(&s->port);
    if (srst && !s->srst)
        debug_reset(&s->debug);
    s->srst = srst;
}

void serve_jtag(server *s) {
    char in[4096], out[sizeof in];
    size_t answers = 0;
    ssize_t n = recv(s->jtag.client, in, sizeof in, 0);
    bool quit = n <= 0;
    for (ssize_t i = 0; i < n; i++) {
        if (in[i] >= '0' && in[i] <= '7')
            set_wires(s, (unsigned)(in[i] - '0'));
        else if (in[i] == 'R')
            out[answers++] = jtag_tdo(&s->port) ? '1' : '0';
        else if (in[i] >= 'r' && in[i] <= 'u')
            set_resets(s, (unsigned)(in[i] - 'r'));
        else if (in[i] == 'Q')
            quit = true;
    }
    if (!send_all(s->jtag.client, out, answers) || quit)
        hang_up(&s->jtag);
}

/* ---- the back door --------------------------------------------------------------------------- */

/* The line without its end; returns its length, -1 if incomplete. */
static ssize_t read_line(int s, char *line, size_t size) {
    for (size_t n = 0; n + 1 < size && recv(s, line + n, 1, MSG_WAITALL) == 1; n++) {
        if (line[n] == '\n') {
            line[n] = '\0';
            return (ssize_t)n;
        }
    }
    return -1;
}

static bool answer(server *s, const char *line) {
    return send_all(s->back.client, line, strlen(line));
}

static bool refuse(server *s) {
    return answer(s, "no: not inside a memory\n");
}

static bool back_collisions(server *s) {
    machine_collision c;
    char text[200], line[sizeof text + 8];
    if (!machine_collided(s->m, 0, &c))
        return answer(s, "ok\n");
    cosim_collision_text(&c, text, sizeof text);
    snprintf(line, sizeof line, "no: %s\n", text);
    return answer(s, line);
}

/* Receives the bytes, whether the range is valid or not. */
static bool back_write(server *s, uint32_t address, uint32_t bytes, uint8_t *buffer) {
    bool good = machine_holds(s->m, address, bytes);
    for (uint32_t done = 0, chunk; done < bytes; done += chunk) {
        chunk = bytes - done < BACK_DOOR_CHUNK ? bytes - done : BACK_DOOR_CHUNK;
        if (recv(s->back.client, buffer, chunk, MSG_WAITALL) != (ssize_t)chunk)
            return false;
        good = good && machine_load(s->m, address + done, buffer, chunk);
    }
    return good ? answer(s, "ok\n") : refuse(s);
}

static bool back_read(server *s, uint32_t address, uint32_t bytes, uint8_t *buffer) {
    if (!machine_holds(s->m, address, bytes))
        return refuse(s);
    bool good = answer(s, "ok\n");
    for (uint32_t done = 0, chunk; good && done < bytes; done += chunk) {
        chunk = bytes - done < BACK_DOOR_CHUNK ? bytes - done : BACK_DOOR_CHUNK;
        good = machine_dump(s->m, address + done, buffer, chunk) && send_all(s->back.client, buffer, chunk);
    }
    return good;
}

/* A number as in C, of 32 bits, between blanks; returns the text after the number. NULL: no number. */
static const char *request_number(const char *text, uint32_t *out) {
    char *end;
    if (text[0] != ' ' || !isdigit((unsigned char)text[1]))
        return NULL;
    errno = 0;
    unsigned long long value = strtoull(text + 1, &end, 0);
    *out = (uint32_t)value;
    return errno == 0 && value <= UINT32_MAX ? end : NULL;
}

void serve_back_door(server *s) {
    const struct timeval limit = {.tv_sec = BACK_DOOR_TIMEOUT_S};
    uint8_t buffer[BACK_DOOR_CHUNK];
    char line[80];
    uint32_t address = 0, bytes = 0;
    setsockopt(s->back.client, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    bool good = false;
    ssize_t length = read_line(s->back.client, line, sizeof line);
    if (length >= 0) {
        bool write = strncmp(line, "write", 5) == 0, read = strncmp(line, "read", 4) == 0;
        const char *end = write || read ? request_number(line + (write ? 5 : 4), &address) : NULL;
        end = end ? request_number(end, &bytes) : NULL;
        if ((size_t)length == strlen(line) && strcmp(line, "collisions") == 0)
            good = back_collisions(s);
        else if ((size_t)length == strlen(line) && strcmp(line, COSIM_INTERFACE) == 0)
            good = answer(s, "ok\n");
        else if (end == line + length)
            good = write ? back_write(s, address, bytes, buffer) : back_read(s, address, bytes, buffer);
        else
            answer(s, "no: write ADDRESS BYTES, read ADDRESS BYTES, or collisions\n");
    }
    if (!good)
        hang_up(&s->back);
}

/* ---- the loop -------------------------------------------------------------------------------- */

static void print_stop(server *s) {
    if (!(machine_word(s->m, 4) & 1)) { /* of a memory before its first load: the vector has no Thumb bit */
        fprintf(stderr, "onyx-cosim: no program is loaded yet: the processor waits for the debug port\n");
        return;
    }
    const char *refused = machine_refused(s->m);
    fprintf(stderr, "onyx-cosim: the processor stopped: %s%s%s\n", machine_stop_reason(s->m),
            refused[0] ? "; " : "", refused);
}

void serve_collisions(server *s) {
    machine_collision c;
    char text[200];
    for (; machine_collided(s->m, s->collisions, &c); s->collisions++) {
        cosim_collision_text(&c, text, sizeof text);
        fprintf(stderr, "onyx-cosim: warning: %s [E0805-bank-collision]\n", text);
    }
}

static void serve_sockets(server *s, int wait_ms) {
    struct pollfd all[] = {{awaited(&s->jtag), POLLIN, 0},
                           {s->jtag.client, POLLIN, 0},
                           {awaited(&s->back), POLLIN, 0},
                           {s->back.client, POLLIN, 0}};
    if (poll(all, 4, wait_ms) <= 0)
        return;
    if (all[1].revents)
        serve_jtag(s);
    if (all[3].revents)
        serve_back_door(s);
    if (all[0].revents)
        answer_door(&s->jtag);
    if (all[2].revents)
        answer_door(&s->back);
}

static void serve(server *s) {
    while (!ended) {
        bool halted = s->debug.halted || s->debug.locked_up;
        for (unsigned i = 0; i < (halted ? HALTED_STEPS : STEPS); i++)
            if (!debug_step(&s->debug))
                print_stop(s);
        serve_sockets(s, halted ? HALTED_WAIT_MS : 0);
        serve_collisions(s);
    }
}

/* A bus access of the debug port takes a scan of 35 bits, at a clock far below the processor's. */
static void pass_scan(server *s) {
    for (unsigned i = 0; i < SCAN_STEPS; i++)
        if (!debug_step(&s->debug))
            print_stop(s);
}

static bool port_read(void *context, uint32_t address, unsigned size, uint32_t *value) {
    server *s = context;
    pass_scan(s);
    return debug_read(&s->debug, address, size, value);
}

static bool port_write(void *context, uint32_t address, unsigned size, uint32_t value) {
    server *s = context;
    pass_scan(s);
    return debug_write(&s->debug, address, size, value);
}

void serve_begin(server *s, machine *m) {
    *s = (server){.m = m, .jtag = {-1, -1, NULL}, .back = {-1, -1, NULL}};
    debug_begin(&s->debug, m);
    jtag_begin(&s->port, (jtag_bus){s, port_read, port_write});
    machine_reset(m);
}

int cosim_serve(const cosim_serve_options *o, const pnr_board *board, arena *mem, diagnostics *d) {
    server s;
    struct sigaction end = {.sa_handler = on_signal};
    machine *m = cosim_machine(board, (cosim_chip){.fault = o->fault, .hostile = o->hostile}, o->uart_out, d);
    if (!m)
        return COSIM_USAGE;
    bool good = !o->elf || cosim_load_elf(m, o->elf, mem, d);
    sigaction(SIGTERM, &end, NULL);
    sigaction(SIGINT, &end, NULL);
    serve_begin(&s, m);
    s.port.idcode ^= o->fault == FAULT_IDCODE ? 1u << 16 : 0;
    good = good && open_door(&s.jtag, o->jtag, d) && (!o->back_door || open_door(&s.back, o->back_door, d));
    if (good)
        serve(&s);
    close_door(&s.jtag);
    close_door(&s.back);
    machine_destroy(m);
    return !good ? COSIM_USAGE : s.collisions ? COSIM_TARGET : COSIM_OK;
}
