/* SPDX-License-Identifier: LGPL-2.1-or-later The CPU's step implementations, one file step-NAME.c for each. They are
 * listed in the table of find-step.c, except for the elementwise one. / */

#pragma once

#include "base/ghlo-error.h"
#include "device/device.h"

G_BEGIN_DECLS

extern const GhloStepImplementation ghlo_cpu_step_cholesky;
extern const GhloStepImplementation ghlo_cpu_step_concatenate;
extern const GhloStepImplementation ghlo_cpu_step_convolution;
extern const GhloStepImplementation ghlo_cpu_step_copy;   /* the target's copies; there is no operation for these */
extern const GhloStepImplementation ghlo_cpu_step_cumulative;
extern const GhloStepImplementation ghlo_cpu_step_dot;
extern const GhloStepImplementation ghlo_cpu_step_dynamic_slice;
extern const GhloStepImplementation ghlo_cpu_step_dynamic_update_slice;
extern const GhloStepImplementation ghlo_cpu_step_elementwise;
extern const GhloStepImplementation ghlo_cpu_step_gather;
extern const GhloStepImplementation ghlo_cpu_step_iota;
extern const GhloStepImplementation ghlo_cpu_step_kernel;
extern const GhloStepImplementation ghlo_cpu_step_pad;
extern const GhloStepImplementation ghlo_cpu_step_pool_gradient;
extern const GhloStepImplementation ghlo_cpu_step_random;
extern const GhloStepImplementation ghlo_cpu_step_reduce;
extern const GhloStepImplementation ghlo_cpu_step_routine;
extern const GhloStepImplementation ghlo_cpu_step_scatter;
extern const GhloStepImplementation ghlo_cpu_step_select_and_scatter;
extern const GhloStepImplementation ghlo_cpu_step_sort;
extern const GhloStepImplementation ghlo_cpu_step_top_k;
extern const GhloStepImplementation ghlo_cpu_step_triangular_solve;

/* Implements GhloDeviceCoreClass.find_step. */
const GhloStepImplementation *ghlo_cpu_find_step (GhloDeviceCore               *self,
                                                  const GhloIrOp               *op,
                                                  const GhloStepImplementation *previous);
/* Whether there are elementwise loops for @op, at least for some element types. */
gboolean ghlo_cpu_has_elementwise (GhloIrOpKind op);

/* For compile (): fails because a request that select () has accepted cannot be compiled, which is a bug of ours. */
static inline gpointer
ghlo_cpu_step_fail (const GhloStepRequest *request,
                    const char            *reason,
                    GError               **error)
{
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_INTERNAL, "%s was selected for the CPU, but cannot be compiled: %s",
               request->op != NULL ? ghlo_ir_op_get_name (request->op) : "a copy", reason);

  return NULL;
}

/* For compile (): FALSE where another algorithm than the selected one has to be used and wants more scratch than was
 * planned. That happens where memory is short, or where a library has failed to generate code. */
static inline gboolean
ghlo_cpu_step_has_scratch (const GhloStepRequest *request,
                           gsize                  scratch,
                           GError               **error)
{
  if (scratch > request->scratch)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY,
                 "there is too little memory to prepare the algorithm selected for %s, and another one needs %"
                 G_GSIZE_FORMAT " bytes of scratch memory, but only %" G_GSIZE_FORMAT " are planned",
                 ghlo_ir_op_get_name (request->op), scratch, request->scratch);

  return scratch <= request->scratch;
}

/* For the macros below, where the struct owns nothing, or where there is nothing to begin. */
static inline void
ghlo_cpu_step_clear_nothing (gpointer self)
{
}

#define GHLO_CPU_DEFINE_RELEASE(Type, CLEAR) \
  static void \
  release (gpointer compiled) \
  { \
    CLEAR ((Type *) compiled); \
    g_free (compiled); \
  }

/* Defines select(), compile() and release() of an implementation that reads a whole request at once, with these
 * functions:
 *
 *   static const char *read_request (Type                  *self,     // all zeros
 *                                    const GhloStepRequest *request);
 *   static void        fill_selection (const Type            *self,
 *                                      const GhloStepRequest *request,
 *                                      GhloStepSelection     *selection);
 *
 * The first one returns NULL, or why the request is not supported. In both cases CLEAR frees what it has left in the
 * struct. */
#define GHLO_CPU_DEFINE_STEP(Type, CLEAR) \
  GHLO_CPU_DEFINE_RELEASE (Type, CLEAR) \
  \
  static gboolean \
  select_step (GhloDeviceCore        *device, \
               const GhloStepRequest *request, \
               GhloStepSelection     *selection) \
  { \
    Type *self = g_new0 (Type, 1); \
    \
    selection->reason = read_request (self, request); \
    if (selection->reason == NULL) \
      fill_selection (self, request, selection); \
    release (self); \
    return selection->reason == NULL; \
  } \
  \
  static gpointer \
  compile (GhloDeviceCore        *device, \
           const GhloStepRequest *request, \
           const GhloMonitor     *monitor, \
           GError               **error) \
  { \
    Type *self = g_new0 (Type, 1); \
    const char *reason = read_request (self, request); \
    \
    if (reason == NULL) \
      return self; \
    release (self); \
    return ghlo_cpu_step_fail (request, reason, error); \
  }

/* The same for a struct that does not refer to the request and is costly to read: it is read once, at selection.
 * BEGIN is called when it is compiled to be run. */
#define GHLO_CPU_DEFINE_KEPT_STEP(Type, CLEAR, BEGIN) \
  GHLO_CPU_DEFINE_RELEASE (Type, CLEAR) \
  \
  static gboolean \
  select_step (GhloDeviceCore        *device, \
               const GhloStepRequest *request, \
               GhloStepSelection     *selection) \
  { \
    Type *self = g_new0 (Type, 1); \
    \
    selection->reason = read_request (self, request); \
    if (selection->reason != NULL) \
      { \
        release (self); \
        return FALSE; \
      } \
    fill_selection (self, request, selection); \
    selection->kept = self; \
    return TRUE; \
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
        reason = read_request (self, request); \
      } \
    if (reason == NULL) \
      { \
        BEGIN (self); \
        return self; \
      } \
    release (self); \
    return ghlo_cpu_step_fail (request, reason, error); \
  }

G_END_DECLS
