// Accounts.java: java Accounts.java
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.regex.Pattern;

public class Accounts {
  // HTTP/1.1, because the client would otherwise offer HTTP/2 with an upgrade.
  static final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(2)).build();
  static final String credentials =
      Base64.getEncoder().encodeToString(("shop:" + System.getenv("SHOP_SECRET")).getBytes(StandardCharsets.UTF_8));

  static String percent(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20").replace("*", "%2A");
  }

  static String call(String method, String path, int expected, String body, String password) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(System.getenv("LATCHKEY_URL") + path))
        // Longer than the operation timeout of the service, so that the service answers first.
        .timeout(Duration.ofSeconds(35))
        .header("Authorization", "Basic " + credentials)
        .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    if (body != null) request.header("Content-Type", "application/json");
    if (password != null) request.header("password*", "UTF-8''" + percent(password));
    var response = client.send(request.build(), BodyHandlers.ofString());
    if (response.statusCode() != expected)
      throw new IllegalStateException("status " + response.statusCode() + ", code " + member(response.body(), "code"));
    return response.body();
  }

  static String member(String json, String name) {
    var found = Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(json);
    return found.find() ? found.group(1) : null;
  }

  public static void main(String[] arguments) throws Exception {
    String address = "jane+java@example.com";
    String user = "/users?email=" + percent(address);
    String email = "\"email\":{\"address\":\"" + address + "\"}";

    call("POST", "/users", 201, "{" + email + ",\"password\":\"gr\u00fcne Birne 7\",\"plan\":\"free\"}", null);
    System.out.println("signed up");

    String wrong = call("GET", user, 401, null, "rote Birne 7");
    System.out.println("wrong password refused: " + member(wrong, "code"));
    System.out.println("signed in: " + member(call("GET", user, 200, null, "gr\u00fcne Birne 7"), "plan"));

    String changed = call("PATCH", user, 200, "{\"plan\":\"pro\"}", "gr\u00fcne Birne 7");
    System.out.println("changed: " + member(changed, "plan"));

    // The application mails the token to the user, who sends it back with a new password.
    String token = member(call("POST", "/recovery?email=" + percent(address), 200, null, null), "token");
    call("POST", "/recovery/confirm", 204,
        "{" + email + ",\"token\":\"" + token + "\",\"password\":\"blaue Birne 8\"}", null);
    System.out.println("recovered");

    System.out.println("signed in: " + member(call("GET", user, 200, null, "blaue Birne 8"), "plan"));
  }
}
