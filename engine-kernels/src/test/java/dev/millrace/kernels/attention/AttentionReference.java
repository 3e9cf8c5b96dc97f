package dev.millrace.kernels.attention;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/** Attention in double, as it is defined. */
final class AttentionReference {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

    private final AttentionCall call;
    private final ScoreRule rule;
    private final FinishRows.Empty empty;

    AttentionReference(AttentionCall call, ScoreRule rule, FinishRows.Empty empty) {
        this.call = call;
        this.rule = rule;
        this.empty = empty;
    }

    /** The element of the output at a place. */
    double[] row(int batch, int head, int query) {
        AttentionShape shape = call.shape();
        int keyHead = head / shape.group();
        int seen = call.visible().seenUpTo(shape, batch, query);
        double[] scores = new double[seen];
        double most = Double.NEGATIVE_INFINITY;
        for (int key = 0; key < seen; key++) {
            scores[key] = score(batch, head, keyHead, query, key);
            most = Math.max(most, scores[key]);
        }
        double[] row = new double[shape.valueDepth()];
        double sink =
                call.sinks() == null ? Double.NEGATIVE_INFINITY : call.sinks().getAtIndex(FLOAT, head);
        most = Math.max(most, sink);
        if (most == Double.NEGATIVE_INFINITY) {
            Arrays.fill(row, empty == FinishRows.Empty.ZEROS ? 0 : Double.NaN);
            return row;
        }
        double sum = Math.exp(sink - most);
        for (int key = 0; key < seen; key++) {
            double weight = Math.exp(scores[key] - most);
            sum += weight;
            for (int i = 0; i < row.length; i++) {
                row[i] += weight * at(call.values(), batch, keyHead, key, i);
            }
        }
        for (int i = 0; i < row.length; i++) {
            row[i] /= sum;
        }
        return row;
    }

    private double score(int batch, int head, int keyHead, int query, int key) {
        double score = 0;
        for (int i = 0; i < call.shape().depth(); i++) {
            score += (double) at(call.queries(), batch, head, query, i) * at(call.keys(), batch, keyHead, key, i);
        }
        score *= call.scale();
        if (rule.cap() == ScoreRule.Cap.BEFORE_MASK) {
            score = call.cap() * Math.tanh(score / call.cap());
        }
        long masked = call.mask().offset(batch, head, query, key);
        MemorySegment mask = call.mask().data();
        switch (rule.mask()) {
            case ADDED -> score += mask.get(FLOAT, masked);
            case CHOSEN -> score = mask.get(ValueLayout.JAVA_BYTE, masked) == 0 ? Double.NEGATIVE_INFINITY : score;
            case NONE -> {}
        }
        MemorySegment slopes = call.slopes();
        if (slopes != null) {
            int place = query + call.visible().offset(call.shape(), batch);
            score += (double) slopes.getAtIndex(FLOAT, head) * (key - place);
        }
        return rule.cap() == ScoreRule.Cap.AFTER_MASK ? call.cap() * Math.tanh(score / call.cap()) : score;
    }

    static float at(KeyRows rows, int batch, int head, int row, int column) {
        return switch (rows) {
            case HeadRows floats -> floats.data().get(FLOAT, floats.offset(batch, head, row) + 4L * column);
            case StoredRows stored -> at(stored, stored.offset(batch, head, row), head, column);
        };
    }

    private static float at(StoredRows rows, long row, int head, int column) {
        MemorySegment data = rows.data();
        float number = switch (rows.type()) {
            case F16 -> Float.float16ToFloat(data.get(ValueLayout.JAVA_SHORT_UNALIGNED, row + 2L * column));
            case BF16 -> Float.intBitsToFloat(data.get(ValueLayout.JAVA_SHORT_UNALIGNED, row + 2L * column) << 16);
            case S8 -> data.get(ValueLayout.JAVA_BYTE, row + column);
            case U4 -> (data.get(ValueLayout.JAVA_BYTE, row + column / 2) >> column % 2 * 4 & 15) - 8;
        };
        StoredRows.Scales scales = rows.scales();
        return scales == null
                ? number
                : number * scales.floats().getAtIndex(FLOAT, head * scales.headStride() + column);
    }
}
