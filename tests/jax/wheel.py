#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The wheels of the packages for JAX: what is in them, and that they work by themselves; see tests/jax/run."""

import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import venv
import zipfile

import tap

SOURCE = pathlib.Path(__file__).resolve().parents[2]
# Of the packages jax-ghlo and jax-ghlo-llvm, in bytes: packed, installed.
MOST, MOST_LLVM = (30e6, 95e6), (17e6, 42e6)

folder = tempfile.TemporaryDirectory()
wheel, llvm_wheel = (pathlib.Path(folder.name) / f'{name}-0-py3-none-manylinux_2_34_{platform.machine()}.whl'
                     for name in ('jax_ghlo', 'jax_ghlo_llvm'))


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, **options)
    if done.returncode != 0:
        raise AssertionError(f'{command[0]}: status {done.returncode}\n{done.stdout}{done.stderr}')
    return done.stdout


def check_size(path, most):
    """And gives the names of the files in it."""
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        installed = sum(entry.file_size for entry in archive.infolist())
        names = archive.namelist()
    print(f'# {path.name}: {path.stat().st_size / 1e6:.1f} MB, installed {installed / 1e6:.1f} MB')
    assert path.stat().st_size <= most[0] and installed <= most[1]
    return names


def read_metadata(path):
    with zipfile.ZipFile(path) as archive:
        name = next(name for name in archive.namelist() if name.endswith('/METADATA'))
        return archive.read(name).decode().splitlines()


def test_make():
    modules = sorted((SOURCE / 'introspection/jax/jax_plugins/ghlo').glob('*.py'))
    run(sys.executable, SOURCE / 'introspection/jax/make-wheel.py', wheel, '0', SOURCE / 'README.md',
        os.environ['GHLO_PJRT_PLUGIN'], *modules)
    names = check_size(wheel, MOST)
    libraries = {name.split('/')[-1] for name in names if name.startswith('jax_plugins/ghlo/')}
    assert libraries >= {'pjrt_c_api_ghlo_plugin.so', 'libdnnl.so.2', 'libopenblas.so.0', 'libglib-2.0.ghlo'}, libraries
    licences = {name.split('/')[-1] for name in names if '/licenses/' in name}
    assert licences >= {'ghlo.txt', 'libdnnl2.txt', 'libopenblas0-serial.txt', 'libglib2.0-0.txt'}, licences
    assert 'Requires-Dist: jax-ghlo-llvm==0; extra == "llvm"' in read_metadata(wheel)


def test_symbols():
    with zipfile.ZipFile(wheel) as archive:
        plugin = archive.extract('jax_plugins/ghlo/pjrt_c_api_ghlo_plugin.so', folder.name)
    run(sys.executable, SOURCE / 'tests/check-symbols.py', plugin, SOURCE / 'tests/pjrt/plugin.symbols')


def test_make_llvm():
    """Where the build has LLVM's archives: one symbol, and what it needs is the system's or the other wheel's."""
    if not has_llvm():
        return
    archives = os.environ['GHLO_LLVM_ARCHIVES'].split(':')
    run(sys.executable, SOURCE / 'introspection/jax/make-llvm-wheel.py', llvm_wheel, '0', SOURCE / 'README.md',
        os.environ['GHLO_LLVM_INSIDE'], *archives, '--', SOURCE / 'introspection/jax/jax_ghlo_llvm/__init__.py')
    names = check_size(llvm_wheel, MOST_LLVM)
    licences = {name.split('/')[-1] for name in names if '/licenses/' in name}
    assert licences == {'ghlo.txt', 'llvm-19-dev.txt', 'zlib1g-dev.txt', 'libzstd-dev.txt'}, licences
    assert 'Requires-Dist: jax-ghlo==0' in read_metadata(llvm_wheel)
    with zipfile.ZipFile(llvm_wheel) as archive:
        module = archive.extract('jax_ghlo_llvm/libghlo-llvm.so', pathlib.Path(folder.name) / 'extracted')
    symbols = run('nm', '-D', '--defined-only', module).split()
    assert symbols[2:] == ['ghlo_emitter'], symbols
    needed = set(re.findall(r'\(NEEDED\).*\[(.*)\]', run('readelf', '-d', '-W', module)))
    system = {'libm.so.6', 'libc.so.6', 'libstdc++.so.6', 'libgcc_s.so.1', 'ld-linux-x86-64.so.2'}
    assert needed - system == {'libglib-2.0.ghlo'}, needed


def has_llvm():
    return os.path.exists(os.environ.get('GHLO_LLVM_INSIDE', ''))


def install(*names):
    """An environment of its own, which has JAX from the one of the tests. Gives its packages' folder."""
    own = pathlib.Path(folder.name) / 'environment'
    if not own.exists():
        venv.create(own, with_pip=False)
        packages(own).joinpath('jax.pth').write_text(sysconfig.get_path('purelib') + '\n', encoding='utf-8')
    run(sys.executable, '-m', 'pip', '--python', own, 'install', '--quiet', '--no-deps', '--no-index', *names)
    return own


def packages(own):
    return own / 'lib' / f'python{sys.version_info.major}.{sys.version_info.minor}' / 'site-packages'


def run_apart(own, code):
    """The lines that the code prints there, with nothing of the build tree's in sight."""
    environment = {name: value for name, value in os.environ.items()
                   if name not in ('PYTHONPATH', 'LD_LIBRARY_PATH', 'GHLO_PJRT_PLUGIN', 'JAX_PLATFORMS')}
    return run(own / 'bin' / 'python', '-c', code + LIST_LOADED, env={**environment, 'GHLO_CACHE': 'off'},
               cwd=folder.name).splitlines()


LIST_LOADED = '''
print(*sorted({line.split()[-1] for line in open('/proc/self/maps') if '.so' in line or '.ghlo' in line}))
'''


def test_install():
    own = install(wheel)
    code = '''
import jax
import jax.numpy as jnp
print(jax.devices(), jnp.ones(3) + 1)
x = jnp.ones((256, 256))
print((x @ x)[0, 0], jnp.linalg.eigh(4 * jnp.eye(30))[0][1], jax.pure_callback(lambda x: x + 1, x, x)[0, 0])
'''
    lines = run_apart(own, code)
    assert lines[:2] == ['[GhloDevice(id=0)] [2. 2. 2.]', '256.0 4.0 2.0'], lines[:2]
    # All of it is the wheel's, whatever the system has.
    loaded = {pathlib.Path(path) for path in lines[2].split()}
    for stem in ('libglib', 'libgio', 'libdnnl', 'libopenblas', 'libgomp', 'libgfortran.so'):
        found = [path for path in loaded if path.name.startswith(stem)]
        assert found and all(path.parent == packages(own) / 'jax_plugins/ghlo' for path in found), (stem, found)


def test_install_llvm():
    """The module of the second wheel is found once it is installed, and what it makes computes the same bits."""
    if not has_llvm():
        return
    code = '''
import hashlib
import jax
import jax.numpy as jnp
import numpy as np
x = jnp.linspace(-3, 3, 1 << 20)
compiled = jax.jit(lambda x: jnp.tanh(x) * jnp.exp(-x * x) + jnp.where(x > 0, x, jnp.sin(x)))
for _ in range(400):
    last = np.asarray(compiled(x))
    if any('libghlo-llvm' in line for line in open('/proc/self/maps')):
        break
print(hashlib.sha256(last.tobytes()).hexdigest())
'''
    own = pathlib.Path(folder.name) / 'environment'
    without, loaded = run_apart(own, code)
    assert 'libghlo-llvm' not in loaded, loaded
    install(llvm_wheel)
    found, loaded = run_apart(own, code)
    assert found == without, (found, without)
    modules = [path for path in loaded.split() if 'llvm' in path.lower()]
    assert modules == [str(packages(own) / 'jax_ghlo_llvm/libghlo-llvm.so')], modules


if __name__ == '__main__':
    if not all(map(shutil.which, ('patchelf', 'dpkg-query', 'strip', 'objdump'))):
        print('1..0 # SKIP there is no patchelf, or what a wheel is made with besides')
        sys.exit(0)
    tap.run(sys.modules[__name__])
