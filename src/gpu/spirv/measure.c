/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs probes and compares the results with those of the interpreter. Some types are probed again if the first run
 * shows that operations must be composed, or operands hidden, since the shaders that result are the ones that
 * matter.
 */

#include "gpu/spirv/measure.h"

#include "gpu/spirv/probe.h"
#include "kernel/evaluate.h"

#include <string.h>

/* The state of a measurement. */
typedef struct
{
  GhloSpirvDevice  *device;
  GhloSpirvRunFunc  run;
  gpointer          data;
  gboolean          folds_exactly;      /* ignoring subnormal numbers */
} Measuring;

static gboolean
is_float (GhloElementType type)
{
  return ghlo_node_types (type) == GHLO_NODE_TYPES_F;
}

static gboolean
is_subnormal (GhloElementType type,
              guint64         bits)
{
  const GhloElementInfo *info = ghlo_element_info (type);
  const guint64 normal = (guint64) 1 << info->mantissa_bits, sign = (guint64) 1 << (info->bits - 1);

  return is_float (type) && (bits & ~sign) != 0 && (bits & ~sign) < normal;
}

/* Whether @expected is subnormal, or could be the result of rounding a subnormal number that the device flushed to
 * @found. */
static gboolean
is_flushed (GhloElementType type,
            guint64         expected,
            guint64         found)
{
  const GhloElementInfo *info = ghlo_element_info (type);
  const guint64 sign = (guint64) 1 << (info->bits - 1), smallest = (guint64) 1 << info->mantissa_bits;

  return is_subnormal (type, expected)
         || (is_float (type) && (expected & ~sign) == smallest && found == (expected & sign));
}

static gboolean
is_nan (GhloElementType type,
        guint64         bits)
{
  const guint64 operands[3] = { bits, bits, 0 };

  return is_float (type) && ghlo_node_evaluate (GHLO_NODE_NOT_EQUAL, GHLO_ELEMENT_TYPE_I1, type, operands) != 0;
}

static guint64
element (const GhloKernelMemory *memory,
         GhloElementType         type,
         guint                   at)
{
  return ghlo_node_load (type, (const guint8 *) memory->data + at * (gsize) ghlo_element_info (type)->size);
}

static gboolean
has_subnormal (const GhloProbe        *probe,
               const GhloProbeRow     *row,
               const GhloKernelMemory *memory,
               guint                   at)
{
  for (guint i = 0; i < GHLO_PROBE_OPERANDS; i++)
    if ((row->operands >> i & 1) != 0 && is_subnormal (probe->type, element (&memory[i], probe->type, at)))
      return TRUE;

  return FALSE;
}

/* Whether the results of a row are as expected; sets *@nearly to whether those without subnormal numbers are. */
static gboolean
compare (const GhloProbe        *probe,
         guint                   number,
         const GhloKernelMemory *expected,
         const GhloKernelMemory *found,
         gboolean               *nearly)
{
  const GhloProbeRow *row = &probe->rows[number];
  const guint buffer = GHLO_PROBE_OPERANDS + number;
  gboolean is_exact = TRUE;

  *nearly = TRUE;
  if (memcmp (expected[buffer].data, found[buffer].data, expected[buffer].size) == 0)
    return TRUE;
  for (guint i = 0; i < GHLO_PROBE_POINTS; i++)
    {
      guint64 a = element (&expected[buffer], row->type, i), b = element (&found[buffer], row->type, i);

      if (a == b || (is_nan (row->type, a) && is_nan (row->type, b)))
        continue;
      is_exact = FALSE;
      if (!is_flushed (row->type, a, b) && !has_subnormal (probe, row, expected, i))
        *nearly = FALSE;
    }

  return is_exact;
}

/* Whether incorrect folding of constants can be prevented by hiding them. An FMA that is rounded twice is so with
 * constants too. */
static gboolean
can_hide (GhloNodeKind kind)
{
  return kind == GHLO_NODE_ADD || kind == GHLO_NODE_SUBTRACT || kind == GHLO_NODE_MULTIPLY || kind == GHLO_NODE_DIVIDE
         || kind == GHLO_NODE_CONVERT;
}

/* Removes the probe's type from the sets of all nodes that are not exact. */
static void
judge (Measuring              *self,
       const GhloProbe        *probe,
       const GhloKernelMemory *expected,
       const GhloKernelMemory *found,
       gboolean                of_constants)
{
  for (guint i = 0; i < probe->n_rows; i++)
    {
      const guint64 type = (guint64) 1 << probe->type;
      gboolean nearly;

      if (!compare (probe, i, expected, found, &nearly))
        self->device->exact[probe->rows[i].kind] &= ~type;
      if (!nearly)
        self->device->nearly[probe->rows[i].kind] &= ~type;
      if (!nearly && of_constants && can_hide (probe->rows[i].kind))
        self->folds_exactly = FALSE;
    }
}

/* @taken: transfer full. */
static gboolean
run_probe (Measuring  *self,
           GhloProbe  *taken,
           gboolean    of_constants,
           GError    **error)
{
  g_autoptr (GhloProbe) probe = taken;
  GhloKernelMemory *expected = ghlo_probe_memory_new (probe), *found = ghlo_probe_memory_new (probe);
  const GhloSpirvSchedule schedule = { .workgroup_per_point = FALSE };
  g_autoptr (GBytes) words = ghlo_spirv_emit (probe->kernel, &self->device->floats, &schedule, error);
  gboolean ok;

  ok = words != NULL && ghlo_kernel_interpret (probe->kernel, NULL, expected, NULL, error)
       && self->run (self->data, probe->kernel, words, found, error);
  if (ok)
    judge (self, probe, expected, found, of_constants);
  ghlo_probe_memory_free (probe, expected);
  ghlo_probe_memory_free (probe, found);

  return ok;
}

/* Whether comparisons are probed of @type extended to 64 bits. */
static gboolean
is_widened (const Measuring *self,
            GhloElementType  type)
{
  return type == GHLO_ELEMENT_TYPE_I32 && (self->device->types >> GHLO_ELEMENT_TYPE_I64 & 1) != 0;
}

/* Probes all types in @types. */
static gboolean
run_probes (Measuring  *self,
            guint64     types,
            GError    **error)
{
  self->folds_exactly = TRUE;
  for (guint kind = 0; kind < GHLO_N_NODES; kind++)
    {
      self->device->exact[kind] |= types;
      self->device->nearly[kind] |= types;
    }
  for (guint type = 0; type < 64; type++)
    if ((types >> type & 1) != 0
        && (!run_probe (self, ghlo_probe_new (type, self->device->types), FALSE, error)
            || (is_float (type) && !run_probe (self, ghlo_probe_new_constants (type), TRUE, error))
            || (is_widened (self, type) && !run_probe (self, ghlo_probe_new_widened (), TRUE, error))))
      return FALSE;

  return TRUE;
}

/* Decides which of the operations that can be composed the device computes itself. */
static void
choose_floats (GhloSpirvDevice *self)
{
  static const GhloElementType types[2] = { GHLO_ELEMENT_TYPE_F32, GHLO_ELEMENT_TYPE_F64 };
  const guint64 *nearly = self->nearly;
  const guint64 rounded = nearly[GHLO_NODE_FLOOR] & nearly[GHLO_NODE_CEIL] & nearly[GHLO_NODE_TRUNCATE]
                          & nearly[GHLO_NODE_ROUND_NEAREST_EVEN];
  /* FMAs of either type are composed of operations on f64. */
  const gboolean has_f64 = (self->types >> GHLO_ELEMENT_TYPE_F64 & 1) != 0;

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if ((self->types >> types[i] & 1) != 0)
      {
        self->floats.fuses[i] = (nearly[GHLO_NODE_FMA] >> types[i] & 1) != 0 || !has_f64;
        self->floats.rounds[i] = (rounded >> types[i] & 1) != 0;
        self->floats.takes_roots[i] = (nearly[GHLO_NODE_SQRT] >> types[i] & 1) != 0;
      }
  self->floats.shortens_quotients = (nearly[GHLO_NODE_FMA] >> GHLO_ELEMENT_TYPE_F32 & 1) != 0;
}

gboolean
ghlo_spirv_measure (GhloSpirvDevice        *self,
                    guint64                 types,
                    const GhloSpirvFloats  *promises,
                    GhloSpirvRunFunc        run,
                    gpointer                data,
                    GError                **error)
{
  /* The types whose shaders depend on the measurements. */
  const guint64 again = (guint64) 1 << GHLO_ELEMENT_TYPE_F32 | (guint64) 1 << GHLO_ELEMENT_TYPE_F64
                        | (guint64) 1 << GHLO_ELEMENT_TYPE_I32;
  Measuring measuring = { .device = self, .run = run, .data = data };
  GhloSpirvFloats hoped = *promises;

  for (guint i = 0; i < 2; i++)
    hoped.fuses[i] = hoped.rounds[i] = hoped.takes_roots[i] = TRUE;
  hoped.shortens_quotients = hoped.folds_exactly = TRUE;
  memset (self, 0, sizeof *self);
  self->types = types & ghlo_node_all_types ();
  self->floats = hoped;
  if (!run_probes (&measuring, self->types, error))
    return FALSE;
  self->floats.folds_exactly = measuring.folds_exactly;
  choose_floats (self);

  return memcmp (&self->floats, &hoped, sizeof hoped) == 0 || run_probes (&measuring, self->types & again, error);
}

static gboolean
are_same_booleans (const gboolean a[2],
                   const gboolean b[2])
{
  return a[0] == b[0] && a[1] == b[1];
}

/* Whether @set contains all of @inner and nothing outside of @types. */
static gboolean
is_between (guint64 set,
            guint64 inner,
            guint64 types)
{
  return (set & ~types) == 0 && (inner & ~set) == 0;
}

gboolean
ghlo_spirv_device_is_plausible (const GhloSpirvDevice *self,
                                guint64                types,
                                const GhloSpirvFloats *promises)
{
  const GhloSpirvFloats *floats = &self->floats;
  const gboolean found[] = { floats->fuses[0], floats->fuses[1], floats->rounds[0], floats->rounds[1],
                             floats->takes_roots[0], floats->takes_roots[1],
                             floats->shortens_quotients, floats->folds_exactly };

  for (guint i = 0; i < G_N_ELEMENTS (found); i++)
    if (found[i] != FALSE && found[i] != TRUE)
      return FALSE;
  for (guint kind = 0; kind < GHLO_N_NODES; kind++)
    if (!is_between (self->nearly[kind], self->exact[kind], self->types))
      return FALSE;

  return self->types == (types & ghlo_node_all_types ())
         && are_same_booleans (floats->keeps_subnormals, promises->keeps_subnormals)
         && are_same_booleans (floats->rounds_to_even, promises->rounds_to_even)
         && are_same_booleans (floats->keeps_nan, promises->keeps_nan);
}

GhloNodeKind
ghlo_spirv_find_inexact (const GhloSpirvDevice *self,
                         const GhloKernel      *kernel,
                         gboolean               subnormals,
                         GhloElementType       *type)
{
  const guint64 *types = subnormals ? self->exact : self->nearly;

  for (guint i = 0; i < kernel->n_nodes; i++)
    {
      const GhloKernelNode *node = &kernel->nodes[i];

      *type = node->type;
      if ((self->types >> *type & 1) == 0)
        return node->kind;
      *type = ghlo_kernel_operand_type (kernel, node);
      if (ghlo_node_spec (node->kind)->role == GHLO_NODE_PRIMITIVE && (types[node->kind] >> *type & 1) == 0)
        return node->kind;
    }
  for (guint i = 0; i < kernel->n_blocks; i++)
    if (kernel->blocks[i].kind == GHLO_BLOCK_PRODUCT)
      {
        *type = kernel->temporaries[kernel->blocks[i].result].type;
        if ((types[GHLO_NODE_FMA] >> *type & 1) == 0)
          return GHLO_NODE_FMA;
      }

  return GHLO_N_NODES;
}
