/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Creates types. Each one is first looked up in the module's table, so that equal types are one object.
 */

#include "ir/type.h"

#include <string.h>

#include "base/hash.h"
#include "ir/context.h"

static gboolean
same_memory (gconstpointer a,
             gconstpointer b,
             gsize         size)
{
  return a == b || (a != NULL && b != NULL && memcmp (a, b, size) == 0);
}

static gsize
n_members (const GhloIrType *type)
{
  return (gsize) type->rank + type->n_results;
}

static gboolean
type_equal (gconstpointer item,
            gconstpointer key)
{
  const GhloIrType *a = item, *b = key;

  if (a->kind != b->kind || a->element_type != b->element_type || a->rank != b->rank
      || a->n_results != b->n_results || a->quantization != b->quantization
      || a->encoding != b->encoding || a->text != b->text)
    return FALSE;
  if ((a->members != NULL) != (b->members != NULL))
    return FALSE;
  if (a->members != NULL)
    return memcmp (a->members, b->members, n_members (a) * sizeof (gpointer)) == 0;

  return same_memory (a->dimensions, b->dimensions, a->rank * sizeof (gint64))
         && same_memory (a->bounds, b->bounds, a->rank * sizeof (gint64));
}

static guint32
type_hash (const GhloIrType *type)
{
  GhloHash hash = ghlo_hash_begin ();

  ghlo_hash_add (&hash, (guint64) type->kind << 32 | type->element_type);
  ghlo_hash_add (&hash, (guint64) type->rank << 32 | type->n_results);
  ghlo_hash_add_pointer (&hash, type->quantization);
  ghlo_hash_add_pointer (&hash, type->encoding);
  ghlo_hash_add_pointer (&hash, type->text);
  if (type->dimensions != NULL)
    ghlo_hash_add_bytes (&hash, type->dimensions, type->rank * sizeof (gint64));
  if (type->bounds != NULL)
    ghlo_hash_add_bytes (&hash, type->bounds, type->rank * sizeof (gint64));
  if (type->members != NULL)
    ghlo_hash_add_bytes (&hash, type->members, n_members (type) * sizeof (gpointer));

  return (guint32) ghlo_hash_end (&hash);
}

/* The members of a function type without inputs and results. */
static const GhloIrType *const no_members[1] = { NULL };

static guint32
measure (const GhloIrType *type)
{
  guint32 extent = ghlo_ir_add_extent (1, type->text != NULL ? strlen (type->text) / 8 : 0);

  if (type->dimensions != NULL)
    extent = ghlo_ir_add_extent (extent, type->rank / 4);
  if (type->encoding != NULL)
    extent = ghlo_ir_add_extent (extent, type->encoding->extent);
  if (type->quantization != NULL)
    extent = ghlo_ir_add_extent (extent, type->quantization->n_scales);
  for (gsize i = 0; type->members != NULL && i < n_members (type); i++)
    extent = ghlo_ir_add_extent (extent, type->members[i]->extent);

  return extent;
}

/* Returns the module's copy of @key. The arrays of @key need only be valid during the call. */
static const GhloIrType *
intern (GhloIrModule     *module,
        const GhloIrType *key)
{
  GhloIrContext *context = module->context;
  guint32 hash = type_hash (key);
  GhloIrType *type = ghlo_ir_intern_find (&context->types, hash, type_equal, key);

  if (type != NULL)
    return type;

  type = ghlo_ir_arena_copy (&context->arena, key, sizeof (GhloIrType));
  type->dimensions = ghlo_ir_arena_copy (&context->arena, key->dimensions,
                                         key->dimensions != NULL ? key->rank * sizeof (gint64) : 0);
  type->bounds = ghlo_ir_arena_copy (&context->arena, key->bounds,
                                     key->bounds != NULL ? key->rank * sizeof (gint64) : 0);
  if (key->members != no_members)
    type->members = ghlo_ir_arena_copy (&context->arena, key->members,
                                        key->members != NULL ? n_members (key) * sizeof (gpointer) : 0);
  type->extent = measure (type);
  ghlo_ir_intern_add (&context->types, hash, type);

  return type;
}

const GhloIrType *
ghlo_ir_type_element (GhloIrModule    *module,
                      GhloElementType  element_type)
{
  return intern (module, &(GhloIrType) { .kind = GHLO_IR_TYPE_ELEMENT, .element_type = element_type });
}

const GhloIrType *
ghlo_ir_type_named (GhloIrModule *module,
                    const char   *name)
{
  return intern (module, &(GhloIrType) { .kind = GHLO_IR_TYPE_ELEMENT,
                                         .text = ghlo_ir_module_intern (module, name, -1) });
}

const GhloIrType *
ghlo_ir_type_quantized (GhloIrModule     *module,
                        GhloQuantization *quantization)
{
  return intern (module, &(GhloIrType) {
    .kind = GHLO_IR_TYPE_QUANTIZED,
    .element_type = quantization->storage,
    .quantization = ghlo_ir_context_quantization (module, quantization),
  });
}

/* A shaped type inherits element type, quantization and text from its element. */
static GhloIrType
shaped (GhloIrTypeKind    kind,
        const GhloIrType *element)
{
  return (GhloIrType) {
    .kind = kind,
    .element_type = element->element_type,
    .quantization = element->quantization,
    .text = element->text,
  };
}

const GhloIrType *
ghlo_ir_type_tensor (GhloIrModule     *module,
                     const GhloIrType *element,
                     const gint64     *dimensions,
                     gsize             rank,
                     const gint64     *bounds,
                     const GhloIrAttr *encoding)
{
  GhloIrType key = shaped (GHLO_IR_TYPE_TENSOR, element);

  key.rank = rank;
  key.dimensions = rank > 0 ? dimensions : NULL;
  key.bounds = rank > 0 ? bounds : NULL;
  key.encoding = encoding;

  return intern (module, &key);
}

const GhloIrType *
ghlo_ir_type_unranked (GhloIrModule     *module,
                       const GhloIrType *element)
{
  GhloIrType key = shaped (GHLO_IR_TYPE_UNRANKED, element);

  return intern (module, &key);
}

const GhloIrType *
ghlo_ir_type_memref (GhloIrModule     *module,
                     const GhloIrType *element,
                     const gint64     *dimensions,
                     gsize             rank,
                     const GhloIrAttr *encoding)
{
  GhloIrType key = shaped (GHLO_IR_TYPE_MEMREF, element);

  key.rank = rank;
  key.dimensions = rank > 0 ? dimensions : NULL;
  key.encoding = encoding;

  return intern (module, &key);
}

const GhloIrType *
ghlo_ir_type_token (GhloIrModule *module)
{
  return intern (module, &(GhloIrType) { .kind = GHLO_IR_TYPE_TOKEN });
}

const GhloIrType *
ghlo_ir_type_none (GhloIrModule *module)
{
  return intern (module, &(GhloIrType) { .kind = GHLO_IR_TYPE_NONE });
}

const GhloIrType *
ghlo_ir_type_tuple (GhloIrModule            *module,
                    const GhloIrType *const *members,
                    gsize                    n)
{
  return intern (module, &(GhloIrType) { .kind = GHLO_IR_TYPE_TUPLE, .rank = n, .members = n > 0 ? members : NULL });
}

const GhloIrType *
ghlo_ir_type_future (GhloIrModule            *module,
                     const GhloIrType *const *members,
                     gsize                    n)
{
  return intern (module, &(GhloIrType) { .kind = GHLO_IR_TYPE_FUTURE, .rank = n, .members = n > 0 ? members : NULL });
}

const GhloIrType *
ghlo_ir_type_function (GhloIrModule            *module,
                       const GhloIrType *const *inputs,
                       gsize                    n_inputs,
                       const GhloIrType *const *results,
                       gsize                    n_results)
{
  g_autofree const GhloIrType **members = g_new (const GhloIrType *, n_inputs + n_results + 1);

  for (gsize i = 0; i < n_inputs; i++)
    members[i] = inputs[i];
  for (gsize i = 0; i < n_results; i++)
    members[n_inputs + i] = results[i];

  return intern (module, &(GhloIrType) {
    .kind = GHLO_IR_TYPE_FUNCTION,
    .rank = n_inputs,
    .n_results = n_results,
    .members = n_inputs + n_results > 0 ? members : no_members,
  });
}

const GhloIrType *
ghlo_ir_type_opaque (GhloIrModule *module,
                     const char   *text)
{
  return intern (module, &(GhloIrType) { .kind = GHLO_IR_TYPE_OPAQUE,
                                         .text = ghlo_ir_module_intern (module, text, -1) });
}

const GhloIrType *
ghlo_ir_type_get_element (GhloIrModule     *module,
                          const GhloIrType *type)
{
  return intern (module, &(GhloIrType) {
    .kind = type->quantization != NULL ? GHLO_IR_TYPE_QUANTIZED : GHLO_IR_TYPE_ELEMENT,
    .element_type = type->element_type,
    .quantization = type->quantization,
    .text = type->text,
  });
}

const GhloIrType *
ghlo_ir_type_with_element (GhloIrModule     *module,
                           const GhloIrType *tensor,
                           const GhloIrType *element)
{
  GhloIrType key = *tensor;

  key.element_type = element->element_type;
  key.quantization = element->quantization;
  key.text = element->text;

  return intern (module, &key);
}

gboolean
ghlo_ir_type_has_static_shape (const GhloIrType *type)
{
  if (type->kind != GHLO_IR_TYPE_TENSOR && type->kind != GHLO_IR_TYPE_MEMREF)
    return FALSE;

  for (guint i = 0; i < type->rank; i++)
    if (type->dimensions[i] < 0)
      return FALSE;

  return TRUE;
}

gboolean
ghlo_ir_type_is_numbers (const GhloIrType *type)
{
  return type->kind == GHLO_IR_TYPE_TENSOR && type->quantization == NULL && ghlo_ir_type_has_static_shape (type)
         && type->element_type != GHLO_ELEMENT_TYPE_INVALID;
}

double
ghlo_ir_type_count_elements (const GhloIrType *type)
{
  double n = 1;

  for (guint i = 0; i < type->rank; i++)
    n *= (double) type->dimensions[i];

  return n;
}

GhloTensorType *
ghlo_ir_type_to_tensor_type (const GhloIrType *type)
{
  if (type->kind != GHLO_IR_TYPE_TENSOR)
    return NULL;

  return ghlo_tensor_type_new_full (type->element_type, type->dimensions, type->bounds, type->rank,
                                    type->quantization);
}
