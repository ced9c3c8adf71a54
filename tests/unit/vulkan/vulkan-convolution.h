/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Convolutions for the tests of Vulkan devices, and programs that consist of one.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The parameters of a convolution under construction. */
typedef struct
{
  guint  n_spatial;
  gint64 image[3], window[3], output[3], step[3], low[3], high[3], image_dilation[3], window_dilation[3];
  gint64 feature_groups, batch_groups, images, in, out;       /* of one group */
  const guint8 (*orders)[5];    /* dimension orders of lhs, rhs and the result: 0 and 1 are the non-spatial
                                 * dimensions (batch and feature, for rhs input and output features); NULL: random
                                 * orders */
} Convolution;

/* The number of window positions in a dimension; less than 1 where the window does not fit. */
static inline gint64
count_places (const Convolution *self,
              guint              i)
{
  const gint64 size = (self->image[i] - 1) * self->image_dilation[i] + 1 + self->low[i] + self->high[i]
                      - ((self->window[i] - 1) * self->window_dilation[i] + 1);

  return size < 0 ? 0 : size / self->step[i] + 1;
}

static inline void
draw_spatial (Convolution *self,
              guint        i)
{
  do
    {
      self->image[i] = g_test_rand_int_range (1, 10);
      self->window[i] = g_test_rand_int_range (1, 5);
      self->step[i] = g_test_rand_int_range (1, 4);
      self->low[i] = g_test_rand_int_range (-2, 4);
      self->high[i] = g_test_rand_int_range (-2, 4);
      self->image_dilation[i] = g_test_rand_int_range (0, 3) == 0 ? g_test_rand_int_range (1, 4) : 1;
      self->window_dilation[i] = g_test_rand_int_range (0, 3) == 0 ? g_test_rand_int_range (1, 4) : 1;
      self->output[i] = count_places (self, i);
    }
  while (self->output[i] == 0);
}

/* Prints the letters of the dimensions in the order @given, or a random one, and their sizes: @first and @second are
 * the non-spatial ones. */
static inline void
print_layout (GString      *numbers,
              GString      *type,
              const char   *letters,
              const guint8 *given,
              gint64        first,
              gint64        second,
              const gint64 *spatial,
              guint         n_spatial)
{
  guint order[5];

  for (guint i = 0; i < n_spatial + 2; i++)
    order[i] = given != NULL ? given[i] : i;
  for (guint i = n_spatial + 2; given == NULL && i > 1; i--)
    {
      guint other = (guint) g_test_rand_int_range (0, (gint) i), kept = order[i - 1];

      order[i - 1] = order[other];
      order[other] = kept;
    }
  g_string_assign (type, "tensor<");
  g_string_append_c (numbers, '[');
  for (guint i = 0; i < n_spatial + 2; i++)
    {
      const guint d = order[i];

      g_string_append (numbers, i > 0 ? ", " : "");
      if (d < 2)
        g_string_append_c (numbers, letters[d]);
      else
        g_string_append_printf (numbers, "%u", d - 2);
      g_string_append_printf (type, "%" G_GINT64_FORMAT "x", d == 0 ? first : d == 1 ? second : spatial[d - 2]);
    }
  g_string_append_c (numbers, ']');
}

static inline void
print_values (GString      *text,
              const char   *name,
              const gint64 *values,
              guint         n)
{
  g_string_append_printf (text, "%s = [", name);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", values[i]);
  g_string_append (text, "], ");
}

static inline char *
print_convolution (const Convolution *self,
                   const char        *type)
{
  const guint n = self->n_spatial;
  const gint64 groups = self->feature_groups * self->batch_groups;
  const guint8 *orders[3] = { NULL };
  g_autoptr (GString) numbers = g_string_new (NULL), window = g_string_new (NULL), lhs = g_string_new (NULL);
  g_autoptr (GString) rhs = g_string_new (NULL), result = g_string_new (NULL);

  for (guint i = 0; i < 3 && self->orders != NULL; i++)
    orders[i] = self->orders[i];
  print_layout (numbers, lhs, "bf", orders[0], self->images * self->batch_groups, self->in * self->feature_groups,
                self->image, n);
  g_string_append_c (numbers, 'x');
  print_layout (numbers, rhs, "io", orders[1], self->in, self->out * groups, self->window, n);
  g_string_append (numbers, "->");
  print_layout (numbers, result, "bf", orders[2], self->images, self->out * groups, self->output, n);
  print_values (window, "stride", self->step, n);
  g_string_append (window, "pad = [");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (window, "%s[%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT "]", i > 0 ? ", " : "", self->low[i],
                            self->high[i]);
  g_string_append (window, "], ");
  print_values (window, "lhs_dilate", self->image_dilation, n);
  print_values (window, "rhs_dilate", self->window_dilation, n);
  g_string_append (window, "reverse = [");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (window, "%s%s", i > 0 ? ", " : "", g_test_rand_bit () ? "true" : "false");
  g_string_append_c (window, ']');

  return g_strdup_printf (
    "func.func @main(%%a: %s%s>, %%b: %s%s>) -> %s%s> {\n"
    "  %%0 = stablehlo.convolution(%%a, %%b) dim_numbers = %s, window = {%s} {batch_group_count = %" G_GINT64_FORMAT
    " : i64, feature_group_count = %" G_GINT64_FORMAT " : i64} : (%s%s>, %s%s>) -> %s%s>\n  return %%0 : %s%s>\n}\n",
    lhs->str, type, rhs->str, type, result->str, type, numbers->str, n > 0 ? window->str : "", self->batch_groups,
    self->feature_groups, lhs->str, type, rhs->str, type, result->str, type, result->str, type);
}

G_END_DECLS
