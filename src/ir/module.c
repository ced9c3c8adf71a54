/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The lifetime of modules, their strings and quantizations, and the lookup of symbols.
 */

#include "ir/module.h"

#include <string.h>

#include "base/hash.h"
#include "ir/context.h"

typedef struct
{
  const char *text;
  gsize       length;
} StringKey;

/* An interned string: its length, its bytes and a NUL. */
typedef struct
{
  gsize length;
  char  text[];
} InternedString;

static gboolean
string_equal (gconstpointer item,
              gconstpointer key)
{
  const InternedString *string = item;
  const StringKey *wanted = key;

  return string->length == wanted->length && memcmp (string->text, wanted->text, wanted->length) == 0;
}

const char *
ghlo_ir_module_intern (GhloIrModule *self,
                       const char   *text,
                       gssize        length)
{
  GhloIrContext *context = self->context;
  StringKey key = { text, length < 0 ? strlen (text) : (gsize) length };
  guint32 hash = (guint32) ghlo_hash_bytes (key.text, key.length);
  InternedString *string = ghlo_ir_intern_find (&context->strings, hash, string_equal, &key);

  if (string == NULL)
    {
      string = ghlo_ir_arena_alloc (&context->arena, sizeof (InternedString) + key.length + 1);
      string->length = key.length;
      if (key.length > 0)
        memcpy (string->text, key.text, key.length);
      ghlo_ir_intern_add (&context->strings, hash, string);
    }

  return string->text;
}

static gboolean
quantization_equal (gconstpointer item,
                    gconstpointer key)
{
  return item == key || ghlo_quantization_equal (item, key);
}

GhloQuantization *
ghlo_ir_context_quantization (GhloIrModule     *module,
                              GhloQuantization *quantization)
{
  GhloIrInternTable *known = &module->context->quantizations;
  guint32 hash = (guint32) ghlo_quantization_hash (quantization);
  GhloQuantization *item = ghlo_ir_intern_find (known, hash, quantization_equal, quantization);

  if (item == NULL)
    {
      item = ghlo_quantization_ref (quantization);
      ghlo_ir_intern_add (known, hash, item);
    }

  return item;
}

static void
constant_unref (gpointer data)
{
  g_bytes_unref (data);
}

static void
symbol_table_unref (gpointer data)
{
  g_hash_table_unref (data);
}

GhloIrModule *
ghlo_ir_module_new (const char *file_name)
{
  GhloIrModule *self = g_new0 (GhloIrModule, 1);
  GhloIrContext *context = g_new0 (GhloIrContext, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->file_name = g_strdup (file_name != NULL ? file_name : "<program>");
  self->context = context;
  context->constants = g_ptr_array_new_with_free_func (constant_unref);
  context->symbol_tables = g_ptr_array_new_with_free_func (symbol_table_unref);

  return self;
}

GhloIrModule *
ghlo_ir_module_ref (GhloIrModule *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
ghlo_ir_module_unref (GhloIrModule *self)
{
  GhloIrContext *context = self->context;

  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_ptr_array_unref (context->constants);
  g_ptr_array_unref (context->symbol_tables);
  for (gsize i = 0; i < context->quantizations.capacity; i++)
    g_clear_pointer (&context->quantizations.items[i], ghlo_quantization_unref);
  ghlo_ir_intern_clear (&context->quantizations);
  ghlo_ir_intern_clear (&context->strings);
  ghlo_ir_intern_clear (&context->types);
  ghlo_ir_intern_clear (&context->attrs);
  ghlo_ir_intern_clear (&context->locations);
  ghlo_ir_arena_clear (&context->arena);
  g_free (context);
  g_free (self->file_name);
  g_free (self);
}

gpointer
ghlo_ir_module_alloc (GhloIrModule *self,
                      gsize         size)
{
  return ghlo_ir_arena_alloc (&self->context->arena, size);
}

gsize
ghlo_ir_module_get_size (const GhloIrModule *self)
{
  return self->context->arena.total + self->context->constant_bytes;
}

gsize
ghlo_ir_module_get_own_size (const GhloIrModule *self)
{
  const GhloIrContext *context = self->context;
  const GhloIrInternTable *const tables[] = { &context->strings, &context->types, &context->attrs,
                                              &context->locations, &context->quantizations };
  gsize size = sizeof *self + sizeof *context + context->arena.total;

  for (gsize i = 0; i < G_N_ELEMENTS (tables); i++)
    size += tables[i]->capacity * (sizeof tables[i]->items[0] + sizeof tables[i]->hashes[0]);

  return size;
}

GhloIrOp *
ghlo_ir_module_find (const GhloIrModule *self,
                     const char         *name)
{
  GhloIrOp *op = self->op != NULL && self->op->symbols != NULL ? g_hash_table_lookup (self->op->symbols, name) : NULL;

  return op != NULL && op->kind == GHLO_OP_FUNC_FUNC ? op : NULL;
}

GhloIrOp *
ghlo_ir_op_find_symbol (const GhloIrOp *from,
                        const char     *name)
{
  for (const GhloIrOp *op = from; op != NULL; op = ghlo_ir_op_get_parent (op))
    {
      GhloIrOp *found = op->symbols != NULL ? g_hash_table_lookup (op->symbols, name) : NULL;

      if (found != NULL)
        return found;
    }

  return NULL;
}

/* Returns the public functions that have a body. */
static GPtrArray *
list_public (const GhloIrModule *self)
{
  GPtrArray *functions = g_ptr_array_new ();
  GhloIrBlock *body = self->op != NULL ? ghlo_ir_op_region_block (self->op, 0) : NULL;

  for (GhloIrOp *op = body != NULL ? body->first : NULL; op != NULL; op = op->next)
    {
      const char *visibility;

      if (op->kind != GHLO_OP_FUNC_FUNC || ghlo_ir_func_get_body (op) == NULL)
        continue;
      visibility = ghlo_ir_op_get_string (op, "sym_visibility");
      if (visibility == NULL || strcmp (visibility, "public") == 0)
        g_ptr_array_add (functions, op);
    }

  return functions;
}

GhloIrOp *
ghlo_ir_module_get_entry (const GhloIrModule *self)
{
  GhloIrOp *entry = ghlo_ir_module_find (self, "main");
  g_autoptr (GPtrArray) functions = NULL;

  if (entry != NULL)
    return entry;
  functions = list_public (self);

  return functions->len == 1 ? functions->pdata[0] : NULL;
}

char *
ghlo_ir_module_describe_functions (const GhloIrModule *self)
{
  enum { SHOWN = 6 };
  g_autoptr (GPtrArray) functions = list_public (self);
  GString *text;

  if (ghlo_ir_module_find (self, "main") != NULL)
    return g_strdup ("a declaration without a body");
  if (functions->len == 0)
    return g_strdup ("no public function");

  text = g_string_new (NULL);
  g_string_printf (text, "%u public functions, ", functions->len);
  for (guint i = 0; i < MIN (functions->len, SHOWN); i++)
    g_string_append_printf (text, "%s@%s", i == 0 ? "" : i + 1 == functions->len ? " and " : ", ",
                            ghlo_ir_op_get_string (functions->pdata[i], "sym_name"));
  if (functions->len > SHOWN)
    g_string_append_printf (text, " and %u more", functions->len - SHOWN);

  return g_string_free (text, FALSE);
}
