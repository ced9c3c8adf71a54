/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The trees in a file of jax.export: the Python containers
 * that a function's arguments and results were flattened from.
 */

#pragma once

#include "import/exported/flatbuffer.h"

G_BEGIN_DECLS

/* Appends the path of each leaf to @paths (owned strings), spelled like JAX's keystr, and the tree as JAX prints it
 * to @text. In the tree of the arguments, ((positional…), {named}), paths start below that pair: "[0]['w']" belongs
 * to the first positional argument, "['scale']" is a named one. */
gboolean ghlo_exported_read_tree (GhloFlatbuffer      *file,
                                  const GhloFlatTable *tree,
                                  gboolean             arguments,
                                  GPtrArray           *paths,
                                  GString             *text);

G_END_DECLS
