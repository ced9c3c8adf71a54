/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A device for tests, "fake", which behaves like a discrete graphics card: the host does not see its memory, a thread
 * of its own does its work, and its calls fail on request. It is the example of a device: calls.h lists its parts. What
 * it computes, it computes by steps of the CPU.
 */

#pragma once

#include "execute/program.h"
#include "faults.h"

G_BEGIN_DECLS

/* Fails the test when objects or values of the device still exist after @microseconds. The wait is there because a
 * worker or the device may release its last ones shortly after an answer. */
void        fake_assert_nothing_left (gint64 microseconds);

/* Makes each such call take at least @microseconds, unless it is cancelled. */
void        fake_take_time   (FakeCall     call,
                              guint        microseconds);

/* Adds the device to @devices if it is not there; a new instance after the previous one was lost. */
void        fake_find_devices (GPtrArray *devices);

G_END_DECLS
