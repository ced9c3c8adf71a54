/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PJRT's extensions that we have: structures of functions in the list that begins in the table's extension_start. They
 * are versions of their own, told by their sizes: Layouts is that of xla/pjrt/c/pjrt_c_api_layouts_extension.h with the
 * function that newer ones have at its end, Shardings that of pjrt_c_api_shardings_extension.h, FFI version 3 of
 * pjrt_c_api_ffi_extension.h, and Gpu_Custom_Call, which has no GPU in it but its name, version 2 of
 * pjrt_c_api_gpu_extension.h.
 */

#pragma once

#include "pjrt/abi.h"

G_BEGIN_DECLS

/* How elements lie on a device. */

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

/* How a program's inputs and outputs lie over several devices: xla.OpSharding for each, or NULL. */

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

/* Functions that programs call by name (XLA FFI, ffi/abi.h), and types of theirs. */

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

/* The same with a handler for each stage. */
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
