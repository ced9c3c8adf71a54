/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PJRT's client. It has one device of the library, presented as one or as several devices of PJRT. Everything is
 * created with the client and immutable, except for the data that frameworks attach to memories and the history of
 * callers' behaviour.
 */

#pragma once

#include "client/wait-history.h"
#include "compiler/counters.h"
#include "execute/program.h"
#include "pjrt/abi.h"
#include "pjrt/options/client-options.h"
#include "pjrt/queue.h"

G_BEGIN_DECLS

struct PJRT_DeviceDescription
{
  int   id;             /* counted from 0; local and global numbers are the same, since there is one process */
  char *kind;           /* the model: "AMD EPYC" */
  char *name;           /* "GhloDevice(id=0)" */
  char *debug;          /* the name with the model */
};

/* Kinds of memory. The host kinds, pinned or not, are host memory. Devices that work in host memory keep everything
 * there, so for them the kinds differ only in their names, which programs use. Other devices only have the first
 * kind. */
enum
{
  GHLO_PJRT_MEMORY_DEVICE,      /* the default */
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
  GMutex       lock;            /* guards the table below */
  GHashTable  *user_data;       /* data that frameworks attach, by keys that are addresses of theirs, with its
                                   destroy functions */
};

struct PJRT_Device
{
  PJRT_Client            *client;
  GhloDeviceCore         *core;         /* borrowed; belongs to the process */
  PJRT_DeviceDescription  description;
  PJRT_Memory             all[GHLO_PJRT_N_MEMORIES];
  PJRT_Memory            *memories[GHLO_PJRT_N_MEMORIES];       /* the memories as a list for callers; the next two
                                                                   fields are such lists too */
  guint                   n_memories;
  PJRT_Device            *self;
  GMutex                  lock;         /* guards the queue below */
  GQueue                  launches;     /* the running executions that have a launch number, oldest first */
};

struct PJRT_TopologyDescription
{
  PJRT_Client             *client;
  PJRT_DeviceDescription **descriptions;        /* the client's list of its devices' descriptions */
  gboolean                 is_apart;            /* it was created by a caller, who owns it together with its
                                                   reference to the client */
};

struct PJRT_Client
{
  gatomicrefcount          ref_count;   /* the caller's reference, and those of buffers and executables */
  GhloDeviceCore          *core;
  char                    *version;     /* of the platform */
  PJRT_Device             *all;         /* n_devices entries, owned */
  PJRT_Device            **devices;     /* the same as a list of pointers, owned, as is the next */
  PJRT_Memory            **memories;
  guint                    n_devices, n_memories;
  PJRT_TopologyDescription topology;
  GhloCounters            *counters;
  GhloPjrtQueue           *queue;       /* for all of its devices; NULL where the device has a queue of its own */
  GhloWaitHistory               history;      /* of the callers that run programs which might continue after the call */
};

#define GHLO_PJRT_PLATFORM "ghlo"

PJRT_Client *ghlo_pjrt_client_new   (const GhloPjrtOptions  *options,
                                     GError                **error);
PJRT_Client *ghlo_pjrt_client_ref   (PJRT_Client *self);
void         ghlo_pjrt_client_unref (PJRT_Client *self);
/* Initializes a memory that is filled with zeros. */
void         ghlo_pjrt_memory_init  (PJRT_Memory *self,
                                     PJRT_Device *device,
                                     guint        kind);
void         ghlo_pjrt_memory_clear (PJRT_Memory *self);
/* Records that an execution, to which the caller gave the number @id, runs until @end. */
void         ghlo_pjrt_device_add_launch (PJRT_Device *self,
                                          int          id,
                                          GhloFence   *end);
void         ghlo_pjrt_device_clear (PJRT_Device *self);
/* Returns NULL when there is no device with this number. */
PJRT_Device *ghlo_pjrt_client_find  (PJRT_Client *self,
                                     gint64       id);

void         ghlo_pjrt_client_add_functions   (PJRT_Api *api);
void         ghlo_pjrt_device_add_functions   (PJRT_Api *api);
void         ghlo_pjrt_memory_add_functions   (PJRT_Api *api);
void         ghlo_pjrt_topology_add_functions (PJRT_Api *api);

G_END_DECLS
