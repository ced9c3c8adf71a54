/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PJRT's programs and executables, as far as the plugin uses them.
 */

#pragma once

#include "pjrt/abi-buffer.h"

G_BEGIN_DECLS

/* Programs. */

typedef struct
{
  PJRT_HEAD;
  char       *code;             /* input, or a buffer to fill, where NULL asks for the size */
  size_t      code_size;
  const char *format;           /* "mlir" */
  size_t      format_size;
} PJRT_Program;

/* The owner of bytes that were handed out, and the function that frees it. */
typedef struct PJRT_Bytes PJRT_Bytes;
typedef void (*PJRT_BytesDeleter) (PJRT_Bytes *bytes);

PJRT_ARGS (Client_Compile, PJRT_Client *client; const PJRT_Program *program; const char *compile_options;
           size_t compile_options_size; PJRT_LoadedExecutable *executable);
/* Compiles for @topology. @client is nullable and may help with the compile. */
PJRT_ARGS (Compile, const PJRT_TopologyDescription *topology; const PJRT_Program *program; const char *compile_options;
           size_t compile_options_size; PJRT_Client *client; PJRT_Executable *executable);
PJRT_ARGS (Client_Load, PJRT_Client *client; PJRT_Executable *executable; const char *compile_options;
           size_t compile_options_size; PJRT_LoadedExecutable *loaded_executable);
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
PJRT_ARGS (Executable_ParameterMemoryKinds, PJRT_Executable *executable; size_t num_parameters;
           const char *const *memory_kinds; const size_t *memory_kind_sizes);
PJRT_ARGS (Executable_GetCostAnalysis, PJRT_Executable *executable; size_t num_properties;
           const PJRT_NamedValue *properties);
PJRT_ARGS (Executable_GetCompiledMemoryStats, PJRT_Executable *executable; int64_t generated_code_size_in_bytes;
           int64_t argument_size_in_bytes; int64_t output_size_in_bytes; int64_t alias_size_in_bytes;
           int64_t temp_size_in_bytes; int64_t host_generated_code_size_in_bytes; int64_t host_argument_size_in_bytes;
           int64_t host_output_size_in_bytes; int64_t host_alias_size_in_bytes; int64_t host_temp_size_in_bytes;
           int64_t peak_memory_in_bytes; int64_t total_size_in_bytes; int64_t total_allocation_bytes;
           int64_t indefinite_allocations; int64_t peak_unpadded_heap_bytes);
PJRT_ARGS (Executable_Fingerprint, PJRT_Executable *executable; const char *executable_fingerprint;
           size_t executable_fingerprint_size);
PJRT_ARGS (LoadedExecutable_Fingerprint, PJRT_LoadedExecutable *executable; const char *executable_fingerprint;
           size_t executable_fingerprint_size);

typedef struct PJRT_SerializedExecutable PJRT_SerializedExecutable;
typedef void (*PJRT_SerializedExecutableDeleter) (PJRT_SerializedExecutable *serialized);

PJRT_ARGS (Executable_Serialize, const PJRT_Executable *executable; const char *serialized_bytes;
           size_t serialized_bytes_size; PJRT_SerializedExecutable *serialized_executable;
           PJRT_SerializedExecutableDeleter serialized_executable_deleter);
PJRT_ARGS (Executable_DeserializeAndLoad, PJRT_Client *client; const char *serialized_executable;
           size_t serialized_executable_size; PJRT_LoadedExecutable *loaded_executable;
           const char *overridden_serialized_compile_options; size_t overridden_serialized_compile_options_size;
           void *load_options);
PJRT_ARGS (Executable_OptimizedProgram, PJRT_Executable *executable; PJRT_Program *program);
PJRT_ARGS (Executable_GetCompileOptions, PJRT_Executable *executable; const char *serialized_bytes;
           size_t serialized_bytes_size; PJRT_Bytes *serialized_compile_options;
           PJRT_BytesDeleter serialized_compile_options_deleter);

PJRT_ARGS (LoadedExecutable_Destroy, PJRT_LoadedExecutable *executable);
PJRT_ARGS (LoadedExecutable_GetExecutable, PJRT_LoadedExecutable *loaded_executable; PJRT_Executable *executable);
PJRT_ARGS (LoadedExecutable_AddressableDevices, PJRT_LoadedExecutable *executable;
           PJRT_Device *const *addressable_devices; size_t num_addressable_devices);

typedef struct
{
  int replica, partition;
} PJRT_LogicalDeviceIds;

PJRT_ARGS (LoadedExecutable_AddressableDeviceLogicalIds, PJRT_LoadedExecutable *executable;
           PJRT_LogicalDeviceIds *addressable_device_logical_ids; size_t num_addressable_device_logical_ids);
PJRT_ARGS (LoadedExecutable_GetDeviceAssignment, PJRT_LoadedExecutable *executable; const char *serialized_bytes;
           size_t serialized_bytes_size; PJRT_Bytes *serialized_device_assignment;
           PJRT_BytesDeleter serialized_device_assignment_deleter);
PJRT_ARGS (LoadedExecutable_Delete, PJRT_LoadedExecutable *executable);
PJRT_ARGS (LoadedExecutable_IsDeleted, PJRT_LoadedExecutable *executable; bool is_deleted);

/* Data that an execution carries along for extensions. */
typedef struct PJRT_ExecuteContext PJRT_ExecuteContext;

PJRT_ARGS (ExecuteContext_Create, PJRT_ExecuteContext *context);
PJRT_ARGS (ExecuteContext_Destroy, PJRT_ExecuteContext *context);

typedef struct
{
  PJRT_HEAD;
  void          *send_callbacks;
  void          *recv_callbacks;
  size_t         num_send_ops, num_recv_ops;
  int            launch_id;
  const int64_t *non_donatable_input_indices;
  size_t         num_non_donatable_input_indices;
  PJRT_ExecuteContext *context;
  const char    *call_location;
  size_t         num_tasks;
  int           *task_ids;
  int64_t       *incarnation_ids;
  void          *multi_slice_config;
  bool           use_major_to_minor_data_layout_for_callbacks;
  void          *hlo_output_callbacks;
  size_t         num_hlo_output_callbacks;
} PJRT_ExecuteOptions;

PJRT_ARGS (LoadedExecutable_Execute, PJRT_LoadedExecutable *executable; PJRT_ExecuteOptions *options;
           PJRT_Buffer *const *const *argument_lists; size_t num_devices; size_t num_args;
           PJRT_Buffer **const *output_lists; PJRT_Event **device_complete_events; PJRT_Device *execute_device);

G_END_DECLS
