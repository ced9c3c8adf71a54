/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Creates and reads attributes. As with types, equal attributes of a module are one object.
 */

#include "ir/attr.h"

#include <string.h>

#include "base/hash.h"
#include "ir/context.h"

/* Constants up to this size are hashed as a whole. Of larger ones only both ends are hashed if that tells them apart:
 * the bytes may belong to a mapped file and not be in memory yet. */
enum { WHOLE_HASH = 64 * 1024, END_HASH = 4 * 1024 };

/* The bytes beyond the header that distinguish attributes of one kind, if any. */
static gconstpointer
payload (const GhloIrAttr *attr,
         gsize            *size)
{
  *size = 0;
  switch (attr->kind)
    {
    case GHLO_IR_ATTR_BOOL:
    case GHLO_IR_ATTR_INTEGER:
    case GHLO_IR_ATTR_ENUM:
    case GHLO_IR_ATTR_FLOAT:          /* by bits: -0.0 differs from 0.0, NaN equals itself */
    case GHLO_IR_ATTR_LOCATION:
      *size = sizeof (gint64);
      return &attr->integer;
    case GHLO_IR_ATTR_STRING:
    case GHLO_IR_ATTR_SYMBOL:
    case GHLO_IR_ATTR_KEPT_ELEMENTS:
    case GHLO_IR_ATTR_OPAQUE:
      *size = attr->kind == GHLO_IR_ATTR_STRING ? attr->length : strlen (attr->text);
      return attr->text;
    case GHLO_IR_ATTR_DICTIONARY:
      *size = attr->length * sizeof (GhloIrNamedAttr);
      return attr->entries;
    case GHLO_IR_ATTR_DENSE_ARRAY:
      *size = attr->length * sizeof (gint64);
      return attr->integers;
    case GHLO_IR_ATTR_DENSE:
      return g_bytes_get_data (attr->dense.bytes, size);
    case GHLO_IR_ATTR_UNIT:
    case GHLO_IR_ATTR_TYPE:
    case GHLO_IR_ATTR_ARRAY:
    case GHLO_IR_ATTR_STRUCT:
    case GHLO_IR_ATTR_DENSE_STRINGS:
      break;
    }

  return NULL;
}

static gsize
n_children (const GhloIrAttr *attr)
{
  return attr->children != NULL ? attr->length : 0;
}

static gboolean
attr_equal (gconstpointer item,
            gconstpointer key)
{
  const GhloIrAttr *a = item, *b = key;
  gconstpointer a_data, b_data;
  gsize a_size, b_size;

  if (a->kind != b->kind || a->type != b->type || a->length != b->length || a->subkind != b->subkind
      || n_children (a) != n_children (b))
    return FALSE;
  if (a->kind == GHLO_IR_ATTR_DENSE
      && (a->dense.splat != b->dense.splat || a->dense.resource != b->dense.resource))
    return FALSE;
  if (n_children (a) > 0 && memcmp (a->children, b->children, a->length * sizeof (gpointer)) != 0)
    return FALSE;

  a_data = payload (a, &a_size);
  b_data = payload (b, &b_size);

  return a_size == b_size && (a_data == b_data || a_size == 0 || memcmp (a_data, b_data, a_size) == 0);
}

/* With @ends, the hash of a large constant covers only its size and both ends. */
static guint32
attr_hash (const GhloIrAttr *attr,
           gboolean          ends)
{
  GhloHash hash = ghlo_hash_begin ();
  gsize size;
  const guint8 *data = payload (attr, &size);

  ghlo_hash_add (&hash, (guint64) attr->kind << 32 | attr->subkind);
  ghlo_hash_add (&hash, attr->length);
  ghlo_hash_add_pointer (&hash, attr->type);
  ghlo_hash_add_bytes (&hash, attr->children, n_children (attr) * sizeof (gpointer));
  if (attr->kind == GHLO_IR_ATTR_DENSE)
    {
      ghlo_hash_add (&hash, attr->dense.splat);
      ghlo_hash_add_pointer (&hash, attr->dense.resource);
    }
  if (ends && size > WHOLE_HASH)
    {
      ghlo_hash_add (&hash, size);
      ghlo_hash_add_bytes (&hash, data, END_HASH);
      ghlo_hash_add_bytes (&hash, data + size - END_HASH, END_HASH);
    }
  else
    {
      ghlo_hash_add_bytes (&hash, data, size);
    }

  return (guint32) ghlo_hash_end (&hash);
}

/* Copies the memory that @attr points to into the arena, if it belongs to the caller. */
static void
own_payload (GhloIrModule *module,
             GhloIrAttr   *attr)
{
  GhloIrArena *arena = &module->context->arena;

  attr->children = ghlo_ir_arena_copy (arena, attr->children, n_children (attr) * sizeof (gpointer));
  switch (attr->kind)
    {
    case GHLO_IR_ATTR_STRING:
    case GHLO_IR_ATTR_SYMBOL:
    case GHLO_IR_ATTR_KEPT_ELEMENTS:
    case GHLO_IR_ATTR_OPAQUE:
      attr->text = ghlo_ir_module_intern (module, attr->text,
                                          attr->kind == GHLO_IR_ATTR_STRING ? (gssize) attr->length : -1);
      break;
    case GHLO_IR_ATTR_DICTIONARY:
      attr->entries = ghlo_ir_arena_copy (arena, attr->entries, attr->length * sizeof (GhloIrNamedAttr));
      break;
    case GHLO_IR_ATTR_DENSE_ARRAY:
      attr->integers = ghlo_ir_arena_copy (arena, attr->integers, attr->length * sizeof (gint64));
      break;
    default:
      break;
    }
}

static guint32
measure (const GhloIrAttr *attr)
{
  guint32 extent = ghlo_ir_add_extent (1, attr->type != NULL ? attr->type->extent : 0);

  for (gsize i = 0; i < n_children (attr); i++)
    extent = ghlo_ir_add_extent (extent, attr->children[i] != NULL ? attr->children[i]->extent : 1);
  switch (attr->kind)
    {
    case GHLO_IR_ATTR_STRING:
    case GHLO_IR_ATTR_SYMBOL:
    case GHLO_IR_ATTR_KEPT_ELEMENTS:
    case GHLO_IR_ATTR_OPAQUE:
      return ghlo_ir_add_extent (extent, attr->text != NULL ? strlen (attr->text) / 8 : 0);
    case GHLO_IR_ATTR_DICTIONARY:
      for (gsize i = 0; i < attr->length; i++)
        extent = ghlo_ir_add_extent (extent, attr->entries[i].value->extent);
      return extent;
    case GHLO_IR_ATTR_DENSE_ARRAY:
      return ghlo_ir_add_extent (extent, attr->length);
    case GHLO_IR_ATTR_DENSE:
      return ghlo_ir_add_extent (extent, g_bytes_get_size (attr->dense.bytes) / 4);
    case GHLO_IR_ATTR_LOCATION:
      return ghlo_ir_add_extent (extent, attr->location->extent);
    default:
      return extent;
    }
}

static const GhloIrAttr *
intern (GhloIrModule     *module,
        const GhloIrAttr *key)
{
  GhloIrContext *context = module->context;
  guint32 hash = attr_hash (key, TRUE);
  GhloIrAttr *attr = ghlo_ir_intern_find (&context->attrs, hash, attr_equal, key);

  /* At most one attribute is stored under the hash of its ends; further
   * ones with equal ends are stored under the hash of all bytes. */
  if (attr == NULL && ghlo_ir_intern_has (&context->attrs, hash))
    {
      hash = attr_hash (key, FALSE);
      attr = ghlo_ir_intern_find (&context->attrs, hash, attr_equal, key);
    }
  if (attr != NULL)
    return attr;

  attr = ghlo_ir_arena_copy (&context->arena, key, sizeof (GhloIrAttr));
  own_payload (module, attr);
  attr->extent = measure (attr);
  ghlo_ir_intern_add (&context->attrs, hash, attr);

  return attr;
}

const GhloIrAttr *
ghlo_ir_attr_unit (GhloIrModule *module)
{
  return intern (module, &(GhloIrAttr) { .kind = GHLO_IR_ATTR_UNIT });
}

const GhloIrAttr *
ghlo_ir_attr_bool (GhloIrModule *module,
                   gboolean      value)
{
  return intern (module, &(GhloIrAttr) {
    .kind = GHLO_IR_ATTR_BOOL,
    .type = ghlo_ir_type_element (module, GHLO_ELEMENT_TYPE_I1),
    .integer = value ? 1 : 0,
  });
}

const GhloIrAttr *
ghlo_ir_attr_integer (GhloIrModule     *module,
                      const GhloIrType *type,
                      gint64            value)
{
  return intern (module, &(GhloIrAttr) { .kind = GHLO_IR_ATTR_INTEGER, .type = type, .integer = value });
}

const GhloIrAttr *
ghlo_ir_attr_i64 (GhloIrModule *module,
                  gint64        value)
{
  return ghlo_ir_attr_integer (module, ghlo_ir_type_element (module, GHLO_ELEMENT_TYPE_I64), value);
}

const GhloIrAttr *
ghlo_ir_attr_float (GhloIrModule     *module,
                    const GhloIrType *type,
                    double            value)
{
  return intern (module, &(GhloIrAttr) { .kind = GHLO_IR_ATTR_FLOAT, .type = type, .real = value });
}

const GhloIrAttr *
ghlo_ir_attr_string (GhloIrModule *module,
                     const char   *text,
                     gssize        length)
{
  return intern (module, &(GhloIrAttr) {
    .kind = GHLO_IR_ATTR_STRING,
    .text = text,
    .length = length < 0 ? strlen (text) : (gsize) length,
  });
}

const GhloIrAttr *
ghlo_ir_attr_symbol (GhloIrModule            *module,
                     const char              *name,
                     const GhloIrAttr *const *nested,
                     gsize                    n_nested)
{
  return intern (module, &(GhloIrAttr) {
    .kind = GHLO_IR_ATTR_SYMBOL,
    .text = name,
    .children = n_nested > 0 ? nested : NULL,
    .length = n_nested,
  });
}

const GhloIrAttr *
ghlo_ir_attr_type (GhloIrModule     *module,
                   const GhloIrType *type)
{
  return intern (module, &(GhloIrAttr) { .kind = GHLO_IR_ATTR_TYPE, .type = type });
}

const GhloIrAttr *
ghlo_ir_attr_array (GhloIrModule            *module,
                    const GhloIrAttr *const *children,
                    gsize                    n)
{
  return intern (module, &(GhloIrAttr) {
    .kind = GHLO_IR_ATTR_ARRAY,
    .children = n > 0 ? children : NULL,
    .length = n,
  });
}

int
ghlo_ir_named_attr_compare (gconstpointer a,
                            gconstpointer b)
{
  const GhloIrNamedAttr *left = a, *right = b;

  return strcmp (left->name, right->name);
}

const GhloIrAttr *
ghlo_ir_attr_dictionary (GhloIrModule          *module,
                         const GhloIrNamedAttr *entries,
                         gsize                  n)
{
  g_autofree GhloIrNamedAttr *sorted = g_memdup2 (entries, n * sizeof (GhloIrNamedAttr));

  for (gsize i = 0; i < n; i++)
    sorted[i].name = ghlo_ir_module_intern (module, sorted[i].name, -1);
  if (n > 1)
    qsort (sorted, n, sizeof (GhloIrNamedAttr), ghlo_ir_named_attr_compare);

  return intern (module, &(GhloIrAttr) { .kind = GHLO_IR_ATTR_DICTIONARY, .entries = sorted, .length = n });
}

const GhloIrAttr *
ghlo_ir_attr_dense (GhloIrModule     *module,
                    const GhloIrType *tensor,
                    GBytes           *bytes,
                    gboolean          splat,
                    const char       *resource)
{
  GhloIrAttr key = { .kind = GHLO_IR_ATTR_DENSE, .type = tensor };
  const GhloIrAttr *attr;
  gsize count = 0;

  /* The caller has checked that the count does not overflow. */
  ghlo_shape_count (tensor->dimensions, tensor->rank, &count);
  key.length = count;
  key.dense = (GhloIrDense) {
    .bytes = bytes,
    .splat = splat,
    .n_elements = count,
    .resource = resource != NULL ? ghlo_ir_module_intern (module, resource, -1) : NULL,
  };
  attr = intern (module, &key);

  if (attr->dense.bytes == bytes)
    {
      g_ptr_array_add (module->context->constants, bytes);
      module->context->constant_bytes += g_bytes_get_size (bytes);
    }
  else
    {
      g_bytes_unref (bytes);
    }

  return attr;
}

const GhloIrAttr *
ghlo_ir_attr_dense_strings (GhloIrModule            *module,
                            const GhloIrType        *tensor,
                            const GhloIrAttr *const *children,
                            gsize                    n)
{
  return intern (module, &(GhloIrAttr) {
    .kind = GHLO_IR_ATTR_DENSE_STRINGS,
    .type = tensor,
    .children = n > 0 ? children : NULL,
    .length = n,
  });
}

const GhloIrAttr *
ghlo_ir_attr_integers (GhloIrModule    *module,
                       GhloElementType  element_type,
                       const gint64    *values,
                       gsize            n)
{
  return intern (module, &(GhloIrAttr) {
    .kind = GHLO_IR_ATTR_DENSE_ARRAY,
    .type = ghlo_ir_type_element (module, element_type),
    .integers = values,
    .length = n,
  });
}

const GhloIrAttr *
ghlo_ir_attr_i64s (GhloIrModule *module,
                   const gint64 *values,
                   gsize         n)
{
  return ghlo_ir_attr_integers (module, GHLO_ELEMENT_TYPE_I64, values, n);
}

const GhloIrAttr *
ghlo_ir_attr_reals (GhloIrModule    *module,
                    GhloElementType  element_type,
                    const double    *values,
                    gsize            n)
{
  return intern (module, &(GhloIrAttr) {
    .kind = GHLO_IR_ATTR_DENSE_ARRAY,
    .type = ghlo_ir_type_element (module, element_type),
    .reals = values,
    .length = n,
  });
}

const GhloIrAttr *
ghlo_ir_attr_enum (GhloIrModule *module,
                   GhloIrEnum    enumeration,
                   gint64        value)
{
  return intern (module, &(GhloIrAttr) { .kind = GHLO_IR_ATTR_ENUM, .subkind = enumeration, .integer = value });
}

const GhloIrAttr *
ghlo_ir_attr_struct (GhloIrModule            *module,
                     GhloIrStruct             structure,
                     const GhloIrAttr *const *fields)
{
  return intern (module, &(GhloIrAttr) {
    .kind = GHLO_IR_ATTR_STRUCT,
    .subkind = structure,
    .children = fields,
    .length = ghlo_ir_struct_specs[structure].n_fields,
  });
}

const GhloIrAttr *
ghlo_ir_attr_location (GhloIrModule         *module,
                       const GhloIrLocation *location)
{
  return intern (module, &(GhloIrAttr) { .kind = GHLO_IR_ATTR_LOCATION, .location = location });
}

const GhloIrAttr *
ghlo_ir_attr_kept_elements (GhloIrModule     *module,
                            const GhloIrType *tensor,
                            const char       *text)
{
  return intern (module, &(GhloIrAttr) { .kind = GHLO_IR_ATTR_KEPT_ELEMENTS, .type = tensor, .text = text });
}

const GhloIrAttr *
ghlo_ir_attr_opaque (GhloIrModule *module,
                     const char   *text)
{
  return intern (module, &(GhloIrAttr) { .kind = GHLO_IR_ATTR_OPAQUE, .text = text });
}

const GhloIrAttr *
ghlo_ir_struct_get (const GhloIrAttr *self,
                    const char       *field)
{
  const GhloIrStructSpec *spec = &ghlo_ir_struct_specs[self->subkind];

  for (guint i = 0; i < spec->n_fields; i++)
    if (strcmp (spec->fields[i].name, field) == 0)
      return self->children[i];

  return NULL;
}

const gint64 *
ghlo_ir_struct_get_dims (const GhloIrAttr *self,
                         const char       *field,
                         gsize            *n)
{
  const GhloIrAttr *value = ghlo_ir_struct_get (self, field);

  *n = value != NULL ? value->length : 0;

  return value != NULL ? value->integers : NULL;
}

gint64
ghlo_ir_struct_get_int (const GhloIrAttr *self,
                        const char       *field)
{
  const GhloIrAttr *value = ghlo_ir_struct_get (self, field);

  return value != NULL ? value->integer : 0;
}

const GhloIrAttr *
ghlo_ir_dictionary_get (const GhloIrAttr *self,
                        const char       *name)
{
  for (gsize i = 0; i < self->length; i++)
    if (strcmp (self->entries[i].name, name) == 0)
      return self->entries[i].value;

  return NULL;
}

const char *
ghlo_ir_enum_word (const GhloIrAttr *self)
{
  return ghlo_ir_enum_specs[self->subkind].words[self->integer];
}

gint64
ghlo_ir_enum_from_word (GhloIrEnum  enumeration,
                        const char *word)
{
  const char *const *words = ghlo_ir_enum_specs[enumeration].words;

  /* An empty word marks a value that the enumeration leaves out. */
  for (gint64 i = 0; words[i] != NULL; i++)
    if (*word != '\0' && strcmp (words[i], word) == 0)
      return i;

  return -1;
}

GhloScalar
ghlo_ir_dense_get (const GhloIrAttr *self,
                   gsize             index)
{
  const guint8 *data = g_bytes_get_data (self->dense.bytes, NULL);
  GhloElementType type = self->type->element_type;

  return ghlo_element_load (type, data + (self->dense.splat ? 0 : index) * ghlo_element_info (type)->size);
}

gboolean
ghlo_ir_dense_to_int64 (const GhloIrAttr *self,
                        gint64          **values,
                        gsize            *n)
{
  GhloElementClass element_class;

  if (self->kind != GHLO_IR_ATTR_DENSE)
    return FALSE;
  element_class = ghlo_element_info (self->type->element_type)->element_class;
  if (element_class != GHLO_ELEMENT_CLASS_SIGNED && element_class != GHLO_ELEMENT_CLASS_UNSIGNED
      && element_class != GHLO_ELEMENT_CLASS_BOOLEAN)
    return FALSE;

  *n = self->dense.n_elements;
  *values = g_try_malloc_n (MAX (*n, 1), sizeof (gint64));
  if (*values == NULL)
    return FALSE;
  for (gsize i = 0; i < *n; i++)
    (*values)[i] = ghlo_ir_dense_get (self, i).i;

  return TRUE;
}
