/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Temporary.
 */
#include "cpu/steps.h"
#include <string.h>
static int token;
static gpointer prepare (const GhloIrOp *op, const GhloView *o, const GhloView *r, gsize *s, GError **e) { return &token; }
static void rec (const GhloView *o, const GhloView *r, guint d, const guint8 *from, guint8 *to)
{
  if (d == o->rank) { memcpy (to, from, ghlo_element_info (o->element_type)->size); return; }
  for (gint64 i = 0; i < o->dimensions[d]; i++)
    rec (o, r, d + 1, from + i * o->strides[d], to + i * r->strides[d]);
}
static gboolean run (gpointer p, const GhloView *o, const GhloView *r, gpointer s, const GhloMonitor *m, GError **e)
{ rec (o, r, 0, o->data, r->data); return TRUE; }
const GhloCodeKernel ghlo_cpu_step_copy = { .name = "copy", .takes = ghlo_cpu_takes_any, .prepare = prepare, .run = run };
