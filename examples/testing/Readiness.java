// Readiness.java: java Readiness.java; in JUnit, call Readiness.await() in @BeforeAll
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;

public class Readiness {
  static final String ADMIN_URL = System.getenv().getOrDefault("LATCHKEY_ADMIN_URL", "http://127.0.0.1:8081");

  static void await() throws InterruptedException {
    HttpClient client = HttpClient.newHttpClient();
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(ADMIN_URL + "/readyz")).timeout(Duration.ofSeconds(5)).build();
    Instant deadline = Instant.now().plusSeconds(30);
    while (Instant.now().isBefore(deadline)) {
      try {
        if (client.send(request, BodyHandlers.discarding()).statusCode() == 200) return;
      } catch (IOException notListening) {
        // It is starting.
      }
      Thread.sleep(100);
    }
    throw new IllegalStateException("Latchkey is not ready after 30 seconds");
  }

  public static void main(String[] arguments) throws InterruptedException {
    await();
    System.out.println("ready");
  }
}
