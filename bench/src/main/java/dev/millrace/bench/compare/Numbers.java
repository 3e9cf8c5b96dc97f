package dev.millrace.bench.compare;

import java.util.Collection;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Numbers for readers. */
public final class Numbers {
    private Numbers() {}

    /** The number, or nothing where there is none. */
    public static String format(String format, @Nullable Double value) {
        return value == null ? "" : String.format(Locale.ROOT, format, value);
    }

    public static double geometricMean(Collection<Double> values) {
        return Math.exp(values.stream().mapToDouble(Math::log).average().orElse(Double.NaN));
    }
}
