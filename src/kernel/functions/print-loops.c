/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Run when the library is built: prints the expansions of functions as C code, one loop for each function, and a
 * table of the loops. Loops and machine code are thus made from the same nodes.
 *
 *   print-loops TYPE     prints the functions whose operands have type TYPE
 */

#include "kernel/expand.h"

#include <math.h>
#include <stdlib.h>

static const char *
c_type (GhloElementType type)
{
  switch (type)
    {
    case GHLO_ELEMENT_TYPE_I1:
      return "bool";
    case GHLO_ELEMENT_TYPE_I32:
      return "S32";
    case GHLO_ELEMENT_TYPE_I64:
      return "S64";
    case GHLO_ELEMENT_TYPE_UI8:
      return "U8";
    case GHLO_ELEMENT_TYPE_UI16:
      return "U16";
    case GHLO_ELEMENT_TYPE_UI32:
      return "U32";
    case GHLO_ELEMENT_TYPE_UI64:
      return "U64";
    case GHLO_ELEMENT_TYPE_F32:
      return "F32";
    case GHLO_ELEMENT_TYPE_F64:
      return "F64";
    default:
      g_error ("loops have no numbers of type %s", ghlo_element_info (type)->name);
    }
}

static gboolean
is_float (GhloElementType type)
{
  return ghlo_node_types (type) == GHLO_NODE_TYPES_F;
}

static gboolean
is_signed (GhloElementType type)
{
  return ghlo_node_types (type) == GHLO_NODE_TYPES_S;
}

/* Returns the unsigned type, of at least 32 bits, in which arithmetic of @type wraps. */
static const char *
wrapping_type (GhloElementType type)
{
  return ghlo_element_info (type)->bits == 64 ? "U64" : "U32";
}

static void
print_constant (const GhloKernelNode *node)
{
  GhloElementType type = node->type;
  double value;

  if (!is_float (type))
    {
      g_print ("(%s) 0x%" G_GINT64_MODIFIER "x%s", c_type (type), node->bits,
               ghlo_element_info (type)->bits == 64 ? "u" G_GINT64_MODIFIER : "u");
      return;
    }
  value = ghlo_float_from_bits (type, node->bits);
  if (isnan (value))
    g_print ("(%s) __builtin_nan (\"\")", c_type (type));
  else if (isinf (value))
    g_print ("%s(%s) __builtin_inf ()", value < 0 ? "-" : "", c_type (type));
  else
    g_print ("%a%s", value, type == GHLO_ELEMENT_TYPE_F32 ? "f" : "");
}

/* Returns whether a shift count is known to be less than the width: a constant, or masked with one. */
static gboolean
is_count (const GhloKernel *kernel,
          guint             number)
{
  const GhloKernelNode *node = &kernel->nodes[number];
  guint n_bits = ghlo_element_info (node->type)->bits;

  if (node->kind == GHLO_NODE_CONSTANT)
    return node->bits < n_bits;

  return node->kind == GHLO_NODE_AND
         && (is_count (kernel, node->operands[0]) || is_count (kernel, node->operands[1]));
}

static void
print_shift (const GhloKernel     *kernel,
             const GhloKernelNode *node)
{
  const char *type = c_type (node->type), *wide = wrapping_type (node->type);
  guint x = node->operands[0], count = node->operands[1], n_bits = ghlo_element_info (node->type)->bits;
  gboolean is_left = node->kind == GHLO_NODE_SHIFT_LEFT;

  if (!is_count (kernel, count))
    {
      g_print ("(%s) n%u >= %u ? ", wide, count, n_bits);
      if (is_signed (node->type) && !is_left)
        g_print ("n%u < 0 ? -1 : 0 : ", x);
      else
        g_print ("0 : ");
    }
  g_print ("(%s) ((%s) n%u %s n%u)", type, is_left ? wide : type, x, is_left ? "<<" : ">>", count);
}

static void
print_convert (const GhloKernelNode *node,
               GhloElementType       from)
{
  if (node->type == GHLO_ELEMENT_TYPE_I1)
    g_print ("n%u != 0", node->operands[0]);
  else if (is_float (from) && !is_float (node->type))
    g_error ("no loop converts floats to integers: adding a large number does that");
  else
    g_print ("(%s) n%u", c_type (node->type), node->operands[0]);
}

static void
print_bitcast (const GhloKernelNode *node,
               GhloElementType       from)
{
  g_autofree char *to_name = g_ascii_strdown (c_type (node->type), -1);
  g_autofree char *from_name = g_ascii_strdown (c_type (from), -1);

  if (is_float (from) != is_float (node->type))
    g_print ("%s_of_%s (n%u)", to_name, from_name, node->operands[0]);
  else
    g_print ("(%s) n%u", c_type (node->type), node->operands[0]);
}

/* Integers wrap; booleans and floats follow C. */
static void
print_binary (const GhloKernelNode *node,
              const char           *operator)
{
  guint x = node->operands[0], y = node->operands[1];

  if (is_float (node->type) || node->type == GHLO_ELEMENT_TYPE_I1)
    g_print ("n%u %s n%u", x, operator, y);
  else
    g_print ("(%s) ((%s) n%u %s (%s) n%u)", c_type (node->type), wrapping_type (node->type), x, operator,
             wrapping_type (node->type), y);
}

static void
print_call (const GhloKernelNode *node,
            const char           *function)
{
  if (!is_float (node->type))
    g_error ("no loop has %s of %s", function, ghlo_element_info (node->type)->name);
  g_print ("__builtin_%s%s (n%u)", function, node->type == GHLO_ELEMENT_TYPE_F32 ? "f" : "", node->operands[0]);
}

static void
print_multiply_high (const GhloKernelNode *node)
{
  if (node->type != GHLO_ELEMENT_TYPE_UI32)
    g_error ("no loop has upper halves of products of %s", ghlo_element_info (node->type)->name);
  g_print ("(U32) ((U64) n%u * n%u >> 32)", node->operands[0], node->operands[1]);
}

static const struct
{
  const char *binary, *call, *comparison;
} spellings[GHLO_N_NODES] = {
  [GHLO_NODE_ADD] = { .binary = "+" },
  [GHLO_NODE_SUBTRACT] = { .binary = "-" },
  [GHLO_NODE_MULTIPLY] = { .binary = "*" },
  [GHLO_NODE_AND] = { .binary = "&" },
  [GHLO_NODE_OR] = { .binary = "|" },
  [GHLO_NODE_XOR] = { .binary = "^" },
  [GHLO_NODE_ABS] = { .call = "fabs" },
  [GHLO_NODE_SQRT] = { .call = "sqrt" },
  [GHLO_NODE_FLOOR] = { .call = "floor" },
  [GHLO_NODE_CEIL] = { .call = "ceil" },
  [GHLO_NODE_TRUNCATE] = { .call = "trunc" },
  [GHLO_NODE_ROUND_NEAREST_EVEN] = { .call = "rint" },
  [GHLO_NODE_EQUAL] = { .comparison = "==" },
  [GHLO_NODE_NOT_EQUAL] = { .comparison = "!=" },
  [GHLO_NODE_LESS] = { .comparison = "<" },
  [GHLO_NODE_LESS_EQUAL] = { .comparison = "<=" },
  [GHLO_NODE_GREATER] = { .comparison = ">" },
  [GHLO_NODE_GREATER_EQUAL] = { .comparison = ">=" },
};

static void
print_value (const GhloKernel     *kernel,
             const GhloKernelNode *node)
{
  const char *type = c_type (node->type);
  guint x = node->operands[0], y = node->operands[1], z = node->operands[2];

  if (spellings[node->kind].binary != NULL)
    print_binary (node, spellings[node->kind].binary);
  else if (spellings[node->kind].call != NULL)
    print_call (node, spellings[node->kind].call);
  else if (spellings[node->kind].comparison != NULL)
    g_print ("n%u %s n%u", x, spellings[node->kind].comparison, y);
  else
    switch (node->kind)
      {
      case GHLO_NODE_CONSTANT:
        print_constant (node);
        break;
      case GHLO_NODE_LOAD:
        g_print ("x%u", node->index);
        break;
      case GHLO_NODE_DIVIDE:
        if (!is_float (node->type))
          g_error ("no loop divides integers");
        g_print ("n%u / n%u", x, y);
        break;
      case GHLO_NODE_MULTIPLY_HIGH:
        print_multiply_high (node);
        break;
      case GHLO_NODE_FMA:
        if (node->type == GHLO_ELEMENT_TYPE_F32)
          g_print ("fma_f32 (n%u, n%u, n%u)", x, y, z);
        else
          g_print ("fma_f64 (n%u, n%u, n%u, is_exact, unsafe)", x, y, z);
        break;
      case GHLO_NODE_NEGATE:
        g_print (is_float (node->type) ? "-n%u" : "(%2$s) -(%3$s) n%1$u", x, type, wrapping_type (node->type));
        break;
      case GHLO_NODE_NOT:
        g_print (node->type == GHLO_ELEMENT_TYPE_I1 ? "!n%u" : "(%2$s) ~n%1$u", x, type);
        break;
      case GHLO_NODE_SHIFT_LEFT:
      case GHLO_NODE_SHIFT_RIGHT:
        print_shift (kernel, node);
        break;
      case GHLO_NODE_SELECT:
        g_print ("n%u ? n%u : n%u", x, y, z);
        break;
      case GHLO_NODE_CONVERT:
        print_convert (node, kernel->nodes[x].type);
        break;
      case GHLO_NODE_BITCAST:
        print_bitcast (node, kernel->nodes[x].type);
        break;
      default:
        g_error ("no loop has the node %s", ghlo_node_spec (node->kind)->name);
      }
}

/* Returns a kernel that contains only the function, expanded. */
static GhloKernel *
make_kernel (GhloNodeKind    kind,
             GhloElementType type,
             GhloElementType result_type)
{
  const GhloNodeSpec *spec = ghlo_node_spec (kind);
  GhloKernelBuilder *builder = ghlo_kernel_builder_new (spec->name);
  const gint64 size = ghlo_element_info (type)->size, result_size = ghlo_element_info (result_type)->size;
  guint operands[3] = { GHLO_KERNEL_NONE, GHLO_KERNEL_NONE, GHLO_KERNEL_NONE }, buffer;
  g_autofree GhloKernel *kernel = NULL;
  g_autoptr (GError) error = NULL;
  GhloKernel *expanded;

  ghlo_kernel_add_axis (builder, "i", 1, TRUE, FALSE);
  for (guint i = 0; i < spec->n_operands; i++)
    {
      buffer = ghlo_kernel_add_buffer (builder, "operand", size, FALSE);
      ghlo_kernel_add_access (builder, buffer, type, 0, &size);
    }
  buffer = ghlo_kernel_add_buffer (builder, "result", result_size, TRUE);
  ghlo_kernel_add_access (builder, buffer, result_type, 0, &result_size);
  ghlo_kernel_begin_points (builder, 0);
  for (guint i = 0; i < spec->n_operands; i++)
    operands[i] = ghlo_kernel_add_leaf (builder, GHLO_NODE_LOAD, type, i);
  ghlo_kernel_store (builder, ghlo_kernel_add_node (builder, kind, result_type, operands[0], operands[1], operands[2]),
                     buffer);
  ghlo_kernel_end_block (builder);
  kernel = ghlo_kernel_builder_end (builder, &error);
  expanded = kernel != NULL ? ghlo_kernel_expand (kernel, &error) : NULL;
  if (expanded == NULL)
    g_error ("%s", error->message);

  return expanded;
}

static gboolean
has_wide_fma (const GhloKernel *kernel)
{
  for (guint i = 0; i < kernel->n_nodes; i++)
    if (kernel->nodes[i].kind == GHLO_NODE_FMA && kernel->nodes[i].type == GHLO_ELEMENT_TYPE_F64)
      return TRUE;

  return FALSE;
}

static void
print_loop (GhloNodeKind    kind,
            GhloElementType type)
{
  const GhloNodeSpec *spec = ghlo_node_spec (kind);
  GhloElementType result_type = spec->result_type != 0 ? spec->result_type : type;
  g_autofree GhloKernel *kernel = make_kernel (kind, type, result_type);
  const char *from = c_type (type), *to = c_type (result_type);
  g_autofree char *suffix = g_ascii_strdown (from, -1);

  g_print ("static inline __attribute__ ((always_inline)) %s\npoint_%s (", to, spec->name);
  for (guint i = 0; i < spec->n_operands; i++)
    g_print ("%s x%u, ", from, i);
  g_print ("gboolean is_exact, U64 *unsafe)\n{\n");
  for (guint i = 0; i < kernel->n_nodes; i++)
    {
      g_print ("  const %s n%u = ", c_type (kernel->nodes[i].type), i);
      print_value (kernel, &kernel->nodes[i]);
      g_print (";\n");
    }
  g_print ("\n  return n%u;\n}\n\n%s (%s_%s, %u, %s, %s, point_%s)\n\n", kernel->stores[0].node,
           has_wide_fma (kernel) ? "GUARDED_LOOP" : "DIRECT_LOOP", spec->name, suffix, spec->n_operands, from, to,
           spec->name);
}

int
main (int   argc,
      char *argv[])
{
  GhloElementType type = argc == 2 ? ghlo_element_type_from_string (argv[1]) : GHLO_ELEMENT_TYPE_INVALID;
  g_autofree char *name = NULL;

  if (type == GHLO_ELEMENT_TYPE_INVALID)
    {
      g_printerr ("usage: print-loops TYPE\n");
      return EXIT_FAILURE;
    }
  name = g_ascii_strdown (c_type (type), -1);
  g_print ("/* Printed by kernel/print-loops.c. */\n\n#include \"cpu/isa/functions-private.h\"\n\n"
           "#include <stdbool.h>\n\n");
  for (guint kind = 0; kind < GHLO_N_NODES; kind++)
    if (ghlo_kernel_expansion (kind, type) != NULL)
      print_loop (kind, type);
  g_print ("const GhloCpuElementwiseFunc NAME (functions_%s)[GHLO_N_NODES] = {\n", name);
  for (guint kind = 0; kind < GHLO_N_NODES; kind++)
    if (ghlo_kernel_expansion (kind, type) != NULL)
      g_print ("  [%u] = %s_%s,\n", kind, ghlo_node_spec (kind)->name, name);
  g_print ("};\n");

  return EXIT_SUCCESS;
}
