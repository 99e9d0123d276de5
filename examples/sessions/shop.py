# shop.py: flask --app shop run
import base64, json, os, urllib.error, urllib.parse, urllib.request
from flask import Flask, abort, g, redirect, request, session

app = Flask(__name__)
app.secret_key = os.environ["SESSION_SECRET"]
# Browsers send a secure cookie over TLS alone: on your own computer, run with --debug.
app.config.update(SESSION_COOKIE_SAMESITE="Lax", SESSION_COOKIE_SECURE=not app.debug)
latchkey = os.environ.get("LATCHKEY_URL", "http://127.0.0.1:8080")
credentials = base64.b64encode(f"shop:{os.environ['SHOP_SECRET']}".encode()).decode()
# What people read when Latchkey refuses what they entered.
refusals = {
    "wrong_password": (401, "The address or the password is wrong."),
    "user_not_found": (401, "The address or the password is wrong."),
    "user_disabled": (403, "This account is disabled."),
    "password_change_required": (403, "Set a new password."),
    "invalid_parameter": (400, "Enter an address and a password."),
    "invalid_body": (400, "Enter an address and a password."),
}


def call(method, path, body=None):
    """The JSON of a response, and the code of a refusal or None. Any other failure is 503, or 500 if it is our mistake."""
    headers = {"Authorization": f"Basic {credentials}", "Content-Type": "application/json"}
    # Behind a proxy: https://flask.palletsprojects.com/deploying/proxy_fix
    headers["X-Client-Address"] = request.remote_addr
    data = None if body is None else json.dumps(body).encode()
    sent = urllib.request.Request(latchkey + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(sent, timeout=35) as response:
            return json.loads(response.read() or "null"), None
    except urllib.error.HTTPError as error:
        if error.code == 429 or error.code >= 500:
            unavailable(f"status {error.code}")
        code = json.loads(error.read())["code"]
        if code not in refusals:
            raise RuntimeError(f"Latchkey refuses this program: {code}") from error
        return None, code
    except OSError as error:
        unavailable(error)


def unavailable(reason):
    app.logger.error("Latchkey: %s", reason)
    abort(503, "This does not work right now. Try again later.")


def user_of(**key):
    return call("GET", "/users?" + urllib.parse.urlencode(key))


@app.before_request
def own_forms_only():
    """Refuses forms of other sites, which could sign a person in to an account of theirs."""
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    own = site == "same-origin" if site else not origin or origin.split("//")[-1] == request.host
    if request.method != "GET" and not own:
        abort(403)


@app.post("/sign-in")
def sign_in():
    email, password = request.form["email"], request.form["password"]
    user, missing = user_of(email=email)
    _, refusal = call("POST", "/users/check", {"email": {"address": email}, "password": password})
    if refusal:
        status, text = refusals[refusal]
        return text, status
    if missing:
        raise RuntimeError(f"{missing}: is headerCheck false?")
    session.clear()
    session.update(id=user["id"], password_time=user.get("passwordTime"))
    return redirect("/")


@app.before_request
def signed_in():
    if request.path == "/sign-in":
        return
    user, missing = user_of(id=session["id"]) if "id" in session else (None, "signed out")
    if missing or user.get("passwordTime") != session["password_time"]:
        session.clear()
        abort(401)
    g.user = user


@app.get("/")
def home():
    # As text: in a page, escape what a person has entered.
    return f"Signed in as {g.user['email']['address']}", {"Content-Type": "text/plain; charset=utf-8"}
