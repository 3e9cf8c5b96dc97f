package dev.millrace.cli.quantize;

import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Tensor;
import java.util.Locale;

/** The differences of an output of two models, over all samples. */
public final class OutputError {
    /** The shortest last axis that is taken for scores of classes or tokens whatever the output's name. */
    private static final long MANY_CLASSES = 1000;

    private static final int CHUNK = 1 << 16;

    private final String name;
    private double largest;
    private double squaredDifference;
    private double squaredExpected;
    private double squaredActual;
    private double product;
    private long rows;
    private long equalRows;

    OutputError(String name) {
        this.name = name;
    }

    void add(Tensor expected, Tensor actual) {
        if (!expected.shape().equals(actual.shape())) {
            largest = Double.POSITIVE_INFINITY;
            squaredDifference = Double.POSITIVE_INFINITY;
            return;
        }
        boolean isRanked = hasScores(expected);
        long length = isRanked ? expected.shape().dimAt(-1) : expected.elements();
        for (long from = 0; from < expected.elements(); from += length) {
            addRow(expected, actual, from, length, isRanked);
        }
    }

    private boolean hasScores(Tensor tensor) {
        if (!tensor.type().isFloating()
                || tensor.shape().rank() < 2
                || tensor.shape().dimAt(-1) < 2) {
            return false;
        }
        String text = name.toLowerCase(Locale.ROOT);
        return text.contains("logit") || text.contains("prob") || tensor.shape().dimAt(-1) >= MANY_CLASSES;
    }

    private void addRow(Tensor expected, Tensor actual, long from, long length, boolean isRanked) {
        double[] a = new double[(int) Math.min(CHUNK, length)];
        double[] b = new double[a.length];
        var first = new Largest();
        var second = new Largest();
        for (long at = 0; at < length; at += CHUNK) {
            int count = (int) Math.min(CHUNK, length - at);
            Elements.read(expected.type(), expected.segment(), from + at, a, 0, count);
            Elements.read(actual.type(), actual.segment(), from + at, b, 0, count);
            for (int i = 0; i < count; i++) {
                addPair(a[i], b[i]);
                first.see(a[i], at + i);
                second.see(b[i], at + i);
            }
        }
        if (isRanked) {
            rows++;
            equalRows += first.place == second.place ? 1 : 0;
        }
    }

    private void addPair(double expected, double actual) {
        if (expected == actual || Double.isNaN(expected) && Double.isNaN(actual)) {
            if (Double.isFinite(expected)) {
                squaredExpected += expected * expected;
                squaredActual += actual * actual;
                product += expected * actual;
            }
            return;
        }
        double difference = Math.abs(expected - actual);
        if (!Double.isFinite(difference)) {
            difference = Double.POSITIVE_INFINITY;
        }
        largest = Math.max(largest, difference);
        squaredDifference += difference * difference;
        squaredExpected += expected * expected;
        squaredActual += actual * actual;
        product += expected * actual;
    }

    /** The place of the first largest number of a row. */
    private static final class Largest {
        private double value = Double.NEGATIVE_INFINITY;
        private long place = -1;

        void see(double number, long at) {
            if (number > value) {
                value = number;
                place = at;
            }
        }
    }

    public String name() {
        return name;
    }

    /** The largest absolute difference. */
    public double largest() {
        return largest;
    }

    /** The root mean square of the differences, relative to that of the expected numbers. */
    public double relative() {
        return squaredDifference == 0 ? 0 : Math.sqrt(squaredDifference / squaredExpected);
    }

    /** The cosine of the angle between the results; 1 where both are zero. */
    public double cosine() {
        double lengths = Math.sqrt(squaredExpected * squaredActual);
        return lengths == 0 && squaredExpected == squaredActual ? 1 : product / lengths;
    }

    /** The rows whose largest element was compared, which are none unless the last axis holds scores. */
    public long rows() {
        return rows;
    }

    /** The rows whose largest element is in the same place. */
    public long equalRows() {
        return equalRows;
    }
}
