package dev.millrace.providers.cpu.image.jpeg2000;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A block of coefficients: how many planes it has, and its passes in segments, which grow layer after layer. */
final class CodeBlock {
    private static final int UNTIL_BYPASS = 10;
    private static final int ALL_PASSES = 164;

    final Area area;
    final List<Segment> segments = new ArrayList<>();
    int planes;
    int lengthBits = 3;
    private final CodingStyle style;
    private byte[] data = {};
    private int length;

    /** Passes whose bytes belong together. */
    static final class Segment {
        final int most;
        int passes;
        int bytes;
        /** How many bytes the packet that is being read adds. */
        int added;

        Segment(int most) {
            this.most = most;
        }
    }

    CodeBlock(Area area, CodingStyle style) {
        this.area = area;
        this.style = style;
    }

    boolean isIncluded() {
        return !segments.isEmpty();
    }

    /** The segment that the next pass belongs to. */
    Segment open() {
        if (segments.isEmpty() || segments.getLast().passes == segments.getLast().most) {
            segments.add(new Segment(most()));
        }
        return segments.getLast();
    }

    private int most() {
        if (style.has(CodingStyle.TERMINATE)) {
            return 1;
        }
        if (!style.has(CodingStyle.BYPASS)) {
            return ALL_PASSES;
        }
        return segments.isEmpty() ? UNTIL_BYPASS : segments.getLast().most == 2 ? 1 : 2;
    }

    void append(byte[] file, int at, int count) {
        if (length + count > data.length) {
            data = Arrays.copyOf(data, Math.max(length + count, 2 * data.length));
        }
        System.arraycopy(file, at, data, length, count);
        length += count;
    }

    byte[] data() {
        return data;
    }
}
