/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Printing and checking schedules, and where temporaries lie in scratch.
 */

#include "schedule.h"

static const char *const unit_names[] = { "loop", "thread", "workgroup", "invocation", "subgroup" };

char *
ghlo_schedule_print (const GhloSchedule *self,
                     const GhloKernel   *kernel)
{
  GString *out = g_string_new (NULL);

  g_string_append_printf (out, "vector %s × %u, unroll %u, %s", kernel->axes[self->vector_axis].name, self->width,
                          self->unroll, self->tail == GHLO_TAIL_MASK ? "mask" : "scalar tail");
  if (self->workgroup > 0)
    g_string_append_printf (out, ", workgroup %u", self->workgroup);
  for (guint i = 0; i < kernel->n_axes; i++)
    if (kernel->axes[i].parallel)
      {
        g_string_append_printf (out, "; %s: %s", kernel->axes[i].name, unit_names[self->axes[i].unit]);
        if (self->axes[i].tile > 1)
          g_string_append_printf (out, ", tile %u", self->axes[i].tile);
      }
  for (guint i = 0; i < kernel->n_temporaries; i++)
    if (kernel->temporaries[i].axes != 0)
      g_string_append_printf (out, "; %s in %s", kernel->temporaries[i].name,
                              self->places[i] == GHLO_PLACE_REGISTER ? "registers" : "scratch");

  return g_string_free (out, FALSE);
}

static gboolean
is_power_of_two (guint n)
{
  return n > 0 && (n & (n - 1)) == 0;
}

/* The innermost parallel axis, or -1. */
static int
innermost (const GhloKernel *kernel)
{
  int axis = -1;

  for (guint i = 0; i < kernel->n_axes; i++)
    if (kernel->axes[i].parallel)
      axis = i;

  return axis;
}

gboolean
ghlo_schedule_check (const GhloSchedule *self,
                     const GhloKernel   *kernel,
                     const char        **why)
{
  gint64 step = (gint64) self->width * self->unroll;
  gboolean parallel = kernel->axes[self->vector_axis].parallel;

  *why = NULL;
  if (!is_power_of_two (self->width) || !is_power_of_two (self->unroll))
    *why = "width and unrolling are powers of two";
  else if (parallel && self->vector_axis != innermost (kernel))
    *why = "a parallel vector axis is the innermost parallel one";
  for (guint i = 0; i < kernel->n_temporaries; i++)
    if (self->places[i] == GHLO_PLACE_REGISTER && kernel->temporaries[i].axes != 0
        && (kernel->temporaries[i].axes != 1 << self->vector_axis
            || step < kernel->axes[self->vector_axis].extent))
      *why = "a temporary in registers spans the vector axis alone, unrolled as a whole";
  for (guint i = 0; i < kernel->n_stages; i++)
    if (!parallel && kernel->stages[i].n_accumulators > 0 && kernel->stages[i].first_merge == kernel->stages[i].end
        && kernel->stages[i].axes >> self->vector_axis & 1)
      *why = "a fold of a stated order does not run over the vector axis";
  for (guint i = 0; i < kernel->n_axes; i++)
    if (self->axes[i].tile > 1 && (parallel || (int) i != innermost (kernel)))
      *why = "the innermost parallel axis alone has a tile, and only beside an inner vector axis";

  return *why == NULL;
}

gsize
ghlo_schedule_scratch (const GhloSchedule *self,
                       const GhloKernel   *kernel,
                       gsize              *offsets)
{
  gsize total = 0;
  int inner = innermost (kernel);
  gsize tile = inner >= 0 ? MAX (self->axes[inner].tile, 1) : 1;

  if (kernel->axes[self->vector_axis].parallel)
    tile = (gsize) self->width * self->unroll;
  for (guint i = 0; i < kernel->n_temporaries; i++)
    {
      gsize size = ghlo_element_info (kernel->temporaries[i].type)->size;

      offsets[i] = total;
      if (kernel->temporaries[i].axes == 0 || self->places[i] == GHLO_PLACE_REGISTER)
        continue;
      for (guint j = 0; j < kernel->n_axes; j++)
        if (kernel->temporaries[i].axes >> j & 1)
          size *= kernel->axes[j].extent;
      total += tile * ((size + 63) & ~(gsize) 63);
    }

  return total;
}
