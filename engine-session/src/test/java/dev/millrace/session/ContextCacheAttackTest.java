package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.epcontext.cache.ContextCache;
import dev.millrace.providers.spi.ProviderLevel;
import dev.millrace.session.SessionReport.CacheUse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of context caches into whose folder an attacker writes. */
class ContextCacheAttackTest {
    private static final int WIDTH = 16;
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private final FakeFactory fake = new FakeFactory();
    private Path model = Path.of("");
    private ContextCache cache = ContextCache.in(Path.of(""));
    private Engine engine = Engine.create();

    @BeforeEach
    void open() throws IOException {
        assumeTrue(
                FileSystems.getDefault().supportedFileAttributeViews().contains("posix"),
                "who may write a file is known of POSIX file systems only");
        fake.operator = "None";
        model = folder.resolve("perceptron.onnx");
        cache = ContextCache.in(folder.resolve("cache"));
        write(1);
        reopen();
    }

    private void reopen() {
        engine.close();
        engine = TestEngines.with(
                fake, EngineOptions.builder().threads(1).contextCache(cache).build());
    }

    @AfterEach
    void close() {
        engine.close();
    }

    /** Writes a model whose modification time is old enough to distinguish it from later versions. */
    private void write(long seed) throws IOException {
        Files.write(model, TestModels.perceptron(2, WIDTH, seed));
        Files.setLastModifiedTime(model, FileTime.from(Instant.EPOCH.plusSeconds(1_000_000 + seed)));
    }

    private float[] plain() {
        try (Engine other = Engine.create();
                Session session = other.session(model)) {
            return TestModels.answer(session, WIDTH);
        }
    }

    /** Creates a session, compares its answer with that of a session without a cache, and returns its report. */
    private SessionReport report() {
        float[] expected = plain();
        return Assertions.assertTimeoutPreemptively(LONG, () -> {
            try (Session session = engine.session(model)) {
                assertThat(TestModels.answer(session, WIDTH)).containsExactly(expected);
                return session.report();
            }
        });
    }

    private CacheUse use() {
        return report().cache();
    }

    private void assertNotUsed(String why) {
        SessionReport report = report();
        assertThat(report.cache()).isEqualTo(CacheUse.FAILED);
        assertThat(report.notes()).anyMatch(note -> note.contains(cache.folder().toString()) && note.contains(why));
    }

    private Path entry() throws IOException {
        return cache.list().getFirst().folder();
    }

    private static void mode(Path path, String permissions) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }

    private static void giveAway(Path path) throws IOException {
        try {
            Files.setAttribute(path, "unix:uid", 65_534, LinkOption.NOFOLLOW_LINKS);
        } catch (FileSystemException e) {
            Assumptions.abort("only root gives files to another user: " + e);
        }
    }

    private static void makeFifo(Path path) throws IOException, InterruptedException {
        Process made;
        try {
            made = new ProcessBuilder("mkfifo", path.toString()).inheritIO().start();
        } catch (IOException e) {
            Assumptions.abort("there is no mkfifo: " + e);
            return;
        }
        assertThat(made.waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(made.exitValue()).isZero();
    }

    private static List<String> names(Path in) throws IOException {
        try (Stream<Path> files = Files.list(in)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private static void delete(Path entry) throws IOException {
        try (Stream<Path> files = Files.list(entry)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(entry);
    }

    @Test
    void anEntryThatIsALinkIsNotFollowed() throws IOException {
        assertThat(use()).isEqualTo(CacheUse.FILLED);
        Path precious = Files.createDirectory(folder.resolve("precious"));
        Files.writeString(precious.resolve("precious.txt"), "precious");
        Files.writeString(precious.resolve("model.onnx"), "precious, too");
        Path entry = entry();
        delete(entry);
        Files.createSymbolicLink(entry, precious);
        reopen();
        assertNotUsed("symbolic link");
        assertThat(cache.list()).isEmpty();
        cache.prune(0);
        assertThat(names(precious)).containsExactly("model.onnx", "precious.txt");
        assertThat(precious.resolve("model.onnx")).hasContent("precious, too");
    }

    @Test
    void onlyNamesOfTheCacheAreTakenAway() throws IOException {
        assertThat(use()).isEqualTo(CacheUse.FILLED);
        Path entry = entry();
        for (String name : List.of("precious.txt", "id_rsa", "manifest.txt", "model.onnx.bak", "model_simd.bin2")) {
            Files.writeString(entry.resolve(name), name);
        }
        Files.createDirectory(entry.resolve("model_x.bin"));
        write(2);
        assertThat(use()).isEqualTo(CacheUse.FILLED);
        assertThat(use()).isEqualTo(CacheUse.HIT);
        assertThat(names(entry)).contains("precious.txt", "id_rsa", "manifest.txt", "model.onnx.bak", "model_x.bin");
        cache.prune(0);
        assertThat(names(entry))
                .containsExactly(
                        "id_rsa",
                        "lock",
                        "manifest.txt",
                        "model.onnx.bak",
                        "model_simd.bin2",
                        "model_x.bin",
                        "precious.txt");
    }

    @ParameterizedTest
    @ValueSource(strings = {"manifest", "model.onnx", "model_simd.bin"})
    void aFileThatIsALinkGoesAndWhatItLeadsToStays(String name) throws IOException {
        assertThat(use()).isEqualTo(CacheUse.FILLED);
        Path file = entry().resolve(name);
        Path precious = Files.move(file, folder.resolve("precious"));
        byte[] content = Files.readAllBytes(precious);
        Files.createSymbolicLink(file, precious);
        reopen();
        assertThat(use()).isEqualTo(CacheUse.FILLED);
        assertThat(file).isRegularFile();
        assertThat(Files.isSymbolicLink(file)).isFalse();
        assertThat(precious).hasBinaryContent(content);
    }

    @Test
    void aLockThatIsALinkIsNotFollowed() throws IOException {
        assertThat(use()).isEqualTo(CacheUse.FILLED);
        Path lock = entry().resolve("lock");
        Files.delete(lock);
        Files.createSymbolicLink(lock, folder.resolve("made by the cache"));
        write(2);
        assertNotUsed("no regular file");
        assertThat(folder.resolve("made by the cache")).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"manifest", "model.onnx", "model_simd.bin"})
    void aFifoIsNotWaitedFor(String name) throws IOException, InterruptedException {
        assertThat(use()).isEqualTo(CacheUse.FILLED);
        Path file = entry().resolve(name);
        Files.delete(file);
        makeFifo(file);
        reopen();
        assertThat(use()).isEqualTo(CacheUse.FILLED);
        assertThat(file).isRegularFile();
    }

    @Test
    void aLockThatIsAFifoIsNotWaitedForByAnybody() throws IOException, InterruptedException {
        assertThat(use()).isEqualTo(CacheUse.FILLED);
        Path lock = entry().resolve("lock");
        Files.delete(lock);
        makeFifo(lock);
        write(2);
        assertNotUsed("no regular file");
        assertNotUsed("no regular file");
        assertThat(cache.prune(0)).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"rwxrwxrwx", "rwxrwxr-x", "rwx----w-"})
    void aFolderThatOthersMayWriteIsNotUsed(String permissions) throws IOException {
        assertThat(use()).isEqualTo(CacheUse.FILLED);
        mode(cache.folder(), permissions);
        reopen();
        assertNotUsed("chmod 700");
        assertThatThrownBy(() -> cache.list()).isInstanceOf(IOException.class).hasMessageContaining("chmod 700");
        assertThatThrownBy(() -> cache.prune(0)).isInstanceOf(IOException.class).hasMessageContaining("chmod 700");
        mode(cache.folder(), "rwxr-xr-x");
        assertThat(use()).isEqualTo(CacheUse.HIT);
    }

    @Test
    void aFolderOfAnotherUserIsNotUsed() throws IOException {
        assertThat(use()).isEqualTo(CacheUse.FILLED);
        giveAway(cache.folder());
        reopen();
        assertNotUsed("belongs to another user");
    }

    @Test
    void anEntryOfAnotherUserIsNotUsed() throws IOException {
        assertThat(use()).isEqualTo(CacheUse.FILLED);
        giveAway(entry());
        reopen();
        assertNotUsed("belongs to another user");
    }

    @Test
    void aLinkOfOnesOwnMayLeadToTheCache() throws IOException {
        Path real = Files.createDirectory(folder.resolve("real"));
        mode(real, "rwx------");
        Files.createSymbolicLink(cache.folder(), real);
        assertThat(use()).isEqualTo(CacheUse.FILLED);
        reopen();
        assertThat(use()).isEqualTo(CacheUse.HIT);
        giveAway(cache.folder());
        reopen();
        assertNotUsed("belongs to another user");
    }

    @Test
    void whatIsMadeIsForItsUserAlone() throws IOException {
        cache = ContextCache.in(folder.resolve("above/cache"));
        reopen();
        assertThat(use()).isEqualTo(CacheUse.FILLED);
        try (Stream<Path> all = Files.walk(folder.resolve("above"))) {
            assertThat(all.toList())
                    .hasSizeGreaterThan(4)
                    .allSatisfy(path -> assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                            .as(path.toString())
                            .isEqualTo(Files.isDirectory(path) ? "rwx------" : "rw-------"));
        }
    }

    /** An attacker with write access to the parent folder could exchange the cache between its check and its use. */
    @Test
    void aCacheThatOthersMayExchangeIsNotUsed() throws IOException {
        Path above = Files.createDirectory(folder.resolve("above"));
        cache = ContextCache.in(above.resolve("cache"));
        reopen();
        assertThat(use()).isEqualTo(CacheUse.FILLED);
        mode(above, "rwxrwxrwx");
        reopen();
        assertNotUsed(above + ": others may write this folder");
        Files.setAttribute(above, "unix:mode", 01777);
        assertThat(use()).isEqualTo(CacheUse.HIT);
        giveAway(above);
        assertNotUsed(above + ": it belongs to another user");
    }

    /**
     * A thread with write access to the parent folder keeps exchanging the cache for another one with other weights.
     */
    @Test
    void aCacheThatIsExchangedAllTheTimeGivesNoForeignAnswer() throws Exception {
        Path above = Files.createDirectory(folder.resolve("above"));
        cache = ContextCache.in(above.resolve("cache"));
        write(666);
        reopen();
        use();
        Path evil = Files.move(cache.folder(), folder.resolve("evil"));
        write(1);
        reopen();
        use();
        float[] expected = plain();
        mode(above, "rwxrwxrwx");
        Files.setLastModifiedTime(model, FileTime.from(Instant.EPOCH.plusSeconds(1_000_666)));
        var over = new AtomicBoolean();
        Thread attacker = Thread.ofPlatform().start(() -> {
            try {
                while (!over.get()) {
                    Files.move(cache.folder(), folder.resolve("good"));
                    Files.move(evil, cache.folder());
                    spin(Duration.ofMillis(20));
                    Files.move(cache.folder(), evil);
                    Files.move(folder.resolve("good"), cache.folder());
                    spin(Duration.ofMillis(2));
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        try {
            for (int i = 0; i < 200; i++) {
                try (Session session = engine.session(model)) {
                    assertThat(TestModels.answer(session, WIDTH))
                            .as("try %d", i)
                            .containsExactly(expected);
                }
            }
        } finally {
            over.set(true);
            attacker.join();
        }
    }

    private static void spin(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() < end) {
            Thread.onSpinWait();
        }
    }

    @Test
    void aFolderOfAGroupIsUsedWhereThatIsSaid() throws IOException {
        Path volume = Files.createDirectory(folder.resolve("volume"));
        mode(volume, "rwxrwxrwx");
        cache = ContextCache.in(volume);
        reopen();
        assertNotUsed("chmod 700");
        assertThat(names(volume)).isEmpty();
        cache = ContextCache.in(volume).shared();
        reopen();
        assertThat(use()).isEqualTo(CacheUse.FILLED);
        reopen();
        assertThat(use()).isEqualTo(CacheUse.HIT);
        assertThat(cache.list()).hasSize(1);
    }

    @Test
    void aModelThatIsWrittenInPlaceUnderItsOldTimeIsCompiledAgain() throws IOException {
        assertThat(use()).isEqualTo(CacheUse.FILLED);
        assertThat(use()).isEqualTo(CacheUse.HIT);
        FileTime time = Files.getLastModifiedTime(model);
        write(2);
        Files.setLastModifiedTime(model, time);
        assertThat(use()).isEqualTo(CacheUse.FILLED);
    }

    @Test
    void aSourceWhoseStateIsAnotherIsReadOnce() throws IOException {
        assertThat(use()).isEqualTo(CacheUse.FILLED);
        Path manifest = entry().resolve("manifest");
        String before = Files.readString(manifest);
        FileTime time = FileTime.from(Instant.EPOCH.plusSeconds(2_000_000));
        Files.setLastModifiedTime(model, time);
        assertThat(use()).isEqualTo(CacheUse.HIT);
        String after = Files.readString(manifest);
        assertThat(after).isNotEqualTo(before).contains(Long.toString(time.to(TimeUnit.NANOSECONDS)));
        assertThat(use()).isEqualTo(CacheUse.HIT);
        assertThat(manifest).hasContent(after);
    }

    @Test
    void anotherVersionOfAProviderCompilesForItself() {
        assertThat(use()).isEqualTo(CacheUse.FILLED);
        reopen();
        assertThat(use()).isEqualTo(CacheUse.HIT);
        fake.version = "1.0.1";
        reopen();
        assertThat(use()).isEqualTo(CacheUse.FILLED);
        fake.version = "1.0.0";
        reopen();
        assertThat(use()).isEqualTo(CacheUse.HIT);
    }

    @Test
    void anotherLevelOfAProviderCompilesForItself() {
        fake.level = new ProviderLevel("fast", "it has what it needs", "");
        assertThat(use()).isEqualTo(CacheUse.FILLED);
        fake.level = new ProviderLevel("slow", "it lacks something", "add it");
        reopen();
        assertThat(use()).isEqualTo(CacheUse.FILLED);
        fake.level = new ProviderLevel("slow", "that was asked for", "");
        reopen();
        assertThat(use()).isEqualTo(CacheUse.FILLED);
        fake.level = new ProviderLevel("fast", "it has what it needs", "");
        reopen();
        assertThat(use()).isEqualTo(CacheUse.HIT);
    }

    @Test
    void otherDevicesAreCompiledForByThemselves() {
        assertThat(use()).isEqualTo(CacheUse.FILLED);
        fake.driver = Map.of("driver", "2", "firmware", "7", "board", "x");
        reopen();
        assertThat(use()).isEqualTo(CacheUse.FILLED);
        reopen();
        assertThat(use()).isEqualTo(CacheUse.HIT);
    }
}
