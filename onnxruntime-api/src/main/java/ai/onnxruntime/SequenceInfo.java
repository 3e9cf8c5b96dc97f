package ai.onnxruntime;

import org.jspecify.annotations.Nullable;

/** A description of a sequence. */
public class SequenceInfo implements ValueInfo {
    /** The number for a length that is not known. */
    static final int UNKNOWN_LENGTH = -1;

    public final boolean sequenceOfMaps;

    /** The type of the elements of the tensors; {@code UNKNOWN} for a sequence of maps. */
    public final OnnxJavaType sequenceType;

    /** The description of the maps; null for a sequence of tensors. */
    public final @Nullable MapInfo mapInfo;

    /** The number of values; -1 if it is not known. */
    public final int length;

    SequenceInfo(int length, OnnxJavaType sequenceType) {
        this.length = length;
        this.sequenceType = sequenceType;
        this.sequenceOfMaps = false;
        this.mapInfo = null;
    }

    SequenceInfo(int length, MapInfo mapInfo) {
        this.length = length;
        this.sequenceType = OnnxJavaType.UNKNOWN;
        this.sequenceOfMaps = true;
        this.mapInfo = mapInfo;
    }

    public boolean isSequenceOfMaps() {
        return sequenceOfMaps;
    }

    static String count(int number) {
        return number == UNKNOWN_LENGTH ? "UNKNOWN" : Integer.toString(number);
    }

    @Override
    public String toString() {
        return "SequenceInfo(length=" + count(length) + ",type=" + (sequenceOfMaps ? mapInfo : sequenceType) + ")";
    }
}
