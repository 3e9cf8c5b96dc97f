package dev.millrace.graph;

import org.jspecify.annotations.Nullable;

/**
 * The one exception of the engine. Its message says what was wrong, where (model, node, attribute, file) and what to do
 * about it; {@link #status()} says which kind of failure it is. A message is one line: control characters in the names
 * that it quotes are escaped.
 */
public final class EngineException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private static final int LONGEST = 4000;

    private final Status status;

    public EngineException(Status status, String message) {
        this(status, message, null);
    }

    public EngineException(Status status, String message, @Nullable Throwable cause) {
        super(bounded(PlainText.line(message)), cause);
        this.status = status;
    }

    /**
     * Shortens a message to its beginning and its end. A message may quote a list of thousands of entries from a model
     * or a caller.
     */
    private static String bounded(String message) {
        return message.length() <= LONGEST
                ? message
                : message.substring(0, LONGEST / 2) + " … " + message.substring(message.length() - LONGEST / 4);
    }

    public Status status() {
        return status;
    }

    /** Returns this failure with {@code place} in front of its message, or itself where the place is there already. */
    public EngineException at(String place) {
        String message = String.valueOf(getMessage());
        if (message.startsWith(PlainText.line(place) + ": ")) {
            return this;
        }
        var located = new EngineException(status, place + ": " + message, getCause());
        located.setStackTrace(getStackTrace());
        return located;
    }

    public static EngineException invalidArgument(String message) {
        return new EngineException(Status.INVALID_ARGUMENT, message);
    }

    public static EngineException invalidGraph(String message) {
        return new EngineException(Status.INVALID_GRAPH, message);
    }

    public static EngineException notImplemented(String message) {
        return new EngineException(Status.NOT_IMPLEMENTED, message);
    }

    /** Wraps what a kernel or provider threw; an {@link EngineException} keeps its own status. */
    public static EngineException wrap(Status status, String place, Throwable cause) {
        if (cause instanceof EngineException known) {
            return known.at(place);
        }
        String what = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        return new EngineException(status, place + ": " + what, cause);
    }
}
