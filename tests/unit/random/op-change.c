/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Mutations of a randomly drawn operation: types, numbers of operands and results, attributes, regions; or one element
 * type or dimension replaced everywhere, which mostly keeps a valid operation valid.
 */

#include <string.h>

#include "import/import.h"
#include "ir/verify/verify.h"
#include "op.h"
#include "passes/walk.h"

/* Discardable attributes that some part of the project looks into. */
static const char *const known_names[] = {
  "mhlo.sharding", "backend_config", "value", "function_type", "sym_name", "k", "name",
};

/* Kinds of discardable attributes that artifacts treat differently: symbols become strings there. */
static const GhloIrAttrConstraint known_kinds[] = {
  GHLO_IR_KIND_STRING, GHLO_IR_KIND_I64, GHLO_IR_KIND_DICTIONARY, GHLO_IR_KIND_ELEMENTS, GHLO_IR_KIND_TYPE,
  GHLO_IR_KIND_F32,
};

GhloIrOp *
random_op_rebuild (GhloIrModule *module,
                   GhloIrOp     *op,
                   GPtrArray    *operands,
                   GPtrArray    *result_types,
                   guint         n_regions)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_get_spec (op);
  GhloIrOp *made;

  for (guint i = result_types->len; i < op->n_results; i++)
    if (op->results[i].uses != NULL)
      return op;
  made = ghlo_ir_op_new (module, &(GhloIrOpState) {
    .kind = op->kind, .operands = (GhloIrValue *const *) operands->pdata, .n_operands = operands->len,
    .result_types = (const GhloIrType *const *) result_types->pdata, .n_results = result_types->len,
    .n_regions = n_regions,
  });
  if (spec->n_attributes > 0)
    memcpy (made->attributes, op->attributes, spec->n_attributes * sizeof (gpointer));
  made->discardable = op->discardable;
  made->n_discardable = op->n_discardable;
  for (guint i = 0; i < MIN (n_regions, op->n_regions); i++)
    ghlo_pass_move_region (&op->regions[i], &made->regions[i]);
  ghlo_ir_op_insert_before (made, op);
  for (guint i = n_regions; i < op->n_regions; i++)
    for (GhloIrBlock *block = op->regions[i].first; block != NULL; block = block->next)
      while (block->last != NULL)
        ghlo_pass_erase (block->last);
  for (guint i = 0; i < MIN (op->n_results, made->n_results); i++)
    {
      made->results[i].name = op->results[i].name;
      ghlo_ir_value_replace (&op->results[i], &made->results[i]);
    }
  ghlo_ir_op_remove (op);
  /* The name of a symbol was taken until now. */
  if (ghlo_ir_op_get_string (made, "sym_name") != NULL)
    ghlo_ir_op_set (module, made, "sym_name", ghlo_ir_op_get (made, "sym_name"));

  return made;
}

static GPtrArray *
list_operands (const GhloIrOp *op)
{
  GPtrArray *operands = g_ptr_array_new ();

  for (guint i = 0; i < op->n_operands; i++)
    g_ptr_array_add (operands, ghlo_ir_op_operand (op, i));

  return operands;
}

static GPtrArray *
list_result_types (const GhloIrOp *op)
{
  GPtrArray *types = g_ptr_array_new ();

  for (guint i = 0; i < op->n_results; i++)
    g_ptr_array_add (types, (gpointer) op->results[i].type);

  return types;
}

static void
rebuild (RandomOp  *self,
         GPtrArray *operands,
         GPtrArray *result_types,
         guint      n_regions)
{
  self->op = random_op_rebuild (self->module, self->op, operands, result_types, n_regions);
}

void
random_op_retype_operand (RandomOp         *self,
                          guint             index,
                          const GhloIrType *type)
{
  GhloIrValue *value = ghlo_ir_op_operand (self->op, index);

  if (value->block != NULL)
    value->type = type;
  else
    ghlo_ir_op_set_operand (self->op, index,
                            ghlo_ir_block_add_argument (self->module, random_main_block (self->module), type, NULL));
}

static void
change_attribute (RandomOp *self,
                  guint     index)
{
  if (self->op->attributes[index] != NULL)
    ghlo_ir_op_set (self->module, self->op, ghlo_ir_op_get_spec (self->op)->attributes[index].name,
                    random_op_change_attribute (self, self->op->attributes[index]));
}

/* Changes one operand, result or attribute, each equally likely. */
static void
change_one (RandomOp *self)
{
  GhloIrOp *op = self->op;
  guint n_attributes = ghlo_ir_op_get_spec (op)->n_attributes, n = op->n_operands + op->n_results + n_attributes;
  guint place = random_op_pick (self, MAX (n, 1));

  if (n == 0)
    return;
  if (place < op->n_operands)
    random_op_retype_operand (self, place, random_op_change_type (self, ghlo_ir_op_operand (op, place)->type));
  else if (place < op->n_operands + op->n_results)
    {
      GhloIrValue *result = &op->results[place - op->n_operands];

      result->type = random_op_change_type (self, result->type);
    }
  else
    change_attribute (self, place - op->n_operands - op->n_results);
}

/* Removes an attribute that is present, or adds one that is not. */
static void
add_or_drop_attribute (RandomOp *self)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_get_spec (self->op);
  guint index = random_op_pick (self, MAX (spec->n_attributes, 1));
  GhloIrAttrSpec known = { .minimum = G_MININT64 };

  if (spec->n_attributes == 0 || random_op_once (self, 4))
    {
      known.name = known_names[random_op_pick (self, G_N_ELEMENTS (known_names))];
      known.kind = known_kinds[random_op_pick (self, G_N_ELEMENTS (known_kinds))];
      ghlo_ir_op_set (self->module, self->op, known.name, random_op_draw_attribute (self, &known));
    }
  else
    ghlo_ir_op_set (self->module, self->op, spec->attributes[index].name,
                    self->op->attributes[index] == NULL ? random_op_draw_attribute (self, &spec->attributes[index])
                                                        : NULL);
}

static void
change_operand_count (RandomOp *self)
{
  g_autoptr (GPtrArray) operands = list_operands (self->op), results = list_result_types (self->op);
  guint choice = random_op_pick (self, 4), n = operands->len, place = random_op_pick (self, MAX (n, 1));

  if (n == 0)
    return;
  if (choice == 0)
    g_ptr_array_insert (operands, (int) place, operands->pdata[random_op_pick (self, n)]);
  else if (choice == 1)
    g_ptr_array_remove_index (operands, place);
  else if (choice == 2)
    operands->pdata[place] = operands->pdata[random_op_pick (self, n)];
  else
    g_ptr_array_set_size (operands, 0);
  rebuild (self, operands, results, self->op->n_regions);
}

static void
change_result_count (RandomOp *self)
{
  g_autoptr (GPtrArray) operands = list_operands (self->op), results = list_result_types (self->op);

  if (results->len > 0 && random_op_once (self, 2))
    g_ptr_array_set_size (results, (int) random_op_pick (self, results->len));
  else if (results->len > 0)
    g_ptr_array_add (results, results->pdata[random_op_pick (self, results->len)]);
  else
    g_ptr_array_add (results, (gpointer) ghlo_ir_type_token (self->module));
  rebuild (self, operands, results, self->op->n_regions);
}

/* Adds an operand and a result, as a variadic operation may have. */
static void
add_pair (RandomOp *self)
{
  g_autoptr (GPtrArray) operands = list_operands (self->op), results = list_result_types (self->op);

  if (operands->len == 0 || results->len == 0)
    return;
  g_ptr_array_add (operands, operands->pdata[random_op_pick (self, operands->len)]);
  g_ptr_array_add (results, results->pdata[random_op_pick (self, results->len)]);
  rebuild (self, operands, results, self->op->n_regions);
}

static void
change_region_count (RandomOp *self)
{
  g_autoptr (GPtrArray) operands = list_operands (self->op), results = list_result_types (self->op);

  rebuild (self, operands, results, random_op_pick (self, self->op->n_regions + 2));
}

static void
swap_regions (RandomOp *self)
{
  GhloIrRegion *regions = self->op->regions, kept;

  if (self->op->n_regions < 2)
    return;
  ghlo_pass_move_region (&regions[0], &kept);
  ghlo_pass_move_region (&regions[1], &regions[0]);
  ghlo_pass_move_region (&kept, &regions[1]);
}

/* A block of one of the regions; NULL where there is none. */
static GhloIrBlock *
pick_block (RandomOp *self)
{
  return self->op->n_regions > 0 ? self->op->regions[random_op_pick (self, self->op->n_regions)].first : NULL;
}

static void
change_block_argument (RandomOp *self)
{
  GhloIrBlock *block = pick_block (self);
  guint choice, place;

  if (block == NULL || block->n_arguments == 0)
    return;
  choice = random_op_pick (self, 3);
  place = random_op_pick (self, block->n_arguments);
  if (choice == 0)
    block->arguments[place]->type = random_op_change_type (self, block->arguments[place]->type);
  else if (choice == 1)
    ghlo_ir_block_add_argument (self->module, block, block->arguments[place]->type, NULL);
  else if (block->arguments[block->n_arguments - 1]->uses == NULL)
    ghlo_ir_block_remove_argument (block, block->n_arguments - 1);
}

static void
change_body (RandomOp *self)
{
  GhloIrBlock *block = pick_block (self);
  GhloIrOp *op = block != NULL ? block->first : NULL, *outer = self->op;

  if (op == NULL)
    return;
  for (guint n = random_op_pick (self, 8); n > 0 && op->next != NULL; n--)
    op = op->next;
  /* The same changes, one level deeper. */
  self->op = op;
  random_op_change (self);
  self->op = outer;
}

static void
drop_terminator (RandomOp *self)
{
  GhloIrBlock *block = pick_block (self);

  if (block != NULL && block->last != NULL)
    ghlo_pass_erase (block->last);
}

static void
add_block (RandomOp *self)
{
  if (self->op->n_regions > 0)
    ghlo_ir_region_add_block (self->module, &self->op->regions[0]);
}

/* A change made wherever the thing occurs. */

typedef struct
{
  RandomOp        *self;
  GhloElementType  from, to;          /* element types; INVALID: not these */
  gint64           size, new_size;    /* dimensions */
} Everywhere;

static const GhloIrType *
map_type (const Everywhere *map,
          const GhloIrType *type)
{
  gint64 dimensions[GHLO_MAX_RANK];
  const GhloIrType *element;

  if (type->kind != GHLO_IR_TYPE_TENSOR || type->rank > GHLO_MAX_RANK)
    return type;
  element = ghlo_ir_type_get_element (map->self->module, type);
  if (map->from != GHLO_ELEMENT_TYPE_INVALID)
    {
      if (type->quantization == NULL && type->element_type == map->from)
        element = ghlo_ir_type_element (map->self->module, map->to);
      return ghlo_ir_type_tensor (map->self->module, element, type->dimensions, type->rank, type->bounds,
                                  type->encoding);
    }
  for (guint i = 0; i < type->rank; i++)
    dimensions[i] = type->dimensions[i] == map->size ? map->new_size : type->dimensions[i];

  return random_op_tensor_type (map->self, element, dimensions, type->rank, type->bounds, type->encoding);
}

/* The same numbers as far as the new element type holds them; of another shape the first one. */
static const GhloIrAttr *
map_dense (const Everywhere *map,
           const GhloIrAttr *attr)
{
  const GhloIrType *type = map_type (map, attr->type);
  GhloElementType from = attr->type->element_type, to = type->element_type;
  gsize n_bytes, size = ghlo_element_info (from)->size;
  const guint8 *data = g_bytes_get_data (attr->dense.bytes, &n_bytes);
  gboolean is_splat = attr->dense.splat || map->from == GHLO_ELEMENT_TYPE_INVALID;
  gsize n = size > 0 ? n_bytes / size : 0;
  g_autofree guint8 *bytes = g_malloc0 ((n + 1) * ghlo_element_info (to)->size);

  if (type == attr->type || n == 0)
    return attr;
  for (gsize i = 0; i < (is_splat ? 1 : n); i++)
    {
      GhloScalar number = ghlo_element_load (from, data + i * size);

      if (ghlo_element_type_is_float (from) && !ghlo_element_type_is_float (to)
          && !ghlo_element_type_is_complex (to))
        number.i = ABS (number.f) < 1e6 ? (gint64) number.f : 0;
      else if (!ghlo_element_type_is_float (from) && !ghlo_element_type_is_complex (from)
               && (ghlo_element_type_is_float (to) || ghlo_element_type_is_complex (to)))
        number.c.re = (double) number.i, number.c.im = 0;
      ghlo_element_store (to, bytes + i * ghlo_element_info (to)->size, number);
    }

  return random_op_dense (map->self, type, bytes, is_splat);
}

static void
map_function (const Everywhere *map,
              GhloIrOp         *op)
{
  const GhloIrAttr *attr = ghlo_ir_op_get (op, "function_type");
  const GhloIrType *type = attr != NULL && attr->kind == GHLO_IR_ATTR_TYPE ? attr->type : NULL;
  g_autofree const GhloIrType **members = NULL;

  /* An earlier change may have replaced it by something else. */
  if (type == NULL || type->kind != GHLO_IR_TYPE_FUNCTION)
    return;
  members = g_new0 (const GhloIrType *, type->rank + type->n_results + 1);
  for (guint i = 0; i < type->rank + type->n_results; i++)
    members[i] = map_type (map, type->members[i]);
  type = ghlo_ir_type_function (map->self->module, members, type->rank, members + type->rank, type->n_results);
  ghlo_ir_op_set (map->self->module, op, "function_type", ghlo_ir_attr_type (map->self->module, type));
}

static void
map_op (const Everywhere *map,
        GhloIrOp         *op)
{
  for (guint i = 0; i < op->n_results; i++)
    op->results[i].type = map_type (map, op->results[i].type);
  if (op->kind == GHLO_OP_STABLEHLO_CONSTANT && op->attributes[0] != NULL
      && op->attributes[0]->kind == GHLO_IR_ATTR_DENSE)
    op->attributes[0] = map_dense (map, op->attributes[0]);
  for (guint i = 0; i < op->n_regions; i++)
    for (GhloIrBlock *block = op->regions[i].first; block != NULL; block = block->next)
      {
        for (guint j = 0; j < block->n_arguments; j++)
          block->arguments[j]->type = map_type (map, block->arguments[j]->type);
        for (GhloIrOp *inner = block->first; inner != NULL; inner = inner->next)
          map_op (map, inner);
      }
  if (op->kind == GHLO_OP_FUNC_FUNC)
    map_function (map, op);
}

/* A tensor type of an operand or result; NULL where there is none. */
static const GhloIrType *
pick_tensor_type (RandomOp *self)
{
  const GhloIrOp *op = self->op;
  guint n = op->n_operands + op->n_results, place = random_op_pick (self, MAX (n, 1));
  const GhloIrType *type;

  if (n == 0)
    return NULL;
  type = place < op->n_operands ? ghlo_ir_op_operand (op, place)->type : op->results[place - op->n_operands].type;

  return type->kind == GHLO_IR_TYPE_TENSOR && type->text == NULL ? type : NULL;
}

static void
change_element_everywhere (RandomOp *self)
{
  const GhloIrType *type = pick_tensor_type (self);
  Everywhere map = { .self = self };

  if (type == NULL || type->quantization != NULL || type->element_type == GHLO_ELEMENT_TYPE_INVALID)
    return;
  map.from = type->element_type;
  map.to = random_op_change_element (self, map.from);
  map_op (&map, self->module->op);
}

static void
change_dimension_everywhere (RandomOp *self)
{
  const GhloIrType *type = pick_tensor_type (self);
  Everywhere map = { .self = self };

  if (type == NULL || type->rank == 0)
    return;
  map.size = type->dimensions[random_op_pick (self, type->rank)];
  map.new_size = random_op_once (self, 6) ? -1 : random_op_draw_dimension (self);
  if (map.size >= 0)
    map_op (&map, self->module->op);
}

/* The likelier changes are listed several times. */
static void (*const changes[]) (RandomOp *self) = {
  change_one, change_one, change_one, change_one, change_one, change_one, change_one, change_one, change_one,
  change_element_everywhere, change_element_everywhere, change_dimension_everywhere, change_dimension_everywhere,
  add_or_drop_attribute, change_operand_count, change_result_count, add_pair, change_block_argument, change_body,
  change_body, swap_regions, change_region_count, drop_terminator, add_block,
};

void
random_op_change (RandomOp *self)
{
  self->n_changes++;
  changes[random_op_pick (self, G_N_ELEMENTS (changes))] (self);
}

/* "… expected result #0 of type tensor<2xf32>, found …" */
static gboolean
take_expected (RandomOp   *self,
               const char *message)
{
  static const char before[] = "expected result #", between[] = " of type ", behind[] = ", found ";
  const char *start = strstr (message, before), *end;
  g_autofree char *text = NULL;
  const GhloIrType *type;
  guint64 index;
  char *rest;

  if (start == NULL)
    return FALSE;
  index = g_ascii_strtoull (start + strlen (before), &rest, 10);
  end = strstr (rest, behind);
  if (!g_str_has_prefix (rest, between) || end == NULL || index >= self->op->n_results)
    return FALSE;
  text = g_strndup (rest + strlen (between), (gsize) (end - rest) - strlen (between));
  type = ghlo_import_type (self->module, text, NULL);
  if (type == NULL)
    return FALSE;
  self->op->results[index].type = type;

  return TRUE;
}

void
random_op_infer (RandomOp *self)
{
  for (guint n_tries = 0; n_tries <= self->op->n_results; n_tries++)
    {
      g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("drawn", NULL, 0);

      if (ghlo_ir_verify (self->module, diagnostics, NULL)
          || !take_expected (self, ((GhloFinding *) diagnostics->findings->pdata[0])->message))
        return;
    }
}
