/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Inputs of a program from the command line.
 */

#include "tools/tool.h"

#include <string.h>

#include "base/element.h"
#include "base/fail.h"
#include "base/ghlo-error.h"
#include "base/sizes.h"
#include "compiler/signature.h"
#include "import/import.h"
#include "runtime/npy.h"

/* Fails in functions that return a pointer. */
#define invalid(...) ({ ghlo_invalid (__VA_ARGS__); NULL; })

/* Zeros (without @random), or random numbers: floats uniform in [0.1, 1], integers in [0, 10). */
static GhloValue *
generate (GhloTensorType  *type,
          GRand           *random,
          GError         **error)
{
  const GhloElementInfo *info = ghlo_element_info (type->element_type);
  GhloValue *value;

  if (!ghlo_tensor_type_is_static (type))
    return invalid (error, "the input has dynamic dimensions; give their sizes with --input=, as a .npy file or as in "
                    "4x256xf32=random:1");
  value = ghlo_value_new_tensor (type, error);
  if (value == NULL || random == NULL)
    return value;

  for (gsize i = 0; i < value->n_elements; i++)
    {
      GhloScalar scalar = { 0 };

      if (info->element_class == GHLO_ELEMENT_CLASS_FLOAT)
        scalar.f = g_rand_double_range (random, 0.1, 1.0);
      else if (info->element_class == GHLO_ELEMENT_CLASS_COMPLEX)
        scalar = (GhloScalar) { .c = { g_rand_double_range (random, 0.1, 1.0),
                                       g_rand_double_range (random, 0.1, 1.0) } };
      else if (info->element_class == GHLO_ELEMENT_CLASS_BOOLEAN)
        scalar.i = 1;
      else
        scalar.i = g_rand_int_range (random, 0, info->bits < 8 ? (info->bits == 2 ? 2 : 8) : 10);
      ghlo_element_store (type->element_type, value->data + i * info->size, scalar);
    }

  return value;
}

/* Whether @spec is a word for generated elements, "zeros" or "random:SEED". */
static gboolean
is_word (const char *spec)
{
  return strcmp (spec, "zeros") == 0 || g_str_has_prefix (spec, "random:");
}

/* Inputs with the same seed differ by their @index. */
static GhloValue *
from_word (const char      *word,
           GhloTensorType  *type,
           guint            index,
           GError         **error)
{
  g_autoptr (GRand) random = NULL;
  guint64 seed;
  char *end;

  if (strcmp (word, "zeros") == 0)
    return generate (type, NULL, error);
  seed = g_ascii_strtoull (word + strlen ("random:"), &end, 10);
  if (*end != '\0' || end == word + strlen ("random:"))
    return invalid (error, "expected 'random:SEED' with a number, found '%s'", word);
  random = g_rand_new_with_seed ((guint32) (seed * 1000003 + index));

  return generate (type, random, error);
}

static GhloValue *
from_dense (const char *text,
            GError    **error)
{
  g_autoptr (GhloIrModule) module = ghlo_ir_module_new ("<input>");
  const GhloIrAttr *attr = ghlo_import_attribute (module, text, error);
  g_autoptr (GhloTensorType) type = NULL;
  GhloValue *value;
  gsize size;

  if (attr == NULL)
    return NULL;
  if (attr->kind != GHLO_IR_ATTR_DENSE)
    return invalid (error, "expected 'dense<…> : tensor<…>', found '%s'", text);
  type = ghlo_ir_type_to_tensor_type (attr->type);
  if (!attr->dense.splat)
    return ghlo_value_new_for_bytes (type, attr->dense.bytes, error);

  value = ghlo_value_new_tensor (type, error);
  size = g_bytes_get_size (attr->dense.bytes);
  for (gsize i = 0; value != NULL && i < value->n_elements; i++)
    memcpy (value->data + i * size, g_bytes_get_data (attr->dense.bytes, NULL), size);

  return value;
}

/* Converts a number that C's strtod accepts to the hexadecimal bits that MLIR accepts for any float. Leaves
 * alone what MLIR accepts itself, and what is not a number, which MLIR's parser will report. */
static gboolean
append_float (const GMatchInfo *match,
              GString          *text,
              gpointer          data)
{
  GhloElementType type = *(const GhloElementType *) data;
  g_autofree char *word = g_match_info_fetch (match, 0);
  char *end;
  double value = g_ascii_strtod (word, &end);

  if (g_regex_match_simple ("^-?\\d+$", word, 0, 0))
    g_string_append_printf (text, "%s.0", word);
  else if (*end != '\0' || g_regex_match_simple ("^(-?\\d+\\.\\d*([eE][-+]?\\d+)?|0[xX][[:xdigit:]]+)$", word, 0, 0))
    g_string_append (text, word);
  else
    g_string_append_printf (text, "0x%" G_GINT64_MODIFIER "X", ghlo_float_to_bits (type, value));

  return FALSE;
}

/* Converts @elements to MLIR's syntax for @type and counts them. MLIR distinguishes floats from integers by
 * the decimal point and writes infinities as bits only, whereas people write 1 and inf. */
static char *
spell_elements (const char           *elements,
                const GhloTensorType *type,
                gsize                *n)
{
  GhloElementType part = ghlo_element_type_real_part (type->element_type);
  g_autoptr (GRegex) words = NULL;
  guint depth = 0;

  *n = *elements != '\0' ? 1 : 0;
  for (const char *p = elements; *p != '\0'; p++)
    {
      depth += *p == '(' ? 1 : 0;
      depth -= *p == ')' && depth > 0 ? 1 : 0;
      *n += *p == ',' && depth == 0 ? 1 : 0;
    }
  if (!ghlo_element_type_is_float (part))
    return g_strdup (elements);
  words = g_regex_new ("[-+]?nan\\(\\w*\\)|[^\\s(),]+", G_REGEX_CASELESS | G_REGEX_RAW, 0, NULL);

  return g_regex_replace_eval (words, elements, -1, 0, 0, append_float, &part, NULL);
}

/* Parses "2x2xf32=1,2,3,4" as "dense<[1, 2, 3, 4]> : tensor<4xf32>" and reshapes it, or "2x2xf32=random:1". */
static GhloValue *
from_literal (const char *spec,
              guint       index,
              GError    **error)
{
  const char *equals = strchr (spec, '=');
  g_autofree char *shape = g_strndup (spec, equals - spec);
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_parse (shape, error);
  g_autofree char *attribute = NULL, *elements = NULL;
  GhloValue *value;
  gsize n;

  if (type == NULL)
    return NULL;
  if (!ghlo_tensor_type_is_static (type))
    return invalid (error, "'%s' has a dynamic dimension; give its size in this run", shape);
  if (is_word (equals + 1))
    return from_word (equals + 1, type, index, error);
  elements = spell_elements (equals + 1, type, &n);

  if (n == 1)
    attribute = g_strdup_printf ("dense<%s> : tensor<%s>", elements, shape);
  else if ((gint64) n == ghlo_tensor_type_get_n_elements (type))
    attribute = g_strdup_printf ("dense<[%s]> : tensor<%" G_GSIZE_FORMAT "x%s>", elements, n,
                                 ghlo_element_type_to_string (type->element_type));
  else
    return invalid (error, "expected %" G_GINT64_FORMAT " elements for '%s', found %" G_GSIZE_FORMAT,
                    ghlo_tensor_type_get_n_elements (type), shape, n);

  if (n == 0)
    return ghlo_value_new_tensor (type, error);
  value = from_dense (attribute, error);
  if (value != NULL)
    {
      ghlo_tensor_type_unref (value->type);
      value->type = ghlo_tensor_type_ref (type);
    }

  return value;
}

/* Whether @spec consists of elements only, whose type is the one that the program declares. */
static gboolean
is_elements (const char *spec)
{
  return g_regex_match_simple ("^[-+]?(\\.?\\d|\\(|(inf|infinity|nan)\\b)|^(true|false)\\b", spec, G_REGEX_CASELESS, 0);
}

static GhloValue *
from_elements (const char        *elements,
               const GhloIrType  *type,
               GError           **error)
{
  g_autofree char *text = ghlo_ir_type_to_string (type);
  g_autofree char *spec = NULL;

  /* Strips "tensor<" and ">" from a text such as "tensor<2x2xf32>". */
  spec = g_strdup_printf ("%.*s=%s", (int) (strlen (text) - strlen ("tensor<>")), text + strlen ("tensor<"), elements);

  return from_literal (spec, 0, error);
}

static GhloValue *
from_file (const char       *path,
           const GhloIrType *type,
           GError          **error)
{
  g_autoptr (GBytes) bytes = ghlo_tool_read_file (path, error);
  g_autoptr (GhloTensorType) expected = ghlo_ir_type_to_tensor_type (type);

  return bytes != NULL ? ghlo_npy_read (bytes, expected, error) : NULL;
}

static GhloValue *
make_input (const char       *spec,
            const GhloIrType *type,
            guint             index,
            GError          **error)
{
  if (type->kind == GHLO_IR_TYPE_TOKEN)
    return ghlo_value_new_token ();
  if (type->kind != GHLO_IR_TYPE_TENSOR)
    return invalid (error, "inputs of this kind cannot be given on the command line");

  if (is_word (spec))
    {
      g_autoptr (GhloTensorType) tensor_type = ghlo_ir_type_to_tensor_type (type);

      return from_word (spec, tensor_type, index, error);
    }
  if (g_str_has_prefix (spec, "dense"))
    return from_dense (spec, error);
  if (g_str_has_suffix (spec, ".npy") || strcmp (spec, "-") == 0)
    return from_file (spec, type, error);
  if (is_elements (spec) && strchr (spec, '=') == NULL)
    return from_elements (spec, type, error);
  if (strchr (spec, '=') == NULL)
    return from_file (spec, type, error);

  return from_literal (spec, index, error);
}

/* When @spec begins with the name of an input and "=", returns that input's number and the text after the
 * "="; otherwise -1. */
static int
find_named (const GhloIrOp  *function,
            guint            n_inputs,
            const char      *spec,
            const char     **rest)
{
  for (guint i = 0; i < n_inputs; i++)
    {
      const char *name = ghlo_signature_input_name (function, i);
      gsize length = name != NULL ? strlen (name) : 0;

      if (length > 0 && strncmp (spec, name, length) == 0 && spec[length] == '=')
        {
          *rest = spec + length + 1;
          return (int) i;
        }
    }

  return -1;
}

/* A spec that contains "=" but does not begin with an input's name must begin with a type. */
static gboolean
check_unnamed (const GhloIrOp  *function,
               guint            n_inputs,
               const char      *spec,
               GError         **error)
{
  g_autofree char *word = g_strndup (spec, strcspn (spec, "="));
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_parse (word, NULL);
  g_autoptr (GString) names = g_string_new (NULL);

  if (type != NULL || strchr (spec, '=') == NULL || g_str_has_suffix (spec, ".npy") || g_str_has_prefix (spec, "dense"))
    return TRUE;
  for (guint i = 0; i < n_inputs; i++)
    {
      const char *name = ghlo_signature_input_name (function, i);

      if (name != NULL)
        g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", name);
    }

  return ghlo_invalid (error, "expected the name of an input (%s) or a type such as 2x2xf32 before '=', found '%s'",
                       names->len > 0 ? names->str : "the program has none", word);
}

/* Assigns the arguments of --input= to inputs; NULL for inputs without one. A spec that begins with an input's name and
 * "=" goes to that input; the others go to the remaining inputs, in order. Borrows @specs, which is nullable. */
static const char **
assign_inputs (char           **specs,
               const GhloIrOp  *function,
               guint            n_inputs,
               GError         **error)
{
  g_autofree const char **assigned = g_new0 (const char *, n_inputs + 1);
  const char *rest;
  guint next = 0;

  for (guint i = 0; specs != NULL && specs[i] != NULL; i++)
    {
      int input = find_named (function, n_inputs, specs[i], &rest);

      if (input < 0)
        continue;
      if (assigned[input] != NULL)
        {
          ghlo_invalid (error, "expected one value for input %d ('%s'), found two: '%s' and '%s'", input,
                        ghlo_signature_input_name (function, (guint) input), assigned[input], rest);
          return NULL;
        }
      assigned[input] = rest;
    }
  for (guint i = 0; specs != NULL && specs[i] != NULL; i++)
    {
      if (find_named (function, n_inputs, specs[i], &rest) >= 0)
        continue;
      if (!check_unnamed (function, n_inputs, specs[i], error))
        return NULL;
      while (next < n_inputs && assigned[next] != NULL)
        next++;
      if (next == n_inputs)
        {
          ghlo_invalid (error, "expected %u inputs, found %u", n_inputs, g_strv_length (specs));
          return NULL;
        }
      assigned[next] = specs[i];
    }

  return g_steal_pointer (&assigned);
}

/* Checks that the value fits the input's type. The device checks shapes again. */
static gboolean
check_input (const GhloValue  *value,
             const GhloIrType *type,
             GError          **error)
{
  g_autofree char *expected = NULL, *found = NULL;
  gboolean fits = TRUE;

  if (type->kind != GHLO_IR_TYPE_TENSOR || value->kind != GHLO_VALUE_TENSOR)
    return TRUE;
  fits = type->element_type == value->type->element_type && type->rank == value->type->rank;
  for (guint i = 0; fits && i < type->rank; i++)
    fits = type->dimensions[i] < 0 || type->dimensions[i] == value->type->dimensions[i];
  if (fits)
    return TRUE;

  expected = ghlo_ir_type_to_string (type);
  found = ghlo_tensor_type_to_string (value->type);
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT, "expected %s, found %s", expected, found);

  return FALSE;
}

static GhloValue *
make_fitting (const char        *spec,
              const GhloIrType  *type,
              guint              index,
              GError           **error)
{
  g_autoptr (GhloValue) value = make_input (spec, type, index, error);

  return value != NULL && check_input (value, type, error) ? g_steal_pointer (&value) : NULL;
}

gboolean
ghlo_tool_make_inputs (char           **specs,
                       const char      *fill,
                       const GhloIrOp  *function,
                       GPtrArray       *inputs,
                       GError         **error)
{
  GhloIrBlock *body = ghlo_ir_func_get_body (function);
  g_autofree const char **assigned = assign_inputs (specs, function, body->n_arguments, error);

  if (assigned == NULL)
    return FALSE;
  for (guint i = 0; i < body->n_arguments; i++)
    {
      const GhloIrType *type = body->arguments[i]->type;
      const char *spec = assigned[i] != NULL ? assigned[i] : fill;
      g_autofree char *which = ghlo_signature_describe_input (function, i);
      GhloValue *value;

      if (spec == NULL && type->kind != GHLO_IR_TYPE_TOKEN)
        {
          g_autofree char *name = ghlo_ir_type_to_string (type);

          g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                       "expected %u inputs, found %u; give input %s of type %s with --input=, or all missing "
                       "inputs with --fill=zeros or --fill=random:SEED", body->n_arguments,
                       specs != NULL ? g_strv_length (specs) : 0, which, name);
          return FALSE;
        }
      value = make_fitting (spec, type, i, error);
      if (value == NULL)
        {
          g_prefix_error (error, "input %s: ", which);
          return FALSE;
        }
      g_ptr_array_add (inputs, value);
    }

  return TRUE;
}
