/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Controls of the fake device for tests in any language: which call is to fail, how many calls there were, which
 * objects are left. The typelib "Fake" has these functions for scripts.
 */

#pragma once

#include <gmodule.h>

#include "base/ghlo-error.h"

G_BEGIN_DECLS

/* The calls that are counted, and that can be made to fail or take time. */
typedef enum
{
  FAKE_ALLOCATE,
  FAKE_UPLOAD,
  FAKE_DOWNLOAD,
  FAKE_COPY,
  FAKE_PREPARE,      /* of a step */
  FAKE_START,        /* of commands */
  FAKE_RUN,          /* their work after the start */
  FAKE_N_CALLS
} FakeCall;

/* Makes the @n-th such call from now on fail with @code; 0 for none. With DEVICE_LOST the device is lost. */
G_MODULE_EXPORT
void        fake_fail          (FakeCall   call,
                                guint      n,
                                GhloError  code);
/* Returns whether that call has failed. */
G_MODULE_EXPORT
gboolean    fake_has_failed    (void);
/* Counts from the beginning of the process, over all fake devices. */
G_MODULE_EXPORT
guint       fake_count_calls   (FakeCall   call);
G_MODULE_EXPORT
const char *fake_call_name     (FakeCall   call);
/* Describes what exists on all fake devices, and the memory of the process' values; empty when there is nothing. */
G_MODULE_EXPORT
char       *fake_describe_left (void);

G_END_DECLS
