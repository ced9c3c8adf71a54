# SPDX-License-Identifier: LGPL-2.1-or-later
"""JAX on GHLO: the platform 'ghlo', implemented by a PJRT plugin.

JAX finds this module by itself, since it is in the namespace package jax_plugins, and calls initialize() when it first
needs a device. Nothing has to be imported:

    import jax
    print(jax.devices())

The plugin is a file next to this module; the environment variable GHLO_PJRT_PLUGIN names another one, for instance in a
build tree. GHLO_DEVICE chooses the device, as everywhere in GHLO. The option `device` of JAX's configuration
`jax_pjrt_client_create_options` does so as well and takes precedence.
"""

import os
import pathlib

from . import _jax

__all__ = ['initialize', 'list_missing', 'plugin_path']

PLATFORM = 'ghlo'


def plugin_path() -> pathlib.Path:
    """The path of the plugin.

    Raises FileNotFoundError when there is no such file.
    """
    named = os.environ.get('GHLO_PJRT_PLUGIN')
    path = pathlib.Path(named) if named else pathlib.Path(__file__).with_name('pjrt_c_api_ghlo_plugin.so')
    if not path.is_file():
        where = 'at the path in GHLO_PJRT_PLUGIN' if named else 'in the package'
        raise FileNotFoundError(f"expected GHLO's plugin {where}, found no file {path}")
    return path


def _list_options() -> dict[str, str]:
    """The options with which the plugin's client is created.

    The plugin of the wheel gets the path of the module in the package jax-ghlo-llvm, if that is installed.
    """
    if 'GHLO_PJRT_PLUGIN' in os.environ:
        return {}
    try:
        from jax_ghlo_llvm import module_path    # pylint: disable=import-outside-toplevel
    except ImportError:
        return {}
    return {'llvm': str(module_path().resolve())}


def initialize() -> None:
    """Registers the platform with JAX. JAX calls this itself; a second call does nothing."""
    if not _jax.is_registered(PLATFORM):
        path = plugin_path()
        _jax.register(PLATFORM, path, _list_options)
        _jax.add_features(PLATFORM, path)


def list_missing() -> dict[str, str]:
    """The features that do not work with this version of JAX, each with the reason.

    The features are 'donation', 'linear algebra', 'callbacks', 'inspected shardings', 'scaled_matmul',
    'platform_dependent', 'DLPack', 'FFI', 'sparse systems' and 'programs of jax.export for the CPU'. Everything that
    does not need a missing feature works. The logger 'jax_plugins.ghlo' warns once about missing features. Empty before
    JAX has called initialize().
    """
    return _jax.list_missing()
