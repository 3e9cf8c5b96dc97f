package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.graph.optimise.pass.Level;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.inspect.Inspection;
import dev.millrace.inspect.InspectionJson;
import dev.millrace.inspect.ModelFacts;
import dev.millrace.inspect.Profile;
import dev.millrace.inspect.RunTimeline;
import dev.millrace.providers.testkit.device.ThreadedFactory;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.RunOptions;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the timeline of a run over devices. */
class RunTimelineTest {
    private static final ValueType FOUR = ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.of(4)));
    private static final SessionOptions AS_IT_IS = SessionOptions.builder()
            .optimiser(Optimiser.Options.builder().level(Level.DISABLED).build())
            .provider("one")
            .provider("two")
            .provider("cpu")
            .build();

    /** A chain whose operators two devices and the host do in turns. */
    private static Path model(Path folder) {
        return Command.model(folder.resolve("chain.onnx"), editor -> {
            Value value = editor.addInput("x", FOUR);
            for (String operator : List.of("Neg", "Relu", "Abs", "Neg", "Relu")) {
                value = editor.append(NodeSpec.of(OpId.onnx(operator), 21, value), List.of(value.name() + operator))
                        .requireOutput(0);
            }
            editor.addOutput("y", value);
        });
    }

    @Test
    void eachStreamOfADeviceHasARowAndEachWaitAnArrow(@TempDir Path folder) throws IOException {
        Path file = model(folder);
        var one = new ThreadedFactory("one", 0, "Neg");
        var two = new ThreadedFactory("two", 0, "Relu");
        var timeline = new RunTimeline();
        String json;
        try (Engine engine = Engine.create(EngineOptions.builder()
                        .threads(1)
                        .providers(List.of(one, two))
                        .build());
                Session session = engine.session(file, AS_IT_IS)) {
            Inputs inputs = Inputs.of("x", Tensor.copyOf(new float[4], 4));
            RunOptions options = RunOptions.builder().listener(timeline).build();
            session.run(inputs, options).close();
            session.run(inputs, options).close();
            json = InspectionJson.of(
                    new Inspection("chain", ModelFacts.of(file), session, new Profile(true), timeline), 0);
        }
        assertThat(json.substring(json.indexOf("\"timeline\"")))
                .containsPattern("\"rows\":\\[\"host\",\"(one/\\d+\",\"two/\\d+|two/\\d+\",\"one/\\d+)\"]")
                .containsPattern("\"row\":\"one/\\d+\",\"name\":\"[^\"]*\",\"operator\":\"Neg\"")
                .containsPattern("\"row\":\"host\",\"name\":\"[^\"]*\",\"operator\":\"Abs\"")
                .containsPattern("\"from\":\"one/\\d+\",\"by\":\"two/\\d+\"")
                .containsPattern("\"from\":\"two/\\d+\",\"by\":\"host\"");
        // of the second run alone
        assertThat(json.split("\"operator\":\"Abs\"", -1)).hasSize(2);
    }
}
