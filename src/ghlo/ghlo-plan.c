/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Plans: what an executor prepared, told to people and programs.
 */

#include "ghlo-plan-private.h"

/**
 * GhloPlan:
 *
 * How a device runs a program: a tree of steps over buffers, made once by the
 * compile. Most steps are kernels of the device; an operation that it has no kernel
 * for is a step of the reference executor, which is slow.
 *
 * What a run takes in memory is known before it: [method@Ghlo.Plan.get_memory].
 *
 * It is immutable.
 *
 * Since: 1.0
 */
struct _GhloPlan
{
  gatomicrefcount  ref_count;
  GhloCompilation *compilation;    /* owned */
  GhloRunFigures   figures;
};

G_DEFINE_BOXED_TYPE (GhloPlan, ghlo_plan, ghlo_plan_ref, ghlo_plan_unref)

GhloPlan *
ghlo_plan_new (GhloCompilation *compilation)
{
  GhloPlan *self;

  if (compilation->executor->measure == NULL)
    return NULL;
  self = g_new0 (GhloPlan, 1);
  g_atomic_ref_count_init (&self->ref_count);
  self->compilation = ghlo_compilation_ref (compilation);
  compilation->executor->measure (compilation->prepared, &self->figures);

  return self;
}

/**
 * ghlo_plan_ref:
 * @self: a plan
 *
 * Takes a reference.
 *
 * Returns: (transfer full): @self
 *
 * Since: 1.0
 */
GhloPlan *
ghlo_plan_ref (GhloPlan *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

/**
 * ghlo_plan_unref:
 * @self: (transfer full): a plan
 *
 * Gives a reference back.
 *
 * Since: 1.0
 */
void
ghlo_plan_unref (GhloPlan *self)
{
  g_return_if_fail (self != NULL);

  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  ghlo_compilation_unref (self->compilation);
  g_free (self);
}

/**
 * ghlo_plan_get_n_steps:
 * @self: a plan
 *
 * Gets how many steps there are, those of loops and branches included, each once.
 *
 * Returns: a number
 *
 * Since: 1.0
 */
guint
ghlo_plan_get_n_steps (const GhloPlan *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->figures.n_steps;
}

/**
 * ghlo_plan_get_n_reference_steps:
 * @self: a plan
 *
 * Gets how many of the steps the reference executor runs, since the device has no
 * kernel for them. A program of a kind that the device cannot plan at all, with
 * shapes that are not known for one, is a single such step.
 *
 * Returns: a number
 *
 * Since: 1.0
 */
guint
ghlo_plan_get_n_reference_steps (const GhloPlan *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->figures.n_fallback_steps;
}

/**
 * ghlo_plan_get_memory:
 * @self: a plan
 *
 * Gets how many bytes a run takes at once, for its outputs and for what it computes
 * in between, the results of a step of the reference executor included; its inputs and
 * the program's constants come on top.
 *
 * Returns: bytes; 0 for a program that is a single step of the reference executor
 *
 * Since: 1.0
 */
gsize
ghlo_plan_get_memory (const GhloPlan *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->figures.run_bytes;
}

/**
 * ghlo_plan_get_prepared_memory:
 * @self: a plan
 *
 * Gets how many bytes the program's constants take, and what is prepared for steps
 * of the reference executor, which stay for as long as the executable does.
 *
 * Returns: bytes
 *
 * Since: 1.0
 */
gsize
ghlo_plan_get_prepared_memory (const GhloPlan *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->figures.prepared_bytes;
}

/**
 * ghlo_plan_to_string:
 * @self: a plan
 *
 * Writes the plan for people, a line for each step.
 *
 * Returns: (transfer full): the text
 *
 * Since: 1.0
 */
char *
ghlo_plan_to_string (const GhloPlan *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->compilation->executor->describe (self->compilation->prepared);
}
