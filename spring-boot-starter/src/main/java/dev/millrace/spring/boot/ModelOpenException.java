package dev.millrace.spring.boot;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
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

    /**
     * Returns the failure of a session whose properties name no model.
     *
     * @param prefix the prefix of the properties
     */
    static ModelOpenException withoutModel(String name, String prefix) {
        return new ModelOpenException(
                prefix + ".model",
                null,
                new EngineException(Status.NO_SUCH_FILE, "session '" + name + "' has no model"));
    }

    /** The property that names the model. */
    public String property() {
        return property;
    }
}
