# test_jane.py: python3 -m unittest test_jane
import base64, json, os, time, unittest, urllib.request, uuid

URL = os.environ.get("LATCHKEY_URL", "http://127.0.0.1:8080")
ADMIN_URL = os.environ.get("LATCHKEY_ADMIN_URL", "http://127.0.0.1:8081")


def setUpModule():
    deadline = time.monotonic() + 30
    while True:
        try:
            with urllib.request.urlopen(f"{ADMIN_URL}/readyz", timeout=5):
                return
        except OSError:  # not listening yet, or 503
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


class Jane(unittest.TestCase):
    def test_signs_up(self):
        credentials = base64.b64encode(b"test:test-only-secret").decode()
        headers = {"Authorization": f"Basic {credentials}", "Content-Type": "application/json"}
        jane = {"email": {"address": f"jane-{uuid.uuid4()}@example.com"}, "password": "correct horse"}
        request = urllib.request.Request(f"{URL}/users", json.dumps(jane).encode(), headers)
        with urllib.request.urlopen(request, timeout=35) as response:
            self.assertEqual(response.status, 201)
