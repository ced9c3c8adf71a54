/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads the IR section: operations with their regions and blocks. Values are numbered. When a region is entered, it
 * allocates the number of values that it states, after those of the enclosing regions, and releases them at its end;
 * an isolated region starts at 0. A number may be used before its value is defined; a placeholder value, which
 * belongs to no operation, represents it until then.
 */

#include "import/bytecode/reader.h"

#include <string.h>

enum { OPS_BETWEEN_CHECKS = 4096 };

/* The parts of an operation, one bit each, in the order in which they follow. */
enum
{
  HAS_DICTIONARY = 1 << 0,
  HAS_RESULTS    = 1 << 1,
  HAS_OPERANDS   = 1 << 2,
  HAS_SUCCESSORS = 1 << 3,
  HAS_REGIONS    = 1 << 4,
  HAS_USE_LISTS  = 1 << 5,
  HAS_PROPERTIES = 1 << 6,
  ALL_PARTS      = (1 << 7) - 1,
};

typedef struct
{
  GhloBytecodeReader *reader;
  GhloIrModule       *module;
  GHLO_IMPORT_VECTOR (GhloIrValue *) values;    /* by number; NULL or beyond the end if unknown */
  gsize               first;       /* first number of the innermost isolated region */
  gsize               top;         /* first number after those of all open regions */
  GHLO_IMPORT_VECTOR (gsize) forward_uses;      /* indices into @values of values used before their definition */
  guint               depth;       /* nesting depth of regions */
  guint               n_ops;       /* since the monitor was last checked */
  GArray             *attributes;  /* scratch space */
  GHLO_IMPORT_VECTOR (GhloIrValue *) operands;            /* operands of the operation being read */
  GHLO_IMPORT_VECTOR (const GhloIrType *) result_types;
  GHLO_IMPORT_VECTOR (GhloIrOp *) casts;        /* casts that may turn out to be identities */
} Builder;

/* The numbers that belong to one region. */
typedef struct
{
  gsize first, next, end;
} Numbers;

static gboolean read_regions (Builder *self, GhloByteCursor *cursor, GhloIrOp *op, gboolean is_isolated);

static inline gboolean
is_placeholder (const GhloIrValue *value)
{
  return value != NULL && value->op == NULL && value->block == NULL;
}

/* Returns the slot of value number @index; adds slots as needed. */
static GhloIrValue **
slot (Builder *self,
      gsize    index)
{
  while (self->values.n <= index)
    GHLO_IMPORT_PUSH (&self->values, NULL);

  return &self->values.items[index];
}

static GhloIrValue *
make_placeholder (Builder *self,
                  gsize    index)
{
  GhloIrValue *value = ghlo_ir_module_alloc (self->module, sizeof (GhloIrValue));

  value->type = ghlo_ir_type_none (self->module);
  GHLO_IMPORT_PUSH (&self->forward_uses, index);

  return value;
}

static gboolean
define (Builder        *self,
        GhloByteCursor *cursor,
        Numbers        *numbers,
        GhloIrValue    *value)
{
  GhloIrValue **entry;

  if (numbers->next >= numbers->end)
    return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE,
                               "expected %" G_GSIZE_FORMAT " values in the region, found more",
                               numbers->end - numbers->first);
  entry = slot (self, numbers->next++);
  if (*entry != NULL)
    ghlo_ir_value_replace (*entry, value);
  *entry = value;

  return TRUE;
}

static gboolean
read_operand (Builder        *self,
              GhloByteCursor *cursor,
              GhloIrValue   **value)
{
  GhloIrValue **entry;
  gsize number;

  if (!ghlo_bytecode_read_index (cursor, self->top - self->first, "value", &number))
    return FALSE;
  entry = slot (self, self->first + number);
  if (*entry == NULL)
    *entry = make_placeholder (self, self->first + number);
  *value = *entry;

  return TRUE;
}

/* Checks at the end of a region that its values that were used early are defined. @mark is the number of such values
 * when the region began; those of enclosing regions may still be defined later. */
static gboolean
check_defined (Builder        *self,
               GhloByteCursor *cursor,
               gsize           bottom,
               gsize           mark)
{
  gsize n = mark;

  for (gsize i = mark; i < self->forward_uses.n; i++)
    {
      gsize index = self->forward_uses.items[i];

      if (index < bottom)
        self->forward_uses.items[n++] = index;
      else if (is_placeholder (self->values.items[index]))
        return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "expected value %" G_GSIZE_FORMAT " to be defined in"
                                   " the region that it belongs to, found no definition of it", index - self->first);
    }
  self->forward_uses.n = n;

  return TRUE;
}

static gboolean
check_monitor (Builder        *self,
               GhloByteCursor *cursor)
{
  GhloBytecodeReader *reader = self->reader;

  if (++self->n_ops < OPS_BETWEEN_CHECKS)
    return TRUE;
  self->n_ops = 0;
  if (ghlo_monitor_cancelled (reader->monitor, NULL))
    return FALSE;
  ghlo_monitor_progress (reader->monitor, (double) ghlo_bytecode_offset (reader, cursor->at)
                                          / (double) (reader->file.end - reader->file.data), "parse");

  return TRUE;
}

/* Skips the use orders of values, since nothing depends on them. */
static gboolean
skip_use_lists (GhloByteCursor *cursor,
                gsize           n_values)
{
  gsize n = 1, n_indices;
  guint64 ignored;
  gboolean is_pairs;

  if (n_values > 1 && !ghlo_bytecode_read_count (cursor, 2, &n))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    {
      GhloByteCursor start = *cursor;

      if ((n_values > 1 && !ghlo_bytecode_read_varint (cursor, &ignored))
          || !ghlo_bytecode_read_flagged (cursor, &ignored, &is_pairs))
        return FALSE;
      n_indices = ignored;
      if (n_indices > ghlo_bytecode_left (cursor))
        return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected an order of %" G_GSIZE_FORMAT
                                   " uses, found %" G_GSIZE_FORMAT " bytes", n_indices, ghlo_bytecode_left (cursor));
      for (gsize j = 0; j < n_indices; j++)
        if (!ghlo_bytecode_read_varint (cursor, &ignored))
          return FALSE;
    }

  return TRUE;
}

static gboolean
read_results (Builder        *self,
              GhloByteCursor *cursor)
{
  GhloByteCursor start = *cursor;
  gsize n;

  if (!ghlo_bytecode_read_count (cursor, 1, &n))
    return FALSE;
  if (n > GHLO_MAX_OPERANDS)
    return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected at most %u results, found %" G_GSIZE_FORMAT,
                               GHLO_MAX_OPERANDS, n);
  for (gsize i = 0; i < n; i++)
    {
      const GhloIrType *type;

      if (!ghlo_bytecode_read_type (cursor, &type))
        return FALSE;
      GHLO_IMPORT_PUSH (&self->result_types, type);
    }

  return TRUE;
}

static gboolean
read_operands (Builder        *self,
               GhloByteCursor *cursor)
{
  GhloByteCursor start = *cursor;
  gsize n;

  if (!ghlo_bytecode_read_count (cursor, 1, &n))
    return FALSE;
  if (n > GHLO_MAX_OPERANDS)
    return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected at most %u operands, found %" G_GSIZE_FORMAT,
                               GHLO_MAX_OPERANDS, n);
  for (gsize i = 0; i < n; i++)
    {
      GhloIrValue *value;

      if (!read_operand (self, cursor, &value))
        return FALSE;
      GHLO_IMPORT_PUSH (&self->operands, value);
    }

  return TRUE;
}

/* The part of an operation before its regions. */
typedef struct
{
  guint8                   mask;
  GhloBytecodeOpParts      parts;
  GhloBytecodeOpAttributes attributes;
  const GhloIrLocation    *location;
  gsize                    n_regions;
  gboolean                 is_isolated;
} Op;

static gboolean
read_attributes (Builder        *self,
                 GhloByteCursor *cursor,
                 Op             *op)
{
  GhloByteCursor start = *cursor;
  gsize index;

  if ((op->mask & HAS_DICTIONARY) != 0
      && !ghlo_bytecode_read_attr_of (cursor, GHLO_IR_ATTR_DICTIONARY, &op->parts.dictionary))
    return FALSE;
  if ((op->mask & HAS_PROPERTIES) != 0)
    {
      if (!ghlo_bytecode_read_index (cursor, self->reader->properties.n, "set of properties", &index))
        return FALSE;
      op->parts.properties = index + 1;
    }

  return ghlo_bytecode_op_attributes (&start, &op->parts, self->attributes, &op->attributes);
}

static gboolean
read_successors (GhloByteCursor *cursor,
                 const Op       *op)
{
  return ghlo_bytecode_fail (cursor, GHLO_ERROR_UNSUPPORTED, "expected an operation without successors,"
                             " found '%s' with some", ghlo_ir_op_spec (op->attributes.kind)->name);
}

static gboolean
read_region_count (GhloByteCursor *cursor,
                   Op             *op)
{
  GhloByteCursor start = *cursor;
  guint64 n;

  if (!ghlo_bytecode_read_flagged (cursor, &n, &op->is_isolated))
    return FALSE;
  if (n > ghlo_bytecode_left (cursor))
    return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected regions, found %" G_GUINT64_FORMAT
                               " of them in %" G_GSIZE_FORMAT " bytes", n, ghlo_bytecode_left (cursor));
  op->n_regions = n;

  return TRUE;
}

static gboolean
read_parts (Builder        *self,
            GhloByteCursor *cursor,
            Op             *op)
{
  GhloByteCursor start;

  self->operands.n = 0;
  self->result_types.n = 0;
  if (!ghlo_bytecode_read_index (cursor, self->reader->op_names.n, "operation's name", &op->parts.op_name))
    return FALSE;
  start = *cursor;
  if (!ghlo_bytecode_read_byte (cursor, &op->mask))
    return FALSE;
  if ((op->mask & ~ALL_PARTS) != 0)
    return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected the mask of an operation, found 0x%02x", op->mask);

  return ghlo_bytecode_read_location (cursor, &op->location)
         && read_attributes (self, cursor, op)
         && ((op->mask & HAS_RESULTS) == 0 || read_results (self, cursor))
         && ((op->mask & HAS_OPERANDS) == 0 || read_operands (self, cursor))
         && ((op->mask & HAS_SUCCESSORS) == 0 || read_successors (cursor, op))
         && ((op->mask & HAS_USE_LISTS) == 0 || self->reader->version < GHLO_BYTECODE_USE_LISTS
             || skip_use_lists (cursor, self->result_types.n))
         && ((op->mask & HAS_REGIONS) == 0 || read_region_count (cursor, op));
}

/* Whether the operation is a cast between a type of VHLO and the builtin equivalent, which are the same in the IR. */
static gboolean
is_identity (const Builder *self,
             const Op      *op)
{
  if (op->attributes.kind != GHLO_OP_BUILTIN_UNREALIZED_CONVERSION_CAST || !self->reader->has_vhlo
      || self->operands.n != self->result_types.n)
    return FALSE;
  for (gsize i = 0; i < self->operands.n; i++)
    if (is_placeholder (self->operands.items[i]) || self->operands.items[i]->type != self->result_types.items[i])
      return FALSE;

  return TRUE;
}

static GhloIrOp *
make_op (Builder *self,
         guint64  offset,
         const Op *op)
{
  const GhloBytecodeOpAttributes *attributes = &op->attributes;
  GhloIrOp *made = ghlo_ir_op_new (self->module, &(GhloIrOpState) {
    .kind = attributes->kind,
    .operands = self->operands.items,
    .n_operands = self->operands.n,
    .result_types = self->result_types.items,
    .n_results = self->result_types.n,
    .n_regions = op->n_regions,
    .location = op->location,
    .line = (guint) (offset >> 32),
    .column = (guint32) offset,
  });

  if (attributes->inherent != NULL)
    memcpy (made->attributes, attributes->inherent,
            ghlo_ir_op_spec (attributes->kind)->n_attributes * sizeof (gpointer));
  made->discardable = attributes->discardable;
  made->n_discardable = attributes->n_discardable;

  return made;
}

static gboolean
define_results (Builder        *self,
                GhloByteCursor *cursor,
                Numbers        *numbers,
                GhloIrOp       *op)
{
  /* Nothing can refer to the results of an operation outside all regions. */
  if (numbers == NULL)
    return TRUE;
  for (guint i = 0; i < op->n_results; i++)
    if (!define (self, cursor, numbers, &op->results[i]))
      return FALSE;

  return TRUE;
}

static gboolean
read_op (Builder        *self,
         GhloByteCursor *cursor,
         GhloIrBlock    *block,
         Numbers        *numbers)
{
  GhloIrOp *parent = block->region->op, *made;
  Op op = { .parts.in_function = parent->kind == GHLO_OP_FUNC_FUNC };
  guint64 offset = ghlo_bytecode_offset (self->reader, cursor->at);

  if (!check_monitor (self, cursor) || !read_parts (self, cursor, &op))
    return FALSE;
  if (is_identity (self, &op) && op.n_regions == 0)
    {
      for (gsize i = 0; i < self->operands.n && numbers != NULL; i++)
        if (!define (self, cursor, numbers, self->operands.items[i]))
          return FALSE;
      return TRUE;
    }

  made = make_op (self, offset, &op);
  ghlo_ir_block_append (block, made);
  if (made->kind == GHLO_OP_BUILTIN_UNREALIZED_CONVERSION_CAST && self->reader->has_vhlo && self->forward_uses.n > 0)
    GHLO_IMPORT_PUSH (&self->casts, made);

  return define_results (self, cursor, numbers, made)
         && (op.n_regions == 0 || read_regions (self, cursor, made, op.is_isolated));
}

static gboolean
read_argument (Builder        *self,
               GhloByteCursor *cursor,
               GhloIrBlock    *block,
               Numbers        *numbers)
{
  GhloByteCursor start = *cursor;
  const GhloIrLocation *location = NULL;
  const GhloIrType *type;
  gboolean has_location = TRUE;
  guint64 index;

  if (self->reader->version < GHLO_BYTECODE_OP_COUNTS
      ? !ghlo_bytecode_read_varint (cursor, &index) : !ghlo_bytecode_read_flagged (cursor, &index, &has_location))
    return FALSE;
  if (!ghlo_bytecode_check_index (&start, index, self->reader->types.n, "type")
      || !ghlo_bytecode_use_type (cursor, index, &type)
      || (has_location && !ghlo_bytecode_read_location (cursor, &location)))
    return FALSE;

  return define (self, cursor, numbers, ghlo_ir_block_add_argument (self->module, block, type, location));
}

static gboolean
read_arguments (Builder        *self,
                GhloByteCursor *cursor,
                GhloIrBlock    *block,
                Numbers        *numbers)
{
  guint8 has_use_lists = 0;
  gsize n;

  if (!ghlo_bytecode_read_count (cursor, 1, &n))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    if (!read_argument (self, cursor, block, numbers))
      return FALSE;
  if (self->reader->version >= GHLO_BYTECODE_USE_LISTS && !ghlo_bytecode_read_byte (cursor, &has_use_lists))
    return FALSE;

  return has_use_lists == 0 || skip_use_lists (cursor, n);
}

/* @numbers is NULL if the values have no numbers. */
static gboolean
read_block (Builder        *self,
            GhloByteCursor *cursor,
            GhloIrBlock    *block,
            Numbers        *numbers)
{
  GhloByteCursor start = *cursor;
  gboolean has_arguments;
  guint64 n;

  if (!ghlo_bytecode_read_flagged (cursor, &n, &has_arguments))
    return FALSE;
  if (has_arguments && numbers == NULL)
    return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected a top-level block without arguments, found some");
  if (has_arguments && !read_arguments (self, cursor, block, numbers))
    return FALSE;
  for (guint64 i = 0; i < n; i++)
    if (!read_op (self, cursor, block, numbers))
      return FALSE;

  return TRUE;
}

static gboolean
read_blocks (Builder        *self,
             GhloByteCursor *cursor,
             GhloIrRegion   *region,
             gsize           n_blocks)
{
  GhloByteRange ir = self->reader->sections[GHLO_BYTECODE_SECTION_IR];
  GhloByteCursor start = *cursor;
  Numbers numbers = { self->top, self->top, self->top };
  gsize bottom = self->top, mark = self->forward_uses.n, end;
  guint64 n;

  if (!ghlo_bytecode_read_varint (cursor, &n))
    return FALSE;
  /* Each value takes at least one byte. */
  if (n > (gsize) (ir.end - ir.data) - self->top)
    return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected as many values as the IR section can hold,"
                               " found %" G_GUINT64_FORMAT, n);
  numbers.end += n;
  self->top += n;
  for (gsize i = 0; i < n_blocks; i++)
    if (!read_block (self, cursor, ghlo_ir_region_add_block (self->module, region), &numbers))
      return FALSE;
  if (!check_defined (self, cursor, bottom, mark))
    return FALSE;
  self->top = bottom;
  /* Only slots of defined values were ever set. */
  end = MIN (numbers.next, self->values.n);
  for (gsize i = bottom; i < end; i++)
    self->values.items[i] = NULL;

  return TRUE;
}

static gboolean
read_region (Builder        *self,
             GhloByteCursor *cursor,
             GhloIrRegion   *region)
{
  gsize n_blocks;

  if (!ghlo_bytecode_read_count (cursor, 1, &n_blocks))
    return FALSE;

  return n_blocks == 0 || read_blocks (self, cursor, region, n_blocks);
}

/* Opens the section that contains the regions of an isolated operation. */
static gboolean
open_section (GhloByteCursor *cursor,
              GhloByteCursor *inner)
{
  GhloByteCursor start = *cursor;
  GhloByteRange range;
  guint section;

  if (!ghlo_bytecode_read_section (cursor, &section, &range))
    return FALSE;
  *inner = ghlo_bytecode_cursor (cursor->reader, range, cursor->section);

  return section == GHLO_BYTECODE_SECTION_IR
         || ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected an IR section for the regions, found section %u",
                                section);
}

static gboolean
read_regions (Builder        *self,
              GhloByteCursor *cursor,
              GhloIrOp       *op,
              gboolean        is_isolated)
{
  gboolean has_section = is_isolated && self->reader->version >= GHLO_BYTECODE_REGION_SECTIONS;
  GhloByteCursor section, *inner = has_section ? &section : cursor;
  gsize first = self->first;

  if (self->depth >= GHLO_MAX_NESTING)
    return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "expected at most %d levels of nesting, found more",
                               GHLO_MAX_NESTING);
  if (has_section && !open_section (cursor, &section))
    return FALSE;
  self->depth++;
  if (is_isolated)
    self->first = self->top;
  for (guint i = 0; i < op->n_regions; i++)
    if (!read_region (self, inner, &op->regions[i]))
      return FALSE;
  self->first = first;
  self->depth--;

  return !has_section || ghlo_bytecode_check_end (inner, "the regions of an operation");
}

/* Removes casts that turn out to be identities, once the types of their operands are known. */
static void
drop_casts (Builder *self)
{
  for (gsize i = 0; i < self->casts.n; i++)
    {
      GhloIrOp *op = self->casts.items[i];
      gboolean is_nothing = op->n_operands == op->n_results && op->n_regions == 0;

      for (guint j = 0; j < op->n_operands && is_nothing; j++)
        is_nothing = ghlo_ir_op_operand (op, j)->type == op->results[j].type && ghlo_ir_op_operand (op, j)->op != op;
      if (!is_nothing)
        continue;
      for (guint j = 0; j < op->n_operands; j++)
        ghlo_ir_value_replace (&op->results[j], ghlo_ir_op_operand (op, j));
      ghlo_ir_op_remove (op);
    }
}

/* Returns the module in the file if the file contains nothing else, otherwise the wrapper module. */
static GhloIrOp *
outermost (GhloIrOp *wrapper)
{
  GhloIrOp *only = wrapper->regions[0].first->first;

  if (only == NULL || only->next != NULL || only->kind != GHLO_OP_BUILTIN_MODULE)
    return wrapper;
  ghlo_ir_op_remove (only);

  return only;
}

GhloIrOp *
ghlo_bytecode_read_ir (GhloBytecodeReader *reader)
{
  Builder self = {
    .reader = reader,
    .module = reader->module,
    .attributes = g_array_new (FALSE, FALSE, sizeof (GhloIrNamedAttr)),
  };
  GhloByteCursor cursor = ghlo_bytecode_cursor (reader, reader->sections[GHLO_BYTECODE_SECTION_IR],
                                                ghlo_bytecode_section_names[GHLO_BYTECODE_SECTION_IR]);
  GhloIrOp *wrapper = ghlo_ir_op_new (reader->module, &(GhloIrOpState) {
    .kind = GHLO_OP_BUILTIN_MODULE, .n_regions = 1,
  });
  GhloIrBlock *block = ghlo_ir_region_add_block (reader->module, &wrapper->regions[0]);
  gboolean good = read_block (&self, &cursor, block, NULL) && ghlo_bytecode_check_end (&cursor, "the operations");

  if (good)
    drop_casts (&self);
  g_array_unref (self.attributes);
  GHLO_IMPORT_CLEAR (&self.values);
  GHLO_IMPORT_CLEAR (&self.operands);
  GHLO_IMPORT_CLEAR (&self.result_types);
  GHLO_IMPORT_CLEAR (&self.casts);
  GHLO_IMPORT_CLEAR (&self.forward_uses);

  return good ? outermost (wrapper) : NULL;
}
