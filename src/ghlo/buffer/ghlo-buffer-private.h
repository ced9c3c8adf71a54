/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Buffers from the inside: an object over a value of the runtime.
 */

#pragma once

#include "ghlo-buffer.h"
#include "runtime/value.h"

G_BEGIN_DECLS

/* Takes the reference over. NULL for NULL: a call that failed. */
GhloBuffer *ghlo_buffer_new_for_value (GhloValue   *value);

/* The same, but NULL for NULL, and DATA when a byte is no value of a type under 8
 * bits. */
GhloBuffer *ghlo_buffer_new_checked   (GhloValue   *value,
                                       GError     **error);

/* DATA when a byte of a tensor in host memory is no value of a type under 8 bits. */
gboolean    ghlo_buffer_check_elements (const GhloValue *value,
                                       GError         **error);

/* The value, for a call that is being made; INVALID_ARGUMENT for a buffer that
 * was released or never held anything. */
GhloValue  *ghlo_buffer_take_value    (GhloBuffer  *self,
                                       GError     **error);

G_END_DECLS
