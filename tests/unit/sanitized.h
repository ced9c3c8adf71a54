/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether this build uses a sanitizer that needs more address space and several times the run time, and what to leave
 * out then.
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

/* For code of the tests themselves that computes the expected results: instrumented, it may take most of a test's
 * time. */
#if SANITIZED && defined(__clang__)
#define UNSANITIZED __attribute__ ((no_sanitize ("address", "undefined", "coverage")))
#else
#define UNSANITIZED
#endif
