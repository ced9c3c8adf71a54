/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads untrusted flatbuffers: tables, scalars, strings and vectors, at any alignment, with every bound checked
 * before an offset is followed. Tables and strings may be shared or point at each other, so the amount of data read
 * and created is limited in proportion to the size of the file (FlatBuffers: docs/source/internals.md).
 */

#pragma once

#include "base/diagnostics.h"
#include "base/fail.h"

G_BEGIN_DECLS

typedef struct
{
  const guint8    *data;         /* borrowed */
  gsize            size;
  gsize            allowance;    /* bytes that may still be read or created */
  const char      *what;         /* "the exported function", for messages */
  GhloDiagnostics *diagnostics;  /* NULL to read without reporting errors */
} GhloFlatbuffer;

typedef struct
{
  gsize at;        /* offset of the table */
  gsize size;      /* size of the table, including its first four bytes */
  gsize fields;    /* offset of the list of field offsets */
  guint n_fields;
} GhloFlatTable;

/* Zeroed if the field is absent. */
typedef struct
{
  gsize at;        /* offset of the first element */
  gsize n;
} GhloFlatVector;

void          ghlo_flatbuffer_init    (GhloFlatbuffer  *self,
                                       const guint8    *data,
                                       gsize            size,
                                       const char      *what,
                                       GhloDiagnostics *diagnostics);
gboolean      ghlo_flatbuffer_root    (GhloFlatbuffer  *self,
                                       GhloFlatTable   *table);
/* Returns the offset of the table's field; 0 if absent. */
gsize         ghlo_flat_field         (GhloFlatbuffer  *self,
                                       const GhloFlatTable *table,
                                       guint            field);
/* Reads an unsigned number of 1, 2, 4 or 8 bytes; @fallback if absent. */
gboolean      ghlo_flat_scalar        (GhloFlatbuffer  *self,
                                       const GhloFlatTable *table,
                                       guint            field,
                                       gsize            size,
                                       guint64          fallback,
                                       guint64         *value);
gboolean      ghlo_flat_vector        (GhloFlatbuffer  *self,
                                       const GhloFlatTable *table,
                                       guint            field,
                                       gsize            element_size,
                                       GhloFlatVector  *vector);
/* Returns element @index, which must exist, of a vector of numbers. */
guint64       ghlo_flat_element       (GhloFlatbuffer  *self,
                                       const GhloFlatVector *vector,
                                       gsize            element_size,
                                       gsize            index);
/* Reads UTF-8 text without NULs, not NUL-terminated. If absent, sets @text to NULL and returns TRUE. */
gboolean      ghlo_flat_string        (GhloFlatbuffer  *self,
                                       const GhloFlatTable *table,
                                       guint            field,
                                       const char     **text,
                                       gsize           *length);
/* Read element @index, which must exist, of a vector of strings or tables. */
gboolean      ghlo_flat_string_at     (GhloFlatbuffer  *self,
                                       const GhloFlatVector *vector,
                                       gsize            index,
                                       const char     **text,
                                       gsize           *length);
gboolean      ghlo_flat_table_at      (GhloFlatbuffer  *self,
                                       const GhloFlatVector *vector,
                                       gsize            index,
                                       GhloFlatTable   *table);
/* Reads a required table. */
gboolean      ghlo_flat_table         (GhloFlatbuffer  *self,
                                       const GhloFlatTable *table,
                                       guint            field,
                                       GhloFlatTable   *child);
/* Deducts @n bytes from the allowance. Returns FALSE after adding an error if less is left. */
gboolean      ghlo_flatbuffer_charge  (GhloFlatbuffer  *self,
                                       gsize            at,
                                       gsize            n);
/* Adds an error at that offset. Always returns FALSE. */
gboolean      ghlo_flatbuffer_fail    (GhloFlatbuffer  *self,
                                       gsize            at,
                                       const char      *format,
                                       ...) G_GNUC_PRINTF (3, 4);
#define ghlo_flatbuffer_fail(...) GHLO_FALSE_AFTER (ghlo_flatbuffer_fail (__VA_ARGS__))

G_END_DECLS
