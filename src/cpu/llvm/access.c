/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Turns accesses into places: what is the same in all lanes is summed as scalars, what grows evenly from lane to lane
 * becomes the stride, and only the rest is computed per lane.
 */

#include "cpu/llvm/emit-llvm.h"

/* Nodes that a gather of all lanes counts for. */
enum { GATHER = 16 };

/* Of a prefetch: into all levels of the cache. */
enum { LINE = 64, LOCALITY = 3 };

/* A place under construction. offset is the bytes from the buffer's beginning in the first lane; it replaces
 * place.base. */
typedef struct
{
  Value         offset;
  GhloEmitPlace place;
} Sum;

/* How much a position with @strides grows from lane to lane. */
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

/* Whether 0 <= position < end, by one unsigned comparison: negative numbers become large ones. */
static Value
is_within (Emitter *self,
           Value    position,
           gint64   end)
{
  return LLVMBuildICmp (self->builder, LLVMIntULT, position, ghlo_emit_integer (self, self->i64, end, position), "");
}

/* Adds a condition (nullable) for the element to exist. */
static void
add_condition (Emitter *self,
               Sum     *sum,
               Value    condition)
{
  sum->place.inside = ghlo_emit_and (self, sum->place.inside, condition);
  if (condition != NULL && ghlo_emit_is_vector (condition))
    sum->place.inside_lanes = ghlo_emit_and (self, sum->place.inside_lanes, condition);
  else
    sum->place.inside_all = ghlo_emit_and (self, sum->place.inside_all, condition);
}

/* Adds a term whose position grows by @stride from lane to lane. */
static void
add_even (Emitter              *self,
          Sum                  *sum,
          guint                 number,
          Value                 position,
          gint64                stride)
{
  const GhloKernelTerm *term = &self->kernel->terms[number];
  Value inside;

  if (term->step > 1)
    {
      Value step = ghlo_emit_i64 (self, term->step);

      inside = LLVMBuildICmp (self->builder, LLVMIntEQ, LLVMBuildSRem (self->builder, position, step, ""),
                              ghlo_emit_i64 (self, 0), "");
      add_condition (self, sum, inside);
      position = LLVMBuildSDiv (self->builder, position, step, "");
      stride /= term->step;
    }
  if (self->guards[number] == GHLO_EMIT_GUARD_HOLDS)
    inside = NULL;
  else if (stride == 0)
    inside = is_within (self, position, term->end);
  else if (stride == 1)
    inside = ghlo_emit_lanes_from_to (self, LLVMBuildNeg (self->builder, position, ""),
                                      LLVMBuildSub (self->builder, ghlo_emit_i64 (self, term->end), position, ""));
  else
    inside = is_within (self, LLVMBuildAdd (self->builder, ghlo_emit_widen (self, position),
                                            ghlo_emit_steps (self, self->i64, stride), ""), term->end);
  add_condition (self, sum, inside);
  sum->offset = LLVMBuildAdd (self->builder, sum->offset, emit_bytes (self, position, term->stride), "");
  sum->place.stride += stride * term->stride;
}

/* Adds a term whose position is computed for each lane. */
static void
add_uneven (Emitter              *self,
            Sum                  *sum,
            const GhloKernelTerm *term,
            Value                 position)
{
  Value offsets;

  if (term->clamps)
    position = ghlo_emit_clamp (self, position, ghlo_emit_integer (self, self->i64, 0, position),
                                ghlo_emit_integer (self, self->i64, term->end - 1, position));
  else
    {
      Value step = ghlo_emit_integer (self, self->i64, term->step, position);
      Value remainder = LLVMBuildSRem (self->builder, position, step, "");
      Value divides = LLVMBuildICmp (self->builder, LLVMIntEQ, remainder, LLVMConstNull (LLVMTypeOf (position)), "");

      position = LLVMBuildSDiv (self->builder, position, step, "");
      add_condition (self, sum, divides);
      add_condition (self, sum, is_within (self, position, term->end));
    }
  offsets = emit_bytes (self, position, term->stride);
  sum->place.offsets = sum->place.offsets == NULL
                         ? offsets : LLVMBuildAdd (self->builder, sum->place.offsets, offsets, "");
}

/* The value of the term's node, converted to i64. */
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
add_term (Emitter *self,
          Sum     *sum,
          guint    number)
{
  const GhloKernelTerm *term = &self->kernel->terms[number];
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
      position = ghlo_emit_clamp (self, position, ghlo_emit_i64 (self, 0), ghlo_emit_i64 (self, term->end - 1));
      sum->offset = LLVMBuildAdd (self->builder, sum->offset, emit_bytes (self, position, term->stride), "");
    }
  else
    add_even (self, sum, number, position, stride);
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
    add_term (self, &sum, i);
  sum.place.base = ghlo_emit_byte_address (self, self->buffers[access->buffer], sum.offset);

  return sum.place;
}

guint
ghlo_emit_count_gather (const Emitter *self,
                        guint          number)
{
  const GhloKernelAccess *access = &self->kernel->accesses[number];
  const gint64 size = ghlo_element_info (access->type)->size;
  gint64 stride = lane_stride (self, access->strides);

  for (guint i = access->first_term; i < (guint) access->first_term + access->n_terms; i++)
    stride += lane_stride (self, self->kernel->terms[i].strides) / MAX (self->kernel->terms[i].step, 1)
              * self->kernel->terms[i].stride;

  if (access->n_terms == 0 || stride == 0 || stride == size)
    return 0;

  if (stride > 0 && stride % size == 0 && stride / size <= ghlo_emit_max_lane_distance (self, (guint) size))
    return (guint) (2 * stride / size);

  return GATHER;
}

/* Whether a guard of the access @number is known to fail. */
static gboolean
is_outside (const Emitter *self,
            guint          number)
{
  const GhloKernelAccess *access = &self->kernel->accesses[number];

  for (guint i = access->first_term; i < (guint) access->first_term + access->n_terms; i++)
    if (self->guards[i] == GHLO_EMIT_GUARD_FAILS)
      return TRUE;

  return FALSE;
}

Value
ghlo_emit_load (Emitter *self,
                guint    access,
                Value    fill)
{
  GhloEmitPlace place;

  if (is_outside (self, access))
    return fill != NULL ? fill : LLVMConstNull (ghlo_emit_type (self, self->kernel->accesses[access].type));
  if (self->staged[access] != NULL)
    return ghlo_emit_read_staged (self, access);
  place = find_place (self, access);
  ghlo_emit_find_neighbours (self, access, &place);

  return ghlo_emit_read (self, &place, fill);
}

void
ghlo_emit_prefetch (Emitter *self,
                    guint    access,
                    guint    n,
                    gint64   ahead)
{
  const GhloEmitPlace place = find_place (self, access);
  const gint64 bytes = (gint64) n * ghlo_element_info (place.type)->size;

  for (gint64 i = 0; i < bytes; i += LINE)
    {
      Value arguments[] = { ghlo_emit_byte_address (self, place.base, ghlo_emit_i64 (self, ahead + i)),
                            LLVMConstInt (self->i32, 0, FALSE), LLVMConstInt (self->i32, LOCALITY, FALSE),
                            LLVMConstInt (self->i32, 1, FALSE) };

      ghlo_emit_intrinsic (self, "llvm.prefetch", &self->pointer, 1, arguments, 4);
    }
}

/* Emits the interleaved store of all @n @stores in place of the last one. */
static void
write_interleaved (Emitter     *self,
                   guint        number,
                   const guint *stores,
                   guint        n)
{
  const GhloKernelStore *table = self->kernel->stores;
  GhloEmitPlace place = find_place (self, table[stores[0]].access);
  Value values[GHLO_SCHEDULE_MAX_LANE_STRIDE];

  for (guint i = 0; i < n; i++)
    {
      if (stores[i] > number)
        return;
      values[i] = ghlo_emit_to_memory (self, &place, ghlo_emit_widen (self, self->values[table[stores[i]].node]));
    }
  ghlo_emit_write_interleaved (self, &place, n, values);
}

void
ghlo_emit_store (Emitter *self,
                 guint    number)
{
  const GhloKernelStore *store = &self->kernel->stores[number];
  guint stores[GHLO_SCHEDULE_MAX_LANE_STRIDE], n;
  GhloEmitPlace place;

  if (is_outside (self, store->access))
    return;
  place = find_place (self, store->access);
  n = ghlo_emit_find_interleaved (self, number, &place, stores);
  if (n > 0)
    write_interleaved (self, number, stores, n);
  else
    ghlo_emit_write (self, &place, self->values[store->node]);
}

Value
ghlo_emit_inside (Emitter *self,
                  guint    access)
{
  Value inside;

  if (is_outside (self, access))
    return LLVMConstNull (self->i1);
  inside = find_place (self, access).inside;

  return inside != NULL ? inside : LLVMConstInt (self->i1, 1, FALSE);
}
