/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products with an epilogue against the same without one and the operations done
 * afterwards, element by element: equal to the bit.
 */

#include "cpu-tensors.h"

#include <math.h>

#include "cpu/gemm/epilogue.h"
#include "reference/kernel.h"

typedef enum
{
  PLAIN,      /* batches of rows of columns */
  TURNED,     /* of columns of rows */
  BATCHES,    /* rows of columns of batches: lines of both lie apart */
  N_LAYOUTS
} Layout;

typedef struct
{
  gint64          batch, m, n, k;
  GhloElementType type;
  Layout          layout;
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

/* As the reference executor does it. */
static GhloScalar
apply (GhloElementType type,
       GhloIrOpKind    op,
       GhloScalar      x,
       GhloScalar      y)
{
  GhloRefScalarOp scalar_op;
  GhloRefScalarFunc func = ghlo_ref_scalar_func_for (op, type, type, &scalar_op);

  g_assert_nonnull (func);

  return func (&scalar_op, (const GhloScalar[]) { x, y });
}

/* Equal, or as near as the stage's operation promises; zeros may differ in sign by the order
 * of equal operands of maximum. */
static gboolean
agree (GhloElementType type,
       GhloIrOpKind    op,
       GhloScalar      expected,
       GhloScalar      found)
{
  const GhloElementInfo *info = ghlo_element_info (type);
  double ulps = ghlo_scalar_ulps (ghlo_scalar_of (op), info->element_class);

  return ghlo_scalar_equal (type, expected, found)
         || (ulps > 0 && fabs (expected.f - found.f) <= ulps * ldexp (fabs (expected.f), -(int) info->mantissa_bits));
}

typedef enum
{
  NONE,
  SINGLE,
  ROWS,
  COLUMNS,
  MATRIX,     /* the same for each batch */
  EACH_ROW,   /* one for each row of each batch */
  RESULT,
} Kind;

typedef struct
{
  GhloIrOpKind op;
  Kind         kind;
  gboolean     is_left;
} Stage;

static const Stage all_stages[] = {
  { GHLO_OP_STABLEHLO_ADD, COLUMNS, FALSE }, { GHLO_OP_STABLEHLO_SUBTRACT, ROWS, TRUE },
  { GHLO_OP_STABLEHLO_NEGATE, NONE, FALSE }, { GHLO_OP_STABLEHLO_ADD, RESULT, TRUE },
  { GHLO_OP_STABLEHLO_MULTIPLY, SINGLE, FALSE }, { GHLO_OP_STABLEHLO_MAXIMUM, MATRIX, FALSE },
  { GHLO_OP_STABLEHLO_MINIMUM, EACH_ROW, TRUE }, { GHLO_OP_STABLEHLO_SUBTRACT, RESULT, FALSE },
};

/* The stage as an epilogue has it, of elements in the order in which they lie. */
static GhloCpuEpilogueStage
find_stage (const Shape *shape,
            const Stage *stage)
{
  const gint64 rows[N_LAYOUTS] = { shape->n, 1, shape->n * shape->batch };
  const gint64 columns[N_LAYOUTS] = { 1, shape->m, shape->batch };
  gint64 m = shape->m, n = shape->n;

  switch (stage->kind)
    {
    case NONE:
      return (GhloCpuEpilogueStage) { stage->op, stage->is_left, 1, 0 };
    case SINGLE:
      return (GhloCpuEpilogueStage) { stage->op, stage->is_left, 1, 1 };
    case ROWS:
      return (GhloCpuEpilogueStage) { stage->op, stage->is_left, rows[shape->layout], m };
    case COLUMNS:
      return (GhloCpuEpilogueStage) { stage->op, stage->is_left, columns[shape->layout], n };
    case MATRIX:
      return (GhloCpuEpilogueStage) { stage->op, stage->is_left, shape->layout == BATCHES ? shape->batch : 1, m * n };
    case EACH_ROW:
      return (GhloCpuEpilogueStage) { stage->op, stage->is_left, shape->layout == PLAIN ? n : 1, shape->batch * m };
    default:
      return (GhloCpuEpilogueStage) { stage->op, stage->is_left, 1, shape->batch * m * n };
    }
}

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
result_init (Tensor      *self,
             const Shape *shape)
{
  gint64 size = ghlo_element_info (shape->type)->size;

  tensor_init (self, shape->type, 3, (gint64[]) { shape->batch, shape->m, shape->n }, TENSOR_DENSE);
  if (shape->layout == TURNED)
    {
      self->strides[1] = size;
      self->strides[2] = size * shape->m;
    }
  else if (shape->layout == BATCHES)
    {
      self->strides[0] = size;
      self->strides[1] = size * shape->batch * shape->n;
      self->strides[2] = size * shape->batch;
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
      tensor_init (&self->operands[s], shape->type, 1, &stages[s].count, TENSOR_DENSE);
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
check (const Shape *shape,
       const Stage *stages,
       guint        n_stages)
{
  g_auto (Case) c = { 0 };
  gint64 n = shape->batch * shape->m * shape->n, size = ghlo_element_info (shape->type)->size;
  GhloCpuEpilogueStage made[GHLO_CPU_MAX_STAGES];
  g_autoptr (GhloCpuEpilogue) epilogue = NULL;

  for (guint s = 0; s < n_stages; s++)
    made[s] = find_stage (shape, &stages[s]);
  epilogue = ghlo_cpu_epilogue_new (shape->type, n, made, n_stages);
  g_assert_nonnull (epilogue);
  case_init (&c, shape, made, n_stages);
  run (&c, shape, &c.plain, NULL);
  run (&c, shape, &c.fused, epilogue);
  for (gint64 i = 0; i < n; i++)
    {
      GhloScalar value = ghlo_element_load (shape->type, c.plain.data + i * size);
      guint8 expected[16] = { 0 };

      for (guint s = 0; s < n_stages; s++)
        {
          gint64 at = made[s].count > 0 ? i / made[s].inner % made[s].count : 0;
          GhloScalar operand = made[s].count > 0 ? ghlo_element_load (shape->type, c.operands[s].data + at * size)
                                                 : value;

          value = stages[s].is_left ? apply (shape->type, stages[s].op, operand, value)
                                    : apply (shape->type, stages[s].op, value, operand);
        }
      ghlo_element_store (shape->type, expected, value);
      g_assert_true (agree (shape->type, stages[n_stages - 1].op, ghlo_element_load (shape->type, expected),
                            ghlo_element_load (shape->type, c.fused.data + i * size)));
    }
}

static const GhloElementType types[] = {
  GHLO_ELEMENT_TYPE_F32, GHLO_ELEMENT_TYPE_F64, GHLO_ELEMENT_TYPE_BF16, GHLO_ELEMENT_TYPE_F16, GHLO_ELEMENT_TYPE_I32,
};

static void
test_each_stage (void)
{
  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    for (guint s = 0; s < G_N_ELEMENTS (all_stages); s++)
      for (Layout layout = 0; layout < N_LAYOUTS; layout++)
        check (&(Shape) { 2, 13, 17, 5, types[t], layout }, &all_stages[s], 1);
}

/* Each operation that an epilogue takes, on either side. */
static void
test_operations (void)
{
  static const GhloIrOpKind some[] = {
    GHLO_OP_STABLEHLO_ABS, GHLO_OP_STABLEHLO_ADD, GHLO_OP_STABLEHLO_DIVIDE, GHLO_OP_STABLEHLO_MAXIMUM,
    GHLO_OP_STABLEHLO_ROUND_NEAREST_EVEN, GHLO_OP_STABLEHLO_SQRT,
  };

  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    for (guint kind = 1; kind < GHLO_N_SCALARS; kind++)
      {
        GhloIrOpKind op = ghlo_scalar_spec (kind)->op;
        guint n = ghlo_cpu_epilogue_takes (types[t], op);

        for (guint is_left = 0; is_left < n; is_left++)
          check (&(Shape) { 2, 13, 17, 5, types[t], PLAIN }, &(Stage) { op, n == 1 ? NONE : RESULT, is_left }, 1);
      }
  for (guint i = 0; i < G_N_ELEMENTS (some); i++)
    g_assert_cmpuint (ghlo_cpu_epilogue_takes (GHLO_ELEMENT_TYPE_F32, some[i]), ==,
                      ghlo_ir_op_spec (some[i])->n_operands);
}

static void
test_all_stages (void)
{
  static const gint64 sizes[][4] = {
    { 1, 1, 1, 1 }, { 3, 70, 80, 0 }, { 1, 300, 1, 50 }, { 1, 1, 300, 50 }, { 2, 129, 700, 33 }, { 1, 700, 130, 64 },
    { 1, 10, 1100, 3 }, { 40, 3, 5, 2 }, { 7, 1, 1, 9 }, { 1, 200, 7, 100 }, { 1, 2000, 3, 1 },
  };

  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
      for (Layout layout = 0; layout < N_LAYOUTS; layout++)
        check (&(Shape) { sizes[s][0], sizes[s][1], sizes[s][2], sizes[s][3], types[t], layout }, all_stages,
               G_N_ELEMENTS (all_stages));
}

/* A stage meets what the strides of its operand say. */
static void
test_meet (void)
{
  for (guint round = 0; round < 2000; round++)
    {
      guint rank = (guint) g_test_rand_int_range (0, 5);
      gint64 dimensions[8] = { 1 }, strides[8] = { 0 }, dense[8] = { 0 }, stride = 4, n = 4, index[8] = { 0 };
      Tensor tensor = { .rank = rank };
      GhloCpuEpilogueStage stage;
      GhloView operand = { NULL, GHLO_ELEMENT_TYPE_F32, rank, dimensions, strides };
      GhloView result = { NULL, GHLO_ELEMENT_TYPE_F32, rank, dimensions, dense };

      for (guint d = rank; d > 0; d--)
        {
          dimensions[d - 1] = tensor.dimensions[d - 1] = g_test_rand_int_range (1, 5);
          dense[d - 1] = n;
          n *= dimensions[d - 1];
          if (g_test_rand_bit ())
            {
              strides[d - 1] = stride;
              stride *= dimensions[d - 1];
            }
        }
      if (!ghlo_cpu_epilogue_meet (&operand, &result, &stage))
        continue;
      do
        {
          gint64 at = 0, i = 0;

          for (guint d = 0; d < rank; d++)
            {
              at += index[d] * strides[d];
              i += index[d] * dense[d];
            }
          g_assert_cmpint (i / 4 / stage.inner % stage.count * 4, ==, at);
        }
      while (tensor_next (&tensor, index));
    }
}

static gboolean
meets (GhloElementType type,
       gint64          first,
       gint64          second,
       gint64          third)
{
  const gint64 dimensions[] = { 2, 3, 4 }, strides[] = { first, second, third }, dense[] = { 48, 16, 4 };
  const GhloView operand = { NULL, type, 3, dimensions, strides };
  const GhloView result = { NULL, GHLO_ELEMENT_TYPE_F32, 3, dimensions, dense };
  GhloCpuEpilogueStage stage;

  return ghlo_cpu_epilogue_meet (&operand, &result, &stage);
}

static void
test_declined (void)
{
  static const GhloCpuEpilogueStage wrong[] = {
    { GHLO_OP_CHLO_BESSEL_I1E, FALSE, 1, 0 },
    { GHLO_OP_STABLEHLO_ADD, FALSE, 1, 0 },
    { GHLO_OP_STABLEHLO_NEGATE, FALSE, 1, 1 },
    { GHLO_OP_STABLEHLO_AND, FALSE, 1, 1 },
  };
  static const GhloCpuEpilogueStage right = { GHLO_OP_STABLEHLO_ADD, FALSE, 1, 1 };
  GhloCpuEpilogueStage many[GHLO_CPU_MAX_STAGES + 1];

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    g_assert_null (ghlo_cpu_epilogue_new (GHLO_ELEMENT_TYPE_F32, 8, &wrong[i], 1));
  for (guint i = 0; i < G_N_ELEMENTS (many); i++)
    many[i] = right;
  g_assert_null (ghlo_cpu_epilogue_new (GHLO_ELEMENT_TYPE_F8E5M2, 8, &right, 1));
  g_assert_null (ghlo_cpu_epilogue_new (GHLO_ELEMENT_TYPE_F32, 8, many, G_N_ELEMENTS (many)));
  g_assert_cmpuint (ghlo_cpu_epilogue_takes (GHLO_ELEMENT_TYPE_F32, GHLO_OP_STABLEHLO_RSQRT), ==, 1);
  g_assert_cmpuint (ghlo_cpu_epilogue_takes (GHLO_ELEMENT_TYPE_BF16, GHLO_OP_STABLEHLO_RSQRT), ==, 1);
  g_assert_cmpuint (ghlo_cpu_epilogue_takes (GHLO_ELEMENT_TYPE_F64, GHLO_OP_CHLO_BESSEL_I1E), ==, 0);
  g_assert_cmpuint (ghlo_cpu_epilogue_takes (GHLO_ELEMENT_TYPE_F32, GHLO_OP_CHLO_BESSEL_I1E), ==, 0);

  g_assert_true (meets (GHLO_ELEMENT_TYPE_F32, 48, 16, 4) && meets (GHLO_ELEMENT_TYPE_F32, 0, 4, 0));
  g_assert_false (meets (GHLO_ELEMENT_TYPE_I32, 48, 16, 4) || meets (GHLO_ELEMENT_TYPE_F32, 24, 8, 4)
                  || meets (GHLO_ELEMENT_TYPE_F32, 16, 0, 4) || meets (GHLO_ELEMENT_TYPE_F32, 48, 16, -4)
                  || meets (GHLO_ELEMENT_TYPE_F32, 48, 4, 12) || meets (GHLO_ELEMENT_TYPE_F32, 0, 0, 8));
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/cpu-epilogue/each-stage", test_each_stage);
  g_test_add_func ("/cpu-epilogue/operations", test_operations);
  g_test_add_func ("/cpu-epilogue/all-stages", test_all_stages);
  g_test_add_func ("/cpu-epilogue/meet", test_meet);
  g_test_add_func ("/cpu-epilogue/declined", test_declined);

  return g_test_run ();
}
