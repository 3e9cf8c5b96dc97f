package ai.onnxruntime.providers;

import ai.onnxruntime.OrtFlags;

/** Flags of ONNX Runtime's provider for NNAPI. */
public enum NNAPIFlags implements OrtFlags {
    USE_FP16(1),
    USE_NCHW(2),
    CPU_DISABLED(4),
    CPU_ONLY(8);

    public final int value;

    NNAPIFlags(int value) {
        this.value = value;
    }

    @Override
    public int getValue() {
        return value;
    }
}
