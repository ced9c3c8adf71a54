/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What each node computes, to the bit: the meaning that every executor of kernels has to
 * have. Values are bits of their type, with zeros above.
 */

#pragma once

#include "kernel/kernel.h"

G_BEGIN_DECLS

/* Of a PRIMITIVE node. @type is the result's type, @operand_type that of the operands (of those that
 * SELECT chooses from). */
guint64 ghlo_node_evaluate (GhloNodeKind     kind,
                            GhloElementType  type,
                            GhloElementType  operand_type,
                            const guint64   *operands);

/* @bits, cut to the bits of @type. */
static inline guint64
ghlo_node_cut (GhloElementType type,
               guint64         bits)
{
  guint n_bits = ghlo_element_info (type)->bits;

  return n_bits == 64 ? bits : bits & ((G_GUINT64_CONSTANT (1) << n_bits) - 1);
}

/* An integer's value; unsigned ones of 64 bits wrap. */
static inline gint64
ghlo_node_to_integer (GhloElementType type,
                      guint64         bits)
{
  const GhloElementInfo *info = ghlo_element_info (type);
  guint unused = 64 - info->bits;

  return info->element_class == GHLO_ELEMENT_CLASS_SIGNED ? (gint64) (bits << unused) >> unused : (gint64) bits;
}

/* An element of a buffer. */
guint64 ghlo_node_load     (GhloElementType  type,
                            gconstpointer    place);
void    ghlo_node_store    (GhloElementType  type,
                            gpointer         place,
                            guint64          bits);

G_END_DECLS
