#version 460
/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fft.comp with f64 arithmetic.
 */

#extension GL_GOOGLE_include_directive : require

#define WITH_F64

#include "fft.glsl"
