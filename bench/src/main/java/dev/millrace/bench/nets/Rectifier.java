package dev.millrace.bench.nets;

import dev.millrace.bench.kernels.ReferenceModel;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A model that sets the negative ones of so many floats to 0: its answer is as large as its input. */
public final class Rectifier {
    private Rectifier() {}

    /** Writes the model with an input {@code x} of one axis to a file. */
    public static void write(Path file, long length) throws IOException {
        var model = new ReferenceModel();
        var type = ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Shape.of(length)));
        model.output("y", model.node("Relu", model.input("x", type)));
        Files.write(file, model.bytes());
    }
}
