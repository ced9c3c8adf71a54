#version 460
/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * scatter-atomic.comp with integers of 64 bits.
 */

#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_atomic_int64 : require

#define WITH_64

#include "scatter-atomic.glsl"
