/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * oneDNN, used with one thread and with memory of ours: its thread count is one
 * while it runs and the caller's own afterwards, primitives work in scratch that
 * they are given, and those that it implements by plain loops ("ref") are refused.
 * It is opened when it is first asked for. Where its headers were not there at build
 * time, where it is not installed, or cannot be kept to one thread, nothing of it is
 * available.
 */

#pragma once

#include "base/element.h"

G_BEGIN_DECLS

gboolean ghlo_cpu_onednn_available (void);
/* "2.7.4", which the caller frees; NULL where it is not available. */
char    *ghlo_cpu_onednn_dup_version (void);

/* What runs something here fails with DEVICE, or OUT_OF_MEMORY where oneDNN had none. */

/* Row-major C = A B, or C += A B: leading dimensions in elements. FALSE from the first
 * where it has no kernels of this processor's. */
gboolean ghlo_cpu_onednn_has_sgemm (void);
gboolean ghlo_cpu_onednn_sgemm     (gboolean      a_transposed,
                                    gboolean      b_transposed,
                                    gint64        m,
                                    gint64        n,
                                    gint64        k,
                                    const float  *a,
                                    gint64        a_leading,
                                    const float  *b,
                                    gint64        b_leading,
                                    gboolean      accumulate,
                                    float        *c,
                                    gint64        c_leading,
                                    GError      **error);

/* A primitive for one description: counted, described by any thread at once, and, after
 * that, compiled; then it is immutable and run by any thread. */
typedef struct _GhloCpuPrimitive GhloCpuPrimitive;

GhloCpuPrimitive *ghlo_cpu_primitive_ref          (GhloCpuPrimitive *self);
void              ghlo_cpu_primitive_unref        (GhloCpuPrimitive *self);
gsize             ghlo_cpu_primitive_scratch_size (const GhloCpuPrimitive *self);
/* oneDNN's name for how it is done: "brg:avx512_core". */
const char       *ghlo_cpu_primitive_name         (const GhloCpuPrimitive *self);
/* Generates its code, once however often it is called; FALSE when oneDNN fails to. */
gboolean          ghlo_cpu_primitive_compile      (GhloCpuPrimitive *self);
/* How many primitives are kept for whoever asks for the same. */
guint             ghlo_cpu_primitive_cached       (void);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloCpuPrimitive, ghlo_cpu_primitive_unref)

/* A row-major or, where transposed, column-major matrix. */
typedef struct
{
  GhloElementType type;           /* bf16, f32, i8, ui8, i32 */
  gboolean        transposed;
  gint64          leading;
} GhloCpuPrimitiveMatrix;

/* C = A B of one size; NULL when oneDNN has nothing better than plain loops, or
 * nothing that is exact: 8-bit integers only where the processor adds them in 32 bits
 * and a product of extreme numbers came out right. */
GhloCpuPrimitive *ghlo_cpu_onednn_matmul          (gint64                        m,
                                                   gint64                        n,
                                                   gint64                        k,
                                                   const GhloCpuPrimitiveMatrix *a,
                                                   const GhloCpuPrimitiveMatrix *b,
                                                   const GhloCpuPrimitiveMatrix *c);
/* @scratch is aligned to 64. */
gboolean          ghlo_cpu_onednn_run_matmul      (GhloCpuPrimitive *self,
                                                   gconstpointer     a,
                                                   gconstpointer     b,
                                                   gpointer          c,
                                                   gpointer          scratch,
                                                   GError          **error);

/* A convolution and its gradients, of channels-last tensors without gaps, and of
 * weights in an order that oneDNN chooses. */
typedef enum
{
  GHLO_CPU_FORWARD,             /* result = source * weights */
  GHLO_CPU_BACKWARD_DATA,       /* source = the gradient for it */
  GHLO_CPU_BACKWARD_WEIGHTS,    /* weights = the gradient for them */
} GhloCpuDirection;

enum { GHLO_CPU_MAX_SPATIAL = 3 };

/* Of the convolution forward, whatever the direction. */
typedef struct
{
  GhloCpuDirection direction;
  GhloElementType  type;                   /* f32 or bf16, of source, weights and result */
  guint            n_spatial;
  gint64           images, groups;
  gint64           source_features;        /* of all groups */
  gint64           result_features;
  gint64           source[GHLO_CPU_MAX_SPATIAL], kernel[GHLO_CPU_MAX_SPATIAL], result[GHLO_CPU_MAX_SPATIAL];
  gint64           strides[GHLO_CPU_MAX_SPATIAL], dilation[GHLO_CPU_MAX_SPATIAL];   /* 1 is none */
  gint64           low[GHLO_CPU_MAX_SPATIAL];
} GhloCpuConvolutionShape;

/* NULL when oneDNN has nothing of use. @like is another one with the same weights,
 * whose order of them is kept, or NULL. */
GhloCpuPrimitive *ghlo_cpu_onednn_convolution     (const GhloCpuConvolutionShape *shape,
                                                   const GhloCpuPrimitive        *like);
gboolean          ghlo_cpu_onednn_run_convolution (GhloCpuPrimitive *self,
                                                   gconstpointer     source,
                                                   gconstpointer     weights,
                                                   gconstpointer     result,
                                                   gpointer          scratch,
                                                   GError          **error);
/* Bytes of weights in the primitive's order. */
gsize             ghlo_cpu_onednn_weights_size    (const GhloCpuPrimitive *self);
/* From weights as [group, result feature, source feature, spatial …] with strides in
 * elements, none negative, into the primitive's order, or back: of result features
 * [@begin, @end) of each group, in the memory of all. NULL where the order does not allow them alone. */
GhloCpuPrimitive *ghlo_cpu_onednn_reorder_weights (const GhloCpuPrimitive        *self,
                                                   const GhloCpuConvolutionShape *shape,
                                                   const gint64                  *strides,
                                                   gint64                         begin,
                                                   gint64                         end,
                                                   gboolean                       back);
gboolean          ghlo_cpu_onednn_run_reorder     (GhloCpuPrimitive *self,
                                                   gconstpointer     from,
                                                   gpointer          to,
                                                   gpointer          scratch,
                                                   GError          **error);

G_END_DECLS
