"""Opens internet sockets of every kind, and asks for names."""
# expect: * = passed

import socket
import urllib.request

for family in (socket.AF_INET, socket.AF_INET6):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
        must_fail(f"socket {family} {kind}", socket.socket, family, kind)
must_fail("connect", socket.create_connection, ("127.0.0.1", 22), 1)
must_fail("serve", socket.create_server, ("127.0.0.1", 0))
must_fail("name", socket.getaddrinfo, "example.com", 80)
must_fail("url", urllib.request.urlopen, "http://127.0.0.1/", None, 1)
