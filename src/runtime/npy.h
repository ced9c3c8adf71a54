/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads NumPy's .npy files into tensors and writes tensors to them, as described in NumPy's format documentation
 * (versions 1.0 to 3.0).
 */

#pragma once

#include "base/monitor.h"
#include "runtime/value.h"

G_BEGIN_DECLS

/* Reads an array. The bytes are shared with @file where element order and byte order allow. @expected (nullable) tells
 * what raw bytes (dtype V1, V2) and one-byte integers stand for: types that NumPy lacks are saved as those. Errors are
 * DATA errors. */
GhloValue *ghlo_npy_read (GBytes               *file,
                          const GhloTensorType *expected,
                          GError              **error);
/* Writes @value to a file. Types that NumPy lacks are written as raw bytes (floats) or as one-byte integers. An
 * existing file is replaced once everything has been written, and left as it is on failure. */
gboolean   ghlo_npy_save (const GhloValue      *value,
                          GFile                *file,
                          const GhloMonitor    *monitor,    /* nullable */
                          GError              **error);

G_END_DECLS
