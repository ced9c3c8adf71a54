/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Objects that a test makes by a C compiler of the system.
 */

#pragma once

#include <gio/gio.h>

/* The object of @source, a file's name, or C text where it has more than one line; NULL where there is no @compiler. A
 * compile that fails ends the test. @options: with spaces between them. */
GBytes *code_object_compile (const char *compiler,
                             const char *options,
                             const char *source);
