/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Custom calls with a partitioner. The partitioner gets the shapes and shardings of operands and results, and returns
 * a program for their shards and the shardings that it needs. That program becomes the body of a call like those of
 * manual computations, along all axes.
 */

#include "pjrt/partition/partitioners.h"

#include "base/fail.h"
#include "compiler/read-module.h"
#include "passes/walk.h"
#include "pjrt/callbacks.h"
#include "pjrt/element-type.h"
#include "pjrt/error.h"
#include "pjrt/executable.h"
#include "pjrt/ffi/ffi.h"
#include "pjrt/layouts.h"
#include "pjrt/partition/manual-call.h"
#include "pjrt/sharding/op-sharding.h"

#define TARGET "ghlo.custom_partitioning"

/* The description of a value for partitioners. */
typedef struct
{
  GhloTensorType *type;         /* owned, as are the fields below */
  GBytes         *shape;
  GBytes         *sharding;
} Tensor;

typedef struct
{
  GhloIrOp *op;
  Tensor   *tensors;            /* owned; of the operands, then of the results */
  guint     n_tensors;
} Call;

static const char *
get_name (const GhloIrOp *op)
{
  return op->kind == GHLO_OP_STABLEHLO_CUSTOM_CALL ? ghlo_ir_op_get_string (op, "call_target_name") : NULL;
}

static gboolean
is_partitioned (const GhloIrOp *op)
{
  return ghlo_pjrt_partitioner_find (get_name (op)) != NULL;
}

gboolean
ghlo_pjrt_has_partitioned_calls (const GhloIrModule *module)
{
  for (const GhloIrOp *op = module->op; op != NULL; op = ghlo_pass_next_op (op, module->op))
    if (is_partitioned (op))
      return TRUE;

  return FALSE;
}

static void
call_free (gpointer data)
{
  Call *self = data;

  for (guint i = 0; i < self->n_tensors; i++)
    {
      g_clear_pointer (&self->tensors[i].type, ghlo_tensor_type_unref);
      g_clear_pointer (&self->tensors[i].shape, g_bytes_unref);
      g_clear_pointer (&self->tensors[i].sharding, g_bytes_unref);
    }
  g_free (self->tensors);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Call, call_free)

static gboolean
describe_tensor (Tensor               *self,
                 const GhloIrValue    *value,
                 GhloPjrtPropagation  *propagation,
                 guint                 n_partitions,
                 GError              **error)
{
  g_autoptr (GhloPjrtSharding) sharding = NULL;

  if (ghlo_ir_type_is_numbers (value->type))
    self->type = ghlo_ir_type_to_tensor_type (value->type);
  if (self->type == NULL)
    {
      g_autofree char *found = ghlo_ir_type_to_string (value->type);

      return ghlo_unsupported (error, "expected tensors of static shapes, found %s", found);
    }
  sharding = ghlo_pjrt_propagation_get_value (propagation, value, self->type);
  if (sharding == NULL)
    sharding = ghlo_pjrt_sharding_new_whole (self->type, n_partitions);
  self->sharding = g_bytes_ref (sharding->bytes);
  self->shape = ghlo_pjrt_shape_write (ghlo_pjrt_element_type_to (self->type->element_type), self->type->dimensions,
                                       ghlo_pjrt_layout_get_order (ghlo_pjrt_layout_row_major (self->type->rank)),
                                       self->type->rank);

  return TRUE;
}

/* Describes a call. All calls are described before any is replaced, since @propagation does not know their
 * replacements. */
static Call *
call_new (GhloIrOp             *op,
          GhloPjrtPropagation  *propagation,
          guint                 n_partitions,
          GError              **error)
{
  g_autoptr (Call) self = g_new0 (Call, 1);

  self->op = op;
  self->n_tensors = op->n_operands + op->n_results;
  self->tensors = g_new0 (Tensor, MAX (self->n_tensors, 1));
  for (guint i = 0; i < self->n_tensors; i++)
    if (!describe_tensor (&self->tensors[i], i < op->n_operands ? ghlo_ir_op_operand (op, i)
                                                                 : &op->results[i - op->n_operands],
                          propagation, n_partitions, error))
      return NULL;

  return g_steal_pointer (&self);
}

static JAX_CustomCallPartitioner_string
borrow (GBytes *bytes)
{
  JAX_CustomCallPartitioner_string string;

  string.data = g_bytes_get_data (bytes, &string.size);

  return string;
}

static JAX_CustomCallPartitioner_aval
describe (const Tensor *tensor)
{
  return (JAX_CustomCallPartitioner_aval) {
    .shape = borrow (tensor->shape), .has_sharding = true, .sharding = borrow (tensor->sharding),
  };
}

/* Describes the results as one: any number other than one becomes a tuple. */
static Tensor
pack_results (const Call *self)
{
  const guint n = self->op->n_results;
  const Tensor *results = self->tensors + self->op->n_operands;
  g_autofree GBytes **shapes = g_new (GBytes *, MAX (n, 1)), **shardings = g_new (GBytes *, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    {
      shapes[i] = results[i].shape;
      shardings[i] = results[i].sharding;
    }
  if (n == 1)
    return (Tensor) { NULL, g_bytes_ref (shapes[0]), g_bytes_ref (shardings[0]) };

  return (Tensor) { NULL, ghlo_pjrt_shape_write_tuple (shapes, n), ghlo_pjrt_op_sharding_tuple (shardings, n) };
}

static GhloPjrtCursor
read_string (JAX_CustomCallPartitioner_string string)
{
  const guint8 *data = (const guint8 *) string.data;

  return (GhloPjrtCursor) { data, data != NULL ? data + string.size : NULL };
}

static gboolean
read_sharding (GhloPjrtCursor     message,
               const Tensor      *tensor,
               guint              n_partitions,
               GhloPjrtSharding **sharding,
               GError           **error)
{
  *sharding = ghlo_pjrt_op_sharding_read (message, tensor->type, n_partitions, error);

  return *sharding != NULL;
}

/* Reads the shardings that the partitioner needs for operands and results. */
static gboolean
read_shardings (const Call                                      *self,
                const JAX_CustomCallPartitioner_Partition_Args  *args,
                GhloPjrtManual                                  *manual,
                guint                                            n_partitions,
                GError                                         **error)
{
  const guint n = self->op->n_results;
  g_autofree GhloPjrtCursor *results = g_new (GhloPjrtCursor, MAX (n, 1));

  results[0] = read_string (args->result_sharding);
  if (self->op->n_operands > 0 && args->args_sharding == NULL)
    return ghlo_invalid (error, "expected a sharding for each operand, found none");
  if (n != 1 && !ghlo_pjrt_op_sharding_elements (results[0], results, n, error))
    return FALSE;
  for (guint i = 0; i < self->op->n_operands; i++)
    if (!read_sharding (read_string (args->args_sharding[i]), &self->tensors[i], n_partitions, &manual->arguments[i],
                        error))
      return FALSE;
  for (guint i = 0; i < n; i++)
    if (!read_sharding (results[i], &self->tensors[self->op->n_operands + i], n_partitions, &manual->results[i], error))
      return FALSE;

  return TRUE;
}

static gboolean
is_part (const GhloIrType       *type,
         const GhloPjrtSharding *sharding)
{
  g_autoptr (GhloTensorType) found = ghlo_ir_type_is_numbers (type) ? ghlo_ir_type_to_tensor_type (type) : NULL;

  return found != NULL && ghlo_tensor_type_equal (found, sharding->part);
}

/* Checks that @module's program takes and returns shards according to the partitioner's shardings. */
static gboolean
check_program (GhloIrModule          *module,
               const GhloPjrtManual  *manual,
               GError               **error)
{
  GhloSignature signature;
  gboolean fits;

  if (!ghlo_signature_init (&signature, module, error))
    return FALSE;
  fits = signature.type->rank == manual->n_arguments && signature.type->n_results == manual->n_results;
  for (guint i = 0; fits && i < manual->n_arguments; i++)
    fits = is_part (signature.type->members[i], manual->arguments[i]);
  for (guint i = 0; fits && i < manual->n_results; i++)
    fits = is_part (signature.type->members[manual->n_arguments + i], manual->results[i]);

  return fits || ghlo_invalid (error, "expected a program on shards of the shapes that the shardings give");
}

/* Makes each partition a position of its own. */
static void
set_positions (GhloPjrtPositions *self,
               guint              n)
{
  *self = (GhloPjrtPositions) {
    .n_partitions = n, .n = n, .offsets = g_new (guint, n), .positions = g_new (guint, n),
    .partitions = g_new (guint, n), .places = g_new (guint, n),
  };
  for (guint i = 0; i < n; i++)
    self->offsets[i] = self->positions[i] = self->partitions[i] = self->places[i] = i;
}

static gboolean
compile_program (GhloPjrtManual            *manual,
                 const GhloCompileRequest  *request,
                 GBytes                    *bytes,
                 gboolean                  *have_effects,
                 GError                   **error)
{
  g_autoptr (GhloIrModule) module = ghlo_read_program (bytes, "partition", NULL, NULL, error);
  g_autoptr (GhloCustomTargets) targets = NULL;
  GhloCompileRequest body = *request;
  gboolean calls_for_effects = FALSE;

  if (module == NULL || !check_program (module, manual, error)
      || !ghlo_pjrt_callbacks_find (module, &targets, &calls_for_effects, error))
    return FALSE;
  *have_effects |= calls_for_effects | ghlo_pjrt_ffi_add_targets (module, &targets);
  body.custom_targets = targets;
  for (guint i = 0; i < manual->n_results; i++)
    manual->sources[i].index = i;
  manual->n_taken = manual->n_arguments;
  manual->taken = g_new (guint, MAX (manual->n_taken, 1));
  for (guint i = 0; i < manual->n_taken; i++)
    manual->taken[i] = i;

  return ghlo_pjrt_manual_compile (manual, &body, module, error);
}

/* Reads the partitioner's answer, and frees it afterwards. */
static gboolean
take_answer (const Call                                *self,
             JAX_CustomCallPartitioner_Partition_Args  *args,
             GhloPjrtManual                            *manual,
             guint                                      n_partitions,
             GBytes                                   **program,
             GError                                   **error)
{
  const JAX_CustomCallPartitioner_version_and_error *header = &args->header;
  gboolean ok = !header->has_error;

  if (header->has_error)
    g_propagate_error (error, ghlo_pjrt_error_of_code (header->code, header->error_msg.data, header->error_msg.size));
  else
    ok = read_shardings (self, args, manual, n_partitions, error);
  *program = ok ? g_bytes_new (args->mlir_module.data, args->mlir_module.size) : NULL;
  if (header->cleanup_fn != NULL)
    header->cleanup_fn (header->data);

  return ok;
}

static gboolean
ask (const Call      *self,
     GhloPjrtManual  *manual,
     guint            n_partitions,
     GBytes         **program,
     GError         **error)
{
  JAX_CustomCallPartitioner_Callbacks *partitioner = ghlo_pjrt_partitioner_find (get_name (self->op));
  const GhloIrAttr *config = ghlo_ir_op_get (self->op, "backend_config");
  g_autofree JAX_CustomCallPartitioner_aval *operands = g_new (JAX_CustomCallPartitioner_aval, self->n_tensors + 1);
  Tensor results = pack_results (self);
  JAX_CustomCallPartitioner_Partition_Args args = {
    .num_args = self->op->n_operands, .op_args = operands, .op_result = describe (&results),
  };

  for (guint i = 0; i < self->op->n_operands; i++)
    operands[i] = describe (&self->tensors[i]);
  if (config != NULL && config->kind == GHLO_IR_ATTR_STRING)
    args.backend_config = (JAX_CustomCallPartitioner_string) { config->text, config->length };
  partitioner->partition (partitioner, &args);
  g_bytes_unref (results.shape);
  g_bytes_unref (results.sharding);

  return take_answer (self, &args, manual, n_partitions, program, error);
}

static gboolean
replace (const Call          *self,
         GhloCompileRequest  *request,
         guint                n_partitions,
         guint                number,
         gboolean            *have_effects,
         GError             **error)
{
  g_autoptr (GhloPjrtManual) manual = ghlo_pjrt_manual_new (self->op);
  g_autofree char *name = g_strdup_printf (TARGET ".%u", number);
  g_autoptr (GBytes) program = NULL;

  set_positions (&manual->positions, n_partitions);
  if (!ask (self, manual, n_partitions, &program, error)
      || !compile_program (manual, request, program, have_effects, error))
    return FALSE;
  ghlo_pjrt_manual_replace_op (g_steal_pointer (&manual), request, self->op, name);

  return TRUE;
}

/* Sets UNSUPPORTED in a manual computation, since its partitions, which differ along some axes only, would have to
 * be partitioned further. */
static gboolean
check_place (const GhloIrOp  *op,
             GError         **error)
{
  for (const GhloIrOp *outer = op; outer != NULL; outer = ghlo_ir_op_get_parent (outer))
    if (outer->kind == GHLO_OP_SDY_MANUAL_COMPUTATION)
      return ghlo_unsupported (error, "not supported in a manual computation");

  return TRUE;
}

static gboolean
list_calls (GhloIrModule         *module,
            GhloPjrtPropagation  *propagation,
            guint                 n_partitions,
            GPtrArray            *calls,
            GError              **error)
{
  /* Other functions are not run: their calls have been inlined. */
  const GhloIrOp *entry = ghlo_ir_module_get_entry (module);

  for (GhloIrOp *op = ghlo_pass_next_op (entry, entry); op != NULL; op = ghlo_pass_next_op (op, entry))
    {
      Call *call;

      if (!is_partitioned (op))
        continue;
      call = check_place (op, error) ? call_new (op, propagation, n_partitions, error) : NULL;
      if (call == NULL)
        {
          g_prefix_error (error, "custom call '%s', which has a partitioner: ", get_name (op));
          return FALSE;
        }
      g_ptr_array_add (calls, call);
    }

  return TRUE;
}

gboolean
ghlo_pjrt_partition_calls (GhloCompileRequest   *request,
                           GhloPjrtPropagation  *propagation,
                           guint                 n_partitions,
                           guint                *n_calls,
                           gboolean             *have_effects,
                           GError              **error)
{
  g_autoptr (GPtrArray) calls = g_ptr_array_new_with_free_func (call_free);

  if (!list_calls (request->module, propagation, n_partitions, calls, error))
    return FALSE;
  *n_calls = calls->len;
  for (guint i = 0; i < calls->len; i++)
    {
      const Call *call = calls->pdata[i];
      g_autofree char *name = g_strdup (get_name (call->op));

      if (replace (call, request, n_partitions, i, have_effects, error))
        continue;
      g_prefix_error (error, "custom call '%s', partitioned by the application: ", name);
      return FALSE;
    }

  return TRUE;
}
