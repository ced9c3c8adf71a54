/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The module of a kernel: what it asks of the device, its entry point, and what an invocation reads first.
 */

#include "vulkan/spirv/emit-private.h"

#include "base/ghlo-error.h"
#include "kernel/expand.h"

static void
add (Spirv            *self,
     GhloSpirvSection  section,
     SpvOp             op,
     const guint32    *operands,
     guint             n)
{
  ghlo_spirv_add (self->builder, section, op, operands, n);
}

/* What floats of either width are to keep, where the device can. */
static void
add_float_modes (Spirv                 *self,
                 Id                     function,
                 const GhloSpirvFloats *floats)
{
  const struct
  {
    const gboolean   *is_there;
    SpvCapability     capability;
    SpvExecutionMode  mode;
  } modes[] = {
    { floats->keeps_subnormals, SpvCapabilityDenormPreserve, SpvExecutionModeDenormPreserve },
    { floats->rounds_to_even, SpvCapabilityRoundingModeRTE, SpvExecutionModeRoundingModeRTE },
    { floats->keeps_nan, SpvCapabilitySignedZeroInfNanPreserve, SpvExecutionModeSignedZeroInfNanPreserve },
  };

  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    for (guint is_f64 = 0; is_f64 < 2; is_f64++)
      if (modes[i].is_there[is_f64])
        {
          ghlo_spirv_capability (self->builder, modes[i].capability);
          add (self, GHLO_SPIRV_ENTRY, SpvOpExecutionMode,
               GHLO_SPIRV_WORDS (function, modes[i].mode, is_f64 ? 64 : 32));
        }
}

/* A variable of the module, in a storage class. */
static Id
add_global (Spirv           *self,
            SpvStorageClass  class,
            Id               type)
{
  Id pointer = ghlo_spirv_unique (self->builder, SpvOpTypePointer, 0, GHLO_SPIRV_WORDS (class, type));
  Id variable = ghlo_spirv_new_id (self->builder);

  add (self, GHLO_SPIRV_GLOBALS, SpvOpVariable, GHLO_SPIRV_WORDS (pointer, variable, class));

  return variable;
}

/* The variable of GhloSpirvPush. */
static Id
add_push (Spirv *self)
{
  Id record = ghlo_spirv_unique (self->builder, SpvOpTypeStruct, 0, GHLO_SPIRV_WORDS (self->u64, self->u64));
  const guint offsets[] = { G_STRUCT_OFFSET (GhloSpirvPush, table), G_STRUCT_OFFSET (GhloSpirvPush, first) };

  add (self, GHLO_SPIRV_DECORATIONS, SpvOpDecorate, GHLO_SPIRV_WORDS (record, SpvDecorationBlock));
  for (guint i = 0; i < G_N_ELEMENTS (offsets); i++)
    add (self, GHLO_SPIRV_DECORATIONS, SpvOpMemberDecorate,
         GHLO_SPIRV_WORDS (record, i, SpvDecorationOffset, offsets[i]));

  return add_global (self, SpvStorageClassPushConstant, record);
}

static Id
load_push (Spirv *self,
           Id     push,
           guint  field)
{
  Id pointer = ghlo_spirv_unique (self->builder, SpvOpTypePointer, 0,
                                  GHLO_SPIRV_WORDS (SpvStorageClassPushConstant, self->u64));
  Id place = CODE (SpvOpAccessChain, pointer, push, ghlo_spirv_integer (self, 32, field));

  return CODE (SpvOpLoad, self->u64, place);
}

/* The number of the invocation in the dispatch. */
static Id
load_number (Spirv *self,
             Id     input,
             Id     vector)
{
  Id all = CODE (SpvOpLoad, vector, input), first = CODE (SpvOpCompositeExtract, self->u32, all, 0);

  return CODE (SpvOpUConvert, self->u64, first);
}

static void
load_table (Spirv *self)
{
  const GhloKernel *kernel = self->kernel;
  guint word = GHLO_SPIRV_N_WORDS;

  self->scratch = ghlo_spirv_word (self, self->table, GHLO_SPIRV_WORD_SCRATCH);
  self->n_invocations = ghlo_spirv_word (self, self->table, GHLO_SPIRV_WORD_INVOCATIONS);
  for (guint i = 0; i < kernel->n_buffers; i++)
    self->buffers[i] = ghlo_spirv_word (self, self->table, word++);
  for (guint i = 0; i < kernel->n_axes; i++, word++)
    self->extents[i] = kernel->axes[i].is_runtime ? ghlo_spirv_word (self, self->table, word)
                                                  : ghlo_spirv_u64 (self, (guint64) kernel->axes[i].extent);
}

/* The coordinates of a parallel point, the last axis' first. */
static void
set_point (Spirv *self,
           Id     number)
{
  for (guint i = self->kernel->n_parallel; i-- > 0;)
    {
      self->point[i] = i > 0 ? CODE (SpvOpUMod, self->u64, number, self->extents[i]) : number;
      if (i > 0)
        number = CODE (SpvOpUDiv, self->u64, number, self->extents[i]);
    }
}

static void
emit_body (Spirv *self,
           Id     push,
           Id     input,
           Id     vector)
{
  Id point, is_there, exit;

  self->table = load_push (self, push, 0);
  self->number = load_number (self, input, vector);
  point = CODE (SpvOpIAdd, self->u64, self->number, load_push (self, push, 1));
  is_there = CODE (SpvOpULessThan, self->boolean, point,
                   ghlo_spirv_word (self, self->table, GHLO_SPIRV_WORD_END));
  exit = ghlo_spirv_begin_if (self, is_there);
  load_table (self);
  set_point (self, point);
  ghlo_spirv_blocks (self, 0, self->kernel->n_blocks, 0);
  ghlo_spirv_end_if (self, exit);
  add (self, GHLO_SPIRV_CODE, SpvOpReturn, NULL, 0);
}

static void
emit (Spirv                 *self,
      const GhloSpirvFloats *floats)
{
  GhloSpirvBuilder *b = self->builder;
  Id nothing = ghlo_spirv_unique (b, SpvOpTypeVoid, 0, NULL, 0);
  Id function_type = ghlo_spirv_unique (b, SpvOpTypeFunction, 0, GHLO_SPIRV_WORDS (nothing));
  Id vector, push, input, function = ghlo_spirv_new_id (b);

  self->glsl = ghlo_spirv_new_id (b);
  self->u32 = ghlo_spirv_integer_type (self, 32);
  self->u64 = ghlo_spirv_integer_type (self, 64);
  self->boolean = ghlo_spirv_unique (b, SpvOpTypeBool, 0, NULL, 0);
  vector = ghlo_spirv_unique (b, SpvOpTypeVector, 0, GHLO_SPIRV_WORDS (self->u32, 3));
  push = add_push (self);
  input = add_global (self, SpvStorageClassInput, vector);
  ghlo_spirv_capability (b, SpvCapabilityShader);
  ghlo_spirv_capability (b, SpvCapabilityPhysicalStorageBufferAddresses);
  ghlo_spirv_add_string (b, GHLO_SPIRV_EXTENSIONS, SpvOpExtInstImport, GHLO_SPIRV_WORDS (self->glsl), 1,
                         "GLSL.std.450");
  add (self, GHLO_SPIRV_ENTRY, SpvOpMemoryModel,
       GHLO_SPIRV_WORDS (SpvAddressingModelPhysicalStorageBuffer64, SpvMemoryModelGLSL450));
  ghlo_spirv_add_string (b, GHLO_SPIRV_ENTRY, SpvOpEntryPoint,
                         GHLO_SPIRV_WORDS (SpvExecutionModelGLCompute, function, push, input), 2, "main");
  add (self, GHLO_SPIRV_ENTRY, SpvOpExecutionMode,
       GHLO_SPIRV_WORDS (function, SpvExecutionModeLocalSize, GHLO_SPIRV_GROUP, 1, 1));
  add_float_modes (self, function, floats);
  add (self, GHLO_SPIRV_DECORATIONS, SpvOpDecorate,
       GHLO_SPIRV_WORDS (input, SpvDecorationBuiltIn, SpvBuiltInGlobalInvocationId));
  add (self, GHLO_SPIRV_FUNCTION, SpvOpFunction,
       GHLO_SPIRV_WORDS (nothing, function, SpvFunctionControlMaskNone, function_type));
  add (self, GHLO_SPIRV_FUNCTION, SpvOpLabel, GHLO_SPIRV_WORDS (ghlo_spirv_new_id (b)));
  emit_body (self, push, input, vector);
  add (self, GHLO_SPIRV_CODE, SpvOpFunctionEnd, NULL, 0);
}

GBytes *
ghlo_spirv_emit (const GhloKernel       *kernel,
                 const GhloSpirvFloats  *floats,
                 GError                **error)
{
  g_autofree GhloKernel *expanded = ghlo_kernel_expand (kernel, error);
  g_autofree Spirv *self = NULL;
  g_autoptr (GhloSpirvBuilder) builder = NULL;

  if (expanded == NULL)
    return NULL;
  if (expanded->n_nodes > GHLO_SPIRV_MAX_NODES)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED, "the kernel %s has %u nodes: at most %u become a shader",
                   kernel->name, expanded->n_nodes, GHLO_SPIRV_MAX_NODES);
      return NULL;
    }
  self = g_new0 (Spirv, 1);
  self->builder = builder = ghlo_spirv_builder_new ();
  self->kernel = expanded;
  self->floats = *floats;
  emit (self, floats);

  return ghlo_spirv_builder_end (builder);
}
