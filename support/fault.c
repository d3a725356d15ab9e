/* Internal and machine faults that end the program. */
#include "support/support.h"

#include <stdlib.h>

_Noreturn void bug_report(const char *file, int line, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fprintf(stderr, "onyx: internal fault at %s:%d: ", file, line);
    vfprintf(stderr, format, args);
    fputs("\nThis is a bug in onyx; please report it with the command line that led here.\n", stderr);
    va_end(args);
    abort();
}

_Noreturn void out_of_memory(size_t bytes) {
    if (bytes)
        fprintf(stderr, "onyx: error: out of memory: %zu bytes more were needed [E0005-memory]\n", bytes);
    else
        fputs("onyx: error: out of memory [E0005-memory]\n", stderr);
    exit(1);
}
