package dev.millrace.bench.suite;

import dev.millrace.cli.ModelArgument;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.format.WriteOptions;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/**
 * Models whose weights are one number each, as light models have them, with random weights and without the softmax at their
 * end: as they are, all their answers are the same, whatever is wrong on the way.
 */
final class RandomWeights {
    private RandomWeights() {}

    static SuiteModel in(SuiteModel light) {
        return () -> {
            ModelArgument model = light.get();
            Model read = Models.read(model.file());
            replace(read.graph());
            Path file = Files.createTempFile("millrace-light", ".onnx");
            file.toFile().deleteOnExit();
            Models.write(read, file, WriteOptions.inline());
            return new ModelArgument(model.label(), file, null);
        };
    }

    private static void replace(Graph graph) {
        var editor = new GraphEditor(graph);
        var random = new Random(31);
        for (Node node : graph.nodes()) {
            Tensor shape = node.is("ConstantOfShape") ? node.requireInput(0).constant() : null;
            if (shape != null) {
                Tensor weights = weights(Shape.of(shape.longs()), random);
                editor.replaceUses(
                        node.requireOutput(0),
                        editor.addConstant(node.requireOutput(0).name() + " at random", weights));
            } else if (node.is("Softmax") && node.requireOutput(0).isGraphOutput()) {
                editor.replaceUses(node.requireOutput(0), node.requireInput(0));
            }
        }
    }

    /** Vectors around 1, since they may be variances, and filters that keep the size of what goes through them. */
    private static Tensor weights(Shape shape, Random random) {
        float[] values = new float[Math.toIntExact(shape.elements())];
        double size = shape.rank() < 2 ? 0 : Math.sqrt(2.0 * shape.dim(0) / values.length);
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) (shape.rank() < 2 ? 0.5 + random.nextDouble() : size * random.nextGaussian());
        }
        return Tensor.copyOf(values, shape.toArray());
    }
}
