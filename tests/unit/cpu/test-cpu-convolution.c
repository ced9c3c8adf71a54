/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Convolutions on the CPU compared with sums computed one by one: every kind of window, layout and group, both
 * gradients in the form that frameworks write, and the convolutions that oneDNN accepts.
 */

#include "cpu-tensors.h"

#include "cpu/convolution/convolution.h"
#include "cpu/isa/level.h"
#include "cpu/library/onednn.h"
#include "cpu/move/copy.h"

enum { MOST = 3 };

typedef struct
{
  GhloElementType lhs, rhs, result;
} Types;

#define SAME(T) { GHLO_ELEMENT_TYPE_##T, GHLO_ELEMENT_TYPE_##T, GHLO_ELEMENT_TYPE_##T }
#define MIXED(A, B, C) { GHLO_ELEMENT_TYPE_##A, GHLO_ELEMENT_TYPE_##B, GHLO_ELEMENT_TYPE_##C }

/* Sizes by role; the tensors have these dimensions in any order. */
typedef struct
{
  guint    n_spatial;
  gint64   batch, features, output_features;         /* of all groups */
  gint64   feature_groups, batch_groups;
  gint64   input[MOST], kernel[MOST], output[MOST];
  gint64   step[MOST], low[MOST], high[MOST], input_dilation[MOST], kernel_dilation[MOST];
  gboolean reversed[MOST];
} Window;

typedef struct
{
  Window                    w;
  GhloCpuConvolutionNumbers numbers;
  Tensor                    lhs, rhs, result;
} Case;

static void
case_clear (Case *self)
{
  tensor_clear (&self->lhs);
  tensor_clear (&self->rhs);
  tensor_clear (&self->result);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Case, case_clear)

/* The elements of a case's operands as GhloScalars: each is converted once and used in many products. */
typedef struct
{
  Tensor lhs, rhs;
} Operands;

static Operands
operands_read (const Case *c)
{
  return (Operands) { tensor_scalars (&c->lhs), tensor_scalars (&c->rhs) };
}

static void
operands_clear (Operands *self)
{
  tensor_clear (&self->lhs);
  tensor_clear (&self->rhs);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Operands, operands_clear)

static void
find_output (Window *w)
{
  for (guint i = 0; i < w->n_spatial; i++)
    {
      gint64 spread = w->input[i] > 0 ? (w->input[i] - 1) * w->input_dilation[i] + 1 : 0;
      gint64 room = spread + w->low[i] + w->high[i], reach = (w->kernel[i] - 1) * w->kernel_dilation[i] + 1;

      w->output[i] = room <= 0 || reach > room ? 0 : (room - reach) / w->step[i] + 1;
    }
}

/* Numbers a tensor's dimensions channels-last, or in random order. */
static void
number_dimensions (guint     n_spatial,
                   gboolean  shuffled,
                   gint64   *first,
                   gint64   *last,
                   gint64   *spatial)
{
  gint64 order[MOST + 2] = { 0 };

  for (guint i = 0; i < n_spatial + 2; i++)
    order[i] = i;
  for (guint i = n_spatial + 2; shuffled && i > 1; i--)
    {
      gint other = g_test_rand_int_range (0, (gint) i);
      gint64 kept = order[i - 1];

      order[i - 1] = order[other];
      order[other] = kept;
    }
  *first = order[0];
  for (guint i = 0; i < n_spatial; i++)
    spatial[i] = order[1 + i];
  *last = order[1 + n_spatial];
}

static void
tensor_make (Tensor          *self,
             GhloElementType  type,
             guint            n_spatial,
             gint64           first,
             gint64           first_size,
             gint64           last,
             gint64           last_size,
             const gint64    *spatial,
             const gint64    *sizes,
             guint            flags)
{
  gint64 dimensions[MOST + 2];

  dimensions[first] = first_size;
  dimensions[last] = last_size;
  for (guint i = 0; i < n_spatial; i++)
    dimensions[spatial[i]] = sizes[i];
  tensor_init (self, type, n_spatial + 2, dimensions, flags);
}

static void
case_init (Case        *self,
           const Types *types,
           gboolean     shuffled,
           guint        flags)
{
  GhloCpuConvolutionNumbers *n = &self->numbers;
  Window *w = &self->w;

  find_output (w);
  n->n_spatial = n->window.rank = w->n_spatial;
  n->feature_groups = w->feature_groups;
  n->batch_groups = w->batch_groups;
  for (guint i = 0; i < w->n_spatial; i++)
    n->window.dims[i] = (GhloIrWindowDim) {
      .input = w->input[i], .output = w->output[i], .size = w->kernel[i],
      .stride = w->step[i], .base_dilation = w->input_dilation[i], .window_dilation = w->kernel_dilation[i],
      .padding_low = w->low[i], .is_reversed = w->reversed[i],
    };
  number_dimensions (w->n_spatial, shuffled, &n->input_batch, &n->input_feature, n->input_spatial);
  number_dimensions (w->n_spatial, shuffled, &n->output_batch, &n->output_feature, n->output_spatial);
  number_dimensions (w->n_spatial, shuffled, &n->kernel_input_feature, &n->kernel_output_feature, n->kernel_spatial);
  if (!shuffled)
    {
      /* Taps, input features, output features. */
      n->kernel_input_feature = w->n_spatial;
      for (guint i = 0; i < w->n_spatial; i++)
        n->kernel_spatial[i] = i;
    }

  tensor_make (&self->lhs, types->lhs, w->n_spatial, n->input_batch, w->batch, n->input_feature, w->features,
               n->input_spatial, w->input, flags);
  tensor_make (&self->rhs, types->rhs, w->n_spatial, n->kernel_input_feature, w->features / w->feature_groups,
               n->kernel_output_feature, w->output_features, n->kernel_spatial, w->kernel, flags);
  tensor_make (&self->result, types->result, w->n_spatial, n->output_batch, w->batch / w->batch_groups,
               n->output_feature, w->output_features, n->output_spatial, w->output, flags);
  tensor_fill (&self->lhs);
  tensor_fill (&self->rhs);
}

/* Adds the products over a group's features, starting from the first ones. */
UNSANITIZED static void
sum_add_features (Sum            *sum,
                  const Case     *self,
                  const Operands *operands,
                  const guint8   *lhs,
                  const guint8   *rhs)
{
  const gint64 lhs_stride = operands->lhs.strides[self->numbers.input_feature];
  const gint64 rhs_stride = operands->rhs.strides[self->numbers.kernel_input_feature];

  for (gint64 n = self->w.features / self->w.feature_groups; n > 0; n--, lhs += lhs_stride, rhs += rhs_stride)
    sum_add_product (sum, self->lhs.type, *(const GhloScalar *) (gconstpointer) lhs,
                     *(const GhloScalar *) (gconstpointer) rhs);
}

/* The result at an index of its tensor, as the specification defines it. */
UNSANITIZED static Sum
exact_at (const Case     *self,
          const Operands *operands,
          const gint64   *at)
{
  const GhloCpuConvolutionNumbers *n = &self->numbers;
  const Window *w = &self->w;
  gint64 feature = at[n->output_feature];
  gint64 group = feature / (w->output_features / MAX (w->feature_groups, w->batch_groups));
  gint64 image = at[n->output_batch] + (w->batch_groups > 1 ? group * (w->batch / w->batch_groups) : 0);
  gint64 first = w->feature_groups > 1 ? group * (w->features / w->feature_groups) : 0, tap[MOST] = { 0 };
  const guint8 *lhs = operands->lhs.data + image * operands->lhs.strides[n->input_batch]
                      + first * operands->lhs.strides[n->input_feature];
  const guint8 *rhs = operands->rhs.data + feature * operands->rhs.strides[n->kernel_output_feature];
  Tensor taps = { .rank = w->n_spatial };
  Sum sum = { 0 };

  memcpy (taps.dimensions, w->kernel, sizeof (w->kernel));
  if (tensor_count (&taps) == 0)
    return sum;
  do
    {
      gint64 left = 0, right = 0;
      gboolean inside = TRUE;

      for (guint i = 0; i < w->n_spatial; i++)
        {
          gint64 place = at[n->output_spatial[i]] * w->step[i] + tap[i] * w->kernel_dilation[i] - w->low[i];
          gint64 element = place / w->input_dilation[i];

          inside &= place >= 0 && element * w->input_dilation[i] == place && element < w->input[i];
          left += element * operands->lhs.strides[n->input_spatial[i]];
          right += (w->reversed[i] ? w->kernel[i] - 1 - tap[i] : tap[i]) * operands->rhs.strides[n->kernel_spatial[i]];
        }
      if (inside)
        sum_add_features (&sum, self, operands, lhs + left, rhs + right);
    }
  while (tensor_next (&taps, tap));

  return sum;
}

static char *
describe (const Case *self)
{
  const Window *w = &self->w;
  g_autofree char *lhs = shape_text (&self->lhs), *rhs = shape_text (&self->rhs), *result = shape_text (&self->result);
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "lhs %s, rhs %s, result %s, groups %d %d", lhs, rhs, result, (int) w->feature_groups,
                          (int) w->batch_groups);
  for (guint i = 0; i < w->n_spatial; i++)
    g_string_append_printf (text, ", %d * %d -> %d step %d pad %d %d dilation %d %d%s", (int) w->input[i],
                            (int) w->kernel[i], (int) w->output[i], (int) w->step[i], (int) w->low[i],
                            (int) w->high[i], (int) w->input_dilation[i], (int) w->kernel_dilation[i],
                            w->reversed[i] ? " reversed" : "");

  return g_string_free (text, FALSE);
}

static void
check_result (const Case *self,
              const char *how,
              double      added)
{
  g_auto (Operands) operands = operands_read (self);
  gboolean is_wide = ghlo_element_info (self->lhs.type)->bits > 32 || ghlo_element_info (self->rhs.type)->bits > 32;
  gint64 index[MOST + 2] = { 0 }, count = self->w.features;

  for (guint i = 0; i < self->w.n_spatial; i++)
    count *= self->w.kernel[i];
  assert_untouched (&self->result);
  if (tensor_count (&self->result) == 0)
    return;
  do
    {
      Sum sum = exact_at (self, &operands, index);
      GhloScalar found = tensor_get (&self->result, index);

      sum.re += added;
      sum.size += fabs (added);
      if (!sum_matches (&sum, count, is_wide, self->result.type, found))
        {
          g_autofree char *what = describe (self);

          g_error ("%s: %s: expected %Lg (%" G_GINT64_MODIFIER "x), found %g (%" G_GINT64_MODIFIER "x) at %d %d %d %d",
                   how, what, sum.re, sum.wrapped, found.f, found.u, (int) index[0], (int) index[1], (int) index[2],
                   (int) index[3]);
        }
    }
  while (tensor_next (&self->result, index));
}

/* Checks a sample of the elements where checking all would take long. */
static void
check_some (const Case *self,
            const char *how)
{
  g_auto (Operands) operands = operands_read (self);
  gint64 count = self->w.features;

  for (guint i = 0; i < self->w.n_spatial; i++)
    count *= self->w.kernel[i];
  for (guint i = 0; i < 400; i++)
    {
      gint64 index[MOST + 2];
      Sum sum;

      for (guint d = 0; d < self->result.rank; d++)
        index[d] = g_test_rand_int_range (0, (gint) self->result.dimensions[d]);
      sum = exact_at (self, &operands, index);
      if (!sum_matches (&sum, count, FALSE, self->result.type, tensor_get (&self->result, index)))
        {
          g_autofree char *what = describe (self);

          g_error ("%s: %s: expected %Lg, found %g at %d %d %d %d", how, what, sum.re,
                   tensor_get (&self->result, index).f, (int) index[0], (int) index[1], (int) index[2], (int) index[3]);
        }
    }
}

static gpointer
allocate (gsize size)
{
  gpointer memory = g_aligned_alloc (1, MAX (size, 64), 64);

  memset (memory, 0xff, MAX (size, 64));

  return memory;
}

static GhloView
view_of (const Tensor *tensor)
{
  return (GhloView) { tensor->data, tensor->type, tensor->rank, tensor->dimensions, tensor->strides };
}

static GhloCpuConvolution *
prepare (const Case       *self,
         gboolean          is_constant,       /* the kernel */
         GhloCpuPanelFunc  epilogue)
{
  GhloView lhs = view_of (&self->lhs), rhs = view_of (&self->rhs), result = view_of (&self->result);
  g_autoptr (GError) error = NULL;
  GhloCpuConvolution *convolution;

  if (!is_constant)
    rhs.data = NULL;
  convolution = ghlo_cpu_convolution_prepare (&self->numbers, &lhs, &rhs, &result, epilogue, NULL, &error);
  g_assert_no_error (error);

  return convolution;
}

static void
run (const Case               *self,
     const GhloCpuConvolution *convolution,
     const guint8             *rhs,
     gpointer                  epilogue_data)
{
  gpointer scratch = allocate (ghlo_cpu_convolution_scratch_size (convolution));
  g_autoptr (GError) error = NULL;

  ghlo_cpu_convolution_run (convolution, self->lhs.data, rhs, NULL, self->result.data, scratch, epilogue_data, NULL,
                            &error);
  g_assert_no_error (error);
  g_aligned_free (scratch);
}

/* Runs the case, also with a constant kernel where that is packed. */
static char *
check_case (Case *self)
{
  g_autoptr (GhloCpuConvolution) convolution = prepare (self, FALSE, NULL), packed = prepare (self, TRUE, NULL);
  char *how = g_strdup (ghlo_cpu_convolution_describe (convolution));

  g_assert_cmpuint (ghlo_cpu_convolution_packed_size (convolution), ==, 0);
  run (self, convolution, self->rhs.data, NULL);
  check_result (self, how, 0);
  if (ghlo_cpu_convolution_packed_size (packed) > 0)
    {
      g_autofree guint8 *first = g_memdup2 (self->result.memory, self->result.n_bytes);

      memset (self->result.memory, UNTOUCHED, self->result.n_bytes);
      g_assert_true (g_str_has_suffix (ghlo_cpu_convolution_describe (packed), "kernel reordered"));
      run (self, packed, NULL, NULL);
      g_assert_cmpmem (first, self->result.n_bytes, self->result.memory, self->result.n_bytes);
    }

  return how;
}

static gint64
pick (gint64 low,
      gint64 high)
{
  return g_test_rand_int_range ((gint) low, (gint) high + 1);
}

static void
random_window (Window *w,
               guint   n_spatial)
{
  gint64 largest = n_spatial == 3 ? 4 : n_spatial == 2 ? 8 : 15;
  gint64 groups = pick (0, 3) == 0 ? pick (2, 3) : 1;

  *w = (Window) { .n_spatial = n_spatial, .feature_groups = 1, .batch_groups = 1 };
  if (pick (0, 1))
    w->feature_groups = groups;
  else
    w->batch_groups = groups;
  w->batch = w->batch_groups * pick (pick (0, 9) == 0 ? 0 : 1, 3);
  w->features = w->feature_groups * pick (pick (0, 9) == 0 ? 0 : 1, pick (0, 3) == 0 ? 20 : 4);
  w->output_features = groups * pick (1, pick (0, 3) == 0 ? 20 : 4);
  for (guint i = 0; i < n_spatial; i++)
    {
      w->input[i] = pick (pick (0, 9) == 0 ? 0 : 1, largest);
      w->kernel[i] = pick (1, 4);
      w->step[i] = pick (0, 2) == 0 ? pick (2, 3) : 1;
      w->input_dilation[i] = pick (0, 3) == 0 ? pick (2, 3) : 1;
      w->kernel_dilation[i] = pick (0, 3) == 0 ? pick (2, 3) : 1;
      w->low[i] = pick (0, 1) ? pick (-2, 3) : 0;
      w->high[i] = pick (0, 1) ? pick (-2, 3) : 0;
      w->reversed[i] = pick (0, 4) == 0;
    }
}

static void
test_random (void)
{
  static const Types types[] = {
    SAME (F32), SAME (F32), SAME (F32), SAME (BF16), SAME (F16), SAME (F64), SAME (COMPLEX_F32), SAME (COMPLEX_F64),
    SAME (I8), SAME (I32), SAME (UI16), SAME (I64), SAME (I1), SAME (F8E5M2), MIXED (I8, I8, I32),
    MIXED (BF16, BF16, F32), MIXED (F8E4M3FN, F8E4M3FN, F32), MIXED (F32, F32, F64), MIXED (UI8, I8, I32),
  };

  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    for (guint i = 0; i < 120; i++)
      {
        g_auto (Case) c = { 0 };
        g_autofree char *how = NULL;
        gboolean shuffled = i % 2 == 0;

        random_window (&c.w, i % 4);
        case_init (&c, &types[t], shuffled, i % 3 == 0 ? TENSOR_PERMUTED | TENSOR_GAPS | TENSOR_REVERSED : 0);
        how = check_case (&c);
      }
}

typedef struct
{
  const char *name;
  Window      window;
  const char *how;            /* with oneDNN; a pattern */
} Row;

#define SQUARE(x) { x, x }
#define WINDOW(n, c, o, in, k, s, l, h, ld, rd, fg, bg) \
  { .n_spatial = 2, .batch = n, .features = c, .output_features = o, .feature_groups = fg, .batch_groups = bg, \
    .input = SQUARE (in), .kernel = SQUARE (k), .step = SQUARE (s), .low = SQUARE (l), .high = SQUARE (h), \
    .input_dilation = SQUARE (ld), .kernel_dilation = SQUARE (rd) }

/* Channels-last, as frameworks write them. */
static const Row rows[] = {
  { "plain", WINDOW (2, 16, 24, 14, 3, 1, 1, 1, 1, 1, 1, 1), "onednn*" },
  { "steps", WINDOW (1, 3, 16, 29, 7, 2, 3, 3, 1, 1, 1, 1), "onednn*" },
  { "rest", WINDOW (1, 16, 16, 28, 3, 2, 0, 1, 1, 1, 1, 1), "onednn*" },
  { "valid", WINDOW (1, 5, 7, 12, 5, 1, 0, 0, 1, 1, 1, 1), "lanes*" },
  { "one tap", WINDOW (2, 32, 16, 9, 1, 1, 0, 0, 1, 1, 1, 1), "windows by*" },
  { "one tap, steps", WINDOW (2, 32, 16, 9, 1, 2, 0, 0, 1, 1, 1, 1), "windows by*" },
  { "one tap, steps, rest", WINDOW (2, 32, 16, 9, 1, 3, 0, -1, 1, 1, 1, 1), NULL },
  { "one tap, steps, padding", WINDOW (1, 32, 16, 9, 1, 2, 0, 2, 1, 1, 1, 1), NULL },
  /* Kernels that several threads reorder. */
  { "large kernel", WINDOW (1, 256, 144, 5, 3, 1, 1, 1, 1, 1, 1, 1), "onednn*" },
  { "large kernel, steps", WINDOW (1, 512, 320, 4, 2, 2, 0, 0, 1, 1, 1, 1), "onednn*" },
  { "more weights than the rest", WINDOW (2, 256, 128, 4, 3, 1, 1, 1, 1, 1, 1, 1), "onednn*" },
  { "dilated kernel", WINDOW (1, 16, 16, 14, 3, 1, 2, 2, 1, 2, 1, 1), "onednn*" },
  { "depthwise", WINDOW (2, 32, 32, 14, 3, 1, 1, 1, 1, 1, 32, 1), "onednn*" },
  { "groups", WINDOW (1, 32, 64, 10, 3, 1, 1, 1, 1, 1, 2, 1), "onednn*" },
  { "wide padding", WINDOW (1, 4, 4, 6, 3, 1, 2, 2, 1, 1, 1, 1), NULL },
  { "padding beyond", WINDOW (1, 4, 4, 6, 2, 1, 5, 5, 1, 1, 1, 1), NULL },
  /* Taps that meet padding only. */
  { "one tap of many", WINDOW (2, 16, 24, 2, 7, 2, 6, 6, 1, 2, 1, 1), NULL },
  { "some taps of many", WINDOW (2, 16, 24, 2, 5, 1, 4, 4, 1, 2, 1, 1), NULL },
  { "first taps", WINDOW (1, 4, 4, 3, 5, 1, 4, 0, 1, 1, 1, 1), NULL },
  { "last taps", WINDOW (1, 4, 4, 3, 5, 3, 0, 6, 1, 1, 1, 1), NULL },
  { "taps, depthwise", WINDOW (1, 32, 32, 1, 3, 1, 1, 1, 1, 1, 32, 1), NULL },
  { "cut", WINDOW (1, 8, 8, 12, 3, 1, -2, -3, 1, 1, 1, 1), NULL },
  /* Gradients for data: the result's gradient dilated by the stride, with padding. */
  { "data, step 1", WINDOW (2, 24, 16, 14, 3, 1, 1, 1, 1, 1, 1, 1), "onednn*" },
  { "data, step 2", WINDOW (2, 24, 16, 7, 3, 1, 1, 2, 2, 1, 1, 1), "onednn*data*" },
  { "data, step 2, valid", WINDOW (1, 16, 24, 12, 7, 1, 6, 7, 2, 1, 1, 1), "onednn*data*" },
  { "data, one tap", WINDOW (1, 16, 32, 7, 1, 1, 0, 1, 2, 1, 1, 1), NULL },
  { "data, depthwise", WINDOW (2, 32, 32, 7, 3, 1, 1, 2, 2, 1, 32, 1), "onednn*data*" },
  { "data, groups", WINDOW (2, 64, 32, 7, 3, 1, 1, 2, 2, 1, 2, 1), "onednn*data*" },
  /* Gradients for weights: images and features are exchanged, and the kernel is large. */
  { "weights", WINDOW (16, 4, 24, 14, 14, 1, 1, 1, 1, 1, 1, 1), "onednn*weights*" },
  { "weights, step 2", WINDOW (16, 4, 24, 15, 7, 1, 1, 1, 1, 2, 1, 1), "onednn*weights*" },
  { "weights, step 2, rest", WINDOW (3, 5, 8, 28, 11, 1, 0, -1, 1, 2, 1, 1), "onednn*weights*" },
  { "weights, depthwise", WINDOW (32, 4, 32, 14, 14, 1, 1, 1, 1, 1, 1, 32), "onednn*weights*" },
  { "weights, groups", WINDOW (32, 2, 64, 14, 14, 1, 1, 1, 1, 1, 1, 2), "onednn*weights*" },
};

/* Lanes of groups with several features each, some of them in rows that are a power of two apart, and pairs of taps of
 * bytes: in any dimension, with a last one alone, over phases, and of a group's features. How they are computed depends
 * on the registers; it is as expected where they have 32 bytes. */
static const Row lane_rows[] = {
  { "two features a group", WINDOW (2, 40, 80, 9, 3, 1, 1, 1, 1, 2, 40, 1), "lanes of groups*" },
  { "three features a group", WINDOW (1, 64, 192, 6, 3, 2, 1, 1, 1, 1, 64, 1), "lanes of groups*" },
  { "few positions", WINDOW (1, 128, 256, 3, 3, 1, 0, 0, 1, 1, 128, 1), "lanes of groups*" },
  { "powers of two", WINDOW (2, 128, 128, 12, 5, 1, 2, 2, 1, 1, 128, 1), "lanes of groups*" },
  { "even taps", WINDOW (1, 3, 2, 31, 4, 1, 1, 1, 1, 1, 1, 1), "lanes of positions*" },
  { "phases", WINDOW (1, 3, 2, 31, 5, 2, 1, 1, 1, 1, 1, 1), "lanes of positions*" },
  { "phases, dilated", WINDOW (1, 3, 2, 35, 5, 3, 1, 1, 1, 2, 1, 1), "lanes of positions*" },
  { "features", WINDOW (1, 16, 2, 24, 3, 1, 1, 1, 1, 1, 1, 1), "lanes of positions*" },
  /* Blocks that are written together: all of one feature, of two features, and all but one of four. */
  { "joined, one feature", WINDOW (1, 6, 6, 33, 3, 1, 1, 1, 1, 1, 6, 1), "lanes*" },
  { "joined, two features", WINDOW (2, 4, 8, 40, 3, 1, 1, 1, 1, 2, 4, 1), "lanes*" },
  { "joined, four features", WINDOW (1, 10, 20, 33, 3, 1, 1, 1, 1, 1, 5, 1), "lanes*" },
};

static void
test_lanes (void)
{
  static const Types types[] = { MIXED (I8, I8, I32), MIXED (UI8, I8, I32), MIXED (I8, UI8, I32), SAME (I8), SAME (F64),
                                 SAME (I32) };

  for (guint i = 0; i < G_N_ELEMENTS (lane_rows); i++)
    for (guint t = 0; t < G_N_ELEMENTS (types); t++)
      {
        g_auto (Case) c = { .w = lane_rows[i].window };
        g_autofree char *how = NULL;

        case_init (&c, &types[t], FALSE, 0);
        how = check_case (&c);
        g_test_message ("%s, %s: %s", lane_rows[i].name, ghlo_element_type_to_string (types[t].lhs), how);
        if (t == 0 && ghlo_cpu_level () == GHLO_CPU_LEVEL_AVX2 && !g_pattern_match_simple (lane_rows[i].how, how))
          g_error ("%s: expected %s, found %s", lane_rows[i].name, lane_rows[i].how, how);
      }
}

/* In layouts that oneDNN accepts, in others, and with other narrow types. */
static void
test_frameworks (void)
{
  static const Types types[] = { SAME (F32), SAME (F32), SAME (BF16), SAME (F16), SAME (F64),
                                 MIXED (BF16, BF16, F32), MIXED (I8, I8, I32), MIXED (UI8, I8, I32) };
  gboolean all = ghlo_cpu_onednn_available () && ghlo_cpu_level () > GHLO_CPU_LEVEL_AVX2;

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    for (guint t = 0; t < G_N_ELEMENTS (types); t++)
      {
        g_auto (Case) c = { .w = rows[i].window };
        g_autofree char *how = NULL;

        case_init (&c, &types[t], t == 1, t == 1 ? TENSOR_PERMUTED | TENSOR_REVERSED : 0);
        how = check_case (&c);
        g_test_message ("%s, %s: %s", rows[i].name, ghlo_element_type_to_string (types[t].lhs), how);
        if (all && t == 0 && rows[i].how != NULL && !g_pattern_match_simple (rows[i].how, how))
          g_error ("%s: expected %s, found %s", rows[i].name, rows[i].how, how);
      }
}

UNSANITIZED static const GhloScalar *
scalar_at (const Tensor *scalars,
           const gint64 *index)
{
  return (gconstpointer) tensor_at (scalars, index);
}

/* The same sum including the zeros of padding, whose products with infinite or NaN weights are NaN. */
UNSANITIZED static double
special_at (const Case     *self,
            const Operands *operands,
            const gint64   *at)
{
  const GhloCpuConvolutionNumbers *n = &self->numbers;
  const Window *w = &self->w;
  gint64 feature = at[n->output_feature];
  gint64 group = feature / (w->output_features / MAX (w->feature_groups, w->batch_groups));
  gint64 group_features = w->features / w->feature_groups;
  gint64 lhs[MOST + 2], rhs[MOST + 2], tap[MOST] = { 0 };
  Tensor taps = { .rank = w->n_spatial };
  double sum = 0;

  memcpy (taps.dimensions, w->kernel, sizeof (w->kernel));
  lhs[n->input_batch] = at[n->output_batch] + (w->batch_groups > 1 ? group * (w->batch / w->batch_groups) : 0);
  rhs[n->kernel_output_feature] = feature;
  do
    {
      gboolean inside = TRUE;

      for (guint i = 0; i < w->n_spatial; i++)
        {
          gint64 place = at[n->output_spatial[i]] * w->step[i] + tap[i] * w->kernel_dilation[i] - w->low[i];

          inside &= place >= 0 && place % w->input_dilation[i] == 0 && place / w->input_dilation[i] < w->input[i];
          lhs[n->input_spatial[i]] = place / w->input_dilation[i];
          rhs[n->kernel_spatial[i]] = w->reversed[i] ? w->kernel[i] - 1 - tap[i] : tap[i];
        }
      for (gint64 f = 0; f < group_features; f++)
        {
          lhs[n->input_feature] = f + (w->feature_groups > 1 ? group * group_features : 0);
          rhs[n->kernel_input_feature] = f;
          sum += (inside ? scalar_at (&operands->lhs, lhs)->f : 0) * scalar_at (&operands->rhs, rhs)->f;
        }
    }
  while (tensor_next (&taps, tap));

  return sum;
}

/* Makes one in @every elements infinite or NaN. */
static void
add_specials (Tensor *tensor,
              gint    every)
{
  static const double specials[] = { INFINITY, -INFINITY, NAN };
  gint64 index[MOST + 2] = { 0 };

  do
    if (g_test_rand_int_range (0, every) == 0)
      ghlo_element_store (tensor->type, tensor_at (tensor, index), (GhloScalar) { .f = specials[pick (0, 2)] });
  while (tensor_next (tensor, index));
}

/* An epilogue that hides infinities. */
static void
bound (gpointer            data,
       const GhloCpuPanel *panel)
{
  const Case *c = data;

  for (gint64 i = 0; i < panel->n_rows; i++)
    for (gint64 j = 0; j < panel->n_columns; j++)
      {
        guint8 *at = panel->data + i * panel->row_stride + j * panel->column_stride;
        GhloScalar scalar = ghlo_element_load (c->result.type, at);

        if (!isnan (scalar.f))
          ghlo_element_store (c->result.type, at, (GhloScalar) { .f = CLAMP (scalar.f, -6, 6) });
      }
}

static void
check_special (const Case *c,
               gboolean    is_bound,
               const char *how)
{
  g_auto (Operands) operands = operands_read (c);
  gint64 index[MOST + 2] = { 0 };

  do
    {
      double expected = special_at (c, &operands, index), found = tensor_get (&c->result, index).f;

      if (is_bound && isinf (expected))
        expected = expected > 0 ? 6 : -6;

      if (isnan (expected) ? !isnan (found) : isinf (expected) ? found != expected : !isfinite (found))
        {
          g_autofree char *what = describe (c);

          g_error ("%s: %s: expected %g, found %g at %d %d %d %d", how, what, expected, found, (int) index[0],
                   (int) index[1], (int) index[2], (int) index[3]);
        }
    }
  while (tensor_next (&c->result, index));
}

/* Non-finite numbers, mainly in the kernel: padding takes part in the products. */
static void
test_not_finite (void)
{
  static const Types types[] = { SAME (F32), SAME (F32), SAME (BF16), SAME (F16), SAME (F64) };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    for (guint t = 0; t < 2 * G_N_ELEMENTS (types); t++)
      {
        g_auto (Case) c = { .w = rows[i].window };
        g_autoptr (GhloCpuConvolution) convolution = NULL;
        gboolean is_bound = g_test_rand_bit ();

        case_init (&c, &types[t / 2], t / 2 == 1, t / 2 == 1 ? TENSOR_PERMUTED | TENSOR_GAPS | TENSOR_REVERSED : 0);
        add_specials (&c.rhs, t % 2 == 0 ? 2000 : 100);
        if (t % 2 == 1)
          add_specials (&c.lhs, 2000);
        convolution = prepare (&c, FALSE, is_bound ? bound : NULL);
        run (&c, convolution, c.rhs.data, &c);
        assert_untouched (&c.result);
        check_special (&c, is_bound, ghlo_cpu_convolution_describe (convolution));
      }
}

/* Large enough to be split into pieces of images and of rows; weights are split into pieces of features. */
static void
test_pieces (void)
{
  static const Row large[] = {
    { "rows", WINDOW (1, 64, 64, 40, 3, 1, 1, 1, 1, 1, 1, 1), "onednn*" },
    { "rows, steps", WINDOW (1, 3, 64, 99, 7, 2, 3, 2, 1, 1, 1, 1), "onednn*" },
    { "rows, dilated", WINDOW (1, 32, 64, 45, 3, 1, 2, 2, 1, 2, 1, 1), "onednn*" },
    { "rows, far padding", WINDOW (1, 64, 64, 31, 9, 1, 8, 8, 1, 1, 1, 1), NULL },
    { "images", WINDOW (7, 32, 32, 28, 3, 1, 1, 1, 1, 1, 1, 1), "onednn*" },
    { "depthwise", WINDOW (3, 96, 96, 56, 3, 1, 1, 1, 1, 1, 96, 1), "onednn*" },
    { "data, rows", WINDOW (1, 64, 64, 28, 3, 1, 1, 2, 2, 1, 1, 1), "onednn*data*" },
    { "data, rows, one tap", WINDOW (1, 64, 128, 40, 1, 1, 0, 1, 2, 1, 1, 1), NULL },
    { "data, rows, step 3", WINDOW (1, 64, 64, 21, 5, 1, 3, 4, 3, 1, 1, 1), "onednn*data*" },
    { "data, images", WINDOW (5, 64, 32, 14, 3, 1, 1, 2, 2, 1, 1, 1), "onednn*data*" },
    { "weights, rows", WINDOW (64, 1, 64, 40, 40, 1, 1, 1, 1, 1, 1, 1), "onednn*weights*" },
    { "weights, images", WINDOW (64, 6, 64, 15, 7, 1, 1, 1, 1, 2, 1, 1), "onednn*weights*" },
    /* So many weights that their reorder is split as well, with a smaller last part. */
    { "many weights", WINDOW (1, 64, 200, 6, 3, 1, 1, 1, 1, 1, 1, 1), "onednn*" },
    { "more weights", WINDOW (1, 96, 600, 6, 3, 1, 1, 1, 1, 1, 1, 1), "onednn*" },
    { "blocks of features", WINDOW (1, 256, 512, 7, 3, 1, 1, 1, 1, 1, 1, 1), "onednn*blocks of features" },
    { "blocks of features, steps", WINDOW (2, 512, 768, 9, 2, 2, 0, 0, 1, 1, 1, 1), "onednn*blocks of features" },
    { "data, many weights", WINDOW (1, 200, 64, 4, 3, 1, 1, 2, 2, 1, 1, 1), "onednn*data*" },
    /* Few features: blocks of groups, and of images, that have a copy each. */
    { "blocks of groups", WINDOW (1, 74, 111, 30, 3, 2, 1, 1, 1, 1, 37, 1), NULL },
    { "blocks of many outputs", WINDOW (1, 80, 200, 21, 3, 1, 1, 1, 1, 1, 40, 1), NULL },
    { "blocks of images", WINDOW (6, 24, 2, 40, 3, 1, 1, 1, 1, 1, 1, 1), NULL },
    { "blocks of images, groups", WINDOW (5, 64, 128, 23, 3, 2, 2, 2, 1, 2, 64, 1), NULL },
    /* Few features of many, which are adjacent. */
    { "few features of many", WINDOW (2, 256, 2, 24, 3, 2, 1, 1, 1, 1, 1, 1), "onednn*" },
    { "weights, many", WINDOW (64, 2, 200, 9, 9, 1, 1, 1, 1, 1, 1, 1), "onednn*weights*" },
  };
  static const Types types[] = { SAME (F32), SAME (F32), SAME (BF16) };
  gboolean all = ghlo_cpu_onednn_available () && ghlo_cpu_level () > GHLO_CPU_LEVEL_AVX2;

  for (guint i = 0; i < G_N_ELEMENTS (large); i++)
    for (guint t = 0; t < G_N_ELEMENTS (types); t++)
      {
        g_auto (Case) c = { .w = large[i].window };
        g_autoptr (GhloCpuConvolution) convolution = NULL;
        const char *how;

        case_init (&c, &types[t], t == 1, t == 1 ? TENSOR_PERMUTED : 0);
        convolution = prepare (&c, FALSE, NULL);
        how = ghlo_cpu_convolution_describe (convolution);
        run (&c, convolution, c.rhs.data, NULL);
        check_some (&c, how);
        g_test_message ("%s, %s: %s", large[i].name, ghlo_element_type_to_string (types[t].lhs), how);
        if (all && t == 0 && large[i].how != NULL && !g_pattern_match_simple (large[i].how, how))
          g_error ("%s: expected %s, found %s", large[i].name, large[i].how, how);
      }
}

/* Other numbers of spatial dimensions. */
static void
test_dimensions (void)
{
  for (guint n = 1; n <= 3; n++)
    for (guint dilated = 0; dilated < 2; dilated++)
      {
        g_auto (Case) c = { 0 };
        g_autofree char *how = NULL;
        Window *w = &c.w;

        *w = (Window) { .n_spatial = n, .batch = 2, .features = 16, .output_features = 8, .feature_groups = 1,
                        .batch_groups = 1 };
        for (guint i = 0; i < n; i++)
          {
            w->input[i] = 9 + i;
            w->kernel[i] = 3;
            w->step[i] = dilated ? 1 : 2;
            w->low[i] = w->high[i] = 1;
            w->input_dilation[i] = dilated ? 2 : 1;
            w->kernel_dilation[i] = 1;
          }
        case_init (&c, &(Types) SAME (F32), FALSE, 0);
        how = check_case (&c);
        g_test_message ("%u dimensions: %s", n, how);
      }
}

/* Windows that an algorithm declines when it has begun, and none takes. */
static void
test_too_large (void)
{
  static const gint64 far = (gint64) 1 << 62, beyond = ((gint64) 1 << 32) + 1;
  const Window windows[] = {
    { 1, 1, 1, 1, 1, 1, { 1 }, { 1 }, { 2 }, { far }, { far }, { 0 }, { 1 }, { 1 } },
    { 1, 1, 64, 64, 1, 1, { 64 }, { 3 }, { 64 }, { beyond }, { 0 }, { 2 }, { beyond }, { 1 } },
  };
  static const Types types[] = { SAME (F32), SAME (BF16), SAME (COMPLEX_F32), MIXED (F32, I32, F32) };

  for (guint i = 0; i < G_N_ELEMENTS (windows); i++)
    for (guint t = 0; t < G_N_ELEMENTS (types); t++)
      {
        g_auto (Case) c = { .w = windows[i] };
        g_autoptr (GhloCpuConvolution) convolution = NULL;
        g_autoptr (GError) error = NULL;
        GhloView lhs, rhs, result;

        case_init (&c, &types[t], FALSE, 0);
        lhs = view_of (&c.lhs);
        rhs = view_of (&c.rhs);
        result = view_of (&c.result);
        convolution = ghlo_cpu_convolution_choose (&c.numbers, &lhs, &rhs, &result, NULL, &error);
        g_assert_null (convolution);
        g_assert_nonnull (error);
      }
}

typedef struct
{
  const Case *c;
  gint       *seen;     /* for each four bytes of the result's memory, the number of visits */
} Seen;

static void
see (gpointer            data,
     const GhloCpuPanel *panel)
{
  const Seen *seen = data;

  for (gint64 i = 0; i < panel->n_rows; i++)
    for (gint64 j = 0; j < panel->n_columns; j++)
      {
        guint8 *at = panel->data + i * panel->row_stride + j * panel->column_stride;

        g_atomic_int_inc (&seen->seen[(at - seen->c->result.memory) / 4]);
        *(float *) (gpointer) at += 100;
      }
}

/* Every element is passed to the epilogue once, when it is complete. */
static void
test_epilogue (void)
{
  for (guint i = 0; i < 2 * G_N_ELEMENTS (rows); i++)
    {
      g_auto (Case) c = { .w = rows[i / 2].window };
      g_autoptr (GhloCpuConvolution) convolution = NULL;
      g_autofree gint *counts = NULL;
      Seen seen = { .c = &c };
      gint64 index[MOST + 2] = { 0 };

      case_init (&c, &(Types) SAME (F32), i % 2 == 1, i % 2 == 1 ? TENSOR_PERMUTED | TENSOR_GAPS : 0);
      seen.seen = counts = g_new0 (gint, c.result.n_bytes / 4);
      convolution = prepare (&c, FALSE, see);
      run (&c, convolution, c.rhs.data, &seen);
      do
        g_assert_cmpint (counts[(tensor_at (&c.result, index) - c.result.memory) / 4], ==, 1);
      while (tensor_next (&c.result, index));
      check_result (&c, ghlo_cpu_convolution_describe (convolution), 100);
    }
}

typedef struct
{
  const GhloCpuConvolution *convolution;
  const Case               *c;
  guint8                   *result;
} Runner;

static gpointer
run_often (gpointer data)
{
  const Runner *runner = data;
  gpointer scratch = allocate (ghlo_cpu_convolution_scratch_size (runner->convolution));

  for (guint i = 0; i < 5; i++)
    g_assert_true (ghlo_cpu_convolution_run (runner->convolution, runner->c->lhs.data, runner->c->rhs.data, NULL,
                                             runner->result, scratch, NULL, NULL, NULL));
  g_aligned_free (scratch);

  return NULL;
}

/* Eight threads concurrently run a convolution that another thread prepared. */
static void
test_threads (void)
{
  for (guint row = 0; row < G_N_ELEMENTS (rows); row++)
    {
      g_auto (Case) c = { .w = rows[row].window };
      g_autoptr (GhloCpuConvolution) convolution = NULL;
      Runner runners[8];
      GThread *threads[8];

      case_init (&c, &(Types) SAME (F32), FALSE, 0);
      convolution = prepare (&c, FALSE, NULL);
      for (guint i = 0; i < 8; i++)
        {
          runners[i] = (Runner) { convolution, &c, g_malloc (c.result.n_bytes) };
          threads[i] = g_thread_new ("run", run_often, &runners[i]);
        }
      for (guint i = 0; i < 8; i++)
        {
          g_thread_join (threads[i]);
          g_assert_cmpmem (runners[i].result, c.result.n_bytes, runners[0].result, c.result.n_bytes);
          if (i > 0)
            g_free (runners[i].result);
        }
      g_free (runners[0].result);
    }
}

static void
test_cancel (void)
{
  for (guint row = 0; row < G_N_ELEMENTS (rows); row++)
    {
      g_auto (Case) c = { .w = rows[row].window };
      g_autoptr (GhloCpuConvolution) convolution = NULL;
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      g_autoptr (GError) error = NULL;
      GhloMonitor monitor = { .cancellable = cancellable };
      gpointer scratch;

      case_init (&c, &(Types) SAME (F32), FALSE, 0);
      convolution = prepare (&c, FALSE, NULL);
      scratch = allocate (ghlo_cpu_convolution_scratch_size (convolution));
      g_cancellable_cancel (cancellable);
      g_assert_false (ghlo_cpu_convolution_run (convolution, c.lhs.data, c.rhs.data, NULL, c.result.data, scratch,
                                                NULL, &monitor, &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      g_aligned_free (scratch);
    }
}

/* Copies of tensors into other layouts and types. */
static void
test_copy (void)
{
  static const Types types[] = {
    SAME (F32), SAME (F64), SAME (I8), SAME (BF16), SAME (COMPLEX_F64), MIXED (BF16, INVALID, F32),
    MIXED (F32, INVALID, BF16), MIXED (F8E5M2, INVALID, F32), MIXED (F32, INVALID, F16),
  };

  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    for (guint i = 0; i < 60; i++)
      {
        g_auto (Tensor) from = { 0 }, to = { 0 };
        gint64 dimensions[4], index[8] = { 0 };
        guint rank = (guint) pick (0, 4);
        GhloCpuCopy copy;

        for (guint d = 0; d < rank; d++)
          dimensions[d] = pick (0, 30) == 0 ? 0 : pick (1, d < 2 ? 9 : i % 5 == 0 ? 80 : 9);
        tensor_init (&from, types[t].lhs, rank, dimensions,
                     TENSOR_PERMUTED | (i % 2 ? TENSOR_GAPS | TENSOR_REVERSED : 0));
        tensor_init (&to, types[t].result, rank, dimensions, TENSOR_PERMUTED | (i % 2 ? TENSOR_GAPS : 0));
        tensor_fill (&from);
        g_assert_true (ghlo_cpu_copy_init (&copy, rank, dimensions, from.type, from.strides, to.type, to.strides));
        g_assert_true (ghlo_cpu_copy_run (&copy, from.data, to.data, NULL));
        assert_untouched (&to);
        if (tensor_count (&from) > 0)
          do
            g_assert_true (ghlo_scalar_equal (to.type, ghlo_element_round (to.type, tensor_get (&from, index)),
                                              tensor_get (&to, index)));
          while (tensor_next (&from, index));
      }
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  /* Several threads on any machine, so that work is split. */
  g_setenv ("GHLO_THREADS", "4", FALSE);

  g_test_add_func ("/cpu-convolution/random", test_random);
  g_test_add_func ("/cpu-convolution/frameworks", test_frameworks);
  g_test_add_func ("/cpu-convolution/lanes", test_lanes);
  g_test_add_func ("/cpu-convolution/not-finite", test_not_finite);
  g_test_add_func ("/cpu-convolution/pieces", test_pieces);
  g_test_add_func ("/cpu-convolution/dimensions", test_dimensions);
  g_test_add_func ("/cpu-convolution/too-large", test_too_large);
  g_test_add_func ("/cpu-convolution/epilogue", test_epilogue);
  g_test_add_func ("/cpu-convolution/threads", test_threads);
  g_test_add_func ("/cpu-convolution/cancel", test_cancel);
  g_test_add_func ("/cpu-convolution/copy", test_copy);

  return g_test_run ();
}
