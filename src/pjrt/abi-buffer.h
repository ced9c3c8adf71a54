/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PJRT's buffers, as far as the plugin uses them.
 */

#pragma once

#include "pjrt/abi-base.h"

G_BEGIN_DECLS

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
  PJRT_Buffer_Type_S1, PJRT_Buffer_Type_U1,
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
  const int64_t *minor_to_major;        /* dimensions, innermost first */
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

/* A tensor's type, in the arguments of functions that create one. */
#define PJRT_SHAPE \
  const int64_t *shape_dims; size_t shape_num_dims; PJRT_Buffer_Type shape_element_type; \
  PJRT_Buffer_MemoryLayout *shape_layout

typedef struct PJRT_FulfillAliasBufferCallback PJRT_FulfillAliasBufferCallback;

PJRT_ARGS (Client_CreateUninitializedBuffer, PJRT_Client *client; PJRT_SHAPE; PJRT_Device *device; PJRT_Memory *memory;
           PJRT_Buffer *buffer);
PJRT_ARGS (Client_CreateErrorBuffer, PJRT_Client *client; PJRT_Error_Code error_code; const char *error_message;
           size_t error_message_size; PJRT_SHAPE; PJRT_Memory *memory; PJRT_Buffer *buffer;
           const PJRT_NamedValue *payload; size_t num_payload);
PJRT_ARGS (Client_CreateAliasBuffer, PJRT_Client *client; PJRT_Memory *memory; PJRT_SHAPE; PJRT_Buffer *alias_buffer;
           PJRT_FulfillAliasBufferCallback *fulfill_alias_buffer_cb);
PJRT_ARGS (Client_FulfillAliasBuffer, PJRT_Client *client; PJRT_Buffer *buffer; PJRT_Error_Code status_code;
           const char *error_message; size_t error_message_size;
           PJRT_FulfillAliasBufferCallback *fulfill_alias_buffer_cb);

typedef void (*PJRT_ViewDeleter) (void *device_buffer_ptr,
                                  void *user_arg);

PJRT_ARGS (Client_CreateViewOfDeviceBuffer, PJRT_Client *client; void *device_buffer_ptr; const int64_t *dims;
           size_t num_dims; PJRT_Buffer_Type element_type; PJRT_Buffer_MemoryLayout *layout; PJRT_Device *device;
           PJRT_ViewDeleter on_delete_callback; void *on_delete_callback_arg; intptr_t stream; PJRT_Buffer *buffer;
           PJRT_Memory *memory);
PJRT_ARGS (Client_DmaMap, PJRT_Client *client; void *data; size_t size);
PJRT_ARGS (Client_DmaUnmap, PJRT_Client *client; void *data);
PJRT_ARGS (Buffer_Destroy, PJRT_Buffer *buffer);
PJRT_ARGS (Buffer_ElementType, PJRT_Buffer *buffer; PJRT_Buffer_Type type);
PJRT_ARGS (Buffer_Dimensions, PJRT_Buffer *buffer; const int64_t *dims; size_t num_dims);
PJRT_ARGS (Buffer_UnpaddedDimensions, PJRT_Buffer *buffer; const int64_t *unpadded_dims; size_t num_dims);
PJRT_ARGS (Buffer_DynamicDimensionIndices, PJRT_Buffer *buffer; const size_t *dynamic_dim_indices;
           size_t num_dynamic_dims);
PJRT_ARGS (Buffer_GetMemoryLayout, PJRT_Buffer *buffer; PJRT_Buffer_MemoryLayout layout);
PJRT_ARGS (Buffer_ToHostBuffer, PJRT_Buffer *src; PJRT_Buffer_MemoryLayout *host_layout; void *dst; size_t dst_size;
           PJRT_Event *event);
PJRT_ARGS (Buffer_CopyRawToHost, PJRT_Buffer *buffer; void *dst; int64_t offset; int64_t transfer_size;
           PJRT_Event *event);

typedef struct
{
  size_t           struct_size;
  void            *callback_data;
  PJRT_Error_Code  error_code;
  const char      *error_message;
  size_t           error_message_size;
  void            *dst;
} PJRT_Buffer_CopyRawToHostFuture_Callback_Args;

typedef void (*PJRT_FutureReadyCallback) (PJRT_Buffer_CopyRawToHostFuture_Callback_Args *args);

PJRT_ARGS (Buffer_CopyRawToHostFuture, PJRT_Buffer *buffer; int64_t offset; int64_t transfer_size; PJRT_Event *event;
           void *callback_data; PJRT_FutureReadyCallback future_ready_callback);
PJRT_ARGS (Buffer_OnDeviceSizeInBytes, PJRT_Buffer *buffer; size_t on_device_size_in_bytes);
PJRT_ARGS (Buffer_Delete, PJRT_Buffer *buffer);
PJRT_ARGS (Buffer_IsDeleted, PJRT_Buffer *buffer; bool is_deleted);
PJRT_ARGS (Buffer_CopyToDevice, PJRT_Buffer *buffer; PJRT_Device *dst_device; PJRT_Buffer *dst_buffer);
PJRT_ARGS (Buffer_CopyToMemory, PJRT_Buffer *buffer; PJRT_Memory *dst_memory; PJRT_Buffer *dst_buffer);
PJRT_ARGS (Buffer_Bitcast, PJRT_Buffer *buffer; PJRT_Buffer_Type element_type; const int64_t *dims; size_t num_dims;
           PJRT_Buffer_MemoryLayout *device_layout; PJRT_Buffer *out_buffer);
PJRT_ARGS (Buffer_IsOnCpu, PJRT_Buffer *buffer; bool is_on_cpu);
PJRT_ARGS (Buffer_Device, PJRT_Buffer *buffer; PJRT_Device *device);
PJRT_ARGS (Buffer_Memory, PJRT_Buffer *buffer; PJRT_Memory *memory);
PJRT_ARGS (Buffer_ReadyEvent, PJRT_Buffer *buffer; PJRT_Event *event);
PJRT_ARGS (Buffer_UnsafePointer, PJRT_Buffer *buffer; uintptr_t buffer_pointer);
PJRT_ARGS (Buffer_IncreaseExternalReferenceCount, PJRT_Buffer *buffer);
PJRT_ARGS (Buffer_DecreaseExternalReferenceCount, PJRT_Buffer *buffer);
PJRT_ARGS (Buffer_OpaqueDeviceMemoryDataPointer, PJRT_Buffer *buffer; void *device_memory_ptr);

/* A dependency that a donated buffer waits for, in addition to its content. */

typedef struct
{
  size_t           struct_size;
  void            *callback_data;
  PJRT_Error_Code  error_code;
  const char      *error_message;
  size_t           error_message_size;
} PJRT_Buffer_DonateWithControlDependency_Callback_Args;

typedef void (*PJRT_DependencyReadyCallback) (PJRT_Buffer_DonateWithControlDependency_Callback_Args *args);

PJRT_ARGS (Buffer_DonateWithControlDependency, PJRT_Buffer *buffer; void *callback_data;
           PJRT_DependencyReadyCallback dependency_ready_callback; PJRT_Buffer *out_buffer);

/* Buffers whose content the caller provides later, in chunks. */

typedef struct PJRT_AsyncHostToDeviceTransferManager PJRT_AsyncHostToDeviceTransferManager;

typedef struct
{
  PJRT_HEAD;
  const int64_t    *dims;
  size_t            num_dims;
  PJRT_Buffer_Type  element_type;
} PJRT_ShapeSpec;

PJRT_ARGS (Client_CreateBuffersForAsyncHostToDevice, PJRT_Client *client; PJRT_ShapeSpec *shape_specs;
           size_t num_shape_specs; PJRT_Buffer_MemoryLayout **device_layouts; size_t num_device_layouts;
           PJRT_Memory *memory; PJRT_AsyncHostToDeviceTransferManager *transfer_manager);

#define PJRT_TRANSFER_ARGS(name, ...) \
  PJRT_ARGS (AsyncHostToDeviceTransferManager_##name, PJRT_AsyncHostToDeviceTransferManager *transfer_manager; \
             __VA_ARGS__)

PJRT_ARGS (AsyncHostToDeviceTransferManager_Destroy, PJRT_AsyncHostToDeviceTransferManager *transfer_manager);
PJRT_TRANSFER_ARGS (TransferData, int buffer_index; const void *data; int64_t offset; int64_t transfer_size;
                    bool is_last_transfer; PJRT_Event *done_with_h2d_transfer);
PJRT_TRANSFER_ARGS (TransferLiteral, int buffer_index; const void *data; PJRT_SHAPE;
                    PJRT_Event *done_with_h2d_transfer);
PJRT_TRANSFER_ARGS (RetrieveBuffer, int buffer_index; PJRT_Buffer *buffer_out);
PJRT_TRANSFER_ARGS (Device, PJRT_Device *device_out);
PJRT_TRANSFER_ARGS (BufferCount, size_t buffer_count);
PJRT_TRANSFER_ARGS (BufferSize, int buffer_index; size_t buffer_size);
PJRT_TRANSFER_ARGS (SetBufferError, int buffer_index; PJRT_Error_Code error_code; const char *error_message;
                    size_t error_message_size);
PJRT_TRANSFER_ARGS (AddMetadata, const PJRT_NamedValue *transfer_metadata; size_t num_metadata);

G_END_DECLS
