/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VHLO has no defaults: a value is written for every attribute that an operation of
 * the IR omits, and reading omits it again (StableHLO: StablehloLegalizeToVhlo.cpp,
 * VhloLegalizeToStablehlo.cpp). There is one row for each such value.
 */

#include "import/vhlo/table.h"

typedef struct
{
  gboolean          (*is)   (GhloVhloCall *call, const GhloVhloGroup *group, const GhloIrAttr *const *parts);
  const GhloIrAttr *(*make) (GhloVhloCall *call, const GhloVhloGroup *group);
} Filler;

static gboolean
is_enum (const GhloIrAttr *attr,
         gint64            value)
{
  return attr->kind == GHLO_IR_ATTR_ENUM && attr->integer == value;
}

static gboolean
is_integer (const GhloIrAttr *attr,
            gint64            value)
{
  return attr->kind == GHLO_IR_ATTR_INTEGER && attr->integer == value;
}

static gboolean
is_false (GhloVhloCall            *call,
          const GhloVhloGroup     *group,
          const GhloIrAttr *const *parts)
{
  return parts[0]->kind == GHLO_IR_ATTR_BOOL && parts[0]->integer == 0;
}

static const GhloIrAttr *
make_false (GhloVhloCall        *call,
            const GhloVhloGroup *group)
{
  return ghlo_ir_attr_bool (call->module, FALSE);
}

/* The row's default is text such as "-1 : i64". */
static gint64
fallback_of (const GhloVhloGroup *group)
{
  return g_ascii_strtoll (group->spec->fallback, NULL, 10);
}

static gboolean
is_fallback (GhloVhloCall            *call,
             const GhloVhloGroup     *group,
             const GhloIrAttr *const *parts)
{
  return is_integer (parts[0], fallback_of (group));
}

/* An i64 even if the attribute is an i32, since upstream's readers drop it. */
static const GhloIrAttr *
make_fallback (GhloVhloCall        *call,
               const GhloVhloGroup *group)
{
  return ghlo_ir_attr_i64 (call->module, fallback_of (group));
}

static gboolean
is_word (GhloVhloCall            *call,
         const GhloVhloGroup     *group,
         const GhloIrAttr *const *parts)
{
  return is_enum (parts[0], 0);
}

static const GhloIrAttr *
make_word (GhloVhloCall        *call,
           const GhloVhloGroup *group)
{
  return ghlo_ir_attr_enum (call->module, group->spec->detail, 0);
}

enum { API_VERSION_ORIGINAL = 1, API_VERSION_TYPED_FFI = 4 };

static gboolean
is_original (GhloVhloCall            *call,
             const GhloVhloGroup     *group,
             const GhloIrAttr *const *parts)
{
  return is_enum (parts[0], API_VERSION_ORIGINAL);
}

static const GhloIrAttr *
make_original (GhloVhloCall        *call,
               const GhloVhloGroup *group)
{
  return ghlo_ir_attr_enum (call->module, GHLO_IR_ENUM_CUSTOM_CALL_API_VERSION, API_VERSION_ORIGINAL);
}

static gboolean
is_string (GhloVhloCall            *call,
           const GhloVhloGroup     *group,
           const GhloIrAttr *const *parts)
{
  return parts[0]->kind == GHLO_IR_ATTR_STRING && parts[0]->length == 0;
}

static const GhloIrAttr *
make_string (GhloVhloCall        *call,
             const GhloVhloGroup *group)
{
  return ghlo_ir_attr_string (call->module, "", 0);
}

static gboolean
is_array (GhloVhloCall            *call,
          const GhloVhloGroup     *group,
          const GhloIrAttr *const *parts)
{
  return parts[0]->kind == GHLO_IR_ATTR_ARRAY && parts[0]->length == 0;
}

static const GhloIrAttr *
make_array (GhloVhloCall        *call,
            const GhloVhloGroup *group)
{
  return ghlo_ir_attr_array (call->module, NULL, 0);
}

static gboolean
is_dictionary (GhloVhloCall            *call,
               const GhloVhloGroup     *group,
               const GhloIrAttr *const *parts)
{
  return parts[0]->kind == GHLO_IR_ATTR_DICTIONARY && parts[0]->length == 0;
}

static const GhloIrAttr *
make_dictionary (GhloVhloCall        *call,
                 const GhloVhloGroup *group)
{
  return ghlo_ir_attr_dictionary (call->module, NULL, 0);
}

static gboolean
is_config (GhloVhloCall            *call,
           const GhloVhloGroup     *group,
           const GhloIrAttr *const *parts)
{
  return is_string (call, group, parts) || is_dictionary (call, group, parts);
}

static const GhloIrAttr *
make_config (GhloVhloCall        *call,
             const GhloVhloGroup *group)
{
  return ghlo_ir_op_get_int (call->op, "api_version", API_VERSION_ORIGINAL) == API_VERSION_TYPED_FFI
         ? make_dictionary (call, group) : make_string (call, group);
}

/* Layouts of operands and results can only be omitted together. */
static gboolean
is_layouts (GhloVhloCall            *call,
            const GhloVhloGroup     *group,
            const GhloIrAttr *const *parts)
{
  for (guint i = 0; i < call->self->n_groups; i++)
    {
      const GhloVhloGroup *other = &call->self->groups[i];

      if (other->filler == group->filler && !is_array (call, other, &call->values[other->parts[0].index]))
        return FALSE;
    }

  return TRUE;
}

static gboolean
is_precisions (GhloVhloCall            *call,
               const GhloVhloGroup     *group,
               const GhloIrAttr *const *parts)
{
  if (parts[0]->kind != GHLO_IR_ATTR_ARRAY)
    return FALSE;
  for (gsize i = 0; i < parts[0]->length; i++)
    if (!is_enum (parts[0]->children[i], 0))
      return FALSE;

  return TRUE;
}

static const GhloIrAttr *
make_precisions (GhloVhloCall        *call,
                 const GhloVhloGroup *group)
{
  const GhloIrAttr *word = ghlo_ir_attr_enum (call->module, group->spec->detail, 0);

  return ghlo_ir_attr_array (call->module, (const GhloIrAttr *const[]) { word, word }, 2);
}

/* Whether there are elements and all of them are @value. */
static gboolean
is_splat (const GhloIrAttr *attr,
          GhloElementType   element_type,
          gint64            value)
{
  g_autofree gint64 *values = NULL;
  gsize n;

  if (!ghlo_vhlo_get_integers (attr, element_type, &values, &n))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    if (values[i] != value)
      return FALSE;

  return n > 0;
}

/* The number of dimensions of the operation's window. */
static gsize
n_window_dimensions (const GhloIrOp *op)
{
  const GhloIrAttr *window = ghlo_ir_op_get (op, "window_dimensions");
  const GhloIrAttr *numbers = ghlo_ir_op_get (op, "dimension_numbers");
  gsize n = 0;

  if (window != NULL)
    return window->length;
  if (numbers != NULL)
    ghlo_ir_struct_get_dims (numbers, "input_spatial_dimensions", &n);

  return n;
}

static gboolean
is_ones (GhloVhloCall            *call,
         const GhloVhloGroup     *group,
         const GhloIrAttr *const *parts)
{
  return is_splat (parts[0], GHLO_ELEMENT_TYPE_I64, 1);
}

static const GhloIrAttr *
make_ones (GhloVhloCall        *call,
           const GhloVhloGroup *group)
{
  gsize n = n_window_dimensions (call->op);
  g_autofree gint64 *values = g_new (gint64, MAX (n, 1));

  for (gsize i = 0; i < n; i++)
    values[i] = 1;

  return ghlo_ir_attr_i64s (call->module, values, n);
}

static gboolean
is_falses (GhloVhloCall            *call,
           const GhloVhloGroup     *group,
           const GhloIrAttr *const *parts)
{
  return is_splat (parts[0], GHLO_ELEMENT_TYPE_I1, 0);
}

static const GhloIrAttr *
make_falses (GhloVhloCall        *call,
             const GhloVhloGroup *group)
{
  gsize n = n_window_dimensions (call->op);
  g_autofree gint64 *values = g_new0 (gint64, MAX (n, 1));

  return ghlo_ir_attr_integers (call->module, GHLO_ELEMENT_TYPE_I1, values, n);
}

static gboolean
is_zero_pairs (GhloVhloCall            *call,
               const GhloVhloGroup     *group,
               const GhloIrAttr *const *parts)
{
  return is_splat (parts[0], GHLO_ELEMENT_TYPE_I64, 0);
}

static const GhloIrAttr *
make_zero_pairs (GhloVhloCall        *call,
                 const GhloVhloGroup *group)
{
  return ghlo_vhlo_zero_pairs (call->module, n_window_dimensions (call->op));
}

static gboolean
is_no_integers (GhloVhloCall            *call,
                const GhloVhloGroup     *group,
                const GhloIrAttr *const *parts)
{
  return (parts[0]->kind == GHLO_IR_ATTR_DENSE && parts[0]->dense.n_elements == 0)
         || (parts[0]->kind == GHLO_IR_ATTR_DENSE_ARRAY && parts[0]->length == 0);
}

static const GhloIrAttr *
make_no_integers (GhloVhloCall        *call,
                  const GhloVhloGroup *group)
{
  return ghlo_ir_attr_i64s (call->module, NULL, 0);
}

static gboolean
is_accuracy (GhloVhloCall            *call,
             const GhloVhloGroup     *group,
             const GhloIrAttr *const *parts)
{
  const GhloIrAttr *attr = parts[0], *mode;

  if (attr->kind != GHLO_IR_ATTR_STRUCT || attr->subkind != GHLO_IR_STRUCT_RESULT_ACCURACY)
    return FALSE;
  for (guint i = 0; i < 2; i++)
    if (attr->children[i] != NULL && attr->children[i]->real != 0)
      return FALSE;
  mode = ghlo_ir_struct_get (attr, "mode");

  return ghlo_ir_struct_get_int (attr, "ulps") == 0 && mode != NULL && is_enum (mode, 0);
}

static const GhloIrAttr *
make_accuracy (GhloVhloCall        *call,
               const GhloVhloGroup *group)
{
  const GhloIrAttr *mode = ghlo_ir_attr_enum (call->module, GHLO_IR_ENUM_RESULT_ACCURACY_MODE, 0);

  return ghlo_ir_attr_struct (call->module, GHLO_IR_STRUCT_RESULT_ACCURACY,
                              (const GhloIrAttr *const[]) { NULL, NULL, NULL, mode });
}

static gboolean
is_channel (GhloVhloCall            *call,
            const GhloVhloGroup     *group,
            const GhloIrAttr *const *parts)
{
  return is_integer (parts[0], 0);
}

static const GhloIrAttr *
make_channel (GhloVhloCall        *call,
              const GhloVhloGroup *group)
{
  return ghlo_ir_attr_i64 (call->module, 0);
}

static gboolean
is_none_types (GhloVhloCall            *call,
               const GhloVhloGroup     *group,
               const GhloIrAttr *const *parts)
{
  for (guint i = 0; i < group->n_parts; i++)
    if (parts[i]->kind != GHLO_IR_ATTR_TYPE || parts[i]->type->kind != GHLO_IR_TYPE_NONE)
      return FALSE;

  return TRUE;
}

static const GhloIrAttr *
make_none_types (GhloVhloCall        *call,
                 const GhloVhloGroup *group)
{
  return ghlo_ir_attr_type (call->module, ghlo_ir_type_none (call->module));
}

static const Filler fillers[GHLO_VHLO_N_FILLERS] = {
  [GHLO_VHLO_FILLER_FALSE] = { is_false, make_false },
  [GHLO_VHLO_FILLER_FALLBACK] = { is_fallback, make_fallback },
  [GHLO_VHLO_FILLER_WORD] = { is_word, make_word },
  [GHLO_VHLO_FILLER_ORIGINAL] = { is_original, make_original },
  [GHLO_VHLO_FILLER_STRING] = { is_string, make_string },
  [GHLO_VHLO_FILLER_ARRAY] = { is_array, make_array },
  [GHLO_VHLO_FILLER_DICTIONARY] = { is_dictionary, make_dictionary },
  [GHLO_VHLO_FILLER_CONFIG] = { is_config, make_config },
  [GHLO_VHLO_FILLER_LAYOUTS] = { is_layouts, make_array },
  [GHLO_VHLO_FILLER_PRECISIONS] = { is_precisions, make_precisions },
  [GHLO_VHLO_FILLER_ONES] = { is_ones, make_ones },
  [GHLO_VHLO_FILLER_FALSES] = { is_falses, make_falses },
  [GHLO_VHLO_FILLER_ZERO_PAIRS] = { is_zero_pairs, make_zero_pairs },
  [GHLO_VHLO_FILLER_NO_INTEGERS] = { is_no_integers, make_no_integers },
  [GHLO_VHLO_FILLER_ACCURACY] = { is_accuracy, make_accuracy },
  [GHLO_VHLO_FILLER_CHANNEL] = { is_channel, make_channel },
  [GHLO_VHLO_FILLER_NONE_TYPES] = { is_none_types, make_none_types },
};

gboolean
ghlo_vhlo_filler_is (GhloVhloCall            *call,
                     const GhloVhloGroup     *group,
                     const GhloIrAttr *const *parts)
{
  return fillers[group->filler].is != NULL && fillers[group->filler].is (call, group, parts);
}

const GhloIrAttr *
ghlo_vhlo_filler_make (GhloVhloCall        *call,
                       const GhloVhloGroup *group)
{
  return fillers[group->filler].make (call, group);
}
