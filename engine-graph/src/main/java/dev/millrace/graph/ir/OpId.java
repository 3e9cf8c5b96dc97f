package dev.millrace.graph.ir;

import org.jspecify.annotations.Nullable;

/** An operator's domain and name. ONNX's own domain is the empty string; {@code ai.onnx} is the same. */
public record OpId(String domain, String name) {
    public static final String ONNX = "";
    public static final String ONNX_ML = "ai.onnx.ml";
    public static final String ONNX_PREVIEW = "ai.onnx.preview";
    public static final String ONNX_TRAINING = "ai.onnx.preview.training";
    public static final String MICROSOFT = "com.microsoft";
    /** The domain of the engine's own operators, which its optimiser makes where no standard operator fits. */
    public static final String MILLRACE = "dev.millrace";

    /** The operator that clips at zero. */
    public static final OpId RELU = onnx("Relu");

    public OpId {
        domain = domain.equals("ai.onnx") ? ONNX : domain;
    }

    public static OpId onnx(String name) {
        return new OpId(ONNX, name);
    }

    public boolean isOnnx(String other) {
        return domain.isEmpty() && name.equals(other);
    }

    /**
     * Compares the names first. It is written out because operators are compared so often that a record's generated
     * method is measurably slower before the JVM has compiled it.
     */
    @Override
    public boolean equals(@Nullable Object other) {
        return other == this || other instanceof OpId same && name.equals(same.name) && domain.equals(same.domain);
    }

    @Override
    public int hashCode() {
        return 31 * name.hashCode() + domain.hashCode();
    }

    @Override
    public String toString() {
        return domain.isEmpty() ? name : domain + "." + name;
    }
}
