/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products with an epilogue against the same without one and the operations done
 * afterwards, element by element: equal to the bit.
 */

#include "cpu-tensors.h"

#include "cpu/epilogue.h"

typedef struct
{
  gint64          batch, m, n, k;
  GhloElementType type;
  gboolean        is_turned;    /* the result's columns are adjacent */
  gboolean        has_gaps;
} Shape;

static void
fill (Tensor *tensor)
{
  gint64 index[8] = { 0 };

  if (tensor_count (tensor) == 0)
    return;
  do
    {
      GhloScalar value = { .f = g_test_rand_int_range (-8, 9) / 4.0 };

      if (!ghlo_element_type_is_float (tensor->type))
        value.i = g_test_rand_int_range (-3, 4);
      ghlo_element_store (tensor->type, tensor_at (tensor, index), value);
    }
  while (tensor_next (tensor, index));
}

static GhloScalar
apply (GhloElementType type,
       GhloIrOpKind    op,
       GhloScalar      x,
       GhloScalar      y)
{
  gboolean is_float = ghlo_element_type_is_float (type);
  GhloScalar result = { .i = 0 };

#define BOTH(expression) \
  do { \
    if (is_float) { double a = x.f, b = y.f; result.f = (expression); (void) b; } \
    else { gint64 a = x.i, b = y.i; result.i = (expression); (void) b; } \
  } while (0)
  switch (op)
    {
    case GHLO_OP_STABLEHLO_ADD: BOTH (a + b); break;
    case GHLO_OP_STABLEHLO_SUBTRACT: BOTH (a - b); break;
    case GHLO_OP_STABLEHLO_MULTIPLY: BOTH (a * b); break;
    case GHLO_OP_STABLEHLO_MAXIMUM: BOTH (a > b ? a : b); break;
    case GHLO_OP_STABLEHLO_MINIMUM: BOTH (a < b ? a : b); break;
    case GHLO_OP_STABLEHLO_NEGATE: BOTH (-a); break;
    default: g_assert_not_reached ();
    }

  return ghlo_element_round (type, result);
}

static const GhloCpuEpilogueStage all_stages[] = {
  { GHLO_OP_STABLEHLO_ADD, GHLO_CPU_EPILOGUE_COLUMNS, FALSE },
  { GHLO_OP_STABLEHLO_SUBTRACT, GHLO_CPU_EPILOGUE_ROWS, TRUE },
  { GHLO_OP_STABLEHLO_NEGATE, GHLO_CPU_EPILOGUE_NONE, FALSE },
  { GHLO_OP_STABLEHLO_ADD, GHLO_CPU_EPILOGUE_RESULT, TRUE },
  { GHLO_OP_STABLEHLO_MULTIPLY, GHLO_CPU_EPILOGUE_SINGLE, FALSE },
  { GHLO_OP_STABLEHLO_MAXIMUM, GHLO_CPU_EPILOGUE_SINGLE, FALSE },
  { GHLO_OP_STABLEHLO_MINIMUM, GHLO_CPU_EPILOGUE_COLUMNS, TRUE },
  { GHLO_OP_STABLEHLO_SUBTRACT, GHLO_CPU_EPILOGUE_RESULT, FALSE },
};

typedef struct
{
  Tensor lhs, rhs, plain, fused;
  Tensor operands[GHLO_CPU_MAX_STAGES];
} Case;

static void
case_clear (Case *self)
{
  tensor_clear (&self->lhs);
  tensor_clear (&self->rhs);
  tensor_clear (&self->plain);
  tensor_clear (&self->fused);
  for (guint s = 0; s < GHLO_CPU_MAX_STAGES; s++)
    tensor_clear (&self->operands[s]);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Case, case_clear)

static void
result_init (Tensor       *self,
             const Shape  *shape)
{
  gint64 dimensions[] = { shape->batch, shape->m, shape->n }, size = ghlo_element_info (shape->type)->size;
  gint64 padded[] = { shape->batch, shape->m + 3, shape->n + 5 };

  tensor_init (self, shape->type, 3, shape->has_gaps ? padded : dimensions, TENSOR_DENSE);
  memcpy (self->dimensions, dimensions, sizeof (dimensions));
  if (shape->is_turned)
    {
      self->strides[1] = size;
      self->strides[2] = size * (shape->has_gaps ? padded[1] : shape->m);
    }
  else if (shape->has_gaps && shape->m % 2 == 0)
    {
      /* Neither rows nor columns are adjacent. */
      g_free (self->memory);
      self->n_bytes *= 2;
      self->memory = self->data = g_malloc (self->n_bytes);
      memset (self->memory, UNTOUCHED, self->n_bytes);
      for (guint d = 0; d < 3; d++)
        self->strides[d] *= 2;
    }
}

static void
case_init (Case                       *self,
           const Shape                *shape,
           const GhloCpuEpilogueStage *stages,
           guint                       n_stages)
{
  tensor_init (&self->lhs, shape->type, 3, (gint64[]) { shape->batch, shape->m, shape->k }, TENSOR_DENSE);
  tensor_init (&self->rhs, shape->type, 3, (gint64[]) { shape->batch, shape->k, shape->n }, TENSOR_DENSE);
  result_init (&self->plain, shape);
  result_init (&self->fused, shape);
  fill (&self->lhs);
  fill (&self->rhs);
  for (guint s = 0; s < n_stages; s++)
    {
      if (stages[s].kind == GHLO_CPU_EPILOGUE_RESULT)
        result_init (&self->operands[s], shape);
      else
        tensor_init (&self->operands[s], shape->type, 1,
                     (gint64[]) { stages[s].kind == GHLO_CPU_EPILOGUE_ROWS ? shape->m
                                  : stages[s].kind == GHLO_CPU_EPILOGUE_COLUMNS ? shape->n : 1 }, TENSOR_DENSE);
      fill (&self->operands[s]);
    }
}

static void
run (const Case      *c,
     const Shape     *shape,
     Tensor          *result,
     GhloCpuEpilogue *epilogue)
{
  GhloCpuGemmProblem problem = {
    .lhs_type = shape->type, .rhs_type = shape->type, .result_type = shape->type,
    .epilogue = epilogue != NULL ? ghlo_cpu_epilogue_panel : NULL,
    .n_batch = 1, .n_rows = 1, .n_columns = 1, .n_contracted = 1,
    .batch = { { shape->batch, c->lhs.strides[0], c->rhs.strides[0], result->strides[0] } },
    .rows = { { shape->m, c->lhs.strides[1], 0, result->strides[1] } },
    .columns = { { shape->n, 0, c->rhs.strides[2], result->strides[2] } },
    .contracted = { { shape->k, c->lhs.strides[2], c->rhs.strides[1], 0 } },
  };
  GhloCpuEpilogueRun data = { epilogue, result->data, { NULL } };
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloCpuGemm) gemm = ghlo_cpu_gemm_prepare (&problem, &error);
  gpointer scratch;

  g_assert_no_error (error);
  for (guint s = 0; s < GHLO_CPU_MAX_STAGES; s++)
    data.operands[s] = c->operands[s].data;
  scratch = g_aligned_alloc (1, MAX (ghlo_cpu_gemm_scratch_size (gemm), 1), 64);
  g_assert_true (ghlo_cpu_gemm_run (gemm, c->lhs.data, c->rhs.data, result->data, scratch, &data, NULL, &error));
  g_assert_no_error (error);
  g_aligned_free (scratch);
}

static void
check (const Shape                *shape,
       const GhloCpuEpilogueStage *stages,
       guint                       n_stages)
{
  g_auto (Case) c = { 0 };
  g_autoptr (GhloCpuEpilogue) epilogue = ghlo_cpu_epilogue_new (shape->type, stages, n_stages);
  gint64 index[8] = { 0 };

  g_assert_nonnull (epilogue);
  case_init (&c, shape, stages, n_stages);
  run (&c, shape, &c.plain, NULL);
  run (&c, shape, &c.fused, epilogue);
  do
    {
      GhloScalar value = ghlo_element_load (shape->type, tensor_at (&c.plain, index));
      guint8 expected[16] = { 0 };

      for (guint s = 0; s < n_stages; s++)
        {
          const Tensor *tensor = &c.operands[s];
          gint64 at[1] = { stages[s].kind == GHLO_CPU_EPILOGUE_ROWS ? index[1]
                           : stages[s].kind == GHLO_CPU_EPILOGUE_COLUMNS ? index[2] : 0 };
          GhloScalar operand = ghlo_element_load (shape->type,
                                                  tensor_at (tensor, stages[s].kind == GHLO_CPU_EPILOGUE_RESULT
                                                                     ? index : at));

          value = stages[s].is_left ? apply (shape->type, stages[s].op, operand, value)
                                    : apply (shape->type, stages[s].op, value, operand);
        }
      ghlo_element_store (shape->type, expected, value);
      /* Zeros may differ in sign by the order of equal operands of maximum. */
      value = ghlo_element_load (shape->type, expected);
      g_assert_true (ghlo_scalar_equal (shape->type, value,
                                        ghlo_element_load (shape->type, tensor_at (&c.fused, index))));
    }
  while (tensor_next (&c.fused, index));
}

static const GhloElementType types[] = {
  GHLO_ELEMENT_TYPE_F32, GHLO_ELEMENT_TYPE_F64, GHLO_ELEMENT_TYPE_BF16, GHLO_ELEMENT_TYPE_F16, GHLO_ELEMENT_TYPE_I32,
};

static void
test_each_stage (void)
{
  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    for (guint s = 0; s < G_N_ELEMENTS (all_stages); s++)
      for (guint i = 0; i < 4; i++)
        check (&(Shape) { 2, 13, 17, 5, types[t], i % 2, i / 2 }, &all_stages[s], 1);
}

static void
test_all_stages (void)
{
  static const gint64 sizes[][4] = {
    { 1, 1, 1, 1 }, { 3, 70, 80, 0 }, { 1, 300, 1, 50 }, { 1, 1, 300, 50 }, { 2, 129, 700, 33 }, { 1, 700, 130, 64 },
    { 1, 10, 1100, 3 },
  };

  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
      for (guint i = 0; i < 4; i++)
        check (&(Shape) { sizes[s][0], sizes[s][1], sizes[s][2], sizes[s][3], types[t], i % 2, i / 2 }, all_stages,
               G_N_ELEMENTS (all_stages));
}

static void
test_declined (void)
{
  static const GhloCpuEpilogueStage wrong[] = {
    { GHLO_OP_STABLEHLO_TANH, GHLO_CPU_EPILOGUE_NONE, FALSE },
    { GHLO_OP_STABLEHLO_ADD, GHLO_CPU_EPILOGUE_NONE, FALSE },
    { GHLO_OP_STABLEHLO_NEGATE, GHLO_CPU_EPILOGUE_SINGLE, FALSE },
    { GHLO_OP_STABLEHLO_AND, GHLO_CPU_EPILOGUE_SINGLE, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    g_assert_null (ghlo_cpu_epilogue_new (GHLO_ELEMENT_TYPE_F32, &wrong[i], 1));
  g_assert_null (ghlo_cpu_epilogue_new (GHLO_ELEMENT_TYPE_F8E5M2, all_stages, 1));
  g_assert_null (ghlo_cpu_epilogue_new (GHLO_ELEMENT_TYPE_F32, all_stages, GHLO_CPU_MAX_STAGES + 1));
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/cpu-epilogue/each-stage", test_each_stage);
  g_test_add_func ("/cpu-epilogue/all-stages", test_all_stages);
  g_test_add_func ("/cpu-epilogue/declined", test_declined);

  return g_test_run ();
}
