package dev.millrace.codegen.key;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The name of a kernel: a family and the values of its parameters. A file may contain keys, and any process emits the
 * kernels from them, so that no file ever contains code.
 *
 * <p>The text form is {@code family:name=value,name=value} with the names in alphabetical order. Names and values must
 * not contain {@code , = :} and line breaks.
 */
public final class KernelKey {
    private static final String[] NO_PARAMETERS = {};
    /** The multiplier that mixes the bits of parameters' hashes before they are summed (Fibonacci hashing). */
    private static final int MIX = 0x9E3779B9;

    private static final String[] DIGITS = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
    /** The names of enum constants as keys spell them. */
    private static final Map<Enum<?>, String> SPELLED = new ConcurrentHashMap<>();

    private final String family;
    /**
     * The names, each followed by its value, in the order of addition. Keys are created and compared before anything is
     * compiled, when comparing names takes most of the time; so they are sorted only for the text form.
     */
    private final String[] parameters;
    /** The hash, computed at the first call of {@link #hashCode}; 0 before. */
    private int hash;

    private KernelKey(String family, String[] parameters) {
        this.family = family;
        this.parameters = parameters;
    }

    /** Returns a key without parameters. */
    public static KernelKey of(String family) {
        return new KernelKey(checked("family", family), NO_PARAMETERS);
    }

    /** This key with one more parameter. */
    public KernelKey with(String name, int value) {
        return and(name, value >= 0 && value < DIGITS.length ? DIGITS[value] : Integer.toString(value));
    }

    /** Returns this key with one more parameter, spelled in lower case. */
    public KernelKey with(String name, Enum<?> value) {
        return and(name, spelled(value));
    }

    /** This key with one more parameter. */
    public KernelKey with(String name, String value) {
        checked("parameter name", name);
        return and(name, checked(name, value));
    }

    /**
     * Adds a parameter. Names of numbers and enums come from this code, so they are not checked for forbidden
     * characters.
     */
    private KernelKey and(String name, String value) {
        int count = parameters.length;
        if (valueOf(name) != null) {
            throw new IllegalArgumentException("kernel key " + this + " has a parameter " + name + " already");
        }
        String[] more = Arrays.copyOf(parameters, count + 2);
        more[count] = name;
        more[count + 1] = value;
        return new KernelKey(family, more);
    }

    private static String spelled(Enum<?> value) {
        String known = SPELLED.get(value);
        if (known == null) {
            known = value.name().toLowerCase(Locale.ROOT);
            SPELLED.put(value, known);
        }
        return known;
    }

    private @Nullable String valueOf(String name) {
        for (int i = 0; i < parameters.length; i += 2) {
            if (parameters[i].hashCode() == name.hashCode() && parameters[i].equals(name)) {
                return parameters[i + 1];
            }
        }
        return null;
    }

    private static String checked(String what, String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("the " + what + " of a kernel key is empty");
        }
        for (int i = 0; i < text.length(); i++) {
            if (",=:\n".indexOf(text.charAt(i)) >= 0) {
                throw new IllegalArgumentException(
                        "the " + what + " of a kernel key is " + text + ", but must be without , = : and line breaks");
            }
        }
        return text;
    }

    /**
     * Parses the text form.
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
     * Returns the value of a parameter.
     *
     * @throws IllegalArgumentException if this key lacks it
     */
    public String text(String name) {
        String value = valueOf(name);
        if (value == null) {
            throw new IllegalArgumentException("kernel key " + this + " lacks the parameter " + name);
        }
        return value;
    }

    /**
     * Returns the value of a parameter that is a number.
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
     * Returns the value of a parameter that is a power of two, such as the number of bytes of an element.
     *
     * @throws IllegalArgumentException if this key lacks it, or it is not a power of two up to most; the message names
     *     it
     */
    public int powerOfTwo(String name, int most) {
        int number = number(name, 1, most);
        if (Integer.bitCount(number) != 1) {
            throw new IllegalArgumentException("kernel key " + this + ": the parameter " + name + " is " + number
                    + ", but must be a power of two up to " + most);
        }
        return number;
    }

    /**
     * Returns the value of a parameter that is an enum constant, spelled in lower case.
     *
     * @throws IllegalArgumentException if this key lacks it, or it is none of the values; the message names it
     */
    public <E extends Enum<E>> E oneOf(String name, E[] values) {
        String wanted = text(name);
        StringBuilder known = new StringBuilder();
        for (E value : values) {
            if (spelled(value).equals(wanted)) {
                return value;
            }
            known.append(known.isEmpty() ? "" : ", ").append(spelled(value));
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
        for (int i = 0; i < parameters.length; i += 2) {
            if (!isOneOf(parameters[i], names)) {
                throw new IllegalArgumentException("kernel key " + this + " has an unknown parameter " + parameters[i]);
            }
        }
    }

    private static boolean isOneOf(String name, String[] names) {
        for (String known : names) {
            if (known.equals(name)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other == this
                || other instanceof KernelKey key
                        && hashCode() == key.hashCode()
                        && family.equals(key.family)
                        && (Arrays.equals(parameters, key.parameters) || hasAllOf(key));
    }

    /** Whether the parameters of another key are those of this one, in any order. */
    private boolean hasAllOf(KernelKey key) {
        for (int i = 0; i < key.parameters.length; i += 2) {
            if (!key.parameters[i + 1].equals(valueOf(key.parameters[i]))) {
                return false;
            }
        }
        return parameters.length == key.parameters.length;
    }

    /** Returns a hash that does not depend on the order in which parameters were added. */
    @Override
    public int hashCode() {
        int known = hash;
        if (known == 0) {
            known = family.hashCode();
            for (int i = 0; i < parameters.length; i += 2) {
                int mixed = (31 * parameters[i].hashCode() + parameters[i + 1].hashCode()) * MIX;
                known += mixed ^ mixed >>> 15;
            }
            hash = known;
        }
        return known;
    }

    /** Returns the text form. */
    @Override
    public String toString() {
        String[] sorted = sorted();
        StringBuilder text = new StringBuilder(family);
        char separator = ':';
        for (int i = 0; i < sorted.length; i += 2) {
            text.append(separator).append(sorted[i]).append('=').append(sorted[i + 1]);
            separator = ',';
        }
        return text.toString();
    }

    /** Returns the parameters sorted by name. */
    private String[] sorted() {
        String[] sorted = parameters.clone();
        for (int i = 2; i < sorted.length; i += 2) {
            String name = sorted[i];
            String value = sorted[i + 1];
            int place = i;
            for (; place > 0 && sorted[place - 2].compareTo(name) > 0; place -= 2) {
                sorted[place] = sorted[place - 2];
                sorted[place + 1] = sorted[place - 1];
            }
            sorted[place] = name;
            sorted[place + 1] = value;
        }
        return sorted;
    }
}
