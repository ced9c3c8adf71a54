/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/environment.h"

#include <sys/auxv.h>

gboolean
ghlo_environment_is_trusted (void)
{
  return getauxval (AT_SECURE) == 0;
}

const char *
ghlo_environment_get (const char *name)
{
  return ghlo_environment_is_trusted () ? g_getenv (name) : NULL;
}
