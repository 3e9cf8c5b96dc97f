package dev.millrace.session;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The rows of {@code docs/internals/ep-context-acceptance.md} that a test shows at the level of a session; {@link RowsTest} counts them. */
@Documented
@Retention(RetentionPolicy.SOURCE)
@Target(ElementType.METHOD)
public @interface Rows {
    int[] value();
}
