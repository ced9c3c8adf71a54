/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Splits pieces of f32 into numbers of bf16 on their way to shared memory.
 *
 * Of two numbers, the high one is the element with its low 16 bits cut off, and the low one holds as much as it can of
 * the remainder. Both have the element's sign, and their sum does not exceed its magnitude: a product only becomes
 * infinite if the exact one is, and then none of its three parts is the opposite infinity. An infinity or a NaN is in
 * the low number only, beside a finite high one that is not 0, since otherwise infinity × 1 would have infinity × 0
 * among its parts; low numbers are never multiplied with each other. The error of a product is less than 2^-12.4 of it,
 * and about 2^-15.4 on average.
 */

#include "gpu/spirv/product-private.h"

enum { VECTORS = 2, OF_VECTOR = 4, HALF = 16 };

#define UPPER_HALF 0xffff0000u

/* The largest finite numbers of either sign, as bits. */
#define GREATEST 0x7f7fffffu
#define LEAST    0xff7fffffu

static Id
spread (const SpirvProduct *product,
        const SpirvBlocks  *blocks,
        guint32             value)
{
  Spirv *self = product->spirv;
  Id word = ghlo_spirv_u32 (self, value);

  return ghlo_spirv_unique (self->builder, SpvOpConstantComposite, blocks->vector,
                            GHLO_SPIRV_WORDS (word, word, word, word));
}

/* Splits four elements into a word for each plane, whose upper half is a number of bf16. */
static void
split (const SpirvProduct *product,
       const SpirvBlocks  *blocks,
       Id                  elements,
       Id                  words[2])
{
  Spirv *self = product->spirv;
  Id numbers = ghlo_spirv_unique (self->builder, SpvOpTypeVector, 0, GHLO_SPIRV_WORDS (product->element, OF_VECTOR));
  Id high;

  /* As signed integers, positive floats have their own order; as unsigned integers, negative ones are ordered by
   * magnitude. */
  words[0] = GLSL (SMin, blocks->vector, elements, spread (product, blocks, GREATEST));
  words[0] = GLSL (UMin, blocks->vector, words[0], spread (product, blocks, LEAST));
  high = CODE (SpvOpBitwiseAnd, blocks->vector, words[0], spread (product, blocks, UPPER_HALF));
  words[1] = CODE (SpvOpFSub, numbers, CODE (SpvOpBitcast, numbers, elements), CODE (SpvOpBitcast, numbers, high));
  words[1] = CODE (SpvOpBitcast, blocks->vector, ghlo_spirv_exact (self, words[1]));
}

/* The same with a single plane, rounded to nearest. */
static Id
narrow (const SpirvProduct *product,
        const SpirvBlocks  *blocks,
        Id                  elements)
{
  Spirv *self = product->spirv;
  guint32 words[OF_VECTOR];

  for (guint i = 0; i < OF_VECTOR; i++)
    {
      Id element = CODE (SpvOpCompositeExtract, self->u32, elements, i);

      element = ghlo_spirv_product_number (product, blocks->tensor, CODE (SpvOpBitcast, product->element, element));
      words[i] = CODE (SpvOpBitcast, self->u32, element);
    }

  return ghlo_spirv_code (self->builder, SpvOpCompositeConstruct, blocks->vector, words, OF_VECTOR);
}

/* Packs the upper halves of eight words, pairing adjacent ones. */
static Id
pack (const SpirvProduct *product,
      const SpirvBlocks  *blocks,
      const Id            words[VECTORS])
{
  Spirv *self = product->spirv;
  Id first = CODE (SpvOpVectorShuffle, blocks->vector, words[0], words[1], 0, 2, 4, 6);
  Id second = CODE (SpvOpVectorShuffle, blocks->vector, words[0], words[1], 1, 3, 5, 7);

  first = CODE (SpvOpShiftRightLogical, blocks->vector, first, spread (product, blocks, HALF));
  second = CODE (SpvOpBitwiseAnd, blocks->vector, second, spread (product, blocks, UPPER_HALF));

  return CODE (SpvOpBitwiseOr, blocks->vector, first, second);
}

void
ghlo_spirv_split_piece (const SpirvProduct *product,
                        const SpirvBlocks  *blocks,
                        const Id           *loaded,
                        Id                 *planes)
{
  Id words[2][VECTORS];

  for (guint i = 0; i < VECTORS; i++)
    if (product->product->split == GHLO_SPIRV_BF16)
      words[0][i] = narrow (product, blocks, loaded[i]);
    else
      {
        Id parts[2];

        split (product, blocks, loaded[i], parts);
        words[0][i] = parts[0];
        words[1][i] = parts[1];
      }
  for (guint plane = 0; plane < blocks->n_planes; plane++)
    planes[plane] = pack (product, blocks, words[plane]);
}
