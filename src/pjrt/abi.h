/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PJRT's C API at version 0.112, as far as we use it: the names, orders and sizes of openxla/xla's
 * xla/pjrt/c/pjrt_c_api.h, which a test compares with that header where it is installed.
 *
 * Each function takes one structure of arguments, in which it leaves its results as well. The structure says how much
 * of it the caller knows: fields come to its end only, and nobody touches what lies behind. Handles are structures of
 * ours, which callers know nothing of, but for the first words of errors and memories.
 */

#pragma once

#include "pjrt/abi-client.h"
#include "pjrt/abi-program.h"

G_BEGIN_DECLS

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
