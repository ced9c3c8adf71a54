/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Converts an operation of a VHLO version to one of the IR, and back to the version for a target (StableHLO:
 * VhloToVersion.cpp, constraints in VhloOps.cpp).
 */

#include "import/vhlo/table.h"
#include "import/vhlo/versions.h"

/* Collects the parts of a group that this version has, by their index in the group. */
static void
gather_parts (const GhloVhloGroup     *group,
              const GhloIrAttr *const *values,
              const GhloIrAttr       **parts)
{
  for (guint i = 0; i < group->n_parts; i++)
    parts[i] = group->parts[i].index != GHLO_VHLO_ABSENT ? values[group->parts[i].index] : NULL;
}

/* Converts a group's @parts to an attribute of the IR; NULL for an omitted one. */
static gboolean
upgrade_group (GhloVhloCall            *call,
               const GhloVhloGroup     *group,
               const GhloIrAttr *const *parts,
               const GhloIrAttr       **attr)
{
  return ghlo_vhlo_filler_is (call, group, parts) || ghlo_vhlo_conversion_read (call, group, parts, attr);
}

/* The same, cached for each attribute. Not cached as a whole are layouts, whose omission depends on other groups, and
 * structures, whose parts are cached instead. */
static gboolean
upgrade_once (GhloVhloCall            *call,
              const GhloVhloGroup     *group,
              const GhloIrAttr *const *parts,
              const GhloIrAttr       **attr)
{
  static const GhloIrAttr left_out;
  gpointer *kept;

  if (group->n_parts != 1)
    return upgrade_group (call, group, parts, attr);
  if (group->filler == GHLO_VHLO_FILLER_LAYOUTS && ghlo_vhlo_filler_is (call, group, parts))
    return TRUE;

  kept = ghlo_import_memo_at (call->memo, parts[0], group);
  if (*kept == NULL)
    {
      if (!upgrade_group (call, group, parts, attr))
        return FALSE;
      *kept = *attr != NULL ? (gpointer) *attr : (gpointer) &left_out;
    }
  *attr = *kept != &left_out ? *kept : NULL;

  return TRUE;
}

gboolean
ghlo_vhlo_upgrade (const GhloVhloOp        *self,
                   GhloIrModule            *module,
                   GhloImportMemo          *memo,
                   const GhloIrAttr *const *values,
                   gboolean                 in_function,
                   GhloIrOpKind            *kind,
                   GArray                  *attributes,
                   GError                 **error)
{
  GhloVhloCall call = { .self = self, .module = module, .memo = memo, .values = values, .error = error };

  *kind = self->kind == GHLO_OP_STABLEHLO_RETURN && in_function ? GHLO_OP_FUNC_RETURN : self->kind;
  for (guint i = 0; i < self->n_groups; i++)
    {
      const GhloVhloGroup *group = &self->groups[i];
      const GhloIrAttr *parts[GHLO_VHLO_MAX_PARTS], *attr = NULL;

      if (!group->is_here)
        continue;
      gather_parts (group, values, parts);
      if (!upgrade_once (&call, group, parts, &attr))
        return FALSE;
      if (attr != NULL)
        {
          GhloIrNamedAttr entry = { ghlo_ir_module_intern (module, group->spec->name, -1), attr };

          g_array_append_val (attributes, entry);
        }
    }

  return TRUE;
}

/* Sets the error that @op cannot be written for @target.
 * @version 0.0.0 means that no version suffices. Returns FALSE. */
static gboolean
needs (GError        **error,
       const GhloIrOp *op,
       GhloIrVersion   version,
       GhloIrVersion   target,
       const char     *reason)
{
  const char *name = ghlo_ir_op_get_name (op);

  if (version.major == 0 && version.minor == 0)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED, "%s cannot be part of a portable artifact: %s",
                 name, reason);
  else
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED, "%s needs StableHLO %u.%u.%u, the target is %u.%u.%u%s%s",
                 name, version.major, version.minor, version.patch, target.major, target.minor, target.patch,
                 reason != NULL ? ": " : "", reason != NULL ? reason : "");

  return FALSE;
}

/* The same; the error names the first version of StableHLO in which the
 * operation has VHLO version @version (the N of _vN) or a later one. */
static gboolean
needs_newer (GError          **error,
             const GhloIrOp    *op,
             const GhloVhloOp  *self,
             guint              version,
             GhloIrVersion      target,
             const char        *format,
             ...) G_GNUC_PRINTF (6, 7);

static gboolean
needs_newer (GError           **error,
             const GhloIrOp    *op,
             const GhloVhloOp  *self,
             guint              version,
             GhloIrVersion      target,
             const char        *format,
             ...)
{
  g_autofree char *reason = NULL;
  const GhloVhloOp *versions;
  va_list args;
  guint n;

  va_start (args, format);
  reason = g_strdup_vprintf (format, args);
  va_end (args);
  versions = ghlo_vhlo_versions (self->kind, &n);
  for (guint i = 0; i < n; i++)
    if (versions[i].version >= version)
      return needs (error, op, versions[i].since, target, reason);

  return needs (error, op, (GhloIrVersion) { 0, 0, 0 }, target, reason);
}

/* Returns the latest version of @op's operation in @target; NULL with @error set if there is none. */
static const GhloVhloOp *
version_at (const GhloIrOp *op,
            GhloIrVersion   target,
            GError        **error)
{
  const GhloVhloOp *versions;
  guint n;

  /* VHLO has a single return operation. */
  versions = ghlo_vhlo_versions (op->kind == GHLO_OP_FUNC_RETURN ? GHLO_OP_STABLEHLO_RETURN : op->kind, &n);
  if (n == 0)
    {
      needs (error, op, (GhloIrVersion) { 0, 0, 0 }, target, "VHLO has no such operation");
      return NULL;
    }
  for (guint i = n; i > 0; i--)
    if (ghlo_ir_version_compare (versions[i - 1].since, target) <= 0)
      return &versions[i - 1];
  needs (error, op, versions[0].since, target, NULL);

  return NULL;
}

static gboolean
same_element (const GhloIrType *a,
              const GhloIrType *b)
{
  return a->element_type == b->element_type && a->quantization == b->quantization && a->text == b->text;
}

/* Reductions whose results have wider elements than their operands were introduced late. */
static gboolean
check_promotion (const GhloIrOp *op,
                 GhloIrVersion   target,
                 GError        **error)
{
  for (guint i = 0; i < MIN (op->n_operands, op->n_results); i++)
    if (!same_element (ghlo_ir_op_operand (op, i)->type, op->results[i].type))
      return needs (error, op, (GhloIrVersion) { 0, 17, 0 }, target,
                    "its results have other element types than its operands");

  return TRUE;
}

static gboolean
check_interface (const GhloIrOp *op,
                 GhloIrVersion   target,
                 GError        **error)
{
  enum { TYPED_FFI = 4 };
  const GhloIrAttr *config = ghlo_ir_op_get (op, "backend_config");

  if (config != NULL && config->kind == GHLO_IR_ATTR_DICTIONARY)
    return needs (error, op, (GhloIrVersion) { 1, 3, 0 }, target, "its backend_config is a dictionary");
  if (ghlo_ir_op_get_int (op, "api_version", 0) == TYPED_FFI)
    return needs (error, op, (GhloIrVersion) { 1, 3, 0 }, target, "its api_version is API_VERSION_TYPED_FFI");

  return TRUE;
}

static gboolean
check_future_inputs (const GhloIrOp *op,
                     GhloIrVersion   target,
                     GError        **error)
{
  for (guint i = 0; i < op->n_operands; i++)
    if (ghlo_ir_op_operand (op, i)->type->kind == GHLO_IR_TYPE_FUTURE)
      return needs (error, op, (GhloIrVersion) { 1, 17, 0 }, target, "an operand is a future");

  return TRUE;
}

/* Features that operations gained in some version without a new version of the operation. */
static const struct
{
  GhloIrOpKind  kind;
  GhloIrVersion since;
  gboolean (*check) (const GhloIrOp *op, GhloIrVersion target, GError **error);
} constraints[] = {
  { GHLO_OP_STABLEHLO_ALL_REDUCE, { 0, 17, 0 }, check_promotion },
  { GHLO_OP_STABLEHLO_REDUCE, { 0, 17, 0 }, check_promotion },
  { GHLO_OP_STABLEHLO_REDUCE_SCATTER, { 0, 17, 0 }, check_promotion },
  { GHLO_OP_STABLEHLO_REDUCE_WINDOW, { 0, 17, 0 }, check_promotion },
  { GHLO_OP_STABLEHLO_SCATTER, { 0, 17, 0 }, check_promotion },
  { GHLO_OP_STABLEHLO_SELECT_AND_SCATTER, { 0, 17, 0 }, check_promotion },
  { GHLO_OP_STABLEHLO_CUSTOM_CALL, { 1, 3, 0 }, check_interface },
  { GHLO_OP_STABLEHLO_CUSTOM_CALL, { 1, 17, 0 }, check_future_inputs },
};

static gboolean
check_constraints (const GhloIrOp   *op,
                   const GhloVhloOp *self,
                   GhloIrVersion     target,
                   GError          **error)
{
  if (self->single && (op->n_operands != 1 || op->n_results != 1))
    return needs_newer (error, op, self, self->version + 1, target, "it has %u operands", op->n_operands);
  if (self->no_regions && op->n_regions > 0)
    return needs_newer (error, op, self, self->version + 1, target, "it has regions");
  for (guint i = 0; i < G_N_ELEMENTS (constraints); i++)
    if (constraints[i].kind == op->kind && ghlo_ir_version_compare (target, constraints[i].since) < 0
        && !constraints[i].check (op, target, error))
      return FALSE;

  return TRUE;
}

static gboolean
check_attr (const GhloIrOp   *op,
            const char       *name,
            const GhloIrAttr *attr,
            GhloIrVersion     target,
            GError          **error)
{
  GhloVhloNeed need = { 0 };
  g_autofree char *reason = NULL;

  if (ghlo_vhlo_attr_within (attr, target, &need))
    return TRUE;
  reason = g_strdup_printf ("%s, in its attribute '%s'", need.reason, name);
  g_free (need.reason);

  return needs (error, op, need.version, target, reason);
}

static gboolean
check_type (const GhloIrOp   *op,
            const GhloIrType *type,
            GhloIrVersion     target,
            GError          **error)
{
  GhloVhloNeed need = { 0 };
  g_autofree char *reason = NULL;

  if (ghlo_vhlo_type_within (type, target, &need))
    return TRUE;
  reason = need.reason;

  return needs (error, op, need.version, target, reason);
}

static gboolean
check_types (const GhloIrOp *op,
             GhloIrVersion   target,
             GError        **error)
{
  for (guint i = 0; i < op->n_operands; i++)
    if (!check_type (op, ghlo_ir_op_operand (op, i)->type, target, error))
      return FALSE;
  for (guint i = 0; i < op->n_results; i++)
    if (!check_type (op, op->results[i].type, target, error))
      return FALSE;

  return TRUE;
}

/* Whether omitting a part that this version lacks leaves the meaning unchanged. */
static gboolean
may_drop (GhloVhloCall            *call,
          const GhloVhloGroup     *group,
          guint                    part,
          const GhloIrAttr *const *parts)
{
  if (!group->is_here)
    return ghlo_vhlo_filler_is (call, group, parts);

  return parts[part]->kind == GHLO_IR_ATTR_DENSE_ARRAY && parts[part]->length == 0;
}

/* Stores VHLO's attributes of one group at their indices. */
static gboolean
store_group (GhloVhloCall        *call,
             const GhloVhloGroup *group,
             const GhloIrAttr    *attr,
             GhloIrVersion        target,
             GPtrArray           *values)
{
  const GhloIrAttr *parts[GHLO_VHLO_MAX_PARTS];

  if (attr == NULL && group->spec != NULL && group->filler == GHLO_VHLO_FILLER_NONE)
    {
      g_autofree char *reason = g_strdup_printf ("it has no attribute '%s'", group->spec->name);

      return needs (call->error, call->op, (GhloIrVersion) { 0, 0, 0 }, target, reason);
    }
  if (attr != NULL || group->spec == NULL)
    ghlo_vhlo_conversion_write (call, group, attr, parts);
  for (guint i = 0; i < group->n_parts; i++)
    {
      const GhloVhloPart *part = &group->parts[i];

      if (attr == NULL && group->spec != NULL)
        parts[i] = ghlo_vhlo_filler_make (call, group);
      if (part->index != GHLO_VHLO_ABSENT)
        values->pdata[part->index] = (gpointer) parts[i];
      else if (attr != NULL && !may_drop (call, group, i, parts))
        return needs_newer (call->error, call->op, call->self, part->since, target, "its attribute '%s'",
                            group->is_here ? part->name : group->spec->name);
    }

  return TRUE;
}

static gboolean
store_groups (GhloVhloCall  *call,
              GhloIrVersion  target,
              GPtrArray     *values)
{
  const GhloVhloOp *self = call->self;

  g_ptr_array_set_size (values, (int) self->n_attributes);
  for (guint i = 0; i < self->n_groups; i++)
    {
      const GhloVhloGroup *group = &self->groups[i];
      const GhloIrAttr *attr = group->spec != NULL ? call->op->attributes[i] : NULL;

      if (group->is_extra && attr != NULL && !check_attr (call->op, group->spec->name, attr, target, call->error))
        return FALSE;
      if (!group->is_extra && (attr != NULL || group->is_here) && !store_group (call, group, attr, target, values))
        return FALSE;
    }
  for (guint i = 0; i < self->n_attributes; i++)
    if (!check_attr (call->op, self->attributes[i], values->pdata[i], target, call->error))
      return FALSE;

  return TRUE;
}

const GhloVhloOp *
ghlo_vhlo_downgrade (const GhloIrOp *op,
                     GhloIrModule   *module,
                     GhloIrVersion   target,
                     GPtrArray      *values,
                     GError        **error)
{
  GhloVhloCall call = { .module = module, .op = op, .error = error };

  /* Operations only change with minor versions. */
  target.patch = 0;
  call.self = version_at (op, target, error);
  if (call.self == NULL || !check_constraints (op, call.self, target, error) || !check_types (op, target, error)
      || !store_groups (&call, target, values))
    return NULL;
  for (guint i = 0; i < op->n_discardable; i++)
    if (!check_attr (op, op->discardable[i].name, op->discardable[i].value, target, error))
      return NULL;

  return call.self;
}

gboolean
ghlo_vhlo_is_extra (GhloIrOpKind kind,
                    guint        attribute)
{
  const GhloVhloOp *versions;
  guint n;

  versions = ghlo_vhlo_versions (kind, &n);

  return n > 0 && versions[0].groups[attribute].is_extra;
}
