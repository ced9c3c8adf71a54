/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Positions along some axes of a mesh; the processes of a manual computation have one each.
 */

#include "pjrt/sharding/sharding.h"

#include <string.h>

#include "pjrt/sharding/mesh.h"

void
ghlo_pjrt_positions_clear (GhloPjrtPositions *self)
{
  g_clear_pointer (&self->offsets, g_free);
  g_clear_pointer (&self->positions, g_free);
  g_clear_pointer (&self->partitions, g_free);
  g_clear_pointer (&self->places, g_free);
}

gboolean
ghlo_pjrt_positions_read (GhloPjrtPositions  *self,
                          GhloIrModule       *module,
                          const GhloIrOp     *from,
                          const GhloIrAttr   *attr,
                          const GhloIrAttr   *axes,
                          guint               n_partitions,
                          GError            **error)
{
  g_auto (GhloPjrtMesh) mesh = { 0 };
  g_auto (GhloSdyAttr) sharding = { 0 }, kept = { 0 };
  gint64 strides[GHLO_PJRT_MAX_AXES];

  if (!ghlo_pjrt_read_sdy (module, attr, GHLO_SDY_SHARDING, &sharding, error)
      || !ghlo_pjrt_mesh_read (&mesh, module, from, &sharding, n_partitions, error)
      || !ghlo_pjrt_read_sdy (module, axes, GHLO_SDY_MANUAL_AXES, &kept, error))
    return FALSE;
  memcpy (strides, mesh.strides, sizeof strides);
  *self = (GhloPjrtPositions) {
    .n_partitions = n_partitions, .n = ghlo_pjrt_mesh_keep_axes (&mesh, &kept),
    .positions = g_new0 (guint, n_partitions), .partitions = g_new (guint, n_partitions),
    .places = g_new (guint, n_partitions),
  };
  self->offsets = g_new0 (guint, self->n);
  for (guint place = 0; place < n_partitions; place++)
    {
      guint offset = 0;

      for (guint i = 0; i < mesh.n_axes; i++)
        if (mesh.strides[i] > 0)
          {
            guint index = (guint) (place / strides[i] % mesh.sizes[i]);

            self->positions[place] += index * (guint) mesh.strides[i];
            offset += index * (guint) strides[i];
          }
      self->offsets[self->positions[place]] = offset;
      self->partitions[place] = ghlo_pjrt_mesh_partition_at (&mesh, place);
      self->places[self->partitions[place]] = place;
    }

  return TRUE;
}
