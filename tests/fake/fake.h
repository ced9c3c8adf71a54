/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A device for tests, "fake", apart from the processor as a graphics card is: the host does not see its memory, its
 * runs end later, on a thread of its own, and its calls fail when they are told to. It runs what the CPU prepared.
 */

#pragma once

#include "faults.h"
#include "runtime/device.h"

G_BEGIN_DECLS

/* Fails the test when something exists, or values are held, that does not go within so many microseconds: what a worker
 * or the device still has after an answer goes soon. */
void        fake_assert_nothing_left (gint64 microseconds);

/* Has each such call take at least so many microseconds, unless it is cancelled. */
void        fake_take_time   (FakeCall     call,
                              guint        microseconds);

/* Adds a device unless there is one: another instance when the one before was lost. */
void        fake_find_devices (GPtrArray *devices);

G_END_DECLS
