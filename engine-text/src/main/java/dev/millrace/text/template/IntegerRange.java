package dev.millrace.text.template;

import java.util.AbstractList;
import org.jspecify.annotations.Nullable;

/** An arithmetic progression, whose elements are not kept. */
final class IntegerRange extends AbstractList<@Nullable Object> {
    private static final long MOST = 100_000;

    private final long from;
    private final long to;
    private final long by;
    private final int size;

    IntegerRange(long from, long to, long by) {
        if (by == 0) {
            throw new Failure("the step of a range is 0");
        }
        this.from = from;
        this.to = to;
        this.by = by;
        double count = Math.ceil(((double) to - from) / by);
        if (count > MOST) {
            throw new Failure("a range has more than " + MOST + " elements");
        }
        this.size = (int) Math.max(0, count);
    }

    @Override
    public Object get(int index) {
        return from + index * by;
    }

    @Override
    public int size() {
        return size;
    }

    /** The call that makes the range, as Python prints it. */
    String described() {
        return "range(" + from + ", " + to + (by == 1 ? ")" : ", " + by + ")");
    }
}
