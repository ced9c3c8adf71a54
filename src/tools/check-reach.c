/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * `ghlo check`: finds the functions of a test program to run, and the checks that no run
 * reaches.
 */

#include "tools/check.h"

#include <string.h>

#include "ir/symbols.h"
#include "passes/walk.h"

static gboolean
can_run (const GhloIrOp *function)
{
  GhloIrBlock *body = ghlo_ir_func_get_body (function);

  return body != NULL && body->n_arguments == 0;
}

GPtrArray *
ghlo_tool_find_runs (const GhloIrModule *module)
{
  GPtrArray *runs = g_ptr_array_new ();
  GhloIrOp *entry = ghlo_ir_module_find (module, "main");
  GhloIrBlock *body = ghlo_ir_op_region_block (module->op, 0);

  if (entry != NULL)
    {
      if (can_run (entry))
        g_ptr_array_add (runs, entry);
      return runs;
    }
  for (GhloIrOp *op = body != NULL ? body->first : NULL; op != NULL; op = op->next)
    if (op->kind == GHLO_OP_FUNC_FUNC && can_run (op))
      g_ptr_array_add (runs, op);

  return runs;
}

typedef struct
{
  GHashTable *set;      /* of functions and other symbols */
  GPtrArray  *list;     /* the same, in the order of discovery */
} Reached;

/* Called for each symbol that a reached function refers to. */
static void
reach (GhloIrOp *symbol,
       gpointer  data)
{
  Reached *reached = data;

  if (g_hash_table_add (reached->set, symbol))
    g_ptr_array_add (reached->list, symbol);
}

/* The set of functions that are in @runs or that these call, directly or indirectly. */
static GHashTable *
find_reached (GPtrArray *runs)
{
  g_autoptr (GPtrArray) list = g_ptr_array_new ();
  Reached reached = { g_hash_table_new (NULL, NULL), list };

  for (guint i = 0; i < runs->len; i++)
    reach (runs->pdata[i], &reached);
  for (guint i = 0; i < list->len; i++)
    {
      const GhloIrOp *function = list->pdata[i];

      for (const GhloIrOp *op = function; op != NULL; op = ghlo_pass_next_op (op, function))
        ghlo_ir_op_foreach_symbol (op, reach, &reached);
    }

  return reached.set;
}

static gboolean
is_check (const GhloIrOp *op)
{
  gboolean is_call = op->kind == GHLO_OP_STABLEHLO_CUSTOM_CALL;
  const char *target = is_call ? ghlo_ir_op_get_string (op, "call_target_name") : NULL;

  return g_str_has_prefix (target != NULL ? target : ghlo_ir_op_get_name (op), "check.");
}

static gboolean
has_check (const GhloIrOp *function)
{
  for (const GhloIrOp *op = function; op != NULL; op = ghlo_pass_next_op (op, function))
    if (is_check (op))
      return TRUE;

  return FALSE;
}

char *
ghlo_tool_find_unrun (const GhloIrModule *module,
                      GPtrArray          *runs)
{
  g_autoptr (GPtrArray) functions = ghlo_pass_functions (module);
  g_autoptr (GHashTable) reached = NULL;
  g_autoptr (GString) names = g_string_new (NULL);

  if (functions->len > 0 && runs->len == 0)
    return g_strdup (ghlo_ir_module_find (module, "main") != NULL ? "@main takes inputs"
                                                                  : "all functions take inputs");
  reached = find_reached (runs);
  for (guint i = 0; i < functions->len; i++)
    if (!g_hash_table_contains (reached, functions->pdata[i]) && has_check (functions->pdata[i]))
      g_string_append_printf (names, "%s@%s", names->len > 0 ? ", " : "",
                              ghlo_ir_op_get_string (functions->pdata[i], "sym_name"));

  return names->len > 0 ? g_strdup_printf ("no function that is run calls %s", names->str) : NULL;
}
