/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Serializes compiled programs, and reads them back.
 */

#pragma once

#include "compiler/executable-core.h"

G_BEGIN_DECLS

/* read () sets all of @request except the counters from bytes that serialize () returned. The error is DATA for other
 * bytes, and DEVICE when there is no device of the kind that the program was compiled for. */
GBytes   *ghlo_executable_core_serialize (const GhloExecutableCore *self,
                                          const GhloMonitor        *monitor,
                                          GError                  **error);
gboolean  ghlo_compile_request_read      (GhloCompileRequest *request,
                                          GBytes             *bytes,
                                          const GhloMonitor  *monitor,
                                          GError            **error);

G_END_DECLS
