"""Compares what bayestream reads of mails of HTML with what Chromium shows of them.

    test/mail/run.sh browser SEED MUTATED FOLDER...

Each file below a FOLDER is a mail. Python's email takes it apart, and Chromium decodes and lays out its pages. The words of
both are compared as bags; words that differ on purpose are counted by their reason, and the mails with most others shown. If
MUTATED is not 0, so many pages are changed and compared instead of the mails.
"""

import base64
import collections
import email
import email.policy
import html
import http.server
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import threading

CHROMIUM = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
            "--disable-background-networking", "--disable-component-update", "--proxy-server=127.0.0.1:9", "--proxy-bypass-list=127.0.0.1",
            "--remote-debugging-port=0"]

# Each page is laid out in a frame without scripts. Of the text in it, innerText has what is displayed. What of that is of
# no size, without opacity, or in a box of no height is marked; and so is what shows in place of pictures and in fields.
SCRIPT = """<!doctype html><meta charset=utf-8><body><script>
const pages = %s
function shows(e) {
  if (getComputedStyle(e).fontSize === "0px") return false
  for (; e; e = e.parentElement) {
    const s = getComputedStyle(e)
    if (s.opacity === "0") return false
    if (s.overflow !== "visible" && (e.clientHeight === 0 || e.clientWidth === 0) && s.display !== "inline") return false
  }
  return true
}
function read(doc) {
  const unseen = [], instead = []
  const comments = doc.createTreeWalker(doc.documentElement, NodeFilter.SHOW_COMMENT), found = []
  while (comments.nextNode()) found.push(comments.currentNode)
  for (const n of found) n.remove()
  doc.normalize()
  const walk = doc.createTreeWalker(doc.documentElement, NodeFilter.SHOW_TEXT)
  for (let n; (n = walk.nextNode()); ) {
    if (n.data.trim() && n.parentElement.checkVisibility({checkVisibilityCSS: true}) && !shows(n.parentElement)) unseen.push(n.data)
  }
  for (const e of doc.querySelectorAll("img, area, input")) instead.push(e.alt || "", e.value || "")
  for (const e of doc.querySelectorAll("option, textarea")) instead.push(e.textContent)
  return {text: doc.documentElement.checkVisibility() ? doc.documentElement.innerText : "", unseen: unseen.join("\\n"), instead: instead.join("\\n")}
}
async function show(page) {
  const frame = document.createElement("iframe")
  frame.sandbox = "allow-same-origin"
  frame.width = 800
  const bytes = Uint8Array.from(atob(page.data), c => c.charCodeAt(0))
  frame.src = URL.createObjectURL(new Blob([bytes], {type: page.type}))
  await new Promise((done, fail) => { frame.onload = done; setTimeout(fail, 10000, "not loaded"); document.body.append(frame) })
  const found = read(frame.contentDocument)
  frame.remove()
  return found
}
(async () => {
  const found = []
  for (const page of pages) {
    try { found.push(await show(page)) } catch (e) { found.push({error: String(e)}) }
  }
  await fetch("/", {method: "POST", body: JSON.stringify(found)})
})()
</script>"""


def leaves(part):
    """Returns the parts that a mail program shows: of alternatives the last that it can."""
    if part.get_content_disposition() == "attachment" or part.get_content_maintype() == "message":
        return []
    if not part.is_multipart():
        return [part] if part.get_content_maintype() == "text" else []
    children = [leaves(child) for child in part.get_payload()]
    if part.get_content_subtype() != "alternative":
        return sum(children, [])
    shown = [c for c in children if any((is_page(p) or p.get_content_type() == "text/plain") and p.get_payload(decode=True).strip() for p in c)]
    return shown[-1] if shown else []


def is_page(part):
    return part.get_content_type() == "text/html"


def page(part):
    charset = part.get_content_charset()
    return {"type": "text/html" + (";charset=" + charset if charset else ""), "data": base64.b64encode(part.get_payload(decode=True)).decode()}


class Pages(http.server.BaseHTTPRequestHandler):
    """Answers with the pages to show: frames of files cannot be read."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(self.server.document)

    def do_POST(self):
        self.server.found = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()
        self.server.answered.set()

    def log_message(self, *_):
        pass


def laid_out(pages):
    """Returns what Chromium shows of pages."""
    found = []
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    server.answered = threading.Event()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for begin in range(0, len(pages), 100):
        server.document = (SCRIPT % json.dumps(pages[begin : begin + 100])).encode()
        server.answered.clear()
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            arguments = [f"--user-data-dir={folder}", f"http://127.0.0.1:{server.server_port}/"]
            with subprocess.Popen(CHROMIUM + arguments, stderr=subprocess.DEVNULL) as chromium:
                if not server.answered.wait(120):
                    sys.exit("browser.py: Chromium did not answer")
                chromium.terminate()
        found += server.found
    return found


def plain(part):
    data = part.get_payload(decode=True)
    try:
        return data.decode(part.get_content_charset("utf-8"), "replace")
    except LookupError:
        return data.decode("latin-1")


def feed(program, texts):
    data = b"".join(b"%d\n" % len(t) + t for t in texts)
    done = subprocess.run(program, input=data, capture_output=True, check=True)
    return [json.loads(row) for row in done.stdout.splitlines()]


def bags(program, texts):
    return [collections.Counter(terms) for terms in feed([program, "terms"], [t.encode("utf-8", "replace") for t in texts])]


TAGS = ["b", "p", "div", "span", "a href=x", "table", "tr", "td", "li", "ul", "h1", "html", "body", "head", "title", "select", "option", "button", "center",
        "font size=2", "svg", "style", "textarea", "noscript", "form", "pre", "br", "img", "i", "details", "summary", "template", "object", "iframe",
        "caption", "dl", "dd", "label", "input", "math", "u", "nobr", "blockquote", "frameset", "xmp", "dialog", "tbody", "noframes"]
STYLES = ["display:none", "visibility:hidden", "font-size:0", "opacity:0", "display:block", "display:inline-block", "display:none !important", "visibility:visible",
          "font-size:12px", "font:0/0 a", "max-height:0;overflow:hidden", "height:0", "color:red", "display:inline", "font-size:1em", "display : none", "all:unset",
          "display:none;display:nonsense", "DISPLAY:NONE", "mso-hide:all", "float:left", "position:absolute", "display:table-cell", "display:flex", "line-height:0"]


def mutated(g, text):
    """Returns a page with one to six changes."""
    for _ in range(g.randrange(1, 7)):
        at = g.choice([m.start() for m in re.finditer("[<>]|[ =]", text)] or [0])
        kind = g.randrange(8)
        if kind == 0:
            text = text[:at] + text[at + g.randrange(1, 4) :]
        elif kind == 1:
            text = text[:at] + g.choice("<>&\"'=/;{}!-[] \n") + text[at:]
        elif kind == 2:
            text = text[:at] + "<" + g.choice(TAGS) + ">" + text[at:]
        elif kind == 3:
            text = text[:at] + "</" + g.choice(TAGS).split()[0] + ">" + text[at:]
        elif kind == 4:
            text = text[:at] + g.choice(["<!--", "-->", "<!", "<?", "]]>", "<![CDATA[", "&nbsp;", "&#8203;", "&shy", "<!doctype html>", "</", "<style>b{display:none}</style>"]) + text[at:]
        else:
            tags = list(re.finditer(r"<[a-z]+(?=[ >])", text, re.I))
            if tags:
                end = g.choice(tags).end()
                style = g.choice(STYLES)
                text = text[:end] + g.choice([f' style="{style}"', f" style='{style}'", " hidden", f" style={style.split(';')[0].replace(' ', '')}"]) + text[end:]
    return text


def mutations(mails, g, count):
    """Returns mails of one page, each a changed one of mails."""
    pages = [p for _, _, parts in mails for p in parts if is_page(p) and len(p.get_payload()) < 20000]
    found = []
    for n in range(count):
        text = mutated(g, plain(g.choice(pages)))
        mail = b"From: a@b.example\nContent-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: base64\n\n" + base64.encodebytes(text.encode("utf-8", "replace"))
        found.append((f"mutated {n}", mail, [email.message_from_bytes(mail)]))
    return found


def read_mails(folders):
    """Returns the mails of folders that show a page, with their parts."""
    mails = []
    for file in sorted(f for folder in folders for f in pathlib.Path(folder).rglob("*") if f.is_file()):
        mail = file.read_bytes()
        parts = leaves(email.message_from_bytes(mail, policy=email.policy.compat32))
        if any(is_page(p) for p in parts):
            mails.append((str(file), mail, parts))
    return mails


def shown(mails):
    """Returns of each mail the words that Chromium shows, those of them that nobody sees, and those in the place of others."""
    found = iter(laid_out([page(p) for _, _, parts in mails for p in parts if is_page(p)]))
    texts = [[next(found) if is_page(p) else {"text": plain(p)} for p in parts] for _, _, parts in mails]
    return [["\n".join(part.get(key, "") for part in parts) for parts in texts] for key in ("text", "unseen", "instead")]


def main():
    program, seed, count, mails = sys.argv[1], sys.argv[2], int(sys.argv[3]), read_mails(sys.argv[4:])
    if count:
        mails = mutations(mails, random.Random(seed), count)
    theirs, unseen, instead = (bags(program, texts) for texts in shown(mails))
    ours = bags(program, [(texts or {}).get("", "") for texts in feed([program], [mail for _, mail, _ in mails])])
    totals, rows = collections.Counter(), []
    for (name, _, _), read, seen, hidden, replaced in zip(mails, ours, theirs, unseen, instead):
        lost, invented = seen - read, read - seen
        totals["shown by Chromium"] += seen.total()
        totals["not read here: of no size, without opacity, or in a box of no height"] += (lost & hidden).total()
        totals["not read here"] += (lost - hidden).total()
        totals["read here alone: in the place of a picture, or in a field"] += (invented & replaced).total()
        totals["read here alone"] += (invented - replaced).total()
        rows.append((name, lost - hidden, invented - replaced))
    print(f"seed {seed}: {len(mails)} mails")
    for name, n in totals.items():
        print(f"{n:8} {100 * n / totals['shown by Chromium']:7.3f} %  {name}")
    for name, lost, invented in sorted(rows, key=lambda r: -r[1].total() - r[2].total())[:20]:
        print(f"{name}: not read {lost.total()} {list(lost)[:9]}, alone {invented.total()} {list(invented)[:9]}")
    sys.exit(totals["not read here"] > 0.005 * totals["shown by Chromium"])


main()
