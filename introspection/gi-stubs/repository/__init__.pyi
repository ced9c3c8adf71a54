# SPDX-License-Identifier: LGPL-2.1-or-later
# Where PyGObject-stubs is not installed, type checkers take the other namespaces for
# untyped ones rather than for missing ones.
from typing import Any

def __getattr__(name: str) -> Any: ...
