/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Stacks that suffice. Much of the library recurses on the structure of programs, whose depth the readers limit
 * (base/sizes.h), and drivers and libraries take what they take. Threads of applications may have little stack: 128 KiB
 * is the default of some C libraries. What needs more than the calling thread has left continues on a thread of ours.
 *
 * Nesting that multiplies, as of regions within calls within regions, has no useful limit: code that recurses on that
 * asks ghlo_stack_has () on each level and reports an error.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _GhloThread GhloThread;

/* Bytes that suffice for every walk over the deepest programs that the readers accept, and for the libraries and
 * drivers below; the test of stacks measures it. Frames are larger where nothing is optimized or sanitizers put guards
 * between variables. */
#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) \
    || __has_feature (address_sanitizer) || __has_feature (thread_sanitizer)
#define GHLO_STACK_NEED ((gsize) 4 << 20)
#else
#define GHLO_STACK_NEED ((gsize) 1 << 20)
#endif

/* The stack of each thread of ours, which is what Linux usually gives to threads: LLVM and drivers recurse on what we
 * hand them. */
#define GHLO_STACK_SIZE ((gsize) 8 << 20)

/* Returns whether the calling thread has at least @size bytes of stack left. FALSE where that cannot be known, as on
 * the stack of a coroutine. */
gboolean    ghlo_stack_has      (gsize            size);

/* Starts a thread that continues what the calling thread has too little stack for; join it. OUT_OF_MEMORY when none can
 * be started. */
GhloThread *ghlo_stack_continue (GThreadFunc      func,
                                 gpointer         data,
                                 GError         **error);

/* Calls @func with @data and returns its result: on the calling thread if its stack suffices (GHLO_STACK_NEED),
 * otherwise on another one, for whose end this waits. Where none can be started, the calling thread has to do. For
 * functions that cannot fail and do not need the calling thread itself. */
gpointer    ghlo_stack_call     (GThreadFunc      func,
                                 gpointer         data);

/* Starts a thread with a stack of GHLO_STACK_SIZE, whatever the default of the process is. @name has at most 15 bytes
 * and is static. The caller joins the thread. */
GhloThread *ghlo_thread_try_new (const char      *name,
                                 GThreadFunc      func,
                                 gpointer         data,
                                 GError         **error);
/* Waits for the end of the thread, frees @self and returns the result of its function. */
gpointer    ghlo_thread_join    (GhloThread      *self);
/* The same for a thread that nobody waits for. */
gboolean    ghlo_thread_start   (const char      *name,
                                 GThreadFunc      func,
                                 gpointer         data,
                                 GError         **error);

G_END_DECLS
