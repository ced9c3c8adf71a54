/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pieces of f32 on their way to shared memory, as numbers of bf16.
 *
 * Of two the higher one is the element with its low 16 bits cut off, and the lower one as much of what that leaves.
 * Both have the element's sign, and together no larger magnitude: no product is infinite that is not, and where one is,
 * none of its three parts is the other infinity. An infinity or a NaN is in the lower one alone, beside a finite one
 * that is not 0, since infinity × 1 would have infinity × 0 among its parts; lower ones do not meet. What is lost of a
 * product is less than 2^-12.4 of it, and some 2^-15.4 on average.
 */

#include "vulkan/spirv/product-private.h"

enum { VECTORS = 2, OF_VECTOR = 4, HALF = 16 };

#define UPPER_HALF 0xffff0000u

/* The greatest finite numbers of both signs, as bits. */
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

/* Of four elements words for each plane, of which the upper halves are numbers of bf16. */
static void
split (const SpirvProduct *product,
       const SpirvBlocks  *blocks,
       Id                  elements,
       Id                  words[2])
{
  Spirv *self = product->spirv;
  Id numbers = ghlo_spirv_unique (self->builder, SpvOpTypeVector, 0, GHLO_SPIRV_WORDS (product->element, OF_VECTOR));
  Id high;

  /* As integers with a sign, positive numbers are ordered as they are; negative ones, without it, by magnitude. */
  words[0] = GLSL (SMin, blocks->vector, elements, spread (product, blocks, GREATEST));
  words[0] = GLSL (UMin, blocks->vector, words[0], spread (product, blocks, LEAST));
  high = CODE (SpvOpBitwiseAnd, blocks->vector, words[0], spread (product, blocks, UPPER_HALF));
  words[1] = CODE (SpvOpFSub, numbers, CODE (SpvOpBitcast, numbers, elements), CODE (SpvOpBitcast, numbers, high));
  words[1] = CODE (SpvOpBitcast, blocks->vector, ghlo_spirv_exact (self, words[1]));
}

/* The same of one plane, rounded. */
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

/* The upper halves of eight words: each two that follow each other become one. */
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
