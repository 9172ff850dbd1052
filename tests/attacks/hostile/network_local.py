"""Opens local sockets: by path, by abstract name, in pairs, to the kernel; and makes one of the channel."""
# expect: * = passed

import socket

for family in (socket.AF_UNIX, socket.AF_NETLINK, socket.AF_PACKET, socket.AF_VSOCK, socket.AF_ALG, 15, 31, 44):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
        must_fail(f"socket {family} {kind}", socket.socket, family, kind)
must_fail("pair", socket.socketpair)


def over_the_channel(action):
    line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, fileno=channel())
    try:
        return action(line)
    finally:
        line.detach()


must_fail("send a descriptor", over_the_channel, lambda line: socket.send_fds(line, [b"x"], [0]))
must_fail("receive a descriptor", over_the_channel, lambda line: socket.recv_fds(line, 1, 1, socket.MSG_DONTWAIT))
must_fail("send", over_the_channel, lambda line: line.send(b"x"))
must_fail("option", over_the_channel, lambda line: line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 30))
must_fail("peer", over_the_channel, lambda line: line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
must_fail("connect", over_the_channel, lambda line: line.connect("\0grader"))
must_fail("shutdown", over_the_channel, lambda line: line.shutdown(socket.SHUT_RD))
