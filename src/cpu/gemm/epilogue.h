/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The epilogue of a product or convolution (plan/epilogue.h): a kernel, which is run on each finished part of the
 * product while the part is in the cache. The first result that has the product's type serves as the memory for the
 * product.
 */

#pragma once

#include "cpu/gemm/gemm.h"
#include "cpu/jit/compiled-kernel.h"
#include "plan/epilogue.h"

G_BEGIN_DECLS

typedef struct
{
  GhloStepEpilogue fusion;
  GhloCpuKernel    kernel;
  guint            product_result;  /* the result of the request that the product is written to, or GHLO_STEP_NONE */
  gsize            element, size;   /* bytes: of one element of the product, and of all */
  guint            shift;           /* element is 1 << shift */
  gboolean         runs_once;       /* the kernel runs once, when the product is complete */
} GhloCpuEpilogue;

void ghlo_cpu_epilogue_free (GhloCpuEpilogue *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloCpuEpilogue, ghlo_cpu_epilogue_free)

/* Reads the epilogue of a fusion that begins with @product_op; @self is zero before. Returns NULL, or why it is
 * declined. */
const char *ghlo_cpu_epilogue_read     (GhloCpuEpilogue       *self,
                                        const GhloProductOp   *product_op,
                                        const GhloStepRequest *request);

/* In all of these functions @self may be NULL, which means that there is no epilogue. */

/* The scratch of the product and its epilogue together; that of the product alone is @scratch bytes. */
gsize    ghlo_cpu_epilogue_scratch     (const GhloCpuEpilogue *self,
                                        gsize                  scratch);
/* Called when a request is compiled to be run. @nanoseconds is the estimated time of the product. */
void     ghlo_cpu_epilogue_begin       (GhloCpuEpilogue       *self,
                                        double                 nanoseconds);
/* These are as in GhloStepImplementation; without an epilogue, the text is NULL. */
gboolean ghlo_cpu_epilogue_wait        (const GhloCpuEpilogue *self,
                                        gboolean               only_begins,
                                        const GhloMonitor     *monitor,
                                        GError               **error);
char    *ghlo_cpu_epilogue_print       (const GhloCpuEpilogue *self,
                                        GhloKernelForm         form);

/* One run; the @data of ghlo_cpu_epilogue_panel () points to it. */
typedef struct
{
  const GhloCpuEpilogue *epilogue;
  guint8                *product;     /* the memory for the whole product */
  gpointer               buffers[GHLO_KERNEL_MAX_BUFFERS];
  GhloCpuKernelRun       kernel;
} GhloCpuEpilogueRun;

/* @scratch is the scratch of the step; its first @product_size bytes belong to the product. */
void     ghlo_cpu_epilogue_run_begin   (GhloCpuEpilogueRun    *run,
                                        const GhloCpuEpilogue *self,
                                        const GhloView        *operands,
                                        const GhloView        *results,
                                        gpointer               scratch,
                                        gsize                  product_size,
                                        const GhloMonitor     *monitor);
/* Runs the kernel on one panel of the product; a GhloCpuPanelFunc. */
void     ghlo_cpu_epilogue_panel       (gpointer               data,
                                        const GhloCpuPanel    *panel);
/* Called when the product is complete. FALSE with @error when cancelled. */
gboolean ghlo_cpu_epilogue_run_end     (const GhloCpuEpilogueRun *run,
                                        const GhloMonitor        *monitor,
                                        GError                  **error);

G_END_DECLS
