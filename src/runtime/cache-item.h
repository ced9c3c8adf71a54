/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Items that executors keep on disk: files of the cache (runtime/cache.h), of a few kinds. Each file contains its
 * whole key, which is everything that the content depends on, and the key is compared byte by byte. A lookup
 * therefore never returns the content of another key.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  GHLO_CACHE_CODE,              /* the machine code of a kernel */
  GHLO_CACHE_PIPELINE,          /* a Vulkan driver's data for a pipeline */
  GHLO_CACHE_MEASUREMENT,       /* results of measuring how a Vulkan device computes numbers */
  GHLO_CACHE_RATES,             /* the measured rates of a device */
  GHLO_CACHE_N_ITEMS
} GhloCacheItem;

/* Returns whether items are kept; GHLO_CACHE may turn that off. */
gboolean ghlo_cache_keeps_items    (void);
/* Returns the content that was written with the same key, or NULL. */
GBytes  *ghlo_cache_item_read      (GhloCacheItem   item,
                                    GBytes         *key);
/* @title describes the item for people. */
void     ghlo_cache_item_write     (GhloCacheItem   item,
                                    GBytes         *key,
                                    const char     *title,
                                    GBytes         *content);
/* Removes an item whose content turned out to be useless. */
void     ghlo_cache_item_remove    (GhloCacheItem   item,
                                    GBytes         *key);
/* Returns the title in a file of the cache, newly allocated, and sets *@item to its kind; NULL where the file is none
 * of these kinds. */
char    *ghlo_cache_item_summarize (GBytes         *file,
                                    GhloCacheItem  *item);

G_END_DECLS
