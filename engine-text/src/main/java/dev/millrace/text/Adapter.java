package dev.millrace.text;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.text.adapter.AdapterFile;
import java.nio.file.Path;
import java.util.Map;

/**
 * A low-rank adapter (LoRA): tensors that take the place of inputs which a model has for them.
 *
 * @param tensors the tensors by the names of inputs
 */
public record Adapter(Map<String, Tensor> tensors) {
    public Adapter {
        tensors = Map.copyOf(ApiBoundary.requireArgument(tensors, "tensors"));
    }

    /**
     * Reads an adapter.
     *
     * @param file an {@code .onnx_adapter} file of ONNX Runtime, or a {@code .safetensors} file whose tensors have the names of
     *     the model's inputs
     */
    public static Adapter read(Path file) {
        ApiBoundary.requireArgument(file, "file");
        return ApiBoundary.guarded("adapter " + file, () -> new Adapter(AdapterFile.read(file)));
    }
}
