/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The foundations of PJRT's C API: headers of argument structures, handle types, errors, and events.
 */

#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

G_BEGIN_DECLS

enum { PJRT_API_MAJOR = 0, PJRT_API_MINOR = 112 };

/* Whether the caller's structure reaches to the end of @field. */
#define PJRT_HAS(args, field) \
  ((args)->struct_size >= offsetof (__typeof__ (*(args)), field) + sizeof ((args)->field))

/* The first fields of every argument structure. */
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

/* Extensions form a list of structures that begin with PJRT_Extension_Base. Readers skip the types that they do not
 * know. */

typedef enum
{
  PJRT_Extension_Type_Gpu_Custom_Call = 0,
  PJRT_Extension_Type_Profiler = 1,
  PJRT_Extension_Type_Custom_Partitioner = 2,
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
  size_t                value_size;     /* length of a string or array; 1 for a single value */
} PJRT_NamedValue;

/* Errors. NULL means success. Callers that do not have the PJRT_Api table call the function table to which an
 * error's first word points. */

typedef void (*PJRT_Error_PayloadVisitor) (const char *key,
                                           size_t      key_size,
                                           const char *value,
                                           size_t      value_size,
                                           void       *user_arg);

typedef enum
{
  PJRT_Error_Code_OK = 0,
  PJRT_Error_Code_CANCELLED = 1,
  PJRT_Error_Code_UNKNOWN = 2,
  PJRT_Error_Code_INVALID_ARGUMENT = 3,
  PJRT_Error_Code_ALREADY_EXISTS = 6,
  PJRT_Error_Code_RESOURCE_EXHAUSTED = 8,
  PJRT_Error_Code_FAILED_PRECONDITION = 9,
  PJRT_Error_Code_UNIMPLEMENTED = 12,
  PJRT_Error_Code_INTERNAL = 13,
  PJRT_Error_Code_UNAVAILABLE = 14,
} PJRT_Error_Code;

typedef struct
{
  size_t                struct_size;
  size_t                instance_size;          /* of the part of PJRT_Error that callers know: its first word */
  PJRT_Extension_Base  *extension_start;
  void                (*destroy)          (PJRT_Error                *error);
  void                (*message)          (const PJRT_Error          *error,
                                           const char               **message,
                                           size_t                    *message_size);
  PJRT_Error_Code     (*get_code)         (const PJRT_Error          *error);
  void                (*for_each_payload) (const PJRT_Error          *error,
                                           PJRT_Error_PayloadVisitor  visitor,
                                           void                      *user_arg);
} PJRT_Error_FunctionTable;

PJRT_ARGS (Error_Destroy, PJRT_Error *error);
PJRT_ARGS (Error_Message, const PJRT_Error *error; const char *message; size_t message_size);
PJRT_ARGS (Error_GetCode, const PJRT_Error *error; PJRT_Error_Code code);
PJRT_ARGS (Error_ForEachPayload, const PJRT_Error *error; PJRT_Error_PayloadVisitor visitor; void *user_arg);

/* Functions of the plugin itself. */

PJRT_ARGS (Plugin_Attributes, const PJRT_NamedValue *attributes; size_t num_attributes);

typedef struct
{
  PJRT_HEAD;
} PJRT_Plugin_Initialize_Args;

/* Events: work that ends at some time, with or without an error. */

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

G_END_DECLS
