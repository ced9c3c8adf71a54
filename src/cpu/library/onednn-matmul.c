/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products by oneDNN's matmul, of the types that it uses special processor instructions for. 8-bit integers are
 * tested once: where they are summed in 16 bits on the way, large values saturate and the product is wrong.
 */

#include "cpu/library/onednn-private.h"

#include <string.h>

/* Sizes of the test: not multiples of anything, and large enough for every kind of loop. */
enum { CHECK_M = 67, CHECK_N = 71, CHECK_K = 133 };

/* Indices of the memories of a product's primitive. */
enum { SOURCE, WEIGHTS = GHLO_CPU_PRIMITIVE_WEIGHTS, RESULT, N_MEMORIES };

/* More rows than oneDNN's kernels address from one pointer, with offsets in bytes that are int. */
enum { BLOCK_ROWS = 512 };

static gboolean
describe_matrix (dnnl_memory_desc_t           *layout,
                 gint64                        rows,
                 gint64                        columns,
                 const GhloCpuPrimitiveMatrix *matrix)
{
  const gint64 dimensions[] = { rows, columns };
  const gint64 strides[] = { matrix->transposed ? 1 : matrix->leading, matrix->transposed ? matrix->leading : 1 };
  gint64 reach = matrix->leading;

  return ghlo_cpu_onednn_multiply (&reach, BLOCK_ROWS * (gint64) ghlo_element_info (matrix->type)->size)
         && ghlo_cpu_onednn_describe_strided (layout, dimensions, 2, ghlo_cpu_onednn_type (matrix->type), strides);
}

static GhloCpuPrimitive *
get_matmul (gint64                  m,
            gint64                  n,
            gint64                  k,
            GhloElementType         a,
            GhloElementType         b,
            GhloElementType         c,
            const GhloCpuPrimitive *like)
{
  static const int arguments[] = { [SOURCE] = DNNL_ARG_SRC, [WEIGHTS] = DNNL_ARG_WEIGHTS, [RESULT] = DNNL_ARG_DST };
  const GhloCpuPrimitiveMatrix source = { a, FALSE, k }, result = { c, FALSE, n };
  const gint64 dimensions[] = { k, n };
  gint64 size = ghlo_element_info (b)->size;
  dnnl_matmul_desc_t description;
  dnnl_memory_desc_t layouts[N_MEMORIES];

  if (!ghlo_cpu_onednn_available () || !ghlo_cpu_onednn_multiply (&size, k) || !ghlo_cpu_onednn_multiply (&size, n)
      || !describe_matrix (&layouts[SOURCE], m, k, &source)
      || !describe_matrix (&layouts[RESULT], m, n, &result))
    return NULL;
  if (like != NULL)
    layouts[WEIGHTS] = like->memories[WEIGHTS].layout;
  else if (!ghlo_cpu_onednn_describe (&layouts[WEIGHTS], dimensions, 2, ghlo_cpu_onednn_type (b), dnnl_format_tag_any))
    return NULL;
  if (ghlo_cpu_dnnl.matmul_desc_init (&description, &layouts[SOURCE], &layouts[WEIGHTS], NULL, &layouts[RESULT])
      != dnnl_success)
    return NULL;

  return ghlo_cpu_primitive_get (&description, sizeof (description), arguments, N_MEMORIES);
}

/* Tests products of extreme values, whose sums would overflow in 16 bits. */
static gboolean
check_integers (GhloElementType a_type)
{
  const GhloCpuPrimitiveMatrix b = { GHLO_ELEMENT_TYPE_I8, FALSE, CHECK_N };
  g_autoptr (GhloCpuPrimitive) primitive = get_matmul (CHECK_M, CHECK_N, CHECK_K, a_type, b.type,
                                                       GHLO_ELEMENT_TYPE_I32, NULL);
  g_autoptr (GhloCpuPrimitive) reorder = primitive != NULL ? ghlo_cpu_onednn_reorder_matrix (primitive, &b) : NULL;
  g_autofree guint8 *lhs = g_malloc (CHECK_M * CHECK_K);
  g_autofree gint8 *rhs = g_malloc (CHECK_K * CHECK_N);
  g_autofree gint32 *result = g_new0 (gint32, CHECK_M * CHECK_N);
  gpointer scratch, packed;
  gboolean right;

  if (reorder == NULL || !ghlo_cpu_primitive_compile (primitive) || !ghlo_cpu_primitive_compile (reorder))
    return FALSE;
  for (guint i = 0; i < CHECK_M * CHECK_K; i++)
    lhs[i] = i / CHECK_K % 2 == 0 ? (a_type == GHLO_ELEMENT_TYPE_I8 ? 0x80 : 0xff)
                                  : (a_type == GHLO_ELEMENT_TYPE_I8 ? 0x7f : 0xfe);
  for (guint i = 0; i < CHECK_K * CHECK_N; i++)
    rhs[i] = i % CHECK_N % 2 == 0 ? -128 : 127;
  scratch = g_aligned_alloc (1, MAX (MAX (primitive->scratch_size, reorder->scratch_size), 64), 64);
  packed = g_aligned_alloc (1, ghlo_cpu_onednn_weights_size (primitive), 64);
  right = ghlo_cpu_primitive_run (reorder, (gpointer const[]) { rhs, packed }, scratch, NULL)
          && ghlo_cpu_primitive_run (primitive, (gpointer const[]) { lhs, packed, result }, scratch, NULL);
  g_aligned_free (packed);
  g_aligned_free (scratch);

  for (guint i = 0; right && i < CHECK_M * CHECK_N; i++)
    {
      guint8 bits = lhs[i / CHECK_N * CHECK_K];
      gint32 factor = a_type == GHLO_ELEMENT_TYPE_I8 ? (gint8) bits : bits;

      right = result[i] == factor * rhs[i % CHECK_N] * CHECK_K;
    }
  if (!right)
    g_debug ("oneDNN's products of 8-bit integers are not exact on this processor, and are not used");

  return right;
}

gboolean
ghlo_cpu_onednn_has_integers (void)
{
  static gsize state;

  if (g_once_init_enter (&state))
    {
      gboolean has_sums = ghlo_cpu_onednn_available ()
                          && (ghlo_cpu_dnnl.get_effective_cpu_isa () & dnnl_cpu_isa_avx512_core_vnni)
                             == dnnl_cpu_isa_avx512_core_vnni;

      g_once_init_leave (&state, has_sums && check_integers (GHLO_ELEMENT_TYPE_I8)
                                 && check_integers (GHLO_ELEMENT_TYPE_UI8) ? 2 : 1);
    }

  return state == 2;
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
  if (!ghlo_cpu_onednn_available () || (ghlo_element_type_is_integer (a) && !ghlo_cpu_onednn_has_integers ()))
    return NULL;

  return get_matmul (m, n, k, a, b, c, like);
}

GhloCpuPrimitive *
ghlo_cpu_onednn_reorder_matrix (const GhloCpuPrimitive       *self,
                                const GhloCpuPrimitiveMatrix *b)
{
  const dnnl_memory_desc_t *own = &self->memories[WEIGHTS].layout;
  dnnl_memory_desc_t plain;

  return describe_matrix (&plain, own->dims[0], own->dims[1], b) ? ghlo_cpu_primitive_get_reorder (&plain, own) : NULL;
}

gboolean
ghlo_cpu_onednn_run_matmul (GhloCpuPrimitive *self,
                            gconstpointer     a,
                            gconstpointer     b,
                            gpointer          c,
                            gpointer          scratch,
                            GError          **error)
{
  return ghlo_cpu_primitive_run (self, (gpointer const[]) { (gpointer) a, (gpointer) b, c }, scratch, error);
}
