# SPDX-License-Identifier: LGPL-2.1-or-later
"""What tests/jax/upstream.py loads into pytest: it draws the tests to run, and reports on each by a pipe.

A line of the report is a JSON object: {"begun": ID} when a test begins, {"ended": ID, "outcome": …, "message": …} when
it has ended, {"collected": NUMBER} before the first, and {"broken": FILE, "message": …} where a file cannot be read.
So the reader knows which test was running when the process ended.
"""

import importlib.util
import json
import os
import sys
import zlib

import pytest

with open(os.environ['GHLO_UPSTREAM'], encoding='utf-8') as settings_file:
    SETTINGS = json.load(settings_file)
PIPE = os.fdopen(int(os.environ['GHLO_UPSTREAM_PIPE']), 'w', buffering=1)


def tell(**fields):
    PIPE.write(json.dumps(fields) + '\n')


def is_drawn(identifier):
    number, every = zlib.crc32(f'{SETTINGS["seed"]} {identifier}'.encode()), SETTINGS['every']
    return number % every == SETTINGS['part'] and number // every % SETTINGS['pieces'] == SETTINGS['piece']


def give_hypothesis_util():
    """The module of JAX's tests that its wheel leaves out."""
    name = 'jax._src.hypothesis_test_util'
    if importlib.util.find_spec(name) is None:
        spec = importlib.util.spec_from_file_location(name, SETTINGS['source'] + '/jax/_src/hypothesis_test_util.py')
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)


def pytest_collection():
    import jax    # pylint: disable=import-outside-toplevel
    from jax._src import test_util    # pylint: disable=import-outside-toplevel,unused-import  # has the flag
    # Files ask for more devices than there are, which counts until there are any.
    jax.devices()
    jax.config.update('jax_test_dut', 'cpu')
    give_hypothesis_util()


def pytest_collectreport(report):
    if report.failed:
        tell(broken=report.nodeid, message=str(report.longrepr))


def pytest_collection_modifyitems(items):
    wanted = SETTINGS['wanted']
    wanted = None if wanted is None else set(wanted)
    done = set(SETTINGS['done'])
    items[:] = [item for item in items
                if is_drawn(item.nodeid) and item.nodeid not in done and (wanted is None or item.nodeid in wanted)]
    tell(collected=len(items))


def pytest_runtest_logstart(nodeid):
    tell(begun=nodeid)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    item.ghlo_outcome = ('passed', '')
    yield
    outcome, message = item.ghlo_outcome
    tell(ended=item.nodeid, outcome=outcome, message=message)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    report = (yield).get_result()
    if report.passed or item.ghlo_outcome[0] != 'passed':
        return
    if hasattr(report, 'wasxfail') or report.skipped:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else ''
        item.ghlo_outcome = ('skipped', str(reason))
    else:
        item.ghlo_outcome = ('failed', str(report.longrepr))
