/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads products: types, dimensions, and which operand is lhs and which is rhs.
 */

#include "gpu/product/reading.h"

#include <string.h>

#include "base/sizes.h"
#include "kernel/lower.h"

/* The maximum number of steps of k whose products are rounded before they are added. If a short sum cancels, only the
 * rounding of its products remains, and the CPU's small products round the same way. */
enum { FEW_STEPS = 8 };

gboolean
ghlo_gpu_product_append (GhloGpuProduct                  *self,
                         GhloSpirvRole                    role,
                         const GhloSpirvProductDimension *dimension)
{
  guint8 *n = &self->shader.n_dimensions[role];
  GhloSpirvProductDimension *last = *n > 0 ? &self->dimensions[role][*n - 1] : NULL;
  gboolean follows = last != NULL;

  if (dimension->size == 1)
    return TRUE;
  if (dimension->size > G_MAXINT32 || (guint64) self->counts[role] * dimension->size > G_MAXINT32)
    return FALSE;
  self->counts[role] *= (gint64) dimension->size;
  for (guint i = 0; i < GHLO_SPIRV_N_FORMS && follows; i++)
    follows = last->strides[i] == (gint64) dimension->size * dimension->strides[i];
  if (!follows && *n == GHLO_SPIRV_MAX_DIMENSIONS)
    return FALSE;
  if (follows)
    {
      guint64 size = last->size * dimension->size;

      *last = *dimension;
      last->size = size;
    }
  else
    self->dimensions[role][(*n)++] = *dimension;

  return TRUE;
}

/* The state of reading a product's dimensions into roles. */
typedef struct
{
  GhloGpuProduct *product;
  const GhloView    *lhs, *rhs, *result;
  guint64            lhs_used, rhs_used;        /* dimensions, as bits */
  guint              n_results;                 /* dimensions of the result so far */
} Reader;

static gboolean
take (Reader        *self,
      GhloSpirvRole  role,
      gint64         lhs,
      gint64         rhs)
{
  const gint64 size = lhs >= 0 ? self->lhs->dimensions[lhs] : self->rhs->dimensions[rhs];
  GhloSpirvProductDimension dimension = { .size = (guint64) size };

  if (lhs >= 0)
    dimension.strides[GHLO_SPIRV_LHS] = self->lhs->strides[lhs];
  if (rhs >= 0)
    dimension.strides[GHLO_SPIRV_RHS] = self->rhs->strides[rhs];
  if (role != GHLO_SPIRV_INNER)
    dimension.strides[GHLO_SPIRV_RESULT] = self->result->strides[self->n_results++];

  return ghlo_gpu_product_append (self->product, role, &dimension);
}

/* Takes dimensions of both operands, whose sizes the verifier has found equal. */
static gboolean
take_pairs (Reader           *self,
            GhloSpirvRole     role,
            const GhloIrAttr *numbers,
            const char       *lhs_field,
            const char       *rhs_field)
{
  gsize n, n_rhs;
  const gint64 *lhs = ghlo_ir_struct_get_dims (numbers, lhs_field, &n);
  const gint64 *rhs = ghlo_ir_struct_get_dims (numbers, rhs_field, &n_rhs);

  for (gsize i = 0; i < n; i++)
    {
      self->lhs_used |= (guint64) 1 << lhs[i];
      self->rhs_used |= (guint64) 1 << rhs[i];
      if (!take (self, role, lhs[i], rhs[i]))
        return FALSE;
    }

  return TRUE;
}

static gboolean
take_rest (Reader *self)
{
  for (guint i = 0; i < self->lhs->rank; i++)
    if ((self->lhs_used >> i & 1) == 0 && !take (self, GHLO_SPIRV_ROWS, i, -1))
      return FALSE;
  for (guint i = 0; i < self->rhs->rank; i++)
    if ((self->rhs_used >> i & 1) == 0 && !take (self, GHLO_SPIRV_COLUMNS, -1, i))
      return FALSE;

  return TRUE;
}

static gboolean
read_dimensions (GhloGpuProduct        *self,
                 const GhloStepRequest *request)
{
  Reader reader = { .product = self, .lhs = &request->operands[0], .rhs = &request->operands[1],
                    .result = &request->results[0] };
  const GhloIrAttr *numbers;

  for (guint i = 0; i < GHLO_SPIRV_N_ROLES; i++)
    self->counts[i] = 1;
  if (request->op->kind == GHLO_OP_STABLEHLO_CONVOLUTION)
    return ghlo_gpu_product_read_convolution (self, request);
  if (request->op->kind == GHLO_OP_STABLEHLO_DOT)
    {
      const guint last = reader.lhs->rank - 1;          /* the verifier only accepts vectors and matrices */

      reader.lhs_used = (guint64) 1 << last;
      reader.rhs_used = 1;
      return take (&reader, GHLO_SPIRV_INNER, last, 0) && take_rest (&reader);
    }
  numbers = ghlo_ir_op_get (request->op, "dot_dimension_numbers");

  return take_pairs (&reader, GHLO_SPIRV_BATCH, numbers, "lhs_batching_dimensions", "rhs_batching_dimensions")
         && take_pairs (&reader, GHLO_SPIRV_INNER, numbers, "lhs_contracting_dimensions",
                        "rhs_contracting_dimensions")
         && take_rest (&reader);
}

static gboolean
is_integer (GhloElementType type)
{
  return type == GHLO_ELEMENT_TYPE_I1 || ghlo_element_type_is_integer (type);
}

/* Floats are summed in f32, or in f64 if any type is f64; integers wrap in the result's type. Returns FALSE if there is
 * no such sum. */
static gboolean
choose_accumulator (GhloSpirvProduct *self)
{
  const GhloElementType lhs = self->types[GHLO_SPIRV_LHS], rhs = self->types[GHLO_SPIRV_RHS];
  const GhloElementType result = self->types[GHLO_SPIRV_RESULT];

  for (guint i = 0; i < GHLO_SPIRV_N_TENSORS; i++)
    if (ghlo_kernel_stored_type (self->types[i]) == GHLO_ELEMENT_TYPE_INVALID)
      return FALSE;
  if (ghlo_element_type_is_float (result))
    {
      self->accumulator = GHLO_ELEMENT_TYPE_F32;
      for (guint i = 0; i < GHLO_SPIRV_N_TENSORS; i++)
        if (self->types[i] == GHLO_ELEMENT_TYPE_F64)
          self->accumulator = GHLO_ELEMENT_TYPE_F64;
      return ghlo_element_type_is_float (lhs) && ghlo_element_type_is_float (rhs);
    }
  if (result == GHLO_ELEMENT_TYPE_I1)
    {
      self->accumulator = GHLO_ELEMENT_TYPE_I1;
      return lhs == result && rhs == result;
    }
  self->accumulator = ghlo_element_info (result)->bits > 32 ? GHLO_ELEMENT_TYPE_UI64 : GHLO_ELEMENT_TYPE_UI32;

  return is_integer (lhs) && is_integer (rhs);
}

gboolean
ghlo_gpu_product_has_types (const GhloSpirvProduct *self,
                            const GhloGpuDevice    *device)
{
  guint64 types = (guint64) 1 << self->accumulator;
  gboolean is_exact = TRUE;

  for (guint i = 0; i < GHLO_SPIRV_N_TENSORS; i++)
    {
      g_autofree GhloKernel *kernel = ghlo_spirv_product_convert (self, i);
      GhloElementType type;

      types |= (guint64) 1 << ghlo_kernel_stored_type (self->types[i]);
      is_exact = is_exact && (kernel == NULL || ghlo_spirv_find_inexact (&device->measured, kernel, FALSE, &type)
                                                == GHLO_N_NODES);
    }

  return is_exact && (types & ~device->measured.types) == 0;
}

static gboolean
has_precision (const GhloIrAttr *algorithm,
               const char       *field,
               GhloElementType   type)
{
  const GhloIrAttr *attr = ghlo_ir_struct_get (algorithm, field);

  return attr != NULL && attr->type != NULL && attr->type->kind == GHLO_IR_TYPE_ELEMENT && attr->type->text == NULL
         && attr->type->element_type == type;
}

/* Sets the split as required by the algorithm that the operation names, if any. Returns FALSE if that is not
 * supported. */
static gboolean
read_algorithm (GhloSpirvProduct *self,
                const GhloIrOp   *op)
{
  static const char *const fields[] = { "lhs_precision_type", "rhs_precision_type" };
  const GhloIrAttr *algorithm = ghlo_ir_op_get (op, "algorithm");
  gboolean is_unsplit = TRUE, is_bf16 = TRUE;
  gint64 n;

  if (algorithm == NULL)
    return TRUE;
  for (guint i = 0; i < 2; i++)
    {
      is_unsplit = is_unsplit && has_precision (algorithm, fields[i], self->types[i]);
      is_bf16 = is_bf16 && has_precision (algorithm, fields[i], GHLO_ELEMENT_TYPE_BF16)
                && self->types[i] == GHLO_ELEMENT_TYPE_F32;
    }
  n = ghlo_ir_struct_get_int (algorithm, "num_primitive_operations");
  if (is_bf16)
    self->split = n == 3 ? GHLO_SPIRV_BF16_X3 : GHLO_SPIRV_BF16;

  return ((is_unsplit && n == 1) || (is_bf16 && (n == 1 || n == 3)))
         && has_precision (algorithm, "accumulation_type", self->accumulator)
         && ghlo_ir_struct_get_int (algorithm, "lhs_component_count") == 1
         && ghlo_ir_struct_get_int (algorithm, "rhs_component_count") == 1;
}

guint64
ghlo_gpu_product_step (const GhloGpuProduct *self,
                       GhloSpirvRole         role,
                       guint                 tensor)
{
  const guint n = self->shader.n_dimensions[role];
  const GhloSpirvProductDimension *dimension;
  gint64 stride;

  if (n == 0)
    return G_MAXUINT64;
  dimension = &self->dimensions[role][n - 1];
  stride = dimension->strides[tensor];
  /* With dilation, the strides are in the windows instead. */
  for (guint w = 0; w < self->shader.n_windows && self->shader.is_dilated && self->shader.windowed == tensor; w++)
    if (dimension->strides[GHLO_SPIRV_N_TENSORS + w] != 0)
      stride = self->windows[w].stride;

  return stride < 0 ? -(guint64) stride : (guint64) stride;
}

static void
exchange (gpointer a,
          gpointer b,
          gsize    size)
{
  g_autofree gpointer kept = g_memdup2 (a, size);

  memcpy (a, b, size);
  memcpy (b, kept, size);
}

#define EXCHANGE(a, b) exchange (&(a), &(b), sizeof (a))

void
ghlo_gpu_product_swap (GhloGpuProduct *self)
{
  EXCHANGE (self->shader.is_inner_adjacent[0], self->shader.is_inner_adjacent[1]);
  EXCHANGE (self->shader.types[GHLO_SPIRV_LHS], self->shader.types[GHLO_SPIRV_RHS]);
  EXCHANGE (self->operands[0], self->operands[1]);
  EXCHANGE (self->starts[0], self->starts[1]);
  self->shader.windowed = self->shader.windowed == GHLO_SPIRV_LHS ? GHLO_SPIRV_RHS : GHLO_SPIRV_LHS;
  EXCHANGE (self->counts[GHLO_SPIRV_ROWS], self->counts[GHLO_SPIRV_COLUMNS]);
  EXCHANGE (self->dimensions[GHLO_SPIRV_ROWS], self->dimensions[GHLO_SPIRV_COLUMNS]);
  EXCHANGE (self->shader.n_dimensions[GHLO_SPIRV_ROWS], self->shader.n_dimensions[GHLO_SPIRV_COLUMNS]);
  for (guint role = 0; role < GHLO_SPIRV_N_ROLES; role++)
    for (guint i = 0; i < self->shader.n_dimensions[role]; i++)
      EXCHANGE (self->dimensions[role][i].strides[GHLO_SPIRV_LHS], self->dimensions[role][i].strides[GHLO_SPIRV_RHS]);
}

/* Few rows are turned into few columns; otherwise the result should be contiguous along its columns. */
static gboolean
should_swap (const GhloGpuProduct *self)
{
  const gint64 m = self->counts[GHLO_SPIRV_ROWS], n = self->counts[GHLO_SPIRV_COLUMNS];

  if (MIN (m, n) <= 8)
    return m < n;

  return ghlo_gpu_product_step (self, GHLO_SPIRV_ROWS, GHLO_SPIRV_RESULT)
         < ghlo_gpu_product_step (self, GHLO_SPIRV_COLUMNS, GHLO_SPIRV_RESULT);
}

/* Chooses the accumulator and the split; the types must be set. Returns NULL or the reason why there is none. */
static const char *
choose_sum (GhloSpirvProduct *shader,
            const GhloIrOp   *op)
{
  if (!choose_accumulator (shader))
    return "no shader multiplies its element types";

  return read_algorithm (shader, op) ? NULL : "no shader implements the dot algorithm that it names";
}

const char *
ghlo_gpu_product_obstacle (const GhloIrOp *op)
{
  GhloSpirvProduct shader = {
    .types = { ghlo_ir_op_operand (op, 0)->type->element_type, ghlo_ir_op_operand (op, 1)->type->element_type,
               op->results[0].type->element_type },
  };

  return choose_sum (&shader, op);
}

const char *
ghlo_gpu_product_read (GhloGpuProduct        *self,
                       const GhloGpuDevice   *device,
                       const GhloStepRequest *request,
                       gboolean               matrices)
{
  GhloSpirvProduct *shader = &self->shader;
  const char *reason;

  *self = (GhloGpuProduct) {
    .shader.types = { request->operands[0].element_type, request->operands[1].element_type,
                      request->results[0].element_type },
    .operands = { 0, 1 },
  };
  reason = choose_sum (shader, request->op);
  if (reason != NULL)
    return reason;
  if (!ghlo_gpu_product_has_types (shader, device))
    return "the device does not compute with its element types accurately enough";
  if (!read_dimensions (self, request))
    return "it has too many dimensions, or too large ones";
  if (should_swap (self))
    ghlo_gpu_product_swap (self);
  for (guint i = 0; i < 2; i++)
    shader->is_inner_adjacent[i] = ghlo_gpu_product_step (self, GHLO_SPIRV_INNER, i)
                                   <= ghlo_gpu_product_step (self, i == 0 ? GHLO_SPIRV_ROWS : GHLO_SPIRV_COLUMNS, i);
  shader->is_rounded_twice = self->counts[GHLO_SPIRV_INNER] <= FEW_STEPS
                             && ghlo_element_type_is_float (shader->accumulator);
  self->split = shader->split;
  if (ghlo_ir_op_get (request->op, "algorithm") == NULL)
    self->split = ghlo_gpu_product_find_split (self, device, request->op, matrices);
  if (ghlo_spirv_makes_planes (self->split))
    shader->split = self->split;

  return ghlo_gpu_product_choose_tile (self, device, matrices);
}
