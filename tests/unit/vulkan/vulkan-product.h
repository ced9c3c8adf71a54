/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the tests of products on Vulkan devices: programs of one product, devices with particular ways of computing
 * it, and the results there. Shaders are validated where a validator is installed.
 */

#pragma once

#include "../cpu/cpu-steps.h"
#include "shader-check.h"
#include "vulkan-program.h"

#include "compiler/devices.h"
#include "gpu/core.h"
#include "gpu/product/product.h"
#include "gpu/steps.h"
#include "vulkan/device-memory.h"
#include "vulkan/memory.h"

G_BEGIN_DECLS

typedef struct
{
  GhloElementType lhs, rhs, result;
} Types;

#define SAME(T)        { GHLO_ELEMENT_TYPE_##T, GHLO_ELEMENT_TYPE_##T, GHLO_ELEMENT_TYPE_##T }
#define MIXED(A, B, C) { GHLO_ELEMENT_TYPE_##A, GHLO_ELEMENT_TYPE_##B, GHLO_ELEMENT_TYPE_##C }

/* The sizes of dimensions by role. */
typedef struct
{
  guint  n[GHLO_SPIRV_N_ROLES];
  gint64 sizes[GHLO_SPIRV_N_ROLES][3];
} Shape;

/* The order of a tensor's dimensions, each given by its role and its index in that role. */
typedef struct
{
  guint rank;
  struct { guint role, index; } dimensions[9];
} Order;

static inline void
append_role (Order       *self,
             const Shape *shape,
             guint        role)
{
  for (guint i = 0; i < shape->n[role]; i++, self->rank++)
    {
      self->dimensions[self->rank].role = role;
      self->dimensions[self->rank].index = i;
    }
}

static inline void
shuffle (Order *self)
{
  for (guint i = self->rank; i > 1; i--)
    {
      guint other = (guint) g_test_rand_int_range (0, (gint) i);
      Order kept = *self;

      self->dimensions[i - 1] = kept.dimensions[other];
      self->dimensions[other] = kept.dimensions[i - 1];
    }
}

static inline void
append_rest (Order       *self,
             const Order *operand,
             guint        role)
{
  for (guint i = 0; i < operand->rank; i++)
    if (operand->dimensions[i].role == role)
      self->dimensions[self->rank++] = operand->dimensions[i];
}

static inline char *
print_type (const Shape     *shape,
            const Order     *order,
            GhloElementType  type)
{
  g_autoptr (GString) text = g_string_new ("tensor<");

  for (guint i = 0; i < order->rank; i++)
    g_string_append_printf (text, "%" G_GINT64_FORMAT "x",
                            shape->sizes[order->dimensions[i].role][order->dimensions[i].index]);
  g_string_append_printf (text, "%s>", ghlo_element_info (type)->name);

  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* "name = [numbers] x [numbers], " */
static inline void
print_numbers (GString     *text,
               const char  *name,
               const Order *lhs,
               const Order *rhs,
               guint        role,
               guint        n)
{
  const Order *orders[] = { lhs, rhs };

  g_string_append_printf (text, "%s = [", name);
  for (guint o = 0; o < 2; o++)
    {
      for (guint i = 0; i < n; i++)
        for (guint d = 0; d < orders[o]->rank; d++)
          if (orders[o]->dimensions[d].role == role && orders[o]->dimensions[d].index == i)
            g_string_append_printf (text, "%s%u", i > 0 ? ", " : "", d);
      g_string_append (text, o == 0 ? "] x [" : "]");
    }
}

/* A program of one product with its operands' dimensions in any order. */
static inline char *
print_product (const Shape *shape,
               const Types *types)
{
  Order lhs = { 0 }, rhs = { 0 }, result = { 0 };
  g_autofree char *a = NULL, *b = NULL, *c = NULL;
  g_autoptr (GString) numbers = g_string_new (NULL);

  append_role (&lhs, shape, GHLO_SPIRV_BATCH);
  append_role (&lhs, shape, GHLO_SPIRV_ROWS);
  append_role (&lhs, shape, GHLO_SPIRV_INNER);
  shuffle (&lhs);
  append_role (&rhs, shape, GHLO_SPIRV_BATCH);
  append_role (&rhs, shape, GHLO_SPIRV_INNER);
  append_role (&rhs, shape, GHLO_SPIRV_COLUMNS);
  shuffle (&rhs);
  append_role (&result, shape, GHLO_SPIRV_BATCH);
  append_rest (&result, &lhs, GHLO_SPIRV_ROWS);
  append_rest (&result, &rhs, GHLO_SPIRV_COLUMNS);
  a = print_type (shape, &lhs, types->lhs);
  b = print_type (shape, &rhs, types->rhs);
  c = print_type (shape, &result, types->result);
  print_numbers (numbers, "batching_dims", &lhs, &rhs, GHLO_SPIRV_BATCH, shape->n[GHLO_SPIRV_BATCH]);
  g_string_append (numbers, ", ");
  print_numbers (numbers, "contracting_dims", &lhs, &rhs, GHLO_SPIRV_INNER, shape->n[GHLO_SPIRV_INNER]);

  return g_strdup_printf ("func.func @main(%%a: %s, %%b: %s) -> %s {\n"
                          "  %%0 = stablehlo.dot_general %%a, %%b, %s : (%s, %s) -> %s\n"
                          "  return %%0 : %s\n}\n", a, b, c, numbers->str, a, b, c, c);
}

/* The device, opened, shared by all tests; NULL where there is none, in which case the test is skipped. */
static inline GhloGpuDevice *
get_device (void)
{
  GhloGpuDevice *device = (GhloGpuDevice *) ghlo_devices_find ("vulkan");
  g_autoptr (GError) error = NULL;

  if (device != NULL && !ghlo_gpu_device_open (device, NULL, &error))
    g_error ("%s", error->message);
  if (device == NULL)
    g_test_skip ("there is no Vulkan device");

  return device;
}

/* Bit sets of element types and of splits. */
#define OF(type) ((guint64) 1 << GHLO_ELEMENT_TYPE_##type)
#define PLANES (1u << GHLO_SPIRV_ONE_PLANE | 1u << GHLO_SPIRV_TWO_PLANES | 1u << GHLO_SPIRV_TWO_PLANES_STEPWISE)
#define X3     (1u << GHLO_SPIRV_BF16_X3)

/* The same device with emulated matrices of all types: they use the code for real matrices except for the matrix
 * instructions. Operands of f32 are split as given by @splits. */
static inline GhloGpuDevice *
get_emulated (guint32 splits)
{
  static GhloGpuDevice emulated;
  const GhloGpuDevice *device = get_device ();

  if (device == NULL)
    return NULL;
  emulated = *device;
  emulated.emulates_matrices = TRUE;
  emulated.forced_splits = splits;
  emulated.vulkan.matrices = OF (BF16) | OF (F16) | OF (I8) | OF (UI8);

  return &emulated;
}

/* The device, where it has matrices of @types; operands of f32 are split as given by @splits. */
static inline GhloGpuDevice *
get_with_matrices (guint64 types,
                   guint32 splits)
{
  static GhloGpuDevice device;
  const GhloGpuDevice *found = get_device ();

  if (found == NULL || (found->vulkan.matrices & types) != types)
    {
      g_test_skip ("there is no device with cooperative matrices");
      return NULL;
    }
  device = *found;
  device.forced_splits = splits;

  return &device;
}

static inline guint64
upload (const GhloGpuDevice *device,
        const StepTensor    *tensor)
{
  GhloDeviceMemory *memory = device->vulkan.core.memory;
  g_autoptr (GError) error = NULL;
  gpointer address = memory->klass->alloc (memory, GHLO_MEMORY_DEVICE, tensor->n_bytes, NULL, &error);

  g_assert_no_error (error);
  memory->klass->upload (memory, tensor->memory + STEP_GUARD, address, tensor->n_bytes, FALSE, NULL, &error);
  g_assert_no_error (error);

  return ghlo_vulkan_address (address);
}

/* A view of a tensor whose first element is at @address in the device's memory. */
static inline GhloView
view_on (const StepTensor *tensor,
         guint64           address)
{
  GhloView view = tensor->view;

  view.data = GSIZE_TO_POINTER (address + (gsize) (tensor->view.data - tensor->memory - STEP_GUARD));

  return view;
}

/* Runs @compiled and copies the result back to its tensor. */
static inline void
run_compiled (const GhloGpuDevice          *device,
              const GhloStepImplementation *step,
              gpointer                      compiled,
              gsize                         scratch_size,
              const StepTensor             *tensors)
{
  GhloDeviceMemory *memory = device->vulkan.core.memory;
  guint64 addresses[3];
  GhloView views[3];
  g_autoptr (GError) error = NULL;
  gpointer scratch = memory->klass->alloc (memory, GHLO_MEMORY_DEVICE, MAX (scratch_size, 64), NULL, &error);

  g_assert_no_error (error);
  for (guint i = 0; i < 3; i++)
    {
      addresses[i] = upload (device, &tensors[i]);
      views[i] = view_on (&tensors[i], addresses[i]);
    }
  vulkan_program_run_step (device, step, compiled, views, 2, views + 2, 1, scratch, &error);
  g_assert_no_error (error);
  memory->klass->download (memory, GSIZE_TO_POINTER (addresses[2]), tensors[2].memory + STEP_GUARD, tensors[2].n_bytes,
                   NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 3; i++)
    memory->klass->free (memory, GSIZE_TO_POINTER (addresses[i]), tensors[i].n_bytes);
  memory->klass->free (memory, scratch, MAX (scratch_size, 64));
}

/* Validates each module once. Old validators do not know cooperative matrices. */
static inline void
validate (const GhloGpuDevice    *device,
          const GhloStepRequest  *request,
          gboolean                matrices,
          const char             *text)
{
  static GHashTable *seen;
  g_autofree GhloGpuProduct *product = g_new0 (GhloGpuProduct, 1);
  GBytes *words;

  g_assert_null (ghlo_gpu_product_read (product, device, request, matrices));
  if (product->shader.subgroup > 0 && !product->shader.is_emulated)
    return;
  words = ghlo_spirv_emit_product (&product->shader, &device->measured.floats);
  if (seen == NULL)
    seen = g_hash_table_new (g_bytes_hash, g_bytes_equal);
  if (g_hash_table_add (seen, words))
    shader_check_words (words, text);
}

/* Puts the result's dimensions into a random order, without gaps. */
static inline void
reorder (StepTensor *tensor)
{
  const guint rank = tensor->view.rank;
  guint order[9];
  gint64 stride = (gint64) ghlo_element_info (tensor->view.element_type)->size;

  for (guint i = 0; i < rank; i++)
    order[i] = i;
  for (guint i = rank; i > 1; i--)
    {
      guint other = (guint) g_test_rand_int_range (0, (gint) i), kept = order[i - 1];

      order[i - 1] = order[other];
      order[other] = kept;
    }
  for (guint i = 0; i < rank; i++)
    {
      tensor->strides[order[i]] = stride;
      stride *= MAX (tensor->dimensions[order[i]], 1);
    }
}

static inline GhloValue *
gather (const StepTensor *tensor,
        GhloTensorType   *type)
{
  GhloValue *value = ghlo_value_new_tensor (type, NULL);
  gsize size = ghlo_element_info (type->element_type)->size;
  StepWalk walk = step_walk_begin (&tensor->view);

  for (gsize i = 0; i < value->n_elements; i++, step_walk_on (&walk))
    memcpy (value->data + i * size, walk.element, size);

  return value;
}

typedef void (*FillFunc) (GhloValue *value);

/* The product of @text on the device, with its operands as they are or dense; also the operands, and the reference
 * executor's result where @expected is not NULL. */
static inline GhloValue *
compute_product (GhloGpuDevice     *device,
                 const char        *text,
                 FillFunc           fill,
                 gboolean           is_dense,
                 GhloValue        **expected,
                 GhloValue        **values)
{
  g_autoptr (GhloIrModule) module = parse (text);
  const GhloIrOp *op = step_find_op (module);
  const GhloStepImplementation *step = &ghlo_gpu_step_product;
  GhloStepOperandSelection operands[2] = { { 0 } };
  GhloStepSelection selection = { .operands = operands };
  g_autoptr (GhloTensorType) result_type = NULL;
  g_autoptr (GError) error = NULL;
  GhloValue *found;
  StepTensor tensors[3];
  GhloView views[3];
  guint32 alignments[3];
  GhloStepRequest request = { .op = op, .n_operands = 2, .n_results = 1, .operands = views, .results = views + 2,
                              .alignments = alignments };
  gpointer compiled;

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GhloTensorType) type = ghlo_ir_type_to_tensor_type (ghlo_ir_op_operand (op, i)->type);

      values[i] = ghlo_value_new_tensor (type, NULL);
      fill (values[i]);
      step_tensor_init (&tensors[i], type, !is_dense);
      step_tensor_fill (&tensors[i], values[i]);
    }
  result_type = ghlo_ir_type_to_tensor_type (op->results[0].type);
  if (expected != NULL)
    *expected = result_of (text, values, 2);
  step_tensor_init (&tensors[2], result_type, FALSE);
  if (!is_dense)
    reorder (&tensors[2]);
  for (guint i = 0; i < 3; i++)
    {
      views[i] = tensors[i].view;
      alignments[i] = is_dense ? 64 : ghlo_element_info (views[i].element_type)->size;
    }
  if (!ghlo_step_select (step, &device->vulkan.core, &request, &selection))
    g_error ("%s: %s", text, selection.reason);
  validate (device, &request, is_dense, text);
  compiled = ghlo_step_compile_request (step, &device->vulkan.core, &request, NULL, &error);
  g_assert_no_error (error);
  run_compiled (device, step, compiled, selection.scratch, tensors);
  ghlo_step_free (step, compiled);
  found = gather (&tensors[2], result_type);
  for (guint i = 0; i < 3; i++)
    step_tensor_clear (&tensors[i]);

  return found;
}

static inline void
check_product (GhloGpuDevice    *device,
               const char       *text,
               FillFunc          fill,
               double            tolerance,
               gboolean          is_dense)
{
  GhloValue *values[2];
  g_autoptr (GhloValue) expected = NULL, found = compute_product (device, text, fill, is_dense, &expected, values);

  step_compare (&(GhloView) { .data = found->data, .element_type = expected->type->element_type }, expected, tolerance,
                text);
  for (guint i = 0; i < 2; i++)
    ghlo_value_unref (values[i]);
}

/* Floats whose products and sums are exact, and any integers. */
static inline void
fill_exact (GhloValue *value)
{
  const GhloElementType type = value->type->element_type;

  for (gsize i = 0; i < value->n_elements; i++)
    if (ghlo_element_type_is_float (type))
      set_number (value, i, g_test_rand_int_range (-8, 9) / 4.0);
    else if (type == GHLO_ELEMENT_TYPE_I1)
      value->data[i] = g_test_rand_int_range (0, 4) == 0;
    else
      for (gsize j = 0; j < ghlo_element_info (type)->size; j++)
        value->data[i * ghlo_element_info (type)->size + j] = (guint8) g_test_rand_int_range (0, 256);
}

static inline void
check_shape (GhloGpuDevice    *device,
             gint64            batch,
             gint64            rows,
             gint64            columns,
             gint64            inner,
             const Types      *types,
             FillFunc          fill,
             double            tolerance)
{
  const Shape shape = { { 1, 1, 1, 1 }, { { batch }, { rows }, { columns }, { inner } } };
  g_autofree char *text = print_product (&shape, types);

  check_product (device, text, fill, tolerance, TRUE);
}

/* A product of dense tensors, for questions about its implementation. */
typedef struct
{
  GhloIrModule            *module;
  StepTensor               tensors[3];
  GhloView                 views[3];
  GhloStepOperandSelection operands[2];
  GhloStepRequest          request;
} Question;

static inline void
question_init (Question   *self,
               const char *text)
{
  const GhloIrOp *op;

  *self = (Question) { .module = parse (text) };
  op = step_find_op (self->module);
  for (guint i = 0; i < 3; i++)
    {
      const GhloIrValue *value = i < 2 ? ghlo_ir_op_operand (op, i) : &op->results[0];
      g_autoptr (GhloTensorType) type = ghlo_ir_type_to_tensor_type (value->type);

      step_tensor_init (&self->tensors[i], type, FALSE);
      self->views[i] = self->tensors[i].view;
    }
  self->request = (GhloStepRequest) { .op = op, .n_operands = 2, .n_results = 1, .operands = self->views,
                                      .results = self->views + 2 };
}

static inline void
question_clear (Question *self)
{
  for (guint i = 0; i < 3; i++)
    step_tensor_clear (&self->tensors[i]);
  g_clear_pointer (&self->module, ghlo_ir_module_unref);
}

/* A program of two matrices, either of which may be transposed. */
static inline char *
print_matrices (gint64       m,
                gint64       n,
                gint64       k,
                const Types *types,
                const char  *precision,
                gboolean     is_lhs_transposed,
                gboolean     is_rhs_transposed)
{
  const Shape shape = { { 0, 1, 1, 1 }, { { 0 }, { m }, { n }, { k } } };
  const Order lhs = { 2, { { is_lhs_transposed ? GHLO_SPIRV_INNER : GHLO_SPIRV_ROWS, 0 },
                           { is_lhs_transposed ? GHLO_SPIRV_ROWS : GHLO_SPIRV_INNER, 0 } } };
  const Order rhs = { 2, { { is_rhs_transposed ? GHLO_SPIRV_COLUMNS : GHLO_SPIRV_INNER, 0 },
                           { is_rhs_transposed ? GHLO_SPIRV_INNER : GHLO_SPIRV_COLUMNS, 0 } } };
  const Order result = { 2, { { GHLO_SPIRV_ROWS, 0 }, { GHLO_SPIRV_COLUMNS, 0 } } };
  g_autofree char *a = print_type (&shape, &lhs, types->lhs), *b = print_type (&shape, &rhs, types->rhs);
  g_autofree char *c = print_type (&shape, &result, types->result);

  return g_strdup_printf ("func.func @main(%%a: %s, %%b: %s) -> %s {\n"
                          "  %%0 = stablehlo.dot_general %%a, %%b, contracting_dims = [%u] x [%u], "
                          "precision = [%s, %s] : (%s, %s) -> %s\n  return %%0 : %s\n}\n", a, b, c,
                          is_lhs_transposed ? 0 : 1, is_rhs_transposed ? 1 : 0, precision, precision, a, b, c, c);
}

G_END_DECLS
