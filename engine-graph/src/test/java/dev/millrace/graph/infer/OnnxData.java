package dev.millrace.graph.infer;

import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.proto.GraphProto;
import dev.millrace.graph.proto.ModelProto;
import dev.millrace.graph.proto.TensorProto;
import dev.millrace.graph.proto.ValueInfoProto;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/** ONNX's own test models, which lie beside the repository where they are there. */
final class OnnxData {
    private static final Path ROOT = Path.of("../../shared/onnx-data");

    /** One case: a model and the files of one run of it. */
    record Case(String suite, Path folder) {
        Model model() {
            return Models.read(folder.resolve("model.onnx"));
        }

        /** The model with the tensors of its run as constants in place of its inputs. */
        Model modelOfConstants() throws IOException {
            ModelProto proto = ModelProto.parseFrom(Files.readAllBytes(folder.resolve("model.onnx")));
            GraphProto.Builder graph = proto.getGraph().toBuilder().clearInput();
            var known = new HashSet<String>();
            proto.getGraph().getInitializerList().forEach(tensor -> known.add(tensor.getName()));
            int position = 0;
            for (ValueInfoProto input : proto.getGraph().getInputList()) {
                Path file = folder.resolve("test_data_set_0/input_" + position++ + ".pb");
                if (known.contains(input.getName())) {
                    continue;
                }
                if (Files.exists(file) && input.getType().hasTensorType()) {
                    graph.addInitializer(TensorProto.parseFrom(Files.readAllBytes(file)).toBuilder()
                            .setName(input.getName()));
                } else {
                    graph.addInput(input);
                }
            }
            long version = Math.max(8, proto.getIrVersion());
            return Models.read(
                    proto.toBuilder()
                            .setIrVersion(version)
                            .setGraph(graph)
                            .build()
                            .toByteArray(),
                    folder);
        }

        /** The shape of output {@code index} in the run, or null where it is no tensor. */
        @Nullable
        List<Long> outputShape(int index, ValueInfoProto declared) throws IOException {
            Path file = folder.resolve("test_data_set_0/output_" + index + ".pb");
            return declared.getType().hasTensorType() && Files.exists(file)
                    ? TensorProto.parseFrom(Files.readAllBytes(file)).getDimsList()
                    : null;
        }

        List<ValueInfoProto> declaredOutputs() throws IOException {
            return ModelProto.parseFrom(Files.readAllBytes(folder.resolve("model.onnx")))
                    .getGraph()
                    .getOutputList();
        }

        @Override
        public String toString() {
            return suite + "/" + folder.getFileName();
        }
    }

    private OnnxData() {}

    static List<Case> cases(String... suites) throws IOException {
        Assumptions.assumeTrue(Files.isDirectory(ROOT), () -> "skipped: " + ROOT + " is absent");
        var cases = new ArrayList<Case>();
        for (String suite : suites) {
            try (Stream<Path> folders = Files.list(ROOT.resolve(suite))) {
                folders.filter(folder -> Files.exists(folder.resolve("model.onnx")))
                        .sorted()
                        .forEach(folder -> cases.add(new Case(suite, folder)));
            }
        }
        return cases;
    }
}
