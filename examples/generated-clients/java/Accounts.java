import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Scanner;
import java.util.stream.Stream;
import latchkey.ApiClient;
import latchkey.ApiException;
import latchkey.JSON;
import latchkey.api.RecoveryApi;
import latchkey.api.UsersApi;
import latchkey.api.VerificationApi;
import latchkey.model.Email;
import latchkey.model.EmailReference;
import latchkey.model.NewPassword;
import latchkey.model.NewUser;
import latchkey.model.PasswordCheck;
import latchkey.model.Problem;
import latchkey.model.User;
import latchkey.model.UserPatch;
import latchkey.model.UserUpdate;

/** Uses a client that openapi-generator generated, and prints what the service answered. */
class Accounts {
  static final String ADDRESS = "java@example.com";
  static final String PASSWORD = "pässwörd of java";

  interface Call {
    void run() throws ApiException;
  }

  /** The problem with which the service refuses a call. */
  static Problem refusalOf(Call call) throws Exception {
    try {
      call.run();
    } catch (ApiException refused) {
      return JSON.getDefault().getMapper().readValue(refused.getResponseBody(), Problem.class);
    }
    throw new AssertionError("not refused");
  }

  /** java.net.http sends only ASCII in headers. */
  static Map<String, String> withPassword(String password) {
    String encoded = URLEncoder.encode(password, StandardCharsets.UTF_8).replace("+", "%20");
    return Map.of("password*", "UTF-8''" + encoded);
  }

  /** Somebody has to look into the mailbox. */
  static String tokenOf(String path) {
    System.err.print("Token of the link " + path + " in the mail to " + ADDRESS + ": ");
    return new Scanner(System.in).next();
  }

  public static void main(String[] args) throws Exception {
    String key = Base64.getEncoder().encodeToString(System.getenv("LATCHKEY_KEY").getBytes(StandardCharsets.UTF_8));
    ApiClient client = new ApiClient();
    client.setObjectMapper(new PageMapper());
    client.updateBaseUri(System.getenv("LATCHKEY_URL"));
    client.setRequestInterceptor(request -> request.header("Authorization", "Basic " + key));
    UsersApi users = new UsersApi(client);
    VerificationApi verification = new VerificationApi(client);
    RecoveryApi recovery = new RecoveryApi(client);
    Map<String, String> jane = withPassword(PASSWORD);
    Map<String, Object> printed = new LinkedHashMap<>();

    NewUser user = new NewUser().email(new Email().address(ADDRESS)).password(PASSWORD);
    user.putAdditionalProperty("visits", 3);
    user.putAdditionalProperty("plan", "trial");
    user.putAdditionalProperty("rating", 4.5);
    user.putAdditionalProperty("tags", List.of("early", 7));
    user.putAdditionalProperty("settings", Map.of("theme", "dark"));
    var create = UsersApi.APICreateUserRequest.newBuilder().newUser(user).build();
    printed.put("created", users.createUser(create).getAdditionalProperties());

    var get = UsersApi.APIGetUserRequest.newBuilder().email(ADDRESS).build();
    User read = users.getUser(get, jane);
    printed.put("read", read.getAdditionalProperties());

    PasswordCheck credentials = new PasswordCheck().email(new EmailReference().address(ADDRESS)).password(PASSWORD);
    var check = UsersApi.APICheckPasswordRequest.newBuilder().passwordCheck(credentials).build();
    printed.put("checked", users.checkPasswordWithHttpInfo(check).getStatusCode());
    var guess = UsersApi.APIGetUserRequest.newBuilder().email(ADDRESS).password("wrong").xClientAddress("192.0.2.1");
    Problem wrong = refusalOf(() -> users.getUser(guess.build()));
    printed.put("wrong", wrong.getStatus() + " " + wrong.getCode());

    UserUpdate changed = new UserUpdate().email(new Email().address(ADDRESS));
    read.getAdditionalProperties().forEach(changed::putAdditionalProperty);
    changed.putAdditionalProperty("visits", 4);
    changed.putAdditionalProperty("plan", "pro");
    var update = UsersApi.APIUpdateUserRequest.newBuilder().userUpdate(changed).build();
    printed.put("updated", users.updateUser(update, jane).getAdditionalProperties());

    UserPatch plan = new UserPatch();
    plan.putAdditionalProperty("plan", "free");
    var patch = UsersApi.APIPatchUserRequest.newBuilder().email(ADDRESS).userPatch(plan);
    printed.put("patched", users.patchUser(patch.build(), jane).getAdditionalProperties());
    patch.ifMatch("\"former\"");
    Problem stale = refusalOf(() -> users.patchUser(patch.build(), jane));
    printed.put("stale", stale.getStatus() + " " + stale.getCode());

    var send = VerificationApi.APISendVerificationRequest.newBuilder().email(ADDRESS).build();
    String sent = verification.sendVerification(send, jane).getEmail().getVerificationToken();
    var link = VerificationApi.APIConfirmVerificationRequest.newBuilder().email(ADDRESS).token(sent).build();
    printed.put("verified", verification.confirmVerification(link).getEmail().getVerified());
    var reset = VerificationApi.APIResetVerificationRequest.newBuilder().email(ADDRESS).build();
    printed.put("reset", verification.resetVerification(reset, jane).getEmail().getVerified());

    var request = RecoveryApi.APIRequestRecoveryRequest.newBuilder().email(ADDRESS).build();
    printed.put("recovery", recovery.requestRecoveryWithHttpInfo(request).getStatusCode());
    String token = tokenOf("/recovery");
    var page = RecoveryApi.APIShowRecoveryRequest.newBuilder().email(ADDRESS).token(token).build();
    NewPassword replacement = new NewPassword().email(new EmailReference().address(ADDRESS)).token(token);
    var confirm = RecoveryApi.APIConfirmRecoveryRequest.newBuilder().newPassword(replacement.password(PASSWORD + "!"));
    Stream<String> pages = Stream.of(verification.showSuccess(), recovery.showRecovery(page), recovery.showRecovered());
    printed.put("recovered", recovery.confirmRecoveryWithHttpInfo(confirm.build()).getStatusCode());
    printed.put("pages", pages.filter(text -> text.contains("<html")).count());

    Map<String, String> afterwards = withPassword(PASSWORD + "!");
    var delete = UsersApi.APIDeleteUserRequest.newBuilder().email(ADDRESS).build();
    User deleted = users.deleteUser(delete, afterwards);
    printed.put("deleted", deleted.getEmail().getAddress());
    printed.put("hasTimes", deleted.getCreationTime() > 1_700_000_000_000L);
    printed.put("afterwards", refusalOf(() -> users.getUser(get, afterwards)).getStatus());
    System.out.println(JSON.getDefault().getMapper().writeValueAsString(printed));
  }
}
