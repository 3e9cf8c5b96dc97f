package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.format.DataPlace;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.graph.optimise.pass.Level;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.spi.EpContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of models that are partitioned across several providers. */
class SharedModelTest {
    private static final int WIDTH = 24;
    private static final int BATCH = 3;

    @TempDir
    private Path folder = Path.of("");

    private final ScalingFactory scaling = new ScalingFactory();
    private final Engine engine = Engine.create(
            EngineOptions.builder().threads(1).providers(List.of(scaling)).build());
    private final byte[] model = TestModels.scaledSum(WIDTH);
    private Path source = Path.of("");
    private Path target = Path.of("");

    @BeforeEach
    void write() throws IOException {
        source = Files.write(folder.resolve("net.onnx"), model);
        target = folder.resolve("net_ctx.onnx");
    }

    @AfterEach
    void close() {
        engine.close();
    }

    /** Returns options without the optimiser, so that operators are those of the model. */
    private static SessionOptions.Builder options(String... providers) {
        var options = SessionOptions.builder()
                .optimiser(Optimiser.Options.builder().level(Level.DISABLED).build());
        List.of(providers).forEach(options::provider);
        return options;
    }

    private static float[] asked() {
        float[] x = new float[BATCH * WIDTH];
        for (int i = 0; i < x.length; i++) {
            x[i] = (float) Math.sin(i);
        }
        return x;
    }

    /** Returns the model's answer, computed here. */
    private float[] expected() {
        var rows = new ArrayList<float[]>();
        for (Node node : Models.read(model, null).graph().nodes()) {
            rows.add(Objects.requireNonNull(node.requireInput(1).constant()).floats());
        }
        float[] y = asked();
        for (int i = 0; i < y.length; i++) {
            int column = i % WIDTH;
            float scaled = (y[i] + rows.get(0)[column]) * rows.get(1)[column];
            y[i] = scaled + rows.get(2)[column];
        }
        return y;
    }

    private void assertAnswers(Session made) {
        int before = scaling.products.get();
        try (Session session = made;
                Outputs outputs = session.run(Inputs.of("x", Tensor.copyOf(asked(), BATCH, WIDTH)))) {
            assertThat(outputs.get(0).floats()).containsExactly(expected());
        }
        assertThat(scaling.products).hasValue(before + 1);
    }

    /** Returns the operators of the written model, with the provider's name for each context node. */
    private List<String> written() {
        var operators = new ArrayList<String>();
        for (Node node : Models.read(target).graph().nodes()) {
            boolean context = node.op().equals(EpContext.OP);
            operators.add(
                    context
                            ? node.attributes().text(EpContext.SOURCE)
                            : node.op().name());
        }
        return operators;
    }

    @Test
    @Rows(108)
    void aProviderComputesTheMiddleOfAModelThatAnotherComputesTheRestOf() {
        for (String around : List.of("cpu", "simd")) {
            assertAnswers(
                    engine.session(source, options(ScalingFactory.NAME, around).build()));
        }
    }

    @ParameterizedTest
    @EnumSource
    @Rows(108)
    void theMiddleIsCompiledAndTheRestStays(Front front) {
        front.make(engine, source, target, options(ScalingFactory.NAME, "cpu").build());
        assertThat(written()).containsExactly("Add", ScalingFactory.NAME, "Add");
        assertAnswers(engine.session(
                target,
                options(ScalingFactory.NAME, "cpu").disableModelCompile(true).build()));
    }

    @ParameterizedTest
    @EnumSource
    @Rows(108)
    void theContextsOfTwoProvidersComputeOneModel(Front front) throws IOException {
        for (int embed : new int[] {0, 1}) {
            var both = options(ScalingFactory.NAME, "simd").epContext(context -> context.embedMode(embed));
            front.make(engine, source, target, both.build());
            assertThat(written()).containsExactly("simd", ScalingFactory.NAME, "simd");
            for (String provider : List.of("simd", ScalingFactory.NAME)) {
                assertThat(Files.exists(folder.resolve("net_" + provider + ".bin")))
                        .isEqualTo(embed == 0);
            }
            assertAnswers(engine.session(
                    target,
                    options(ScalingFactory.NAME, "simd")
                            .disableModelCompile(true)
                            .build()));
            Files.delete(target);
            for (String provider : List.of("simd", ScalingFactory.NAME)) {
                Files.deleteIfExists(folder.resolve("net_" + provider + ".bin"));
            }
        }
    }

    private ModelOutput.Buffer compiledToBuffer(CompileOptions.Builder options) {
        ModelOutput.Buffer buffer = ModelOutput.buffer();
        engine.compiler(options.binary(folder, "net").build()).compile(ModelInput.file(source), buffer);
        return buffer;
    }

    @Test
    @Rows(36)
    void initializersBesideTheContextNodesOfABufferGoToAFile() throws IOException {
        var options = options(ScalingFactory.NAME, "cpu").build();
        byte[] inside = compiledToBuffer(CompileOptions.of(options)).bytes();
        Path rest = folder.resolve("rest.data");
        assertThat(rest).doesNotExist();
        byte[] bytes = compiledToBuffer(CompileOptions.of(options).externalInitializers("rest.data", 0))
                .bytes();
        assertThat(bytes).hasSizeLessThan(inside.length);

        Files.write(target, bytes);
        assertThat(PlacedTensors.read(target))
                .hasSize(2)
                .allMatch(place -> place.location().equals("rest.data") && place.length() == WIDTH * Float.BYTES);
        assertThat(written()).containsExactly("Add", ScalingFactory.NAME, "Add");
        assertAnswers(engine.session(
                bytes,
                options.toBuilder()
                        .disableModelCompile(true)
                        .externalDataFolder(folder)
                        .epContext(context -> context.filePath(folder.resolve("any.onnx")))
                        .build()));
    }

    @Test
    @Rows(43)
    void aPlacementIsAskedForWhatIsLeftBesideContextNodes() throws IOException {
        var options = options(ScalingFactory.NAME, "cpu").build();
        var asked = new ArrayList<String>();
        var placed = new PlacedTensors(folder.resolve("moved.data"), 0);
        var compiler = engine.compiler(CompileOptions.of(options)
                .placement((name, tensor, original) -> {
                    asked.add(name);
                    return name.equals("a") ? placed.place(name, tensor, original) : null;
                })
                .build());
        compiler.compile(ModelInput.file(source), ModelOutput.file(target));

        assertThat(asked).containsExactlyInAnyOrder("a", "b");
        assertThat(placed.places()).containsOnlyKeys("a");
        assertThat(PlacedTensors.read(target))
                .containsExactly(new DataPlace("moved.data", PlacedTensors.HEADER, WIDTH * Float.BYTES));
        assertAnswers(engine.session(
                target, options.toBuilder().disableModelCompile(true).build()));
    }
}
