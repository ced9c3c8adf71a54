/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Transcendental functions as kernel expressions, in f32. Within 2 units in the last
 * place everywhere, subnormal results included; bench-cpu goes through every f32.
 */

#include "kernel.h"

#include <string.h>

#define F32 GHLO_ELEMENT_TYPE_F32
#define I32 GHLO_ELEMENT_TYPE_I32
#define I1  GHLO_ELEMENT_TYPE_I1

typedef struct
{
  GhloKernel *kernel;
  gboolean    fma;
  guint16     moved[GHLO_KERNEL_MAX_NODES];     /* number in the old kernel to number in the new one */
  gboolean    full;
} Expansion;

static guint
add (Expansion    *self,
     GhloNodeKind  kind,
     guint8        type,
     guint         a,
     guint         b,
     guint         c)
{
  if (self->kernel->n_nodes == GHLO_KERNEL_MAX_NODES)
    {
      self->full = TRUE;
      return 0;
    }

  return ghlo_kernel_add_node (self->kernel, kind, type, a, b, c);
}

static guint
number (Expansion *self,
        double     value)
{
  guint node = add (self, GHLO_NODE_CONSTANT, F32, 0, 0, 0);

  self->kernel->nodes[node].bits = ghlo_kernel_float_bits (F32, value);

  return node;
}

static guint
integer (Expansion *self,
         guint32    value)
{
  guint node = add (self, GHLO_NODE_CONSTANT, I32, 0, 0, 0);

  self->kernel->nodes[node].bits = value;

  return node;
}

static guint
multiply_add (Expansion *self,
              guint      a,
              guint      b,
              guint      c)
{
  if (self->fma)
    return add (self, GHLO_NODE_FMA, F32, a, b, c);

  return add (self, GHLO_NODE_ADD, F32, add (self, GHLO_NODE_MULTIPLY, F32, a, b, 0), c, 0);
}

/* 2^n for n within [-126, 127]. */
static guint
power_of_two (Expansion *self,
              guint      n)
{
  guint biased = add (self, GHLO_NODE_ADD, I32, n, integer (self, 127), 0);

  return add (self, GHLO_NODE_BITCAST, F32, add (self, GHLO_NODE_SHIFT_LEFT, I32, biased, integer (self, 23), 0), 0, 0);
}

/* e^x = 2^n e^r, n = round (x / ln 2), |r| <= ln 2 / 2. Adding 1.5 × 2^23 rounds to an
 * integer and leaves it in the low bits. ln 2 is split so that n × its upper part is
 * exact; e^r = 1 + r + r² q (r), q fitted by Lawson's iteration on the relative error
 * (3.1e-9). 2^n in two factors reaches infinity and the subnormals. NaN goes through:
 * no comparison is true of it. */
static guint
expand_exponential (Expansion *self,
                    guint      x)
{
  static const double q[] = { 0x1.6a23cep-10, 0x1.123a20p-7, 0x1.5558f2p-5, 0x1.555492p-3, 0x1.fffffcp-2 };
  guint low = number (self, -104), high = number (self, 89), magic = number (self, 0x1.8p23);
  guint whole, n, r, p, half, scaled;

  x = add (self, GHLO_NODE_SELECT, F32, add (self, GHLO_NODE_LESS, I1, x, low, 0), low, x);
  x = add (self, GHLO_NODE_SELECT, F32, add (self, GHLO_NODE_GREATER, I1, x, high, 0), high, x);
  whole = multiply_add (self, x, number (self, 0x1.715476p0), magic);
  n = add (self, GHLO_NODE_SUBTRACT, I32, add (self, GHLO_NODE_BITCAST, I32, whole, 0, 0),
           add (self, GHLO_NODE_BITCAST, I32, magic, 0, 0), 0);
  whole = add (self, GHLO_NODE_SUBTRACT, F32, whole, magic, 0);
  r = multiply_add (self, whole, number (self, -0x1.63p-1), x);
  r = multiply_add (self, whole, number (self, 0x1.bd0106p-13), r);
  p = number (self, q[0]);
  for (guint i = 1; i < G_N_ELEMENTS (q); i++)
    p = multiply_add (self, p, r, number (self, q[i]));
  p = multiply_add (self, p, add (self, GHLO_NODE_MULTIPLY, F32, r, r, 0), r);
  p = add (self, GHLO_NODE_ADD, F32, p, number (self, 1), 0);
  half = add (self, GHLO_NODE_SHIFT_RIGHT, I32, n, integer (self, 1), 0);
  scaled = add (self, GHLO_NODE_MULTIPLY, F32, p, power_of_two (self, half), 0);

  return add (self, GHLO_NODE_MULTIPLY, F32, scaled,
              power_of_two (self, add (self, GHLO_NODE_SUBTRACT, I32, n, half, 0)), 0);
}

static guint
expand_rsqrt (Expansion *self,
              guint      x)
{
  return add (self, GHLO_NODE_DIVIDE, F32, number (self, 1), add (self, GHLO_NODE_SQRT, F32, x, 0, 0), 0);
}

/* Two corrections of x × 1/y, each by what is left over, which a multiply-add knows
 * exactly. Equal to the division down to 2^-100, where the rest begins to underflow,
 * and within 1 unit below. A division of vectors costs as much as sixteen of these. */
static guint
expand_quotient (Expansion *self,
                 guint      x,
                 guint      y,
                 guint      inverse)
{
  guint negative, quotient;

  if (!self->fma)
    return add (self, GHLO_NODE_DIVIDE, F32, x, y, 0);
  negative = add (self, GHLO_NODE_MULTIPLY, F32, y, number (self, -1), 0);
  quotient = add (self, GHLO_NODE_MULTIPLY, F32, x, inverse, 0);
  for (guint i = 0; i < 2; i++)
    quotient = multiply_add (self, multiply_add (self, quotient, negative, x), inverse, quotient);

  return quotient;
}

static guint16
moved (Expansion *self,
       guint16    node)
{
  return node == GHLO_KERNEL_NONE ? node : self->moved[node];
}

static guint
copy_node (Expansion            *self,
           const GhloKernelNode *node)
{
  guint copied;

  if (node->kind == GHLO_NODE_EXPONENTIAL)
    return expand_exponential (self, moved (self, node->operands[0]));
  if (node->kind == GHLO_NODE_RSQRT)
    return expand_rsqrt (self, moved (self, node->operands[0]));
  if (node->kind == GHLO_NODE_QUOTIENT)
    return expand_quotient (self, moved (self, node->operands[0]), moved (self, node->operands[1]),
                            moved (self, node->operands[2]));
  copied = add (self, node->kind, node->type, moved (self, node->operands[0]), moved (self, node->operands[1]),
                moved (self, node->operands[2]));
  self->kernel->nodes[copied].bits = node->bits;
  self->kernel->nodes[copied].which = node->which;

  return copied;
}

static void
copy_stage (Expansion             *self,
            const GhloKernel      *from,
            const GhloKernelStage *stage,
            GhloKernelStage       *copied)
{
  copied->first = self->kernel->n_nodes;
  for (guint i = stage->first; i < stage->end && !self->full; i++)
    {
      if (i == stage->first_merge)
        copied->first_merge = self->kernel->n_nodes;
      self->moved[i] = copy_node (self, &from->nodes[i]);
    }
  if (stage->first_merge == stage->end)
    copied->first_merge = self->kernel->n_nodes;
  copied->end = self->kernel->n_nodes;
  for (guint i = 0; i < copied->n_stores; i++)
    copied->stores[i].node = self->moved[copied->stores[i].node];
  for (guint i = 0; i < copied->n_accumulators; i++)
    {
      copied->accumulators[i].updated = self->moved[copied->accumulators[i].updated];
      copied->accumulators[i].merged = moved (self, copied->accumulators[i].merged);
    }
}

GhloKernel *
ghlo_kernel_expand (const GhloKernel *self,
                    gboolean          fma)
{
  Expansion expansion = { g_memdup2 (self, sizeof *self), fma };
  GhloKernel *kernel = expansion.kernel;

  memset (kernel->nodes, 0, sizeof kernel->nodes);
  kernel->n_nodes = 0;
  for (guint i = 0; i < kernel->n_stages; i++)
    copy_stage (&expansion, self, &self->stages[i], &kernel->stages[i]);
  for (guint i = 0; i < kernel->n_accesses; i++)
    {
      kernel->accesses[i].index = moved (&expansion, kernel->accesses[i].index);
      kernel->accesses[i].fill = moved (&expansion, kernel->accesses[i].fill);
    }
  if (expansion.full)
    g_clear_pointer (&kernel, g_free);

  return kernel;
}
