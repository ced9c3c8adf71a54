/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Texts about passes for people: the list of their names, and what a run of them did.
 */

#include "passes/context.h"

#include <string.h>

#include "base/debug.h"

/* What else GHLO_DISABLE switches off. Executors read these names themselves; they know nothing of this folder. */
static const struct
{
  const char *name, *summary;
} switches[] = {
  { "llvm", "Machine code of kernels; precompiled loops, one for each operation, run them instead" },
  { "unified-memory", "Memory shared by a Vulkan device and the host; data is copied instead, as for a discrete GPU" },
};

gboolean
ghlo_passes_has_switch (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (switches); i++)
    if (g_str_equal (switches[i].name, name))
      return TRUE;

  return FALSE;
}

char *
ghlo_passes_help (void)
{
  GString *text = g_string_new ("Passes, each with the lowest optimization level that runs it;\n"
                                "those with -- run only if they are enabled by name:\n");

  for (guint i = 0; i < ghlo_passes_count (); i++)
    {
      const GhloPass *pass = &ghlo_pass_table[i];
      g_autofree char *level = pass->level == GHLO_PASS_ON_REQUEST ? g_strdup ("--")
                                                                   : g_strdup_printf ("O%u", pass->level);

      g_string_append_printf (text, "  %-21s %s  %s\n", pass->name, level, pass->summary);
    }

  g_string_append (text, "GHLO_DISABLE also turns off:\n");
  for (guint i = 0; i < G_N_ELEMENTS (switches); i++)
    g_string_append_printf (text, "  %-21s     %s\n", switches[i].name, switches[i].summary);

  return g_string_free (text, FALSE);
}

gboolean
ghlo_passes_help_wanted (void)
{
  return ghlo_debug_disables ("help");
}

GhloPassReport *
ghlo_pass_report_new (void)
{
  GhloPassReport *self = g_new0 (GhloPassReport, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->records = g_new0 (GhloPassRecord, ghlo_passes_count ());

  return self;
}

GhloPassReport *
ghlo_pass_report_ref (GhloPassReport *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
ghlo_pass_report_unref (GhloPassReport *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_free (self->records);
  g_free (self);
}

char *
ghlo_pass_report_to_string (const GhloPassReport *self)
{
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "%-16s %6s %10s %12s\n", "pass", "runs", "changes", "microseconds");
  for (guint i = 0; i < ghlo_passes_count (); i++)
    {
      const GhloPassRecord *record = &self->records[i];

      if (record->n_runs > 0)
        g_string_append_printf (text, "%-16s %6u %10" G_GUINT64_FORMAT " %12" G_GINT64_FORMAT "\n",
                                ghlo_pass_table[i].name, record->n_runs, record->n_changes, record->microseconds);
    }
  g_string_append_printf (text, "%" G_GUINT64_FORMAT " operations became %" G_GUINT64_FORMAT " in %u rounds, %"
                          G_GINT64_FORMAT " microseconds\n", self->n_ops_before, self->n_ops_after, self->n_rounds,
                          self->microseconds);

  return g_string_free (text, FALSE);
}
