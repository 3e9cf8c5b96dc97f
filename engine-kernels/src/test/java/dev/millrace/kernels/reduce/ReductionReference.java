package dev.millrace.kernels.reduce;

import dev.millrace.kernels.cast.NumberType;
import java.util.Arrays;

/** Reductions in double, one number after the other, with a bound for the error of a float. */
final class ReductionReference {
    /** The magnitude above which a result in half precision may have become infinite. */
    private static final double MOST_OF_F16 = 65_000;

    private final ReduceOp op;
    private final NumberType type;
    private final double[] sums;
    private final double[] magnitudes;
    private final long[] ints;
    private final int[] counts;

    ReductionReference(ReduceOp op, NumberType type, int results) {
        this.op = op;
        this.type = type;
        sums = new double[results];
        magnitudes = new double[results];
        ints = new long[results];
        counts = new int[results];
        Arrays.fill(
                sums,
                switch (op) {
                    case PROD -> 1;
                    case MAX -> Double.NEGATIVE_INFINITY;
                    case MIN -> Double.POSITIVE_INFINITY;
                    default -> 0;
                });
        Arrays.fill(
                ints,
                switch (op) {
                    case PROD -> 1;
                    case MAX -> least(type);
                    case MIN -> -1 - least(type);
                    default -> 0;
                });
    }

    private static long least(NumberType type) {
        return type == NumberType.S32 ? Integer.MIN_VALUE : Long.MIN_VALUE;
    }

    void add(int result, double x) {
        sums[result] = switch (op) {
            case SUM, MEAN, LOG_SUM -> sums[result] + x;
            case SUM_SQUARE, L2 -> sums[result] + x * x;
            case L1 -> sums[result] + Math.abs(x);
            case LOG_SUM_EXP -> sums[result] + Math.exp(x);
            case PROD -> sums[result] * x;
            case MAX -> Math.max(sums[result], x);
            case MIN -> Math.min(sums[result], x);
        };
        ints[result] = switch (op) {
            case PROD -> ints[result] * (long) x;
            case MAX -> Math.max(ints[result], (long) x);
            case MIN -> Math.min(ints[result], (long) x);
            default -> ints[result] + (long) x;
        };
        magnitudes[result] += Math.abs(x);
        counts[result]++;
    }

    double result(int result) {
        if (!type.isFloat()) {
            long wrapped = type == NumberType.S32 ? (int) ints[result] : ints[result];
            return op != ReduceOp.MEAN ? wrapped : counts[result] == 0 ? 0 : wrapped / counts[result];
        }
        return switch (op) {
            case MEAN -> sums[result] / counts[result];
            case L2 -> Math.sqrt(sums[result]);
            case LOG_SUM, LOG_SUM_EXP -> Math.log(sums[result]);
            default -> sums[result];
        };
    }

    /** The error of a few dozen roundings relative to the sum of magnitudes, and that of rounding the result itself. */
    double bound(int result) {
        double added = switch (op) {
            case SUM -> magnitudes[result];
            case MEAN -> magnitudes[result] / counts[result];
            case LOG_SUM, LOG_SUM_EXP -> 1;
            default -> Math.abs(result(result));
        };
        double own = Math.abs(result(result));
        if (type == NumberType.F16 && own > MOST_OF_F16) {
            return Double.POSITIVE_INFINITY;
        }
        double lost = type == NumberType.F16 ? 0x1p-11 * own + 0x1p-24 : type == NumberType.BF16 ? 0x1p-8 * own : 0;
        int roundings = op == ReduceOp.PROD ? counts[result] : 40;
        double unit = type == NumberType.F64 ? 0x1p-48 : 0x1p-24;
        return roundings * unit * (added + own) + lost;
    }
}
