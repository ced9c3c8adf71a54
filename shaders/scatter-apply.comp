#version 460
/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Updates of each element in their order, after items were sorted by where they are.
 */

#extension GL_GOOGLE_include_directive : require

#include "scatter-apply.glsl"
