/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How a program's inputs and outputs lie over the devices of an executable. The program says it of inputs and outputs,
 * or leaves it to us. Then an output lies as what it is made of element by element, or as a constraint or a manual
 * computation says; what nothing is known of is on every device as a whole.
 */

#include "base/ghlo-error.h"
#include "import/sdy-attr.h"
#include "pjrt/executable.h"
#include "pjrt/manual.h"

typedef struct
{
  PJRT_Executable    *executable;
  GhloCompileRequest *request;
  GhloSignature       signature;
  GHashTable         *known;    /* GhloIrValue → GhloIrAttr: the sharding that follows for it */
} Partitioner;

static void
know (Partitioner       *self,
      const GhloIrValue *value,
      const GhloIrAttr  *attr)
{
  if (attr != NULL && ghlo_sdy_attr_is (attr, GHLO_SDY_SHARDING))
    g_hash_table_insert (self->known, (gpointer) value, (gpointer) attr);
}

/* Of each of @values what the list @attr says, where it says something of as many. */
static void
know_list (Partitioner      *self,
           const GhloIrOp   *op,
           const char       *name,
           gboolean          is_operands)
{
  const GhloIrAttr *attr = ghlo_ir_op_get (op, name);
  const guint n = is_operands ? op->n_operands : op->n_results;
  g_auto (GhloSdyAttr) list = { 0 };
  g_autofree char *problem = NULL;

  if (attr == NULL || !ghlo_sdy_attr_is (attr, GHLO_SDY_SHARDINGS))
    return;
  problem = ghlo_sdy_attr_parse (&list, self->request->module, attr);
  if (problem != NULL || ghlo_sdy_field_n_attrs (&list.fields[0]) != n)
    return;
  for (guint i = 0; i < n; i++)
    {
      const GhloIrValue *value = is_operands ? ghlo_ir_op_operand (op, i) : &op->results[i];

      if (!g_hash_table_contains (self->known, value))
        know (self, value, list.fields[0].attrs->pdata[i]);
    }
}

/* An operand of the shape of @op's result, of which something is known. */
static const GhloIrAttr *
find_like (const Partitioner *self,
           const GhloIrOp    *op)
{
  const GhloIrType *type = op->results[0].type;

  for (guint i = 0; i < op->n_operands; i++)
    {
      const GhloIrValue *operand = ghlo_ir_op_operand (op, i);
      const GhloIrAttr *attr = g_hash_table_lookup (self->known, operand);

      if (attr != NULL && operand->type->rank == type->rank)
        return attr;
    }

  return NULL;
}

static void
follow (Partitioner    *self,
        const GhloIrOp *op)
{
  if (op->kind == GHLO_OP_SDY_SHARDING_CONSTRAINT)
    know (self, &op->results[0], ghlo_ir_op_get (op, "sharding"));
  else if (op->kind == GHLO_OP_SDY_MANUAL_COMPUTATION)
    {
      know_list (self, op, "in_shardings", TRUE);
      know_list (self, op, "out_shardings", FALSE);
    }
  else if ((ghlo_ir_op_get_spec (op)->traits & GHLO_IR_TRAIT_ELEMENTWISE) != 0 && op->n_results == 1)
    know (self, &op->results[0], find_like (self, op));
}

static void
follow_all (Partitioner *self)
{
  const GhloIrOp *function = self->signature.function;
  const GhloIrBlock *body = ghlo_ir_func_get_body (function);

  for (guint i = 0; i < body->n_arguments; i++)
    know (self, body->arguments[i], ghlo_signature_input_attribute (function, i, "sdy.sharding"));
  for (const GhloIrOp *op = body->first; op != NULL; op = op->next)
    follow (self, op);
}

/* As the program says; or as @followed (nullable) says, where that is possible; else whole. */
static GhloPjrtSharding *
choose (Partitioner       *self,
        const GhloIrAttr  *said,
        const GhloIrAttr  *followed,
        GhloTensorType    *type,
        GError           **error)
{
  GhloIrModule *module = self->request->module;
  const GhloIrOp *from = self->signature.function;
  const guint n = self->executable->n_devices;
  GhloPjrtSharding *sharding = NULL;

  if (said != NULL)
    return ghlo_pjrt_sharding_read (module, from, said, NULL, type, n, error);
  if (followed != NULL)
    sharding = ghlo_pjrt_sharding_read (module, from, followed, NULL, type, n, NULL);

  return sharding != NULL ? sharding : ghlo_pjrt_sharding_new_whole (type, n);
}

/* Whether what the program says it says in sdy's words; "{replicated}" of the older ones is what is not said. */
static gboolean
check_older (const GhloIrAttr  *sdy,
             const GhloIrAttr  *older,
             GError           **error)
{
  if (sdy != NULL || older == NULL
      || (older->kind == GHLO_IR_ATTR_STRING && g_strcmp0 (older->text, "{replicated}") == 0))
    return TRUE;
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED, "expected shardings as sdy.sharding, found mhlo.sharding %s",
               older->kind == GHLO_IR_ATTR_STRING ? older->text : "");

  return FALSE;
}

static gboolean
add_sharding (Partitioner       *self,
              const GhloIrAttr  *said,
              const GhloIrAttr  *older,
              GhloIrValue       *value,
              GError           **error)
{
  PJRT_Executable *executable = self->executable;
  g_autoptr (GhloTensorType) type = NULL;
  GhloPjrtSharding *sharding = NULL;

  if (check_older (said, older, error))
    type = ghlo_pjrt_type_at_border (value->type, error);
  if (type != NULL && value->type->kind == GHLO_IR_TYPE_TOKEN)
    sharding = ghlo_pjrt_sharding_new_whole (type, executable->n_devices);
  else if (type != NULL)
    sharding = choose (self, said, g_hash_table_lookup (self->known, value), type, error);
  if (sharding == NULL)
    return FALSE;
  executable->shardings[executable->n_shardings++] = sharding;

  return TRUE;
}

static gboolean
add_shardings (Partitioner  *self,
               GError      **error)
{
  const GhloIrOp *function = self->signature.function;
  const GhloIrBlock *body = ghlo_ir_func_get_body (function);

  for (guint i = 0; i < body->n_arguments; i++)
    if (!add_sharding (self, ghlo_signature_input_attribute (function, i, "sdy.sharding"),
                       ghlo_signature_input_attribute (function, i, "mhlo.sharding"), body->arguments[i], error))
      {
        g_prefix_error (error, "input %u: ", i);
        return FALSE;
      }
  for (guint i = 0; i < body->last->n_operands; i++)
    if (!add_sharding (self, ghlo_signature_output_attribute (function, i, "sdy.sharding"),
                       ghlo_signature_output_attribute (function, i, "mhlo.sharding"),
                       ghlo_ir_op_operand (body->last, i), error))
      {
        g_prefix_error (error, "output %u: ", i);
        return FALSE;
      }

  return TRUE;
}

static void
list_bytes (PJRT_Executable *self)
{
  self->sharding_bytes = g_new0 (const char *, self->n_shardings + 1);
  self->sharding_sizes = g_new0 (gsize, self->n_shardings + 1);
  for (guint i = 0; i < self->n_shardings; i++)
    self->sharding_bytes[i] = g_bytes_get_data (self->shardings[i]->bytes, &self->sharding_sizes[i]);
  for (guint i = 0; i <= self->n_shardings; i++)
    if (self->sharding_bytes[i] == NULL)
      self->sharding_bytes[i] = "";
}

gboolean
ghlo_pjrt_executable_partition (PJRT_Executable     *self,
                                GhloCompileRequest  *request,
                                GError             **error)
{
  g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL);
  Partitioner partitioner = { .executable = self, .request = request, .known = known };
  const GhloIrType *type;

  if (!ghlo_signature_init (&partitioner.signature, request->module, error))
    return FALSE;
  type = partitioner.signature.type;
  self->shardings = g_new0 (GhloPjrtSharding *, (gsize) type->rank + type->n_results);
  follow_all (&partitioner);
  if (!add_shardings (&partitioner, error))
    return FALSE;
  list_bytes (self);

  return ghlo_pjrt_cut_manual (request, self->n_devices, &self->n_manual, error);
}

void
ghlo_pjrt_executable_clear_partition (PJRT_Executable *self)
{
  for (guint i = 0; i < self->n_shardings; i++)
    ghlo_pjrt_sharding_free (self->shardings[i]);
  g_free (self->shardings);
  g_free (self->sharding_bytes);
  g_free (self->sharding_sizes);
}
