/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Extracts manual computations from a program.
 */

#include "pjrt/partition/manual.h"

#include "base/fail.h"
#include "ir/sdy-attr.h"
#include "ir/outline.h"
#include "passes/walk.h"
#include "pjrt/entry.h"
#include "pjrt/executable.h"
#include "pjrt/partition/unreduced.h"
#include "pjrt/partition/manual-call.h"

#define TARGET "ghlo.manual_computation"

typedef struct
{
  GhloCompileRequest *request;
  GhloIrOp           *op;       /* the sdy.manual_computation */
  GhloPjrtManual     *manual;   /* its replacement */
  guint               n_partitions;     /* of the whole program */
  GhloPjrtSharding  **external; /* borrowed; the shardings of the program's inputs, then of its outputs */
} Extraction;

/* Tokens are present on every partition. */
static GhloPjrtSharding *
new_token_sharding (const Extraction  *self,
                    const GhloIrType  *token,
                    GError           **error)
{
  g_autoptr (GhloTensorType) type = ghlo_pjrt_external_type (token, error);

  return type != NULL ? ghlo_pjrt_sharding_new_whole (type, self->manual->positions.n) : NULL;
}

/* Reads the sharding of one value and checks it against the type of the shard in the body. */
static GhloPjrtSharding *
read_sharding (const Extraction  *self,
               const GhloIrAttr  *attr,
               const GhloIrType  *whole,
               const GhloIrType  *shard,
               GError           **error)
{
  GhloIrModule *module = self->request->module;
  g_autoptr (GhloTensorType) type = ghlo_ir_type_is_numbers (whole) ? ghlo_ir_type_to_tensor_type (whole) : NULL;
  g_autoptr (GhloTensorType) part = ghlo_ir_type_is_numbers (shard) ? ghlo_ir_type_to_tensor_type (shard) : NULL;
  g_autoptr (GhloPjrtSharding) sharding = NULL;
  g_autofree char *expected = NULL, *found = NULL;

  if (whole->kind == GHLO_IR_TYPE_TOKEN && shard == whole)
    return new_token_sharding (self, whole, error);
  if (type == NULL || part == NULL)
    {
      found = ghlo_ir_type_to_string (type == NULL ? whole : shard);
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED,
                   "expected tensors of static shapes or tokens in a manual computation, found %s", found);
      return NULL;
    }
  sharding = ghlo_pjrt_sharding_read (module, self->op, attr, ghlo_ir_op_get (self->op, "manual_axes"), type,
                                      self->n_partitions, error);
  if (sharding == NULL || (ghlo_tensor_type_equal (sharding->part, part)
                           && sharding->n_partitions == self->manual->positions.n))
    return g_steal_pointer (&sharding);
  expected = ghlo_tensor_type_to_string (sharding->part);
  found = ghlo_tensor_type_to_string (part);
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
               "expected shards of type %s over %u devices in a manual computation, found %s over %u devices", expected,
               sharding->n_partitions, found, self->manual->positions.n);

  return NULL;
}

/* Reads the list of shardings @name, which must have @n entries. */
static gboolean
read_list (const Extraction  *self,
           const char        *name,
           guint              n,
           GhloSdyAttr       *list,
           GError           **error)
{
  const GhloIrAttr *attr = ghlo_ir_op_get (self->op, name);
  g_autofree char *problem = NULL;

  ghlo_sdy_attr_init (list, GHLO_SDY_SHARDINGS);
  if (attr == NULL || !ghlo_sdy_attr_is (attr, GHLO_SDY_SHARDINGS))
    return ghlo_invalid (error, "expected attribute '%s' of a manual computation, a list of shardings", name);
  problem = ghlo_sdy_attr_parse (list, self->request->module, attr);
  if (problem != NULL)
    return ghlo_invalid (error, "%s: %s", name, problem);
  if (ghlo_sdy_field_n_attrs (&list->fields[0]) != n)
    return ghlo_invalid (error, "expected %u %s of a manual computation, found %" G_GSIZE_FORMAT, n, name,
                         ghlo_sdy_field_n_attrs (&list->fields[0]));

  return TRUE;
}

/* Reads the positions along the axes of the mesh of the first sharding in @list. */
static gboolean
read_positions (Extraction         *self,
                const GhloSdyAttr  *list,
                GError            **error)
{
  if (ghlo_sdy_field_n_attrs (&list->fields[0]) == 0)
    return ghlo_unsupported (error, "expected a manual computation with operands or results, found neither");

  return ghlo_pjrt_positions_read (&self->manual->positions, self->request->module, self->op,
                                   list->fields[0].attrs->pdata[0], ghlo_ir_op_get (self->op, "manual_axes"),
                                   self->n_partitions, error);
}

static gboolean
read_shardings (Extraction  *self,
                GError     **error)
{
  const GhloIrBlock *block = ghlo_ir_op_region_block (self->op, 0);
  const GhloIrOp *terminator = ghlo_pass_terminator (block);
  GhloPjrtManual *manual = self->manual;
  g_auto (GhloSdyAttr) in = { 0 }, out = { 0 };

  if (terminator == NULL || terminator->n_operands != manual->n_results || block->n_arguments != manual->n_arguments)
    return ghlo_invalid (error, "expected a manual computation whose body matches its operands and results");
  if (!read_list (self, "in_shardings", manual->n_arguments, &in, error)
      || !read_list (self, "out_shardings", manual->n_results, &out, error))
    return FALSE;
  if (!read_positions (self, manual->n_arguments > 0 ? &in : &out, error))
    return FALSE;
  for (guint i = 0; i < manual->n_arguments; i++)
    {
      manual->arguments[i] = read_sharding (self, in.fields[0].attrs->pdata[i], ghlo_ir_op_operand (self->op, i)->type,
                                            block->arguments[i]->type, error);
      if (manual->arguments[i] == NULL)
        return FALSE;
    }
  for (guint i = 0; i < manual->n_results; i++)
    {
      manual->results[i] = read_sharding (self, out.fields[0].attrs->pdata[i], self->op->results[i].type,
                                          ghlo_ir_op_operand (terminator, i)->type, error);
      if (manual->results[i] == NULL)
        return FALSE;
    }

  return TRUE;
}

/* Collects the values that the body returns, each once, and records the source of each result. */
static void
list_results (Extraction *self,
              GPtrArray  *results)
{
  const GhloIrBlock *block = ghlo_ir_op_region_block (self->op, 0);
  const GhloIrOp *terminator = ghlo_pass_terminator (block);

  for (guint i = 0; i < self->manual->n_results; i++)
    {
      GhloIrValue *value = ghlo_ir_op_operand (terminator, i);
      GhloPjrtManualResult *source = &self->manual->sources[i];

      source->is_input = value->op == NULL && value->block == block;
      source->index = value->index;
      if (source->is_input || g_ptr_array_find (results, value, &source->index))
        continue;
      source->index = results->len;
      g_ptr_array_add (results, value);
    }
}

/* Makes @function the only public function of @module, which may contain other functions that came along with it. */
static void
publish (GhloIrModule *module,
         GhloIrOp     *function)
{
  const GhloIrAttr *private = ghlo_ir_attr_string (module, "private", -1);

  for (GhloIrOp *op = ghlo_ir_op_region_block (module->op, 0)->first; op != NULL; op = op->next)
    if (op->kind == GHLO_OP_FUNC_FUNC)
      ghlo_ir_op_set (module, op, "sym_visibility", private);
  ghlo_ir_op_set (module, function, "sym_visibility", ghlo_ir_attr_string (module, "public", -1));
}

/* Turns the body into a program. */
static gboolean
outline (Extraction    *self,
         GPtrArray     *ops,
         GhloIrModule  *module,
         GError       **error)
{
  const GhloIrBlock *block = ghlo_ir_op_region_block (self->op, 0);
  g_autoptr (GPtrArray) inputs = g_ptr_array_new (), results = g_ptr_array_new ();
  GhloPjrtManual *manual = self->manual;
  GhloIrOp *function;

  list_results (self, results);
  if (ops->len == 0)
    return results->len == 0
           || ghlo_unsupported (error, "expected a manual computation whose body uses no values from outside");
  function = ghlo_ir_outline (module, (const GhloIrOp *const *) ops->pdata, ops->len, "main", inputs, results);
  publish (module, function);
  manual->n_taken = inputs->len;
  manual->taken = g_new (guint, inputs->len);
  for (guint i = 0; i < inputs->len; i++)
    {
      const GhloIrValue *input = inputs->pdata[i];

      if (input->op != NULL || input->block != block)
        return ghlo_unsupported (error, "expected a manual computation whose body uses no values from outside");
      manual->taken[i] = input->index;
    }

  return TRUE;
}

static gboolean
compile_body (Extraction  *self,
              GError     **error)
{
  const GhloIrBlock *block = ghlo_ir_op_region_block (self->op, 0);
  const GhloIrOp *terminator = ghlo_pass_terminator (block);
  g_autoptr (GPtrArray) ops = g_ptr_array_new ();
  g_autoptr (GhloIrModule) module = ghlo_ir_outline_module_new (self->request->module);

  for (GhloIrOp *op = block->first; op != terminator; op = op->next)
    g_ptr_array_add (ops, op);
  if (!outline (self, ops, module, error))
    return FALSE;

  return ops->len == 0 || ghlo_pjrt_manual_compile (self->manual, self->request, module, error);
}

/* When a device holds of @external (nullable) the same as a position of @inside, and both are unreduced, the addends
 * are passed on unchanged, and @type becomes the type of their stack. */
static gboolean
keep_addends (const Extraction  *self,
              GhloPjrtSharding  *inside,
              GhloPjrtSharding  *external,
              const GhloIrType **type)
{
  GhloIrModule *module = self->request->module;

  if (external == NULL || !inside->is_unreduced || !external->is_unreduced || inside->rank == GHLO_MAX_RANK
      || !ghlo_pjrt_sharding_matches (inside, external, self->manual->positions.partitions))
    return FALSE;
  ghlo_pjrt_sharding_stack (inside);
  ghlo_pjrt_sharding_stack (external);
  *type = ghlo_ir_type_tensor (module, ghlo_ir_type_get_element (module, *type), inside->whole->dimensions,
                               inside->whole->rank, NULL, NULL);

  return TRUE;
}

/* Returns the index of the output that is the only use of @value, looking through constraints; -1 when there is
 * none. */
static int
find_output (const GhloIrValue *value)
{
  while (value->uses != NULL && value->uses->next == NULL && value->uses->op->kind == GHLO_OP_SDY_SHARDING_CONSTRAINT)
    value = &value->uses->op->results[0];
  if (value->uses == NULL || value->uses->next != NULL || value->uses->op->kind != GHLO_OP_FUNC_RETURN)
    return -1;

  return (int) (value->uses - value->uses->op->operands);
}

/* Returns the sharding of the program's input or output that is connected only to argument or result @index of the
 * operation, or NULL. */
static GhloPjrtSharding *
find_external (const Extraction *self,
               guint             index,
               gboolean          is_result)
{
  const GhloIrOp *function = ghlo_ir_op_get_parent (self->op);
  const guint n_inputs = function->kind == GHLO_OP_FUNC_FUNC ? ghlo_ir_func_get_body (function)->n_arguments : 0;
  const GhloIrValue *operand = is_result ? NULL : ghlo_ir_op_operand (self->op, index);
  int output;

  if (function != ghlo_ir_module_get_entry (self->request->module))
    return NULL;
  if (operand != NULL)
    return operand->op == NULL && operand->uses->next == NULL ? self->external[operand->index] : NULL;
  output = find_output (&self->op->results[index]);

  return output >= 0 ? self->external[n_inputs + (guint) output] : NULL;
}

/* Keeps the addends of unreduced inputs, and of unreduced results that are outputs. */
static void
keep_all_addends (Extraction *self)
{
  if (self->manual->positions.n != self->n_partitions)
    return;
  for (guint i = 0; i < self->manual->n_arguments; i++)
    keep_addends (self, self->manual->arguments[i], find_external (self, i, FALSE),
                  &ghlo_ir_op_operand (self->op, i)->type);
  for (guint i = 0; i < self->manual->n_results; i++)
    {
      GhloIrValue *value = &self->op->results[i];

      if (!keep_addends (self, self->manual->results[i], find_external (self, i, TRUE), &value->type))
        continue;
      while (value->uses->op->kind == GHLO_OP_SDY_SHARDING_CONSTRAINT)
        {
          value->uses->op->results[0].type = value->type;
          value = &value->uses->op->results[0];
        }
    }
}

static gboolean
extract (GhloCompileRequest  *request,
         GhloIrOp            *op,
         GhloPjrtSharding   **external,
         guint                n_partitions,
         guint                number,
         GError             **error)
{
  g_autoptr (GhloPjrtManual) manual = ghlo_pjrt_manual_new (op);
  g_autofree char *name = g_strdup_printf (TARGET ".%u", number);
  Extraction extraction = { request, op, manual, n_partitions, external };

  if (!read_shardings (&extraction, error) || !compile_body (&extraction, error))
    return FALSE;
  keep_all_addends (&extraction);
  ghlo_pjrt_manual_replace_op (g_steal_pointer (&manual), request, op, name);

  return TRUE;
}

gboolean
ghlo_pjrt_extract_manual (GhloCompileRequest  *request,
                          GhloPjrtSharding   **external,
                          guint                n_partitions,
                          guint               *n_extracted,
                          GError             **error)
{
  g_autoptr (GPtrArray) ops = g_ptr_array_new ();
  const GhloIrOp *root = request->module->op;

  for (const GhloIrOp *op = root; op != NULL; op = ghlo_pass_next_op (op, root))
    if (op->kind == GHLO_OP_SDY_MANUAL_COMPUTATION)
      g_ptr_array_add (ops, (gpointer) op);
  *n_extracted = ops->len;
  /* Nested operations follow those that contain them, and have to be replaced first. */
  for (guint i = ops->len; i-- > 0;)
    if (!extract (request, ops->pdata[i], external, n_partitions, i, error))
      return FALSE;
  if (ops->len > 0)
    ghlo_pjrt_update_entry (request->module);

  return TRUE;
}
