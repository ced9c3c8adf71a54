/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Prints the declarations of a kernel: axes, buffers, temporaries, and accesses, which are sums of coordinates
 * times strides, an offset, and terms.
 */

#include "kernel/text/printer.h"

#include "kernel/text/lexer.h"

#include <string.h>

void
ghlo_kernel_print_name (GhloKernelPrinter *self,
                        const char        *name)
{
  gboolean is_utf8 = g_utf8_validate (name, -1, NULL);

  if (ghlo_kernel_name_is_word (name))
    {
      g_string_append (self->text, name);
      return;
    }
  g_string_append (self->text, "\"");
  for (const char *p = name; *p != '\0'; p++)
    if (*p == '"' || *p == '\\')
      g_string_append_printf (self->text, "\\%c", *p);
    else if (g_ascii_iscntrl (*p) || ((guchar) *p >= 0x80 && !is_utf8))
      g_string_append_printf (self->text, "\\%02x", (guchar) *p);
    else
      g_string_append_c (self->text, *p);
  g_string_append (self->text, "\"");
}

/* Prints a name as a reference, followed by its index if the name is not unique. */
#define PRINT_REFERENCE(kind, table) \
  void \
  ghlo_kernel_print_##kind (GhloKernelPrinter *self, \
                            guint              number) \
  { \
    guint n = 0; \
    \
    ghlo_kernel_print_name (self, self->kernel->table[number].name); \
    for (guint i = 0; i < self->kernel->n_##table; i++) \
      n += strcmp (self->kernel->table[i].name, self->kernel->table[number].name) == 0; \
    if (n > 1) \
      g_string_append_printf (self->text, ":%u", number); \
  }

PRINT_REFERENCE (axis, axes)
PRINT_REFERENCE (buffer, buffers)
PRINT_REFERENCE (temporary, temporaries)

void
ghlo_kernel_print_type (GhloKernelPrinter *self,
                        guint              type)
{
  g_string_append (self->text, ghlo_element_info (type)->name);
}

/* "[row, column]" */
void
ghlo_kernel_print_axes (GhloKernelPrinter *self,
                        guint              axes)
{
  const char *before = "";

  g_string_append (self->text, " [");
  for (guint i = 0; i < self->kernel->n_axes; i++)
    if ((axes & 1u << i) != 0)
      {
        g_string_append (self->text, before);
        ghlo_kernel_print_axis (self, i);
        before = ", ";
      }
  g_string_append (self->text, "]");
}

/* Appends the sign before a part of the sum that began at @start. */
static void
append_sign (GhloKernelPrinter *self,
             gsize              start,
             gint64             value)
{
  if (self->text->len == start)
    g_string_append (self->text, value < 0 ? "-" : "");
  else
    g_string_append (self->text, value < 0 ? " - " : " + ");
}

static void
append_magnitude (GhloKernelPrinter *self,
                  gint64             value)
{
  g_string_append_printf (self->text, "%" G_GUINT64_FORMAT, value < 0 ? -(guint64) value : (guint64) value);
}

/* Appends coordinates times strides, and the offset, to the sum that began at @start. */
static void
append_affine (GhloKernelPrinter *self,
               gsize              start,
               gint64             offset,
               const gint64      *strides)
{
  for (guint i = 0; i < self->kernel->n_axes; i++)
    {
      if (strides[i] == 0)
        continue;
      append_sign (self, start, strides[i]);
      ghlo_kernel_print_axis (self, i);
      if (strides[i] == 1 || strides[i] == -1)
        continue;
      g_string_append (self->text, " * ");
      append_magnitude (self, strides[i]);
    }
  if (offset == 0)
    return;
  append_sign (self, start, offset);
  append_magnitude (self, offset);
}

/* Completes a sum that began at @start and has no parts. */
static void
append_zero (GhloKernelPrinter *self,
             gsize              start)
{
  if (self->text->len == start)
    g_string_append (self->text, "0");
}

static void
append_term (GhloKernelPrinter    *self,
             gsize                 start,
             const GhloKernelTerm *term)
{
  append_sign (self, start, term->stride);
  append_magnitude (self, term->stride);
  g_string_append (self->text, term->clamps ? " * clamp (" : " * guard (");
  start = self->text->len;
  if (term->node != GHLO_KERNEL_NONE)
    g_string_append_printf (self->text, "%%%u", term->node);
  append_affine (self, start, term->offset, term->strides);
  append_zero (self, start);
  if (term->step != 1)
    g_string_append_printf (self->text, ", step %" G_GINT64_FORMAT, term->step);
  g_string_append_printf (self->text, ", end %" G_GINT64_FORMAT ")", term->end);
}

static void
print_access (GhloKernelPrinter *self,
              guint              number)
{
  const GhloKernelAccess *access = &self->kernel->accesses[number];
  gsize start;

  g_string_append_printf (self->text, "  access @%u ", number);
  ghlo_kernel_print_type (self, access->type);
  g_string_append (self->text, " ");
  ghlo_kernel_print_buffer (self, access->buffer);
  g_string_append (self->text, " [");
  start = self->text->len;
  append_affine (self, start, access->offset, access->strides);
  for (guint i = 0; i < access->n_terms; i++)
    append_term (self, start, &self->kernel->terms[access->first_term + i]);
  append_zero (self, start);
  g_string_append (self->text, "]\n");
}

void
ghlo_kernel_print_declarations (GhloKernelPrinter *self)
{
  const GhloKernel *kernel = self->kernel;

  for (guint i = 0; i < kernel->n_axes; i++)
    {
      g_string_append (self->text, kernel->axes[i].is_parallel ? "  parallel " : "  axis ");
      ghlo_kernel_print_name (self, kernel->axes[i].name);
      g_string_append_printf (self->text, " %" G_GINT64_FORMAT "%s\n", kernel->axes[i].extent,
                              kernel->axes[i].is_runtime ? " runtime" : "");
    }
  for (guint i = 0; i < kernel->n_buffers; i++)
    {
      g_string_append (self->text, "  buffer ");
      ghlo_kernel_print_name (self, kernel->buffers[i].name);
      g_string_append_printf (self->text, " %" G_GINT64_FORMAT "%s", kernel->buffers[i].size,
                              kernel->buffers[i].is_written ? " written" : "");
      if (kernel->buffers[i].shared != GHLO_KERNEL_NONE)
        g_string_append_printf (self->text, " shares %u", kernel->buffers[i].shared);
      g_string_append_c (self->text, '\n');
    }
  for (guint i = 0; i < kernel->n_temporaries; i++)
    {
      g_string_append (self->text, "  temporary ");
      ghlo_kernel_print_name (self, kernel->temporaries[i].name);
      g_string_append (self->text, " ");
      ghlo_kernel_print_type (self, kernel->temporaries[i].type);
      if (kernel->temporaries[i].axes != 0)
        ghlo_kernel_print_axes (self, kernel->temporaries[i].axes);
      g_string_append (self->text, "\n");
    }
  for (guint i = 0; i < kernel->n_accesses; i++)
    print_access (self, i);
}
