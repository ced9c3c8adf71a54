/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads flatbuffers. Every offset is below the file's size, and
 * numbers are read byte by byte, so nothing depends on alignment.
 */

#include "import/exported/flatbuffer.h"

#include "base/ghlo-error.h"

#define OFFSET_SIZE 4   /* bytes of an offset to a table, a string or a vector */
#define ENTRY_SIZE  2   /* bytes of an offset to a field, in the list of fields */

/* The amount of work that a file may cause: values that share a type take four bytes each in the file, but each of
 * them reads the type again. */
#define ALLOWANCE_FACTOR 64
#define ALLOWANCE_BASE   65536
#define TABLE_COST       16

void
ghlo_flatbuffer_init (GhloFlatbuffer  *self,
                      const guint8    *data,
                      gsize            size,
                      const char      *what,
                      GhloDiagnostics *diagnostics)
{
  *self = (GhloFlatbuffer) {
    .data = data,
    .size = size,
    .allowance = size > G_MAXSIZE / ALLOWANCE_FACTOR - ALLOWANCE_BASE ? G_MAXSIZE
                                                                      : ALLOWANCE_BASE + size * ALLOWANCE_FACTOR,
    .what = what,
    .diagnostics = diagnostics,
  };
}

gboolean
(ghlo_flatbuffer_fail) (GhloFlatbuffer *self,
                        gsize           at,
                        const char     *format,
                        ...)
{
  g_autofree char *message = NULL;
  va_list args;

  if (self->diagnostics == NULL)
    return FALSE;
  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  ghlo_diagnostics_add (self->diagnostics, GHLO_SEVERITY_ERROR, GHLO_ERROR_PARSE, 0, 0,
                        "at byte %" G_GSIZE_FORMAT ", in %s: %s", at, self->what, message);

  return FALSE;
}

gboolean
ghlo_flatbuffer_charge (GhloFlatbuffer *self,
                        gsize           at,
                        gsize           n)
{
  if (n > self->allowance)
    {
      self->allowance = 0;
      return ghlo_flatbuffer_fail (self, at, "expected work in proportion to the file's size, found the same tables "
                                   "or strings used over and over");
    }
  self->allowance -= n;

  return TRUE;
}

static gboolean
check_range (GhloFlatbuffer *self,
             gsize           at,
             gsize           size,
             const char     *what)
{
  if (at <= self->size && size <= self->size - at)
    return TRUE;

  return ghlo_flatbuffer_fail (self, at, "expected %" G_GSIZE_FORMAT " bytes of %s, found the end of the file at byte %"
                               G_GSIZE_FORMAT, size, what, self->size);
}

static guint64
read_number (const GhloFlatbuffer *self,
             gsize                 at,
             gsize                 size)
{
  guint64 value = 0;

  for (gsize i = size; i > 0; i--)
    value = value << 8 | self->data[at + i - 1];

  return value;
}

/* Returns the target of the offset at @at; offsets only point forward. */
static gboolean
follow (GhloFlatbuffer *self,
        gsize           at,
        const char     *what,
        gsize          *target)
{
  guint64 offset;

  if (!check_range (self, at, OFFSET_SIZE, "an offset"))
    return FALSE;
  offset = read_number (self, at, OFFSET_SIZE);
  if (offset == 0 || offset > self->size - at)
    return ghlo_flatbuffer_fail (self, at, "expected the offset of %s within the file, found %" G_GUINT64_FORMAT,
                                 what, offset);
  *target = at + offset;

  return check_range (self, *target, OFFSET_SIZE, what);
}

/* A table starts with the signed distance back to its field
 * list, which starts with its own size and that of the table. */
static gboolean
open_table (GhloFlatbuffer *self,
            gsize           at,
            GhloFlatTable  *table)
{
  gint64 distance = (gint32) read_number (self, at, OFFSET_SIZE), list = (gint64) at - distance;
  gsize list_size, size;

  if (!ghlo_flatbuffer_charge (self, at, TABLE_COST))
    return FALSE;
  if (list < 0)
    return ghlo_flatbuffer_fail (self, at, "expected a list of fields within the file, found it at %" G_GINT64_FORMAT,
                                 list);
  if (!check_range (self, list, 2 * ENTRY_SIZE, "a list of fields"))
    return FALSE;
  list_size = read_number (self, list, ENTRY_SIZE);
  size = read_number (self, list + ENTRY_SIZE, ENTRY_SIZE);
  if (list_size < 2 * ENTRY_SIZE || list_size % ENTRY_SIZE != 0)
    return ghlo_flatbuffer_fail (self, list, "expected the size of a list of fields, found %" G_GSIZE_FORMAT,
                                 list_size);
  if (!check_range (self, list, list_size, "a list of fields") || !check_range (self, at, size, "a table"))
    return FALSE;
  *table = (GhloFlatTable) {
    .at = at,
    .size = size,
    .fields = list + 2 * ENTRY_SIZE,
    .n_fields = list_size / ENTRY_SIZE - 2,
  };

  return TRUE;
}

gboolean
ghlo_flatbuffer_root (GhloFlatbuffer *self,
                      GhloFlatTable  *table)
{
  gsize at;

  return follow (self, 0, "the first table", &at) && open_table (self, at, table);
}

gsize
ghlo_flat_field (GhloFlatbuffer      *self,
                 const GhloFlatTable *table,
                 guint                field)
{
  gsize offset;

  if (field >= table->n_fields)
    return 0;
  offset = read_number (self, table->fields + field * ENTRY_SIZE, ENTRY_SIZE);

  return offset == 0 ? 0 : table->at + offset;
}

/* Returns FALSE after an error if the field extends beyond its table. */
static gboolean
find_field (GhloFlatbuffer      *self,
            const GhloFlatTable *table,
            guint                field,
            gsize                size,
            gsize               *at)
{
  *at = ghlo_flat_field (self, table, field);
  if (*at == 0 || (*at - table->at <= table->size && size <= table->size - (*at - table->at)))
    return TRUE;

  return ghlo_flatbuffer_fail (self, table->fields + field * ENTRY_SIZE,
                               "expected a field of %" G_GSIZE_FORMAT " bytes within a table of %" G_GSIZE_FORMAT
                               ", found it at %" G_GSIZE_FORMAT, size, table->size, *at - table->at);
}

gboolean
ghlo_flat_scalar (GhloFlatbuffer      *self,
                  const GhloFlatTable *table,
                  guint                field,
                  gsize                size,
                  guint64              fallback,
                  guint64             *value)
{
  gsize at;

  if (!find_field (self, table, field, size, &at))
    return FALSE;
  *value = at == 0 ? fallback : read_number (self, at, size);

  return TRUE;
}

static gboolean
open_vector (GhloFlatbuffer *self,
             gsize           at,
             gsize           element_size,
             const char     *what,
             GhloFlatVector *vector)
{
  gsize start;

  if (!follow (self, at, what, &start))
    return FALSE;
  vector->n = read_number (self, start, OFFSET_SIZE);
  vector->at = start + OFFSET_SIZE;
  if (vector->n <= (self->size - vector->at) / element_size)
    return TRUE;

  return ghlo_flatbuffer_fail (self, start, "expected the length of %s within the file, found %" G_GSIZE_FORMAT,
                               what, vector->n);
}

gboolean
ghlo_flat_vector (GhloFlatbuffer      *self,
                  const GhloFlatTable *table,
                  guint                field,
                  gsize                element_size,
                  GhloFlatVector      *vector)
{
  gsize at;

  *vector = (GhloFlatVector) { 0 };
  if (!find_field (self, table, field, OFFSET_SIZE, &at))
    return FALSE;

  return at == 0 || open_vector (self, at, element_size, "a vector", vector);
}

guint64
ghlo_flat_element (GhloFlatbuffer       *self,
                   const GhloFlatVector *vector,
                   gsize                 element_size,
                   gsize                 index)
{
  return read_number (self, vector->at + index * element_size, element_size);
}

static gboolean
open_string (GhloFlatbuffer *self,
             gsize           at,
             const char    **text,
             gsize          *length)
{
  GhloFlatVector vector;

  if (!open_vector (self, at, 1, "a string", &vector))
    return FALSE;
  *text = (const char *) self->data + vector.at;
  *length = vector.n;
  if (!ghlo_flatbuffer_charge (self, vector.at, TABLE_COST + vector.n))
    return FALSE;
  if (g_utf8_validate_len (*text, *length, NULL))
    return TRUE;

  return ghlo_flatbuffer_fail (self, vector.at, "expected a string in UTF-8, found other bytes");
}

gboolean
ghlo_flat_string (GhloFlatbuffer      *self,
                  const GhloFlatTable *table,
                  guint                field,
                  const char         **text,
                  gsize               *length)
{
  gsize at;

  *text = NULL;
  *length = 0;
  if (!find_field (self, table, field, OFFSET_SIZE, &at))
    return FALSE;

  return at == 0 || open_string (self, at, text, length);
}

gboolean
ghlo_flat_string_at (GhloFlatbuffer       *self,
                     const GhloFlatVector *vector,
                     gsize                 index,
                     const char          **text,
                     gsize                *length)
{
  return open_string (self, vector->at + index * OFFSET_SIZE, text, length);
}

gboolean
ghlo_flat_table_at (GhloFlatbuffer       *self,
                    const GhloFlatVector *vector,
                    gsize                 index,
                    GhloFlatTable        *table)
{
  gsize at;

  return follow (self, vector->at + index * OFFSET_SIZE, "a table", &at) && open_table (self, at, table);
}

gboolean
ghlo_flat_table (GhloFlatbuffer      *self,
                 const GhloFlatTable *table,
                 guint                field,
                 GhloFlatTable       *child)
{
  gsize at, target;

  if (!find_field (self, table, field, OFFSET_SIZE, &at))
    return FALSE;
  if (at == 0)
    return ghlo_flatbuffer_fail (self, table->at, "expected a table in field %u, found none", field);

  return follow (self, at, "a table", &target) && open_table (self, target, child);
}
