/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compiled programs as bytes, and back.
 */

#pragma once

#include "compiler/executable-core.h"

G_BEGIN_DECLS

/* Fills in all of @request but the counters from what ghlo_executable_core_serialize ()
 * gave: DATA for what is none, DEVICE when there is no device of its kind. */
GBytes   *ghlo_executable_core_serialize (const GhloExecutableCore *self,
                                          const GhloMonitor        *monitor,
                                          GError                  **error);
gboolean  ghlo_compile_request_read      (GhloCompileRequest *request,
                                          GBytes             *bytes,
                                          const GhloMonitor  *monitor,
                                          GError            **error);

G_END_DECLS
