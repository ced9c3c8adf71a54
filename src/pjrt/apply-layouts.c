/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Layouts of a program's inputs and outputs. "mhlo.layout_mode" of an argument or result of the entry specifies its
 * layout. Where that is not row-major, the entry takes or returns the stored tensor, which is row-major and has the
 * same content in memory, and transposes it itself. Passes can then move and fuse these transposes, and the code that
 * runs the program need not know about layouts.
 *
 * The program keeps its original layouts as an attribute "ghlo.layouts" of the entry, since it may be serialized and
 * compiled again.
 */

#include "pjrt/executable.h"

#include "base/fail.h"
#include "ir/symbols.h"
#include "passes/rewrite.h"
#include "passes/walk.h"
#include "pjrt/entry.h"

/* An array of strings: inputs first, then outputs. */
#define LAID_OUT "ghlo.layouts"

typedef struct
{
  PJRT_Executable *executable;
  GhloIrModule    *module;
  GhloSignature    signature;
} Entry;

static gboolean
is_input (const Entry *self,
          guint        index)
{
  return index < self->signature.type->rank;
}

/* Returns the layout that the program specifies as text, a list of dimensions or "auto"; NULL for the default. */
static const char *
get_specified (const Entry *self,
               guint        index)
{
  const GhloIrOp *function = self->signature.function;
  const guint n = self->signature.type->rank;
  const GhloIrAttr *specified = is_input (self, index)
                                ? ghlo_signature_input_attribute (function, index, "mhlo.layout_mode")
                                : ghlo_signature_output_attribute (function, index - n, "mhlo.layout_mode");

  if (specified == NULL || specified->kind != GHLO_IR_ATTR_STRING || g_str_equal (specified->text, "default"))
    return NULL;

  return specified->text;
}

typedef struct
{
  const GhloIrOp *function;
  gboolean        found;
} Search;

static void
compare (GhloIrOp *symbol,
         gpointer  data)
{
  Search *self = data;

  self->found |= symbol == self->function;
}

/* Whether anything in the program refers to the entry, for instance a call, and so relies on its original types. */
static gboolean
is_referred_to (const Entry *self)
{
  Search search = { .function = self->signature.function };
  const GhloIrOp *root = self->module->op;

  for (const GhloIrOp *op = root; op != NULL && !search.found; op = ghlo_pass_next_op (op, root))
    ghlo_ir_op_foreach_symbol (op, compare, &search);

  return search.found;
}

/* Chooses a layout for "auto": row-major, except for an output that is the result of a transpose, which gets the
 * layout of the transpose's operand. */
static PJRT_Layouts_MemoryLayout *
choose_layout (const Entry *self,
               guint        index,
               gsize        rank)
{
  const GhloIrOp *op = NULL;
  g_autofree gint64 *permutation = NULL;
  int64_t order[GHLO_MAX_RANK];
  gsize n;

  if (!is_input (self, index))
    op = ghlo_ir_op_operand (ghlo_ir_func_get_body (self->signature.function)->last,
                             index - self->signature.type->rank)->op;
  while (op != NULL && op->kind == GHLO_OP_SDY_SHARDING_CONSTRAINT)
    op = ghlo_ir_op_operand (op, 0)->op;
  if (op == NULL || op->kind != GHLO_OP_STABLEHLO_TRANSPOSE || is_referred_to (self))
    return ghlo_pjrt_layout_row_major (rank);
  permutation = ghlo_ir_op_dup_ints (op, "permutation", &n);
  if (n != rank)
    return ghlo_pjrt_layout_row_major (rank);
  for (gsize i = 0; i < rank; i++)
    order[rank - 1 - permutation[i]] = (int64_t) i;

  return ghlo_pjrt_layout_new (order, rank, NULL);
}

/* Returns the attribute of a program that has been laid out already, otherwise NULL. */
static const GhloIrAttr *
get_laid_out (const Entry *self)
{
  const GhloIrAttr *attr = ghlo_ir_op_get (self->signature.function, LAID_OUT);

  return attr != NULL && attr->kind == GHLO_IR_ATTR_ARRAY ? attr : NULL;
}

/* Reads a layout from the program or, for a program that has been laid out already, from @laid_out (nullable). */
static PJRT_Layouts_MemoryLayout *
read_layout (const Entry       *self,
             guint              index,
             const GhloIrAttr  *laid_out,
             GError           **error)
{
  const GhloPjrtSharding *sharding = self->executable->shardings != NULL ? self->executable->shardings[index] : NULL;
  const GhloIrType *type = self->signature.type->members[index];
  /* Callers have a tensor in place of a token. */
  const gsize rank = sharding != NULL ? sharding->rank : ghlo_ir_type_is_numbers (type) ? type->rank : 1;
  g_autoptr (PJRT_Layouts_MemoryLayout) layout = NULL;
  const char *specified = get_specified (self, index);

  if (laid_out != NULL)
    specified = laid_out->children[index]->kind == GHLO_IR_ATTR_STRING ? laid_out->children[index]->text : NULL;
  if (g_strcmp0 (specified, "auto") == 0)
    layout = choose_layout (self, index, rank);
  else
    layout = specified != NULL ? ghlo_pjrt_layout_parse (specified, rank, error) : ghlo_pjrt_layout_row_major (rank);
  if (layout == NULL || ghlo_pjrt_layout_is_row_major (layout) || sharding == NULL || !sharding->is_stacked)
    return g_steal_pointer (&layout);
  ghlo_unsupported (error, "expected the row-major layout for an unreduced tensor, found %s", specified);

  return NULL;
}

static gboolean
add_layouts (Entry   *self,
             GError **error)
{
  const guint n_inputs = self->signature.type->rank, n = n_inputs + self->signature.type->n_results;
  const GhloIrAttr *laid_out = get_laid_out (self);

  if (laid_out != NULL && laid_out->length != n)
    return ghlo_invalid (error, "expected " LAID_OUT " for %u inputs and outputs, found %" G_GSIZE_FORMAT, n,
                         laid_out->length);
  self->executable->layouts = g_new0 (PJRT_Layouts_MemoryLayout *, n);
  self->executable->n_layouts = n;
  for (guint i = 0; i < n; i++)
    {
      self->executable->layouts[i] = read_layout (self, i, laid_out, error);
      if (self->executable->layouts[i] == NULL)
        {
          g_prefix_error (error, "%s %u: ", is_input (self, i) ? "input" : "output",
                          is_input (self, i) ? i : i - n_inputs);
          return FALSE;
        }
    }

  return TRUE;
}

/* Returns the stored type of a tensor of @type in @layout. */
static const GhloIrType *
get_stored (const Entry                     *self,
            const GhloIrType                *type,
            const PJRT_Layouts_MemoryLayout *layout)
{
  gint64 sizes[GHLO_MAX_RANK];

  ghlo_pjrt_layout_arrange (layout, type->dimensions, sizes);

  return ghlo_ir_type_tensor (self->module, ghlo_ir_type_get_element (self->module, type), sizes, type->rank, NULL,
                              NULL);
}

/* Inserts a transpose before @next. */
static GhloIrValue *
make_transpose (const Entry      *self,
                GhloIrValue      *operand,
                const gint64     *permutation,
                const GhloIrType *type,
                GhloIrOp         *next)
{
  GhloRewriter maker = { .module = self->module, .op = next };
  const GhloIrNamedAttr attribute = { "permutation", ghlo_ir_attr_i64s (self->module, permutation, type->rank) };

  return ghlo_make (&maker, GHLO_OP_STABLEHLO_TRANSPOSE, type, &operand, 1, &attribute, 1);
}

static void
lay_out_input (const Entry *self,
               guint        index)
{
  const PJRT_Layouts_MemoryLayout *layout = self->executable->layouts[index];
  const GhloIrBlock *body = ghlo_ir_func_get_body (self->signature.function);
  GhloIrValue *argument = body->arguments[index], *transposed;
  const GhloIrType *type = argument->type;
  gint64 dimensions[GHLO_MAX_RANK], permutation[GHLO_MAX_RANK];

  for (guint i = 0; i < type->rank; i++)
    dimensions[i] = i;
  ghlo_pjrt_layout_restore (layout, dimensions, permutation);
  transposed = make_transpose (self, argument, permutation, type, body->first);
  ghlo_ir_value_replace (argument, transposed);
  ghlo_ir_op_set_operand (transposed->op, 0, argument);
  argument->type = get_stored (self, type, layout);
}

static void
lay_out_output (const Entry *self,
                guint        index)
{
  const PJRT_Layouts_MemoryLayout *layout = self->executable->layouts[self->signature.type->rank + index];
  GhloIrOp *end = ghlo_ir_func_get_body (self->signature.function)->last;
  GhloIrValue *value = ghlo_ir_op_operand (end, index);
  const GhloIrType *stored = get_stored (self, value->type, layout);
  gint64 dimensions[GHLO_MAX_RANK], permutation[GHLO_MAX_RANK];

  for (guint i = 0; i < stored->rank; i++)
    dimensions[i] = i;
  ghlo_pjrt_layout_arrange (layout, dimensions, permutation);
  ghlo_ir_op_set_operand (end, index, make_transpose (self, value, permutation, stored, end));
}

static void
mark (const Entry *self)
{
  const guint n = self->executable->n_layouts;
  g_autofree const GhloIrAttr **texts = g_new (const GhloIrAttr *, n);

  for (guint i = 0; i < n; i++)
    texts[i] = ghlo_ir_attr_string (self->module, ghlo_pjrt_layout_get_text (self->executable->layouts[i]), -1);
  ghlo_ir_op_set (self->module, self->signature.function, LAID_OUT, ghlo_ir_attr_array (self->module, texts, n));
}

gboolean
ghlo_pjrt_executable_lay_out (PJRT_Executable  *self,
                              GhloIrModule     *module,
                              GError          **error)
{
  Entry entry = { .executable = self, .module = module };
  gboolean changes = FALSE;

  if (!ghlo_signature_init (&entry.signature, module, error) || !add_layouts (&entry, error))
    return FALSE;
  for (guint i = 0; i < self->n_layouts; i++)
    changes |= !ghlo_pjrt_layout_is_row_major (self->layouts[i]);
  self->is_laid_out = changes;
  if (changes && get_laid_out (&entry) != NULL && self->n_devices > 1)
    return ghlo_unsupported (error, "a serialized program of %u devices can only be compiled with row-major layouts of "
                             "its inputs and outputs", self->n_devices);
  if (!changes || get_laid_out (&entry) != NULL)
    return TRUE;
  if (is_referred_to (&entry))
    return ghlo_unsupported (error, "expected row-major inputs and outputs of an entry function that the program "
                             "itself calls, found other layouts");
  for (guint i = 0; i < self->n_layouts; i++)
    {
      if (ghlo_pjrt_layout_is_row_major (self->layouts[i]))
        continue;
      if (is_input (&entry, i))
        lay_out_input (&entry, i);
      else
        lay_out_output (&entry, i - entry.signature.type->rank);
      if (self->shardings != NULL)
        ghlo_pjrt_sharding_lay_out (self->shardings[i], self->layouts[i]);
    }
  ghlo_pjrt_update_entry (module);
  mark (&entry);

  return TRUE;
}
