/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Convolutions by oneDNN: forward ones directly, those with a dilated input as gradients for data, and those whose
 * kernel is larger than their result as gradients for weights. Tensors that are not channels-last, or of another
 * type, are copied. The work is cut into parts of images and rows, each of which is a convolution of its own.
 * Gradients for weights are summed over the parts.
 */

#include "base/sizes.h"
#include "cpu/convolution/library-private.h"

#include <string.h>

#include "cpu/isa/level.h"
#include "runtime/parallel.h"

/* Fewest nanoseconds of a part, and those of one where there are some and many parts already. */
#define MIN_PART    10e3
#define SHARED_PART 60e3
#define LARGE_PART  2e6
/* Most nanoseconds of a part, which cannot be interrupted. */
#define MAX_PART    15e6
/* The speed, relative to f32, of convolutions of any type with one input feature a group (depthwise ones): adjacent
 * products are not of the same sum. */
#define DEPTHWISE_SPEED 0.6
/* Approximate nanoseconds of calls for a convolution, the reorder of its weights included. */
#define CALL_TIME  4e3
/* Where a convolution without groups, or with depthwise ones, takes so many times as long as its operations, or more,
 * its estimate is off by up to NARROW_DOUBT, and so is that of its calls where there are no groups. */
#define NARROW       4.0
#define NARROW_DOUBT 3.0
/* What a copy takes of its own estimate, which is that of large tensors. */
#define ADJACENT_SHARE   0.2
#define TRANSPOSED_SHARE 0.5
#define CONVERTED_SHARE  2.0
/* Nanoseconds for each weight that a part adds to the sum of gradients. */
#define SUM_TIME   5.0

/* FEW_PARTS are shared evenly enough by two threads, SOME_PARTS by eight; MANY_PARTS are enough for any number of them.
 * MAX_SUMS is the most for a gradient for weights, where each part has to be summed. */
enum { FEW_PARTS = 6, SOME_PARTS = 16, MANY_PARTS = 32, MAX_SUMS = 8 };

/* Fewest bytes of weights in a reorder of its own; the number of features of each is a multiple of FEATURES, so that
 * oneDNN's blocks are not cut. */
enum { MIN_REORDER = 1 << 17, FEATURES = 64 };

/* Groups of one byte each that fill a register, and registers of sums in a row up to which fewer take as long. */
enum { BYTE_GROUPS = 16, FEW_SUMS = 6 };

/* Features are cut where the weights have this many bytes, which do not stay in a core's caches, and are this many
 * times as large as the source and the result together. */
#define MIN_WEIGHTS      (256.0 * 1024.0)
#define WEIGHTS_PER_REST 2.0

typedef GhloCpuConvolutionPart Part;
typedef GhloCpuConvolutionTensor Tensor;
typedef GhloCpuConvolutionState State;

void
ghlo_cpu_convolution_state_free (gpointer data)
{
  State *self = data;

  for (gsize i = 0; i < self->n_parts; i++)
    g_clear_pointer (&self->parts[i].primitive, ghlo_cpu_primitive_unref);
  for (gsize i = 0; i < self->n_reorders; i++)
    g_clear_pointer (&self->reorders[i], ghlo_cpu_primitive_unref);
  g_free (self->parts);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (State, ghlo_cpu_convolution_state_free)

static gboolean
is_narrow_float (GhloElementType type)
{
  return ghlo_element_type_is_float (type) && ghlo_element_info (type)->bits <= 32;
}

/* Whether the kernel has more taps than the (forward) result has positions. */
static gboolean
has_large_kernel (const GhloCpuWindows *w)
{
  double taps = 1, positions = 1;

  for (guint i = 0; i < w->n_spatial; i++)
    {
      taps *= (double) w->spatial[i].kernel;
      positions *= (double) w->spatial[i].output;
    }

  return taps > positions;
}

static gboolean
is_dilated (const GhloCpuWindows *w)
{
  for (guint i = 0; i < w->n_spatial; i++)
    if (w->spatial[i].input_dilation > 1)
      return TRUE;

  return FALSE;
}

static gboolean
has_steps (const GhloCpuWindows *w)
{
  for (guint i = 0; i < w->n_spatial; i++)
    if (w->spatial[i].step > 1)
      return TRUE;

  return FALSE;
}

/* A single tap, no stride and no padding: a matrix product, for which the weights need no reordering. */
static gboolean
is_product (const GhloCpuWindows *w)
{
  for (guint i = 0; i < w->n_spatial; i++)
    if (w->spatial[i].kernel != 1 || w->spatial[i].step != 1 || w->spatial[i].low != 0
        || w->spatial[i].input != w->spatial[i].output)
      return FALSE;

  return w->feature_groups == 1 && w->batch_groups == 1 && w->lhs_type == GHLO_ELEMENT_TYPE_F32;
}

/* Finds the direction in oneDNN's terms; FALSE where there is none. */
static gboolean
find_direction (const GhloCpuWindows    *w,
                GhloCpuConvolutionShape *shape)
{
  if (w->n_spatial < 1 || w->n_spatial > GHLO_CPU_MAX_SPATIAL || is_product (w))
    return FALSE;
  shape->direction = GHLO_CPU_FORWARD;
  if (ghlo_element_type_is_integer (shape->source_type))
    return !is_dilated (w) && w->batch_groups == 1;
  if (is_dilated (w))
    {
      if (has_steps (w) || w->batch_groups > 1)
        return FALSE;
      shape->direction = GHLO_CPU_BACKWARD_DATA;
    }
  else if (has_large_kernel (w) && !has_steps (w) && w->feature_groups == 1)
    shape->direction = GHLO_CPU_BACKWARD_WEIGHTS;
  else if (w->batch_groups > 1)
    return FALSE;

  return TRUE;
}

/* Sets the types in which oneDNN computes: @type for floats. FALSE where it has none for the convolution's. */
static gboolean
find_types (const GhloCpuWindows    *w,
            GhloElementType          type,
            GhloCpuConvolutionShape *shape)
{
  if (is_narrow_float (w->lhs_type) && is_narrow_float (w->rhs_type) && is_narrow_float (w->result_type))
    {
      shape->source_type = shape->weights_type = shape->result_type = type;
      return type != GHLO_ELEMENT_TYPE_BF16
             || (w->lhs_type == type && w->rhs_type == type && w->result_type == type);
    }
  shape->source_type = ghlo_cpu_onednn_byte_type (w->lhs_type, FALSE);
  shape->weights_type = ghlo_cpu_onednn_byte_type (w->rhs_type, TRUE);
  shape->result_type = GHLO_ELEMENT_TYPE_I32;

  return type == GHLO_ELEMENT_TYPE_I8 && shape->source_type != GHLO_ELEMENT_TYPE_INVALID
         && shape->weights_type != GHLO_ELEMENT_TYPE_INVALID
         && (w->result_type == GHLO_ELEMENT_TYPE_I32 || w->result_type == GHLO_ELEMENT_TYPE_UI32);
}

/* The time of a tensor's copy, which is faster where elements are adjacent in both. */
static double
find_copy_time (const Tensor *self)
{
  const GhloCpuCopy *copy = &self->copy;
  const guint last = MAX (copy->rank, 1) - 1;

  if (!self->copies)
    return 0;
  if (copy->from[last] == (gint64) copy->from_unit && copy->to[last] == (gint64) copy->to_unit)
    return copy->nanoseconds * ADJACENT_SHARE;

  return copy->nanoseconds * (copy->reader.size != 0 ? CONVERTED_SHARE : TRANSPOSED_SHARE);
}

/* Translates the convolution to oneDNN's terms. */
static gboolean
find_shape (const GhloCpuWindows    *w,
            GhloElementType          type,
            GhloCpuConvolutionShape *shape)
{
  memset (shape, 0, sizeof (*shape));
  if (!find_types (w, type, shape) || !find_direction (w, shape)
      || (type == GHLO_ELEMENT_TYPE_BF16 && shape->direction != GHLO_CPU_FORWARD))
    return FALSE;
  shape->n_spatial = w->n_spatial;
  shape->images = shape->direction == GHLO_CPU_BACKWARD_WEIGHTS ? w->features : w->batch;
  shape->groups = MAX (w->feature_groups, w->batch_groups);
  shape->source_features = shape->direction == GHLO_CPU_BACKWARD_DATA ? w->output_features
                           : shape->direction == GHLO_CPU_BACKWARD_WEIGHTS ? w->batch : w->features;
  shape->result_features = shape->direction == GHLO_CPU_BACKWARD_DATA ? w->features : w->output_features;
  /* Dot products of bf16 take two features. An odd one is copied with a zero. */
  if (type == GHLO_ELEMENT_TYPE_BF16 && shape->groups == 1)
    shape->source_features = ghlo_round_up (shape->source_features, 2);
  for (guint i = 0; i < w->n_spatial; i++)
    {
      const GhloCpuSpatial *s = &w->spatial[i];
      gboolean is_data = shape->direction == GHLO_CPU_BACKWARD_DATA;
      gboolean is_weights = shape->direction == GHLO_CPU_BACKWARD_WEIGHTS;

      shape->source[i] = is_data ? s->output : s->input;
      shape->kernel[i] = is_weights ? s->output : s->kernel;
      shape->result[i] = is_data ? s->input : is_weights ? s->kernel : s->output;
      shape->strides[i] = is_data ? s->input_dilation : is_weights ? s->kernel_dilation : s->step;
      shape->dilation[i] = is_weights ? s->step : s->kernel_dilation;
      shape->low[i] = is_data ? (s->kernel - 1) * s->kernel_dilation - s->low : s->low;
      if (MIN (MIN (shape->source[i], shape->kernel[i]), shape->result[i]) < 1
          || MAX (MAX (shape->source[i], shape->kernel[i]), shape->result[i]) > G_MAXINT16 * 64
          || !ghlo_cpu_onednn_fits (shape->strides[i]) || !ghlo_cpu_onednn_fits (shape->dilation[i])
          || !ghlo_cpu_onednn_fits (shape->low[i]) || shape->low[i] > (shape->kernel[i] - 1) * shape->dilation[i])
        return FALSE;
    }

  return MIN (shape->images, shape->source_features) > 0 && shape->result_features > 0;
}

void
ghlo_cpu_convolution_find_dense (const GhloCpuConvolutionShape *shape,
                                 gint64                         features,
                                 const gint64                  *spatial,
                                 gint64                         size,
                                 gint64                        *strides)
{
  strides[1] = size;
  size *= features;
  for (guint i = shape->n_spatial; i > 0; i--)
    {
      strides[1 + i] = size;
      size *= spatial[i - 1];
    }
  strides[0] = size;
}

/* Elements that oneDNN reads or writes as @own, where the tensor has @type, need no copy. */
static gboolean
is_same_type (GhloElementType type,
              GhloElementType own)
{
  return type == own || (own == GHLO_ELEMENT_TYPE_I32 && type == GHLO_ELEMENT_TYPE_UI32)
         || ghlo_cpu_onednn_byte_type (type, FALSE) == own;
}

/* @strides are those of the tensor's images, features and positions; @own is its type in oneDNN's terms, which may have
 * @room for more features, which are zeros. @into: the tensor is a result. */
static gboolean
tensor_init (Tensor                        *self,
             const GhloCpuConvolutionShape *shape,
             GhloElementType                own,
             GhloElementType                type,
             gint64                         features,
             gint64                         room,
             const gint64                  *spatial,
             const gint64                  *strides,
             gboolean                       into,
             gsize                         *scratch)
{
  gint64 sizes[2 + GHLO_CPU_MAX_SPATIAL] = { shape->images, features }, dense[2 + GHLO_CPU_MAX_SPATIAL];
  gsize size = ghlo_element_info (own)->size;
  guint rank = 2 + shape->n_spatial;

  memcpy (sizes + 2, spatial, shape->n_spatial * sizeof (gint64));
  ghlo_cpu_convolution_find_dense (shape, room, spatial, (gint64) size, dense);
  self->has_zeros = room != features;
  self->copies = !is_same_type (type, own) || self->has_zeros;
  for (guint i = 0; i < rank; i++)
    {
      self->copies |= sizes[i] != 1 && strides[i] != dense[i];
      if (!ghlo_size_mul (&size, size, (gsize) (i == 1 ? room : sizes[i])) || size > GHLO_MAX_TENSOR_BYTES)
        return FALSE;
    }
  if (!self->copies)
    return TRUE;
  self->at = *scratch;
  self->size = ghlo_size_align (size);
  *scratch += self->size;

  /* Small integers are copied as they are. */
  if (is_same_type (type, own))
    own = type;

  return into ? ghlo_cpu_copy_init (&self->copy, rank, sizes, own, dense, type, strides)
              : ghlo_cpu_copy_init (&self->copy, rank, sizes, type, strides, own, dense);
}

/* Strides of the convolution's operands and result in bytes, by the role that each has in oneDNN. */
typedef struct
{
  gint64 source[2 + GHLO_CPU_MAX_SPATIAL], result[2 + GHLO_CPU_MAX_SPATIAL];     /* image, feature, positions */
  gint64 weights[3 + GHLO_CPU_MAX_SPATIAL];                                      /* group, out, in, taps */
} Strides;

static void
find_strides (const GhloCpuWindows          *w,
              const GhloCpuConvolutionShape *shape,
              Strides                       *strides)
{
  gint64 features = w->output_features / shape->groups;

  switch (shape->direction)
    {
    case GHLO_CPU_FORWARD:
      *strides = (Strides) { { w->lhs_batch, w->lhs_feature }, { w->result_batch, w->result_feature },
                             { features * w->rhs_output, w->rhs_output, w->rhs_input } };
      break;
    case GHLO_CPU_BACKWARD_DATA:
      *strides = (Strides) { { w->result_batch, w->result_feature }, { w->lhs_batch, w->lhs_feature },
                             { features * w->rhs_output, w->rhs_input, w->rhs_output } };
      break;
    default:
      *strides = (Strides) { { w->lhs_feature, w->lhs_batch }, { w->rhs_input, w->rhs_output },
                             { features * w->result_feature, w->result_feature, w->result_batch } };
      break;
    }
  for (guint i = 0; i < w->n_spatial; i++)
    {
      const GhloCpuSpatial *s = &w->spatial[i];
      gboolean is_data = shape->direction == GHLO_CPU_BACKWARD_DATA;
      gboolean is_weights = shape->direction == GHLO_CPU_BACKWARD_WEIGHTS;

      strides->source[2 + i] = is_data ? s->result : s->lhs;
      strides->result[2 + i] = is_data ? s->lhs : is_weights ? s->rhs : s->result;
      /* The gradient for data uses the taps in reverse order. */
      strides->weights[3 + i] = is_data ? -s->rhs : is_weights ? s->result : s->rhs;
    }
}

/* Computes the shape of a part from its rows [@begin, @end) of the first spatial dimension, on the side that is cut,
 * and the first row of the other side that these meet. FALSE where they meet nothing. */
static gboolean
find_rows (const GhloCpuConvolutionShape *shape,
           gint64                         begin,
           gint64                         end,
           GhloCpuConvolutionShape       *part_shape,
           gint64                        *other)
{
  gint64 step = shape->strides[0], taps = (shape->kernel[0] - 1) * shape->dilation[0], low = shape->low[0];
  gint64 first, last;

  if (shape->direction == GHLO_CPU_BACKWARD_DATA)
    {
      /* Source row i meets result rows o with o * step + t * dilation - low = i. */
      first = begin + low - taps;
      first = first > 0 ? ghlo_ceil_div (first, step) : 0;
      last = MIN ((end - 1 + low) / step, shape->result[0] - 1);
      part_shape->low[0] = low + begin - first * step;
      part_shape->source[0] = end - begin;
      part_shape->result[0] = last - first + 1;
      *other = first;
      return last >= first;
    }
  first = begin * step - low;
  last = (end - 1) * step + taps - low;
  part_shape->low[0] = MAX (-first, 0);
  first = MAX (first, 0);
  last = MIN (last, shape->source[0] - 1);
  part_shape->source[0] = last - first + 1;
  part_shape->result[0] = end - begin;
  *other = first;

  return last >= first;
}

/* The convolution that gives one block of the result's features. */
static GhloCpuConvolutionShape
find_block (const State *state)
{
  GhloCpuConvolutionShape shape = state->shape;

  shape.result_features /= (gint64) state->n_blocks;

  return shape;
}

static gboolean
part_init (Part       *self,
           State      *state,
           gsize       block,
           gint64      image,
           gint64      n_images,
           gint64      row,
           gint64      n_rows,
           const Part *first)
{
  const GhloCpuConvolutionShape *shape = &state->shape;
  GhloCpuConvolutionShape part_shape = find_block (state);
  gboolean is_data = shape->direction == GHLO_CPU_BACKWARD_DATA;
  gint64 source[2 + GHLO_CPU_MAX_SPATIAL], result[2 + GHLO_CPU_MAX_SPATIAL], other;

  ghlo_cpu_convolution_find_dense (shape, shape->source_features, shape->source,
                                   ghlo_element_info (shape->source_type)->size, source);
  ghlo_cpu_convolution_find_dense (shape, shape->result_features, shape->result,
                                   ghlo_element_info (shape->result_type)->size, result);
  *self = (Part) { .image = image, .row = row, .n_images = n_images, .n_rows = n_rows, .block = block };
  part_shape.images = n_images;
  /* Parts of several images have all of their rows, since the rows of the next image follow. */
  if (n_images > 1)
    other = 0;
  else if (!find_rows (shape, row, row + n_rows, &part_shape, &other))
    {
      /* Only rows of the source can meet nothing; they are zero. */
      self->source = image * source[0] + row * source[2];
      return is_data && first != NULL;
    }
  self->source = image * source[0] + (is_data ? row : other) * source[2];
  self->result = image * result[0] + (is_data ? other : row) * result[2];
  self->primitive = ghlo_cpu_onednn_convolution (&part_shape, first != NULL ? first->primitive : NULL);
  if (self->primitive == NULL)
    return FALSE;
  state->own_size = MAX (state->own_size, ghlo_size_align (ghlo_cpu_primitive_scratch_size (self->primitive)));
  if (state->n_blocks > 1)
    state->block_size = MAX (state->block_size,
                             ghlo_size_align ((gsize) (n_images > 1 ? n_images * result[0] : n_rows * result[2])
                                              / state->n_blocks));

  return TRUE;
}

static double
count_operations (const GhloCpuConvolutionShape *shape)
{
  double n = 2.0 * (double) shape->images * (double) shape->source_features * (double) shape->result_features
             / (double) shape->groups;

  for (guint i = 0; i < shape->n_spatial; i++)
    n *= (double) shape->kernel[i] * (double) shape->result[i];

  return n;
}

/* Whether each group has one feature of the source. */
static gboolean
has_single_features (const GhloCpuConvolutionShape *shape)
{
  return shape->source_features == shape->groups;
}

/* How many times as long as its operations a convolution takes: features of the result fill whole registers, which
 * groups of one share, and the sums of few registers of a row wait for each other. */
static double
find_width (const GhloCpuConvolutionShape *shape)
{
  const gboolean is_depthwise = has_single_features (shape);
  const gint64 features = is_depthwise ? shape->result_features : shape->result_features / shape->groups;
  const gint64 lanes = (gint64) ghlo_cpu_routines ()->register_bytes / 4, n_registers = ghlo_ceil_div (features, lanes);
  const gint64 n_sums = is_depthwise || shape->direction != GHLO_CPU_FORWARD
                        ? FEW_SUMS : n_registers * shape->result[shape->n_spatial - 1];

  return (double) (n_registers * lanes) / (double) features * (double) FEW_SUMS / (double) MIN (n_sums, FEW_SUMS);
}

static double
count_weights (const GhloCpuConvolutionShape *shape)
{
  double n = (double) shape->source_features / (double) shape->groups * (double) shape->result_features;

  for (guint i = 0; i < shape->n_spatial; i++)
    n *= (double) shape->kernel[i];

  return n;
}

/* The number of parts worth sharing. It does not depend on the number of threads, because sums may depend on the size
 * of a part. */
static double
count_parts (const GhloCpuConvolutionShape *shape,
             double                         nanoseconds)
{
  const double some = CLAMP (nanoseconds / SHARED_PART, FEW_PARTS, SOME_PARTS);
  double most = CLAMP (nanoseconds / LARGE_PART, some, MANY_PARTS);

  if (shape->direction == GHLO_CPU_BACKWARD_WEIGHTS)
    most = CLAMP (nanoseconds / (SUM_TIME * count_weights (shape)), 2, MAX_SUMS);

  return MIN (nanoseconds / MIN_PART, most);
}

/* The bytes of the input, the weights and the result. */
static double
count_bytes (const GhloCpuConvolutionShape *shape,
             GhloElementType                type)
{
  double source = (double) shape->images * (double) shape->source_features;
  double result = (double) shape->images * (double) shape->result_features;

  for (guint i = 0; i < shape->n_spatial; i++)
    {
      source *= (double) shape->source[i];
      result *= (double) shape->result[i];
    }

  return (source + result + count_weights (shape)) * ghlo_element_info (type)->size;
}

/* Each part reads the weights of its features and the source of its positions. Where the weights are far more, as in
 * the last layers of a model for images, features are cut: into the fewest blocks, of whole multiples of FEATURES, that
 * are at least @parts, or into as many as there are. */
static gsize
count_blocks (const State *state,
              gint64       parts)
{
  const GhloCpuConvolutionShape *shape = &state->shape;
  const gint64 most = shape->result_features / FEATURES;
  const double weights = count_weights (shape) * ghlo_element_info (shape->weights_type)->size;
  gint64 n = MIN (parts, most);

  if (shape->direction != GHLO_CPU_FORWARD || shape->groups > 1 || shape->result_features % FEATURES != 0
      || state->result.copies || weights < MIN_WEIGHTS
      || weights < WEIGHTS_PER_REST * (count_bytes (shape, shape->source_type) - weights))
    return 1;
  while (most % n != 0)
    n++;

  return (gsize) MAX (n, 1);
}

/* Finds how many images make a part, into how many parts the rows of a single image are cut, and how many blocks there
 * are of each. */
static void
find_cut (State  *state,
          double  nanoseconds,
          gint64  all_rows,
          gint64 *images,
          gint64 *row_parts)
{
  const GhloCpuConvolutionShape *shape = &state->shape;
  gboolean sums = shape->direction == GHLO_CPU_BACKWARD_WEIGHTS;
  gint64 parts = (gint64) MAX (count_parts (shape, nanoseconds), sums ? 1 : nanoseconds / MAX_PART);

  parts = MAX (parts, 1);
  state->n_blocks = count_blocks (state, parts);
  parts = ghlo_ceil_div (parts, (gint64) state->n_blocks);
  *images = ghlo_ceil_div (shape->images, MIN (parts, shape->images));
  parts = ghlo_ceil_div (parts, ghlo_ceil_div (shape->images, *images));
  *row_parts = *images > 1 ? 1 : MIN (parts, all_rows);
}

/* Returns the first row at or after @row where a part may begin. In a gradient for data that is the first row that
 * some row of the result reaches, so that the part has no negative padding. */
static gint64
align_row (const GhloCpuConvolutionShape *shape,
           gint64                         row)
{
  gint64 step = shape->strides[0], reach = (shape->kernel[0] - 1) * shape->dilation[0] - shape->low[0];

  if (shape->direction != GHLO_CPU_BACKWARD_DATA)
    return row;

  return row + ((reach - row) % step + step) % step;
}

static gboolean
make_pieces (State  *state,
             double  nanoseconds)
{
  const GhloCpuConvolutionShape *shape = &state->shape;
  gint64 all_rows = shape->direction == GHLO_CPU_BACKWARD_DATA ? shape->source[0] : shape->result[0];
  gint64 images, row_parts;

  find_cut (state, nanoseconds, all_rows, &images, &row_parts);
  state->parts = g_new0 (Part, (gsize) (ghlo_ceil_div (shape->images, images) * row_parts) * state->n_blocks);
  for (gsize block = 0; block < state->n_blocks; block++)
    for (gint64 image = 0; image < shape->images; image += images)
      for (gint64 i = 1, row = 0, next; row < all_rows; i++, row = next)
        {
          Part *part;

          next = MIN (align_row (shape, all_rows * i / row_parts), all_rows);
          if (next == row)
            continue;
          part = &state->parts[state->n_parts++];
          if (!part_init (part, state, block, image, MIN (images, shape->images - image), row, next - row,
                          state->n_parts > 1 ? state->parts : NULL))
            return FALSE;
        }

  return TRUE;
}

/* Creates the reorder of all weights or, where there are many, several reorders that threads can share, as far as the
 * layout allows it. */
static void
find_reorders (State        *state,
               const gint64 *strides,
               gboolean      back)
{
  const GhloCpuConvolutionShape block = find_block (state), *shape = &block;
  gint64 features = shape->result_features / shape->groups;
  gint64 n = shape->groups > 1 ? 1 : (gint64) MIN (state->packed_size / MIN_REORDER, GHLO_CPU_MAX_REORDERS);
  gint64 step = MAX (ghlo_ceil_div (ghlo_ceil_div (features, MAX (n, 1)), FEATURES) * FEATURES, 1);

  for (gint64 begin = 0; begin < features; begin += step)
    {
      GhloCpuPrimitive *reorder = ghlo_cpu_onednn_reorder_weights (state->parts[0].primitive, shape, strides, begin,
                                                                   MIN (begin + step, features), back);

      if (reorder == NULL)
        break;
      state->reorders[state->n_reorders++] = reorder;
    }
  if ((gint64) state->n_reorders == ghlo_ceil_div (features, step))
    return;
  for (; state->n_reorders > 0; state->n_reorders--)
    ghlo_cpu_primitive_unref (state->reorders[state->n_reorders - 1]);
  state->reorders[0] = ghlo_cpu_onednn_reorder_weights (state->parts[0].primitive, shape, strides, 0, features, back);
  state->n_reorders = state->reorders[0] != NULL;
}

/* Features of the source that are zeros. */
static gint64
find_zeros (const State          *state,
            const GhloCpuWindows *w)
{
  return state->shape.source_type == GHLO_ELEMENT_TYPE_BF16 ? state->shape.source_features - w->features : 0;
}

/* Sets up the weights: as they are given, or as a copy that oneDNN can read, and their reorder into the primitives'
 * layout or back. */
static gboolean
weights_init (State                *state,
              const GhloCpuWindows *w,
              const gint64         *strides,
              gsize                *scratch)
{
  const GhloCpuConvolutionShape *shape = &state->shape;
  gboolean back = shape->direction == GHLO_CPU_BACKWARD_WEIGHTS;
  GhloElementType type = back ? w->result_type : w->rhs_type;
  gint64 sizes[3 + GHLO_CPU_MAX_SPATIAL] = { shape->groups, shape->result_features / shape->groups,
                                             shape->source_features / shape->groups };
  gint64 own[3 + GHLO_CPU_MAX_SPATIAL], elements[3 + GHLO_CPU_MAX_SPATIAL];
  guint rank = 3 + shape->n_spatial;
  const gint64 element = ghlo_element_info (shape->weights_type)->size;
  const GhloElementType own_type = is_same_type (type, shape->weights_type) ? type : shape->weights_type;
  gint64 size = element;

  memcpy (sizes + 3, shape->kernel, shape->n_spatial * sizeof (gint64));
  state->weights.has_zeros = find_zeros (state, w) > 0;
  state->weights.copies = type != own_type || state->weights.has_zeros;
  for (guint i = 0; i < rank; i++)
    {
      elements[i] = strides[i] / element;
      state->weights.copies |= sizes[i] > 1 && (strides[i] <= 0 || strides[i] % element != 0);
    }
  state->packed_size = ghlo_size_align (ghlo_cpu_onednn_weights_size (state->parts[0].primitive));
  if (!state->weights.copies)
    find_reorders (state, elements, back);
  if (state->n_reorders == 0)
    {
      /* Taps outermost, as in most frameworks. */
      static const guint order[] = { 1, 2, 0, 3, 4, 5 };

      state->weights.copies = TRUE;
      for (guint i = 0; i < rank; i++)
        {
          own[order[i]] = size;
          elements[order[i]] = size / element;
          size *= sizes[order[i]];
        }
      state->weights.at = *scratch;
      state->weights.size = ghlo_size_align ((gsize) size);
      *scratch += state->weights.size;
      sizes[2] -= find_zeros (state, w);
      if (!(back ? ghlo_cpu_copy_init (&state->weights.copy, rank, sizes, own_type, own, type, strides)
                 : ghlo_cpu_copy_init (&state->weights.copy, rank, sizes, type, strides, own_type, own)))
        return FALSE;
      find_reorders (state, elements, back);
    }
  state->block_weights = elements[1] * element * (shape->result_features / (gint64) state->n_blocks);
  for (gsize i = 0; i < state->n_reorders; i++)
    state->own_size = MAX (state->own_size, ghlo_size_align (ghlo_cpu_primitive_scratch_size (state->reorders[i])));

  return state->n_reorders > 0;
}

/* Whether oneDNN has loops for as many groups as there are features: those of floats have a name of their own, those
 * of bytes fill registers with the features of up to two dimensions. */
static gboolean
is_depthwise (const GhloCpuConvolutionShape *shape,
              const char                    *name)
{
  return strstr (name, "dw") != NULL
         || (ghlo_element_type_is_integer (shape->source_type) && shape->groups >= BYTE_GROUPS && shape->n_spatial <= 2
             && has_single_features (shape) && shape->result_features == shape->groups);
}

/* With few features, oneDNN has good loops for depthwise groups. bf16 pays only by instructions of its own. A tile
 * (AMX) takes 32 features; where there are fewer, it multiplies those of other positions or groups by 0, which
 * makes NaN of infinities. Dot products (AVX512-BF16) take two. */
static gboolean
is_worth_it (const State *state)
{
  const char *name = ghlo_cpu_primitive_name (state->parts[0].primitive);
  const GhloCpuConvolutionShape *shape = &state->shape;
  gint64 features = shape->source_features / shape->groups;

  if (shape->groups > 1 && shape->direction == GHLO_CPU_FORWARD && !is_depthwise (shape, name)
      && ghlo_cpu_convolution_has_few_features (shape->source_type, shape->groups, features, shape->result_features))
    return FALSE;
  /* oneDNN's SSE 4.1 kernels are slower than our routines. */
  if (shape->source_type != GHLO_ELEMENT_TYPE_BF16)
    return strstr (name, "sse41") == NULL;

  if (strstr (name, "amx") != NULL)
    return features % 32 == 0 || (shape->groups == 1 && features >= 16);

  return strstr (name, "bf16") != NULL && (features % 2 == 0 || strstr (name, "dw") != NULL);
}

static gboolean
compile (const State *state)
{
  for (gsize i = 0; i < state->n_parts; i++)
    if (state->parts[i].primitive != NULL && !ghlo_cpu_primitive_compile (state->parts[i].primitive))
      return FALSE;

  for (gsize i = 0; i < state->n_reorders; i++)
    if (!ghlo_cpu_primitive_compile (state->reorders[i]))
      return FALSE;

  return TRUE;
}

/* What names the packed kernel: where its elements are read, the layout, and whether windows are padded, since only
 * finite kernels are packed for those. */
static GBytes *
find_packing (const GhloCpuWindows *w,
              const State          *state,
              const Strides        *strides)
{
  g_autoptr (GBytes) layout = ghlo_cpu_onednn_weights_layout (state->parts[0].primitive);
  const gboolean is_padded = ghlo_cpu_windows_are_padded (w);
  GByteArray *key = g_byte_array_new ();

  g_byte_array_append (key, (gconstpointer) &is_padded, sizeof (is_padded));
  g_byte_array_append (key, (gconstpointer) strides->weights, sizeof (strides->weights));
  g_byte_array_append (key, (gconstpointer) &w->rhs_first, sizeof (w->rhs_first));
  g_byte_array_append (key, (gconstpointer) &w->rhs_type, sizeof (w->rhs_type));
  g_byte_array_append (key, (gconstpointer) &state->n_blocks, sizeof (state->n_blocks));
  g_byte_array_append (key, g_bytes_get_data (layout, NULL), (guint) g_bytes_get_size (layout));

  return g_byte_array_free_to_bytes (key);
}

static gboolean
try_type (const GhloCpuConvolution *self,
          double                    most,
          GhloCpuWay               *way,
          GhloElementType           type)
{
  const GhloCpuWindows *w = &self->windows;
  g_autoptr (State) state = g_new0 (State, 1);
  gsize scratch = 0, all;
  Strides strides;
  gboolean is_data, is_weights, is_narrow;
  double rate = ghlo_cpu_rate () * ghlo_cpu_onednn_speed (type), operations, width, calls;

  if (rate == 0 || !find_shape (w, type, &state->shape)
      || (rate < ghlo_cpu_rate () && !has_single_features (&state->shape)))
    return FALSE;
  if (has_single_features (&state->shape))
    rate = ghlo_cpu_rate () * DEPTHWISE_SPEED;
  operations = count_operations (&state->shape) / rate * 1e9;
  state->nanoseconds = MAX (operations, GHLO_CPU_BYTE_TIME * count_bytes (&state->shape, type));
  is_data = state->shape.direction == GHLO_CPU_BACKWARD_DATA;
  is_weights = state->shape.direction == GHLO_CPU_BACKWARD_WEIGHTS;
  find_strides (w, &state->shape, &strides);
  if (!tensor_init (&state->source, &state->shape, state->shape.source_type, is_data ? w->result_type : w->lhs_type,
                    state->shape.source_features - find_zeros (state, w), state->shape.source_features,
                    state->shape.source, strides.source, is_data, &scratch)
      || !tensor_init (&state->result, &state->shape, state->shape.result_type,
                       is_data ? w->lhs_type : is_weights ? w->rhs_type : w->result_type,
                       state->shape.result_features, state->shape.result_features, state->shape.result, strides.result,
                       !is_data && !is_weights, &scratch))
    return FALSE;
  width = find_width (&state->shape);
  is_narrow = width >= NARROW && (state->shape.groups == 1 || has_single_features (&state->shape));
  way->nanoseconds = MAX (state->nanoseconds, operations * width) + find_copy_time (&state->source)
                     + find_copy_time (&state->result);
  calls = CALL_TIME * (is_narrow && state->shape.groups == 1 ? NARROW_DOUBT : 1);
  if (way->nanoseconds * (is_narrow ? NARROW_DOUBT : 1) + calls >= most
      || !make_pieces (state, state->nanoseconds) || !is_worth_it (state)
      || !weights_init (state, w, strides.weights, &scratch)
      || (self->compiles && !compile (state)))
    return FALSE;

  state->packed_at = scratch;
  if (!ghlo_size_mul (&all, state->packed_size, is_weights ? state->n_parts : state->n_blocks)
      || !ghlo_size_add (&scratch, scratch, all))
    return FALSE;
  state->own_at = scratch;
  all = MIN (MAX (state->n_parts, state->n_blocks * state->n_reorders), ghlo_parallel_n_workers ());
  way->scratch_size = scratch + (state->own_size + state->block_size) * all;
  way->copies = state->source.copies || state->result.copies;
  if (!is_weights)
    {
      way->packed_size = state->packed_size * state->n_blocks;
      way->packing = find_packing (w, state, &strides);
    }
  way->description = g_strdup_printf ("onednn %s%s%s%s", ghlo_cpu_primitive_name (state->parts[0].primitive),
                                       is_data ? ", gradient for data" : is_weights ? ", gradient for weights" : "",
                                       state->source.copies || state->result.copies ? ", of copies" : "",
                                       state->n_blocks > 1 ? ", in blocks of features" : "");
  ghlo_cpu_way_set_state (way, g_steal_pointer (&state), ghlo_cpu_convolution_state_free);

  return TRUE;
}

static gboolean
take (const GhloCpuConvolution  *self,
      double                     most,
      GhloCpuWay                *way,
      GError                   **error)
{
  return ghlo_cpu_onednn_available ()
         && (try_type (self, most, way, GHLO_ELEMENT_TYPE_BF16) || try_type (self, most, way, GHLO_ELEMENT_TYPE_F32)
             || try_type (self, most, way, GHLO_ELEMENT_TYPE_I8));
}

const GhloCpuConvolutionAlgorithm ghlo_cpu_convolution_library = {
  TRUE, take, ghlo_cpu_convolution_library_compute, ghlo_cpu_convolution_library_pack,
};
