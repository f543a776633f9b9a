"""Tests of the client: on servers that it starts, and on those that test/python names.

BAYESTREAM_URL and BAYESTREAM_TOKEN are those of a serve, BAYESTREAM_CLASSIFY and BAYESTREAM_INGEST
the addresses of its workers.
"""

import http.server
import json
import os
import threading
import time
import unittest

import bayestream


class Live(unittest.TestCase):
    """The client on a server that learns."""

    def client(self, **more):
        return bayestream.Client(os.environ["BAYESTREAM_URL"], token=os.environ["BAYESTREAM_TOKEN"], **more)

    def workers(self):
        return bayestream.Client(os.environ["BAYESTREAM_CLASSIFY"], learn_url=os.environ["BAYESTREAM_INGEST"])

    def test_a_desk(self):
        for name, desk in (("serve", self.client()), ("workers", self.workers())):
            with self.subTest(name):
                billing, support = name + " billing", name + " support"
                for i in range(3):
                    answer = desk.label("%s-b%d" % (name, i), billing, "the invoice %d is wrong" % i)
                    self.assertEqual(answer["outcome"], "counted")
                    desk.label("%s-s%d" % (name, i), support, {"text": "it does not start \u2603", "weight": 2})
                self.learns(desk, name, {billing: 3, support: 6})
                desk.label(name + "-b0", support)
                desk.forget(name + "-b1")
                self.learns(desk, name, {billing: 1, support: 7})

    def learns(self, desk, name, want):
        """Wait until the replica that is asked for its labels has what ingest has."""
        for _ in range(300):
            got = {k: v for k, v in desk.labels().items() if k.startswith(name)}
            if got == want:
                return
            time.sleep(0.1)
        self.fail("the labels are %r, want %r" % (got, want))

    def test_several(self):
        desk = self.client()
        desk.label("several", "water", "a pipe is broken")
        self.assertEqual(desk.classify({"id": "q", "text": "a pipe"})["id"], "q")
        asked = [{"id": str(i), "text": "a pipe " * 50} for i in range(2500)] + [{"id": "bad"}, "text alone"]
        decisions = desk.classify(iter(asked))
        self.assertEqual([d["id"] for d in decisions[:2500]], [str(i) for i in range(2500)])
        self.assertEqual(decisions[2500]["error"]["reason"], "no_text")
        self.assertIn("label", decisions[2501])
        self.assertEqual(desk.classify([]), [])
        self.assertEqual(desk.classify([{}])[0]["error"]["reason"], "no_text")

    def test_what_the_server_says(self):
        desk = self.client()
        with self.assertRaises(bayestream.Error) as caught:
            desk.forget("nobody knows it")
        self.assertEqual((caught.exception.reason, caught.exception.status), ("unknown_id", 404))
        self.assertIn('no document "nobody knows it" was learned', str(caught.exception))
        with self.assertRaises(bayestream.Error) as caught:
            desk.classify({"text": 7})
        self.assertEqual((caught.exception.reason, caught.exception.status), ("no_text", 400))

    def test_a_slip_is_no_label(self):
        desk = self.client()
        desk.label("slip", "complaints", "it is broken")
        with self.assertRaises(bayestream.Error) as caught:
            desk.label("slip", "complaint")
        self.assertEqual((caught.exception.reason, caught.exception.status), ("new_label", 409))
        self.assertIn('did you mean "complaints"?', str(caught.exception))
        desk.label("slip", "complaint", new=True)

    def test_threads_share_a_client(self):
        desk, found = self.client(), []
        threads = [threading.Thread(target=lambda: found.append(desk.classify("a pipe")["status"])) for _ in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(len(found), 8)


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers a request with the next of the server's answers."""

    def do_POST(self):
        self.server.asked.append((self.path, dict(self.headers), self.rfile.read(int(self.headers["Content-Length"]))))
        status, headers, body = self.server.answers.pop(0)
        if status is None:
            self.server.go_on.wait(60)
            return
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class StandIn(unittest.TestCase):
    """The client on a server that misbehaves."""

    def setUp(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.asked, self.server.answers, self.server.go_on = [], [], threading.Event()
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = "http://127.0.0.1:%d" % self.server.server_port

    def tearDown(self):
        self.server.go_on.set()
        self.server.shutdown()
        self.server.server_close()

    def fails(self, client=None):
        with self.assertRaises(bayestream.Error) as caught:
            (client or bayestream.Client(self.url)).classify("x")
        return caught.exception

    def test_asks_again(self):
        busy = json.dumps({"error": {"reason": "not_ready", "message": "not yet"}}).encode()
        self.server.answers = [(503, {"Retry-After": "0"}, busy), (503, {"Retry-After": "1"}, busy), (200, {}, b'{"label": "a"}')]
        begun = time.monotonic()
        self.assertEqual(bayestream.Client(self.url + "/", token="secret").classify("x"), {"label": "a"})
        self.assertGreaterEqual(time.monotonic() - begun, 0.9)
        self.assertEqual(len(self.server.asked), 3)
        path, headers, body = self.server.asked[2]
        self.assertEqual((path, headers["Authorization"], json.loads(body)), ("/v1/classify", "Bearer secret", {"text": "x"}))
        self.server.answers = [(503, {"Retry-After": "0"}, busy)] * 2
        error = self.fails(bayestream.Client(self.url, attempts=2))
        self.assertEqual((str(error), error.reason, error.status), ("not yet", "not_ready", 503))

    def test_odd_answers(self):
        self.server.answers = [(200, {}, b"<html>"), (500, {}, b"oops"), (503, {"Retry-After": "soon"}, b"[]"), (400, {}, b'{"error": "x"}'),
                               (302, {"Location": self.url + "/elsewhere"}, b"")]
        self.assertEqual(self.fails().reason, "http")
        self.assertEqual((self.fails().status, self.fails(bayestream.Client(self.url, attempts=1)).status), (500, 503))
        self.assertEqual(self.fails().status, 400)
        self.assertEqual(self.fails(bayestream.Client(self.url, token="secret")).status, 302)
        self.assertEqual(len(self.server.asked), 5)

    def test_skipped(self):
        self.server.answers = [(200, {}, b'{"outcome": "skipped", "reason": "superseded"}')]
        with self.assertRaises(bayestream.Error) as caught:
            bayestream.Client(self.url).label("t-1", "a", wait=2.5)
        self.assertEqual(caught.exception.reason, "superseded")
        self.assertEqual(self.server.asked[0][0], "/v1/labels?wait=2500ms")

    def test_no_answer(self):
        self.server.answers = [(None, {}, b"")]
        self.assertEqual(self.fails(bayestream.Client(self.url, timeout=0.2)).reason, "timeout")
        self.server.server_close()
        error = self.fails(bayestream.Client("http://joe:secret@127.0.0.1:%d" % self.server.server_port))
        self.assertEqual(error.reason, "unreachable")
        self.assertNotIn("secret", str(error))

    def test_bad_input(self):
        with self.assertRaises(ValueError):
            bayestream.Client("127.0.0.1:7430")
        with self.assertRaises(ValueError):
            bayestream.Client(self.url).classify({"numbers": {"x": float("nan")}})


if __name__ == "__main__":
    unittest.main()
