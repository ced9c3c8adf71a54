/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Evaluates nodes to the bit: the reference semantics for every executor of kernels. A value is the bits of its
 * type, zero-extended.
 */

#pragma once

#include "kernel/kernel.h"

G_BEGIN_DECLS

/* Evaluates a PRIMITIVE node. @type is the type of the result, @operand_type that of the operands (for SELECT, of the
 * two alternatives). */
guint64 ghlo_node_evaluate (GhloNodeKind     kind,
                            GhloElementType  type,
                            GhloElementType  operand_type,
                            const guint64   *operands);

/* Returns @bits truncated to the width of @type. */
static inline guint64
ghlo_node_cut (GhloElementType type,
               guint64         bits)
{
  guint n_bits = ghlo_element_info (type)->bits;

  return n_bits == 64 ? bits : bits & ((G_GUINT64_CONSTANT (1) << n_bits) - 1);
}

/* Returns the value of an integer; unsigned ones of 64 bits wrap. */
static inline gint64
ghlo_node_to_integer (GhloElementType type,
                      guint64         bits)
{
  const GhloElementInfo *info = ghlo_element_info (type);
  guint unused = 64 - info->bits;

  return info->element_class == GHLO_ELEMENT_CLASS_SIGNED ? (gint64) (bits << unused) >> unused : (gint64) bits;
}

/* Load and store an element of a buffer. */
guint64 ghlo_node_load     (GhloElementType  type,
                            gconstpointer    place);
void    ghlo_node_store    (GhloElementType  type,
                            gpointer         place,
                            guint64          bits);

G_END_DECLS
