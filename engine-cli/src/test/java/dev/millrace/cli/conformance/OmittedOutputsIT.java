package dev.millrace.cli.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.proto.GraphProto;
import dev.millrace.graph.proto.ModelProto;
import dev.millrace.session.Engine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the ONNX backend cases of operators with several outputs, with each output omitted in turn. */
@Tag("shared")
@Tag("slow")
class OmittedOutputsIT {
    private static final Path CASES = Path.of("..", "..", "shared", "onnx-data", "node");

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({"all,true", "cpu,false"})
    void theOtherOutputsAreWhatTheyAre(String provider, boolean optimise) throws IOException {
        Assumptions.assumeTrue(Files.isDirectory(CASES), "the ONNX backend cases are not beside this checkout");
        var failed = new ArrayList<String>();
        var operators = new TreeSet<String>();
        try (Engine engine = Engine.create()) {
            var runner = Runners.of(engine, provider, optimise);
            for (BackendCase test : BackendCase.find(List.of(CASES))) {
                ModelProto model = ModelProto.parseFrom(Files.readAllBytes(test.model()));
                boolean passes = givesSeveral(model) && runner.run(test).status() == CaseResult.Status.PASSED;
                for (int left = 0; passes && left < model.getGraph().getOutputCount(); left++) {
                    operators.add(model.getGraph().getNode(0).getOpType());
                    CaseResult result = runner.run(without(test, model, left));
                    if (result.status() != CaseResult.Status.PASSED) {
                        failed.add(test.name() + " without output " + left + ": " + result.message());
                    }
                }
            }
        }
        System.out.println("outputs were left out of " + operators);
        assertThat(failed).isEmpty();
        assertThat(operators).hasSizeGreaterThan(20);
    }

    /** Whether all outputs of the model are those of one node. */
    private static boolean givesSeveral(ModelProto model) {
        GraphProto graph = model.getGraph();
        return graph.getNodeCount() == 1
                && graph.getOutputCount() > 1
                && graph.getOutputList().stream()
                        .allMatch(output -> graph.getNode(0).getOutputList().contains(output.getName()));
    }

    /** Returns a copy of the case whose node omits one of the model's outputs. */
    private BackendCase without(BackendCase test, ModelProto model, int left) throws IOException {
        Path changed = Files.createDirectories(folder.resolve(test.name() + "-" + left));
        var builder = model.toBuilder();
        var graph = builder.getGraphBuilder();
        var node = graph.getNodeBuilder(0);
        node.setOutput(node.getOutputList().indexOf(graph.getOutput(left).getName()), "");
        graph.removeOutput(left);
        Files.write(changed.resolve("model.onnx"), builder.build().toByteArray());
        for (Path data : test.dataSets()) {
            Path copies = Files.createDirectories(changed.resolve(data.getFileName()));
            try (var files = Files.list(data)) {
                for (Path file : files.toList()) {
                    String name = file.getFileName().toString();
                    int output = name.matches("output_\\d+\\.pb") ? Integer.parseInt(name.replaceAll("\\D", "")) : -1;
                    if (output != left) {
                        Files.copy(file, copies.resolve(output > left ? "output_" + (output - 1) + ".pb" : name));
                    }
                }
            }
        }
        return new BackendCase(test.suite(), test.name(), changed);
    }
}
