/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Walks from the wanted values back to what they are computed from. Each value is visited once for each index.
 */

#include "kernel/lower/lowering.h"

#include "base/hash.h"

#include <string.h>

/* A value at an index as a list of words, with only the fields of the index that are in use. Entries of the memo are in
 * the arena and have an expression. */
typedef struct
{
  const guint64 *words;
  guint32        n_words, expr;
} MemoKey;

enum { MAX_WORDS = 2 + GHLO_LOWER_MAX_RANK + 3 * GHLO_LOWER_MAX_GUARDS };

static MemoKey
list_words (const GhloIrValue *value,
            const GhloIndex   *index,
            guint64           *words)
{
  guint n = 0;

  words[n++] = GPOINTER_TO_SIZE (value);
  words[n++] = index->part;
  for (guint i = 0; i < index->rank; i++)
    words[n++] = GPOINTER_TO_SIZE (index->dimensions[i]);
  for (guint i = 0; i < index->n_guards; i++)
    {
      words[n++] = GPOINTER_TO_SIZE (index->guards[i].position);
      words[n++] = (guint64) index->guards[i].end;
      words[n++] = (guint64) index->guards[i].step;
    }

  return (MemoKey) { words, n };
}

/* Programs do not choose addresses, so a multiplicative hash is enough (Knuth, "The Art of Computer Programming",
 * 6.4). */
static guint32
hash_words (const MemoKey *self)
{
  guint64 hash = 0;

  for (guint i = 0; i < self->n_words; i++)
    hash = (ghlo_hash_rotate (hash, 5) ^ self->words[i]) * 0x9e3779b97f4a7c15;

  return (guint32) (hash >> 32);
}

/* A value has a fixed rank, so lists of equal length for it have the same number of guards. */
static gboolean
same_words (gconstpointer entry,
            gconstpointer key)
{
  const MemoKey *a = entry, *b = key;

  return a->n_words == b->n_words && memcmp (a->words, b->words, a->n_words * sizeof a->words[0]) == 0;
}

static void
remember (GhloLowering *self,
          guint32       hash,
          MemoKey       memo_key,
          guint32       expr)
{
  memo_key.words = ghlo_ir_arena_copy (&self->arena, memo_key.words, memo_key.n_words * sizeof memo_key.words[0]);
  memo_key.expr = expr;
  ghlo_ir_intern_add (&self->memo, hash, ghlo_ir_arena_copy (&self->arena, &memo_key, sizeof memo_key));
}

gint
ghlo_lower_find_operand (const GhloLowering *self,
                         const GhloIrValue  *value)
{
  const GhloKernelGroup *group = self->group;

  for (guint i = 0; group->inputs != NULL && i < group->n_operands; i++)
    if (group->inputs[i] == value)
      return (gint) i;
  if (group->inputs != NULL)
    return -1;
  if (group->input_op != NULL && value->op == group->input_op)
    return 0;
  if (group->body != NULL)
    return value->op == NULL && value->block == group->body ? (gint) value->index + (group->input_op != NULL) : -1;
  for (guint i = 0; i < group->op->n_operands; i++)
    if (ghlo_ir_op_operand (group->op, i) == value)
      return i;

  return -1;
}

guint32
ghlo_lower_load_value (GhloLowering      *self,
                       const GhloIrValue *value,
                       guint              buffer,
                       const GhloIndex   *index,
                       guint32            fill)
{
  GhloElementType type = value->type->element_type, stored = ghlo_lower_stored (type);

  if (stored == GHLO_ELEMENT_TYPE_INVALID || value->type->quantization != NULL)
    return ghlo_lower_refuse (self, "kernels do not support an operand's element type");
  if (fill != GHLO_LOWER_NONE)
    fill = ghlo_lower_encode (self, type, fill);

  return ghlo_lower_decode (self, type, ghlo_lower_load (self, buffer, stored, index, fill));
}

static guint32
make_constant (GhloLowering   *self,
               const GhloIrOp *op,
               guint           part)
{
  const GhloIrAttr *attr = ghlo_ir_op_get (op, "value");
  GhloElementType type = op->results[0].type->element_type, stored = ghlo_lower_stored (type);
  guint64 bits = 0;

  if (stored == GHLO_ELEMENT_TYPE_INVALID || op->results[0].type->quantization != NULL)
    return ghlo_lower_refuse (self, "kernels do not support a constant's element type");
  if (attr->kind != GHLO_IR_ATTR_DENSE || (!attr->dense.splat && attr->dense.n_elements != 1))
    return ghlo_lower_refuse (self, "it contains a constant whose elements differ");
  memcpy (&bits, (const guint8 *) g_bytes_get_data (attr->dense.bytes, NULL) + part * ghlo_element_info (stored)->size,
          ghlo_element_info (stored)->size);

  return ghlo_lower_decode (self, type, ghlo_lower_constant (self, stored, GUINT64_FROM_LE (bits)));
}

static guint32
make_iota (GhloLowering    *self,
           const GhloIrOp  *op,
           const GhloIndex *index)
{
  GhloElementType type = op->results[0].type->element_type, number = ghlo_lower_type (type);
  gint64 dimension = ghlo_ir_op_get_int (op, "iota_dimension", 0);
  gboolean is_integer = (ghlo_node_types (number) & (GHLO_NODE_TYPES_S | GHLO_NODE_TYPES_U)) != 0;
  guint32 value;

  if (number == GHLO_ELEMENT_TYPE_INVALID || number == GHLO_ELEMENT_TYPE_I1)
    return ghlo_lower_refuse (self, "kernels do not support an iota of its element type");
  if (index->part == 1)
    return ghlo_lower_float (self, number, 0);
  value = ghlo_lower_coordinate (self, is_integer ? number : GHLO_ELEMENT_TYPE_I64, index->dimensions[dimension]);
  if (is_integer)
    return ghlo_lower_round (self, type, value);
  if (ghlo_lower_stored (type) == number)
    return ghlo_lower_node (self, GHLO_NODE_CONVERT, number, value, GHLO_LOWER_NONE, GHLO_LOWER_NONE);
  if (op->results[0].type->dimensions[dimension] > G_MAXINT32)
    return ghlo_lower_refuse (self, "its iota is too long for values that are rounded once");

  return ghlo_lower_round (self, type, ghlo_lower_node (self, GHLO_NODE_CONVERT, GHLO_ELEMENT_TYPE_F64, value,
                                                        GHLO_LOWER_NONE, GHLO_LOWER_NONE));
}

/* Returns one part of @value at @index; of its only element where it has rank 0. */
static guint32
value_of_part (GhloLowering      *self,
               const GhloIrValue *value,
               const GhloIndex   *index,
               guint              part)
{
  GhloIndex own;

  if (index->part == part && index->rank == value->type->rank)
    return ghlo_lower_value (self, value, index);
  own = value->type->rank == 0 ? ghlo_lower_origin (self, 0, index) : *index;
  own.part = part;

  return ghlo_lower_value (self, value, &own);
}

static gboolean
same_shape (const GhloIrType *a,
            const GhloIrType *b)
{
  return a->rank == b->rank && memcmp (a->dimensions, b->dimensions, a->rank * sizeof *a->dimensions) == 0;
}

/* Returns one part of operand @operand of an elementwise operation. */
static guint32
get_operand (GhloLowering    *self,
             const GhloIrOp  *op,
             guint            operand,
             guint            part,
             const GhloIndex *index)
{
  const GhloIrValue *value = ghlo_ir_op_operand (op, operand);

  /* Operations of CHLO broadcast their operands, which is not supported. */
  if (value->type->rank > 0 && !same_shape (value->type, op->results[0].type))
    return ghlo_lower_refuse (self, "its operands have different shapes");

  return value_of_part (self, value, index, part);
}

enum { MAX_OPERANDS = 3 };

/* Returns one part of the result. */
static guint32
make_complex (GhloLowering    *self,
              const GhloIrOp  *op,
              const GhloIndex *index)
{
  GhloComplexExpr operands[MAX_OPERANDS], result;

  for (guint i = 0; i < op->n_operands; i++)
    {
      operands[i].re = get_operand (self, op, i, 0, index);
      operands[i].im = get_operand (self, op, i, 1, index);
      if (operands[i].re == GHLO_LOWER_NONE || operands[i].im == GHLO_LOWER_NONE)
        return GHLO_LOWER_NONE;
    }
  result = ghlo_lower_complex (self, op, operands);

  return index->part == 0 ? result.re : result.im;
}

static guint32
make_scalar (GhloLowering    *self,
             const GhloIrOp  *op,
             const GhloIndex *index)
{
  guint32 operands[MAX_OPERANDS];

  if (op->n_operands > MAX_OPERANDS || op->n_operands == 0)
    return ghlo_lower_refuse (self, "kernels do not support this operation");
  if (ghlo_lower_has_complex (op))
    return make_complex (self, op, index);
  for (guint i = 0; i < op->n_operands; i++)
    {
      operands[i] = get_operand (self, op, i, 0, index);
      if (operands[i] == GHLO_LOWER_NONE)
        return GHLO_LOWER_NONE;
    }

  return ghlo_lower_scalar (self, op, operands);
}

static gboolean
add_guard (GhloIndex      *index,
           GhloIndexGuard  guard)
{
  if (index->n_guards == GHLO_LOWER_MAX_GUARDS || ghlo_lower_has_dynamic_offsets (guard.position))
    return FALSE;
  index->guards[index->n_guards++] = guard;

  return TRUE;
}

gboolean
ghlo_lower_add_guard (GhloIndex        *index,
                      const GhloAffine *position,
                      gint64            end)
{
  return add_guard (index, (GhloIndexGuard) { .position = position, .end = end, .step = 1 });
}

guint32
ghlo_lower_guarded (GhloLowering      *self,
                    const GhloIrValue *value,
                    const GhloIndex   *inner,
                    const GhloIndex   *index,
                    guint32            fill)
{
  gint operand = ghlo_lower_find_operand (self, value);
  guint32 node, inside;

  if (fill == GHLO_LOWER_NONE)
    return GHLO_LOWER_NONE;
  if (inner->n_guards == index->n_guards)
    return ghlo_lower_value (self, value, inner);
  if (operand >= 0)
    return ghlo_lower_load_value (self, value, (guint) operand, inner, fill);
  node = ghlo_lower_value (self, value, inner);
  inside = ghlo_lower_inside (self, inner);
  if (node == GHLO_LOWER_NONE || inside == GHLO_LOWER_NONE)
    return GHLO_LOWER_NONE;

  return ghlo_lower_node (self, GHLO_NODE_SELECT, ghlo_expr (self, node)->type, inside, node, fill);
}

const char *
ghlo_lower_set_position (GhloLowering          *self,
                         const GhloIrValue     *value,
                         const GhloIrWindowDim *window,
                         const GhloAffine      *position,
                         guint                  dimension,
                         GhloIndex             *index)
{
  const gboolean is_spread = window->base_dilation > 1;
  gboolean fits = TRUE;

  if (is_spread && ghlo_lower_find_operand (self, value) < 0)
    return "it pads between elements that the group computes";
  index->dimensions[dimension] = is_spread ? self->zero : position;
  if (is_spread)
    fits = add_guard (index, (GhloIndexGuard) { position, window->input, window->base_dilation, dimension });
  else if (window->padding_low > 0 || window->padding_high > 0)
    fits = ghlo_lower_add_guard (index, position, window->input);

  return fits ? NULL : "it pads too many dimensions, or at an offset known only at run time";
}

static guint32
make_pad (GhloLowering    *self,
          const GhloIrOp  *op,
          const GhloIndex *index)
{
  const GhloIrValue *operand = ghlo_ir_op_operand (op, 0);
  GhloIndex inner = *index;
  g_autofree GhloIrWindow *window = g_new (GhloIrWindow, 1);   /* large, and this function recurses */
  const char *reason = ghlo_ir_window_read (window, op);
  guint32 value;

  for (guint i = 0; i < window->rank && reason == NULL; i++)
    reason = ghlo_lower_set_position (self, operand, &window->dims[i],
                                      ghlo_lower_shift (self, index->dimensions[i], -window->dims[i].padding_low), i,
                                      &inner);
  if (reason != NULL)
    return ghlo_lower_refuse (self, reason);
  value = value_of_part (self, ghlo_ir_op_operand (op, 1), index, index->part);

  return ghlo_lower_guarded (self, operand, &inner, index, value);
}

/* Works from the last part back: each value is the fill of the part before it, where that has no element. */
static guint32
make_concatenate (GhloLowering    *self,
                  const GhloIrOp  *op,
                  const GhloIndex *index)
{
  gint64 dimension = ghlo_ir_op_get_int (op, "dimension", 0);
  gint64 offset = op->results[0].type->dimensions[dimension];
  guint32 value = GHLO_LOWER_NONE;

  for (guint i = op->n_operands; i > 0; i--)
    {
      const GhloIrValue *operand = ghlo_ir_op_operand (op, i - 1);
      gint64 size = operand->type->dimensions[dimension];
      GhloIndex inner = *index;

      offset -= size;
      if (size == 0)
        continue;
      inner.dimensions[dimension] = ghlo_lower_shift (self, index->dimensions[dimension], -offset);
      if (!ghlo_lower_add_guard (&inner, inner.dimensions[dimension], size))
        return ghlo_lower_refuse (self, "it needs too many bounds checks, or one at an offset known only at run time");
      if (value == GHLO_LOWER_NONE)
        {
          /* Never used: where no earlier part has the element, the last one has it. */
          GhloElementType type = ghlo_lower_type (operand->type->element_type);

          if (type == GHLO_ELEMENT_TYPE_INVALID)
            return ghlo_lower_refuse (self, "kernels do not support an operand's element type");
          value = ghlo_lower_constant (self, type, 0);
        }
      value = ghlo_lower_guarded (self, operand, &inner, index, value);
      if (value == GHLO_LOWER_NONE)
        return GHLO_LOWER_NONE;
    }

  return value;
}

static guint32
make_moved (GhloLowering    *self,
            const GhloIrOp  *op,
            const GhloIndex *index)
{
  GhloIndex moved;

  if (!ghlo_lower_move (self, op, 0, index, &moved))
    return ghlo_lower_refuse (self, "its reshape splits or merges dimensions, or its operand has too many");

  return ghlo_lower_value (self, ghlo_ir_op_operand (op, 0), &moved);
}

/* What is known is not read, so that folds may begin with it. A plan takes care that steps with other constants have
 * other kernels (ghlo_step_is_known_scalar ()). */
static gboolean
is_scalar_constant (const GhloIrValue *value)
{
  return value->op != NULL && value->op->kind == GHLO_OP_STABLEHLO_CONSTANT && value->type->rank == 0;
}

static guint32
make_value (GhloLowering      *self,
            const GhloIrValue *value,
            const GhloIndex   *index)
{
  const GhloIrOp *op = value->op;
  gint operand = is_scalar_constant (value) ? -1 : ghlo_lower_find_operand (self, value);

  if (operand >= 0)
    return ghlo_lower_load_value (self, value, (guint) operand, index, GHLO_LOWER_NONE);
  if (self->loop != NULL && (op == NULL || op == self->loop->op))
    return ghlo_lower_carried (self, value, index);
  if (op == NULL)
    return ghlo_lower_refuse (self, "it uses a value from outside of the group");
  switch (op->kind)
    {
    case GHLO_OP_STABLEHLO_CONSTANT:
      return make_constant (self, op, index->part);
    case GHLO_OP_STABLEHLO_IOTA:
      return make_iota (self, op, index);
    case GHLO_OP_STABLEHLO_BITCAST_CONVERT:
      return ghlo_lower_bitcast (self, op, index);
    case GHLO_OP_STABLEHLO_PAD:
      return make_pad (self, op, index);
    case GHLO_OP_STABLEHLO_CONCATENATE:
      return make_concatenate (self, op, index);
    case GHLO_OP_STABLEHLO_DYNAMIC_SLICE:
    case GHLO_OP_STABLEHLO_GATHER:
      return ghlo_lower_gather (self, op, index);
    case GHLO_OP_STABLEHLO_CONVOLUTION:
      return ghlo_lower_convolve (self, op, index);
    case GHLO_OP_STABLEHLO_REDUCE:
    case GHLO_OP_STABLEHLO_REDUCE_WINDOW:
      return ghlo_lower_reduce (self, op, value->index, index);
    default:
      break;
    }

  return ghlo_lower_is_move (op->kind) ? make_moved (self, op, index) : make_scalar (self, op, index);
}

guint32
ghlo_lower_value (GhloLowering      *self,
                  const GhloIrValue *value,
                  const GhloIndex   *index)
{
  guint64 words[MAX_WORDS];
  const MemoKey *found;
  MemoKey memo_key;
  guint32 hash, expr;

  if (self->reason != NULL)
    return GHLO_LOWER_NONE;
  if (value->type->rank > GHLO_LOWER_MAX_RANK || self->depth == GHLO_LOWER_MAX_DEPTH)
    return ghlo_lower_refuse (self, "its operations are nested too deeply, or a value has too many dimensions");
  if (index->part != 0 && !ghlo_element_type_is_complex (value->type->element_type))
    return value_of_part (self, value, index, 0);
  memo_key = list_words (value, index, words);
  hash = hash_words (&memo_key);
  found = ghlo_ir_intern_find (&self->memo, hash, same_words, &memo_key);
  if (found != NULL)
    return found->expr;
  self->depth++;
  expr = make_value (self, value, index);
  self->depth--;
  if (expr != GHLO_LOWER_NONE)
    remember (self, hash, memo_key, expr);

  return expr;
}
