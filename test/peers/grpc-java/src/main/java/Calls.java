import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthGrpc;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Calls Health.Check with and without pauses, and prints how many calls of each were lost. */
public final class Calls {
  public static void main(String[] args) throws Exception {
    run(1, 500, 20);
    run(10, 400, 1);
    run(50, 200, 0);
  }

  private static void run(int callers, int calls, int pauseMs) throws Exception {
    var channel = Grpc.newChannelBuilder(System.getenv("LATCHKEY_TARGET"), InsecureChannelCredentials.create()).build();
    var client = HealthGrpc.newBlockingStub(channel);
    var lost = new AtomicInteger();
    var pool = Executors.newFixedThreadPool(callers);
    for (int caller = 0; caller < callers; caller++) {
      pool.submit(() -> {
        for (int n = 0; n < calls; n++) {
          try {
            client.check(HealthCheckRequest.getDefaultInstance());
          } catch (StatusRuntimeException err) {
            lost.incrementAndGet();
          }
          if (pauseMs > 0) Thread.sleep(pauseMs);
        }
        return null;
      });
    }
    pool.shutdown();
    pool.awaitTermination(2, TimeUnit.MINUTES);
    channel.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
    System.out.printf("%d at %d, pause %d ms: %d lost%n", callers * calls, callers, pauseMs, lost.get());
  }
}
