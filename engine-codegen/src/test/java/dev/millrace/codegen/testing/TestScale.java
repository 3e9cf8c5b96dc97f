package dev.millrace.codegen.testing;

/**
 * The share of a long test that runs: the property {@value #PROPERTY}, a number above 0 and at most 1. The build sets a tenth,
 * the profile {@code full} all; without the property all runs as well. A property that gives a count of its own wins.
 */
public final class TestScale {
    static final String PROPERTY = "millrace.tests.scale";

    /** The golden ratio as a fraction of 2³², which spreads consecutive hash codes evenly (Knuth, TAOCP 3, 6.4). */
    private static final int GOLDEN_RATIO = 0x9E3779B9;

    private static final double TWO_TO_THE_32 = 0x1p32;

    private TestScale() {}

    private static double scale() {
        double scale = Double.parseDouble(System.getProperty(PROPERTY, "1"));
        if (!(scale > 0 && scale <= 1)) {
            throw new IllegalArgumentException("-D" + PROPERTY + " is " + scale + "; it is above 0 and at most 1");
        }
        return scale;
    }

    /** Returns the share of a count, rounded up. */
    public static int share(int whole) {
        return (int) Math.ceil(whole * scale());
    }

    /** Returns the value of a property that gives a count, or the share of the whole count if it is absent. */
    public static int count(String property, int whole) {
        Integer count = Integer.getInteger(property);
        return count == null ? share(whole) : count;
    }

    /** Returns the whole count as many times as a property says, or the share of it if the property is absent. */
    public static int times(String property, int whole) {
        Integer times = Integer.getInteger(property);
        return times == null ? share(whole) : Math.multiplyExact(whole, times);
    }

    /** Returns whether the share of a list of cases has this one. The hash code of its name decides, so a case is always in or out. */
    public static boolean has(String name) {
        return Integer.toUnsignedLong(name.hashCode() * GOLDEN_RATIO) < scale() * TWO_TO_THE_32;
    }
}
