/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Stands in where oneDNN's headers were missing at build time: nothing is available.
 */

#include "cpu/library/onednn.h"

#include "base/ghlo-error.h"

gboolean
ghlo_cpu_onednn_available (void)
{
  return FALSE;
}

char *
ghlo_cpu_onednn_dup_version (void)
{
  return NULL;
}

double
ghlo_cpu_onednn_speed (GhloElementType type)
{
  return 0;
}

gboolean
ghlo_cpu_onednn_has_sgemm (void)
{
  return FALSE;
}

static gboolean
fail (GError **error)
{
  g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_DEVICE, "this build does not include oneDNN");

  return FALSE;
}

gboolean
ghlo_cpu_onednn_sgemm (gboolean      a_transposed,
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
                       GError      **error)
{
  return fail (error);
}

GhloCpuPrimitive *
ghlo_cpu_primitive_ref (GhloCpuPrimitive *self)
{
  return self;
}

void
ghlo_cpu_primitive_unref (GhloCpuPrimitive *self)
{
}

gsize
ghlo_cpu_primitive_scratch_size (const GhloCpuPrimitive *self)
{
  return 0;
}

const char *
ghlo_cpu_primitive_name (const GhloCpuPrimitive *self)
{
  return "none";
}

gboolean
ghlo_cpu_primitive_compile (GhloCpuPrimitive *self)
{
  return FALSE;
}

guint
ghlo_cpu_primitive_cached (void)
{
  return 0;
}

GhloElementType
ghlo_cpu_onednn_byte_type (GhloElementType type,
                           gboolean        must_be_signed)
{
  return GHLO_ELEMENT_TYPE_INVALID;
}

gboolean
ghlo_cpu_onednn_has_integers (void)
{
  return FALSE;
}

GhloCpuPrimitive *
ghlo_cpu_onednn_matmul (gint64                  m,
                        gint64                  n,
                        gint64                  k,
                        GhloElementType         a,
                        GhloElementType         b,
                        GhloElementType         c,
                        const GhloCpuPrimitive *like)
{
  return NULL;
}

GhloCpuPrimitive *
ghlo_cpu_onednn_reorder_matrix (const GhloCpuPrimitive       *self,
                                const GhloCpuPrimitiveMatrix *b)
{
  return NULL;
}

gboolean
ghlo_cpu_onednn_run_matmul (GhloCpuPrimitive *self,
                            gconstpointer     a,
                            gconstpointer     b,
                            gpointer          c,
                            gpointer          scratch,
                            GError          **error)
{
  return fail (error);
}

GhloCpuPrimitive *
ghlo_cpu_onednn_convolution (const GhloCpuConvolutionShape *shape,
                             const GhloCpuPrimitive        *like)
{
  return NULL;
}

gboolean
ghlo_cpu_onednn_run_convolution (GhloCpuPrimitive *self,
                                 gconstpointer     source,
                                 gconstpointer     weights,
                                 gconstpointer     result,
                                 gpointer          scratch,
                                 GError          **error)
{
  return fail (error);
}

gsize
ghlo_cpu_onednn_weights_size (const GhloCpuPrimitive *self)
{
  return 0;
}

GBytes *
ghlo_cpu_onednn_weights_layout (const GhloCpuPrimitive *self)
{
  return g_bytes_new (NULL, 0);
}

GhloCpuPrimitive *
ghlo_cpu_onednn_reorder_weights (const GhloCpuPrimitive        *self,
                                 const GhloCpuConvolutionShape *shape,
                                 const gint64                  *strides,
                                 gint64                         begin,
                                 gint64                         end,
                                 gboolean                       back)
{
  return NULL;
}

gboolean
ghlo_cpu_onednn_run_reorder (GhloCpuPrimitive *self,
                             gconstpointer     from,
                             gpointer          to,
                             gpointer          scratch,
                             GError          **error)
{
  return fail (error);
}
