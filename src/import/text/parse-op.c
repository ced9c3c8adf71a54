/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Operations and the generic form. An operation is read into a GhloImportOp, created once everything about it is
 * known, and added to its block. Its regions are read before the operation exists and handed over then.
 */

#include <string.h>

#include "import/text/parser.h"

enum { OPS_BETWEEN_CHECKS = 1024 };

static GhloImportOp *
open_op (GhloImportParser *self)
{
  GhloImportOp *op;

  if (self->n_open == self->ops.n)
    GHLO_IMPORT_PUSH (&self->ops, g_new0 (GhloImportOp, 1));
  op = self->ops.items[self->n_open++];
  op->kind = GHLO_OP_INVALID;
  op->operands.n = 0;
  op->n_groups_read = 0;
  op->operand_types.n = 0;
  op->result_types.n = 0;
  op->discardable.n = 0;
  op->regions.n = 0;
  op->names.n = 0;
  op->location = NULL;

  return op;
}

gboolean
ghlo_import_parse_value_name (GhloImportParser *self,
                              GhloImportName   *name)
{
  GhloImportPosition position = ghlo_import_position (self);
  gsize length = ghlo_import_lexer_length (&self->lexer) - 1;

  if (!ghlo_import_at (self, GHLO_TOKEN_PERCENT))
    return ghlo_import_expected (self, "a value such as %0");
  if (length > G_MAXUINT16)
    return ghlo_import_fail (self, "expected a value's name of at most %d bytes, found a longer one", G_MAXUINT16);
  *name = (GhloImportName) {
    .text = self->lexer.start + 1,
    .length = (guint32) length,
    .line = position.line,
    .column = position.column,
  };
  ghlo_import_next (self);

  return TRUE;
}

/* "%a" or "%a#1". */
static gboolean
parse_use (GhloImportParser *self,
           GhloImportName   *name)
{
  guint64 number = 0;

  if (!ghlo_import_parse_value_name (self, name))
    return FALSE;
  if (!ghlo_import_at (self, GHLO_TOKEN_HASH))
    return TRUE;

  for (const char *p = self->lexer.start + 1; p < self->lexer.cursor; p++)
    {
      if (!g_ascii_isdigit (*p))
        return ghlo_import_expected (self, "a result's number");
      number = number * 10 + (guint64) (*p - '0');
      if (number > GHLO_MAX_OPERANDS)
        return ghlo_import_fail (self, "expected a result's number below %u, found a larger one", GHLO_MAX_OPERANDS);
    }
  name->number = (guint32) number;
  ghlo_import_next (self);

  return TRUE;
}

gboolean
ghlo_import_parse_operand (GhloImportParser *self,
                           GhloImportOp     *op)
{
  GhloImportName name;

  if (!parse_use (self, &name))
    return FALSE;
  if (op->operands.n >= GHLO_MAX_OPERANDS)
    return ghlo_import_fail (self, "expected at most %u operands, found more", GHLO_MAX_OPERANDS);
  GHLO_IMPORT_PUSH (&op->operands, name);

  return TRUE;
}

gboolean
ghlo_import_parse_operands (GhloImportParser *self,
                            GhloImportOp     *op)
{
  if (!ghlo_import_at (self, GHLO_TOKEN_PERCENT))
    return TRUE;
  do
    if (!ghlo_import_parse_operand (self, op))
      return FALSE;
  while (ghlo_import_accept (self, ','));

  return TRUE;
}

/* The index of an attribute's name in the row, or -1. Segment sizes have two spellings. */
static int
inherent_index (const GhloIrOpSpec *spec,
                const char         *name)
{
  for (guint i = 0; i < spec->n_attributes; i++)
    if (strcmp (spec->attributes[i].name, name) == 0)
      return (int) i;
  if (strcmp (name, "operand_segment_sizes") == 0)
    return inherent_index (spec, "operandSegmentSizes");
  if (strcmp (name, "result_segment_sizes") == 0)
    return inherent_index (spec, "resultSegmentSizes");

  return -1;
}

void
ghlo_import_set_inherent (GhloImportOp     *op,
                          const char       *name,
                          const GhloIrAttr *attr)
{
  int index = inherent_index (op->spec, name);

  if (index >= 0)
    op->inherent[index] = attr;
}

/* Splits the entries from @height on into inherent and discardable ones. */
static gboolean
take_entries (GhloImportParser   *self,
              GhloImportOp       *op,
              GhloImportPosition  position,
              gsize               height,
              gboolean            properties)
{
  for (gsize i = height; i < self->entries.n; i++)
    {
      GhloIrNamedAttr entry = self->entries.items[i];
      int index = inherent_index (op->spec, entry.name);

      if (index >= 0 && op->inherent[index] != NULL)
        return ghlo_import_fail_at (self, position, "expected the attribute '%s' once, found it again", entry.name);
      if (index < 0 && properties && op->kind != GHLO_OP_UNREGISTERED)
        return ghlo_import_fail_at (self, position, "expected attributes of '%s' between '<{' and '}>', found '%s', "
                                    "which it does not have", op->spec->name, entry.name);
      if (index >= 0)
        op->inherent[index] = entry.value;
      else
        GHLO_IMPORT_PUSH (&op->discardable, entry);
    }

  return TRUE;
}

static gboolean
parse_entries_into (GhloImportParser *self,
                    GhloImportOp     *op,
                    gboolean          properties)
{
  GhloImportPosition position = ghlo_import_position (self);
  gsize height = self->entries.n;
  gboolean ok = ghlo_import_parse_entries (self) && take_entries (self, op, position, height, properties);

  self->entries.n = height;

  return ok;
}

gboolean
ghlo_import_parse_op_attrs (GhloImportParser *self,
                            GhloImportOp     *op)
{
  return !ghlo_import_at (self, '{') || parse_entries_into (self, op, FALSE);
}

gboolean
ghlo_import_parse_properties (GhloImportParser *self,
                              GhloImportOp     *op)
{
  if (!ghlo_import_accept (self, '<'))
    return TRUE;

  return parse_entries_into (self, op, TRUE) && ghlo_import_expect (self, '>', "'>'");
}

GhloIrRegion *
ghlo_import_add_region (GhloImportParser *self,
                        GhloImportOp     *op)
{
  GhloIrRegion *region = ghlo_ir_module_alloc (self->module, sizeof (GhloIrRegion));

  GHLO_IMPORT_PUSH (&op->regions, region);

  return region;
}

gboolean
ghlo_import_op_is_isolated (const GhloImportOp *op)
{
  return (op->spec->traits & GHLO_IR_TRAIT_ISOLATED) != 0;
}

gboolean
ghlo_import_assign_types (GhloImportParser *self,
                          GhloImportOp     *op,
                          const GhloIrType *function)
{
  if (function->rank != op->operands.n)
    return ghlo_import_fail_at (self, op->position, "expected a type for each of %" G_GSIZE_FORMAT
                                " operands of '%s', found %u types", op->operands.n, op->spec->name, function->rank);

  op->operand_types.n = 0;
  op->result_types.n = 0;
  for (guint i = 0; i < function->rank; i++)
    GHLO_IMPORT_PUSH (&op->operand_types, function->members[i]);
  for (guint i = 0; i < function->n_results; i++)
    GHLO_IMPORT_PUSH (&op->result_types, function->members[function->rank + i]);

  return TRUE;
}

/* Parses the generic form after the operation's name. */
static gboolean
parse_generic (GhloImportParser *self,
               GhloImportOp     *op)
{
  const GhloIrType *function;

  if (!ghlo_import_expect (self, '(', "'('") || !ghlo_import_parse_operands (self, op)
      || !ghlo_import_expect (self, ')', "',' or ')'"))
    return FALSE;
  if (ghlo_import_at (self, '['))
    return ghlo_import_unsupported (self, "expected an operation without successors, found '%s' with some",
                                    op->spec->name);
  if (!ghlo_import_parse_properties (self, op))
    return FALSE;

  if (ghlo_import_accept (self, '('))
    {
      do
        if (!ghlo_import_parse_region (self, ghlo_import_add_region (self, op), NULL,
                                       ghlo_import_op_is_isolated (op)))
          return FALSE;
      while (ghlo_import_accept (self, ','));
      if (!ghlo_import_expect (self, ')', "',' or ')'"))
        return FALSE;
    }
  if (!ghlo_import_parse_op_attrs (self, op) || !ghlo_import_expect (self, ':', "':'"))
    return FALSE;
  function = ghlo_import_parse_function_type (self);

  return function != NULL && ghlo_import_assign_types (self, op, function);
}

/* Parses the optional "%a:2, %b = ". */
static gboolean
parse_result_names (GhloImportParser *self,
                    GhloImportOp     *op)
{
  if (!ghlo_import_at (self, GHLO_TOKEN_PERCENT))
    return TRUE;
  do
    {
      GhloImportResultName result = { .n = 1 };
      GhloImportPosition position;
      gint64 n;

      if (!ghlo_import_parse_value_name (self, &result.name))
        return FALSE;
      if (ghlo_import_accept (self, ':'))
        {
          position = ghlo_import_position (self);
          if (!ghlo_import_parse_integer (self, &n))
            return FALSE;
          if (n < 1 || n > GHLO_MAX_OPERANDS)
            return ghlo_import_fail_at (self, position, "expected between 1 and %u results, found %" G_GINT64_FORMAT,
                                        GHLO_MAX_OPERANDS, n);
          result.n = (guint) n;
        }
      GHLO_IMPORT_PUSH (&op->names, result);
    }
  while (ghlo_import_accept (self, ','));

  return ghlo_import_expect (self, '=', "'='");
}

GhloIrOpKind
ghlo_import_find_op (GhloImportParser *self,
                     const char       *name,
                     gsize             length)
{
  GhloIrOpKind kind = ghlo_ir_op_kind_from_name (name, length);
  const char *dialect = self->dialects.n > 0 ? self->dialects.items[self->dialects.n - 1] : "builtin";
  const char *const tried[] = { dialect, "builtin", "func" };

  if (kind != GHLO_OP_INVALID || memchr (name, '.', length) != NULL || length > 64)
    return kind;

  /* "module" and "func" are known everywhere, other short names only if their dialect is the default. */
  for (guint i = 0; i < G_N_ELEMENTS (tried); i++)
    {
      char whole[128];

      if (i > 0 && !(length == strlen ("module") && memcmp (name, "module", length) == 0)
          && !(length == strlen ("func") && memcmp (name, "func", length) == 0))
        break;
      if (*tried[i] == '\0')
        continue;
      g_snprintf (whole, sizeof whole, "%s.%.*s", tried[i], (int) length, name);
      kind = ghlo_ir_op_kind_from_name (whole, -1);
      if (kind != GHLO_OP_INVALID)
        break;
    }

  return kind;
}

gboolean
ghlo_import_is_foreign (const char *name,
                        gsize       length)
{
  const char *dot = memchr (name, '.', length);
  gsize n = dot != NULL ? (gsize) (dot + 1 - name) : 0;

  for (gsize i = 0; i < length; i++)
    if (!ghlo_import_char_is (name[i], GHLO_CHAR_SUFFIX))
      return FALSE;
  for (guint kind = 1; kind < GHLO_N_OPS; kind++)
    if (n > 0 && strncmp (ghlo_ir_op_spec (kind)->name, name, n) == 0)
      return FALSE;

  return n > 0;
}

static gboolean
parse_op_name (GhloImportParser *self,
               GhloImportOp     *op,
               gboolean         *generic)
{
  const char *name = self->lexer.start;
  gsize length = ghlo_import_lexer_length (&self->lexer);

  *generic = ghlo_import_at (self, GHLO_TOKEN_STRING);
  if (!*generic && !ghlo_import_at (self, GHLO_TOKEN_BARE))
    return ghlo_import_expected (self, "an operation");
  op->position = ghlo_import_position (self);
  if (*generic)
    {
      name++;
      length -= 2;
    }
  op->kind = *generic ? ghlo_ir_op_kind_from_name (name, length) : ghlo_import_find_op (self, name, length);
  if (op->kind == GHLO_OP_UNREGISTERED)
    op->kind = GHLO_OP_INVALID;
  if (op->kind == GHLO_OP_INVALID && *generic && (self->flags & GHLO_IMPORT_ALLOW_UNREGISTERED)
      && ghlo_import_is_foreign (name, length))
    op->kind = GHLO_OP_UNREGISTERED;
  if (op->kind == GHLO_OP_INVALID)
    {
      g_autofree char *quote = ghlo_import_quote (name, length);

      return ghlo_import_fail (self, "expected a known operation, found '%s'", quote);
    }
  op->spec = ghlo_ir_op_spec (op->kind);
  if (!*generic && op->spec->assembly == NULL)
    return ghlo_import_fail (self, "expected \"%s\" in quotes, since it has no other form, found it without them",
                             op->spec->name);
  memset (op->inherent, 0, op->spec->n_attributes * sizeof (gpointer));
  if (op->kind == GHLO_OP_UNREGISTERED)
    op->inherent[0] = ghlo_ir_attr_string (self->module, name, length);
  ghlo_import_next (self);

  return TRUE;
}

/* Checks now and then whether the monitor was cancelled, and reports progress. */
static gboolean
check_monitor (GhloImportParser *self)
{
  GhloImportLexer *lexer = &self->lexer;

  if (++self->n_ops < OPS_BETWEEN_CHECKS)
    return TRUE;
  self->n_ops = 0;
  if (ghlo_monitor_cancelled (self->monitor, NULL))
    {
      self->stopped = TRUE;
      return FALSE;
    }
  ghlo_monitor_progress (self->monitor, (double) (lexer->start - lexer->text) / MAX (lexer->end - lexer->text, 1),
                         "parse");

  return TRUE;
}

static gboolean
parse_op_parts (GhloImportParser *self,
                GhloImportOp     *op,
                GhloIrBlock      *block)
{
  gboolean generic, ok;

  if (!check_monitor (self) || !parse_result_names (self, op) || !parse_op_name (self, op, &generic))
    return FALSE;

  GHLO_IMPORT_PUSH (&self->dialects, op->kind == GHLO_OP_FUNC_FUNC ? "func"
                                     : op->kind == GHLO_OP_BUILTIN_MODULE ? "builtin" : "");
  ok = generic ? parse_generic (self, op) : ghlo_import_parse_pretty (self, op);
  self->dialects.n--;

  return ok && ghlo_import_accept_location (self, &op->location) && ghlo_import_make_op (self, op, block);
}

gboolean
ghlo_import_parse_op (GhloImportParser *self,
                      GhloIrBlock      *block)
{
  GhloImportOp *op = open_op (self);
  gboolean ok = parse_op_parts (self, op, block);

  if (!ok)
    for (gsize i = 0; i < op->names.n; i++)
      ghlo_import_scopes_break (&self->scopes, &op->names.items[i].name);
  self->n_open--;

  return ok;
}
