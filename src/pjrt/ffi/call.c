/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Calls of handlers. Each custom call of a program is a site, with its attributes and the state that the handler
 * created when the site was first reached. Both live as long as the program. A call has a buffer for each operand and
 * result, in the layout that the program specifies, and goes through the stages of the handler.
 */

#include <string.h>

#include "base/ghlo-error.h"
#include "base/sizes.h"
#include "ir/attr.h"
#include "passes/walk.h"
#include "pjrt/buffer.h"
#include "pjrt/ffi/functions.h"
#include "pjrt/ffi/attributes.h"
#include "pjrt/ffi/ffi.h"
#include "pjrt/layouts.h"

typedef struct
{
  GPtrArray        *memory;     /* owned: the blocks of the attributes */
  XLA_FFI_Attrs     attributes;
  GhloPjrtFfiState  state;
} Site;

/* The calls of one handler by one program. */
typedef struct
{
  const GhloPjrtFfiHandler *handler;
  GMutex                    lock;
  GHashTable               *sites;      /* GhloIrOp → Site, owned */
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

/* Runs one stage. Succeeds at once when the handler has no function for it. */
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

/* Returns the site of @op, which is created when it is first reached; concurrent calls wait for that. */
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

/* Returns the layout of an operand or result; NULL when it is row-major. */
static PJRT_Layouts_MemoryLayout *
read_layout (const GhloIrOp *op,
             const char     *name,
             guint           index)
{
  const GhloIrAttr *layouts = ghlo_ir_op_get (op, name);
  g_autofree gint64 *inwards = NULL;
  PJRT_Layouts_MemoryLayout *layout;
  gsize n;

  if (layouts == NULL || index >= layouts->length || !ghlo_ir_dense_to_int64 (layouts->children[index], &inwards, &n))
    return NULL;
  layout = ghlo_pjrt_layout_new (inwards, n, NULL);

  return layout != NULL && !ghlo_pjrt_layout_is_row_major (layout) ? layout : NULL;
}

/* One call. */
typedef struct
{
  const GhloCustomCallFrame *frame;
  GPtrArray                 *memory;            /* owned: the blocks of the buffers */
  GPtrArray                 *copies;            /* owned: of GhloValue, copies of operands whose layout is not
                                                   row-major */
  GhloValue                **results;           /* owned with its members; in the layouts in which the handler writes
                                                   them */
  XLA_FFI_CallFrame          call;
} Call;

/* Creates the buffer of @value, whose elements are at @data if it is a tensor. Returns NULL with @error set when
 * handlers do not have its type. */
static XLA_FFI_Buffer *
make_buffer (Call             *self,
             const GhloValue  *value,
             void             *data,
             GError          **error)
{
  XLA_FFI_Buffer *buffer = ghlo_pjrt_ffi_keep (self->memory, g_new0 (XLA_FFI_Buffer, 1));
  const GhloTensorType *type = value->type;

  *buffer = (XLA_FFI_Buffer) { .struct_size = sizeof *buffer, .dtype = XLA_FFI_DataType_TOKEN };
  if (value->kind != GHLO_VALUE_TENSOR)
    return buffer;
  buffer->dtype = ghlo_pjrt_ffi_type_of (type->element_type);
  buffer->data = data;
  buffer->rank = type->rank;
  buffer->dims = (int64_t *) type->dimensions;
  if (buffer->dtype == XLA_FFI_DataType_INVALID || ghlo_tensor_type_is_quantized (type))
    {
      g_autofree char *found = ghlo_tensor_type_to_string (type);

      g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED,
                   "expected operands and results of an FFI handler with elements of whole bytes, found %s", found);
      return NULL;
    }

  return buffer;
}

static gboolean
add_operand (Call     *self,
             guint     index,
             GError  **error)
{
  GhloValue *value = self->frame->operands[index], *laid_out = value;
  g_autoptr (PJRT_Layouts_MemoryLayout) layout = NULL;

  self->call.args.types[index] = XLA_FFI_ArgType_BUFFER;
  if (value->kind == GHLO_VALUE_TENSOR)
    layout = read_layout (self->frame->op, "operand_layouts", index);
  if (layout != NULL)
    {
      laid_out = ghlo_pjrt_layout_convert (value->type, value->data,
                                           ghlo_pjrt_layout_row_major (value->type->rank), layout, error);
      if (laid_out == NULL)
        return FALSE;
      g_ptr_array_add (self->copies, laid_out);
    }
  self->call.args.args[index] = make_buffer (self, value, laid_out->data, error);

  return self->call.args.args[index] != NULL;
}

static gboolean
make_result (Call     *self,
             guint     index,
             GError  **error)
{
  self->call.rets.types[index] = XLA_FFI_RetType_BUFFER;
  self->results[index] = ghlo_pjrt_value_for_result (self->frame->op->results[index].type, error);
  if (self->results[index] == NULL)
    return FALSE;
  self->call.rets.rets[index] = make_buffer (self, self->results[index], self->results[index]->data, error);

  return self->call.rets.rets[index] != NULL;
}

/* Copies operands that share memory with a result into the result, where the handler expects them. */
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

      if (result->kind != GHLO_VALUE_TENSOR || operand->data == NULL)
        continue;
      memcpy (result->data, operand->data, result->n_bytes);
      operand->data = result->data;
    }
}

/* Passes the results to the program, in row-major layout. */
static gboolean
give_results (Call    *self,
              GError **error)
{
  for (guint i = 0; i < self->frame->op->n_results; i++)
    {
      GhloValue *result = self->results[i];
      g_autoptr (PJRT_Layouts_MemoryLayout) layout = NULL;

      if (result->kind == GHLO_VALUE_TENSOR)
        {
          ghlo_pjrt_normalize_elements (result);
          layout = read_layout (self->frame->op, "result_layouts", i);
        }
      if (layout != NULL)
        self->frame->results[i] = ghlo_pjrt_layout_convert (result->type, result->data, layout,
                                                            ghlo_pjrt_layout_row_major (result->type->rank), error);
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
    .types = ghlo_pjrt_ffi_keep (self->memory, g_new (XLA_FFI_ArgType, op->n_operands + 1)),
    .args = ghlo_pjrt_ffi_keep (self->memory, g_new (void *, op->n_operands + 1)),
  };
  *rets = (XLA_FFI_Rets) {
    .struct_size = sizeof *rets, .size = op->n_results,
    .types = ghlo_pjrt_ffi_keep (self->memory, g_new (XLA_FFI_RetType, op->n_results + 1)),
    .rets = ghlo_pjrt_ffi_keep (self->memory, g_new (void *, op->n_results + 1)),
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
  self->call.ctx = NULL;

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

/* Returns the handler that @op calls, or NULL. */
static const GhloPjrtFfiHandler *
find_handler (const GhloIrOp *op)
{
  const char *name = op->kind == GHLO_OP_STABLEHLO_CUSTOM_CALL ? ghlo_ir_op_get_string (op, "call_target_name") : NULL;

  return name != NULL ? ghlo_pjrt_ffi_find (name) : NULL;
}

/* Takes over @targets (nullable) and returns a table that also answers the calls of @handler. */
static GhloCustomTargets *
add_target (GhloCustomTargets        *targets,
            const GhloPjrtFfiHandler *handler)
{
  Program *program = g_new0 (Program, 1);
  g_autoptr (GhloCustomTarget) target = ghlo_custom_target_new (handler->name, answer, program, program_free);
  GhloCustomTargets *more;

  program->handler = handler;
  g_mutex_init (&program->lock);
  program->sites = g_hash_table_new_full (NULL, NULL, NULL, site_free);
  more = ghlo_custom_targets_with (targets, target);
  g_clear_pointer (&targets, ghlo_custom_targets_unref);

  return more;
}

gboolean
ghlo_pjrt_ffi_add_targets (const GhloIrModule  *module,
                           GhloCustomTargets  **targets)
{
  gboolean found = FALSE;

  for (const GhloIrOp *op = module->op; op != NULL; op = ghlo_pass_next_op (op, module->op))
    {
      const GhloPjrtFfiHandler *handler = find_handler (op);

      if (handler == NULL)
        continue;
      if (ghlo_custom_targets_find (*targets, handler->name) == NULL)
        *targets = add_target (*targets, handler);
      found = TRUE;
    }

  return found;
}
