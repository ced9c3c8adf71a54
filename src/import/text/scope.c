/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tables of value names. Nearly all names are numbers, which index an array; other names are hashed. A generation
 * number empties both at once.
 */

#include "import/text/scope.h"

#include <string.h>

#include "base/hash.h"

enum { FIRST_SLOTS = 64, MAX_DIGITS = 8, LARGEST_GAP = 4096 };

static GhloImportTable *
current (const GhloImportScopes *self)
{
  return self->tables.items[self->n_open - 1];
}

static void
table_free (GhloImportTable *table)
{
  GHLO_IMPORT_CLEAR (&table->symbols);
  GHLO_IMPORT_CLEAR (&table->defined);
  GHLO_IMPORT_CLEAR (&table->forward_uses);
  ghlo_import_memo_clear (&table->placeholders);
  g_free (table->slots);
  g_free (table->numbers);
  g_free (table);
}

void
ghlo_import_scopes_clear (GhloImportScopes *self)
{
  for (gsize i = 0; i < self->tables.n; i++)
    table_free (self->tables.items[i]);
  GHLO_IMPORT_CLEAR (&self->tables);
}

void
ghlo_import_scopes_open (GhloImportScopes *self)
{
  GhloImportTable *table;

  if (self->n_open == self->tables.n)
    GHLO_IMPORT_PUSH (&self->tables, g_new0 (GhloImportTable, 1));
  table = self->tables.items[self->n_open++];
  table->generation++;
  table->symbols.n = 0;
  table->n_hashed = 0;
  table->defined.n = 0;
  if (table->forward_uses.n > 0)
    ghlo_import_memo_clear (&table->placeholders);
  table->forward_uses.n = 0;
}

void
ghlo_import_scopes_close (GhloImportScopes *self)
{
  self->n_open--;
}

const GhloImportName *
ghlo_import_scopes_unresolved (GhloImportScopes *self,
                               gsize            *position)
{
  GhloImportTable *table = current (self);

  while (*position < table->forward_uses.n)
    {
      const GhloImportForwardUse *use = &table->forward_uses.items[(*position)++];

      if (!use->resolved)
        return &use->name;
    }

  return NULL;
}

gsize
ghlo_import_scopes_mark (const GhloImportScopes *self)
{
  return current (self)->defined.n;
}

void
ghlo_import_scopes_forget (GhloImportScopes *self,
                           gsize             mark)
{
  GhloImportTable *table = current (self);

  while (table->defined.n > mark)
    {
      GhloImportSymbol *symbol = &table->symbols.items[table->defined.items[--table->defined.n]];

      symbol->n = 0;
      symbol->broken = FALSE;
      symbol->values = NULL;
    }
}

/* Whether @name is a number as MLIR counts values: digits without a leading zero. */
static gboolean
name_number (const GhloImportName *name,
             gsize                *number)
{
  gsize result = 0;

  if (name->length > MAX_DIGITS || (name->text[0] == '0' && name->length > 1))
    return FALSE;
  for (guint i = 0; i < name->length; i++)
    {
      guint digit = (guint) (guchar) name->text[i] - '0';

      if (digit > 9)
        return FALSE;
      result = result * 10 + digit;
    }
  *number = result;

  return TRUE;
}

static guint32
add_symbol (GhloImportTable      *table,
            const GhloImportName *name,
            guint32               hash,
            gboolean              numbered)
{
  GHLO_IMPORT_PUSH (&table->symbols, (GhloImportSymbol) {
    .text = name->text, .length = name->length, .hash = hash, .numbered = numbered,
  });

  return table->symbols.n - 1;
}

static void
grow_slots (GhloImportTable *table)
{
  gsize n = MAX (table->n_slots * 2, FIRST_SLOTS);

  g_free (table->slots);
  table->slots = g_new0 (GhloImportSlot, n);
  table->n_slots = n;
  for (gsize i = 0; i < table->symbols.n; i++)
    {
      gsize slot = table->symbols.items[i].hash & (n - 1);

      if (table->symbols.items[i].numbered)
        continue;
      while (table->slots[slot].generation == table->generation)
        slot = (slot + 1) & (n - 1);
      table->slots[slot] = (GhloImportSlot) { table->generation, i };
    }
}

static GhloImportSymbol *
hashed_symbol (GhloImportTable      *table,
               const GhloImportName *name)
{
  guint32 hash = (guint32) ghlo_hash_bytes (name->text, name->length);
  gsize slot;

  if ((table->n_hashed + 1) * 2 > table->n_slots)
    grow_slots (table);

  for (slot = hash & (table->n_slots - 1);
       table->slots[slot].generation == table->generation;
       slot = (slot + 1) & (table->n_slots - 1))
    {
      GhloImportSymbol *symbol = &table->symbols.items[table->slots[slot].index];

      if (symbol->hash == hash && symbol->length == name->length
          && memcmp (symbol->text, name->text, name->length) == 0)
        return symbol;
    }
  table->slots[slot] = (GhloImportSlot) { table->generation, add_symbol (table, name, hash, FALSE) };
  table->n_hashed++;

  return &table->symbols.items[table->slots[slot].index];
}

/* Finds the symbol of a number. Returns FALSE if the number is too far from all others. */
static gboolean
numbered_symbol (GhloImportTable       *table,
                 const GhloImportName  *name,
                 gsize                  number,
                 GhloImportSymbol     **symbol)
{
  if (number >= table->n_numbers)
    {
      gsize n = MAX (table->n_numbers, LARGEST_GAP);

      if (number >= 2 * (n + LARGEST_GAP))
        return FALSE;
      while (n <= number)
        n *= 2;
      table->numbers = g_realloc_n (table->numbers, n, sizeof (GhloImportSlot));
      memset (table->numbers + table->n_numbers, 0, (n - table->n_numbers) * sizeof (GhloImportSlot));
      table->n_numbers = n;
    }

  if (table->numbers[number].generation != table->generation)
    table->numbers[number] = (GhloImportSlot) { table->generation, add_symbol (table, name, 0, TRUE) };

  *symbol = &table->symbols.items[table->numbers[number].index];

  return TRUE;
}

static GhloImportSymbol *
find (GhloImportTable      *table,
      const GhloImportName *name)
{
  GhloImportSymbol *symbol;
  gsize number;

  if (name_number (name, &number) && numbered_symbol (table, name, number, &symbol))
    return symbol;

  return hashed_symbol (table, name);
}

static void
mark_defined (GhloImportTable  *table,
              GhloImportSymbol *symbol)
{
  GHLO_IMPORT_PUSH (&table->defined, (guint32) (symbol - table->symbols.items));
}

/* Replaces the placeholders of forward uses by the values. */
static GhloImportScopeResult
resolve_forward_uses (GhloImportTable   *table,
                      GhloImportSymbol  *symbol,
                      const GhloIrType **other)
{
  GhloImportScopeResult result = GHLO_IMPORT_SCOPE_OK;

  for (guint32 next = symbol->forward_use; next != 0; next = table->forward_uses.items[next - 1].next)
    {
      GhloImportForwardUse *use = &table->forward_uses.items[next - 1];

      use->resolved = TRUE;
      if (symbol->broken)
        continue;
      if (use->name.number >= symbol->n)
        {
          result = GHLO_IMPORT_SCOPE_RANGE;
        }
      else if (symbol->values[use->name.number].type != use->placeholder->type)
        {
          *other = use->placeholder->type;
          result = GHLO_IMPORT_SCOPE_TYPE;
        }
      else
        {
          ghlo_ir_value_replace (use->placeholder, &symbol->values[use->name.number]);
        }
    }
  symbol->forward_use = 0;

  return result;
}

GhloImportScopeResult
ghlo_import_scopes_define (GhloImportScopes      *self,
                           const GhloImportName  *name,
                           GhloIrValue           *values,
                           guint                  n,
                           const GhloIrType     **other)
{
  GhloImportTable *table = current (self);
  GhloImportSymbol *symbol = find (table, name);

  if (symbol->broken)
    return GHLO_IMPORT_SCOPE_OK;
  if (symbol->n > 0)
    return GHLO_IMPORT_SCOPE_REDEFINED;
  symbol->values = values;
  symbol->n = n;
  mark_defined (table, symbol);

  return symbol->forward_use != 0 ? resolve_forward_uses (table, symbol, other) : GHLO_IMPORT_SCOPE_OK;
}

void
ghlo_import_scopes_break (GhloImportScopes     *self,
                          const GhloImportName *name)
{
  GhloImportTable *table = current (self);
  GhloImportSymbol *symbol = find (table, name);
  const GhloIrType *other;

  if (symbol->broken)
    return;
  symbol->broken = TRUE;
  mark_defined (table, symbol);
  resolve_forward_uses (table, symbol, &other);
}

static GhloIrValue *
make_placeholder (GhloImportScopes *self,
                  const GhloIrType *type)
{
  GhloIrValue *value = ghlo_ir_module_alloc (self->module, sizeof (GhloIrValue));

  value->type = type;

  return value;
}

/* Returns the placeholder for an undefined name, which is the same for all its uses. */
static GhloImportScopeResult
add_forward_use (GhloImportScopes      *self,
                 GhloImportTable       *table,
                 GhloImportSymbol      *symbol,
                 const GhloImportName  *name,
                 const GhloIrType      *type,
                 GhloIrValue          **value,
                 const GhloIrType     **other)
{
  gsize symbol_index = symbol - table->symbols.items;
  gpointer *entry = ghlo_import_memo_at (&table->placeholders, GSIZE_TO_POINTER (symbol_index),
                                         GSIZE_TO_POINTER (name->number));
  const GhloImportForwardUse *use = *entry != NULL ? &table->forward_uses.items[GPOINTER_TO_SIZE (*entry) - 1] : NULL;

  /* A placeholder that was replaced belonged to another region. */
  if (use != NULL && !use->resolved)
    {
      *value = use->placeholder;
      *other = use->placeholder->type;
      return *other == type ? GHLO_IMPORT_SCOPE_OK : GHLO_IMPORT_SCOPE_TYPE;
    }

  *value = make_placeholder (self, type);
  GHLO_IMPORT_PUSH (&table->forward_uses, (GhloImportForwardUse) {
    .name = *name, .placeholder = *value, .next = symbol->forward_use,
  });
  symbol->forward_use = table->forward_uses.n;
  *entry = GSIZE_TO_POINTER (table->forward_uses.n);

  return GHLO_IMPORT_SCOPE_OK;
}

GhloImportScopeResult
ghlo_import_scopes_resolve (GhloImportScopes      *self,
                            const GhloImportName  *name,
                            const GhloIrType      *type,
                            GhloIrValue          **value,
                            const GhloIrType     **other)
{
  GhloImportTable *table = current (self);
  GhloImportSymbol *symbol = find (table, name);

  if (symbol->broken)
    {
      *value = make_placeholder (self, type);
      return GHLO_IMPORT_SCOPE_OK;
    }
  if (symbol->n == 0)
    return add_forward_use (self, table, symbol, name, type, value, other);
  if (name->number >= symbol->n)
    return GHLO_IMPORT_SCOPE_RANGE;
  *value = &symbol->values[name->number];
  *other = (*value)->type;

  return *other == type ? GHLO_IMPORT_SCOPE_OK : GHLO_IMPORT_SCOPE_TYPE;
}
