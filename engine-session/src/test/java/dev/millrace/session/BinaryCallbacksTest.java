package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.epcontext.BinarySource;
import dev.millrace.epcontext.EpContextOptions;
import dev.millrace.graph.Status;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Context binaries that a user keeps himself. */
class BinaryCallbacksTest extends CompiledTest {
    /** What is kept is never what was handed over. */
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
    @Rows({96, 101, 102})
    void whatATargetTookASourceBringsBack() throws IOException {
        byte[] compiled = generate();
        assertAnswersAsItsSource(compiled, from(name -> MemorySegment.ofArray(decrypted(name))));
        assertThat(names).containsExactly("secret_simd.bin");
    }

    @Test
    @Rows(104)
    void memoryOfAnyKindWillDo() throws IOException {
        byte[] compiled = generate();
        byte[] plain = decrypted("");
        for (long offset : new long[] {0, 1}) {
            try (Arena arena = Arena.ofShared()) {
                MemorySegment memory = arena.allocate(plain.length + 1, 64)
                        .asSlice(offset, plain.length)
                        .copyFrom(MemorySegment.ofArray(plain));
                assertAnswersAsItsSource(compiled, from(name -> memory));
            }
        }
        try (Arena confined = Arena.ofConfined()) {
            MemorySegment memory = confined.allocate(plain.length, 64).copyFrom(MemorySegment.ofArray(plain));
            assertAnswersAsItsSource(compiled, from(name -> memory));
        }
    }

    @Test
    @Rows(102)
    void aSourceIsAskedInPlaceOfTheFolder() throws IOException {
        compile(options());
        byte[] binary = Files.readAllBytes(folder.resolve("net_simd.bin"));
        Files.delete(folder.resolve("net_simd.bin"));
        var options = from(name -> MemorySegment.ofArray(binary));
        assertAnswersAsItsSource(Files.readAllBytes(target), options);
    }

    @Test
    void aModelThatHoldsItsBinaryAsksNobody() {
        ModelOutput.Buffer buffer = ModelOutput.buffer();
        compile(ModelInput.file(source), buffer, options().embed(true));
        assertAnswersAsItsSource(buffer.bytes(), from(name -> MemorySegment.ofArray(decrypted(name))));
        assertThat(names).isEmpty();
    }

    /** A target that is never asked would leave in the open what it is to encrypt. */
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

    /** What a source that does not care for contracts might return. */
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
