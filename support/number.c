/* Numbers as text, in the locale "C". The locale is set for the thread alone: the caller's other threads keep
 * theirs. */
#define _GNU_SOURCE /* strtod_l, locale_t, strchrnul */
#include "support/number.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Looked up once: texts are made by the ten thousand. */
static locale_t plain(void) {
    static _Atomic(locale_t) kept;
    locale_t c = kept;
    if (!c)
        kept = c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return c;
}

/* The C library also reads hexadecimal digits, "0x10": users never mean hexadecimal numbers here, and other
 * programs read only the 0. */
static bool is_hexadecimal(const char *text) {
    text += strspn(text, " \t\n\v\f\r");
    text += *text == '+' || *text == '-';
    return text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

double number_read(const char *text, char **end) {
    double value = is_hexadecimal(text) ? 0 : strtod_l(text, end, plain());
    if (is_hexadecimal(text) && end)
        *end = (char *)(uintptr_t)strpbrk(text, "xX");
    return value;
}

float number_read_float(const char *text, char **end) {
    float value = is_hexadecimal(text) ? 0 : strtof_l(text, end, plain());
    if (is_hexadecimal(text) && end)
        *end = (char *)(uintptr_t)strpbrk(text, "xX");
    return value;
}

locale_t number_locale_begin(void) {
    return uselocale(plain());
}

void number_locale_end(locale_t before) {
    uselocale(before);
}

int number_print(FILE *out, const char *format, ...) {
    locale_t before = number_locale_begin();
    va_list args;
    va_start(args, format);
    int length = vfprintf(out, format, args);
    va_end(args);
    number_locale_end(before);
    return length;
}

/* A text that is being written, cut off at the end of its room; `length` counts on. */
typedef struct {
    char *to;
    size_t room, length;
} text_cut;

static void add_bytes(text_cut *t, const char *from, size_t n) {
    if (t->length < t->room)
        memcpy(t->to + t->length, from, n < t->room - t->length ? n : t->room - t->length);
    t->length += n;
}

static void add_whole(text_cut *t, bool negative, uint32_t magnitude) {
    char digits[11], *from = digits + sizeof digits;
    do
        *--from = (char)('0' + magnitude % 10);
    while (magnitude /= 10);
    if (negative)
        *--from = '-';
    add_bytes(t, from, (size_t)(digits + sizeof digits - from));
}

/* Prints a format that has only %s, %c, %u and %d, as most have, in a third of the time of vsnprintf. Returns
 * false at anything else. */
static bool simple_text(text_cut *t, const char *format, va_list args) {
    for (const char *percent; percent = strchrnul(format, '%'), *percent; format = percent + 2) {
        add_bytes(t, format, (size_t)(percent - format));
        if (percent[1] == 's') {
            const char *text = va_arg(args, const char *);
            if (!text)
                return false;
            add_bytes(t, text, strlen(text));
        } else if (percent[1] == 'c') {
            const char one = (char)va_arg(args, int);
            add_bytes(t, &one, 1);
        } else if (percent[1] == 'u') {
            add_whole(t, false, va_arg(args, unsigned));
        } else if (percent[1] == 'd') {
            const int value = va_arg(args, int);
            add_whole(t, value < 0, value < 0 ? 0u - (unsigned)value : (unsigned)value);
        } else {
            return false;
        }
    }
    add_bytes(t, format, strlen(format));
    if (t->room)
        t->to[t->length < t->room ? t->length : t->room - 1] = '\0';
    return t->length <= INT_MAX;
}

int number_text_of(char *to, size_t room, const char *format, va_list args) {
    text_cut simple = {.to = to, .room = room};
    va_list again;
    va_copy(again, args);
    const bool done = simple_text(&simple, format, again);
    va_end(again);
    if (done)
        return (int)simple.length;
    locale_t before = number_locale_begin();
    int length = vsnprintf(to, room, format, args);
    number_locale_end(before);
    return length;
}

int number_text(char *to, size_t room, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int length = number_text_of(to, room, format, args);
    va_end(args);
    return length;
}
