/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Quantized types: "!quant.uniform<i8<-128:127>:f32:0, {0.1:1, 0.2:-3}>".
 */

#include <string.h>

#include "import/text/parser.h"

typedef struct
{
  GhloElementType  storage, expressed;
  gint64           minimum, maximum;
  gint64           axis;
  GHLO_IMPORT_VECTOR (double) scales;
  GHLO_IMPORT_VECTOR (gint64) zero_points;
} Quantized;

/* Parses "i8", "u8" or "ui8"; also "si8", which MLIR distinguishes from "i8" but which no StableHLO tensor has. */
static gboolean
parse_storage (GhloImportParser *self,
               Quantized        *quantized)
{
  g_autofree char *word = ghlo_import_quote (self->lexer.start, ghlo_import_lexer_length (&self->lexer));
  gboolean is_unsigned = word[0] == 'u', is_signed = word[0] == 's';
  const char *digits = word + (is_unsigned || is_signed);
  guint64 bits;

  if (*digits == 'i')
    digits++;
  if (!ghlo_import_at (self, GHLO_TOKEN_BARE) || digits == word || (is_signed && digits == word + 1)
      || *digits == '0' || !g_ascii_string_to_unsigned (digits, 10, 1, GHLO_QUANTIZATION_MAX_BITS, &bits, NULL))
    return ghlo_import_expected (self, "a storage type of at most 32 bits (i8, u8, …)");
  ghlo_import_next (self);

  quantized->storage = GHLO_ELEMENT_TYPE_INVALID;
  if (!is_signed)
    quantized->storage = ghlo_quantization_find_storage (is_unsigned ? GHLO_ELEMENT_CLASS_UNSIGNED
                                                         : GHLO_ELEMENT_CLASS_SIGNED, (guint) bits);
  quantized->minimum = is_unsigned ? 0 : -((gint64) 1 << (bits - 1));
  quantized->maximum = ((gint64) 1 << (is_unsigned ? bits : bits - 1)) - 1;

  return TRUE;
}

/* Parses the optional "<-128:127>". */
static gboolean
parse_range (GhloImportParser *self,
             Quantized        *quantized)
{
  GhloImportPosition position = ghlo_import_position (self);
  gint64 minimum, maximum;

  if (!ghlo_import_accept (self, '<'))
    return TRUE;
  if (!ghlo_import_parse_integer (self, &minimum) || !ghlo_import_expect (self, ':', "':'")
      || !ghlo_import_parse_integer (self, &maximum) || !ghlo_import_expect (self, '>', "'>'"))
    return FALSE;
  if (minimum < quantized->minimum || maximum > quantized->maximum || minimum >= maximum)
    return ghlo_import_fail_at (self, position,
                                "expected a storage range within [%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT
                                "], found [%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT "]",
                                quantized->minimum, quantized->maximum, minimum, maximum);
  quantized->minimum = minimum;
  quantized->maximum = maximum;

  return TRUE;
}

static gboolean
parse_expressed (GhloImportParser *self,
                 Quantized        *quantized)
{
  GhloImportPosition position = ghlo_import_position (self);
  const GhloIrType *type = ghlo_import_parse_type (self);
  g_autofree char *name = NULL;

  if (type == NULL)
    return FALSE;
  if (type->kind == GHLO_IR_TYPE_ELEMENT && ghlo_element_type_is_float (type->element_type))
    {
      quantized->expressed = type->element_type;
      return TRUE;
    }
  name = ghlo_ir_type_to_string (type);

  return ghlo_import_fail_at (self, position,
                              "expected a float type that the quantized values express, found %s", name);
}

static gboolean
parse_scale (GhloImportParser *self,
             Quantized        *quantized)
{
  GhloImportPosition position = ghlo_import_position (self);
  gboolean negative = ghlo_import_accept (self, '-');
  gint64 zero_point = 0;
  double scale;

  if (!ghlo_import_at (self, GHLO_TOKEN_FLOAT)
      && (!ghlo_import_at (self, GHLO_TOKEN_INTEGER) || ghlo_import_token_is_hex (self)))
    return ghlo_import_expected (self, "a scale");
  scale = ghlo_import_text_to_double (self->lexer.start, ghlo_import_lexer_length (&self->lexer));
  ghlo_import_next (self);
  if (negative || !ghlo_quantization_is_scale (quantized->expressed, scale))
    return ghlo_import_fail_at (self, position, "expected a positive, finite scale within %s, found %s%g",
                                ghlo_element_info (quantized->expressed)->name, negative ? "-" : "", scale);

  /* The verifier of the operation that uses the type checks whether the zero point is in the storage range. */
  if (ghlo_import_accept (self, ':') && !ghlo_import_parse_integer (self, &zero_point))
    return FALSE;
  GHLO_IMPORT_PUSH (&quantized->scales, scale);
  GHLO_IMPORT_PUSH (&quantized->zero_points, zero_point);

  return TRUE;
}

/* Parses "{0.1:1, 0.2}" along an axis. */
static gboolean
parse_scales (GhloImportParser *self,
              Quantized        *quantized)
{
  if (!ghlo_import_expect (self, '{', "'{'"))
    return FALSE;
  do
    if (!parse_scale (self, quantized))
      return FALSE;
  while (ghlo_import_accept (self, ','));

  return ghlo_import_expect (self, '}', "'}'");
}

static gboolean
parse_parts (GhloImportParser *self,
             Quantized        *quantized)
{
  GhloImportPosition position;

  if (!ghlo_import_expect (self, '<', "'<'") || !parse_storage (self, quantized) || !parse_range (self, quantized)
      || !ghlo_import_expect (self, ':', "':'") || !parse_expressed (self, quantized))
    return FALSE;

  quantized->axis = -1;
  if (ghlo_import_accept (self, ':'))
    {
      position = ghlo_import_position (self);
      if (ghlo_import_at (self, '{'))
        return ghlo_import_unsupported (self, "expected quantization per tensor or along one axis, found blocks");
      if (!ghlo_import_parse_integer (self, &quantized->axis))
        return FALSE;
      if (quantized->axis < 0 || quantized->axis >= GHLO_MAX_RANK)
        return ghlo_import_fail_at (self, position,
                                    "expected a quantized dimension between 0 and %d, found %" G_GINT64_FORMAT,
                                    GHLO_MAX_RANK - 1, quantized->axis);
    }
  if (!ghlo_import_expect (self, ',', "','"))
    return FALSE;
  if (quantized->axis >= 0 ? !parse_scales (self, quantized) : !parse_scale (self, quantized))
    return FALSE;

  return ghlo_import_expect (self, '>', "'>'");
}

const GhloIrType *
ghlo_import_parse_quantized (GhloImportParser *self,
                             gboolean         *foreign)
{
  Quantized quantized = { 0 };
  const GhloIrType *type = NULL;
  gboolean good = parse_parts (self, &quantized);

  *foreign = good && quantized.storage == GHLO_ELEMENT_TYPE_INVALID;
  if (good && !*foreign)
    {
      g_autoptr (GhloQuantization) quantization =
        ghlo_quantization_new (quantized.storage, quantized.expressed, quantized.minimum, quantized.maximum,
                               (gint32) quantized.axis, quantized.scales.items, quantized.zero_points.items,
                               quantized.scales.n);

      type = ghlo_ir_type_quantized (self->module, quantization);
    }
  GHLO_IMPORT_CLEAR (&quantized.scales);
  GHLO_IMPORT_CLEAR (&quantized.zero_points);

  return type;
}
