#version 460
/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fourier transforms of f32.
 */

#extension GL_GOOGLE_include_directive : require

#include "fft.glsl"
