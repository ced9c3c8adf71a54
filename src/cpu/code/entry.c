/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A file is a header, the key, the kernel's name and the blob. Its own name is a hash of the key; two keys of one name
 * share a file in turns. Hits are meant to take microseconds: nothing here is hashed that strongly.
 */

#include "cpu/code/entry.h"

#include <string.h>

#include "base/hash.h"
#include "runtime/cache.h"

static const char magic[8] = { 'G', 'H', 'L', 'O', 'K', 'E', 'R', '1' };

typedef struct
{
  char    magic[8];
  guint32 key_size;     /* bytes, as are the others */
  guint32 name_size;
} Header;

static void
append_text (GByteArray *bytes,
             const char *text)
{
  g_byte_array_append (bytes, (const guint8 *) text, (guint) strlen (text) + 1);
}

GBytes *
ghlo_code_key (const GhloKernel         *kernel,
               const GhloKernelSchedule *schedule,
               const GhloCodeTarget     *target,
               const char               *id)
{
  GByteArray *bytes = g_byte_array_sized_new (4096);
  const guint32 numbers[] = { target->vector_bytes, target->masked_bytes, target->has_fma, target->has_rounding,
                              schedule->lanes, schedule->width, schedule->cuts };

  append_text (bytes, id);
  append_text (bytes, target->triple);
  append_text (bytes, target->cpu);
  append_text (bytes, target->features);
  g_byte_array_append (bytes, (const guint8 *) numbers, sizeof numbers);
  ghlo_kernel_append_key (kernel, bytes);

  return g_byte_array_free_to_bytes (bytes);
}

enum { NAME_SIZE = 17 };

static void
name_of (GBytes *key,
         char    name[NAME_SIZE])
{
  static const guint64 words[2] = { 0x676c686f2d636f64, 0x652d66696c657321 };
  gsize size;
  const guint8 *data = g_bytes_get_data (key, &size);

  g_snprintf (name, NAME_SIZE, "%016" G_GINT64_MODIFIER "x", ghlo_hash_keyed (words, 1, 3, data, size));
}

/* FALSE where @contents are no code. */
static gboolean
read_header (GBytes *contents,
             Header *header)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (contents, &size);

  if (size < sizeof *header)
    return FALSE;
  memcpy (header, data, sizeof *header);

  return memcmp (header->magic, magic, sizeof magic) == 0
         && (guint64) header->key_size + header->name_size <= size - sizeof *header;
}

GBytes *
ghlo_code_entry_read (GBytes *key)
{
  g_autoptr (GBytes) contents = NULL;
  char name[NAME_SIZE];
  Header header;
  const guint8 *data;
  gsize size, start;

  name_of (key, name);
  contents = ghlo_cache_read (name);
  if (contents == NULL || !read_header (contents, &header))
    return NULL;
  data = g_bytes_get_data (contents, &size);
  if (header.key_size != g_bytes_get_size (key)
      || memcmp (data + sizeof header, g_bytes_get_data (key, NULL), header.key_size) != 0)
    {
      g_debug ("the cache has other machine code in the file '%s'", name);
      return NULL;
    }
  start = sizeof header + header.key_size + header.name_size;

  return g_bytes_new_from_bytes (contents, start, size - start);
}

void
ghlo_code_entry_write (GBytes     *key,
                       const char *kernel_name,
                       GBytes     *blob)
{
  GByteArray *bytes = g_byte_array_new ();
  Header header = { .key_size = (guint32) g_bytes_get_size (key), .name_size = (guint32) strlen (kernel_name) + 1 };
  g_autoptr (GBytes) contents = NULL;
  char name[NAME_SIZE];

  memcpy (header.magic, magic, sizeof magic);
  g_byte_array_append (bytes, (const guint8 *) &header, sizeof header);
  g_byte_array_append (bytes, g_bytes_get_data (key, NULL), header.key_size);
  append_text (bytes, kernel_name);
  g_byte_array_append (bytes, g_bytes_get_data (blob, NULL), (guint) g_bytes_get_size (blob));
  contents = g_byte_array_free_to_bytes (bytes);
  name_of (key, name);
  ghlo_cache_write (name, contents);
}

void
ghlo_code_entry_remove (GBytes *key)
{
  char name[NAME_SIZE];

  name_of (key, name);
  ghlo_cache_remove (name);
}

char *
ghlo_code_entry_summarize (GBytes *contents)
{
  const char *data = g_bytes_get_data (contents, NULL);
  Header header;

  if (!read_header (contents, &header))
    return NULL;

  return g_utf8_make_valid (data + sizeof header + header.key_size,
                            (gssize) strnlen (data + sizeof header + header.key_size, header.name_size));
}
