/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A SPIR-V word builder of a few functions, and the emitter on it. Sections of a module
 * are arrays of their own, put together at the end. Types and constants are made once
 * for equal words. An address is 64-bit integer arithmetic, made a pointer at the access.
 */

#include "spirv-emit.h"

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>
#include <string.h>

typedef guint32 Id;

typedef struct
{
  const GhloKernel   *kernel;
  const GhloSchedule *schedule;
  GArray             *head, *decorations, *globals, *code;
  GHashTable         *unique;   /* words of a type or constant to its id */
  Id                  last, glsl, push, buffers[GHLO_KERNEL_MAX_BUFFERS];
} Emitter;

static Id
new_id (Emitter *self)
{
  return ++self->last;
}

static void
words (GArray        *section,
       SpvOp          op,
       const guint32 *operands,
       guint          n)
{
  guint32 first = (n + 1) << SpvWordCountShift | op;

  g_array_append_val (section, first);
  g_array_append_vals (section, operands, n);
}

#define WORDS(section, op, ...) \
  words (section, op, (const guint32[]) { __VA_ARGS__ }, G_N_ELEMENTS (((const guint32[]) { __VA_ARGS__ })))

/* An instruction with a result among the types and constants, its type among @operands
 * where it has one. */
static Id
unique (Emitter       *self,
        SpvOp          op,
        gboolean       typed,
        const guint32 *operands,
        guint          n)
{
  guint32 all[16] = { op };
  g_autoptr (GBytes) key = NULL;
  gpointer found;
  Id id;

  memcpy (all + 1, operands, n * sizeof *operands);
  key = g_bytes_new (all, (n + 1) * sizeof *all);
  found = g_hash_table_lookup (self->unique, key);
  if (found != NULL)
    return GPOINTER_TO_UINT (found);
  id = new_id (self);
  if (typed)
    {
      all[0] = operands[0];
      all[1] = id;
      memcpy (all + 2, operands + 1, (n - 1) * sizeof *operands);
    }
  else
    {
      all[0] = id;
      memcpy (all + 1, operands, n * sizeof *operands);
    }
  words (self->globals, op, all, n + 1);
  g_hash_table_insert (self->unique, g_steal_pointer (&key), GUINT_TO_POINTER (id));

  return id;
}

#define TYPE(op, ...) \
  unique (self, op, FALSE, (const guint32[]) { __VA_ARGS__ }, G_N_ELEMENTS (((const guint32[]) { __VA_ARGS__ })))
#define CONSTANT(...) \
  unique (self, SpvOpConstant, TRUE, (const guint32[]) { __VA_ARGS__ }, \
          G_N_ELEMENTS (((const guint32[]) { __VA_ARGS__ })))

static Id
code (Emitter       *self,
      SpvOp          op,
      Id             type,
      const guint32 *operands,
      guint          n)
{
  guint32 all[16] = { type, new_id (self) };

  memcpy (all + 2, operands, n * sizeof *operands);
  words (self->code, op, all, n + 2);

  return all[1];
}

#define CODE(op, type, ...) \
  code (self, op, type, (const guint32[]) { __VA_ARGS__ }, G_N_ELEMENTS (((const guint32[]) { __VA_ARGS__ })))

static Id
u32 (Emitter *self)
{
  return TYPE (SpvOpTypeInt, 32, 0);
}

static Id
u64 (Emitter *self)
{
  return TYPE (SpvOpTypeInt, 64, 0);
}

static Id
number (Emitter *self,
        guint32  value)
{
  return CONSTANT (u32 (self), value);
}

static Id
number64 (Emitter *self,
          guint64  value)
{
  return CONSTANT (u64 (self), (guint32) value, (guint32) (value >> 32));
}

/* @lanes of an arithmetic type. */
static Id
value_type (Emitter *self,
            guint8   type,
            guint    lanes)
{
  Id scalar = type == GHLO_ELEMENT_TYPE_F32 ? TYPE (SpvOpTypeFloat, 32)
              : type == GHLO_ELEMENT_TYPE_I32 ? u32 (self)
              : unique (self, SpvOpTypeBool, FALSE, NULL, 0);

  return lanes == 1 ? scalar : TYPE (SpvOpTypeVector, scalar, lanes);
}

static Id
constant (Emitter *self,
          guint8   type,
          guint32  bits,
          guint    lanes)
{
  Id scalar = CONSTANT (value_type (self, type, 1), bits);
  guint32 operands[5] = { value_type (self, type, lanes), scalar, scalar, scalar, scalar };

  return lanes == 1 ? scalar : unique (self, SpvOpConstantComposite, TRUE, operands, lanes + 1);
}

/* A pointer to @lanes elements at an address. */
static Id
pointer (Emitter *self,
         Id       address,
         guint8   element,
         guint    lanes)
{
  Id type = TYPE (SpvOpTypePointer, SpvStorageClassPhysicalStorageBuffer, value_type (self, element, lanes));

  return CODE (SpvOpConvertUToPtr, type, address);
}

static Id
find (Emitter                *self,
      const GhloKernelAccess *access,
      Id                      point,
      guint                   lanes)
{
  gint64 stride = access->strides[0];
  Id offset = CODE (SpvOpIMul, u64 (self), CODE (SpvOpUConvert, u64 (self), point), number64 (self, stride));
  Id address = CODE (SpvOpIAdd, u64 (self), self->buffers[access->buffer], offset);

  address = CODE (SpvOpIAdd, u64 (self), address, number64 (self, access->offset));

  return pointer (self, address, access->element, stride == 0 ? 1 : lanes);
}

static const struct
{
  guint16 of_floats, of_integers, of_booleans, extended;
} operations[GHLO_N_NODES] = {
  [GHLO_NODE_ADD] = { SpvOpFAdd, SpvOpIAdd },
  [GHLO_NODE_SUBTRACT] = { SpvOpFSub, SpvOpISub },
  [GHLO_NODE_MULTIPLY] = { SpvOpFMul, SpvOpIMul },
  [GHLO_NODE_DIVIDE] = { SpvOpFDiv },
  [GHLO_NODE_FMA] = { .extended = GLSLstd450Fma },
  [GHLO_NODE_SQRT] = { .extended = GLSLstd450Sqrt },
  [GHLO_NODE_AND] = { 0, SpvOpBitwiseAnd, SpvOpLogicalAnd },
  [GHLO_NODE_OR] = { 0, SpvOpBitwiseOr, SpvOpLogicalOr },
  [GHLO_NODE_XOR] = { 0, SpvOpBitwiseXor, SpvOpLogicalNotEqual },
  [GHLO_NODE_SHIFT_LEFT] = { 0, SpvOpShiftLeftLogical },
  [GHLO_NODE_SHIFT_RIGHT] = { 0, SpvOpShiftRightArithmetic },
  [GHLO_NODE_EQUAL] = { SpvOpFOrdEqual, SpvOpIEqual, SpvOpLogicalEqual },
  [GHLO_NODE_NOT_EQUAL] = { SpvOpFUnordNotEqual, SpvOpINotEqual, SpvOpLogicalNotEqual },
  [GHLO_NODE_LESS] = { SpvOpFOrdLessThan, SpvOpSLessThan },
  [GHLO_NODE_LESS_EQUAL] = { SpvOpFOrdLessThanEqual, SpvOpSLessThanEqual },
  [GHLO_NODE_GREATER] = { SpvOpFOrdGreaterThan, SpvOpSGreaterThan },
  [GHLO_NODE_GREATER_EQUAL] = { SpvOpFOrdGreaterThanEqual, SpvOpSGreaterThanEqual },
  [GHLO_NODE_SELECT] = { SpvOpSelect, SpvOpSelect, SpvOpSelect },
  [GHLO_NODE_BITCAST] = { SpvOpBitcast, SpvOpBitcast },
};

/* Elementwise operations are not contracted: each result of arithmetic says so. */
static Id
operation (Emitter              *self,
           const GhloKernelNode *node,
           const Id             *values,
           guint                 lanes)
{
  guint32 operands[5] = { self->glsl, operations[node->kind].extended };
  guint n = 0, first = node->kind == GHLO_NODE_SELECT ? 1 : 0;
  guint8 type = self->kernel->nodes[node->operands[first]].type;
  Id result_type = value_type (self, node->type, lanes), result;

  for (; n < 3 && node->operands[n] != GHLO_KERNEL_NONE; n++)
    operands[2 + n] = values[node->operands[n]];
  if (operands[1] != 0)
    result = code (self, SpvOpExtInst, result_type, operands, 2 + n);
  else
    result = code (self, type == GHLO_ELEMENT_TYPE_F32 ? operations[node->kind].of_floats
                         : type == GHLO_ELEMENT_TYPE_I1 ? operations[node->kind].of_booleans
                         : operations[node->kind].of_integers, result_type, operands + 2, n);
  if (node->type == GHLO_ELEMENT_TYPE_F32 && node->kind >= GHLO_NODE_ADD && node->kind <= GHLO_NODE_SQRT)
    WORDS (self->decorations, SpvOpDecorate, result, SpvDecorationNoContraction);

  return result;
}

static Id
load (Emitter                *self,
      const GhloKernelAccess *access,
      Id                      point,
      guint                   lanes)
{
  guint loaded_lanes = access->strides[0] == 0 ? 1 : lanes;
  Id loaded = CODE (SpvOpLoad, value_type (self, access->element, loaded_lanes), find (self, access, point, lanes),
                    SpvMemoryAccessAlignedMask, 4 * loaded_lanes);

  if (loaded_lanes == lanes)
    return loaded;

  return CODE (SpvOpCompositeConstruct, value_type (self, access->element, lanes), loaded, loaded, loaded, loaded);
}

/* @lanes points from @point on. */
static void
emit_points (Emitter *self,
             Id       point,
             guint    lanes)
{
  const GhloKernelStage *stage = &self->kernel->stages[0];
  Id values[GHLO_KERNEL_MAX_NODES];

  for (guint i = stage->first; i < stage->end; i++)
    {
      const GhloKernelNode *node = &self->kernel->nodes[i];

      if (node->kind == GHLO_NODE_CONSTANT)
        values[i] = constant (self, node->type, node->bits, lanes);
      else if (node->kind == GHLO_NODE_LOAD)
        values[i] = load (self, &self->kernel->accesses[node->which], point, lanes);
      else
        values[i] = operation (self, node, values, lanes);
    }
  for (guint i = 0; i < stage->n_stores; i++)
    {
      const GhloKernelAccess *access = &self->kernel->accesses[stage->stores[i].access];

      WORDS (self->code, SpvOpStore, find (self, access, point, lanes), values[stage->stores[i].node],
             SpvMemoryAccessAlignedMask, 4 * lanes);
    }
}

/* Only where @point < @limit. */
static void
emit_guarded (Emitter *self,
              Id       point,
              Id       limit,
              guint    lanes)
{
  Id inside = new_id (self), after = new_id (self);
  Id condition = CODE (SpvOpULessThan, unique (self, SpvOpTypeBool, FALSE, NULL, 0), point, limit);

  WORDS (self->code, SpvOpSelectionMerge, after, SpvSelectionControlMaskNone);
  WORDS (self->code, SpvOpBranchConditional, condition, inside, after);
  WORDS (self->code, SpvOpLabel, inside);
  emit_points (self, point, lanes);
  WORDS (self->code, SpvOpBranch, after);
  WORDS (self->code, SpvOpLabel, after);
}

static Id
push_constant (Emitter *self,
               guint    member,
               Id       type)
{
  Id at = CODE (SpvOpAccessChain, TYPE (SpvOpTypePointer, SpvStorageClassPushConstant, type), self->push,
                number (self, member));

  return CODE (SpvOpLoad, type, at);
}

/* The addresses, from the table. */
static void
load_table (Emitter *self)
{
  Id table = push_constant (self, 0, u64 (self));
  Id type = TYPE (SpvOpTypePointer, SpvStorageClassPhysicalStorageBuffer, u64 (self));

  for (guint i = 0; i < self->kernel->n_buffers; i++)
    {
      Id at = CODE (SpvOpIAdd, u64 (self), table, number64 (self, i * 8));

      at = CODE (SpvOpConvertUToPtr, type, at);
      self->buffers[i] = CODE (SpvOpLoad, u64 (self), at, SpvMemoryAccessAlignedMask, 8);
    }
}

static Id
variable (Emitter        *self,
          SpvStorageClass storage,
          Id              type)
{
  Id id = new_id (self);

  WORDS (self->globals, SpvOpVariable, TYPE (SpvOpTypePointer, storage, type), id, storage);

  return id;
}

static Id
built_in (Emitter    *self,
          SpvBuiltIn  which)
{
  Id id = variable (self, SpvStorageClassInput, TYPE (SpvOpTypeVector, u32 (self), 3));

  WORDS (self->decorations, SpvOpDecorate, id, SpvDecorationBuiltIn, which);

  return id;
}

static Id
first_component (Emitter *self,
                 Id       variable)
{
  Id vector = CODE (SpvOpLoad, TYPE (SpvOpTypeVector, u32 (self), 3), variable);

  return CODE (SpvOpCompositeExtract, u32 (self), vector, 0);
}

static void
declare_push_constants (Emitter *self)
{
  static const guint offsets[] = { G_STRUCT_OFFSET (SpikePushConstants, table),
                                   G_STRUCT_OFFSET (SpikePushConstants, begin),
                                   G_STRUCT_OFFSET (SpikePushConstants, end) };
  Id type = TYPE (SpvOpTypeStruct, u64 (self), u32 (self), u32 (self));

  WORDS (self->decorations, SpvOpDecorate, type, SpvDecorationBlock);
  for (guint i = 0; i < G_N_ELEMENTS (offsets); i++)
    WORDS (self->decorations, SpvOpMemberDecorate, type, i, SpvDecorationOffset, offsets[i]);
  self->push = variable (self, SpvStorageClassPushConstant, type);
}

/* Point of vector u: ((group × unroll + u) × workgroup + local) × width. What the width
 * leaves over is done one by one by the first invocations of all. */
static void
emit_body (Emitter *self,
           Id       group_variable,
           Id       local_variable)
{
  guint width = self->schedule->width, unroll = self->schedule->unroll;
  Id group, local, begin, end, middle, left;

  load_table (self);
  group = first_component (self, group_variable);
  local = first_component (self, local_variable);
  begin = push_constant (self, 1, u32 (self));
  end = push_constant (self, 2, u32 (self));
  left = CODE (SpvOpISub, u32 (self), end, begin);
  left = CODE (SpvOpUMod, u32 (self), left, number (self, width));
  middle = CODE (SpvOpISub, u32 (self), end, left);
  group = CODE (SpvOpIMul, u32 (self), group, number (self, unroll));
  for (guint i = 0; i < unroll; i++)
    {
      Id point = CODE (SpvOpIAdd, u32 (self), group, number (self, i));

      point = CODE (SpvOpIMul, u32 (self), point, number (self, self->schedule->workgroup));
      point = CODE (SpvOpIAdd, u32 (self), point, local);
      if (i == 0 && width > 1)
        emit_guarded (self, CODE (SpvOpIAdd, u32 (self), middle, point), end, 1);
      point = CODE (SpvOpIMul, u32 (self), point, number (self, width));
      emit_guarded (self, CODE (SpvOpIAdd, u32 (self), begin, point), middle, width);
    }
}

static void
emit_head (Emitter                  *self,
           const SpikeFloatControls *controls,
           Id                        entry,
           const Id                 *interface)
{
  static const char glsl[16] = "GLSL.std.450", name[8] = "main";
  guint32 import[5] = { self->glsl }, point[8] = { SpvExecutionModelGLCompute, entry };
  const struct
  {
    gboolean            has;
    SpvCapability       capability;
    SpvExecutionMode    mode;
  } modes[] = {
    { controls->preserves_nan, SpvCapabilitySignedZeroInfNanPreserve, SpvExecutionModeSignedZeroInfNanPreserve },
    { controls->preserves_denormals, SpvCapabilityDenormPreserve, SpvExecutionModeDenormPreserve },
    { controls->rounds_to_even, SpvCapabilityRoundingModeRTE, SpvExecutionModeRoundingModeRTE },
  };

  WORDS (self->head, SpvOpCapability, SpvCapabilityShader);
  WORDS (self->head, SpvOpCapability, SpvCapabilityInt64);
  WORDS (self->head, SpvOpCapability, SpvCapabilityPhysicalStorageBufferAddresses);
  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    if (modes[i].has)
      WORDS (self->head, SpvOpCapability, modes[i].capability);
  memcpy (import + 1, glsl, sizeof glsl);
  words (self->head, SpvOpExtInstImport, import, 5);
  WORDS (self->head, SpvOpMemoryModel, SpvAddressingModelPhysicalStorageBuffer64, SpvMemoryModelGLSL450);
  memcpy (point + 2, name, sizeof name);
  memcpy (point + 4, interface, 3 * sizeof *interface);
  words (self->head, SpvOpEntryPoint, point, 7);
  WORDS (self->head, SpvOpExecutionMode, entry, SpvExecutionModeLocalSize, self->schedule->workgroup, 1, 1);
  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    if (modes[i].has)
      WORDS (self->head, SpvOpExecutionMode, entry, modes[i].mode, 32);
}

static gboolean
is_map (const GhloKernel *kernel)
{
  return kernel->n_axes == 1 && kernel->n_stages == 1 && kernel->n_temporaries == 0
         && kernel->stages[0].n_accumulators == 0;
}

static GArray *
put_together (Emitter *self)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (guint32));
  GArray *sections[] = { self->head, self->decorations, self->globals, self->code };
  guint32 header[] = { SpvMagicNumber, 0x00010500, 0, self->last + 1, 0 };

  g_array_append_vals (all, header, G_N_ELEMENTS (header));
  for (guint i = 0; i < G_N_ELEMENTS (sections); i++)
    {
      g_array_append_vals (all, sections[i]->data, sections[i]->len);
      g_array_unref (sections[i]);
    }
  g_hash_table_unref (self->unique);

  return all;
}

GArray *
ghlo_spirv_emit (const GhloKernel         *kernel,
                 const GhloSchedule       *schedule,
                 const SpikeFloatControls *controls)
{
  Emitter emitter = { kernel, schedule }, *self = &emitter;
  Id entry, type, nothing, interface[3];

  if (!is_map (kernel))
    return NULL;
  self->head = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->decorations = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->globals = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->code = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->unique = g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref, NULL);
  self->glsl = new_id (self);
  entry = new_id (self);
  interface[0] = built_in (self, SpvBuiltInWorkgroupId);
  interface[1] = built_in (self, SpvBuiltInLocalInvocationId);
  declare_push_constants (self);
  interface[2] = self->push;
  nothing = unique (self, SpvOpTypeVoid, FALSE, NULL, 0);
  type = TYPE (SpvOpTypeFunction, nothing);
  WORDS (self->code, SpvOpFunction, nothing, entry, SpvFunctionControlMaskNone, type);
  WORDS (self->code, SpvOpLabel, new_id (self));
  emit_body (self, interface[0], interface[1]);
  words (self->code, SpvOpReturn, NULL, 0);
  words (self->code, SpvOpFunctionEnd, NULL, 0);
  emit_head (self, controls, entry, interface);

  return put_together (self);
}
