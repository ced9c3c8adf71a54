#version 460
/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Cumulative sums, products, maxima and minima.
 */

#extension GL_GOOGLE_include_directive : require

#include "cumulative.glsl"
