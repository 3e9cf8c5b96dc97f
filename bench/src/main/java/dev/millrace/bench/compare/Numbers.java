package dev.millrace.bench.compare;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Numbers for readers. */
public final class Numbers {
    private Numbers() {}

    /** The number, or nothing where there is none. */
    public static String format(String format, @Nullable Double value) {
        return value == null ? "" : String.format(Locale.ROOT, format, value);
    }

    /** The middle one, or the mean of the two in the middle; there is at least one. */
    public static double median(Collection<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        int n = sorted.size();
        return n % 2 == 1 ? sorted.get(n / 2) : (sorted.get(n / 2 - 1) + sorted.get(n / 2)) / 2;
    }

    public static double geometricMean(Collection<Double> values) {
        return Math.exp(values.stream().mapToDouble(Math::log).average().orElse(Double.NaN));
    }
}
