/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How a program's inputs and outputs are distributed over its devices. Programs of one device have no shardings.
 * Without this extension a caller would request the text of the whole program to look for shardings there, several
 * times per compile.
 */

#include "pjrt/shardings.h"

#include "pjrt/error.h"
#include "pjrt/executable.h"

static PJRT_Error *
parameter_shardings (PJRT_Shardings_PJRT_Executable_ParameterShardings_Args *args)
{
  PJRT_NEEDS (args, sharding_sizes);
  args->num_parameters = args->executable->n_inputs;
  args->shardings = args->executable->sharding_bytes;
  args->sharding_sizes = args->executable->sharding_sizes;

  return NULL;
}

/* For a program without outputs, XLA expects one sharding, that of an empty tuple. */
static PJRT_Error *
output_shardings (PJRT_Shardings_PJRT_Executable_OutputShardings_Args *args)
{
  const PJRT_Executable *executable;

  PJRT_NEEDS (args, sharding_sizes);
  executable = args->executable;
  args->num_outputs = executable->n_outputs;
  args->shardings = NULL;
  args->sharding_sizes = NULL;
  if (executable->shardings == NULL)
    return NULL;
  args->num_outputs = MAX (executable->n_outputs, 1);
  args->shardings = executable->sharding_bytes + executable->n_inputs;
  args->sharding_sizes = executable->sharding_sizes + executable->n_inputs;

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
