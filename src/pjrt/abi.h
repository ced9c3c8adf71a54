/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PJRT's C API at version 0.112, as far as the plugin uses it: the names, field orders and sizes of openxla/xla's
 * xla/pjrt/c/pjrt_c_api.h. A test compares this file with that header where the header is installed.
 *
 * Each function takes one structure of arguments and also stores its results there. The structure's struct_size says
 * how much of it the caller knows: fields are only ever added at the end, and nothing beyond struct_size may be
 * touched. Handles are opaque to callers, except for the first words of errors and memories.
 */

#pragma once

#include "pjrt/abi-client.h"
#include "pjrt/abi-program.h"

G_BEGIN_DECLS

/* The table of functions. */

typedef struct
{
  PJRT_HEAD;
  PJRT_Api_Version pjrt_api_version;
#define IMPLEMENTED(name)      PJRT_Error *(*PJRT_##name) (PJRT_##name##_Args *args);
#define IMPLEMENTED_VOID(name) void (*PJRT_##name) (PJRT_##name##_Args *args);
#define UNIMPLEMENTED(name)    PJRT_Error *(*PJRT_##name) (void *args);
#include "pjrt/functions.def"
#undef IMPLEMENTED
#undef IMPLEMENTED_VOID
#undef UNIMPLEMENTED
} PJRT_Api;

G_END_DECLS
