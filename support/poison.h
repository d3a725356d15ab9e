/* What the address sanitizer is told of an arena's memory; nothing in a build without it. ARENA_POISONS is
 * defined where it is told. */
#ifndef ONYX_SUPPORT_POISON_H
#define ONYX_SUPPORT_POISON_H

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define ARENA_POISONS
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define ARENA_POISONS
#endif

#ifdef ARENA_POISONS
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#endif

#endif
