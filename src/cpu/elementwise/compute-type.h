/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The type of number in which elementwise loops compute on each element type, and the conversions from elements to
 * numbers and back.
 */

#pragma once

#include "cpu/isa/elementwise.h"
#include "cpu/isa/routines.h"
#include "kernel/scalar.h"

G_BEGIN_DECLS

typedef struct
{
  GhloElementType   type;
  GhloCpuNumber     number;
  gboolean          is_read;        /* f16 and bf16: elements are converted before and after */
  GhloCpuConversion read, write;
  const char       *name;           /* of the type of number */
} GhloCpuComputeType;

/* NULL for types below 8 bits and for 8-bit floats. */
const GhloCpuComputeType  *ghlo_cpu_compute_type          (GhloElementType    type);
/* For loops that only copy or select elements of @size bytes, whatever their type. */
const GhloCpuComputeType  *ghlo_cpu_compute_type_bits     (guint              size);
/* The loop of a scalar operation on numbers of the type; NULL where there is none. */
GhloCpuElementwiseFunc     ghlo_cpu_compute_type_loop     (const GhloCpuComputeType *self,
                                                           GhloScalarKind            kind);
/* Whether there is a loop of @kind for any type. */
gboolean                   ghlo_cpu_has_loop              (GhloScalarKind            kind);

static inline guint
ghlo_cpu_compute_type_size (const GhloCpuComputeType *self)
{
  return self->is_read ? 2 : ghlo_cpu_number_size (self->number);
}

static inline GhloCpuConvertFunc
ghlo_cpu_compute_type_reader (const GhloCpuComputeType *self)
{
  return self->is_read ? ghlo_cpu_routines ()->convert[self->read] : NULL;
}

static inline GhloCpuConvertFunc
ghlo_cpu_compute_type_writer (const GhloCpuComputeType *self)
{
  return self->is_read ? ghlo_cpu_routines ()->convert[self->write] : NULL;
}

G_END_DECLS
