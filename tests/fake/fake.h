/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A device for tests, "fake", apart from the processor as a graphics card is: the host does not see its memory, its
 * runs end later, on a thread of its own, and its calls fail when they are told to. It runs what the CPU prepared.
 */

#pragma once

#include "base/ghlo-error.h"
#include "runtime/device.h"

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

/* Of all fake devices of the process. */
typedef struct
{
  guint n_calls[FAKE_N_CALLS];    /* from the beginning */
  guint n_storages, n_prepared;   /* that exist */
  guint n_runs;                   /* that go on, copies among them */
  gsize n_bytes;                  /* of memory in use */
} FakeFigures;

void        fake_get_figures (FakeFigures *figures);
/* Fails the test when something exists, or values are held, that does not go within so many microseconds: what a worker
 * or the device still has after an answer goes soon. */
void        fake_assert_nothing_left (gint64 microseconds);

/* Has the @n-th such call from here on fail with @code, which DEVICE_LOST has lose the device; 0 for none. */
void        fake_fail        (FakeCall     call,
                              guint        n,
                              GhloError    code);
/* Whether it came to that. */
gboolean    fake_has_failed  (void);
/* Has each such call take at least so many microseconds, unless it is cancelled. */
void        fake_take_time   (FakeCall     call,
                              guint        microseconds);
const char *fake_call_name   (FakeCall     call);

/* Adds a device unless there is one: another instance when the one before was lost. */
void        fake_find_devices (GPtrArray *devices);

G_END_DECLS
