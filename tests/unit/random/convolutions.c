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
  char       labels[3][RANDOM_MAX_RANK];   /* of the dimensions of input, kernel and result: 'b', 'f', 'i', 'o', '0'
                                            * … */
  gint64     strides[RANDOM_MAX_RANK], padding[2 * RANDOM_MAX_RANK];
  gint64     base[RANDOM_MAX_RANK], dilation[RANDOM_MAX_RANK], reversal[RANDOM_MAX_RANK];
  gint64     feature_groups, batch_groups;
  double     count;                        /* number of terms in each sum */
} Convolution;

/* Labels @first, @second and the spatial dimensions' digits, in any order or the usual one. */
static void
choose_labels (RandomProgram *self,
               char          *labels,
               guint          n_spatial,
               char           first,
               char           second)
{
  gint64 order[RANDOM_MAX_RANK];

  random_shuffle (self, order, n_spatial + 2);
  for (guint i = 0; i < n_spatial + 2; i++)
    labels[i] = order[i] == 0 ? first : order[i] == 1 ? second : (char) ('0' + order[i] - 2);
}

static gint64 *
size_of (RandomType *type,
         const char *labels,
         char        label)
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

/* Computes the size of the result along spatial dimension @i, after all its parameters are chosen. */
static gint64
choose_dimension (RandomProgram *self,
                  Convolution   *conv,
                  guint          i,
                  gint64         size)
{
  gint64 window = 1 + random_pick (self, 3), reach, *padding = conv->padding + 2 * i;

  conv->strides[i] = 1 + random_pick (self, 2);
  conv->base[i] = random_once (self, 4) ? 1 + random_pick (self, 3) : 1;
  conv->dilation[i] = random_once (self, 4) ? 1 + random_pick (self, 3) : 1;
  conv->reversal[i] = random_once (self, 4);
  padding[0] = random_once (self, 2) ? (gint64) random_pick (self, 5) - 1 : 0;
  padding[1] = random_once (self, 2) ? (gint64) random_pick (self, 5) - 1 : 0;
  *size_of (&conv->kernel, conv->labels[1], (char) ('0' + i)) = window;
  size = size == 0 ? 0 : (size - 1) * conv->base[i] + 1;
  if (size + padding[0] + padding[1] < 0)
    padding[0] = padding[1] = 0;
  size += padding[0] + padding[1];
  reach = (window - 1) * conv->dilation[i] + 1;
  conv->count *= (double) window;

  return size < reach ? 0 : (size - reach) / conv->strides[i] + 1;
}

static gboolean
choose_convolution (RandomProgram *self,
                    guint          value,
                    Convolution   *conv)
{
  RandomType type = self->values[value].type;
  gint64 batch, features, outputs;

  if (type.rank < 2 || type.rank > 5 || type.element == GHLO_ELEMENT_TYPE_I1)
    return FALSE;
  *conv = (Convolution) { .n_spatial = type.rank - 2, .input = type, .kernel = type, .result = type, .count = 1 };
  choose_labels (self, conv->labels[0], conv->n_spatial, 'b', 'f');
  choose_labels (self, conv->labels[1], conv->n_spatial, 'i', 'o');
  choose_labels (self, conv->labels[2], conv->n_spatial, 'b', 'f');
  batch = *size_of (&conv->input, conv->labels[0], 'b');
  features = *size_of (&conv->input, conv->labels[0], 'f');
  conv->feature_groups = choose_groups (self, features);
  conv->batch_groups = conv->feature_groups == 1 ? choose_groups (self, batch) : 1;
  outputs = MAX (conv->feature_groups, conv->batch_groups) * (1 + random_pick (self, 3));
  *size_of (&conv->kernel, conv->labels[1], 'i') = features / conv->feature_groups;
  *size_of (&conv->kernel, conv->labels[1], 'o') = outputs;
  *size_of (&conv->result, conv->labels[2], 'b') = batch / conv->batch_groups;
  *size_of (&conv->result, conv->labels[2], 'f') = outputs;
  conv->count = MAX ((double) (features / conv->feature_groups), 1);
  for (guint i = 0; i < conv->n_spatial; i++)
    {
      gint64 size = choose_dimension (self, conv, i, *size_of (&conv->input, conv->labels[0], (char) ('0' + i)));

      *size_of (&conv->result, conv->labels[2], (char) ('0' + i)) = size;
    }

  return random_fits (self, &conv->kernel) && random_fits (self, &conv->result);
}

static const char *
label_list (RandomProgram *self,
            const char    *labels,
            guint          n)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%c", i > 0 ? ", " : "", labels[i]);

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
  random_generic_op (self, "stablehlo.convolution", operands, 2,
                     random_printf (self, " {%s, padding = %si64>}", rest,
                                    pairs (self, conv.padding, conv.n_spatial)), &conv.result, numbers);

  return TRUE;
}

const RandomMaker random_convolution_makers[] = {
  { "convolution", make_convolution, 14, 8, 0 },
  { NULL },
};
