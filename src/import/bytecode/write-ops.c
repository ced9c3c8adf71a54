/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Writes the section of operations, regions and blocks, and
 * the properties of operations, to which that section refers.
 */

#include "import/bytecode/writer.h"

/* The parts of an operation, as bits of the byte after its name. */
enum
{
  HAS_ATTRIBUTES = 1 << 0,
  HAS_RESULTS    = 1 << 1,
  HAS_OPERANDS   = 1 << 2,
  HAS_REGIONS    = 1 << 4,
  HAS_USE_ORDERS = 1 << 5,
  HAS_PROPERTIES = 1 << 6,
};

/* Number of operations between two progress reports to the monitor. */
enum { REPORT_EVERY = 1 << 14 };

static void write_op (GhloBytecodeWriter *self, GhloBytecodeEmitter *out, const GhloIrOp *op, guint depth);

/* Counts the operations of @block, including casts, and adds
 * the number of values that the block defines to @n_values. */
static guint
count_block (GhloBytecodeWriter *self,
             const GhloIrBlock  *block,
             guint              *n_values)
{
  GhloBytecodeStep step = { NULL, NULL };
  guint n = 0;

  *n_values += block->n_arguments;
  for (; ghlo_bytecode_step (self, block, &step); n++)
    *n_values += step.cast != NULL ? 1 : step.op->n_results;

  return n;
}

static guint
encoding_of (gboolean vhlo)
{
  return vhlo ? GHLO_BYTECODE_VHLO : GHLO_BYTECODE_BUILTIN;
}

static void
write_argument (GhloBytecodeWriter  *self,
                GhloBytecodeEmitter *out,
                const GhloIrValue   *argument,
                gboolean             vhlo)
{
  const GhloBytecodeEntry *type = ghlo_bytecode_type_entry (self, encoding_of (vhlo), argument->type);
  const GhloBytecodeEntry *location = ghlo_bytecode_debug_location (self, argument->location);
  gboolean known = location->item != self->unknown;

  if (self->version < GHLO_BYTECODE_LEAVES_OUT_UNKNOWN)
    {
      ghlo_bytecode_emit_varint (out, type->number);
      ghlo_bytecode_emit_varint (out, location->number);
      return;
    }

  ghlo_bytecode_emit_flagged (out, type->number, known);
  if (known)
    ghlo_bytecode_emit_varint (out, location->number);
}

static void
write_arguments (GhloBytecodeWriter  *self,
                 GhloBytecodeEmitter *out,
                 const GhloIrBlock   *block)
{
  gboolean vhlo = ghlo_bytecode_plan_of (self, block->region->op)->vhlo != NULL;
  gsize mask;

  ghlo_bytecode_emit_varint (out, block->n_arguments);
  for (guint i = 0; i < block->n_arguments; i++)
    write_argument (self, out, block->arguments[i], vhlo);

  if (self->version < GHLO_BYTECODE_HAS_USE_ORDERS)
    return;
  mask = out->bytes.n;
  ghlo_bytecode_emit_byte (out, 0);
  if (ghlo_bytecode_write_argument_uses (self, out, block))
    out->bytes.items[mask] = HAS_USE_ORDERS;
}

static void
write_cast (GhloBytecodeWriter     *self,
            GhloBytecodeEmitter    *out,
            const GhloBytecodeCast *cast)
{
  const GhloBytecodeEntry *type = ghlo_bytecode_type_entry (self, encoding_of (cast->to_vhlo), cast->value->type);
  gsize mask;

  ghlo_bytecode_emit_varint (out, cast->name->number);
  mask = out->bytes.n;
  ghlo_bytecode_emit_byte (out, HAS_RESULTS | HAS_OPERANDS);
  ghlo_bytecode_emit_varint (out, cast->location_entry->number);
  ghlo_bytecode_emit_varint (out, 1);
  ghlo_bytecode_emit_varint (out, type->number);
  ghlo_bytecode_emit_varint (out, 1);
  ghlo_bytecode_emit_varint (out, cast->value->id);
  if (ghlo_bytecode_write_cast_uses (self, out, cast))
    out->bytes.items[mask] |= HAS_USE_ORDERS;
}

static void
write_block (GhloBytecodeWriter  *self,
             GhloBytecodeEmitter *out,
             const GhloIrBlock   *block,
             guint                n_operations,
             guint                depth)
{
  GhloBytecodeStep step = { NULL, NULL };

  ghlo_bytecode_emit_flagged (out, n_operations, block->n_arguments > 0);
  if (block->n_arguments > 0)
    write_arguments (self, out, block);

  while (ghlo_bytecode_writer_go_on (self) && ghlo_bytecode_step (self, block, &step))
    if (step.cast != NULL)
      write_cast (self, out, step.cast);
    else
      write_op (self, out, step.op, depth);
}

static void
write_region (GhloBytecodeWriter  *self,
              GhloBytecodeEmitter *out,
              const GhloIrRegion  *region,
              guint                depth)
{
  guint n_blocks = 0, n_values = 0, n_operations = 0;

  for (const GhloIrBlock *block = region->first; block != NULL; block = block->next)
    {
      n_operations = count_block (self, block, &n_values);
      n_blocks++;
    }
  ghlo_bytecode_emit_varint (out, n_blocks);
  if (n_blocks == 0)
    return;

  ghlo_bytecode_emit_varint (out, n_values);
  for (const GhloIrBlock *block = region->first; block != NULL; block = block->next)
    write_block (self, out, block, n_blocks == 1 ? n_operations : count_block (self, block, &n_values), depth);
}

/* Returns the emptied buffer for nested sections at @depth. */
static GhloBytecodeEmitter *
nested_section (GhloBytecodeWriter *self,
                guint               depth)
{
  while (self->nested->len <= depth)
    g_ptr_array_add (self->nested, g_new0 (GhloBytecodeEmitter, 1));
  ghlo_bytecode_emitter_reset (self->nested->pdata[depth]);

  return self->nested->pdata[depth];
}

/* Regions that use no value from outside are in a section of their own, so that readers can skip them. */
static void
write_regions (GhloBytecodeWriter  *self,
               GhloBytecodeEmitter *out,
               const GhloIrOp      *op,
               guint                depth)
{
  gboolean isolated = ghlo_bytecode_plan_of (self, op)->isolated;
  gboolean own_section = isolated && self->version >= GHLO_BYTECODE_HAS_LAZY_REGIONS;
  GhloBytecodeEmitter *inside = own_section ? nested_section (self, depth) : out;

  ghlo_bytecode_emit_flagged (out, op->n_regions, isolated);
  for (guint i = 0; i < op->n_regions; i++)
    write_region (self, inside, &op->regions[i], depth + 1);
  if (own_section)
    ghlo_bytecode_emit_section (out, GHLO_BYTECODE_SECTION_IR, inside);
}

/* Returns the number of the operation's properties; FALSE if
 * it has none. Operations with equal properties share them. */
static gboolean
properties_of (GhloBytecodeWriter *self,
               const GhloIrOp     *op,
               guint32            *number)
{
  const GhloBytecodePlan *plan = ghlo_bytecode_plan_of (self, op);

  if (self->version < GHLO_BYTECODE_HAS_PROPERTIES
      || !(plan->vhlo != NULL ? plan->n_values > 0 : ghlo_bytecode_has_properties (op->kind)))
    return FALSE;

  ghlo_bytecode_emitter_reset (&self->property);
  self->out = &self->property;
  if (plan->vhlo == NULL)
    ghlo_bytecode_write_properties (self, op);
  for (guint i = 0; i < plan->n_values; i++)
    ghlo_bytecode_write_attr (self, GHLO_BYTECODE_VHLO, plan->values[i]);
  self->out = NULL;
  *number = ghlo_bytecode_span_number (self, &self->properties, self->property.bytes.items, self->property.bytes.n);

  return TRUE;
}

static guint8
write_attributes (GhloBytecodeWriter  *self,
                  GhloBytecodeEmitter *out,
                  const GhloIrOp      *op)
{
  const GhloBytecodePlan *plan = ghlo_bytecode_plan_of (self, op);
  guint8 mask = 0;
  guint32 properties;

  if (plan->dictionary != NULL)
    {
      mask |= HAS_ATTRIBUTES;
      ghlo_bytecode_emit_varint (out, plan->dictionary->number);
    }
  if (properties_of (self, op, &properties))
    {
      mask |= HAS_PROPERTIES;
      ghlo_bytecode_emit_varint (out, properties);
    }

  return mask;
}

static guint8
write_values (GhloBytecodeWriter  *self,
              GhloBytecodeEmitter *out,
              const GhloIrOp      *op)
{
  gboolean vhlo = ghlo_bytecode_plan_of (self, op)->vhlo != NULL;
  guint8 mask = 0;

  if (op->n_results > 0)
    {
      mask |= HAS_RESULTS;
      ghlo_bytecode_emit_varint (out, op->n_results);
    }
  for (guint i = 0; i < op->n_results; i++)
    ghlo_bytecode_emit_varint (out, ghlo_bytecode_type_entry (self, encoding_of (vhlo), op->results[i].type)->number);

  if (op->n_operands > 0)
    {
      mask |= HAS_OPERANDS;
      ghlo_bytecode_emit_varint (out, op->n_operands);
    }
  for (guint i = 0; i < op->n_operands; i++)
    {
      const GhloIrValue *value = op->operands[i].value;
      const GhloBytecodeCast *cast = ghlo_bytecode_cast_for (self, value, vhlo);

      ghlo_bytecode_emit_varint (out, cast != NULL ? cast->result : value->id);
    }

  return mask;
}

static void
write_op (GhloBytecodeWriter  *self,
          GhloBytecodeEmitter *out,
          const GhloIrOp      *op,
          guint                depth)
{
  const GhloBytecodePlan *plan = ghlo_bytecode_plan_of (self, op);
  gsize offset;
  guint8 mask;

  if (self->n_written++ % REPORT_EVERY == 0)
    ghlo_monitor_progress (self->monitor, (double) self->n_written / (double) self->plans.n, "writing operations");

  ghlo_bytecode_emit_varint (out, plan->name->number);
  offset = out->bytes.n;
  ghlo_bytecode_emit_byte (out, 0);
  ghlo_bytecode_emit_varint (out, plan->location->number);
  mask = write_attributes (self, out, op) | write_values (self, out, op);
  if (ghlo_bytecode_write_result_uses (self, out, op))
    mask |= HAS_USE_ORDERS;
  if (op->n_regions > 0)
    mask |= HAS_REGIONS;
  out->bytes.items[offset] = mask;

  if (op->n_regions > 0)
    write_regions (self, out, op, depth);
}

/* The section is a block that contains one operation and has no arguments. */
void
ghlo_bytecode_write_module (GhloBytecodeWriter  *self,
                            GhloBytecodeEmitter *section)
{
  ghlo_bytecode_emit_flagged (section, 1, FALSE);
  write_op (self, section, self->module->op, 0);
}
