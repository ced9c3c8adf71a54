/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Parses MLIR's spelling of a tensor type, for people and programs that name one: "tensor<2x?xf32>", or the same
 * without "tensor<" and ">". Quantized types are accepted too: "tensor<4x!quant.uniform<i8<-127:127>:f32:0,
 * {0.1:3,0.2}>>". The parser is strict: it skips and guesses nothing, and accepts spaces only after a comma.
 */

#include "tensor-type.h"

#include <errno.h>
#include <string.h>

#include "fail.h"
#include "sizes.h"

typedef struct
{
  const char *text;
  const char *p;
  GError    **error;
} Cursor;

static gboolean
(fail) (Cursor     *cursor,
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

#define fail(...) GHLO_FALSE_AFTER (fail (__VA_ARGS__))

static gboolean
skip (Cursor     *cursor,
      const char *word)
{
  if (!g_str_has_prefix (cursor->p, word))
    return FALSE;
  cursor->p += strlen (word);

  return TRUE;
}

/* Parses a number, or "?" as -1. */
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

/* Parses the dimensions, each followed by an "x". */
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

/* Parses a plain element type that is followed by one of @ends. */
static gboolean
parse_element_type (Cursor          *cursor,
                    const char      *ends,
                    GhloElementType *element_type)
{
  for (GhloElementType type = GHLO_ELEMENT_TYPE_I1; type <= GHLO_ELEMENT_TYPE_INDEX; type++)
    {
      const char *name = ghlo_element_type_to_string (type);
      gsize length = strlen (name);

      if (strncmp (cursor->p, name, length) == 0 && strchr (ends, cursor->p[length]) != NULL)
        {
          cursor->p += length;
          *element_type = type;
          return TRUE;
        }
    }

  return fail (cursor, "a dimension or an element type");
}

/* The parts of a quantized type during parsing. */
typedef struct
{
  GhloElementType storage, expressed;
  gint64          min, max;
  gint64          axis;
  GArray         *scales;          /* of double */
  GArray         *zero_points;     /* of gint64 */
} Quantized;

static gboolean
parse_integer (Cursor     *cursor,
               const char *expected,
               gint64     *value)
{
  char *end;

  errno = 0;
  *value = g_ascii_strtoll (cursor->p, &end, 10);
  if (end == cursor->p || !(g_ascii_isdigit (*cursor->p) || *cursor->p == '-') || errno == ERANGE)
    return fail (cursor, expected);
  cursor->p = end;

  return TRUE;
}

/* Parses "i8", "ui8" or "u8", optionally followed by "<-127:127>". */
static gboolean
parse_storage (Cursor    *cursor,
               Quantized *quantized)
{
  static const char *const expected = "a storage type of at most 32 bits (i8, ui8, …)";
  Cursor start = *cursor;
  const gboolean is_unsigned = skip (cursor, "u");
  const gboolean is_integer = skip (cursor, "i");
  gint64 bits, min, max;

  if ((!is_unsigned && !is_integer) || !g_ascii_isdigit (*cursor->p) || *cursor->p == '0'
      || !parse_integer (cursor, expected, &bits) || bits > GHLO_QUANTIZATION_MAX_BITS)
    {
      g_clear_error (cursor->error);
      return fail (&start, expected);
    }
  quantized->storage = ghlo_quantization_find_storage (is_unsigned ? GHLO_ELEMENT_CLASS_UNSIGNED
                                                       : GHLO_ELEMENT_CLASS_SIGNED, (guint) bits);
  if (quantized->storage == GHLO_ELEMENT_TYPE_INVALID)
    return fail (&start, expected);
  ghlo_quantization_get_range (quantized->storage, &min, &max);
  quantized->min = min;
  quantized->max = max;

  if (!skip (cursor, "<"))
    return TRUE;
  start = *cursor;
  if (!parse_integer (cursor, "the least stored number", &quantized->min)
      || (!skip (cursor, ":") && !fail (cursor, "':'"))
      || !parse_integer (cursor, "the greatest stored number", &quantized->max)
      || (!skip (cursor, ">") && !fail (cursor, "'>'")))
    return FALSE;

  return (quantized->min >= min && quantized->max <= max && quantized->min < quantized->max)
         || fail (&start, "a range that the storage type holds");
}

/* Parses "0.1" or "0.1:3". */
static gboolean
parse_scale (Cursor    *cursor,
             Quantized *quantized)
{
  char *end;
  const double scale = g_ascii_strtod (cursor->p, &end);
  gint64 zero_point = 0;

  if (!g_ascii_isdigit (*cursor->p) || strcspn (cursor->p, "xXpP") < (gsize) (end - cursor->p)
      || !ghlo_quantization_is_scale (quantized->expressed, scale))
    return fail (cursor, "a positive, finite scale that the expressed type holds");
  cursor->p = end;
  if (skip (cursor, ":") && !parse_integer (cursor, "a zero point", &zero_point))
    return FALSE;
  g_array_append_val (quantized->scales, scale);
  g_array_append_val (quantized->zero_points, zero_point);

  return TRUE;
}

/* Parses what follows "!quant.uniform<", up to and including its ">". */
static gboolean
parse_quantized (Cursor    *cursor,
                 Quantized *quantized)
{
  if (!parse_storage (cursor, quantized) || (!skip (cursor, ":") && !fail (cursor, "':'"))
      || !parse_element_type (cursor, ",:>", &quantized->expressed))
    return FALSE;
  if (!ghlo_element_type_is_float (quantized->expressed))
    return fail (cursor, "a float type that the quantized values express before this");
  quantized->axis = -1;
  if (skip (cursor, ":") && (!g_ascii_isdigit (*cursor->p) || !parse_integer (cursor, "an axis", &quantized->axis)
                             || quantized->axis >= GHLO_MAX_RANK))
    return (*cursor->error != NULL ? FALSE : fail (cursor, "an axis"));
  if (!skip (cursor, ","))
    return fail (cursor, "',' and a scale");
  skip (cursor, " ");
  if (quantized->axis < 0)
    return parse_scale (cursor, quantized) && (skip (cursor, ">") || fail (cursor, "'>'"));

  if (!skip (cursor, "{"))
    return fail (cursor, "'{' and a scale for each index along the axis");
  do
    {
      skip (cursor, " ");
      if (!parse_scale (cursor, quantized))
        return FALSE;
    }
  while (skip (cursor, ","));

  return skip (cursor, "}>") || fail (cursor, "'}>'");
}

static GhloQuantization *
parse_quantization (Cursor       *cursor,
                    const gint64 *dimensions,
                    gsize         rank)
{
  Quantized quantized = { .scales = g_array_new (FALSE, FALSE, sizeof (double)),
                          .zero_points = g_array_new (FALSE, FALSE, sizeof (gint64)) };
  g_autoptr (GhloQuantization) quantization = NULL;
  g_autofree char *problem = NULL;

  if (parse_quantized (cursor, &quantized))
    quantization = ghlo_quantization_new (quantized.storage, quantized.expressed, quantized.min, quantized.max,
                                          (gint32) quantized.axis, (gconstpointer) quantized.scales->data,
                                          (gconstpointer) quantized.zero_points->data, quantized.scales->len);
  g_array_unref (quantized.scales);
  g_array_unref (quantized.zero_points);
  if (quantization == NULL)
    return NULL;
  problem = ghlo_quantization_check_shape (quantization, dimensions, rank);
  if (problem == NULL)
    return g_steal_pointer (&quantization);
  g_set_error (cursor->error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT, "%s", problem);

  return NULL;
}

/* Parses what follows the "," in ", #stablehlo.bounds<4, ?>". */
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

static GhloTensorType *
parse (Cursor *cursor)
{
  gint64 dimensions[GHLO_MAX_RANK], bounds[GHLO_MAX_RANK];
  GhloElementType element_type = GHLO_ELEMENT_TYPE_INVALID;
  g_autoptr (GhloQuantization) quantization = NULL;
  const gboolean wrapped = skip (cursor, "tensor<");
  gboolean bounded = FALSE;
  gsize rank;

  if (!parse_dimensions (cursor, dimensions, &rank))
    return NULL;
  if (skip (cursor, "!quant.uniform<"))
    {
      quantization = parse_quantization (cursor, dimensions, rank);
      if (quantization == NULL)
        return NULL;
      element_type = quantization->storage;
    }
  else if (!parse_element_type (cursor, ",>", &element_type))
    return NULL;
  if (wrapped && skip (cursor, ","))
    {
      bounded = TRUE;
      if (!parse_bounds (cursor, bounds, rank) || !check_bounds (cursor, dimensions, bounds, rank))
        return NULL;
    }
  if (wrapped && !skip (cursor, ">"))
    fail (cursor, "'>'");
  else if (*cursor->p != '\0')
    fail (cursor, "nothing more");

  return *cursor->error == NULL
         ? ghlo_tensor_type_new_full (element_type, dimensions, bounded ? bounds : NULL, rank, quantization) : NULL;
}

/**
 * ghlo_tensor_type_parse:
 * @string: MLIR's spelling of a tensor type
 * @error: return location for an error
 *
 * Reads a tensor type such as `tensor<2x?xf32>`. The spelling without `tensor<`
 * and `>` is taken too: `2x?xf32`, and `f32` for a scalar.
 *
 * A quantized element type says what the integers that are stored stand for:
 * `tensor<4x!quant.uniform<i8:f32, 0.1:3>>` are 8-bit integers that stand for
 * (stored - 3) * 0.1. `i8<-127:127>` uses a part of the storage type's range, and
 * `!quant.uniform<i8:f32:0, {0.1,0.2:3}>` has a scale and zero point for each index
 * along axis 0.
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
  g_autoptr (GError) problem = NULL;
  g_autoptr (GhloTensorType) type = NULL;

  if (string == NULL)
    g_set_error_literal (&problem, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT, "expected a tensor type, found NULL");
  else
    type = parse (&(Cursor) { string, string, &problem });
  if (problem != NULL)
    g_propagate_error (error, g_steal_pointer (&problem));

  return g_steal_pointer (&type);
}
