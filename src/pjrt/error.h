/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Conversion of the library's errors to PJRT's.
 */

#pragma once

#include "pjrt/abi.h"

G_BEGIN_DECLS

/* Takes over @error; returns NULL for NULL. */
PJRT_Error *ghlo_pjrt_error_take       (GError          *error);
PJRT_Error *ghlo_pjrt_error_new        (PJRT_Error_Code  code,
                                        const char      *format,
                                        ...) G_GNUC_PRINTF (2, 3);
/* Returns the error for a structure of arguments of @function that is too short. */
PJRT_Error *ghlo_pjrt_error_new_short  (const char      *function,
                                        size_t           found,
                                        size_t           expected);
/* Returns an error unless the @size bytes at @offset lie within @all bytes. */
PJRT_Error *ghlo_pjrt_error_of_range   (gint64           offset,
                                        gint64           size,
                                        gint64           all);
void        ghlo_pjrt_error_free       (PJRT_Error      *self);
/* Returns the GError for an error code and message of the caller. */
GError     *ghlo_pjrt_error_of_code    (PJRT_Error_Code  code,
                                        const char      *message,
                                        size_t           message_size);

void        ghlo_pjrt_error_add_functions (PJRT_Api     *api);

/* Returns an error from the calling function unless the caller's structure includes all of @field. */
#define PJRT_NEEDS(args, field) \
  G_STMT_START { \
    if (!PJRT_HAS (args, field)) \
      return ghlo_pjrt_error_new_short (G_STRFUNC, (args)->struct_size, \
                                        offsetof (__typeof__ (*(args)), field) + sizeof ((args)->field)); \
  } G_STMT_END

G_END_DECLS
