/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Requests for products and convolutions: one operation, or a fusion of one and its epilogue (plan/epilogue.h), whose
 * kernel is run on each finished part of the product while it is in the cache. The first result of the product's own
 * type gets the product before.
 */

#pragma once

#include "cpu/code/kernel.h"
#include "cpu/gemm/gemm.h"
#include "plan/epilogue.h"

G_BEGIN_DECLS

typedef struct
{
  GhloStepEpilogue fusion;
  GhloCpuKernel    kernel;
  guint            place;           /* the result of the request that has the product, or GHLO_STEP_NONE */
  gsize            element, size;   /* bytes, of an element of the product and of all */
  gboolean         is_whole;        /* the kernel is run when the product is complete */
} GhloCpuEpilogue;

void ghlo_cpu_epilogue_free (GhloCpuEpilogue *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloCpuEpilogue, ghlo_cpu_epilogue_free)

/* What a request is about; borrowed from it. */
typedef struct
{
  GhloStepLead     lead;
  GhloCpuEpilogue *epilogue;        /* owned by the caller; NULL: it is no fusion */
} GhloCpuProduct;

/* Reads a request for a product or, with @is_convolution, a convolution. NULL, or the reason why it cannot be done.
 * @kept is the epilogue that the same request was read to before, which becomes @self's; nullable. */
const char *ghlo_cpu_product_read      (GhloCpuProduct        *self,
                                        const GhloStepRequest *request,
                                        gboolean               is_convolution,
                                        GhloCpuEpilogue       *kept);

/* Of all of these @self may be NULL: then there is no epilogue. */

/* What the product, whose own scratch is @scratch bytes, wants with the epilogue. */
gsize    ghlo_cpu_epilogue_scratch     (const GhloCpuEpilogue *self,
                                        gsize                  scratch);
/* For what is compiled in earnest, of a product that takes so many nanoseconds. */
void     ghlo_cpu_epilogue_begin       (GhloCpuEpilogue       *self,
                                        double                 nanoseconds);
/* As of GhloStepImplementation; NULL without an epilogue. */
void     ghlo_cpu_epilogue_hurry       (const GhloCpuEpilogue *self);
gboolean ghlo_cpu_epilogue_wait        (const GhloCpuEpilogue *self,
                                        const GhloMonitor     *monitor,
                                        GError               **error);
char    *ghlo_cpu_epilogue_print       (const GhloCpuEpilogue *self);
char    *ghlo_cpu_epilogue_print_code  (const GhloCpuEpilogue *self);

/* One run: what @data of the panels' function points to. */
typedef struct
{
  const GhloCpuEpilogue *epilogue;
  guint8                *product;     /* where the product is written to, all of it */
  gpointer               buffers[GHLO_KERNEL_MAX_BUFFERS];
  GhloCpuKernelRun       kernel;
} GhloCpuEpilogueRun;

/* @scratch: the step's, of which the product's own is the first @own bytes. */
void     ghlo_cpu_epilogue_run_begin   (GhloCpuEpilogueRun    *run,
                                        const GhloCpuEpilogue *self,
                                        const GhloView        *operands,
                                        const GhloView        *results,
                                        gpointer               scratch,
                                        gsize                  own,
                                        const GhloMonitor     *monitor);
/* A GhloCpuPanelFunc. */
void     ghlo_cpu_epilogue_panel       (gpointer               data,
                                        const GhloCpuPanel    *panel);
/* When the product is complete; FALSE with @error when cancelled. */
gboolean ghlo_cpu_epilogue_run_end     (const GhloCpuEpilogueRun *run,
                                        const GhloMonitor     *monitor,
                                        GError               **error);

G_END_DECLS
