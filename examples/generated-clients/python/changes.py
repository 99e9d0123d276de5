"""Changes an address, and uses a property that the configuration declares, through the generated client."""

import json
import os
import sys
from base64 import b64encode
from urllib.parse import quote

from client import AuthenticatedClient
from client.api.users import create_user, delete_user, get_user, patch_user
from client.api.verification import (
    cancel_change,
    confirm_change,
    show_cancellation,
    show_cancelled,
    show_change,
    show_changed,
)
from client.models import Email, EmailPatch, NewUser, UserPatch

FORMER = "former.python@example.com"
ADDRESS = "new.python@example.com"
OTHER = "other.python@example.com"
PASSWORD = "another pässwörd of python"


def token_of(path, address):
    """Somebody has to look into the mailbox."""
    print(f"Token of the link {path} in the mail to {address}: ", end="", file=sys.stderr, flush=True)
    return input()


key = b64encode(os.environ["LATCHKEY_KEY"].encode()).decode()
client = AuthenticatedClient(base_url=os.environ["LATCHKEY_URL"], token=key, prefix="Basic")
jane = client.with_headers({"password*": "UTF-8''" + quote(PASSWORD, safe="")})
printed = {}

user = NewUser(email=Email(address=FORMER), password=PASSWORD, visits=3)
printed["visits"] = create_user.sync(client=client, body=user)["visits"]

patch = UserPatch(email=EmailPatch(address=ADDRESS))
printed["pending"] = patch_user.sync(client=jane, email=FORMER, body=patch, accept_language="de").email.pending
link = {"email": FORMER, "token": token_of("/change", ADDRESS)}
pages = [show_change.sync(client=client, **link)]
printed["confirmed"] = confirm_change.sync_detailed(client=client, **link).status_code.value
pages.append(show_changed.sync(client=client))

patch = UserPatch(email=EmailPatch(address=OTHER))
patch_user.sync(client=jane, email=ADDRESS, body=patch)
link = {"email": ADDRESS, "token": token_of("/change/cancel", ADDRESS)}
pages.append(show_cancellation.sync(client=client, **link))
printed["cancelled"] = cancel_change.sync_detailed(client=client, **link).status_code.value
pages.append(show_cancelled.sync(client=client))
printed["pages"] = sum("<html" in page for page in pages)

printed["address"] = get_user.sync(client=jane, email=ADDRESS).email.address
printed["deleted"] = delete_user.sync_detailed(client=jane, email=ADDRESS).status_code.value
print(json.dumps(printed))
