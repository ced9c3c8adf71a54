/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Assigns numbers to everything that bytecode refers to by number. The order is MLIR's (lib/Bytecode/Writer/
 * IRNumbering.cpp), so that a program gives the same bytes: items are discovered region by region, always continuing
 * with the region that was found last. Items with more references then come first, and among numbers that take the
 * same number of bytes, those of one dialect are adjacent.
 */

#include "import/bytecode/writer.h"

typedef struct
{
  GhloIrRegion *region;
  guint32       first_value;
} PendingRegion;

typedef struct
{
  GhloBytecodeWriter *writer;
  GHLO_IMPORT_VECTOR (PendingRegion) pending;
  GHLO_IMPORT_VECTOR (const GhloIrOp *) parents;     /* operations with regions in the current region */
  GHLO_IMPORT_VECTOR (GhloIrNamedAttr) named;
  guint32             next_value;
} Numbering;

static guint
encoding_of (gboolean vhlo)
{
  return vhlo ? GHLO_BYTECODE_VHLO : GHLO_BYTECODE_BUILTIN;
}

/* Before version 5, one dictionary has all attributes of an operation; since then, only the discardable ones. */
static void
collect_attributes (Numbering      *self,
                    const GhloIrOp *op)
{
  const GhloBytecodePlan *plan = ghlo_bytecode_plan_of (self->writer, op);
  const GhloIrOpSpec *spec = ghlo_ir_op_get_spec (op);
  guint n = plan->n_values;
  const char *const *names = plan->vhlo != NULL ? ghlo_vhlo_op_attributes (plan->vhlo, &n) : NULL;

  self->named.n = 0;
  for (guint i = 0; i < op->n_discardable; i++)
    GHLO_IMPORT_PUSH (&self->named, op->discardable[i]);
  for (guint i = 0; plan->vhlo != NULL && i < spec->n_attributes; i++)
    if (op->attributes[i] != NULL && ghlo_vhlo_is_extra (op->kind, i))
      GHLO_IMPORT_PUSH (&self->named, (GhloIrNamedAttr) { spec->attributes[i].name, op->attributes[i] });
  if (self->writer->version >= GHLO_BYTECODE_HAS_PROPERTIES)
    return;

  for (guint i = 0; plan->vhlo != NULL && i < plan->n_values; i++)
    GHLO_IMPORT_PUSH (&self->named, (GhloIrNamedAttr) { names[i], plan->values[i] });
  for (guint i = 0; plan->vhlo == NULL && i < spec->n_attributes; i++)
    if (op->attributes[i] != NULL)
      GHLO_IMPORT_PUSH (&self->named, (GhloIrNamedAttr) { spec->attributes[i].name, op->attributes[i] });
}

static GhloBytecodeEntry *
dictionary_entry (Numbering      *self,
                  const GhloIrOp *op,
                  gboolean        vhlo)
{
  GhloBytecodeWriter *writer = self->writer;

  collect_attributes (self, op);
  if (self->named.n == 0)
    return NULL;

  for (gsize i = 0; i < self->named.n; i++)
    self->named.items[i].name = ghlo_ir_module_intern (writer->module, self->named.items[i].name, -1);

  return ghlo_bytecode_attr_entry (writer, vhlo ? GHLO_BYTECODE_AS_VHLO_DICTIONARY : GHLO_BYTECODE_BUILTIN,
                                   ghlo_ir_attr_dictionary (writer->module, self->named.items, self->named.n));
}

static void
number_properties (GhloBytecodeWriter *self,
                   const GhloIrOp     *op)
{
  const GhloBytecodePlan *plan = ghlo_bytecode_plan_of (self, op);

  if (self->version < GHLO_BYTECODE_HAS_PROPERTIES)
    return;

  if (plan->vhlo == NULL && ghlo_bytecode_has_properties (op->kind))
    ghlo_bytecode_write_properties (self, op);
  for (guint i = 0; i < plan->n_values; i++)
    ghlo_bytecode_attr_entry (self, GHLO_BYTECODE_VHLO, plan->values[i]);
}

static void
number_op (Numbering      *self,
           const GhloIrOp *op)
{
  GhloBytecodeWriter *writer = self->writer;
  GhloBytecodePlan *plan = ghlo_bytecode_plan_of (writer, op);
  gboolean vhlo = plan->vhlo != NULL;

  if (op->n_regions > 0)
    GHLO_IMPORT_PUSH (&self->parents, op);
  writer->at = op;
  plan->name = ghlo_bytecode_name_entry (writer, plan->vhlo, op->kind);
  for (guint i = 0; i < op->n_results; i++)
    {
      op->results[i].id = self->next_value++;
      ghlo_bytecode_type_entry (writer, encoding_of (vhlo), op->results[i].type);
    }
  plan->dictionary = dictionary_entry (self, op, vhlo);
  number_properties (writer, op);
  plan->location = ghlo_bytecode_debug_location (writer, op->location);
}

static void
number_cast (Numbering        *self,
             GhloBytecodeCast *cast)
{
  GhloBytecodeWriter *writer = self->writer;

  cast->name = ghlo_bytecode_name_entry (writer, NULL, GHLO_OP_BUILTIN_UNREALIZED_CONVERSION_CAST);
  cast->result = self->next_value++;
  ghlo_bytecode_type_entry (writer, encoding_of (cast->to_vhlo), cast->value->type);
  cast->location_entry = ghlo_bytecode_debug_location (writer, cast->location);
}

/* Queues the regions of @op; the last one is processed first. Values in an isolated region are numbered from 0,
 * others continue the numbers of the enclosing region. */
static void
add_regions (Numbering      *self,
             const GhloIrOp *op)
{
  guint32 first = ghlo_bytecode_plan_of (self->writer, op)->isolated ? 0 : self->next_value;

  for (guint i = 0; i < op->n_regions; i++)
    GHLO_IMPORT_PUSH (&self->pending, (PendingRegion) { &op->regions[i], first });
}

static gboolean
number_region (Numbering     *self,
               PendingRegion  pending)
{
  GhloBytecodeWriter *writer = self->writer;
  guint encoding = encoding_of (ghlo_bytecode_plan_of (writer, pending.region->op)->vhlo != NULL);

  self->next_value = pending.first_value;
  self->parents.n = 0;
  for (GhloIrBlock *block = pending.region->first; block != NULL; block = block->next)
    {
      GhloBytecodeStep step = { NULL, NULL };

      for (guint i = 0; i < block->n_arguments; i++)
        {
          block->arguments[i]->id = self->next_value++;
          ghlo_bytecode_debug_location (writer, block->arguments[i]->location);
          ghlo_bytecode_type_entry (writer, encoding, block->arguments[i]->type);
        }
      while (ghlo_bytecode_step (writer, block, &step))
        if (!ghlo_bytecode_writer_go_on (writer))
          return FALSE;
        else if (step.cast != NULL)
          number_cast (self, step.cast);
        else
          number_op (self, step.op);
    }

  for (gsize i = 0; i < self->parents.n; i++)
    add_regions (self, self->parents.items[i]);

  return TRUE;
}

static int
by_references (gconstpointer a,
               gconstpointer b)
{
  const GhloBytecodeEntry *first = *(GhloBytecodeEntry *const *) a, *second = *(GhloBytecodeEntry *const *) b;

  return (first->references < second->references) - (first->references > second->references);
}

/* @front is the number of the dialect that sorts before all others. */
static int
by_dialect (gconstpointer a,
            gconstpointer b,
            gpointer      front)
{
  const GhloBytecodeEntry *first = *(GhloBytecodeEntry *const *) a, *second = *(GhloBytecodeEntry *const *) b;
  guint x = first->dialect->number, y = second->dialect->number;

  if (x == y)
    return 0;
  if (x == GPOINTER_TO_UINT (front) || y == GPOINTER_TO_UINT (front))
    return x == GPOINTER_TO_UINT (front) ? -1 : 1;

  return x < y ? -1 : 1;
}

/* Groups entries by dialect among the numbers of one byte, those of two bytes, and
 * so on. Each group begins with the dialect that ended the previous group. The
 * sizes of the groups are MLIR's, which only takes the previous group into account. */
static void
group (GhloBytecodeTable *table)
{
  GhloBytecodeEntry **entries = (GhloBytecodeEntry **) table->entries->pdata;
  gsize n = table->entries->len, done = 0, size = 0;
  guint front = 0;

  for (guint bytes = 1; bytes < 9 && done < n; bytes++)
    {
      gsize taken;

      size = ((gsize) 1 << (7 * bytes)) - size;
      taken = MIN (size, n - done);
      g_qsort_with_data (entries + done, (int) taken, sizeof entries[0], by_dialect, GUINT_TO_POINTER (front));
      done += taken;
      front = entries[done - 1]->dialect->number;
    }
  for (gsize i = 0; i < n; i++)
    entries[i]->number = (guint32) i;
}

gboolean
ghlo_bytecode_number (GhloBytecodeWriter *writer)
{
  Numbering self = { .writer = writer };
  GhloBytecodeTable *tables[] = { &writer->attrs, &writer->types, &writer->names };
  gboolean ok = TRUE;

  writer->numbering = TRUE;
  number_op (&self, writer->module->op);
  add_regions (&self, writer->module->op);
  while (ok && self.pending.n > 0)
    ok = number_region (&self, self.pending.items[--self.pending.n]);
  writer->numbering = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    {
      g_ptr_array_sort (tables[i]->entries, by_references);
      group (tables[i]);
    }
  GHLO_IMPORT_CLEAR (&self.pending);
  GHLO_IMPORT_CLEAR (&self.parents);
  GHLO_IMPORT_CLEAR (&self.named);

  return ok && ghlo_bytecode_writer_go_on (writer);
}
