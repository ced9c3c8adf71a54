/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Accesses as places: what is the same in all lanes is added up as scalars, what grows evenly from lane to lane is a
 * stride, and only what remains is computed in each lane.
 */

#include "cpu/emit/emit-private.h"

/* A place on its way: the bytes from the buffer's beginning in the first lane, besides place.base. */
typedef struct
{
  Value         offset;
  GhloEmitPlace place;
} Sum;

/* The step from lane to lane of @strides. */
static gint64
lane_stride (const Emitter *self,
             const gint64  *strides)
{
  return self->width > 1 && self->lanes != GHLO_KERNEL_NONE ? strides[self->lanes] : 0;
}

static Value
emit_bytes (Emitter *self,
            Value    position,
            gint64   stride)
{
  return LLVMBuildMul (self->builder, position, ghlo_emit_integer (self, self->i64, stride, position), "");
}

/* Whether 0 <= position < end: as unsigned numbers, negative ones are large. */
static Value
is_within (Emitter *self,
           Value    position,
           gint64   end)
{
  return LLVMBuildICmp (self->builder, LLVMIntULT, position, ghlo_emit_integer (self, self->i64, end, position), "");
}

static Value
clamp (Emitter *self,
       Value    value,
       Value    least,
       Value    greatest)
{
  Type type = LLVMTypeOf (value);

  value = ghlo_emit_intrinsic (self, "llvm.smax", &type, 1, (Value[]) { value, least }, 2);

  return ghlo_emit_intrinsic (self, "llvm.smin", &type, 1, (Value[]) { value, greatest }, 2);
}

/* Which lanes of positions @first, @first + 1, … are within [0, end): those from one to another, which needs no vectors
 * of 64 bits. */
static Value
lanes_within (Emitter *self,
              Value    first,
              gint64   end)
{
  LLVMBuilderRef builder = self->builder;
  Value zero = ghlo_emit_i64 (self, 0), width = ghlo_emit_i64 (self, self->width), from, to, n;

  from = clamp (self, LLVMBuildSub (builder, zero, first, ""), zero, width);
  to = clamp (self, LLVMBuildSub (builder, ghlo_emit_i64 (self, end), first, ""), from, width);
  n = LLVMBuildTrunc (builder, LLVMBuildSub (builder, to, from, ""), self->i32, "");
  from = LLVMBuildTrunc (builder, from, self->i32, "");
  from = LLVMBuildSub (builder, ghlo_emit_steps (self, self->i32, 1), ghlo_emit_widen (self, from), "");

  return LLVMBuildICmp (builder, LLVMIntULT, from, ghlo_emit_widen (self, n), "");
}

/* A term whose position grows by @stride from lane to lane. */
static void
add_even (Emitter              *self,
          Sum                  *sum,
          const GhloKernelTerm *term,
          Value                 position,
          gint64                stride)
{
  Value inside;

  if (term->step > 1)
    {
      Value step = ghlo_emit_i64 (self, term->step);

      inside = LLVMBuildICmp (self->builder, LLVMIntEQ, LLVMBuildSRem (self->builder, position, step, ""),
                              ghlo_emit_i64 (self, 0), "");
      sum->place.inside = ghlo_emit_and (self, sum->place.inside, inside);
      position = LLVMBuildSDiv (self->builder, position, step, "");
      stride /= term->step;
    }
  if (stride == 0)
    inside = is_within (self, position, term->end);
  else if (stride == 1)
    inside = lanes_within (self, position, term->end);
  else
    inside = is_within (self, LLVMBuildAdd (self->builder, ghlo_emit_widen (self, position),
                                            ghlo_emit_steps (self, self->i64, stride), ""), term->end);
  sum->place.inside = ghlo_emit_and (self, sum->place.inside, inside);
  sum->offset = LLVMBuildAdd (self->builder, sum->offset, emit_bytes (self, position, term->stride), "");
  sum->place.stride += stride * term->stride;
}

/* A term with a position of its own in each lane. */
static void
add_uneven (Emitter              *self,
            Sum                  *sum,
            const GhloKernelTerm *term,
            Value                 position)
{
  Value offsets;

  if (term->clamps)
    position = clamp (self, position, ghlo_emit_integer (self, self->i64, 0, position),
                      ghlo_emit_integer (self, self->i64, term->end - 1, position));
  else
    {
      Value step = ghlo_emit_integer (self, self->i64, term->step, position);
      Value remainder = LLVMBuildSRem (self->builder, position, step, "");
      Value divides = LLVMBuildICmp (self->builder, LLVMIntEQ, remainder, LLVMConstNull (LLVMTypeOf (position)), "");

      position = LLVMBuildSDiv (self->builder, position, step, "");
      sum->place.inside = ghlo_emit_and (self, sum->place.inside, divides);
      sum->place.inside = ghlo_emit_and (self, sum->place.inside, is_within (self, position, term->end));
    }
  offsets = emit_bytes (self, position, term->stride);
  sum->place.offsets = sum->place.offsets == NULL
                         ? offsets : LLVMBuildAdd (self->builder, sum->place.offsets, offsets, "");
}

/* The value of the term's node, as i64. */
static Value
index_of (Emitter              *self,
          const GhloKernelTerm *term)
{
  Value value = self->values[term->node];
  GhloElementType type = self->kernel->nodes[term->node].type;
  Type wide = ghlo_emit_type_like (self, self->i64, value);

  return LLVMBuildIntCast2 (self->builder, value, wide, ghlo_node_types (type) == GHLO_NODE_TYPES_S, "");
}

static void
add_term (Emitter              *self,
          Sum                  *sum,
          const GhloKernelTerm *term)
{
  const gint64 stride = lane_stride (self, term->strides);
  Value position = ghlo_emit_sum (self, term->offset, term->strides);
  gboolean is_uneven = stride != 0 && (term->clamps || stride % MAX (term->step, 1) != 0);

  if (term->node != GHLO_KERNEL_NONE)
    {
      Value index = index_of (self, term);

      is_uneven = is_uneven || ghlo_emit_is_vector (index);
      if (is_uneven)
        index = ghlo_emit_widen (self, index);
      position = LLVMBuildAdd (self->builder, is_uneven ? ghlo_emit_widen (self, position) : position, index, "");
    }
  if (is_uneven)
    {
      position = ghlo_emit_widen (self, position);
      if (stride != 0)
        position = LLVMBuildAdd (self->builder, position, ghlo_emit_steps (self, self->i64, stride), "");
      add_uneven (self, sum, term, position);
    }
  else if (term->clamps)
    {
      position = clamp (self, position, ghlo_emit_i64 (self, 0), ghlo_emit_i64 (self, term->end - 1));
      sum->offset = LLVMBuildAdd (self->builder, sum->offset, emit_bytes (self, position, term->stride), "");
    }
  else
    add_even (self, sum, term, position, stride);
}

static GhloEmitPlace
find_place (Emitter *self,
            guint    number)
{
  const GhloKernelAccess *access = &self->kernel->accesses[number];
  Sum sum = {
    .offset = ghlo_emit_sum (self, access->offset, access->strides),
    .place = { .memory = ghlo_kernel_memory (self->kernel, access->buffer), .type = access->type,
               .stride = lane_stride (self, access->strides) },
  };

  for (guint i = access->first_term; i < access->first_term + access->n_terms; i++)
    add_term (self, &sum, &self->kernel->terms[i]);
  sum.place.base = ghlo_emit_byte_address (self, self->buffers[access->buffer], sum.offset);

  return sum.place;
}

Value
ghlo_emit_load (Emitter *self,
                guint    access,
                Value    fill)
{
  GhloEmitPlace place = find_place (self, access);

  return ghlo_emit_read (self, &place, fill);
}

void
ghlo_emit_store (Emitter *self,
                 guint    access,
                 Value    value)
{
  GhloEmitPlace place = find_place (self, access);

  ghlo_emit_write (self, &place, value);
}

Value
ghlo_emit_inside (Emitter *self,
                  guint    access)
{
  Value inside = find_place (self, access).inside;

  return inside != NULL ? inside : LLVMConstInt (self->i1, 1, FALSE);
}
