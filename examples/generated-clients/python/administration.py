"""Uses a client of the administration that openapi-python-client generated, and prints what the service answered."""

import json
import os
from base64 import b64encode

from client import AuthenticatedClient
from client.api.users import disable_user, enable_user, inspect_user, list_users, set_password
from client.models import Disablement, NewPassword

ADDRESS = "administered@example.com"

key = b64encode(os.environ["LATCHKEY_ADMIN_KEY"].encode()).decode()
client = AuthenticatedClient(base_url=os.environ["LATCHKEY_ADMIN_URL"], token=key, prefix="Basic")
printed = {}

page = list_users.sync(client=client, address_contains="administered@")
printed["listed"] = [user.email.address for user in page.users]

read = inspect_user.sync(ADDRESS, client=client)
printed["read"] = read.email.address
printed["plan"] = read["plan"]

disabled = disable_user.sync(ADDRESS, client=client, body=Disablement(reason="a test"))
printed["disabled"] = disabled.email.disabled_reason
printed["enabled"] = not enable_user.sync(ADDRESS, client=client).email.disabled_time
new = NewPassword(password="pässwörd")
printed["set"] = set_password.sync_detailed(ADDRESS, client=client, body=new).status_code.value

stale = enable_user.sync(ADDRESS, client=client, if_match='"former"')
printed["stale"] = f"{stale.status} {stale.code.value}"
absent = inspect_user.sync("nobody@example.com", client=client)
printed["absent"] = f"{absent.status} {absent.code.value}"
print(json.dumps(printed))
