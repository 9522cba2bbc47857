package plans;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** The scope that a handler requires of its caller: {@code @Scope("plans:read")}. */
@Retention(RetentionPolicy.RUNTIME)
@interface Scope {
  String value();
}
