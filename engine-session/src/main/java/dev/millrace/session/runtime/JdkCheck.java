package dev.millrace.session.runtime;

import org.jspecify.annotations.Nullable;

/** Knows the releases of the JDK that a service should not run on. */
final class JdkCheck {
    private static final Runtime.Version FIXED = Runtime.Version.parse("25.0.3");

    private JdkCheck() {}

    /** A sentence about what is wrong with a release; null where nothing is known. */
    static @Nullable String trouble(Runtime.Version version) {
        if (version.compareToIgnoreOptional(FIXED) >= 0) {
            return null;
        }
        return "JDK " + version
                + " is older than 25.0.3: its G1 collector can move an array that native code of the JDK is"
                + " using, such as that which inflates jars and decodes images. Update it, or start Java with"
                + " -XX:+UseParallelGC";
    }
}
