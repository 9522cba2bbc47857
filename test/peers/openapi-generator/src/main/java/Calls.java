import java.util.List;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.ApiKeyApi;
import org.openapitools.client.api.AuthApi;
import org.openapitools.client.api.GatewayApi;
import org.openapitools.client.auth.ApiKeyAuth;
import org.openapitools.client.auth.HttpBearerAuth;
import org.openapitools.client.model.CreateApiKeyRequest;
import org.openapitools.client.model.Error;
import org.openapitools.client.model.GetApiKeyRequest;
import org.openapitools.client.model.ListApiKeysRequest;
import org.openapitools.client.model.ListThreadsRequest;
import org.openapitools.client.model.VerifyRequest;

/** Calls the service as each kind of caller by the generated client. */
public class Calls {
  interface Call {
    Object make() throws ApiException;
  }

  public static void main(String[] args) throws Exception {
    var dashboard = client();
    bearer(dashboard, "DashboardJwt", "LATCHKEY_TOKEN");
    var keys = new ApiKeyApi(dashboard);
    var asked = new CreateApiKeyRequest()
        .name("by openapi-generator")
        .permissions(List.of("conversations:read", "plans:read"));
    var key = keys.createApiKey(asked, null).getResult();
    var page = keys.listApiKeys(new ListApiKeysRequest().perPage(5), null);
    var listed = page.getKeys().stream().filter(one -> one.getKeyId().equals(key.getKeyId())).findAny().get();
    System.out.println(listed.getName() + " " + listed.getStatus() + " " + listed.getPermissions());
    failure(() -> keys.getApiKey(new GetApiKeyRequest().keyId("key_none"), null));

    var backend = client();
    ((ApiKeyAuth) backend.getAuthentication("SecretKey")).setApiKey(key.getKey());
    var threads = new GatewayApi(backend).listThreads(new ListThreadsRequest().perPage(5), null, null);
    System.out.println("threads " + threads.getPagination().getPerPage());
    failure(() -> new AuthApi(backend).verify(new VerifyRequest().scope("conversations:write"), null, null));

    var app = client();
    ((ApiKeyAuth) app.getAuthentication("PublishableKey")).setApiKey(System.getenv("LATCHKEY_PUBLISHABLE_KEY"));
    bearer(app, "UserJwt", "LATCHKEY_USER_TOKEN");
    var verified = new AuthApi(app).verify(new VerifyRequest().scope("conversations:read"), null, null);
    System.out.println(verified.getCaller() + " " + verified.getUserId());
  }

  static ApiClient client() {
    return new ApiClient().setBasePath(System.getenv("LATCHKEY_URL"));
  }

  static void bearer(ApiClient client, String scheme, String variable) {
    ((HttpBearerAuth) client.getAuthentication(scheme)).setBearerToken(System.getenv(variable));
  }

  static void failure(Call call) {
    try {
      System.out.println("no error: " + call.make());
    } catch (ApiException thrown) {
      try {
        var error = Error.fromJson(thrown.getResponseBody());
        System.out.println(
            thrown.getCode() + " " + error.getReason() + " " + error.getField() + " " + error.getDenialReason());
      } catch (java.io.IOException unreadable) {
        System.out.println(unreadable);
      }
    }
  }
}
