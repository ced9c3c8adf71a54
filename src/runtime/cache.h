/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The cache on disk: small files of one folder, $XDG_CACHE_HOME/ghlo-1.0, which all
 * processes of a user share. It knows names and bytes, not what they stand for.
 *
 * Nothing here is needed, so nothing fails: what cannot be read is not there, what
 * cannot be written is left, and a debug message says why.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Of one file, and of all; beyond the latter those that were not used for the longest
 * time go. */
#define GHLO_CACHE_MAX_FILE ((gsize) 16 << 20)
#define GHLO_CACHE_MAX_SIZE ((guint64) 256 << 20)

/* What GHLO_CACHE says. */
typedef enum
{
  GHLO_CACHE_OFF,       /* "off" */
  GHLO_CACHE_MEMORY,    /* "memory": what is in use is found, nothing is on disk */
  GHLO_CACHE_ON,        /* what pays is kept */
  GHLO_CACHE_ALL,       /* "all": whatever can be kept is kept */
} GhloCacheMode;

typedef struct
{
  char    *name;
  guint64  size;        /* bytes */
  gint64   used;        /* when it was last read or written, µs since 1970 */
} GhloCacheFile;

GhloCacheMode  ghlo_cache_get_mode  (void);
/* Where the folder is, or would be. */
const char    *ghlo_cache_get_path  (void);

/* A name is 16 digits of hexadecimal, in lower case. */
gboolean       ghlo_cache_is_name   (const char    *name);
/* What was written, whole and unchanged; NULL otherwise. A use of the file. */
GBytes        *ghlo_cache_read      (const char    *name);
/* The same, which is no use of it. */
GBytes        *ghlo_cache_peek      (const char    *name);
void           ghlo_cache_write     (const char    *name,
                                     GBytes        *contents);
/* A file that turned out to be of no use. */
void           ghlo_cache_remove    (const char    *name);

/* Of GhloCacheFile, the latest use first. NULL with @error set when there is a folder
 * that is not to be used; no folder is no files. */
GPtrArray     *ghlo_cache_list      (GError       **error);
/* Removes every file that is the cache's. */
gboolean       ghlo_cache_clear     (GError       **error);

/* For tests: removes the files of least use until @size bytes are left. */
void           ghlo_cache_shrink    (guint64        size);

G_END_DECLS
