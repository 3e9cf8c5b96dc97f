package dev.millrace.codegen.code;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.codegen.asm.Feature;
import dev.millrace.codegen.asm.FeatureSet;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.x86.X86Lowering;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.jar.JarOutputStream;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CodeStoreTest {
    private static final String IDENTITY = "a build\nAVX2";

    @TempDir
    private Path folder;

    private Path file;

    @BeforeEach
    void needsPosix() {
        assumeTrue(
                FileSystems.getDefault().supportedFileAttributeViews().contains("posix"),
                "who may write a file is known of POSIX file systems only");
        file = folder.resolve("kernels.code");
    }

    private static RelocatableCode block(String name, int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return new RelocatableCode(name, bytes);
    }

    private CodeStore with(RelocatableCode... blocks) {
        CodeStore store = CodeStore.open(file, IDENTITY);
        for (RelocatableCode each : blocks) {
            store.add(each);
        }
        store.write();
        return CodeStore.open(file, IDENTITY);
    }

    private static void assertHas(CodeStore store, RelocatableCode block) {
        assertThat(store.find(block.name())).satisfies(found -> {
            assertThat(found).isNotNull();
            assertThat(found.bytes()).isEqualTo(block.bytes());
        });
    }

    @Test
    void whatProcessesAddIsThereForTheNextOne() {
        RelocatableCode first = block("gemm:m=1", 100);
        RelocatableCode second = block("größe:n=2", 0);
        RelocatableCode third = block("conv:k=3", 4_000);
        CodeStore one = with(first, second);
        assertHas(one, first);
        assertThat(one.has(third.name())).isFalse();
        assertThat(one.find(third.name())).isNull();
        CodeStore two = with(third);
        assertHas(two, first);
        assertHas(two, second);
        assertHas(two, third);
        assertThat(folder.toFile().list()).containsExactly("kernels.code");
    }

    @Test
    void anotherBuildOrProcessorBeginsAnew() {
        RelocatableCode block = block("gemm", 10);
        with(block);
        CodeStore other = CodeStore.open(file, IDENTITY + "512");
        assertThat(other.has("gemm")).isFalse();
        RelocatableCode its = block("gemm", 20);
        other.add(its);
        other.write();
        assertHas(CodeStore.open(file, IDENTITY + "512"), its);
        assertThat(CodeStore.open(file, IDENTITY).has("gemm")).isFalse();
    }

    @Test
    void aDamagedFileCountsAsEmpty() throws IOException {
        with(block("gemm", 50), block("conv", 60));
        byte[] good = Files.readAllBytes(file);
        for (int i = 0; i < good.length; i++) {
            byte[] bad = good.clone();
            bad[i] ^= (byte) (1 << i % Byte.SIZE);
            Files.write(file, bad);
            assertThat(CodeStore.open(file, IDENTITY).has("gemm"))
                    .as("byte %d", i)
                    .isFalse();
        }
        for (int length = 0; length < good.length; length++) {
            Files.write(file, Arrays.copyOf(good, length));
            assertThat(CodeStore.open(file, IDENTITY).has("gemm"))
                    .as("%d bytes", length)
                    .isFalse();
        }
    }

    @Test
    void whatOthersMayWriteIsNotRun() throws IOException {
        with(block("gemm", 50));
        for (String loose : new String[] {"rw-rw----", "rw----rw-"}) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(loose));
            assertThat(CodeStore.open(file, IDENTITY).has("gemm")).as(loose).isFalse();
        }
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(CodeStore.open(file, IDENTITY).has("gemm")).isTrue();
    }

    @Test
    void whatAnotherUserWroteIsNotRun() throws IOException {
        with(block("gemm", 50));
        giveAway(file);
        assertThat(CodeStore.open(file, IDENTITY).has("gemm")).isFalse();
    }

    private static void giveAway(Path path) throws IOException {
        try {
            Files.setAttribute(path, "unix:uid", 65_534, LinkOption.NOFOLLOW_LINKS);
        } catch (FileSystemException e) {
            Assumptions.abort("only root gives files to another user: " + e);
        }
    }

    @Test
    void aLinkToAFileOfOnesOwnIsNotRun() throws IOException {
        with(block("gemm", 50));
        Path link = Files.createSymbolicLink(folder.resolve("link.code"), file);
        assertThat(CodeStore.open(link, IDENTITY).has("gemm")).isFalse();
    }

    @Test
    void aFileThatHasASecondNameIsNotRun() throws IOException {
        with(block("gemm", 50));
        Files.createLink(folder.resolve("second.code"), file);
        assertThat(CodeStore.open(file, IDENTITY).has("gemm")).isFalse();
    }

    @Test
    void nothingIsReadFromOrWrittenToAFolderThatOthersMayWrite() throws IOException {
        with(block("gemm", 50));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        CodeStore store = CodeStore.open(file, IDENTITY);
        assertThat(store.has("gemm")).isFalse();
        assertThat(store.refusal()).contains(folder.toString(), "chmod");
        byte[] before = Files.readAllBytes(file);
        store.add(block("conv", 60));
        store.write();
        assertThat(file).hasBinaryContent(before);
        assertThat(folder.toFile().list()).containsExactly("kernels.code");
        Files.setAttribute(folder, "unix:mode", 01777);
        assertThat(CodeStore.open(file, IDENTITY).has("gemm")).isTrue();
    }

    /** Somebody exchanges two links in a folder of his: one leads to a file of the user, the other to his own. */
    @Test
    void linksThatAreExchangedMeanwhileLeadNowhere() throws Exception {
        Path own = Files.createDirectory(folder.resolve("own"));
        file = own.resolve("kernels.code");
        with(block("harmless", 50));
        Path theirs = folder.resolve("theirs.code");
        file = theirs;
        with(block("evil", 50));
        Files.setPosixFilePermissions(theirs, PosixFilePermissions.fromString("rw-rw-rw-"));
        Path shared = Files.createDirectory(folder.resolve("shared"));
        Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxrwxrwx"));
        Path good = shared.resolve("good");
        Path bad = shared.resolve("bad");
        Path link = shared.resolve("kernels.code");
        var over = new AtomicBoolean();
        Thread attacker = Thread.ofPlatform().start(() -> {
            try {
                while (!over.get()) {
                    Files.createSymbolicLink(good, own.resolve("kernels.code"));
                    Files.move(good, link, StandardCopyOption.ATOMIC_MOVE);
                    Files.createSymbolicLink(bad, theirs);
                    Files.move(bad, link, StandardCopyOption.ATOMIC_MOVE);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        try {
            for (int i = 0; i < 3_000; i++) {
                CodeStore store = CodeStore.open(link, IDENTITY);
                assertThat(store.has("evil")).as("evil code at try %d", i).isFalse();
                assertThat(store.has("harmless")).as("a link at try %d", i).isFalse();
            }
        } finally {
            over.set(true);
            attacker.join();
        }
    }

    @Test
    void whatIsWrittenIsForItsUserAlone() throws IOException {
        with(block("gemm", 50));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void aStoreStaysSmall() {
        RelocatableCode[] blocks = new RelocatableCode[20];
        for (int i = 0; i < blocks.length; i++) {
            blocks[i] = block("block " + i, 1 << 19);
        }
        CodeStore store = with(blocks);
        assertHas(store, blocks[0]);
        assertThat(file.toFile().length()).isBetween(3L << 20, 4L << 20);
        assertThat(store.has("block 19")).isFalse();
    }

    @Test
    void aFolderThatIsNotThereIsNoFault() {
        CodeStore store = CodeStore.open(folder.resolve("none").resolve("kernels.code"), IDENTITY);
        store.add(block("gemm", 1));
        store.write();
        assertThat(folder).isEmptyDirectory();
    }

    /** The build of an archive with a class, as a class loader of its own sees it. */
    private @Nullable String buildOf(String archive, @Nullable String digest) throws IOException {
        Path jar = Files.createDirectories(folder.resolve(archive)).resolve("kernels.jar");
        String name = FeatureSet.class.getName().replace('.', '/') + ".class";
        try (var out = new JarOutputStream(Files.newOutputStream(jar));
                InputStream in = FeatureSet.class.getResourceAsStream("/" + name)) {
            out.setLevel(Deflater.NO_COMPRESSION);
            out.putNextEntry(entry(name));
            Objects.requireNonNull(in).transferTo(out);
            if (digest != null) {
                out.putNextEntry(entry("META-INF/dev.millrace.codegen.asm.build"));
                out.write(digest.getBytes(StandardCharsets.US_ASCII));
            }
        }
        Files.setLastModifiedTime(jar, FileTime.from(Instant.EPOCH));
        try (var loader = new URLClassLoader(new URL[] {jar.toUri().toURL()}, ClassLoader.getPlatformClassLoader())) {
            return CodeStore.build(loader.loadClass(FeatureSet.class.getName()));
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    private static ZipEntry entry(String name) {
        var entry = new ZipEntry(name);
        entry.setTimeLocal(LocalDateTime.of(2026, 1, 1, 0, 0));
        return entry;
    }

    @Test
    void buildsAreToldApartByWhatIsInThem() throws IOException {
        String one = buildOf("one", "a".repeat(64));
        assertThat(one).isEqualTo("a".repeat(64) + "\n");
        assertThat(buildOf("copy", "a".repeat(64))).isEqualTo(one);
        assertThat(buildOf("two", "b".repeat(64))).isNotEqualTo(one);
    }

    @Test
    void aBuildThatIsNotToldIsNone() throws IOException {
        assertThat(buildOf("silent", null)).isNull();
        assertThat(CodeStore.build(Test.class)).isNull();
        assertThat(CodeStore.build(Object.class)).isNull();
    }

    @Test
    void classesInFoldersMayBeOfAnotherBuildThanTheirDigest() {
        assertThat(CodeStore.class.getResource("/META-INF/dev.millrace.codegen.code.build"))
                .isNotNull()
                .satisfies(url -> assertThat(url.openStream())
                        .asString(StandardCharsets.US_ASCII)
                        .matches("[0-9a-f]{64}"));
        assertThat(CodeStore.build(CodeStore.class)).isNull();
    }

    @Test
    void keptCodeNeedsNoProgram() {
        CodeStore store = CodeStore.open(file, IDENTITY);
        FeatureSet features = Machine.platform().features();
        assumeTrue(features.has(Feature.AVX2), "this processor runs no code for AVX2");
        try (CodeArena arena = new CodeArena(new CodeMap(null))) {
            var first = new X86Lowering(Target.AVX2, features, arena, store);
            Program nothing = new ProgramBuilder("nothing", Target.AVX2).build();
            assertThat(first.isKept("nothing")).isFalse();
            first.lowerLater("nothing", () -> nothing).call(first.newMemory(), 0, 0, 0, 0, 0, 0);
            store.write();
            CodeStore later = CodeStore.open(file, IDENTITY);
            var second = new X86Lowering(Target.AVX2, features, arena, later);
            assertThat(second.isKept("nothing")).isTrue();
            second.lowerLater("nothing", () -> {
                        throw new AssertionError("nobody needs to know it");
                    })
                    .call(second.newMemory(), 0, 0, 0, 0, 0, 0);
        }
    }

    @Test
    void keptCodeThatWaitsBecomesCallableTogether() {
        CodeStore store = CodeStore.open(file, IDENTITY);
        FeatureSet features = Machine.platform().features();
        assumeTrue(features.has(Feature.AVX2), "this processor runs no code for AVX2");
        List<String> names = List.of("first", "second", "third");
        var map = new CodeMap(null);
        try (CodeArena arena = new CodeArena(new CodeMap(null));
                CodeArena laterArena = new CodeArena(map)) {
            var earlier = new X86Lowering(Target.AVX2, features, arena, store);
            for (String name : names) {
                Program nothing = new ProgramBuilder(name, Target.AVX2).build();
                earlier.lowerLater(name, () -> nothing).call(earlier.newMemory(), 0, 0, 0, 0, 0, 0);
            }
            store.write();
            var later = new X86Lowering(Target.AVX2, features, laterArena, CodeStore.open(file, IDENTITY));
            List<CompiledKernel> kernels = new ArrayList<>();
            for (String name : names) {
                kernels.add(later.lowerLater(name, () -> {
                    throw new AssertionError("nobody needs to know it");
                }));
            }
            assertThat(map.toString()).isEmpty();
            kernels.get(1).call(later.newMemory(), 0, 0, 0, 0, 0, 0);
            assertThat(map.toString()).contains(names);
            String before = map.toString();
            kernels.forEach(kernel -> kernel.call(later.newMemory(), 0, 0, 0, 0, 0, 0));
            later.lowerLater("first", () -> {
                        throw new AssertionError("nobody needs to know it");
                    })
                    .call(later.newMemory(), 0, 0, 0, 0, 0, 0);
            assertThat(map).hasToString(before);
        }
    }
}
