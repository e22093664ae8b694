"""A TCP proxy in front of a server, with faults: connections that are cut, stall, are half closed, or end after so many bytes."""
import asyncio
import socket
import struct
import threading


class Proxy:
    def __init__(self, host, port):
        self.target = (host, port)  # of connections from now on
        self._pairs = set()
        self._flow = None  # set: bytes pass
        self._truncate = {}  # from the server or not → bytes that may still come
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._run, daemon=True).start()
        self._ready.wait()

    def _run(self):
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._listen())
        self._loop.run_forever()

    async def _listen(self):
        self._flow = asyncio.Event()
        self._flow.set()
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()

    async def _accept(self, client_in, client_out):
        try:
            server_in, server_out = await asyncio.open_connection(*self.target)
        except OSError:
            client_out.transport.abort()
            return
        pair = (client_out, server_out)
        self._pairs.add(pair)
        try:
            await asyncio.gather(self._copy(client_in, server_out, False), self._copy(server_in, client_out, True))
        except (OSError, RuntimeError):  # RuntimeError: to an end that was half closed
            pass
        finally:
            self._pairs.discard(pair)
            for end in pair:
                end.transport.abort()

    async def _copy(self, source, sink, from_server):
        while data := await source.read(65536):
            await self._flow.wait()
            left = self._truncate.get(from_server)
            sink.write(data if left is None else data[:left])
            await sink.drain()
            if left is not None:
                self._truncate[from_server] = left - len(data)
                if left <= len(data):
                    del self._truncate[from_server]
                    raise ConnectionResetError
        if sink.can_write_eof():
            sink.write_eof()

    def _do(self, what):
        self._loop.call_soon_threadsafe(what)

    def cut(self):
        """All connections, without a word (RST)."""
        def reset():
            for client, server in list(self._pairs):
                for end in (client, server):
                    end.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    end.transport.abort()
        self._do(reset)

    def half_close(self):
        """The server's side says that it has nothing more to send, and still reads."""
        self._do(lambda: [client.write_eof() for client, _ in list(self._pairs) if client.can_write_eof()])

    def truncate(self, after, from_server=True):
        """The connection that brings the byte of that number from now on, from the server or to it, ends behind it."""
        self._do(lambda: self._truncate.update({from_server: after}))

    def stall(self):
        self._do(lambda: self._flow.clear())

    def go_on(self):
        self._do(lambda: self._flow.set())
