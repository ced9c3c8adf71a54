/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Between the files that call oneDNN.
 */

#pragma once

#include "cpu/library/onednn.h"

#include "cpu/library/onednn-functions.h"

G_BEGIN_DECLS

enum { GHLO_CPU_PRIMITIVE_MAX_MEMORIES = 4 };

/* What a primitive works on: oneDNN's number for the argument and the layout. */
typedef struct
{
  int                argument;
  dnnl_memory_desc_t layout;
} GhloCpuPrimitiveMemory;

struct _GhloCpuPrimitive
{
  gatomicrefcount        ref_count;
  dnnl_primitive_desc_t  description;
  GMutex                 lock;          /* guards making the primitive, and the spare objects */
  dnnl_primitive_t       primitive;     /* NULL before it is compiled */
  char                  *name;
  gsize                  scratch_size;
  dnnl_memory_desc_t     scratch_layout;
  GhloCpuPrimitiveMemory memories[GHLO_CPU_PRIMITIVE_MAX_MEMORIES];
  guint                  n_memories;
  struct _Objects       *spare;         /* what earlier runs left for the next ones, a list */
};

dnnl_engine_t     ghlo_cpu_onednn_engine (void);
/* The caller's thread count, to be given back. One inside. */
int               ghlo_cpu_onednn_enter  (void);
void              ghlo_cpu_onednn_leave  (int threads);

/* The primitive of a description that one of oneDNN's dnnl_*_desc_init() has filled in,
 * from the cache or made, compiled or not. @arguments are those whose layouts the primitive decides or
 * repeats. */
GhloCpuPrimitive *ghlo_cpu_primitive_get (gconstpointer    description,
                                          gsize            size,
                                          const int       *arguments,
                                          guint            n_arguments);
/* The same for a copy from one layout into another. */
GhloCpuPrimitive *ghlo_cpu_primitive_get_reorder (const dnnl_memory_desc_t *from,
                                                  const dnnl_memory_desc_t *to);
/* @data in the order of the memories of the primitive, which is compiled. */
gboolean          ghlo_cpu_primitive_run (GhloCpuPrimitive *self,
                                          gpointer const   *data,
                                          gpointer          scratch,
                                          GError          **error);

G_END_DECLS
