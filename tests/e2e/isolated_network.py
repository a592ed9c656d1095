"""Runs a command in a network of its own and records whom it wants to reach: `isolated_network.py RECORD COMMAND…` (Linux only).

There is the loopback interface alone, every address is routed to it, and a name server answers each lookup with an address of
RFC 5737. So nothing leaves the machine, and what would have left it is seen as a packet. RECORD gets a JSON list: names looked
up, and addresses with ports that are not loopback. Exit status: the command's; 77 where the machine allows no such network.
"""

from __future__ import annotations

import ctypes
import fcntl
import ipaddress
import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

NOT_ALLOWED = 77

_CLONE_NEWNS, _CLONE_NEWUSER, _CLONE_NEWNET = 0x20000, 0x10000000, 0x40000000
_MS_BIND, _MS_REC, _MS_PRIVATE = 0x1000, 0x4000, 0x40000
_SIOCGIFINDEX, _SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8933, 0x8913, 0x8914, 1
_ETH_P_ALL, _ETH_P_IP, _ETH_P_IPV6, _TCP, _UDP, _DNS, _SYN, _ACK = 3, 0x0800, 0x86DD, 6, 17, 53, 2, 16
_NAME_SERVER, _ELSEWHERE, _END = "127.0.0.53", "198.51.100.7", ("192.0.2.255", 9)

_libc = ctypes.CDLL(None, use_errno=True)


def isolate() -> None:
    """Leave every network but a loopback interface to which all addresses lead. Raises OSError where that is forbidden."""
    user, group = os.getuid(), os.getgid()
    _checked(_libc.unshare(_CLONE_NEWNET | _CLONE_NEWNS | (_CLONE_NEWUSER if user else 0)))
    if user:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"0 {user} 1")
        Path("/proc/self/gid_map").write_text(f"0 {group} 1")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sH22x", b"lo", 0)
        flags = struct.unpack_from("16sH", fcntl.ioctl(any_socket, _SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sH22x", b"lo", flags | _IFF_UP))
        index = struct.unpack_from("16si", fcntl.ioctl(any_socket, _SIOCGIFINDEX, request))[1]
    for family in (socket.AF_INET, socket.AF_INET6):
        _route_everything_to(index, family)
    _checked(_libc.mount(b"none", b"/", None, _MS_REC | _MS_PRIVATE, None))
    with tempfile.NamedTemporaryFile("w", prefix="resolv-", delete=False) as file:
        file.write(f"nameserver {_NAME_SERVER}\noptions timeout:1 attempts:1\n")
    _checked(_libc.mount(file.name.encode(), os.path.realpath("/etc/resolv.conf").encode(), None, _MS_BIND, None))


def _checked(result: int) -> None:
    if result:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _route_everything_to(index: int, family: int) -> None:
    """`ip route add local default dev lo`, by rtnetlink(7): RTM_NEWROUTE, acknowledged, into the local table."""
    attribute = struct.pack("HHi", 8, 4, index)  # RTA_OIF
    route = struct.pack("BBBBBBBBI", family, 0, 0, 0, 255, 4, 254, 2, 0) + attribute
    header = struct.pack("IHHII", 16 + len(route), 24, 0x1 | 0x4 | 0x400, 1, 0)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as netlink:
        netlink.sendto(header + route, (0, 0))
        number = -struct.unpack_from("i", netlink.recv(4096), 16)[0]
    if number:
        raise OSError(number, os.strerror(number))


class Recorder:
    """Sees every packet of the loopback interface, and answers name lookups."""

    def __init__(self) -> None:
        self.seen: set[str] = set()
        self._ended = threading.Event()
        self._packets = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_ETH_P_ALL))
        self._packets.bind(("lo", 0))
        self._lookups = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._lookups.bind((_NAME_SERVER, _DNS))
        for target in (self._watch, self._answer):
            threading.Thread(target=target, daemon=True).start()

    def finish(self) -> list[str]:
        """Everything that was sent before this call: packets arrive in order, so all are seen once our own last one is."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as last:
            last.sendto(b"", _END)
        if not self._ended.wait(60):
            raise TimeoutError("The recorder saw no packet of its own for 60 s: what it recorded is not everything.")
        return sorted(self.seen)

    def _watch(self) -> None:
        while True:
            frame = self._packets.recv(65535)
            kind, packet = struct.unpack_from("!H", frame, 12)[0], frame[14:]
            if kind == _ETH_P_IP:
                protocol, target, payload = packet[9], packet[16:20], packet[(packet[0] & 15) * 4 :]
            elif kind == _ETH_P_IPV6:
                protocol, target, payload = packet[6], packet[24:40], packet[40:]
            else:
                continue
            begins = protocol == _UDP or (protocol == _TCP and payload[13] & (_SYN | _ACK) == _SYN)
            if begins and not (address := ipaddress.ip_address(target)).is_loopback:
                port = struct.unpack_from("!H", payload, 2)[0]
                if (str(address), port) == _END:
                    self._ended.set()
                else:
                    self.seen.add(f"{address} port {port}")

    def _answer(self) -> None:
        while True:
            query, client = self._lookups.recvfrom(4096)
            labels, at = [], 12
            while length := query[at]:
                labels.append(query[at + 1 : at + 1 + length].decode("ascii", "replace"))
                at += 1 + length
            self.seen.add(".".join(labels))
            question = query[12 : at + 5]
            is_a = question[-4:-2] == b"\x00\x01"
            answer = b"\xc0\x0c\x00\x01\x00\x01\x00\x00\x00\x3c\x00\x04" + socket.inet_aton(_ELSEWHERE) if is_a else b""
            self._lookups.sendto(query[:2] + b"\x81\x80\x00\x01" + struct.pack("!H", is_a) + bytes(4) + question + answer, client)


def main() -> int:
    record, *command = sys.argv[1:]
    try:
        isolate()
        recorder = Recorder()
    except OSError as error:
        print(f"No network of its own: {error}", file=sys.stderr)
        return NOT_ALLOWED
    code = subprocess.run(command, check=False).returncode
    Path(record).write_text(json.dumps(recorder.finish()), encoding="utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main())
