/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A probe is a kernel with one axis, whose points are the numbers to try. The numbers come from a generator of its own,
 * so that every run of a probe tries the same ones.
 */

#include "gpu/spirv/probe.h"

#include "kernel/build.h"
#include "kernel/evaluate.h"

#define NONE GHLO_KERNEL_NONE

/* The state of a probe that is being built. */
typedef struct
{
  GhloProbe         *probe;
  GhloKernelBuilder *builder;
  guint              operands[GHLO_PROBE_OPERANDS];     /* nodes */
} Making;

static guint
add_buffer (Making          *self,
            const char      *name,
            GhloElementType  type,
            gboolean         is_written)
{
  const gint64 size = ghlo_element_info (type)->size;
  guint buffer = ghlo_kernel_add_buffer (self->builder, name, size * GHLO_PROBE_POINTS, is_written);

  return ghlo_kernel_add_access (self->builder, buffer, type, 0, &size);
}

static void
begin (Making          *self,
       GhloElementType  type)
{
  static const char *const names[GHLO_PROBE_OPERANDS] = { "x", "y", "z" };
  guint accesses[GHLO_PROBE_OPERANDS];

  self->probe = g_new0 (GhloProbe, 1);
  self->probe->type = type;
  self->builder = ghlo_kernel_builder_new ("probe");
  ghlo_kernel_add_axis (self->builder, "i", GHLO_PROBE_POINTS, TRUE, FALSE);
  for (guint i = 0; i < GHLO_PROBE_OPERANDS; i++)
    accesses[i] = add_buffer (self, names[i], type, FALSE);
  ghlo_kernel_begin_points (self->builder, 0);
  for (guint i = 0; i < GHLO_PROBE_OPERANDS; i++)
    self->operands[i] = ghlo_kernel_add_load (self->builder, type, accesses[i], NONE);
}

/* Adds a row: its buffer, and the nodes that compute it. */
static void
add_row (Making          *self,
         GhloNodeKind     kind,
         GhloElementType  type,
         const guint     *nodes)
{
  GhloProbeRow *row = &self->probe->rows[self->probe->n_rows++];
  guint operands[3] = { NONE, NONE, NONE }, node;

  row->kind = kind;
  row->type = type;
  for (guint i = 0; i < ghlo_node_spec (kind)->n_operands; i++)
    {
      operands[i] = nodes[i];
      for (guint j = 0; j < GHLO_PROBE_OPERANDS; j++)
        row->operands |= (guint8) ((nodes[i] == self->operands[j]) << j);
    }
  if (kind == GHLO_NODE_SELECT)
    {
      operands[0] = ghlo_kernel_add_node (self->builder, GHLO_NODE_LESS, GHLO_ELEMENT_TYPE_I1, nodes[0], nodes[1],
                                          NONE);
      row->operands = 7;
    }
  node = ghlo_kernel_add_node (self->builder, kind, type, operands[0], operands[1], operands[2]);
  ghlo_kernel_store (self->builder, node, add_buffer (self, "r", type, TRUE));
}

static GhloProbe *
end (Making *self)
{
  g_autoptr (GError) error = NULL;

  ghlo_kernel_end_block (self->builder);
  self->probe->kernel = ghlo_kernel_builder_end (self->builder, &error);
  g_assert_no_error (error);

  return self->probe;
}

/* Adds conversions to each type other than the operands'. */
static void
add_conversions (Making       *self,
                 GhloNodeKind  kind,
                 guint64       types)
{
  const GhloElementType from = self->probe->type;

  for (guint to = 0; to < 64; to++)
    if ((types >> to & 1) != 0 && to != from
        && (kind == GHLO_NODE_CONVERT
            || (ghlo_element_info (to)->bits == ghlo_element_info (from)->bits && to != GHLO_ELEMENT_TYPE_I1)))
      add_row (self, kind, to, self->operands);
}

GhloProbe *
ghlo_probe_new (GhloElementType type,
                guint64         types)
{
  Making self = { 0 };

  begin (&self, type);
  for (guint kind = 0; kind < GHLO_N_NODES; kind++)
    {
      const GhloNodeSpec *spec = ghlo_node_spec (kind);

      if (spec->role != GHLO_NODE_PRIMITIVE || (spec->operand_types & ghlo_node_types (type)) == 0)
        continue;
      if (kind == GHLO_NODE_CONVERT || kind == GHLO_NODE_BITCAST)
        add_conversions (&self, kind, types);
      else
        add_row (&self, kind, spec->result_type != GHLO_ELEMENT_TYPE_INVALID ? (GhloElementType) spec->result_type
                                                                              : type, self.operands);
    }

  return end (&self);
}

GhloProbe *
ghlo_probe_new_constants (GhloElementType type)
{
  static const double constants[] = { 0., -0., 1, -1 };
  static const GhloNodeKind kinds[] = { GHLO_NODE_ADD, GHLO_NODE_SUBTRACT, GHLO_NODE_MULTIPLY, GHLO_NODE_DIVIDE };
  Making self = { 0 };
  guint x, y, constant;

  begin (&self, type);
  x = self.operands[0];
  y = self.operands[1];
  for (guint i = 0; i < G_N_ELEMENTS (constants); i++)
    {
      constant = ghlo_kernel_add_float (self.builder, type, constants[i]);
      for (guint j = 0; j < G_N_ELEMENTS (kinds); j++)
        {
          add_row (&self, kinds[j], type, (const guint[]) { x, constant });
          add_row (&self, kinds[j], type, (const guint[]) { constant, x });
        }
      add_row (&self, GHLO_NODE_FMA, type, (const guint[]) { x, constant, y });
      add_row (&self, GHLO_NODE_FMA, type, (const guint[]) { constant, x, y });
      add_row (&self, GHLO_NODE_FMA, type, (const guint[]) { x, y, constant });
    }
  for (guint j = 0; j < G_N_ELEMENTS (kinds); j++)
    add_row (&self, kinds[j], type, (const guint[]) { x, x });
  for (guint kind = GHLO_NODE_EQUAL; kind <= GHLO_NODE_GREATER_EQUAL; kind++)
    add_row (&self, kind, GHLO_ELEMENT_TYPE_I1, (const guint[]) { x, x });

  return end (&self);
}

GhloProbe *
ghlo_probe_new_widened (void)
{
  static const gint64 constants[] = { 0, 3, -1, G_MININT32, G_MAXINT32, (gint64) G_MAXINT32 + 1 };
  Making self = { 0 };
  guint wide, constant;

  begin (&self, GHLO_ELEMENT_TYPE_I32);
  wide = ghlo_kernel_add_node (self.builder, GHLO_NODE_CONVERT, GHLO_ELEMENT_TYPE_I64, self.operands[0], NONE, NONE);
  for (guint i = 0; i < G_N_ELEMENTS (constants); i++)
    {
      constant = ghlo_kernel_add_constant (self.builder, GHLO_ELEMENT_TYPE_I64, (guint64) constants[i]);
      for (guint kind = GHLO_NODE_EQUAL; kind <= GHLO_NODE_GREATER_EQUAL; kind++)
        {
          add_row (&self, kind, GHLO_ELEMENT_TYPE_I1, (const guint[]) { wide, constant });
          self.probe->rows[self.probe->n_rows - 1].kind = GHLO_NODE_CONVERT;
        }
    }

  return end (&self);
}

void
ghlo_probe_free (GhloProbe *self)
{
  g_free (self->kernel);
  g_free (self);
}

/* Returns the next number of a pseudo-random sequence (SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom
 * number generators"). */
static guint64
draw (guint64 *state)
{
  guint64 z = *state += G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  z = (z ^ z >> 30) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * G_GUINT64_CONSTANT (0x94d049bb133111eb);

  return z ^ z >> 31;
}

/* The layout of a float. */
typedef struct
{
  GhloElementType type;
  guint           fraction;     /* bits */
  gint            bias;
} Format;

static Format
format_of (GhloElementType type)
{
  const GhloElementInfo *info = ghlo_element_info (type);

  return (Format) { type, info->mantissa_bits, info->bias };
}

/* Returns a number of either sign with the exponent @exponent; zero, subnormal or infinite where that is out of
 * range. */
static guint64
draw_float (const Format *self,
            guint64      *state,
            gint          exponent)
{
  const guint64 largest = 2 * (guint64) self->bias + 1;
  const guint64 biased = (guint64) CLAMP (exponent + self->bias, 0, (gint) largest);
  guint64 fraction = draw (state) & (((guint64) 1 << self->fraction) - 1), sign = draw (state) & 1;

  /* Few bits, so that rounding often is a tie. */
  if (draw (state) % 2 == 0)
    fraction &= ~(((guint64) 1 << draw (state) % self->fraction) - 1);
  if (biased == largest)
    fraction = 0;

  return sign << (ghlo_element_info (self->type)->bits - 1) | biased << self->fraction | fraction;
}

/* Returns the special number @at. */
static guint64
special_float (const Format *self,
               guint         at)
{
  const guint64 one = (guint64) self->bias << self->fraction, unit = (guint64) 1 << self->fraction;
  const guint64 infinity = (2 * (guint64) self->bias + 1) << self->fraction;
  const guint64 sign = (guint64) 1 << (ghlo_element_info (self->type)->bits - 1);
  const guint64 numbers[] = {
    0, one, one + 1, one - 1, one + unit, one - unit, one + unit / 2, 1, unit - 1, unit, infinity - 1, infinity,
    infinity + unit / 2, one + self->fraction * unit + 1, one + 31 * unit, one + 63 * unit,
  };

  return numbers[at / 2 % G_N_ELEMENTS (numbers)] | (at % 2 != 0 ? sign : 0);
}

/* Draws operands whose product plus third operand depends on its last bits, is subnormal, or overflows. */
static void
draw_floats (const Format *self,
             guint64      *state,
             guint64      *operands)
{
  const gint wide = 2 * self->bias;
  const guint choice = (guint) (draw (state) % 4);
  gint total = choice == 0 ? -self->bias - (gint) (draw (state) % (self->fraction + 8))
               : choice == 1 ? self->bias - 1 + (gint) (draw (state) % 3) : (gint) (draw (state) % 40) - 20;
  gint exponent = (gint) (draw (state) % (guint64) wide) - self->bias;
  guint64 product;

  if (ABS (total - exponent) > self->bias)
    exponent = total / 2;
  operands[0] = draw_float (self, state, exponent);
  operands[1] = draw_float (self, state, total - exponent);
  product = ghlo_node_evaluate (GHLO_NODE_MULTIPLY, self->type, self->type, operands);
  if (choice == 3)
    operands[2] = (product ^ (guint64) 1 << (ghlo_element_info (self->type)->bits - 1)) + draw (state) % 3 - 1;
  else
    operands[2] = draw_float (self, state, total + (gint) (draw (state) % (2 * self->fraction + 20))
                                           - (gint) self->fraction - 10);
  operands[2] = ghlo_node_cut (self->type, operands[2]);
}

static guint64
special_integer (GhloElementType type,
                 guint           at)
{
  const guint64 bits = ghlo_element_info (type)->bits, sign = (guint64) 1 << (bits - 1);
  const guint64 numbers[] = {
    0, 1, 2, 3, bits - 1, bits, bits + 1, G_MAXUINT64, G_MAXUINT64 - 1, sign, sign + 1, sign - 1, sign - 2,
    G_GUINT64_CONSTANT (0x5555555555555555), (guint64) 1 << bits / 2, ((guint64) 1 << bits / 2) - 1,
  };

  return numbers[at % G_N_ELEMENTS (numbers)];
}

/* Draws the operands of point @at. */
static void
draw_operands (GhloElementType  type,
               guint            at,
               guint64         *state,
               guint64         *operands)
{
  const gboolean is_float = ghlo_node_types (type) == GHLO_NODE_TYPES_F;
  const guint n = is_float ? 32 : 16;
  const Format format = format_of (type);

  for (guint i = 0; i < GHLO_PROBE_OPERANDS; i++)
    {
      guint which = i == 0 ? at : i == 1 ? at / n : at * 7 + at / 3;

      if (at < n * n)
        operands[i] = is_float ? special_float (&format, which % n) : special_integer (type, which);
      else
        operands[i] = draw (state) >> draw (state) % 64;
      operands[i] = ghlo_node_cut (type, operands[i]);
    }
  if (is_float && at >= n * n && at % 8 != 0)
    draw_floats (&format, state, operands);
}

GhloKernelMemory *
ghlo_probe_memory_new (const GhloProbe *self)
{
  GhloKernelMemory *memory = g_new0 (GhloKernelMemory, self->kernel->n_buffers);
  const gsize size = ghlo_element_info (self->type)->size;
  guint64 state = 0;

  for (guint i = 0; i < self->kernel->n_buffers; i++)
    memory[i] = (GhloKernelMemory) { g_malloc0 ((gsize) self->kernel->buffers[i].size),
                                     (gsize) self->kernel->buffers[i].size };
  for (guint i = 0; i < GHLO_PROBE_POINTS; i++)
    {
      guint64 operands[GHLO_PROBE_OPERANDS];

      draw_operands (self->type, i, &state, operands);
      for (guint j = 0; j < GHLO_PROBE_OPERANDS; j++)
        ghlo_node_store (self->type, (guint8 *) memory[j].data + i * size, operands[j]);
    }

  return memory;
}

void
ghlo_probe_memory_free (const GhloProbe  *self,
                        GhloKernelMemory *memory)
{
  for (guint i = 0; i < self->kernel->n_buffers; i++)
    g_free (memory[i].data);
  g_free (memory);
}
