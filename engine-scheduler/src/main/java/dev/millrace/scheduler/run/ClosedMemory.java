package dev.millrace.scheduler.run;

import org.jspecify.annotations.Nullable;

/** Memory that its owner closes while a run reads it. The JDK interrupts the thread that it stops there. */
final class ClosedMemory {
    private ClosedMemory() {}

    /** Whether a failure comes of it. */
    static boolean isBehind(Throwable failure) {
        for (@Nullable Throwable cause = failure; cause != null; cause = cause.getCause()) {
            StackTraceElement[] stack = cause.getStackTrace();
            if (cause instanceof IllegalStateException
                    && stack.length > 0
                    && stack[0].getClassName().startsWith("jdk.internal.")) {
                return true;
            }
        }
        return false;
    }
}
