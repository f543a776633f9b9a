"""Compares what bayestream reads of mails with what Python's email reads.

    test/mail/run.sh [SEED [MAILS]]

Each generated mail has words that occur nowhere else, in the subject and where a mail program shows them. It is read as it
is, where no word may be missing, and mutated, where no word may be missing that Python reads. What differs on purpose is in
`excused`, with its reason, and is counted.
"""

import base64
import collections
import email
import email.header
import email.policy
import html.parser
import json
import quopri
import random
import re
import subprocess
import sys

BROKEN = re.compile(rb"<[^<>]*<|<[^<>]*$|<[a-z/]+ +zq|<zq|<[!?]|='[^'>]*>[^']*$")
WORD = re.compile(r"zq[a-z]+")
CHARSETS = ["utf-8", "iso-8859-1", "windows-1252", "us-ascii", "koi8-r", "gb18030", "shift_jis", "utf-16", "utf-7"]


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.count = 0

    def words(self, n):
        return " ".join(self.word() for _ in range(n))

    def word(self):
        self.count += 1
        n, letters = self.count, ""
        while n:
            n, digit = divmod(n, 20)
            letters += "abcdefghijklmnoprstu"[digit]
        return "zq" + letters

    def pick(self, *choices):
        return self.random.choice(choices)

    def mail(self):
        head = [f"From: {self.encoded(self.words(2))} <a@b.example>", f"Subject: {self.encoded(self.words(4))}", "MIME-Version: 1.0"]
        lines, body = self.entity(0)
        return "\n".join(head + lines).encode() + b"\n\n" + body

    def encoded(self, text):
        kind = self.pick("plain", "b", "q", "split")
        if kind == "b":
            return "=?utf-8?B?" + base64.b64encode(text.encode()).decode() + "?="
        if kind == "q":
            return "=?iso-8859-1?Q?" + text.replace(" ", "_") + "?="
        if kind == "split":
            return "\n ".join("=?utf-8?Q?" + word + "_?=" for word in text.split())
        return text

    def entity(self, depth):
        kind = self.pick("plain", "html", "mixed", "alternative", "related") if depth < 3 else self.pick("plain", "html")
        if kind in ("plain", "html"):
            return self.leaf(kind)
        boundary = f"=_{self.random.randrange(10**9)}"
        parts = [self.entity(depth + 1) for _ in range(self.random.randrange(1, 4))]
        body = b"preamble\n"
        for lines, part in parts:
            body += f"--{boundary}\n".encode() + "\n".join(lines).encode() + b"\n\n" + part + b"\n"
        return [f'Content-Type: multipart/{kind}; boundary="{boundary}"'], body + f"--{boundary}--\n".encode()

    def leaf(self, kind):
        text = self.words(self.random.randrange(3, 30))
        if kind == "html":
            tags = ["<b>", "</b>", "<br>", "<p>", "</p>", "<div style='color:red'>", "</div>", "<td>", "<table>", "</table>", "<a href='http://a.example'>", "</a>"]
            text = "<html><body>" + " ".join(self.random.choice(tags) + " " + w for w in text.split()) + "</body></html>"
        charset = self.random.choice(CHARSETS)
        data = text.encode(charset)
        if charset == "utf-16":
            encoding = "base64"
        else:
            encoding = self.pick("7bit", "base64", "quoted-printable")
        if encoding == "base64":
            data = base64.encodebytes(data)
        elif encoding == "quoted-printable":
            data = quopri.encodestring(data)
        return [f"Content-Type: text/{kind}; charset={charset}", f"Content-Transfer-Encoding: {encoding}"], data.rstrip(b"\n")

    def mutate(self, mail):
        for _ in range(self.random.randrange(1, 4)):
            mail = self.pick(*MUTATIONS)(self, mail)
        return mail


def anywhere(change):
    """A mutation at a random place."""

    def mutation(g, mail):
        at = g.random.randrange(len(mail) + 1)
        return change(g, mail, at)

    return mutation


def line(change):
    """A mutation of a random line."""

    def mutation(g, mail):
        lines = mail.split(b"\n")
        at = g.random.randrange(1, len(lines)) if len(lines) > 1 else 0
        return b"\n".join(change(g, lines, at))

    return mutation


MUTATIONS = [
    anywhere(lambda g, m, at: m[:at] + bytes([g.random.randrange(256)]) + m[at + 1 :]),
    anywhere(lambda g, m, at: m[:at] + m[at + 1 :]),
    anywhere(lambda g, m, at: m[:at]),
    anywhere(lambda g, m, at: m[:at] + bytes([g.random.choice(b" \t;:=?\"()<>\r\n-")]) + m[at:]),
    line(lambda g, lines, at: lines[:at] + lines[at + 1 :]),
    line(lambda g, lines, at: lines[:at] + [lines[at]] + lines[at:]),
    line(lambda g, lines, at: lines[:at] + [lines[at].swapcase() if b"Content-" in lines[at] and b"boundary" not in lines[at] else lines[at]] + lines[at + 1 :]),
    lambda g, m: m.replace(b"\n", b"\r\n"),
    lambda g, m: m.replace(b"\n", b"\r\r\n"),
    lambda g, m: m.replace(b"; charset", b" charset"),
    lambda g, m: m.replace(b"; charset", b", charset"),
    lambda g, m: m.replace(b": base64", b": base64;"),
    lambda g, m: m.replace(b"=?=", b"?="),
    lambda g, m: m.replace(b"=\n", b"= \n"),
    lambda g, m: m.replace(b"; boundary", b" boundary"),
]


class Text(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.text = ""

    def handle_data(self, data):
        self.text += data


def shown(part):
    """Returns the text that Python finds in a part, of alternatives the last that has any."""
    if part.get_content_disposition() == "attachment" or part.get_content_maintype() == "message":
        return ""
    if part.is_multipart():
        texts = [shown(child) for child in part.get_payload()]
        if part.get_content_subtype() == "alternative":
            texts = [text for text in texts if WORD.search(text)][-1:]
        return "\n".join(texts)
    if part.get_content_maintype() not in ("text", "multipart"):
        return ""
    data = part.get_payload(decode=True) or b""
    try:
        text = data.decode(part.get_content_charset("ascii"), "replace")
    except LookupError:
        text = data.decode("latin-1")
    if part.get_content_subtype() == "html":
        reader = Text()
        reader.feed(text)
        reader.close()
        return reader.text
    return text


def python_reads(mail):
    message = email.message_from_bytes(mail, policy=email.policy.compat32)
    try:
        subject = str(email.header.make_header(email.header.decode_header(message["Subject"] or "")))
    except (LookupError, UnicodeError, ValueError, email.errors.HeaderParseError):
        subject = ""
    return subject, shown(message)


def excused(mail, where, texts, theirs):
    """Returns why words that Python reads are not read here; None: they are lost."""
    if texts is None:
        return "the mail begins with no field: such a value is refused"
    if re.search(rb"[A-Za-z0-9+/]=[A-Za-z0-9+/]{9}", mail) and (b"base64" in mail.lower() or b"?B?" in mail):
        return "a padding inside of base64: here a piece ends, there it is passed over"
    if where == "subject":
        return None
    if "Content-T" in theirs:
        return "Python takes the header, or all parts, for one text"
    if b"multipart/alternative" in mail.lower() and texts.get("", "").strip():
        return "another alternative: here one that Python cannot decode, there one that is offered as a file or is cut"
    if any(BROKEN.search(part.get_payload(decode=True) or b"") for part in email.message_from_bytes(mail).walk()):
        return "a broken tag: browsers and html.parser end it in other places"
    if re.search(rb"[\x80-\xff]zq", mail):
        return "a byte that is the first of a character of two"
    if "<guessed>" in texts.get("type:", "") and b"base64" in mail.lower():
        return "a damaged piece of base64 that decodes to no text: here it is read as it is"
    return None


def lost(texts, read):
    """Returns the words of Python's that are in no text here, joined with others or not."""
    everything = "".join(texts.values()) if texts else ""
    return [word for word in read if word not in everything]


def ours(program, mails):
    feed = b"".join(b"%d\n" % len(mail) + mail for mail in mails)
    done = subprocess.run([program], input=feed, capture_output=True, check=True)
    return [json.loads(row) for row in done.stdout.splitlines()]


def main():
    program, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    g = Generator(seed)
    whole = [g.mail() for _ in range(count)]
    mutated = [g.mutate(mail) for mail in whole]
    reasons, failures, read = collections.Counter(), [], 0
    for kind, mails in (("generated", whole), ("mutated", mutated)):
        for mail, texts in zip(mails, ours(program, mails)):
            subject, body = python_reads(mail)
            for where, text in (("subject", subject), ("body", body)):
                words = WORD.findall(text)
                read += len(words)
                missing = lost(texts, words)
                reason = excused(mail, where, texts, text) if kind == "mutated" else None
                if missing and reason:
                    reasons[reason] += len(missing)
                elif missing:
                    failures.append((kind, where, missing, mail))
    print(f"seed {seed}: {count} mails, and as many mutated: Python reads {read} words")
    for reason, n in reasons.most_common():
        print(f"  {n} not read here: {reason}")
    for kind, where, missing, mail in failures[:5]:
        print(f"lost in the {where} of a {kind} mail: {missing[:5]}\n{mail!r}")
    print(f"  {sum(len(f[2]) for f in failures)} lost, in {len(failures)} mails")
    sys.exit(1 if failures else 0)


main()
