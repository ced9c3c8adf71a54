/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Calls of handlers. Each custom call of a program is a site, with attributes of its own and the state that the handler
 * made for it when the site was first reached; both are there as long as the program is. A call has a buffer for each
 * operand and result, in the layout that the program says, and goes through the stages of the handler.
 */

#include <string.h>

#include "base/ghlo-error.h"
#include "ir/attr.h"
#include "pjrt/buffer.h"
#include "pjrt/ffi/functions.h"
#include "pjrt/ffi/attributes.h"
#include "pjrt/ffi/ffi.h"

typedef struct
{
  GPtrArray        *memory;     /* owned: of attributes */
  XLA_FFI_Attrs     attributes;
  GhloPjrtFfiState  state;
} Site;

/* The calls of one handler by one program. */
typedef struct
{
  const GhloPjrtFfiHandler *handler;
  GMutex                    lock;
  GHashTable               *sites;      /* Site by GhloIrOp */
} Program;

static void
site_free (gpointer data)
{
  Site *self = data;

  ghlo_pjrt_ffi_state_clear (&self->state);
  g_ptr_array_unref (self->memory);
  g_free (self);
}

static void
program_free (gpointer data)
{
  Program *self = data;

  g_hash_table_unref (self->sites);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* Nothing where the handler has nothing to do at that stage. */
static gboolean
run_stage (const GhloPjrtFfiHandler  *handler,
           XLA_FFI_ExecutionStage     stage,
           XLA_FFI_CallFrame         *frame,
           GError                   **error)
{
  XLA_FFI_Error *problem;

  if (handler->stages[stage] == NULL)
    return TRUE;
  frame->stage = stage;
  frame->future = NULL;
  problem = handler->stages[stage] (frame);
  if (problem != NULL)
    {
      ghlo_pjrt_ffi_propagate (error, problem);
      return FALSE;
    }

  return frame->future == NULL || ghlo_pjrt_ffi_await (frame->future, error);
}

static Site *
make_site (const GhloPjrtFfiHandler  *handler,
           const GhloIrOp            *op,
           GError                   **error)
{
  Site *self = g_new0 (Site, 1);
  XLA_FFI_ExecutionContext context;
  XLA_FFI_CallFrame frame;
  gboolean ok;

  self->memory = g_ptr_array_new_with_free_func (g_free);
  ghlo_pjrt_ffi_context_init (&context, NULL);
  context.states[XLA_FFI_ExecutionStage_INSTANTIATE] = &self->state;
  ok = ghlo_pjrt_ffi_read_attributes (op, self->memory, &self->attributes, error);
  if (ok)
    {
      frame = (XLA_FFI_CallFrame) {
        .struct_size = XLA_FFI_SIZE (XLA_FFI_CallFrame, attrs), .api = ghlo_pjrt_ffi_api (), .ctx = &context,
        .attrs = self->attributes,
        .args.struct_size = sizeof frame.args, .rets.struct_size = sizeof frame.rets,
      };
      ok = run_stage (handler, XLA_FFI_ExecutionStage_INSTANTIATE, &frame, error);
    }
  ghlo_pjrt_ffi_context_clear (&context);
  if (!ok)
    {
      site_free (self);
      return NULL;
    }

  return self;
}

/* Made when it is first reached, with those beside it waiting. */
static Site *
get_site (Program         *program,
          const GhloIrOp  *op,
          GError         **error)
{
  Site *site;

  g_mutex_lock (&program->lock);
  site = g_hash_table_lookup (program->sites, op);
  if (site == NULL)
    {
      site = make_site (program->handler, op, error);
      if (site != NULL)
        g_hash_table_insert (program->sites, (gpointer) op, site);
    }
  g_mutex_unlock (&program->lock);

  return site;
}

/* The order of dimensions of an operand or result from the fastest on, which the caller frees; NULL where they are in
 * the order of rows. */
static gint64 *
read_order (const GhloIrOp *op,
            const char     *name,
            guint           index)
{
  const GhloIrAttr *layouts = ghlo_ir_op_get (op, name);
  g_autofree gint64 *order = NULL;
  gsize n;

  if (layouts == NULL || index >= layouts->length || !ghlo_ir_dense_to_int64 (layouts->children[index], &order, &n))
    return NULL;
  for (gsize i = 0; i < n; i++)
    if (order[i] != (gint64) (n - 1 - i))
      return g_steal_pointer (&order);

  return NULL;
}

/* Fills the bytes between neighbours of each dimension, which lie in @order. */
static void
find_strides (const GhloTensorType *type,
              const gint64         *order,
              gint64               *strides)
{
  const gint64 *dimensions = ghlo_tensor_type_get_dimensions (type, NULL);
  gint64 stride = ghlo_element_info (ghlo_tensor_type_get_element_type (type))->size;

  for (guint i = 0; i < ghlo_tensor_type_get_rank (type); i++)
    {
      strides[order[i]] = stride;
      stride *= dimensions[order[i]];
    }
}

/* A copy of @value whose rows, as NumPy would see them, lie in @order. */
static GhloValue *
lay_out (GhloValue     *value,
         const gint64  *order,
         GError       **error)
{
  const guint rank = ghlo_tensor_type_get_rank (value->type);
  const gint64 *dimensions = ghlo_tensor_type_get_dimensions (value->type, NULL);
  g_autofree gint64 *rows = g_new (gint64, rank), *strides = g_new (gint64, rank);
  g_autofree gint64 *turned = g_new (gint64, rank), *turned_strides = g_new (gint64, rank);
  g_autoptr (GhloTensorType) type = NULL;

  for (guint i = 0; i < rank; i++)
    rows[i] = rank - 1 - i;
  find_strides (value->type, rows, strides);
  for (guint i = 0; i < rank; i++)
    {
      turned[i] = dimensions[order[rank - 1 - i]];
      turned_strides[i] = strides[order[rank - 1 - i]];
    }
  type = ghlo_tensor_type_new (ghlo_tensor_type_get_element_type (value->type), turned, rank);

  return ghlo_value_new_copied (type, value->data, turned_strides, error);
}

/* One call. */
typedef struct
{
  const GhloCustomCallFrame *frame;
  GPtrArray                 *memory;            /* owned: of buffers */
  GPtrArray                 *copies;            /* owned: GhloValue, of operands that lie otherwise */
  GhloValue                **results;           /* as the handler writes them; NULL for tokens */
  XLA_FFI_CallFrame          call;
} Call;

static gpointer
keep (GPtrArray *memory,
      gpointer   block)
{
  g_ptr_array_add (memory, block);

  return block;
}

/* NULL with @error set where handlers have no such type. @type NULL: a token. */
static XLA_FFI_Buffer *
make_buffer (Call                  *self,
             const GhloTensorType  *type,
             void                  *data,
             GError               **error)
{
  XLA_FFI_Buffer *buffer = keep (self->memory, g_new0 (XLA_FFI_Buffer, 1));

  *buffer = (XLA_FFI_Buffer) { .struct_size = sizeof *buffer, .dtype = XLA_FFI_DataType_TOKEN };
  if (type == NULL)
    return buffer;
  buffer->dtype = ghlo_pjrt_ffi_type_of (ghlo_tensor_type_get_element_type (type));
  buffer->data = data;
  buffer->rank = ghlo_tensor_type_get_rank (type);
  buffer->dims = (int64_t *) ghlo_tensor_type_get_dimensions (type, NULL);
  if (buffer->dtype == XLA_FFI_DataType_INVALID || ghlo_tensor_type_is_quantized (type))
    {
      g_autofree char *found = ghlo_tensor_type_to_string (type);

      g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED,
                   "expected elements of whole bytes in a handler's operands and results, found %s", found);
      return NULL;
    }

  return buffer;
}

static gboolean
add_operand (Call     *self,
             guint     index,
             GError  **error)
{
  GhloValue *value = self->frame->operands[index];
  g_autofree gint64 *order = NULL;

  self->call.args.types[index] = XLA_FFI_ArgType_BUFFER;
  if (value->kind == GHLO_VALUE_TENSOR)
    {
      order = read_order (self->frame->op, "operand_layouts", index);
      if (order != NULL)
        {
          value = lay_out (value, order, error);
          if (value == NULL)
            return FALSE;
          g_ptr_array_add (self->copies, value);
        }
    }
  self->call.args.args[index] = make_buffer (self, value->kind == GHLO_VALUE_TENSOR ? value->type : NULL, value->data,
                                             error);

  return self->call.args.args[index] != NULL;
}

/* FALSE with @error set for what is neither a token nor of static shape. */
static gboolean
make_result (Call     *self,
             guint     index,
             GError  **error)
{
  const GhloIrType *type = self->frame->op->results[index].type;
  g_autoptr (GhloTensorType) tensor = NULL;

  self->call.rets.types[index] = XLA_FFI_RetType_BUFFER;
  if (type->kind != GHLO_IR_TYPE_TOKEN)
    {
      if (ghlo_ir_type_is_numbers (type) && ghlo_ir_type_has_static_shape (type))
        tensor = ghlo_ir_type_to_tensor_type (type);
      if (tensor == NULL)
        {
          g_autofree char *text = ghlo_ir_type_to_string (type);

          g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED,
                       "expected tensors of static shapes or tokens as results of a handler, found %s", text);
          return FALSE;
        }
      self->results[index] = ghlo_value_new_uninitialized (tensor, error);
      if (self->results[index] == NULL)
        return FALSE;
    }
  self->call.rets.rets[index] = make_buffer (self, tensor, tensor != NULL ? self->results[index]->data : NULL, error);

  return self->call.rets.rets[index] != NULL;
}

/* A handler finds an operand that a result shares memory with in the result's. */
static void
share (Call *self)
{
  const GhloIrAttr *aliases = ghlo_ir_op_get (self->frame->op, "output_operand_aliases");

  for (gsize i = 0; aliases != NULL && i < aliases->length; i++)
    {
      gsize n;
      const gint64 *indices = ghlo_ir_struct_get_dims (aliases->children[i], "output_tuple_indices", &n);
      XLA_FFI_Buffer *operand = self->call.args.args[ghlo_ir_struct_get_int (aliases->children[i], "operand_index")];
      GhloValue *result = self->results[n > 0 ? indices[0] : 0];

      if (result == NULL || operand->data == NULL)
        continue;
      memcpy (result->data, operand->data, result->n_bytes);
      operand->data = result->data;
    }
}

/* Gives the results to the program, by rows. */
static gboolean
give_results (Call    *self,
              GError **error)
{
  for (guint i = 0; i < self->frame->op->n_results; i++)
    {
      g_autofree gint64 *order = read_order (self->frame->op, "result_layouts", i), *strides = NULL;
      GhloValue *result = self->results[i];

      if (result == NULL)
        {
          self->frame->results[i] = ghlo_value_new_token ();
          continue;
        }
      ghlo_pjrt_buffer_tidy (result);
      if (order != NULL)
        {
          strides = g_new (gint64, ghlo_tensor_type_get_rank (result->type));
          find_strides (result->type, order, strides);
          self->frame->results[i] = ghlo_value_new_copied (result->type, result->data, strides, error);
        }
      else
        self->frame->results[i] = g_steal_pointer (&self->results[i]);
      if (self->frame->results[i] == NULL)
        return FALSE;
    }

  return TRUE;
}

static gboolean
make_buffers (Call    *self,
              GError **error)
{
  const GhloIrOp *op = self->frame->op;
  XLA_FFI_Args *args = &self->call.args;
  XLA_FFI_Rets *rets = &self->call.rets;

  *args = (XLA_FFI_Args) {
    .struct_size = sizeof *args, .size = op->n_operands,
    .types = keep (self->memory, g_new (XLA_FFI_ArgType, op->n_operands + 1)),
    .args = keep (self->memory, g_new (void *, op->n_operands + 1)),
  };
  *rets = (XLA_FFI_Rets) {
    .struct_size = sizeof *rets, .size = op->n_results,
    .types = keep (self->memory, g_new (XLA_FFI_RetType, op->n_results + 1)),
    .rets = keep (self->memory, g_new (void *, op->n_results + 1)),
  };
  for (guint i = 0; i < op->n_operands; i++)
    if (!add_operand (self, i, error))
      return FALSE;
  for (guint i = 0; i < op->n_results; i++)
    if (!make_result (self, i, error))
      return FALSE;
  share (self);

  return TRUE;
}

static gboolean
run (Call                      *self,
     const GhloPjrtFfiHandler  *handler,
     Site                      *site,
     GError                   **error)
{
  GhloPjrtFfiState prepared = { 0 }, initialized = { 0 };
  XLA_FFI_ExecutionContext context;
  gboolean ok;

  ghlo_pjrt_ffi_context_init (&context, self->frame);
  context.states[XLA_FFI_ExecutionStage_INSTANTIATE] = &site->state;
  context.states[XLA_FFI_ExecutionStage_PREPARE] = &prepared;
  context.states[XLA_FFI_ExecutionStage_INITIALIZE] = &initialized;
  self->call.struct_size = XLA_FFI_SIZE (XLA_FFI_CallFrame, attrs);
  self->call.api = ghlo_pjrt_ffi_api ();
  self->call.ctx = &context;
  self->call.attrs = site->attributes;
  ok = run_stage (handler, XLA_FFI_ExecutionStage_PREPARE, &self->call, error)
       && run_stage (handler, XLA_FFI_ExecutionStage_INITIALIZE, &self->call, error)
       && run_stage (handler, XLA_FFI_ExecutionStage_EXECUTE, &self->call, error);
  ghlo_pjrt_ffi_state_clear (&initialized);
  ghlo_pjrt_ffi_state_clear (&prepared);
  ghlo_pjrt_ffi_context_clear (&context);

  return ok;
}

static gboolean
answer (gpointer                    data,
        const GhloCustomCallFrame  *frame,
        GError                    **error)
{
  Program *program = data;
  Site *site = get_site (program, frame->op, error);
  Call self = { .frame = frame };
  gboolean ok;

  if (site == NULL)
    return FALSE;
  self.memory = g_ptr_array_new_with_free_func (g_free);
  self.copies = g_ptr_array_new_with_free_func ((GDestroyNotify) ghlo_value_unref);
  self.results = g_new0 (GhloValue *, frame->op->n_results);
  ok = make_buffers (&self, error) && run (&self, program->handler, site, error) && give_results (&self, error);
  ghlo_values_clear (self.results, frame->op->n_results);
  g_free (self.results);
  g_ptr_array_unref (self.copies);
  g_ptr_array_unref (self.memory);

  return ok;
}

/* The handler of @op; NULL where it calls none. */
static const GhloPjrtFfiHandler *
find_handler (const GhloIrOp *op)
{
  const char *name = op->kind == GHLO_OP_STABLEHLO_CUSTOM_CALL ? ghlo_ir_op_get_string (op, "call_target_name") : NULL;

  return name != NULL ? ghlo_pjrt_ffi_find (name) : NULL;
}

static gboolean
add_targets (const GhloIrOp      *op,
             GhloCustomTargets  **targets)
{
  const GhloPjrtFfiHandler *handler = find_handler (op);
  gboolean found = handler != NULL;

  if (handler != NULL && ghlo_custom_targets_find (*targets, handler->name) == NULL)
    {
      Program *program = g_new0 (Program, 1);
      g_autoptr (GhloCustomTarget) target = ghlo_custom_target_new (handler->name, answer, program, program_free);
      GhloCustomTargets *before = *targets;

      program->handler = handler;
      g_mutex_init (&program->lock);
      program->sites = g_hash_table_new_full (NULL, NULL, NULL, site_free);
      *targets = ghlo_custom_targets_with (before, target);
      g_clear_pointer (&before, ghlo_custom_targets_unref);
    }
  for (guint i = 0; i < op->n_regions; i++)
    for (const GhloIrBlock *block = op->regions[i].first; block != NULL; block = block->next)
      for (const GhloIrOp *inner = block->first; inner != NULL; inner = inner->next)
        found |= add_targets (inner, targets);

  return found;
}

gboolean
ghlo_pjrt_ffi_add_targets (const GhloIrModule  *module,
                           GhloCustomTargets  **targets)
{
  return add_targets (module->op, targets);
}
