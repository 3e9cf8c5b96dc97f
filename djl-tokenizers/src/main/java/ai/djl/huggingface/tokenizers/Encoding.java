package ai.djl.huggingface.tokenizers;

import ai.djl.huggingface.tokenizers.jni.CharSpan;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import java.util.Arrays;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A text as tokens, with padding. The arrays are the encoding's own, not copies. */
public class Encoding {
    private final long[] ids;
    private final long[] typeIds;
    private final String[] tokens;
    private final long[] wordIds;
    private final long[] sequenceIds;
    private final long[] attentionMask;
    private final long[] specialTokenMask;
    private final @Nullable CharSpan[] charSpans;
    private final boolean exceedMaxLength;
    private final Encoding[] overflowing;

    protected Encoding(
            long[] ids,
            long[] typeIds,
            String[] tokens,
            long[] wordIds,
            long[] sequenceIds,
            long[] attentionMask,
            long[] specialTokenMask,
            @Nullable CharSpan[] charSpans,
            boolean exceedMaxLength,
            Encoding[] overflowing) {
        this.ids = ids;
        this.typeIds = typeIds;
        this.tokens = tokens;
        this.wordIds = wordIds;
        this.sequenceIds = sequenceIds;
        this.attentionMask = attentionMask;
        this.specialTokenMask = specialTokenMask;
        this.charSpans = charSpans;
        this.exceedMaxLength = exceedMaxLength;
        this.overflowing = overflowing;
    }

    /** Returns arrays of a batch: ids, masks and, if asked for, types, {@code [texts, tokens]}. */
    public static NDList toNDList(Encoding[] encodings, NDManager manager, boolean withTokenType, boolean int32) {
        var list = new NDList();
        list.add(array(encodings, manager, Encoding::getIds, int32));
        list.add(array(encodings, manager, Encoding::getAttentionMask, int32));
        if (withTokenType) {
            list.add(array(encodings, manager, Encoding::getTypeIds, int32));
        }
        return list;
    }

    private static NDArray array(
            Encoding[] encodings, NDManager manager, Function<Encoding, long[]> what, boolean int32) {
        long[][] rows = Arrays.stream(encodings).map(what).toArray(long[][]::new);
        return int32
                ? manager.create(Arrays.stream(rows).map(Encoding::narrowed).toArray(int[][]::new))
                : manager.create(rows);
    }

    private static int[] narrowed(long[] values) {
        return Arrays.stream(values).mapToInt(value -> (int) value).toArray();
    }

    /** Returns arrays of this text: ids, mask and, if asked for, types. */
    public NDList toNDList(NDManager manager, boolean withTokenType, boolean int32) {
        var list = new NDList();
        list.add(array(manager, ids, int32));
        list.add(array(manager, attentionMask, int32));
        if (withTokenType) {
            list.add(array(manager, typeIds, int32));
        }
        return list;
    }

    private static NDArray array(NDManager manager, long[] values, boolean int32) {
        return int32 ? manager.create(narrowed(values)) : manager.create(values);
    }

    public long[] getIds() {
        return ids;
    }

    public long[] getTypeIds() {
        return typeIds;
    }

    public String[] getTokens() {
        return tokens;
    }

    /** The index of each token's word in its text; -1 for special tokens and padding. */
    public long[] getWordIds() {
        return wordIds;
    }

    /** The index of each token's text, 0 or 1; -1 for special tokens and padding. */
    public long[] getSequenceIds() {
        return sequenceIds;
    }

    /** The mask with 0 for padding. */
    public long[] getAttentionMask() {
        return attentionMask;
    }

    /** The mask with 1 for special tokens and padding. */
    public long[] getSpecialTokenMask() {
        return specialTokenMask;
    }

    /** The place of each token in its text; null for special tokens and padding. */
    public @Nullable CharSpan[] getCharTokenSpans() {
        return charSpans;
    }

    /** Whether the text was cut. */
    public boolean exceedMaxLength() {
        return exceedMaxLength;
    }

    /** The rest of a text that was cut, in encodings of the same length; empty unless they were asked for. */
    public Encoding[] getOverflowing() {
        return overflowing;
    }
}
