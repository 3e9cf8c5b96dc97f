package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.epcontext.BinarySource;
import dev.millrace.epcontext.EpContextOptions;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.Node;
import dev.millrace.providers.spi.EpContext;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of context binaries that callers store and load by themselves. */
class BinaryCallbacksTest extends CompiledTest {
    /** The mask that encrypts bytes, so that the stored bytes never equal those handed over. */
    private static final byte KEY = 0x5a;

    private final List<String> names = new ArrayList<>();
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();

    private OutputStream encrypted(String name) {
        names.add(name);
        return new OutputStream() {
            @Override
            public void write(int single) {
                kept.write(single ^ KEY);
            }
        };
    }

    private byte[] decrypted(String name) {
        names.add(name);
        byte[] bytes = kept.toByteArray();
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] ^= KEY;
        }
        return bytes;
    }

    private byte[] generate() throws IOException {
        ModelOutput.Buffer buffer = ModelOutput.buffer();
        compile(ModelInput.file(source), buffer, options().binaryTarget(this::encrypted, "secret"));
        assertThat(names).containsExactly("secret_simd.bin");
        assertThat(files()).containsExactly("net.onnx");
        names.clear();
        return buffer.bytes();
    }

    private static SessionOptions.Builder from(BinarySource from) {
        return SessionOptions.builder()
                .epContext(EpContextOptions.builder().source(from).build());
    }

    @Test
    @Rows({96, 101})
    void whatATargetTookASourceBringsBack() throws IOException {
        byte[] compiled = generate();
        assertAnswersAsItsSource(compiled, from(name -> MemorySegment.ofArray(decrypted(name))));
        assertThat(names).containsExactly("secret_simd.bin");
    }

    @Test
    @Rows(101)
    void aTargetTakesTheBinaryThatHasAFolderToo() throws IOException {
        Path vault = Files.createDirectory(folder.resolve("vault"));
        for (CompileOptions.Builder both : List.of(
                options().binary(vault, "secret").binaryTarget(this::encrypted, "secret"),
                options().binaryTarget(this::encrypted, "secret").binary(vault, "secret"))) {
            kept.reset();
            names.clear();
            ModelOutput.Buffer buffer = ModelOutput.buffer();
            compile(ModelInput.file(source), buffer, both);
            assertThat(names).containsExactly("secret_simd.bin");
            assertThat(vault).isEmptyDirectory();
            assertThat(files()).containsExactly("net.onnx", "vault");
            assertAnswersAsItsSource(buffer.bytes(), from(name -> MemorySegment.ofArray(decrypted(name))));
        }
    }

    /**
     * If the caller's memory is used directly, weights that are overwritten after the session
     * was created change its answers.
     */
    @Test
    @Rows(104)
    void memoryThatSuitsIsNotCopied() throws IOException {
        byte[] compiled = generate();
        byte[] plain = decrypted("");
        assertThat(answerAfterErasing(compiled, plain, 0))
                .containsOnly(0)
                .isNotEqualTo(answerAfterErasing(compiled, plain, 1));
    }

    /**
     * Returns a session's answer after the memory of its binary, at {@code offset} bytes past a
     * multiple of 64, was zeroed.
     */
    private float[] answerAfterErasing(byte[] compiled, byte[] plain, long offset) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(plain.length + offset, 64)
                    .asSlice(offset, plain.length)
                    .copyFrom(MemorySegment.ofArray(plain));
            try (Session session = engine.session(compiled, from(name -> memory).build());
                    Session same = engine.session(source)) {
                assertThat(answer(session)).containsExactly(answer(same));
                memory.fill((byte) 0);
                return answer(session);
            }
        }
    }

    @Test
    @Rows(104)
    void memoryOfOtherKindsIsCopied() throws IOException {
        byte[] compiled = generate();
        byte[] plain = decrypted("");
        try (Session same = engine.session(source)) {
            assertThat(answerAfterErasing(compiled, plain, 1)).containsExactly(answer(same));
        }
        assertAnswersAsItsSource(compiled, from(name -> MemorySegment.ofArray(plain)));
        try (Arena confined = Arena.ofConfined()) {
            MemorySegment memory = confined.allocate(plain.length, 64).copyFrom(MemorySegment.ofArray(plain));
            assertAnswersAsItsSource(compiled, from(name -> memory));
        }
    }

    /** The file that the model names exists, and could not be loaded. */
    @Test
    @Rows(102)
    void aSourceWinsOverTheFileThatIsThere() throws IOException {
        compile(options());
        Path file = folder.resolve("net_simd.bin");
        byte[] binary = Files.readAllBytes(file);
        Files.write(file, new byte[] {1, 2, 3});
        assertRefused(Status.INVALID_GRAPH, () -> engine.session(target), "net_simd.bin");
        var asked = new ArrayList<String>();
        var options = from(name -> {
            asked.add(name);
            return MemorySegment.ofArray(binary);
        });
        try (Session session =
                        engine.session(target, options.disableModelCompile(true).build());
                Session same = engine.session(source)) {
            assertThat(answer(session)).containsExactly(answer(same));
        }
        assertThat(asked).containsExactly("net_simd.bin");
    }

    /** None of these names a readable file. */
    @ParameterizedTest
    @ValueSource(strings = {"../net_simd.bin", "/vault/7", "C:key", "sub/", ".", "https://keys.example/7?v=2", "a\b"})
    @Rows(102)
    void aSourceIsAskedByTheNameThatTheModelHas(String name) throws IOException {
        compile(options());
        Path file = folder.resolve("net_simd.bin");
        byte[] binary = Files.readAllBytes(file);
        Files.delete(file);
        Model written = Models.read(target);
        for (Node node : written.graph().nodes()) {
            if (node.op().equals(EpContext.OP)) {
                var attributes = new LinkedHashMap<>(node.attributes().asMap());
                attributes.replace(EpContext.CACHE_CONTEXT, Attribute.of(name));
                new GraphEditor(written.graph()).setAttributes(node, Attributes.of(attributes));
            }
        }
        var asked = new ArrayList<String>();
        assertAnswersAsItsSource(Models.toBytes(written), from(wanted -> {
            asked.add(wanted);
            return MemorySegment.ofArray(binary);
        }));
        assertThat(asked).containsExactly(name);
    }

    @Test
    void aModelThatHoldsItsBinaryAsksNobody() {
        ModelOutput.Buffer buffer = ModelOutput.buffer();
        compile(ModelInput.file(source), buffer, options().embed(true));
        assertAnswersAsItsSource(buffer.bytes(), from(name -> MemorySegment.ofArray(decrypted(name))));
        assertThat(names).isEmpty();
    }

    /** A target that is never called would leave in plain text what it is to encrypt. */
    @Test
    void aBinaryInsideOfTheModelHasNoTarget() throws IOException {
        assertRefused(
                Status.INVALID_ARGUMENT,
                () -> compile(options().embed(true).binaryTarget(this::encrypted, "secret")),
                "not both");
        assertThat(files()).containsExactly("net.onnx");
    }

    @Test
    void aTargetThatOpensNoStreamIsTold() throws IOException {
        assertRefused(
                Status.FAIL,
                () -> compile(options().binaryTarget(name -> noStream(), "net")),
                "net_simd.bin",
                "no stream");
        assertThat(files()).containsExactly("net.onnx");
    }

    @Test
    @Rows({97, 98, 99, 100})
    void optionsStayAsTheyWereBuiltAndNullClears() {
        BinarySource some = name -> MemorySegment.ofArray(decrypted(name));
        var context = EpContextOptions.builder();
        assertThat(context.build().source()).isNull();
        EpContextOptions set = context.source(some).build();
        assertThat(context.source(null).build().source()).isNull();
        assertThat(set.source()).isSameAs(some);

        var compiling = options();
        assertThat(compiling.build().binaryTarget()).isNull();
        CompileOptions sends = compiling.binaryTarget(this::encrypted, "secret").build();
        assertThat(compiling.binaryTarget(null, "secret").build().binaryTarget())
                .isNull();
        assertThat(sends.binaryTarget()).isNotNull();
        assertRefused(Status.INVALID_ARGUMENT, () -> compiling.binaryTarget(this::encrypted, noName()), "modelName");
    }

    @SuppressWarnings("NullAway")
    private static String noName() {
        return null;
    }

    @SuppressWarnings("NullAway")
    private static OutputStream noStream() {
        return null;
    }

    @Test
    @Rows({103, 105})
    void whatASourceThrowsOrLacksIsTold() throws IOException {
        byte[] compiled = generate();
        assertRefused(
                Status.FAIL,
                () -> open(compiled, name -> {
                    throw new IOException("no key for " + name);
                }),
                "user's source",
                "no key for secret_simd.bin");
        assertRefused(Status.FAIL, () -> open(compiled, name -> nothing()), "has no memory", "secret_simd.bin");
    }

    /** Returns null, as a source that breaks its contract might. */
    @SuppressWarnings("NullAway")
    private static MemorySegment nothing() {
        return null;
    }

    private void open(byte[] compiled, BinarySource from) {
        engine.session(compiled, from(from).build()).close();
    }

    @Test
    void whatASourceBringsIsCheckedLikeAFile() throws IOException {
        byte[] compiled = generate();
        byte[] damaged = decrypted("");
        damaged[damaged.length - 1] ^= 1;
        assertRefused(Status.INVALID_GRAPH, () -> open(compiled, name -> MemorySegment.ofArray(damaged)), "damaged");
        assertRefused(
                Status.INVALID_GRAPH, () -> open(compiled, name -> MemorySegment.ofArray(new byte[0])), "secret_simd");
    }

    @Test
    @Rows(105)
    void whatATargetThrowsIsToldAndNothingIsWritten() throws IOException {
        assertRefused(
                Status.FAIL,
                () -> compile(options()
                        .binaryTarget(
                                name -> {
                                    throw new IOException("the vault is shut");
                                },
                                "secret")),
                "user's target",
                "the vault is shut");
        assertThat(files()).containsExactly("net.onnx");
    }
}
