/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From MLIR's spelling to a tensor type, for people and programs that name one:
 * "tensor<2x?xf32>", or the same without "tensor<" and ">". Nothing is skipped or
 * guessed, and no spaces are taken but after a comma.
 */

#include "tensor-type.h"

#include <string.h>

#include "sizes.h"

typedef struct
{
  const char *text;
  const char *p;
  GError    **error;
} Cursor;

static gboolean
fail (Cursor     *cursor,
      const char *expected)
{
  g_autofree char *text = g_utf8_make_valid (cursor->text, MIN (strlen (cursor->text), 80));
  g_autofree char *rest = g_utf8_make_valid (cursor->p, MIN (strlen (cursor->p), 40));

  g_set_error (cursor->error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
               "expected %s in tensor type '%s' at character %" G_GSIZE_FORMAT ", found %s%s%s", expected, text,
               (gsize) (cursor->p - cursor->text) + 1,
               *rest != '\0' ? "'" : "", *rest != '\0' ? rest : "its end", *rest != '\0' ? "'" : "");

  return FALSE;
}

static gboolean
skip (Cursor     *cursor,
      const char *word)
{
  if (!g_str_has_prefix (cursor->p, word))
    return FALSE;
  cursor->p += strlen (word);

  return TRUE;
}

/* A number, or ? as -1. */
static gboolean
parse_dimension (Cursor *cursor,
                 gint64 *dimension)
{
  gint64 value = 0;

  if (skip (cursor, "?"))
    {
      *dimension = GHLO_DYNAMIC;
      return TRUE;
    }
  if (!g_ascii_isdigit (*cursor->p))
    return fail (cursor, "a dimension");

  for (; g_ascii_isdigit (*cursor->p); cursor->p++)
    if (__builtin_mul_overflow (value, 10, &value)
        || __builtin_add_overflow (value, *cursor->p - '0', &value))
      return fail (cursor, "a dimension of at most 63 bits");
  *dimension = value;

  return TRUE;
}

/* The dimensions, each with the "x" after it. */
static gboolean
parse_dimensions (Cursor *cursor,
                  gint64 *dimensions,
                  gsize  *rank)
{
  for (*rank = 0; g_ascii_isdigit (*cursor->p) || *cursor->p == '?'; ++*rank)
    {
      if (*rank == GHLO_MAX_RANK)
        return fail (cursor, "at most " G_STRINGIFY (GHLO_MAX_RANK) " dimensions");
      if (!parse_dimension (cursor, &dimensions[*rank]))
        return FALSE;
      if (!skip (cursor, "x"))
        return fail (cursor, "'x' after a dimension");
    }

  return TRUE;
}

static gboolean
parse_element_type (Cursor          *cursor,
                    GhloElementType *element_type)
{
  for (GhloElementType type = GHLO_ELEMENT_TYPE_I1; type <= GHLO_ELEMENT_TYPE_INDEX; type++)
    {
      const char *name = ghlo_element_type_to_string (type);
      gsize length = strlen (name);

      if (strncmp (cursor->p, name, length) == 0 && strchr (",>", cursor->p[length]) != NULL)
        {
          cursor->p += length;
          *element_type = type;
          return TRUE;
        }
    }
  if (*cursor->p == '!')
    return fail (cursor, "a plain element type (quantized ones cannot be read here)");

  return fail (cursor, "a dimension or an element type");
}

/* ", #stablehlo.bounds<4, ?>" */
static gboolean
parse_bounds (Cursor *cursor,
              gint64 *bounds,
              gsize   rank)
{
  skip (cursor, " ");
  if (!skip (cursor, "#stablehlo.bounds<"))
    return fail (cursor, "'#stablehlo.bounds<'");

  for (gsize i = 0; i < rank; i++)
    {
      if (i > 0 && !skip (cursor, ","))
        return fail (cursor, "',' and a bound for each dimension");
      if (i > 0)
        skip (cursor, " ");
      if (!parse_dimension (cursor, &bounds[i]))
        return FALSE;
    }
  if (!skip (cursor, ">"))
    return fail (cursor, "'>' after a bound for each dimension");

  return TRUE;
}

static gboolean
check_bounds (Cursor       *cursor,
              const gint64 *dimensions,
              const gint64 *bounds,
              gsize         rank)
{
  for (gsize i = 0; i < rank; i++)
    if (bounds[i] >= 0 && dimensions[i] >= 0)
      return fail (cursor, "'?' as the bound of a dimension that is known");

  return TRUE;
}

/**
 * ghlo_tensor_type_parse:
 * @string: MLIR's spelling of a tensor type
 * @error: return location for an error
 *
 * Reads a tensor type such as `tensor<2x?xf32>`. The spelling without `tensor<`
 * and `>` is taken too: `2x?xf32`, and `f32` for a scalar.
 *
 * Quantized types cannot be read.
 *
 * Returns: (transfer full): the type, or %NULL with
 *   %GHLO_ERROR_INVALID_ARGUMENT set
 *
 * Since: 1.0
 */
GhloTensorType *
ghlo_tensor_type_parse (const char  *string,
                        GError     **error)
{
  Cursor cursor = { string, string, error };
  gint64 dimensions[GHLO_MAX_RANK], bounds[GHLO_MAX_RANK];
  GhloElementType element_type = GHLO_ELEMENT_TYPE_INVALID;
  gboolean wrapped, bounded = FALSE;
  gsize rank;

  if (string == NULL)
    {
      g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT, "expected a tensor type, found NULL");
      return NULL;
    }

  wrapped = skip (&cursor, "tensor<");
  if (!parse_dimensions (&cursor, dimensions, &rank) || !parse_element_type (&cursor, &element_type))
    return NULL;
  if (wrapped && skip (&cursor, ","))
    {
      bounded = TRUE;
      if (!parse_bounds (&cursor, bounds, rank) || !check_bounds (&cursor, dimensions, bounds, rank))
        return NULL;
    }
  if (wrapped && !skip (&cursor, ">"))
    {
      fail (&cursor, "'>'");
      return NULL;
    }
  if (*cursor.p != '\0')
    {
      fail (&cursor, "nothing more");
      return NULL;
    }

  return ghlo_tensor_type_new_full (element_type, dimensions, bounded ? bounds : NULL, rank, NULL);
}
