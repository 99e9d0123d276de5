# accounts.py: python3 accounts.py
import base64, http.client, json, os
from urllib.parse import quote, urlsplit

base = urlsplit(os.environ["LATCHKEY_URL"])
connect = http.client.HTTPSConnection if base.scheme == "https" else http.client.HTTPConnection
# Longer than the operation timeout of the service, so that the service answers first.
connection = connect(base.netloc, timeout=35)
credentials = base64.b64encode(f"shop:{os.environ['SHOP_SECRET']}".encode()).decode()


def call(method, path, expected, body=None, password=None):
    """The JSON of the response, if it has the expected status."""
    headers = {"Authorization": f"Basic {credentials}"}
    if body is not None:
        headers["Content-Type"] = "application/json"
    if password is not None:
        headers["password*"] = "UTF-8''" + quote(password, safe="")
    connection.request(method, path, None if body is None else json.dumps(body), headers)
    response = connection.getresponse()
    text = response.read()
    answer = json.loads(text) if text else {}
    if response.status != expected:
        raise RuntimeError(f"status {response.status}, code {answer.get('code')}")
    return answer


address = "jane+py@example.com"
user = "/users?email=" + quote(address, safe="")

call("POST", "/users", 201, {"email": {"address": address}, "password": "grüne Birne 7", "plan": "free"})
print("signed up")

wrong = call("GET", user, 401, password="rote Birne 7")
print("wrong password refused:", wrong["code"])

print("signed in:", call("GET", user, 200, password="grüne Birne 7")["plan"])

print("changed:", call("PATCH", user, 200, {"plan": "pro"}, "grüne Birne 7")["plan"])

# The application mails the token to the user, who sends it back with a new password.
token = call("POST", "/recovery?email=" + quote(address, safe=""), 200)["token"]
call("POST", "/recovery/confirm", 204, {"email": {"address": address}, "token": token, "password": "blaue Birne 8"})
print("recovered")

print("signed in:", call("GET", user, 200, password="blaue Birne 8")["plan"])
