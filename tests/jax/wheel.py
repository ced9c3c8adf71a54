#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The wheel of the package for JAX: what is in it, and that it works by itself; see tests/jax/run."""

import os
import pathlib
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import venv
import zipfile

import tap

SOURCE = pathlib.Path(__file__).resolve().parents[2]
MAX_PACKED, MAX_INSTALLED = 30e6, 90e6

folder = tempfile.TemporaryDirectory()
wheel = pathlib.Path(folder.name) / f'jax_ghlo-0-py3-none-manylinux_2_34_{platform.machine()}.whl'


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, **options)
    if done.returncode != 0:
        raise AssertionError(f'{command[0]}: status {done.returncode}\n{done.stdout}{done.stderr}')
    return done.stdout


def test_make():
    modules = sorted((SOURCE / 'introspection/jax/jax_plugins/ghlo').glob('*.py'))
    run(sys.executable, SOURCE / 'introspection/jax/make-wheel.py', wheel, '0', SOURCE / 'README.md',
        os.environ['GHLO_PJRT_PLUGIN'], *modules)
    packed = wheel.stat().st_size
    with zipfile.ZipFile(wheel) as archive:
        assert archive.testzip() is None
        installed = sum(entry.file_size for entry in archive.infolist())
        names = archive.namelist()
    print(f'# {packed / 1e6:.1f} MB, installed {installed / 1e6:.1f} MB')
    assert packed <= MAX_PACKED and installed <= MAX_INSTALLED
    libraries = {name.split('/')[-1] for name in names if name.startswith('jax_plugins/ghlo/')}
    assert libraries >= {'pjrt_c_api_ghlo_plugin.so', 'libdnnl.so.2', 'libopenblas.so.0', 'libglib-2.0.ghlo'}, libraries
    licences = {name.split('/')[-1] for name in names if '/licenses/' in name}
    assert licences >= {'ghlo.txt', 'libdnnl2.txt', 'libopenblas0-serial.txt', 'libglib2.0-0.txt'}, licences


def test_symbols():
    with zipfile.ZipFile(wheel) as archive:
        plugin = archive.extract('jax_plugins/ghlo/pjrt_c_api_ghlo_plugin.so', folder.name)
    run(sys.executable, SOURCE / 'tests/check-symbols.py', plugin, SOURCE / 'tests/pjrt/plugin.symbols')


def test_install():
    """An environment of its own, which has JAX from the one of the tests."""
    own = pathlib.Path(folder.name) / 'environment'
    venv.create(own, with_pip=False)
    packages = own / 'lib' / f'python{sys.version_info.major}.{sys.version_info.minor}' / 'site-packages'
    (packages / 'jax.pth').write_text(sysconfig.get_path('purelib') + '\n', encoding='utf-8')
    run(sys.executable, '-m', 'pip', '--python', own, 'install', '--quiet', '--no-deps', '--no-index', wheel)
    code = '''
import jax
import jax.numpy as jnp
print(jax.devices(), jnp.ones(3) + 1)
x = jnp.ones((256, 256))
print((x @ x)[0, 0], jnp.linalg.cholesky(4 * jnp.eye(300))[1, 1], jax.pure_callback(lambda x: x + 1, x, x)[0, 0])
print(*(line.split()[-1] for line in open('/proc/self/maps') if '.so' in line or '.ghlo' in line))
'''
    environment = {name: value for name, value in os.environ.items()
                   if name not in ('PYTHONPATH', 'LD_LIBRARY_PATH', 'GHLO_PJRT_PLUGIN', 'JAX_PLATFORMS')}
    lines = run(own / 'bin' / 'python', '-c', code, env=environment, cwd=folder.name).splitlines()
    assert lines[:2] == ['[GhloDevice(id=0)] [2. 2. 2.]', '256.0 2.0 2.0'], lines[:2]
    # All of it is the wheel's, whatever the system has.
    loaded = {pathlib.Path(path) for path in lines[2].split()}
    for stem in ('libglib', 'libgio', 'libdnnl', 'libopenblas', 'libgomp', 'libgfortran.so'):
        found = [path for path in loaded if path.name.startswith(stem)]
        assert found and all(path.parent == packages / 'jax_plugins/ghlo' for path in found), (stem, found)


if __name__ == '__main__':
    if not all(map(shutil.which, ('patchelf', 'dpkg-query', 'strip', 'objdump'))):
        print('1..0 # SKIP there is no patchelf, or what a wheel is made with besides')
        sys.exit(0)
    tap.run(sys.modules[__name__])
