/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a test in any language tells the fake device and asks it: which call is to fail, how many there were, what is
 * left. A typelib, "Fake", has these functions for scripts.
 */

#pragma once

#include <gmodule.h>

#include "base/ghlo-error.h"

G_BEGIN_DECLS

/* What is counted, and may fail or take time. */
typedef enum
{
  FAKE_ALLOCATE,
  FAKE_UPLOAD,
  FAKE_DOWNLOAD,
  FAKE_COPY,
  FAKE_PREPARE,
  FAKE_START,
  FAKE_RUN,          /* what a run does after it was started */
  FAKE_N_CALLS
} FakeCall;

/* Has the @n-th such call from here on fail with @code, which DEVICE_LOST has lose the device; 0 for none. */
G_MODULE_EXPORT
void        fake_fail          (FakeCall   call,
                                guint      n,
                                GhloError  code);
/* Whether it came to that. */
G_MODULE_EXPORT
gboolean    fake_has_failed    (void);
/* From the beginning of the process, on all fake devices. */
G_MODULE_EXPORT
guint       fake_count_calls   (FakeCall   call);
G_MODULE_EXPORT
const char *fake_call_name     (FakeCall   call);
/* What exists on all fake devices, and the memory that values of the process take; empty when there is nothing. */
G_MODULE_EXPORT
char       *fake_describe_left (void);

G_END_DECLS
