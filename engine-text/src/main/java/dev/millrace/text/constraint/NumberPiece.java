package dev.millrace.text.constraint;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.HashMap;
import java.util.Map;

/**
 * Adds the decimal numbers within bounds, without exponent: from digit to digit it is known whether the number so far equals the
 * beginning of the lower or of the upper bound.
 */
final class NumberPiece {
    static final int MOST_DECIMALS = 16;
    private static final int MOST_DIGITS = 18;
    private static final BigDecimal LIMIT = BigDecimal.TEN.pow(MOST_DIGITS).subtract(BigDecimal.ONE);

    private final AutomatonBuilder builder;
    private final boolean isWhole;
    private final String low;
    private final String high;
    /** The number of digits of both before the point. */
    private final int digits;

    private final boolean lowOut;
    private final boolean highOut;
    /** Whether more decimals may follow those of the upper bound, which is but the last number of so many digits. */
    private final boolean isOpen;

    private final int to;
    private final Map<String, Integer> nodes = new HashMap<>();

    /** Bounds of numbers; whether the bounds themselves are left out. */
    record Bounds(BigDecimal low, boolean lowOut, BigDecimal high, boolean highOut) {
        static final Bounds NONE = new Bounds(LIMIT.negate(), false, LIMIT, false);

        boolean isEmpty() {
            int order = low.compareTo(high);
            return order > 0 || order == 0 && (lowOut || highOut);
        }

        Bounds and(Bounds other) {
            int byLow = low.compareTo(other.low);
            int byHigh = high.compareTo(other.high);
            return new Bounds(
                    low.max(other.low),
                    byLow == 0 ? lowOut || other.lowOut : byLow > 0 ? lowOut : other.lowOut,
                    high.min(other.high),
                    byHigh == 0 ? highOut || other.highOut : byHigh < 0 ? highOut : other.highOut);
        }

        /** Returns the bounds of the negated numbers. */
        private Bounds negated() {
            return new Bounds(high.negate(), highOut, low.negate(), lowOut);
        }

        /** Returns whole bounds that are in. */
        private Bounds whole() {
            BigDecimal first = low.setScale(0, RoundingMode.CEILING);
            BigDecimal last = high.setScale(0, RoundingMode.FLOOR);
            return new Bounds(
                    lowOut && first.compareTo(low) == 0 ? first.add(BigDecimal.ONE) : first,
                    false,
                    highOut && last.compareTo(high) == 0 ? last.subtract(BigDecimal.ONE) : last,
                    false);
        }
    }

    private NumberPiece(AutomatonBuilder builder, Bounds bounds, int digits, boolean isWhole, int to) {
        this.builder = builder;
        this.isWhole = isWhole;
        this.digits = digits;
        this.to = to;
        BigDecimal least = BigDecimal.TEN.pow(digits - 1);
        int scale = Math.max(0, Math.max(bounds.low().scale(), bounds.high().scale()));
        BigDecimal end = BigDecimal.TEN.pow(digits);
        boolean isCut = bounds.high().compareTo(end) >= 0;
        boolean isRaised = digits > 1 && bounds.low().compareTo(least) < 0;
        BigDecimal last = isCut ? end.subtract(BigDecimal.ONE.movePointLeft(scale)) : bounds.high();
        low = text(isRaised ? least : bounds.low(), scale);
        high = text(last, scale);
        lowOut = bounds.lowOut() && !isRaised;
        highOut = bounds.highOut() && !isCut;
        isOpen = isCut;
    }

    /** Returns the digits without the point. */
    private String text(BigDecimal number, int scale) {
        BigInteger scaled = number.setScale(scale, RoundingMode.UNNECESSARY).unscaledValue();
        String text = scaled.toString();
        return "0".repeat(Math.max(0, digits + scale - text.length())) + text;
    }

    /** Adds a digit. */
    static AutomatonBuilder.Piece digits(AutomatonBuilder builder) {
        return (from, to) -> builder.character(from, CodePoints.of('0', '9'), to);
    }

    /** Adds a whole number of up to 18 digits. */
    static void wholeNumber(AutomatonBuilder builder, int from, int to) {
        int sign = builder.node();
        builder.epsilon(from, sign);
        builder.literal(from, "-", sign);
        builder.literal(sign, "0", to);
        int first = builder.node();
        builder.character(sign, CodePoints.of('1', '9'), first);
        builder.repeat(first, digits(builder), 0, MOST_DIGITS - 1, to);
    }

    static void add(AutomatonBuilder builder, int from, Bounds asked, boolean isWhole, int to) {
        Bounds limited = asked.and(Bounds.NONE);
        Bounds bounds = isWhole ? limited.whole() : limited;
        positive(builder, from, bounds.and(new Bounds(BigDecimal.ZERO, false, LIMIT, false)), isWhole, to);
        int negative = builder.node();
        builder.literal(from, "-", negative);
        Bounds below = isWhole
                ? new Bounds(BigDecimal.ONE, false, LIMIT, false)
                : new Bounds(BigDecimal.ZERO, true, LIMIT, false);
        positive(builder, negative, bounds.negated().and(below), isWhole, to);
    }

    private static void positive(AutomatonBuilder builder, int from, Bounds bounds, boolean isWhole, int to) {
        if (bounds.isEmpty()) {
            return;
        }
        int most = digitsOf(bounds.high());
        for (int digits = digitsOf(bounds.low()); digits <= most; digits++) {
            var piece = new NumberPiece(builder, bounds, digits, isWhole, to);
            builder.epsilon(from, piece.node(0, true, true));
        }
    }

    private static int digitsOf(BigDecimal number) {
        return number.toBigInteger().toString().length();
    }

    /** Returns the node behind so many digits. */
    private int node(int at, boolean isLow, boolean isHigh) {
        String key = at + (isLow ? "l" : "") + (isHigh ? "h" : "");
        Integer known = nodes.get(key);
        if (known != null) {
            return known;
        }
        int node = builder.node();
        nodes.put(key, node);
        int decimals = at - digits;
        boolean isEnd = at >= digits && !(isLow && isBelow(at)) && !(isHigh && isAbove(at));
        if (isEnd) {
            builder.epsilon(node, to);
        }
        if (isWhole && decimals >= 0) {
            return node;
        }
        int from = node;
        if (decimals == 0) {
            from = builder.node();
            builder.literal(node, ".", from);
        }
        if (at < low.length()) {
            int first = isLow ? low.charAt(at) - '0' : 0;
            int last = isHigh ? high.charAt(at) - '0' : 9;
            for (int digit = first; digit <= last; digit++) {
                int next = node(at + 1, isLow && digit == first, isHigh && digit == last);
                builder.literal(from, Character.toString('0' + digit), next);
            }
        } else if (!isHigh || isOpen) {
            int rest = Math.max(1, MOST_DECIMALS - decimals);
            int tail = isLow && lowOut ? nonZero(from, rest) : from;
            builder.repeat(tail, digits(builder), decimals == 0 && tail == from ? 1 : 0, rest, to);
        }
        return node;
    }

    /** Adds zeros and another digit, behind which the number is above a bound that is out. */
    private int nonZero(int from, int most) {
        int zeros = builder.node();
        int behind = builder.node();
        builder.repeat(from, (at, next) -> builder.literal(at, "0", next), 0, most, zeros);
        builder.character(zeros, CodePoints.of('1', '9'), behind);
        return behind;
    }

    /** Whether a number that ends here, and is the beginning of the lower bound so far, is too small. */
    private boolean isBelow(int at) {
        boolean isEqual = low.substring(at).chars().allMatch(c -> c == '0');
        return isEqual ? lowOut : true;
    }

    /** Whether a number that ends here, and is the beginning of the upper bound so far, is too large. */
    private boolean isAbove(int at) {
        return highOut && high.substring(at).chars().allMatch(c -> c == '0');
    }
}
