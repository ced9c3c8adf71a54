/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Copies of operands in the orders that steps read faster: when they are made, who shares them, when they end, and that
 * results are the same with them.
 */

#include "runtime/packed.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "../compiled-program.h"
#include "runtime/memory.h"
#include "runtime/value.h"

/* A convolution, whose kernel oneDNN reorders, and its kernel, which the second output may take over. */
#define CONVOLUTION_OF(size, padding) \
  "func.func @main(%x: tensor<1x16x16x32xf32>, %k: tensor<3x3x32x32xf32>)" \
  " -> (tensor<1x" size "x" size "x32xf32>, tensor<3x3x32x32xf32>) {\n" \
  "  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]," \
  " window = {pad = [[" padding ", " padding "], [" padding ", " padding "]]}" \
  " {batch_group_count = 1 : i64, feature_group_count = 1 : i64}" \
  " : (tensor<1x16x16x32xf32>, tensor<3x3x32x32xf32>) -> tensor<1x" size "x" size "x32xf32>\n" \
  "  %1 = stablehlo.add %k, %k : tensor<3x3x32x32xf32>\n" \
  "  return %0, %1 : tensor<1x" size "x" size "x32xf32>, tensor<3x3x32x32xf32>\n}\n"

#define CONVOLUTION CONVOLUTION_OF ("16", "1")
#define UNPADDED    CONVOLUTION_OF ("14", "0")

/* One tap: a product. */
#define POINTWISE \
  "func.func @main(%x: tensor<1x16x16x32xf32>, %k: tensor<1x1x32x80xf32>)" \
  " -> (tensor<1x16x16x80xf32>, tensor<1x1x32x80xf32>) {\n" \
  "  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}" \
  " {batch_group_count = 1 : i64, feature_group_count = 1 : i64}" \
  " : (tensor<1x16x16x32xf32>, tensor<1x1x32x80xf32>) -> tensor<1x16x16x80xf32>\n" \
  "  %1 = stablehlo.add %k, %k : tensor<1x1x32x80xf32>\n" \
  "  return %0, %1 : tensor<1x16x16x80xf32>, tensor<1x1x32x80xf32>\n}\n"

/* A product with a kernel of rows or of columns. */
#define PRODUCT_OF(kernel, contracted) \
  "func.func @main(%x: tensor<37x300xf32>, %k: tensor<" kernel "xf32>)" \
  " -> (tensor<37x523xf32>, tensor<" kernel "xf32>) {\n" \
  "  %0 = stablehlo.dot_general %x, %k, contracting_dims = [1] x [" contracted "]" \
  " : (tensor<37x300xf32>, tensor<" kernel "xf32>) -> tensor<37x523xf32>\n" \
  "  %1 = stablehlo.add %k, %k : tensor<" kernel "xf32>\n" \
  "  return %0, %1 : tensor<37x523xf32>, tensor<" kernel "xf32>\n}\n"

#define ALONE \
  "func.func @main(%x: tensor<37x300xf32>, %k: tensor<300x523xf32>) -> tensor<37x523xf32> {\n" \
  "  %0 = stablehlo.dot_general %x, %k, contracting_dims = [1] x [0]" \
  " : (tensor<37x300xf32>, tensor<300x523xf32>) -> tensor<37x523xf32>\n" \
  "  return %0 : tensor<37x523xf32>\n}\n"

typedef struct
{
  const char *name, *text;
  guint       rank;
  gint64      x[4], kernel[4];
} PackedCase;

static const PackedCase cases[] = {
  { "convolution", CONVOLUTION, 4, { 1, 16, 16, 32 }, { 3, 3, 32, 32 } },
  { "pointwise-convolution", POINTWISE, 4, { 1, 16, 16, 32 }, { 1, 1, 32, 80 } },
  { "product", PRODUCT_OF ("300x523", "0"), 2, { 37, 300 }, { 300, 523 } },
  { "transposed-product", PRODUCT_OF ("523x300", "1"), 2, { 37, 300 }, { 523, 300 } },
};

static GhloStorage *
new_storage (void)
{
  GhloStorage *storage = ghlo_storage_new_host (64, NULL);

  g_assert_nonnull (storage);

  return storage;
}

static GBytes *
new_key (const char *name)
{
  return g_bytes_new (name, strlen (name));
}

/* Uses the copy, and makes it where that is due. */
static gconstpointer
use (GhloStorage *storage,
     GBytes      *key,
     gsize        offset,
     gsize        size)
{
  GhloPackedCopy *slot;
  gconstpointer found = ghlo_packed_use (storage, key, offset, &slot);
  gpointer made = found == NULL ? ghlo_packed_begin (slot, size) : NULL;

  return made != NULL ? ghlo_packed_finish (slot, TRUE, FALSE) : found;
}

static void
test_second_use (void)
{
  g_autoptr (GhloStorage) storage = new_storage ();
  g_autoptr (GBytes) key = new_key ("columns"), same = new_key ("columns"), other = new_key ("rows");
  gconstpointer copy;

  g_assert_null (use (storage, key, 0, 100));
  g_assert_cmpuint (ghlo_packed_get_size (), ==, 0);
  copy = use (storage, same, 0, 100);
  g_assert_nonnull (copy);
  g_assert_true (use (storage, key, 0, 100) == copy);
  g_assert_cmpuint (ghlo_packed_get_size (), ==, 100);
  g_assert_null (use (storage, other, 0, 50));
  g_assert_null (use (storage, key, 16, 50));
  g_assert_nonnull (use (storage, other, 0, 50));
  g_assert_cmpuint (ghlo_packed_get_size (), ==, 150);
  g_clear_pointer (&storage, ghlo_storage_unref);
  g_assert_cmpuint (ghlo_packed_get_size (), ==, 0);
}

/* What cannot be packed is not tried again; what was cancelled is. */
static void
test_refused (void)
{
  g_autoptr (GhloStorage) storage = new_storage ();
  g_autoptr (GBytes) key = new_key ("columns"), other = new_key ("rows");
  GhloPackedCopy *slot;

  g_assert_null (use (storage, key, 0, 100));
  g_assert_null (ghlo_packed_use (storage, key, 0, &slot));
  g_assert_nonnull (ghlo_packed_begin (slot, 100));
  g_assert_null (ghlo_packed_begin (slot, 100));
  g_assert_null (ghlo_packed_finish (slot, FALSE, TRUE));
  g_assert_nonnull (ghlo_packed_begin (slot, 100));
  g_assert_null (ghlo_packed_finish (slot, FALSE, FALSE));
  g_assert_null (ghlo_packed_begin (slot, 100));
  g_assert_cmpuint (ghlo_packed_get_size (), ==, 0);

  /* A quarter of the limit at most. */
  g_assert_null (use (storage, other, 0, ghlo_memory_get_limit () / 4 + 1));
  g_assert_null (use (storage, other, 0, ghlo_memory_get_limit () / 4 + 1));
  g_assert_null (use (storage, other, 0, G_MAXSIZE));
  g_assert_nonnull (use (storage, other, 0, 100));
}

static void
test_dropped (void)
{
  g_autoptr (GhloStorage) storage = new_storage ();
  g_autoptr (GBytes) key = new_key ("columns");

  use (storage, key, 0, 100);
  g_assert_nonnull (use (storage, key, 0, 100));
  ghlo_packed_drop (storage);
  g_assert_cmpuint (ghlo_packed_get_size (), ==, 0);
  g_assert_true (storage->is_rewritten);
}

static gpointer
use_often (gpointer data)
{
  g_autoptr (GBytes) key = new_key ("columns");

  for (guint i = 0; i < 1000; i++)
    {
      gconstpointer copy = use (data, key, 0, 100);

      g_assert_true (copy == NULL || use (data, key, 0, 100) != NULL);
    }

  return NULL;
}

static void
test_threads (void)
{
  g_autoptr (GhloStorage) storage = new_storage ();
  GThread *threads[8];

  for (guint i = 0; i < 8; i++)
    threads[i] = g_thread_new ("use", use_often, storage);
  for (guint i = 0; i < 8; i++)
    g_thread_join (threads[i]);
  g_assert_cmpuint (ghlo_packed_get_size () % 100, ==, 0);
  g_assert_cmpuint (ghlo_packed_get_size (), >=, 100);
}

static GhloValue *
new_value (const gint64 *dimensions,
           guint         rank,
           float         least)
{
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_new (GHLO_ELEMENT_TYPE_F32, dimensions, rank);
  GhloValue *value = ghlo_value_new_uninitialized (type, NULL);

  for (gsize i = 0; i < value->n_elements; i++)
    ((float *) (gpointer) value->data)[i] = least + (float) (i * 37 % 101) / 64;

  return value;
}

/* Runs the program; the kernel is given up for output 1 where @donates, which takes over its memory. */
static GhloValue *
run (CompiledProgram *program,
     GhloValue       *x,
     GhloValue      **kernel,
     gboolean         donates)
{
  const guint donated[] = { GHLO_RUN_NO_INPUT, 1 };
  const GhloRunOptions options = { .donated_inputs = donated };
  GhloValue *inputs[] = { x, *kernel }, *outputs[2];
  g_autoptr (GError) error = NULL;

  ghlo_prepared_run (program->compilation->prepared, donates ? &options : NULL, inputs, 2, outputs, NULL, &error);
  g_assert_no_error (error);
  if (donates)
    {
      ghlo_value_unref (*kernel);
      *kernel = outputs[1];
    }
  else
    ghlo_value_unref (outputs[1]);

  return outputs[0];
}

/* Results are equal before and after the kernel is packed, and follow a kernel that is overwritten in place. */
static void
test_runs (gconstpointer data)
{
  const PackedCase *self = data;
  g_autoptr (GBytes) text = g_bytes_new_static (self->text, strlen (self->text));
  g_autoptr (GhloValue) x = new_value (self->x, self->rank, -0.5f);
  GhloValue *kernel = new_value (self->kernel, self->rank, -0.25f);
  g_autoptr (GhloValue) first = NULL;
  CompiledProgram program;

  compiled_program_init (&program, self->name, text);
  first = run (&program, x, &kernel, FALSE);
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (GhloValue) again = run (&program, x, &kernel, FALSE);

      g_assert_cmpmem (again->data, again->n_bytes, first->data, first->n_bytes);
    }
  g_test_message ("%" G_GSIZE_FORMAT " bytes are packed", ghlo_packed_get_size ());

  /* The kernel is now twice as large each time: so is the result, exactly. */
  for (guint i = 0; i < 4; i++)
    {
      g_autoptr (GhloValue) result = run (&program, x, &kernel, TRUE);

      for (gsize j = 0; j < result->n_elements; j++)
        g_assert_cmpfloat (((float *) (gpointer) result->data)[j], ==,
                           ((float *) (gpointer) first->data)[j] * (float) (1 << i));
      g_assert_cmpuint (ghlo_packed_get_size (), ==, 0);
    }
  ghlo_value_unref (kernel);
  compiled_program_clear (&program);
}

/* A kernel that is not finite is packed for windows without padding, and those with padding do not get that copy. */
static void
test_infinite (void)
{
  g_autoptr (GBytes) text = g_bytes_new_static (CONVOLUTION, strlen (CONVOLUTION));
  g_autoptr (GBytes) other_text = g_bytes_new_static (UNPADDED, strlen (UNPADDED));
  g_autoptr (GhloValue) x = new_value (cases[0].x, 4, -0.5f), wanted = NULL;
  GhloValue *kernel = new_value (cases[0].kernel, 4, -0.25f);
  CompiledProgram program, other;

  ((float *) (gpointer) kernel->data)[0] = INFINITY;
  compiled_program_init (&program, "convolution", text);
  compiled_program_init (&other, "unpadded", other_text);
  wanted = run (&program, x, &kernel, FALSE);
  for (guint i = 0; i < 3; i++)
    ghlo_value_unref (run (&other, x, &kernel, FALSE));
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (GhloValue) found = run (&program, x, &kernel, FALSE);

      for (gsize j = 0; j < found->n_elements; j++)
        {
          float a = ((float *) (gpointer) found->data)[j], b = ((float *) (gpointer) wanted->data)[j];

          g_assert_true (a == b || (isnan (a) && isnan (b)));
        }
    }
  compiled_program_clear (&other);
  compiled_program_clear (&program);
  ghlo_value_unref (kernel);
}

/* How many pages between two addresses are mapped in. */
static gsize
count_present (const guint8 *data,
               gsize         n_pages)
{
  const gsize page = (gsize) sysconf (_SC_PAGESIZE);
  g_autofree guint64 *entries = g_new (guint64, n_pages);
  int fd = open ("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  gsize n = 0;

  g_assert_cmpint (pread (fd, entries, n_pages * 8, (off_t) ((gsize) data / page * 8)), ==, n_pages * 8);
  close (fd);
  for (gsize i = 0; i < n_pages; i++)
    n += entries[i] >> 63;

  return n;
}

/* A kernel in a mapped file, as weights are, is in memory once: packed. Who reads it otherwise gets it again. */
static void
test_mapped (void)
{
  const PackedCase *self = &cases[2];
  const gsize page = (gsize) sysconf (_SC_PAGESIZE);
  g_autoptr (GBytes) text = g_bytes_new_static (self->text, strlen (self->text)), bytes = NULL;
  g_autoptr (GBytes) alone_text = g_bytes_new_static (ALONE, strlen (ALONE));
  g_autoptr (GhloValue) x = new_value (self->x, self->rank, -0.5f), first = NULL;
  g_autoptr (GhloValue) content = new_value (self->kernel, self->rank, -0.25f);
  g_autofree char *name = NULL;
  g_autoptr (GMappedFile) file = NULL;
  GhloValue *kernel;
  CompiledProgram program, alone;
  int fd = g_file_open_tmp ("ghlo-packed-XXXXXX", &name, NULL);

  g_assert_cmpint (write (fd, content->data, content->n_bytes), ==, content->n_bytes);
  file = g_mapped_file_new_from_fd (fd, FALSE, NULL);
  close (fd);
  g_unlink (name);
  bytes = g_mapped_file_get_bytes (file);
  kernel = ghlo_value_new_for_bytes (content->type, bytes, NULL);
  g_assert_true (kernel->data == g_bytes_get_data (bytes, NULL));

  compiled_program_init (&program, "mapped", text);
  compiled_program_init (&alone, "alone", alone_text);
  first = run (&program, x, &content, FALSE);
  for (guint i = 0; i < 6; i++)
    {
      GhloValue *inputs[] = { x, kernel }, *outputs[2] = { NULL, NULL };

      ghlo_prepared_run ((i < 3 ? &alone : &program)->compilation->prepared, NULL, inputs, 2, outputs, NULL, NULL);
      g_assert_cmpmem (outputs[0]->data, outputs[0]->n_bytes, first->data, first->n_bytes);
      if (i == 2 && ghlo_packed_get_size () > 0)
        g_assert_cmpuint (count_present (kernel->data, kernel->n_bytes / page), ==, 0);
      for (gsize j = 0; j < content->n_elements && outputs[1] != NULL; j++)
        g_assert_cmpfloat (((float *) (gpointer) outputs[1]->data)[j], ==, 2 * ((float *) (gpointer) content->data)[j]);
      ghlo_values_clear (outputs, 2);
    }
  g_test_message ("%" G_GSIZE_FORMAT " bytes are packed", ghlo_packed_get_size ());
  compiled_program_clear (&alone);
  compiled_program_clear (&program);
  ghlo_value_unref (kernel);
}

static guint n_returned;

static void
take_back (gpointer value)
{
  n_returned++;
  ghlo_value_unref (value);
}

/* Lent by its owner, who is told when it is not needed any more. */
static GhloValue *
lend (GhloValue *value)
{
  g_autoptr (GBytes) bytes = g_bytes_new_with_free_func (value->data, value->n_bytes, take_back, value);

  n_returned = 0;

  return ghlo_value_new_for_bytes (value->type, bytes, NULL);
}

/* A kernel that is bound: read by the program in its own order, too; also held by somebody else; lent. */
static void
check_bound (const char *text,
             gboolean    is_read,
             gboolean    is_shared,
             gboolean    is_lent)
{
  const PackedCase *self = &cases[2];
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autoptr (GhloValue) x = new_value (self->x, self->rank, -0.5f), first = NULL, other = NULL;
  GhloValue *own = new_value (self->kernel, self->rank, -0.25f);
  g_autoptr (GhloValue) kernel = is_lent ? lend (own) : own;
  GhloValue *const bound[] = { NULL, kernel };
  const GhloRunOptions options = { .bound = bound };
  const gsize before = ghlo_memory_get_used ();
  CompiledProgram program;

  compiled_program_init (&program, "bound", bytes);
  other = is_shared ? ghlo_value_ref (kernel) : NULL;
  for (guint i = 0; i < 4; i++)
    {
      GhloValue *inputs[] = { x, ghlo_value_ref (kernel) }, *outputs[2] = { NULL, NULL };
      g_autoptr (GError) error = NULL;

      ghlo_prepared_run (program.compilation->prepared, &options, inputs, 2, outputs, NULL, &error);
      g_assert_no_error (error);
      ghlo_value_unref (inputs[1]);
      if (first == NULL)
        first = ghlo_value_ref (outputs[0]);
      g_assert_cmpmem (outputs[0]->data, outputs[0]->n_bytes, first->data, first->n_bytes);
      ghlo_values_clear (outputs, 2);
      g_assert_cmpint (kernel->storage->is_discarded, ==,
                       !is_read && !is_shared && i > 0 && ghlo_packed_get_size () > 0);
      if (is_lent)
        g_assert_cmpuint (n_returned, ==, kernel->storage->is_discarded);
    }
  if (kernel->storage->is_discarded)
    {
      GhloValue *inputs[] = { x, kernel }, *output;

      /* Whoever has it may run the program without saying that it is bound. */
      g_assert_true (ghlo_prepared_run (program.compilation->prepared, NULL, inputs, 2, &output, NULL, NULL));
      g_assert_cmpmem (output->data, output->n_bytes, first->data, first->n_bytes);
      ghlo_value_unref (output);
    }
  compiled_program_clear (&program);
  g_clear_pointer (&first, ghlo_value_unref);
  g_clear_pointer (&other, ghlo_value_unref);
  g_clear_pointer (&kernel, ghlo_value_unref);
  g_clear_pointer (&x, ghlo_value_unref);
  if (is_lent)
    g_assert_cmpuint (n_returned, ==, 1);
  g_assert_cmpuint (ghlo_packed_get_size (), ==, 0);
  g_assert_cmpuint (ghlo_memory_get_used (), <, before);
}

/* What a session alone has, and reads packed only, is in memory once. */
static void
test_bound (void)
{
  check_bound (ALONE, FALSE, FALSE, FALSE);
  check_bound (ALONE, FALSE, FALSE, TRUE);
  check_bound (ALONE, FALSE, TRUE, TRUE);
  check_bound (ALONE, FALSE, TRUE, FALSE);
  check_bound (cases[2].text, TRUE, FALSE, FALSE);
}

/* Weights of four bits have the same sums before and after they are packed, of which a copy takes half a byte each. */
static void
test_nibbles (void)
{
  static const char program_text[] =
    "func.func @main(%x: tensor<2x320xf32>, %w: tensor<320x160xi4>) -> tensor<2x160xf32> {\n"
    "  %0 = stablehlo.convert %w : (tensor<320x160xi4>) -> tensor<320x160xf32>\n"
    "  %1 = stablehlo.dot_general %x, %0, contracting_dims = [1] x [0]"
    " : (tensor<2x320xf32>, tensor<320x160xf32>) -> tensor<2x160xf32>\n"
    "  return %1 : tensor<2x160xf32>\n}\n";
  g_autoptr (GBytes) text = g_bytes_new_static (program_text, strlen (program_text));
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_new (GHLO_ELEMENT_TYPE_I4, (const gint64[]) { 320, 160 }, 2);
  g_autoptr (GhloValue) x = new_value ((const gint64[]) { 2, 320 }, 2, -0.5f), first = NULL;
  GhloValue *weights = ghlo_value_new_uninitialized (type, NULL);
  CompiledProgram program;

  for (gsize i = 0; i < weights->n_elements; i++)
    weights->data[i] = (guint8) ((gint) (i * 37 % 101 % 16) - 8);
  compiled_program_init (&program, "nibbles", text);
  for (guint i = 0; i < 4; i++)
    {
      g_autoptr (GError) error = NULL;
      GhloValue *inputs[] = { x, weights };
      g_autoptr (GhloValue) again = NULL;

      ghlo_prepared_run (program.compilation->prepared, NULL, inputs, 2, &again, NULL, &error);
      g_assert_no_error (error);
      if (first == NULL)
        first = ghlo_value_ref (again);
      g_assert_cmpmem (again->data, again->n_bytes, first->data, first->n_bytes);
      g_assert_cmpuint (ghlo_packed_get_size (), ==, i > 0 ? 320 * 160 / 2 : 0);
    }
  ghlo_value_unref (weights);
  compiled_program_clear (&program);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu-packed/second-use", test_second_use);
  g_test_add_func ("/cpu-packed/refused", test_refused);
  g_test_add_func ("/cpu-packed/dropped", test_dropped);
  g_test_add_func ("/cpu-packed/threads", test_threads);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/cpu-packed/runs/", cases[i].name, NULL);

      g_test_add_data_func (path, &cases[i], test_runs);
    }
  g_test_add_func ("/cpu-packed/infinite", test_infinite);
  g_test_add_func ("/cpu-packed/mapped", test_mapped);
  g_test_add_func ("/cpu-packed/bound", test_bound);
  g_test_add_func ("/cpu-packed/nibbles", test_nibbles);

  return g_test_run ();
}
