/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the parts of the emitter of attention share. Numbers and indices are 32 bits wide, addresses 64.
 */

#pragma once

#include "vulkan/spirv/attention.h"
#include "vulkan/spirv/product-private.h"

G_BEGIN_DECLS

enum
{
  GHLO_SPIRV_MAX_STRIP = 16,            /* matrices of a subgroup side by side */
  GHLO_SPIRV_VECTOR    = 4,             /* words of one */
};

/* A part of shared memory, in vectors: rows of one or two planes. */
typedef struct
{
  guint at, pitch, plane;
} SpirvTile;

/* One operand on its way to a tile. */
typedef struct
{
  const SpirvProduct *product;
  guint               tensor, bit;      /* of the product; of GhloSpirvAttention.fours */
  GhloSpirvRole       rows, inner;      /* its roles of rows and of what is along them */
  Id                  n_rows, n_inner;  /* that there are */
  guint               tile_rows, tile_inner;
  SpirvTile           tile;
} SpirvOperand;

typedef struct
{
  Spirv                    *spirv;
  const GhloSpirvAttention *shape;
  SpirvProduct             *scores, *values;    /* what the table has of both */
  SpirvProduct             *weights;    /* conversions from f32 to components */
  Id                        vector, shared;     /* type; variable: an array of vectors */
  Id                        number;     /* type: f32 */
  Id                        lane;       /* in the workgroup */
  Id                        in_group, strip, column_group;      /* lane of the group; which 16 rows, and columns */
  Id                        row, part;  /* of the workgroup, which the invocation makes logits of; and of its columns */
  guint                     n_parts;    /* invocations of a row */
  Id                        first_row;
  SpirvOperand              operands[GHLO_SPIRV_OUTPUT];
  SpirvTile                 logits, powers;     /* f32 and components */
  guint                     numbers_at; /* vectors: a word for each invocation */
  Id                        maximum, total;     /* variables, of the row and of the invocation's part of it */
  guint                     n_scores, n_results;
  Id                        sums[GHLO_SPIRV_MAX_STRIP], results[GHLO_SPIRV_MAX_STRIP];  /* matrices */
  Id                        matrices[GHLO_SPIRV_RESULT][2];     /* variables: of both planes of an operand */
  Id                        held[GHLO_SPIRV_ATTENTION_MAX_HELD];
} SpirvAttention;

/* Elements of a vector. */
static inline guint
ghlo_spirv_attention_unit (const GhloSpirvAttention *shape)
{
  return GHLO_SPIRV_PIECE_BYTES / ghlo_element_info (shape->component)->size;
}

/* Whether components have fewer bits than numbers, and there is no other plane for the rest of these. */
static inline gboolean
ghlo_spirv_attention_is_narrow (const GhloSpirvAttention *shape)
{
  return shape->component != GHLO_ELEMENT_TYPE_F32 && shape->n_planes == 1;
}

/* attention.c */
/* Of shared memory, which other invocations see behind a barrier: what is at @pointer, and @value to there. */
Id   ghlo_spirv_attention_get     (const SpirvAttention *self,
                                   Id                    type,
                                   Id                    pointer);
void ghlo_spirv_attention_set     (const SpirvAttention *self,
                                   Id                    pointer,
                                   Id                    value);
/* Vector @place. */
Id   ghlo_spirv_attention_load    (const SpirvAttention *self,
                                   Id                    place);
void ghlo_spirv_attention_store   (const SpirvAttention *self,
                                   Id                    place,
                                   Id                    vector);
/* The four numbers of a vector, and back. */
void ghlo_spirv_attention_numbers (const SpirvAttention *self,
                                   Id                    vector,
                                   Id                   *numbers);
Id   ghlo_spirv_attention_vector  (const SpirvAttention *self,
                                   const Id             *numbers);
/* Of row @row in @tile the vector @index. */
Id   ghlo_spirv_attention_place   (const SpirvAttention *self,
                                   const SpirvTile      *tile,
                                   Id                    row,
                                   Id                    index);
void ghlo_spirv_attention_barrier (const SpirvAttention *self);

/* attention-stage.c */
/* What the invocation brings of the block whose first row is @first: fetched into variables; and from there to shared
 * memory. Or both at once. */
void ghlo_spirv_attention_fetch   (const SpirvAttention *self,
                                   const SpirvOperand   *operand,
                                   Id                    first);
void ghlo_spirv_attention_stage   (const SpirvAttention *self,
                                   const SpirvOperand   *operand);
void ghlo_spirv_attention_bring   (const SpirvAttention *self,
                                   const SpirvOperand   *operand,
                                   Id                    first);
/* Vectors that an invocation brings. */
guint ghlo_spirv_attention_brings (const SpirvAttention *self,
                                   const SpirvOperand   *operand);
/* As many elements of components, where these are narrow, or else numbers of f32, as a vector has: a vector of each
 * plane. */
void ghlo_spirv_attention_pack    (const SpirvAttention *self,
                                   const Id             *elements,
                                   Id                   *planes);

/* attention-matrix.c */
void ghlo_spirv_attention_make    (SpirvAttention       *self);
/* The strip of matrices @sums, or 0. */
void ghlo_spirv_attention_clear   (const SpirvAttention *self,
                                   const Id             *sums,
                                   guint                 n);
/* Adds the product of the strip of @a and @b, whose rows are along k where @is_inner_adjacent is FALSE. */
void ghlo_spirv_attention_multiply (const SpirvAttention *self,
                                   const SpirvTile      *a,
                                   const SpirvTile      *b,
                                   gboolean              is_inner_adjacent,
                                   guint                 n_inner,
                                   const Id             *sums,
                                   guint                 n);
/* Multiplies each row of the results by the number that the logits have in its first columns. */
void ghlo_spirv_attention_rescale (const SpirvAttention *self);
/* Matrices whose columns are @from to @end, to the tile of logits from column 0 on. */
void ghlo_spirv_attention_put     (const SpirvAttention *self,
                                   const Id             *sums,
                                   guint                 n,
                                   guint                 from,
                                   guint                 end);

/* attention-softmax.c */
/* The strip's logits in place of its scores, and their maximum in the invocation's word. */
void ghlo_spirv_attention_logits  (const SpirvAttention *self,
                                   Id                    begin);
/* Behind a barrier: their powers, and what earlier ones are to be multiplied by. */
void ghlo_spirv_attention_powers  (const SpirvAttention *self);
/* The word of the invocation. */
void ghlo_spirv_attention_tell    (const SpirvAttention *self,
                                   Id                    number);
/* What all invocations of the row have told. */
Id   ghlo_spirv_attention_told    (const SpirvAttention *self,
                                   guint                 part);

G_END_DECLS
