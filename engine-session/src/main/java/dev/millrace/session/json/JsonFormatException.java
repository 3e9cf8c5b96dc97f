package dev.millrace.session.json;

/** The failure to read a text that is no JSON. Its message says why and where. */
public final class JsonFormatException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    private final boolean endsEarly;

    JsonFormatException(String message, boolean endsEarly) {
        super(message);
        this.endsEarly = endsEarly;
    }

    /** Whether the text is the beginning of a longer one. */
    public boolean endsEarly() {
        return endsEarly;
    }
}
