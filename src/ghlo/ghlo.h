/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The only header that applications include.
 */

#pragma once

#define GHLO_INSIDE

#include "ghlo-version-macros.h"
#include "ghlo-version.h"

#include "ghlo-enums.h"
#include "ghlo-error.h"
#include "ghlo-tensor-type.h"

#include "ghlo-enum-types.h"

#include "ghlo-buffer.h"
#include "ghlo-client.h"
#include "ghlo-compile-options.h"
#include "ghlo-compile-report.h"
#include "ghlo-cost.h"
#include "ghlo-custom-call.h"
#include "ghlo-device.h"
#include "ghlo-diagnostic.h"
#include "ghlo-executable.h"
#include "ghlo-pending-call.h"
#include "ghlo-plan-step.h"
#include "ghlo-plan.h"
#include "ghlo-program.h"
#include "ghlo-progress.h"
#include "ghlo-result.h"
#include "ghlo-session.h"
#include "ghlo-statistics.h"
#include "ghlo-timing.h"
#include "ghlo-value-info.h"

#undef GHLO_INSIDE
