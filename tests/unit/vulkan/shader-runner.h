/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs compute shaders for tests, one dispatch at a time, on a Vulkan device of the system: the first whose name
 * contains what GHLO_TEST_VULKAN says, or else the first that is a CPU. Shaders get their arguments as push constants
 * and reach memory by address; there are no descriptors. A runner serves one thread at a time.
 */

#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct ShaderRunner ShaderRunner;

/* What the device has, all of it switched on, besides addresses of buffers, integers of 64 bits and timeline
 * semaphores, which every runner has. */
typedef struct
{
  gboolean float64, int16, int8;
  gboolean storage8, storage16;     /* memory is read and written in pieces of so many bits */
  /* For floats of 32 bits and of 64. */
  gboolean preserves_denormals[2], rounds_to_even[2], preserves_nan[2];
} ShaderFeatures;

/* NULL where no device can do it, and why. */
ShaderRunner         *shader_runner_new          (const char    **reason);
void                  shader_runner_free         (ShaderRunner   *self);

const char           *shader_runner_get_name     (ShaderRunner   *self);
const ShaderFeatures *shader_runner_get_features (ShaderRunner   *self);
/* Whether the validation layer is installed, and its warnings and errors so far, which are test messages too. */
gboolean              shader_runner_is_validated (ShaderRunner   *self);
guint                 shader_runner_n_messages   (ShaderRunner   *self);

/* Zeroed memory that both sides see: its address on the device, a multiple of 64, and @host, the same for us. 0 and
 * NULL where there is no more. */
guint64               shader_runner_alloc        (ShaderRunner   *self,
                                                  gsize           size,
                                                  gpointer       *host);
/* Ends all that was allocated. */
void                  shader_runner_free_all     (ShaderRunner   *self);

/* Runs the entry point "main" in @n_groups × 1 × 1 workgroups and waits until memory has what it wrote. A module that
 * the validation layer finds errors in is not run. After G_IO_ERROR_TIMED_OUT, in a minute, the device may be at work
 * still: the runner runs nothing more, and keeps its memory even when it is freed. */
gboolean              shader_runner_run          (ShaderRunner   *self,
                                                  const guint32  *words,
                                                  gsize           n_words,
                                                  gconstpointer   push,
                                                  gsize           push_size,
                                                  guint           n_groups,
                                                  GError        **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShaderRunner, shader_runner_free)

G_END_DECLS
