/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the steps that move data.
 */

#pragma once

#include "cpu/finish.h"
#include "cpu/move/copy.h"
#include "cpu/steps.h"

G_BEGIN_DECLS

/* Returns a scalar index of any integer type. An index that exceeds a gint64 becomes the greatest gint64. */
static inline gint64
ghlo_cpu_moves_index (const GhloView *scalar)
{
  gint64 index = ghlo_element_load (scalar->element_type, scalar->data).i;

  return index < 0 && scalar->element_type == GHLO_ELEMENT_TYPE_UI64 ? G_MAXINT64 : index;
}

G_END_DECLS
