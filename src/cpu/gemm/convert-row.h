/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lines of a tensor's elements, any number of bytes apart, to and from adjacent
 * numbers that products are computed in.
 */

#pragma once

#include "base/element.h"
#include "cpu/isa/routines.h"

G_BEGIN_DECLS

/* How elements of one type become numbers of one arithmetic. */
typedef struct
{
  GhloElementType     type;
  guint               n_parts;    /* 2 where elements are complex, and numbers pairs */
  guint               size;       /* of an element */
  guint               to_size;    /* of a number */
  gboolean            same;       /* elements are such numbers */
  GhloCpuConvertFunc  convert;    /* nullable */
  const float        *values;     /* nullable; of each pattern of an 8-bit float */
  GhloCpuArithmetic   arithmetic;
} GhloCpuReader;

/* FALSE when no number of the arithmetic stands for every element. */
gboolean ghlo_cpu_reader_init (GhloCpuReader     *self,
                               GhloElementType    type,
                               GhloCpuArithmetic  arithmetic);
/* From now on of complex elements, of which @self reads the parts. */
void     ghlo_cpu_reader_pair (GhloCpuReader       *self);
void     ghlo_cpu_read_row   (const GhloCpuReader *self,
                              const guint8        *from,
                              gint64               stride,
                              gpointer             to,
                              gsize                n);

/* And back, from sums: floats are rounded once, integers wrap, and i1 is whether the
 * sum differs from 0. */
typedef struct
{
  GhloElementType     type;
  guint               n_parts;
  guint               size;
  guint               from_size;
  gboolean            same;
  GhloCpuConvertFunc  convert;    /* nullable */
  GhloCpuArithmetic   arithmetic;
} GhloCpuWriter;

gboolean ghlo_cpu_writer_init (GhloCpuWriter     *self,
                               GhloElementType    type,
                               GhloCpuArithmetic  arithmetic);
void     ghlo_cpu_writer_pair (GhloCpuWriter       *self);
void     ghlo_cpu_write_row  (const GhloCpuWriter *self,
                              gconstpointer        from,
                              guint8              *to,
                              gint64               stride,
                              gsize                n);

G_END_DECLS
