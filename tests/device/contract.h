/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the cases of the contract share: the device under test and its parts, bytes in its memory, programs on it, and
 * the failures that it can be made to have.
 */

#pragma once

#include "compiler/devices.h"
#include "runtime/place.h"

G_BEGIN_DECLS

/* The device under test; another instance once the first one was lost. */
GhloDeviceCore   *contract_device        (void);
/* Opens it, if that takes anything. */
void              contract_open          (void);
/* Its parts, when it is open. NULL, with the case skipped, where it has none. */
GhloDeviceMemory *contract_memory        (void);
GhloDeviceQueue  *contract_queue         (void);
const GhloCommandBufferClass *contract_command_buffers (void);

/* Fills in @n bytes that differ from those of other seeds, and from bytes that nobody wrote. */
void              contract_fill          (guint8             *bytes,
                                          gsize               n,
                                          guint               seed);
/* Whether the bytes are those. */
gboolean          contract_is_filled     (const guint8       *bytes,
                                          gsize               n,
                                          guint               seed);

/* Calls of the device's memory, none of which may fail. */
guint8           *contract_alloc         (GhloMemoryKind      kind,
                                          gsize               size,
                                          guint8            **host);       /* nullable */
void              contract_free          (gpointer            address,
                                          gsize               size);
void              contract_upload        (gconstpointer       from,
                                          gpointer            to,
                                          gsize               size);
void              contract_download      (gconstpointer       from,
                                          gpointer            to,
                                          gsize               size);
void              contract_copy          (gconstpointer       from,
                                          gpointer            to,
                                          gsize               size);
/* The same with the bytes of a seed. */
void              contract_upload_filled (gpointer            to,
                                          gsize               size,
                                          guint               seed);
gboolean          contract_holds_filled  (gconstpointer       from,
                                          gsize               size,
                                          guint               seed);
/* Waits until everything in the queue has been done, without an error. */
void              contract_finish        (void);

/* Programs. A number is a tensor<4xi32> whose elements all have the value. */
enum { CONTRACT_N = 4 };

#define CONTRACT_NUMBER "tensor<4xi32>"

GhloIrModule     *contract_parse         (const char         *text);
GhloPrepared     *contract_prepare       (const char         *text);
GhloValue        *contract_number        (gint32              number);
/* Waits for the number, and compares it. */
void              contract_assert_number (GhloValue          *value,
                                          gint32              number);
/* Begins a run with one output. */
GhloValue        *contract_start         (GhloPrepared       *prepared,
                                          const GhloRunOptions *options,
                                          GhloValue *const   *inputs,
                                          gsize               n_inputs);
/* What reading the value fails with; the caller frees it. */
GError           *contract_get_error     (GhloValue          *value);

/* Runs @func on @n threads at once, each with its number. */
void              contract_run_threads   (guint               n,
                                          void              (*func) (guint thread));

/* What a device can be made to fail at. */
typedef enum
{
  CONTRACT_ALLOCATE,
  CONTRACT_UPLOAD,
  CONTRACT_DOWNLOAD,
  CONTRACT_COPY,
  CONTRACT_PREPARE,
  CONTRACT_START,
  CONTRACT_RUN,        /* the work of a run that was begun */
  CONTRACT_N_FAULTS
} ContractFault;

/* Whether the device can be made to fail; otherwise the case is skipped. */
gboolean          contract_can_fail      (void);
/* Makes the next such call fail with @code. With DEVICE_LOST the device goes away. */
void              contract_fail          (ContractFault       fault,
                                          GhloError           code);
/* Makes the work of each run take @microseconds. Nothing where the device cannot be slowed down. */
void              contract_slow_down     (guint               microseconds);
/* Fails if the device still has something that a case made. Nothing where that cannot be known. */
void              contract_assert_nothing_left (void);

/* Adds a case, which leaves nothing behind. */
void              contract_add           (const char         *path,
                                          void              (*func) (void));
void              contract_add_memory_cases   (void);
void              contract_add_queue_cases    (void);
void              contract_add_step_cases     (void);
void              contract_add_command_cases  (void);
void              contract_add_predicate_cases (void);
void              contract_add_program_cases  (void);
void              contract_add_failure_cases  (void);

G_END_DECLS
