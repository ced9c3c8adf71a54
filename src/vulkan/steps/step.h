/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the step implementations.
 */

#pragma once

#include "base/ghlo-error.h"
#include "vulkan/steps.h"

G_BEGIN_DECLS

/* Defines select_step (), compile () and release () of an implementation by means of
 *
 *   static void        clear (Type *self);                            // frees everything; @self may be half read
 *   static const char *read_request (Type                  *self,     // zero-initialized
 *                                    GhloVulkanDevice      *device,
 *                                    const GhloStepRequest *request);
 *   static void        fill_selection (const Type            *self,
 *                                      const GhloStepRequest *request,
 *                                      GhloStepSelection     *selection);
 *   static gboolean    make_pipelines (Type                   *self,
 *                                      const GhloStepRequest  *request,
 *                                      GError                **error);
 *
 * read_request () returns NULL, or the reason why the request is declined. With @keeps, @self is kept from the
 * selection for the compile, for implementations whose compile gets the same operands as the selection. */
#define GHLO_VULKAN_DEFINE_STEP(Type, clear, keeps) \
  static void \
  release (gpointer compiled) \
  { \
    clear (compiled); \
    g_free (compiled); \
  } \
  \
  static gboolean \
  select_step (GhloDeviceCore        *device, \
               const GhloStepRequest *request, \
               GhloStepSelection     *selection) \
  { \
    Type *self = g_new0 (Type, 1); \
    gboolean ok; \
    \
    selection->reason = read_request (self, (GhloVulkanDevice *) device, request); \
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
  compile (GhloDeviceCore        *device, \
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
        reason = read_request (self, (GhloVulkanDevice *) device, request); \
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
