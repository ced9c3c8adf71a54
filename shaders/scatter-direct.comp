#version 460
/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Applies updates that share no element, or of which only one counts.
 */

#extension GL_GOOGLE_include_directive : require

#include "scatter-direct.glsl"
