/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loads and stores of the interpreter. The address of an access is computed as kernel/kernel.h defines it, one term
 * after the other. Temporaries are dense arrays over the axes that they span.
 */

#include "kernel/interpret/interpreter.h"

#include "kernel/evaluate.h"

#include <string.h>

gboolean
(ghlo_kernel_run_fail) (GhloKernelRun *self,
                        const char    *format,
                        ...)
{
  g_autofree char *what = NULL;
  va_list arguments;

  va_start (arguments, format);
  what = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error (self->error, GHLO_ERROR, GHLO_ERROR_INTERNAL, "the kernel %s is invalid: %s", self->kernel->name, what);

  return FALSE;
}

/* Returns @offset + sum of @strides × coordinates. Sums wrap; in checked kernels only through the value of a node. */
static guint64
add_up (const GhloKernelRun *self,
        gint64               offset,
        const gint64        *strides)
{
  guint64 sum = (guint64) offset;

  for (guint i = 0; i < self->kernel->n_axes; i++)
    sum += (guint64) strides[i] * (guint64) self->point[i];

  return sum;
}

/* Computes the position of the term within [0, end); FALSE where its guard does not hold. */
static gboolean
find_position (const GhloKernelRun  *self,
               const GhloKernelTerm *term,
               gint64               *position)
{
  *position = (gint64) add_up (self, term->offset, term->strides);
  if (term->node != GHLO_KERNEL_NONE)
    *position = (gint64) ((guint64) *position + (guint64) ghlo_node_to_integer (self->kernel->nodes[term->node].type,
                                                                                self->values[term->node]));
  if (term->clamps)
    {
      *position = CLAMP (*position, 0, term->end - 1);
      return TRUE;
    }
  if (*position % term->step != 0)
    return FALSE;
  *position /= term->step;

  return *position >= 0 && *position < term->end;
}

/* Computes the address in the buffer; FALSE where a guard does not hold. */
static gboolean
find_address (const GhloKernelRun *self,
              guint                number,
              gint64              *address)
{
  const GhloKernelAccess *access = &self->kernel->accesses[number];
  guint64 sum = add_up (self, access->offset, access->strides);

  for (guint i = access->first_term; i < access->first_term + access->n_terms; i++)
    {
      gint64 position;

      if (!find_position (self, &self->kernel->terms[i], &position))
        return FALSE;
      sum += (guint64) position * (guint64) self->kernel->terms[i].stride;
    }
  *address = (gint64) sum;

  return TRUE;
}

gboolean
ghlo_kernel_run_inside (GhloKernelRun *self,
                        guint          access)
{
  gint64 address;

  return find_address (self, access, &address);
}

/* Sets *@place to the place of the access at the current point, or to NULL where it is outside. Fails where it is out
 * of bounds. */
static gboolean
find_place (GhloKernelRun *self,
            guint          number,
            guint8       **place)
{
  const GhloKernelAccess *access = &self->kernel->accesses[number];
  const GhloKernelMemory *memory = &self->memory[access->buffer];
  gsize size = ghlo_element_info (access->type)->size;
  gint64 address;

  *place = NULL;
  if (!find_address (self, number, &address))
    return TRUE;
  if (address < 0 || memory->size < size || (guint64) address > memory->size - size)
    return ghlo_kernel_run_fail (self, "access %u is at byte %" G_GINT64_FORMAT " of buffer %s, which has %"
                                 G_GSIZE_FORMAT, number, address, self->kernel->buffers[access->buffer].name,
                                 memory->size);
  *place = (guint8 *) memory->data + address;

  return TRUE;
}

gboolean
ghlo_kernel_run_load (GhloKernelRun *self,
                      guint          access,
                      guint64       *value)
{
  GhloElementType type = self->kernel->accesses[access].type;
  guint8 *place;

  if (!find_place (self, access, &place))
    return FALSE;
  if (place != NULL)
    *value = ghlo_node_load (type, place);

  return TRUE;
}

gboolean
ghlo_kernel_run_store (GhloKernelRun *self,
                       guint          access,
                       guint64        value)
{
  guint8 *place;

  if (!find_place (self, access, &place))
    return FALSE;
  if (place != NULL)
    ghlo_node_store (self->kernel->accesses[access].type, place, value);

  return TRUE;
}

/* Returns the index of the temporary's element at the current point. */
static gsize
find_element (const GhloKernelRun *self,
              guint                temporary)
{
  gsize element = 0;

  for (guint i = 0; i < self->kernel->n_axes; i++)
    if ((self->kernel->temporaries[temporary].axes & 1u << i) != 0)
      element = element * (gsize) self->extents[i] + (gsize) self->point[i];

  return element;
}

gboolean
ghlo_kernel_run_get (GhloKernelRun *self,
                     guint          temporary,
                     guint64       *value)
{
  gsize element = find_element (self, temporary);

  if (self->written[temporary][element] != self->parallel_point)
    return ghlo_kernel_run_fail (self, "temporary %s is read before it is written",
                                 self->kernel->temporaries[temporary].name);
  *value = self->temporaries[temporary][element];

  return TRUE;
}

void
ghlo_kernel_run_set (GhloKernelRun *self,
                     guint          temporary,
                     guint64        value)
{
  gsize element = find_element (self, temporary);

  self->written[temporary][element] = self->parallel_point;
  self->temporaries[temporary][element] = value;
}
