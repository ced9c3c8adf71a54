/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The trees of a file of jax.export: which Python containers the arguments and
 * results of a function were flattened from.
 */

#pragma once

#include "import/exported/flatbuffer.h"

G_BEGIN_DECLS

/* Adds the path of each leaf to @paths (owned strings), spelled as JAX's keystr
 * spells it, and writes the tree to @text as JAX prints it. In the tree of the
 * arguments, ((positional…), {named}), a path starts below that pair: "[0]['w']"
 * is part of the first argument, "['scale']" a named one. */
gboolean ghlo_exported_read_tree (GhloFlatbuffer      *file,
                                  const GhloFlatTable *tree,
                                  gboolean             arguments,
                                  GPtrArray           *paths,
                                  GString             *text);

G_END_DECLS
