package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.epcontext.CompatibilityCheck;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.graph.optimise.pass.Level;
import dev.millrace.providers.spi.Compatibility;
import dev.millrace.providers.spi.EpContext;
import dev.millrace.session.runtime.OpenEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of providers' verdicts on compiled models, and of their faults, as the user of a session sees them. */
class ContextProviderTest {
    @TempDir
    private Path folder = Path.of("");

    private final FakeFactory fake = new FakeFactory();
    private Engine engine = Engine.create();
    private Path source = Path.of("");
    private Path target = Path.of("");

    @BeforeEach
    void open() throws IOException {
        engine.close();
        engine = TestEngines.with(fake);
        source = Files.write(folder.resolve("net.onnx"), TestModels.perceptron(1, 4, 1));
        target = folder.resolve("net_ctx.onnx");
    }

    @AfterEach
    void close() {
        engine.close();
    }

    private static SessionOptions.Builder options() {
        return asWritten().provider(FakeFactory.NAME).provider("cpu");
    }

    /** Returns options without the optimiser, so that operators are those of the model. */
    private static SessionOptions.Builder asWritten() {
        return SessionOptions.builder()
                .optimiser(Optimiser.Options.builder().level(Level.DISABLED).build());
    }

    private List<String> generate() {
        try (Session session = engine.session(
                source, options().config("ep.context_enable", "1").build())) {
            return session.report().notes();
        }
    }

    private void load() {
        load(options().build());
    }

    private void load(SessionOptions options) {
        fake.calls.clear();
        engine.session(target, options).close();
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private static void assertRefused(Status status, Runnable act, String... parts) {
        assertThatThrownBy(act::run)
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(status))
                .hasMessageContainingAll(parts);
    }

    private static SessionOptions suboptimalFails() {
        return options()
                .config("session.fail_on_suboptimal_compiled_model", "1")
                .build();
    }

    @Test
    @Rows({70, 74, 75})
    void aModelIsValidatedBeforeItsProviderIsAskedWhatItTakes() {
        generate();
        load();
        assertThat(fake.calls).startsWith("validate v1", "claim");

        fake.verdict = Compatibility.UNSUPPORTED;
        assertRefused(Status.FAIL, this::load, "not supported", "fake");
        assertThat(fake.calls).containsExactly("validate v1");
    }

    @Test
    @Rows({67, 68, 69, 71})
    void aModelThatWouldRunFasterIfCompiledAgainFailsOnlyWhereThatIsAskedFor() {
        generate();
        fake.verdict = Compatibility.PREFER_RECOMPILATION;
        load();
        assertRefused(Status.FAIL, () -> load(suboptimalFails()), "suboptimal");
        fake.verdict = Compatibility.OPTIMAL;
        load(suboptimalFails());
        fake.verdict = Compatibility.NOT_APPLICABLE;
        load(suboptimalFails());
    }

    @Test
    @Rows(73)
    void aProviderThatCannotTellFailsTheSession() {
        generate();
        fake.failure = new IllegalStateException("the driver is away");
        assertRefused(Status.FAIL, this::load, "Failed to validate", "the driver is away");
    }

    @Test
    @Rows(28)
    void aProviderThatCannotSayWhatItNeedsDoesNotFailTheGeneration() {
        fake.failure = new IllegalStateException("no idea");
        assertThat(generate()).anyMatch(note -> note.contains("'fake'") && note.contains("no idea"));
        fake.failure = null;
        load();
        assertThat(fake.calls).isNotEmpty().noneMatch(call -> call.startsWith("validate"));
    }

    @Test
    @Rows({27, 72})
    void aProviderThatSaysNothingIsNotAsked() {
        fake.info = "";
        generate();
        assertThat(CompatibilityCheck.infos(Models.read(target))).isEmpty();
        load(suboptimalFails());
        assertThat(fake.calls).noneMatch(call -> call.startsWith("validate"));
    }

    @Test
    void anEngineTellsWithoutASession() throws IOException {
        assertThat(engine.compatibility(source)).isEmpty();
        generate();
        for (Compatibility verdict : Compatibility.values()) {
            fake.verdict = verdict;
            assertThat(engine.compatibility(target)).singleElement().satisfies(answer -> {
                assertThat(answer.provider()).isEqualTo("fake");
                assertThat(answer.verdict()).isEqualTo(verdict);
                assertThat(answer.compiledFor()).isEqualTo("v1");
                assertThat(answer.reason()).isNotEmpty();
            });
        }
        assertThat(engine.compatibility(Files.readAllBytes(target))).hasSize(1);
        try (Engine without = Engine.create()) {
            assertThat(without.compatibility(target)).singleElement().satisfies(answer -> {
                assertThat(answer.verdict()).isEqualTo(Compatibility.UNSUPPORTED);
                assertThat(answer.reason()).contains("no provider 'fake'");
            });
        }
        assertRefused(Status.NO_SUCH_FILE, () -> engine.compatibility(folder.resolve("gone.onnx")), "gone.onnx");
    }

    @Test
    @Rows(24)
    void aProviderThatReturnsNoKernelHasCompiledNothing() throws IOException {
        fake.returnsNoKernel = true;
        assertThat(generate()).anyMatch(note -> note.contains("'fake'") && note.contains("no kernel"));
        assertThat(files()).containsExactly("net.onnx");
    }

    @Test
    @Rows(24)
    void aProviderThatKeepsWhatIsNotItsOwnIsRefused() throws IOException {
        fake.keepsWhatIsNotItsOwn = true;
        assertRefused(Status.EP_FAIL, this::generate, "'fake'", "stolen");
        assertThat(files()).containsExactly("net.onnx");
    }

    @Test
    @Rows(65)
    void aProviderThatCannotRunWhatItKeptSaysSoWhenTheSessionIsMade() {
        generate();
        fake.cannotLoad = true;
        assertRefused(Status.NOT_IMPLEMENTED, this::load, "'fake'", "runs no context");
    }

    @Test
    void whoHasCompiledRunsThatWhereWhatItPublishedCannotBeOpened() throws IOException {
        fake.cannotLoad = true;
        assertThat(generate()).anyMatch(note -> note.contains("stays in memory") && note.contains("runs no context"));
        assertThat(files()).containsExactly("net.onnx", "net_ctx.onnx", "net_fake.bin");
    }

    @Test
    @Rows(79)
    void whoHasCompiledOpensWhatItPublished() {
        assertThat(generate()).isEmpty();
        assertThat(fake.calls).containsSubsequence("claim", "validate v1", "claim");
    }

    @Test
    @Rows(10)
    void aModelWithoutAnythingToCompileIsNotWrittenAndIsNoError() throws IOException {
        fake.operator = "Nothing";
        generate();
        assertThat(files()).containsExactly("net.onnx");
    }

    @Test
    @Rows({59, 62})
    void aContextNodeOfAnAbsentProviderIsNamedWithThoseThatThereAre() {
        generate();
        for (String present : List.of("cpu", "simd")) {
            var options = SessionOptions.builder().provider(present).build();
            assertRefused(
                    Status.INVALID_GRAPH,
                    () -> engine.session(target, options),
                    "EPContext",
                    "net_fake_1",
                    "fake",
                    present);
        }
    }

    @Test
    @Rows(66)
    void nodesThatAreLeftToThePlainProviderAreRefusedWhereThatIsAskedFor() {
        var without = asWritten()
                .provider(FakeFactory.NAME)
                .provider("simd")
                .config("session.disable_cpu_ep_fallback", "1")
                .build();
        engine.session(source, without).close();
        var onlyFake = asWritten().provider(FakeFactory.NAME).config("session.disable_cpu_ep_fallback", "1");
        assertRefused(Status.NOT_IMPLEMENTED, () -> engine.session(source, onlyFake.build()), "MatMul");

        byte[] sequences = TestModels.listing();
        engine.session(sequences, asWritten().build()).close();
        assertRefused(
                Status.FAIL,
                () -> engine.session(
                        sequences,
                        asWritten()
                                .config("session.disable_cpu_ep_fallback", "1")
                                .build()),
                "Sequence",
                "left to provider 'cpu'",
                "disableCpuFallback");
        assertRefused(
                Status.INVALID_ARGUMENT,
                () -> engine.session(
                        source,
                        options().config("session.disable_cpu_ep_fallback", "1").build()),
                "Conflicting session configuration");
    }

    @Test
    @Rows(40)
    void whereCompilingIsOffWhatWasCompiledBeforeStillLoads() {
        generate();
        var noCompiling = options().config("session.disable_model_compile", "1").build();
        load(noCompiling);
        assertRefused(Status.MODEL_REQUIRES_COMPILATION, () -> engine.session(source, noCompiling), "'fake'");
    }

    @Test
    @Rows(14)
    void severalPartitionsStandInOneBinaryAlsoInsideOfTheModel() throws IOException {
        Files.write(source, TestModels.perceptron(3, 4, 1));
        for (String embedMode : List.of("0", "1")) {
            engine.session(
                            source,
                            options()
                                    .config("ep.context_enable", "1")
                                    .config("ep.context_embed_mode", embedMode)
                                    .build())
                    .close();
            var holders = new ArrayList<String>();
            int nodes = 0;
            for (Node node : Models.read(target).graph().nodes()) {
                if (node.op().equals(EpContext.OP)) {
                    nodes++;
                    if (node.attributes().find(EpContext.CACHE_CONTEXT) != null) {
                        holders.add(node.name());
                    }
                }
            }
            assertThat(nodes).isEqualTo(3);
            assertThat(holders).containsExactly("net_fake_1");
            load(options().disableModelCompile(true).build());
            Files.delete(target);
        }
        assertThat(files()).containsExactly("net.onnx", "net_fake.bin");
    }

    @Test
    void factoriesStayOpenForTheSessionsOfAClosedEngine() {
        Session one = engine.session(source, options().build());
        Session other = engine.session(source, options().build());
        engine.close();
        one.close();
        one.close();
        assertThat(fake.calls).doesNotContain("close");
        other.close();
        assertThat(fake.calls).containsOnlyOnce("close");
    }

    @Test
    void providersOfTheOptionsTakePartBesideThoseThatAreFound() {
        var given = new FakeFactory();
        var with = EngineOptions.builder().providers(List.of(given)).build();
        try (Engine own = Engine.create(with)) {
            assertThat(own.providers()).contains("fake", "simd").endsWith("cpu");
            own.session(source, options().build()).close();
            assertThat(given.calls).contains("claim").doesNotContain("close");
        }
        assertThat(given.calls).containsOnlyOnce("close");
        assertRefused(
                Status.INVALID_ARGUMENT,
                () -> Engine.create(
                        with.toBuilder().providers(List.of(given, given)).build()),
                "'fake'");
    }

    @Test
    void twoProvidersOfOneNameAreRefused() {
        assertRefused(
                Status.INVALID_ARGUMENT,
                () -> OpenEngine.create(EngineOptions.defaults(), List.of(new FakeFactory(), new FakeFactory())),
                "'fake'");
    }
}
