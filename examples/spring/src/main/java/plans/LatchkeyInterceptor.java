package plans;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;

/** Asks Latchkey's /auth/check about each request. A handler without {@link Scope} is not served. */
class LatchkeyInterceptor implements HandlerInterceptor {
  private static final Duration TIMEOUT = Duration.ofSeconds(2);
  private static final List<String> CHECKED =
      List.of("X-API-Key", "Authorization", "X-On-Behalf-Of", "Origin", "Sec-Fetch-Site", "X-Forwarded-For");
  private static final List<String> RELAYED = List.of("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset",
      "Retry-After", "X-Request-Id", "WWW-Authenticate", "Content-Type");

  private final HttpClient http = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
  private final String url;

  LatchkeyInterceptor(String url) {
    this.url = url;
  }

  @Override
  public boolean preHandle(HttpServletRequest req, HttpServletResponse res, Object handler)
      throws IOException, InterruptedException {
    Scope scope = handler instanceof HandlerMethod method ? method.getMethodAnnotation(Scope.class) : null;
    if (scope == null) return refuse(res, 403);
    var check = HttpRequest.newBuilder(URI.create(url + "/auth/check?scope=" + scope.value())).timeout(TIMEOUT);
    // Two values stay two, which Latchkey refuses.
    for (String name : CHECKED)
      for (String value : Collections.list(req.getHeaders(name))) check.header(name, value);
    check.header("X-Forwarded-For", req.getRemoteAddr());
    HttpResponse<byte[]> verdict;
    try {
      verdict = http.send(check.build(), HttpResponse.BodyHandlers.ofByteArray());
    } catch (IOException away) {
      return refuse(res, 503);
    }
    var headers = verdict.headers();
    boolean admitted = verdict.statusCode() == 200 && headers.firstValue("X-Auth-Tenant-Id").isPresent();
    // Any other answer is not a verdict of Latchkey.
    if (!admitted && headers.firstValue("X-Auth-Denial-Reason").isEmpty()) return refuse(res, 503);
    for (String name : RELAYED)
      if (!admitted || !name.equals("Content-Type")) headers.firstValue(name).ifPresent(value -> res.setHeader(name, value));
    if (admitted) {
      req.setAttribute("tenantId", headers.firstValue("X-Auth-Tenant-Id").orElseThrow());
      return true;
    }
    res.setStatus(verdict.statusCode());
    res.getOutputStream().write(verdict.body());
    return false;
  }

  private static boolean refuse(HttpServletResponse res, int status) {
    res.setStatus(status);
    return false;
  }
}
