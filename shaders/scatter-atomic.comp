#version 460
/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Applies updates of integers of 32 bits in any order.
 */

#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require

#include "scatter-atomic.glsl"
