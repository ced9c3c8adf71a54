/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The step of elementwise operations: chooses the loop for each operation and its element types. Operations without a
 * loop that gives the right bits are left to kernels or to the reference executor: some functions, types below 8
 * bits, 8-bit floats.
 */

#include "base/bits.h"
#include "cpu/elementwise/elementwise.h"
#include "cpu/elementwise/compute-type.h"
#include "cpu/isa/level.h"
#include "cpu/steps.h"

/* The values of GHLO_IR_ENUM_COMPARISON_DIRECTION, and one of GHLO_IR_ENUM_COMPARISON_TYPE. */
enum { EQ, NE, GE, GT, LE, LT, N_DIRECTIONS };
enum { TOTALORDER = 2 };

typedef struct
{
  GhloCpuElementwise  loop;
  GhloCpuElementwise *copies;      /* nullable; two, one of which runs where all elements share a predicate */
  GhloCpuPrecision    precision;
  GhloCpuConvertFunc  convert;
  const char         *number;      /* name of the type of number */
} Step;

/* Chooses a loop for an operation; FALSE when there is none. */
typedef gboolean (*Choose) (Step           *step,
                            GhloScalarKind  kind,
                            const GhloIrOp *op,
                            const GhloView *operands,
                            const GhloView *result);

static const GhloCpuComputeType *
find_signed (guint size)
{
  return ghlo_cpu_compute_type (size == 2 ? GHLO_ELEMENT_TYPE_I16
                                : size == 4 ? GHLO_ELEMENT_TYPE_I32 : GHLO_ELEMENT_TYPE_I64);
}

static void
add_source (Step                     *step,
            guint                     operand,
            const GhloCpuComputeType *compute)
{
  step->loop.operands[step->loop.n_sources] = operand;
  step->loop.sources[step->loop.n_sources++] = (GhloCpuSource) {
    .size = ghlo_cpu_compute_type_size (compute), .to_size = ghlo_cpu_number_size (compute->number),
    .read = ghlo_cpu_compute_type_reader (compute),
  };
}

/* @operation is a GhloScalarKind or a GhloCpuElementwiseOp. */
static gboolean
set_loop (Step                     *step,
          const GhloCpuComputeType *compute,
          guint                     operation)
{
  step->loop.loop = ghlo_cpu_elementwise_routines ()->loops[compute->number][operation];
  step->number = compute->name;

  return step->loop.loop != NULL;
}

static void
set_result (Step                     *step,
            const GhloCpuComputeType *compute)
{
  step->loop.from_size = ghlo_cpu_number_size (compute->number);
  step->loop.write = ghlo_cpu_compute_type_writer (compute);
}

/* For operands of one type, and a result type as in the operation's table row. */
static gboolean
choose_same (Step           *step,
             GhloScalarKind  kind,
             const GhloIrOp *op,
             const GhloView *operands,
             const GhloView *result)
{
  const GhloCpuComputeType *compute = ghlo_cpu_compute_type (operands[0].element_type);
  const GhloCpuComputeType *to = ghlo_cpu_compute_type (result->element_type);

  if (compute == NULL || to == NULL || !ghlo_scalar_gives (kind, compute->type, to->type))
    return FALSE;
  for (guint i = 0; i < op->n_operands; i++)
    {
      if (operands[i].element_type != compute->type)
        return FALSE;
      add_source (step, i, compute);
    }
  set_result (step, to);
  step->loop.loop = ghlo_cpu_compute_type_loop (compute, kind);
  step->number = compute->name;

  return step->loop.loop != NULL;
}

static gboolean
choose_compare (Step           *step,
                GhloScalarKind  kind,
                const GhloIrOp *op,
                const GhloView *operands,
                const GhloView *result)
{
  static const GhloCpuElementwiseOp loops[N_DIRECTIONS] = {
    [EQ] = GHLO_CPU_ELEMENTWISE_EQ, [NE] = GHLO_CPU_ELEMENTWISE_NE, [GE] = GHLO_CPU_ELEMENTWISE_LE,
    [GT] = GHLO_CPU_ELEMENTWISE_LT, [LE] = GHLO_CPU_ELEMENTWISE_LE, [LT] = GHLO_CPU_ELEMENTWISE_LT,
  };
  const GhloCpuComputeType *compute = ghlo_cpu_compute_type (operands[0].element_type);
  gint64 direction = ghlo_ir_op_get_int (op, "comparison_direction", EQ);
  guint swapped = direction == GE || direction == GT;
  GhloCpuElementwiseOp loop;

  if (compute == NULL || operands[1].element_type != compute->type || direction < 0 || direction >= N_DIRECTIONS)
    return FALSE;
  loop = loops[direction];
  if (ghlo_ir_op_get_int (op, "compare_type", 0) == TOTALORDER && ghlo_element_type_is_float (compute->type))
    {
      compute = find_signed (ghlo_element_info (compute->type)->size);
      loop = loop == GHLO_CPU_ELEMENTWISE_LE ? GHLO_CPU_ELEMENTWISE_TOTAL_LE
             : loop == GHLO_CPU_ELEMENTWISE_LT ? GHLO_CPU_ELEMENTWISE_TOTAL_LT : loop;
    }
  add_source (step, swapped, compute);
  add_source (step, !swapped, compute);
  set_result (step, ghlo_cpu_compute_type (GHLO_ELEMENT_TYPE_I1));

  return set_loop (step, compute, loop);
}

/* Makes a conversion between float types an elementwise loop. */
static void
convert_row (const guint8 *const *operands,
             guint8              *result,
             gsize                n,
             gconstpointer        detail)
{
  const Step *step = detail;

  step->convert (operands[0], result, n);
}

static gboolean
set_copy (Step *step,
          guint size)
{
  const GhloCpuComputeType *compute = ghlo_cpu_compute_type_bits (size);

  step->loop.n_sources = 0;
  add_source (step, 0, compute);
  set_result (step, compute);

  return set_loop (step, compute, GHLO_CPU_ELEMENTWISE_COPY);
}

static gboolean
choose_convert (Step           *step,
                GhloScalarKind  kind,
                const GhloIrOp *op,
                const GhloView *operands,
                const GhloView *result)
{
  const GhloCpuComputeType *from = ghlo_cpu_compute_type (operands[0].element_type);
  const GhloCpuComputeType *to = ghlo_cpu_compute_type (result->element_type);

  if (from == NULL || to == NULL)
    return FALSE;
  if (from == to)
    return set_copy (step, ghlo_element_info (from->type)->size);

  add_source (step, 0, from);
  set_result (step, to);
  step->number = to->name;
  if (from->number == GHLO_CPU_NUMBER_F32 && to->number == GHLO_CPU_NUMBER_F32)
    {
      /* Either one of the types is f32, or both convert through f32, which loses nothing: f32 represents every value
       * of both. */
      if (from->is_read && to->is_read)
        return set_loop (step, ghlo_cpu_compute_type_bits (4), GHLO_CPU_ELEMENTWISE_COPY);
      step->convert = ghlo_cpu_routines ()->convert[from->is_read ? from->read : to->write];
      step->loop.sources[0].read = NULL;
      step->loop.write = NULL;
      step->loop.loop = convert_row;
      step->loop.detail = step;
      return TRUE;
    }
  step->loop.loop =
    ghlo_cpu_elementwise_routines ()->casts[from->number][to->is_read ? GHLO_CPU_NUMBER_F32_ODD : to->number];

  return step->loop.loop != NULL;
}

static gboolean
choose_select (Step           *step,
               GhloScalarKind  kind,
               const GhloIrOp *op,
               const GhloView *operands,
               const GhloView *result)
{
  const GhloCpuComputeType *compute = ghlo_cpu_compute_type_bits (ghlo_element_info (result->element_type)->size);

  if (operands[0].element_type != GHLO_ELEMENT_TYPE_I1 || operands[1].element_type != result->element_type
      || operands[2].element_type != result->element_type)
    return FALSE;
  add_source (step, 0, ghlo_cpu_compute_type (GHLO_ELEMENT_TYPE_I1));
  add_source (step, 1, compute);
  add_source (step, 2, compute);
  set_result (step, compute);

  return set_loop (step, compute, kind);
}

/* Copies the bits, as another type. */
static gboolean
choose_bitcast (Step           *step,
                GhloScalarKind  kind,
                const GhloIrOp *op,
                const GhloView *operands,
                const GhloView *result)
{
  const GhloElementInfo *from = ghlo_element_info (operands[0].element_type);
  const GhloElementInfo *to = ghlo_element_info (result->element_type);
  gboolean is_whole = from->bits % 8 == 0 && to->bits % 8 == 0;

  return from->size == to->size && (is_whole || from == to) && set_copy (step, to->size);
}

/* The real or imaginary parts of complex numbers are every other float. */
static gboolean
choose_part (Step           *step,
             GhloScalarKind  kind,
             const GhloIrOp *op,
             const GhloView *operands,
             const GhloView *result)
{
  gboolean is_complex = ghlo_element_type_is_complex (operands[0].element_type);

  if (ghlo_element_type_real_part (operands[0].element_type) != result->element_type
      || (!is_complex && kind != GHLO_SCALAR_REAL)
      || !set_copy (step, ghlo_element_info (result->element_type)->size))
    return FALSE;
  if (kind == GHLO_SCALAR_IMAG)
    step->loop.sources[0].offset = step->loop.sources[0].size;

  return TRUE;
}

static gboolean
choose_complex (Step           *step,
                GhloScalarKind  kind,
                const GhloIrOp *op,
                const GhloView *operands,
                const GhloView *result)
{
  const GhloCpuComputeType *compute = ghlo_cpu_compute_type (operands[0].element_type);

  if (compute == NULL || operands[1].element_type != compute->type || ghlo_element_type_is_complex (compute->type)
      || !ghlo_element_type_is_complex (result->element_type)
      || ghlo_element_type_real_part (result->element_type) != compute->type)
    return FALSE;
  add_source (step, 0, compute);
  add_source (step, 1, compute);
  set_result (step, ghlo_cpu_compute_type (result->element_type));

  return set_loop (step, compute, kind);
}

static gboolean
choose_precision (Step           *step,
                  GhloScalarKind  kind,
                  const GhloIrOp *op,
                  const GhloView *operands,
                  const GhloView *result)
{
  const GhloElementInfo *info = ghlo_element_info (operands[0].element_type);
  gint64 exponent_bits = ghlo_ir_op_get_int (op, "exponent_bits", 0);
  gint64 mantissa_bits = ghlo_ir_op_get_int (op, "mantissa_bits", 0);
  GhloCpuPrecision *to = &step->precision;

  if (ghlo_cpu_compute_type (operands[0].element_type) == NULL || info->element_class != GHLO_ELEMENT_CLASS_FLOAT
      || result->element_type != operands[0].element_type)
    return FALSE;
  to->infinity = ghlo_low_bits (info->exponent_bits) << info->mantissa_bits;
  to->nan = mantissa_bits > 0 ? 0 : to->infinity;
  to->dropped = mantissa_bits >= info->mantissa_bits ? 0 : info->mantissa_bits - (guint) MAX (mantissa_bits, 0);
  to->most = G_MAXUINT64;
  if (exponent_bits < info->exponent_bits)
    {
      /* The exponent of 1 is the format's bias. The reduced format has as much range on either side as its own bias,
       * and no subnormals. */
      guint64 one = ghlo_low_bits (info->exponent_bits - 1), room = ghlo_low_bits ((guint) MAX (exponent_bits, 1) - 1);

      to->most = ((one + room + 1) << info->mantissa_bits) - 1;
      to->least = (one - room + 1) << info->mantissa_bits;
    }
  add_source (step, 0, ghlo_cpu_compute_type_bits (info->size));
  set_result (step, ghlo_cpu_compute_type_bits (info->size));
  step->loop.detail = to;

  return set_loop (step, ghlo_cpu_compute_type_bits (info->size), kind);
}

/* All other operations take operands of one type, by choose_same(). */
static const Choose choosers[GHLO_N_SCALARS] = {
  [GHLO_SCALAR_COMPARE] = choose_compare,
  [GHLO_SCALAR_COMPLEX] = choose_complex,
  [GHLO_SCALAR_CONVERT] = choose_convert,
  [GHLO_SCALAR_IMAG] = choose_part,
  [GHLO_SCALAR_REAL] = choose_part,
  [GHLO_SCALAR_REDUCE_PRECISION] = choose_precision,
  [GHLO_SCALAR_SELECT] = choose_select,
};

/* NULL where no element type has a loop. */
static Choose
find_choose (GhloIrOpKind op)
{
  GhloScalarKind kind = ghlo_scalar_of (op);

  if (op == GHLO_OP_STABLEHLO_BITCAST_CONVERT)
    return choose_bitcast;
  if (choosers[kind] != NULL)
    return choosers[kind];

  return ghlo_cpu_has_loop (kind) ? choose_same : NULL;
}

gboolean
ghlo_cpu_has_elementwise (GhloIrOpKind op)
{
  return find_choose (op) != NULL;
}

/* Where one predicate is used for all elements, the result is a copy of one operand, and the other is not read. */
static void
add_copies (Step           *step,
            const GhloIrOp *op,
            const GhloView *operands,
            const GhloView *result)
{
  GhloCpuElementwise *copies;

  if (ghlo_scalar_of (op->kind) != GHLO_SCALAR_SELECT || step->loop.n <= 1
      || step->loop.sources[0].kind != GHLO_CPU_SOURCE_SINGLE)
    return;
  copies = g_new0 (GhloCpuElementwise, 2);
  for (guint i = 0; i < 2; i++)
    {
      Step copy = { 0 };

      set_copy (&copy, ghlo_element_info (result->element_type)->size);
      copies[i] = copy.loop;
      copies[i].operands[0] = 1 + i;
      ghlo_cpu_elementwise_init (&copies[i], operands, result);
    }
  step->copies = copies;
}

static const char *
read_request (gpointer               step,
              GhloDeviceCore        *device,
              const GhloStepRequest *request)
{
  Step *self = step;
  const GhloView *operands = request->operands, *result = &request->results[0];
  const GhloIrOp *op = request->op;
  GhloScalarKind kind = ghlo_scalar_of (op->kind);
  Choose choose = find_choose (op->kind);

  if (choose == NULL || op->n_operands > GHLO_CPU_MAX_SOURCES || !choose (self, kind, op, operands, result))
    return "there is no precompiled loop for its element types";
  self->loop.cost = ghlo_scalar_spec (kind)->cost;
  if (!ghlo_cpu_elementwise_init (&self->loop, operands, result))
    return "the dimensions of its operands and its result differ";
  add_copies (self, op, operands, result);

  return NULL;
}

static void
clear (gpointer step)
{
  Step *self = step;

  g_free (self->copies);
}

static gboolean
run (gpointer            compiled,
     const GhloView     *operands,
     const GhloView     *results,
     gpointer            scratch,
     const GhloMonitor  *monitor,
     GError            **error)
{
  const Step *step = compiled;
  const GhloCpuElementwise *loop = &step->loop;

  if (step->copies != NULL)
    loop = &step->copies[operands[0].data[0] == 0];

  return ghlo_cpu_elementwise_run (loop, operands, results[0].data, monitor)
         || !ghlo_monitor_cancelled (monitor, error);
}

static char *
describe (gpointer compiled)
{
  const Step *step = compiled;

  return g_strdup_printf ("%s, %s", step->number, ghlo_cpu_level_name (ghlo_cpu_level ()));
}

/* Whether elements of the operand that are adjacent in memory are not adjacent in the result, so that each element of
 * a row comes from another cache line. */
static gboolean
lies_across (const GhloView *operand)
{
  gint64 size = ghlo_element_info (operand->element_type)->size, inner = size;

  for (guint d = operand->rank; d > 0; d--)
    if (operand->dimensions[d - 1] > 1)
      {
        inner = ABS (operand->strides[d - 1]);
        break;
      }
  for (guint d = 0; d < operand->rank && inner > size; d++)
    if (operand->dimensions[d] > 1 && operand->strides[d] != 0 && ABS (operand->strides[d]) < inner)
      return TRUE;

  return FALSE;
}

/* Where such an operand is too large for its cache lines to stay in the cache until all their elements are read,
 * transposing it by tiles first is faster: an addition with one of 1024 × 1024 f32 took 17 times as long as a copy.
 * Each element is read before the result's element at the same address is written, so the step may run in place. */
static void
fill_selection (gpointer               step,
                const GhloStepRequest *request,
                GhloStepSelection     *selection)
{
  enum { CACHE = 32768 };

  for (guint i = 0; i < request->n_operands; i++)
    {
      const GhloView *operand = &request->operands[i];

      selection->operands[i].dense =
        ghlo_view_count (operand) * ghlo_element_info (operand->element_type)->size > CACHE && lies_across (operand);
      selection->operands[i].in_place = 0;
    }
}

const GhloStepImplementation ghlo_cpu_step_elementwise = {
  .name = "elementwise",
  .size = sizeof (Step),
  .read = read_request,
  .select = fill_selection,
  .clear = clear,
  .run = run,
  .describe = describe,
};
