import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Scanner;
import java.util.stream.Stream;
import latchkey.ApiClient;
import latchkey.JSON;
import latchkey.api.UsersApi;
import latchkey.api.VerificationApi;
import latchkey.model.Email;
import latchkey.model.EmailPatch;
import latchkey.model.NewUser;
import latchkey.model.UserPatch;

/** Changes an address, and uses a property that the configuration declares, through the generated client. */
class Changes {
  static final String FORMER = "former.java@example.com";
  static final String ADDRESS = "new.java@example.com";
  static final String OTHER = "other.java@example.com";
  static final String PASSWORD = "another pässwörd of java";
  static final Scanner INPUT = new Scanner(System.in);

  /** Somebody has to look into the mailbox. */
  static String tokenOf(String path, String address) {
    System.err.print("Token of the link " + path + " in the mail to " + address + ": ");
    return INPUT.next();
  }

  public static void main(String[] args) throws Exception {
    String key = Base64.getEncoder().encodeToString(System.getenv("LATCHKEY_KEY").getBytes(StandardCharsets.UTF_8));
    String password = "UTF-8''" + URLEncoder.encode(PASSWORD, StandardCharsets.UTF_8).replace("+", "%20");
    ApiClient client = new ApiClient();
    client.setObjectMapper(new PageMapper());
    client.updateBaseUri(System.getenv("LATCHKEY_URL"));
    client.setRequestInterceptor(
        request -> request.header("Authorization", "Basic " + key).header("password*", password));
    UsersApi users = new UsersApi(client);
    VerificationApi verification = new VerificationApi(client);
    Map<String, Object> printed = new LinkedHashMap<>();

    NewUser user = new NewUser().email(new Email().address(FORMER)).password(PASSWORD).visits(3L);
    var create = UsersApi.APICreateUserRequest.newBuilder().newUser(user).build();
    printed.put("visits", users.createUser(create).getAdditionalProperties().get("visits"));

    var patch = UsersApi.APIPatchUserRequest.newBuilder().acceptLanguage("de");
    patch.email(FORMER).userPatch(new UserPatch().email(new EmailPatch().address(ADDRESS)));
    printed.put("pending", users.patchUser(patch.build()).getEmail().getPending());
    String token = tokenOf("/change", ADDRESS);
    var show = VerificationApi.APIShowChangeRequest.newBuilder().email(FORMER).token(token).build();
    String asking = verification.showChange(show);
    var confirm = VerificationApi.APIConfirmChangeRequest.newBuilder().email(FORMER).token(token).build();
    printed.put("confirmed", verification.confirmChangeWithHttpInfo(confirm).getStatusCode());

    users.patchUser(patch.email(ADDRESS).userPatch(new UserPatch().email(new EmailPatch().address(OTHER))).build());
    token = tokenOf("/change/cancel", ADDRESS);
    var ask = VerificationApi.APIShowCancellationRequest.newBuilder().email(ADDRESS).token(token).build();
    String cancelling = verification.showCancellation(ask);
    var cancel = VerificationApi.APICancelChangeRequest.newBuilder().email(ADDRESS).token(token).build();
    printed.put("cancelled", verification.cancelChangeWithHttpInfo(cancel).getStatusCode());
    var pages = Stream.of(asking, verification.showChanged(), cancelling, verification.showCancelled());
    printed.put("pages", pages.filter(text -> text.contains("<html")).count());

    var get = UsersApi.APIGetUserRequest.newBuilder().email(ADDRESS).build();
    printed.put("address", users.getUser(get).getEmail().getAddress());
    var delete = UsersApi.APIDeleteUserRequest.newBuilder().email(ADDRESS).build();
    printed.put("deleted", users.deleteUserWithHttpInfo(delete).getStatusCode());
    System.out.println(JSON.getDefault().getMapper().writeValueAsString(printed));
  }
}
