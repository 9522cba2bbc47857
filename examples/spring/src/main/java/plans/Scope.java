package plans;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** What the caller of a handler needs: {@code @Scope("plans:read")}. */
@Retention(RetentionPolicy.RUNTIME)
@interface Scope {
  String value();
}
