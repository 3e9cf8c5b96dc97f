package dev.millrace.bench.nets;

import dev.millrace.bench.kernels.ReferenceModel;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inputs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A model that adds 8 floats to 8 floats: next to nothing to compute. */
public final class SmallSum {
    public static final int LENGTH = 8;

    private SmallSum() {}

    /** The model as a file in {@code folder}. */
    public static Path in(Path folder) throws IOException {
        var sum = new ReferenceModel();
        Tensor zeros = Tensor.copyOf(new float[LENGTH], LENGTH);
        sum.output("y", sum.node("Add", sum.input("a", zeros), sum.input("b", zeros)));
        return Files.write(folder.resolve("add.onnx"), sum.bytes());
    }

    public static Inputs inputs() {
        return Inputs.of("a", 1, 2, 3, 4, 5, 6, 7, 8f).and("b", Tensor.copyOf(new float[LENGTH], LENGTH));
    }
}
