#version 460
/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Items none of which have an element in common, or whose updates may be done in any order.
 */

#extension GL_GOOGLE_include_directive : require

#include "scatter-direct.glsl"
