/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reading of flatbuffers that come from strangers: tables, scalars, strings and
 * vectors, at any alignment, each bound checked before it is followed. Tables and
 * strings may be shared or point at each other, so what is read and what is made
 * of it is counted: a file cannot ask for more than in proportion to its size.
 * (FlatBuffers: docs/source/internals.md)
 */

#pragma once

#include "base/diagnostics.h"
#include "base/fail.h"

G_BEGIN_DECLS

typedef struct
{
  const guint8    *data;         /* borrowed */
  gsize            size;
  gsize            allowance;    /* bytes that may still be read or made */
  const char      *what;         /* "the exported function", for messages */
  GhloDiagnostics *diagnostics;  /* NULL to look without complaining */
} GhloFlatbuffer;

typedef struct
{
  gsize at;        /* of the table */
  gsize size;      /* of the table's fields, with the first four bytes */
  gsize fields;    /* where the offsets of the fields are listed */
  guint n_fields;
} GhloFlatTable;

/* Zeroed when the field is absent. */
typedef struct
{
  gsize at;        /* of the first element */
  gsize n;
} GhloFlatVector;

void          ghlo_flatbuffer_init    (GhloFlatbuffer  *self,
                                       const guint8    *data,
                                       gsize            size,
                                       const char      *what,
                                       GhloDiagnostics *diagnostics);
gboolean      ghlo_flatbuffer_root    (GhloFlatbuffer  *self,
                                       GhloFlatTable   *table);
/* Where the table's field starts; 0 when it is absent. */
gsize         ghlo_flat_field         (GhloFlatbuffer  *self,
                                       const GhloFlatTable *table,
                                       guint            field);
/* An unsigned number of 1, 2, 4 or 8 bytes; @fallback when absent. */
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
/* Element @index, which exists, of a vector of numbers. */
guint64       ghlo_flat_element       (GhloFlatbuffer  *self,
                                       const GhloFlatVector *vector,
                                       gsize            element_size,
                                       gsize            index);
/* UTF-8 without NULs, not terminated; NULL and TRUE when absent. */
gboolean      ghlo_flat_string        (GhloFlatbuffer  *self,
                                       const GhloFlatTable *table,
                                       guint            field,
                                       const char     **text,
                                       gsize           *length);
/* Element @index, which exists, of a vector of strings or tables. */
gboolean      ghlo_flat_string_at     (GhloFlatbuffer  *self,
                                       const GhloFlatVector *vector,
                                       gsize            index,
                                       const char     **text,
                                       gsize           *length);
gboolean      ghlo_flat_table_at      (GhloFlatbuffer  *self,
                                       const GhloFlatVector *vector,
                                       gsize            index,
                                       GhloFlatTable   *table);
/* A table that must be there. */
gboolean      ghlo_flat_table         (GhloFlatbuffer  *self,
                                       const GhloFlatTable *table,
                                       guint            field,
                                       GhloFlatTable   *child);
/* Takes @n bytes off the allowance; FALSE after a finding when it has less. */
gboolean      ghlo_flatbuffer_charge  (GhloFlatbuffer  *self,
                                       gsize            at,
                                       gsize            n);
/* Adds a finding at that offset; gives FALSE. */
gboolean      ghlo_flatbuffer_fail    (GhloFlatbuffer  *self,
                                       gsize            at,
                                       const char      *format,
                                       ...) G_GNUC_PRINTF (3, 4);
#define ghlo_flatbuffer_fail(...) GHLO_FALSE_AFTER (ghlo_flatbuffer_fail (__VA_ARGS__))

G_END_DECLS
