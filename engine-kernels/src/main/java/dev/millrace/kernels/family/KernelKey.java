package dev.millrace.kernels.family;

import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Names a kernel: a family and the values of its parameters. A file may carry keys; any process emits the kernels
 * again, so that no file ever brings code.
 *
 * <p>The text form is {@code family:name=value,name=value} with the names in order. Values are without {@code , =}.
 */
public final class KernelKey {
    private final String family;
    private final Map<String, String> parameters;

    private KernelKey(String family, Map<String, String> parameters) {
        this.family = family;
        this.parameters = Collections.unmodifiableMap(parameters);
    }

    /** A key without parameters. */
    public static KernelKey of(String family) {
        return new KernelKey(checked("family", family), new TreeMap<>());
    }

    /** This key with one more parameter. */
    public KernelKey with(String name, int value) {
        return with(name, Integer.toString(value));
    }

    /** This key with one more parameter, spelled in lower case. */
    public KernelKey with(String name, Enum<?> value) {
        return with(name, value.name().toLowerCase(Locale.ROOT));
    }

    /** This key with one more parameter. */
    public KernelKey with(String name, String value) {
        TreeMap<String, String> more = new TreeMap<>(parameters);
        if (more.put(checked("parameter name", name), checked(name, value)) != null) {
            throw new IllegalArgumentException("kernel key " + this + " has a parameter " + name + " already");
        }
        return new KernelKey(family, more);
    }

    private static String checked(String what, String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("the " + what + " of a kernel key is empty");
        }
        for (int i = 0; i < text.length(); i++) {
            if (",=:\n".indexOf(text.charAt(i)) >= 0) {
                throw new IllegalArgumentException(
                        "the " + what + " of a kernel key is " + text + ", but must be without , = :");
            }
        }
        return text;
    }

    /**
     * Reads the text form.
     *
     * @throws IllegalArgumentException if it is not one
     */
    public static KernelKey parse(String text) {
        int colon = text.indexOf(':');
        KernelKey key = of(colon < 0 ? text : text.substring(0, colon));
        if (colon < 0) {
            return key;
        }
        for (String part : text.substring(colon + 1).split(",", -1)) {
            int equals = part.indexOf('=');
            if (equals < 0) {
                throw new IllegalArgumentException("kernel key " + text + " has a part without =: " + part);
            }
            key = key.with(part.substring(0, equals), part.substring(equals + 1));
        }
        return key;
    }

    public String family() {
        return family;
    }

    /**
     * The value of a parameter.
     *
     * @throws IllegalArgumentException if this key lacks it
     */
    public String text(String name) {
        String value = parameters.get(name);
        if (value == null) {
            throw new IllegalArgumentException("kernel key " + this + " lacks the parameter " + name);
        }
        return value;
    }

    /**
     * The value of a parameter that is a number.
     *
     * @throws IllegalArgumentException if this key lacks it, or it is not a number from least to most; the message
     *     names it
     */
    public int number(String name, int least, int most) {
        String value = text(name);
        int number;
        try {
            number = Integer.parseInt(value);
        } catch (NumberFormatException notANumber) {
            throw outOfRange(name, value, least, most);
        }
        if (number < least || number > most) {
            throw outOfRange(name, value, least, most);
        }
        return number;
    }

    /**
     * The value of a parameter that is one of an enum, in lower case.
     *
     * @throws IllegalArgumentException if this key lacks it, or it is none of the values; the message names it
     */
    public <E extends Enum<E>> E oneOf(String name, E[] values) {
        String wanted = text(name);
        StringBuilder known = new StringBuilder();
        for (E value : values) {
            String spelled = value.name().toLowerCase(Locale.ROOT);
            if (spelled.equals(wanted)) {
                return value;
            }
            known.append(known.isEmpty() ? "" : ", ").append(spelled);
        }
        throw new IllegalArgumentException(
                "kernel key " + this + ": the parameter " + name + " is " + wanted + ", but must be one of " + known);
    }

    private IllegalArgumentException outOfRange(String name, String value, int least, int most) {
        return new IllegalArgumentException("kernel key " + this + ": the parameter " + name + " is " + value
                + ", but must be a number from " + least + " to " + most);
    }

    /**
     * Checks that there are no parameters but these.
     *
     * @throws IllegalArgumentException if there are; the message names one
     */
    public void onlyHas(String... names) {
        TreeSet<String> unknown = new TreeSet<>(parameters.keySet());
        for (String name : names) {
            unknown.remove(name);
        }
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException("kernel key " + this + " has an unknown parameter " + unknown.first());
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof KernelKey key && family.equals(key.family) && parameters.equals(key.parameters);
    }

    @Override
    public int hashCode() {
        return 31 * family.hashCode() + parameters.hashCode();
    }

    /** The text form. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(family);
        char separator = ':';
        for (Map.Entry<String, String> parameter : parameters.entrySet()) {
            text.append(separator).append(parameter.getKey()).append('=').append(parameter.getValue());
            separator = ',';
        }
        return text.toString();
    }
}
