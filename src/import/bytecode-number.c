/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Numbers for everything that bytecode refers to by number. The order is MLIR's
 * (lib/Bytecode/Writer/IRNumbering.cpp), so that a program gives the same bytes:
 * things are found region by region, the last region that was found next; then
 * those with more references come first, and within the numbers that take the
 * same number of bytes, those of one dialect stand together.
 */

#include "import/bytecode-writer.h"

#include <string.h>

/* Readers of file ranges came with this version. */
static const GhloIrVersion range_version = { 1, 9, 0 };

/* Attributes, types and locations inside each other. */
enum { DEEPEST = 8 * GHLO_MAX_NESTING };

typedef struct
{
  GhloIrRegion *region;
  guint32       first_value;
} PendingRegion;

typedef struct
{
  GhloBytecodeWriter *writer;
  GHLO_IMPORT_VECTOR (PendingRegion) pending;
  GHLO_IMPORT_VECTOR (GhloIrNamedAttr) named;
  guint32             next_value;
} Numbering;

static GhloBytecodeDialectEntry *
dialect_entry (GhloBytecodeWriter *self,
               const char         *name,
               gsize               length)
{
  const char *interned = ghlo_ir_module_intern (self->module, name, (gssize) length);
  GhloBytecodeDialectEntry *dialect = g_hash_table_lookup (self->dialects_by_name, interned);

  if (dialect != NULL)
    return dialect;

  dialect = ghlo_ir_arena_alloc (&self->arena, sizeof *dialect);
  dialect->name = interned;
  dialect->number = self->dialects->len;
  g_hash_table_insert (self->dialects_by_name, (gpointer) interned, dialect);
  g_ptr_array_add (self->dialects, dialect);

  return dialect;
}

/* What is asked for with @encoding: the memory of the IR is aligned to 16 bytes. */
static gconstpointer
key_of (gconstpointer item,
        guint         encoding)
{
  G_STATIC_ASSERT (GHLO_BYTECODE_N_ENCODINGS <= 16);

  return (const char *) item + encoding;
}

/* The dialect that MLIR's text names: "#sdy.mesh<…>", "!quant.uniform<…>". */
static GhloBytecodeDialectEntry *
dialect_of_text (GhloBytecodeWriter *self,
                 const GString      *text)
{
  if (text->str[0] != '#' && text->str[0] != '!')
    return dialect_entry (self, "builtin", strlen ("builtin"));

  return dialect_entry (self, text->str + 1, strcspn (text->str + 1, ".<"));
}

static GhloBytecodeDialectEntry *
dialect_of_encoding (GhloBytecodeWriter *self,
                     guint               encoding)
{
  const char *name = encoding < GHLO_BYTECODE_N_DIALECTS ? ghlo_bytecode_codecs[encoding]->name : "builtin";

  return dialect_entry (self, name, strlen (name));
}

static GhloBytecodeEntry *
add_entry (GhloBytecodeWriter *self,
           GhloBytecodeTable  *table,
           gconstpointer       item,
           guint               encoding)
{
  GhloBytecodeEntry *entry = ghlo_ir_arena_alloc (&self->arena, sizeof *entry);

  entry->item = item;
  entry->references = 1;
  entry->encoding = (guint8) encoding;
  g_hash_table_insert (table->by_key, (gpointer) key_of (item, encoding), entry);
  g_ptr_array_add (table->entries, entry);
  if (encoding != GHLO_BYTECODE_AS_TEXT)
    entry->dialect = dialect_of_encoding (self, encoding);

  return entry;
}

/* Whether what VHLO has no form of may be part of the file, in the encoding of
 * another dialect. */
static gboolean
may_leave_vhlo (GhloBytecodeWriter *self,
                guint               found)
{
  if (found != GHLO_BYTECODE_STABLEHLO && ghlo_ir_version_compare (self->target, GHLO_BYTECODE_MIXED_VERSION) >= 0)
    return TRUE;

  return ghlo_bytecode_refuse (self, GHLO_ERROR_UNSUPPORTED,
                               "the operation %s has an attribute or a type that version %u.%u.%u of the format "
                               "has no form of", ghlo_ir_op_get_name (self->at),
                               self->target.major, self->target.minor, self->target.patch);
}

/* The encoding that @attr gets where @wanted is asked for: that one, or else the
 * one of the dialect that the attribute belongs to. */
static guint
resolve_attr (guint             wanted,
              const GhloIrAttr *attr)
{
  if (wanted >= GHLO_BYTECODE_N_DIALECTS || ghlo_bytecode_codecs[wanted]->has_attr (attr))
    return wanted;

  for (guint i = 0; i < GHLO_BYTECODE_N_DIALECTS; i++)
    if (i != GHLO_BYTECODE_VHLO && ghlo_bytecode_codecs[i]->has_attr (attr))
      return i;

  return GHLO_BYTECODE_AS_TEXT;
}

static guint
resolve_type (guint             wanted,
              const GhloIrType *type)
{
  if (wanted >= GHLO_BYTECODE_N_DIALECTS || ghlo_bytecode_codecs[wanted]->has_type (type))
    return wanted;

  for (guint i = 0; i < GHLO_BYTECODE_N_DIALECTS; i++)
    if (i != GHLO_BYTECODE_VHLO && ghlo_bytecode_codecs[i]->has_type (type))
      return i;

  return GHLO_BYTECODE_AS_TEXT;
}

gboolean
ghlo_bytecode_type_in_vhlo (const GhloIrType *type)
{
  return resolve_type (GHLO_BYTECODE_VHLO, type) == GHLO_BYTECODE_VHLO;
}

static GhloBytecodeEntry *
find_entry (GhloBytecodeTable *table,
            gconstpointer      key)
{
  GhloBytecodeEntry *entry = g_hash_table_lookup (table->by_key, key);

  if (entry != NULL)
    entry->references++;

  return entry;
}

/* Numbers what the bytes of a new entry refer to. */
static void
look_inside (GhloBytecodeWriter      *self,
             const GhloBytecodeEntry *entry,
             void                   (*write) (GhloBytecodeWriter      *self,
                                              const GhloBytecodeEntry *entry))
{
  if (self->depth >= DEEPEST)
    {
      ghlo_bytecode_refuse (self, GHLO_ERROR_UNSUPPORTED, "attributes, types or locations are nested more than %d deep",
                            DEEPEST);
      return;
    }

  self->depth++;
  write (self, entry);
  self->depth--;
}

/* The attribute that stands in @encoding for all that are written alike. */
static const GhloIrAttr *
canonical_attr (GhloBytecodeWriter *self,
                guint               encoding,
                const GhloIrAttr   *attr)
{
  if (encoding >= GHLO_BYTECODE_N_DIALECTS || ghlo_bytecode_codecs[encoding]->canonical == NULL)
    return attr;

  return ghlo_bytecode_codecs[encoding]->canonical (self->module, attr);
}

GhloBytecodeEntry *
ghlo_bytecode_attr_entry (GhloBytecodeWriter *self,
                          guint               encoding,
                          const GhloIrAttr   *attr)
{
  GhloBytecodeEntry *entry = find_entry (&self->attrs, key_of (attr, encoding));
  const GhloIrAttr *canonical;
  guint found;

  if (entry != NULL)
    return entry;
  if (attr->kind == GHLO_IR_ATTR_LOCATION)
    return ghlo_bytecode_location_entry (self, attr->location);

  canonical = canonical_attr (self, encoding, attr);
  found = resolve_attr (encoding, canonical);
  if (found != encoding || canonical != attr)
    {
      if (found != encoding && encoding == GHLO_BYTECODE_VHLO)
        may_leave_vhlo (self, found);
      entry = ghlo_bytecode_attr_entry (self, found, canonical);
      g_hash_table_insert (self->attrs.by_key, (gpointer) key_of (attr, encoding), entry);
      return entry;
    }

  entry = add_entry (self, &self->attrs, attr, encoding);
  if (encoding == GHLO_BYTECODE_AS_TEXT)
    {
      g_autoptr (GString) text = g_string_new (NULL);

      ghlo_ir_attr_append (attr, text);
      entry->dialect = dialect_of_text (self, text);
      return entry;
    }
  look_inside (self, entry, ghlo_bytecode_write_attr_entry);

  return entry;
}

GhloBytecodeEntry *
ghlo_bytecode_type_entry (GhloBytecodeWriter *self,
                          guint               encoding,
                          const GhloIrType   *type)
{
  GhloBytecodeEntry *entry = find_entry (&self->types, key_of (type, encoding));
  guint found;

  if (entry != NULL)
    return entry;

  found = resolve_type (encoding, type);
  if (found != encoding)
    {
      if (encoding == GHLO_BYTECODE_VHLO)
        may_leave_vhlo (self, found);
      entry = ghlo_bytecode_type_entry (self, found, type);
      g_hash_table_insert (self->types.by_key, (gpointer) key_of (type, encoding), entry);
      return entry;
    }

  entry = add_entry (self, &self->types, type, encoding);
  if (encoding == GHLO_BYTECODE_AS_TEXT)
    {
      g_autoptr (GString) text = g_string_new (NULL);

      ghlo_ir_type_append (type, text);
      entry->dialect = dialect_of_text (self, text);
      return entry;
    }
  look_inside (self, entry, ghlo_bytecode_write_type_entry);

  return entry;
}

/* What is written for @location. */
static const GhloIrLocation *
written_location (GhloBytecodeWriter   *self,
                  const GhloIrLocation *location)
{
  if (location == NULL || (self->flags & GHLO_EXPORT_STRIP_LOCATIONS) != 0
      || location->kind == GHLO_IR_LOCATION_OPAQUE)
    return self->unknown;
  if (location->kind == GHLO_IR_LOCATION_FILE && (location->end_line != 0 || location->end_column != 0)
      && ghlo_ir_version_compare (self->target, range_version) < 0)
    return ghlo_ir_location_file (self->module, location->text, location->line, location->column, 0, 0);

  return location;
}

GhloBytecodeEntry *
ghlo_bytecode_location_entry (GhloBytecodeWriter   *self,
                              const GhloIrLocation *location)
{
  const GhloIrLocation *written = written_location (self, location);
  GhloBytecodeEntry *entry = find_entry (&self->attrs, key_of (written, GHLO_BYTECODE_AS_LOCATION));

  if (entry != NULL)
    return entry;

  entry = add_entry (self, &self->attrs, written, GHLO_BYTECODE_AS_LOCATION);
  look_inside (self, entry, ghlo_bytecode_write_attr_entry);

  return entry;
}

static GhloBytecodeEntry *
name_entry (GhloBytecodeWriter *self,
            const GhloVhloOp   *vhlo,
            GhloIrOpKind        kind)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_spec (kind);
  gconstpointer key = vhlo != NULL ? (gconstpointer) vhlo : (gconstpointer) spec;
  GhloBytecodeEntry *entry = find_entry (&self->names, key);
  gsize length = strcspn (spec->name, ".");

  if (entry != NULL)
    return entry;

  entry = ghlo_ir_arena_alloc (&self->arena, sizeof *entry);
  entry->references = 1;
  entry->item = vhlo != NULL ? ghlo_vhlo_op_name (vhlo) : spec->name + length + 1;
  entry->dialect = vhlo != NULL ? dialect_of_encoding (self, GHLO_BYTECODE_VHLO)
                                : dialect_entry (self, spec->name, length);
  g_hash_table_insert (self->names.by_key, (gpointer) key, entry);
  g_ptr_array_add (self->names.entries, entry);

  return entry;
}

static guint
encoding_of (gboolean vhlo)
{
  return vhlo ? GHLO_BYTECODE_VHLO : GHLO_BYTECODE_BUILTIN;
}

/* Before version 5 an operation has one dictionary of all its attributes, later
 * only of those that are not its own. */
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

  writer->at = op;
  plan->name = name_entry (writer, plan->vhlo, op->kind);
  for (guint i = 0; i < op->n_results; i++)
    {
      op->results[i].id = self->next_value++;
      ghlo_bytecode_type_entry (writer, encoding_of (vhlo), op->results[i].type);
    }
  plan->dictionary = dictionary_entry (self, op, vhlo);
  number_properties (writer, op);
  plan->location = ghlo_bytecode_location_entry (writer, op->location);
}

static void
number_cast (Numbering        *self,
             GhloBytecodeCast *cast)
{
  GhloBytecodeWriter *writer = self->writer;

  cast->name = name_entry (writer, NULL, GHLO_OP_BUILTIN_UNREALIZED_CONVERSION_CAST);
  cast->result = self->next_value++;
  ghlo_bytecode_type_entry (writer, encoding_of (cast->to_vhlo), cast->value->type);
  cast->location_entry = ghlo_bytecode_location_entry (writer, cast->location);
}

/* The regions of @op come up later, the last one first. Values inside count on
 * from those around them, unless none of those can be meant. */
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
  for (GhloIrBlock *block = pending.region->first; block != NULL; block = block->next)
    {
      GhloBytecodeStep step = { NULL, NULL };

      for (guint i = 0; i < block->n_arguments; i++)
        {
          block->arguments[i]->id = self->next_value++;
          ghlo_bytecode_location_entry (writer, block->arguments[i]->location);
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

  for (GhloIrBlock *block = pending.region->first; block != NULL; block = block->next)
    for (GhloIrOp *op = block->first; op != NULL; op = op->next)
      add_regions (self, op);

  return TRUE;
}

static int
by_references (gconstpointer a,
               gconstpointer b)
{
  const GhloBytecodeEntry *first = *(GhloBytecodeEntry *const *) a, *second = *(GhloBytecodeEntry *const *) b;

  return (first->references < second->references) - (first->references > second->references);
}

/* @front is the number of the dialect that comes before all others. */
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

/* Groups by dialect those whose numbers take one byte, those that take two, and
 * so on; each group begins with the dialect that the one before ended with. The
 * sizes of groups are MLIR's, which forgets all groups but the one before. */
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
  GHLO_IMPORT_CLEAR (&self.named);

  return ok && ghlo_bytecode_writer_go_on (writer);
}
