/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads configurations of calls strictly: an entry that is not known may change what the call means.
 */

#include "passes/expand/config.h"

#include "base/fail.h"
#include "passes/expand/json.h"

static gboolean
(refuse) (const GhloExpandConfig *self,
          const char             *name,
          const char             *expected,
          char                  **problem)
{
  const GhloIrAttr *attr = self->entries != NULL ? ghlo_ir_dictionary_get (self->entries, name) : NULL;
  g_autofree char *found = attr != NULL ? ghlo_ir_attr_to_string (attr) : g_strdup ("nothing");

  *problem = g_strdup_printf ("expected %s as '%s' of %s, found %s", expected, name,
                              ghlo_ir_op_get_string (self->op, "call_target_name"), found);

  return FALSE;
}
#define refuse(...) GHLO_FALSE_AFTER (refuse (__VA_ARGS__))

static gboolean
check_names (const GhloExpandConfig *self,
             const char *const      *names,
             char                  **problem)
{
  for (gsize i = 0; self->entries != NULL && i < self->entries->length; i++)
    if (!g_strv_contains (names, self->entries->entries[i].name))
      {
        g_autofree char *known = g_strjoinv ("', '", (char **) names);

        *problem = g_strdup_printf ("expected '%s' in the configuration of %s, found '%s'",
                                    *known != '\0' ? known : "nothing",
                                    ghlo_ir_op_get_string (self->op, "call_target_name"),
                                    self->entries->entries[i].name);
        return FALSE;
      }

  return TRUE;
}

gboolean
ghlo_expand_config_read (GhloExpandConfig  *self,
                         GhloIrModule      *module,
                         const GhloIrOp    *op,
                         const char *const *names,
                         char             **problem)
{
  const GhloIrAttr *config = ghlo_ir_op_get (op, "backend_config");

  *self = (GhloExpandConfig) { op, NULL };
  if (config == NULL)
    config = ghlo_ir_op_get (op, "mhlo.backend_config");
  if (config == NULL || (config->kind == GHLO_IR_ATTR_STRING && config->length == 0))
    return TRUE;
  self->entries = config->kind == GHLO_IR_ATTR_STRING ? ghlo_expand_json_read (module, config->text, config->length)
                                                      : config;
  if (self->entries == NULL || self->entries->kind != GHLO_IR_ATTR_DICTIONARY)
    {
      g_autofree char *found = ghlo_ir_attr_to_string (config);

      *problem = g_strdup_printf ("expected an object in JSON as the configuration of %s, found %s",
                                  ghlo_ir_op_get_string (op, "call_target_name"), found);
      return FALSE;
    }

  return check_names (self, names, problem);
}

static const GhloIrAttr *
get (const GhloExpandConfig *self,
     const char             *name)
{
  return self->entries != NULL ? ghlo_ir_dictionary_get (self->entries, name) : NULL;
}

gboolean
ghlo_expand_config_real (const GhloExpandConfig *self,
                         const char             *name,
                         double                 *value,
                         char                  **problem)
{
  const GhloIrAttr *attr = get (self, name);

  if (attr != NULL && attr->kind != GHLO_IR_ATTR_FLOAT && attr->kind != GHLO_IR_ATTR_INTEGER)
    return refuse (self, name, "a number", problem);
  if (attr != NULL)
    *value = attr->kind == GHLO_IR_ATTR_FLOAT ? attr->real : (double) attr->integer;

  return TRUE;
}

gboolean
ghlo_expand_config_integer (const GhloExpandConfig *self,
                            const char             *name,
                            gint64                 *value,
                            char                  **problem)
{
  const GhloIrAttr *attr = get (self, name);

  if (attr != NULL && attr->kind != GHLO_IR_ATTR_INTEGER)
    return refuse (self, name, "an integer", problem);
  if (attr != NULL)
    *value = attr->integer;

  return TRUE;
}

gboolean
ghlo_expand_config_axis (const GhloExpandConfig *self,
                         const char             *name,
                         guint                   rank,
                         gint64                 *value,
                         char                  **problem)
{
  if (!ghlo_expand_config_integer (self, name, value, problem))
    return FALSE;
  if (*value < -(gint64) rank || *value >= rank)
    return refuse (self, name, "a dimension of the operand", problem);
  *value += *value < 0 ? rank : 0;

  return TRUE;
}

gboolean
ghlo_expand_config_boolean (const GhloExpandConfig *self,
                            const char             *name,
                            gboolean               *value,
                            char                  **problem)
{
  const GhloIrAttr *attr = get (self, name);

  if (attr != NULL && attr->kind != GHLO_IR_ATTR_BOOL
      && (attr->kind != GHLO_IR_ATTR_INTEGER || (attr->integer != 0 && attr->integer != 1)))
    return refuse (self, name, "true or false", problem);
  if (attr != NULL)
    *value = attr->integer != 0;

  return TRUE;
}

gboolean
ghlo_expand_config_text (const GhloExpandConfig *self,
                         const char             *name,
                         const char            **value,
                         char                  **problem)
{
  const GhloIrAttr *attr = get (self, name);

  if (attr != NULL && attr->kind != GHLO_IR_ATTR_STRING)
    return refuse (self, name, "a text", problem);
  if (attr != NULL)
    *value = attr->text;

  return TRUE;
}

gboolean
ghlo_expand_config_array (const GhloExpandConfig *self,
                          const char             *name,
                          GhloIrAttrKind          kind,
                          const GhloIrAttr      **value,
                          char                  **problem)
{
  const char *expected = kind == GHLO_IR_ATTR_STRING ? "a list of texts" : "a list of integers";

  *value = get (self, name);
  if (*value != NULL && (*value)->kind != GHLO_IR_ATTR_ARRAY)
    return refuse (self, name, expected, problem);
  for (gsize i = 0; *value != NULL && i < (*value)->length; i++)
    if ((*value)->children[i]->kind != kind)
      return refuse (self, name, expected, problem);

  return TRUE;
}
