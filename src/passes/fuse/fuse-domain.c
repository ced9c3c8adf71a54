/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The check goes through the group backwards. Each operation is computed at some places: at the group's own points,
 * which are place 0, where it is a result of the group, and wherever its users read it. An index operation reads its
 * operands at new places. So the number of an operation's places is the number of times that it is computed.
 */

#include "passes/fuse/fuse-domain.h"

#include "passes/constant.h"
#include "passes/fuse/fuse.h"
#include "passes/shapes.h"

enum
{
  MAX_PLACES = 32,          /* at most the 64 bits of a mask; the time of a check is proportional to it */
  MAX_VALUES = 48,          /* inputs and results */
  MAX_COMPUTED = 256,       /* operations, counted once for each place */
};

typedef enum
{
  NEITHER,
  FULL,
  ROW,
} Form;

/* Domains */

/* TRUE where @type has the dimensions of @full except those in the mask @without; ones are ignored. */
static gboolean
matches (const GhloIrType *type,
         const GhloIrType *full,
         guint32           without)
{
  guint i = 0, n = 0;

  if (type == full && without == 0)
    return TRUE;
  for (guint k = 0; k < full->rank; k++)
    {
      if (full->dimensions[k] == 1 || (without >> n++ & 1))
        continue;
      while (i < type->rank && type->dimensions[i] == 1)
        i++;
      if (i == type->rank || type->dimensions[i++] != full->dimensions[k])
        return FALSE;
    }
  while (i < type->rank && type->dimensions[i] == 1)
    i++;

  return i == type->rank;
}

static Form
form_of (const GhloFuseDomain *domain,
         const GhloIrType     *type)
{
  if (matches (type, domain->type, 0))
    return FULL;

  return domain->inner != 0 && matches (type, domain->type, domain->inner) ? ROW : NEITHER;
}

/* The position of dimension @index among the dimensions other than 1. */
static guint
place_of (const GhloIrType *type,
          gint64            index)
{
  guint n = 0;

  for (gint64 i = 0; i < index; i++)
    n += type->dimensions[i] != 1;

  return n;
}

GhloFuseDomain
ghlo_fuse_domain_of (const GhloFuseNode *node)
{
  GhloFuseDomain self = { node->op->results[0].type, 0 };
  const gint64 *dimensions;
  gsize n;

  if (node->role != GHLO_FUSE_ROLE_REDUCE)
    return self;
  self.type = ghlo_ir_op_operand (node->op, 0)->type;
  dimensions = ghlo_ir_op_get_ints (node->op, "dimensions", &n);
  for (gsize i = 0; i < n; i++)
    if (self.type->dimensions[dimensions[i]] != 1)
      self.inner |= (guint32) 1 << place_of (self.type, dimensions[i]);

  return self;
}

gboolean
ghlo_fuse_domain_same (const GhloFuseDomain *a,
                       const GhloFuseDomain *b)
{
  return a->inner == b->inner && matches (a->type, b->type, 0);
}

gboolean
ghlo_fuse_domain_is_full (const GhloFuseDomain *self,
                          const GhloIrType     *type)
{
  return form_of (self, type) == FULL;
}

gboolean
ghlo_fuse_domain_join (const GhloFuseDomain *producer,
                       const GhloFuseDomain *consumer,
                       GhloFuseDomain       *joined)
{
  *joined = *consumer;
  /* Without reductions in the producer, only the uses of its values decide whether they are full, rows, or moved. */
  if (producer->inner == 0)
    return TRUE;
  *joined = *producer;

  return consumer->inner != 0 ? ghlo_fuse_domain_same (producer, consumer)
                              : form_of (producer, consumer->type) != NEITHER;
}

/* Checks */

typedef struct
{
  GhloFuseChecker      *checker;
  const GhloFuseDomain *domain;
  const guint32        *list;
  guint                 n, n_places;
  guint64               started;                         /* places whose indices are computed at run time */
  guint64               places[GHLO_FUSE_MAX_OPS];       /* bit masks of places */
  guint8                is_live[GHLO_FUSE_MAX_OPS];      /* computes something, or a view of something computed here */
  guint8                is_live_out[GHLO_FUSE_MAX_OPS];  /* used outside the group, possibly through views */
} Check;

void
ghlo_fuse_checker_init (GhloFuseChecker     *self,
                        const GhloFuseGraph *graph)
{
  *self = (GhloFuseChecker) { .graph = graph };
  self->slots = g_new0 (guint32, graph->n_nodes + 1);
  self->stamps = g_new0 (guint32, graph->n_nodes + 1);
  for (guint i = 0; i < graph->n_nodes; i++)
    {
      GhloIrOp *op = graph->nodes[i].op;

      for (guint k = 0; k < op->n_results; k++)
        op->results[k].id = 0;
      if (op->previous == NULL)
        for (guint k = 0; k < op->block->n_arguments; k++)
          op->block->arguments[k]->id = 0;
    }
}

void
ghlo_fuse_checker_clear (GhloFuseChecker *self)
{
  g_free (self->slots);
  g_free (self->stamps);
}

static const GhloFuseNode *
node_at (const Check *self,
         guint        i)
{
  return &self->checker->graph->nodes[self->list[i]];
}

/* The position of @value's definer in the group; self->n where it is not in the group. */
static guint
find (const Check       *self,
      const GhloIrValue *value)
{
  const GhloFuseChecker *checker = self->checker;

  return value->op != NULL && checker->stamps[value->op->id] == checker->n_stamps ? checker->slots[value->op->id]
                                                                                : self->n;
}

static gboolean
is_live (const Check       *self,
         const GhloIrValue *value)
{
  guint i = find (self, value);

  return i < self->n && self->is_live[i];
}

static void
enter (Check *self)
{
  GhloFuseChecker *checker = self->checker;

  checker->n_stamps++;
  for (guint i = 0; i < self->n; i++)
    {
      checker->slots[self->list[i]] = i;
      checker->stamps[self->list[i]] = checker->n_stamps;
    }
  for (guint i = 0; i < self->n; i++)
    {
      const GhloFuseNode *node = node_at (self, i);

      self->is_live[i] = !ghlo_fuse_role_is_view (node->role);
      for (guint k = 0; k < node->op->n_operands && !self->is_live[i]; k++)
        self->is_live[i] = is_live (self, ghlo_ir_op_operand (node->op, k));
    }
}

/* The users of operation @i come after it and were checked before. */
static gboolean
is_used_outside (const Check *self,
                 guint        i)
{
  const GhloFuseChecker *checker = self->checker;
  const GhloFuseGraph *graph = checker->graph;
  guint32 number = self->list[i];

  for (guint32 k = graph->first_user[number]; k < graph->first_user[number + 1]; k++)
    {
      guint32 user = graph->users[k];

      if (checker->stamps[user] != checker->n_stamps
          || (ghlo_fuse_role_is_view (graph->nodes[user].role) && self->is_live_out[checker->slots[user]]))
        return TRUE;
    }

  return FALSE;
}

static guint
count_values (Check *self)
{
  guint32 stamp = ++self->checker->n_value_stamps;
  guint n = 0;

  for (guint i = 0; i < self->n; i++)
    {
      const GhloFuseNode *node = node_at (self, i);

      for (guint k = 0; k < node->op->n_operands; k++)
        {
          GhloIrValue *value = ghlo_ir_op_operand (node->op, k);

          if (value->id == stamp || find (self, value) < self->n)
            continue;
          value->id = stamp;
          n++;
        }
      if (self->is_live_out[i] && !ghlo_fuse_role_is_view (node->role))
        n += node->op->n_results;
    }

  return n;
}

/* Places at which operands are read */

static void
read_at (Check             *self,
         const GhloIrValue *value,
         guint64            places)
{
  if (is_live (self, value))
    self->places[find (self, value)] |= places;
}

/* Reads @value at one new place for each of @places. */
static const char *
read_elsewhere (Check             *self,
                const GhloIrValue *value,
                guint64            places)
{
  guint n = (guint) __builtin_popcountll (places);

  if (!is_live (self, value))
    return NULL;
  if (self->n_places + n > MAX_PLACES)
    return "it would be computed too many times";
  read_at (self, value, ((G_GUINT64_CONSTANT (1) << n) - 1) << self->n_places);
  if ((places & self->started) != 0)
    self->started |= ((G_GUINT64_CONSTANT (1) << n) - 1) << self->n_places;
  self->n_places += n;

  return NULL;
}

static const char *
check_elementwise (Check          *self,
                   const GhloIrOp *op,
                   guint64         places)
{
  for (guint k = 0; k < op->n_operands; k++)
    {
      const GhloIrValue *value = ghlo_ir_op_operand (op, k);
      gboolean is_same = matches (value->type, op->results[0].type, 0);

      if (!is_live (self, value))
        continue;
      /* A scalar that is used for all elements. */
      if (!is_same && (places != 1 || form_of (self->domain, value->type) != ROW))
        return "one of its operands is a single value that is used for many elements";
      read_at (self, value, places);
    }

  return NULL;
}

static const char *
check_reduce (Check              *self,
              const GhloFuseNode *node)
{
  const GhloFuseDomain own = ghlo_fuse_domain_of (node);
  guint n = node->op->n_results;

  if (!ghlo_fuse_domain_same (&own, self->domain))
    return "it reduces other dimensions than the group";
  for (guint k = 0; k < n; k++)
    {
      if (is_live (self, ghlo_ir_op_operand (node->op, n + k)))
        return "the group computes the initial value of the reduction";
      read_at (self, ghlo_ir_op_operand (node->op, k), 1);
    }

  return NULL;
}

static const char *
check_broadcast (Check          *self,
                 const GhloIrOp *op,
                 guint64         places)
{
  const GhloIrValue *value = ghlo_ir_op_operand (op, 0);
  const GhloIrType *type = op->results[0].type;
  const gint64 *dimensions = ghlo_op_get_broadcast (op);
  guint32 all = (guint32) ((G_GUINT64_CONSTANT (1) << place_of (type, type->rank)) - 1), taken = 0;

  for (guint i = 0; dimensions != NULL && i < value->type->rank; i++)
    {
      guint32 bit;

      if (value->type->dimensions[i] == 1)
        continue;
      bit = (guint32) 1 << place_of (type, dimensions[i]);
      if (taken >= bit)
        return "its broadcast changes the order of dimensions";
      taken |= bit;
    }
  if (dimensions == NULL
      || (taken != all && (places != 1 || taken != (all & ~self->domain->inner)
                           || form_of (self->domain, value->type) != ROW || form_of (self->domain, type) != FULL)))
    return "it is broadcast along other dimensions than the group reduces";
  read_at (self, value, places);

  return NULL;
}

static const char *
check_move (Check          *self,
            const GhloIrOp *op,
            guint64         places)
{
  const GhloIrValue *value = ghlo_ir_op_operand (op, 0);
  const gint64 *permutation = ghlo_op_get_permutation (op);

  if (permutation == NULL || !ghlo_permutation_is_reshape (permutation, value->type))
    return read_elsewhere (self, value, places);
  read_at (self, value, places);

  return NULL;
}

static const char *
check_index (Check          *self,
             const GhloIrOp *op,
             guint64         places)
{
  const char *reason = NULL;

  if ((places & self->started) != 0)
    return "it is read at indices that are computed at run time";
  if (op->kind == GHLO_OP_STABLEHLO_PAD && is_live (self, ghlo_ir_op_operand (op, 1)))
    return "the group computes the padding value";
  if (op->kind == GHLO_OP_STABLEHLO_PAD && !ghlo_ir_op_ints_are (op, "interior_padding", 0)
      && is_live (self, ghlo_ir_op_operand (op, 0)))
    return "the group computes what is padded between elements";
  for (guint k = 0; k < op->n_operands && reason == NULL; k++)
    reason = read_elsewhere (self, ghlo_ir_op_operand (op, k), places);

  return reason;
}

/* The slices are read at places that the start indices determine; the start indices are read where the slices are. */
static const char *
check_start (Check          *self,
             const GhloIrOp *op,
             guint64         places)
{
  guint first = self->n_places;
  const char *reason = read_elsewhere (self, ghlo_ir_op_operand (op, 0), places);

  for (guint i = first; i < self->n_places; i++)
    self->started |= G_GUINT64_CONSTANT (1) << i;
  for (guint k = 1; k < op->n_operands && reason == NULL; k++)
    reason = read_elsewhere (self, ghlo_ir_op_operand (op, k), places);

  return reason;
}

static const char *
check_operands (Check              *self,
                const GhloFuseNode *node,
                guint64             places)
{
  switch (node->role)
    {
    case GHLO_FUSE_ROLE_ELEMENTWISE:
    case GHLO_FUSE_ROLE_FUNCTION:
      return check_elementwise (self, node->op, places);
    case GHLO_FUSE_ROLE_REDUCE:
      return check_reduce (self, node);
    case GHLO_FUSE_ROLE_INDEX:
      return check_index (self, node->op, places);
    case GHLO_FUSE_ROLE_START:
      return check_start (self, node->op, places);
    case GHLO_FUSE_ROLE_BROADCAST:
      return check_broadcast (self, node->op, places);
    case GHLO_FUSE_ROLE_MOVE:
      return check_move (self, node->op, places);
    case GHLO_FUSE_ROLE_RESHAPE:
    case GHLO_FUSE_ROLE_CONVERT:
    case GHLO_FUSE_ROLE_PRODUCT:
      read_at (self, ghlo_ir_op_operand (node->op, 0), places);
      return NULL;
    case GHLO_FUSE_ROLE_LEAF:
    case GHLO_FUSE_ROLE_NONE:
      break;
    }

  return NULL;
}

static const char *
check_op (Check *self,
          guint  i)
{
  const GhloFuseNode *node = node_at (self, i);
  gboolean is_view = ghlo_fuse_role_is_view (node->role), is_reduce = node->role == GHLO_FUSE_ROLE_REDUCE;
  Form form = form_of (self->domain, node->op->results[0].type);

  self->is_live_out[i] = is_used_outside (self, i);
  if (!self->is_live[i])
    return NULL;
  if (!is_view && (self->is_live_out[i] || self->places[i] == 0))
    self->places[i] |= 1;
  /* A product may be followed by a reshape of all of it. */
  if (node->role == GHLO_FUSE_ROLE_PRODUCT
      && ghlo_type_count (node->op->results[0].type) == ghlo_type_count (self->domain->type))
    form = FULL;
  if ((self->places[i] & 1) != 0 && (is_reduce ? form != ROW : form == NEITHER))
    return "its shape does not fit the group";
  if (self->places[i] > 1 && !ghlo_fuse_role_is_cheap (node->role))
    return "it is too expensive to recompute wherever it is read";
  if (self->places[i] > 1 && !is_view && self->is_live_out[i])
    return "it is used outside the group, and would be recomputed wherever it is read";

  return check_operands (self, node, self->places[i]);
}

const char *
ghlo_fuse_check (GhloFuseChecker      *checker,
                 const GhloFuseDomain *domain,
                 const guint32        *list,
                 guint                 n,
                 double               *recomputed)
{
  Check self = { .checker = checker, .domain = domain, .list = list, .n = n, .n_places = 1 };
  const char *reason = NULL;
  guint n_computed = 0;

  *recomputed = 0;
  enter (&self);
  for (guint i = n; i > 0 && reason == NULL; i--)
    {
      guint n_places;

      reason = check_op (&self, i - 1);
      n_places = (guint) __builtin_popcountll (self.places[i - 1]);
      n_computed += n_places;
      if (n_places > 1)
        *recomputed += (n_places - 1) * (double) ghlo_type_count (node_at (&self, i - 1)->op->results[0].type);
    }
  if (reason == NULL && n_computed > MAX_COMPUTED)
    reason = "it would be computed too many times";
  if (reason == NULL && count_values (&self) > MAX_VALUES)
    reason = "they have too many inputs and results";

  return reason;
}
