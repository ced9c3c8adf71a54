/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Single elementwise operations as the CPU's elementwise step and as a kernel, which is machine code where LLVM is
 * available and GHLO_DISABLE does not name it: bench-elementwise [OPERATION…]. Prints the time of each, of 100 and of
 * 10 million elements, the best of several runs in turns, and the kernel's time relative to the step's. Operands are
 * dense, have gaps, or are transposed. Where an implementation wants dense operands, its time includes their copies.
 */

#include "../unit/cpu/cpu-steps.h"

#include <stdio.h>

#include "cpu/steps.h"

enum { DENSE, GAPS, TRANSPOSED, N_LAYOUTS };
enum { MOST = 3, N_WAYS = 2, FLOATS = 1, INTEGERS = 2, COMPLEX = 4 };

static const char *const layouts[N_LAYOUTS] = { "dense", "gaps", "transposed" };

/* A tensor of rank 2 with memory of its own. */
typedef struct
{
  GhloView view;
  gint64   strides[2];
} Tensor;

/* An implementation of the operation, with the copies that it wants. */
typedef struct
{
  const GhloStepImplementation *step;
  StepRequest                   request;
  gpointer                      compiled, scratch, copying[MOST], copy_scratch[MOST];
  Tensor                        copies[MOST];
  GhloView                      operands[MOST];
  double                        seconds;        /* of the fastest run */
} Way;

typedef struct
{
  const GhloIrOp *op;
  Tensor          operands[MOST], result;
} Operation;

static void
tensor_init (Tensor           *self,
             const GhloIrType *type,
             guint             layout)
{
  const gint64 size = ghlo_element_info (type->element_type)->size, gap = layout == GAPS ? 2 : 1;
  const gint64 *dimensions = type->dimensions;
  const gsize n_bytes = (gsize) (dimensions[0] * dimensions[1] * size * gap);

  self->strides[0] = layout == TRANSPOSED ? size : dimensions[1] * size * gap;
  self->strides[1] = layout == TRANSPOSED ? dimensions[0] * size : size * gap;
  self->view = (GhloView) { .data = g_aligned_alloc (1, n_bytes + 64, 64), .element_type = type->element_type,
                            .rank = 2, .dimensions = dimensions, .strides = self->strides };
  /* Small positive numbers in each type: bytes of 0x3c, or ones. */
  memset (self->view.data, type->element_type == GHLO_ELEMENT_TYPE_I1 ? 1 : 0x3c, n_bytes);
}

static void
tensor_clear (Tensor *self)
{
  g_clear_pointer (&self->view.data, g_aligned_free);
}

/* FALSE where the step declines the operation. */
static gboolean
way_init (Way             *self,
          const Operation *operation)
{
  const GhloIrOp *op = operation->op;
  GhloView given[MOST], result = operation->result.view;
  gsize scratch = 0;

  for (guint i = 0; i < op->n_operands; i++)
    given[i] = operation->operands[i].view;
  if (!step_select (&self->request, self->step, op, given, &result))
    return FALSE;
  for (guint i = 0; i < op->n_operands; i++)
    {
      self->operands[i] = given[i];
      if (self->request.operands[i].dense && !ghlo_view_is_dense (&given[i]))
        {
          tensor_init (&self->copies[i], ghlo_ir_op_operand (op, i)->type, DENSE);
          self->copying[i] = step_new (&ghlo_cpu_step_copy, NULL, &given[i], &self->copies[i].view, &scratch);
          self->copy_scratch[i] = g_aligned_alloc (1, scratch + 64, 64);
          self->operands[i] = self->copies[i].view;
        }
      given[i] = self->operands[i];
      given[i].data = NULL;
    }
  self->compiled = step_compile (&self->request, self->step);
  self->scratch = g_aligned_alloc (1, self->request.selection.scratch + 64, 64);
  self->seconds = G_MAXDOUBLE;

  return self->step->wait == NULL || self->step->wait (self->compiled, FALSE, NULL, NULL);
}

static void
way_clear (Way *self)
{
  for (guint i = 0; i < MOST; i++)
    {
      if (self->copying[i] != NULL)
        ghlo_step_free (&ghlo_cpu_step_copy, self->copying[i]);
      g_clear_pointer (&self->copy_scratch[i], g_aligned_free);
      tensor_clear (&self->copies[i]);
    }
  if (self->compiled != NULL)
    ghlo_step_free (self->step, self->compiled);
  g_clear_pointer (&self->scratch, g_aligned_free);
}

static void
way_run (const Way       *self,
         const Operation *operation)
{
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < operation->op->n_operands; i++)
    if (self->copying[i] != NULL)
      ghlo_cpu_step_copy.run (self->copying[i], &operation->operands[i].view, &self->copies[i].view,
                              self->copy_scratch[i], NULL, &error);
  self->step->run (self->compiled, self->operands, &operation->result.view, self->scratch, NULL, &error);
  g_assert_no_error (error);
}

static void
measure (Way             *ways,
         const Operation *operation,
         gint64           n)
{
  const guint n_rounds = n > 1000 ? 7 : 60, n_runs = n > 1000 ? 1 : 1000;

  for (guint round = 0; round < n_rounds; round++)
    for (guint i = 0; i < N_WAYS; i++)
      {
        gint64 begin = g_get_monotonic_time ();

        for (guint k = 0; k < n_runs; k++)
          way_run (&ways[i], operation);
        ways[i].seconds = MIN (ways[i].seconds, (double) (g_get_monotonic_time () - begin) * 1e-6 / n_runs);
      }
}

/* @form is a program with T, P and F in place of the types of numbers, predicates and f32. */
static void
bench (const char *name,
       const char *form,
       const char *type,
       const char *shape,
       guint       layout)
{
  g_autofree char *numbers = g_strdup_printf ("tensor<%sx%s>", shape, type);
  g_autofree char *predicates = g_strdup_printf ("tensor<%sxi1>", shape);
  g_autofree char *floats = g_strdup_printf ("tensor<%sxf32>", shape);
  g_autoptr (GString) text = g_string_new (form);
  g_autoptr (GhloIrModule) module = NULL;
  Way ways[N_WAYS] = { { .step = &ghlo_cpu_step_elementwise }, { .step = &ghlo_cpu_step_kernel } };
  Operation operation;

  g_string_replace (text, "$T", numbers, 0);
  g_string_replace (text, "$P", predicates, 0);
  g_string_replace (text, "$F", floats, 0);
  module = parse (text->str);
  operation.op = ghlo_ir_func_get_body (ghlo_ir_module_get_entry (module))->first;
  for (guint i = 0; i < operation.op->n_operands; i++)
    tensor_init (&operation.operands[i], ghlo_ir_op_operand (operation.op, i)->type, layout);
  tensor_init (&operation.result, operation.op->results[0].type, DENSE);
  if (way_init (&ways[0], &operation) && way_init (&ways[1], &operation))
    {
      measure (ways, &operation, ghlo_view_count (&operation.result.view));
      printf ("%-12s %-13s %-10s %-10s %12.3f us %12.3f us %6.2f\n", name, type, shape, layouts[layout],
              ways[0].seconds * 1e6, ways[1].seconds * 1e6, ways[1].seconds / ways[0].seconds);
    }
  for (guint i = 0; i < N_WAYS; i++)
    way_clear (&ways[i]);
  for (guint i = 0; i < operation.op->n_operands; i++)
    tensor_clear (&operation.operands[i]);
  tensor_clear (&operation.result);
}

#define UNARY(op) op, "func.func @main(%x: $T) -> $T {\n  %0 = stablehlo." op " %x : $T\n  return %0 : $T\n}\n"
#define BINARY(op) op, "func.func @main(%x: $T, %y: $T) -> $T {\n  %0 = stablehlo." op " %x, %y : $T\n" \
                       "  return %0 : $T\n}\n"

static const struct
{
  const char *name, *form;
  guint       classes;
} programs[] = {
  { BINARY ("add"), FLOATS | INTEGERS | COMPLEX },
  { BINARY ("divide"), FLOATS | INTEGERS },
  { UNARY ("exponential"), FLOATS },
  { "compare", "func.func @main(%x: $T, %y: $T) -> $P {\n  %0 = stablehlo.compare EQ, %x, %y : ($T, $T) -> $P\n"
               "  return %0 : $P\n}\n", FLOATS | INTEGERS | COMPLEX },
  { "select", "func.func @main(%p: $P, %x: $T, %y: $T) -> $T {\n  %0 = stablehlo.select %p, %x, %y : $P, $T\n"
              "  return %0 : $T\n}\n", FLOATS | INTEGERS | COMPLEX },
  { "convert", "func.func @main(%x: $T) -> $F {\n  %0 = stablehlo.convert %x : ($T) -> $F\n"
               "  return %0 : $F\n}\n", FLOATS | INTEGERS },
};

static const struct
{
  const char *name;
  guint       class;
} types[] = {
  { "f32", FLOATS }, { "f64", FLOATS }, { "bf16", FLOATS }, { "i8", INTEGERS }, { "i32", INTEGERS },
  { "complex<f32>", COMPLEX },
};

int
main (int    argc,
      char **argv)
{
  static const char *const shapes[] = { "10x10", "2500x4000" };

  for (guint s = 0; s < G_N_ELEMENTS (shapes); s++)
    for (guint p = 0; p < G_N_ELEMENTS (programs); p++)
      for (guint t = 0; t < G_N_ELEMENTS (types); t++)
        for (guint layout = 0; layout < N_LAYOUTS; layout++)
          if ((programs[p].classes & types[t].class) != 0
              && (argc == 1 || g_strv_contains ((const char *const *) argv + 1, programs[p].name)))
            bench (programs[p].name, programs[p].form, types[t].name, shapes[s], layout);

  return 0;
}
