/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The cache on disk: small files in one folder, $XDG_CACHE_HOME/ghlo-1.0, shared by all processes of a user. This
 * module handles names and bytes and does not interpret the contents.
 *
 * The cache is optional, so its functions do not fail: a file that cannot be read counts as missing, a file that
 * cannot be written is skipped, and a debug message says why.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The largest size of one file, and of all files together. Beyond the latter the least recently used files are
 * removed. */
#define GHLO_CACHE_MAX_FILE ((gsize) 16 << 20)
#define GHLO_CACHE_MAX_SIZE ((guint64) 256 << 20)

/* The values of GHLO_CACHE. */
typedef enum
{
  GHLO_CACHE_OFF,       /* "off" */
  GHLO_CACHE_MEMORY,    /* "memory": only what is in use is shared; nothing is on disk */
  GHLO_CACHE_ON,        /* the default: what is worth its space is kept */
  GHLO_CACHE_ALL,       /* "all": everything that can be kept is kept */
} GhloCacheMode;

typedef struct
{
  char    *name;
  guint64  size;        /* bytes */
  gint64   used;        /* time of the last read or write, in µs since 1970 */
} GhloCacheFile;

GhloCacheMode  ghlo_cache_get_mode  (void);
/* Returns the path of the folder, which may not exist yet. */
const char    *ghlo_cache_get_path  (void);

/* A name consists of 16 hexadecimal digits in lower case. */
gboolean       ghlo_cache_is_name   (const char    *name);
/* Returns the contents if they are complete and undamaged, else NULL. Counts as a use of the file. */
GBytes        *ghlo_cache_read      (const char    *name);
/* The same, without counting as a use. */
GBytes        *ghlo_cache_peek      (const char    *name);
void           ghlo_cache_write     (const char    *name,
                                     GBytes        *contents);
/* Removes a file that turned out to be useless. */
void           ghlo_cache_remove    (const char    *name);

/* Returns an array of GhloCacheFile, the most recently used first. Returns NULL with @error set when the folder exists
 * but must not be used; an array without files when there is no folder. */
GPtrArray     *ghlo_cache_list      (GError       **error);
/* Removes all files of the cache. */
gboolean       ghlo_cache_clear     (GError       **error);

/* For tests: removes the least recently used files until at most @size bytes are left. */
void           ghlo_cache_shrink    (guint64        size);

G_END_DECLS
