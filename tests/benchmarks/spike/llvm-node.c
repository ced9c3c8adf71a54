/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Nodes and accesses as LLVM IR. A value is scalar while nothing in it depends on the
 * lane, and is widened where it meets a vector.
 */

#include "llvm-emit-private.h"

#include <string.h>

typedef LLVMValueRef Value;

LLVMTypeRef
spike_llvm_type (Emitter *self,
                 guint8   type)
{
  switch (type)
    {
    case GHLO_ELEMENT_TYPE_I1: return LLVMInt1TypeInContext (self->context);
    case GHLO_ELEMENT_TYPE_I32: return LLVMInt32TypeInContext (self->context);
    case GHLO_ELEMENT_TYPE_I64: return self->i64;
    case GHLO_ELEMENT_TYPE_F64: return LLVMDoubleTypeInContext (self->context);
    default: return LLVMFloatTypeInContext (self->context);
    }
}

/* What an element is in memory. */
static LLVMTypeRef
storage_type (Emitter *self,
              guint8   element)
{
  if (element == GHLO_ELEMENT_TYPE_BF16)
    return LLVMInt16TypeInContext (self->context);
  if (element == GHLO_ELEMENT_TYPE_I1)
    return LLVMInt8TypeInContext (self->context);

  return spike_llvm_type (self, element);
}

static gboolean
is_vector (Value value)
{
  return LLVMGetTypeKind (LLVMTypeOf (value)) == LLVMVectorTypeKind;
}

static Value
splat_constant (Emitter *self,
                Value    value)
{
  Value lanes[256];

  for (guint i = 0; i < self->schedule->width; i++)
    lanes[i] = value;

  return LLVMConstVector (lanes, self->schedule->width);
}

Value
spike_llvm_widen (Emitter *self,
                  Value    value)
{
  LLVMTypeRef type = LLVMTypeOf (value), vector;
  Value one;

  if (is_vector (value))
    return value;
  if (LLVMIsConstant (value))
    return splat_constant (self, value);
  vector = LLVMVectorType (type, self->schedule->width);
  one = LLVMBuildInsertElement (self->builder, LLVMGetPoison (vector), value, LLVMConstNull (self->i64), "");

  return LLVMBuildShuffleVector (self->builder, one, LLVMGetPoison (vector),
                                 splat_constant (self, LLVMConstNull (LLVMInt32TypeInContext (self->context))), "");
}

Value
spike_llvm_iota (Emitter *self)
{
  Value lanes[256];

  for (guint i = 0; i < self->schedule->width; i++)
    lanes[i] = LLVMConstInt (self->i64, i, FALSE);

  return LLVMConstVector (lanes, self->schedule->width);
}

Value
spike_llvm_constant (Emitter *self,
                     guint8   type,
                     guint64  bits)
{
  LLVMTypeRef llvm = spike_llvm_type (self, type);

  if (type == GHLO_ELEMENT_TYPE_F32)
    return LLVMConstBitCast (LLVMConstInt (LLVMInt32TypeInContext (self->context), bits, FALSE), llvm);
  if (type == GHLO_ELEMENT_TYPE_F64)
    return LLVMConstBitCast (LLVMConstInt (self->i64, bits, FALSE), llvm);

  return LLVMConstInt (llvm, bits, FALSE);
}

/* Calls the intrinsic that is overloaded on @types. */
static Value
call (Emitter     *self,
      const char  *name,
      LLVMTypeRef *types,
      guint        n_types,
      Value       *arguments,
      guint        n)
{
  unsigned id = LLVMLookupIntrinsicID (name, strlen (name));
  Value function = LLVMGetIntrinsicDeclaration (self->module, id, types, n_types);

  return LLVMBuildCall2 (self->builder, LLVMGlobalGetValueType (function), function, arguments, n, "");
}

static Value
constant_i64 (Emitter *self,
              gint64   value)
{
  return LLVMConstInt (self->i64, value, TRUE);
}

/* offset + sum of stride × axis, at lane 0. */
static Value
affine (Emitter      *self,
        Copy         *copy,
        gint64        offset,
        const gint64 *strides)
{
  Value sum = constant_i64 (self, offset);

  for (guint i = 0; i < self->kernel->n_axes; i++)
    if (strides[i] != 0)
      sum = LLVMBuildAdd (self->builder, sum,
                          LLVMBuildMul (self->builder, copy->axes[i], constant_i64 (self, strides[i]), ""), "");

  return sum;
}

/* @base + lane × @stride in each lane. */
static Value
along_lanes (Emitter *self,
             Value    base,
             gint64   stride)
{
  Value steps = LLVMBuildMul (self->builder, spike_llvm_iota (self),
                              splat_constant (self, constant_i64 (self, stride)), "");

  return LLVMBuildAdd (self->builder, spike_llvm_widen (self, base), steps, "");
}

static Value
both (Emitter *self,
      Value    a,
      Value    b)
{
  if (a == NULL || b == NULL)
    return a == NULL ? b : a;
  if (is_vector (a) || is_vector (b))
    return LLVMBuildAnd (self->builder, spike_llvm_widen (self, a), spike_llvm_widen (self, b), "");

  return LLVMBuildAnd (self->builder, a, b, "");
}

/* NULL where there are no guards. Unsigned, a comparison finds negative ones too. */
static Value
guards (Emitter                *self,
        Copy                   *copy,
        const GhloKernelAccess *access)
{
  Value holds = NULL;

  for (guint i = 0; i < access->n_guards; i++)
    {
      const GhloKernelGuard *guard = &access->guards[i];
      gint64 stride = copy->vector ? guard->strides[self->schedule->vector_axis] : 0;
      Value value = affine (self, copy, guard->offset, guard->strides), end = constant_i64 (self, guard->end);

      if (stride != 0)
        {
          value = along_lanes (self, value, stride);
          end = splat_constant (self, end);
        }
      holds = both (self, holds, LLVMBuildICmp (self->builder, LLVMIntULT, value, end, ""));
    }

  return holds;
}

static Value
clamp_index (Emitter                *self,
             Copy                   *copy,
             const GhloKernelAccess *access)
{
  Value index = copy->values[access->index], bounds[] = { constant_i64 (self, 0),
                                                          constant_i64 (self, access->index_end - 1) };
  LLVMTypeRef type = is_vector (index) ? LLVMVectorType (self->i64, self->schedule->width) : self->i64;
  Value stride = constant_i64 (self, access->index_stride);

  if (self->kernel->nodes[access->index].type == GHLO_ELEMENT_TYPE_I32)
    index = LLVMBuildSExt (self->builder, index, type, "");
  if (is_vector (index))
    {
      bounds[0] = splat_constant (self, bounds[0]);
      bounds[1] = splat_constant (self, bounds[1]);
      stride = splat_constant (self, stride);
    }
  index = call (self, "llvm.smax", &type, 1, (Value[]) { index, bounds[0] }, 2);
  index = call (self, "llvm.smin", &type, 1, (Value[]) { index, bounds[1] }, 2);

  return LLVMBuildMul (self->builder, index, stride, "");
}

typedef struct
{
  Value    pointer;     /* one, or one for each lane */
  Value    mask;        /* NULL: all */
  gboolean lanes;       /* elements of lanes lie side by side behind one pointer */
  gboolean uniform;     /* one element for all lanes */
} Address;

static Address
find (Emitter                *self,
      Copy                   *copy,
      const GhloKernelAccess *access)
{
  gint64 stride = copy->vector ? access->strides[self->schedule->vector_axis] : 0;
  Value offset = affine (self, copy, access->offset, access->strides), holds = guards (self, copy, access);
  Address address = { .mask = holds };

  if (access->index != GHLO_KERNEL_NONE)
    {
      Value moved = clamp_index (self, copy, access);

      if (is_vector (moved))
        offset = along_lanes (self, offset, stride);
      offset = LLVMBuildAdd (self->builder, offset, moved, "");
    }
  if (!is_vector (offset))
    {
      address.lanes = stride == ghlo_element_info (access->element)->size;
      address.uniform = stride == 0 && (holds == NULL || !is_vector (holds));
      if (stride != 0 && !address.lanes)
        offset = along_lanes (self, offset, stride);
      else if (stride == 0 && !address.uniform)
        offset = spike_llvm_widen (self, offset);
    }
  if (!address.uniform)
    address.mask = both (self, holds, copy->mask);
  address.pointer = LLVMBuildGEP2 (self->builder, LLVMInt8TypeInContext (self->context),
                                   self->buffers[access->buffer], &offset, 1, "");

  return address;
}

static Value
all_lanes (Emitter *self,
           Value    mask)
{
  if (mask == NULL)
    mask = LLVMConstInt (LLVMInt1TypeInContext (self->context), 1, FALSE);

  return spike_llvm_widen (self, mask);
}

/* @fill is of the storage type; nothing is read where the mask is off. */
static Value
read_lanes (Emitter *self,
            Address *address,
            guint8   element,
            Value    fill)
{
  LLVMTypeRef vector = LLVMVectorType (storage_type (self, element), self->schedule->width);
  Value align = LLVMConstInt (LLVMInt32TypeInContext (self->context), ghlo_element_info (element)->size, FALSE);
  Value arguments[] = { address->pointer, align, all_lanes (self, address->mask), fill, };
  LLVMTypeRef types[] = { vector, LLVMTypeOf (address->pointer) };
  Value loaded;

  if (!address->lanes)
    return call (self, "llvm.masked.gather", types, 2, arguments, 4);
  if (address->mask != NULL)
    return call (self, "llvm.masked.load", types, 2, arguments, 4);
  loaded = LLVMBuildLoad2 (self->builder, vector, address->pointer, "");
  LLVMSetAlignment (loaded, ghlo_element_info (element)->size);

  return loaded;
}

/* A guard that no lane decides: read from a place of zeros where it does not hold. */
static Value
read_one (Emitter *self,
          Address *address,
          guint8   element)
{
  LLVMTypeRef type = storage_type (self, element);
  Value from = address->pointer, loaded;

  if (address->mask != NULL)
    from = LLVMBuildSelect (self->builder, address->mask, from, self->scratch, "");
  loaded = LLVMBuildLoad2 (self->builder, type, from, "");
  LLVMSetAlignment (loaded, ghlo_element_info (element)->size);

  return loaded;
}

static LLVMTypeRef
like (Emitter     *self,
      LLVMTypeRef  type,
      Value        value)
{
  return is_vector (value) ? LLVMVectorType (type, self->schedule->width) : type;
}

static Value
same_shape (Emitter *self,
            Value    constant,
            Value    value)
{
  return is_vector (value) ? splat_constant (self, constant) : constant;
}

/* From storage to arithmetic. */
static Value
unpack (Emitter *self,
        guint8   element,
        Value    value)
{
  LLVMTypeRef i32 = LLVMInt32TypeInContext (self->context);

  if (element == GHLO_ELEMENT_TYPE_I1)
    return LLVMBuildTrunc (self->builder, value, like (self, LLVMInt1TypeInContext (self->context), value), "");
  if (element != GHLO_ELEMENT_TYPE_BF16)
    return value;
  value = LLVMBuildZExt (self->builder, value, like (self, i32, value), "");
  value = LLVMBuildShl (self->builder, value, same_shape (self, LLVMConstInt (i32, 16, FALSE), value), "");

  return LLVMBuildBitCast (self->builder, value, like (self, LLVMFloatTypeInContext (self->context), value), "");
}

/* bf16 by integers, to nearest, ties to even: the instruction flushes subnormals. */
static Value
pack (Emitter *self,
      guint8   element,
      Value    value)
{
  LLVMTypeRef i32 = LLVMInt32TypeInContext (self->context);
  LLVMBuilderRef b = self->builder;
  Value bits, odd, nan, quiet;

  if (element == GHLO_ELEMENT_TYPE_I1)
    return LLVMBuildZExt (b, value, like (self, LLVMInt8TypeInContext (self->context), value), "");
  if (element != GHLO_ELEMENT_TYPE_BF16)
    return value;
#define C(n) same_shape (self, LLVMConstInt (i32, n, FALSE), value)
  bits = LLVMBuildBitCast (b, value, like (self, i32, value), "");
  odd = LLVMBuildAnd (b, LLVMBuildLShr (b, bits, C (16), ""), C (1), "");
  nan = LLVMBuildFCmp (b, LLVMRealUNO, value, value, "");
  quiet = LLVMBuildOr (b, LLVMBuildLShr (b, bits, C (16), ""), C (0x40), "");
  bits = LLVMBuildAdd (b, bits, LLVMBuildAdd (b, odd, C (0x7fff), ""), "");
  bits = LLVMBuildSelect (b, nan, quiet, LLVMBuildLShr (b, bits, C (16), ""), "");
#undef C

  return LLVMBuildTrunc (b, bits, like (self, LLVMInt16TypeInContext (self->context), value), "");
}

static Value
load (Emitter *self,
      Copy    *copy,
      guint    number)
{
  const GhloKernelAccess *access = &self->kernel->accesses[number];
  Address address = find (self, copy, access);
  LLVMTypeRef type = storage_type (self, access->element);
  Value fill = access->n_guards > 0 && access->fill != GHLO_KERNEL_NONE ? copy->values[access->fill] : NULL;
  Value value;

  if (address.uniform)
    {
      value = unpack (self, access->element, read_one (self, &address, access->element));
      return fill == NULL ? value : LLVMBuildSelect (self->builder, address.mask, value, fill, "");
    }
  value = fill == NULL ? LLVMConstNull (LLVMVectorType (type, self->schedule->width))
                       : pack (self, access->element, spike_llvm_widen (self, fill));

  return unpack (self, access->element, read_lanes (self, &address, access->element, value));
}

/* A temporary in scratch: @instance's part, row-major over the axes that it spans. */
static Address
find_scratch (Emitter *self,
              Copy    *copy,
              guint    number)
{
  const GhloKernelTemporary *temporary = &self->kernel->temporaries[number];
  gint64 size = ghlo_element_info (temporary->type)->size, strides[GHLO_KERNEL_MAX_AXES] = { 0 };
  Address address = { .mask = copy->mask };
  Value offset;

  for (guint i = self->kernel->n_axes; i-- > 0;)
    if (temporary->axes >> i & 1)
      {
        strides[i] = size;
        size *= self->kernel->axes[i].extent;
      }
  address.lanes = copy->vector && temporary->axes >> self->schedule->vector_axis & 1;
  address.uniform = !address.lanes;
  if (address.uniform)
    address.mask = NULL;
  size = (size + 63) & ~(gint64) 63;
  offset = affine (self, copy, self->scratch_offsets[number] + copy->instance * size, strides);
  address.pointer = LLVMBuildGEP2 (self->builder, LLVMInt8TypeInContext (self->context), self->scratch, &offset, 1,
                                   "");

  return address;
}

static Value
read_temporary (Emitter *self,
                Copy    *copy,
                guint    number)
{
  const GhloKernelTemporary *temporary = &self->kernel->temporaries[number];
  Address address;

  if (temporary->axes == 0)
    return self->registers[copy->instance][number][0];
  if (self->schedule->places[number] == GHLO_PLACE_REGISTER)
    return self->registers[copy->instance][number][copy->chunk];
  address = find_scratch (self, copy, number);
  if (address.uniform)
    return read_one (self, &address, temporary->type);

  return read_lanes (self, &address, temporary->type,
                     LLVMConstNull (LLVMVectorType (storage_type (self, temporary->type), self->schedule->width)));
}

static void
write_value (Emitter *self,
             Address *address,
             guint8   element,
             Value    value)
{
  Value align = LLVMConstInt (LLVMInt32TypeInContext (self->context), ghlo_element_info (element)->size, FALSE);
  LLVMTypeRef types[] = { LLVMTypeOf (value), LLVMTypeOf (address->pointer) };
  Value stored;

  if (is_vector (value) && (address->mask != NULL || !address->lanes))
    {
      call (self, address->lanes ? "llvm.masked.store" : "llvm.masked.scatter", types, 2,
            (Value[]) { value, address->pointer, align, all_lanes (self, address->mask) }, 4);
      return;
    }
  stored = LLVMBuildStore (self->builder, value, address->pointer);
  LLVMSetAlignment (stored, ghlo_element_info (element)->size);
}

void
spike_llvm_store (Emitter               *self,
                  Copy                  *copy,
                  const GhloKernelStore *store)
{
  Value value = copy->values[store->node];
  guint8 element;
  Address address;

  if (copy->vector)
    value = spike_llvm_widen (self, value);
  if (store->access == GHLO_KERNEL_NONE)
    {
      const GhloKernelTemporary *temporary = &self->kernel->temporaries[store->temporary];

      if (temporary->axes == 0 || self->schedule->places[store->temporary] == GHLO_PLACE_REGISTER)
        {
          self->registers[copy->instance][store->temporary][temporary->axes == 0 ? 0 : copy->chunk] = value;
          return;
        }
      address = find_scratch (self, copy, store->temporary);
      element = temporary->type;
    }
  else
    {
      const GhloKernelAccess *access = &self->kernel->accesses[store->access];

      address = find (self, copy, access);
      element = access->element;
    }
  write_value (self, &address, element, pack (self, element, value));
}

static const struct
{
  gint        of_floats, of_integers;   /* LLVM's opcode or predicate, 0 where there is none */
  const char *float_intrinsic, *integer_intrinsic;
} operations[GHLO_N_NODES] = {
  [GHLO_NODE_ADD] = { LLVMFAdd, LLVMAdd },
  [GHLO_NODE_SUBTRACT] = { LLVMFSub, LLVMSub },
  [GHLO_NODE_MULTIPLY] = { LLVMFMul, LLVMMul },
  [GHLO_NODE_DIVIDE] = { LLVMFDiv, 0 },
  [GHLO_NODE_FMA] = { .float_intrinsic = "llvm.fma" },
  [GHLO_NODE_MINIMUM] = { .float_intrinsic = "llvm.minimum", .integer_intrinsic = "llvm.smin" },
  [GHLO_NODE_MAXIMUM] = { .float_intrinsic = "llvm.maximum", .integer_intrinsic = "llvm.smax" },
  [GHLO_NODE_SQRT] = { .float_intrinsic = "llvm.sqrt" },
  [GHLO_NODE_AND] = { 0, LLVMAnd },
  [GHLO_NODE_OR] = { 0, LLVMOr },
  [GHLO_NODE_XOR] = { 0, LLVMXor },
  [GHLO_NODE_SHIFT_LEFT] = { 0, LLVMShl },
  [GHLO_NODE_SHIFT_RIGHT] = { 0, LLVMAShr },
  [GHLO_NODE_EQUAL] = { LLVMRealOEQ, LLVMIntEQ },
  [GHLO_NODE_NOT_EQUAL] = { LLVMRealUNE, LLVMIntNE },
  [GHLO_NODE_LESS] = { LLVMRealOLT, LLVMIntSLT },
  [GHLO_NODE_LESS_EQUAL] = { LLVMRealOLE, LLVMIntSLE },
  [GHLO_NODE_GREATER] = { LLVMRealOGT, LLVMIntSGT },
  [GHLO_NODE_GREATER_EQUAL] = { LLVMRealOGE, LLVMIntSGE },
};

static Value
convert (Emitter *self,
         guint8   to,
         guint8   from,
         Value    value)
{
  LLVMTypeRef type = like (self, spike_llvm_type (self, to), value);
  gboolean float_from = ghlo_element_type_is_float (from), float_to = ghlo_element_type_is_float (to);

  if (float_from && float_to)
    return LLVMBuildFPCast (self->builder, value, type, "");
  if (float_from)
    return LLVMBuildFPToSI (self->builder, value, type, "");
  if (float_to)
    return LLVMBuildSIToFP (self->builder, value, type, "");

  return LLVMBuildIntCast2 (self->builder, value, type, TRUE, "");
}

/* The value of an axis, in each lane where it is the vector axis. */
static Value
axis_value (Emitter              *self,
            Copy                 *copy,
            const GhloKernelNode *node)
{
  Value value = copy->axes[node->which];

  if (copy->vector && node->which == self->schedule->vector_axis)
    value = along_lanes (self, value, 1);
  if (node->type == GHLO_ELEMENT_TYPE_I64)
    return value;

  return LLVMBuildTrunc (self->builder, value, like (self, spike_llvm_type (self, node->type), value), "");
}

static Value
leaf (Emitter              *self,
      Copy                 *copy,
      const GhloKernelNode *node)
{
  switch (node->kind)
    {
    case GHLO_NODE_CONSTANT: return spike_llvm_constant (self, node->type, node->bits);
    case GHLO_NODE_AXIS: return axis_value (self, copy, node);
    case GHLO_NODE_LOAD: return load (self, copy, node->which);
    case GHLO_NODE_TEMPORARY: return read_temporary (self, copy, node->which);
    case GHLO_NODE_LEFT: return copy->left[node->which];
    default: return copy->right[node->which];
    }
}

Value
spike_llvm_node (Emitter *self,
                 Copy    *copy,
                 guint    number)
{
  const GhloKernelNode *node = &self->kernel->nodes[number];
  Value operands[3];
  gboolean vector = FALSE, floats;
  guint8 type;
  guint n = 0;

  if (node->kind <= GHLO_NODE_RIGHT)
    return leaf (self, copy, node);
  for (; n < 3 && node->operands[n] != GHLO_KERNEL_NONE; n++)
    {
      operands[n] = copy->values[node->operands[n]];
      vector = vector || is_vector (operands[n]);
    }
  for (guint i = 0; i < n && vector; i++)
    operands[i] = spike_llvm_widen (self, operands[i]);
  type = self->kernel->nodes[node->operands[0]].type;
  floats = ghlo_element_type_is_float (type);
  if (node->kind == GHLO_NODE_SELECT)
    return LLVMBuildSelect (self->builder, operands[0], operands[1], operands[2], "");
  if (node->kind == GHLO_NODE_CONVERT)
    return convert (self, node->type, type, operands[0]);
  if (node->kind == GHLO_NODE_BITCAST)
    return LLVMBuildBitCast (self->builder, operands[0],
                             like (self, spike_llvm_type (self, node->type), operands[0]), "");
  if (node->kind >= GHLO_NODE_EQUAL && node->kind <= GHLO_NODE_GREATER_EQUAL)
    return floats ? LLVMBuildFCmp (self->builder, operations[node->kind].of_floats, operands[0], operands[1], "")
                  : LLVMBuildICmp (self->builder, operations[node->kind].of_integers, operands[0], operands[1], "");
  if (operations[node->kind].float_intrinsic != NULL)
    {
      LLVMTypeRef overload = LLVMTypeOf (operands[0]);

      return call (self, floats ? operations[node->kind].float_intrinsic : operations[node->kind].integer_intrinsic,
                   &overload, 1, operands, n);
    }

  return LLVMBuildBinOp (self->builder, floats ? operations[node->kind].of_floats : operations[node->kind].of_integers,
                         operands[0], operands[1], "");
}
