/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Conversion of rows of a tensor's elements, at any byte stride, to and from adjacent numbers of the type that
 * products are computed in.
 */

#pragma once

#include "base/element.h"
#include "cpu/gemm/axis.h"
#include "cpu/isa/routines.h"

G_BEGIN_DECLS

/* The conversion of elements of one type to numbers of one arithmetic. */
typedef struct
{
  GhloElementType     type;
  guint               n_parts;    /* 2 where elements are complex and numbers are pairs */
  guint               size;       /* bytes of an element */
  guint               to_size;    /* bytes of a number */
  gboolean            same;       /* elements are such numbers already */
  GhloCpuConvertFunc  convert;    /* nullable */
  const float        *values;     /* nullable; value of each bit pattern of an 8-bit float */
  GhloCpuArithmetic   arithmetic;
} GhloCpuReader;

/* FALSE where the arithmetic cannot represent every element of @type. */
gboolean ghlo_cpu_reader_init (GhloCpuReader     *self,
                               GhloElementType    type,
                               GhloCpuArithmetic  arithmetic);
/* The same for f32, with integers of one byte too. */
gboolean ghlo_cpu_reader_init_numbers (GhloCpuReader   *self,
                                       GhloElementType  type);
/* Makes the reader convert complex elements, of whose parts it has been initialized for. */
void     ghlo_cpu_reader_pair (GhloCpuReader       *self);
void     ghlo_cpu_read_row   (const GhloCpuReader *self,
                              const guint8        *from,
                              gint64               stride,
                              gpointer             to,
                              gsize                n);
/* Converts the elements [@first, @first + @count) of an axis, whose element 0 is at @data. */
void     ghlo_cpu_read_axis  (const GhloCpuReader *self,
                              const guint8        *data,
                              const GhloCpuAxis   *axis,
                              gint64               first,
                              gint64               count,
                              guint8              *to);

/* Rows of adjacent numbers. */
typedef struct
{
  const guint8 *data;
  gint64        row;            /* bytes from one row to the next */
} GhloCpuPlane;

/* Returns @n_rows rows of @n converted elements, in place or in the scratch @to, where rows are @room numbers apart,
 * and behind which there is as much room for elements. Short rows are gathered first and converted at once. */
GhloCpuPlane ghlo_cpu_read_plane (const GhloCpuReader *reader,
                                  const guint8        *data,
                                  const GhloCpuAxis   *rows,
                                  gint64               first_row,
                                  gint64               n_rows,
                                  const GhloCpuAxis   *columns,
                                  gint64               first,
                                  gint64               n,
                                  gint64               room,
                                  guint8              *to);

/* The conversion back, from sums to elements: floats are rounded once, integers wrap, and i1 says whether the sum is
 * not 0. */
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
void     ghlo_cpu_write_axis (const GhloCpuWriter *self,
                              const guint8        *from,
                              guint8              *data,
                              const GhloCpuAxis   *axis,
                              gint64               first,
                              gint64               count);

G_END_DECLS
