package dev.millrace.providers.cpu.reduce;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.op.OpName;
import java.util.function.DoubleUnaryOperator;
import java.util.function.LongUnaryOperator;

/** A reduction as three steps: map each element, fold, finish. */
enum ReductionSteps {
    SUM(Fold.SUM, Map.SAME),
    MEAN(Fold.SUM, Map.SAME),
    MAX(Fold.MAX, Map.SAME),
    MIN(Fold.MIN, Map.SAME),
    PROD(Fold.PRODUCT, Map.SAME),
    SUM_SQUARE(Fold.SUM, Map.SQUARE),
    L1(Fold.SUM, Map.SIZE),
    L2(Fold.SUM, Map.SQUARE),
    LOG_SUM(Fold.SUM, Map.SAME),
    LOG_SUM_EXP(Fold.SUM, Map.SAME);

    enum Map {
        SAME,
        SIZE,
        SQUARE
    }

    enum Fold {
        SUM(0, 0),
        PRODUCT(1, 1),
        MAX(Double.NEGATIVE_INFINITY, Long.MIN_VALUE),
        MIN(Double.POSITIVE_INFINITY, Long.MAX_VALUE);

        final double identity;
        final long longIdentity;

        Fold(double identity, long longIdentity) {
            this.identity = identity;
            this.longIdentity = longIdentity;
        }
    }

    final Fold fold;
    final Map map;

    ReductionSteps(Fold fold, Map map) {
        this.fold = fold;
        this.map = map;
    }

    static ReductionSteps named(String operator) {
        return switch (operator) {
            case OpName.REDUCE_SUM -> SUM;
            case OpName.REDUCE_MEAN -> MEAN;
            case OpName.REDUCE_MAX -> MAX;
            case "ReduceMin" -> MIN;
            case "ReduceProd" -> PROD;
            case "ReduceSumSquare" -> SUM_SQUARE;
            case "ReduceL1" -> L1;
            case "ReduceL2" -> L2;
            case "ReduceLogSum" -> LOG_SUM;
            case "ReduceLogSumExp" -> LOG_SUM_EXP;
            default -> throw EngineException.notImplemented(operator);
        };
    }

    /** Returns the function that finishes the folded value of {@code count} elements. */
    DoubleUnaryOperator finish(long count) {
        return switch (this) {
            case MEAN -> x -> x / count;
            case L2 -> Math::sqrt;
            case LOG_SUM, LOG_SUM_EXP -> Math::log;
            default -> x -> x;
        };
    }

    LongUnaryOperator finishLong(long count) {
        return switch (this) {
            case MEAN -> x -> count == 0 ? 0 : x / count;
            case L2 -> x -> (long) Math.sqrt((double) x);
            case LOG_SUM -> x -> (long) Math.log((double) x);
            default -> x -> x;
        };
    }

    void map(double[] run, int count) {
        switch (map) {
            case SIZE -> {
                for (int i = 0; i < count; i++) {
                    run[i] = Math.abs(run[i]);
                }
            }
            case SQUARE -> {
                for (int i = 0; i < count; i++) {
                    run[i] *= run[i];
                }
            }
            default -> {}
        }
    }

    void map(long[] run, int count) {
        switch (map) {
            case SIZE -> {
                for (int i = 0; i < count; i++) {
                    run[i] = Math.abs(run[i]);
                }
            }
            case SQUARE -> {
                for (int i = 0; i < count; i++) {
                    run[i] *= run[i];
                }
            }
            default -> {}
        }
    }

    static double foldRun(Fold fold, double start, double[] run, int count) {
        double value = start;
        switch (fold) {
            case SUM -> value += sum(run, count);
            case PRODUCT -> {
                for (int i = 0; i < count; i++) {
                    value *= run[i];
                }
            }
            case MAX -> {
                for (int i = 0; i < count; i++) {
                    value = Math.max(value, run[i]);
                }
            }
            case MIN -> {
                for (int i = 0; i < count; i++) {
                    value = Math.min(value, run[i]);
                }
            }
        }
        return value;
    }

    /** Sums numbers in four accumulators, so that additions do not wait for each other. */
    static double sum(double[] run, int count) {
        double a = 0;
        double b = 0;
        double c = 0;
        double d = 0;
        int i = 0;
        for (; i + 4 <= count; i += 4) {
            a += run[i];
            b += run[i + 1];
            c += run[i + 2];
            d += run[i + 3];
        }
        for (; i < count; i++) {
            a += run[i];
        }
        return (a + b) + (c + d);
    }

    static void foldRow(Fold fold, double[] row, double[] run, int count) {
        switch (fold) {
            case SUM -> {
                for (int i = 0; i < count; i++) {
                    row[i] += run[i];
                }
            }
            case PRODUCT -> {
                for (int i = 0; i < count; i++) {
                    row[i] *= run[i];
                }
            }
            case MAX -> {
                for (int i = 0; i < count; i++) {
                    row[i] = Math.max(row[i], run[i]);
                }
            }
            case MIN -> {
                for (int i = 0; i < count; i++) {
                    row[i] = Math.min(row[i], run[i]);
                }
            }
        }
    }

    static long foldRun(Fold fold, long start, long[] run, int count) {
        long value = start;
        switch (fold) {
            case SUM -> {
                for (int i = 0; i < count; i++) {
                    value += run[i];
                }
            }
            case PRODUCT -> {
                for (int i = 0; i < count; i++) {
                    value *= run[i];
                }
            }
            case MAX -> {
                for (int i = 0; i < count; i++) {
                    value = Math.max(value, run[i]);
                }
            }
            case MIN -> {
                for (int i = 0; i < count; i++) {
                    value = Math.min(value, run[i]);
                }
            }
        }
        return value;
    }

    static void foldRow(Fold fold, long[] row, long[] run, int count) {
        switch (fold) {
            case SUM -> {
                for (int i = 0; i < count; i++) {
                    row[i] += run[i];
                }
            }
            case PRODUCT -> {
                for (int i = 0; i < count; i++) {
                    row[i] *= run[i];
                }
            }
            case MAX -> {
                for (int i = 0; i < count; i++) {
                    row[i] = Math.max(row[i], run[i]);
                }
            }
            case MIN -> {
                for (int i = 0; i < count; i++) {
                    row[i] = Math.min(row[i], run[i]);
                }
            }
        }
    }
}
