/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What step implementations share.
 */

#pragma once

#include "base/ghlo-error.h"
#include "vulkan/target.h"

G_BEGIN_DECLS

/* select(), compile() and release() of an implementation, by
 *
 *   static void        clear (Type *self);                            // frees what it has, whatever was read
 *   static const char *read_request (Type                  *self,     // of zeros
 *                                    GhloVulkanDevice      *device,
 *                                    const GhloStepRequest *request);
 *   static void        fill_selection (const Type            *self,
 *                                      const GhloStepRequest *request,
 *                                      GhloStepSelection     *selection);
 *   static gboolean    make_pipelines (Type                   *self,
 *                                      const GhloStepRequest  *request,
 *                                      GError                **error);
 *
 * The second gives NULL, or the reason why the request is not done. With @keeps what was read is kept for the compile:
 * where that gets operands as the selection saw them. */
#define GHLO_VULKAN_DEFINE_STEP(Type, clear, keeps) \
  static void \
  release (gpointer compiled) \
  { \
    clear (compiled); \
    g_free (compiled); \
  } \
  \
  static gboolean \
  select_step (gpointer               target, \
               const GhloStepRequest *request, \
               GhloStepSelection     *selection) \
  { \
    Type *self = g_new0 (Type, 1); \
    gboolean ok; \
    \
    selection->reason = read_request (self, target, request); \
    ok = selection->reason == NULL; \
    if (ok) \
      fill_selection (self, request, selection); \
    if (ok && (keeps)) \
      selection->kept = self; \
    else \
      release (self); \
    return ok; \
  } \
  \
  static gpointer \
  compile (gpointer               target, \
           const GhloStepRequest *request, \
           const GhloMonitor     *monitor, \
           GError               **error) \
  { \
    Type *self = request->kept; \
    const char *reason = NULL; \
    \
    if (self == NULL) \
      { \
        self = g_new0 (Type, 1); \
        reason = read_request (self, target, request); \
      } \
    if (reason != NULL) \
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_INTERNAL, "%s was selected for a Vulkan device, but cannot be " \
                   "compiled: %s", ghlo_ir_op_get_name (request->op), reason); \
    if (reason == NULL && make_pipelines (self, request, error)) \
      return self; \
    release (self); \
    return NULL; \
  }

G_END_DECLS
