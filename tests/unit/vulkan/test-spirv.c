/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shaders of kernels from files and of random kernels: the SPIR-V validator, where installed, accepts each, and a
 * device, where there is one that computes floats as kernels do, gives the interpreter's bits.
 *
 *   GHLO_TEST_KERNEL=SEED test-spirv      that kernel, whose text and words are printed
 *   GHLO_TEST_COUNT=N test-spirv          as many kernels
 */

#include "base/ghlo-error.h"
#include "gpu/spirv/builder.h"
#include "gpu/spirv/probe.h"
#include "kernel/expand.h"

#include "shader-check.h"
#include "shader-kernel.h"

#include "../kernel/random-kernel.h"
#include "../kernel/read-kernel.h"
#include "../samples.h"
#include "../sanitized.h"

#include <locale.h>

static ShaderRunner *runner;

static void
validate_random (guint64 seed)
{
  g_autofree GhloKernel *kernel = random_kernel (seed, seed % 4 == 0 ? RANDOM_KERNEL_FUNCTIONS : 0);
  g_autofree char *name = g_strdup_printf ("kernel %" G_GUINT64_FORMAT, seed);

  shader_check_validate (kernel, name);
}

static void
test_random (void)
{
  const char *seed = g_getenv ("GHLO_TEST_KERNEL"), *count = g_getenv ("GHLO_TEST_COUNT");
  guint n = count != NULL ? (guint) g_ascii_strtoull (count, NULL, 0) : SANITIZED ? 50 : choose_samples (100, 300);

  if (seed != NULL)
    validate_random (g_ascii_strtoull (seed, NULL, 0));
  for (guint i = 0; seed == NULL && i < n; i++)
    validate_random (i);
  shader_check_skip ();
}

/* Calls @func for each kernel of tests/kernels that can be expanded, and returns their number. */
static guint
for_each_file (void   (*func) (const GhloKernel *kernel, const char *name, gpointer data),
               gpointer data)
{
  g_autoptr (GPtrArray) names = list_kernels ();
  guint n = 0;

  for (guint i = 0; i < names->len; i++)
    {
      g_autofree GhloKernel *kernel = read_kernel (names->pdata[i]), *expanded = ghlo_kernel_expand (kernel, NULL);

      if (expanded == NULL)
        continue;
      func (kernel, names->pdata[i], data);
      n++;
    }
  g_assert_cmpuint (n, >, 10);

  return n;
}

static void
validate_file (const GhloKernel *kernel,
               const char       *name,
               gpointer          data)
{
  shader_check_validate (kernel, name);
}

static void
test_files (void)
{
  for_each_file (validate_file, NULL);
  shader_check_skip ();
}

/* Two kernels in one module: the second must not use any state that the first one left. */
static void
test_pairs (void)
{
  static const char *const names[] = {
    "concatenate.kernel", "softmax.kernel", "layer-norm.kernel", "gather.kernel", "exponential.kernel", "when.kernel",
    "complex-product.kernel", "ordered-sum.kernel", "rnn.kernel", "pad.kernel",
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree GhloKernel *first = read_kernel (names[i]);
      g_autofree GhloKernel *second = read_kernel (names[(i + 1) % G_N_ELEMENTS (names)]);

      shader_check_validate_pair (first, second, names[i]);
      shader_check_validate_pair (first, first, names[i]);
    }
  shader_check_skip ();
}

/* A kernel that needs too much shared memory is refused: the limit is tested one byte below its need. */
static void
test_limits (void)
{
  g_autofree GhloKernel *kernel = read_kernel ("softmax.kernel");
  const GhloSpirvFloats floats = { .folds_exactly = TRUE };
  GhloSpirvSchedule schedule = { TRUE, ghlo_spirv_shared (kernel) };
  g_autoptr (GBytes) words = ghlo_spirv_emit (kernel, &floats, &schedule, NULL), more = NULL;
  g_autoptr (GError) error = NULL;

  /* Two rows of 128 f32, two sums, and 64 chains of each, which become 8 and one. */
  g_assert_cmpuint (schedule.shared_size, ==, 2 * 512 + 2 * 8 + 2 * (256 + 32));
  g_assert_nonnull (words);
  schedule.shared_size--;
  more = ghlo_spirv_emit (kernel, &floats, &schedule, &error);
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED);
  g_assert_null (more);
}

/* Skips the five words of the header. */
static guint
count_instructions (GBytes *bytes,
                    SpvOp   op)
{
  gsize size;
  const guint32 *words = g_bytes_get_data (bytes, &size);
  guint n = 0;

  for (gsize i = 5; i < size / 4; i += words[i] >> SpvWordCountShift)
    n += (words[i] & SpvOpCodeMask) == op;

  return n;
}

/* Invocations wait at a barrier where one reads what another has written, and nowhere else. */
static void
test_barriers (void)
{
  static const struct
  {
    const char *name;
    guint       n, n_wide;
  } cases[] = {
    { "iterations.kernel", 0, 0 },      /* each invocation has its own points of the carried value and of the
                                         * result's rows */
    { "when.kernel", 0, 0 },
    { "recurrence.kernel", 0, 0 },
    { "cumulative-sum.kernel", 1, 1 },  /* one invocation's chain is what all others continue with */
    { "rnn.kernel", 5, 5 },             /* products of the carried value */
    { "softmax.kernel", 4, 6 },         /* two folds, of 64 chains in two stages; some invocations of a wider
                                         * workgroup have no chain */
  };
  const GhloSpirvFloats floats = { .folds_exactly = TRUE };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint is_wide = 0; is_wide < 2; is_wide++)
      {
        g_autofree GhloKernel *kernel = read_kernel (cases[i].name);
        const GhloSpirvSchedule schedule = { TRUE, G_MAXSIZE - 1, .group = is_wide ? 4 * GHLO_SPIRV_GROUP : 0 };
        g_autoptr (GError) error = NULL;
        g_autoptr (GBytes) words = ghlo_spirv_emit (kernel, &floats, &schedule, &error);

        g_assert_no_error (error);
        g_test_message ("%s in groups of %u", cases[i].name, ghlo_spirv_group (&schedule));
        g_assert_cmpuint (count_instructions (words, SpvOpControlBarrier), ==,
                          is_wide ? cases[i].n_wide : cases[i].n);
      }
}

/* Loads from buffers and tables: those whose pointers were made from addresses. */
static guint
count_loads (GBytes *bytes)
{
  gsize size;
  const guint32 *words = g_bytes_get_data (bytes, &size);
  g_autofree gboolean *is_pointer = g_new0 (gboolean, words[3]);
  guint n = 0;

  for (gsize i = 5; i < size / 4; i += words[i] >> SpvWordCountShift)
    if ((words[i] & SpvOpCodeMask) == SpvOpConvertUToPtr)
      is_pointer[words[i + 2]] = TRUE;
    else if ((words[i] & SpvOpCodeMask) == SpvOpLoad)
      n += is_pointer[words[i + 3]];

  return n;
}

/* Several folds over a row load it once; a value that has been stored in between is loaded again. */
static void
test_loads (void)
{
  static const struct
  {
    const char *name;
    guint       n;
  } cases[] = {
    { "softmax.kernel", 2 },            /* the points of an invocation; scaled values, exponentials and results
                                         * belong to the same points */
    { "layer-norm.kernel", 3 * 12 },    /* the row, scale and shift */
  };
  const GhloSpirvFloats floats = { .folds_exactly = TRUE };
  const GhloSpirvSchedule schedule = { TRUE, G_MAXSIZE - 1 };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree GhloKernel *kernel = read_kernel (cases[i].name);
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) words = ghlo_spirv_emit (kernel, &floats, &schedule, &error);
      /* All words of the table except the zero, then the flag, the addresses of buffers and the parallel axis'
       * extent. */
      const guint n_of_table = GHLO_SPIRV_N_WORDS - 1 + 1 + kernel->n_buffers + 1;

      g_assert_no_error (error);
      g_test_message ("%s", cases[i].name);
      g_assert_cmpuint (count_loads (words), ==, n_of_table + cases[i].n);
    }
}

/* Counts the loads before the first conditional branch. */
static guint
count_loads_ahead (GBytes *bytes)
{
  gsize size, end = 5;
  const guint32 *words = g_bytes_get_data (bytes, &size);
  g_autoptr (GBytes) before = NULL;

  while (end < size / 4 && (words[end] & SpvOpCodeMask) != SpvOpBranchConditional)
    end += words[end] >> SpvWordCountShift;
  before = g_bytes_new_from_bytes (bytes, 0, end * 4);

  return count_loads (before);
}

/* Where all points do little work, the one branch follows all loads, including that of the flag. Where they do much,
 * shaders have the form of kernels that mostly have no flag. */
static void
test_loads_ahead (void)
{
  static const char *const names[] = { "transpose.kernel", "in-place.kernel", "pad.kernel", "gather.kernel" };
  const GhloSpirvFloats floats = { .folds_exactly = TRUE };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    for (guint is_much = 0; is_much < 2; is_much++)
      {
        g_autofree GhloKernel *kernel = read_kernel (names[i]);
        const GhloSpirvSchedule schedule = { .n_points = is_much ? 1 << 20 : 1000 };
        g_autoptr (GError) error = NULL;
        g_autoptr (GBytes) words = ghlo_spirv_emit (kernel, &floats, &schedule, &error);

        g_assert_no_error (error);
        g_test_message ("%s, %u points", names[i], (guint) schedule.n_points);
        if (is_much)
          {
            g_autoptr (GBytes) plain = ghlo_spirv_emit (kernel, &floats, &(GhloSpirvSchedule) { FALSE }, &error);

            g_assert_no_error (error);
            g_assert_true (g_bytes_equal (words, plain));
            g_assert_cmpuint (count_loads_ahead (words), <, count_loads (words));
          }
        else
          g_assert_cmpuint (count_loads_ahead (words), ==, count_loads (words));
      }
}

/* The device and its measured properties, shared by all tests; NULL where there is none. */
static ShaderRunner *
open_device (const GhloSpirvDevice **device)
{
  static GhloSpirvDevice measured;
  static gboolean was_opened;
  gint64 begin = g_get_monotonic_time ();

  *device = &measured;
  if (was_opened)
    {
      if (runner == NULL)
        g_test_skip ("there is no device");
      return runner;
    }
  was_opened = TRUE;
  runner = shader_kernel_open (&measured);
  if (runner != NULL)
    g_test_message ("%s, %s: %.0f ms to measure it; FMA of f32 is %s, of f64 %s; rounding of f64 to integers is %s; "
                    "operands are %s",
                    shader_runner_get_name (runner),
                    shader_runner_is_validated (runner) ? "validated" : "without the validation layer",
                    (double) (g_get_monotonic_time () - begin) / 1e3,
                    measured.floats.fuses[0] ? "its own" : "composed",
                    measured.floats.fuses[1] ? "its own" : "composed",
                    measured.floats.rounds[1] ? "its own" : "composed",
                    measured.floats.folds_exactly ? "as they are" : "hidden");

  return runner;
}

/* Reports which nodes are inexact. */
static void
test_measure (void)
{
  const GhloSpirvDevice *device;
  ShaderRunner *on = open_device (&device);
  guint n = 0;

  for (guint kind = 0; on != NULL && kind < GHLO_N_NODES; kind++)
    for (guint type = 0; type < 64; type++)
      if (ghlo_node_spec (kind)->role == GHLO_NODE_PRIMITIVE && (device->types >> type & 1) != 0
          && (device->exact[kind] >> type & 1) == 0)
        {
          g_test_message ("%s of %s is not exact%s", ghlo_node_spec (kind)->name, ghlo_element_info (type)->name,
                          (device->nearly[kind] >> type & 1) != 0 ? " with subnormal numbers" : "");
          n++;
        }
  if (on != NULL && g_getenv ("GHLO_TEST_VULKAN") == NULL)
    g_assert_cmpuint (n, ==, 0);
}

/* Rounding of floats to integral values, which shaders compose of other operations where the device's own is wrong. */
static void
test_rounding (void)
{
  const GhloSpirvDevice *device;
  ShaderRunner *on = open_device (&device);
  const GhloSpirvSchedule schedule = { .workgroup_per_point = FALSE };
  const gint64 extents[] = { GHLO_PROBE_POINTS };

  for (GhloElementType type = GHLO_ELEMENT_TYPE_F32; on != NULL && type <= GHLO_ELEMENT_TYPE_F64; type++)
    {
      g_autoptr (GhloProbe) probe = ghlo_probe_new (type, device->types);
      GhloKernelMemory *expected = ghlo_probe_memory_new (probe), *found = ghlo_probe_memory_new (probe);
      GhloSpirvFloats floats = device->floats;
      g_autoptr (GBytes) words = NULL;
      g_autoptr (GError) error = NULL;

      floats.rounds[0] = floats.rounds[1] = FALSE;
      words = ghlo_spirv_emit (probe->kernel, &floats, &schedule, &error);
      g_assert_no_error (error);
      g_assert_true (ghlo_kernel_interpret (probe->kernel, NULL, expected, NULL, &error));
      g_assert_true (shader_kernel_run (on, probe->kernel, words, GHLO_SPIRV_GROUP, extents, found, &error));
      for (guint i = 0; i < probe->n_rows; i++)
        {
          const guint at = GHLO_PROBE_OPERANDS + i;

          if (probe->rows[i].kind >= GHLO_NODE_FLOOR && probe->rows[i].kind <= GHLO_NODE_ROUND_NEAREST_EVEN)
            g_assert_cmpmem (expected[at].data, expected[at].size, found[at].data, found[at].size);
        }
      ghlo_probe_memory_free (probe, expected);
      ghlo_probe_memory_free (probe, found);
    }
}

static ShaderCheck
run_kernel (const GhloSpirvDevice *device,
            const GhloKernel      *kernel,
            const char            *name,
            guint64                seed)
{
  gint64 extents[GHLO_KERNEL_MAX_AXES];

  random_kernel_extents (kernel, seed, extents);

  return shader_check_run (runner, device, kernel, extents, seed, name);
}

/* tanh of numbers up to 16, whose quotient may be derived from a square root, which must not change any bit. */
static void
test_quotients (void)
{
  enum { N = 20000 };
  const GhloSpirvDevice *device;
  const gint64 extents[] = { N }, from[] = { 2 }, to[] = { 4 };
  GhloKernelBuilder *builder = ghlo_kernel_builder_new ("tanh");
  g_autofree GhloKernel *kernel = NULL;
  g_autoptr (GError) error = NULL;
  GhloSpirvDevice other;
  guint x;

  ghlo_kernel_add_axis (builder, "i", N, TRUE, FALSE);
  ghlo_kernel_add_access (builder, ghlo_kernel_add_buffer (builder, "x", 2 * N, FALSE), GHLO_ELEMENT_TYPE_I16, 0, from);
  ghlo_kernel_add_access (builder, ghlo_kernel_add_buffer (builder, "y", 4 * N, TRUE), GHLO_ELEMENT_TYPE_F32, 0, to);
  ghlo_kernel_begin_points (builder, 0);
  x = ghlo_kernel_add_leaf (builder, GHLO_NODE_LOAD, GHLO_ELEMENT_TYPE_I16, 0);
  x = ghlo_kernel_add_node (builder, GHLO_NODE_CONVERT, GHLO_ELEMENT_TYPE_F32, x, GHLO_KERNEL_NONE, GHLO_KERNEL_NONE);
  x = ghlo_kernel_add_node (builder, GHLO_NODE_MULTIPLY, GHLO_ELEMENT_TYPE_F32, x,
                            ghlo_kernel_add_float (builder, GHLO_ELEMENT_TYPE_F32, 0x1p-11), GHLO_KERNEL_NONE);
  x = ghlo_kernel_add_node (builder, GHLO_NODE_TANH, GHLO_ELEMENT_TYPE_F32, x, GHLO_KERNEL_NONE, GHLO_KERNEL_NONE);
  ghlo_kernel_store (builder, x, 1);
  ghlo_kernel_end_block (builder);
  kernel = ghlo_kernel_builder_end (builder, &error);
  g_assert_no_error (error);
  if (open_device (&device) == NULL)
    return;
  other = *device;
  for (guint i = 0; i < 2; i++)
    {
      other.floats.shortens_quotients = i > 0;
      shader_check_run (runner, &other, kernel, extents, i, "tanh");
    }
}

/* The number with @bits in bf16, or 0 where @bits are those of a subnormal number. */
static guint
add_normal (GhloKernelBuilder *builder,
            guint              bits)
{
  const GhloElementType ui16 = GHLO_ELEMENT_TYPE_UI16;
  guint size = ghlo_kernel_add_node (builder, GHLO_NODE_AND, ui16, bits,
                                     ghlo_kernel_add_constant (builder, ui16, 0x7fff), GHLO_KERNEL_NONE);
  guint is_low = ghlo_kernel_add_node (builder, GHLO_NODE_LESS, GHLO_ELEMENT_TYPE_I1, size,
                                       ghlo_kernel_add_constant (builder, ui16, 0x80), GHLO_KERNEL_NONE);

  return ghlo_kernel_add_node (builder, GHLO_NODE_SELECT, ui16, is_low, ghlo_kernel_add_constant (builder, ui16, 0),
                               bits);
}

/* Quotients of any numbers in bf16, including zeros, infinities and NaNs, but excluding subnormal ones. */
static void
test_narrow_quotients (void)
{
  enum { N = 100000 };
  const GhloElementType ui16 = GHLO_ELEMENT_TYPE_UI16, f32 = GHLO_ELEMENT_TYPE_F32;
  const GhloSpirvDevice *device;
  const gint64 extents[] = { N }, strides[] = { 2 };
  GhloKernelBuilder *builder = ghlo_kernel_builder_new ("quotient");
  g_autofree GhloKernel *kernel = NULL;
  g_autoptr (GError) error = NULL;
  GhloSpirvDevice other;
  guint operands[2], quotient;

  ghlo_kernel_add_axis (builder, "i", N, TRUE, FALSE);
  for (guint i = 0; i < 3; i++)
    ghlo_kernel_add_access (builder, ghlo_kernel_add_buffer (builder, &"xyz"[i], 2 * N, i == 2), ui16, 0, strides);
  ghlo_kernel_begin_points (builder, 0);
  for (guint i = 0; i < 2; i++)
    {
      operands[i] = add_normal (builder, ghlo_kernel_add_leaf (builder, GHLO_NODE_LOAD, ui16, i));
      operands[i] = ghlo_kernel_add_node (builder, GHLO_NODE_FROM_BF16, f32, operands[i], GHLO_KERNEL_NONE,
                                          GHLO_KERNEL_NONE);
    }
  quotient = ghlo_kernel_add_node (builder, GHLO_NODE_DIVIDE, f32, operands[0], operands[1], GHLO_KERNEL_NONE);
  quotient = ghlo_kernel_add_node (builder, GHLO_NODE_TO_BF16, ui16, quotient, GHLO_KERNEL_NONE, GHLO_KERNEL_NONE);
  ghlo_kernel_store (builder, add_normal (builder, quotient), 2);
  ghlo_kernel_end_block (builder);
  kernel = ghlo_kernel_builder_end (builder, &error);
  g_assert_no_error (error);
  if (open_device (&device) == NULL)
    return;
  other = *device;
  other.floats.shortens_quotients = TRUE;
  other.floats.keeps_subnormals[0] = FALSE;
  shader_check_run (runner, &other, kernel, extents, 1, "quotients of bf16");
}

static ShaderCheck
run_random (const GhloSpirvDevice *device,
            guint64                seed)
{
  g_autofree GhloKernel *kernel = random_kernel (seed, seed % 4 == 0 ? RANDOM_KERNEL_FUNCTIONS : 0);
  g_autofree char *name = g_strdup_printf ("kernel %" G_GUINT64_FORMAT, seed);

  return run_kernel (device, kernel, name, seed);
}

/* The state of a test. */
typedef struct
{
  const GhloSpirvDevice *device;
  guint                  n_run;
} FileRun;

static void
run_file (const GhloKernel *kernel,
          const char       *name,
          gpointer          data)
{
  FileRun *run = data;

  run->n_run += run_kernel (run->device, kernel, name, 1) != SHADER_CHECK_INEXACT;
}

static void
test_device_files (void)
{
  FileRun run = { 0 };
  guint n;

  if (open_device (&run.device) == NULL)
    return;
  n = for_each_file (run_file, &run);
  g_assert_true (run.n_run == n || g_getenv ("GHLO_TEST_VULKAN") != NULL);
}

static void
test_device (void)
{
  const char *seed = g_getenv ("GHLO_TEST_KERNEL"), *count = g_getenv ("GHLO_TEST_COUNT");
  guint n = count != NULL ? (guint) g_ascii_strtoull (count, NULL, 0) : 60;
  guint n_by[SHADER_CHECK_BOTH + 1] = { 0 };
  const GhloSpirvDevice *device;
  ShaderRunner *on = open_device (&device);

  if (on == NULL)
    return;
  if (seed != NULL)
    run_random (device, g_ascii_strtoull (seed, NULL, 0));
  for (guint i = 0; seed == NULL && i < n; i++)
    n_by[run_random (device, i)]++;
  g_assert_true (seed != NULL || n_by[SHADER_CHECK_BOTH] > n / 2 || g_getenv ("GHLO_TEST_VULKAN") != NULL);
  g_assert_cmpuint (shader_runner_n_messages (on), ==, 0);
  g_test_message ("%u of %u kernels have nodes that the device does exactly, and the interpreter's bits; %u as well "
                  "where a workgroup does a point", n - n_by[SHADER_CHECK_INEXACT], n, n_by[SHADER_CHECK_BOTH]);
}

int
main (int    argc,
      char **argv)
{
  int status;

  setlocale (LC_ALL, "");
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/spirv/files", test_files);
  g_test_add_func ("/spirv/random", test_random);
  g_test_add_func ("/spirv/pairs", test_pairs);
  g_test_add_func ("/spirv/limits", test_limits);
  g_test_add_func ("/spirv/barriers", test_barriers);
  g_test_add_func ("/spirv/loads", test_loads);
  g_test_add_func ("/spirv/loads-ahead", test_loads_ahead);
  g_test_add_func ("/spirv/measure", test_measure);
  g_test_add_func ("/spirv/device/rounding", test_rounding);
  g_test_add_func ("/spirv/device/quotients", test_quotients);
  g_test_add_func ("/spirv/device/narrow-quotients", test_narrow_quotients);
  g_test_add_func ("/spirv/device/files", test_device_files);
  g_test_add_func ("/spirv/device/random", test_device);
  status = g_test_run ();
  g_clear_pointer (&runner, shader_runner_free);

  return status;
}
