/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parts of the fake device, each of which implements one header of src/device: memory.c, queue.c, commands.c and
 * steps.c. What tests need on top of a device, counting its calls and making them fail, is in faults.c.
 */

#pragma once

#include "fake.h"

G_BEGIN_DECLS

/* Begins every call. Returns FALSE, with @error set, when the call is to fail or was cancelled meanwhile. */
gboolean      fake_begin           (GhloDeviceCore     *device,
                                    FakeCall            call,
                                    const GhloMonitor  *monitor,
                                    GError            **error);

typedef enum { FAKE_STORAGES, FAKE_STEPS, FAKE_TASKS, FAKE_BYTES } FakeFigure;

void          fake_count           (FakeFigure          figure,
                                    gssize              difference);

/* Waits until the queues of all fake devices are empty. */
void          fake_finish          (void);

/* Memory. A device address is one of the host with a bit set that no address of the host has, so that the host faults
 * where it uses one. */
#define FAKE_ADDRESS ((guintptr) 1 << 55)

GhloDeviceMemory *fake_memory_new  (GhloDeviceCore     *device);
/* For work in the queue: the address by which it reads or writes. Aborts for an address of the host. */
guint8       *fake_memory_at       (gconstpointer       address);
/* Says that the block at @address holds what was to be written, or with @error, why it does not. */
void          fake_memory_set_error (GhloDeviceMemory  *self,
                                    gconstpointer       address,
                                    const GError       *error);
/* Returns FALSE with the error of what was to write the block at @address. */
gboolean      fake_memory_check    (GhloDeviceMemory   *self,
                                    gconstpointer       address,
                                    GError            **error);

/* The queue: a thread that calls functions, one at a time, in the order in which they were put in. */
typedef void (*FakeTaskFunc) (gpointer   data,
                              GError   **error);

GhloDeviceQueue *fake_queue_new    (GhloDeviceCore     *device);
/* An error that @func sets is that of the fence that the calling thread adds next. */
void          fake_queue_put       (GhloDeviceQueue    *self,
                                    FakeTaskFunc        func,
                                    gpointer            data);
gboolean      fake_queue_is_idle   (GhloDeviceQueue    *self);
/* Waits for everything put in so far, but not for its success. FALSE when cancelled. */
gboolean      fake_queue_finish    (GhloDeviceQueue    *self,
                                    const GhloMonitor  *monitor,
                                    GError            **error);

extern const GhloCommandBufferClass fake_command_buffers;

/* Steps. Each is one of the CPU's, which works in the memory of the device. */
typedef struct
{
  const GhloStepImplementation *inner;
  gpointer                      compiled;       /* the inner one */
  guint                         n_operands, n_results;
  GhloView                     *views;          /* of operands, then of results, without data */
} FakeStep;

extern const GhloStepImplementation fake_step;

const GhloStepImplementation *fake_find_step (GhloDeviceCore               *self,
                                              const GhloIrOp               *op,
                                              const GhloStepImplementation *previous);
/* Appends a command that runs the step. */
void          fake_commands_put_step (GhloCommandBuffer   *commands,
                                      const FakeStep      *step,
                                      const GhloBufferRef *operands,
                                      const GhloBufferRef *results,
                                      GhloBufferRef        scratch);

G_END_DECLS
