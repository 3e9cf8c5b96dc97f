package dev.millrace.kernels.attention;

import dev.millrace.kernels.call.CallChecks;
import java.lang.foreign.MemorySegment;

/**
 * The mask of an attention: numbers that are added to the scores, or the choice of the keys that take part. Strides
 * count elements and are 0 along dimensions that share the mask; the elements for the keys of a query are contiguous.
 */
public record AttentionMask(Kind kind, MemorySegment data, long batchStride, long headStride, long queryStride) {
    /** The type of the elements of a mask. */
    public enum Kind {
        NONE(0),
        /** Floats, added to the scores. */
        ADDED(4),
        /** Bytes; a key whose byte is 0 takes no part. */
        CHOSEN(1);

        private final int bytes;

        Kind(int bytes) {
            this.bytes = bytes;
        }

        int bytes() {
            return bytes;
        }
    }

    /** No mask. */
    public static final AttentionMask NONE = new AttentionMask(Kind.NONE, MemorySegment.NULL, 0, 0, 0);

    void check(AttentionShape shape) {
        if (batchStride < 0 || headStride < 0 || queryStride < 0) {
            throw new IllegalArgumentException("the mask has a negative stride");
        }
        if (kind == Kind.NONE || shape.batch() == 0 || shape.queries() == 0) {
            return;
        }
        long last = Math.addExact(
                Math.multiplyExact(shape.batch() - 1L, batchStride),
                Math.multiplyExact(shape.heads() - 1L, headStride));
        last = Math.addExact(last, Math.multiplyExact(shape.queries() - 1L, queryStride) + shape.keys());
        CallChecks.bytes("the mask", data, Math.multiplyExact(last, kind.bytes));
    }

    long offset(long batch, long head, long query, long key) {
        return kind.bytes * (batch * batchStride + head * headStride + query * queryStride + key);
    }
}
