/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loads and stores: of one element for all lanes, of contiguous elements, or of separate elements for each lane. Where
 * the element does not exist in any lane, the dummy area is accessed instead.
 */

#include "cpu/llvm/emit-llvm.h"

#include <string.h>

enum { MASK_TIME = 4 };

static guint
size_of (const GhloEmitPlace *place)
{
  return ghlo_element_info (place->type)->size;
}

static void
set_metadata (Emitter    *self,
              Value       instruction,
              const char *kind,
              Value       node)
{
  LLVMSetMetadata (instruction, LLVMGetMDKindIDInContext (self->context, kind, (unsigned) strlen (kind)), node);
}

/* Attaches alias metadata: no two memories overlap. */
static Value
set_alias_scopes (Emitter             *self,
                  const GhloEmitPlace *place,
                  Value                instruction)
{
  set_metadata (self, instruction, "alias.scope", self->scopes[place->memory]);
  set_metadata (self, instruction, "noalias", self->others[place->memory]);

  return instruction;
}

/* The address of the elements where the scalar @inside holds, else that of the dummy area. */
static Value
address_if (Emitter             *self,
            const GhloEmitPlace *place,
            Value                inside)
{
  return inside != NULL ? LLVMBuildSelect (self->builder, inside, place->base, self->dummy, "") : place->base;
}

/* Whether @mask holds in any lane. */
static Value
any_lane (Emitter *self,
          Value    mask)
{
  Type type = LLVMTypeOf (mask);

  return ghlo_emit_intrinsic (self, "llvm.vector.reduce.or", &type, 1, &mask, 1);
}

static gboolean
is_uniform (const GhloEmitPlace *place)
{
  return place->stride == 0 && place->offsets == NULL;
}

static gboolean
is_contiguous (const GhloEmitPlace *place)
{
  return place->stride == size_of (place) && place->offsets == NULL;
}

static Value
load (Emitter             *self,
      const GhloEmitPlace *place,
      Type                 type,
      Value                address)
{
  Value loaded = LLVMBuildLoad2 (self->builder, type, address, "");

  LLVMSetAlignment (loaded, size_of (place));

  return set_alias_scopes (self, place, loaded);
}

static void
store (Emitter             *self,
       const GhloEmitPlace *place,
       Value                value,
       Value                address)
{
  Value stored = LLVMBuildStore (self->builder, value, address);

  LLVMSetAlignment (stored, size_of (place));
  set_alias_scopes (self, place, stored);
}

void
ghlo_emit_store_contiguous (Emitter             *self,
                            const GhloEmitPlace *place,
                            Value                value)
{
  store (self, place, value, place->base);
}

/* A vector with the addresses of all lanes. */
static Value
addresses_of (Emitter             *self,
              const GhloEmitPlace *place)
{
  Value offsets = place->offsets;

  if (offsets == NULL)
    offsets = ghlo_emit_steps (self, self->i64, place->stride);
  else if (place->stride != 0)
    offsets = LLVMBuildAdd (self->builder, offsets, ghlo_emit_steps (self, self->i64, place->stride), "");

  return ghlo_emit_byte_address (self, place->base, offsets);
}

static Value
masked_lanes (Emitter *self,
              Value    mask)
{
  return ghlo_emit_widen (self, mask != NULL ? mask : LLVMConstInt (self->i1, 1, FALSE));
}

static Value
alignment_of (Emitter             *self,
              const GhloEmitPlace *place)
{
  return LLVMConstInt (self->i32, size_of (place), FALSE);
}

/* The address of adjacent elements, or a vector of addresses. Where no lane has an element, adjacent ones are those of
 * the dummy area: a masked access of a page that is not mapped takes a processor some hundred cycles. */
static Value
addresses_if_masked (Emitter             *self,
                     const GhloEmitPlace *place)
{
  return is_contiguous (place) ? address_if (self, place, place->inside_all) : addresses_of (self, place);
}

/* @address is that of adjacent elements, or a vector of addresses; @fill is a vector of memory's type. */
static Value
read_masked (Emitter             *self,
             const GhloEmitPlace *place,
             Value                address,
             Value                mask,
             Value                fill)
{
  const char *intrinsic = ghlo_emit_is_vector (address) ? "llvm.masked.gather" : "llvm.masked.load";
  Value arguments[] = { address, alignment_of (self, place), masked_lanes (self, mask), fill };
  Type types[] = { LLVMTypeOf (fill), LLVMTypeOf (address) };

  return set_alias_scopes (self, place, ghlo_emit_intrinsic (self, intrinsic, types, 2, arguments, 4));
}

Value
ghlo_emit_load_contiguous (Emitter             *self,
                           const GhloEmitPlace *place,
                           Type                 type,
                           Value                mask)
{
  return mask == NULL ? load (self, place, type, place->base)
                      : read_masked (self, place, place->base, mask, LLVMConstNull (type));
}

/* Reverses the order of the lanes. */
static Value
reverse (Emitter *self,
         Value    value)
{
  Value lanes[GHLO_SCHEDULE_MAX_WIDTH];

  for (guint i = 0; i < self->width; i++)
    lanes[i] = LLVMConstInt (self->i32, self->width - 1 - i, FALSE);

  return LLVMBuildShuffleVector (self->builder, value, LLVMGetPoison (LLVMTypeOf (value)),
                                 LLVMConstVector (lanes, self->width), "");
}

/* Loads adjacent elements at descending addresses. */
static Value
load_reversed (Emitter             *self,
               const GhloEmitPlace *place,
               Type                 type)
{
  Value back = ghlo_emit_i64 (self, -(gint64) (self->width - 1) * size_of (place));
  Value address = ghlo_emit_byte_address (self, place->base, back);

  return reverse (self, load (self, place, type, address));
}

/* Converts @value from its type in memory. */
static Value
from_memory (Emitter             *self,
             const GhloEmitPlace *place,
             Value                value)
{
  Type type = ghlo_emit_type_like (self, self->i1, value);

  return place->type == GHLO_ELEMENT_TYPE_I1 ? LLVMBuildTrunc (self->builder, value, type, "") : value;
}

Value
ghlo_emit_to_memory (Emitter             *self,
                     const GhloEmitPlace *place,
                     Value                value)
{
  Type type = ghlo_emit_type_like (self, self->i8, value);

  return place->type == GHLO_ELEMENT_TYPE_I1 ? LLVMBuildZExt (self->builder, value, type, "") : value;
}

/* Loads one element that is shared by all lanes for which it exists. */
static Value
read_uniform (Emitter             *self,
              const GhloEmitPlace *place,
              Value                fill)
{
  Value inside = place->inside, value;

  if (inside != NULL && ghlo_emit_is_vector (inside))
    inside = any_lane (self, self->mask != NULL ? LLVMBuildAnd (self->builder, inside, self->mask, "") : inside);
  value = load (self, place, ghlo_emit_memory_type (self, place->type), address_if (self, place, inside));
  value = from_memory (self, place, value);

  return place->inside != NULL ? ghlo_emit_select (self, place->inside, value, fill) : value;
}

/* Whether the dummy area has room for all lanes. */
static gboolean
fits_dummy (const Emitter       *self,
            const GhloEmitPlace *place)
{
  return ghlo_emit_lane_distance (self, place) * self->width * size_of (place) <= GHLO_CODE_DUMMY_BYTES;
}

/* Whether to load whole vectors, for @lanes (nullable: for all), and to pick the lanes, rather than to gather them. A
 * mask that is not known has to be spread over each vector, by as many instructions as a gather of MASK_TIME lanes
 * takes. */
static gboolean
picks_lanes (const Emitter       *self,
             const GhloEmitPlace *place,
             Value                lanes)
{
  const guint size = size_of (place), distance = ghlo_emit_lane_distance (self, place);

  if (distance == 0 || lanes == NULL)
    return distance > 0;

  return self->target->masked_bytes > 0 && size >= self->target->masked_bytes
         && (LLVMIsConstant (lanes) || distance * MASK_TIME <= MIN (self->width, self->target->vector_bytes / size));
}

Value
ghlo_emit_read (Emitter             *self,
                const GhloEmitPlace *place,
                Value                fill)
{
  Type type = ghlo_emit_vector (self, ghlo_emit_memory_type (self, place->type));
  Value inside = place->inside, value, mask, lanes, background;

  if (fill == NULL)
    fill = LLVMConstNull (ghlo_emit_type (self, place->type));
  if (self->width == 1 || is_uniform (place))
    return read_uniform (self, place, fill);
  if (is_contiguous (place) && (inside == NULL || !ghlo_emit_is_vector (inside)))
    {
      Value address = address_if (self, place, inside);

      value = self->mask == NULL ? load (self, place, type, address)
                                 : read_masked (self, place, address, self->mask, LLVMConstNull (type));
      value = from_memory (self, place, value);
      return inside != NULL ? ghlo_emit_select (self, inside, value, fill) : value;
    }
  mask = ghlo_emit_and (self, inside, self->mask);
  background = ghlo_emit_to_memory (self, place, ghlo_emit_widen (self, fill));
  lanes = fits_dummy (self, place) ? ghlo_emit_and (self, place->inside_lanes, self->mask) : mask;
  if (picks_lanes (self, place, lanes))
    {
      GhloEmitPlace row = *place;

      row.base = address_if (self, place, place->inside_all);
      value = ghlo_emit_read_interleaved (self, &row, lanes != NULL ? masked_lanes (self, lanes) : NULL);
      return from_memory (self, place, mask != NULL ? ghlo_emit_select (self, mask, value, background) : value);
    }
  if (place->offsets == NULL && place->stride == -(gint64) size_of (place) && mask == NULL)
    return from_memory (self, place, load_reversed (self, place, type));
  value = read_masked (self, place, addresses_if_masked (self, place), mask, background);

  return from_memory (self, place, value);
}

static void
write_masked (Emitter             *self,
              const GhloEmitPlace *place,
              Value                address,
              Value                mask,
              Value                value)
{
  const char *intrinsic = ghlo_emit_is_vector (address) ? "llvm.masked.scatter" : "llvm.masked.store";
  Value arguments[] = { value, address, alignment_of (self, place), masked_lanes (self, mask) };
  Type types[] = { LLVMTypeOf (value), LLVMTypeOf (address) };

  set_alias_scopes (self, place, ghlo_emit_intrinsic (self, intrinsic, types, 2, arguments, 4));
}

/* How many of the first lanes are active, where this is known and the others are not; else 0. */
static guint
count_first (Value mask)
{
  guint n = 0, n_lanes = LLVMGetVectorSize (LLVMTypeOf (mask)), n_active = 0;

  if (!LLVMIsConstant (mask))
    return 0;
  for (guint i = 0; i < n_lanes; i++)
    if (!LLVMIsNull (LLVMGetAggregateElement (mask, i)))
      {
        n_active++;
        n = i + 1;
      }

  return n == n_active ? n : 0;
}

/* Stores the first @n lanes, in as few vectors as possible. */
static void
write_first (Emitter             *self,
             const GhloEmitPlace *place,
             Value                address,
             Value                value,
             guint                n)
{
  guint first = 0;

  for (guint part = LLVMGetVectorSize (LLVMTypeOf (value)); part > 0; part /= 2)
    if ((n & part) != 0)
      {
        store (self, place, ghlo_emit_take_lanes (self, value, first, part),
               ghlo_emit_byte_address (self, address, ghlo_emit_i64 (self, (gint64) first * size_of (place))));
        first += part;
      }
}

void
ghlo_emit_write (Emitter             *self,
                 const GhloEmitPlace *place,
                 Value                value)
{
  Value inside = place->inside;
  guint n_first;

  if (self->width == 1)
    {
      value = ghlo_emit_to_memory (self, place, value);
      store (self, place, value, address_if (self, place, inside));
      return;
    }
  value = ghlo_emit_to_memory (self, place, ghlo_emit_widen (self, value));
  /* Masked stores are slow where the processor has no registers for masks. */
  n_first = self->mask != NULL && self->target->masked_bytes != 1 ? count_first (self->mask) : 0;
  if (!is_contiguous (place) || (inside != NULL && ghlo_emit_is_vector (inside)))
    write_masked (self, place, addresses_if_masked (self, place), ghlo_emit_and (self, inside, self->mask), value);
  else if (n_first > 0)
    write_first (self, place, address_if (self, place, inside), value, n_first);
  else if (self->mask != NULL)
    write_masked (self, place, address_if (self, place, inside), self->mask, value);
  else
    store (self, place, value, address_if (self, place, inside));
}
