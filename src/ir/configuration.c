/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Converts the configuration of a custom call to GVariant and text.
 */

#include "ir/configuration.h"

#include "base/hash.h"
#include "base/stack.h"

/* The attributes in which programs store configuration dictionaries, besides the call's own attributes. If a name
 * occurs in several, the first one wins. */
static const char *const dictionaries[] = { "mhlo.attributes", "backend_config", "mhlo.backend_config" };

static GVariant *to_variant (const GhloIrAttr *attr);

static char *
to_text (const GhloIrAttr *attr)
{
  GString *text = g_string_new (NULL);
  g_autofree char *owned = NULL;

  ghlo_ir_attr_append (attr, text);
  owned = g_string_free (text, FALSE);

  return g_utf8_make_valid (owned, -1);
}

/* A dictionary under construction, in the order of its entries. */
typedef struct
{
  GVariantBuilder  builder;
  GHashTable      *names;       /* a set */
} Dictionary;

static void
dictionary_init (Dictionary *self)
{
  g_variant_builder_init (&self->builder, G_VARIANT_TYPE_VARDICT);
  self->names = g_hash_table_new_full (ghlo_hash_string, g_str_equal, g_free, NULL);
}

static GVariant *
dictionary_end (Dictionary *self)
{
  g_hash_table_unref (self->names);

  return g_variant_builder_end (&self->builder);
}

static void
add_entry (Dictionary       *self,
           const char       *name,
           const GhloIrAttr *attr)
{
  char *valid = g_utf8_make_valid (name, -1);

  if (g_hash_table_add (self->names, valid))
    g_variant_builder_add (&self->builder, "{sv}", valid, to_variant (attr));
}

static void
add_entries (Dictionary       *self,
             const GhloIrAttr *dictionary)
{
  for (gsize i = 0; i < dictionary->length; i++)
    add_entry (self, dictionary->entries[i].name, dictionary->entries[i].value);
}

static GVariant *
dictionary_to_variant (const GhloIrAttr *attr)
{
  Dictionary dictionary;

  dictionary_init (&dictionary);
  add_entries (&dictionary, attr);

  return dictionary_end (&dictionary);
}

static GVariant *
array_to_variant (const GhloIrAttr *attr)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("av"));
  for (gsize i = 0; i < attr->length; i++)
    g_variant_builder_add (&builder, "v", to_variant (attr->children[i]));

  return g_variant_builder_end (&builder);
}

static GVariant *
numbers_to_variant (const GhloIrAttr *attr)
{
  return ghlo_element_type_is_float (attr->type->element_type)
         ? g_variant_new_fixed_array (G_VARIANT_TYPE_DOUBLE, attr->reals, attr->length, sizeof (double))
         : g_variant_new_fixed_array (G_VARIANT_TYPE_INT64, attr->integers, attr->length, sizeof (gint64));
}

static GVariant *
to_variant (const GhloIrAttr *attr)
{
  switch (attr->kind)
    {
    case GHLO_IR_ATTR_UNIT:
      return g_variant_new_boolean (TRUE);
    case GHLO_IR_ATTR_BOOL:
      return g_variant_new_boolean (attr->integer != 0);
    case GHLO_IR_ATTR_INTEGER:
      return g_variant_new_int64 (attr->integer);
    case GHLO_IR_ATTR_FLOAT:
      return g_variant_new_double (attr->real);
    case GHLO_IR_ATTR_STRING:
      return g_variant_new_take_string (g_utf8_make_valid (attr->text, (gssize) attr->length));
    case GHLO_IR_ATTR_ARRAY:
      return array_to_variant (attr);
    case GHLO_IR_ATTR_DENSE_ARRAY:
      return numbers_to_variant (attr);
    case GHLO_IR_ATTR_DICTIONARY:
      return dictionary_to_variant (attr);
    default:
      return g_variant_new_take_string (to_text (attr));
    }
}

static gpointer
make_variant (gpointer data)
{
  const GhloIrOp *op = data;
  Dictionary own;

  dictionary_init (&own);
  for (guint i = 0; i < op->n_discardable; i++)
    if (op->discardable[i].value->kind != GHLO_IR_ATTR_DICTIONARY
        || !g_strv_contains ((const char *[]) { dictionaries[0], dictionaries[2], NULL }, op->discardable[i].name))
      add_entry (&own, op->discardable[i].name, op->discardable[i].value);
  for (guint i = 0; i < G_N_ELEMENTS (dictionaries); i++)
    {
      const GhloIrAttr *dictionary = ghlo_ir_op_get (op, dictionaries[i]);

      if (dictionary != NULL && dictionary->kind == GHLO_IR_ATTR_DICTIONARY)
        add_entries (&own, dictionary);
    }

  return dictionary_end (&own);
}

/* The functions of custom calls are called on threads of the application. */
GVariant *
ghlo_ir_configuration_to_variant (const GhloIrOp *op)
{
  return ghlo_stack_call (make_variant, (gpointer) op);
}

static gpointer
make_string (gpointer data)
{
  const GhloIrOp *op = data;
  const GhloIrAttr *config = ghlo_ir_op_get (op, "backend_config");

  if (config == NULL)
    config = ghlo_ir_op_get (op, "mhlo.backend_config");
  if (config == NULL)
    return NULL;

  return config->kind == GHLO_IR_ATTR_STRING ? g_utf8_make_valid (config->text, (gssize) config->length)
                                             : to_text (config);
}

char *
ghlo_ir_configuration_to_string (const GhloIrOp *op)
{
  return ghlo_stack_call (make_string, (gpointer) op);
}
