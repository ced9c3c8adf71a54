/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Counts a program's calls of the C library's allocator, for tests of code that must not allocate. Include this in only
 * one source file of a program. With an allocator other than glibc's the count stays 0.
 */

#pragma once

#include <glib.h>
#include <malloc.h>
#include <stdlib.h>

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

static guint n_allocations;             /* atomic: of all threads */
static __thread guint n_own_allocations;  /* of this one */
static __thread gsize n_own_bytes;        /* requested by these */

/* The return addresses of the first allocations. */
static gconstpointer allocation_callers[1024];

static inline void
count_allocation (gsize         size,
                  gconstpointer caller)
{
  guint number = __atomic_fetch_add (&n_allocations, 1, __ATOMIC_RELAXED);

  if (number < G_N_ELEMENTS (allocation_callers))
    allocation_callers[number] = caller;
  n_own_allocations++;
  n_own_bytes += size;
}

#if defined __GLIBC__ && !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ \
    && !__has_feature (address_sanitizer) && !__has_feature (thread_sanitizer) && !__has_feature (memory_sanitizer)

#define COUNTS_ALLOCATIONS 1

/* The functions also serve allocations by other libraries, above all GLib. */
#pragma GCC visibility push(default)

extern void *__libc_malloc   (size_t size);
extern void *__libc_calloc   (size_t n, size_t size);
extern void *__libc_realloc  (void *memory, size_t size);
extern void *__libc_memalign (size_t alignment, size_t size);

void *
malloc (size_t size)
{
  count_allocation (size, __builtin_return_address (0));

  return __libc_malloc (size);
}

void *
calloc (size_t n,
        size_t size)
{
  count_allocation (n * size, __builtin_return_address (0));

  return __libc_calloc (n, size);
}

void *
realloc (void   *memory,
         size_t  size)
{
  count_allocation (size, __builtin_return_address (0));

  return __libc_realloc (memory, size);
}

int
posix_memalign (void   **memory,
                size_t   alignment,
                size_t   size)
{
  count_allocation (size, __builtin_return_address (0));
  *memory = __libc_memalign (alignment, size);

  return *memory != NULL ? 0 : 12;
}

/* The remaining allocation functions of the C library. */
void *
memalign (size_t alignment,
          size_t size)
{
  count_allocation (size, __builtin_return_address (0));

  return __libc_memalign (alignment, size);
}

void *
aligned_alloc (size_t alignment,
               size_t size)
{
  count_allocation (size, __builtin_return_address (0));

  return __libc_memalign (alignment, size);
}

#pragma GCC visibility pop

#endif

/* Starts counting and records the callers. */
static inline void
begin_counting_allocations (void)
{
  __atomic_store_n (&n_allocations, 0, __ATOMIC_RELAXED);
}

static inline guint
count_allocations (void)
{
  return __atomic_load_n (&n_allocations, __ATOMIC_RELAXED);
}

/* The allocations of this thread only: other threads may be just starting. */
static inline guint
count_own_allocations (void)
{
  return n_own_allocations;
}

static inline gsize
count_own_bytes (void)
{
  return n_own_bytes;
}
