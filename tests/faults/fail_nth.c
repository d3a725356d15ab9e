/* fail_nth.c - preloaded into a program, fails a single call of a kind: FAULT_KIND is "malloc" (malloc,
 * calloc, realloc), "open" (fopen, mkdir), "close" (fclose, fflush of a file), "rename" or "disk" (write,
 * pwrite, ftruncate, fsync and fdatasync of a regular file), or "kill": kills the process before its n-th
 * call that changes a folder or waits for the disk (mkdir, rename, remove, unlink, rmdir, fsync). FAULT_NTH
 * counts from 1, 0 fails none. At the end the file FAULT_LOG gets "CALLS LIVE": the number of calls of the
 * kind, and of blocks not freed. Child programs are left alone, and allocations of Unicorn, too, since
 * Unicorn ends the process by itself. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_long calls, live;
static long nth;
static const char *kind = "";
static bool ready; /* between the constructor and the end of main: earlier calls belong to libraries */

static void *(*real_malloc)(size_t);
static void *(*real_calloc)(size_t, size_t);
static void *(*real_realloc)(void *, size_t);
static void (*real_free)(void *);

static void find(void *into, const char *name) {
    void *symbol = dlsym(RTLD_NEXT, name);
    memcpy(into, &symbol, sizeof symbol);
}

/* dlsym itself may call calloc. */
static char early[4096];
static size_t early_used;

static void *early_memory(size_t bytes) {
    void *p = early + early_used;
    early_used += (bytes + 15) / 16 * 16;
    return early_used <= sizeof early ? p : NULL;
}

static bool is_early(const void *p) {
    return (const char *)p >= early && (const char *)p < early + sizeof early;
}

static bool fails(const char *what, int why) {
    if (!ready || strcmp(kind, what) != 0 || atomic_fetch_add(&calls, 1) + 1 != nth)
        return false;
    errno = why;
    return true;
}

static void may_die(void) {
    if (fails("kill", 0))
        kill(getpid(), SIGKILL);
}

/* What not_ours found, by return address: twice the address, and the answer. dladdr looks at every symbol. */
static atomic_uintptr_t found_at[4096];

/* Unicorn ends the process by itself, and Verilator's run time does not check the result of strdup. */
static bool not_ours(const void *back) {
    const uintptr_t asked = 2 * (uintptr_t)back, place = (uintptr_t)back % 4096,
                    found = atomic_load(&found_at[place]);
    Dl_info info;
    if ((found & ~(uintptr_t)1) == asked)
        return found & 1;
    const bool other = dladdr(back, &info) && ((info.dli_fname && strstr(info.dli_fname, "libunicorn")) ||
                                               (info.dli_sname && strstr(info.dli_sname, "strdup")));
    atomic_store(&found_at[place], asked | other);
    return other;
}

/* Fails an allocation; `back`: its return address. */
static bool no_memory(const void *back) {
    return ready && strcmp(kind, "malloc") == 0 && !not_ours(back) && fails("malloc", ENOMEM);
}
#define NO_MEMORY no_memory(__builtin_return_address(0))

static void *counted(void *p) {
    if (p && ready)
        atomic_fetch_add(&live, 1);
    return p;
}

void *malloc(size_t bytes) {
    if (!real_malloc)
        return early_memory(bytes);
    return NO_MEMORY ? NULL : counted(real_malloc(bytes));
}

void *calloc(size_t n, size_t bytes) {
    if (!real_calloc)
        return early_memory(n * bytes);
    return NO_MEMORY ? NULL : counted(real_calloc(n, bytes));
}

void *realloc(void *p, size_t bytes) {
    if (NO_MEMORY)
        return NULL;
    return p ? real_realloc(p, bytes) : counted(real_realloc(p, bytes));
}

void free(void *p) {
    if (!p || is_early(p))
        return;
    if (ready)
        atomic_fetch_sub(&live, 1);
    real_free(p);
}

void *aligned_alloc(size_t alignment, size_t bytes) {
    static void *(*real)(size_t, size_t);
    if (!real)
        find(&real, "aligned_alloc");
    return NO_MEMORY ? NULL : counted(real(alignment, bytes));
}

int posix_memalign(void **to, size_t alignment, size_t bytes) {
    static int (*real)(void **, size_t, size_t);
    if (!real)
        find(&real, "posix_memalign");
    int why = NO_MEMORY ? ENOMEM : real(to, alignment, bytes);
    if (why == 0)
        counted(*to);
    return why;
}

FILE *fopen(const char *path, const char *mode) {
    static FILE *(*real)(const char *, const char *);
    if (!real)
        find(&real, "fopen");
    return fails("open", EMFILE) ? NULL : real(path, mode);
}

int mkdir(const char *path, mode_t mode) {
    static int (*real)(const char *, mode_t);
    if (!real)
        find(&real, "mkdir");
    may_die();
    return fails("open", EACCES) ? -1 : real(path, mode);
}

#define REMOVING(name)                                                                                       \
    int name(const char *path) {                                                                             \
        static int (*real)(const char *);                                                                    \
        if (!real)                                                                                           \
            find(&real, #name);                                                                              \
        may_die();                                                                                           \
        return real(path);                                                                                   \
    }
REMOVING(remove)
REMOVING(unlink)
REMOVING(rmdir)

int fclose(FILE *file) {
    static int (*real)(FILE *);
    if (!real)
        find(&real, "fclose");
    bool failed = fileno(file) >= 0 && fails("close", ENOSPC); /* a file in memory cannot meet a full disk */
    int result = real(file);
    errno = failed ? ENOSPC : errno;
    return failed ? EOF : result;
}

int fflush(FILE *file) {
    static int (*real)(FILE *);
    if (!real)
        find(&real, "fflush");
    return file && fileno(file) >= 0 && fails("close", ENOSPC) ? EOF : real(file);
}

int rename(const char *from, const char *to) {
    static int (*real)(const char *, const char *);
    if (!real)
        find(&real, "rename");
    may_die();
    return fails("rename", EACCES) ? -1 : real(from, to);
}

static bool disk_fails(int file) {
    struct stat info;
    return ready && strcmp(kind, "disk") == 0 && fstat(file, &info) == 0 && S_ISREG(info.st_mode) &&
           fails("disk", ENOSPC);
}

#define DISK_CALL(type, name, parameters, arguments)                                                         \
    type name parameters {                                                                                   \
        static type(*real) parameters;                                                                       \
        if (!real)                                                                                           \
            find(&real, #name);                                                                              \
        return disk_fails(file) ? (type)-1 : real arguments;                                                 \
    }
DISK_CALL(ssize_t, write, (int file, const void *bytes, size_t n), (file, bytes, n))
DISK_CALL(ssize_t, pwrite, (int file, const void *bytes, size_t n, off_t at), (file, bytes, n, at))
DISK_CALL(ssize_t, pwrite64, (int file, const void *bytes, size_t n, off_t at), (file, bytes, n, at))
DISK_CALL(int, ftruncate, (int file, off_t size), (file, size))
DISK_CALL(int, ftruncate64, (int file, off_t size), (file, size))

/* A wait for the disk that does not fail ends at once: a command is repeated hundreds of times. */
int fsync(int file) {
    may_die();
    return disk_fails(file) ? -1 : 0;
}
int fdatasync(int file) {
    return disk_fails(file) ? -1 : 0;
}

__attribute__((constructor)) static void begin(void) {
    const char *n = getenv("FAULT_NTH"), *k = getenv("FAULT_KIND");
    find(&real_calloc, "calloc");
    find(&real_malloc, "malloc");
    find(&real_realloc, "realloc");
    find(&real_free, "free");
    unsetenv("LD_PRELOAD");
    nth = n ? atol(n) : 0;
    kind = k ? k : "";
    ready = true;
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("FAULT_LOG");
    char text[64];
    ready = false;
    int length = snprintf(text, sizeof text, "%ld %ld\n", atomic_load(&calls), atomic_load(&live));
    int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
    if (file >= 0 && write(file, text, (size_t)length) != length)
        _exit(99);
}
