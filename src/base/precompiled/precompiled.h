/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Headers of other libraries that most files include. Reading them takes more than half of the time that compiling a
 * file takes; a build with b_pch reads them once for each library. No file relies on this: every file includes the
 * headers that it needs, as a build without b_pch verifies.
 */

#include <gio/gio.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
