/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kernel interpreter. Values are bits of their arithmetic type in 64-bit words.
 * The order of folds is that of schedule.h.
 */

#include "interpret.h"

#include <math.h>
#include <string.h>

typedef struct
{
  const GhloKernel   *kernel;
  const GhloSchedule *schedule;
  gpointer const     *buffers;
  gint64              at[GHLO_KERNEL_MAX_AXES];
  guint64             values[GHLO_KERNEL_MAX_NODES];
  guint64             left[GHLO_KERNEL_MAX_ACCUMULATORS], right[GHLO_KERNEL_MAX_ACCUMULATORS];
  guint64            *temporaries[GHLO_KERNEL_MAX_TEMPORARIES];         /* of one point of the parallel axes */
  guint64            *lanes;                                            /* accumulators × unroll × width */
  char               *error;
} Interpreter;

static float
to_float (guint64 bits)
{
  guint32 low = bits;
  float value;

  memcpy (&value, &low, sizeof value);

  return value;
}

static double
to_double (guint64 bits)
{
  double value;

  memcpy (&value, &bits, sizeof value);

  return value;
}

static void
fail (Interpreter *self,
      const char  *what,
      guint        number)
{
  if (self->error == NULL)
    self->error = g_strdup_printf ("%s %u of kernel %s", what, number, self->kernel->name);
}

static double
least_or_most (double   a,
               double   b,
               gboolean most)
{
  if (isnan (a) || isnan (b))
    return NAN;
  if (a == b)
    return signbit (a) == (most ? 1 : 0) ? b : a;

  return (a > b) == most ? a : b;
}

/* Doubles hold every f32 sum, product, quotient and root so well that rounding once more
 * gives the f32 result; not so a multiply-add. */
static guint64
float_operation (Interpreter          *self,
                 const GhloKernelNode *node,
                 double                a,
                 double                b,
                 double                c)
{
  gboolean narrow = node->type == GHLO_ELEMENT_TYPE_F32;
  double result = 0;

  switch (node->kind)
    {
    case GHLO_NODE_ADD: result = a + b; break;
    case GHLO_NODE_SUBTRACT: result = a - b; break;
    case GHLO_NODE_MULTIPLY: result = a * b; break;
    case GHLO_NODE_DIVIDE: result = a / b; break;
    case GHLO_NODE_FMA: result = narrow ? fmaf (a, b, c) : fma (a, b, c); break;
    case GHLO_NODE_SQRT: result = sqrt (a); break;
    case GHLO_NODE_MINIMUM: result = least_or_most (a, b, FALSE); break;
    case GHLO_NODE_MAXIMUM: result = least_or_most (a, b, TRUE); break;
    default: fail (self, "no operation of floats at node", node - self->kernel->nodes);
    }

  return ghlo_kernel_float_bits (node->type, result);
}

static guint64
integer_operation (Interpreter          *self,
                   const GhloKernelNode *node,
                   gint64                a,
                   gint64                b)
{
  guint64 x = a, y = b, result = 0;

  switch (node->kind)
    {
    case GHLO_NODE_ADD: result = x + y; break;
    case GHLO_NODE_SUBTRACT: result = x - y; break;
    case GHLO_NODE_MULTIPLY: result = x * y; break;
    case GHLO_NODE_MINIMUM: result = MIN (a, b); break;
    case GHLO_NODE_MAXIMUM: result = MAX (a, b); break;
    case GHLO_NODE_AND: result = x & y; break;
    case GHLO_NODE_OR: result = x | y; break;
    case GHLO_NODE_XOR: result = x ^ y; break;
    case GHLO_NODE_SHIFT_LEFT: result = x << (y & 63); break;
    case GHLO_NODE_SHIFT_RIGHT: result = a >> (y & 63); break;
    default: fail (self, "no operation of integers at node", node - self->kernel->nodes);
    }

  return node->type == GHLO_ELEMENT_TYPE_I64 ? result
         : node->type == GHLO_ELEMENT_TYPE_I1 ? (result & 1) : (guint32) result;
}

static gboolean
is_float (guint8 type)
{
  return ghlo_element_type_is_float (type);
}

static double
as_number (guint8  type,
           guint64 bits)
{
  return type == GHLO_ELEMENT_TYPE_F32 ? to_float (bits) : to_double (bits);
}

static gint64
as_integer (guint8  type,
            guint64 bits)
{
  return type == GHLO_ELEMENT_TYPE_I32 ? (gint32) (guint32) bits : (gint64) bits;
}

static gboolean
compare (GhloNodeKind kind,
         gboolean     less,
         gboolean     equal,
         gboolean     greater)
{
  switch (kind)
    {
    case GHLO_NODE_EQUAL: return equal;
    case GHLO_NODE_NOT_EQUAL: return !equal;
    case GHLO_NODE_LESS: return less;
    case GHLO_NODE_LESS_EQUAL: return less || equal;
    case GHLO_NODE_GREATER: return greater;
    default: return greater || equal;
    }
}

static guint64
convert (guint8  to,
         guint8  from,
         guint64 bits)
{
  if (is_float (from))
    {
      double value = as_number (from, bits);

      return is_float (to) ? ghlo_kernel_float_bits (to, value)
             : to == GHLO_ELEMENT_TYPE_I32 ? (guint32) (gint32) value : (guint64) (gint64) value;
    }
  if (is_float (to))
    {
      gint64 value = as_integer (from, bits);

      return to == GHLO_ELEMENT_TYPE_F32 ? ghlo_kernel_float_bits (to, (float) value)
                                         : ghlo_kernel_float_bits (to, value);
    }

  return to == GHLO_ELEMENT_TYPE_I32 ? (guint32) as_integer (from, bits) : (guint64) as_integer (from, bits);
}

static gint64
affine (Interpreter  *self,
        gint64        offset,
        const gint64 *strides)
{
  for (guint i = 0; i < self->kernel->n_axes; i++)
    offset += strides[i] * self->at[i];

  return offset;
}

/* The element's address, or NULL where a guard does not hold. */
static guint8 *
find (Interpreter            *self,
      const GhloKernelAccess *access)
{
  const GhloKernelBuffer *buffer = &self->kernel->buffers[access->buffer];
  gint64 offset = affine (self, access->offset, access->strides);
  gint64 size = ghlo_element_info (access->element)->size;

  for (guint i = 0; i < access->n_guards; i++)
    {
      const GhloKernelGuard *guard = &access->guards[i];
      gint64 value = affine (self, guard->offset, guard->strides);

      if (value < 0 || value >= guard->end)
        return NULL;
    }
  if (access->index != GHLO_KERNEL_NONE)
    {
      gint64 index = as_integer (self->kernel->nodes[access->index].type, self->values[access->index]);

      offset += access->index_stride * CLAMP (index, 0, access->index_end - 1);
    }
  if (offset < 0 || offset > buffer->size - size || offset % size != 0)
    {
      fail (self, "out of bounds at access", access - self->kernel->accesses);
      return NULL;
    }

  return (guint8 *) self->buffers[access->buffer] + offset;
}

static guint64
load (Interpreter *self,
      guint        number)
{
  const GhloKernelAccess *access = &self->kernel->accesses[number];
  const guint8 *from = find (self, access);
  guint64 bits = 0;

  if (from == NULL)
    return access->fill == GHLO_KERNEL_NONE ? 0 : self->values[access->fill];
  memcpy (&bits, from, ghlo_element_info (access->element)->size);

  return access->element == GHLO_ELEMENT_TYPE_BF16 ? bits << 16 : bits;
}

static void
store (Interpreter *self,
       guint        number,
       guint64      bits)
{
  const GhloKernelAccess *access = &self->kernel->accesses[number];
  guint8 *to = find (self, access);

  if (to == NULL)
    return;
  if (access->element == GHLO_ELEMENT_TYPE_BF16)
    bits = ghlo_float_to_bits (GHLO_ELEMENT_TYPE_BF16, to_float (bits));
  memcpy (to, &bits, ghlo_element_info (access->element)->size);
}

/* Where the temporary is at this point of the inner axes. */
static guint64 *
find_temporary (Interpreter *self,
                guint        number)
{
  gsize index = 0;

  for (guint i = 0; i < self->kernel->n_axes; i++)
    if (self->kernel->temporaries[number].axes >> i & 1)
      index = index * self->kernel->axes[i].extent + self->at[i];

  return &self->temporaries[number][index];
}

static guint64
evaluate_leaf (Interpreter          *self,
               const GhloKernelNode *node)
{
  switch (node->kind)
    {
    case GHLO_NODE_CONSTANT: return node->bits;
    case GHLO_NODE_AXIS: return node->type == GHLO_ELEMENT_TYPE_I32 ? (guint32) self->at[node->which]
                                                                      : (guint64) self->at[node->which];
    case GHLO_NODE_LOAD: return load (self, node->which);
    case GHLO_NODE_TEMPORARY: return *find_temporary (self, node->which);
    case GHLO_NODE_LEFT: return self->left[node->which];
    default: return self->right[node->which];
    }
}

static guint64
evaluate (Interpreter          *self,
          const GhloKernelNode *node)
{
  guint64 operands[3] = { 0 };
  guint8 type;

  if (node->kind <= GHLO_NODE_RIGHT)
    return evaluate_leaf (self, node);
  for (guint i = 0; i < 3; i++)
    if (node->operands[i] != GHLO_KERNEL_NONE)
      operands[i] = self->values[node->operands[i]];
  type = self->kernel->nodes[node->operands[0]].type;
  if (node->kind == GHLO_NODE_SELECT)
    return operands[0] ? operands[1] : operands[2];
  if (node->kind == GHLO_NODE_CONVERT)
    return convert (node->type, type, operands[0]);
  if (node->kind == GHLO_NODE_BITCAST)
    return operands[0];
  if (is_float (type))
    {
      double a = as_number (type, operands[0]), b = as_number (type, operands[1]);

      if (node->kind >= GHLO_NODE_EQUAL && node->kind <= GHLO_NODE_GREATER_EQUAL)
        return compare (node->kind, a < b, a == b, a > b);
      return float_operation (self, node, a, b, as_number (type, operands[2]));
    }
  if (node->kind >= GHLO_NODE_EQUAL && node->kind <= GHLO_NODE_GREATER_EQUAL)
    {
      gint64 a = as_integer (type, operands[0]), b = as_integer (type, operands[1]);

      return compare (node->kind, a < b, a == b, a > b);
    }

  return integer_operation (self, node, as_integer (type, operands[0]), as_integer (type, operands[1]));
}

static void
evaluate_range (Interpreter *self,
                guint        first,
                guint        end)
{
  for (guint i = first; i < end; i++)
    self->values[i] = evaluate (self, &self->kernel->nodes[i]);
}

/* *@left becomes the merge of *@left and *@right, each a value for each accumulator. */
static void
merge (Interpreter           *self,
       const GhloKernelStage *stage,
       guint64               *left,
       const guint64         *right)
{
  memcpy (self->left, left, stage->n_accumulators * sizeof *left);
  memcpy (self->right, right, stage->n_accumulators * sizeof *right);
  evaluate_range (self, stage->first_merge, stage->end);
  for (guint i = 0; i < stage->n_accumulators; i++)
    left[i] = self->values[stage->accumulators[i].merged];
}

static void
run_point (Interpreter           *self,
           const GhloKernelStage *stage,
           guint                  lane)
{
  guint64 *folded = &self->lanes[lane * GHLO_KERNEL_MAX_ACCUMULATORS];

  memcpy (self->left, folded, sizeof self->left);
  evaluate_range (self, stage->first, stage->first_merge);
  for (guint i = 0; i < stage->n_stores; i++)
    if (stage->stores[i].access != GHLO_KERNEL_NONE)
      store (self, stage->stores[i].access, self->values[stage->stores[i].node]);
    else
      *find_temporary (self, stage->stores[i].temporary) = self->values[stage->stores[i].node];
  for (guint i = 0; i < stage->n_accumulators; i++)
    folded[i] = self->values[stage->accumulators[i].updated];
}

static void
run_stage_axes (Interpreter           *self,
                const GhloKernelStage *stage,
                guint                  axis)
{
  const GhloSchedule *schedule = self->schedule;

  if (axis == self->kernel->n_axes)
    {
      guint lane = 0;

      if (stage->axes >> schedule->vector_axis & 1)
        lane = self->at[schedule->vector_axis] % (schedule->width * schedule->unroll);
      run_point (self, stage, lane);
    }
  else if (!(stage->axes >> axis & 1))
    run_stage_axes (self, stage, axis + 1);
  else
    for (self->at[axis] = 0; self->at[axis] < self->kernel->axes[axis].extent && self->error == NULL; self->at[axis]++)
      run_stage_axes (self, stage, axis + 1);
}

/* Unrolled vectors are the upper bits of a lane's number and go first, as schedule.h
 * says. */
static void
run_stage (Interpreter           *self,
           const GhloKernelStage *stage)
{
  guint n = stage->axes >> self->schedule->vector_axis & 1 ? self->schedule->width * self->schedule->unroll : 1;

  for (guint lane = 0; lane < n; lane++)
    for (guint i = 0; i < stage->n_accumulators; i++)
      self->lanes[lane * GHLO_KERNEL_MAX_ACCUMULATORS + i] = stage->accumulators[i].identity;
  run_stage_axes (self, stage, 0);
  if (stage->n_accumulators == 0)
    return;
  for (guint half = n / 2; half > 0; half /= 2)
    for (guint lane = 0; lane < half; lane++)
      merge (self, stage, &self->lanes[lane * GHLO_KERNEL_MAX_ACCUMULATORS],
             &self->lanes[(lane + half) * GHLO_KERNEL_MAX_ACCUMULATORS]);
  for (guint i = 0; i < stage->n_accumulators; i++)
    *find_temporary (self, stage->accumulators[i].temporary) = self->lanes[i];
}

static void
run_axes (Interpreter *self,
          guint        axis)
{
  if (axis < self->kernel->n_axes && self->kernel->axes[axis].parallel)
    {
      for (gint64 i = 0; i < self->kernel->axes[axis].extent && self->error == NULL; i++)
        {
          self->at[axis] = i;
          run_axes (self, axis + 1);
        }
      return;
    }
  for (guint i = 0; i < self->kernel->n_stages && self->error == NULL; i++)
    run_stage (self, &self->kernel->stages[i]);
}

gboolean
ghlo_kernel_interpret (const GhloKernel   *kernel,
                       const GhloSchedule *schedule,
                       gpointer const     *buffers,
                       char              **error)
{
  g_autofree Interpreter *self = g_new0 (Interpreter, 1);

  self->kernel = kernel;
  self->schedule = schedule;
  self->buffers = buffers;
  self->lanes = g_new0 (guint64, (gsize) schedule->width * schedule->unroll * GHLO_KERNEL_MAX_ACCUMULATORS);
  for (guint i = 0; i < kernel->n_temporaries; i++)
    {
      gsize n = 1;

      for (guint j = 0; j < kernel->n_axes; j++)
        if (kernel->temporaries[i].axes >> j & 1)
          n *= kernel->axes[j].extent;
      self->temporaries[i] = g_new0 (guint64, n);
    }
  run_axes (self, 0);
  for (guint i = 0; i < kernel->n_temporaries; i++)
    g_free (self->temporaries[i]);
  g_free (self->lanes);
  *error = self->error;

  return self->error == NULL;
}
