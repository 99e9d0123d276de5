import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import latchkey.ApiClient;
import latchkey.ApiException;
import latchkey.JSON;
import latchkey.api.RecoveryApi;
import latchkey.api.UsersApi;
import latchkey.api.VerificationApi;
import latchkey.model.Email;
import latchkey.model.NewUser;
import latchkey.model.PasswordCheck;
import latchkey.model.PasswordCheckEmail;
import latchkey.model.Problem;
import latchkey.model.User;
import latchkey.model.UserPatch;
import latchkey.model.UserUpdate;

/** Uses a client that openapi-generator generated, and prints what the service answered. */
class Accounts {
  static final String ADDRESS = "java@example.com";
  static final String PASSWORD = "pässwörd of java";

  public static void main(String[] args) throws Exception {
    String key = Base64.getEncoder().encodeToString(System.getenv("LATCHKEY_KEY").getBytes(StandardCharsets.UTF_8));
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("LATCHKEY_URL"));
    client.setRequestInterceptor(request -> request.header("Authorization", "Basic " + key));
    UsersApi users = new UsersApi(client);
    VerificationApi verification = new VerificationApi(client);
    // java.net.http sends only ASCII in headers.
    String encoded = URLEncoder.encode(PASSWORD, StandardCharsets.UTF_8).replace("+", "%20");
    Map<String, String> password = Map.of("password*", "UTF-8''" + encoded);
    Map<String, Object> printed = new LinkedHashMap<>();

    NewUser user = new NewUser().email(new Email().address(ADDRESS)).password(PASSWORD).visits(3L);
    user.putAdditionalProperty("plan", "trial");
    user.putAdditionalProperty("rating", 4.5);
    user.putAdditionalProperty("tags", List.of("early", 7));
    user.putAdditionalProperty("settings", Map.of("theme", "dark"));
    printed.put("created", users.createUser(user).getAdditionalProperties());

    User read = users.getUser(ADDRESS, "", null, null, password);
    printed.put("read", read.getAdditionalProperties());

    PasswordCheck check = new PasswordCheck().email(new PasswordCheckEmail().address(ADDRESS)).password(PASSWORD);
    printed.put("checked", users.checkPasswordWithHttpInfo(check, null).getStatusCode());
    try {
      users.getUser(ADDRESS, "wrong", null, "192.0.2.1");
    } catch (ApiException refused) {
      Problem problem = JSON.getDefault().getMapper().readValue(refused.getResponseBody(), Problem.class);
      printed.put("wrong", problem.getStatus() + " " + problem.getCode());
    }

    UserUpdate update = new UserUpdate().email(new Email().address(ADDRESS)).visits(4L);
    read.getAdditionalProperties().forEach((name, value) -> {
      if (!name.equals("visits")) update.putAdditionalProperty(name, value);
    });
    update.putAdditionalProperty("plan", "pro");
    printed.put("updated", users.updateUser("", update, null, null, null, null, password).getAdditionalProperties());

    UserPatch patch = new UserPatch();
    patch.putAdditionalProperty("plan", "free");
    printed.put("patched", users.patchUser(ADDRESS, "", patch, null, null, null, password).getAdditionalProperties());
    printed.put("recovery", new RecoveryApi(client).requestRecoveryWithHttpInfo(ADDRESS, null).getStatusCode());

    String token = verification.sendVerification(ADDRESS, "", null, null, null, password).getEmail().getVerificationToken();
    printed.put("verified", verification.confirmVerification(ADDRESS, token, null, null).getEmail().getVerified());

    User deleted = users.deleteUser(ADDRESS, "", null, null, password);
    printed.put("deleted", deleted.getEmail().getAddress());
    printed.put("hasTimes", deleted.getCreationTime() > 1_700_000_000_000L);
    try {
      users.getUser(ADDRESS, "", null, null, password);
    } catch (ApiException refused) {
      printed.put("afterwards", refused.getCode());
    }
    System.out.println(JSON.getDefault().getMapper().writeValueAsString(printed));
  }
}
