/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs compute shaders for tests, one dispatch at a time, on one of the system's Vulkan devices: the first whose name
 * contains the value of GHLO_TEST_VULKAN, or by default the first CPU device. Shaders get their arguments as push
 * constants and access memory by address; there are no descriptors. A runner serves one thread at a time.
 */

#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct ShaderRunner ShaderRunner;

/* The device's optional features, all of which are enabled. Buffer addresses, 64-bit integers and timeline
 * semaphores are features that every runner has. */
typedef struct
{
  gboolean float64, int16, int8;
  gboolean storage8, storage16;     /* memory can be accessed in units of 8 and 16 bits */
  /* For floats of 32 bits and of 64. */
  gboolean preserves_denormals[2], rounds_to_even[2], preserves_nan[2];
} ShaderFeatures;

/* NULL, with the reason, where no device is suitable. */
ShaderRunner         *shader_runner_new          (const char    **reason);
void                  shader_runner_free         (ShaderRunner   *self);

const char           *shader_runner_get_name     (ShaderRunner   *self);
const ShaderFeatures *shader_runner_get_features (ShaderRunner   *self);
/* Whether the validation layer is installed, and the number of its warnings and errors so far, which are test
 * messages as well. */
gboolean              shader_runner_is_validated (ShaderRunner   *self);
guint                 shader_runner_n_messages   (ShaderRunner   *self);

/* Zeroed memory visible to both sides: returns its device address, a multiple of 64, and sets @host to its host
 * address. 0 and NULL when out of memory. */
guint64               shader_runner_alloc        (ShaderRunner   *self,
                                                  gsize           size,
                                                  gpointer       *host);
/* Frees everything that was allocated. */
void                  shader_runner_free_all     (ShaderRunner   *self);

/* Runs the entry point "main" in @n_groups × 1 × 1 workgroups and waits until its writes are visible in memory. A
 * module in which the validation layer finds errors is not run. After G_IO_ERROR_TIMED_OUT the device may still be
 * running: the runner then runs nothing more, and its memory is not freed, not even by freeing the runner. */
gboolean              shader_runner_run          (ShaderRunner   *self,
                                                  const guint32  *words,
                                                  gsize           n_words,
                                                  gconstpointer   push,
                                                  gsize           push_size,
                                                  guint           n_groups,
                                                  GError        **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShaderRunner, shader_runner_free)

G_END_DECLS
