/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds references to symbols in attributes.
 */

#include "ir/symbols.h"

typedef struct
{
  const GhloIrOp *op;         /* the operation that has the attributes */
  void          (*func) (GhloIrOp *symbol,
                         gpointer  data);
  gpointer        data;
} Resolver;

void
ghlo_ir_attr_foreach_symbol (const GhloIrAttr *attr,
                             void            (*func) (const char *name,
                                                      gpointer    data),
                             gpointer          data)
{
  if (attr == NULL)
    return;

  if (attr->kind == GHLO_IR_ATTR_SYMBOL)
    func (attr->text, data);
  else if (attr->kind == GHLO_IR_ATTR_DICTIONARY)
    for (gsize i = 0; i < attr->length; i++)
      ghlo_ir_attr_foreach_symbol (attr->entries[i].value, func, data);
  else if (attr->children != NULL)
    for (gsize i = 0; i < attr->length; i++)
      ghlo_ir_attr_foreach_symbol (attr->children[i], func, data);
}

static void
resolve (const char *name,
         gpointer    data)
{
  const Resolver *self = data;
  GhloIrOp *symbol = ghlo_ir_op_find_symbol (self->op, name);

  if (symbol != NULL)
    self->func (symbol, self->data);
}

void
ghlo_ir_op_foreach_symbol (const GhloIrOp   *op,
                           void            (*func) (GhloIrOp *symbol,
                                                    gpointer  data),
                           gpointer          data)
{
  Resolver resolver = { op, func, data };

  for (guint i = 0; i < ghlo_ir_op_get_spec (op)->n_attributes; i++)
    ghlo_ir_attr_foreach_symbol (op->attributes[i], resolve, &resolver);
  for (guint i = 0; i < op->n_discardable; i++)
    ghlo_ir_attr_foreach_symbol (op->discardable[i].value, resolve, &resolver);
}
