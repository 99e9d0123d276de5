import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import latchkey.ApiClient;
import latchkey.ApiException;
import latchkey.JSON;
import latchkey.api.UsersApi;
import latchkey.model.Disablement;
import latchkey.model.NewPassword;
import latchkey.model.Problem;
import latchkey.model.User;

/** Uses a client of the administration that openapi-generator generated, and prints what the service answered. */
class Administration {
  static final String ADDRESS = "administered@example.com";

  interface Call {
    void run() throws ApiException;
  }

  /** The status and the code with which the service refuses a call. */
  static String refusalOf(Call call) throws Exception {
    try {
      call.run();
    } catch (ApiException refused) {
      Problem problem = JSON.getDefault().getMapper().readValue(refused.getResponseBody(), Problem.class);
      return problem.getStatus() + " " + problem.getCode();
    }
    throw new AssertionError("not refused");
  }

  public static void main(String[] args) throws Exception {
    String key = System.getenv("LATCHKEY_ADMIN_KEY");
    String encoded = Base64.getEncoder().encodeToString(key.getBytes(StandardCharsets.UTF_8));
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("LATCHKEY_ADMIN_URL"));
    client.setRequestInterceptor(request -> request.header("Authorization", "Basic " + encoded));
    UsersApi users = new UsersApi(client);
    Map<String, Object> printed = new LinkedHashMap<>();

    var list = UsersApi.APIListUsersRequest.newBuilder().addressContains("administered@").build();
    printed.put("listed", users.listUsers(list).getUsers().stream().map(user -> user.getEmail().getAddress()).toList());

    var inspect = UsersApi.APIInspectUserRequest.newBuilder().address(ADDRESS).build();
    User read = users.inspectUser(inspect);
    printed.put("read", read.getEmail().getAddress());
    printed.put("plan", read.getAdditionalProperties().get("plan"));

    Disablement disablement = new Disablement().reason("a test");
    var disable = UsersApi.APIDisableUserRequest.newBuilder().address(ADDRESS).disablement(disablement).build();
    printed.put("disabled", users.disableUser(disable).getEmail().getDisabledReason());
    var enable = UsersApi.APIEnableUserRequest.newBuilder().address(ADDRESS);
    printed.put("enabled", users.enableUser(enable.build()).getEmail().getDisabledTime() == null);
    NewPassword password = new NewPassword().password("pässwörd");
    var set = UsersApi.APISetPasswordRequest.newBuilder().address(ADDRESS).newPassword(password).build();
    printed.put("set", users.setPasswordWithHttpInfo(set).getStatusCode());

    enable.ifMatch("\"former\"");
    printed.put("stale", refusalOf(() -> users.enableUser(enable.build())));
    var nobody = UsersApi.APIInspectUserRequest.newBuilder().address("nobody@example.com").build();
    printed.put("absent", refusalOf(() -> users.inspectUser(nobody)));
    System.out.println(JSON.getDefault().getMapper().writeValueAsString(printed));
  }
}
