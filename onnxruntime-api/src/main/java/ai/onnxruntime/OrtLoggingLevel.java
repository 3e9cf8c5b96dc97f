package ai.onnxruntime;

/** The levels of log messages. */
public enum OrtLoggingLevel {
    ORT_LOGGING_LEVEL_VERBOSE(0),
    ORT_LOGGING_LEVEL_INFO(1),
    ORT_LOGGING_LEVEL_WARNING(2),
    ORT_LOGGING_LEVEL_ERROR(3),
    ORT_LOGGING_LEVEL_FATAL(4);

    private final int value;

    OrtLoggingLevel(int value) {
        this.value = value;
    }

    public int getValue() {
        return value;
    }

    /** Returns the level with this number, {@code ORT_LOGGING_LEVEL_VERBOSE} if there is none. */
    public static OrtLoggingLevel mapFromInt(int logLevel) {
        return logLevel > 0 && logLevel < values().length ? values()[logLevel] : ORT_LOGGING_LEVEL_VERBOSE;
    }
}
