/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The walk over a module. Each operation is checked against its row of the op table, then by the row's own verifier,
 * and its operands against dominance. The walk follows the links of the tree in program order, without recursion, so
 * it needs no stack for deep programs; each operation is visited once.
 *
 * An operation's id is its index in its block, set when the walk
 * enters the block. "Defined before" is thus one comparison.
 */

#include "ir/verify/from-table.h"
#include "ir/verify/sharding.h"

#include "base/ghlo-error.h"

/* The number of operations between two checks of the monitor. */
enum { MONITOR_INTERVAL = 1024 };

/* Limits of a program's printed size, with shared parts counted each
 * time: a minimum, and a multiple of the program's size in bytes. */
enum { MIN_EXTENT = 1 << 22, MAX_REPEATED = 32 };

#define OP(ID, name, summary, traits, word, ...) \
  gboolean ghlo_ir_verify_##word (GhloIrVerifier *verifier, const GhloIrOp *op);
#include "ir/ops.def"

/* "none" in the table: the row alone defines all checks. */
gboolean
ghlo_ir_verify_none (GhloIrVerifier *verifier,
                     const GhloIrOp *op)
{
  return TRUE;
}

static const GhloIrVerifyFunc row_verifiers[GHLO_N_OPS] = {
#define OP(ID, name, summary, traits, word, ...) [GHLO_OP_##ID] = ghlo_ir_verify_##word,
#include "ir/ops.def"
};

/* Describes the position of an operation without a line: its byte offset in the file or its function, and the source
 * line in its location attribute. */
static char *
describe_position (const GhloIrVerifier *verifier,
                   const GhloIrOp       *op)
{
  const GhloIrLocation *file = ghlo_ir_location_get_file (op->location);
  const GhloIrOp *function = op;
  g_autofree char *source = file != NULL ? g_strdup_printf ("%s:%u:%u", file->text, file->line, file->column) : NULL;

  if (verifier->module->is_binary)
    return g_strdup_printf ("at byte %" G_GUINT64_FORMAT "%s%s%s: ", ghlo_ir_op_get_offset (op),
                            source != NULL ? " (" : "", source != NULL ? source : "", source != NULL ? ")" : "");

  while (function != NULL && function->kind != GHLO_OP_FUNC_FUNC)
    function = ghlo_ir_op_get_parent (function);
  if (function == NULL || ghlo_ir_op_get_string (function, "sym_name") == NULL)
    return source != NULL ? g_strconcat (source, ": ", NULL) : g_strdup ("");

  return g_strdup_printf ("in @%s: %s%s", ghlo_ir_op_get_string (function, "sym_name"),
                          source != NULL ? source : "", source != NULL ? ": " : "");
}

/* Adds an error at the position of @op. */
static void
add_error (GhloIrVerifier *verifier,
           const GhloIrOp *op,
           const char     *message)
{
  gboolean has_line = op->line > 0 && !verifier->module->is_binary;
  g_autofree char *position = has_line ? NULL : describe_position (verifier, op);

  ghlo_diagnostics_add (verifier->diagnostics, GHLO_SEVERITY_ERROR, GHLO_ERROR_VERIFY, has_line ? op->line : 0,
                        has_line ? op->column : 0, "%s%s", position != NULL ? position : "", message);
}

gboolean
(ghlo_ir_verify_fail) (GhloIrVerifier *verifier,
                       const GhloIrOp *op,
                       const char     *format,
                       ...)
{
  GhloDiagnostics *diagnostics = verifier->diagnostics;
  g_autofree char *message = NULL, *whole = NULL;
  va_list args;

  verifier->failed = TRUE;
  /* Beyond the limit errors are only counted, so no text is formatted. */
  if (diagnostics->findings->len < diagnostics->max_errors)
    {
      va_start (args, format);
      message = g_strdup_vprintf (format, args);
      va_end (args);
      whole = g_strdup_printf ("'%s' op %s", ghlo_ir_op_get_spec (op)->name, message);
    }
  add_error (verifier, op, whole != NULL ? whole : "");

  return FALSE;
}

gboolean
ghlo_ir_verify_symbol_use (GhloIrVerifier   *verifier,
                           const GhloIrOp   *op,
                           GhloIrVerifyFunc  check)
{
  const GhloIrSymbolUse use = { op, check };

  g_array_append_val (verifier->symbol_uses, use);

  return TRUE;
}

static const char *
value_kind (const GhloIrValue *value)
{
  return value->op != NULL ? "result" : "block argument";
}

/* Returns the ancestor of @op (or @op itself) in @block, or NULL. Sets *@barrier to the outermost isolated operation
 * between the two, or NULL. */
static const GhloIrOp *
ancestor_in_block (const GhloIrOp    *op,
                   const GhloIrBlock *block,
                   const GhloIrOp   **barrier)
{
  *barrier = NULL;
  while (op != NULL && op->block != block)
    {
      op = ghlo_ir_op_get_parent (op);
      if (op != NULL && (ghlo_ir_op_get_spec (op)->traits & GHLO_IR_TRAIT_ISOLATED) != 0)
        *barrier = op;
    }

  return op;
}

/* The slow path of operand_visible: the value is not defined earlier in @op's own block. */
static gboolean
check_visible (GhloIrVerifier    *verifier,
               const GhloIrOp    *op,
               guint              index,
               const GhloIrValue *value)
{
  const GhloIrBlock *block;
  const GhloIrOp *ancestor, *barrier, *holder;

  if (value == NULL)
    return ghlo_ir_verify_fail (verifier, op, "expected a value for operand #%u, found none", index);

  block = value->op != NULL ? value->op->block : value->block;
  ancestor = block != NULL ? ancestor_in_block (op, block, &barrier) : NULL;
  if (ancestor == NULL)
    return ghlo_ir_verify_fail (verifier, op, "expected operand #%u to be defined in a region around it,"
                                " found a %s of a region that does not enclose it", index, value_kind (value));
  if (barrier != NULL)
    return ghlo_ir_verify_fail (verifier, op,
                                "expected operand #%u to be defined inside '%s', whose region is isolated,"
                                " found a %s from outside",
                                index, ghlo_ir_op_get_spec (barrier)->name, value_kind (value));

  if (value->op == NULL || value->op->id < ancestor->id)
    return TRUE;
  holder = block->region->op;
  if (holder != NULL && (ghlo_ir_op_get_spec (holder)->traits & GHLO_IR_TRAIT_GRAPH_REGION) != 0)
    return TRUE;

  return ghlo_ir_verify_fail (verifier, op, "expected operand #%u to be defined before its use,"
                              " found a later '%s'", index, ghlo_ir_op_get_spec (value->op)->name);
}

static inline gboolean
operand_visible (GhloIrVerifier *verifier,
                 const GhloIrOp *op,
                 guint           index)
{
  const GhloIrValue *value = op->operands[index].value;

  if (value != NULL && (value->op != NULL ? value->op->block == op->block && value->op->id < op->id
                                          : value->block == op->block))
    return TRUE;

  return check_visible (verifier, op, index, value);
}

/* Runs before all other checks, so that these never read a missing value. */
static gboolean
check_operands (GhloIrVerifier *verifier,
                const GhloIrOp *op)
{
  gboolean good = TRUE;

  for (guint i = 0; i < op->n_operands; i++)
    good = operand_visible (verifier, op, i) && good;

  return good;
}

static gboolean
check_op (GhloIrVerifyRun *run,
          const GhloIrOp  *op)
{
  GhloIrVerifier *verifier = &run->verifier;

  verifier->failed = FALSE;
  if (op->kind == GHLO_OP_INVALID || op->kind >= GHLO_N_OPS)
    {
      g_autofree char *message = g_strdup_printf ("expected an operation of the op table, found kind %d",
                                                  (int) op->kind);

      add_error (verifier, op, message);
      return FALSE;
    }

  return check_operands (verifier, op)
         && ghlo_ir_verify_values (run, op)
         && ghlo_ir_verify_attributes (run, op)
         && ghlo_ir_verify_regions (run, op)
         && ghlo_ir_verify_traits (run, op)
         && row_verifiers[op->kind] (verifier, op)
         && ghlo_ir_verify_shardings (verifier, op);
}

/* Errors inside an invalid operation usually have the same cause, so
 * its regions are skipped; those of functions and modules are not. */
static gboolean
worth_entering (const GhloIrOp *op)
{
  return op->kind < GHLO_N_OPS && (ghlo_ir_op_get_spec (op)->traits & GHLO_IR_TRAIT_SYMBOL) != 0;
}

/* Numbers the operations of a block when the walk enters it. */
static void
enter_block (GhloIrBlock *block)
{
  guint32 id = 0;

  for (GhloIrOp *op = block->first; op != NULL; op = op->next)
    op->id = ++id;
}

/* Returns the first operation of @block or of the blocks that follow it in its region. */
static GhloIrOp *
first_of_blocks (GhloIrBlock *block)
{
  for (; block != NULL; block = block->next)
    if (block->first != NULL)
      {
        enter_block (block);
        return block->first;
      }

  return NULL;
}

/* Returns the first operation in @op's regions from number @region on. */
static GhloIrOp *
first_inside (GhloIrOp *op,
              guint     region)
{
  GhloIrOp *first = NULL;

  for (; region < op->n_regions && first == NULL; region++)
    first = first_of_blocks (op->regions[region].first);

  return first;
}

/* Returns the next operation in program order; with @skip_regions, does not enter @op's own regions. *depth is the
 * number of operations around the returned one. */
static GhloIrOp *
next_op (GhloIrOp *op,
         gboolean  skip_regions,
         guint    *depth)
{
  GhloIrOp *next = skip_regions ? NULL : first_inside (op, 0);

  if (next != NULL)
    {
      (*depth)++;
      return next;
    }

  while (op->block != NULL && *depth > 0)
    {
      GhloIrRegion *region = op->block->region;

      if (op->next != NULL)
        return op->next;
      next = first_of_blocks (op->block->next);
      if (next == NULL)
        next = first_inside (region->op, (guint) (region - region->op->regions) + 1);
      if (next != NULL)
        return next;
      op = region->op;
      (*depth)--;
    }

  return NULL;
}

/* The printed size of an operation's attributes, types and locations, excluding the operations in its regions. */
static guint64
measure (const GhloIrOp *op)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_get_spec (op);
  guint64 extent = op->location != NULL ? op->location->extent : 0;

  for (guint i = 0; i < spec->n_attributes; i++)
    extent += op->attributes[i] != NULL ? op->attributes[i]->extent : 0;
  for (guint i = 0; i < op->n_discardable; i++)
    extent += op->discardable[i].value->extent;
  for (guint i = 0; i < op->n_operands; i++)
    extent += op->operands[i].value != NULL ? op->operands[i].value->type->extent : 0;
  for (guint i = 0; i < op->n_results; i++)
    extent += op->results[i].type->extent;
  for (guint i = 0; i < op->n_regions; i++)
    for (const GhloIrBlock *block = op->regions[i].first; block != NULL; block = block->next)
      for (guint k = 0; k < block->n_arguments; k++)
        extent += (guint64) block->arguments[k]->type->extent
                  + (block->arguments[k]->location != NULL ? block->arguments[k]->location->extent : 0);

  return extent;
}

/* Attributes, types and locations share their parts, so a few
 * lines can describe a program too large for any memory to print. */
static gboolean
check_extent (GhloIrVerifyRun *run,
              const GhloIrOp  *op)
{
  run->extent += measure (op);
  if (run->extent <= run->most)
    return TRUE;

  return ghlo_ir_verify_fail (&run->verifier, op, "expected attributes, types and locations in proportion to the "
                              "program, found parts that are shared so often that they are too large when expanded");
}

/* Verifies each operation by itself. Returns FALSE if the walk stopped early. */
static gboolean
walk (GhloIrVerifyRun *run)
{
  guint depth = 0;
  GhloIrOp *next;

  for (GhloIrOp *op = run->verifier.module->op; op != NULL; op = next)
    {
      gboolean too_deep = depth > GHLO_MAX_NESTING && op->n_regions > 0;
      gboolean good;

      if (run->n_ops++ % MONITOR_INTERVAL == 0 && ghlo_monitor_cancelled (run->monitor, NULL))
        return FALSE;
      if (!check_extent (run, op))
        return FALSE;
      good = check_op (run, op);
      if (too_deep)
        ghlo_ir_verify_fail (&run->verifier, op, "expected regions nested at most %d deep, found more",
                             GHLO_MAX_NESTING);
      next = next_op (op, too_deep || (!good && !worth_entering (op)), &depth);
    }

  return TRUE;
}

/* Returns FALSE if the monitor was cancelled. */
static gboolean
check_symbol_uses (GhloIrVerifyRun *run)
{
  GhloIrVerifier *verifier = &run->verifier;

  for (guint i = 0; i < verifier->symbol_uses->len; i++)
    {
      const GhloIrSymbolUse *use = &g_array_index (verifier->symbol_uses, GhloIrSymbolUse, i);

      if (i % MONITOR_INTERVAL == 0 && ghlo_monitor_cancelled (run->monitor, NULL))
        return FALSE;
      use->check (verifier, use->op);
    }

  return TRUE;
}

gboolean
ghlo_ir_verify (GhloIrModule      *module,
                GhloDiagnostics   *diagnostics,
                const GhloMonitor *monitor)
{
  g_autofree GhloIrVerifyRun *run = g_new0 (GhloIrVerifyRun, 1);
  g_autoptr (GArray) symbol_uses = g_array_new (FALSE, FALSE, sizeof (GhloIrSymbolUse));
  guint n_errors = diagnostics->n_errors;

  run->verifier.module = module;
  run->verifier.diagnostics = diagnostics;
  run->verifier.symbol_uses = symbol_uses;
  run->monitor = monitor;
  run->most = MIN_EXTENT + MAX_REPEATED * (guint64) ghlo_ir_module_get_size (module);
  if (module->op == NULL)
    {
      ghlo_diagnostics_add (diagnostics, GHLO_SEVERITY_ERROR, GHLO_ERROR_VERIFY, 0, 0,
                            "expected a module with an operation, found none");
      return FALSE;
    }

  return walk (run) && diagnostics->n_errors == n_errors
         && check_symbol_uses (run) && diagnostics->n_errors == n_errors;
}
