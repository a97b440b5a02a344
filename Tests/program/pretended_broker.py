"""A broker of a few lines, for behaviour that a real one cannot be made to show."""

import socket
import threading


class PretendedBroker:
    """Lets everybody in.

    Nobody may subscribe to a filter that contains a word of `denied`.
    """

    def __init__(self, denied=()):
        self.denied = denied
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        self.clients, self.published, self.connections = [], [], []
        # For each connection that has ended: True if its client ended it with a DISCONNECT.
        self.endings = []
        self.turn = threading.Lock()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                connection, _ = self.server.accept()
            except OSError:
                return
            self.connections.append(connection)
            threading.Thread(target=self.listen, args=[connection], daemon=True).start()

    def listen(self, connection):
        stream = connection.makefile("rb")
        head = b""
        said = False
        try:
            while head := stream.read(1):
                size = shift = 0
                while True:
                    byte = stream.read(1)[0]
                    size |= (byte & 127) << shift
                    shift += 7
                    if byte < 128:
                        break
                said = head[0] >> 4 == 14
                self.answer(connection, head[0], stream.read(size))
        except (OSError, ValueError, IndexError):
            pass
        self.endings.append(said)

    def answer(self, connection, head, body):
        kind = head >> 4
        if kind == 1:
            length = int.from_bytes(body[10:12], "big")
            self.clients.append(body[12:12 + length].decode())
            self.say(connection, b"\x20\x02\0\0")
        elif kind == 3:
            length = int.from_bytes(body[:2], "big")
            self.published.append((body[2:2 + length].decode(), body[4 + length:]))
            self.say(connection, b"\x40\x02" + body[2 + length:4 + length])
        elif kind == 8:
            is_denied = any(word in body for word in self.denied)
            self.say(connection, b"\x90\x03" + body[:2] + (b"\x80" if is_denied else b"\x01"))
        elif kind == 12:
            self.say(connection, b"\xd0\0")

    def say(self, connection, packet):
        """Sends a packet. The lock keeps packets of two threads apart."""
        with self.turn:
            connection.sendall(packet)

    def send(self, topic, payload, times=1):
        """Publishes to every client at QoS 0."""
        body = len(topic).to_bytes(2, "big") + topic.encode() + payload
        size = len(body)
        packet = bytearray([0x30])
        while True:
            size, byte = size >> 7, size & 127
            packet.append(byte | (128 if size else 0))
            if not size:
                break
        for connection in self.connections:
            self.say(connection, (packet + body) * times)

    def close(self):
        self.server.close()
        for connection in self.connections:
            connection.close()
