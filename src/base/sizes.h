/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Limits that protect against hostile programs, and size arithmetic that detects overflow. A program that exceeds a
 * limit gets an error whose message gives the limit.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define GHLO_MAX_RANK            64          /* dimensions of a tensor */
#define GHLO_MAX_NESTING         256         /* regions, attributes, types, tuples */
#define GHLO_MAX_LOCATION_NESTING 1024       /* nested locations, which represent call stacks */
#define GHLO_MAX_OPERANDS        (1u << 20)  /* operands or results of an operation */
#define GHLO_MAX_TENSOR_BYTES    ((gsize) 1 << 46)
#define GHLO_MAX_CALL_DEPTH      200         /* nested calls of a running program */
#define GHLO_MAX_STEP_NESTING    512         /* regions within calls within regions … of a plan */

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

/* Adds @a × @b to *@sum. Returns FALSE on overflow. */
static inline gboolean
ghlo_int_add_product (gint64 *sum, gint64 a, gint64 b)
{
  gint64 product;

  return !__builtin_mul_overflow (a, b, &product) && !__builtin_add_overflow (*sum, product, sum);
}

/* Returns @a / @b, rounded up. @a must not be negative and @b must be positive. */
static inline gint64
ghlo_ceil_div (gint64 a, gint64 b)
{
  return a / b + (a % b != 0);
}

static inline gsize
ghlo_size_ceil_div (gsize a, gsize b)
{
  return a / b + (a % b != 0);
}

/* Returns the least multiple of @unit that is at least @n. @n must not be negative, @unit must be positive, and the
 * multiple must fit 63 bits. */
static inline gint64
ghlo_round_up (gint64 n, gint64 unit)
{
  return ghlo_ceil_div (n, unit) * unit;
}

/* Returns @size rounded up to the alignment of buffers and scratch memory, which is 64 bytes. @size must be at most
 * G_MAXSIZE - 63. */
static inline gsize
ghlo_size_align (gsize size)
{
  return (size + 63) & ~(gsize) 63;
}

/* Appends room for @n units of @each bytes to scratch memory of *@size bytes. *@offset becomes the start of the
 * room, and *@size grows by its size rounded up to 64 bytes. Returns FALSE on overflow. */
static inline gboolean
ghlo_size_reserve (gsize *size, gsize *offset, gsize n, gsize each)
{
  gsize bytes;

  *offset = *size;

  return ghlo_size_mul (&bytes, n, each) && ghlo_size_add (&bytes, bytes, 63)
         && ghlo_size_add (size, *size, bytes & ~(gsize) 63);
}

/* Returns the position of @value among the @n elements of @values, or -1. */
static inline gint64
ghlo_dims_find (const gint64 *values, gsize n, gint64 value)
{
  for (gsize i = 0; i < n; i++)
    if (values[i] == value)
      return (gint64) i;

  return -1;
}

static inline gboolean
ghlo_dims_contain (const gint64 *values, gsize n, gint64 value)
{
  return ghlo_dims_find (values, n, value) >= 0;
}

/* Computes the number of elements of a shape without dynamic dimensions. Returns FALSE when the number overflows or
 * a dimension is negative. */
gboolean ghlo_shape_count (const gint64 *dimensions,
                           gsize         rank,
                           gsize        *count);

/* Computes the row-major strides of a shape without dynamic dimensions, where adjacent elements are @unit apart. A
 * dimension of size 0 counts as one of size 1. Where stride times size exceeds 63 bits, which only happens for an
 * empty shape, the strides of that dimension and of all dimensions outside it are 0. */
void     ghlo_shape_strides (const gint64 *dimensions,
                             gsize         rank,
                             gint64        unit,
                             gint64       *strides);

G_END_DECLS
