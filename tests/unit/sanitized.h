/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether this is built with a sanitizer that wants more addresses and several times as long, and what is without it.
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

/* For what a test computes itself, and compares with: a number at a time it may take most of its time. */
#if SANITIZED && defined(__clang__)
#define UNSANITIZED __attribute__ ((no_sanitize ("address", "undefined", "coverage")))
#else
#define UNSANITIZED
#endif
