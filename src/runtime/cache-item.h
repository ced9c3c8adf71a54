/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What executors keep on disk: files of the cache (runtime/cache.h), of a few kinds. A file has all that its content
 * depends on, byte by byte, so that what is found is never another's.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  GHLO_CACHE_CODE,              /* machine code of a kernel */
  GHLO_CACHE_PIPELINE,          /* what a Vulkan driver keeps of a pipeline */
  GHLO_CACHE_MEASUREMENT,       /* what a Vulkan device makes of numbers */
  GHLO_CACHE_RATES,             /* how fast a device is */
  GHLO_CACHE_REFINEMENT,        /* what runs have corrected of that */
  GHLO_CACHE_N_ITEMS
} GhloCacheItem;

/* GHLO_CACHE may say that nothing is kept. */
gboolean ghlo_cache_keeps_items    (void);
/* What was written with the same key, or NULL. */
GBytes  *ghlo_cache_item_read      (GhloCacheItem   item,
                                    GBytes         *key);
/* @title: for people. */
void     ghlo_cache_item_write     (GhloCacheItem   item,
                                    GBytes         *key,
                                    const char     *title,
                                    GBytes         *content);
/* Content that turned out to be of no use. */
void     ghlo_cache_item_remove    (GhloCacheItem   item,
                                    GBytes         *key);
/* The title in a file of the cache, newly allocated, and what it is of; NULL where it is none of these. */
char    *ghlo_cache_item_summarize (GBytes         *file,
                                    GhloCacheItem  *item);

G_END_DECLS
