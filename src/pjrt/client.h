/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PJRT's client: one device of the library's, as one device of PJRT's or as several. All of it is made with the
 * client, and does not change, but for what frameworks keep with memories and what is known of callers.
 */

#pragma once

#include "client/wait-history.h"
#include "compiler/counters.h"
#include "pjrt/abi.h"
#include "pjrt/options/client-options.h"
#include "pjrt/queue.h"
#include "runtime/device.h"

G_BEGIN_DECLS

struct PJRT_DeviceDescription
{
  int   id;             /* counted from 0, here as in the whole world: there is one process */
  char *kind;           /* what it is: "AMD EPYC" */
  char *name;           /* "GhloDevice(id=0)" */
  char *debug;          /* with what it is */
};

/* What is called pinned or not is the host's memory, where devices that work there keep all that they have: the kinds
 * differ in nothing then but their names, which programs go by. Others have the first alone. */
enum
{
  GHLO_PJRT_MEMORY_DEVICE,      /* the default one */
  GHLO_PJRT_MEMORY_PINNED_HOST,
  GHLO_PJRT_MEMORY_UNPINNED_HOST,
  GHLO_PJRT_N_MEMORIES,
};
extern const char *const ghlo_pjrt_memory_kinds[GHLO_PJRT_N_MEMORIES];

struct PJRT_Memory
{
  const PJRT_Memory_FunctionTable *vtable;
  PJRT_Device *device;
  guint        kind;
  char        *name;    /* "device memory of GhloDevice(id=0)" */
  GMutex       lock;            /* guards what follows */
  GHashTable  *user_data;       /* what frameworks keep here, by addresses of theirs, with what frees it */
};

struct PJRT_Device
{
  PJRT_Client            *client;
  GhloDeviceCore         *core;         /* of the process */
  PJRT_DeviceDescription  description;
  PJRT_Memory             all[GHLO_PJRT_N_MEMORIES];
  PJRT_Memory            *memories[GHLO_PJRT_N_MEMORIES];       /* a list for callers, as the next */
  guint                   n_memories;
  PJRT_Device            *self;
  GMutex                  lock;         /* guards what follows */
  GQueue                  launches;     /* of executions that go on and have a number, the earliest first */
};

struct PJRT_TopologyDescription
{
  PJRT_Client             *client;
  PJRT_DeviceDescription **descriptions;        /* the client's list, of the devices */
  gboolean                 is_apart;            /* it is the caller's, as is its reference to the client */
};

struct PJRT_Client
{
  gatomicrefcount          ref_count;   /* the caller's, and those of buffers and executables */
  GhloDeviceCore          *core;
  char                    *version;     /* of the platform */
  PJRT_Device             *all;         /* n_devices of them, owned */
  PJRT_Device            **devices;     /* the same as lists, owned, as the next */
  PJRT_Memory            **memories;
  guint                    n_devices, n_memories;
  PJRT_TopologyDescription topology;
  GhloCounters            *counters;
  GhloPjrtQueue           *queue;       /* of its devices; NULL where they have their own */
  GhloWaitHistory               history;      /* of those who have it run what might go on after the call */
};

#define GHLO_PJRT_PLATFORM "ghlo"

PJRT_Client *ghlo_pjrt_client_new   (const GhloPjrtOptions  *options,
                                     GError                **error);
PJRT_Client *ghlo_pjrt_client_ref   (PJRT_Client *self);
void         ghlo_pjrt_client_unref (PJRT_Client *self);
/* Of a memory of zeros. */
void         ghlo_pjrt_memory_init  (PJRT_Memory *self,
                                     PJRT_Device *device,
                                     guint        kind);
void         ghlo_pjrt_memory_clear (PJRT_Memory *self);
/* An execution that @id, the caller's, is the number of goes on until @end. */
void         ghlo_pjrt_device_add_launch (PJRT_Device *self,
                                          int          id,
                                          GhloPending *end);
void         ghlo_pjrt_device_clear (PJRT_Device *self);
/* NULL where there is none of that number. */
PJRT_Device *ghlo_pjrt_client_find  (PJRT_Client *self,
                                     gint64       id);

void         ghlo_pjrt_client_add_functions   (PJRT_Api *api);
void         ghlo_pjrt_device_add_functions   (PJRT_Api *api);
void         ghlo_pjrt_memory_add_functions   (PJRT_Api *api);
void         ghlo_pjrt_topology_add_functions (PJRT_Api *api);

G_END_DECLS
