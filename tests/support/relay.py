"""A door to a server: connections to one port go to whatever address it leads to at that moment."""
import contextlib
import socket
import threading


class Relay:
    """to: (host, port); may be changed. What was connected before stays where it was until that end is closed."""

    def __init__(self, to):
        self.to = to
        self._server = socket.create_server(("127.0.0.1", 0))
        self.host, self.port = self._server.getsockname()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=self._serve, args=(self._server.accept()[0],), daemon=True).start()

    def _serve(self, client):
        with client, contextlib.suppress(OSError), socket.create_connection(self.to) as server:
            threading.Thread(target=self._pump, args=(server, client), daemon=True).start()
            self._pump(client, server)

    @staticmethod
    def _pump(one, other):
        try:
            while part := one.recv(65536):
                other.sendall(part)
        except OSError:
            pass
        finally:
            for end in (one, other):
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)

    def close(self):
        self._server.close()
