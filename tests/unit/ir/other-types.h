/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Valid programs with one of their types replaced by others: the verifier terminates with an answer whatever the
 * operands' types are.
 */

#pragma once

#include <string.h>

#include "import/import.h"
#include "ir/verify/verify.h"

G_BEGIN_DECLS

/* The next "tensor<…>" in @text from *@position on, to be freed by g_free; NULL at the end. */
static inline char *
next_tensor_type (const char *text,
                  gsize      *position)
{
  const char *start = strstr (text + *position, "tensor<");
  const char *end = start;
  int depth = 0;

  if (start == NULL)
    return NULL;
  do
    {
      end = strpbrk (end + 1, "<>");
      if (end != NULL && end[-1] != '-')
        depth += *end == '<' ? 1 : -1;
    }
  while (end != NULL && depth > 0);
  if (end == NULL)
    return NULL;
  *position = end + 1 - text;

  return g_strndup (start, end + 1 - start);
}

static inline void
check_replaced (const char *text,
                const char *from,
                const char *to)
{
  g_auto (GStrv) parts = g_strsplit (text, from, -1);
  g_autofree char *other = g_strjoinv (to, parts);
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("test", other, strlen (other));
  g_autoptr (GhloIrModule) module = ghlo_import_text (other, strlen (other), GHLO_IMPORT_DEFAULT, diagnostics, NULL);

  if (module != NULL)
    g_assert_true (ghlo_ir_verify (module, diagnostics, NULL) == (diagnostics->n_errors == 0));
}

static inline void
check_other_types (const char *text)
{
  static const char *const others[] = {
    "tensor<f32>", "tensor<7xf32>", "tensor<2x3xi8>", "tensor<?x?x?xi64>", "tensor<1x2x3x4x5xui32>", "tensor<*xf32>",
    "tensor<0x9223372036854775807xi1>", "tensor<2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>", "memref<2xf32>",
    "!stablehlo.token", "tuple<tensor<f32>>", "i32", "!foo.bar",
  };
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  gsize position = 0;
  char *type;

  while ((type = next_tensor_type (text, &position)) != NULL)
    if (g_hash_table_add (seen, type))
      for (guint i = 0; i < G_N_ELEMENTS (others); i++)
        check_replaced (text, type, others[i]);
}

G_END_DECLS
