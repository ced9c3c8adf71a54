/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The order of a value's uses. A reader of bytecode adds each use of a value at the front of its list. If MLIR's own
 * list has another order, bytecode states that order. Only the bytes depend on it, and they must equal upstream's, so
 * this file mirrors what upstream's conversions do to the list:
 *
 *   - An operation that becomes VHLO is created after those before it, which is the
 *     order of a reader; the cast of a VHLO value is used after all of them.
 *   - The result of a cast to VHLO replaces another value at the end, which
 *     reverses the list.
 *   - An operation that is created again, in an older version, uses its operands once
 *     more, after all others, and then replaces the newer one, which reverses
 *     the lists of its results.
 */

#include "import/bytecode/writer.h"

typedef struct
{
  guint64  id;         /* order of the user, then operand number */
  gboolean again;      /* the user was created again, in an older version */
  gboolean cast;
} Use;

struct _GhloBytecodeOrder
{
  GHLO_IMPORT_VECTOR (Use)   uses;      /* as a reader builds them, latest first */
  GHLO_IMPORT_VECTOR (guint) list;      /* the same in MLIR's order, as indices into @uses */
  GHLO_IMPORT_VECTOR (guint) indices;   /* position of each of @uses in @list */
};

typedef GhloBytecodeOrder Order;

void
ghlo_bytecode_order_free (GhloBytecodeOrder *self)
{
  GHLO_IMPORT_CLEAR (&self->uses);
  GHLO_IMPORT_CLEAR (&self->list);
  GHLO_IMPORT_CLEAR (&self->indices);
  g_free (self);
}

/* The writer's single order object, which keeps its memory. */
static Order *
order_of (GhloBytecodeWriter *writer)
{
  if (writer->use_order == NULL)
    writer->use_order = g_new0 (Order, 1);

  return writer->use_order;
}

static int
latest_first (gconstpointer a,
              gconstpointer b,
              gpointer      data)
{
  const Use *first = a, *second = b;

  return (first->id < second->id) - (first->id > second->id);
}

/* Collects the uses of @value by operations of VHLO, or by others. */
static void
collect (GhloBytecodeWriter *writer,
         Order              *self,
         const GhloIrValue  *value,
         gboolean            vhlo)
{
  for (const GhloIrUse *use = value->uses; use != NULL; use = use->next)
    {
      const GhloBytecodePlan *plan = ghlo_bytecode_plan_of (writer, use->op);

      if ((plan->vhlo != NULL) == vhlo)
        GHLO_IMPORT_PUSH (&self->uses, (Use) {
          .id = (guint64) plan->order << 32 | (guint64) (use - use->op->operands),
          .again = plan->older,
        });
    }
}

static void
sort_uses (Order *self)
{
  if (self->uses.n > 1)
    g_qsort_with_data (self->uses.items, (int) self->uses.n, sizeof (Use), latest_first, NULL);
}

/* Appends the uses that have these values of @again and @cast to the list, in order or reversed. */
static void
list_uses (Order   *self,
           gboolean again,
           gboolean cast,
           gboolean backwards)
{
  for (gsize i = 0; i < self->uses.n; i++)
    {
      gsize index = backwards ? self->uses.n - 1 - i : i;

      if (self->uses.items[index].again == again && self->uses.items[index].cast == cast)
        GHLO_IMPORT_PUSH (&self->list, (guint) index);
    }
}

static void
reverse_list (Order *self)
{
  for (gsize i = 0; i < self->list.n / 2; i++)
    {
      guint saved = self->list.items[i];

      self->list.items[i] = self->list.items[self->list.n - 1 - i];
      self->list.items[self->list.n - 1 - i] = saved;
    }
}

/* Fills in @indices. Returns FALSE if the list has a reader's order. */
static gboolean
find_indices (Order *self)
{
  gboolean differs = FALSE;

  for (gsize i = 0; i < self->list.n; i++)
    GHLO_IMPORT_PUSH (&self->indices, 0);
  for (gsize i = 0; i < self->list.n; i++)
    {
      self->indices.items[self->list.items[i]] = (guint) i;
      differs |= self->list.items[i] != i;
    }

  return differs;
}

/* Whether the order of @value's uses must be stated. It never is for values that are not VHLO's. */
static gboolean
order_value (GhloBytecodeWriter *writer,
             Order              *self,
             const GhloIrValue  *value)
{
  const GhloBytecodeCast *cast;

  self->uses.n = self->list.n = self->indices.n = 0;
  if (value->uses == NULL || value->uses->next == NULL || !ghlo_bytecode_value_is_vhlo (writer, value))
    return FALSE;

  collect (writer, self, value, TRUE);
  cast = ghlo_bytecode_cast_for (writer, value, FALSE);
  if (cast != NULL)
    GHLO_IMPORT_PUSH (&self->uses, (Use) { .id = (guint64) cast->order << 32, .cast = TRUE });
  sort_uses (self);

  list_uses (self, TRUE, FALSE, FALSE);
  list_uses (self, FALSE, TRUE, FALSE);
  list_uses (self, FALSE, FALSE, FALSE);
  if (value->op != NULL && ghlo_bytecode_plan_of (writer, value->op)->older)
    reverse_list (self);

  return find_indices (self);
}

static gboolean
order_cast (GhloBytecodeWriter     *writer,
            Order                  *self,
            const GhloBytecodeCast *cast)
{
  self->uses.n = self->list.n = self->indices.n = 0;
  if (!cast->to_vhlo)
    return FALSE;

  collect (writer, self, cast->value, TRUE);
  sort_uses (self);
  list_uses (self, TRUE, FALSE, FALSE);
  list_uses (self, FALSE, FALSE, TRUE);

  return find_indices (self);
}

/* Writes the indices of all uses, or only pairs of indices for those that moved if that is shorter. */
static void
emit_order (const Order         *self,
            GhloBytecodeEmitter *out)
{
  gsize n = self->indices.n, moved = 0;

  for (gsize i = 0; i < n; i++)
    moved += self->indices.items[i] != i;

  if (moved >= n / 2)
    {
      ghlo_bytecode_emit_flagged (out, n, FALSE);
      for (gsize i = 0; i < n; i++)
        ghlo_bytecode_emit_varint (out, self->indices.items[i]);
      return;
    }

  ghlo_bytecode_emit_flagged (out, moved * 2, TRUE);
  for (gsize i = 0; i < n; i++)
    if (self->indices.items[i] != i)
      {
        ghlo_bytecode_emit_varint (out, self->indices.items[i]);
        ghlo_bytecode_emit_varint (out, i);
      }
}

/* The results of one operation, or the arguments of one block. */
typedef struct
{
  const GhloIrOp    *op;
  const GhloIrBlock *block;
} Values;

static const GhloIrValue *
value_at (const Values *values,
          guint         index)
{
  return values->op != NULL ? &values->op->results[index] : values->block->arguments[index];
}

static gboolean
write_orders (GhloBytecodeWriter  *self,
              GhloBytecodeEmitter *out,
              const Values        *values,
              guint                n)
{
  Order *order;
  guint n_ordered = 0;

  if (!self->reordered || self->version < GHLO_BYTECODE_HAS_USE_ORDERS)
    return FALSE;

  order = order_of (self);
  for (guint i = 0; i < n; i++)
    n_ordered += (guint) order_value (self, order, value_at (values, i));
  if (n_ordered > 0 && n != 1)
    ghlo_bytecode_emit_varint (out, n_ordered);

  for (guint i = 0; i < n && n_ordered > 0; i++)
    if (order_value (self, order, value_at (values, i)))
      {
        if (n != 1)
          ghlo_bytecode_emit_varint (out, i);
        emit_order (order, out);
      }

  return n_ordered > 0;
}

gboolean
ghlo_bytecode_write_result_uses (GhloBytecodeWriter  *self,
                                 GhloBytecodeEmitter *out,
                                 const GhloIrOp      *op)
{
  return write_orders (self, out, &(Values) { .op = op }, op->n_results);
}

gboolean
ghlo_bytecode_write_argument_uses (GhloBytecodeWriter  *self,
                                   GhloBytecodeEmitter *out,
                                   const GhloIrBlock   *block)
{
  return write_orders (self, out, &(Values) { .block = block }, block->n_arguments);
}

gboolean
ghlo_bytecode_write_cast_uses (GhloBytecodeWriter     *self,
                               GhloBytecodeEmitter    *out,
                               const GhloBytecodeCast *cast)
{
  Order *order = order_of (self);

  if (!order_cast (self, order, cast))
    return FALSE;
  emit_order (order, out);

  return TRUE;
}
