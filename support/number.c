/* Numbers as text, in the locale "C". The locale is set for the thread alone: the caller's other threads keep
 * theirs. */
#define _GNU_SOURCE /* strtod_l, locale_t */
#include "support/number.h"

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

int number_text_of(char *to, size_t room, const char *format, va_list args) {
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
