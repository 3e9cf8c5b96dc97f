package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.epcontext.EpContextOptions;
import dev.millrace.epcontext.Verification;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.format.WriteOptions;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.providers.spi.EpContext;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Context models that were changed, moved or damaged, as the user of a session meets them. {@code -Dmillrace.test.flips} says how
 * many bits are flipped, one at a time.
 */
class ContextRefusalTest {
    private static final int WIDTH = 48;
    private static final int FLIPS = Integer.getInteger("millrace.test.flips", 200);

    @TempDir
    private Path folder = Path.of("");

    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(1).build());
    private Path source = Path.of("");
    private Path target = Path.of("");
    private Path binary = Path.of("");

    @BeforeEach
    void generate() throws IOException {
        source = Files.write(folder.resolve("net.onnx"), TestModels.perceptron(2, WIDTH, 7));
        target = folder.resolve("net_ctx.onnx");
        binary = folder.resolve("net_simd.bin");
        generate(source, "0");
    }

    private void generate(Path model, String embedMode) {
        engine.session(
                        model,
                        SessionOptions.builder()
                                .config("ep.context_enable", "1")
                                .config("ep.context_embed_mode", embedMode)
                                .build())
                .close();
    }

    @AfterEach
    void close() {
        engine.close();
    }

    private float[] load() {
        return load(engine.session(target));
    }

    private static float[] load(Session made) {
        try (Session session = made) {
            return TestModels.answer(session, WIDTH);
        }
    }

    /** Changes the attributes of the first context node. */
    private void edit(Consumer<Map<String, Attribute>> change) {
        Model model = Models.read(target);
        for (Node node : model.graph().nodes()) {
            if (node.op().equals(EpContext.OP)) {
                var attributes = new LinkedHashMap<>(node.attributes().asMap());
                change.accept(attributes);
                new GraphEditor(model.graph()).setAttributes(node, Attributes.of(attributes));
                Models.write(model, target, WriteOptions.inline());
                return;
            }
        }
        throw new AssertionError("there is no context node in " + target);
    }

    private void name(String content) {
        edit(attributes -> attributes.put(EpContext.CACHE_CONTEXT, Attribute.of(content)));
    }

    private static void assertRefused(Status status, Runnable act, String... parts) {
        assertThatThrownBy(act::run)
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(status))
                .hasMessageContainingAll(parts);
    }

    private void assertInvalid(String... parts) {
        assertRefused(Status.INVALID_GRAPH, this::load, parts);
    }

    @Test
    void whatWasWrittenAnswersAsItsSource() {
        assertThat(load()).containsExactly(load(engine.session(source)));
    }

    @Test
    @Rows({47, 106})
    void aBinaryThatIsGoneIsNamedWithItsNode() throws IOException {
        Files.delete(binary);
        assertInvalid("net_simd_1", "net_simd.bin", "does not exist");
    }

    @ParameterizedTest
    @CsvSource({
        "../net_simd.bin, escapes model directory",
        "sub/../../net_simd.bin, escapes model directory",
        "/etc/hostname, is absolute",
        "C:net_simd.bin, is absolute",
        "other.bin, does not exist",
        "'', is empty",
        "., must refer to a file",
        "sub/, must refer to a file",
        "sub, must refer to a file",
        "net.onnx, context binary"
    })
    @Rows({48, 49, 50, 51, 52, 54, 55})
    void aNameThatLeadsElsewhereIsRefused(String name, String why) throws IOException {
        Files.createDirectory(folder.resolve("sub"));
        name(name);
        assertInvalid("net_simd_1", why);
    }

    @Test
    @Rows(53)
    void aLinkThatLeadsOutIsNotFollowed(@TempDir Path outside) throws IOException {
        Path moved = Files.move(binary, outside.resolve("net_simd.bin"));
        Files.createSymbolicLink(binary, moved);
        assertInvalid("escapes model directory");

        Files.createSymbolicLink(folder.resolve("linked"), outside);
        name("linked/net_simd.bin");
        assertInvalid("net_simd_1", "escapes model directory");
    }

    @ParameterizedTest
    @ValueSource(strings = {EpContext.EMBED_MODE, EpContext.MAIN_CONTEXT})
    void aFlagOfANodeIsZeroOrOne(String attribute) {
        edit(attributes -> attributes.put(attribute, Attribute.of(2)));
        assertInvalid("net_simd_1", "'" + attribute + "' is 2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"SIMD", "simd2", "sim", "QNN"})
    @Rows({59, 60, 62})
    void aNodeOfAnotherSourceIsNotClaimed(String other) {
        edit(attributes -> attributes.put(EpContext.SOURCE, Attribute.of(other)));
        assertInvalid("EPContext", "net_simd_1", "'" + other + "'", "simd", "cpu");
    }

    @Test
    @Rows(61)
    void aNodeThatDoesNotSayWhoseItIsIsNobodys() {
        edit(attributes -> attributes.remove(EpContext.SOURCE));
        assertInvalid("EPContext", "net_simd_1");
    }

    @Test
    @Rows(56)
    void theOnlyGraphOfABinaryIsTakenUnderAnyName() {
        float[] before = load();
        edit(attributes -> attributes.put(EpContext.PARTITION, Attribute.of("renamed")));
        assertThat(load()).containsExactly(before);
    }

    @Test
    void theBinaryOfAnotherModelOfTheSameShapesIsNoticed() throws IOException {
        Path other = Files.createDirectory(folder.resolve("other"));
        generate(Files.write(other.resolve("net.onnx"), TestModels.perceptron(2, WIDTH, 8)), "0");
        Files.copy(other.resolve("net_simd.bin"), binary, StandardCopyOption.REPLACE_EXISTING);
        assertInvalid("not the one that was written with this model");
    }

    @Test
    void aFlippedBitIsNoticedWhereverItIs() throws IOException {
        byte[] bytes = Files.readAllBytes(binary);
        var random = new Random(3);
        for (int i = 0; i < FLIPS; i++) {
            byte[] damaged = bytes.clone();
            damaged[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            Files.write(binary, damaged);
            assertInvalid("net_simd.bin");
        }
        Files.write(binary, bytes);
        assertThat(load()).isNotEmpty();
    }

    /** Flips the bits of CRC-32C's generator polynomial, the first of which is its highest power: no checksum changes by that. */
    private static void forge(byte[] image, int at) {
        for (int i = 0; i <= Integer.SIZE; i++) {
            if ((0x1_1EDC_6F41L >>> (Integer.SIZE - i) & 1) != 0) {
                image[at + i / Byte.SIZE] ^= (byte) (1 << i % Byte.SIZE);
            }
        }
    }

    @Test
    void weightsThatWereForgedBehindTheChecksumAreRefused() throws IOException {
        float[] before = load();
        byte[] bytes = Files.readAllBytes(binary);
        byte[] forged = bytes.clone();
        for (int at = bytes.length - 512; at < bytes.length - 8; at += 8) {
            forge(forged, at);
        }
        Files.write(binary, forged);
        assertInvalid("net_simd.bin", "digest");
        var bySum = SessionOptions.builder()
                .epContext(context -> context.verification(Verification.CHECKSUM))
                .build();
        try (Session session = engine.session(target, bySum)) {
            assertThat(load(session)).isNotEqualTo(before);
        }
        Files.write(binary, bytes);
        assertThat(load()).containsExactly(before);
    }

    @Test
    void whatIsVerifiedWhenItIsTouchedAnswersRightOrIsRefusedByTheRunThatMeetsIt() throws IOException {
        float[] before = load();
        byte[] bytes = Files.readAllBytes(binary);
        var lazily = SessionOptions.builder()
                .epContext(context -> context.verification(Verification.WHEN_TOUCHED))
                .build();
        var random = new Random(4);
        int atRun = 0;
        for (int i = 0; i < FLIPS; i++) {
            byte[] damaged = bytes.clone();
            damaged[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            Files.write(binary, damaged);
            boolean opened = false;
            try (Session session = engine.session(target, lazily)) {
                opened = true;
                assertThat(load(session)).as("flip %d", i).containsExactly(before);
            } catch (EngineException e) {
                assertThat(e.status()).isEqualTo(Status.INVALID_GRAPH);
                assertThat(e).hasMessageContaining("net_simd.bin");
                atRun += opened ? 1 : 0;
            }
        }
        assertThat(atRun).isGreaterThan(FLIPS / 2);
        Files.write(binary, bytes);
        assertThat(load(engine.session(target, lazily))).containsExactly(before);
    }

    @Test
    @Rows(106)
    void aBinaryThatWasCutOffIsNoticed() throws IOException {
        byte[] bytes = Files.readAllBytes(binary);
        for (int length : new int[] {0, 1, 63, 64, bytes.length / 2, bytes.length - 1}) {
            Files.write(binary, Arrays.copyOf(bytes, length));
            assertInvalid("net_simd.bin");
        }
    }

    @Test
    @Rows({30, 54})
    void aModelFromMemoryNeedsThePlaceOfItsBinary() throws IOException {
        byte[] bytes = Files.readAllBytes(target);
        assertRefused(
                Status.INVALID_GRAPH,
                () -> engine.session(bytes, SessionOptions.defaults()),
                "requires a model path",
                "ep.context_file_path");
        var there = SessionOptions.builder()
                .config("ep.context_file_path", folder.resolve("any_ctx.onnx").toString())
                .build();
        assertThat(load(engine.session(bytes, there))).containsExactly(load());
    }

    @Test
    void aBinaryThatIsCutShortInPlaceIsNoMatterToWhoHasItOpen() throws IOException {
        float[] before = load();
        try (Session opened = engine.session(target);
                Session ran = engine.session(target)) {
            TestModels.answer(ran, WIDTH);
            try (FileChannel channel = FileChannel.open(binary, StandardOpenOption.WRITE)) {
                channel.truncate(channel.size() / 3);
            }
            for (Session each : List.of(opened, ran)) {
                assertThat(TestModels.answer(each, WIDTH)).containsExactly(before);
            }
            assertInvalid("net_simd.bin", "cut off");
        }
    }

    @Test
    @Rows(7)
    void aFolderIsNoOutputOfAnEmptyGraphEither() throws IOException {
        var editor = new GraphEditor(Graph.named("empty"));
        var type = ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.of(WIDTH)));
        editor.addOutput("y", editor.addInput("x", type));
        byte[] empty = Models.toBytes(TestModels.model(editor.graph()));
        Path file = Files.write(folder.resolve("empty.onnx"), empty);
        var to = EpContextOptions.builder().enable(true).filePath(Files.createDirectory(folder.resolve("out.onnx")));
        var options = SessionOptions.builder().epContext(to.build()).build();
        assertRefused(Status.INVALID_ARGUMENT, () -> engine.session(file, options), "should not point to a folder");
        assertRefused(
                Status.INVALID_ARGUMENT,
                () -> engine.compiler(CompileOptions.defaults())
                        .compile(ModelInput.file(file), ModelOutput.file(folder.resolve("out.onnx"))),
                "should not point to a folder");
    }

    private static SessionOptions loading(String provider) {
        return SessionOptions.builder().provider(provider).build();
    }

    @Test
    @Rows(20)
    void whatAModelFromMemoryHasInExternalDataStandsInItsContextModel() throws IOException {
        float[] before = load();
        Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
        Path external = elsewhere.resolve("net.onnx");
        Models.write(Models.read(source), external, WriteOptions.externalData("weights.bin", 0));
        byte[] bytes = Files.readAllBytes(external);
        Path there = folder.resolve("there_ctx.onnx");
        for (String provider : List.of("simd", "cpu")) {
            var options = SessionOptions.builder()
                    .provider(provider)
                    .config("session.model_external_initializers_file_folder_path", elsewhere.toString())
                    .build();
            float[] expected = load(engine.session(source, loading(provider)));
            engine.compiler(CompileOptions.of(options).build())
                    .compile(ModelInput.buffer(ByteBuffer.wrap(bytes)), ModelOutput.file(there));
            Files.move(elsewhere.resolve("weights.bin"), elsewhere.resolve("away.bin"));
            assertThat(load(engine.session(there, loading(provider))))
                    .as(provider)
                    .containsExactly(expected);
            Files.move(elsewhere.resolve("away.bin"), elsewhere.resolve("weights.bin"));
        }
        Files.delete(there);
        var byOptions = SessionOptions.builder()
                .config("session.model_external_initializers_file_folder_path", elsewhere.toString())
                .config("ep.context_enable", "1")
                .config("ep.context_file_path", there.toString());
        engine.session(bytes, byOptions.build()).close();
        Files.delete(elsewhere.resolve("weights.bin"));
        assertThat(load(engine.session(there))).containsExactly(before);
    }

    @Test
    @Rows(29)
    void aModelThatHoldsItsBinaryNeedsNoPlace() throws IOException {
        float[] before = load();
        Files.delete(target);
        Files.delete(binary);
        generate(source, "1");
        assertThat(binary).doesNotExist();
        byte[] bytes = Files.readAllBytes(target);
        assertThat(load(engine.session(bytes, SessionOptions.defaults()))).containsExactly(before);
    }

    @Test
    @Rows({3, 11, 12})
    void whatIsThereIsNeitherCompiledAgainNorWrittenOver() throws IOException {
        var time = Files.getLastModifiedTime(target);
        assertRefused(Status.FAIL, () -> generate(source, "0"), "exists already");
        assertRefused(Status.INVALID_GRAPH, () -> generate(target, "0"), "net_simd_1", "already compiled");
        assertThat(Files.getLastModifiedTime(target)).isEqualTo(time);
        assertThat(folder.resolve("net_ctx_ctx.onnx")).doesNotExist();
    }

    /** The folder says where data of the source lies, and not where to write. */
    @Test
    @Rows(63)
    void aFolderOfExternalDataIsNoPlaceForWhatIsGenerated() throws IOException {
        Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
        Path external = elsewhere.resolve("net.onnx");
        Models.write(Models.read(source), external, WriteOptions.externalData("weights.bin", 0));
        byte[] bytes = Files.readAllBytes(external);
        var onlyFolder = SessionOptions.builder()
                .config("ep.context_enable", "1")
                .config("session.model_external_initializers_file_folder_path", elsewhere.toString());
        assertRefused(
                Status.FAIL,
                () -> engine.session(bytes, onlyFolder.build()),
                "ep.context_file_path",
                "session.model_external_initializers_file_folder_path");
        try (Stream<Path> files = Files.list(elsewhere)) {
            assertThat(files).containsExactlyInAnyOrder(external, elsewhere.resolve("weights.bin"));
        }

        Path there = folder.resolve("there_ctx.onnx");
        var both = onlyFolder.config("ep.context_file_path", there.toString()).build();
        engine.session(bytes, both).close();
        assertThat(load(engine.session(there))).containsExactly(load());
    }

    @Test
    @Rows({4, 8, 9})
    void aModelFromMemoryIsGeneratedWhereItsOptionsSay() throws IOException {
        byte[] bytes = Files.readAllBytes(source);
        var nowhere = SessionOptions.builder().config("ep.context_enable", "1");
        for (String path : new String[] {null, ""}) {
            var options = path == null ? nowhere : nowhere.config("ep.context_file_path", path);
            assertRefused(
                    Status.FAIL,
                    () -> engine.session(bytes, options.build()),
                    "Please specify a valid ep.context_file_path",
                    "session.model_external_initializers_file_folder_path");
        }
        Path there = folder.resolve("there_ctx.onnx");
        engine.session(
                        bytes,
                        nowhere.config("ep.context_file_path", there.toString()).build())
                .close();
        assertThat(there).exists();
        assertThat(folder.resolve("there_simd.bin")).exists();
    }
}
