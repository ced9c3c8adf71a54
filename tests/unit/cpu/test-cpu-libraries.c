/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How oneDNN and OpenBLAS are used: the caller's thread count and environment stay unchanged, the primitive cache is
 * bounded, cached primitives run on any thread, and no library is used for work that plain loops do. Neither library is
 * opened before it is needed.
 */

#include <dlfcn.h>
#include <string.h>

#include <glib.h>

#include "../sanitized.h"
#include "cpu/isa/level.h"
#include "cpu/library/blas.h"
#include "cpu/library/onednn.h"

static gboolean opened_early;    /* a library was loaded before anything needed it */

static gboolean
is_open (const char *name)
{
  g_autofree char *maps = NULL;

  g_assert_true (g_file_get_contents ("/proc/self/maps", &maps, NULL, NULL));

  return strstr (maps, name) != NULL;
}

static void
test_late (void)
{
  if (SANITIZED)
    g_test_skip ("a build with sanitizers is linked with the library");
  else
    g_assert_false (opened_early);
  g_assert_true (is_open ("libdnnl") == ghlo_cpu_onednn_available ());
}

/* Finds the OpenMP runtime that oneDNN uses. */
static gboolean
find_openmp (int  (**get) (void),
             void (**set) (int threads))
{
  gpointer library = dlopen ("libgomp.so.1", RTLD_LAZY | RTLD_NOLOAD);

  *get = NULL;
  *set = NULL;
  if (library != NULL)
    {
      *(gpointer *) get = dlsym (library, "omp_get_max_threads");
      *(gpointer *) set = dlsym (library, "omp_set_num_threads");
      dlclose (library);
    }

  return *get != NULL && *set != NULL;
}

static GhloCpuPrimitive *
get_matmul (gint64 n)
{
  const GhloElementType f32 = GHLO_ELEMENT_TYPE_F32;

  return ghlo_cpu_onednn_matmul (n, n, n, f32, f32, f32, NULL);
}

static void
run_matmul (GhloCpuPrimitive *primitive,
            gint64            n)
{
  gsize size = (gsize) (n * n) * sizeof (float);
  const GhloCpuPrimitiveMatrix matrix = { GHLO_ELEMENT_TYPE_F32, FALSE, n };
  g_autoptr (GhloCpuPrimitive) packer = ghlo_cpu_onednn_reorder_matrix (primitive, &matrix);
  float *a = g_aligned_alloc0 (1, size, 64), *b = g_aligned_alloc0 (1, size, 64), *c = g_aligned_alloc0 (1, size, 64);
  gpointer packed = g_aligned_alloc (1, ghlo_cpu_onednn_weights_size (primitive), 64);
  gpointer scratch = g_aligned_alloc (1, MAX (MAX (ghlo_cpu_primitive_scratch_size (primitive),
                                                   ghlo_cpu_primitive_scratch_size (packer)), 64), 64);

  g_assert_true (ghlo_cpu_primitive_compile (primitive) && ghlo_cpu_primitive_compile (packer));
  for (gint64 i = 0; i < n * n; i++)
    {
      a[i] = (float) (i % 5);
      b[i] = (float) (i % 3);
    }
  g_assert_true (ghlo_cpu_onednn_run_reorder (packer, b, packed, scratch, NULL));
  g_assert_true (ghlo_cpu_onednn_run_matmul (primitive, a, packed, c, scratch, NULL));
  for (gint64 i = 0; i < n * n; i++)
    {
      float sum = 0;

      for (gint64 k = 0; k < n; k++)
        sum += a[i / n * n + k] * b[k * n + i % n];
      g_assert_cmpfloat (sum, ==, c[i]);
    }
  g_aligned_free (a);
  g_aligned_free (b);
  g_aligned_free (c);
  g_aligned_free (packed);
  g_aligned_free (scratch);
}

static void
test_thread_count (void)
{
  g_autoptr (GhloCpuPrimitive) primitive = NULL;
  float a[64] = { 1 }, b[64] = { 1 }, c[64];
  int (*get) (void);
  void (*set) (int threads);

  if (!find_openmp (&get, &set))
    {
      g_test_skip ("oneDNN uses no OpenMP");
      return;
    }
  set (3);
  primitive = get_matmul (40);
  g_assert_nonnull (primitive);
  g_assert_cmpint (get (), ==, 3);
  run_matmul (primitive, 40);
  g_assert_cmpint (get (), ==, 3);
  g_assert_true (ghlo_cpu_onednn_sgemm (FALSE, FALSE, 8, 8, 8, a, 8, b, 8, FALSE, c, 8, NULL));
  g_assert_cmpint (get (), ==, 3);
}

static guint
count_threads (void)
{
  g_autoptr (GDir) tasks = g_dir_open ("/proc/self/task", 0, NULL);
  guint n = 0;

  while (tasks != NULL && g_dir_read_name (tasks) != NULL)
    n++;

  return n;
}

/* A large product starts none of the library's own threads. */
static void
test_no_threads (void)
{
  enum { N = 600 };
  g_autofree float *matrices = g_new0 (float, 3 * N * N);
  guint before = count_threads ();

  g_assert_true (ghlo_cpu_onednn_sgemm (FALSE, FALSE, N, N, N, matrices, N, matrices + N * N, N, FALSE,
                                        matrices + 2 * N * N, N, NULL));
  g_assert_cmpuint (count_threads (), ==, before);
}

static gpointer
run_elsewhere (gpointer data)
{
  run_matmul (data, 48);

  return NULL;
}

/* The same description gives the same primitive, which runs on other threads than its creator's, even after the
 * cache has evicted it. */
static void
test_cache (void)
{
  g_autoptr (GhloCpuPrimitive) first = get_matmul (48), second = get_matmul (48);
  GThread *threads[8];

  g_assert_nonnull (first);
  g_assert_true (first == second);
  for (gint64 n = 1; n < 400; n++)
    {
      g_autoptr (GhloCpuPrimitive) other G_GNUC_UNUSED = get_matmul (n);

      g_assert_cmpuint (ghlo_cpu_primitive_cached (), <=, 256);
    }
  for (guint i = 0; i < 8; i++)
    threads[i] = g_thread_new ("run", run_elsewhere, first);
  for (guint i = 0; i < 8; i++)
    g_thread_join (threads[i]);
}

/* Primitives that would be implemented by plain loops are refused. */
static void
test_refused (void)
{
  const GhloElementType f32 = GHLO_ELEMENT_TYPE_F32;
  g_autoptr (GhloCpuPrimitive) primitive = ghlo_cpu_onednn_matmul (8, 8, 8, f32, f32, GHLO_ELEMENT_TYPE_I8, NULL);

  g_assert_true (primitive == NULL || strstr (ghlo_cpu_primitive_name (primitive), "ref") == NULL);
}

/* Products of 8-bit integers are exact or refused. */
/* Numbers that oneDNN would cut off. */
static void
test_large_numbers (void)
{
  static const gint64 numbers[] = { -1, (gint64) 1 << 31, ((gint64) 1 << 32) + 1, (gint64) 1 << 62, G_MAXINT64 };
  const GhloElementType f32 = GHLO_ELEMENT_TYPE_F32;
  const GhloCpuConvolutionShape shape = {
    .direction = GHLO_CPU_FORWARD, .source_type = f32, .weights_type = f32, .result_type = f32,
    .n_spatial = 1, .images = 1, .groups = 1,
    .source_features = 64, .result_features = 64, .source = { 64 }, .kernel = { 3 }, .result = { 64 },
    .strides = { 1 }, .dilation = { 1 }, .low = { 1 },
  };
  g_autoptr (GhloCpuPrimitive) fits = ghlo_cpu_onednn_convolution (&shape, NULL);

  if (ghlo_cpu_level () > GHLO_CPU_LEVEL_BASELINE)
    g_assert_nonnull (fits);
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    for (guint direction = GHLO_CPU_FORWARD; direction <= GHLO_CPU_BACKWARD_WEIGHTS; direction++)
      for (guint field = 0; field < 9; field++)
        {
          GhloCpuConvolutionShape large = shape;
          gint64 *const fields[] = {
            &large.images, &large.source_features, &large.result_features, large.source, large.kernel, large.result,
            large.strides, large.dilation, large.low,
          };

          large.direction = direction;
          *fields[field] = numbers[i];
          /* These differ from the same window modulo 2^32 only. */
          if (fields[field] == large.dilation && numbers[i] > 0)
            large.low[0] = numbers[i];
          g_assert_null (ghlo_cpu_onednn_convolution (&large, NULL));
        }
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      g_autoptr (GhloCpuPrimitive) small = get_matmul (64);
      const GhloCpuPrimitiveMatrix large = { f32, FALSE, numbers[i] };

      g_assert_null (ghlo_cpu_onednn_matmul (numbers[i], 64, 64, f32, f32, f32, NULL));
      g_assert_null (ghlo_cpu_onednn_matmul (64, numbers[i], 64, f32, f32, f32, NULL));
      g_assert_null (ghlo_cpu_onednn_matmul (64, 64, numbers[i], f32, f32, f32, NULL));
      if (small != NULL)
        g_assert_null (ghlo_cpu_onednn_reorder_matrix (small, &large));
    }
}

/* Packs B, and multiplies. */
static void
test_integers (void)
{
  enum { N = 64 };
  const GhloElementType i8 = GHLO_ELEMENT_TYPE_I8;
  const GhloCpuPrimitiveMatrix bytes = { i8, FALSE, N };
  g_autoptr (GhloCpuPrimitive) primitive = ghlo_cpu_onednn_matmul (N, N, N, i8, i8, GHLO_ELEMENT_TYPE_I32, NULL);
  g_autoptr (GhloCpuPrimitive) packer = NULL;
  g_autofree gint8 *a = g_new (gint8, N * N);
  g_autofree gint32 *c = g_new (gint32, N * N);
  gpointer scratch, packed;

  if (primitive == NULL)
    {
      g_test_skip ("this processor does not add products of 8-bit integers in 32 bits");
      return;
    }
  g_test_message ("%s", ghlo_cpu_primitive_name (primitive));
  packer = ghlo_cpu_onednn_reorder_matrix (primitive, &bytes);
  g_assert_nonnull (packer);
  g_assert_true (ghlo_cpu_primitive_compile (primitive) && ghlo_cpu_primitive_compile (packer));
  memset (a, -128, N * N);
  scratch = g_aligned_alloc (1, MAX (MAX (ghlo_cpu_primitive_scratch_size (primitive),
                                          ghlo_cpu_primitive_scratch_size (packer)), 64), 64);
  packed = g_aligned_alloc (1, ghlo_cpu_onednn_weights_size (primitive), 64);
  g_assert_true (ghlo_cpu_onednn_run_reorder (packer, a, packed, scratch, NULL));
  g_assert_true (ghlo_cpu_onednn_run_matmul (primitive, a, packed, c, scratch, NULL));
  for (guint i = 0; i < N * N; i++)
    g_assert_cmpint (c[i], ==, 128 * 128 * N);
  g_aligned_free (packed);
  g_aligned_free (scratch);
}

static gint n_changes;      /* atomic: calls that change the environment */

#pragma GCC visibility push(default)

/* This function replaces the C library's, also for GLib. */
int
setenv (const char *name,
        const char *value,
        int         overwrite)
{
  int (*set) (const char *, const char *, int);

  *(gpointer *) &set = dlsym (RTLD_NEXT, "setenv");
  g_atomic_int_inc (&n_changes);

  return set (name, value, overwrite);
}

#pragma GCC visibility pop

static gpointer
read_environment (gpointer data)
{
  gint *stop = data;

  while (!g_atomic_int_get (stop))
    g_assert_cmpstr (getenv ("GHLO_TEST_READ"), ==, "yes");

  return NULL;
}

/* Another thread reads the environment while the library is opened. */
static void
test_blas (void)
{
  gint stop = FALSE, n_before;
  GThread *reader;
  const GhloCpuBlas *blas;
  double a[4] = { 1, 2, 3, 4 }, b[4] = { 5, 6, 7, 8 }, c[4], one = 1, zero = 0;
  int n = 2;

  g_unsetenv ("OPENBLAS_CORETYPE");
  g_setenv ("GHLO_TEST_READ", "yes", TRUE);
  n_before = g_atomic_int_get (&n_changes);
  g_assert_cmpint (n_before, >, 0);
  reader = g_thread_new ("read", read_environment, &stop);
  blas = ghlo_cpu_blas ();
  g_atomic_int_set (&stop, TRUE);
  g_thread_join (reader);
  g_assert_cmpint (g_atomic_int_get (&n_changes), ==, n_before);
  g_assert_null (g_getenv ("OPENBLAS_CORETYPE"));
  if (blas == NULL)
    {
      g_test_skip ("no OpenBLAS without threads");
      return;
    }
  g_test_message ("core %s", blas->core);
  if (ghlo_cpu_level () == GHLO_CPU_LEVEL_AVX512)
    g_assert_cmpstr (blas->core, ==, "SkylakeX");
  blas->gemm[GHLO_CPU_BLAS_D] ("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n, 1, 1);
  g_assert_cmpfloat (c[0], ==, 1 * 5 + 3 * 6);
  g_assert_true (ghlo_cpu_blas () == blas);
  /* For nobody else. */
  g_assert_null (dlsym (RTLD_DEFAULT, "openblas_get_corename"));
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  opened_early = is_open ("libdnnl") || is_open ("libopenblas");
  g_test_message ("level %s, oneDNN %s", ghlo_cpu_level_name (ghlo_cpu_level ()),
                  ghlo_cpu_onednn_available () ? "available" : "not available");

  g_test_add_func ("/cpu-libraries/late", test_late);
  g_test_add_func ("/cpu-libraries/blas", test_blas);
  if (ghlo_cpu_onednn_available ())
    {
      g_test_add_func ("/cpu-libraries/thread-count", test_thread_count);
      g_test_add_func ("/cpu-libraries/no-threads", test_no_threads);
      g_test_add_func ("/cpu-libraries/cache", test_cache);
      g_test_add_func ("/cpu-libraries/refused", test_refused);
      g_test_add_func ("/cpu-libraries/large-numbers", test_large_numbers);
      g_test_add_func ("/cpu-libraries/integers", test_integers);
    }

  return g_test_run ();
}
