/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Limits against hostile programs, and size arithmetic that cannot overflow
 * unseen. A limit that is reached is an error with the limit in its message.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define GHLO_MAX_RANK            64          /* dimensions of a tensor */
#define GHLO_MAX_NESTING         256         /* regions, attributes, types, tuples */
#define GHLO_MAX_LOCATION_NESTING 1024       /* places in places: call stacks are kept as these */
#define GHLO_MAX_OPERANDS        (1u << 20)  /* operands or results of an operation */
#define GHLO_MAX_TENSOR_BYTES    ((gsize) 1 << 46)
#define GHLO_MAX_CALL_DEPTH      200         /* nested calls of a running program */

static inline gboolean
ghlo_size_mul (gsize *result, gsize a, gsize b)
{
  return !__builtin_mul_overflow (a, b, result);
}

static inline gboolean
ghlo_size_add (gsize *result, gsize a, gsize b)
{
  return !__builtin_add_overflow (a, b, result);
}

/* @a / @b, rounded up; @a is not negative and @b is positive. */
static inline gint64
ghlo_ceil_div (gint64 a, gint64 b)
{
  return (a + b - 1) / b;
}

/* The least multiple of @unit that is at least @n; as above. */
static inline gint64
ghlo_round_up (gint64 n, gint64 unit)
{
  return ghlo_ceil_div (n, unit) * unit;
}

/* @size rounded up to the alignment of buffers and scratch memory, which is 64 bytes; @size is not within that
 * much of the largest number. */
static inline gsize
ghlo_size_align (gsize size)
{
  return (size + 63) & ~(gsize) 63;
}

/* Appends room for @n units of @each bytes to scratch memory of *@size bytes: *@offset is where
 * it begins, and what follows it is aligned to 64 bytes. */
static inline gboolean
ghlo_size_reserve (gsize *size, gsize *offset, gsize n, gsize each)
{
  gsize bytes;

  *offset = *size;

  return ghlo_size_mul (&bytes, n, each) && ghlo_size_add (&bytes, bytes, 63)
         && ghlo_size_add (size, *size, bytes & ~(gsize) 63);
}

/* TRUE when @value is among the @n of @values. */
static inline gboolean
ghlo_dims_contain (const gint64 *values, gsize n, gint64 value)
{
  for (gsize i = 0; i < n; i++)
    if (values[i] == value)
      return TRUE;

  return FALSE;
}

/* The number of elements of a shape without dynamic dimensions; FALSE when it
 * overflows or a dimension is negative. */
gboolean ghlo_shape_count (const gint64 *dimensions,
                           gsize         rank,
                           gsize        *count);

/* Row-major strides of a shape without dynamic dimensions, @unit from one element to
 * the next. A dimension of no elements counts as one of one. Strides of dimensions
 * whose indices lead beyond 63 bits, as only those of an empty shape may, are 0. */
void     ghlo_shape_strides (const gint64 *dimensions,
                             gsize         rank,
                             gint64        unit,
                             gint64       *strides);

G_END_DECLS
