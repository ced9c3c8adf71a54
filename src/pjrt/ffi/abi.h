/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * XLA's foreign function interface (XLA FFI), version 0.3: the arguments with which a handler compiled against
 * xla/ffi/api/c_api.h is called, and the table of functions that it may call. Names, field orders and sizes match
 * that header, so that such handlers, mostly written in C++, run here unchanged. struct_size is honoured in both
 * directions.
 */

#pragma once

#include <stddef.h>
#include <stdint.h>

#include <glib.h>

G_BEGIN_DECLS

#define XLA_FFI_API_MAJOR 0
#define XLA_FFI_API_MINOR 3

/* The struct_size to announce: up to and including field @last. Handlers accept no other size for structures that
 * have grown since. */
#define XLA_FFI_SIZE(type, last) (offsetof (type, last) + sizeof (((type *) NULL)->last))

#define XLA_FFI_HEAD size_t struct_size; XLA_FFI_Extension_Base *extension_start

typedef enum
{
  XLA_FFI_Extension_Metadata = 1,
} XLA_FFI_Extension_Type;

typedef struct _XLA_FFI_Extension_Base
{
  size_t                           struct_size;
  XLA_FFI_Extension_Type           type;
  struct _XLA_FFI_Extension_Base  *next;
} XLA_FFI_Extension_Base;

typedef struct
{
  XLA_FFI_HEAD;
  int major_version;
  int minor_version;
} XLA_FFI_Api_Version;

typedef struct XLA_FFI_Error            XLA_FFI_Error;
typedef struct XLA_FFI_Future           XLA_FFI_Future;
typedef struct XLA_FFI_ExecutionContext XLA_FFI_ExecutionContext;
typedef struct XLA_FFI_InternalApi      XLA_FFI_InternalApi;
typedef struct _XLA_FFI_Api             XLA_FFI_Api;

/* The codes of absl::Status, as in PJRT. */
typedef int XLA_FFI_Error_Code;

/* The numbers of xla::PrimitiveType. */
typedef enum
{
  XLA_FFI_DataType_INVALID = 0,
  XLA_FFI_DataType_PRED = 1,
  XLA_FFI_DataType_S8 = 2,
  XLA_FFI_DataType_S16 = 3,
  XLA_FFI_DataType_S32 = 4,
  XLA_FFI_DataType_S64 = 5,
  XLA_FFI_DataType_U8 = 6,
  XLA_FFI_DataType_U16 = 7,
  XLA_FFI_DataType_U32 = 8,
  XLA_FFI_DataType_U64 = 9,
  XLA_FFI_DataType_F16 = 10,
  XLA_FFI_DataType_F32 = 11,
  XLA_FFI_DataType_F64 = 12,
  XLA_FFI_DataType_C64 = 15,
  XLA_FFI_DataType_BF16 = 16,
  XLA_FFI_DataType_TOKEN = 17,
  XLA_FFI_DataType_C128 = 18,
  XLA_FFI_DataType_F8E5M2 = 19,
  XLA_FFI_DataType_F8E4M3FN = 20,
  XLA_FFI_DataType_F8E4M3B11FNUZ = 23,
  XLA_FFI_DataType_F8E5M2FNUZ = 24,
  XLA_FFI_DataType_F8E4M3FNUZ = 25,
  XLA_FFI_DataType_F8E4M3 = 28,
  XLA_FFI_DataType_F8E3M4 = 29,
  XLA_FFI_DataType_F8E8M0FNU = 33,
} XLA_FFI_DataType;

typedef struct
{
  XLA_FFI_HEAD;
  XLA_FFI_DataType  dtype;
  void             *data;
  int64_t           rank;
  int64_t          *dims;
} XLA_FFI_Buffer;

typedef enum
{
  XLA_FFI_ArgType_BUFFER = 1,
} XLA_FFI_ArgType;

typedef enum
{
  XLA_FFI_RetType_BUFFER = 1,
} XLA_FFI_RetType;

typedef enum
{
  XLA_FFI_AttrType_ARRAY = 1,
  XLA_FFI_AttrType_DICTIONARY = 2,
  XLA_FFI_AttrType_SCALAR = 3,
  XLA_FFI_AttrType_STRING = 4,
} XLA_FFI_AttrType;

typedef struct
{
  const char *ptr;
  size_t      len;
} XLA_FFI_ByteSpan;

typedef struct
{
  XLA_FFI_DataType  dtype;
  void             *value;
} XLA_FFI_Scalar;

typedef struct
{
  XLA_FFI_DataType  dtype;
  size_t            size;       /* elements */
  void             *data;
} XLA_FFI_Array;

/* The type of an object that a handler's library defines; 0 before it is registered. */
typedef struct
{
  int64_t type_id;
} XLA_FFI_TypeId;

typedef struct
{
  XLA_FFI_HEAD;
  void (*deleter) (void *object);
} XLA_FFI_TypeInfo;

/* The stages in which a handler is called: INSTANTIATE once for each custom call in a program, the others in each
 * run. */
typedef enum
{
  XLA_FFI_ExecutionStage_INSTANTIATE = 0,
  XLA_FFI_ExecutionStage_PREPARE = 1,
  XLA_FFI_ExecutionStage_INITIALIZE = 2,
  XLA_FFI_ExecutionStage_EXECUTE = 3,
} XLA_FFI_ExecutionStage;

enum { GHLO_XLA_FFI_N_STAGES = XLA_FFI_ExecutionStage_EXECUTE + 1 };

typedef struct
{
  XLA_FFI_HEAD;
  int64_t           size;
  XLA_FFI_ArgType  *types;
  void            **args;       /* XLA_FFI_Buffer */
} XLA_FFI_Args;

typedef struct
{
  XLA_FFI_HEAD;
  int64_t           size;
  XLA_FFI_RetType  *types;
  void            **rets;       /* XLA_FFI_Buffer */
} XLA_FFI_Rets;

/* Sorted by name. */
typedef struct
{
  XLA_FFI_HEAD;
  int64_t            size;
  XLA_FFI_AttrType  *types;
  XLA_FFI_ByteSpan **names;
  void             **attrs;     /* XLA_FFI_Array, XLA_FFI_Attrs, XLA_FFI_Scalar, XLA_FFI_ByteSpan */
} XLA_FFI_Attrs;

typedef struct
{
  XLA_FFI_HEAD;
  const XLA_FFI_Api        *api;
  XLA_FFI_ExecutionContext *ctx;
  XLA_FFI_ExecutionStage    stage;
  XLA_FFI_Args              args;
  XLA_FFI_Rets              rets;
  XLA_FFI_Attrs             attrs;
  XLA_FFI_Future           *future;     /* set by a handler whose work continues after it returns */
} XLA_FFI_CallFrame;

/* The caller owns the returned error. */
typedef XLA_FFI_Error *XLA_FFI_Handler (XLA_FFI_CallFrame *frame);

typedef struct
{
  XLA_FFI_Handler *instantiate, *prepare, *initialize;          /* nullable */
  XLA_FFI_Handler *execute;
} XLA_FFI_Handler_Bundle;

typedef uint32_t XLA_FFI_Handler_Traits;

typedef struct
{
  size_t                 struct_size;
  XLA_FFI_Api_Version    api_version;
  XLA_FFI_Handler_Traits traits;
  XLA_FFI_TypeId         state_type_id;
} XLA_FFI_Metadata;

/* In a frame's list of extensions: asks the handler to report its metadata and do nothing else. */
typedef struct
{
  XLA_FFI_Extension_Base extension_base;
  XLA_FFI_Metadata      *metadata;
} XLA_FFI_Metadata_Extension;

/* Arguments of the functions that handlers call. */

#define XLA_FFI_ARGS(name, ...) \
  typedef struct \
  { \
    XLA_FFI_HEAD; \
    __VA_ARGS__; \
  } XLA_FFI_##name##_Args

typedef void XLA_FFI_Task (void *data);

XLA_FFI_ARGS (Error_Create, const char *message; XLA_FFI_Error_Code errc);
XLA_FFI_ARGS (Error_GetMessage, XLA_FFI_Error *error; const char *message);
XLA_FFI_ARGS (Error_Destroy, XLA_FFI_Error *error);
XLA_FFI_ARGS (Handler_Register, XLA_FFI_ByteSpan name; XLA_FFI_ByteSpan platform; XLA_FFI_Handler_Bundle bundle;
              XLA_FFI_Handler_Traits traits);
XLA_FFI_ARGS (Stream_Get, XLA_FFI_ExecutionContext *ctx; void *stream);
XLA_FFI_ARGS (Type_Register, XLA_FFI_ByteSpan name; XLA_FFI_TypeId *type_id; const XLA_FFI_TypeInfo *type_info);
XLA_FFI_ARGS (ExecutionContext_Get, XLA_FFI_ExecutionContext *ctx; XLA_FFI_TypeId *type_id; void *data);
XLA_FFI_ARGS (State_Set, XLA_FFI_ExecutionContext *ctx; XLA_FFI_ExecutionStage stage; XLA_FFI_TypeId *type_id;
              void *state);
XLA_FFI_ARGS (State_Get, XLA_FFI_ExecutionContext *ctx; XLA_FFI_ExecutionStage stage; XLA_FFI_TypeId *type_id;
              void *state);
XLA_FFI_ARGS (DeviceMemory_Allocate, XLA_FFI_ExecutionContext *ctx; size_t size; size_t alignment; void *data);
XLA_FFI_ARGS (DeviceMemory_Free, XLA_FFI_ExecutionContext *ctx; size_t size; void *data);
XLA_FFI_ARGS (ThreadPool_Schedule, XLA_FFI_ExecutionContext *ctx; XLA_FFI_Task *task; void *data);
XLA_FFI_ARGS (ThreadPool_NumThreads, XLA_FFI_ExecutionContext *ctx; int64_t *num_threads);
XLA_FFI_ARGS (Future_Create, XLA_FFI_Future *future);
XLA_FFI_ARGS (Future_SetAvailable, XLA_FFI_Future *future);
XLA_FFI_ARGS (Future_SetError, XLA_FFI_Future *future; XLA_FFI_Error *error);
XLA_FFI_ARGS (RunId_Get, XLA_FFI_ExecutionContext *ctx; int64_t run_id);
XLA_FFI_ARGS (DeviceOrdinal_Get, XLA_FFI_ExecutionContext *ctx; int32_t device_ordinal);

#define XLA_FFI_ENTRY(result, name) result (*XLA_FFI_##name) (XLA_FFI_##name##_Args *args)

struct _XLA_FFI_Api
{
  XLA_FFI_HEAD;
  XLA_FFI_Api_Version        api_version;
  const XLA_FFI_InternalApi *internal_api;
  XLA_FFI_ENTRY (XLA_FFI_Error *, Error_Create);
  XLA_FFI_ENTRY (void, Error_GetMessage);
  XLA_FFI_ENTRY (void, Error_Destroy);
  XLA_FFI_ENTRY (XLA_FFI_Error *, Handler_Register);
  XLA_FFI_ENTRY (XLA_FFI_Error *, Stream_Get);
  XLA_FFI_ENTRY (XLA_FFI_Error *, Type_Register);
  XLA_FFI_ENTRY (XLA_FFI_Error *, ExecutionContext_Get);
  XLA_FFI_ENTRY (XLA_FFI_Error *, State_Set);
  XLA_FFI_ENTRY (XLA_FFI_Error *, State_Get);
  XLA_FFI_ENTRY (XLA_FFI_Error *, DeviceMemory_Allocate);
  XLA_FFI_ENTRY (XLA_FFI_Error *, DeviceMemory_Free);
  XLA_FFI_ENTRY (XLA_FFI_Error *, ThreadPool_Schedule);
  XLA_FFI_ENTRY (XLA_FFI_Error *, ThreadPool_NumThreads);
  XLA_FFI_ENTRY (XLA_FFI_Error *, Future_Create);
  XLA_FFI_ENTRY (XLA_FFI_Error *, Future_SetAvailable);
  XLA_FFI_ENTRY (XLA_FFI_Error *, Future_SetError);
  XLA_FFI_ENTRY (XLA_FFI_Error *, RunId_Get);
  XLA_FFI_ENTRY (XLA_FFI_Error *, DeviceOrdinal_Get);
};

#undef XLA_FFI_ENTRY
#undef XLA_FFI_ARGS

G_END_DECLS
