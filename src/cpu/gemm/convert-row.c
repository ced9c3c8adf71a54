/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Looks conversions up in a table of vectorized routines; all others go through base/element.h, one element at a
 * time.
 */

#include "cpu/gemm/convert-row.h"

#include <string.h>

/* Rows of a plane that are shorter are converted together. */
enum { CHUNK = 256, N_PATTERNS = 256, SHORT_ROW = 64 };

typedef struct
{
  GhloElementType   from;
  GhloCpuConversion conversion;
} Row;

static const Row reads[GHLO_CPU_N_ARITHMETICS][10] = {
  [GHLO_CPU_F32] = {
    { GHLO_ELEMENT_TYPE_BF16, GHLO_CPU_BF16_TO_F32 },
    { GHLO_ELEMENT_TYPE_F16, GHLO_CPU_F16_TO_F32 },
  },
  [GHLO_CPU_F64] = {
    { GHLO_ELEMENT_TYPE_F32, GHLO_CPU_F32_TO_F64 },
  },
  [GHLO_CPU_I16] = {
    { GHLO_ELEMENT_TYPE_I1, GHLO_CPU_U8_TO_I16 },
    { GHLO_ELEMENT_TYPE_I2, GHLO_CPU_I8_TO_I16 },
    { GHLO_ELEMENT_TYPE_I4, GHLO_CPU_I8_TO_I16 },
    { GHLO_ELEMENT_TYPE_I8, GHLO_CPU_I8_TO_I16 },
    { GHLO_ELEMENT_TYPE_UI2, GHLO_CPU_U8_TO_I16 },
    { GHLO_ELEMENT_TYPE_UI4, GHLO_CPU_U8_TO_I16 },
    { GHLO_ELEMENT_TYPE_UI8, GHLO_CPU_U8_TO_I16 },
  },
  [GHLO_CPU_I32] = {
    { GHLO_ELEMENT_TYPE_I8, GHLO_CPU_I8_TO_I32 },
    { GHLO_ELEMENT_TYPE_I16, GHLO_CPU_I16_TO_I32 },
    { GHLO_ELEMENT_TYPE_I64, GHLO_CPU_I64_TO_I32 },
    { GHLO_ELEMENT_TYPE_INDEX, GHLO_CPU_I64_TO_I32 },
    { GHLO_ELEMENT_TYPE_I1, GHLO_CPU_U8_TO_I32 },
    { GHLO_ELEMENT_TYPE_UI8, GHLO_CPU_U8_TO_I32 },
    { GHLO_ELEMENT_TYPE_UI16, GHLO_CPU_U16_TO_I32 },
    { GHLO_ELEMENT_TYPE_UI64, GHLO_CPU_I64_TO_I32 },
  },
  [GHLO_CPU_I64] = {
    { GHLO_ELEMENT_TYPE_I8, GHLO_CPU_I8_TO_I64 },
    { GHLO_ELEMENT_TYPE_I16, GHLO_CPU_I16_TO_I64 },
    { GHLO_ELEMENT_TYPE_I32, GHLO_CPU_I32_TO_I64 },
    { GHLO_ELEMENT_TYPE_I1, GHLO_CPU_U8_TO_I64 },
    { GHLO_ELEMENT_TYPE_UI8, GHLO_CPU_U8_TO_I64 },
    { GHLO_ELEMENT_TYPE_UI16, GHLO_CPU_U16_TO_I64 },
    { GHLO_ELEMENT_TYPE_UI32, GHLO_CPU_U32_TO_I64 },
  },
};

static const Row writes[GHLO_CPU_N_ARITHMETICS][10] = {
  [GHLO_CPU_F32] = {
    { GHLO_ELEMENT_TYPE_BF16, GHLO_CPU_F32_TO_BF16 },
    { GHLO_ELEMENT_TYPE_F16, GHLO_CPU_F32_TO_F16 },
  },
  [GHLO_CPU_F64] = {
    { GHLO_ELEMENT_TYPE_F32, GHLO_CPU_F64_TO_F32 },
  },
  [GHLO_CPU_I32] = {
    { GHLO_ELEMENT_TYPE_I8, GHLO_CPU_I32_TO_I8 },
    { GHLO_ELEMENT_TYPE_I16, GHLO_CPU_I32_TO_I16 },
    { GHLO_ELEMENT_TYPE_UI8, GHLO_CPU_I32_TO_I8 },
    { GHLO_ELEMENT_TYPE_UI16, GHLO_CPU_I32_TO_I16 },
  },
  [GHLO_CPU_I64] = {
    { GHLO_ELEMENT_TYPE_I8, GHLO_CPU_I64_TO_I8 },
    { GHLO_ELEMENT_TYPE_I16, GHLO_CPU_I64_TO_I16 },
    { GHLO_ELEMENT_TYPE_I32, GHLO_CPU_I64_TO_I32 },
    { GHLO_ELEMENT_TYPE_UI8, GHLO_CPU_I64_TO_I8 },
    { GHLO_ELEMENT_TYPE_UI16, GHLO_CPU_I64_TO_I16 },
    { GHLO_ELEMENT_TYPE_UI32, GHLO_CPU_I64_TO_I32 },
  },
};

static GhloCpuConvertFunc
find_conversion (const Row       *rows,
                 gsize            n,
                 GhloElementType  type)
{
  for (gsize i = 0; i < n && rows[i].from != GHLO_ELEMENT_TYPE_INVALID; i++)
    if (rows[i].from == type)
      return ghlo_cpu_routines ()->convert[rows[i].conversion];

  return NULL;
}

static gboolean
is_integral (const GhloElementInfo *info)
{
  return info->element_class == GHLO_ELEMENT_CLASS_BOOLEAN || info->element_class == GHLO_ELEMENT_CLASS_SIGNED
         || info->element_class == GHLO_ELEMENT_CLASS_UNSIGNED;
}

static gboolean
is_float_arithmetic (GhloCpuArithmetic arithmetic)
{
  return arithmetic == GHLO_CPU_F32 || arithmetic == GHLO_CPU_F64;
}

static float
value_of_byte (GhloElementType type,
               guint8          byte)
{
  const GhloElementClass element_class = ghlo_element_info (type)->element_class;

  if (element_class == GHLO_ELEMENT_CLASS_FLOAT)
    return (float) ghlo_float_from_bits (type, byte);

  return element_class == GHLO_ELEMENT_CLASS_SIGNED ? (gint8) byte : byte;
}

/* The values of all bit patterns of @type; computed once and kept. */
static const float *
get_values (GhloElementType type)
{
  static gsize tables[GHLO_ELEMENT_TYPE_INDEX + 1];

  if (g_once_init_enter (&tables[type]))
    {
      float *values = g_new (float, N_PATTERNS);

      for (guint i = 0; i < N_PATTERNS; i++)
        values[i] = value_of_byte (type, (guint8) i);
      g_once_init_leave (&tables[type], (gsize) values);
    }

  return (const float *) tables[type];
}

gboolean
ghlo_cpu_reader_init_numbers (GhloCpuReader   *self,
                              GhloElementType  type)
{
  const GhloElementInfo *info = ghlo_element_info (type);

  if (!is_integral (info))
    return ghlo_cpu_reader_init (self, type, GHLO_CPU_F32);
  *self = (GhloCpuReader) { .type = type, .n_parts = 1, .size = 1, .to_size = sizeof (float),
                            .arithmetic = GHLO_CPU_F32 };
  if (info->size == 1)
    self->values = get_values (type);

  return self->values != NULL;
}

gboolean
ghlo_cpu_reader_init (GhloCpuReader     *self,
                      GhloElementType    type,
                      GhloCpuArithmetic  arithmetic)
{
  const GhloElementInfo *info = ghlo_element_info (type);

  *self = (GhloCpuReader) {
    .type = type, .n_parts = 1, .size = info->size, .to_size = (guint) ghlo_cpu_arithmetic_size (arithmetic),
    .arithmetic = arithmetic,
    .convert = find_conversion (reads[arithmetic], G_N_ELEMENTS (reads[arithmetic]), type),
  };
  if (is_float_arithmetic (arithmetic))
    {
      if (info->element_class != GHLO_ELEMENT_CLASS_FLOAT || info->bits > self->to_size * 8)
        return FALSE;
      self->same = info->size == self->to_size;
      if (arithmetic == GHLO_CPU_F32 && info->size == 1)
        self->values = get_values (type);
      return TRUE;
    }
  if (!is_integral (info))
    return FALSE;
  self->same = info->size == self->to_size;

  /* A 16-bit unsigned number does not fit into I16. Wider sums only need the low bits. */
  return arithmetic != GHLO_CPU_I16
         || (info->size <= 2 && !(info->size == 2 && info->element_class == GHLO_ELEMENT_CLASS_UNSIGNED));
}

gboolean
ghlo_cpu_writer_init (GhloCpuWriter     *self,
                      GhloElementType    type,
                      GhloCpuArithmetic  arithmetic)
{
  const GhloElementInfo *info = ghlo_element_info (type);

  if (arithmetic == GHLO_CPU_I16)
    arithmetic = GHLO_CPU_I32;
  *self = (GhloCpuWriter) {
    .type = type, .n_parts = 1, .size = info->size, .from_size = (guint) ghlo_cpu_sum_size (arithmetic),
    .arithmetic = arithmetic,
    .convert = find_conversion (writes[arithmetic], G_N_ELEMENTS (writes[arithmetic]), type),
  };
  self->same = info->size == self->from_size;

  if (is_float_arithmetic (arithmetic))
    return info->element_class == GHLO_ELEMENT_CLASS_FLOAT;

  return is_integral (info) && info->size <= self->from_size;
}

void
ghlo_cpu_reader_pair (GhloCpuReader *self)
{
  self->n_parts = 2;
  self->size *= 2;
  self->to_size *= 2;
}

void
ghlo_cpu_writer_pair (GhloCpuWriter *self)
{
  self->n_parts = 2;
  self->size *= 2;
  self->from_size *= 2;
}

typedef struct
{
  guint64 parts[2];
} Pair;

#define STRIDED(name, T) \
  static void \
  gather_##name (const guint8 *from, gint64 stride, T *to, gsize n) \
  { \
    for (gsize i = 0; i < n; i++) \
      memcpy (to + i, from + (gint64) i * stride, sizeof (T)); \
  } \
\
  static void \
  scatter_##name (const T *from, guint8 *to, gint64 stride, gsize n) \
  { \
    for (gsize i = 0; i < n; i++) \
      memcpy (to + (gint64) i * stride, from + i, sizeof (T)); \
  }

STRIDED (1, guint8)
STRIDED (2, guint16)
STRIDED (4, guint32)
STRIDED (8, guint64)
STRIDED (16, Pair)

/* Copies strided elements to adjacent ones, unconverted. */
static void
gather (guint         size,
        const guint8 *from,
        gint64        stride,
        gpointer      to,
        gsize         n)
{
  if (stride == size)
    memcpy (to, from, n * size);
  else if (size == 4)
    gather_4 (from, stride, to, n);
  else if (size == 8)
    gather_8 (from, stride, to, n);
  else if (size == 16)
    gather_16 (from, stride, to, n);
  else if (size == 2)
    gather_2 (from, stride, to, n);
  else
    gather_1 (from, stride, to, n);
}

static void
scatter (guint         size,
         gconstpointer from,
         guint8       *to,
         gint64        stride,
         gsize         n)
{
  if (stride == size)
    memcpy (to, from, n * size);
  else if (size == 4)
    scatter_4 (from, to, stride, n);
  else if (size == 8)
    scatter_8 (from, to, stride, n);
  else if (size == 16)
    scatter_16 (from, to, stride, n);
  else if (size == 2)
    scatter_2 (from, to, stride, n);
  else
    scatter_1 (from, to, stride, n);
}

static void
read_adjacent (const GhloCpuReader *self,
               const guint8        *from,
               gpointer             to,
               gsize                n_elements)
{
  gsize n = n_elements * self->n_parts;
  guint size = self->size / self->n_parts;

  if (self->convert != NULL)
    {
      self->convert (from, to, n);
      return;
    }
  if (self->values != NULL)
    {
      for (gsize i = 0; i < n; i++)
        ((float *) to)[i] = self->values[from[i]];
      return;
    }
  for (gsize i = 0; i < n; i++)
    {
      GhloScalar scalar = ghlo_element_load (self->type, from + i * size);

      switch (self->arithmetic)
        {
        case GHLO_CPU_F32: ((float *) to)[i] = (float) scalar.f; break;
        case GHLO_CPU_F64: ((double *) to)[i] = scalar.f; break;
        case GHLO_CPU_I16: ((guint16 *) to)[i] = (guint16) scalar.u; break;
        case GHLO_CPU_I32: ((guint32 *) to)[i] = (guint32) scalar.u; break;
        default: ((guint64 *) to)[i] = scalar.u; break;
        }
    }
}

void
ghlo_cpu_read_row (const GhloCpuReader *self,
                   const guint8        *from,
                   gint64               stride,
                   gpointer             to,
                   gsize                n)
{
  Pair chunk[CHUNK];

  if (self->same)
    {
      gather (self->size, from, stride, to, n);
      return;
    }
  if (stride == self->size)
    {
      read_adjacent (self, from, to, n);
      return;
    }
  for (gsize i = 0; i < n; i += CHUNK)
    {
      gsize part = MIN (n - i, CHUNK);

      gather (self->size, from + (gint64) i * stride, stride, chunk, part);
      read_adjacent (self, (const guint8 *) chunk, (guint8 *) to + i * self->to_size, part);
    }
}

static void
write_adjacent (const GhloCpuWriter *self,
                const guint8        *from,
                guint8              *to,
                gsize                n_elements)
{
  gsize n = n_elements * self->n_parts;
  guint size = self->size / self->n_parts;
  gboolean truth = ghlo_element_info (self->type)->element_class == GHLO_ELEMENT_CLASS_BOOLEAN;

  if (self->convert != NULL)
    {
      self->convert (from, to, n);
      return;
    }
  for (gsize i = 0; i < n; i++)
    {
      GhloScalar scalar;

      switch (self->arithmetic)
        {
        case GHLO_CPU_F32: scalar.f = ((const float *) (gconstpointer) from)[i]; break;
        case GHLO_CPU_F64: scalar.f = ((const double *) (gconstpointer) from)[i]; break;
        case GHLO_CPU_I64: scalar.i = ((const gint64 *) (gconstpointer) from)[i]; break;
        default: scalar.i = ((const gint32 *) (gconstpointer) from)[i]; break;
        }
      if (truth)
        scalar.i = scalar.i != 0;
      ghlo_element_store (self->type, to + i * size, scalar);
    }
}

void
ghlo_cpu_write_row (const GhloCpuWriter *self,
                    gconstpointer        from,
                    guint8              *to,
                    gint64               stride,
                    gsize                n)
{
  Pair chunk[CHUNK];

  if (self->same)
    {
      scatter (self->size, from, to, stride, n);
      return;
    }
  if (stride == self->size)
    {
      write_adjacent (self, from, to, n);
      return;
    }
  for (gsize i = 0; i < n; i += CHUNK)
    {
      gsize part = MIN (n - i, CHUNK);

      write_adjacent (self, (const guint8 *) from + i * self->from_size, (guint8 *) chunk, part);
      scatter (self->size, chunk, to + (gint64) i * stride, stride, part);
    }
}

void
ghlo_cpu_read_axis (const GhloCpuReader *self,
                    const guint8        *data,
                    const GhloCpuAxis   *axis,
                    gint64               first,
                    gint64               count,
                    guint8              *to)
{
  for (gint64 at = first, end; at < first + count; at = end)
    {
      end = ghlo_cpu_axis_run_end (axis, at, first + count);
      ghlo_cpu_read_row (self, data + ghlo_cpu_axis_at (axis, at), end - at == 1 ? self->size : axis->stride, to,
                         (gsize) (end - at));
      to += (gsize) (end - at) * self->to_size;
    }
}

GhloCpuPlane
ghlo_cpu_read_plane (const GhloCpuReader *reader,
                     const guint8        *data,
                     const GhloCpuAxis   *rows,
                     gint64               first_row,
                     gint64               n_rows,
                     const GhloCpuAxis   *columns,
                     gint64               first,
                     gint64               n,
                     gint64               room,
                     guint8              *to)
{
  const gint64 size = reader->size, row = room * (gint64) reader->to_size;
  const gboolean adjacent = columns->stride == size;
  const gboolean uniform = ghlo_cpu_axis_is_uniform (rows) && ghlo_cpu_axis_is_uniform (columns);
  guint8 *raw = reader->same ? to : to + n_rows * row;

  if (uniform && reader->same && adjacent && room == n)
    return (GhloCpuPlane) { data + first_row * rows->stride + first * size, rows->stride };
  if (!uniform || (adjacent && n >= SHORT_ROW && (rows->stride != room * size || room != n)))
    {
      for (gint64 i = 0; i < n_rows; i++)
        ghlo_cpu_read_axis (reader, data + ghlo_cpu_axis_at (rows, first_row + i), columns, first, n, to + i * row);
      return (GhloCpuPlane) { to, row };
    }
  data += first_row * rows->stride + first * columns->stride;
  if (reader->same || !adjacent || (rows->stride != room * size && n_rows > 1) || room != n)
    {
      const guint unit = g_bit_storage ((gsize) size) - 1;
      const GhloCpuRoutines *routines = ghlo_cpu_routines ();

      (rows->stride == size ? routines->transpose : routines->move)[unit] (data, rows->stride, columns->stride, raw,
                                                                           room * size, size, (gsize) n_rows,
                                                                           (gsize) n);
      data = raw;
    }
  if (!reader->same)
    ghlo_cpu_read_row (reader, data, size, to, (gsize) ((n_rows - 1) * room + n));

  return (GhloCpuPlane) { to, row };
}

void
ghlo_cpu_write_axis (const GhloCpuWriter *self,
                     const guint8        *from,
                     guint8              *data,
                     const GhloCpuAxis   *axis,
                     gint64               first,
                     gint64               count)
{
  for (gint64 at = first, end; at < first + count; at = end)
    {
      end = ghlo_cpu_axis_run_end (axis, at, first + count);
      ghlo_cpu_write_row (self, from, data + ghlo_cpu_axis_at (axis, at), end - at == 1 ? self->size : axis->stride,
                          (gsize) (end - at));
      from += (gsize) (end - at) * self->from_size;
    }
}
