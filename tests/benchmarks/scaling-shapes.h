/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Programs of any size that are large in one direction only: what bench-scaling
 * measures. Each is text that verifies.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  const char *name;
  void      (*write) (GString *text, guint n);
  guint       share;     /* operations, attributes or the like that each of @n stands for */
} ScalingShape;

extern const ScalingShape scaling_structures[];   /* for readers and writers; the last has no name */
extern const ScalingShape scaling_rewrites[];     /* for passes */

G_END_DECLS
