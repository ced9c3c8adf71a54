/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Machine code as files of the cache on disk (runtime/cache.h). A file has all that its code depends on, byte by byte,
 * so that what is found is never another kernel's.
 */

#pragma once

#include "cpu/emit/emit.h"

G_BEGIN_DECLS

/* What code of @kernel depends on, where the emitter @id makes it. */
GBytes   *ghlo_code_key             (const GhloKernel          *kernel,
                                     const GhloKernelSchedule  *schedule,
                                     const GhloCodeTarget      *target,
                                     const char                *id);
/* The blob that was written with the same key, or NULL. */
GBytes   *ghlo_code_entry_read      (GBytes                    *key);
/* @name: for people. */
void      ghlo_code_entry_write     (GBytes                    *key,
                                     const char                *name,
                                     GBytes                    *blob);
/* A blob that turned out to be of no use. */
void      ghlo_code_entry_remove    (GBytes                    *key);
/* Of a file's contents: the name of the kernel, newly allocated; NULL where it is no code. */
char     *ghlo_code_entry_summarize (GBytes                    *contents);

G_END_DECLS
