/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pass "inline": replaces calls by the body of the callee, and composites by their decomposition. Callees come
 * first, so that an inlined body has no calls left; a recursive call stays a call. The location of an inlined operation
 * has both places.
 */

#include "passes/context.h"

#include "passes/walk.h"

/* GROWTH_…: how many operations the program may grow by; inlining a private function with one caller is free, since the
 * function goes. COPIES_FACTOR: how many may be copied in all, as the callees of callees are copied several times. */
enum { GROWTH_AT_LEAST = 64 * 1024, GROWTH_FACTOR = 4, COPIES_FACTOR = 8 };
/* No region may be nested deeper than readers of programs accept. */
enum { MAX_DEPTH = GHLO_MAX_NESTING - 16 };

typedef enum
{
  UNSEEN,
  OPEN,        /* being processed: a call of it is recursive */
  DONE,
} State;

/* What is known of a function with a body. */
typedef struct
{
  State   state;
  guint   n_calls;
  guint   height;
  guint64 n_ops;
} Function;

typedef struct
{
  GhloIrModule    *module;
  GhloPassContext *context;
  GHashTable      *functions;    /* func.func → Function, owned */
  guint64          growth;       /* operations that may still be added */
  guint64          copies;       /* operations that may still be copied */
} Inliner;

/* The function that @op calls, if it is one that passes may look at. */
static GhloIrOp *
find_callee (const Inliner  *self,
             const GhloIrOp *op,
             Function      **function)
{
  const char *name = NULL;
  GhloIrOp *callee;

  if (op->kind == GHLO_OP_FUNC_CALL)
    name = ghlo_ir_op_get_string (op, "callee");
  else if (op->kind == GHLO_OP_STABLEHLO_COMPOSITE && op->n_regions == 0)
    name = ghlo_ir_op_get_string (op, "decomposition");
  callee = name != NULL ? ghlo_ir_op_find_symbol (op, name) : NULL;
  *function = callee != NULL ? g_hash_table_lookup (self->functions, callee) : NULL;

  return *function != NULL ? callee : NULL;
}

/* Whether the body means the same at the call: the types are the same pointers, and both functions see the same
 * symbol table. */
static gboolean
is_compatible (const GhloIrOp *caller,
               const GhloIrOp *op,
               const GhloIrOp *callee)
{
  const GhloIrBlock *body = ghlo_ir_func_get_body (callee);
  const GhloIrOp *terminator = ghlo_pass_terminator (body);

  if (ghlo_ir_op_get_parent (caller) != ghlo_ir_op_get_parent (callee) || terminator == NULL
      || body->n_arguments != op->n_operands || terminator->n_operands < op->n_results)
    return FALSE;
  for (guint i = 0; i < op->n_operands; i++)
    if (body->arguments[i]->type != ghlo_ir_op_operand (op, i)->type)
      return FALSE;
  for (guint i = 0; i < op->n_results; i++)
    if (ghlo_ir_op_operand (terminator, i)->type != op->results[i].type)
      return FALSE;

  return ghlo_ir_op_get (op, "no_inline") == NULL && ghlo_ir_op_get (callee, "no_inline") == NULL;
}

/* Whether the callee is kept because others call it too or it is visible from outside; then the inlined copy
 * is growth. */
static gboolean
is_kept (const GhloIrOp *callee,
         const Function *function)
{
  const char *visibility = ghlo_ir_op_get_string (callee, "sym_visibility");

  return function->n_calls > 1 || g_strcmp0 (visibility, "private") != 0;
}

static const GhloIrLocation *
location_at (GhloIrModule         *module,
             const GhloIrLocation *callee,
             const GhloIrLocation *caller)
{
  if (callee == NULL || caller == NULL)
    return callee != NULL ? callee : caller;

  return ghlo_ir_location_call_site (module, callee, caller);
}

static void
splice_body (Inliner        *self,
             GhloIrOp       *op,
             const GhloIrOp *callee)
{
  GhloIrBlock *body = ghlo_ir_func_get_body (callee);
  const GhloIrOp *terminator = ghlo_pass_terminator (body);
  g_autoptr (GHashTable) made = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < op->n_operands; i++)
    g_hash_table_insert (made, body->arguments[i], ghlo_ir_op_operand (op, i));
  for (const GhloIrOp *inner = body->first; inner != terminator; inner = inner->next)
    {
      GhloIrOp *copy = ghlo_ir_op_copy (self->module, inner, TRUE, made);

      for (GhloIrOp *each = copy; each != NULL; each = ghlo_pass_next_op (each, copy))
        each->location = location_at (self->module, each->location, op->location);
      ghlo_ir_op_insert_before (copy, op);
    }
  for (guint i = 0; i < op->n_results; i++)
    ghlo_ir_value_replace (&op->results[i], g_hash_table_lookup (made, ghlo_ir_op_operand (terminator, i)));
  ghlo_pass_erase (op);
  self->context->n_changes++;
}

static gboolean open_function (Inliner   *self,
                               GhloIrOp  *func,
                               Function  *function,
                               guint      depth,
                               GError   **error);

static gboolean
inline_call (Inliner   *self,
             GhloIrOp  *caller,
             GhloIrOp  *op,
             guint      depth,
             GError   **error)
{
  Function *function;
  GhloIrOp *callee = find_callee (self, op, &function);

  if (callee == NULL)
    return TRUE;
  if (function->state == UNSEEN && depth < GHLO_MAX_CALL_DEPTH
      && !open_function (self, callee, function, depth + 1, error))
    return FALSE;
  if (function->state != DONE || !is_compatible (caller, op, callee)
      || ghlo_pass_depth (op) + function->height > MAX_DEPTH || function->n_ops > self->copies)
    return TRUE;
  if (is_kept (callee, function))
    {
      if (function->n_ops > self->growth)
        return TRUE;
      self->growth -= function->n_ops;
    }
  self->copies -= function->n_ops;
  splice_body (self, op, callee);

  return TRUE;
}

static gboolean
open_function (Inliner   *self,
               GhloIrOp  *func,
               Function  *function,
               guint      depth,
               GError   **error)
{
  GhloIrOp *next;

  function->state = OPEN;
  for (GhloIrOp *op = ghlo_pass_next_op (func, func); op != NULL; op = next)
    {
      next = ghlo_pass_next_op (op, func);
      if (ghlo_monitor_cancelled (self->context->monitor, error) || !inline_call (self, func, op, depth, error))
        return FALSE;
    }
  function->state = DONE;
  function->height = ghlo_pass_height (func);
  function->n_ops = ghlo_pass_count_block (ghlo_ir_func_get_body (func));

  return TRUE;
}

static void
count_calls (Inliner   *self,
             GPtrArray *functions)
{
  Function *function;

  for (guint i = 0; i < functions->len; i++)
    g_hash_table_insert (self->functions, g_ptr_array_index (functions, i), g_new0 (Function, 1));
  for (guint i = 0; i < functions->len; i++)
    {
      GhloIrOp *func = g_ptr_array_index (functions, i);

      for (GhloIrOp *op = ghlo_pass_next_op (func, func); op != NULL; op = ghlo_pass_next_op (op, func))
        if (find_callee (self, op, &function) != NULL)
          function->n_calls++;
    }
}

gboolean
ghlo_pass_inline (GhloIrModule     *module,
                  GhloPassContext  *context,
                  GError          **error)
{
  g_autoptr (GPtrArray) functions = ghlo_pass_functions (module);
  g_autoptr (GHashTable) table = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  Inliner self = { .module = module, .context = context, .functions = table };

  self.growth = MAX (GROWTH_AT_LEAST, GROWTH_FACTOR * ghlo_pass_count_ops (module));
  self.copies = COPIES_FACTOR * self.growth;
  count_calls (&self, functions);
  for (guint i = 0; i < functions->len; i++)
    {
      Function *function = g_hash_table_lookup (table, g_ptr_array_index (functions, i));

      if (function->state == UNSEEN && !open_function (&self, g_ptr_array_index (functions, i), function, 0, error))
        return FALSE;
    }

  return TRUE;
}
