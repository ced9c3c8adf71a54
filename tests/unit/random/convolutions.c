/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Convolutions with any dimension numbers, groups, dilations, padding and reversal, in
 * random programs.
 */

#include "program.h"

typedef struct
{
  guint      n_spatial;
  RandomType input, kernel, result;
  guint8     labels[3][RANDOM_MAX_RANK];   /* of the dimensions of input, kernel and result: BATCH, …, or the number of
                                            * a spatial dimension */
  gint64     strides[RANDOM_MAX_RANK], padding[2 * RANDOM_MAX_RANK];
  gint64     base[RANDOM_MAX_RANK], dilation[RANDOM_MAX_RANK], reversal[RANDOM_MAX_RANK];
  gint64     feature_groups, batch_groups;
  double     count;                        /* number of terms in each sum */
} Convolution;

enum { BATCH = 'b', FEATURE = 'f', INPUT = 'i', OUTPUT = 'o' };   /* above all numbers of dimensions */

/* Labels @first, @second and the spatial dimensions, in any order, or in one that libraries take. */
static void
choose_labels (RandomProgram *self,
               guint8        *labels,
               guint          n_spatial,
               guint8         first,
               guint8         second)
{
  gint64 order[RANDOM_MAX_RANK];

  if (self->is_extreme && random_pick (self, 8) < 7)
    {
      for (guint i = 0; i < n_spatial; i++)
        labels[first == BATCH ? i + 1 : i] = (guint8) i;
      labels[first == BATCH ? 0 : n_spatial] = first;
      labels[n_spatial + 1] = second;
      return;
    }
  random_shuffle (self, order, n_spatial + 2);
  for (guint i = 0; i < n_spatial + 2; i++)
    labels[i] = order[i] == 0 ? first : order[i] == 1 ? second : (guint8) (order[i] - 2);
}

static gint64 *
size_of (RandomType   *type,
         const guint8 *labels,
         guint8        label)
{
  for (guint i = 0; i < type->rank; i++)
    if (labels[i] == label)
      return &type->dimensions[i];

  g_assert_not_reached ();
}

/* A divisor of @size, mostly 1. */
static gint64
choose_groups (RandomProgram *self,
               gint64         size)
{
  gint64 n = 1 + random_pick (self, 4);

  return size > 0 && size % n == 0 && random_once (self, 2) ? n : 1;
}

static gint64
choose_extreme (RandomProgram *self,
                Convolution   *conv,
                guint          i,
                gint64         size,
                gint64         window)
{
  RandomAxis axis = { .size = size, .rank = conv->input.rank, .window = window };

  random_extreme_axis (self, &axis, FALSE);
  conv->strides[i] = axis.stride;
  conv->base[i] = axis.base;
  conv->dilation[i] = axis.dilation;
  conv->reversal[i] = random_once (self, 4);
  conv->padding[2 * i] = axis.low;
  conv->padding[2 * i + 1] = axis.high;

  return axis.count;
}

/* Computes the size of the result along spatial dimension @i, after all its parameters are chosen. */
static gint64
choose_dimension (RandomProgram *self,
                  Convolution   *conv,
                  guint          i,
                  gint64         size)
{
  guint most = conv->input.rank > RANDOM_USUAL_RANK && random_pick (self, 8) > 0 ? 1 : 3;
  gint64 window = 1 + random_pick (self, most), reach, *padding = conv->padding + 2 * i;

  conv->count *= (double) window;
  *size_of (&conv->kernel, conv->labels[1], (guint8) i) = window;
  if (self->is_extreme)
    return choose_extreme (self, conv, i, size, window);
  conv->strides[i] = 1 + random_pick (self, 2);
  conv->base[i] = random_once (self, 4) ? 1 + random_pick (self, 3) : 1;
  conv->dilation[i] = random_once (self, 4) ? 1 + random_pick (self, 3) : 1;
  conv->reversal[i] = random_once (self, 4);
  padding[0] = random_once (self, 2) ? (gint64) random_pick (self, 5) - 1 : 0;
  padding[1] = random_once (self, 2) ? (gint64) random_pick (self, 5) - 1 : 0;
  size = size == 0 ? 0 : (size - 1) * conv->base[i] + 1;
  if (size + padding[0] + padding[1] < 0)
    padding[0] = padding[1] = 0;
  size += padding[0] + padding[1];
  reach = (window - 1) * conv->dilation[i] + 1;

  return size < reach ? 0 : (size - reach) / conv->strides[i] + 1;
}

static gboolean
choose_convolution (RandomProgram *self,
                    guint          value,
                    Convolution   *conv)
{
  RandomType type = self->values[value].type;
  gint64 batch, features, outputs;

  if (type.rank < 2 || type.rank > random_max_rank (self, 5) || type.element == GHLO_ELEMENT_TYPE_I1)
    return FALSE;
  *conv = (Convolution) { .n_spatial = type.rank - 2, .input = type, .kernel = type, .result = type, .count = 1 };
  choose_labels (self, conv->labels[0], conv->n_spatial, BATCH, FEATURE);
  choose_labels (self, conv->labels[1], conv->n_spatial, INPUT, OUTPUT);
  choose_labels (self, conv->labels[2], conv->n_spatial, BATCH, FEATURE);
  batch = *size_of (&conv->input, conv->labels[0], BATCH);
  features = *size_of (&conv->input, conv->labels[0], FEATURE);
  conv->feature_groups = choose_groups (self, features);
  conv->batch_groups = conv->feature_groups == 1 ? choose_groups (self, batch) : 1;
  outputs = MAX (conv->feature_groups, conv->batch_groups) * (1 + random_pick (self, 3));
  if (features >= 16 && self->is_extreme)
    outputs *= (random_once (self, 2) ? 64 : 16) / MAX (conv->feature_groups, conv->batch_groups);
  *size_of (&conv->kernel, conv->labels[1], INPUT) = features / conv->feature_groups;
  *size_of (&conv->kernel, conv->labels[1], OUTPUT) = outputs;
  *size_of (&conv->result, conv->labels[2], BATCH) = batch / conv->batch_groups;
  *size_of (&conv->result, conv->labels[2], FEATURE) = outputs;
  conv->count = MAX ((double) (features / conv->feature_groups), 1);
  for (guint i = 0; i < conv->n_spatial; i++)
    {
      gint64 size = choose_dimension (self, conv, i, *size_of (&conv->input, conv->labels[0], (guint8) i));

      *size_of (&conv->result, conv->labels[2], (guint8) i) = size;
    }

  return random_fits (self, &conv->kernel) && random_fits (self, &conv->result);
}

static const char *
label_list (RandomProgram *self,
            const guint8  *labels,
            guint          n)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, labels[i] < RANDOM_MAX_RANK ? "%s%u" : "%s%c", i > 0 ? ", " : "", labels[i]);

  return random_printf (self, "[%s]", text->str);
}

static const char *
pairs (RandomProgram *self,
       const gint64  *padding,
       guint          n)
{
  g_autoptr (GString) text = g_string_new ("dense<");

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s[%s]", i > 0 ? ", " : "[", random_list (self, padding + 2 * i, 2));
  g_string_append_printf (text, "%s> : tensor<%ux2x", n > 0 ? "]" : "", n);

  return random_printf (self, "%s", text->str);
}

static const char *
array (RandomProgram *self,
       const char    *name,
       const gint64  *numbers,
       guint          n)
{
  return random_printf (self, "%s = array<i64%s%s>", name, n > 0 ? ": " : "", random_list (self, numbers, n));
}

static const char *
attributes (RandomProgram     *self,
            const Convolution *conv)
{
  g_autoptr (GString) reversal = g_string_new (NULL);
  guint n = conv->n_spatial;

  for (guint i = 0; i < n; i++)
    g_string_append_printf (reversal, "%s%s", i > 0 ? ", " : ": ", conv->reversal[i] ? "true" : "false");

  return random_printf (self, "%s, %s, %s, window_reversal = array<i1%s>, "
                        "dimension_numbers = #stablehlo.conv<%sx%s->%s>, feature_group_count = %" G_GINT64_FORMAT
                        " : i64, batch_group_count = %" G_GINT64_FORMAT " : i64",
                        array (self, "window_strides", conv->strides, n), array (self, "lhs_dilation", conv->base, n),
                        array (self, "rhs_dilation", conv->dilation, n),
                        reversal->str, label_list (self, conv->labels[0], n + 2),
                        label_list (self, conv->labels[1], n + 2), label_list (self, conv->labels[2], n + 2),
                        conv->feature_groups, conv->batch_groups);
}

/* Quantizes both operands, and the result back to floats. The sums are exact. */
static void
emit_quantized (RandomProgram     *self,
                const Convolution *conv,
                const guint       *operands,
                const char        *rest)
{
  RandomQuantization elements[3];
  const char *names[2], *texts[2], *to;
  guint id = self->n_ids;

  for (guint i = 0; i < 3; i++)
    elements[i] = random_quantization (self, i < 2 ? RANDOM_BYTES : RANDOM_ANY_STORAGE, i == 1 ? &elements[0] : NULL,
                                       GHLO_ELEMENT_TYPE_F32, -1, 1, random_once (self, 2));
  for (guint i = 0; i < 2; i++)
    {
      names[i] = random_printf (self, "%%q%u_%u", id, i);
      texts[i] = random_quantized_text (self, i == 0 ? &conv->input : &conv->kernel, &elements[i]);
      random_emit_quantize (self, operands[i], &elements[i], names[i]);
    }
  to = random_printf (self, "%%q%u_2", id);
  random_emit (self, "  %s = \"stablehlo.convolution\"(%s, %s)%s : (%s, %s) -> %s\n", to, names[0], names[1], rest,
               texts[0], texts[1], random_quantized_text (self, &conv->result, &elements[2]));
  random_emit_dequantize (self, to, &conv->result, &elements[2]);
}

static gboolean
make_convolution (RandomProgram *self,
                  guint          value)
{
  Convolution conv;
  guint operands[3] = { value };
  RandomNumbers numbers, kernel;
  gboolean is_dynamic = random_once (self, 5);
  const char *rest;

  if (!choose_convolution (self, value, &conv))
    return FALSE;
  operands[1] = random_bounded (self, &conv.kernel);
  kernel = self->values[operands[1]].numbers;
  numbers = random_numbers_sum (conv.input.element, self->values[value].numbers, &kernel, conv.count);
  if (random_is_float (conv.input.element) || random_is_complex (conv.input.element))
    {
      /* The product of padding and infinity depends on whether it is computed at all. */
      if (numbers.specials)
        numbers.trust = RANDOM_NONE;
      numbers.reordered = TRUE;
    }
  if (!random_allows (self, numbers))
    return FALSE;
  rest = attributes (self, &conv);
  if (is_dynamic)
    {
      RandomType type = { .element = GHLO_ELEMENT_TYPE_I64, .rank = 2, .dimensions = { conv.n_spatial, 2 } };

      operands[2] = random_define (self, &type, random_numbers_small (8, 1));
      random_emit (self, "  %s = stablehlo.constant %si64>\n", random_name (self, operands[2]),
                   pairs (self, conv.padding, conv.n_spatial));
      random_generic_op (self, "stablehlo.dynamic_conv", operands, 3, random_printf (self, " {%s}", rest),
                         &conv.result, numbers);
      return TRUE;
    }
  rest = random_printf (self, " {%s, padding = %si64>}", rest, pairs (self, conv.padding, conv.n_spatial));
  if (random_may_quantize (self, value) && random_may_quantize (self, operands[1]) && random_pick (self, 4) == 3)
    emit_quantized (self, &conv, operands, rest);
  else
    random_generic_op (self, "stablehlo.convolution", operands, 2, rest, &conv.result, numbers);

  return TRUE;
}

const RandomMaker random_convolution_makers[] = {
  { "convolution", make_convolution, 14, 8, RANDOM_HAS_WINDOWS },
  { NULL },
};
