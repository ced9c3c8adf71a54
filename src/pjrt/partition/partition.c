/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Decides how a program's inputs and outputs are sharded over the devices of an executable. The program specifies
 * their shardings or leaves them open. Open shardings follow from the rest of the program by propagation; where
 * nothing follows, every device has the whole tensor.
 */

#include "base/ghlo-error.h"
#include "pjrt/executable.h"
#include "pjrt/partition/unreduced.h"
#include "pjrt/partition/inspect.h"
#include "pjrt/partition/manual.h"
#include "pjrt/partition/partitioners.h"
#include "pjrt/sharding/propagation.h"

typedef struct
{
  PJRT_Executable     *executable;
  GhloCompileRequest  *request;
  GhloSignature        signature;
  GhloPjrtPropagation *propagation;     /* borrowed */
} Partitioner;

/* Whether the sharding in the program leaves any dimension open. */
static gboolean
is_open (GhloIrModule     *module,
         const GhloIrAttr *specified)
{
  g_auto (GhloSdyAttr) sharding = { 0 };

  /* Attributes that cannot be parsed here are reported by the code that reads them completely. The sharding of
   * unreduced values is final. */
  if (!ghlo_pjrt_read_sdy (module, specified, GHLO_SDY_SHARDING, &sharding, NULL)
      || ghlo_sdy_field_n_attrs (&sharding.fields[3]) > 0)
    return FALSE;
  for (guint i = 0; i < ghlo_sdy_field_n_attrs (&sharding.fields[1]); i++)
    {
      g_auto (GhloSdyAttr) dimension = { 0 };

      if (ghlo_pjrt_read_sdy (module, ghlo_pjrt_sdy_get (&sharding, 1, i), GHLO_SDY_DIMENSION, &dimension, NULL)
          && dimension.fields[1].integer == 0)
        return TRUE;
    }

  return FALSE;
}

/* Chooses the sharding in the program, or else the one that follows by propagation, or else none. */
static GhloPjrtSharding *
choose (Partitioner       *self,
        const GhloIrAttr  *specified,
        guint              index,
        gboolean           is_output,
        GhloTensorType    *type,
        GError           **error)
{
  GhloIrModule *module = self->request->module;
  const guint n = self->executable->n_devices;
  GhloPjrtSharding *sharding;

  if (specified != NULL && !is_open (module, specified))
    return ghlo_pjrt_sharding_read (module, self->signature.function, specified, NULL, type, n, error);
  sharding = is_output ? ghlo_pjrt_propagation_get_output (self->propagation, index, type)
                       : ghlo_pjrt_propagation_get_input (self->propagation, index, type);

  return sharding != NULL ? sharding : ghlo_pjrt_sharding_new_whole (type, n);
}

/* Checks that the program has its shardings in sdy's attributes. In mhlo.sharding, "{replicated}" is the same as
 * no attribute. */
static gboolean
check_sharding_attribute (const GhloIrAttr  *sdy,
                          const GhloIrAttr  *mhlo,
                          GError           **error)
{
  if (sdy != NULL || mhlo == NULL
      || (mhlo->kind == GHLO_IR_ATTR_STRING && g_strcmp0 (mhlo->text, "{replicated}") == 0))
    return TRUE;
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED,
               "expected Shardy's attribute sdy.sharding, found mhlo.sharding %s",
               mhlo->kind == GHLO_IR_ATTR_STRING ? mhlo->text : "");

  return FALSE;
}

static gboolean
add_sharding (Partitioner       *self,
              const GhloIrAttr  *specified,
              const GhloIrAttr  *mhlo,
              const GhloIrType  *type,
              guint              index,
              gboolean           is_output,
              GError           **error)
{
  PJRT_Executable *executable = self->executable;
  g_autoptr (GhloTensorType) external = NULL;
  GhloPjrtSharding *sharding = NULL;

  if (check_sharding_attribute (specified, mhlo, error))
    external = ghlo_pjrt_external_type (type, error);
  if (external != NULL && type->kind == GHLO_IR_TYPE_TOKEN)
    sharding = ghlo_pjrt_sharding_new_whole (external, executable->n_devices);
  else if (external != NULL)
    sharding = choose (self, specified, index, is_output, external, error);
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
  const GhloIrType *type = self->signature.type;

  for (guint i = 0; i < type->rank; i++)
    if (!add_sharding (self, ghlo_signature_input_attribute (function, i, "sdy.sharding"),
                       ghlo_signature_input_attribute (function, i, "mhlo.sharding"), type->members[i], i, FALSE,
                       error))
      {
        g_prefix_error (error, "input %u: ", i);
        return FALSE;
      }
  for (guint i = 0; i < type->n_results; i++)
    if (!add_sharding (self, ghlo_signature_output_attribute (function, i, "sdy.sharding"),
                       ghlo_signature_output_attribute (function, i, "mhlo.sharding"),
                       type->members[type->rank + i], i, TRUE, error))
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
    {
      g_assert (self->shardings[i] != NULL);
      self->sharding_bytes[i] = g_bytes_get_data (self->shardings[i]->bytes, &self->sharding_sizes[i]);
    }
  for (guint i = 0; i <= self->n_shardings; i++)
    if (self->sharding_bytes[i] == NULL)
      self->sharding_bytes[i] = "";
}

/* Extracts the computations that each partition does by itself, after telling the application about the shardings
 * that it wants to inspect. */
static gboolean
extract (PJRT_Executable      *self,
         GhloCompileRequest   *request,
         GhloPjrtPropagation  *propagation,
         gboolean             *have_effects,
         GError              **error)
{
  guint n_calls;

  if (!ghlo_pjrt_inspect_shardings (request->module, propagation, error)
      || !ghlo_pjrt_partition_calls (request, propagation, self->n_devices, &n_calls, have_effects, error)
      || !ghlo_pjrt_extract_manual (request, self->shardings, self->n_devices, &self->n_manual, error))
    return FALSE;
  self->n_manual += n_calls;

  return TRUE;
}

/* Whether the shardings of @module's inner values are needed. Calls then have to be inlined, since each call of a
 * function may have other shardings. */
static gboolean
needs_inner_shardings (GhloIrModule *module)
{
  return ghlo_pjrt_has_partitioned_calls (module) || ghlo_pjrt_has_inspections (module)
         || ghlo_pjrt_has_unreduced_outputs (module);
}

gboolean
ghlo_pjrt_executable_partition (PJRT_Executable     *self,
                                GhloCompileRequest  *request,
                                gboolean            *have_effects,
                                GError             **error)
{
  g_autoptr (GhloPjrtPropagation) propagation = NULL;
  Partitioner partitioner = { .executable = self, .request = request };
  const GhloIrType *type;

  if (needs_inner_shardings (request->module) && !ghlo_pjrt_propagation_inline (request->module, error))
    return FALSE;
  if (!ghlo_signature_init (&partitioner.signature, request->module, error))
    return FALSE;
  type = partitioner.signature.type;
  self->shardings = g_new0 (GhloPjrtSharding *, (gsize) type->rank + type->n_results);
  propagation = ghlo_pjrt_propagation_new (request->module, self->n_devices, error);
  partitioner.propagation = propagation;
  if (propagation == NULL || !add_shardings (&partitioner, error))
    return FALSE;
  list_bytes (self);
  self->n_stacked = ghlo_pjrt_stack_unreduced_outputs (request->module, propagation, self->shardings + type->rank);

  return extract (self, request, propagation, have_effects, error);
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
