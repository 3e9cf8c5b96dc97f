package dev.millrace.cli.fire;

import dev.millrace.graph.EngineException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/** Distinguishes intended refusals from those whose cause is an accidental exception inside the engine. */
final class Accidents {
    private static final int SHORTEST_MESSAGE = 10;

    private Accidents() {}

    /** Returns the fault of a refusal, or null if it is intended. */
    static @Nullable String in(EngineException refused) {
        String message = String.valueOf(refused.getMessage());
        if (message.length() <= SHORTEST_MESSAGE) {
            return "is refused without a reason: " + message;
        }
        if (message.contains("it does not end")) {
            return "is refused by an optimiser that found no end: " + message;
        }
        Throwable cause = refused.getCause();
        while (cause instanceof EngineException) {
            cause = cause.getCause();
        }
        boolean tooLarge = cause instanceof ArithmeticException && message.contains("too large: ");
        if (cause == null || tooLarge || isMeant(cause)) {
            return null;
        }
        return "is refused by accident: " + refused.status() + ": " + message + "; behind it is " + cause
                + place(cause);
    }

    private static boolean isMeant(Throwable cause) {
        return switch (cause) {
            case OutOfMemoryError _, IOException _, UncheckedIOException _, JacksonException _ -> true;
            case IllegalArgumentException _ ->
                isThrownBy(cause, "dev.millrace.") || isThrownBy(cause, "java.util.regex.");
            // image decoders say so of formats that they do not decode; no other code may
            case UnsupportedOperationException _ -> isThrownBy(cause, "dev.millrace.providers.cpu.image.");
            // memory that a caller has closed, or that belongs to another thread
            case IllegalStateException _, WrongThreadException _ -> isThrownBy(cause, "jdk.internal.foreign.");
            default -> isImageCodec(cause);
        };
    }

    private static boolean isThrownBy(Throwable cause, String packages) {
        StackTraceElement[] stack = cause.getStackTrace();
        return stack.length > 0 && stack[0].getClassName().startsWith(packages);
    }

    /** Whether an exception comes from the JDK's image codecs, which throw any type over broken images. */
    private static boolean isImageCodec(Throwable cause) {
        return Arrays.stream(cause.getStackTrace())
                .limit(12)
                .anyMatch(frame -> frame.getClassName().contains(".imageio."));
    }

    private static String place(Throwable cause) {
        return Arrays.stream(cause.getStackTrace())
                .filter(frame -> frame.getClassName().startsWith("dev.millrace."))
                .findFirst()
                .map(frame -> " at " + frame)
                .orElse("");
    }
}
