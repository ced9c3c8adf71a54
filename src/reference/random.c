/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * rng_bit_generator and rng. Bits come from Threefry-2x32-20 and Philox-4x32-10
 * (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011). Counters
 * and layout are XLA's, so the bits are identical; DEFAULT is Philox.
 *
 * rng has no state in the program. Here its result depends only on the operation's
 * place: Philox with the key "GHLO", the operation's number in its function as the
 * upper half of the counter, and the element's index as the lower half.
 */

#include "ir/custom-call.h"
#include "reference/custom-call.h"
#include "reference/custom-read.h"
#include "reference/kernels.h"
#include "reference/scalar/numbers.h"

#include <math.h>
#include <string.h>

enum { MAX_STATE = 24 };                             /* bytes */
#define RNG_KEY G_GUINT64_CONSTANT (0x4f4c4847)     /* "GHLO" */

static inline guint32
rotate_left (guint32 x, guint n)
{
  return x << n | x >> (32 - n);
}

static void
threefry (guint64 key,
          guint64 counter,
          guint32 out[2])
{
  static const guint8 rotations[8] = { 13, 15, 26, 6, 17, 29, 16, 24 };
  guint32 k[3] = { (guint32) key, (guint32) (key >> 32), 0 };
  guint32 x = (guint32) counter, y = (guint32) (counter >> 32);

  k[2] = k[0] ^ k[1] ^ 0x1bd11bda;
  x += k[0];
  y += k[1];
  for (guint round = 0; round < 20; round++)
    {
      x += y;
      y = rotate_left (y, rotations[round % 8]) ^ x;
      if (round % 4 == 3)
        {
          guint injection = round / 4 + 1;

          x += k[injection % 3];
          y += k[(injection + 1) % 3] + injection;
        }
    }
  out[0] = x;
  out[1] = y;
}

static void
philox (guint64 key,
        guint64 low,
        guint64 high,
        guint32 out[4])
{
  guint32 k0 = (guint32) key, k1 = (guint32) (key >> 32);
  guint32 x[4] = { (guint32) low, (guint32) (low >> 32), (guint32) high, (guint32) (high >> 32) };

  for (guint round = 0; round < 10; round++)
    {
      guint64 a = (guint64) 0xd2511f53 * x[0];
      guint64 b = (guint64) 0xcd9e8d57 * x[2];
      guint32 y0 = (guint32) (b >> 32) ^ x[1] ^ k0;
      guint32 y2 = (guint32) (a >> 32) ^ x[3] ^ k1;

      x[0] = y0;
      x[1] = (guint32) b;
      x[2] = y2;
      x[3] = (guint32) a;
      k0 += 0x9e3779b9;
      k1 += 0xbb67ae85;
    }
  memcpy (out, x, sizeof (x));
}

typedef struct
{
  guint64 key;
  guint64 low, high;        /* the counter */
} State;

/* Stores @bits as the bytes of element @index. */
static void
store_bits (GhloValue *value,
            gsize      index,
            guint64    bits)
{
  const GhloElementInfo *info = ghlo_element_info (value->type->element_type);
  guint8 *data = value->data + index * info->size;

  if (info->element_class == GHLO_ELEMENT_CLASS_FLOAT)
    {
      if (info->bits < 8)
        bits &= ((guint64) 1 << info->bits) - 1;
      switch (info->size)
        {
        case 1: *data = (guint8) bits; break;
        case 2: memcpy (data, &(guint16) { (guint16) bits }, 2); break;
        case 4: memcpy (data, &(guint32) { (guint32) bits }, 4); break;
        default: memcpy (data, &bits, 8); break;
        }
      return;
    }
  ghlo_element_store (value->type->element_type, data, (GhloScalar) { .u = bits });
}

/* Threefry yields two words for each count. A 64-bit element takes both. */
static gboolean
fill_threefry_64 (GhloRefCall *call,
                  State       *state,
                  GhloValue   *output,
                  GError     **error)
{
  for (gsize i = 0; i < output->n_elements; i++)
    {
      guint32 words[2];

      threefry (state->key, state->low + i, words);
      store_bits (output, i, words[0] | (guint64) words[1] << 32);
      if (i % 65536 == 0 && !ghlo_ref_continue (call, error))
        return FALSE;
    }
  state->low += output->n_elements;
  return TRUE;
}

/* The dimension that XLA splits into halves, one for each of the two words: the first even dimension,
 * otherwise the first of the largest ones; -1 for a scalar. */
static gint
split_dimension (const GhloValue *output)
{
  const gint64 *dimensions = ghlo_ref_dims (output);
  gint largest = -1;

  for (guint i = 0; i < ghlo_ref_rank (output); i++)
    if (dimensions[i] % 2 == 0)
      return (gint) i;
  for (guint i = 0; i < ghlo_ref_rank (output); i++)
    if (largest < 0 || dimensions[i] > dimensions[largest])
      largest = (gint) i;
  return largest;
}

/* Elements of up to 32 bits. The split dimension is treated as [half][2]; counts run over all but the pair,
 * whose elements are the two words. */
static gboolean
fill_threefry_32 (GhloRefCall *call,
                  State       *state,
                  GhloValue   *output,
                  GError     **error)
{
  gint split = split_dimension (output);
  gsize inner = 1, extent = 1, half, outer;

  if (split >= 0)
    {
      extent = (gsize) ghlo_ref_dims (output)[split];
      for (guint i = (guint) split + 1; i < ghlo_ref_rank (output); i++)
        inner *= (gsize) ghlo_ref_dims (output)[i];
    }
  half = (extent + 1) / 2;
  outer = output->n_elements / (extent * inner);
  for (gsize o = 0; o < outer; o++)
    for (gsize h = 0; h < half; h++)
      {
        if (!ghlo_ref_continue (call, error))
          return FALSE;
        for (gsize i = 0; i < inner; i++)
          {
            gsize first = (o * extent + 2 * h) * inner + i;
            guint32 words[2];

            threefry (state->key, state->low + (o * half + h) * inner + i, words);
            store_bits (output, first, words[0]);
            if (2 * h + 1 < extent)
              store_bits (output, first + inner, words[1]);
          }
      }
  state->low += outer * half * inner;
  return TRUE;
}

/* Philox yields four words for each count, which are used in order. */
static gboolean
fill_philox (GhloRefCall *call,
             State       *state,
             GhloValue   *output,
             GError     **error)
{
  gsize words_each = ghlo_element_info (output->type->element_type)->bits > 32 ? 2 : 1;
  gsize each = 4 / words_each;

  for (gsize i = 0; i < output->n_elements; i += each)
    {
      guint32 words[4];

      philox (state->key, state->low, state->high, words);
      for (gsize k = 0; k < each && i + k < output->n_elements; k++)
        store_bits (output, i + k, words_each == 1 ? words[k] : words[2 * k] | (guint64) words[2 * k + 1] << 32);
      if (++state->low == 0)
        state->high++;
      if (i % 65536 == 0 && !ghlo_ref_continue (call, error))
        return FALSE;
    }
  return TRUE;
}

/* The state is 64-bit words: the key, then the counter. For a Philox state of two words, the counter starts
 * as the reversed state, as in XLA. */
static gboolean
generate_bits (GhloRefCall  *call,
               const char   *algorithm,
               const gint64 *dimensions,
               guint         rank,
               GError      **error)
{
  const GhloValue *initial = call->operands[0];
  const GhloIrType *type = call->op->results[1].type;
  gboolean is_threefry = strcmp (algorithm, "THREE_FRY") == 0;
  guint64 words[3] = { 0 };
  GhloValue *next, *output;
  State state;
  gboolean ok;

  if (initial->n_bytes != 16 && (initial->n_bytes != 24 || is_threefry))
    return ghlo_ref_fail (call, error, "expected a state of 2%s 64-bit words, found %" G_GSIZE_FORMAT " bytes",
                          is_threefry ? "" : " or 3", initial->n_bytes);
  memcpy (words, initial->data, initial->n_bytes);
  state = (State) { words[0], words[1], words[2] };
  if (!is_threefry && initial->n_bytes == 16)
    state.high = words[0];
  next = ghlo_ref_result_like (call, 0, initial, error);
  output = next != NULL ? ghlo_ref_result (call, 1, dimensions, rank, error) : NULL;
  if (output == NULL)
    return FALSE;

  if (output->n_elements == 0)
    ok = TRUE;
  else if (!is_threefry)
    ok = fill_philox (call, &state, output, error);
  else if (ghlo_element_info (type->element_type)->bits > 32)
    ok = fill_threefry_64 (call, &state, output, error);
  else
    ok = fill_threefry_32 (call, &state, output, error);
  words[1] = state.low;
  words[2] = state.high;
  memcpy (next->data, words, initial->n_bytes);
  return ok;
}

gboolean
ghlo_ref_rng_bit_generator (GhloRefCall *call,
                            GError     **error)
{
  const GhloIrType *type = call->op->results[1].type;

  return generate_bits (call, ghlo_ir_enum_word (ghlo_ir_op_get (call->op, "rng_algorithm")), type->dimensions,
                        type->rank, error);
}

gboolean
ghlo_ref_custom_rng_bit_generator (GhloRefCall *call,
                                   GError     **error)
{
  g_autofree gint64 *dimensions = NULL;
  const char *algorithm = NULL;
  char *problem = NULL;
  const GhloValue *shape;

  if (!ghlo_ref_custom_counts (call, 2, 2, error) || !ghlo_ref_custom_integers (call, 0, MAX_STATE, error)
      || !ghlo_ref_custom_integers (call, 1, GHLO_MAX_RANK, error)
      || !ghlo_ref_custom_result_has (call, 0, call->operands[0]->type->element_type, error)
      || !ghlo_ref_custom_result_has_integers (call, 1, error))
    return FALSE;
  shape = call->operands[1];
  if (shape->type->rank != 1)
    return ghlo_ref_fail (call, error, "expected the shape as a vector of integers, found rank %u", shape->type->rank);
  dimensions = ghlo_ref_to_ints (shape);
  for (gsize i = 0; i < shape->n_elements; i++)
    if (dimensions[i] < 0)
      return ghlo_ref_fail (call, error, "expected dimensions that are not negative, found %" G_GINT64_FORMAT,
                            dimensions[i]);
  if (!ghlo_ir_custom_call_read_word (call->op, "rng_algorithm", GHLO_IR_ENUM_RNG_ALGORITHM, &algorithm, &problem)
      || (algorithm == NULL && !ghlo_ir_custom_call_refuse (call->op, "rng_algorithm", "an algorithm", &problem)))
    return ghlo_ref_custom_fail (call, problem, error);

  return generate_bits (call, algorithm, dimensions, (guint) shape->n_elements, error);
}

/* The operation's number in its function. It combines the operation's position in its block with the
 * positions of the enclosing operations. */
static guint64
number_in_function (const GhloIrOp *op)
{
  guint64 number = 0;

  for (; op != NULL && op->block != NULL; op = ghlo_ir_op_get_parent (op))
    {
      if (op->kind == GHLO_OP_FUNC_FUNC)
        break;
      number *= 65599;
      for (const GhloIrOp *before = op; before != NULL; before = before->previous)
        number++;
    }
  return number;
}

/* A double in [0, 1) with 53 random bits. */
static double
unit (guint32 high, guint32 low)
{
  return (double) (((guint64) high << 32 | low) >> 11) * 0x1p-53;
}

/* A normally distributed number, by Box and Muller. */
static double
normal_number (const guint32 words[4])
{
  double radius = sqrt (-2 * log (1 - unit (words[0], words[1])));

  return radius * cos (2 * G_PI * unit (words[2], words[3]));
}

static GhloScalar
uniform_number (GhloElementType type,
                GhloScalar      a,
                GhloScalar      b,
                const guint32   words[4])
{
  guint64 bits = (guint64) words[0] << 32 | words[1];
  GhloScalar scalar = a;

  if (ghlo_element_type_is_float (type))
    {
      scalar.f = ghlo_element_round (type, (GhloScalar) { .f = a.f + (b.f - a.f) * unit (words[0], words[1]) }).f;
      if (!(scalar.f < b.f))
        scalar = a;                     /* rounding reached the open end of the interval */
    }
  else if (b.u != a.u)
    scalar.u = a.u + bits % (b.u - a.u);
  return scalar;
}

gboolean
ghlo_ref_rng (GhloRefCall *call,
              GError     **error)
{
  gboolean is_normal = g_strcmp0 (ghlo_ir_enum_word (ghlo_ir_op_get (call->op, "rng_distribution")), "NORMAL") == 0;
  g_autofree gint64 *dimensions = ghlo_ref_read_indices (call, call->operands[2], error);
  GhloScalar a = ghlo_ref_load (call->operands[0], 0);
  GhloScalar b = ghlo_ref_load (call->operands[1], 0);
  guint64 number = number_in_function (call->op);
  GhloElementType type;
  GhloValue *result;

  if (dimensions == NULL)
    return FALSE;
  result = ghlo_ref_result (call, 0, dimensions, (guint) call->operands[2]->n_elements, error);
  if (result == NULL)
    return FALSE;
  type = result->type->element_type;
  for (gsize i = 0; i < result->n_elements; i++)
    {
      guint32 words[4];

      philox (RNG_KEY, i, number, words);
      if (is_normal)
        ghlo_ref_store (result, i, (GhloScalar) { .f = a.f + b.f * normal_number (words) });
      else
        ghlo_ref_store (result, i, uniform_number (type, a, b, words));
      if (i % 16384 == 0 && !ghlo_ref_continue (call, error))
        return FALSE;
    }
  return TRUE;
}
