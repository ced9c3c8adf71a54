/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pretty forms with regions: functions, modules, reduce, while and scan.
 */

#include <string.h>

#include "import/text/parser.h"

/* The optional "attributes {…}". */
static gboolean
parse_attributes_word (GhloImportParser *self,
                       GhloImportOp     *op)
{
  if (!ghlo_import_accept_word (self, "attributes"))
    return TRUE;
  if (!ghlo_import_at (self, '{'))
    return ghlo_import_expected (self, "'{'");

  return ghlo_import_parse_op_attrs (self, op);
}

gboolean
ghlo_import_directive_module (GhloImportParser *self,
                              GhloImportOp     *op)
{
  static const GhloImportArguments none = { 0 };

  if (ghlo_import_at (self, GHLO_TOKEN_AT))
    {
      const char *name = ghlo_import_parse_symbol_name (self);

      if (name == NULL)
        return FALSE;
      ghlo_import_set_inherent (op, "sym_name", ghlo_ir_attr_string (self->module, name, -1));
    }

  return parse_attributes_word (self, op)
         && ghlo_import_parse_region (self, ghlo_import_add_region (self, op), &none, TRUE);
}

/* A function's signature while it is being read. */
typedef struct
{
  GhloImportArguments arguments;
  GhloImportTypes     results;
  GhloImportAttrs     argument_attrs;   /* one dictionary for each; NULL if absent */
  GhloImportAttrs     result_attrs;
} Signature;

/* The optional "{…}". */
static gboolean
parse_value_attrs (GhloImportParser *self,
                   GhloImportAttrs  *attrs)
{
  const GhloIrAttr *dictionary = NULL;

  if (ghlo_import_at (self, '{'))
    {
      dictionary = ghlo_import_parse_dictionary (self);
      if (dictionary == NULL)
        return FALSE;
    }
  GHLO_IMPORT_PUSH (attrs, dictionary);

  return TRUE;
}

/* "%a: type {…} loc(…)"; a declaration omits the name. */
static gboolean
parse_function_argument (GhloImportParser *self,
                         Signature        *signature)
{
  GhloImportArguments *arguments = &signature->arguments;
  GhloImportArgument argument = { 0 };
  gboolean named = ghlo_import_at (self, GHLO_TOKEN_PERCENT);

  if (arguments->n > 0 && named != (arguments->items[0].name.text != NULL))
    return ghlo_import_expected (self, named ? "a type, as for the arguments before" : "a name for each argument");
  if (named && (!ghlo_import_parse_value_name (self, &argument.name) || !ghlo_import_expect (self, ':', "':'")))
    return FALSE;
  argument.type = ghlo_import_parse_type (self);
  if (argument.type == NULL || !parse_value_attrs (self, &signature->argument_attrs)
      || !ghlo_import_accept_location (self, &argument.location))
    return FALSE;
  if (arguments->n >= GHLO_MAX_OPERANDS)
    return ghlo_import_fail (self, "expected at most %u arguments, found more", GHLO_MAX_OPERANDS);
  GHLO_IMPORT_PUSH (arguments, argument);

  return TRUE;
}

static gboolean
parse_function_arguments (GhloImportParser *self,
                          Signature        *signature)
{
  if (!ghlo_import_expect (self, '(', "'('"))
    return FALSE;
  if (ghlo_import_accept (self, ')'))
    return TRUE;
  do
    if (!parse_function_argument (self, signature))
      return FALSE;
  while (ghlo_import_accept (self, ','));

  return ghlo_import_expect (self, ')', "',' or ')'");
}

/* The optional "-> type" or "-> (type {…}, …)". */
static gboolean
parse_function_results (GhloImportParser *self,
                        Signature        *signature)
{
  const GhloIrType *type;

  if (!ghlo_import_accept (self, GHLO_TOKEN_ARROW))
    return TRUE;
  if (!ghlo_import_accept (self, '('))
    {
      type = ghlo_import_parse_type (self);
      if (type == NULL)
        return FALSE;
      GHLO_IMPORT_PUSH (&signature->results, type);
      GHLO_IMPORT_PUSH (&signature->result_attrs, NULL);
      return TRUE;
    }

  if (ghlo_import_accept (self, ')'))
    return TRUE;
  do
    {
      type = ghlo_import_parse_type (self);
      if (type == NULL || !parse_value_attrs (self, &signature->result_attrs))
        return FALSE;
      GHLO_IMPORT_PUSH (&signature->results, type);
    }
  while (ghlo_import_accept (self, ','));

  return ghlo_import_expect (self, ')', "',' or ')'");
}

/* Sets the attribute to an array of dictionaries if any of them has an entry. */
static void
set_value_attrs (GhloImportParser *self,
                 GhloImportOp     *op,
                 const char       *name,
                 GhloImportAttrs  *attrs)
{
  const GhloIrAttr *empty = NULL;
  gboolean any = FALSE;

  for (gsize i = 0; i < attrs->n; i++)
    any |= attrs->items[i] != NULL && attrs->items[i]->length > 0;
  if (!any)
    return;

  for (gsize i = 0; i < attrs->n; i++)
    if (attrs->items[i] == NULL)
      {
        if (empty == NULL)
          empty = ghlo_ir_attr_dictionary (self->module, NULL, 0);
        attrs->items[i] = empty;
      }
  ghlo_import_set_inherent (op, name, ghlo_ir_attr_array (self->module, attrs->items, attrs->n));
}

static void
set_function_type (GhloImportParser *self,
                   GhloImportOp     *op,
                   const Signature  *signature)
{
  gsize height = self->types.n;
  const GhloIrType *type;

  for (gsize i = 0; i < signature->arguments.n; i++)
    GHLO_IMPORT_PUSH (&self->types, signature->arguments.items[i].type);
  type = ghlo_ir_type_function (self->module, self->types.items + height, signature->arguments.n,
                                signature->results.items, signature->results.n);
  self->types.n = height;
  ghlo_import_set_inherent (op, "function_type", ghlo_ir_attr_type (self->module, type));
}

static void
parse_visibility (GhloImportParser *self,
                  GhloImportOp     *op)
{
  static const char *const words[] = { "public", "private", "nested" };

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (ghlo_import_accept_word (self, words[i]))
      {
        ghlo_import_set_inherent (op, "sym_visibility", ghlo_ir_attr_string (self->module, words[i], -1));
        return;
      }
}

static gboolean
parse_function (GhloImportParser *self,
                GhloImportOp     *op,
                Signature        *signature)
{
  GhloIrRegion *region = ghlo_import_add_region (self, op);
  const char *name;

  parse_visibility (self, op);
  name = ghlo_import_parse_symbol_name (self);
  if (name == NULL || !parse_function_arguments (self, signature) || !parse_function_results (self, signature))
    return FALSE;
  ghlo_import_set_inherent (op, "sym_name", ghlo_ir_attr_string (self->module, name, -1));
  set_function_type (self, op, signature);
  set_value_attrs (self, op, "arg_attrs", &signature->argument_attrs);
  set_value_attrs (self, op, "res_attrs", &signature->result_attrs);
  if (!parse_attributes_word (self, op))
    return FALSE;
  if (!ghlo_import_at (self, '{'))
    return TRUE;
  if (signature->arguments.n > 0 && signature->arguments.items[0].name.text == NULL)
    return ghlo_import_fail_at (self, op->position, "expected names for the arguments of a function with a body, "
                                "found none");

  return ghlo_import_parse_region (self, region, &signature->arguments, TRUE);
}

gboolean
ghlo_import_directive_func (GhloImportParser *self,
                            GhloImportOp     *op)
{
  Signature signature = { 0 };
  gboolean ok = parse_function (self, op, &signature);

  GHLO_IMPORT_CLEAR (&signature.arguments);
  GHLO_IMPORT_CLEAR (&signature.results);
  GHLO_IMPORT_CLEAR (&signature.argument_attrs);
  GHLO_IMPORT_CLEAR (&signature.result_attrs);

  return ok;
}

/* "(%a init: %b), …": the operands are all inputs, then all initial values. */
static gboolean
parse_reduce_operands (GhloImportParser *self,
                       GhloImportOp     *op)
{
  GHLO_IMPORT_VECTOR (GhloImportName) inits = { 0 };
  gboolean ok = TRUE;

  if (!ghlo_import_at (self, '('))
    return TRUE;
  do
    {
      ok = ghlo_import_expect (self, '(', "'('") && ghlo_import_parse_operand (self, op)
           && ghlo_import_expect_word (self, "init") && ghlo_import_expect (self, ':', "':'")
           && ghlo_import_parse_operand (self, op) && ghlo_import_expect (self, ')', "')'");
      if (ok)
        GHLO_IMPORT_PUSH (&inits, op->operands.items[--op->operands.n]);
    }
  while (ok && ghlo_import_accept (self, ','));
  for (gsize i = 0; i < inits.n; i++)
    GHLO_IMPORT_PUSH (&op->operands, inits.items[i]);
  GHLO_IMPORT_CLEAR (&inits);

  return ok;
}

/* "across dimensions = [0] {…} : function type". */
static gboolean
parse_reduce_dimensions (GhloImportParser *self,
                         GhloImportOp     *op)
{
  const GhloIrAttr *dimensions;
  const GhloIrType *function;

  if (!ghlo_import_expect_word (self, "across") || !ghlo_import_expect_word (self, "dimensions")
      || !ghlo_import_expect (self, '=', "'='") || (dimensions = ghlo_import_parse_i64s (self)) == NULL)
    return FALSE;
  ghlo_import_set_inherent (op, "dimensions", dimensions);
  if (!ghlo_import_parse_op_attrs (self, op) || !ghlo_import_expect (self, ':', "':'"))
    return FALSE;
  function = ghlo_import_parse_function_type (self);

  return function != NULL && ghlo_import_assign_types (self, op, function);
}

/* "%a: type loc(…)". */
static gboolean
parse_region_argument (GhloImportParser    *self,
                       GhloImportArguments *arguments)
{
  GhloImportArgument argument = { 0 };

  if (!ghlo_import_parse_value_name (self, &argument.name) || !ghlo_import_expect (self, ':', "':'")
      || (argument.type = ghlo_import_parse_type (self)) == NULL
      || !ghlo_import_accept_location (self, &argument.location))
    return FALSE;
  GHLO_IMPORT_PUSH (arguments, argument);

  return TRUE;
}

/* "reducer (%a: type, %b: type) (…) { … }": the first arguments of all pairs come first in the block. */
static gboolean
parse_reducer (GhloImportParser *self,
               GhloImportOp     *op)
{
  GhloImportArguments arguments = { 0 }, second = { 0 };
  gboolean ok = ghlo_import_expect_word (self, "reducer");

  while (ok && ghlo_import_accept (self, '('))
    ok = parse_region_argument (self, &arguments) && ghlo_import_expect (self, ',', "','")
         && parse_region_argument (self, &second) && ghlo_import_expect (self, ')', "')'");
  for (gsize i = 0; i < second.n; i++)
    GHLO_IMPORT_PUSH (&arguments, second.items[i]);
  ok = ok && ghlo_import_parse_region (self, ghlo_import_add_region (self, op), &arguments, FALSE);
  GHLO_IMPORT_CLEAR (&arguments);
  GHLO_IMPORT_CLEAR (&second);

  return ok;
}

/* The name of the operation in "applies stablehlo.add". */
static gboolean
parse_inner_name (GhloImportParser *self,
                  GhloIrOpKind     *kind)
{
  gboolean quoted = ghlo_import_at (self, GHLO_TOKEN_STRING);
  const char *name = self->lexer.start + quoted;
  gsize length = ghlo_import_lexer_length (&self->lexer) - (quoted ? 2 : 0);
  const GhloIrOpSpec *spec;

  if (!quoted && !ghlo_import_at (self, GHLO_TOKEN_BARE))
    return ghlo_import_expected (self, "an operation");
  *kind = ghlo_ir_op_kind_from_name (name, length);
  spec = ghlo_ir_op_spec (*kind);
  if (*kind == GHLO_OP_INVALID || !g_str_has_prefix (spec->name, "stablehlo.")
      || (spec->traits & GHLO_IR_TRAIT_COMMUTATIVE) == 0 || spec->n_operands != 2 || spec->n_results != 1
      || spec->n_regions != 0)
    return ghlo_import_expected (self, "a commutative operation of stablehlo with two operands and one result");
  ghlo_import_next (self);

  return TRUE;
}

/* Makes the region that "applies" stands for. */
static void
make_reducer (GhloImportParser *self,
              GhloImportOp     *op,
              GhloIrOpKind      kind)
{
  const GhloIrType *input = op->operand_types.items[0];
  const GhloIrType *element = input->kind == GHLO_IR_TYPE_TENSOR || input->kind == GHLO_IR_TYPE_UNRANKED
                              ? ghlo_ir_type_get_element (self->module, input) : input;
  const GhloIrType *scalar = ghlo_ir_type_tensor (self->module, element, NULL, 0, NULL, NULL);
  GhloIrBlock *block = ghlo_ir_region_add_block (self->module, ghlo_import_add_region (self, op));
  GhloIrOp *inner;

  ghlo_ir_block_add_argument (self->module, block, scalar, op->location);
  ghlo_ir_block_add_argument (self->module, block, scalar, op->location);
  inner = ghlo_ir_op_new (self->module, &(GhloIrOpState) {
    .kind = kind, .operands = block->arguments, .n_operands = 2, .result_types = &scalar, .n_results = 1,
    .location = op->location, .line = op->position.line, .column = op->position.column,
  });
  ghlo_ir_block_append (block, inner);
  inner = ghlo_ir_op_new (self->module, &(GhloIrOpState) {
    .kind = GHLO_OP_STABLEHLO_RETURN, .operands = (GhloIrValue *[]) { &inner->results[0] }, .n_operands = 1,
    .location = op->location, .line = op->position.line, .column = op->position.column,
  });
  ghlo_ir_block_append (block, inner);
}

gboolean
ghlo_import_directive_reduce (GhloImportParser *self,
                              GhloImportOp     *op)
{
  GhloIrOpKind kind = GHLO_OP_INVALID;

  if (!parse_reduce_operands (self, op))
    return FALSE;
  if (!ghlo_import_accept_word (self, "applies"))
    return parse_reduce_dimensions (self, op) && parse_reducer (self, op);

  if (!parse_inner_name (self, &kind) || !parse_reduce_dimensions (self, op)
      || !ghlo_import_accept_location (self, &op->location))
    return FALSE;
  if (op->operand_types.n == 0)
    return ghlo_import_fail_at (self, op->position, "expected at least one input of '%s', found none", op->spec->name);
  make_reducer (self, op, kind);

  return TRUE;
}

/* "(%a = %0, …)": the regions' arguments and the operands. */
static gboolean
parse_while_operands (GhloImportParser    *self,
                      GhloImportOp        *op,
                      GhloImportArguments *arguments)
{
  if (!ghlo_import_expect (self, '(', "'('"))
    return FALSE;
  if (ghlo_import_accept (self, ')'))
    return TRUE;
  do
    {
      GhloImportArgument argument = { 0 };

      if (!ghlo_import_parse_value_name (self, &argument.name) || !ghlo_import_expect (self, '=', "'='")
          || !ghlo_import_parse_operand (self, op))
        return FALSE;
      GHLO_IMPORT_PUSH (arguments, argument);
    }
  while (ghlo_import_accept (self, ','));

  return ghlo_import_expect (self, ')', "',' or ')'");
}

static gboolean
parse_while_types (GhloImportParser    *self,
                   GhloImportOp        *op,
                   GhloImportArguments *arguments)
{
  if (arguments->n == 0)
    return TRUE;
  if (!ghlo_import_expect (self, ':', "':'") || !ghlo_import_parse_types (self, &op->operand_types))
    return FALSE;
  if (op->operand_types.n != arguments->n)
    return ghlo_import_fail_at (self, op->position, "expected a type for each of %" G_GSIZE_FORMAT " values of '%s', "
                                "found %" G_GSIZE_FORMAT, arguments->n, op->spec->name, op->operand_types.n);
  for (gsize i = 0; i < arguments->n; i++)
    {
      arguments->items[i].type = op->operand_types.items[i];
      GHLO_IMPORT_PUSH (&op->result_types, op->operand_types.items[i]);
    }

  return TRUE;
}

gboolean
ghlo_import_directive_while (GhloImportParser *self,
                             GhloImportOp     *op)
{
  GhloImportArguments arguments = { 0 };
  gboolean ok = parse_while_operands (self, op, &arguments) && parse_while_types (self, op, &arguments)
                && parse_attributes_word (self, op)
                && ghlo_import_expect_word (self, "cond")
                && ghlo_import_parse_region (self, ghlo_import_add_region (self, op), &arguments, FALSE)
                && ghlo_import_expect_word (self, "do")
                && ghlo_import_parse_region (self, ghlo_import_add_region (self, op), &arguments, FALSE);

  GHLO_IMPORT_CLEAR (&arguments);

  return ok;
}

/* "(%a, %b)". */
static gboolean
parse_operand_list (GhloImportParser *self,
                    GhloImportOp     *op)
{
  return ghlo_import_expect (self, '(', "'('") && ghlo_import_parse_operands (self, op)
         && ghlo_import_expect (self, ')', "',' or ')'");
}

static void
set_segments (GhloImportParser *self,
              GhloImportOp     *op,
              const char       *name,
              gint64            first,
              gint64            second)
{
  ghlo_import_set_inherent (op, name, ghlo_ir_attr_integers (self->module, GHLO_ELEMENT_TYPE_I32,
                                                             (const gint64[]) { first, second }, 2));
}

/* "(inputs) inits (inits) dimension = 0 attributes {…} { … } : function type". */
gboolean
ghlo_import_directive_scan (GhloImportParser *self,
                            GhloImportOp     *op)
{
  const GhloIrType *function;
  gint64 dimension;
  gsize n_inputs, n_carries;

  if (!parse_operand_list (self, op))
    return FALSE;
  n_inputs = op->operands.n;
  if (!ghlo_import_expect_word (self, "inits") || !parse_operand_list (self, op)
      || !ghlo_import_expect_word (self, "dimension") || !ghlo_import_expect (self, '=', "'='")
      || !ghlo_import_parse_integer (self, &dimension) || !parse_attributes_word (self, op)
      || !ghlo_import_parse_region (self, ghlo_import_add_region (self, op), NULL, ghlo_import_op_is_isolated (op))
      || !ghlo_import_expect (self, ':', "':'") || (function = ghlo_import_parse_function_type (self)) == NULL
      || !ghlo_import_assign_types (self, op, function))
    return FALSE;
  n_carries = op->operands.n - n_inputs;
  if (op->result_types.n < n_carries)
    return ghlo_import_fail_at (self, op->position, "expected a result for each of %" G_GSIZE_FORMAT
                                " carried values of '%s', found %" G_GSIZE_FORMAT, n_carries, op->spec->name,
                                op->result_types.n);

  ghlo_import_set_inherent (op, "dimension", ghlo_ir_attr_i64 (self->module, dimension));
  set_segments (self, op, "operandSegmentSizes", (gint64) n_inputs, (gint64) n_carries);
  set_segments (self, op, "resultSegmentSizes", (gint64) (op->result_types.n - n_carries), (gint64) n_carries);

  return TRUE;
}
