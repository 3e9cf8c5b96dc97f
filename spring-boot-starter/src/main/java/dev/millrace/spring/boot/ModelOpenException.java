package dev.millrace.spring.boot;

import org.jspecify.annotations.Nullable;

/** A configured model that does not open. At the start of an application, the report of the failure says what to do. */
public final class ModelOpenException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String property;

    /** @param property the property that names the model */
    public ModelOpenException(String property, @Nullable String model, Throwable cause) {
        super(
                model == null
                        ? "The property " + property + " is not set"
                        : "The model '" + model + "' of " + property + " does not open: " + cause.getMessage(),
                cause);
        this.property = property;
    }

    /** The property that names the model. */
    public String property() {
        return property;
    }
}
