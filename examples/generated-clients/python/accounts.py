"""Uses a client that openapi-python-client generated, and prints what the service answered."""

import json
import os
import sys
from base64 import b64encode
from urllib.parse import quote

from client import AuthenticatedClient
from client.api.recovery import confirm_recovery, request_recovery, show_recovered, show_recovery
from client.api.users import check_password, create_user, delete_user, get_user, patch_user, update_user
from client.api.verification import confirm_verification, reset_verification, send_verification, show_success
from client.models import Email, EmailReference, NewPassword, NewUser, PasswordCheck, UserPatch, UserUpdate

ADDRESS = "python@example.com"
PASSWORD = "pässwörd of python"



def with_password(password):
    """httpx sends only ASCII in headers."""
    return client.with_headers({"password*": "UTF-8''" + quote(password, safe="")})


def token_of(path):
    """Somebody has to look into the mailbox."""
    print(f"Token of the link {path} in the mail to {ADDRESS}: ", end="", file=sys.stderr, flush=True)
    return input()


key = b64encode(os.environ["LATCHKEY_KEY"].encode()).decode()
client = AuthenticatedClient(base_url=os.environ["LATCHKEY_URL"], token=key, prefix="Basic")
jane = with_password(PASSWORD)
printed = {}

user = NewUser(email=Email(address=ADDRESS), password=PASSWORD)
user["visits"] = 3
user["plan"] = "trial"
user["rating"] = 4.5
user["tags"] = ["early", 7]
user["settings"] = {"theme": "dark"}
printed["created"] = create_user.sync(client=client, body=user).additional_properties

read = get_user.sync(client=jane, email=ADDRESS)
printed["read"] = read.additional_properties

check = PasswordCheck(email=EmailReference(address=ADDRESS), password=PASSWORD)
printed["checked"] = check_password.sync_detailed(client=client, body=check).status_code.value
wrong = get_user.sync(client=client, email=ADDRESS, password="wrong", x_client_address="192.0.2.1")
printed["wrong"] = f"{wrong.status} {wrong.code.value}"

update = UserUpdate(email=Email(address=ADDRESS))
update.additional_properties = {**read.additional_properties, "visits": 4, "plan": "pro"}
printed["updated"] = update_user.sync(client=jane, body=update).additional_properties

patch = UserPatch()
patch["plan"] = "free"
printed["patched"] = patch_user.sync(client=jane, email=ADDRESS, body=patch).additional_properties
stale = patch_user.sync(client=jane, email=ADDRESS, body=patch, if_match='"former"')
printed["stale"] = f"{stale.status} {stale.code.value}"

token = send_verification.sync(client=jane, email=ADDRESS).email.verification_token
printed["verified"] = confirm_verification.sync(client=client, email=ADDRESS, token=token).email.verified
printed["reset"] = reset_verification.sync(client=jane, email=ADDRESS).email.verified

printed["recovery"] = request_recovery.sync_detailed(client=client, email=ADDRESS).status_code.value
token = token_of("/recovery")
pages = [show_success.sync(client=client), show_recovery.sync(client=client, email=ADDRESS, token=token)]
new = NewPassword(email=EmailReference(address=ADDRESS), token=token, password=PASSWORD + "!")
printed["recovered"] = confirm_recovery.sync_detailed(client=client, body=new).status_code.value
pages.append(show_recovered.sync(client=client))
printed["pages"] = sum("<html" in page for page in pages)

jane = with_password(PASSWORD + "!")
deleted = delete_user.sync(client=jane, email=ADDRESS)
printed["deleted"] = deleted.email.address
printed["hasTimes"] = deleted.creation_time > 1_700_000_000_000
absent = get_user.sync_detailed(client=jane, email=ADDRESS)
printed["afterwards"] = absent.status_code.value
print(json.dumps(printed))
