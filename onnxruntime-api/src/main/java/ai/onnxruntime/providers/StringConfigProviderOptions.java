package ai.onnxruntime.providers;

import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtProviderOptions;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** Provider options that are pairs of strings. */
abstract class StringConfigProviderOptions extends OrtProviderOptions {
    protected final Map<String, String> options = new LinkedHashMap<>();

    protected StringConfigProviderOptions(long nativeHandle) {
        super(nativeHandle);
    }

    public void add(String key, String value) throws OrtException {
        checkClosed();
        options.put(key, value);
    }

    /** Adds the pairs of a text of the form {@code key=value;key=value}. */
    public void parseOptionsString(String serializedForm) throws OrtException {
        for (String pair : serializedForm.split(";")) {
            String[] parts = pair.split("=", 2);
            if (parts.length != 2) {
                throw new OrtException("'" + pair + "' is no pair of the form key=value");
            }
            add(parts[0], parts[1]);
        }
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + "(" + getOptionsString() + ")";
    }

    public String getOptionsString() {
        return options.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .collect(Collectors.joining(";"));
    }

    @Override
    protected void applyToNative() throws OrtException {
        applyToNative(
                getApiHandle(),
                nativeHandle,
                options.keySet().toArray(new String[0]),
                options.values().toArray(new String[0]));
    }

    protected abstract void applyToNative(long apiHandle, long nativeHandle, String[] keys, String[] values)
            throws OrtException;
}
