package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.format.Models;
import dev.millrace.graph.format.WriteOptions;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphCopier;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.providers.spi.EpContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of a model into which the context nodes of several models were merged. */
class MergedContextTest extends CompiledTest {
    private Path second = Path.of("");

    /** Compiles both models, each into a file of its own, and returns the files. */
    private List<Path> compiled(boolean firstEmbedded, boolean secondEmbedded) throws IOException {
        second = Files.write(folder.resolve("second.onnx"), TestModels.perceptron(2, WIDTH, 9));
        Path secondTarget = folder.resolve("second_ctx.onnx");
        compile(options().nodeNamePrefix("one_").embed(firstEmbedded));
        compile(
                ModelInput.file(second),
                ModelOutput.file(secondTarget),
                options().nodeNamePrefix("two_").embed(secondEmbedded));
        return List.of(target, secondTarget);
    }

    /** Returns a model that chains the models, each taking the output of the previous one. */
    private Path merged(List<Path> models) {
        Model first = Models.read(models.getFirst());
        var editor = new GraphEditor(Graph.named("merged"));
        Value value = editor.addInput("x", first.graph().inputs().getFirst().type());
        for (Path each : models) {
            Graph graph = Models.read(each).graph();
            Map<Value, @Nullable Value> stands = new HashMap<>();
            stands.put(graph.inputs().getFirst(), value);
            value = Objects.requireNonNull(
                    GraphCopier.copyInto(graph, editor, null, stands, GraphCopier.Rewrite.NOTHING)
                            .getFirst());
        }
        editor.addOutput("y", value);
        Path file = folder.resolve("merged.onnx");
        Models.write(
                new Model(first.header(), first.opsets(), first.metadata(), Map.of(), editor.graph(), null),
                file,
                WriteOptions.inline());
        return file;
    }

    private float[] oneAfterTheOther() {
        try (Session one = engine.session(source);
                Session two = engine.session(second);
                Outputs between = one.run(Inputs.of("x", TestModels.halves(WIDTH)));
                Outputs outputs = two.run(Inputs.of("x", between.get(0)))) {
            return outputs.get(0).floats();
        }
    }

    @ParameterizedTest
    @CsvSource({"true, true", "false, false", "true, false"})
    @Rows(57)
    void severalPrimaryNodesOfOneModelAreLoaded(boolean firstEmbedded, boolean secondEmbedded) throws IOException {
        Path merged = merged(compiled(firstEmbedded, secondEmbedded));
        int primary = 0;
        for (Node node : Models.read(merged).graph().nodes()) {
            primary +=
                    node.op().equals(EpContext.OP) && node.attributes().integer(EpContext.MAIN_CONTEXT, 1) == 1 ? 1 : 0;
        }
        assertThat(primary).isEqualTo(2);
        var options = SessionOptions.builder().disableModelCompile(true).build();
        try (Session session = engine.session(merged, options)) {
            assertThat(answer(session)).containsExactly(oneAfterTheOther());
        }
    }
}
