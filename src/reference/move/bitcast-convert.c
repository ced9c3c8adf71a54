/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reinterprets bits under another element type. A narrower type adds a dimension
 * that counts the parts of an element, lowest bits first; a wider one joins the
 * elements of the last dimension. The bits are those of the type, not of its
 * storage: a tensor of eight i1 makes one i8.
 */

#include "base/bits.h"
#include "base/sizes.h"
#include "reference/kernel.h"
#include "reference/move/box.h"
#include "reference/kernels.h"

#include <string.h>

/* The bits of one element in two words. The widest element is complex<f64>. */
typedef struct
{
  guint64 words[2];
} Bits;

static guint
bits_of_type (GhloElementType type)
{
  const GhloElementInfo *info = ghlo_element_info (type);

  return info->element_class == GHLO_ELEMENT_CLASS_COMPLEX ? 2u * info->bits : info->bits;
}

static inline Bits
load_bits (const guint8 *data,
           gsize         size,
           guint         n)
{
  Bits bits = { { 0, 0 } };

  for (gsize i = 0; i < size; i++)
    {
#if G_BYTE_ORDER == G_BIG_ENDIAN
      gsize word_bytes = MIN (size, 8), place = i / 8 * 8 + (word_bytes - 1 - i % 8);
#else
      gsize place = i;
#endif
      bits.words[i / 8] |= (guint64) data[place] << (i % 8 * 8);
    }
  if (n < 64)
    bits.words[0] &= ghlo_low_bits (n);

  return bits;
}

static inline void
store_bits (GhloElementType type,
            guint8         *data,
            Bits            bits)
{
  const GhloElementInfo *info = ghlo_element_info (type);

  if (info->element_class == GHLO_ELEMENT_CLASS_SIGNED && info->bits < 8)
    bits.words[0] = (guint64) ((gint64) (bits.words[0] << (64 - info->bits)) >> (64 - info->bits));

  for (gsize i = 0; i < info->size; i++)
    {
#if G_BYTE_ORDER == G_BIG_ENDIAN
      gsize word_bytes = MIN (info->size, 8), place = i / 8 * 8 + (word_bytes - 1 - i % 8);
#else
      gsize place = i;
#endif
      data[place] = (guint8) (bits.words[i / 8] >> (i % 8 * 8));
    }
}

/* The unit of conversion: n_from elements of type @from make n_to elements of type @to. */
typedef struct
{
  GhloElementType from, to;
  guint           from_bits, to_bits;
  gsize           n_from, n_to;
} Grouping;

static void
convert_group (const Grouping *self,
               const guint8   *data,
               guint8         *result)
{
  gsize from_size = ghlo_element_info (self->from)->size, to_size = ghlo_element_info (self->to)->size;
  Bits group = { { 0, 0 } };

  for (gsize i = 0; i < self->n_from; i++)
    {
      Bits part = load_bits (data + i * from_size, from_size, self->from_bits);
      guint place = (guint) i * self->from_bits;

      group.words[place / 64] |= part.words[0] << (place % 64);
      if (self->from_bits > 64)
        group.words[1] |= part.words[1];
    }

  for (gsize i = 0; i < self->n_to; i++)
    {
      guint place = (guint) i * self->to_bits;
      Bits part = { { 0, self->to_bits > 64 ? group.words[1] : 0 } };

      g_assert (place / 64 < G_N_ELEMENTS (group.words));
      part.words[0] = group.words[place / 64] >> (place % 64) & ghlo_low_bits (MIN (self->to_bits, 64));
      store_bits (self->to, result + i * to_size, part);
    }
}

static gboolean
result_shape (GhloRefCall    *call,
              const Grouping *grouping,
              gint64         *dimensions,
              guint          *rank,
              GError        **error)
{
  const GhloValue *operand = call->operands[0];

  *rank = ghlo_ref_rank (operand);
  memcpy (dimensions, ghlo_ref_dims (operand), *rank * sizeof (gint64));

  if (grouping->n_to > 1)
    {
      if (*rank == GHLO_MAX_RANK)
        return ghlo_ref_fail (call, error, "expected at most %d dimensions", GHLO_MAX_RANK);
      dimensions[(*rank)++] = (gint64) grouping->n_to;
    }
  else if (grouping->n_from > 1)
    {
      if (*rank == 0 || dimensions[*rank - 1] != (gint64) grouping->n_from)
        return ghlo_ref_fail (call, error, "expected a last dimension of %" G_GSIZE_FORMAT, grouping->n_from);
      (*rank)--;
    }

  return TRUE;
}

/* Whether both types occupy exactly their bits in memory, in order, so that the conversion is a plain copy. */
static gboolean
is_plain_copy (const Grouping *grouping)
{
  return G_BYTE_ORDER == G_LITTLE_ENDIAN
         && grouping->from_bits == 8 * ghlo_element_info (grouping->from)->size
         && grouping->to_bits == 8 * ghlo_element_info (grouping->to)->size;
}

gboolean
ghlo_ref_bitcast_convert (GhloRefCall *call,
                          GError     **error)
{
  enum { GROUPS_BETWEEN_CHECKS = 1 << 15 };
  const GhloValue *operand = call->operands[0];
  Grouping grouping = { operand->type->element_type, call->op->results[0].type->element_type, 0, 0, 1, 1 };
  gint64 dimensions[GHLO_MAX_RANK];
  gsize from_step, to_step, n_groups;
  guint rank;
  GhloValue *result;

  grouping.from_bits = bits_of_type (grouping.from);
  grouping.to_bits = bits_of_type (grouping.to);
  if (grouping.from_bits == 0 || grouping.to_bits == 0
      || MAX (grouping.from_bits, grouping.to_bits) % MIN (grouping.from_bits, grouping.to_bits) != 0)
    return ghlo_ref_fail (call, error, "expected widths of which one divides the other, found %u and %u bits",
                          grouping.from_bits, grouping.to_bits);

  grouping.n_from = MAX (grouping.to_bits / grouping.from_bits, 1);
  grouping.n_to = MAX (grouping.from_bits / grouping.to_bits, 1);
  if (!result_shape (call, &grouping, dimensions, &rank, error))
    return FALSE;

  result = ghlo_ref_result (call, 0, dimensions, rank, error);
  if (result == NULL)
    return FALSE;

  if (is_plain_copy (&grouping))
    return ghlo_ref_copy_bytes (call, result->data, operand->data, MIN (result->n_bytes, operand->n_bytes), error);

  n_groups = operand->n_elements / grouping.n_from;
  from_step = grouping.n_from * ghlo_element_info (grouping.from)->size;
  to_step = grouping.n_to * ghlo_element_info (grouping.to)->size;
  for (gsize i = 0; i < n_groups; i++)
    {
      convert_group (&grouping, operand->data + i * from_step, result->data + i * to_step);
      if (i % GROUPS_BETWEEN_CHECKS == GROUPS_BETWEEN_CHECKS - 1 && !ghlo_ref_continue (call, error))
        return FALSE;
    }

  return TRUE;
}
