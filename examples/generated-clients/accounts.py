"""Uses a client that openapi-python-client generated, and prints what the service answered."""

import json
import os
from base64 import b64encode
from urllib.parse import quote

from client import AuthenticatedClient
from client.api.recovery import request_recovery
from client.api.users import check_password, create_user, delete_user, get_user, patch_user, update_user
from client.api.verification import confirm_verification, send_verification
from client.models import Email, NewUser, PasswordCheck, PasswordCheckEmail, UserPatch, UserUpdate

ADDRESS = "python@example.com"
PASSWORD = "pässwörd of python"

key = b64encode(os.environ["LATCHKEY_KEY"].encode()).decode()
client = AuthenticatedClient(base_url=os.environ["LATCHKEY_URL"], token=key, prefix="Basic")
# httpx sends only ASCII in headers.
with_password = client.with_headers({"password*": "UTF-8''" + quote(PASSWORD, safe="")})
printed = {}

user = NewUser(email=Email(address=ADDRESS), password=PASSWORD, visits=3)
user["plan"] = "trial"
user["rating"] = 4.5
user["tags"] = ["early", 7]
user["settings"] = {"theme": "dark"}
printed["created"] = create_user.sync(client=client, body=user).additional_properties

read = get_user.sync(client=with_password, email=ADDRESS, password="")
printed["read"] = read.additional_properties

check = PasswordCheck(email=PasswordCheckEmail(address=ADDRESS), password=PASSWORD)
printed["checked"] = check_password.sync_detailed(client=client, body=check).status_code.value
wrong = get_user.sync(client=client, email=ADDRESS, password="wrong", x_client_address="192.0.2.1")
printed["wrong"] = f"{wrong.status} {wrong.code.value}"

update = UserUpdate(email=Email(address=ADDRESS), visits=4)
for name in read.additional_keys:
    if name != "visits":
        update[name] = read[name]
update["plan"] = "pro"
printed["updated"] = update_user.sync(client=with_password, body=update, password="").additional_properties

patch = UserPatch()
patch["plan"] = "free"
patched = patch_user.sync(client=with_password, email=ADDRESS, password="", body=patch)
printed["patched"] = patched.additional_properties
printed["recovery"] = request_recovery.sync_detailed(client=client, email=ADDRESS).status_code.value

token = send_verification.sync(client=with_password, email=ADDRESS, password="").email.verification_token
printed["verified"] = confirm_verification.sync(client=client, email=ADDRESS, token=token).email.verified

deleted = delete_user.sync(client=with_password, email=ADDRESS, password="")
printed["deleted"] = deleted.email.address
printed["hasTimes"] = deleted.creation_time > 1_700_000_000_000
absent = get_user.sync_detailed(client=with_password, email=ADDRESS, password="")
printed["afterwards"] = absent.status_code.value
print(json.dumps(printed))
