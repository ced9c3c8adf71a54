/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Properties of operations outside VHLO: their inherent attributes in the order of their names, each as the number of
 * an attribute, or as an optional one if it may be absent. Before version 6 of the container, the sizes of operand
 * and result groups are among them; since then they follow as arrays of their own (MLIR:
 * mlir-tblgen/OpDefinitionsGen.cpp). Operations without attributes have no properties at all.
 */

#include "import/bytecode/bytecode.h"

#include <string.h>

enum { MAX_PROPERTIES = 16, ARRAY_PROPERTIES = 6 };

/* Attributes that operations have not always had, the latest of one operation first. Properties of older programs
 * lack them, and so must properties for older readers. The version is the first one of StableHLO that has the
 * attribute in all its releases. */
static const struct
{
  GhloIrOpKind  kind;
  const char   *name;
  GhloIrVersion since;
} recent[] = {
  { GHLO_OP_FUNC_FUNC, "no_inline", { 0, 0, 0 } },
  { GHLO_OP_FUNC_CALL, "no_inline", { 0, 0, 0 } },
  { GHLO_OP_FUNC_CALL, "res_attrs", { 0, 0, 0 } },
  { GHLO_OP_FUNC_CALL, "arg_attrs", { 0, 0, 0 } },
  { GHLO_OP_STABLEHLO_COLLECTIVE_BROADCAST, "has_dynamic_root", { 1, 20, 0 } },
  { GHLO_OP_STABLEHLO_CUSTOM_CALL, "result_tilings", { 1, 18, 0 } },
  { GHLO_OP_STABLEHLO_SEND, "source_target_pairs", { 1, 12, 0 } },
  { GHLO_OP_STABLEHLO_RECV, "source_target_pairs", { 1, 12, 0 } },
  { GHLO_OP_STABLEHLO_DOT_GENERAL, "algorithm", { 1, 6, 0 } },
  { GHLO_OP_CHLO_TOP_K, "is_stable", { 1, 20, 0 } },
};

/* The attributes of a row that are properties, by index. */
typedef struct
{
  guint8   index[MAX_PROPERTIES];
  guint    n;
  gboolean arrays;     /* group sizes follow as arrays */
} Order;

static gboolean
is_sizes (const GhloIrOpSpec *spec,
          const char         *name)
{
  return (spec->traits & GHLO_IR_TRAIT_SEGMENTS) != 0 && g_str_has_suffix (name, "SegmentSizes");
}

static void
order_init (Order              *order,
            const GhloIrOpSpec *spec,
            guint               version)
{
  g_assert (spec->n_attributes <= MAX_PROPERTIES);
  *order = (Order) { .arrays = (spec->traits & GHLO_IR_TRAIT_SEGMENTS) != 0 && version >= ARRAY_PROPERTIES };
  for (guint i = 0; i < spec->n_attributes; i++)
    {
      const char *name = spec->attributes[i].name;
      guint at = order->n;

      if (order->arrays && is_sizes (spec, name))
        continue;
      for (; at > 0 && strcmp (spec->attributes[order->index[at - 1]].name, name) > 0; at--)
        order->index[at] = order->index[at - 1];
      order->index[at] = i;
      order->n++;
    }
}

static guint
count_varints (const GhloByteCursor *cursor)
{
  const guint8 *at = cursor->at;
  guint n = 0;

  while (at < cursor->end)
    {
      at += *at == 0 ? 9 : __builtin_ctz (*at) + 1;
      n++;
    }

  return n;
}

/* Removes an attribute and returns its index in the row. */
static guint
drop (Order              *order,
      const GhloIrOpSpec *spec,
      const char         *name)
{
  guint i = 0, index;

  while (strcmp (spec->attributes[order->index[i]].name, name) != 0)
    i++;
  index = order->index[i];
  order->n--;
  memmove (order->index + i, order->index + i + 1, order->n - i);

  return index;
}

/* Removes the most recent attributes until @n are left. */
static void
drop_recent (Order              *order,
             const GhloIrOpSpec *spec,
             GhloIrOpKind        kind,
             guint               n)
{
  for (guint i = 0; i < G_N_ELEMENTS (recent) && order->n > n; i++)
    if (recent[i].kind == kind)
      drop (order, spec, recent[i].name);
}

static void
add (GArray           *attributes,
     const char       *name,
     const GhloIrAttr *value)
{
  g_array_append_val (attributes, ((GhloIrNamedAttr) { name, value }));
}

/* Reads an array as it is, or only its few nonzero numbers, each with its index in the low bits. */
static gboolean
read_sizes (GhloByteCursor *cursor,
            const char     *name,
            guint           n_groups,
            GArray         *attributes)
{
  GhloByteCursor start = *cursor;
  gint64 sizes[8] = { 0 };
  guint64 head, bits = 0, value;
  guint64 n;
  gboolean sparse;

  g_assert (n_groups <= G_N_ELEMENTS (sizes));
  if (!ghlo_bytecode_read_varint (cursor, &head))
    return FALSE;
  n = head >> 1;
  sparse = (head & 1) != 0;
  if (n > n_groups)
    return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected at most %u numbers as '%s', found %"
                               G_GUINT64_FORMAT, n_groups, name, n);
  if (sparse && n > 0 && !ghlo_bytecode_read_varint (cursor, &bits))
    return FALSE;
  if (bits > 8)
    return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected indices of at most 8 bits, found %" G_GUINT64_FORMAT,
                               bits);
  for (guint i = 0; i < n; i++)
    {
      guint64 index = i;

      if (!ghlo_bytecode_read_varint (cursor, &value))
        return FALSE;
      if (sparse)
        {
          index = value & ((1u << bits) - 1);
          value >>= bits;
        }
      if (index >= n_groups || value > GHLO_MAX_OPERANDS)
        return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected the sizes of %u groups as '%s', found %"
                                   G_GUINT64_FORMAT " for group %" G_GUINT64_FORMAT, n_groups, name, value, index);
      sizes[index] = (gint64) value;
    }
  add (attributes, name, ghlo_ir_attr_integers (ghlo_bytecode_module (cursor), GHLO_ELEMENT_TYPE_I32, sizes, n_groups));

  return TRUE;
}

gboolean
ghlo_bytecode_read_properties (GhloByteCursor *cursor,
                               GhloIrOpKind    kind,
                               GArray         *attributes)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_spec (kind);
  Order order;

  order_init (&order, spec, ghlo_bytecode_version (cursor));
  if (!order.arrays)
    {
      guint found = count_varints (cursor), n_all = order.n;

      drop_recent (&order, spec, kind, found);
      if (found != order.n)
        return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "expected %u properties of '%s', found %u", n_all,
                                   spec->name, found);
    }
  for (guint i = 0; i < order.n; i++)
    {
      const GhloIrAttrSpec *attribute = &spec->attributes[order.index[i]];
      gboolean is_required = attribute->presence == GHLO_IR_REQUIRED || is_sizes (spec, attribute->name);
      const GhloIrAttr *value;

      if (is_required ? !ghlo_bytecode_read_attr (cursor, &value) : !ghlo_bytecode_read_optional_attr (cursor, &value))
        return FALSE;
      if (value != NULL)
        add (attributes, attribute->name, value);
    }

  return !order.arrays
         || (read_sizes (cursor, "operandSegmentSizes", spec->n_operands, attributes)
             && read_sizes (cursor, "resultSegmentSizes", spec->n_results, attributes));
}

static void
write_sizes (GhloBytecodeWriter *writer,
             const GhloIrAttr   *sizes)
{
  guint n_set = 0, last = 0, bits;

  for (guint i = 0; i < sizes->length; i++)
    if (sizes->integers[i] != 0)
      {
        n_set++;
        last = i;
      }
  if (n_set > sizes->length / 2)
    {
      ghlo_bytecode_write_varint (writer, sizes->length << 1);
      for (guint i = 0; i < sizes->length; i++)
        ghlo_bytecode_write_varint (writer, sizes->integers[i]);
      return;
    }
  ghlo_bytecode_write_varint (writer, n_set << 1 | 1);
  if (n_set == 0)
    return;
  bits = g_bit_storage (last);
  ghlo_bytecode_write_varint (writer, last == 0 ? 0 : bits);
  for (guint i = 0; i <= last; i++)
    if (sizes->integers[i] != 0)
      ghlo_bytecode_write_varint (writer, (guint64) sizes->integers[i] << (last == 0 ? 0 : bits) | i);
}

static gboolean
write_arrays (GhloBytecodeWriter *writer,
              const GhloIrOp     *op)
{
  static const char *const names[] = { "operandSegmentSizes", "resultSegmentSizes" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const GhloIrAttr *sizes = ghlo_ir_op_get (op, names[i]);

      if (sizes == NULL || sizes->kind != GHLO_IR_ATTR_DENSE_ARRAY)
        return ghlo_bytecode_refuse (writer, GHLO_ERROR_INVALID_ARGUMENT, "expected '%s' of '%s', found none", names[i],
                                     ghlo_ir_op_get_name (op));
      write_sizes (writer, sizes);
    }

  return TRUE;
}

/* Whether omitting the attribute means the same as its value. */
static gboolean
is_default (const GhloIrAttrSpec *spec,
            const GhloIrAttr     *value)
{
  return value == NULL
         || (value->kind == GHLO_IR_ATTR_BOOL && spec->fallback != NULL
             && g_str_equal (spec->fallback, value->integer != 0 ? "true" : "false"));
}

/* Removes the attributes that the target does not know. */
static gboolean
drop_unknown (GhloBytecodeWriter *writer,
              const GhloIrOp     *op,
              Order              *order)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_get_spec (op);
  GhloIrVersion target = ghlo_bytecode_writer_target (writer);

  for (guint i = 0; i < G_N_ELEMENTS (recent); i++)
    if (recent[i].kind == op->kind && ghlo_ir_version_compare (target, recent[i].since) < 0)
      {
        guint index = drop (order, spec, recent[i].name);

        if (!is_default (&spec->attributes[index], op->attributes[index]))
          return ghlo_bytecode_refuse (writer, GHLO_ERROR_UNSUPPORTED,
                                       "%s needs StableHLO %u.%u.%u, the target is %u.%u.%u: it has the attribute %s",
                                       spec->name, recent[i].since.major, recent[i].since.minor, recent[i].since.patch,
                                       target.major, target.minor, target.patch, recent[i].name);
      }

  return TRUE;
}

gboolean
ghlo_bytecode_write_properties (GhloBytecodeWriter *writer,
                                const GhloIrOp     *op)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_get_spec (op);
  Order order;

  order_init (&order, spec, ghlo_bytecode_writer_version (writer));
  if (!drop_unknown (writer, op, &order))
    return FALSE;
  for (guint i = 0; i < order.n; i++)
    {
      const GhloIrAttrSpec *attribute = &spec->attributes[order.index[i]];
      const GhloIrAttr *value = op->attributes[order.index[i]];

      if (attribute->presence != GHLO_IR_REQUIRED && !is_sizes (spec, attribute->name))
        ghlo_bytecode_write_optional_attr (writer, GHLO_BYTECODE_BUILTIN, value);
      else if (value != NULL)
        ghlo_bytecode_write_attr (writer, GHLO_BYTECODE_BUILTIN, value);
      else
        return ghlo_bytecode_refuse (writer, GHLO_ERROR_INVALID_ARGUMENT,
                                     "expected the attribute '%s' of '%s', found none", attribute->name, spec->name);
    }

  return !order.arrays || write_arrays (writer, op);
}

/* The attributes of an unregistered operation are in its dictionary. */
gboolean
ghlo_bytecode_has_properties (GhloIrOpKind kind)
{
  return kind != GHLO_OP_UNREGISTERED && ghlo_ir_op_spec (kind)->n_attributes > 0;
}
