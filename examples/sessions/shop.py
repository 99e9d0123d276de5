# shop.py: flask --app shop run
import base64, json, os, urllib.error, urllib.parse, urllib.request
from flask import Flask, abort, g, redirect, request, session

app = Flask(__name__)
app.secret_key = os.environ["SESSION_SECRET"]
app.config.update(SESSION_COOKIE_SAMESITE="Lax")
credentials = base64.b64encode(f"shop:{os.environ['SHOP_SECRET']}".encode()).decode()


def call(method, path, body=None):
    """The status and the JSON of a response of Latchkey."""
    headers = {"Authorization": f"Basic {credentials}", "Content-Type": "application/json"}
    headers["X-Client-Address"] = request.remote_addr
    data = None if body is None else json.dumps(body).encode()
    sent = urllib.request.Request(os.environ["LATCHKEY_URL"] + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(sent, timeout=35) as response:
            return response.status, json.loads(response.read() or "null")
    except urllib.error.HTTPError as error:
        if error.code >= 500:
            abort(503)
        return error.code, json.loads(error.read())


def user_of(email):
    return call("GET", "/users?email=" + urllib.parse.quote(email, safe=""))


@app.post("/sign-in")
def sign_in():
    email, password = request.form["email"], request.form["password"]
    found, user = user_of(email)
    checked, _ = call("POST", "/users/check", {"email": {"address": email}, "password": password})
    if found != 200 or checked != 204:
        abort(401)
    session.clear()
    session.update(email=email, password_time=user.get("passwordTime"))
    return redirect("/")


@app.before_request
def signed_in():
    if request.path == "/sign-in":
        return
    found, user = user_of(session["email"]) if "email" in session else (401, None)
    if found != 200 or user.get("passwordTime") != session["password_time"]:
        session.clear()
        abort(401)
    g.user = user


@app.get("/")
def home():
    # As text: in a page, escape what a person has entered.
    return f"Signed in as {g.user['email']['address']}", {"Content-Type": "text/plain; charset=utf-8"}
