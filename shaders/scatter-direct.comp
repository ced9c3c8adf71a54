#version 460
/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Items none of which have an element in common.
 */

#extension GL_GOOGLE_include_directive : require

#include "scatter-direct.glsl"
