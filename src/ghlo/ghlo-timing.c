/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Timings: five numbers that are immutable once the caller has the object.
 */

#include "ghlo-timing-private.h"

#include "base/new.h"

/**
 * GhloTiming:
 *
 * How the time of one run was spent, in seconds. It is immutable.
 *
 * Since: 1.0
 */
struct _GhloTiming
{
  gatomicrefcount ref_count;
  double          compile;
  double          upload;
  double          run;
  double          reference;
  double          download;
};

G_DEFINE_BOXED_TYPE (GhloTiming, ghlo_timing, ghlo_timing_ref, ghlo_timing_unref)

GhloTiming *
ghlo_timing_new (void)
{
  GhloTiming *self = ghlo_new0 (GhloTiming);

  g_atomic_ref_count_init (&self->ref_count);

  return self;
}

void
ghlo_timing_set (GhloTiming *self,
                 double      compile,
                 double      upload,
                 double      run,
                 double      reference,
                 double      download)
{
  self->compile = compile;
  self->upload = upload;
  self->run = run;
  self->reference = reference;
  self->download = download;
}

/**
 * ghlo_timing_ref:
 * @self: a timing
 *
 * Takes a reference.
 *
 * Returns: (transfer full): @self
 *
 * Since: 1.0
 */
GhloTiming *
ghlo_timing_ref (GhloTiming *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

/**
 * ghlo_timing_unref:
 * @self: (transfer full): a timing
 *
 * Drops a reference.
 *
 * Since: 1.0
 */
void
ghlo_timing_unref (GhloTiming *self)
{
  g_return_if_fail (self != NULL);

  if (g_atomic_ref_count_dec (&self->ref_count))
    g_free (self);
}

/**
 * ghlo_timing_get_compile:
 * @self: a timing
 *
 * Gets the time that the run spent on compiling a program with dynamic shapes for
 * new shapes. The compilation that created the executable does not count.
 *
 * Returns: the time in seconds
 *
 * Since: 1.0
 */
double
ghlo_timing_get_compile (const GhloTiming *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->compile;
}

/**
 * ghlo_timing_get_upload:
 * @self: a timing
 *
 * Gets the time that it took to transfer inputs to the device.
 *
 * Returns: the time in seconds
 *
 * Since: 1.0
 */
double
ghlo_timing_get_upload (const GhloTiming *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->upload;
}

/**
 * ghlo_timing_get_run:
 * @self: a timing
 *
 * Gets the time that the program ran.
 *
 * Returns: the time in seconds
 *
 * Since: 1.0
 */
double
ghlo_timing_get_run (const GhloTiming *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->run;
}

/**
 * ghlo_timing_get_reference:
 * @self: a timing
 *
 * Gets the part of [method@Ghlo.Timing.get_run] that steps of the reference executor
 * took ([method@Ghlo.Plan.get_n_reference_steps]): operations that the device has no
 * kernel for. On the reference device, this is all of it.
 *
 * Returns: the time in seconds
 *
 * Since: 1.0
 */
double
ghlo_timing_get_reference (const GhloTiming *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->reference;
}

/**
 * ghlo_timing_get_download:
 * @self: a timing
 *
 * Gets the time that it took to transfer outputs to host memory.
 *
 * Returns: the time in seconds
 *
 * Since: 1.0
 */
double
ghlo_timing_get_download (const GhloTiming *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->download;
}
