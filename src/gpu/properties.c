/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How a device computes is known once any process has compiled a program for it. Nothing here opens the device.
 */

#include "gpu/properties.h"

#include "gpu/self-test.h"
#include "vulkan/properties.h"

static void
add_word (GPtrArray       *words,
          const char      *what,
          GhloElementType  type)
{
  g_ptr_array_add (words, g_strdup_printf ("%s %s", what, ghlo_element_info (type)->name));
}

/* @words: transfer full. */
static void
add_words (GArray     *properties,
           const char *name,
           const char *label,
           GPtrArray  *words)
{
  g_ptr_array_add (words, NULL);
  ghlo_device_properties_add_words (properties, name, label, (char **) g_ptr_array_free (words, FALSE));
}

/* Whether some node computes only normal numbers of @type correctly. */
static gboolean
flushes (const GhloSpirvDevice *measured,
         GhloElementType        type)
{
  for (guint kind = 0; kind < GHLO_N_NODES; kind++)
    if (((measured->nearly[kind] & ~measured->exact[kind]) >> type & 1) != 0)
      return TRUE;

  return FALSE;
}

/* Adds the nodes that the device computes incorrectly for @type, which it has. */
static void
add_wrong_nodes (GPtrArray             *words,
                 const GhloSpirvDevice *measured,
                 GhloElementType        type)
{
  for (guint kind = 0; kind < GHLO_N_NODES; kind++)
    {
      const GhloNodeSpec *spec = ghlo_node_spec (kind);

      if (spec->role == GHLO_NODE_PRIMITIVE && (spec->operand_types & ghlo_node_types (type)) != 0
          && (measured->nearly[kind] >> type & 1) == 0)
        add_word (words, spec->name, type);
    }
}

void
ghlo_gpu_add_numbers (const GhloSpirvDevice *measured,
                      GArray                *properties)
{
  static const GhloElementType floats[2] = { GHLO_ELEMENT_TYPE_F32, GHLO_ELEMENT_TYPE_F64 };
  GPtrArray *flushed = g_ptr_array_new (), *composed = g_ptr_array_new (), *left = g_ptr_array_new ();
  const guint64 all = ghlo_node_all_types ();

  for (guint i = 0; i < G_N_ELEMENTS (floats); i++)
    {
      if ((measured->types >> floats[i] & 1) == 0)
        continue;
      if (flushes (measured, floats[i]))
        add_word (flushed, "subnormal", floats[i]);
      if (!measured->floats.fuses[i])
        add_word (composed, ghlo_node_spec (GHLO_NODE_FMA)->name, floats[i]);
      if (!measured->floats.rounds[i])
        add_word (composed, "rounding", floats[i]);
      if (!measured->floats.takes_roots[i])
        add_word (composed, ghlo_node_spec (GHLO_NODE_SQRT)->name, floats[i]);
    }
  for (guint type = 0; type < 64; type++)
    if ((measured->types >> type & 1) != 0)
      add_wrong_nodes (left, measured, type);
    else if ((all >> type & 1) != 0)
      add_word (left, "all", type);
  add_words (properties, "flushes", "flushes", flushed);
  add_words (properties, "composes", "composes", composed);
  add_words (properties, "leaves_to_cpu", "leaves", left);
}

void
ghlo_gpu_add_properties (GhloDeviceCore *core,
                         GArray         *properties)
{
  const GhloGpuDevice *device = (const GhloGpuDevice *) core;
  GhloSpirvDevice measured;

  ghlo_vulkan_add_properties (&device->vulkan, properties);
  if (ghlo_gpu_recall (device, &measured))
    ghlo_gpu_add_numbers (&measured, properties);
  ghlo_vulkan_add_pipelines (&device->vulkan, properties);
}
