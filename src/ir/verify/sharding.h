/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Checks of sdy's attributes by the rules of Shardy's verifier (openxla/shardy, shardy/dialect/sdy/ir/verifiers.cc).
 *
 * An attribute by itself is checked with its operation; what refers to a mesh, after the walk. Attributes may come from
 * untrusted sources, so lists are sorted or hashed instead of being compared item by item. Functions return a sentence
 * that says what is wrong and that the caller frees, or NULL. Attributes nested in sdy's are compared by pointer: the
 * parser creates them all in one spelling.
 */

#pragma once

#include "ir/sdy-attr.h"
#include "ir/verify/common.h"

G_BEGIN_DECLS

/* An axis of a mesh or a part of one. */
typedef struct
{
  const GhloIrAttr *name;       /* a STRING */
  gint64            before;     /* the size of the part of the axis before this one; 1 for a whole axis */
  gint64            size;       /* of the part; that of the axis if it is whole */
  guint             index;      /* of the axis in the mesh */
  gboolean          is_part;
} GhloIrMeshAxis;

typedef struct
{
  GhloSdyAttr  attr;            /* of kind MESH */
  gint64      *sizes;           /* owned; of the axes */
  GHashTable  *indices;         /* owned; of the axes by name, plus 1 */
} GhloIrMesh;

/* Checks an attribute of sdy by itself. */
char             *ghlo_ir_sdy_problem          (GhloIrModule      *module,
                                                const GhloIrAttr  *attr);

/* Reads the mesh that @sharding names, as seen from @from, or that it carries. Clear @self also on failure. */
char             *ghlo_ir_mesh_read            (GhloIrMesh        *self,
                                                GhloIrModule      *module,
                                                const GhloIrOp    *from,
                                                const GhloSdyAttr *sharding);
void              ghlo_ir_mesh_clear           (GhloIrMesh        *self);
gboolean          ghlo_ir_mesh_equal           (const GhloIrMesh  *self,
                                                const GhloIrMesh  *other);

/* Appends the axes of @list to @axes, a GArray of GhloIrMeshAxis. Checks that the mesh has them and that none
 * continues the one before it, and their order in the mesh if the list has a @name that demands it. */
char             *ghlo_ir_axes_append          (GArray            *axes,
                                                const GhloIrMesh  *mesh,
                                                GhloIrModule      *module,
                                                const GhloSdyField *list,
                                                const char        *name);
/* Sorts @axes, then checks that no two overlap and that each part is a part of its axis. */
char             *ghlo_ir_axes_check           (GArray            *axes,
                                                const GhloIrMesh  *mesh);
static inline gboolean
ghlo_ir_axis_overlaps (const GhloIrMeshAxis *self,
                       const GhloIrMeshAxis *other)
{
  /* Both are parts of a mesh that was checked, so the products divide the size of an axis. */
  return self->index == other->index && self->before < other->before * other->size
         && other->before < self->before * self->size;
}

/* Checks the sharding of a value of @type at @op, or of no value if @type is NULL. */
char             *ghlo_ir_sharding_problem     (GhloIrModule      *module,
                                                const GhloIrOp    *op,
                                                const GhloIrAttr  *sharding,
                                                const GhloIrType  *type);
/* Checks the shardings of @n values; @types is called with the index of each. */
typedef const GhloIrType *(*GhloIrTypeAt) (const GhloIrOp *op, guint index);
char             *ghlo_ir_shardings_problem    (GhloIrModule      *module,
                                                const GhloIrOp    *op,
                                                const GhloIrAttr  *shardings,
                                                GhloIrTypeAt       types,
                                                guint              n);
/* Checks that no manual computation around @op has an axis of @names. */
char             *ghlo_ir_manual_axes_problem  (GhloIrModule      *module,
                                                const GhloIrOp    *op,
                                                GHashTable        *names);
/* Returns the sharding that the program states for a value, or NULL. */
const GhloIrAttr *ghlo_ir_value_get_sharding   (GhloIrModule      *module,
                                                const GhloIrValue *value);
/* The checks of the rows and of sdy's discardable attributes. */
char             *ghlo_ir_manual_problem       (GhloIrModule      *module,
                                                const GhloIrOp    *op);
char             *ghlo_ir_constraint_problem   (GhloIrModule      *module,
                                                const GhloIrOp    *op);
char             *ghlo_ir_rule_problem         (GhloIrModule      *module,
                                                const GhloIrOp    *op,
                                                const GhloIrAttr  *rule);
char             *ghlo_ir_edges_problem        (GhloIrModule      *module,
                                                const GhloIrOp    *op,
                                                const GhloIrAttr  *edges);
/* Defers the check of sdy's attributes of @op until the walk has seen all meshes. Returns TRUE. */
gboolean          ghlo_ir_verify_shardings     (GhloIrVerifier    *verifier,
                                                const GhloIrOp    *op);

static inline gint64
ghlo_ir_sdy_integer (const GhloSdyField *field,
                     gsize               index)
{
  return g_array_index (field->integers, gint64, index);
}

static inline const GhloIrAttr *
ghlo_ir_sdy_child (const GhloSdyAttr *self,
                   guint              field,
                   gsize              index)
{
  return g_ptr_array_index (self->fields[field].attrs, index);
}

/* Reads an attribute that was checked by itself. Returns FALSE if it is of another kind. */
static inline gboolean
ghlo_ir_sdy_read (GhloSdyAttr      *self,
                  GhloIrModule     *module,
                  const GhloIrAttr *attr,
                  GhloSdyKind       kind)
{
  g_autofree char *problem = NULL;

  ghlo_sdy_attr_init (self, kind);
  if (attr == NULL || !ghlo_sdy_attr_is (attr, kind))
    return FALSE;
  problem = ghlo_sdy_attr_parse (self, module, attr);

  return problem == NULL;
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GhloIrMesh, ghlo_ir_mesh_clear)

G_END_DECLS
