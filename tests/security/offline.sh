#!/bin/sh
# The tests of everything that generates, in a network namespace of their own: there is no network but loopback.
# usage: tests/security/offline.sh PYTHON [PYTEST ARGUMENTS]
set -eu
python=$1
shift
if ! unshare --user --map-root-user --net true 2>/dev/null; then
    echo "left out: this machine does not let a process have a network of its own"
    exit 0
fi
[ $# -gt 0 ] || set -- tests/parse tests/render tests/upgrade tests/load tests/security/test_code.py
exec unshare --user --map-root-user --net "$python" -c '
import fcntl, os, socket, struct, sys
with socket.socket() as any_socket:  # loopback up (SIOCSIFFLAGS), for the canary that must not be asked
    fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh14x", b"lo", 0x1 | 0x40))
try:
    socket.create_connection(("192.0.2.1", 80), 1)
except OSError as error:
    print("no network:", error.strerror)
else:
    sys.exit("there is a network")
os.execv(sys.executable, [sys.executable, "-m", "pytest", "-q", "-n", "2", *sys.argv[1:]])
' "$@"
