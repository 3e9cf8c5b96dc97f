package dev.millrace.graph.optimise;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.format.Models;
import dev.millrace.graph.infer.TypeInference;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.optimise.pass.ConstantEvaluator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("shared")
class OnnxDataOptimiseTest {
    private static final Path DATA = Path.of("../../shared/onnx-data");

    private final Optimiser optimiser =
            new Optimiser(Optimiser.Options.builder().checkEachPatch(true).build(), ConstantEvaluator.NONE);

    @ParameterizedTest
    @ValueSource(strings = {"node", "simple", "pytorch-converted", "pytorch-operator", "light"})
    void everyModelStaysValidAndSettles(String suite) throws IOException {
        if (!Files.isDirectory(DATA.resolve(suite))) {
            System.out.println("skipped: there is no " + DATA.resolve(suite));
            Assumptions.abort("no data");
        }
        var failures = new ArrayList<String>();
        int optimised = 0;
        for (Path model : models(suite)) {
            Graph graph = Models.read(model).graph();
            TypeInference.infer(graph);
            try {
                if (!optimiser.optimise(graph).settled()) {
                    failures.add(model + ": not settled");
                }
                GraphCheck.check(graph);
                optimised++;
            } catch (RuntimeException e) {
                failures.add(model + ": " + e.getMessage());
            }
        }

        assertThat(failures).isEmpty();
        assertThat(optimised).isPositive();
    }

    private static List<Path> models(String suite) throws IOException {
        try (Stream<Path> cases = Files.list(DATA.resolve(suite))) {
            return cases.map(folder -> folder.resolve("model.onnx")).sorted().toList();
        }
    }
}
