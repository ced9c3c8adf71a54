/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The internal interface of buffers: objects that wrap values of the runtime.
 */

#pragma once

#include "ghlo-buffer.h"
#include "runtime/value.h"

G_BEGIN_DECLS

/* Takes ownership of @value. Returns NULL for NULL, so that a failed call can be passed on. */
GhloBuffer *ghlo_buffer_new_for_value (GhloValue   *value);

/* The same, but also returns NULL with a DATA error when a byte is not a valid value of an element type of
 * less than 8 bits. */
GhloBuffer *ghlo_buffer_new_checked   (GhloValue   *value,
                                       GError     **error);

/* FALSE with a DATA error when a byte of a tensor in host memory is not a valid value of an element type of
 * less than 8 bits. */
gboolean    ghlo_buffer_check_elements (const GhloValue *value,
                                       GError         **error);

/* The buffer's value with a reference, for the arguments of a call. INVALID_ARGUMENT for a buffer that was
 * released or never held anything. */
GhloValue  *ghlo_buffer_take_value    (GhloBuffer  *self,
                                       GError     **error);

G_END_DECLS
