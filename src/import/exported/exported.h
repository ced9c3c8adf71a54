/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files of jax.export (Exported.serialize): a flatbuffer that contains a portable artifact and the calling convention
 * of the exported function (JAX: jax/_src/export/serialization.fbs).
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

typedef struct _GhloExported
{
  char     *function_name;
  char    **platforms;               /* NULL-terminated */
  guint     calling_convention;      /* its version */
  guint     n_devices;
  gboolean  uses_global_constants;
  guint     n_inputs;                /* flat arguments of the function */
  guint    *kept_inputs;             /* indices of the inputs that the module's main takes, in order */
  guint     n_kept_inputs;
  char    **input_paths, **output_paths;   /* paths of the leaves of the trees: "[0]['w']"; NULL-terminated */
  char    **input_types, **output_types;   /* "f32[2,3]", one for each flat value */
  char     *input_tree, *output_tree;      /* "((*, {'b': *, 'w': *}), {})" */
} GhloExported;

/* Whether @data begins like such a file. */
gboolean      ghlo_exported_is     (const guint8    *data,
                                    gsize            size);
/* Reads the file. @module is set to the artifact inside, a slice
 * of @bytes. Returns NULL after adding an error to @diagnostics. */
GhloExported *ghlo_exported_read   (GBytes          *bytes,
                                    GBytes         **module,
                                    GhloDiagnostics *diagnostics);
void          ghlo_exported_free   (GhloExported    *self);

/* Replaces the input that selects the platform by a constant: "cpu"
 * if the program was exported for it, else the first platform. */
void          ghlo_exported_bind_platform (const GhloExported *self,
                                           GhloIrModule       *module);
/* Names the entry's unnamed inputs and outputs after their paths. */
void          ghlo_exported_name_values (const GhloExported *self,
                                         GhloIrModule       *module);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloExported, ghlo_exported_free)

G_END_DECLS
