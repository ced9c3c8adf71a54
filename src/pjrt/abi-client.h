/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PJRT's clients, devices, memories and topologies, as far as the plugin uses them.
 */

#pragma once

#include "pjrt/abi-buffer.h"

G_BEGIN_DECLS

/* Clients. */

typedef void (*PJRT_Function) (void);

PJRT_ARGS (Client_Create, const PJRT_NamedValue *create_options; size_t num_options; PJRT_Function kv_get_callback;
           void *kv_get_user_arg; PJRT_Function kv_put_callback; void *kv_put_user_arg; PJRT_Client *client;
           PJRT_Function kv_try_get_callback; void *kv_try_get_user_arg);
PJRT_ARGS (Client_Destroy, PJRT_Client *client);
PJRT_ARGS (Client_PlatformName, PJRT_Client *client; const char *platform_name; size_t platform_name_size);
PJRT_ARGS (Client_ProcessIndex, PJRT_Client *client; int process_index);
PJRT_ARGS (Client_PlatformVersion, PJRT_Client *client; const char *platform_version; size_t platform_version_size);
PJRT_ARGS (Client_TopologyDescription, PJRT_Client *client; PJRT_TopologyDescription *topology);
PJRT_ARGS (Client_Devices, PJRT_Client *client; PJRT_Device *const *devices; size_t num_devices);
PJRT_ARGS (Client_AddressableDevices, PJRT_Client *client; PJRT_Device *const *addressable_devices;
           size_t num_addressable_devices);
PJRT_ARGS (Client_LookupDevice, PJRT_Client *client; int id; PJRT_Device *device);
PJRT_ARGS (Client_LookupAddressableDevice, PJRT_Client *client; int local_hardware_id;
           PJRT_Device *addressable_device);
PJRT_ARGS (Client_AddressableMemories, PJRT_Client *client; PJRT_Memory *const *addressable_memories;
           size_t num_addressable_memories);
PJRT_ARGS (Client_DefaultDeviceAssignment, PJRT_Client *client; int num_replicas; int num_partitions;
           size_t default_assignment_size; int *default_assignment);
PJRT_ARGS (Client_UpdateGlobalProcessInfo, PJRT_Client *client; void *process_infos; size_t num_process_infos);

/* Devices and their memories. A memory begins with a function table, through which frameworks attach data of their
 * own. */

typedef struct
{
  size_t                struct_size;
  PJRT_Extension_Base  *extension_start;
  size_t                instance_struct_size;   /* of the part of PJRT_Memory that callers know: its first word */
  void               *(*get_user_data) (PJRT_Memory    *memory,
                                        const void     *key);
  void                (*set_user_data) (PJRT_Memory    *memory,
                                        const void     *key,
                                        void           *data,
                                        GDestroyNotify  dtor);
} PJRT_Memory_FunctionTable;

PJRT_ARGS (DeviceDescription_Id, PJRT_DeviceDescription *device_description; int id);
PJRT_ARGS (DeviceDescription_ProcessIndex, PJRT_DeviceDescription *device_description; int process_index);
PJRT_ARGS (DeviceDescription_Attributes, PJRT_DeviceDescription *device_description; size_t num_attributes;
           const PJRT_NamedValue *attributes);
PJRT_ARGS (DeviceDescription_Kind, PJRT_DeviceDescription *device_description; const char *device_kind;
           size_t device_kind_size);
PJRT_ARGS (DeviceDescription_DebugString, PJRT_DeviceDescription *device_description; const char *debug_string;
           size_t debug_string_size);
PJRT_ARGS (DeviceDescription_ToString, PJRT_DeviceDescription *device_description; const char *to_string;
           size_t to_string_size);

PJRT_ARGS (Device_GetDescription, PJRT_Device *device; PJRT_DeviceDescription *device_description);
PJRT_ARGS (Device_IsAddressable, PJRT_Device *device; bool is_addressable);
PJRT_ARGS (Device_LocalHardwareId, PJRT_Device *device; int local_hardware_id);
PJRT_ARGS (Device_AddressableMemories, PJRT_Device *device; PJRT_Memory *const *memories; size_t num_memories);
PJRT_ARGS (Device_DefaultMemory, PJRT_Device *device; PJRT_Memory *memory);

typedef struct PJRT_Device_Attributes PJRT_Device_Attributes;
typedef void (*PJRT_Device_AttributesDeleter) (PJRT_Device_Attributes *attributes);

PJRT_ARGS (Device_GetAttributes, PJRT_Device *device; const PJRT_NamedValue *attributes; size_t num_attributes;
           PJRT_Device_Attributes *device_attributes; PJRT_Device_AttributesDeleter attributes_deleter);
PJRT_ARGS (Device_PoisonExecution, PJRT_Device *device; int32_t launch_id; PJRT_Error_Code error_code;
           const char *error_message; size_t error_message_size; bool poisoned; const PJRT_NamedValue *payload;
           size_t num_payload);
PJRT_ARGS (Device_CreateAsyncTrackingEvent, PJRT_Device *device; const char *description; size_t description_size;
           PJRT_AsyncTrackingEvent *event);
PJRT_ARGS (AsyncTrackingEvent_Destroy, PJRT_AsyncTrackingEvent *event);

/* A statistic, and whether its value is known. */
#define PJRT_FIGURE(name) int64_t name; bool name##_is_set

PJRT_ARGS (Device_MemoryStats, PJRT_Device *device; int64_t bytes_in_use;
           PJRT_FIGURE (peak_bytes_in_use); PJRT_FIGURE (num_allocs); PJRT_FIGURE (largest_alloc_size);
           PJRT_FIGURE (bytes_limit); PJRT_FIGURE (bytes_reserved); PJRT_FIGURE (peak_bytes_reserved);
           PJRT_FIGURE (bytes_reservable_limit); PJRT_FIGURE (largest_free_block_bytes); PJRT_FIGURE (pool_bytes);
           PJRT_FIGURE (peak_pool_bytes));
PJRT_ARGS (Device_ClearMemoryStats, PJRT_Device *device);

PJRT_ARGS (Memory_Id, PJRT_Memory *memory; int id);
PJRT_ARGS (Memory_Kind, PJRT_Memory *memory; const char *kind; size_t kind_size);
PJRT_ARGS (Memory_Kind_Id, PJRT_Memory *memory; int kind_id);
PJRT_ARGS (Memory_DebugString, PJRT_Memory *memory; const char *debug_string; size_t debug_string_size);
PJRT_ARGS (Memory_ToString, PJRT_Memory *memory; const char *to_string; size_t to_string_size);
PJRT_ARGS (Memory_AddressableByDevices, PJRT_Memory *memory; PJRT_Device *const *devices; size_t num_devices);

PJRT_ARGS (TopologyDescription_Create, const char *topology_name; size_t topology_name_size;
           const PJRT_NamedValue *create_options; size_t num_options; PJRT_TopologyDescription *topology);
PJRT_ARGS (TopologyDescription_Destroy, PJRT_TopologyDescription *topology);
PJRT_ARGS (TopologyDescription_PlatformName, const PJRT_TopologyDescription *topology; const char *platform_name;
           size_t platform_name_size);
PJRT_ARGS (TopologyDescription_PlatformVersion, PJRT_TopologyDescription *topology; const char *platform_version;
           size_t platform_version_size);
PJRT_ARGS (TopologyDescription_GetDeviceDescriptions, const PJRT_TopologyDescription *topology;
           PJRT_DeviceDescription *const *descriptions; size_t num_descriptions);
PJRT_ARGS (TopologyDescription_Attributes, PJRT_TopologyDescription *topology; const PJRT_NamedValue *attributes;
           size_t num_attributes);
PJRT_ARGS (TopologyDescription_Fingerprint, const PJRT_TopologyDescription *topology; uint64_t fingerprint);
PJRT_ARGS (TopologyDescription_GetMemorySpaceKindIds, const PJRT_TopologyDescription *topology;
           const int *memory_space_kind_ids; size_t num_memory_space_kind_ids);

typedef struct PJRT_SerializedTopology PJRT_SerializedTopology;
typedef void (*PJRT_SerializedTopologyDeleter) (PJRT_SerializedTopology *serialized);

PJRT_ARGS (TopologyDescription_Serialize, PJRT_TopologyDescription *topology; const char *serialized_bytes;
           size_t serialized_bytes_size; PJRT_SerializedTopology *serialized_topology;
           PJRT_SerializedTopologyDeleter serialized_topology_deleter);
PJRT_ARGS (TopologyDescription_Deserialize, const char *serialized_topology; size_t serialized_topology_size;
           PJRT_TopologyDescription *topology);

/* The shape is returned as a serialized xla.ShapeProto. */
PJRT_ARGS (TopologyDescription_MakeCanonicalShapeForMemorySpace, const PJRT_TopologyDescription *topology;
           int memory_space_kind_id; const int64_t *dims; size_t num_dims; PJRT_Buffer_Type element_type;
           const PJRT_Buffer_MemoryLayout *layout; const char *serialized_shape; size_t serialized_shape_size;
           void (*serialized_shape_deleter) (const char *serialized_shape));

G_END_DECLS
