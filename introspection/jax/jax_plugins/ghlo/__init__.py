# SPDX-License-Identifier: LGPL-2.1-or-later
"""JAX on GHLO: the platform 'ghlo', by a plugin of PJRT's.

JAX finds this module by itself, since it is in the namespace package jax_plugins, and calls initialize() when it first
needs a device. Nothing has to be imported:

    import jax
    print(jax.devices())

The plugin lies beside this module; the environment variable GHLO_PJRT_PLUGIN names another one, as a build tree's.
GHLO_DEVICE chooses the device, as everywhere in GHLO, and so does the option `device` of JAX's configuration
`jax_pjrt_client_create_options`, which wins over it.
"""

import os
import pathlib

from . import _jax

__all__ = ['initialize', 'list_missing', 'plugin_path']

PLATFORM = 'ghlo'


def plugin_path() -> pathlib.Path:
    """Where the plugin is.

    Raises FileNotFoundError where it is not.
    """
    named = os.environ.get('GHLO_PJRT_PLUGIN')
    path = pathlib.Path(named) if named else pathlib.Path(__file__).with_name('pjrt_c_api_ghlo_plugin.so')
    if not path.is_file():
        where = 'GHLO_PJRT_PLUGIN says' if named else 'the package has it'
        raise FileNotFoundError(f'expected the plugin of GHLO where {where}, found no file {path}')
    return path


def _list_options() -> dict[str, str]:
    """What the plugin is created with: where the package jax-ghlo-llvm is, its module, which is the wheel's."""
    if 'GHLO_PJRT_PLUGIN' in os.environ:
        return {}
    try:
        from jax_ghlo_llvm import module_path    # pylint: disable=import-outside-toplevel
    except ImportError:
        return {}
    return {'llvm': str(module_path().resolve())}


def initialize() -> None:
    """Tells JAX of the platform; JAX calls this itself. A second call does nothing."""
    if not _jax.is_registered(PLATFORM):
        path = plugin_path()
        _jax.register(PLATFORM, path, _list_options)
        _jax.add_features(PLATFORM, path)


def list_missing() -> dict[str, str]:
    """What this version of JAX does not let the package do, by feature, with the reason.

    The features are 'donation', 'linear algebra', 'callbacks', 'inspected shardings', 'scaled_matmul',
    'platform_dependent', 'DLPack', 'FFI', 'sparse systems' and 'programs of jax.export for the CPU'. What concerns none
    of them works all the same. A
    warning by the logger 'jax_plugins.ghlo' has said so once. Empty before JAX has called initialize().
    """
    return _jax.list_missing()
