/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Adds the place in the program to error messages.
 */

#include "reference/program.h"

#include <string.h>

static const char *
file_name (const GhloIrModule *module)
{
  return module != NULL && module->file_name != NULL ? module->file_name : "<program>";
}

void
ghlo_ref_append_place (GString            *string,
                       const GhloIrModule *module,
                       const GhloIrOp     *op)
{
  if (ghlo_ir_op_append_place (op, module, string))
    g_string_append (string, ": ");
  else if (op->line > 0 || op->column > 0)
    g_string_append_printf (string, "%s: at byte %" G_GUINT64_FORMAT ": ", file_name (module),
                            ghlo_ir_op_get_offset (op));
  else
    g_string_append_printf (string, "%s: ", file_name (module));
  g_string_append_printf (string, "'%s", ghlo_ir_op_get_name (op));
  if (op->kind == GHLO_OP_STABLEHLO_CUSTOM_CALL)
    g_string_append_printf (string, " @%s", ghlo_ir_op_get_string (op, "call_target_name"));
  g_string_append (string, "': ");
}

/* Whether a message begins with a place, because a nested step has added its own: "file: 'name': " or
 * "file:line:column: 'name @target': ". */
static gboolean
has_place (const char *message)
{
  const char *quote = strstr (message, ": '");
  const char *end = quote != NULL ? strchr (quote + 3, '\'') : NULL;
  g_autofree char *name = NULL;

  if (end == NULL || end[1] != ':' || memchr (message, '\n', quote - message) != NULL)
    return FALSE;
  name = g_strndup (quote + 3, end - quote - 3);
  if (strchr (name, ' ') != NULL)
    *strchr (name, ' ') = '\0';

  return ghlo_ir_op_kind_from_name (name, -1) != GHLO_OP_INVALID;
}

void
ghlo_ref_prefix_place (GError            **error,
                       const GhloIrModule *module,
                       const GhloIrOp     *op)
{
  g_autoptr (GString) text = NULL;

  if (*error == NULL)
    g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_INTERNAL, "the operation failed without an error message");
  if ((*error)->domain != GHLO_ERROR || has_place ((*error)->message))
    return;

  text = g_string_new (NULL);
  ghlo_ref_append_place (text, module, op);
  g_prefix_error (error, "%s", text->str);
}
