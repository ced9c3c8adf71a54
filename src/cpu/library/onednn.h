/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * oneDNN, used with one thread and with our memory: its thread count is set to one during a call and restored
 * afterwards, primitives get their scratch from the caller, and reference implementations ("ref", plain loops) are
 * refused. The library is opened when first needed. It is not available where its headers were missing at build time,
 * where it is not installed, or where it cannot be limited to one thread.
 */

#pragma once

#include "base/element.h"

G_BEGIN_DECLS

gboolean ghlo_cpu_onednn_available (void);
/* Returns "2.7.4", transfer full; NULL where oneDNN is not available. */
char    *ghlo_cpu_onednn_dup_version (void);

/* Whether oneDNN takes @n as a size, stride, dilation or padding. Its parameters have 64 bits, but its kernels compute
 * with them in int, and cut off what does not fit in silence. */
static inline gboolean
ghlo_cpu_onednn_fits (gint64 n)
{
  return n >= 0 && n <= G_MAXINT;
}

/* Functions that run something fail with DEVICE, or with OUT_OF_MEMORY where oneDNN ran out of memory. */

/* Row-major C = A B, or C += A B; leading dimensions are in elements. All numbers have to fit. has_sgemm () returns
 * FALSE where oneDNN has no kernels for this processor. */
gboolean ghlo_cpu_onednn_has_sgemm (void);
/* The speed of oneDNN's products of floats of @type, or of bytes, relative to f32: by tiles (AMX), or by sums of
 * adjacent products (AVX512-BF16, VNNI). 0 for bf16 where the processor has neither. */
double   ghlo_cpu_onednn_speed     (GhloElementType type);
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

/* The type as which oneDNN reads such integers, of at most 8 bits; INVALID where it has none. Small numbers of either
 * signedness are the same in both. */
GhloElementType   ghlo_cpu_onednn_byte_type       (GhloElementType type,
                                                   gboolean        must_be_signed);
/* Whether 8-bit integers are used: where the processor sums them in 32 bits, and a test product of extreme numbers was
 * right. */
gboolean          ghlo_cpu_onednn_has_integers    (void);

/* A primitive for one description; reference counted. Any thread may query it at once. After it has been compiled it
 * is immutable, and any thread may run it. */
typedef struct _GhloCpuPrimitive GhloCpuPrimitive;

GhloCpuPrimitive *ghlo_cpu_primitive_ref          (GhloCpuPrimitive *self);
void              ghlo_cpu_primitive_unref        (GhloCpuPrimitive *self);
gsize             ghlo_cpu_primitive_scratch_size (const GhloCpuPrimitive *self);
/* oneDNN's name of the implementation: "brg:avx512_core". */
const char       *ghlo_cpu_primitive_name         (const GhloCpuPrimitive *self);
/* Generates the code, once for any number of calls. FALSE where oneDNN fails to. */
gboolean          ghlo_cpu_primitive_compile      (GhloCpuPrimitive *self);
/* Returns the number of primitives in the cache. */
guint             ghlo_cpu_primitive_cached       (void);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloCpuPrimitive, ghlo_cpu_primitive_unref)

/* A row-major or, if transposed, column-major matrix. */
typedef struct
{
  GhloElementType type;           /* bf16, f32, i8, ui8, i32 */
  gboolean        transposed;
  gint64          leading;
} GhloCpuPrimitiveMatrix;

/* C = A B of one size, of dense row-major A and C, and of B in an order that oneDNN chooses, or that @like (nullable)
 * has for the same k and n. NULL where a number does not fit, or where oneDNN has nothing better than plain loops, or
 * nothing exact. */
GhloCpuPrimitive *ghlo_cpu_onednn_matmul          (gint64                  m,
                                                   gint64                  n,
                                                   gint64                  k,
                                                   GhloElementType         a,
                                                   GhloElementType         b,
                                                   GhloElementType         c,
                                                   const GhloCpuPrimitive *like);
/* Copies @b into the order of the primitive's B, for ghlo_cpu_onednn_run_reorder (). */
GhloCpuPrimitive *ghlo_cpu_onednn_reorder_matrix  (const GhloCpuPrimitive       *self,
                                                   const GhloCpuPrimitiveMatrix *b);
/* @scratch is aligned to 64. */
gboolean          ghlo_cpu_onednn_run_matmul      (GhloCpuPrimitive *self,
                                                   gconstpointer     a,
                                                   gconstpointer     b,
                                                   gpointer          c,
                                                   gpointer          scratch,
                                                   GError          **error);

/* A convolution and its gradients, of dense channels-last tensors and of weights in a layout that oneDNN chooses. */
typedef enum
{
  GHLO_CPU_FORWARD,             /* result = source * weights */
  GHLO_CPU_BACKWARD_DATA,       /* source = gradient for the source */
  GHLO_CPU_BACKWARD_WEIGHTS,    /* weights = gradient for the weights */
} GhloCpuDirection;

enum { GHLO_CPU_MAX_SPATIAL = 3 };

/* Describes the forward convolution, whatever the direction. */
typedef struct
{
  GhloCpuDirection direction;
  /* All f32 or all bf16; or, in the direction FORWARD, 8-bit integers of which weights are signed, and i32. */
  GhloElementType  source_type, weights_type, result_type;
  guint            n_spatial;
  gint64           images, groups;
  gint64           source_features;        /* of all groups */
  gint64           result_features;
  gint64           source[GHLO_CPU_MAX_SPATIAL], kernel[GHLO_CPU_MAX_SPATIAL], result[GHLO_CPU_MAX_SPATIAL];
  gint64           strides[GHLO_CPU_MAX_SPATIAL], dilation[GHLO_CPU_MAX_SPATIAL];   /* 1 means no dilation */
  gint64           low[GHLO_CPU_MAX_SPATIAL];
} GhloCpuConvolutionShape;

/* NULL where a number does not fit, or where oneDNN has nothing useful. @like (nullable) is a primitive with the same
 * weights, whose layout is kept. */
GhloCpuPrimitive *ghlo_cpu_onednn_convolution     (const GhloCpuConvolutionShape *shape,
                                                   const GhloCpuPrimitive        *like);
gboolean          ghlo_cpu_onednn_run_convolution (GhloCpuPrimitive *self,
                                                   gconstpointer     source,
                                                   gconstpointer     weights,
                                                   gconstpointer     result,
                                                   gpointer          scratch,
                                                   GError          **error);
/* Bytes of the weights, or of B, in the primitive's layout; and a name of that layout, for comparisons only: two that
 * are equal hold equal weights in the same bytes. Transfer full. */
gsize             ghlo_cpu_onednn_weights_size    (const GhloCpuPrimitive *self);
GBytes           *ghlo_cpu_onednn_weights_layout  (const GhloCpuPrimitive *self);
/* Reorders weights from [group, result feature, source feature, spatial …] with @strides in elements, none of them
 * negative, into the primitive's layout, or @back: result features [@begin, @end) of each group, in the memory of the
 * whole tensor. NULL where the layout cannot be cut there. */
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
