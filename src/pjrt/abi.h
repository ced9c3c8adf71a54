/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PJRT's C API at version 0.90, as far as we use it: the names, orders and sizes of openxla/xla's
 * xla/pjrt/c/pjrt_c_api.h, which a test compares with that header where it is installed.
 *
 * Each function takes one structure of arguments, in which it leaves its results as well. The structure says how much
 * of it the caller knows: fields come to its end only, and nobody touches what lies behind. Handles are structures of
 * ours, which callers know nothing of.
 */

#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

G_BEGIN_DECLS

enum { PJRT_API_MAJOR = 0, PJRT_API_MINOR = 90 };

/* Whether the caller's structure reaches to the end of @field. */
#define PJRT_HAS(args, field) \
  ((args)->struct_size >= offsetof (__typeof__ (*(args)), field) + sizeof ((args)->field))

/* What structures of arguments have in front. */
#define PJRT_HEAD \
  size_t struct_size; \
  PJRT_Extension_Base *extension_start

#define PJRT_ARGS(name, ...) \
  typedef struct \
  { \
    PJRT_HEAD; \
    __VA_ARGS__; \
  } PJRT_##name##_Args

typedef struct PJRT_Error               PJRT_Error;
typedef struct PJRT_Event               PJRT_Event;
typedef struct PJRT_Client              PJRT_Client;
typedef struct PJRT_Device              PJRT_Device;
typedef struct PJRT_DeviceDescription   PJRT_DeviceDescription;
typedef struct PJRT_Memory              PJRT_Memory;
typedef struct PJRT_TopologyDescription PJRT_TopologyDescription;
typedef struct PJRT_Executable          PJRT_Executable;
typedef struct PJRT_LoadedExecutable    PJRT_LoadedExecutable;
typedef struct PJRT_Buffer              PJRT_Buffer;
typedef struct PJRT_AsyncTrackingEvent  PJRT_AsyncTrackingEvent;

/* Extensions: a list of structures that begin so, whose kinds not everybody knows. */

typedef enum
{
  PJRT_Extension_Type_Profiler = 1,
  PJRT_Extension_Type_Layouts = 4,
  PJRT_Extension_Type_FFI = 5,
  PJRT_Extension_Type_Shardings = 19,
} PJRT_Extension_Type;

typedef struct _PJRT_Extension_Base
{
  size_t                       struct_size;
  PJRT_Extension_Type          type;
  struct _PJRT_Extension_Base *next;
} PJRT_Extension_Base;

typedef struct
{
  PJRT_HEAD;
  int major_version, minor_version;
} PJRT_Api_Version;

typedef enum
{
  PJRT_NamedValue_kString,
  PJRT_NamedValue_kInt64,
  PJRT_NamedValue_kInt64List,
  PJRT_NamedValue_kFloat,
  PJRT_NamedValue_kBool,
} PJRT_NamedValue_Type;

typedef struct
{
  PJRT_HEAD;
  const char           *name;
  size_t                name_size;
  PJRT_NamedValue_Type  type;
  union
  {
    const char    *string_value;
    int64_t        int64_value;
    const int64_t *int64_array_value;
    float          float_value;
    bool           bool_value;
  };
  size_t                value_size;     /* characters or numbers; 1 for one */
} PJRT_NamedValue;

/* Errors. No error is NULL. */

typedef enum
{
  PJRT_Error_Code_OK = 0,
  PJRT_Error_Code_CANCELLED = 1,
  PJRT_Error_Code_UNKNOWN = 2,
  PJRT_Error_Code_INVALID_ARGUMENT = 3,
  PJRT_Error_Code_RESOURCE_EXHAUSTED = 8,
  PJRT_Error_Code_FAILED_PRECONDITION = 9,
  PJRT_Error_Code_UNIMPLEMENTED = 12,
  PJRT_Error_Code_INTERNAL = 13,
  PJRT_Error_Code_UNAVAILABLE = 14,
} PJRT_Error_Code;

PJRT_ARGS (Error_Destroy, PJRT_Error *error);
PJRT_ARGS (Error_Message, const PJRT_Error *error; const char *message; size_t message_size);
PJRT_ARGS (Error_GetCode, const PJRT_Error *error; PJRT_Error_Code code);

/* The plugin. */

PJRT_ARGS (Plugin_Attributes, const PJRT_NamedValue *attributes; size_t num_attributes);

typedef struct
{
  PJRT_HEAD;
} PJRT_Plugin_Initialize_Args;

/* Events: work that ends some time, with an error or without one. */

typedef void (*PJRT_Event_OnReadyCallback) (PJRT_Error *error,
                                            void       *user_arg);

PJRT_ARGS (Event_Destroy, PJRT_Event *event);
PJRT_ARGS (Event_IsReady, PJRT_Event *event; bool is_ready);
PJRT_ARGS (Event_Error, PJRT_Event *event);
PJRT_ARGS (Event_Await, PJRT_Event *event);
PJRT_ARGS (Event_OnReady, PJRT_Event *event; PJRT_Event_OnReadyCallback callback; void *user_arg);
PJRT_ARGS (Event_Create, PJRT_Event *event);
PJRT_ARGS (Event_Set, PJRT_Event *event; PJRT_Error_Code error_code; const char *error_message;
           size_t error_message_size);

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

/* Devices and their memories. */

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
PJRT_ARGS (Device_CreateAsyncTrackingEvent, PJRT_Device *device; const char *description; size_t description_size;
           PJRT_AsyncTrackingEvent *event);
PJRT_ARGS (AsyncTrackingEvent_Destroy, PJRT_AsyncTrackingEvent *event);

/* A figure, and whether it is known. */
#define PJRT_FIGURE(name) int64_t name; bool name##_is_set

PJRT_ARGS (Device_MemoryStats, PJRT_Device *device; int64_t bytes_in_use;
           PJRT_FIGURE (peak_bytes_in_use); PJRT_FIGURE (num_allocs); PJRT_FIGURE (largest_alloc_size);
           PJRT_FIGURE (bytes_limit); PJRT_FIGURE (bytes_reserved); PJRT_FIGURE (peak_bytes_reserved);
           PJRT_FIGURE (bytes_reservable_limit); PJRT_FIGURE (largest_free_block_bytes); PJRT_FIGURE (pool_bytes);
           PJRT_FIGURE (peak_pool_bytes));

PJRT_ARGS (Memory_Id, PJRT_Memory *memory; int id);
PJRT_ARGS (Memory_Kind, PJRT_Memory *memory; const char *kind; size_t kind_size);
PJRT_ARGS (Memory_Kind_Id, PJRT_Memory *memory; int kind_id);
PJRT_ARGS (Memory_DebugString, PJRT_Memory *memory; const char *debug_string; size_t debug_string_size);
PJRT_ARGS (Memory_ToString, PJRT_Memory *memory; const char *to_string; size_t to_string_size);
PJRT_ARGS (Memory_AddressableByDevices, PJRT_Memory *memory; PJRT_Device *const *devices; size_t num_devices);

PJRT_ARGS (TopologyDescription_Destroy, PJRT_TopologyDescription *topology);
PJRT_ARGS (TopologyDescription_PlatformName, const PJRT_TopologyDescription *topology; const char *platform_name;
           size_t platform_name_size);
PJRT_ARGS (TopologyDescription_PlatformVersion, PJRT_TopologyDescription *topology; const char *platform_version;
           size_t platform_version_size);
PJRT_ARGS (TopologyDescription_GetDeviceDescriptions, const PJRT_TopologyDescription *topology;
           PJRT_DeviceDescription *const *descriptions; size_t num_descriptions);
PJRT_ARGS (TopologyDescription_Attributes, PJRT_TopologyDescription *topology; const PJRT_NamedValue *attributes;
           size_t num_attributes);

/* Buffers. */

typedef enum
{
  PJRT_Buffer_Type_INVALID,
  PJRT_Buffer_Type_PRED,
  PJRT_Buffer_Type_S8, PJRT_Buffer_Type_S16, PJRT_Buffer_Type_S32, PJRT_Buffer_Type_S64,
  PJRT_Buffer_Type_U8, PJRT_Buffer_Type_U16, PJRT_Buffer_Type_U32, PJRT_Buffer_Type_U64,
  PJRT_Buffer_Type_F16, PJRT_Buffer_Type_F32, PJRT_Buffer_Type_F64,
  PJRT_Buffer_Type_BF16,
  PJRT_Buffer_Type_C64, PJRT_Buffer_Type_C128,
  PJRT_Buffer_Type_F8E5M2, PJRT_Buffer_Type_F8E4M3FN, PJRT_Buffer_Type_F8E4M3B11FNUZ, PJRT_Buffer_Type_F8E5M2FNUZ,
  PJRT_Buffer_Type_F8E4M3FNUZ,
  PJRT_Buffer_Type_S4, PJRT_Buffer_Type_U4,
  PJRT_Buffer_Type_TOKEN,
  PJRT_Buffer_Type_S2, PJRT_Buffer_Type_U2,
  PJRT_Buffer_Type_F8E4M3, PJRT_Buffer_Type_F8E3M4, PJRT_Buffer_Type_F8E8M0FNU,
  PJRT_Buffer_Type_F4E2M1FN,
} PJRT_Buffer_Type;

typedef enum
{
  PJRT_HostBufferSemantics_kImmutableOnlyDuringCall,
  PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes,
  PJRT_HostBufferSemantics_kImmutableZeroCopy,
  PJRT_HostBufferSemantics_kMutableZeroCopy,
} PJRT_HostBufferSemantics;

typedef enum
{
  PJRT_Buffer_MemoryLayout_Type_Tiled,
  PJRT_Buffer_MemoryLayout_Type_Strides,
} PJRT_Buffer_MemoryLayout_Type;

typedef struct
{
  PJRT_HEAD;
  const int64_t *minor_to_major;        /* dimensions, the one with adjacent elements first */
  size_t         minor_to_major_size;
  const int64_t *tile_dims;
  const size_t  *tile_dim_sizes;
  size_t         num_tiles;
} PJRT_Buffer_MemoryLayout_Tiled;

typedef struct
{
  PJRT_HEAD;
  const int64_t *byte_strides;
  size_t         num_byte_strides;
} PJRT_Buffer_MemoryLayout_Strides;

typedef struct
{
  PJRT_HEAD;
  union
  {
    PJRT_Buffer_MemoryLayout_Tiled   tiled;
    PJRT_Buffer_MemoryLayout_Strides strides;
  };
  PJRT_Buffer_MemoryLayout_Type type;
} PJRT_Buffer_MemoryLayout;

PJRT_ARGS (Client_BufferFromHostBuffer, PJRT_Client *client; const void *data; PJRT_Buffer_Type type;
           const int64_t *dims; size_t num_dims; const int64_t *byte_strides; size_t num_byte_strides;
           PJRT_HostBufferSemantics host_buffer_semantics; PJRT_Device *device; PJRT_Memory *memory;
           PJRT_Buffer_MemoryLayout *device_layout; PJRT_Event *done_with_host_buffer; PJRT_Buffer *buffer);
PJRT_ARGS (Buffer_Destroy, PJRT_Buffer *buffer);
PJRT_ARGS (Buffer_ElementType, PJRT_Buffer *buffer; PJRT_Buffer_Type type);
PJRT_ARGS (Buffer_Dimensions, PJRT_Buffer *buffer; const int64_t *dims; size_t num_dims);
PJRT_ARGS (Buffer_UnpaddedDimensions, PJRT_Buffer *buffer; const int64_t *unpadded_dims; size_t num_dims);
PJRT_ARGS (Buffer_DynamicDimensionIndices, PJRT_Buffer *buffer; const size_t *dynamic_dim_indices;
           size_t num_dynamic_dims);
PJRT_ARGS (Buffer_GetMemoryLayout, PJRT_Buffer *buffer; PJRT_Buffer_MemoryLayout layout);
PJRT_ARGS (Buffer_ToHostBuffer, PJRT_Buffer *src; PJRT_Buffer_MemoryLayout *host_layout; void *dst; size_t dst_size;
           PJRT_Event *event);
PJRT_ARGS (Buffer_OnDeviceSizeInBytes, PJRT_Buffer *buffer; size_t on_device_size_in_bytes);
PJRT_ARGS (Buffer_Delete, PJRT_Buffer *buffer);
PJRT_ARGS (Buffer_IsDeleted, PJRT_Buffer *buffer; bool is_deleted);
PJRT_ARGS (Buffer_CopyToDevice, PJRT_Buffer *buffer; PJRT_Device *dst_device; PJRT_Buffer *dst_buffer);
PJRT_ARGS (Buffer_CopyToMemory, PJRT_Buffer *buffer; PJRT_Memory *dst_memory; PJRT_Buffer *dst_buffer);
PJRT_ARGS (Buffer_IsOnCpu, PJRT_Buffer *buffer; bool is_on_cpu);
PJRT_ARGS (Buffer_Device, PJRT_Buffer *buffer; PJRT_Device *device);
PJRT_ARGS (Buffer_Memory, PJRT_Buffer *buffer; PJRT_Memory *memory);
PJRT_ARGS (Buffer_ReadyEvent, PJRT_Buffer *buffer; PJRT_Event *event);
PJRT_ARGS (Buffer_UnsafePointer, PJRT_Buffer *buffer; uintptr_t buffer_pointer);
PJRT_ARGS (Buffer_IncreaseExternalReferenceCount, PJRT_Buffer *buffer);
PJRT_ARGS (Buffer_DecreaseExternalReferenceCount, PJRT_Buffer *buffer);
PJRT_ARGS (Buffer_OpaqueDeviceMemoryDataPointer, PJRT_Buffer *buffer; void *device_memory_ptr);

/* Programs. */

typedef struct
{
  PJRT_HEAD;
  char       *code;             /* given, or asked for: NULL where its size is not known yet */
  size_t      code_size;
  const char *format;           /* "mlir" */
  size_t      format_size;
} PJRT_Program;

/* What bytes that were handed out lie in, and who frees it. */
typedef struct PJRT_Bytes PJRT_Bytes;
typedef void (*PJRT_BytesDeleter) (PJRT_Bytes *bytes);

PJRT_ARGS (Client_Compile, PJRT_Client *client; const PJRT_Program *program; const char *compile_options;
           size_t compile_options_size; PJRT_LoadedExecutable *executable);
PJRT_ARGS (Executable_Destroy, PJRT_Executable *executable);
PJRT_ARGS (Executable_Name, PJRT_Executable *executable; const char *executable_name; size_t executable_name_size);
PJRT_ARGS (Executable_NumReplicas, PJRT_Executable *executable; size_t num_replicas);
PJRT_ARGS (Executable_NumPartitions, PJRT_Executable *executable; size_t num_partitions);
PJRT_ARGS (Executable_NumOutputs, PJRT_Executable *executable; size_t num_outputs);
PJRT_ARGS (Executable_SizeOfGeneratedCodeInBytes, PJRT_Executable *executable; int64_t size_in_bytes);
PJRT_ARGS (Executable_OutputElementTypes, PJRT_Executable *executable; PJRT_Buffer_Type *output_types;
           size_t num_output_types);
PJRT_ARGS (Executable_OutputDimensions, PJRT_Executable *executable; size_t num_outputs; const int64_t *dims;
           const size_t *dim_sizes);
PJRT_ARGS (Executable_OutputMemoryKinds, PJRT_Executable *executable; size_t num_outputs;
           const char *const *memory_kinds; const size_t *memory_kind_sizes);
PJRT_ARGS (Executable_OptimizedProgram, PJRT_Executable *executable; PJRT_Program *program);
PJRT_ARGS (Executable_GetCompileOptions, PJRT_Executable *executable; const char *serialized_bytes;
           size_t serialized_bytes_size; PJRT_Bytes *serialized_compile_options;
           PJRT_BytesDeleter serialized_compile_options_deleter);

PJRT_ARGS (LoadedExecutable_Destroy, PJRT_LoadedExecutable *executable);
PJRT_ARGS (LoadedExecutable_GetExecutable, PJRT_LoadedExecutable *loaded_executable; PJRT_Executable *executable);
PJRT_ARGS (LoadedExecutable_AddressableDevices, PJRT_LoadedExecutable *executable;
           PJRT_Device *const *addressable_devices; size_t num_addressable_devices);
PJRT_ARGS (LoadedExecutable_GetDeviceAssignment, PJRT_LoadedExecutable *executable; const char *serialized_bytes;
           size_t serialized_bytes_size; PJRT_Bytes *serialized_device_assignment;
           PJRT_BytesDeleter serialized_device_assignment_deleter);
PJRT_ARGS (LoadedExecutable_Delete, PJRT_LoadedExecutable *executable);
PJRT_ARGS (LoadedExecutable_IsDeleted, PJRT_LoadedExecutable *executable; bool is_deleted);

typedef struct
{
  PJRT_HEAD;
  void          *send_callbacks;
  void          *recv_callbacks;
  size_t         num_send_ops, num_recv_ops;
  int            launch_id;
  const int64_t *non_donatable_input_indices;
  size_t         num_non_donatable_input_indices;
  void          *context;
  const char    *call_location;
  size_t         num_tasks;
  int           *task_ids;
  int64_t       *incarnation_ids;
} PJRT_ExecuteOptions;

PJRT_ARGS (LoadedExecutable_Execute, PJRT_LoadedExecutable *executable; PJRT_ExecuteOptions *options;
           PJRT_Buffer *const *const *argument_lists; size_t num_devices; size_t num_args;
           PJRT_Buffer **const *output_lists; PJRT_Event **device_complete_events; PJRT_Device *execute_device);

/* The table. */

typedef struct
{
  PJRT_HEAD;
  PJRT_Api_Version pjrt_api_version;
#define DONE(name)    PJRT_Error *(*PJRT_##name) (PJRT_##name##_Args *args);
#define SILENT(name)  void (*PJRT_##name) (PJRT_##name##_Args *args);
#define MISSING(name) PJRT_Error *(*PJRT_##name) (void *args);
#include "pjrt/functions.def"
#undef DONE
#undef SILENT
#undef MISSING
} PJRT_Api;

G_END_DECLS
