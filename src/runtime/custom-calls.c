/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tables of functions that implement custom calls: arrays sorted by name. They are short.
 */

#include "runtime/custom-calls.h"

#include <string.h>

struct _GhloCustomTargets
{
  gatomicrefcount  ref_count;
  GPtrArray       *targets;     /* of GhloCustomTarget, owned */
};

GhloCustomTarget *
ghlo_custom_target_new (const char         *name,
                        GhloCustomCallFunc  func,
                        gpointer            data,
                        GDestroyNotify      destroy)
{
  static guint64 n_made;
  GhloCustomTarget *self = g_new0 (GhloCustomTarget, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->name = g_strdup (name);
  self->serial = __atomic_add_fetch (&n_made, 1, __ATOMIC_RELAXED);
  self->func = func;
  self->data = data;
  self->destroy = destroy;

  return self;
}

GhloCustomTarget *
ghlo_custom_target_ref (GhloCustomTarget *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
ghlo_custom_target_unref (GhloCustomTarget *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  if (self->destroy != NULL)
    self->destroy (self->data);
  g_free (self->name);
  g_free (self);
}

static GhloCustomTargets *
copy_without (const GhloCustomTargets *self,
              const char              *name)
{
  GhloCustomTargets *copy = g_new0 (GhloCustomTargets, 1);

  g_atomic_ref_count_init (&copy->ref_count);
  copy->targets = g_ptr_array_new_with_free_func ((GDestroyNotify) ghlo_custom_target_unref);
  for (guint i = 0; self != NULL && i < self->targets->len; i++)
    {
      GhloCustomTarget *target = self->targets->pdata[i];

      if (strcmp (target->name, name) != 0)
        g_ptr_array_add (copy->targets, ghlo_custom_target_ref (target));
    }

  return copy;
}

GhloCustomTargets *
ghlo_custom_targets_with (const GhloCustomTargets *self,
                          GhloCustomTarget        *target)
{
  GhloCustomTargets *copy = copy_without (self, target->name);
  guint at = 0;

  while (at < copy->targets->len
         && strcmp (((GhloCustomTarget *) copy->targets->pdata[at])->name, target->name) < 0)
    at++;
  g_ptr_array_insert (copy->targets, (int) at, ghlo_custom_target_ref (target));

  return copy;
}

GhloCustomTargets *
ghlo_custom_targets_without (const GhloCustomTargets *self,
                             const char              *name)
{
  return copy_without (self, name);
}

GhloCustomTargets *
ghlo_custom_targets_ref (GhloCustomTargets *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
ghlo_custom_targets_unref (GhloCustomTargets *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_ptr_array_unref (self->targets);
  g_free (self);
}

GhloCustomTarget *
ghlo_custom_targets_find (const GhloCustomTargets *self,
                          const char              *name)
{
  for (guint i = 0; self != NULL && i < self->targets->len; i++)
    {
      GhloCustomTarget *target = self->targets->pdata[i];

      if (strcmp (target->name, name) == 0)
        return target;
    }

  return NULL;
}

void
ghlo_custom_targets_list (const GhloCustomTargets *self,
                          GString                 *string)
{
  for (guint i = 0; self != NULL && i < self->targets->len; i++)
    g_string_append_printf (string, "%s'%s'", i > 0 ? ", " : "", ((GhloCustomTarget *) self->targets->pdata[i])->name);
}

/* Sets used[i] if @op, or an operation nested in it, calls target i. */
static void
mark_used (const GhloCustomTargets *self,
           const GhloIrOp          *op,
           guint8                  *used)
{
  if (op->kind == GHLO_OP_STABLEHLO_CUSTOM_CALL)
    for (guint i = 0; i < self->targets->len; i++)
      used[i] |= g_strcmp0 (ghlo_ir_op_get_string (op, "call_target_name"),
                            ((GhloCustomTarget *) self->targets->pdata[i])->name) == 0;
  for (guint i = 0; i < op->n_regions; i++)
    for (const GhloIrBlock *block = op->regions[i].first; block != NULL; block = block->next)
      for (const GhloIrOp *inner = block->first; inner != NULL; inner = inner->next)
        mark_used (self, inner, used);
}

char *
ghlo_custom_targets_describe (const GhloCustomTargets *self,
                              const GhloIrModule      *module)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree guint8 *used = NULL;

  if (self == NULL || self->targets->len == 0)
    return NULL;

  used = g_new0 (guint8, self->targets->len);
  mark_used (self, module->op, used);
  for (guint i = 0; i < self->targets->len; i++)
    if (used[i])
      g_string_append_printf (text, "%" G_GUINT64_FORMAT ";", ((GhloCustomTarget *) self->targets->pdata[i])->serial);

  return text->len > 0 ? g_string_free (g_steal_pointer (&text), FALSE) : NULL;
}
