/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Modules: their capabilities, their entry point, and the inputs of an invocation.
 */

#include "gpu/spirv/emit-private.h"

#include <string.h>

static void
add (Spirv            *self,
     GhloSpirvSection  section,
     SpvOp             op,
     const guint32    *operands,
     guint             n)
{
  ghlo_spirv_add (self->builder, section, op, operands, n);
}

/* Requests the float modes that the device supports, for either width. */
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

Id
ghlo_spirv_global (Spirv           *self,
                   SpvStorageClass  class,
                   Id               type)
{
  Id pointer = ghlo_spirv_pointer_type (self, class, type);
  Id variable = ghlo_spirv_new_id (self->builder);

  add (self, GHLO_SPIRV_GLOBALS, SpvOpVariable, GHLO_SPIRV_WORDS (pointer, variable, class));
  g_array_append_val (self->interface, variable);

  return variable;
}

Id
ghlo_spirv_built_in (Spirv      *self,
                     SpvBuiltIn  built_in,
                     gboolean    is_vector)
{
  Id type = is_vector ? ghlo_spirv_unique (self->builder, SpvOpTypeVector, 0, GHLO_SPIRV_WORDS (self->u32, 3))
                      : self->u32;
  Id variable = ghlo_spirv_global (self, SpvStorageClassInput, type), value;

  add (self, GHLO_SPIRV_DECORATIONS, SpvOpDecorate, GHLO_SPIRV_WORDS (variable, SpvDecorationBuiltIn, built_in));
  value = CODE (SpvOpLoad, type, variable);
  if (is_vector)
    value = CODE (SpvOpCompositeExtract, self->u32, value, 0);

  return CODE (SpvOpUConvert, self->u64, value);
}

Id
ghlo_spirv_add_push (Spirv *self)
{
  Id record = ghlo_spirv_unique (self->builder, SpvOpTypeStruct, 0, GHLO_SPIRV_WORDS (self->u64, self->u64));
  const guint offsets[] = { G_STRUCT_OFFSET (GhloSpirvPush, table), G_STRUCT_OFFSET (GhloSpirvPush, first) };

  add (self, GHLO_SPIRV_DECORATIONS, SpvOpDecorate, GHLO_SPIRV_WORDS (record, SpvDecorationBlock));
  for (guint i = 0; i < G_N_ELEMENTS (offsets); i++)
    add (self, GHLO_SPIRV_DECORATIONS, SpvOpMemberDecorate,
         GHLO_SPIRV_WORDS (record, i, SpvDecorationOffset, offsets[i]));

  return ghlo_spirv_global (self, SpvStorageClassPushConstant, record);
}

Id
ghlo_spirv_load_push (Spirv *self,
                      Id     push,
                      guint  field)
{
  Id pointer = ghlo_spirv_pointer_type (self, SpvStorageClassPushConstant, self->u64);
  Id place = CODE (SpvOpAccessChain, pointer, push, ghlo_spirv_integer (self, 32, field));

  return CODE (SpvOpLoad, self->u64, place);
}

/* Loads the four bytes that contain the flag, since not every device can load single bytes. */
static Id
load_flag (Spirv *self,
           Id     address)
{
  return ghlo_spirv_read (self, GHLO_ELEMENT_TYPE_UI32,
                          CODE (SpvOpBitwiseAnd, self->u64, address, ghlo_spirv_u64 (self, ~(guint64) 3)));
}

/* Whether the flag at @address, a byte of @word, is 0. */
static Id
is_off (Spirv *self,
        Id     address,
        Id     word)
{
  Id shift = CODE (SpvOpBitwiseAnd, self->u32, CODE (SpvOpUConvert, self->u32, address),
                   ghlo_spirv_integer (self, 32, 3));
  Id byte;

  shift = CODE (SpvOpIMul, self->u32, shift, ghlo_spirv_integer (self, 32, 8));
  byte = CODE (SpvOpShiftRightLogical, self->u32, word, shift);
  byte = CODE (SpvOpBitwiseAnd, self->u32, byte, ghlo_spirv_integer (self, 32, 255));

  return CODE (SpvOpIEqual, self->boolean, byte, ghlo_spirv_integer (self, 32, 0));
}

Id
ghlo_spirv_load_end (Spirv *self)
{
  Id end = ghlo_spirv_variable (self, self->u64), flag, exit, is_false;

  STATEMENT (SpvOpStore, end, ghlo_spirv_word (self, self->table, GHLO_SPIRV_WORD_END));
  flag = ghlo_spirv_word (self, self->table, GHLO_SPIRV_WORD_FLAG);
  exit = ghlo_spirv_begin_if (self, CODE (SpvOpINotEqual, self->boolean, flag, ghlo_spirv_u64 (self, 0)));
  is_false = is_off (self, flag, load_flag (self, flag));
  STATEMENT (SpvOpStore, end, ghlo_spirv_select (self, self->u64, is_false, ghlo_spirv_u64 (self, 0),
                                                 CODE (SpvOpLoad, self->u64, end)));
  ghlo_spirv_end_if (self, exit);

  return CODE (SpvOpLoad, self->u64, end);
}

/* Does not branch before the flag is used: without a flag, a word of the table is loaded in its place. */
SpirvPredicate
ghlo_spirv_load_predicate (Spirv *self)
{
  SpirvPredicate predicate = { .flag = ghlo_spirv_word (self, self->table, GHLO_SPIRV_WORD_FLAG) };

  predicate.is_there = CODE (SpvOpINotEqual, self->boolean, predicate.flag, ghlo_spirv_u64 (self, 0));
  predicate.word = load_flag (self, ghlo_spirv_select (self, self->u64, predicate.is_there, predicate.flag,
                                                       self->table));

  return predicate;
}

Id
ghlo_spirv_is_predicate_true (Spirv                *self,
                              const SpirvPredicate *predicate)
{
  return CODE (SpvOpLogicalNot, self->boolean,
               CODE (SpvOpLogicalAnd, self->boolean, predicate->is_there,
                     is_off (self, predicate->flag, predicate->word)));
}

Id
ghlo_spirv_find_point (Spirv    *self,
                       gboolean  workgroup_per_point)
{
  Id push = ghlo_spirv_add_push (self);

  self->table = ghlo_spirv_load_push (self, push, 0);
  if (workgroup_per_point)
    self->lane = ghlo_spirv_built_in (self, SpvBuiltInLocalInvocationIndex, FALSE);
  self->number = ghlo_spirv_built_in (self, workgroup_per_point ? SpvBuiltInWorkgroupId : SpvBuiltInGlobalInvocationId,
                                      TRUE);

  return CODE (SpvOpIAdd, self->u64, self->number, ghlo_spirv_load_push (self, push, 1));
}

Id
ghlo_spirv_find_together (Spirv                   *self,
                          const GhloSpirvSchedule *schedule)
{
  const Id local = ghlo_spirv_built_in (self, SpvBuiltInLocalInvocationIndex, FALSE);
  const Id push = ghlo_spirv_add_push (self), group = ghlo_spirv_built_in (self, SpvBuiltInWorkgroupId, TRUE);
  const guint n = ghlo_spirv_points_per_group (schedule), inner = schedule->has_adjacent_points ? n : self->group;
  const Id parts[] = { CODE (SpvOpBitwiseAnd, self->u64, local, ghlo_spirv_u64 (self, inner - 1)),
                       CODE (SpvOpUDiv, self->u64, local, ghlo_spirv_u64 (self, inner)) };

  self->table = ghlo_spirv_load_push (self, push, 0);
  self->n_together = n;
  self->together = parts[schedule->has_adjacent_points ? 0 : 1];
  self->lane = parts[schedule->has_adjacent_points ? 1 : 0];
  self->number = CODE (SpvOpIAdd, self->u64, ghlo_spirv_load_push (self, push, 1),
                       CODE (SpvOpIMul, self->u64, group, ghlo_spirv_u64 (self, n)));

  return self->number;
}

Id
ghlo_spirv_begin_point (Spirv *self,
                        Id     point)
{
  return ghlo_spirv_begin_if (self, CODE (SpvOpULessThan, self->boolean, point, ghlo_spirv_load_end (self)));
}

/* Adds the entry point, whose interface lists all global variables. */
static void
add_entry (Spirv *self,
           guint  group)
{
  static const char name[8] = "main";
  guint32 head[4] = { SpvExecutionModelGLCompute, self->function };

  memcpy (head + 2, name, sizeof name);
  g_array_prepend_vals (self->interface, head, G_N_ELEMENTS (head));
  add (self, GHLO_SPIRV_ENTRY, SpvOpMemoryModel,
       GHLO_SPIRV_WORDS (SpvAddressingModelPhysicalStorageBuffer64,
                         self->has_vulkan_model ? SpvMemoryModelVulkan : SpvMemoryModelGLSL450));
  add (self, GHLO_SPIRV_ENTRY, SpvOpEntryPoint, (const guint32 *) (gpointer) self->interface->data,
       self->interface->len);
  add (self, GHLO_SPIRV_ENTRY, SpvOpExecutionMode,
       GHLO_SPIRV_WORDS (self->function, SpvExecutionModeLocalSize, group, 1, 1));
  add_float_modes (self, self->function, &self->floats);
}

void
ghlo_spirv_begin_module (Spirv *self)
{
  GhloSpirvBuilder *b = self->builder;
  Id nothing = ghlo_spirv_unique (b, SpvOpTypeVoid, 0, NULL, 0);
  Id function_type = ghlo_spirv_unique (b, SpvOpTypeFunction, 0, GHLO_SPIRV_WORDS (nothing));

  self->function = ghlo_spirv_new_id (b);
  self->glsl = ghlo_spirv_new_id (b);
  self->u32 = ghlo_spirv_integer_type (self, 32);
  self->u64 = ghlo_spirv_integer_type (self, 64);
  self->boolean = ghlo_spirv_unique (b, SpvOpTypeBool, 0, NULL, 0);
  ghlo_spirv_capability (b, SpvCapabilityShader);
  ghlo_spirv_capability (b, SpvCapabilityPhysicalStorageBufferAddresses);
  ghlo_spirv_add_string (b, GHLO_SPIRV_EXTENSIONS, SpvOpExtInstImport, GHLO_SPIRV_WORDS (self->glsl), 1,
                         "GLSL.std.450");
  add (self, GHLO_SPIRV_FUNCTION, SpvOpFunction,
       GHLO_SPIRV_WORDS (nothing, self->function, SpvFunctionControlMaskNone, function_type));
  add (self, GHLO_SPIRV_FUNCTION, SpvOpLabel, GHLO_SPIRV_WORDS (ghlo_spirv_new_id (b)));
}

void
ghlo_spirv_end_module (Spirv *self,
                       guint  group)
{
  add (self, GHLO_SPIRV_CODE, SpvOpReturn, NULL, 0);
  add (self, GHLO_SPIRV_CODE, SpvOpFunctionEnd, NULL, 0);
  add_entry (self, group);
}
