#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Marks for the profiler sysprof: a process under a recorder has marks of the compile, its passes, the run and its
steps, which lie within each other.

The recorder is this script, in the place of sysprof: the other end of the socket that SYSPROF_CONTROL_FD names, from
which the threads of the process request ring buffers in shared memory. The numbers below are those of
sysprof-capture-types.h, and of the head of a ring buffer: two positions, which count bytes, then where the bytes begin
and how many there are.
"""

import array
import mmap
import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'conformance'))
from common import Tap  # noqa: E402

REQUEST = b'CreatRing\0'
HEAD, BYTES = mmap.PAGESIZE, 1 << 20
FRAME = struct.Struct('<HhiqB7x')   # length, processor, process, time, type
MARK = struct.Struct('<q24s40s')    # duration, group, name; then the message
MARK_TYPE = 10

SCRIPT = '''
import gi
gi.require_version('Ghlo', '1.0')
from gi.repository import Ghlo
program = Ghlo.Program.parse("""
func.func @main(%x: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %0 = stablehlo.exponential %x : tensor<16x64xf32>
  %1 = stablehlo.multiply %0, %x : tensor<16x64xf32>
  return %1 : tensor<16x64xf32>
}""")
executable = Ghlo.Client().compile(program)
print(executable([[0.0] * 64] * 16)[0].get_size())
'''


def serve(control, rings):
    """Gives each thread that asks a ring buffer, until the process has exited."""
    while control.recv(len(REQUEST), socket.MSG_WAITALL) == REQUEST:
        fd = os.memfd_create('ring')
        os.ftruncate(fd, HEAD + BYTES)
        ring = mmap.mmap(fd, HEAD + BYTES)
        ring[:16] = struct.pack('<IIII', 0, 0, HEAD, BYTES)
        rings.append(ring)
        control.sendmsg([b'\0'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [fd]))])
        os.close(fd)


def read_marks(ring):
    """Yields (name, message, begin, end) of the library's marks in a ring buffer that was never full."""
    _, end = struct.unpack('<II', ring[:8])
    position = HEAD
    while position < HEAD + end:
        length, _, _, time, kind = FRAME.unpack_from(ring, position)
        if kind == MARK_TYPE:
            duration, group, name = MARK.unpack_from(ring, position + FRAME.size)
            message = ring[position + FRAME.size + MARK.size:position + length]
            if group.rstrip(b'\0') == b'ghlo':
                yield name.split(b'\0')[0].decode(), message.split(b'\0')[0].decode(), time, time + duration
        position += length


def record():
    """Runs the program under the recorder; returns the finished process and the marks of all of its threads."""
    ours, theirs = socket.socketpair()
    rings = []
    server = threading.Thread(target=serve, args=(ours, rings))
    server.start()
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run([sys.executable, '-c', SCRIPT], capture_output=True, text=True, check=False,
                              pass_fds=[theirs.fileno()],
                              env={**os.environ, 'SYSPROF_CONTROL_FD': str(theirs.fileno()), 'XDG_CACHE_HOME': cache,
                                   'GHLO_DEVICE': 'cpu'})
    theirs.close()
    server.join()
    return done, [mark for ring in rings for mark in read_marks(ring)]


def is_within(inner, outer):
    return outer[2] <= inner[2] <= inner[3] <= outer[3]


def main():
    tap = Tap()
    done, marks = record()
    text = '\n'.join(map(str, marks))
    by_name = {name: [mark for mark in marks if mark[0] == name] for name in ('compile', 'pass', 'run', 'step')}
    tap.report((done.returncode, done.stdout) == (0, '4096\n'), 'the program runs', done.stderr)
    for name, found in by_name.items():
        tap.report(len(found) > 0, f'there are marks of the kind {name}', text)
    tap.report('canonicalize' in [message for _, message, _, _ in by_name['pass']], 'passes have names', text)
    tap.report({message for _, message, _, _ in by_name['compile'] + by_name['run']} == {'cpu'}, 'devices have names',
               text)
    tap.report({message for _, message, _, _ in by_name['step']} == {'ghlo.fusion.map'}, 'steps have operations', text)
    for inner, outer in (('pass', 'compile'), ('step', 'run')):
        tap.report(all(any(is_within(mark, other) for other in by_name[outer]) for mark in by_name[inner]),
                   f'each {inner} is within a {outer}', text)
    tap.finish()


main()
