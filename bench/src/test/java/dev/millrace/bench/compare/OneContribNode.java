package dev.millrace.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import ai.onnxruntime.OrtSession.SessionOptions.OptLevel;
import dev.millrace.bench.kernels.ReferenceModel;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.Inputs;
import dev.millrace.session.SessionOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A model of one operator of {@code com.microsoft}, run by both engines. */
final class OneContribNode {
    private OneContribNode() {}

    /** Checks one node on all providers; null stands for an input that is left out. */
    static void agrees(
            Engine engine, Path folder, String op, int outputs, Attributes attributes, @Nullable Tensor... given)
            throws Exception {
        var model = new ReferenceModel();
        Inputs inputs = Inputs.empty();
        List<@Nullable Value> operands = new ArrayList<>();
        for (int i = 0; i < given.length; i++) {
            Tensor tensor = given[i];
            operands.add(tensor == null ? null : model.input("in" + i, tensor));
            if (tensor != null) {
                inputs.and("in" + i, tensor);
            }
        }
        String[] names = new String[outputs];
        for (int i = 0; i < outputs; i++) {
            names[i] = "out" + i;
        }
        NodeSpec spec = NodeSpec.of(new OpId(OpId.MICROSOFT, op), 1, operands).with(attributes);
        for (Value output : model.nodes(spec, names)) {
            model.output(output.name(), output);
        }
        Path file = Files.write(folder.resolve("one.onnx"), model.bytes());
        Map<String, Tensor> expected;
        try (var onnxRuntime = new OnnxRuntime(file, 1, OptLevel.ALL_OPT)) {
            onnxRuntime.create();
            expected = onnxRuntime.answer(inputs);
        }
        for (List<String> providers : List.of(List.of("cpu"), List.of("simd", "cpu"))) {
            var options = SessionOptions.builder();
            providers.forEach(options::provider);
            try (var ours = new Millrace(engine, file, options.build())) {
                ours.create();
                assertThat(Answers.maxAbsDiff(ours.answer(inputs), expected))
                        .as("%s by %s", op, providers)
                        .isLessThan(2e-5);
            }
        }
    }
}
