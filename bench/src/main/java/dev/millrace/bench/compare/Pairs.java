package dev.millrace.bench.compare;

import java.util.ArrayList;
import java.util.List;

/** Figures of one side and the other, taken in turns. */
public final class Pairs {
    private final List<Double> one = new ArrayList<>();
    private final List<Double> other = new ArrayList<>();
    private final List<Double> ratios = new ArrayList<>();

    public void add(double ofOne, double ofOther) {
        one.add(ofOne);
        other.add(ofOther);
        ratios.add(ofOther / ofOne);
    }

    public int count() {
        return one.size();
    }

    /** The median of the one side's figures. */
    public double one() {
        return Numbers.median(one);
    }

    /** The median of the other side's figures. */
    public double other() {
        return Numbers.median(other);
    }

    /** The median of the ratios of neighbours, the other side's figure divided by the one's. */
    public double ratio() {
        return Numbers.median(ratios);
    }
}
