package dev.millrace.providers.cpu;

import static org.assertj.core.api.Assertions.assertThat;

/** The comparison of long arrays: a failure names the first element that differs, and costs no more than a success. */
public final class Closeness {
    private Closeness() {}

    /** Fails where two numbers differ by more than a tolerance. NaN agrees with NaN, and an infinity with itself. */
    public static void assertClose(double[] actual, double[] expected, double tolerance) {
        assertThat(actual.length).isEqualTo(expected.length);
        for (int i = 0; i < actual.length; i++) {
            boolean isClose =
                    Double.compare(actual[i], expected[i]) == 0 || Math.abs(actual[i] - expected[i]) <= tolerance;
            assertThat(isClose ? expected[i] : actual[i]).as("element %d", i).isEqualTo(expected[i]);
        }
    }
}
