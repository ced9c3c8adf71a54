#version 460
/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Applies the updates of each element in order, after items have been sorted by their place.
 */

#extension GL_GOOGLE_include_directive : require

#include "scatter-apply.glsl"
