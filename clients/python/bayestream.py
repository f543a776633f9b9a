"""Label and learn documents with Bayestream, over its HTTP.

    import bayestream

    desk = bayestream.Client("http://127.0.0.1:7430")
    desk.label("t-1", "billing", "the invoice is wrong")   # learn a document
    desk.classify("an invoice")["label"]                   # label another one
    desk.label("t-1", "support")                           # correct it by its id
    desk.forget("t-1")
    desk.labels()                                          # {'billing': 12, 'support': 40}

It is one file, needs nothing but Python 3.9, and may be copied. A Client has no state besides its
settings, so threads may share one.
"""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple, Union

__version__ = "0.1.0"
__all__ = ["Client", "Error"]

Document = Union[str, Mapping[str, Any]]
Decision = Dict[str, Any]

# A request has at most 1,000 documents in 1 MiB.
_MOST_DOCUMENTS = 1000
_MOST_BYTES = 1 << 20


class Error(Exception):
    """A call that failed. str() is the sentence of the server, or what kept it from answering.

    reason is its word for programs, such as "unknown_id"; "unreachable" and "timeout" are of this
    module. status is the HTTP status, 0 without an answer.
    """

    def __init__(self, message: str, reason: str, status: int = 0) -> None:
        super().__init__(message)
        self.reason = reason
        self.status = status


class Client:
    """Calls `bayestream serve` at url, or the workers: classify at url, ingest at learn_url.

    token is sent as a bearer token. timeout is the most seconds without a byte from the server. A
    server that says 503 is asked again after the seconds it names, attempts times in all. context
    is for a server whose certificate the system does not know.
    """

    def __init__(self, url: str = "http://127.0.0.1:7430", *, learn_url: Optional[str] = None,
                 token: Optional[str] = None, timeout: float = 15.0, attempts: int = 5,
                 context: Optional[ssl.SSLContext] = None) -> None:
        for address in (url, learn_url or url):
            if urllib.parse.urlsplit(address).scheme not in ("http", "https"):
                raise ValueError("%r is no address such as http://127.0.0.1:7430" % address)
        self._url = url.rstrip("/")
        self._learn_url = (learn_url or url).rstrip("/")
        self._token = token
        self._timeout = timeout
        self._attempts = max(attempts, 1)
        self._opener = urllib.request.build_opener(
            _NoRedirect, urllib.request.HTTPSHandler(context=context))

    def classify(self, document: Union[Document, Iterable[Document]]) -> Any:
        """Return the decision on a document: a text, or a mapping with the fields of the spec.

        Of several documents it returns a list of decisions in their order. One that cannot be used
        has {"error": {"reason": ..., "message": ...}} in its place.
        """
        url = self._url + "/v1/classify"
        if isinstance(document, (str, Mapping)):
            return self._post(url, _encode(document))
        return [decision for body in _bodies(document) for decision in self._post(url, body)]

    def label(self, id: str, label: str, document: Optional[Document] = None, *, new: bool = False,
              wait: float = 10.0) -> Dict[str, Any]:
        """Learn a document under a label, or correct by its id one that is known.

        It returns when the model has learned it, or after wait seconds (30 at most) when it is
        durable: the member "outcome" is then "written" instead of "counted". What was not learned
        is an Error. A label that no document has and that is spelt nearly like another one is an
        Error "new_label", unless new says that it is meant.
        """
        record: Dict[str, Any] = {}
        if document is not None:
            record = {"text": document} if isinstance(document, str) else dict(document)
        record.update(id=id, label=label)
        return self._learn(record, wait, "&new" if new else "")

    def forget(self, id: str, *, wait: float = 10.0) -> Dict[str, Any]:
        """Take a document out of the model, as if it had never been learned."""
        return self._learn({"id": id, "label": None}, wait)

    def labels(self) -> Dict[str, int]:
        """Return the labels of the model, with how many documents were learned under each."""
        model = self._call("GET", self._url + "/v1/model")
        return {c["name"]: c["documents"] for c in model["classes"]}

    def _learn(self, record: Mapping[str, Any], wait: float, new: str = "") -> Dict[str, Any]:
        address = "%s/v1/labels?wait=%dms%s" % (self._learn_url, max(1, wait * 1000), new)
        answer: Dict[str, Any] = self._post(address, _encode(record), wait)
        if answer.get("outcome") == "skipped":
            reason = answer.get("reason", "skipped")
            raise Error("document %r was not learned: %s" % (record["id"], reason), reason, 200)
        return answer

    def _post(self, url: str, body: bytes, longer: float = 0.0) -> Any:
        return self._call("POST", url, body, longer)

    def _call(self, method: str, url: str, body: Optional[bytes] = None, longer: float = 0.0) -> Any:
        for attempt in range(1, self._attempts + 1):
            request = urllib.request.Request(url, data=body, method=method)
            if body is not None:
                request.add_header("Content-Type", "application/json")
            if self._token:
                request.add_header("Authorization", "Bearer " + self._token)
            try:
                with self._opener.open(request, timeout=self._timeout + longer) as answer:
                    return json.loads(answer.read().decode("utf-8"))
            except urllib.error.HTTPError as refused:
                error, again = _refusal(refused)
                if refused.code != 503 or attempt == self._attempts:
                    raise error from None
                time.sleep(again)
            except (OSError, ValueError, http.client.HTTPException) as broken:
                raise _broken(url, broken) from broken
        raise AssertionError("unreachable")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows no redirect, which would carry the token to another host."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _encode(document: Document) -> bytes:
    value = {"text": document} if isinstance(document, str) else dict(document)
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8")


def _bodies(documents: Iterable[Document]) -> Iterator[bytes]:
    """Divide documents into arrays that the server takes."""
    texts: List[bytes] = []
    size = 2
    for document in documents:
        text = _encode(document)
        if texts and (len(texts) == _MOST_DOCUMENTS or size + len(text) + 1 > _MOST_BYTES):
            yield b"[" + b",".join(texts) + b"]"
            texts, size = [], 2
        texts.append(text)
        size += len(text) + 1
    if texts:
        yield b"[" + b",".join(texts) + b"]"


def _refusal(refused: urllib.error.HTTPError) -> Tuple[Error, float]:
    """Return the error that the server tells, and after how many seconds to ask again."""
    with refused:
        text = refused.read().decode("utf-8", "replace")
    try:
        told = json.loads(text)["error"]
        error = Error(told["message"], told["reason"], refused.code)
    except (ValueError, KeyError, TypeError):
        error = Error("the server answers %d %s" % (refused.code, refused.reason), "http", refused.code)
    try:
        again = float(refused.headers.get("Retry-After", "1"))
    except ValueError:  # a date
        again = 1.0
    return error, min(max(again, 0.0), 60.0)


def _broken(url: str, broken: Exception) -> Error:
    host = urllib.parse.urlsplit(url).netloc.rpartition("@")[2]
    cause = getattr(broken, "reason", broken)
    if isinstance(cause, (socket.timeout, TimeoutError)):
        return Error("%s does not answer in time" % host, "timeout")
    if isinstance(broken, OSError):
        return Error("%s cannot be reached: %s" % (host, cause), "unreachable")
    return Error("%s does not answer as Bayestream does: %s" % (host, broken), "http")
