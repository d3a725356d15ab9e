/* number.h - numbers as text, in the locale "C" whatever the caller's: only these functions read or print
 * floating-point numbers as text (tests/house/numbers.py). arena_printf, the functions of diagnostics and
 * those of JSON use them. */
#ifndef ONYX_SUPPORT_NUMBER_H
#define ONYX_SUPPORT_NUMBER_H

#include <locale.h>
#include <stdarg.h>
#include <stdio.h>

/* Read like strtod and strtof, but decimal digits only: of "0x10" they read the 0. */
double number_read(const char *text, char **end);
float number_read_float(const char *text, char **end);

/* Print as fprintf, snprintf and vsnprintf do. */
int number_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
int number_text(char *to, size_t room, const char *format, ...) __attribute__((format(printf, 3, 4)));
int number_text_of(char *to, size_t room, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

/* Between the two, this thread has the locale "C". Returns the thread's locale before. */
locale_t number_locale_begin(void);
void number_locale_end(locale_t before);

#endif
