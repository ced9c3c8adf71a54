#version 460
/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The same with arithmetic of f64.
 */

#extension GL_GOOGLE_include_directive : require

#define WITH_F64

#include "cumulative.glsl"
