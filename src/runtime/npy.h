/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * NumPy's .npy files, as described in NumPy's format documentation (versions 1.0
 * to 3.0): reading into tensors and writing tensors.
 */

#pragma once

#include "base/monitor.h"
#include "runtime/value.h"

G_BEGIN_DECLS

/* Reads an array. Its bytes are shared with @file where order and byte order
 * allow. @expected, nullable, says what raw bytes (dtype V1, V2) and integers of
 * one byte stand for, as types that NumPy lacks are saved so. DATA errors. */
GhloValue *ghlo_npy_read (GBytes               *file,
                          const GhloTensorType *expected,
                          GError              **error);
/* Writes @value to a file. Types that NumPy lacks are written as raw bytes (floats) or as
 * integers of one byte. An older file is replaced when all has been written, and stays
 * where that fails. */
gboolean   ghlo_npy_save (const GhloValue      *value,
                          GFile                *file,
                          const GhloMonitor    *monitor,    /* nullable */
                          GError              **error);

G_END_DECLS
