/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Steps that move data, compared with the reference executor or element by element: random shapes in any layout.
 */

#include "cpu-steps.h"
#include "guarded-memory.h"

#include "cpu/isa/routines.h"
#include "cpu/steps.h"

/* A random tensor type. */
static GhloTensorType *
pick_type (GhloElementType element_type,
           guint           max_rank,
           gint32          max_size)
{
  gint64 dimensions[8];
  guint rank = (guint) g_test_rand_int_range (0, (gint32) max_rank + 1);

  for (guint d = 0; d < rank; d++)
    dimensions[d] = g_test_rand_int_range (0, 40) == 0 ? 0 : g_test_rand_int_range (1, max_size);

  return ghlo_tensor_type_new (element_type, dimensions, rank);
}

static void
fill_bits (StepTensor *self)
{
  for (gsize i = 0; i < self->n_bytes; i++)
    self->memory[STEP_GUARD + i] = (guint8) g_test_rand_int ();
}

/* Gives dimensions of size one arbitrary strides, and broadcasts others. */
static void
spoil_strides (StepTensor *self,
               gboolean    may_broadcast)
{
  for (guint d = 0; d < self->view.rank; d++)
    if (self->dimensions[d] == 1 && g_test_rand_bit ())
      self->strides[d] = g_test_rand_bit () ? G_MAXINT64 : -12345;
    else if (may_broadcast && g_test_rand_int_range (0, 5) == 0)
      self->strides[d] = 0;
}

static void
check_copy (GhloTensorType *type)
{
  const GhloStepImplementation *step = &ghlo_cpu_step_copy;
  gsize size = ghlo_element_info (type->element_type)->size, scratch = 0, n;
  StepTensor from, to;
  g_autofree guint8 *before = NULL;
  g_autoptr (GError) error = NULL;
  StepWalk source, copied;
  gpointer compiled;

  step_tensor_init (&from, type, g_test_rand_int_range (0, 4) != 0);
  step_tensor_init (&to, type, g_test_rand_bit ());
  spoil_strides (&from, TRUE);
  spoil_strides (&to, FALSE);
  fill_bits (&from);
  compiled = step_new (step, NULL, &from.view, &to.view, &scratch);
  g_assert_nonnull (compiled);
  g_assert_true (step->run (compiled, &from.view, &to.view, NULL, NULL, &error));
  g_assert_no_error (error);
  g_assert_true (ghlo_shape_count (type->dimensions, type->rank, &n));
  before = g_memdup2 (to.memory, to.n_bytes + 2 * STEP_GUARD);
  source = step_walk_begin (&from.view);
  copied = step_walk_begin (&to.view);
  for (gsize i = 0; i < n; i++, step_walk_on (&source), step_walk_on (&copied))
    {
      g_assert_cmpmem (copied.element, size, source.element, size);
      memset (before + (copied.element - to.memory), 0xa5, size);
    }
  for (gsize i = 0; i < to.n_bytes + 2 * STEP_GUARD; i++)
    g_assert_cmphex (before[i], ==, 0xa5);
  ghlo_step_free (step, compiled);
  step_tensor_clear (&from);
  step_tensor_clear (&to);
}

static const GhloElementType copied_types[] = {
  GHLO_ELEMENT_TYPE_I8, GHLO_ELEMENT_TYPE_BF16, GHLO_ELEMENT_TYPE_F32, GHLO_ELEMENT_TYPE_F64,
  GHLO_ELEMENT_TYPE_COMPLEX_F64,
};

static void
test_copy (void)
{
  for (guint t = 0; t < G_N_ELEMENTS (copied_types); t++)
    for (guint i = 0; i < 300; i++)
      {
        g_autoptr (GhloTensorType) type = pick_type (copied_types[t], i % 3 ? 5 : 2, i % 3 ? 9 : 150);

        check_copy (type);
      }
}

/* Blocks, chunks and threads: more bytes than one part. */
static void
test_copy_large (void)
{
  static const gint64 shapes[][3] = { { 1, 1, 200000 }, { 1, 400, 401 }, { 3, 200, 201 }, { 40, 7, 500 } };

  for (guint t = 0; t < G_N_ELEMENTS (copied_types); t++)
    for (guint i = 0; i < 3 * G_N_ELEMENTS (shapes); i++)
      {
        g_autoptr (GhloTensorType) type = ghlo_tensor_type_new (copied_types[t], shapes[i / 3], 3);

        check_copy (type);
      }
}

/* Several dimensions are rows or columns of a block, or are shuffled in registers; the last ones of each overlap. */
static void
test_copy_short (void)
{
  static const gint64 shapes[][5] = {
    { 8, 2, 18, 7, 59 }, { 2, 16, 72, 3, 5 }, { 6, 7, 11, 4, 2 }, { 3, 5, 7, 3, 2 }, { 1, 1, 40, 50, 3 },
    { 1, 3, 2, 2, 700 }, { 1, 9, 4, 130, 6 }, { 2, 2, 2, 2, 2 }, { 17, 1, 33, 1, 13 },
  };

  for (guint t = 0; t < G_N_ELEMENTS (copied_types); t++)
    for (guint i = 0; i < 12 * G_N_ELEMENTS (shapes); i++)
      {
        g_autoptr (GhloTensorType) type = ghlo_tensor_type_new (copied_types[t], shapes[i / 12], 5);

        check_copy (type);
      }
}

static void
test_copy_cancelled (void)
{
  const gint64 dimensions[] = { 700, 700 }, strides[] = { 4, 2800 };
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_new (GHLO_ELEMENT_TYPE_F32, dimensions, 2);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  GhloMonitor monitor = { .cancellable = cancellable };
  const GhloStepImplementation *step = &ghlo_cpu_step_copy;
  g_autoptr (GError) error = NULL;
  StepTensor from, to;
  gsize scratch = 0;
  gpointer compiled;

  step_tensor_init (&from, type, FALSE);
  step_tensor_init (&to, type, FALSE);
  from.view.strides = strides;
  compiled = step_new (step, NULL, &from.view, &to.view, &scratch);
  g_cancellable_cancel (cancellable);
  g_assert_false (step->run (compiled, &from.view, &to.view, NULL, &monitor, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  ghlo_step_free (step, compiled);
  step_tensor_clear (&from);
  step_tensor_clear (&to);
}

static const char *const type_names[] = { "i8", "bf16", "f32", "f64", "complex<f64>", "i1" };
static const char *const index_names[] = { "i32", "i64", "ui8", "i8", "ui64", "ui32", "i16" };

#define PICK_ONE(names) names[g_test_rand_int_range (0, G_N_ELEMENTS (names))]

static gint64
pick (gint32 low,
      gint32 high)
{
  return g_test_rand_int_range (low, high + 1);
}

/* "tensor<2x3xf32>" */
static char *
spell (const gint64 *dimensions,
       guint         rank,
       const char   *element)
{
  g_autoptr (GString) text = g_string_new ("tensor<");

  for (guint i = 0; i < rank; i++)
    g_string_append_printf (text, "%" G_GINT64_FORMAT "x", dimensions[i]);
  g_string_append_printf (text, "%s>", element);

  return g_string_free (g_steal_pointer (&text), FALSE);
}

static char *
spell_list (const gint64 *values,
            guint         n)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", values[i]);

  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* A program of one operation: "%r = " and @op, whose operands %x0, %x1 … are the inputs. FALSE when it is declined. */
static gboolean
try_op (const char  *op,
        const char  *name,
        GhloValue  **inputs,
        guint        n_inputs,
        const char  *result)
{
  g_autoptr (GString) text = g_string_new ("func.func @main(");

  for (guint i = 0; i < n_inputs; i++)
    {
      g_autofree char *type = ghlo_tensor_type_to_string (inputs[i]->type);

      g_string_append_printf (text, "%s%%x%u: %s", i > 0 ? ", " : "", i, type);
    }
  g_string_append_printf (text, ") -> %s {\n  %%r = %s : (", result, op);
  for (guint i = 0; i < n_inputs; i++)
    {
      g_autofree char *type = ghlo_tensor_type_to_string (inputs[i]->type);

      g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", type);
    }
  g_string_append_printf (text, ") -> %s\n  return %%r : %s\n}\n", result, result);

  return step_check (text->str, name, inputs, n_inputs, 0);
}

static void
check_op (const char  *op,
          const char  *name,
          GhloValue  **inputs,
          guint        n_inputs,
          const char  *result)
{
  if (!try_op (op, name, inputs, n_inputs, result))
    g_error ("declined: %s", op);
}

static void
test_concatenate (void)
{
  for (guint i = 0; i < 150; i++)
    {
      const char *element = PICK_ONE (type_names);
      guint rank = (guint) pick (1, 4), n = (guint) pick (1, 5), dimension = (guint) pick (0, (gint32) rank - 1);
      gint64 dimensions[4], total = 0;
      GhloValue *inputs[5];
      g_autoptr (GString) op = g_string_new ("stablehlo.concatenate ");
      g_autofree char *result = NULL;

      for (guint d = 0; d < rank; d++)
        dimensions[d] = pick (i % 10 ? 1 : 0, i % 7 ? 6 : 40);
      for (guint k = 0; k < n; k++)
        {
          g_autofree char *type = NULL;

          dimensions[dimension] = pick (0, i % 7 ? 6 : 70);
          total += dimensions[dimension];
          type = spell (dimensions, rank, element);
          inputs[k] = new_random (type, 0, 1.9);
          g_string_append_printf (op, "%s%%x%u", k > 0 ? ", " : "", k);
        }
      dimensions[dimension] = total;
      result = spell (dimensions, rank, element);
      g_string_append_printf (op, ", dim = %u", dimension);
      check_op (op->str, "concatenate", inputs, n, result);
      for (guint k = 0; k < n; k++)
        ghlo_value_unref (inputs[k]);
    }
}

/* The last cases have one padding value between elements of long rows. */
static void
test_pad (void)
{
  for (guint i = 0; i < 400; i++)
    {
      const char *element = PICK_ONE (type_names);
      guint rank = (guint) pick (i >= 300, 4);
      gint64 dimensions[4], padded[4], low[4], high[4], interior[4];
      g_autofree char *type = NULL, *scalar = spell (NULL, 0, element), *result = NULL, *op = NULL;
      g_autofree char *lows = NULL, *highs = NULL, *interiors = NULL;
      g_autoptr (GhloValue) operand = NULL, value = new_random (scalar, 0, 1.9);

      for (guint d = 0; d < rank; d++)
        do
          {
            dimensions[d] = i >= 300 && d + 1 == rank ? pick (2, rank == 1 ? 20000 : 700)
                                                      : pick (i % 10 ? 1 : 0, i % 7 ? 6 : 16);
            low[d] = pick (-4, 5);
            high[d] = pick (-4, 5);
            interior[d] = i >= 300 && d + 1 == rank ? 1 : i % 3 ? 0 : pick (0, 3);
            padded[d] = dimensions[d] + low[d] + high[d] + MAX (dimensions[d] - 1, 0) * interior[d];
          }
        while (padded[d] < 0);
      type = spell (dimensions, rank, element);
      operand = new_random (type, 0, 1.9);
      result = spell (padded, rank, element);
      lows = spell_list (low, rank);
      highs = spell_list (high, rank);
      interiors = spell_list (interior, rank);
      op = g_strdup_printf ("stablehlo.pad %%x0, %%x1, low = [%s], high = [%s], interior = [%s]", lows, highs,
                            interiors);
      check_op (op, "pad", (GhloValue *[]) { operand, value }, 2, result);
    }
}

/* Slices and updates at positions in and out of bounds. */
static void
test_dynamic_slices (void)
{
  for (guint i = 0; i < 300; i++)
    {
      const char *element = PICK_ONE (type_names), *index = PICK_ONE (index_names);
      guint rank = (guint) pick (0, 4), first = i % 2 ? 2 : 1;
      gint64 dimensions[4], sizes[4];
      GhloValue *inputs[6];
      g_autoptr (GString) op = g_string_new (i % 2 ? "stablehlo.dynamic_update_slice %x0, %x1"
                                             : "stablehlo.dynamic_slice %x0");
      g_autofree char *type = NULL, *slice = NULL, *scalar = spell (NULL, 0, index), *list = NULL;

      for (guint d = 0; d < rank; d++)
        {
          dimensions[d] = pick (i % 10 ? 1 : 0, i % 7 ? 6 : 20);
          sizes[d] = pick (i % 9 ? MIN (dimensions[d], 1) : 0, (gint32) dimensions[d]);
        }
      type = spell (dimensions, rank, element);
      slice = spell (sizes, rank, element);
      inputs[0] = new_random (type, 0, 1.9);
      if (first == 2)
        inputs[1] = new_random (slice, 0, 1.9);
      for (guint d = 0; d < rank; d++)
        {
          inputs[first + d] = new_random (scalar, index[0] == 'u' ? 0 : -3, i % 7 ? 8 : 24);
          if (pick (0, 9) == 0)
            memset (inputs[first + d]->data, 0xff, inputs[first + d]->n_bytes);
          g_string_append_printf (op, ", %%x%u", first + d);
        }
      list = spell_list (sizes, rank);
      if (first == 1)
        g_string_append_printf (op, ", sizes = [%s]", list);
      check_op (op->str, first == 1 ? "dynamic_slice" : "dynamic_update_slice", inputs, first + rank,
                first == 1 ? slice : type);
      for (guint k = 0; k < first + rank; k++)
        ghlo_value_unref (inputs[k]);
    }
}

static void
test_iota (void)
{
  static const char *const elements[] = {
    "i8", "ui8", "i16", "i32", "ui32", "i64", "f16", "bf16", "f32", "f64", "complex<f32>", "f8E4M3FN", "i4",
  };

  for (guint e = 0; e < G_N_ELEMENTS (elements); e++)
    for (guint i = 0; i < 12; i++)
      {
        guint rank = (guint) pick (1, 4), dimension = (guint) pick (0, (gint32) rank - 1);
        gint64 dimensions[4];
        g_autofree char *type = NULL, *text = NULL;

        for (guint d = 0; d < rank; d++)
          dimensions[d] = pick (i % 6 ? 1 : 0, i % 4 ? 9 : 60);
        if (i == 0)
          dimensions[dimension] = 300;
        type = spell (dimensions, rank, elements[e]);
        text = g_strdup_printf ("func.func @main() -> %s {\n  %%0 = stablehlo.iota dim = %u : %s\n"
                                "  return %%0 : %s\n}\n", type, dimension, type, type);
        g_assert_true (step_check (text, "iota", NULL, 0, 0));
      }
}

/* Random dimension numbers of a gather or scatter: the indexed tensor, the indices, and the other tensor, whose
 * dimensions are those of positions and windows in any order. */
typedef struct
{
  guint  rank, index_rank, other_rank;
  gint64 dimensions[6], indices[8], other[12], sizes[6];
  gint64 window[6], dropped[6], map[6], batching[6], index_batching[6];
  guint  n_window, n_dropped, n_map, n_batching;
  gint64 vector;
} Numbers;

static void
shuffle (gint64 *values,
         guint   n)
{
  for (guint i = n; i > 1; i--)
    {
      guint other = (guint) pick (0, (gint32) i - 1);
      gint64 kept = values[i - 1];

      values[i - 1] = values[other];
      values[other] = kept;
    }
}

static gboolean
is_among (const gint64 *values,
          guint         n,
          gint64        value)
{
  for (guint i = 0; i < n; i++)
    if (values[i] == value)
      return TRUE;

  return FALSE;
}

/* Chooses a role for each dimension of the tensor: batching, dropped, or a window's. */
static void
pick_dimensions (Numbers  *self,
                 gint32    size,
                 gboolean  whole)
{
  gint64 kept[6];
  guint n_kept = 0;

  self->rank = (guint) pick (1, 4);
  for (guint d = 0; d < self->rank; d++)
    {
      self->dimensions[d] = pick (1, size);
      self->sizes[d] = 1;
      if (pick (0, 5) == 0)
        {
          self->batching[self->n_batching++] = d;
          continue;
        }
      kept[n_kept++] = d;
      if (pick (0, 2) == 0)
        self->dropped[self->n_dropped++] = d;
      else
        self->sizes[d] = whole && pick (0, 2) ? self->dimensions[d] : pick (1, (gint32) self->dimensions[d]);
    }
  shuffle (kept, n_kept);
  self->n_map = (guint) pick (0, (gint32) n_kept);
  memcpy (self->map, kept, self->n_map * sizeof (gint64));
}

static void
pick_numbers (Numbers  *self,
              gint32    size,
              gint32    n_positions,
              gboolean  in_order)
{
  guint n_own, n_positions_rank, p = 0, w = 0, d = 0;
  gint64 positions[8], is_window[12] = { 0 };
  gboolean trails = g_test_rand_bit ();

  *self = (Numbers) { 0 };
  pick_dimensions (self, size, in_order);
  n_own = (guint) pick (0, 2);
  n_positions_rank = n_own + self->n_batching;
  for (guint i = 0; i < n_positions_rank; i++)
    positions[i] = i < self->n_batching ? (gint64) i : -1;
  shuffle (positions, n_positions_rank);
  /* Index vectors of one component may omit their dimension. */
  self->index_rank = n_positions_rank + (self->n_map != 1 || pick (0, 3) != 0);
  self->vector = self->index_rank > n_positions_rank ? pick (0, (gint32) n_positions_rank) : n_positions_rank;
  for (guint i = 0; i < self->index_rank; i++)
    if (i == self->vector)
      self->indices[i] = self->n_map;
    else if (positions[p++] >= 0)
      {
        guint b = (guint) positions[p - 1];

        self->indices[i] = self->dimensions[self->batching[b]];
        self->index_batching[b] = i;
      }
    else
      self->indices[i] = pick (pick (0, 20) ? 1 : 0, n_positions);

  self->n_window = self->rank - self->n_dropped - self->n_batching;
  self->other_rank = n_positions_rank + self->n_window;
  for (guint i = 0; i < self->n_window; i++)
    is_window[trails ? n_positions_rank + i : i] = 1;
  if (!in_order)
    shuffle (is_window, self->other_rank);
  p = 0;
  for (guint i = 0; i < self->other_rank; i++)
    if (is_window[i])
      {
        while (is_among (self->dropped, self->n_dropped, d) || is_among (self->batching, self->n_batching, d))
          d++;
        self->window[w++] = i;
        self->other[i] = self->sizes[d++];
      }
    else
      {
        p += p == self->vector;
        self->other[i] = self->indices[p++];
      }
}

static void
append_list (GString      *text,
             const char   *name,
             const gint64 *values,
             guint         n)
{
  g_autofree char *list = spell_list (values, n);

  if (n > 0)
    g_string_append_printf (text, "%s = [%s], ", name, list);
}

/* Indices in bounds and slightly out of bounds, and occasionally extreme ones. */
static GhloValue *
pick_indices (const Numbers *numbers,
              gint32         size)
{
  const char *element = PICK_ONE (index_names);
  g_autofree char *type = spell (numbers->indices, numbers->index_rank, element);
  GhloValue *indices = new_random (type, element[0] == 'u' ? 0 : -2, size + 1.5);
  gsize element_size = ghlo_element_info (indices->type->element_type)->size;

  for (gsize i = 0; i < indices->n_elements; i++)
    if (pick (0, 30) == 0)
      {
        memset (indices->data + i * element_size, 0xff, element_size);
        if (g_test_rand_bit ())
          indices->data[(i + 1) * element_size - 1] = 0x7f;
      }

  return indices;
}

static char *
spell_gather (const Numbers *numbers)
{
  g_autofree char *sizes = spell_list (numbers->sizes, numbers->rank);
  g_autoptr (GString) op = g_string_new ("\"stablehlo.gather\"(%x0, %x1) <{dimension_numbers = #stablehlo.gather<");

  append_list (op, "offset_dims", numbers->window, numbers->n_window);
  append_list (op, "collapsed_slice_dims", numbers->dropped, numbers->n_dropped);
  append_list (op, "operand_batching_dims", numbers->batching, numbers->n_batching);
  append_list (op, "start_indices_batching_dims", numbers->index_batching, numbers->n_batching);
  append_list (op, "start_index_map", numbers->map, numbers->n_map);
  g_string_append_printf (op, "index_vector_dim = %" G_GINT64_FORMAT ">, slice_sizes = array<i64: %s>}>",
                          numbers->vector, sizes);

  return g_string_free (g_steal_pointer (&op), FALSE);
}

static void
test_gather (void)
{
  for (guint i = 0; i < 400; i++)
    {
      const char *element = PICK_ONE (type_names);
      gint32 size = i % 7 ? 5 : 30;
      g_autofree char *type = NULL, *result = NULL, *op = NULL;
      g_autoptr (GhloValue) operand = NULL, indices = NULL;
      Numbers numbers;

      do
        pick_numbers (&numbers, size, i % 5 ? 4 : 20, i % 2);
      while (i % 5 == 0 && numbers.other_rank > 5);
      type = spell (numbers.dimensions, numbers.rank, element);
      result = spell (numbers.other, numbers.other_rank, element);
      operand = new_random (type, 0, 1.9);
      indices = pick_indices (&numbers, size);
      op = spell_gather (&numbers);
      check_op (op, "gather", (GhloValue *[]) { operand, indices }, 2, result);
    }
}

/* Along the innermost dimension: from few and many elements, to few and many, in one row or more than threads share. */
static void
test_gather_rows (void)
{
  static const char *const elements[] = { "i8", "f16", "f32", "i64", "complex<f64>", "bf16", "ui8" };

  for (guint i = 0; i < 400; i++)
    {
      const gint32 rows = pick (1, i % 4 ? 40 : 400), size = pick (1, i % 3 ? 70 : 600), n = pick (1, i % 5 ? 40 : 700);
      const Numbers numbers = {
        .rank = 3, .index_rank = 2, .other_rank = 3, .dimensions = { rows, 3, size }, .indices = { n, 1 },
        .other = { rows, 3, n }, .sizes = { rows, 3, 1 }, .window = { 0, 1 }, .n_window = 2, .dropped = { 2 },
        .n_dropped = 1, .map = { 2 }, .n_map = 1, .vector = 1,
      };
      const char *element = elements[i % G_N_ELEMENTS (elements)];
      g_autofree char *type = spell (numbers.dimensions, 3, element), *result = spell (numbers.other, 3, element);
      g_autofree char *op = spell_gather (&numbers);
      g_autoptr (GhloValue) operand = new_random (type, 0, 99), indices = pick_indices (&numbers, size);

      check_op (op, "gather", (GhloValue *[]) { operand, indices }, 2, result);
    }
}

/* Offsets of indices from one end of the range to the other, also for limits and strides of more than 32 bits. */
static void
test_indices (void)
{
  static const gint64 numbers[] = {
    0, 1, 2, 40, G_MAXINT32, G_MAXINT32 + G_GINT64_CONSTANT (1), G_MAXUINT32, (gint64) 5 << 32, G_MAXINT64, -1,
    G_MININT32, G_MININT64,
  };
  static const gint64 limits[] = { 0, 1, 40, G_MAXINT32, G_MAXUINT32, (gint64) 9 << 32 };
  static const gint64 scales[] = { 0, 1, 8, G_MAXINT32 - 3, G_MAXINT32 + G_GINT64_CONSTANT (1), -24 };

  for (guint i = 0; i < 2000; i++)
    {
      enum { N = 21 };
      const gint64 limit = PICK_ONE (limits), scale = limit > G_MAXINT32 ? pick (-9, 9) : PICK_ONE (scales);
      const gsize n = (gsize) pick (0, N);
      const gint64 first = pick (-9, 9), step = pick (-9, 9);
      gint64 clamped[N], checked[N], from[N];
      gboolean is_out[N];

      ghlo_cpu_routines ()->count (clamped, n, first, step);
      ghlo_cpu_routines ()->count (checked, n, first, step);
      for (gsize k = 0; k < n; k++)
        {
          g_assert_cmpint (clamped[k], ==, first + (gint64) k * step);
          from[k] = PICK_ONE (numbers);
          is_out[k] = pick (0, 3) == 0;
          checked[k] = is_out[k] ? GHLO_CPU_OUT_OF_BOUNDS : checked[k];
          is_out[k] = is_out[k] || from[k] < 0 || from[k] > limit;
        }
      ghlo_cpu_routines ()->clamp_indices (from, n, limit, scale, clamped);
      ghlo_cpu_routines ()->check_indices (from, n, limit, scale, checked);
      for (gsize k = 0; k < n; k++)
        {
          const gint64 offset = first + (gint64) k * step + CLAMP (from[k], 0, limit) * scale;

          g_assert_cmpint (clamped[k], ==, offset);
          g_assert_cmpint (checked[k], ==, is_out[k] ? GHLO_CPU_OUT_OF_BOUNDS : offset);
        }
    }
}

/* The text of a region on scalars of @element, with its arguments in either order. */
static char *
spell_region (const char *computation,
              const char *element)
{
  const char *first = g_test_rand_bit () ? "a" : "b";

  if (g_str_equal (computation, "return"))
    return g_strdup_printf ("({\n^bb0(%%a: tensor<%s>, %%b: tensor<%s>):\n  stablehlo.return %%b : tensor<%s>\n})",
                            element, element, element);

  return g_strdup_printf ("({\n^bb0(%%a: tensor<%s>, %%b: tensor<%s>):\n  %%c = stablehlo.%s %%%s, %%%s : tensor<%s>\n"
                          "  stablehlo.return %%c : tensor<%s>\n})", element, element, computation, first,
                          first[0] == 'a' ? "b" : "a", element, element);
}

static char *
spell_scatter (const Numbers *numbers,
               const char    *computation,
               const char    *element)
{
  g_autoptr (GString) op = g_string_new ("\"stablehlo.scatter\"(%x0, %x1, %x2) <{scatter_dimension_numbers = "
                                         "#stablehlo.scatter<");
  g_autofree char *region = spell_region (computation, element);

  append_list (op, "update_window_dims", numbers->window, numbers->n_window);
  append_list (op, "inserted_window_dims", numbers->dropped, numbers->n_dropped);
  append_list (op, "input_batching_dims", numbers->batching, numbers->n_batching);
  append_list (op, "scatter_indices_batching_dims", numbers->index_batching, numbers->n_batching);
  append_list (op, "scatter_dims_to_operand_dims", numbers->map, numbers->n_map);
  g_string_append_printf (op, "index_vector_dim = %" G_GINT64_FORMAT ">}> %s", numbers->vector, region);

  return g_string_free (g_steal_pointer (&op), FALSE);
}

/* Numbers that include NaN, infinities and zeros of both signs. */
static GhloValue *
new_special (const char *type)
{
  static const double specials[] = { NAN, INFINITY, -INFINITY, 0.0, -0.0 };
  gboolean is_signed = strstr (type, "ui") == NULL && strstr (type, "i1>") == NULL;
  GhloValue *value = new_random (type, is_signed ? -3 : 0, is_signed ? 3 : 1.9);

  for (gsize i = 0; i < value->n_elements; i++)
    if (ghlo_element_type_is_float (value->type->element_type) && pick (0, 20) == 0)
      set_number (value, i, PICK_ONE (specials));

  return value;
}

static void
test_scatter (void)
{
  static const char *const computations[] = { "return", "add", "multiply", "minimum", "maximum", "and", "or", "xor" };
  static const char *const elements[] = {
    "i8", "ui8", "i1", "i32", "ui16", "i64", "ui64", "i4", "bf16", "f16", "f32", "f64", "f8E4M3FN", "complex<f32>",
  };
  guint n_declined = 0;

  for (guint i = 0; i < 900; i++)
    {
      const char *element = elements[i % G_N_ELEMENTS (elements)], *computation = PICK_ONE (computations);
      gboolean is_float = strchr (element, 'f') != NULL, in_order = pick (0, 3) != 0;
      gint32 size = i % 7 ? 5 : 30;
      g_autofree char *type = NULL, *update = NULL, *op = NULL;
      g_autoptr (GhloValue) operand = NULL, indices = NULL, updates = NULL;
      Numbers numbers;

      if (element[0] == 'c')
        computation = g_test_rand_bit () ? "add" : "return";
      else if (is_float && (g_str_equal (computation, "and") || g_str_equal (computation, "or")
                            || g_str_equal (computation, "xor")))
        computation = "add";
      do
        pick_numbers (&numbers, size, i % 5 ? 4 : 20, in_order);
      while (i % 5 == 0 && numbers.other_rank > 5);
      type = spell (numbers.dimensions, numbers.rank, element);
      update = spell (numbers.other, numbers.other_rank, element);
      operand = new_special (type);
      updates = new_special (update);
      indices = pick_indices (&numbers, size);
      op = spell_scatter (&numbers, computation, element);
      if (!try_op (op, "scatter", (GhloValue *[]) { operand, indices, updates }, 3, type))
        {
          n_declined++;
          g_assert_false (!is_float && !g_str_equal (computation, "return"));
        }
    }
  /* Overlapping windows, and window dimensions before those of positions, where the order matters. */
  g_assert_cmpuint (n_declined, <, 150);
}

/* Rows, columns, elements and batches of more bytes than one thread's share, with many updates for each position;
 * and a computation that is not a known combiner. */
static void
test_scatter_large (void)
{
  static const Numbers shapes[] = {
    { .rank = 2, .index_rank = 2, .other_rank = 2, .dimensions = { 40, 700 }, .indices = { 900, 1 },
      .other = { 900, 700 }, .window = { 1 }, .n_window = 1, .dropped = { 0 }, .n_dropped = 1, .map = { 0 }, .n_map = 1,
      .vector = 1 },
    { .rank = 2, .index_rank = 1, .other_rank = 2, .dimensions = { 700, 40 }, .indices = { 900 },
      .other = { 700, 900 }, .window = { 0 }, .n_window = 1, .dropped = { 1 }, .n_dropped = 1, .map = { 1 }, .n_map = 1,
      .vector = 1 },
    { .rank = 1, .index_rank = 2, .other_rank = 1, .dimensions = { 5000 }, .indices = { 300000, 1 },
      .other = { 300000 }, .dropped = { 0 }, .n_dropped = 1, .map = { 0 }, .n_map = 1, .vector = 1 },
    { .rank = 2, .index_rank = 3, .other_rank = 2, .dimensions = { 9, 500 }, .indices = { 9, 40000, 1 },
      .other = { 9, 40000 }, .dropped = { 1 }, .n_dropped = 1, .map = { 1 }, .n_map = 1, .batching = { 0 },
      .n_batching = 1, .index_batching = { 0 }, .vector = 2 },
    /* Windows of whole cache lines, and those that would share lines: of many rows, and of too few places. */
    { .rank = 3, .index_rank = 2, .other_rank = 3, .dimensions = { 60, 2, 218 }, .indices = { 500, 1 },
      .other = { 500, 2, 218 }, .window = { 1, 2 }, .n_window = 2, .dropped = { 0 }, .n_dropped = 1, .map = { 0 },
      .n_map = 1, .vector = 1 },
    { .rank = 2, .index_rank = 2, .other_rank = 2, .dimensions = { 60, 512 }, .indices = { 500, 1 },
      .other = { 500, 512 }, .window = { 1 }, .n_window = 1, .dropped = { 0 }, .n_dropped = 1, .map = { 0 },
      .n_map = 1, .vector = 1 },
    { .rank = 2, .index_rank = 2, .other_rank = 2, .dimensions = { 3, 901 }, .indices = { 300, 1 },
      .other = { 300, 901 }, .window = { 1 }, .n_window = 1, .dropped = { 0 }, .n_dropped = 1, .map = { 0 },
      .n_map = 1, .vector = 1 },
    /* Windows that are too small to be cut; also behind a batch inside of the positions. */
    { .rank = 2, .index_rank = 2, .other_rank = 2, .dimensions = { 300, 23 }, .indices = { 20000, 1 },
      .other = { 20000, 23 }, .window = { 1 }, .n_window = 1, .dropped = { 0 }, .n_dropped = 1, .map = { 0 },
      .n_map = 1, .vector = 1 },
    { .rank = 3, .index_rank = 3, .other_rank = 3, .dimensions = { 60, 5, 23 }, .indices = { 4000, 5, 1 },
      .other = { 4000, 5, 23 }, .window = { 2 }, .n_window = 1, .dropped = { 0 }, .n_dropped = 1, .map = { 0 },
      .n_map = 1, .batching = { 1 }, .n_batching = 1, .index_batching = { 1 }, .vector = 2 },
  };
  static const char *const elements[] = { "f32", "bf16", "i8", "f16" };

  for (guint i = 0; i < 4 * G_N_ELEMENTS (shapes); i++)
    {
      const Numbers *numbers = &shapes[i / 4];
      const char *element = elements[i % 4];
      g_autofree char *type = spell (numbers->dimensions, numbers->rank, element);
      g_autofree char *update = spell (numbers->other, numbers->other_rank, element);
      g_autofree char *index = spell (numbers->indices, numbers->index_rank, "i32");
      g_autofree char *op = spell_scatter (numbers, "add", element);
      g_autofree char *other = spell_scatter (numbers, "subtract", element);
      g_autoptr (GhloValue) operand = new_random (type, -3, 3), updates = new_random (update, -3, 3);
      g_autoptr (GhloValue) indices = new_random (index, -1, (double) numbers->dimensions[numbers->map[0]] + 1);

      check_op (op, "scatter", (GhloValue *[]) { operand, indices, updates }, 3, type);
      if (i == 0)
        g_assert_false (try_op (other, "scatter", (GhloValue *[]) { operand, indices, updates }, 3, type));
    }
}

/* Many updates of one row after the other, as in sorted segments: rows of any length, runs of any length, places that
 * come again, grow or fall, also so many that threads share them, and places out of bounds. */
static void
test_scatter_runs (void)
{
  static const char *const computations[] = { "add", "add", "add", "maximum", "minimum" };
  static const char *const elements[] = { "i8", "i16", "i32", "i64", "bf16", "f16", "f32", "f64" };
  enum { FEW = 700, MANY = 5000 };

  for (guint i = 0; i < 400; i++)
    {
      const gint32 n = i % 5 ? FEW : MANY, columns = i % 2 ? 1 : pick (1, i % 3 || n == MANY ? 40 : 300);
      const gint32 length = pick (1, i % 7 ? 20 : 4000), rows = MAX (pick (1, 60), n / length);
      const guint order = i / 8 % 3;      /* any, growing, falling */
      const gboolean wide = pick (0, 2);
      const Numbers numbers = {
        .rank = 2, .index_rank = 2, .other_rank = 2, .dimensions = { rows, columns }, .indices = { n, 1 },
        .other = { n, columns }, .window = { 1 }, .n_window = 1, .dropped = { 0 }, .n_dropped = 1, .map = { 0 },
        .n_map = 1, .vector = 1,
      };
      const char *element = elements[i % G_N_ELEMENTS (elements)];
      g_autofree char *type = spell (numbers.dimensions, 2, element), *update = spell (numbers.other, 2, element);
      g_autofree char *index = spell (numbers.indices, 2, wide ? "i64" : "i32");
      g_autofree char *op = spell_scatter (&numbers, PICK_ONE (computations), element);
      g_autoptr (GhloValue) operand = new_special (type), updates = new_special (update);
      g_autoptr (GhloValue) indices = new_random (index, 0, 1);

      for (gint32 k = 0, place = 0, first = pick (-2, 2); k < n; k++)
        {
          if (order == 0)
            place = k % length == 0 ? pick (-1, rows + 1) : place;
          else
            place = order == 1 ? first + k / length : rows + first - k / length;
          if (wide)
            ((gint64 *) (gpointer) indices->data)[k] = place;
          else
            ((gint32 *) (gpointer) indices->data)[k] = place;
        }
      check_op (op, "scatter", (GhloValue *[]) { operand, indices, updates }, 3, type);
    }
}

/* Moves @n units of @size bytes between memories that end with the last of them. @repeats: each unit is written twice;
 * else every second one is read. */
static void
check_planes (gsize    size,
              gsize    n,
              gboolean repeats)
{
  const gsize n_from = repeats ? n : 2 * n - 1, n_to = repeats ? 2 * n : n;
  guint8 numbers[2 * 70 * 16], found[2 * 70 * 16];
  const GhloKernelMemory from = { .data = numbers, .size = n_from * size }, to = { .data = found, .size = n_to * size };
  const gint64 unit = (gint64) size;
  GuardedMemory source, result;

  for (gsize i = 0; i < from.size; i++)
    numbers[i] = (guint8) g_test_rand_int ();
  source = guarded_memory_new (&from, TRUE);
  memset (found, 0, sizeof (found));
  result = guarded_memory_new (&to, TRUE);
  if (repeats)
    ghlo_cpu_routines ()->move[g_bit_storage (size) - 1] (source.data, unit, 0, result.data, 2 * unit, unit, n, 2);
  else
    ghlo_cpu_routines ()->move[g_bit_storage (size) - 1] (source.data, 0, 2 * unit, result.data, 0, unit, 1, n);
  guarded_memory_free (&source, &from);
  guarded_memory_free (&result, &to);
  for (gsize i = 0; i < n_to; i++)
    g_assert_cmpmem (found + i * size, size, numbers + (repeats ? i / 2 : 2 * i) * size, size);
}

/* Every second unit, and each unit twice, of any number of them. */
static void
test_planes (void)
{
  for (gsize size = 1; size <= 16; size *= 2)
    for (gsize n = 1; n <= 70; n++)
      {
        check_planes (size, n, FALSE);
        check_planes (size, n, TRUE);
      }
}

/* Transposes of few rows or columns, with and without gaps between those of the source and of the result, which end
 * where memory does. Gaps stay as they are. */
static void
test_transposes (void)
{
  enum { MOST = 90, FEW = 20, GAP = 3 };
  static guint8 numbers[(MOST + GAP) * (FEW + GAP) * 16], found[(MOST + GAP) * (FEW + GAP) * 16];

  for (guint i = 0; i < 3000; i++)
    {
      const gint64 size = (gint64) 1 << i % 5;
      const gsize few = (gsize) pick (1, FEW), many = (gsize) pick (1, MOST), rows = i % 2 ? few : many;
      const gsize columns = i % 2 ? many : few;
      const gint64 column = (gint64) (rows + (gsize) pick (0, GAP)) * size;
      const gint64 row = (gint64) (columns + (gsize) pick (0, GAP)) * size;
      const GhloKernelMemory from = { .data = numbers, .size = (gsize) column * (columns - 1) + rows * (gsize) size };
      const GhloKernelMemory to = { .data = found, .size = (gsize) row * (rows - 1) + columns * (gsize) size };
      GuardedMemory source, result;

      for (gsize k = 0; k < from.size; k++)
        numbers[k] = (guint8) g_test_rand_int ();
      memset (found, 0xa5, to.size);
      source = guarded_memory_new (&from, TRUE);
      result = guarded_memory_new (&to, TRUE);
      ghlo_cpu_routines ()->transpose[i % 5] (source.data, size, column, result.data, row, size, rows, columns);
      guarded_memory_free (&source, &from);
      guarded_memory_free (&result, &to);
      for (gsize r = 0; r < rows; r++)
        for (gsize c = 0; c < columns; c++)
          g_assert_cmpmem (found + (gint64) r * row + (gint64) c * size, (gsize) size,
                           numbers + (gint64) c * column + (gint64) r * size, (gsize) size);
      for (gsize r = 0; r + 1 < rows; r++)
        for (gint64 k = (gint64) columns * size; k < row; k++)
          g_assert_cmpuint (found[(gint64) r * row + k], ==, 0xa5);
    }
}

/* Units from any bytes of rows, which end where memory does. */
static void
test_picks (void)
{
  enum { MOST_BYTES = 700, MAX_UNITS = 300, MAX_ROWS = 9 };

  for (guint i = 0; i < 3000; i++)
    {
      const gsize size = (gsize) 1 << pick (0, 4), bytes = size + (gsize) pick (0, i % 2 ? MOST_BYTES - 16 : 128);
      const gsize n = (gsize) pick (1, MAX_UNITS), rows = (gsize) pick (1, MAX_ROWS);
      const gsize row = bytes + (i % 3 ? 0 : (gsize) pick (0, 9)), stride = size * (gsize) pick (1, i % 5 ? 1 : 2);
      g_autofree guint8 *numbers = g_malloc (MAX_ROWS * (MOST_BYTES + 9)), *found = g_malloc0 (rows * n * stride);
      const GhloKernelMemory from = { .data = numbers, .size = (rows - 1) * row + bytes };
      const GhloKernelMemory to = { .data = found, .size = ((rows * n) - 1) * stride + size };
      gint64 offsets[MAX_UNITS];
      GuardedMemory source, result;

      for (gsize k = 0; k < from.size; k++)
        numbers[k] = (guint8) g_test_rand_int ();
      for (gsize k = 0; k < n; k++)
        offsets[k] = pick (0, (gint32) (bytes - size));
      source = guarded_memory_new (&from, TRUE);
      result = guarded_memory_new (&to, TRUE);
      ghlo_cpu_routines ()->pick[g_bit_storage (size) - 1] (source.data, (gint64) row, offsets, result.data,
                                                            (gint64) (n * stride), (gint64) stride, rows, n);
      guarded_memory_free (&source, &from);
      guarded_memory_free (&result, &to);
      for (gsize r = 0; r < rows; r++)
        for (gsize k = 0; k < n; k++)
          g_assert_cmpmem (found + (r * n + k) * stride, size, numbers + r * row + (gsize) offsets[k], size);
    }
}

/* Offsets inside of a range stay in their order, with the others beside them. */
static void
test_limits (void)
{
  enum { N = 300 };

  for (guint i = 0; i < 2000; i++)
    {
      const gsize n = (gsize) pick (0, N);
      const gint64 first = pick (0, 9), end = pick (0, 20);
      gint64 offsets[N], others[N], kept[N], beside[N];
      gsize n_kept = 0;

      for (gsize k = 0; k < n; k++)
        {
          offsets[k] = pick (0, 5) == 0 ? GHLO_CPU_OUT_OF_BOUNDS : pick (0, 20);
          others[k] = g_test_rand_int ();
          if (offsets[k] < first || offsets[k] >= end)
            continue;
          kept[n_kept] = offsets[k];
          beside[n_kept++] = others[k];
        }
      g_assert_cmpuint (ghlo_cpu_routines ()->limit_offsets (offsets, others, n, first, end), ==, n_kept);
      g_assert_cmpmem (offsets, n_kept * sizeof (gint64), kept, n_kept * sizeof (gint64));
      g_assert_cmpmem (others, n_kept * sizeof (gint64), beside, n_kept * sizeof (gint64));
    }
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  /* Several threads on any machine, so that work is split. */
  g_setenv ("GHLO_THREADS", "4", FALSE);

  g_test_add_func ("/cpu-moves/copy", test_copy);
  g_test_add_func ("/cpu-moves/copy/large", test_copy_large);
  g_test_add_func ("/cpu-moves/copy/short", test_copy_short);
  g_test_add_func ("/cpu-moves/copy/cancelled", test_copy_cancelled);
  g_test_add_func ("/cpu-moves/planes", test_planes);
  g_test_add_func ("/cpu-moves/transposes", test_transposes);
  g_test_add_func ("/cpu-moves/concatenate", test_concatenate);
  g_test_add_func ("/cpu-moves/pad", test_pad);
  g_test_add_func ("/cpu-moves/dynamic-slices", test_dynamic_slices);
  g_test_add_func ("/cpu-moves/iota", test_iota);
  g_test_add_func ("/cpu-moves/gather", test_gather);
  g_test_add_func ("/cpu-moves/gather/rows", test_gather_rows);
  g_test_add_func ("/cpu-moves/picks", test_picks);
  g_test_add_func ("/cpu-moves/indices", test_indices);
  g_test_add_func ("/cpu-moves/limits", test_limits);
  g_test_add_func ("/cpu-moves/scatter", test_scatter);
  g_test_add_func ("/cpu-moves/scatter/large", test_scatter_large);
  g_test_add_func ("/cpu-moves/scatter/runs", test_scatter_runs);

  return g_test_run ();
}
