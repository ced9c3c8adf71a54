/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the parts of the emitter of attention. Numbers and indices are 32 bits wide, addresses 64.
 */

#pragma once

#include "gpu/spirv/attention.h"
#include "gpu/spirv/product-private.h"

G_BEGIN_DECLS

enum
{
  GHLO_SPIRV_MAX_STRIP = 16,            /* matrices side by side per subgroup */
  GHLO_SPIRV_VECTOR    = 4,             /* words of a vector */
};

/* A part of shared memory, measured in vectors: rows of one or two planes. */
typedef struct
{
  guint at, pitch, plane;
} SpirvTile;

/* An operand on its way to a tile. */
typedef struct
{
  const SpirvProduct *product;
  guint               tensor, bit;      /* index in the product; bit in GhloSpirvAttention.fours */
  GhloSpirvRole       rows, inner;      /* roles of its rows, and of the elements along them */
  Id                  n_rows, n_inner;  /* in the whole operand */
  guint               tile_rows, tile_inner;
  SpirvTile           tile;
} SpirvOperand;

typedef struct
{
  Spirv                    *spirv;
  const GhloSpirvAttention *shape;
  SpirvProduct             *scores, *values;    /* hold the values of the table for either product */
  SpirvProduct             *weights;    /* converts weights from f32 to components */
  Id                        vector, shared;     /* type; variable, an array of vectors */
  Id                        number;     /* type f32 */
  Id                        lane;       /* index of the invocation in the workgroup */
  Id                        in_group, strip, column_group;      /* lane within its group; strip of 16 rows, and column
                                                                 * group */
  Id                        row, part;  /* the row whose logits the invocation computes, and its share of that row's
                                         * columns */
  guint                     n_parts;    /* invocations that share a row */
  Id                        first_row;
  SpirvOperand              operands[GHLO_SPIRV_OUTPUT];
  SpirvTile                 logits, powers;     /* f32, and components */
  guint                     numbers_at; /* offset in vectors; a word per invocation */
  Id                        maximum, total;     /* variables: maximum of the row, and sum over the invocation's part of
                                                 * it */
  guint                     n_scores, n_results;
  Id                        sums[GHLO_SPIRV_MAX_STRIP], results[GHLO_SPIRV_MAX_STRIP];  /* matrix variables */
  Id                        matrices[GHLO_SPIRV_RESULT][2];     /* variables for both planes of an operand */
  Id                        held[GHLO_SPIRV_ATTENTION_MAX_HELD];
} SpirvAttention;

/* Elements of a vector. */
static inline guint
ghlo_spirv_attention_unit (const GhloSpirvAttention *shape)
{
  return GHLO_SPIRV_PIECE_BYTES / ghlo_element_info (shape->component)->size;
}

/* Whether components are narrower than numbers, with no second plane for the remainder. */
static inline gboolean
ghlo_spirv_attention_is_narrow (const GhloSpirvAttention *shape)
{
  return shape->component != GHLO_ELEMENT_TYPE_F32 && shape->n_planes == 1;
}

/* attention.c */
/* Load and store in shared memory, such that other invocations see the values after a barrier. */
Id   ghlo_spirv_attention_get     (const SpirvAttention *self,
                                   Id                    type,
                                   Id                    pointer);
void ghlo_spirv_attention_set     (const SpirvAttention *self,
                                   Id                    pointer,
                                   Id                    value);
/* Load and store the vector at index @place. */
Id   ghlo_spirv_attention_load    (const SpirvAttention *self,
                                   Id                    place);
void ghlo_spirv_attention_store   (const SpirvAttention *self,
                                   Id                    place,
                                   Id                    vector);
/* Converts a vector to its four numbers, and back. */
void ghlo_spirv_attention_numbers (const SpirvAttention *self,
                                   Id                    vector,
                                   Id                   *numbers);
Id   ghlo_spirv_attention_vector  (const SpirvAttention *self,
                                   const Id             *numbers);
/* Returns the index in shared memory of vector @index of row @row in @tile. */
Id   ghlo_spirv_attention_place   (const SpirvAttention *self,
                                   const SpirvTile      *tile,
                                   Id                    row,
                                   Id                    index);
void ghlo_spirv_attention_barrier (const SpirvAttention *self);

/* attention-stage.c */
/* The invocation's share of the block whose first row is @first: fetched into variables, staged from there to shared
 * memory, or both at once. */
void ghlo_spirv_attention_fetch   (const SpirvAttention *self,
                                   const SpirvOperand   *operand,
                                   Id                    first);
void ghlo_spirv_attention_stage   (const SpirvAttention *self,
                                   const SpirvOperand   *operand);
void ghlo_spirv_attention_copy_in (const SpirvAttention *self,
                                   const SpirvOperand   *operand,
                                   Id                    first);
/* Returns the number of vectors that an invocation fetches. */
guint ghlo_spirv_attention_n_fetched (const SpirvAttention *self,
                                   const SpirvOperand   *operand);
/* Packs a vector's worth of elements into a vector for each plane. Elements are components if those are narrow, else
 * numbers of f32. */
void ghlo_spirv_attention_pack    (const SpirvAttention *self,
                                   const Id             *elements,
                                   Id                   *planes);

/* attention-matrix.c */
void ghlo_spirv_attention_make    (SpirvAttention       *self);
/* Sets the strip of matrices @sums to 0. */
void ghlo_spirv_attention_clear   (const SpirvAttention *self,
                                   const Id             *sums,
                                   guint                 n);
/* Adds the product of the strip of @a and @b to @sums. The rows of @b are along k if @is_inner_adjacent is FALSE. */
void ghlo_spirv_attention_multiply (const SpirvAttention *self,
                                   const SpirvTile      *a,
                                   const SpirvTile      *b,
                                   gboolean              is_inner_adjacent,
                                   guint                 n_inner,
                                   const Id             *sums,
                                   guint                 n);
/* Multiplies each row of the results by the factor in the first columns of the tile of logits. */
void ghlo_spirv_attention_rescale (const SpirvAttention *self);
/* Writes the matrices for columns [@from, @end) to the tile of logits, starting at column 0. */
void ghlo_spirv_attention_put     (const SpirvAttention *self,
                                   const Id             *sums,
                                   guint                 n,
                                   guint                 from,
                                   guint                 end);

/* attention-softmax.c */
/* Replaces the strip's scores by logits, and publishes the maximum of the invocation's logits. */
void ghlo_spirv_attention_logits  (const SpirvAttention *self,
                                   Id                    begin);
/* Called after a barrier: computes the powers of the logits, and the factor for earlier ones. */
void ghlo_spirv_attention_powers  (const SpirvAttention *self);
/* Publishes @number in the word of the invocation. */
void ghlo_spirv_attention_publish (const SpirvAttention *self,
                                   Id                    number);
/* Returns the number that invocation @part of the row has published. */
Id   ghlo_spirv_attention_published (const SpirvAttention *self,
                                   guint                 part);

G_END_DECLS
