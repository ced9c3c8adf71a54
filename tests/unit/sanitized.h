/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether this is built with a sanitizer that wants more addresses and several times as long.
 */

#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature (address_sanitizer) || __has_feature (thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif
