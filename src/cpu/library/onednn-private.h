/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the files that call oneDNN.
 */

#pragma once

#include "cpu/library/onednn.h"

#include "cpu/library/onednn-functions.h"

G_BEGIN_DECLS

/* The memory of a primitive that is its weights, or B, is always number WEIGHTS. */
enum { GHLO_CPU_PRIMITIVE_WEIGHTS = 1, GHLO_CPU_PRIMITIVE_MAX_MEMORIES = 4 };

/* An argument of a primitive: oneDNN's number for it, and its layout. */
typedef struct
{
  int                argument;
  dnnl_memory_desc_t layout;
} GhloCpuPrimitiveMemory;

struct _GhloCpuPrimitive
{
  gatomicrefcount        ref_count;
  dnnl_primitive_desc_t  description;
  GMutex                 lock;          /* guards creation of the primitive, and the spare objects */
  dnnl_primitive_t       primitive;     /* NULL until it is compiled */
  char                  *name;
  gsize                  scratch_size;
  dnnl_memory_desc_t     scratch_layout;
  GhloCpuPrimitiveMemory memories[GHLO_CPU_PRIMITIVE_MAX_MEMORIES];
  guint                  n_memories;
  struct _Objects       *spare;         /* list of the objects that earlier runs left for later ones */
};

/* oneDNN's name of a type; undefined for those that it lacks. */
dnnl_data_type_t  ghlo_cpu_onednn_type             (GhloElementType                type);
/* All numbers of a program reach oneDNN through these functions, which return FALSE where one does not fit. */
gboolean          ghlo_cpu_onednn_set_numbers      (dnnl_dims_t                    to,
                                                    const gint64                  *numbers,
                                                    guint                          n);
/* Multiplies a number of which oneDNN computes products. */
gboolean          ghlo_cpu_onednn_multiply         (gint64                        *product,
                                                    gint64                         factor);
gboolean          ghlo_cpu_onednn_describe         (dnnl_memory_desc_t            *layout,
                                                    const gint64                  *dimensions,
                                                    guint                          rank,
                                                    dnnl_data_type_t               type,
                                                    dnnl_format_tag_t              tag);
gboolean          ghlo_cpu_onednn_describe_strided (dnnl_memory_desc_t            *layout,
                                                    const gint64                  *dimensions,
                                                    guint                          rank,
                                                    dnnl_data_type_t               type,
                                                    const gint64                  *strides);

dnnl_engine_t     ghlo_cpu_onednn_engine (void);
/* Sets oneDNN's thread count to one and returns the caller's count, which leave () restores. */
int               ghlo_cpu_onednn_enter  (void);
void              ghlo_cpu_onednn_leave  (int threads);

/* Returns the primitive for a description filled in by one of oneDNN's dnnl_*_desc_init(), from the cache or newly
 * created; it may not be compiled yet. @arguments are those whose layouts the primitive decides or repeats. */
GhloCpuPrimitive *ghlo_cpu_primitive_get (gconstpointer    description,
                                          gsize            size,
                                          const int       *arguments,
                                          guint            n_arguments);
/* The same for a copy from one layout to another. */
GhloCpuPrimitive *ghlo_cpu_primitive_get_reorder (const dnnl_memory_desc_t *from,
                                                  const dnnl_memory_desc_t *to);
/* Runs the primitive, which is compiled. @data is in the order of the primitive's memories. */
gboolean          ghlo_cpu_primitive_run (GhloCpuPrimitive *self,
                                          gpointer const   *data,
                                          gpointer          scratch,
                                          GError          **error);

G_END_DECLS
