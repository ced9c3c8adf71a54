/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Attributes of dialects: the enumerations and structures of attrs.def in both spellings ("#stablehlo<precision
 * HIGH>", "#stablehlo.gather<…>"), and attributes of other dialects, kept as text.
 */

#include <string.h>

#include "import/text/parser.h"
#include "ir/verify/verify.h"

enum { MAX_FIELDS = 16 };

static gboolean
word_is (const char *word,
         gsize       length,
         const char *other)
{
  return strlen (other) == length && memcmp (word, other, length) == 0;
}

static int
find_enum (const char *dialect,
           const char *word,
           gsize       length)
{
  for (guint i = 0; i < GHLO_IR_N_ENUMS; i++)
    if (strcmp (ghlo_ir_enum_specs[i].dialect, dialect) == 0
        && word_is (word, length, ghlo_ir_enum_specs[i].mnemonic))
      return i;

  return -1;
}

static int
find_struct (const char *dialect,
             const char *word,
             gsize       length)
{
  for (guint i = 0; i < GHLO_IR_N_STRUCTS; i++)
    if (strcmp (ghlo_ir_struct_specs[i].dialect, dialect) == 0
        && word_is (word, length, ghlo_ir_struct_specs[i].mnemonic))
      return i;

  return -1;
}

const GhloIrAttr *
ghlo_import_parse_enum_word (GhloImportParser *self,
                             GhloIrEnum        enumeration)
{
  const char *const *words = ghlo_ir_enum_specs[enumeration].words;
  g_autoptr (GString) list = NULL;

  if (ghlo_import_at (self, GHLO_TOKEN_BARE))
    for (gint64 i = 0; words[i] != NULL; i++)
      if (ghlo_import_lexer_is (&self->lexer, words[i]))
        {
          ghlo_import_next (self);
          return ghlo_ir_attr_enum (self->module, enumeration, i);
        }

  list = g_string_new (NULL);
  for (guint i = 0; words[i] != NULL; i++)
    if (words[i][0] != '\0')
      g_string_append_printf (list, "%s%s", list->len > 0 ? ", " : "one of ", words[i]);
  ghlo_import_expected (self, list->str);

  return NULL;
}

/* "WORD" or "<WORD>". */
static const GhloIrAttr *
parse_enum (GhloImportParser *self,
            GhloIrEnum        enumeration)
{
  const GhloIrAttr *attr;

  if (!ghlo_import_accept (self, '<'))
    return ghlo_import_parse_enum_word (self, enumeration);
  attr = ghlo_import_parse_enum_word (self, enumeration);

  return attr != NULL && ghlo_import_expect (self, '>', "'>'") ? attr : NULL;
}

static const GhloIrAttr *
make_dims (GhloImportParser *self,
           gsize             height)
{
  const GhloIrAttr *attr = ghlo_ir_attr_i64s (self->module, self->ints.items + height, self->ints.n - height);

  self->ints.n = height;

  return attr;
}

static const GhloIrAttr *
parse_dims (GhloImportParser *self)
{
  gsize height = self->ints.n;

  if (ghlo_import_parse_ints (self, &self->ints, TRUE))
    return make_dims (self, height);
  self->ints.n = height;

  return NULL;
}

/* Parses "(2)4": the part of size 4 of an axis, with sub-axes of total size 2 before it. */
static const GhloIrAttr *
parse_sub_axis (GhloImportParser *self)
{
  const GhloIrAttr *fields[2];
  gint64 before, size;

  if (!ghlo_import_expect (self, '(', "'('") || !ghlo_import_parse_integer (self, &before)
      || !ghlo_import_expect (self, ')', "')'") || !ghlo_import_parse_integer (self, &size))
    return NULL;
  fields[0] = ghlo_ir_attr_i64 (self->module, before);
  fields[1] = ghlo_ir_attr_i64 (self->module, size);

  return ghlo_ir_attr_struct (self->module, GHLO_IR_STRUCT_SUB_AXIS_INFO, fields);
}

/* "[<name = "x", size = 2>, …]". */
static const GhloIrAttr *
parse_mesh_axes (GhloImportParser *self)
{
  gsize height = self->attrs.n;
  const GhloIrAttr *axis, *array = NULL;
  gboolean ok = ghlo_import_expect (self, '[', "'['");

  if (ok && !ghlo_import_at (self, ']'))
    do
      {
        axis = ghlo_import_at (self, '<') ? ghlo_import_parse_struct (self, GHLO_IR_STRUCT_MESH_AXIS)
                                          : ghlo_import_parse_attr (self);
        ok = axis != NULL;
        GHLO_IMPORT_PUSH (&self->attrs, axis);
      }
    while (ok && ghlo_import_accept (self, ','));
  if (ok && ghlo_import_expect (self, ']', "',' or ']'"))
    array = ghlo_ir_attr_array (self->module, self->attrs.items + height, self->attrs.n - height);
  self->attrs.n = height;

  return array;
}

/* Parses a field that may contain any attribute; a few have spellings of their own. */
static const GhloIrAttr *
parse_any_field (GhloImportParser *self,
                 GhloIrStruct      structure)
{
  if (structure == GHLO_IR_STRUCT_AXIS_REF && ghlo_import_at (self, '('))
    return parse_sub_axis (self);
  if (structure == GHLO_IR_STRUCT_MESH && ghlo_import_at (self, '['))
    return parse_mesh_axes (self);
  if (structure == GHLO_IR_STRUCT_RESULT_ACCURACY && !ghlo_import_at (self, GHLO_TOKEN_HASH))
    return ghlo_import_parse_enum_word (self, GHLO_IR_ENUM_RESULT_ACCURACY_MODE);

  return ghlo_import_parse_attr (self);
}

static const GhloIrAttr *
parse_field (GhloImportParser  *self,
             GhloIrStruct       structure,
             const GhloIrField *field)
{
  static const GhloIrAttrSpec simple[] = {
    [GHLO_IR_FIELD_INT] = { .kind = GHLO_IR_KIND_I64 },
    [GHLO_IR_FIELD_STRING] = { .kind = GHLO_IR_KIND_STRING },
    [GHLO_IR_FIELD_REAL] = { .kind = GHLO_IR_KIND_F64 },
  };
  const GhloIrType *type;
  gboolean value;

  switch (field->kind)
    {
    case GHLO_IR_FIELD_DIMS:
      return parse_dims (self);
    case GHLO_IR_FIELD_BOOL:
      value = ghlo_import_at_word (self, "true");
      if (!ghlo_import_accept_word (self, "true") && !ghlo_import_expect_word (self, "false"))
        return NULL;
      return ghlo_ir_attr_bool (self->module, value);
    case GHLO_IR_FIELD_TYPE:
      type = ghlo_import_parse_type (self);
      return type != NULL ? ghlo_ir_attr_type (self->module, type) : NULL;
    case GHLO_IR_FIELD_ATTR:
      return parse_any_field (self, structure);
    default:
      if (field->kind == GHLO_IR_FIELD_INT && !ghlo_import_at (self, '-') && !ghlo_import_at (self, GHLO_TOKEN_INTEGER))
        {
          ghlo_import_expected (self, "an integer");
          return NULL;
        }
      return ghlo_import_parse_attr_of (self, &simple[field->kind]);
    }
}

static int
find_field (GhloImportParser       *self,
            const GhloIrStructSpec *spec)
{
  g_autoptr (GString) list = NULL;

  for (guint i = 0; i < spec->n_fields; i++)
    if (ghlo_import_at_word (self, spec->fields[i].name))
      return i;

  list = g_string_new ("one of the fields ");
  for (guint i = 0; i < spec->n_fields; i++)
    g_string_append_printf (list, "%s%s", i > 0 ? ", " : "", spec->fields[i].name);
  ghlo_import_expected (self, list->str);

  return -1;
}

/* Parses "name = value, …" up to and including the ">". A trailing comma is allowed, as in MLIR. */
static gboolean
parse_fields (GhloImportParser  *self,
              GhloIrStruct       structure,
              const GhloIrAttr **values)
{
  const GhloIrStructSpec *spec = &ghlo_ir_struct_specs[structure];

  while (!ghlo_import_accept (self, '>'))
    {
      int field = find_field (self, spec);

      if (field < 0)
        return FALSE;
      if (values[field] != NULL)
        return ghlo_import_fail (self, "expected the field '%s' once, found it again", spec->fields[field].name);
      ghlo_import_next (self);
      if (!ghlo_import_expect (self, '=', "'='"))
        return FALSE;
      values[field] = parse_field (self, structure, &spec->fields[field]);
      if (values[field] == NULL)
        return FALSE;
      if (!ghlo_import_accept (self, ','))
        return ghlo_import_expect (self, '>', "',' or '>'");
    }

  return TRUE;
}

/* Whether the value means the same as an absent field. */
static gboolean
is_absent (const GhloIrField *field,
           const GhloIrAttr  *value)
{
  if (field->kind == GHLO_IR_FIELD_DIMS)
    return value->length == 0;
  if (!field->optional)
    return FALSE;

  return (value->kind == GHLO_IR_ATTR_INTEGER && value->integer == 0)
         || (value->kind == GHLO_IR_ATTR_FLOAT && value->real == 0);
}

/* Makes the structure without fields that may be omitted, so that equal attributes are one object. */
static const GhloIrAttr *
make_struct (GhloImportParser    *self,
             GhloImportPosition   position,
             GhloIrStruct         structure,
             const GhloIrAttr   **values,
             gboolean             zeros)
{
  const GhloIrStructSpec *spec = &ghlo_ir_struct_specs[structure];
  g_autofree char *problem = NULL;
  const GhloIrAttr *attr;

  for (guint i = 0; i < spec->n_fields; i++)
    {
      const GhloIrField *field = &spec->fields[i];

      if (values[i] != NULL && is_absent (field, values[i]))
        values[i] = NULL;
      else if (values[i] == NULL && zeros && field->kind == GHLO_IR_FIELD_INT)
        values[i] = ghlo_ir_attr_i64 (self->module, 0);
      else if (values[i] == NULL && !field->optional && field->kind != GHLO_IR_FIELD_DIMS)
        {
          ghlo_import_fail_at (self, position, "expected the field '%s' in '%s', found none",
                               field->name, spec->mnemonic);
          return NULL;
        }
    }

  attr = ghlo_ir_attr_struct (self->module, structure, values);
  problem = ghlo_ir_struct_problem (attr);
  if (problem != NULL)
    {
      ghlo_import_fail_at (self, position, "%s", problem);
      return NULL;
    }

  return attr;
}

/* One of the three parts of a convolution's dimensions: the
 * positions of the two letters and of the spatial dimensions. */
typedef struct
{
  gint64 letters[2];
  gint64 spatial[GHLO_MAX_RANK];
  guint  n_spatial;
} ConvPart;

static gboolean
parse_conv_dimension (GhloImportParser *self,
                      ConvPart         *part,
                      const char       *letters,
                      gint64            index)
{
  GhloImportPosition position = ghlo_import_position (self);
  gint64 dimension;

  for (guint i = 0; i < 2; i++)
    if (ghlo_import_at (self, GHLO_TOKEN_BARE) && ghlo_import_lexer_length (&self->lexer) == 1
        && *self->lexer.start == letters[i])
      {
        if (part->letters[i] >= 0)
          return ghlo_import_fail (self, "expected the dimension '%c' once, found it again", letters[i]);
        part->letters[i] = index;
        ghlo_import_next (self);
        return TRUE;
      }
  if (!ghlo_import_at (self, GHLO_TOKEN_INTEGER) && !ghlo_import_at (self, '-'))
    {
      g_autofree char *what = g_strdup_printf ("a spatial dimension, '%c' or '%c'", letters[0], letters[1]);

      return ghlo_import_expected (self, what);
    }
  if (!ghlo_import_parse_integer (self, &dimension))
    return FALSE;
  if (dimension < 0 || dimension >= GHLO_MAX_RANK)
    return ghlo_import_fail_at (self, position,
                                "expected a spatial dimension between 0 and %d, found %" G_GINT64_FORMAT,
                                GHLO_MAX_RANK - 1, dimension);
  if (part->spatial[dimension] >= 0)
    return ghlo_import_fail_at (self, position, "expected the spatial dimension %" G_GINT64_FORMAT
                                " once, found it again", dimension);
  part->spatial[dimension] = index;
  part->n_spatial = MAX (part->n_spatial, (guint) dimension + 1);

  return TRUE;
}

static gboolean
parse_conv_part (GhloImportParser *self,
                 ConvPart         *part,
                 const char       *letters)
{
  GhloImportPosition position = ghlo_import_position (self);
  gint64 index = 0;

  part->letters[0] = part->letters[1] = -1;
  part->n_spatial = 0;
  memset (part->spatial, 0xff, sizeof part->spatial);
  if (!ghlo_import_expect (self, '[', "'['"))
    return FALSE;
  do
    if (!parse_conv_dimension (self, part, letters, index++))
      return FALSE;
  while (ghlo_import_accept (self, ','));

  for (guint i = 0; i < 2; i++)
    if (part->letters[i] < 0)
      return ghlo_import_fail_at (self, position, "expected the dimension '%c', found none", letters[i]);
  for (guint i = 0; i < part->n_spatial; i++)
    if (part->spatial[i] < 0)
      return ghlo_import_fail_at (self, position, "expected the spatial dimension %u, found none", i);

  return ghlo_import_expect (self, ']', "',' or ']'");
}

const GhloIrAttr *
ghlo_import_parse_conv_dimensions (GhloImportParser *self)
{
  static const char *const letters[] = { "bf", "io", "bf" };
  const GhloIrAttr *fields[9];

  for (guint i = 0; i < G_N_ELEMENTS (letters); i++)
    {
      ConvPart part;

      if ((i == 1 && !ghlo_import_expect_word (self, "x"))
          || (i == 2 && !ghlo_import_expect (self, GHLO_TOKEN_ARROW, "'->'"))
          || !parse_conv_part (self, &part, letters[i]))
        return NULL;
      fields[3 * i] = ghlo_ir_attr_i64 (self->module, part.letters[0]);
      fields[3 * i + 1] = ghlo_ir_attr_i64 (self->module, part.letters[1]);
      fields[3 * i + 2] = part.n_spatial > 0 ? ghlo_ir_attr_i64s (self->module, part.spatial, part.n_spatial) : NULL;
    }

  return ghlo_ir_attr_struct (self->module, GHLO_IR_STRUCT_CONV, fields);
}

const GhloIrAttr *
ghlo_import_parse_struct (GhloImportParser *self,
                          GhloIrStruct      structure)
{
  GhloImportPosition position = ghlo_import_position (self);
  const GhloIrAttr *values[MAX_FIELDS] = { NULL }, *attr;
  gboolean raw = FALSE;

  g_assert (ghlo_ir_struct_specs[structure].n_fields <= MAX_FIELDS);
  if (structure == GHLO_IR_STRUCT_SUB_AXIS_INFO && ghlo_import_at (self, '('))
    return parse_sub_axis (self);
  if (!ghlo_import_expect (self, '<', "'<'"))
    return NULL;
  if (structure == GHLO_IR_STRUCT_CONV)
    {
      raw = ghlo_import_accept_word (self, "raw");
      if (!raw)
        {
          attr = ghlo_import_parse_conv_dimensions (self);
          return attr != NULL && ghlo_import_expect (self, '>', "'>'") ? attr : NULL;
        }
    }
  if (!parse_fields (self, structure, values))
    {
      const GhloIrStructSpec *spec = &ghlo_ir_struct_specs[structure];

      ghlo_import_fail (self, "the rest of #%s.%s cannot be read", spec->dialect, spec->mnemonic);
      return NULL;
    }

  return make_struct (self, position, structure, values, raw);
}

/* "<4, ?>". */
static const GhloIrAttr *
parse_bounds (GhloImportParser *self)
{
  gsize height = self->ints.n;
  const GhloIrAttr *fields[1];
  gboolean ok = ghlo_import_expect (self, '<', "'<'");

  if (ok && !ghlo_import_at (self, '>'))
    do
      {
        gint64 bound = -1;

        ok = ghlo_import_accept (self, '?') || ghlo_import_parse_integer (self, &bound);
        GHLO_IMPORT_PUSH (&self->ints, bound);
      }
    while (ok && ghlo_import_accept (self, ','));
  if (!ok || !ghlo_import_expect (self, '>', "',' or '>'"))
    {
      self->ints.n = height;
      return NULL;
    }
  fields[0] = self->ints.n > height ? make_dims (self, height) : NULL;

  return ghlo_ir_attr_struct (self->module, GHLO_IR_STRUCT_TYPE_EXTENSIONS, fields);
}

/* Parses what follows the mnemonic @word of a dialect that has tables. */
static const GhloIrAttr *
parse_known (GhloImportParser   *self,
             const char         *dialect,
             const char         *word,
             gsize               length,
             GhloImportPosition  position)
{
  int index = find_struct (dialect, word, length);
  g_autofree char *name = NULL;

  if (index >= 0)
    return ghlo_import_parse_struct (self, index);
  index = find_enum (dialect, word, length);
  if (index >= 0)
    return parse_enum (self, index);
  if (strcmp (dialect, "stablehlo") == 0 && word_is (word, length, "bounds"))
    return parse_bounds (self);

  name = ghlo_import_quote (word, length);
  ghlo_import_fail_at (self, position, "expected an attribute of the dialect '%s', found '%s', which it does not have",
                       dialect, name);

  return NULL;
}

/* Parses "#stablehlo<word …>", from the "#" on. */
static const GhloIrAttr *
parse_bracketed (GhloImportParser *self,
                 const char       *dialect)
{
  GhloImportPosition position;
  const GhloIrAttr *attr;
  const char *word;
  gsize length;

  ghlo_import_next (self);
  ghlo_import_next (self);
  position = ghlo_import_position (self);
  if (!ghlo_import_at (self, GHLO_TOKEN_BARE))
    {
      ghlo_import_expected (self, "the name of an attribute");
      return NULL;
    }
  word = self->lexer.start;
  length = ghlo_import_lexer_length (&self->lexer);
  ghlo_import_next (self);
  attr = parse_known (self, dialect, word, length, position);

  return attr != NULL && ghlo_import_expect (self, '>', "'>'") ? attr : NULL;
}

/* Parses another dialect's attribute, from after its "#" to the end of its brackets. */
static const GhloIrAttr *
parse_opaque (GhloImportParser *self)
{
  g_autofree char *text = ghlo_import_opaque_text (self, "an attribute");

  return text != NULL ? ghlo_ir_attr_opaque (self->module, text) : NULL;
}

const GhloIrAttr *
ghlo_import_parse_dialect_attr (GhloImportParser *self)
{
  static const char *const dialects[] = { "stablehlo", "chlo" };
  GhloImportPosition position = ghlo_import_position (self);
  const char *start = self->lexer.start + 1;
  gsize length = ghlo_import_lexer_length (&self->lexer) - 1;
  const char *point = memchr (start, '.', length);
  gboolean bracket = self->lexer.cursor < self->lexer.end && *self->lexer.cursor == '<';
  gsize dialect_length = point != NULL ? (gsize) (point - start) : length;

  if (point == NULL && !bracket)
    return ghlo_import_attr_alias (self);

  for (guint i = 0; i < G_N_ELEMENTS (dialects); i++)
    {
      if (!word_is (start, dialect_length, dialects[i]))
        continue;
      if (point == NULL)
        return parse_bracketed (self, dialects[i]);
      ghlo_import_next (self);
      return parse_known (self, dialects[i], point + 1, start + length - point - 1, position);
    }

  return parse_opaque (self);
}
