/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The module of a kernel: what it asks of the device, its entry point, and what an invocation reads first.
 */

#include "vulkan/spirv/emit-private.h"

#include "base/ghlo-error.h"
#include "kernel/expand.h"

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

  return ghlo_spirv_global (self, SpvStorageClassPushConstant, record);
}

static Id
load_push (Spirv *self,
           Id     push,
           guint  field)
{
  Id pointer = ghlo_spirv_pointer_type (self, SpvStorageClassPushConstant, self->u64);
  Id place = CODE (SpvOpAccessChain, pointer, push, ghlo_spirv_integer (self, 32, field));

  return CODE (SpvOpLoad, self->u64, place);
}

static void
load_table (Spirv *self)
{
  const GhloKernel *kernel = self->kernel;
  guint word = GHLO_SPIRV_N_WORDS;

  self->scratch = ghlo_spirv_word (self, self->table, GHLO_SPIRV_WORD_SCRATCH);
  self->n_invocations = ghlo_spirv_word (self, self->table, GHLO_SPIRV_WORD_INVOCATIONS);
  if (!self->floats.folds_exactly)
    self->zero = ghlo_spirv_word (self, self->table, GHLO_SPIRV_WORD_ZERO);
  for (guint i = 0; i < kernel->n_buffers; i++)
    self->buffers[i] = ghlo_spirv_word (self, self->table, word++);
  for (guint i = 0; i < kernel->n_axes; i++, word++)
    self->extents[i] = kernel->axes[i].is_runtime ? ghlo_spirv_word (self, self->table, word)
                                                  : ghlo_spirv_u64 (self, (guint64) kernel->axes[i].extent);
}

/* Whether no number of a parallel point takes more than 32 bits. */
static gboolean
has_few_points (const GhloKernel *kernel)
{
  guint64 n = 1;

  for (guint i = 0; i < kernel->n_parallel; i++)
    if (!g_uint64_checked_mul (&n, n, (guint64) kernel->axes[i].extent))
      return FALSE;

  return n <= G_MAXUINT32;
}

/* The coordinates of a parallel point, the last axis' first. Processors of graphics divide 32 bits faster than 64; and
 * a remainder is what a product leaves, since NVIDIA's compiler (580) makes wrong ones of 64 bits by 2 behind a
 * division. */
static void
set_point (Spirv *self,
           Id     number)
{
  gboolean is_narrow = has_few_points (self->kernel);
  Id type = is_narrow ? self->u32 : self->u64;

  if (is_narrow)
    number = CODE (SpvOpUConvert, type, number);
  for (guint i = self->kernel->n_parallel; i-- > 0;)
    {
      Id extent, quotient, coordinate = number;

      if (i > 0)
        {
          extent = is_narrow ? CODE (SpvOpUConvert, type, self->extents[i]) : self->extents[i];
          quotient = CODE (SpvOpUDiv, type, number, extent);
          coordinate = CODE (SpvOpISub, type, number, CODE (SpvOpIMul, type, quotient, extent));
          number = quotient;
        }
      self->point[i] = is_narrow ? CODE (SpvOpUConvert, self->u64, coordinate) : coordinate;
    }
}

/* The number of the point; of @number, which counts the points of all parts, where they are done apart. */
static Id
find_part (Spirv *self,
           Id     number)
{
  self->n_points = ghlo_spirv_u64 (self, 1);
  for (guint i = 0; i < self->kernel->n_parallel; i++)
    self->n_points = CODE (SpvOpIMul, self->u64, self->n_points, self->extents[i]);
  self->slot = number;
  if (self->parts == GHLO_SPIRV_PARTS_MERGED)
    return number;
  self->part = CODE (SpvOpUDiv, self->u64, number, self->n_points);

  return CODE (SpvOpISub, self->u64, number, CODE (SpvOpIMul, self->u64, self->part, self->n_points));
}

/* Points from here on are left out, which are all of them where there is a flag that is 0. Of that the four bytes are
 * loaded which it is one of, since not every device loads single ones. */
static Id
load_end (Spirv *self)
{
  Id end = ghlo_spirv_variable (self, self->u64), flag, exit, shift, byte, is_off;

  STATEMENT (SpvOpStore, end, ghlo_spirv_word (self, self->table, GHLO_SPIRV_WORD_END));
  flag = ghlo_spirv_word (self, self->table, GHLO_SPIRV_WORD_FLAG);
  exit = ghlo_spirv_begin_if (self, CODE (SpvOpINotEqual, self->boolean, flag, ghlo_spirv_u64 (self, 0)));
  byte = ghlo_spirv_read (self, GHLO_ELEMENT_TYPE_UI32,
                          CODE (SpvOpBitwiseAnd, self->u64, flag, ghlo_spirv_u64 (self, ~(guint64) 3)));
  shift = CODE (SpvOpBitwiseAnd, self->u32, CODE (SpvOpUConvert, self->u32, flag), ghlo_spirv_integer (self, 32, 3));
  shift = CODE (SpvOpIMul, self->u32, shift, ghlo_spirv_integer (self, 32, 8));
  byte = CODE (SpvOpShiftRightLogical, self->u32, byte, shift);
  byte = CODE (SpvOpBitwiseAnd, self->u32, byte, ghlo_spirv_integer (self, 32, 255));
  is_off = CODE (SpvOpIEqual, self->boolean, byte, ghlo_spirv_integer (self, 32, 0));
  STATEMENT (SpvOpStore, end, ghlo_spirv_select (self, self->u64, is_off, ghlo_spirv_u64 (self, 0),
                                                 CODE (SpvOpLoad, self->u64, end)));
  ghlo_spirv_end_if (self, exit);

  return CODE (SpvOpLoad, self->u64, end);
}

Id
ghlo_spirv_find_point (Spirv    *self,
                       gboolean  group_per_point)
{
  Id push = add_push (self);

  self->table = load_push (self, push, 0);
  if (group_per_point)
    self->lane = ghlo_spirv_built_in (self, SpvBuiltInLocalInvocationIndex, FALSE);
  self->number = ghlo_spirv_built_in (self, group_per_point ? SpvBuiltInWorkgroupId : SpvBuiltInGlobalInvocationId,
                                      TRUE);

  return CODE (SpvOpIAdd, self->u64, self->number, load_push (self, push, 1));
}

Id
ghlo_spirv_begin_point (Spirv *self,
                        Id     point)
{
  return ghlo_spirv_begin_if (self, CODE (SpvOpULessThan, self->boolean, point, load_end (self)));
}

/* An invocation does @n points, a workgroup's width apart, so that neighbours read side by side. */
static void
emit_points (Spirv *self,
             guint  n)
{
  const Id push = add_push (self), group = ghlo_spirv_built_in (self, SpvBuiltInWorkgroupId, TRUE);
  const Id lane = ghlo_spirv_built_in (self, SpvBuiltInLocalInvocationIndex, FALSE);
  Id begin = CODE (SpvOpIMul, self->u64, group, ghlo_spirv_u64 (self, (guint64) n * GHLO_SPIRV_GROUP)), end, exit;
  SpirvLoop loop;

  self->table = load_push (self, push, 0);
  begin = CODE (SpvOpIAdd, self->u64, begin, CODE (SpvOpIAdd, self->u64, lane, load_push (self, push, 1)));
  load_table (self);
  end = load_end (self);
  loop = ghlo_spirv_begin_loop (self, begin, CODE (SpvOpIAdd, self->u64, begin,
                                                   ghlo_spirv_u64 (self, (guint64) n * GHLO_SPIRV_GROUP)));
  exit = ghlo_spirv_begin_if (self, CODE (SpvOpULessThan, self->boolean, loop.index, end));
  set_point (self, loop.index);
  ghlo_spirv_blocks (self, 0, self->kernel->n_blocks, 0);
  ghlo_spirv_end_if (self, exit);
  ghlo_spirv_end_loop (self, loop, ghlo_spirv_u64 (self, GHLO_SPIRV_GROUP));
}

/* What is in the table is on its way while the flag is, since steps that wait for each other are mostly such ways. */
static void
emit_body (Spirv    *self,
           gboolean  group_per_point)
{
  Id point = ghlo_spirv_find_point (self, group_per_point), exit;

  load_table (self);
  exit = ghlo_spirv_begin_point (self, point);
  ghlo_spirv_place (self);
  if (self->parts != GHLO_SPIRV_PARTS_IN_TURN)
    point = find_part (self, point);
  set_point (self, point);
  if (self->parts == GHLO_SPIRV_PARTS_APART)
    ghlo_spirv_part (self, self->kernel->blocks);
  else
    {
      ghlo_spirv_keep (self);
      ghlo_spirv_blocks (self, 0, self->kernel->n_blocks, 0);
    }
  ghlo_spirv_end_if (self, exit);
}

/* What the function is called by, with all variables of the module. */
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

/* FALSE, with an error, where it is too large. */
static gboolean
check_size (const GhloKernel         *kernel,
            const GhloSpirvSchedule  *schedule,
            GError                  **error)
{
  if (kernel->n_nodes > GHLO_SPIRV_MAX_NODES)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED, "the kernel %s has %u nodes: at most %u become a shader",
                 kernel->name, kernel->n_nodes, GHLO_SPIRV_MAX_NODES);
  else if (schedule->group_per_point && ghlo_spirv_shared (kernel) > schedule->shared_size)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED, "a point of the kernel %s takes %" G_GSIZE_FORMAT
                 " bytes of shared memory: at most %" G_GSIZE_FORMAT " are to be had", kernel->name,
                 ghlo_spirv_shared (kernel), schedule->shared_size);
  else
    return TRUE;

  return FALSE;
}

GBytes *
ghlo_spirv_emit (const GhloKernel         *kernel,
                 const GhloSpirvFloats    *floats,
                 const GhloSpirvSchedule  *schedule,
                 GError                  **error)
{
  g_autofree GhloKernel *expanded = ghlo_kernel_expand (kernel, error);
  g_autofree Spirv *self = NULL;
  g_autoptr (GhloSpirvBuilder) builder = NULL;
  g_autoptr (GArray) interface = NULL;

  if (expanded == NULL || !check_size (expanded, schedule, error))
    return NULL;
  self = g_new0 (Spirv, 1);
  self->builder = builder = ghlo_spirv_builder_new ();
  self->interface = interface = g_array_new (FALSE, FALSE, sizeof (Id));
  self->kernel = expanded;
  self->floats = *floats;
  self->parts = schedule->parts;
  self->group = ghlo_spirv_group (schedule);
  ghlo_spirv_begin_module (self);
  if (schedule->points_each > 1)
    emit_points (self, schedule->points_each);
  else
    emit_body (self, schedule->group_per_point);
  ghlo_spirv_end_module (self, self->group);

  return ghlo_spirv_builder_end (builder);
}
