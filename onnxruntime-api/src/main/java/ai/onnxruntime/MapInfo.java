package ai.onnxruntime;

/** A description of a map. */
public class MapInfo implements ValueInfo {
    /** The number of entries; -1 if it is not known. */
    public final int size;

    public final OnnxJavaType keyType;
    public final OnnxJavaType valueType;

    MapInfo(int size, OnnxJavaType keyType, OnnxJavaType valueType) {
        this.size = size;
        this.keyType = keyType;
        this.valueType = valueType;
    }

    @Override
    public String toString() {
        return "MapInfo(size=" + SequenceInfo.count(size) + ",keyType=" + keyType + ",valueType=" + valueType + ")";
    }
}
