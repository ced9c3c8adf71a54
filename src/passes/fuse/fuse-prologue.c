/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The prologue of a product: the operations that compute one of its operands from narrower or smaller values, such as
 * the conversion of weights and the multiplication by their scales. A device that computes the operand where it reads
 * it saves writing and reading it.
 *
 * The cost rule: the values that are read must have clearly fewer bytes than the operand, and nothing else may use or
 * might compute what is computed from them. How often the operand is read, and so computed, only the device knows.
 */

#include "passes/fuse/fuse-kernels.h"

#include "passes/constant.h"
#include "passes/shapes.h"

/* The number of operations before a product that are considered, and the most values that they read. */
enum { WINDOW = 1024, MAX_INPUTS = 32 };

/* The largest share of the operand's bytes that may be read instead. */
#define MOST_BYTES 0.75

typedef struct
{
  GhloFuseKernels   *maker;
  const GhloIrOp    *product;
  guint              operand;   /* of the product */
  const GhloIrValue *value;     /* that operand */
  gsize              count;     /* of its elements */
  guint32            first;     /* no operation before this one is read by those that join */
  GhloFuseList       list;      /* the operations that join, the last one first */
} Search;

static const GhloFuseNode *
node_of (const Search   *self,
         const GhloIrOp *op)
{
  return &self->maker->graph->nodes[op->id];
}

static gboolean
has_joined (const Search   *self,
            const GhloIrOp *op)
{
  for (guint i = 0; i < self->list.n; i++)
    if (op->block == self->product->block && self->list.numbers[i] == op->id)
      return TRUE;

  return FALSE;
}

static gboolean
is_own_use (const Search    *self,
            const GhloIrUse *use)
{
  return use->op == self->product ? use == &self->product->operands[self->operand] : has_joined (self, use->op);
}

/* Whether another group might compute what @use does, from the same value. */
static gboolean
is_of_other_group (const Search    *self,
                   const GhloIrUse *use)
{
  const GhloFuseRole role = node_of (self, use->op)->role;

  return !is_own_use (self, use)
         && (role == GHLO_FUSE_ROLE_ELEMENTWISE || role == GHLO_FUSE_ROLE_FUNCTION || role == GHLO_FUSE_ROLE_REDUCE);
}

/* Whether only those that have joined use @op. Views may have other users, which compute them for themselves. */
static gboolean
has_own_uses (const Search   *self,
              const GhloIrOp *op)
{
  const gboolean is_view = ghlo_fuse_role_is_view (node_of (self, op)->role);
  const gboolean is_small = op->n_operands == 0
                            || ghlo_type_count (ghlo_ir_op_operand (op, 0)->type) < self->count;
  gboolean has_any = FALSE;

  for (const GhloIrUse *use = op->results[0].uses; use != NULL; use = use->next)
    {
      has_any |= is_own_use (self, use);
      if (is_view ? !is_small && is_of_other_group (self, use) : !is_own_use (self, use))
        return FALSE;
    }

  return has_any;
}

/* Whether only reshapes follow @op. */
static gboolean
is_last (const Search   *self,
         const GhloIrOp *op)
{
  const GhloIrValue *value = &op->results[0];

  while (value != self->value)
    {
      if (value->uses->next != NULL || value->uses->op->kind != GHLO_OP_STABLEHLO_RESHAPE)
        return FALSE;
      value = &value->uses->op->results[0];
    }

  return TRUE;
}

/* Whether the operation may be computed for each element of the operand: what is smaller is stored, unless it only
 * brings values into another form. */
static gboolean
is_computed (const Search   *self,
             const GhloIrOp *op)
{
  const GhloFuseNode *node = node_of (self, op);

  switch (node->role)
    {
    case GHLO_FUSE_ROLE_LEAF:
      return op->kind == GHLO_OP_STABLEHLO_CONSTANT;
    case GHLO_FUSE_ROLE_BROADCAST:
    case GHLO_FUSE_ROLE_RESHAPE:
    case GHLO_FUSE_ROLE_MOVE:
    case GHLO_FUSE_ROLE_CONVERT:
      return TRUE;
    case GHLO_FUSE_ROLE_ELEMENTWISE:
      return node->group == op->id && node->n_members <= 1
             && (op->kind == GHLO_OP_STABLEHLO_CONVERT || ghlo_type_count (op->results[0].type) == self->count);
    case GHLO_FUSE_ROLE_NONE:
      return ghlo_op_is_reshape (op)
             && (is_last (self, op)
                 || ghlo_shape_is_split (ghlo_ir_op_operand (op, 0)->type, op->results[0].type, NULL));
    default:
      return FALSE;
    }
}

static void
find_operations (Search *self)
{
  const GhloFuseGraph *graph = self->maker->graph;
  const guint32 least = self->product->id > WINDOW ? self->product->id - WINDOW : 0;

  if (self->value->op == NULL || self->value->op->block != self->product->block)
    return;
  self->first = self->value->op->id;
  for (guint32 number = self->first + 1; number-- > MAX (self->first, least) && self->list.n < GHLO_FUSE_MAX_OPS; )
    {
      const GhloIrOp *op = graph->nodes[number].op;

      if (op->block != self->product->block || op->n_results != 1 || !is_computed (self, op)
          || !has_own_uses (self, op))
        continue;
      self->list.numbers[self->list.n++] = number;
      for (guint i = 0; i < op->n_operands; i++)
        self->first = MIN (self->first, ghlo_fuse_graph_source (op, ghlo_ir_op_operand (op, i)));
    }
}

/* Whether the cost rule allows reading @value, of whose bytes it adds those that are read. */
static gboolean
add_input (const Search      *self,
           const GhloIrValue *value,
           double            *bytes)
{
  const gsize count = ghlo_type_count (value->type);

  *bytes += (double) MIN (count, self->count) * ghlo_element_info (value->type->element_type)->size;
  for (const GhloIrUse *use = value->uses; use != NULL && count >= self->count; use = use->next)
    if (is_of_other_group (self, use))
      return FALSE;

  return TRUE;
}

/* Why the operations are not worth joining, or NULL. */
static const char *
find_reason (const Search *self)
{
  const GhloIrValue *inputs[MAX_INPUTS];
  double bytes = 0;
  guint n = 0, k;

  for (guint i = 0; i < self->list.n; i++)
    {
      const GhloIrOp *op = self->maker->graph->nodes[self->list.numbers[i]].op;

      for (guint operand = 0; operand < op->n_operands; operand++)
        {
          const GhloIrValue *value = ghlo_ir_op_operand (op, operand);

          if (value->op != NULL && has_joined (self, value->op))
            continue;
          for (k = 0; k < n && inputs[k] != value; k++)
            ;
          if (k == MAX_INPUTS)
            return "its operand is computed from too many values";
          if (k == n && !add_input (self, value, &bytes))
            return "its operand may be computed together with other values";
          inputs[k] = value;
          n = MAX (n, k + 1);
        }
    }

  if (n == 0)
    return "its operand is a constant";

  return bytes <= MOST_BYTES * (double) self->count * ghlo_element_info (self->value->type->element_type)->size
         ? NULL : "its operand is hardly larger than what it is computed from";
}

static gboolean
ask_device (const Search *self,
            guint32       number)
{
  const GhloFuseGraph *graph = self->maker->graph;
  GhloIrOp *ops[GHLO_FUSE_MAX_OPS];
  GhloFuseList list;
  guint n = 0;

  ghlo_fuse_kernels_list (self->maker, number, &list);
  if (list.n + self->list.n > GHLO_FUSE_MAX_OPS)
    return FALSE;
  for (guint i = self->list.n; i > 0; i--)
    ops[n++] = graph->nodes[self->list.numbers[i - 1]].op;
  for (guint i = 0; i < list.n; i++)
    ops[n++] = graph->nodes[list.numbers[i]].op;

  return ghlo_fuse_accept (self->maker->fuser, ops, n, self->product, self->value->op);
}

/* The graph may refuse an operation because of its size; those before it do not join either. */
static void
join (Search  *self,
      guint32  number)
{
  GhloFuseGraph *graph = self->maker->graph;
  GhloFuseCandidate *candidate = &self->maker->candidates[number];

  for (guint i = 0; i < self->list.n; i++)
    {
      const guint32 other = self->list.numbers[i];

      if (ghlo_fuse_role_is_view (graph->nodes[other].role))
        continue;
      if (ghlo_fuse_graph_search (graph, number, other) != NULL)
        self->list.n = i;
      else
        ghlo_fuse_graph_unite (graph, number, other);
    }
  candidate->is_made = self->list.n > 0;
  candidate->prologue = g_memdup2 (self->list.numbers, self->list.n * sizeof (guint32));
  candidate->n_prologue = self->list.n;
}

/* Whether the operations that compute @operand have joined the group of @product. */
static gboolean
join_operand (GhloFuseKernels *maker,
              guint32          product,
              guint            operand)
{
  const GhloIrOp *op = maker->graph->nodes[product].op;
  const GhloIrValue *value = ghlo_ir_op_operand (op, operand);
  g_autofree Search *self = g_new (Search, 1);
  const char *reason;

  *self = (Search) { .maker = maker, .product = op, .operand = operand, .value = value,
                     .count = ghlo_type_count (value->type) };
  find_operations (self);
  if (self->list.n == 0)
    return FALSE;
  reason = find_reason (self);
  if (reason != NULL)
    ghlo_fuse_refuse (maker->fuser, op, value->op, reason);
  if (reason != NULL || !ask_device (self, product))
    return FALSE;
  join (self, product);

  return TRUE;
}

void
ghlo_fuse_kernels_join_prologue (GhloFuseKernels *self,
                                 guint32          product)
{
  const GhloIrOp *op = self->graph->nodes[product].op;
  const guint larger = ghlo_type_count (ghlo_ir_op_operand (op, 1)->type)
                       >= ghlo_type_count (ghlo_ir_op_operand (op, 0)->type);

  if (!join_operand (self, product, larger))
    join_operand (self, product, 1 - larger);
}
