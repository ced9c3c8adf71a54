/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Programs of any size that are large in only one respect, for bench-scaling.
 * Each is text that verifies.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  const char *name;
  void      (*write) (GString *text, guint n);
  guint       share;     /* operations, attributes or similar for each unit of @n */
} ScalingShape;

/* Each table ends with a row without a name. */
extern const ScalingShape scaling_structures[];
extern const ScalingShape scaling_attributes[];
extern const ScalingShape scaling_rewrites[];     /* work for passes */

/* The type of most values. */
#define SCALING_TYPE "tensor<4xf32>"

/* Append the beginning of a function @main with an argument %arg0, and its end, which returns %@result. */
void scaling_begin_main      (GString *text);
void scaling_end_main        (GString *text, const char *result);
/* Appends "PREFIX0 SUFFIX, PREFIX1 SUFFIX, …". */
void scaling_append_list     (GString *text, const char *prefix, guint n, const char *suffix);
void scaling_append_repeated (GString *text, const char *word, guint n);

G_END_DECLS
