/* The address sanitizer's view of an arena's memory; empty in a build without the sanitizer. ARENA_POISONS is
 * defined with the sanitizer. */
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
