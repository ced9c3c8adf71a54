/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What step implementations of shaders (shaders.h) share.
 */

#pragma once

#include "base/ghlo-error.h"
#include "vulkan/shaders.h"
#include "vulkan/target.h"

G_BEGIN_DECLS

/* select(), compile() and release() of an implementation, by
 *
 *   static const char *read_request (Type                  *self,     // of zeros
 *                                    GhloVulkanDevice      *device,
 *                                    const GhloStepRequest *request);
 *   static void        fill_selection (const Type            *self,
 *                                      const GhloStepRequest *request,
 *                                      GhloStepSelection     *selection);
 *   static gboolean    make_pipelines (Type    *self,
 *                                      GError **error);
 *
 * The first gives NULL, or the reason why the request is not done. */
#define GHLO_VULKAN_DEFINE_SHADER_STEP(Type) \
  static void \
  release (gpointer compiled) \
  { \
    g_free (compiled); \
  } \
  \
  static gboolean \
  select_step (gpointer               target, \
               const GhloStepRequest *request, \
               GhloStepSelection     *selection) \
  { \
    g_autofree Type *self = g_new0 (Type, 1); \
    \
    selection->reason = read_request (self, target, request); \
    if (selection->reason == NULL) \
      fill_selection (self, request, selection); \
    return selection->reason == NULL; \
  } \
  \
  static gpointer \
  compile (gpointer               target, \
           const GhloStepRequest *request, \
           const GhloMonitor     *monitor, \
           GError               **error) \
  { \
    g_autofree Type *self = g_new0 (Type, 1); \
    const char *reason = read_request (self, target, request); \
    \
    if (reason != NULL) \
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_INTERNAL, "%s was selected for a Vulkan device, but cannot be " \
                   "compiled: %s", ghlo_ir_op_get_name (request->op), reason); \
    return reason == NULL && make_pipelines (self, error) ? g_steal_pointer (&self) : NULL; \
  }

G_END_DECLS
