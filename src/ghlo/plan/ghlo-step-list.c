/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An immutable list of steps. Any thread may read it, unlike a GListStore, which caches the position of the item
 * that was accessed last.
 */

#include "ghlo-plan-private.h"
#include "ghlo-plan-step.h"

#define GHLO_TYPE_STEP_LIST (ghlo_step_list_get_type ())

G_DECLARE_FINAL_TYPE (GhloStepList, ghlo_step_list, GHLO, STEP_LIST, GObject)

struct _GhloStepList
{
  GObject    parent_instance;

  GPtrArray *steps;
};

static GType
get_item_type (GListModel *model)
{
  return GHLO_TYPE_PLAN_STEP;
}

static guint
get_n_items (GListModel *model)
{
  return GHLO_STEP_LIST (model)->steps->len;
}

static gpointer
get_item (GListModel *model,
          guint       position)
{
  GPtrArray *steps = GHLO_STEP_LIST (model)->steps;

  return position < steps->len ? g_object_ref (steps->pdata[position]) : NULL;
}

static void
ghlo_step_list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = get_item_type;
  iface->get_n_items = get_n_items;
  iface->get_item = get_item;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (GhloStepList, ghlo_step_list, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, ghlo_step_list_model_init))

static void
ghlo_step_list_finalize (GObject *object)
{
  g_ptr_array_unref (GHLO_STEP_LIST (object)->steps);

  G_OBJECT_CLASS (ghlo_step_list_parent_class)->finalize (object);
}

static void
ghlo_step_list_class_init (GhloStepListClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = ghlo_step_list_finalize;
}

static void
ghlo_step_list_init (GhloStepList *self)
{
  self->steps = g_ptr_array_new_with_free_func (g_object_unref);
}

GListModel *
ghlo_step_list_new (GPtrArray *steps)
{
  GhloStepList *self = g_object_new (GHLO_TYPE_STEP_LIST, NULL);

  g_ptr_array_unref (self->steps);
  self->steps = steps;

  return G_LIST_MODEL (self);
}
