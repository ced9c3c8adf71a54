/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * For loops that poll for the progress of another thread or of a device.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

static inline void
ghlo_relax (void)
{
#if defined __x86_64__ || defined __i386__
  __builtin_ia32_pause ();
#elif defined __aarch64__
  __asm__ volatile ("yield");
#endif
}

G_END_DECLS
