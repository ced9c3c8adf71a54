/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Object files that tests make with the system's C compiler.
 */

#pragma once

#include <gio/gio.h>

/* The object file of @source, which is a file name or, with more than one line, C text; NULL where @compiler is not
 * installed. A failing compile ends the test. @options are separated by spaces. */
GBytes *code_object_compile (const char *compiler,
                             const char *options,
                             const char *source);
