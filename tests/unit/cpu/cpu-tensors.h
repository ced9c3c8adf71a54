/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the tests of the CPU's library steps: tensors of random numbers whose memory has any order of dimensions,
 * gaps, and negative or zero strides, and the error bound of a computed sum.
 */

#pragma once

#include <math.h>
#include <string.h>

#include "base/element.h"
#include "base/ghlo-error.h"
#include "base/sizes.h"

#include "../sanitized.h"

#define UNTOUCHED 0xa5

typedef struct
{
  GhloElementType type;
  guint           rank;
  gint64          dimensions[8], strides[8];
  guint8         *memory;      /* owned; n_bytes, which are UNTOUCHED between elements */
  gsize           n_bytes;
  guint8         *data;
} Tensor;

static inline void
tensor_clear (Tensor *self)
{
  g_clear_pointer (&self->memory, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Tensor, tensor_clear)

enum
{
  TENSOR_DENSE = 0,
  TENSOR_PERMUTED = 1 << 0,
  TENSOR_GAPS = 1 << 1,
  TENSOR_REVERSED = 1 << 2,
  TENSOR_REPEATED = 1 << 3,     /* strides of 0: operands only */
};

static inline gint64
tensor_count (const Tensor *self)
{
  gint64 n = 1;

  for (guint i = 0; i < self->rank; i++)
    n *= self->dimensions[i];

  return n;
}

/* Lays out the dimensions, choosing at random whether each set flag is applied. */
static inline void
tensor_init (Tensor          *self,
             GhloElementType  type,
             guint            rank,
             const gint64    *dimensions,
             guint            flags)
{
  gint64 size = ghlo_element_info (type)->size, stride = size, first = 0, last = 0;
  guint order[8];

  *self = (Tensor) { .type = type, .rank = rank };
  memcpy (self->dimensions, dimensions, rank * sizeof (gint64));
  for (guint i = 0; i < rank; i++)
    order[i] = rank - 1 - i;
  if (flags & TENSOR_PERMUTED)
    for (guint i = rank; i > 1; i--)
      {
        guint other = (guint) g_test_rand_int_range (0, (gint) i), kept = order[i - 1];

        order[i - 1] = order[other];
        order[other] = kept;
      }
  for (guint i = 0; i < rank; i++)
    {
      guint d = order[i];

      if ((flags & TENSOR_GAPS) && g_test_rand_int_range (0, 4) == 0)
        stride += size * g_test_rand_int_range (1, 4);
      self->strides[d] = stride;
      if ((flags & TENSOR_REPEATED) && g_test_rand_int_range (0, 6) == 0)
        self->strides[d] = 0;
      else
        stride *= MAX (dimensions[d], 1);
      if ((flags & TENSOR_REVERSED) && g_test_rand_int_range (0, 5) == 0)
        self->strides[d] = -self->strides[d];
      if (self->strides[d] < 0)
        first += self->strides[d] * MAX (dimensions[d] - 1, 0);
      else
        last += self->strides[d] * MAX (dimensions[d] - 1, 0);
    }
  self->n_bytes = (gsize) (last - first + size);
  self->memory = g_malloc (self->n_bytes);
  memset (self->memory, UNTOUCHED, self->n_bytes);
  self->data = self->memory - first;
}

UNSANITIZED static inline guint8 *
tensor_at (const Tensor *self,
           const gint64 *index)
{
  guint8 *at = self->data;

  for (guint i = 0; i < self->rank; i++)
    at += index[i] * self->strides[i];

  return at;
}

/* Advances the index in row-major order; FALSE after the last one. */
UNSANITIZED static inline gboolean
tensor_next (const Tensor *self,
             gint64       *index)
{
  for (guint i = self->rank; i > 0; i--)
    {
      if (++index[i - 1] < self->dimensions[i - 1])
        return TRUE;
      index[i - 1] = 0;
    }

  return FALSE;
}

static inline GhloScalar
random_scalar (GhloElementType type)
{
  GhloScalar scalar = { 0 };

  switch (ghlo_element_info (type)->element_class)
    {
    case GHLO_ELEMENT_CLASS_FLOAT:
      scalar.f = g_test_rand_double_range (-2, 2);
      break;
    case GHLO_ELEMENT_CLASS_COMPLEX:
      scalar.c.re = g_test_rand_double_range (-2, 2);
      scalar.c.im = g_test_rand_double_range (-2, 2);
      break;
    case GHLO_ELEMENT_CLASS_BOOLEAN:
      scalar.i = g_test_rand_int_range (0, 4) == 0;
      break;
    default:
      scalar.u = (guint64) (guint32) g_test_rand_int () << 32 | (guint32) g_test_rand_int ();
      break;
    }

  return ghlo_element_round (type, scalar);
}

static inline void
tensor_fill (Tensor *self)
{
  gint64 index[8] = { 0 };

  if (tensor_count (self) > 0)
    do
      ghlo_element_store (self->type, tensor_at (self, index), random_scalar (self->type));
    while (tensor_next (self, index));
}

static inline GhloScalar
tensor_get (const Tensor *self,
            const gint64 *index)
{
  return ghlo_element_load (self->type, tensor_at (self, index));
}

/* All elements in row-major order. */
static inline GhloScalar *
tensor_read (const Tensor *self)
{
  GhloScalar *scalars = g_new0 (GhloScalar, MAX (tensor_count (self), 1));
  gint64 index[8] = { 0 };
  gsize i = 0;

  if (tensor_count (self) > 0)
    do
      scalars[i++] = tensor_get (self, index);
    while (tensor_next (self, index));

  return scalars;
}

/* The elements that tensor_read () returns, described as a tensor of GhloScalars with the same shape. */
static inline Tensor
tensor_scalars (const Tensor *self)
{
  Tensor scalars = *self;
  gint64 stride = sizeof (GhloScalar);

  scalars.memory = scalars.data = (guint8 *) tensor_read (self);
  for (guint i = self->rank; i > 0; i--)
    {
      scalars.strides[i - 1] = stride;
      stride *= self->dimensions[i - 1];
    }

  return scalars;
}

/* A sufficiently exact sum of products, for any class of numbers. */
typedef struct
{
  guint64  wrapped;          /* of integers */
  gboolean truth;            /* of i1 */
  long     double re, im;
  long     double size;      /* of the added terms */
} Sum;

UNSANITIZED static inline double
magnitude (double re,
           double im)
{
  return sqrt (re * re + im * im);
}

UNSANITIZED static inline void
sum_add (Sum             *self,
         GhloElementType  type,
         GhloScalar       number)
{
  switch (ghlo_element_info (type)->element_class)
    {
    case GHLO_ELEMENT_CLASS_FLOAT:
      self->re += number.f;
      self->size += fabs (number.f);
      break;
    case GHLO_ELEMENT_CLASS_COMPLEX:
      self->re += number.c.re;
      self->im += number.c.im;
      self->size += magnitude (number.c.re, number.c.im);
      break;
    default:
      self->wrapped += number.u;
      self->truth |= number.u != 0;
      break;
    }
}

UNSANITIZED static inline void
sum_add_product (Sum             *self,
                 GhloElementType  a_type,
                 GhloScalar       a,
                 GhloScalar       b)
{
  switch (ghlo_element_info (a_type)->element_class)
    {
    case GHLO_ELEMENT_CLASS_FLOAT:
      self->re += (long double) a.f * b.f;
      self->size += fabs (a.f * b.f);
      break;
    case GHLO_ELEMENT_CLASS_COMPLEX:
      self->re += (long double) a.c.re * b.c.re - (long double) a.c.im * b.c.im;
      self->im += (long double) a.c.re * b.c.im + (long double) a.c.im * b.c.re;
      self->size += 2 * magnitude (a.c.re, a.c.im) * magnitude (b.c.re, b.c.im);
      break;
    default:
      self->wrapped += a.u * b.u;
      self->truth |= a.u != 0 && b.u != 0;
      break;
    }
}

/* Adds the products of @n adjacent elements; the class is looked up only once. */
UNSANITIZED static inline void
sum_add_products (Sum              *self,
                  GhloElementType   a_type,
                  const GhloScalar *a,
                  const GhloScalar *b,
                  gint64            n)
{
  long double re = 0, size = 0;
  guint64 wrapped = 0;
  gboolean truth = FALSE;

  switch (ghlo_element_info (a_type)->element_class)
    {
    case GHLO_ELEMENT_CLASS_FLOAT:
      for (gint64 i = 0; i < n; i++)
        {
          re += (long double) a[i].f * b[i].f;
          size += fabs (a[i].f * b[i].f);
        }
      self->re += re;
      self->size += size;
      break;
    case GHLO_ELEMENT_CLASS_COMPLEX:
      for (gint64 i = 0; i < n; i++)
        sum_add_product (self, a_type, a[i], b[i]);
      break;
    default:
      for (gint64 i = 0; i < n; i++)
        {
          wrapped += a[i].u * b[i].u;
          truth |= a[i].u != 0 && b[i].u != 0;
        }
      self->wrapped += wrapped;
      self->truth |= truth;
      break;
    }
}

/* The distance from 1 to the next larger number. */
static inline double
epsilon_of (GhloElementType type)
{
  return ldexp (1, -(int) ghlo_element_info (type)->mantissa_bits);
}

/* Whether @found is the sum of @k products of @a and @b, added in any order in f32, or in f64 where either type is
 * that wide, and rounded once to @type. */
static inline gboolean
sum_matches (const Sum       *self,
             gint64           k,
             gboolean         is_wide,
             GhloElementType  type,
             GhloScalar       found)
{
  GhloElementClass c = ghlo_element_info (type)->element_class;
  double epsilon = is_wide ? 0x1p-52 : 0x1p-23;
  long double limit = ((long double) (k + 4) * epsilon) * self->size
                      + epsilon_of (type) * (fabsl (self->re) + fabsl (self->im));

  /* The smallest number of a narrow format is not negligible. */
  if (c == GHLO_ELEMENT_CLASS_FLOAT)
    limit += ldexp (1, 1 - ghlo_element_info (type)->bias - ghlo_element_info (type)->mantissa_bits);
  if (c == GHLO_ELEMENT_CLASS_FLOAT)
    {
      GhloScalar rounded = ghlo_element_round (type, (GhloScalar) { .f = (double) self->re });

      if (ghlo_scalar_equal (type, rounded, found))
        return TRUE;
      return fabsl (found.f - self->re) <= limit;
    }
  if (c == GHLO_ELEMENT_CLASS_COMPLEX)
    return fabsl (found.c.re - self->re) <= limit && fabsl (found.c.im - self->im) <= limit;
  if (c == GHLO_ELEMENT_CLASS_BOOLEAN)
    return found.i == self->truth;

  return ghlo_scalar_equal (type, ghlo_element_round (type, (GhloScalar) { .u = self->wrapped }), found);
}

static inline char *
shape_text (const Tensor *self)
{
  GString *text = g_string_new (ghlo_element_type_to_string (self->type));

  for (guint i = 0; i < self->rank; i++)
    g_string_append_printf (text, " %" G_GINT64_FORMAT ":%" G_GINT64_FORMAT, self->dimensions[i], self->strides[i]);

  return g_string_free (text, FALSE);
}

/* Checks that every byte between the elements is as tensor_init () left it. */
static inline void
assert_untouched (const Tensor *self)
{
  g_autofree guint8 *used = g_malloc0 (self->n_bytes);
  gint64 index[8] = { 0 };

  if (tensor_count (self) > 0)
    do
      memset (used + (tensor_at (self, index) - self->memory), 1, ghlo_element_info (self->type)->size);
    while (tensor_next (self, index));
  for (gsize i = 0; i < self->n_bytes; i++)
    if (!used[i] && self->memory[i] != UNTOUCHED)
      g_error ("byte %" G_GSIZE_FORMAT " of %s was written", i, shape_text (self));
}
