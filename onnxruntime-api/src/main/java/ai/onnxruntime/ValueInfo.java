package ai.onnxruntime;

/** A description of a value: {@link TensorInfo}, {@link SequenceInfo} or {@link MapInfo}. */
public interface ValueInfo {}
