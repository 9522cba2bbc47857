package plans;

import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

@SpringBootApplication
@RestController
public class Main implements WebMvcConfigurer {
  @Value("${LATCHKEY_URL:http://127.0.0.1:8080}")
  private String latchkeyUrl;

  @Override
  public void addInterceptors(InterceptorRegistry registry) {
    registry.addInterceptor(new LatchkeyInterceptor(latchkeyUrl));
  }

  @GetMapping("/plans")
  @Scope("plans:read")
  Map<String, Object> plans(@RequestAttribute String tenantId) {
    return Map.of("tenant_id", tenantId, "plans", List.of("basic", "pro"));
  }

  public static void main(String[] args) {
    SpringApplication.run(Main.class, args);
  }
}
