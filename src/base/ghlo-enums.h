/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The public enumerations. They belong to the lowest layer, so that every folder can use the same element types and
 * error codes as the API.
 */

#pragma once

#if !defined (GHLO_INSIDE) && !defined (GHLO_COMPILATION)
#error "Only <ghlo/ghlo.h> can be included directly."
#endif

#include <glib-object.h>

#include "ghlo-version-macros.h"

G_BEGIN_DECLS

/**
 * GhloProgramFormat:
 * @GHLO_PROGRAM_FORMAT_TEXT: MLIR's text
 * @GHLO_PROGRAM_FORMAT_PORTABLE_ARTIFACT: MLIR bytecode in the versioned dialect VHLO,
 *   as StableHLO's serialization writes it
 * @GHLO_PROGRAM_FORMAT_BYTECODE: other MLIR bytecode
 * @GHLO_PROGRAM_FORMAT_JAX_EXPORT: a file that `jax.export` wrote, with a portable
 *   artifact inside
 *
 * The formats in which a program can be read.
 *
 * Since: 1.0
 */
typedef enum
{
  GHLO_PROGRAM_FORMAT_TEXT,
  GHLO_PROGRAM_FORMAT_PORTABLE_ARTIFACT,
  GHLO_PROGRAM_FORMAT_BYTECODE,
  GHLO_PROGRAM_FORMAT_JAX_EXPORT,
} GhloProgramFormat;

/**
 * GhloElementType:
 * @GHLO_ELEMENT_TYPE_INVALID: no element type
 * @GHLO_ELEMENT_TYPE_I1: boolean, one byte holding 0 or 1
 * @GHLO_ELEMENT_TYPE_I2: 2-bit signed integer, sign-extended to one byte
 * @GHLO_ELEMENT_TYPE_I4: 4-bit signed integer, sign-extended to one byte
 * @GHLO_ELEMENT_TYPE_I8: 8-bit signed integer
 * @GHLO_ELEMENT_TYPE_I16: 16-bit signed integer
 * @GHLO_ELEMENT_TYPE_I32: 32-bit signed integer
 * @GHLO_ELEMENT_TYPE_I64: 64-bit signed integer
 * @GHLO_ELEMENT_TYPE_UI2: 2-bit unsigned integer, zero-extended to one byte
 * @GHLO_ELEMENT_TYPE_UI4: 4-bit unsigned integer, zero-extended to one byte
 * @GHLO_ELEMENT_TYPE_UI8: 8-bit unsigned integer
 * @GHLO_ELEMENT_TYPE_UI16: 16-bit unsigned integer
 * @GHLO_ELEMENT_TYPE_UI32: 32-bit unsigned integer
 * @GHLO_ELEMENT_TYPE_UI64: 64-bit unsigned integer
 * @GHLO_ELEMENT_TYPE_F4E2M1FN: 4-bit float, one byte holding the bits
 * @GHLO_ELEMENT_TYPE_F6E2M3FN: 6-bit float, one byte holding the bits
 * @GHLO_ELEMENT_TYPE_F6E3M2FN: 6-bit float, one byte holding the bits
 * @GHLO_ELEMENT_TYPE_F8E3M4: 8-bit float with IEEE specials
 * @GHLO_ELEMENT_TYPE_F8E4M3: 8-bit float with IEEE specials
 * @GHLO_ELEMENT_TYPE_F8E4M3FN: 8-bit float, finite and NaN only
 * @GHLO_ELEMENT_TYPE_F8E4M3FNUZ: 8-bit float, finite and NaN, no negative zero
 * @GHLO_ELEMENT_TYPE_F8E4M3B11FNUZ: as F8E4M3FNUZ with exponent bias 11
 * @GHLO_ELEMENT_TYPE_F8E5M2: 8-bit float with IEEE specials
 * @GHLO_ELEMENT_TYPE_F8E5M2FNUZ: 8-bit float, finite and NaN, no negative zero
 * @GHLO_ELEMENT_TYPE_F8E8M0FNU: 8-bit unsigned power of two
 * @GHLO_ELEMENT_TYPE_BF16: 16-bit brain float
 * @GHLO_ELEMENT_TYPE_F16: 16-bit IEEE float
 * @GHLO_ELEMENT_TYPE_F32: 32-bit IEEE float
 * @GHLO_ELEMENT_TYPE_F64: 64-bit IEEE float
 * @GHLO_ELEMENT_TYPE_COMPLEX_F32: real and imaginary part as 32-bit floats
 * @GHLO_ELEMENT_TYPE_COMPLEX_F64: real and imaginary part as 64-bit floats
 * @GHLO_ELEMENT_TYPE_INDEX: a dimension, held as a 64-bit signed integer
 *
 * The type of one element of a tensor. In a buffer every element has its own
 * bytes, in the byte order of the host.
 *
 * Since: 1.0
 */
typedef enum
{
  GHLO_ELEMENT_TYPE_INVALID,
  GHLO_ELEMENT_TYPE_I1,
  GHLO_ELEMENT_TYPE_I2,
  GHLO_ELEMENT_TYPE_I4,
  GHLO_ELEMENT_TYPE_I8,
  GHLO_ELEMENT_TYPE_I16,
  GHLO_ELEMENT_TYPE_I32,
  GHLO_ELEMENT_TYPE_I64,
  GHLO_ELEMENT_TYPE_UI2,
  GHLO_ELEMENT_TYPE_UI4,
  GHLO_ELEMENT_TYPE_UI8,
  GHLO_ELEMENT_TYPE_UI16,
  GHLO_ELEMENT_TYPE_UI32,
  GHLO_ELEMENT_TYPE_UI64,
  GHLO_ELEMENT_TYPE_F4E2M1FN,
  GHLO_ELEMENT_TYPE_F6E2M3FN,
  GHLO_ELEMENT_TYPE_F6E3M2FN,
  GHLO_ELEMENT_TYPE_F8E3M4,
  GHLO_ELEMENT_TYPE_F8E4M3,
  GHLO_ELEMENT_TYPE_F8E4M3FN,
  GHLO_ELEMENT_TYPE_F8E4M3FNUZ,
  GHLO_ELEMENT_TYPE_F8E4M3B11FNUZ,
  GHLO_ELEMENT_TYPE_F8E5M2,
  GHLO_ELEMENT_TYPE_F8E5M2FNUZ,
  GHLO_ELEMENT_TYPE_F8E8M0FNU,
  GHLO_ELEMENT_TYPE_BF16,
  GHLO_ELEMENT_TYPE_F16,
  GHLO_ELEMENT_TYPE_F32,
  GHLO_ELEMENT_TYPE_F64,
  GHLO_ELEMENT_TYPE_COMPLEX_F32,
  GHLO_ELEMENT_TYPE_COMPLEX_F64,
  GHLO_ELEMENT_TYPE_INDEX,
} GhloElementType;

/**
 * GhloSeverity:
 * @GHLO_SEVERITY_ERROR: the program cannot be used
 * @GHLO_SEVERITY_WARNING: the program can be used, but something looks wrong
 * @GHLO_SEVERITY_NOTE: belongs to the diagnostic before it
 *
 * How serious a diagnostic is.
 *
 * Since: 1.0
 */
typedef enum
{
  GHLO_SEVERITY_ERROR,
  GHLO_SEVERITY_WARNING,
  GHLO_SEVERITY_NOTE,
} GhloSeverity;

/**
 * GhloValueKind:
 * @GHLO_VALUE_TENSOR: a tensor: elements in memory
 * @GHLO_VALUE_TOKEN: a token: it orders side effects and has no content
 * @GHLO_VALUE_TUPLE: a tuple: other values, its members
 * @GHLO_VALUE_FUTURE: a future: the pending result of an asynchronous operation
 *
 * The kind of an input, an output or a buffer.
 *
 * Since: 1.0
 */
typedef enum
{
  GHLO_VALUE_TENSOR,
  GHLO_VALUE_TOKEN,
  GHLO_VALUE_TUPLE,
  GHLO_VALUE_FUTURE,
} GhloValueKind;

/**
 * GhloDeviceKind:
 * @GHLO_DEVICE_KIND_REFERENCE: the reference executor: simple and correct, but slow
 * @GHLO_DEVICE_KIND_CPU: the processor, with compiled code
 * @GHLO_DEVICE_KIND_VULKAN: a Vulkan device
 *
 * The kind of a device on which programs run.
 *
 * Since: 1.0
 */
typedef enum
{
  GHLO_DEVICE_KIND_REFERENCE,
  GHLO_DEVICE_KIND_CPU,
  GHLO_DEVICE_KIND_VULKAN,
} GhloDeviceKind;

/**
 * GhloOptimizationLevel:
 * @GHLO_OPTIMIZATION_LEVEL_O0: only what correctness requires
 * @GHLO_OPTIMIZATION_LEVEL_O1: fast optimizations that always pay off
 * @GHLO_OPTIMIZATION_LEVEL_O2: fusion and loop optimizations too; this is the default
 * @GHLO_OPTIMIZATION_LEVEL_O3: everything, with choices that are measured
 *
 * How much work a compile does to make runs fast.
 *
 * Since: 1.0
 */
typedef enum
{
  GHLO_OPTIMIZATION_LEVEL_O0,
  GHLO_OPTIMIZATION_LEVEL_O1,
  GHLO_OPTIMIZATION_LEVEL_O2,
  GHLO_OPTIMIZATION_LEVEL_O3,
} GhloOptimizationLevel;

/**
 * GhloProgressStage:
 * @GHLO_PROGRESS_STAGE_IDLE: no call uses the progress yet
 * @GHLO_PROGRESS_STAGE_QUEUED: the call waits for a worker
 * @GHLO_PROGRESS_STAGE_PASSES: passes change the program
 * @GHLO_PROGRESS_STAGE_CODEGEN: code is generated for the device
 * @GHLO_PROGRESS_STAGE_UPLOAD: data is uploaded to the device
 * @GHLO_PROGRESS_STAGE_RUN: the program runs
 * @GHLO_PROGRESS_STAGE_DONE: the call succeeded
 *
 * What a call is doing.
 *
 * Since: 1.0
 */
typedef enum
{
  GHLO_PROGRESS_STAGE_IDLE,
  GHLO_PROGRESS_STAGE_QUEUED,
  GHLO_PROGRESS_STAGE_PASSES,
  GHLO_PROGRESS_STAGE_CODEGEN,
  GHLO_PROGRESS_STAGE_UPLOAD,
  GHLO_PROGRESS_STAGE_RUN,
  GHLO_PROGRESS_STAGE_DONE,
} GhloProgressStage;

/**
 * GhloTextFlags:
 * @GHLO_TEXT_FLAGS_NONE: the official pretty form, with locations
 * @GHLO_TEXT_FLAGS_GENERIC: every operation in MLIR's generic form
 * @GHLO_TEXT_FLAGS_STRIP_LOCATIONS: no locations
 * @GHLO_TEXT_FLAGS_ELIDE_LARGE: constants of more than 64 elements are left out;
 *   the text is for people and cannot be read back
 *
 * How a program is written as text.
 *
 * Since: 1.0
 */
typedef enum
{
  GHLO_TEXT_FLAGS_NONE            = 0,
  GHLO_TEXT_FLAGS_GENERIC         = 1 << 0,
  GHLO_TEXT_FLAGS_STRIP_LOCATIONS = 1 << 1,
  GHLO_TEXT_FLAGS_ELIDE_LARGE     = 1 << 2,
} GhloTextFlags;

/**
 * GhloDumpStage:
 * @GHLO_DUMP_STAGE_PARSED: the program as it was written
 * @GHLO_DUMP_STAGE_PASSES: the program after the passes, as the device got it
 * @GHLO_DUMP_STAGE_PLAN: what the device does in a run
 *
 * What a program has become on its way through a compile.
 *
 * Since: 1.0
 */
typedef enum
{
  GHLO_DUMP_STAGE_PARSED,
  GHLO_DUMP_STAGE_PASSES,
  GHLO_DUMP_STAGE_PLAN,
} GhloDumpStage;

/**
 * GhloLoadFlags:
 * @GHLO_LOAD_FLAGS_NONE: the program is compiled again, so that untrusted bytes can
 *   do no more harm than an untrusted program
 * @GHLO_LOAD_FLAGS_TRUSTED: the caller vouches for the bytes: machine code in them
 *   may be run. Executables of this version contain none
 *
 * How a serialized executable is loaded.
 *
 * Since: 1.0
 */
typedef enum
{
  GHLO_LOAD_FLAGS_NONE    = 0,
  GHLO_LOAD_FLAGS_TRUSTED = 1 << 0,
} GhloLoadFlags;

GHLO_AVAILABLE_IN_1_0
const char      *ghlo_element_type_to_string   (GhloElementType element_type);
GHLO_AVAILABLE_IN_1_0
GhloElementType  ghlo_element_type_from_string (const char      *string);
GHLO_AVAILABLE_IN_1_0
gsize            ghlo_element_type_get_size    (GhloElementType element_type);

G_END_DECLS
