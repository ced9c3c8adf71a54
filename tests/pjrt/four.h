/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A client of four devices, and programs that run on all of them, for tests.
 */

#pragma once

#include "call.h"

G_BEGIN_DECLS

enum { FOUR = 4 };

/* The inputs or outputs of one device. */
typedef PJRT_Buffer *FourRow[4];

PJRT_Client           *four_client       (void);
PJRT_Device           *four_device       (PJRT_Client            *client,
                                          gsize                   index);
PJRT_Buffer           *four_floats       (PJRT_Device            *device,
                                          PJRT_Client            *client,
                                          const float            *numbers,
                                          const int64_t          *dims,
                                          gsize                   n_dims);
/* Checks that @buffer is on @device and has these numbers. */
void                   four_check        (PJRT_Buffer            *buffer,
                                          PJRT_Device            *device,
                                          const float            *expected,
                                          gsize                   n);
/* @options: nullable; the default is four partitions on devices 0 to 3. */
PJRT_Error            *four_compile_with (PJRT_Client            *client,
                                          const char             *program,
                                          const guint8           *options,
                                          gsize                   n_options,
                                          PJRT_LoadedExecutable **executable);
PJRT_LoadedExecutable *four_compile      (PJRT_Client            *client,
                                          const char             *program);
/* Executes with inputs of each device, and gets the outputs of each device. */
PJRT_Error            *four_execute      (PJRT_LoadedExecutable  *executable,
                                          FourRow                *inputs,
                                          gsize                   n_inputs,
                                          FourRow                *outputs);
void                   four_destroy      (FourRow                *rows,
                                          gsize                   n);
/* Compiles and runs @program on the numbers 0 to 7, two on each device. */
PJRT_Error            *four_run          (PJRT_Client            *client,
                                          const char             *program,
                                          FourRow                *outputs);

G_END_DECLS
