"""The gate of the page's server: who may enter, and from where.

A link with a one-time token opens the page. The page exchanges the token for a key, which it sends
with every further request. A cookie would not do: all ports of a host share their cookies. The
token stands behind `#`, which browsers send to no server, so that no log and no preview of the link
has it.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Collection, Mapping, Sequence

#: Names of this machine for itself. A foreign name here is a DNS rebinding attack.
_OWN_NAMES = frozenset({"127.0.0.1", "localhost"})
_USED = "This link was used before; open the new link that the terminal shows."
_WRONG = "This link is not of this run; open the link that the terminal shows."
_REPLACED = "The page was opened again elsewhere, or the run was restarted; use the newest link."


class Refused(Exception):
    """A request that is refused; the text says why. status: of HTTP."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


class UsedLink(Refused):
    """A link that was opened before."""


class Gate:
    """The token of the link and the key of the page. Not thread-safe.

    hosts: further names under which a tunnel of the user's choice reaches the server.
    """

    def __init__(self, hosts: Collection[str] = ()) -> None:
        self._hosts = _OWN_NAMES | {host.lower() for host in hosts}
        self._token = secrets.token_urlsafe(16)
        self._used: list[str] = []
        self._key = ""

    @property
    def token(self) -> str:
        """The token of the present link."""
        return self._token

    @property
    def opened(self) -> bool:
        """Whether the present link was used."""
        return self._token in self._used

    def renew(self) -> None:
        """Make a new token in place of a used one."""
        self._token = secrets.token_urlsafe(16)

    def exchange(self, token: str) -> str:
        """Exchange the token for a new key; earlier keys end. Raises Refused."""
        if any(_same(token, used) for used in self._used):
            raise UsedLink(403, _USED)
        if not _same(token, self._token):
            raise Refused(403, _WRONG)
        self._used.append(self._token)
        self._key = secrets.token_urlsafe(16)
        return self._key

    def check_key(self, authorization: str) -> None:
        """Raises Refused without the key, as the header Authorization has it."""
        kind, _, key = authorization.partition(" ")
        if not self._key or kind != "Bearer" or not _same(key, self._key):
            raise Refused(401, _REPLACED)

    def check_sender(self, headers: Mapping[str, Sequence[str]]) -> None:
        """Raises Refused for a request to another host's name or from another origin's page.

        headers: all values of "Host", "Origin" and "Sec-Fetch-Site".
        """
        host = headers["Host"][0].lower() if len(headers["Host"]) == 1 else ""
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
        if name not in self._hosts:
            raise Refused(421, "This server does not answer to that host name.")
        own = {f"http://{host}", f"https://{host}"}
        if not own.issuperset(origin.lower() for origin in headers["Origin"]):
            raise Refused(403, "A page of another origin may not use this server.")

    def check_same_site(self, headers: Mapping[str, Sequence[str]]) -> None:
        """Raises Refused for a request that a browser says comes from another site."""
        if not {"same-origin", "none"}.issuperset(headers["Sec-Fetch-Site"]):
            raise Refused(403, "A page of another origin may not use this server.")


def _same(given: str, expected: str) -> bool:
    return hmac.compare_digest(*(text.encode(errors="replace") for text in (given, expected)))
