/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the tests of the CPU's steps: runs one implementation of an operation with dense operands, with operands in
 * any layout that the implementation accepts, and in place over an operand where that is allowed, and compares the
 * results with the reference executor's.
 */

#pragma once

#include "../reference/kernel-programs.h"
#include "../sanitized.h"

#include "cpu/device.h"
#include "cpu/steps.h"

enum { STEP_MAX = 16, STEP_GUARD = 64 };

/* A tensor of a step, with memory of its own. */
typedef struct
{
  GhloView view;
  gint64   dimensions[GHLO_MAX_RANK], strides[GHLO_MAX_RANK];
  guint8  *memory;
  gsize    n_bytes;
} StepTensor;

/* Iterates over the elements of a view in row-major order. */
typedef struct
{
  const GhloView *view;
  gint64          index[GHLO_MAX_RANK];
  guint8         *element;
} StepWalk;

static inline StepWalk
step_walk_begin (const GhloView *view)
{
  return (StepWalk) { .view = view, .element = view->data };
}

UNSANITIZED static inline void
step_walk_on (StepWalk *self)
{
  for (guint d = self->view->rank; d > 0; d--)
    {
      const gint64 stride = self->view->strides[d - 1], last = self->view->dimensions[d - 1] - 1;

      if (self->index[d - 1] < last)
        {
          self->index[d - 1]++;
          self->element += stride;
          return;
        }
      self->index[d - 1] = 0;
      self->element -= stride * last;
    }
}

/* Lays out the type's elements: dense, or with the dimensions in any order, gaps, and reversed dimensions. */
static inline void
step_tensor_init (StepTensor           *self,
                  const GhloTensorType *type,
                  gboolean              scattered)
{
  gsize size = ghlo_element_info (type->element_type)->size;
  guint order[GHLO_MAX_RANK];
  gint64 stride = (gint64) size, offset = 0;

  *self = (StepTensor) { .n_bytes = size };
  for (guint i = 0; i < type->rank; i++)
    order[i] = i;
  for (guint i = type->rank; scattered && i > 1; i--)
    {
      guint other = (guint) g_test_rand_int_range (0, (gint) i), kept = order[i - 1];

      order[i - 1] = order[other];
      order[other] = kept;
    }
  for (guint i = type->rank; i > 0; i--)
    {
      guint d = order[i - 1];

      self->dimensions[d] = type->dimensions[d];
      self->strides[d] = stride;
      stride *= MAX (type->dimensions[d], 1) + (scattered && g_test_rand_bit () ? 1 : 0);
      if (scattered && g_test_rand_bit () && type->dimensions[d] > 0)
        {
          offset += self->strides[d] * (type->dimensions[d] - 1);
          self->strides[d] = -self->strides[d];
        }
    }
  self->n_bytes = (gsize) MAX (stride, (gint64) size);
  self->memory = g_aligned_alloc (1, self->n_bytes + 2 * STEP_GUARD, 64);
  memset (self->memory, 0xa5, self->n_bytes + 2 * STEP_GUARD);
  self->view = (GhloView) { self->memory + STEP_GUARD + offset, type->element_type, type->rank, self->dimensions,
                            self->strides };
}

/* Shifts a dense tensor without contents by one element, so that only its elements are aligned. */
static inline void
step_tensor_shift (StepTensor *self)
{
  gsize size = ghlo_element_info (self->view.element_type)->size;

  g_aligned_free (self->memory);
  self->n_bytes += size;
  self->memory = g_aligned_alloc (1, self->n_bytes + 2 * STEP_GUARD, 64);
  memset (self->memory, 0xa5, self->n_bytes + 2 * STEP_GUARD);
  self->view.data = self->memory + STEP_GUARD + size;
}

static inline void
step_tensor_clear (StepTensor *self)
{
  for (gsize i = 0; self->memory != NULL && i < STEP_GUARD; i++)
    g_assert_true (self->memory[i] == 0xa5 && self->memory[STEP_GUARD + self->n_bytes + i] == 0xa5);
  g_clear_pointer (&self->memory, g_aligned_free);
}

static inline void
step_tensor_fill (StepTensor      *self,
                  const GhloValue *value)
{
  gsize size = ghlo_element_info (value->type->element_type)->size;
  StepWalk walk = step_walk_begin (&self->view);

  if (ghlo_view_is_dense (&self->view))
    memcpy (self->view.data, value->data, value->n_elements * size);
  else
    for (gsize i = 0; i < value->n_elements; i++, step_walk_on (&walk))
      memcpy (walk.element, value->data + i * size, size);
}

/* Values for tolerances: equal bits; equal bits or both NaN. */
#define STEP_SAME_BITS (-2.0)
#define STEP_SAME      (-1.0)

static inline gboolean
step_same_part (double a,
                double b)
{
  return memcmp (&a, &b, sizeof a) == 0 || (isnan (a) && isnan (b));
}

/* Whether two numbers agree: by bits, or both NaN, or within @tolerance times the larger one. */
static inline void
step_compare (const GhloView  *found,
              const GhloValue *expected,
              double           tolerance,
              const char      *how)
{
  gsize size = ghlo_element_info (found->element_type)->size;

  if (memcmp (found->data, expected->data, expected->n_elements * size) == 0)
    return;
  for (gsize i = 0; i < expected->n_elements; i++)
    {
      Number e, f;
      GhloScalar scalar;
      gboolean complex_number = ghlo_element_type_is_complex (found->element_type);

      if (memcmp (found->data + i * size, expected->data + i * size, size) == 0)
        continue;
      e = number_at (expected, i);
      scalar = ghlo_element_load (found->element_type, found->data + i * size);
      f = complex_number ? CMPLX (scalar.c.re, scalar.c.im)
          : ghlo_element_info (found->element_type)->element_class == GHLO_ELEMENT_CLASS_FLOAT ? scalar.f
          : (double) scalar.i;
      if (complex_number && tolerance > STEP_SAME_BITS && step_same_part (creal (e), creal (f))
          && step_same_part (cimag (e), cimag (f)))
        continue;
      if (tolerance > STEP_SAME_BITS
          && ((isnan (creal (e)) && isnan (creal (f))) || cabs (e - f) <= tolerance * MAX (cabs (e), 1)))
        continue;
      g_error ("%s: element %" G_GSIZE_FORMAT ": expected %.17g, found %.17g", how, i, creal (e), creal (f));
    }
}

/* The operation whose results the program returns. */
static inline const GhloIrOp *
step_find_op (GhloIrModule *module)
{
  const GhloIrBlock *body = ghlo_ir_func_get_body (ghlo_ir_module_get_entry (module));

  return body->last->operands[0].value->op;
}

static inline gboolean
step_is_constant (const GhloIrOp *op,
                  guint           operand)
{
  const GhloIrOp *from = ghlo_ir_op_operand (op, operand)->op;

  return from != NULL && from->kind == GHLO_OP_STABLEHLO_CONSTANT;
}

/* The elements of operand @operand, which is a constant. */
static inline GhloValue *
step_new_constant (const GhloIrOp *op,
                   guint           operand)
{
  const GhloIrAttr *attr = ghlo_ir_op_get (ghlo_ir_op_operand (op, operand)->op, "value");
  g_autoptr (GhloTensorType) type = ghlo_ir_type_to_tensor_type (attr->type);
  g_autoptr (GError) error = NULL;
  GhloValue *value = ghlo_value_new_tensor (type, &error);
  gsize size = ghlo_element_info (type->element_type)->size;
  const guint8 *from = g_bytes_get_data (attr->dense.bytes, NULL);

  g_assert_no_error (error);
  for (gsize i = 0; i < value->n_elements; i++)
    memcpy (value->data + i * size, from + (attr->dense.splat ? 0 : i * size), size);

  return value;
}

/* The CPU's implementation called @name that supports @op's kind. */
static inline const GhloStepImplementation *
step_find (const GhloIrOp *op,
           const char     *name)
{
  GhloDeviceCore *target = ghlo_cpu_device ();
  const GhloStepImplementation *step = NULL;

  while ((step = ghlo_device_core_find_step (target, op, step)) != NULL && !g_str_equal (step->name, name))
    ;
  g_assert_nonnull (step);

  return step;
}

/* The inputs and outputs of making a step. */
typedef struct
{
  GhloStepRequest          request;
  GhloStepSelection        selection;
  GhloStepOperandSelection operands[STEP_MAX];
  guint32                  aliases[STEP_MAX], alignments[2 * STEP_MAX];
} StepRequest;

/* Whether @step accepts the operation with these views, which have data for constants. */
static inline gboolean
step_select (StepRequest                  *self,
             const GhloStepImplementation *step,
             const GhloIrOp               *op,
             const GhloView               *operands,
             const GhloView               *results)
{
  gboolean selected;

  self->request = (GhloStepRequest) {
    .op = op, .n_operands = op != NULL ? op->n_operands : 1, .n_results = op != NULL ? op->n_results : 1,
    .operands = operands, .results = results,
  };
  self->selection = (GhloStepSelection) { .operands = self->operands };
  for (guint i = 0; i < STEP_MAX; i++)
    self->operands[i] = (GhloStepOperandSelection) { .in_place = self->aliases[i] = GHLO_STEP_NONE };
  selected = ghlo_step_select (step, ghlo_cpu_device (), &self->request, &self->selection);
  g_assert_true (selected == (self->selection.reason == NULL));

  return selected;
}

/* Compiles the selected step; *@operands and *@results may have changed as the selection demands. */
static inline gpointer
step_compile (StepRequest                  *self,
              const GhloStepImplementation *step)
{
  g_autoptr (GError) error = NULL;
  gpointer compiled;

  for (guint i = 0; i < self->request.n_operands + self->request.n_results; i++)
    {
      const GhloView *view = i < self->request.n_operands ? &self->request.operands[i]
                                                          : &self->request.results[i - self->request.n_operands];

      self->alignments[i] = view->element_type != GHLO_ELEMENT_TYPE_INVALID
                            ? ghlo_element_info (view->element_type)->size : 1;
    }
  self->request.aliases = self->aliases;
  self->request.alignments = self->alignments;
  self->request.scratch = self->selection.scratch;
  /* What was read of another layout is read again, as in a plan. */
  for (guint i = 0; i < self->request.n_operands; i++)
    if (self->operands[i].dense && self->selection.selection_state != NULL)
      ghlo_step_free (step, g_steal_pointer (&self->selection.selection_state));
  self->request.selection_state = self->selection.selection_state;
  compiled = ghlo_step_compile_request (step, ghlo_cpu_device (), &self->request, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (compiled);

  return compiled;
}

/* Selects and compiles; NULL when @step declines the operation or the layout of its operands. */
static inline gpointer
step_new (const GhloStepImplementation *step,
          const GhloIrOp               *op,
          const GhloView               *operands,
          const GhloView               *results,
          gsize                        *scratch)
{
  StepRequest self;

  if (!step_select (&self, step, op, operands, results))
    return NULL;
  for (guint i = 0; i < self.request.n_operands; i++)
    g_assert_true (!self.operands[i].dense || ghlo_view_is_dense (&operands[i]));
  *scratch = self.selection.scratch;

  return step_compile (&self, step);
}

enum { STEP_DENSE, STEP_SCATTERED, STEP_IN_PLACE, STEP_N_WAYS };

/* Lays out operands and results; the views of constant operands get data. */
static inline void
step_lay_out (const GhloIrOp  *op,
              GhloValue      **operands,
              GhloValue      **expected,
              guint            way,
              StepTensor      *tensors,
              GhloView        *views,
              GhloView        *results)
{
  for (guint i = 0; i < op->n_operands; i++)
    {
      step_tensor_init (&tensors[i], operands[i]->type, way == STEP_SCATTERED);
      step_tensor_fill (&tensors[i], operands[i]);
      views[i] = tensors[i].view;
      if (!step_is_constant (op, i))
        views[i].data = NULL;
    }
  for (guint i = 0; i < op->n_results; i++)
    {
      step_tensor_init (&tensors[STEP_MAX + i], expected[i]->type, FALSE);
      if (way == STEP_SCATTERED)
        step_tensor_shift (&tensors[STEP_MAX + i]);
      results[i] = tensors[STEP_MAX + i].view;
      results[i].data = NULL;
    }
}

/* Follows the selection's demands: makes operands dense, removes constants, and places results over operands. */
static inline void
step_obey (StepRequest  *self,
           GhloValue   **operands,
           guint         way,
           StepTensor   *tensors,
           GhloView     *views,
           GhloView     *results)
{
  gboolean taken[STEP_MAX] = { FALSE };

  for (guint i = 0; i < self->request.n_operands; i++)
    {
      const GhloStepOperandSelection *selection = &self->operands[i];
      gconstpointer data = views[i].data;

      if (selection->dense)
        {
          step_tensor_clear (&tensors[i]);
          step_tensor_init (&tensors[i], operands[i]->type, FALSE);
          step_tensor_fill (&tensors[i], operands[i]);
        }
      views[i] = tensors[i].view;
      if (data == NULL || !selection->wants_data)
        views[i].data = NULL;
      if (way == STEP_IN_PLACE && selection->in_place != GHLO_STEP_NONE && !taken[selection->in_place]
          && tensors[STEP_MAX + selection->in_place].n_bytes == tensors[i].n_bytes)
        {
          taken[selection->in_place] = TRUE;
          self->aliases[i] = selection->in_place;
          results[selection->in_place].data = tensors[i].view.data;
        }
    }
}

/* Runs @op with its implementation called @name in one way; FALSE when that declines. Operands that are constants of
 * the program are given their bytes at selection. */
static inline gboolean
step_run_one (const GhloIrOp  *op,
              const char      *name,
              GhloValue      **operands,
              GhloValue      **expected,
              guint            way,
              double           tolerance)
{
  static const char *const ways[] = { "dense", "scattered", "in place" };
  const GhloStepImplementation *step = step_find (op, name);
  StepTensor tensors[2 * STEP_MAX] = { 0 };
  GhloView views[STEP_MAX], results[STEP_MAX];
  g_autofree char *how = NULL, *what = NULL;
  g_autoptr (GError) error = NULL;
  gpointer compiled, scratch;
  StepRequest self;
  gboolean selected;
  gsize size;

  step_lay_out (op, operands, expected, way, tensors, views, results);
  selected = step_select (&self, step, op, views, results);
  if (selected)
    {
      step_obey (&self, operands, way, tensors, views, results);
      compiled = step_compile (&self, step);
      for (guint i = 0; i < op->n_operands; i++)
        views[i].data = tensors[i].view.data;
      for (guint i = 0; i < op->n_results; i++)
        if (results[i].data == NULL)
          results[i].data = tensors[STEP_MAX + i].view.data;
      size = self.selection.scratch;
      scratch = g_aligned_alloc (1, size + 2 * STEP_GUARD, 64);
      memset (scratch, 0xa5, size + 2 * STEP_GUARD);
      g_assert_true (step->run (compiled, views, results, scratch, NULL, &error));
      g_assert_no_error (error);
      for (gsize i = 0; i < STEP_GUARD; i++)
        g_assert_cmphex (((guint8 *) scratch)[size + i], ==, 0xa5);
      g_aligned_free (scratch);
      what = step->describe != NULL ? step->describe (compiled) : NULL;
      how = g_strdup_printf ("%s, %s%s%s", name, ways[way], what != NULL ? ": " : "", what != NULL ? what : "");
      for (guint i = 0; i < op->n_results; i++)
        step_compare (&results[i], expected[i], tolerance, how);
      ghlo_step_free (step, compiled);
    }
  for (guint i = 0; i < G_N_ELEMENTS (tensors); i++)
    step_tensor_clear (&tensors[i]);

  return selected;
}

/* Runs the operation that @text returns, whose operands are the program's inputs, in order, and constants, with the
 * implementation called @name in every way. FALSE when it declines. */
static inline gboolean
step_check (const char  *text,
            const char  *name,
            GhloValue  **inputs,
            guint        n_inputs,
            double       tolerance)
{
  g_auto (Program) program = { NULL };
  GhloValue *expected[STEP_MAX] = { NULL }, *operands[STEP_MAX];
  g_autoptr (GError) error = NULL;
  const GhloIrOp *op;
  gboolean ran = TRUE;
  guint taken = 0;

  prepare (&program, text);
  run_program (&program, inputs, n_inputs, expected, NULL, &error);
  g_assert_no_error (error);
  op = step_find_op (program.module);
  for (guint i = 0; i < op->n_operands; i++)
    operands[i] = step_is_constant (op, i) ? step_new_constant (op, i) : ghlo_value_ref (inputs[taken++]);
  g_assert_cmpuint (taken, ==, n_inputs);
  for (guint way = 0; ran && way < STEP_N_WAYS; way++)
    ran = step_run_one (op, name, operands, expected, way, tolerance);
  for (guint i = 0; i < op->n_operands; i++)
    ghlo_value_unref (operands[i]);
  for (guint i = 0; i < op->n_results; i++)
    ghlo_value_unref (expected[i]);

  return ran;
}
