package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.epcontext.ContextGroup;
import dev.millrace.epcontext.EpContextOptions;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Node;
import dev.millrace.providers.spi.EpContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Models that are compiled into one context binary. */
class ContextGroupTest {
    /** Wide enough for each product's weights to be a segment of their own. */
    private static final int WIDTH = 160;

    @TempDir
    private Path folder = Path.of("");

    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(2).build());

    @BeforeEach
    void write() throws IOException {
        model(folder, "one", 3, 5);
        model(folder, "two", 4, 5);
    }

    private static Path model(Path folder, String name, int layers, long seed) throws IOException {
        return Files.write(folder.resolve(name + ".onnx"), TestModels.perceptron(layers, WIDTH, seed));
    }

    @AfterEach
    void close() {
        engine.close();
    }

    /** A model of a group by flags. */
    static SessionOptions sharing(boolean last) {
        return SessionOptions.builder()
                .config("ep.context_enable", "1")
                .config("ep.share_ep_contexts", "1")
                .config("ep.stop_share_ep_contexts", last ? "1" : "0")
                .build();
    }

    private static SessionOptions in(ContextGroup group) {
        return SessionOptions.builder()
                .epContext(EpContextOptions.builder().enable(true).group(group).build())
                .build();
    }

    private void make(String name, SessionOptions options) {
        engine.session(folder.resolve(name + ".onnx"), options).close();
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    /** The context binaries that a model names. */
    private static Set<String> binaries(Path model) {
        var names = new HashSet<String>();
        for (Node node : Models.read(model).graph().nodes()) {
            String name = node.attributes().text(EpContext.CACHE_CONTEXT, "");
            if (!name.isEmpty()) {
                names.add(name);
            }
        }
        return names;
    }

    private static float[] answer(Session session) {
        return TestModels.answer(session, WIDTH);
    }

    /** Opens both without leave to compile, with sharing on, in any order of closing. */
    private void assertBothAnswerAsTheirSources() {
        var shared = SessionOptions.builder()
                .config("ep.share_ep_contexts", "1")
                .disableModelCompile(true)
                .build();
        for (boolean firstClosesFirst : new boolean[] {true, false}) {
            Session one = engine.session(folder.resolve("one_ctx.onnx"), shared);
            Session two = engine.session(folder.resolve("two_ctx.onnx"), shared);
            Session first = firstClosesFirst ? one : two;
            Session second = firstClosesFirst ? two : one;
            String[] names = firstClosesFirst ? new String[] {"one", "two"} : new String[] {"two", "one"};
            assertAnswers(first, names[0]);
            first.close();
            assertAnswers(second, names[1]);
            second.close();
        }
    }

    private void assertAnswers(Session session, String source) {
        try (Session plain = engine.session(folder.resolve(source + ".onnx"))) {
            assertThat(answer(session)).containsExactly(answer(plain));
        }
    }

    private static void assertRefused(Status status, Runnable act, String... parts) {
        assertThatThrownBy(act::run)
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(status))
                .hasMessageContainingAll(parts);
    }

    @Test
    @Rows({82, 83, 85, 86})
    void twoModelsThatShareMakeThreeFiles() throws IOException {
        make("one", sharing(false));
        assertThat(files()).containsExactly("one.onnx", "two.onnx");
        make("two", sharing(true));

        assertThat(files()).containsExactly("one.onnx", "one_ctx.onnx", "one_simd.bin", "two.onnx", "two_ctx.onnx");
        assertThat(binaries(folder.resolve("one_ctx.onnx"))).containsExactly("one_simd.bin");
        assertThat(binaries(folder.resolve("two_ctx.onnx"))).containsExactly("one_simd.bin");
        assertBothAnswerAsTheirSources();
    }

    @Test
    void weightsThatTwoModelsHaveInCommonStandInTheBinaryOnce() throws IOException {
        make("one", sharing(false));
        make("two", sharing(true));
        long together = Files.size(folder.resolve("one_simd.bin"));
        Path apart = Files.createDirectory(folder.resolve("apart"));
        Path target = apart.resolve("two_ctx.onnx");
        make(
                "two",
                SessionOptions.builder()
                        .config("ep.context_enable", "1")
                        .config("ep.context_file_path", target.toString())
                        .build());
        assertThat(together).isLessThan((long) (1.05 * Files.size(apart.resolve("two_simd.bin"))));
    }

    @Test
    void aGroupThatIsNamedIsWrittenWhenItIsTold() throws IOException {
        try (ContextGroup group = ContextGroup.create()) {
            make("one", in(group));
            make("two", in(group));
            assertThat(group.size()).isEqualTo(2);
            assertThat(files()).containsExactly("one.onnx", "two.onnx");
            assertThat(group.write()).containsExactly(folder.resolve("one_ctx.onnx"), folder.resolve("two_ctx.onnx"));
            assertRefused(Status.INVALID_ARGUMENT, () -> make("one", in(group)), "takes no more");
        }
        assertBothAnswerAsTheirSources();
    }

    @Test
    @Rows(84)
    void theCompilerMakesGroupsToo() throws IOException {
        try (ContextGroup group = ContextGroup.create()) {
            ModelCompiler compiler =
                    engine.compiler(CompileOptions.builder().group(group).build());
            for (String name : List.of("one", "two")) {
                compiler.compile(ModelInput.file(folder.resolve(name + ".onnx")), ModelOutput.besideSource());
            }
            group.write();
        }
        assertThat(files()).containsExactly("one.onnx", "one_ctx.onnx", "one_simd.bin", "two.onnx", "two_ctx.onnx");
        assertBothAnswerAsTheirSources();
        assertRefused(
                Status.INVALID_ARGUMENT,
                () -> engine.compiler(CompileOptions.builder()
                                .group(ContextGroup.create())
                                .embed(true)
                                .build())
                        .compile(ModelInput.file(folder.resolve("one.onnx")), ModelOutput.buffer()),
                "ep.context_embed_mode 0");
    }

    @Test
    @Rows({84, 85})
    void theFlagsMakeAGroupOfTheCompilerToo() throws IOException {
        for (String name : List.of("one", "two")) {
            var options = CompileOptions.of(sharing(name.equals("two"))).build();
            engine.compiler(options)
                    .compile(ModelInput.file(folder.resolve(name + ".onnx")), ModelOutput.besideSource());
        }
        assertThat(files()).containsExactly("one.onnx", "one_ctx.onnx", "one_simd.bin", "two.onnx", "two_ctx.onnx");
        assertBothAnswerAsTheirSources();
    }

    @Test
    @Rows(87)
    void whatASessionAsksForEndsWithIt() throws IOException {
        make("one", sharing(true));
        make("two", SessionOptions.builder().config("ep.context_enable", "1").build());
        assertThat(binaries(folder.resolve("one_ctx.onnx"))).containsExactly("one_simd.bin");
        assertThat(binaries(folder.resolve("two_ctx.onnx"))).containsExactly("two_simd.bin");
        Files.delete(folder.resolve("two_ctx.onnx"));
        make("two", SessionOptions.defaults());
        assertThat(folder.resolve("two_ctx.onnx")).doesNotExist();
    }

    @Test
    void aModelThatFailsTakesItsGroupWithIt() throws IOException {
        Files.write(folder.resolve("broken.onnx"), new byte[] {1, 2, 3});
        make("one", sharing(false));
        assertThatThrownBy(() -> make("broken", sharing(true))).isInstanceOf(EngineException.class);
        assertThat(files()).containsExactly("broken.onnx", "one.onnx", "two.onnx");

        make("two", sharing(true));
        assertThat(files())
                .as("the next model is the first of a new group")
                .containsExactly("broken.onnx", "one.onnx", "two.onnx", "two_ctx.onnx", "two_simd.bin");
    }

    @Test
    void aModelThatIsNotThereTakesItsGroupWithItToo() throws IOException {
        make("one", sharing(false));
        assertRefused(Status.NO_SUCH_FILE, () -> make("gone", sharing(true)), "gone.onnx");
        make("two", sharing(true));
        assertThat(files()).containsExactly("one.onnx", "two.onnx", "two_ctx.onnx", "two_simd.bin");
    }

    @Test
    void aNamedGroupOfWhichAModelFailedIsNotWritten() throws IOException {
        ContextGroup group = ContextGroup.create();
        make("one", in(group));
        assertThatThrownBy(() -> make("gone", in(group))).isInstanceOf(EngineException.class);
        assertRefused(Status.INVALID_ARGUMENT, group::write, "one of its models failed", "gone.onnx");
        assertThat(files()).containsExactly("one.onnx", "two.onnx");
    }

    @Test
    void anOutputThatIsThereLeavesNothingOfTheGroup() throws IOException {
        make("one", sharing(false));
        ContextGroup group = ContextGroup.create();
        make("two", in(group));
        Files.writeString(folder.resolve("two_ctx.onnx"), "somebody else's");
        assertRefused(Status.FAIL, group::write, "exists already");
        assertRefused(Status.INVALID_ARGUMENT, group::write, "writing it failed", "exists already");
        assertRefused(Status.FAIL, () -> make("two", sharing(true)), "exists already");
        assertThat(files()).containsExactly("one.onnx", "two.onnx", "two_ctx.onnx");
        assertThat(folder.resolve("two_ctx.onnx")).hasContent("somebody else's");
    }

    @Test
    void twoGroupsAtATimeDoNotMeet() throws IOException {
        Path other = Files.createDirectory(folder.resolve("other"));
        Path third = model(other, "three", 2, 9);
        make("one", sharing(false));
        engine.session(third, sharing(false)).close();
        make("two", sharing(true));
        assertThat(other.resolve("three_ctx.onnx")).doesNotExist();
        engine.session(model(other, "four", 3, 9), sharing(true)).close();

        assertThat(binaries(other.resolve("three_ctx.onnx"))).containsExactly("three_simd.bin");
        assertThat(binaries(other.resolve("four_ctx.onnx"))).containsExactly("three_simd.bin");
        assertBothAnswerAsTheirSources();
    }

    @Test
    void modelsOfOneNameAreToldApart() throws IOException {
        Path other = Files.createDirectory(folder.resolve("other"));
        Path same = model(other, "one", 2, 9);
        ContextGroup group = ContextGroup.create();
        make("one", in(group));
        var options = EpContextOptions.builder()
                .enable(true)
                .group(group)
                .filePath(folder.resolve("same_ctx.onnx"))
                .build();
        engine.session(same, SessionOptions.builder().epContext(options).build())
                .close();
        group.write();

        try (Session one = engine.session(folder.resolve("one_ctx.onnx"));
                Session two = engine.session(folder.resolve("same_ctx.onnx"));
                Session plain = engine.session(same)) {
            assertAnswers(one, "one");
            assertThat(answer(two)).containsExactly(answer(plain));
        }
    }

    @Test
    void modelsOfAGroupLieInOneFolderUnderTheirOwnNames() throws IOException {
        Path other = Files.createDirectory(folder.resolve("other"));
        ContextGroup group = ContextGroup.create();
        make("one", in(group));
        assertRefused(Status.INVALID_ARGUMENT, () -> engine.session(model0(other), in(group)), "lie in one folder");
        ContextGroup again = ContextGroup.create();
        make("one", in(again));
        assertRefused(Status.INVALID_ARGUMENT, () -> make("one", in(again)), "two models of a group");
    }

    private static Path model0(Path other) {
        try {
            return model(other, "zero", 2, 1);
        } catch (IOException e) {
            throw new IllegalStateException("cannot write to " + other, e);
        }
    }

    @Test
    void aGroupThatIsClosedWritesNothing() throws IOException {
        ContextGroup group = ContextGroup.create();
        make("one", in(group));
        group.close();
        assertRefused(Status.INVALID_ARGUMENT, group::write, "closed");
        assertThat(files()).containsExactly("one.onnx", "two.onnx");
    }
}
