/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Emits the function of a kernel: its arguments, and the loop over its parallel points.
 */

#include "cpu/llvm/emit-llvm.h"

#include "base/ghlo-error.h"
#include "kernel/places.h"

#include <string.h>

/* The most points of a row whose bounds are known when it is emitted. */
enum { MAX_SHORT_ROW = 64 };

static Value
load_field (Emitter *self,
            gsize    offset)
{
  Value place = ghlo_emit_byte_address (self, self->call, ghlo_emit_i64 (self, (gint64) offset));

  return LLVMBuildLoad2 (self->builder, self->pointer, place, "");
}

static Value
load_element (Emitter *self,
              Type     type,
              Value    table,
              guint    i)
{
  Value place = ghlo_emit_byte_address (self, table, ghlo_emit_i64 (self, 8 * (gint64) i));

  return LLVMBuildLoad2 (self->builder, type, place, "");
}

static void
load_call (Emitter *self)
{
  const GhloKernel *kernel = self->kernel;
  Value extents = load_field (self, G_STRUCT_OFFSET (GhloCodeCall, extents));
  Value buffers = load_field (self, G_STRUCT_OFFSET (GhloCodeCall, buffers));
  Value temporaries = load_field (self, G_STRUCT_OFFSET (GhloCodeCall, temporaries));

  self->dummy = load_field (self, G_STRUCT_OFFSET (GhloCodeCall, dummy));
  for (guint i = 0; i < kernel->n_axes; i++)
    self->extents[i] = kernel->axes[i].is_runtime ? load_element (self, self->i64, extents, i)
                                                  : ghlo_emit_i64 (self, kernel->axes[i].extent);
  for (guint i = 0; i < kernel->n_buffers; i++)
    self->buffers[i] = load_element (self, self->pointer, buffers, i);
  ghlo_kernel_find_places (kernel, self->shared);
  for (guint i = 0; i < kernel->n_temporaries; i++)
    if (kernel->temporaries[i].axes != 0 || self->schedule->columns > 0)
      self->places[i] = load_element (self, self->pointer, temporaries, i);
}

/* Declares that the buffers' memories and the scratch do not alias each other. */
static void
make_scopes (Emitter *self)
{
  const guint n = self->kernel->n_buffers + 1u;
  LLVMMetadataRef scopes[GHLO_KERNEL_MAX_BUFFERS + 1], others[GHLO_KERNEL_MAX_BUFFERS + 1], domain;

  domain = LLVMMDStringInContext2 (self->context, "memory", strlen ("memory"));
  domain = LLVMMDNodeInContext2 (self->context, &domain, 1);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("%u", i);
      LLVMMetadataRef parts[] = { LLVMMDStringInContext2 (self->context, name, strlen (name)), domain };

      scopes[i] = LLVMMDNodeInContext2 (self->context, parts, 2);
    }
  for (guint i = 0; i < n; i++)
    {
      guint n_others = 0;

      for (guint j = 0; j < n; j++)
        if (j != i)
          others[n_others++] = scopes[j];
      self->scopes[i] = LLVMMetadataAsValue (self->context, LLVMMDNodeInContext2 (self->context, &scopes[i], 1));
      self->others[i] = LLVMMetadataAsValue (self->context, LLVMMDNodeInContext2 (self->context, others, n_others));
    }
}

static void
emit_kernel (Emitter  *self,
             gpointer  data,
             guint     number)
{
  ghlo_emit_blocks (self);
}

/* Sets the coordinates of all parallel axes but that of the lanes, from the linear index @number. */
static void
set_point (Emitter *self,
           Value    number)
{
  guint first = self->schedule->lanes == 0 ? 1 : 0;

  for (guint i = self->kernel->n_parallel; i-- > 0;)
    {
      if (i == self->schedule->lanes)
        continue;
      self->fixed |= 1u << i;
      self->point[i] = i == first ? number : LLVMBuildURem (self->builder, number, self->extents[i], "");
      if (i != first)
        number = LLVMBuildUDiv (self->builder, number, self->extents[i], "");
    }
}

static void
emit_point (Emitter  *self,
            gpointer  data,
            Value     index)
{
  emit_kernel (self, data, 0);
}

/* Emits one parallel point after the other. */
static void
emit_along (Emitter *self,
            Value    begin,
            Value    end)
{
  GhloEmitLoop loop = ghlo_emit_begin_loop (self, begin, end, FALSE);

  self->lanes = GHLO_KERNEL_NONE;
  self->width = 1;
  set_point (self, loop.index);
  ghlo_emit_versions (self, emit_point, NULL);
  ghlo_emit_end_loop (self, loop, ghlo_emit_i64 (self, 1));
}

/* A range of points of the lanes' axis; from is NULL for a whole row. */
typedef struct
{
  Value from, to;
} Row;

/* Emits the points [from, to) of the lanes' axis; @from is NULL for 0. */
static void
emit_range (Emitter *self,
            Value    from,
            Value    to)
{
  Value whole;

  if (self->schedule->columns > 0 && self->width == self->schedule->width && from != NULL)
    {
      whole = LLVMBuildSub (self->builder, to, from, "");
      whole = LLVMBuildAnd (self->builder, whole, ghlo_emit_i64 (self, -(gint64) self->width), "");
      whole = LLVMBuildAdd (self->builder, from, whole, "");
      ghlo_emit_columns (self, from, whole);
      from = whole;
    }
  ghlo_emit_range (self, from, to, emit_kernel, NULL);
}

static void
emit_row (Emitter  *self,
          gpointer  data,
          Value     index)
{
  const Row *row = data;

  emit_range (self, row->from, row->to);
}

/* The axis along which consecutive rows follow each other. */
static guint
find_rows (const Emitter *self)
{
  for (guint i = self->kernel->n_parallel; i-- > 0;)
    if (i != self->lanes)
      return i;

  return GHLO_KERNEL_NONE;
}

/* Whether a row begins at @from, and at least @points are left from there on. */
static Value
begins_row (Emitter *self,
            Value    from,
            Value    left,
            Value    points)
{
  return LLVMBuildAnd (self->builder, LLVMBuildICmp (self->builder, LLVMIntEQ, from, ghlo_emit_i64 (self, 0), ""),
                       LLVMBuildICmp (self->builder, LLVMIntSLE, points, left, ""), "");
}

/* Emits several rows together, where at least that many are left from the current point on, in a call of @n_points.
 * Stores the number of points done to the variable @place, 0 for none. */
static void
emit_together (Emitter *self,
               Value    n_points,
               Value    left,
               Value    from,
               Value    place)
{
  LLVMBuilderRef builder = self->builder;
  const guint rows = find_rows (self);
  guint8 is_staged[GHLO_KERNEL_MAX_ACCESSES];
  gint64 most_points;
  const guint n = ghlo_emit_choose_rows (self, rows, is_staged, &most_points);
  LLVMBasicBlockRef together, exit;
  Value point, points, holds;

  LLVMBuildStore (builder, ghlo_emit_i64 (self, 0), place);
  if (n == 0)
    return;
  together = ghlo_emit_add_block (self);
  exit = ghlo_emit_add_block (self);
  point = self->point[rows];
  points = LLVMBuildMul (builder, self->extents[self->lanes], ghlo_emit_i64 (self, n), "");
  holds = begins_row (self, from, left, points);
  holds = LLVMBuildAnd (builder, holds, LLVMBuildICmp (builder, LLVMIntSLE,
                                                       LLVMBuildAdd (builder, point, ghlo_emit_i64 (self, n), ""),
                                                       self->extents[rows], ""), "");
  holds = LLVMBuildAnd (builder, holds, LLVMBuildICmp (builder, LLVMIntSLE, n_points, ghlo_emit_i64 (self, most_points),
                                                       ""), "");
  LLVMBuildCondBr (builder, holds, together, exit);
  LLVMPositionBuilderAtEnd (builder, together);
  ghlo_emit_rows (self, rows, n, is_staged, emit_kernel);
  LLVMBuildStore (builder, points, place);
  LLVMBuildBr (builder, exit);
  LLVMPositionBuilderAtEnd (builder, exit);
  self->point[rows] = point;
}

/* Emits rows that have few points, of which @left are left in the range: a whole row with bounds that are known, and
 * a part of one, which only the ends of a range have, point by point. */
static void
emit_short (Emitter   *self,
            Value      left,
            const Row *part)
{
  LLVMBuilderRef builder = self->builder;
  LLVMBasicBlockRef whole = ghlo_emit_add_block (self), partial = ghlo_emit_add_block (self);
  LLVMBasicBlockRef exit = ghlo_emit_add_block (self);
  const guint width = self->width;
  Value extent = self->extents[self->lanes];

  LLVMBuildCondBr (builder, begins_row (self, part->from, left, extent), whole, partial);
  LLVMPositionBuilderAtEnd (builder, whole);
  ghlo_emit_versions (self, emit_row, &(Row) { NULL, extent });
  LLVMBuildBr (builder, exit);
  LLVMPositionBuilderAtEnd (builder, partial);
  self->width = 1;
  ghlo_emit_versions (self, emit_row, (gpointer) part);
  self->width = width;
  LLVMBuildBr (builder, exit);
  LLVMPositionBuilderAtEnd (builder, exit);
}

/* Emits what is left of the row at the current point, from @from on, unless emit_together () did it. Stores the
 * number of points done to @place. */
static void
emit_alone (Emitter *self,
            Value    left,
            Value    from,
            Value    place)
{
  LLVMBuilderRef builder = self->builder;
  LLVMBasicBlockRef alone = ghlo_emit_add_block (self);
  LLVMBasicBlockRef exit = ghlo_emit_add_block (self);
  Value done = LLVMBuildLoad2 (builder, self->i64, place, ""), extent = self->extents[self->lanes], to;

  LLVMBuildCondBr (builder, LLVMBuildICmp (builder, LLVMIntEQ, done, ghlo_emit_i64 (self, 0), ""), alone, exit);
  LLVMPositionBuilderAtEnd (builder, alone);
  to = LLVMBuildAdd (builder, from, left, "");
  to = LLVMBuildSelect (builder, LLVMBuildICmp (builder, LLVMIntSLT, to, extent, ""), to, extent, "");
  if (LLVMIsConstant (extent) && LLVMConstIntGetSExtValue (extent) <= MAX_SHORT_ROW)
    emit_short (self, left, &(Row) { from, to });
  else
    ghlo_emit_versions (self, emit_row, &(Row) { from, to });
  LLVMBuildStore (builder, LLVMBuildSub (builder, to, from, ""), place);
  LLVMBuildBr (builder, exit);
  LLVMPositionBuilderAtEnd (builder, exit);
}

/* Emits row after row of the lanes' axis. The first and the last row may be partial. */
static void
emit_across (Emitter *self,
             Value    begin,
             Value    end)
{
  LLVMBuilderRef builder = self->builder;
  GhloEmitLoop loop;
  Value extent, from, left, place;

  self->lanes = self->schedule->lanes;
  self->width = self->schedule->width;
  extent = self->extents[self->lanes];
  if (self->kernel->n_parallel == 1)
    {
      emit_range (self, begin, end);
      return;
    }
  place = ghlo_emit_variable (self, self->i64);
  loop = ghlo_emit_begin_loop (self, begin, end, FALSE);
  set_point (self, LLVMBuildUDiv (builder, loop.index, extent, ""));
  from = LLVMBuildURem (builder, loop.index, extent, "");
  left = LLVMBuildSub (builder, end, loop.index, "");
  emit_together (self, LLVMBuildSub (builder, end, begin, ""), left, from, place);
  emit_alone (self, left, from, place);
  ghlo_emit_end_loop (self, loop, LLVMBuildLoad2 (builder, self->i64, place, ""));
}

static void
add_attribute (Emitter    *self,
               const char *name)
{
  guint kind = LLVMGetEnumAttributeKindForName (name, strlen (name));

  LLVMAddAttributeAtIndex (self->function, LLVMAttributeFunctionIndex,
                           LLVMCreateEnumAttribute (self->context, kind, 0));
}

static void
add_function (Emitter *self)
{
  g_autofree char *bits = g_strdup_printf ("%u", self->target->vector_bytes * 8);
  g_autofree char *frame = g_strdup_printf ("%d", GHLO_EMIT_MAX_FRAME);
  Type parameters[] = { self->pointer, self->i64, self->i64 };

  self->function = LLVMAddFunction (self->module, "kernel", LLVMFunctionType (self->i32, parameters, 3, FALSE));
  self->call = LLVMGetParam (self->function, 0);
  LLVMAddTargetDependentFunctionAttr (self->function, "target-cpu", self->target->cpu);
  LLVMAddTargetDependentFunctionAttr (self->function, "target-features", self->target->features);
  LLVMAddTargetDependentFunctionAttr (self->function, "prefer-vector-width", bits);
  LLVMAddTargetDependentFunctionAttr (self->function, "min-legal-vector-width", bits);
  LLVMAddTargetDependentFunctionAttr (self->function, "warn-stack-size", frame);
  add_attribute (self, "nounwind");
}

static void
begin (Emitter                  *self,
       LLVMModuleRef             module,
       const GhloKernel         *kernel,
       const GhloKernelSchedule *schedule,
       const GhloCodeTarget     *target)
{
  self->kernel = kernel;
  self->schedule = schedule;
  self->target = target;
  self->module = module;
  self->context = LLVMGetModuleContext (module);
  self->builder = LLVMCreateBuilderInContext (self->context);
  self->entry = LLVMCreateBuilderInContext (self->context);
  self->i1 = LLVMInt1TypeInContext (self->context);
  self->i8 = LLVMInt8TypeInContext (self->context);
  self->i32 = LLVMInt32TypeInContext (self->context);
  self->i64 = LLVMInt64TypeInContext (self->context);
  self->pointer = LLVMPointerTypeInContext (self->context, 0);
  self->has_cuts = TRUE;
  self->has_masks = target->masked_bytes > 0;
  for (guint i = 0; i < kernel->n_accesses; i++)
    if (ghlo_element_info (kernel->accesses[i].type)->size < target->masked_bytes)
      self->has_masks = FALSE;
}

static void
emit (Emitter *self)
{
  LLVMBasicBlockRef variables, body;
  Value begin, end;

  add_function (self);
  variables = ghlo_emit_add_block (self);
  body = ghlo_emit_add_block (self);
  LLVMPositionBuilderAtEnd (self->entry, variables);
  LLVMPositionBuilderBefore (self->entry, LLVMBuildBr (self->entry, body));
  LLVMPositionBuilderAtEnd (self->builder, body);
  load_call (self);
  make_scopes (self);
  begin = LLVMGetParam (self->function, 1);
  end = LLVMGetParam (self->function, 2);
  if (self->schedule->lanes == GHLO_KERNEL_NONE)
    emit_along (self, begin, end);
  else
    emit_across (self, begin, end);
  LLVMBuildRet (self->builder, LLVMConstInt (self->i32, 1, FALSE));
}

gboolean
ghlo_emit_function (LLVMModuleRef              module,
                    const GhloKernel          *kernel,
                    const GhloKernelSchedule  *schedule,
                    const GhloCodeTarget      *target,
                    GError                   **error)
{
  g_autofree Emitter *self = g_new0 (Emitter, 1);

  if (kernel->n_nodes > GHLO_EMIT_MAX_NODES)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED,
                   "the kernel %s has %u nodes: machine code is generated for at most %u", kernel->name,
                   kernel->n_nodes, GHLO_EMIT_MAX_NODES);
      return FALSE;
    }
  begin (self, module, kernel, schedule, target);
  emit (self);
  LLVMDisposeBuilder (self->builder);
  LLVMDisposeBuilder (self->entry);
  if (self->stack > GHLO_EMIT_MAX_STACK)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED,
                   "the fold chains and transposed rows of the kernel %s need %" G_GSIZE_FORMAT
                   " bytes of stack: at most %d are allowed", kernel->name, self->stack, GHLO_EMIT_MAX_STACK);
      return FALSE;
    }

  return TRUE;
}
