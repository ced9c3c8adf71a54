/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The PJRT extensions that the plugin implements: structures of functions in the list that begins at the table's
 * extension_start. They are versioned separately, by their sizes: Layouts is that of
 * xla/pjrt/c/pjrt_c_api_layouts_extension.h with the function that newer versions have at its end, Shardings that of
 * pjrt_c_api_shardings_extension.h, Custom_Partitioner version 1 of pjrt_c_api_custom_partitioner_extension.h, FFI
 * version 3 of pjrt_c_api_ffi_extension.h, and Gpu_Custom_Call, which despite its name is not specific to GPUs,
 * version 2 of pjrt_c_api_gpu_extension.h.
 */

#pragma once

#include "pjrt/abi.h"

G_BEGIN_DECLS

/* Layouts: the order of elements in device memory. */

typedef struct PJRT_Layouts_MemoryLayout     PJRT_Layouts_MemoryLayout;
typedef struct PJRT_Layouts_SerializedLayout PJRT_Layouts_SerializedLayout;

typedef void (*PJRT_Layouts_SerializedLayoutDeleter) (PJRT_Layouts_SerializedLayout *serialized);

PJRT_ARGS (Layouts_MemoryLayout_Destroy, PJRT_Layouts_MemoryLayout *layout);
PJRT_ARGS (Layouts_MemoryLayout_Serialize, PJRT_Layouts_MemoryLayout *layout; const char *serialized_bytes;
           size_t serialized_bytes_size; PJRT_Layouts_SerializedLayout *serialized_layout;
           PJRT_Layouts_SerializedLayoutDeleter serialized_layout_deleter);
PJRT_ARGS (Layouts_PJRT_Client_GetDefaultLayout, PJRT_Client *client; PJRT_Buffer_Type type; const int64_t *dims;
           size_t num_dims; PJRT_Layouts_MemoryLayout *layout);
PJRT_ARGS (Layouts_PJRT_Buffer_MemoryLayout, PJRT_Buffer *buffer; PJRT_Layouts_MemoryLayout *layout);
PJRT_ARGS (Layouts_PJRT_Topology_GetDefaultLayout, PJRT_TopologyDescription *topology_description;
           PJRT_Buffer_Type type; const int64_t *dims; size_t num_dims; PJRT_Layouts_MemoryLayout *layout);
PJRT_ARGS (Layouts_PJRT_Executable_GetOutputLayouts, PJRT_Executable *executable; size_t num_outputs;
           PJRT_Layouts_MemoryLayout **layouts);
PJRT_ARGS (Layouts_PJRT_Executable_GetParameterLayouts, PJRT_Executable *executable; size_t num_parameters;
           PJRT_Layouts_MemoryLayout **layouts);

#define PJRT_ENTRY(name) PJRT_Error *(*PJRT_##name) (PJRT_##name##_Args *args)

typedef struct
{
  PJRT_Extension_Base base;
  PJRT_ENTRY (Layouts_MemoryLayout_Destroy);
  PJRT_ENTRY (Layouts_MemoryLayout_Serialize);
  PJRT_ENTRY (Layouts_PJRT_Client_GetDefaultLayout);
  PJRT_ENTRY (Layouts_PJRT_Buffer_MemoryLayout);
  PJRT_ENTRY (Layouts_PJRT_Topology_GetDefaultLayout);
  PJRT_ENTRY (Layouts_PJRT_Executable_GetOutputLayouts);
  PJRT_ENTRY (Layouts_PJRT_Executable_GetParameterLayouts);
} PJRT_Layouts_Extension;

/* Shardings: how a program's inputs and outputs are distributed over several devices, as an xla.OpSharding for each,
 * or NULL. */

PJRT_ARGS (Shardings_PJRT_Executable_ParameterShardings, PJRT_Executable *executable; size_t num_parameters;
           const char *const *shardings; const size_t *sharding_sizes);
PJRT_ARGS (Shardings_PJRT_Executable_OutputShardings, PJRT_Executable *executable; size_t num_outputs;
           const char *const *shardings; const size_t *sharding_sizes);

typedef struct
{
  PJRT_Extension_Base base;
  PJRT_ENTRY (Shardings_PJRT_Executable_ParameterShardings);
  PJRT_ENTRY (Shardings_PJRT_Executable_OutputShardings);
} PJRT_Shardings_Extension;

/* Custom partitioners: functions that say, when a program of several partitions is compiled, what each partition
 * does for a custom call of a given name. A callback sets the fields below "out", and also cleanup_fn and data, with
 * which its caller frees them. Shapes are serialized xla.ShapeProto messages, shardings xla.OpSharding messages. */

typedef struct
{
  const char *data;
  size_t      size;
} JAX_CustomCallPartitioner_string;

typedef struct
{
  JAX_CustomCallPartitioner_string shape;
  bool                             has_sharding;
  JAX_CustomCallPartitioner_string sharding;
} JAX_CustomCallPartitioner_aval;

typedef struct
{
  int64_t                          api_version;         /* 0 */
  /* out */
  void                            *data;
  void                           (*cleanup_fn) (void *data);
  bool                             has_error;
  PJRT_Error_Code                  code;
  JAX_CustomCallPartitioner_string error_msg;
} JAX_CustomCallPartitioner_version_and_error;

typedef struct
{
  JAX_CustomCallPartitioner_version_and_error header;
  size_t                            num_args;
  JAX_CustomCallPartitioner_aval   *op_args;
  JAX_CustomCallPartitioner_aval    op_result;
  JAX_CustomCallPartitioner_string  backend_config;
  /* out */
  JAX_CustomCallPartitioner_string  mlir_module;        /* the work of each partition, in a function named main */
  JAX_CustomCallPartitioner_string *args_sharding;      /* the shardings that the module expects of its arguments */
  JAX_CustomCallPartitioner_string  result_sharding;
} JAX_CustomCallPartitioner_Partition_Args;

typedef struct JAX_CustomCallPartitioner_Callbacks JAX_CustomCallPartitioner_Callbacks;

struct JAX_CustomCallPartitioner_Callbacks
{
  int64_t   version;
  void     *private_data;
  void    (*dtor)                    (JAX_CustomCallPartitioner_Callbacks      *data);
  void    (*partition)               (JAX_CustomCallPartitioner_Callbacks      *data,
                                      JAX_CustomCallPartitioner_Partition_Args *args);
  /* For propagation that asks the calls themselves, where they carry no sharding rules of Shardy's; not called here. */
  void    (*infer_sharding)          (JAX_CustomCallPartitioner_Callbacks      *data,
                                      void                                     *args);
  void    (*propagate_user_sharding) (JAX_CustomCallPartitioner_Callbacks      *data,
                                      void                                     *args);
  bool      can_side_effecting_have_replicated_sharding;
};

typedef struct
{
  size_t                               struct_size;
  const char                          *name;
  size_t                               name_size;
  JAX_CustomCallPartitioner_Callbacks *callbacks;
} PJRT_Register_Custom_Partitioner_Args;

typedef struct
{
  size_t      struct_size;
  const char *name;
  size_t      name_size;
} PJRT_Register_Batch_Partitionable_Args;

typedef struct
{
  PJRT_Extension_Base base;
  PJRT_Error *(*register_custom_partitioner) (PJRT_Register_Custom_Partitioner_Args *args);
  PJRT_Error *(*register_batch_partitionable) (PJRT_Register_Batch_Partitionable_Args *args);
} PJRT_Custom_Partitioner_Extension;

/* Functions that programs call by name (XLA FFI, ffi/abi.h), and the types that those functions register. */

typedef struct
{
  void (*deleter)     (void *object);
  void (*serialize)   (void);
  void (*deserialize) (void);
} PJRT_FFI_Type_Info;

typedef struct
{
  int64_t type_id;
  void   *data;
} PJRT_FFI_UserData;

PJRT_ARGS (FFI_Type_Register, const char *type_name; size_t type_name_size; int64_t type_id;
           PJRT_FFI_Type_Info *type_info);
PJRT_ARGS (FFI_UserData_Add, PJRT_ExecuteContext *context; PJRT_FFI_UserData user_data);

typedef struct
{
  size_t      struct_size;
  const char *target_name;
  size_t      target_name_size;
  int         api_version;      /* 1: XLA FFI */
  void       *handler;
  const char *platform_name;
  size_t      platform_name_size;
  int         traits;
} PJRT_FFI_Register_Handler_Args;

typedef struct
{
  PJRT_Extension_Base base;
  PJRT_Error *(*type_register) (PJRT_FFI_Type_Register_Args *args);
  PJRT_Error *(*user_data_add) (PJRT_FFI_UserData_Add_Args *args);
  PJRT_Error *(*register_handler) (PJRT_FFI_Register_Handler_Args *args);
} PJRT_FFI_Extension;

/* The same registration with a separate handler for each stage. */
typedef struct
{
  size_t      struct_size;
  const char *function_name;
  size_t      function_name_size;
  int         api_version;
  void       *handler_instantiate, *handler_prepare, *handler_initialize;       /* nullable */
  void       *handler_execute;
} PJRT_Gpu_Register_Custom_Call_Args;

typedef struct
{
  PJRT_Extension_Base base;
  PJRT_Error *(*custom_call) (PJRT_Gpu_Register_Custom_Call_Args *args);
} PJRT_Gpu_Custom_Call;

#undef PJRT_ENTRY

G_END_DECLS
