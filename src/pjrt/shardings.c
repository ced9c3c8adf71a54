/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Programs run on one device, so that there is nothing to say of shardings. A caller without this answer would ask for
 * the text of the whole program to look for them there, several times a compile.
 */

#include "pjrt/shardings.h"

#include "pjrt/error.h"
#include "pjrt/executable.h"

static PJRT_Error *
parameter_shardings (PJRT_Shardings_PJRT_Executable_ParameterShardings_Args *args)
{
  PJRT_NEEDS (args, sharding_sizes);
  args->num_parameters = args->executable->n_inputs;
  args->shardings = NULL;
  args->sharding_sizes = NULL;

  return NULL;
}

static PJRT_Error *
output_shardings (PJRT_Shardings_PJRT_Executable_OutputShardings_Args *args)
{
  PJRT_NEEDS (args, sharding_sizes);
  args->num_outputs = args->executable->n_outputs;
  args->shardings = NULL;
  args->sharding_sizes = NULL;

  return NULL;
}

void
ghlo_pjrt_shardings_fill (PJRT_Shardings_Extension *extension)
{
  *extension = (PJRT_Shardings_Extension) {
    .base = { .struct_size = sizeof *extension, .type = PJRT_Extension_Type_Shardings },
    .PJRT_Shardings_PJRT_Executable_ParameterShardings = parameter_shardings,
    .PJRT_Shardings_PJRT_Executable_OutputShardings = output_shardings,
  };
}
