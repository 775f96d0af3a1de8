# SPDX-License-Identifier: MIT
"""A headless Chromium that is spoken to through two pipes, by the DevTools protocol."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome")
# No sandbox: root has none, containers often cannot, and what is opened here is made by the test.
FLAGS = ("--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
         "--no-first-run", "--no-default-browser-check", "--disable-background-networking",
         "--disable-component-update", "--disable-extensions", "--disable-sync", "--mute-audio",
         "--force-device-scale-factor=1", "--host-resolver-rules=MAP * ~NOTFOUND")
ANSWER_S = 60  # for one answer, on a machine that is busy with other tests


def find():
    """The path of a browser, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One browser with one page in it."""

    def __init__(self, path):
        self.profile = tempfile.mkdtemp(prefix="pagetoll-browser-")
        self.number, self.rest, self.events, self.session = 0, b"", [], None
        to_it, self.write_fd = os.pipe()
        self.read_fd, from_it = os.pipe()
        self.process = self._start(path, to_it, from_it)
        os.close(to_it)
        os.close(from_it)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Page.setLifecycleEventsEnabled", enabled=True)

    def _start(self, path, to_it, from_it):
        """The process, that reads its descriptor 3 and writes 4."""
        def connect():
            high = [os.dup(fd) for fd in (to_it, from_it, to_it, from_it)][2:]  # neither is 3 or 4
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        command = [path, *FLAGS, "--user-data-dir=" + self.profile, "about:blank"]
        # descriptors of Python close by themselves, all but those two
        # pylint: disable=subprocess-popen-preexec-fn
        return subprocess.Popen(command, close_fds=False, preexec_fn=connect,
                                env={**os.environ, "HOME": self.profile},
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)

    def close(self):
        """Ends the browser and removes what it wrote."""
        try:
            self.call("Browser.close", top=True)
            self.process.wait(10)
        except (OSError, RuntimeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.read_fd)
        os.close(self.write_fd)
        shutil.rmtree(self.profile, ignore_errors=True)

    def call(self, method, top=False, **params):
        """The result of one command; what happens meanwhile is kept in events."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session and not top:
            message["sessionId"] = self.session
        os.write(self.write_fd, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") != self.number:
                self.events.append(answer)
            elif "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']['message']}")
            else:
                return answer["result"]

    def _next(self):
        """The next message of the browser."""
        until = time.monotonic() + ANSWER_S
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.read_fd], [], [], max(0, until - time.monotonic()))
            data = os.read(self.read_fd, 1 << 20) if ready else b""
            if not data:
                raise RuntimeError("the browser went away" if ready else "the browser is silent")
            self.rest += data
        message, _, self.rest = self.rest.partition(b"\0")
        return json.loads(message)

    def load(self, path):
        """Opens a file, from nothing; waits until it is there."""
        self._navigate("about:blank")
        self.events.clear()
        self._navigate("file://" + path)

    def _navigate(self, url):
        """Goes to an address and waits for the load of this very document."""
        loader = self.call("Page.navigate", url=url)["loaderId"]
        while not any(e.get("method") == "Page.lifecycleEvent" and e["params"]["name"] == "load" and
                      e["params"]["loaderId"] == loader for e in self.events):
            self.events.append(self._next())

    def show(self, width, scheme):
        """Lays the page out for a window of this width, light or dark."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=800,
                  deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": scheme}])

    def evaluate(self, expression):
        """The value of a JavaScript expression in the page; the page's policy does not bind it."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(str(result["exceptionDetails"].get("exception")))
        return result["result"].get("value")

    def picture(self, path):
        """Keeps the whole page as a PNG file."""
        # for the picture the page is laid out without the scroll bar
        size = self.evaluate("[innerWidth, document.documentElement.scrollHeight]")
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip={
            "x": 0, "y": 0, "width": size[0], "height": size[1], "scale": 1})["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def complaints(self):
        """What the browser itself said: errors, violations of the policy, requests to elsewhere."""
        said = []
        for event in self.events:
            method, params = event.get("method"), event.get("params", {})
            if method == "Log.entryAdded":
                said.append(params["entry"]["text"])
            elif method == "Runtime.consoleAPICalled":
                said.append("the console was written to")
            elif method == "Runtime.exceptionThrown":
                said.append("a script failed")
            elif method == "Network.requestWillBeSent" and params.get("type") != "Document":
                said.append("request: " + params["request"]["url"])
        return said
