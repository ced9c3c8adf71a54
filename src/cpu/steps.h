/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CPU's step implementations, one file step-NAME.c for each. They are rows of the table
 * in target.c, but for elementwise ones.
 */

#pragma once

#include "base/ghlo-error.h"
#include "plan/target.h"

G_BEGIN_DECLS

extern const GhloStepImplementation ghlo_cpu_step_cholesky;
extern const GhloStepImplementation ghlo_cpu_step_concatenate;
extern const GhloStepImplementation ghlo_cpu_step_convolution;
extern const GhloStepImplementation ghlo_cpu_step_copy;   /* a target's copy: there is no operation */
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

/* Whether there are elementwise loops for @op, of some element types at least. */
gboolean ghlo_cpu_has_elementwise (GhloIrOpKind op);

/* For compile(): what select() found done was not to be done, which is a mistake of ours. */
static inline gpointer
ghlo_cpu_step_fail (const GhloStepRequest *request,
                    const char            *reason,
                    GError               **error)
{
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_INTERNAL, "%s was selected for the CPU, but cannot be compiled: %s",
               request->op != NULL ? ghlo_ir_op_get_name (request->op) : "a copy", reason);

  return NULL;
}

/* For compile(): FALSE when another algorithm than the selected one has to do and wants more scratch
 * than was planned, since memory is short or a library failed to generate code. */
static inline gboolean
ghlo_cpu_step_has_scratch (const GhloStepRequest *request,
                           gsize                  scratch,
                           GError               **error)
{
  if (scratch > request->scratch)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY,
                 "there is no memory to prepare %s as it was selected, and another way to compute it would take %"
                 G_GSIZE_FORMAT " bytes of scratch, where %" G_GSIZE_FORMAT " are planned",
                 ghlo_ir_op_get_name (request->op), scratch, request->scratch);

  return scratch <= request->scratch;
}

/* For the macros below: the struct refers to nothing of its own, or there is nothing to begin. */
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

/* select(), compile() and release() of an implementation that reads all of a request at once, by
 *
 *   static const char *read_request (Type                  *self,     // of zeros
 *                                    const GhloStepRequest *request);
 *   static void        fill_selection (const Type            *self,
 *                                      const GhloStepRequest *request,
 *                                      GhloStepSelection     *selection);
 *
 * The first gives NULL, or the reason why the request is not done; what it left in the struct
 * either way is freed by CLEAR. */
#define GHLO_CPU_DEFINE_STEP(Type, CLEAR) \
  GHLO_CPU_DEFINE_RELEASE (Type, CLEAR) \
  \
  static gboolean \
  select_step (gpointer               target, \
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
  compile (gpointer               target, \
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

/* The same for what refers to nothing of the request and is costly to read: it is read once, when it is selected. BEGIN
 * is called with what is compiled in earnest. */
#define GHLO_CPU_DEFINE_KEPT_STEP(Type, CLEAR, BEGIN) \
  GHLO_CPU_DEFINE_RELEASE (Type, CLEAR) \
  \
  static gboolean \
  select_step (gpointer               target, \
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
