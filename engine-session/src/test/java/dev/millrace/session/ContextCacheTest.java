package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.epcontext.EpContextOptions;
import dev.millrace.epcontext.cache.ContextCache;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.format.WriteOptions;
import dev.millrace.session.SessionReport.CacheUse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContextCacheTest {
    private static final int WIDTH = 16;

    @TempDir
    Path folder;

    private Path model = Path.of("");
    private ContextCache cache = ContextCache.in(Path.of(""));
    private Engine engine = Engine.create();

    @BeforeEach
    void open() throws IOException {
        model = folder.resolve("perceptron.onnx");
        cache = ContextCache.in(folder.resolve("cache"));
        write(1);
        reopen(cache);
    }

    private void reopen(ContextCache with) {
        engine.close();
        engine = Engine.create(
                EngineOptions.builder().threads(2).contextCache(with).build());
    }

    @AfterEach
    void close() {
        engine.close();
    }

    private void write(long seed) throws IOException {
        Files.write(model, TestModels.perceptron(2, WIDTH, seed));
    }

    private float[] plain() {
        try (Engine other = Engine.create();
                Session session = other.session(model)) {
            return TestModels.answer(session, WIDTH);
        }
    }

    private CacheUse use() {
        return use(SessionOptions.defaults());
    }

    /**
     * Creates a session, compares its answer with that of a session without a cache, and returns what the cache did.
     */
    private CacheUse use(SessionOptions options) {
        try (Session session = engine.session(model, options)) {
            assertThat(TestModels.answer(session, WIDTH)).containsExactly(plain());
            return session.report().cache();
        }
    }

    @Test
    void theSecondSessionComesFromTheCache() throws IOException {
        assertThat(use()).isEqualTo(CacheUse.FILLED);
        assertThat(use()).isEqualTo(CacheUse.HIT);
        reopen(cache);
        assertThat(use()).isEqualTo(CacheUse.HIT);
        assertThat(cache.bytes()).isPositive();
    }

    @Test
    void aSessionFromTheCacheLooksLikeOneOfTheSource() {
        use();
        try (Session hit = engine.session(model);
                Engine other = Engine.create();
                Session source = other.session(model)) {
            assertThat(hit.report().cache()).isEqualTo(CacheUse.HIT);
            assertThat(hit.report().contextModel()).isNull();
            assertThat(hit.inputs()).isEqualTo(source.inputs());
            assertThat(hit.outputs()).isEqualTo(source.outputs());
        }
    }

    @Test
    void anotherModelInItsPlaceIsCompiled() throws IOException {
        use();
        write(2);
        assertThat(use()).isEqualTo(CacheUse.FILLED);
        assertThat(use()).isEqualTo(CacheUse.HIT);
    }

    @Test
    void anotherModelOfTheSameTimeAndSizeIsCompiled() throws IOException {
        FileTime time = Files.getLastModifiedTime(model);
        use();
        Files.write(model, TestModels.perceptron(2, WIDTH, 3));
        Files.setLastModifiedTime(model, time);
        assertThat(use()).isEqualTo(CacheUse.FILLED);
    }

    @Test
    void theSameModelOfAnotherTimeIsKnown() throws IOException {
        use();
        Files.setLastModifiedTime(model, FileTime.from(Instant.parse("2020-01-01T00:00:00Z")));
        assertThat(use()).isEqualTo(CacheUse.HIT);
    }

    @Test
    void otherSettingsHaveTheirOwnEntry() {
        use();
        var plain = SessionOptions.builder().provider("cpu").build();
        assertThat(use(plain)).isEqualTo(CacheUse.NONE);
        var strict = SessionOptions.builder()
                .provider("simd", Map.of("strict", "true"))
                .provider("cpu")
                .build();
        assertThat(use(strict)).isEqualTo(CacheUse.FILLED);
        assertThat(use()).isEqualTo(CacheUse.HIT);
    }

    @Test
    void damageIsCompiledAnew() throws IOException {
        use();
        List<Path> files;
        try (var all = Files.walk(cache.folder())) {
            files = all.filter(Files::isRegularFile)
                    .filter(file -> !file.endsWith("lock"))
                    .toList();
        }
        assertThat(files).hasSize(3);
        for (Path file : files) {
            byte[] bytes = Files.readAllBytes(file);
            bytes[bytes.length / 2] ^= 0x55;
            Files.write(file, bytes);
            reopen(cache);
            assertThat(use()).as("%s damaged", file).isEqualTo(CacheUse.FILLED);
            Files.write(file, Arrays.copyOf(bytes, bytes.length / 3));
            reopen(cache);
            assertThat(use()).as("%s cut", file).isEqualTo(CacheUse.FILLED);
            Files.delete(file);
            reopen(cache);
            assertThat(use()).as("%s absent", file).isEqualTo(CacheUse.FILLED);
        }
    }

    @Test
    void whatWasMadeWithWarningsIsNothingForWhoTakesThemAsErrors() {
        var strict = SessionOptions.builder().strict(true).build();
        assertThat(use()).isEqualTo(CacheUse.FILLED);
        assertThat(use(strict)).isEqualTo(CacheUse.FILLED);
        assertThat(use(strict)).isEqualTo(CacheUse.HIT);
        assertThat(use()).isEqualTo(CacheUse.HIT);
    }

    /** Two revisions share one graph file by links and have different weights, as in download caches. */
    @Test
    void linksToOneFileHaveTheDataThatLiesBesideEach() throws IOException {
        Path graph = folder.resolve("blob");
        var revisions = List.of(folder.resolve("old/model.onnx"), folder.resolve("now/model.onnx"));
        for (Path revision : revisions) {
            Files.createDirectories(revision.getParent());
            write(revisions.indexOf(revision));
            Models.write(Models.read(model), revision, WriteOptions.externalData("weights.bin", 0));
            Files.move(revision, graph, StandardCopyOption.REPLACE_EXISTING);
            Files.createSymbolicLink(revision, graph);
        }
        for (Path revision : revisions) {
            model = revision;
            assertThat(use()).isEqualTo(CacheUse.FILLED);
            assertThat(use()).isEqualTo(CacheUse.HIT);
        }
    }

    @Test
    void aLinkToDataThatLeadsElsewhereIsFollowedAgain() throws IOException {
        Path linked = folder.resolve("linked/model.onnx");
        Path link = linked.resolveSibling("weights.bin");
        Files.createDirectories(linked.getParent());
        for (String seed : List.of("1", "2")) {
            write(Long.parseLong(seed));
            Models.write(Models.read(model), linked, WriteOptions.externalData("weights.bin", 0));
            Files.move(link, linked.resolveSibling(seed));
        }
        model = linked;
        Files.createSymbolicLink(link, Path.of("1"));
        assertThat(use()).isEqualTo(CacheUse.FILLED);
        assertThat(use()).isEqualTo(CacheUse.HIT);
        Files.delete(link);
        Files.createSymbolicLink(link, Path.of("2"));
        assertThat(use()).isEqualTo(CacheUse.FILLED);
    }

    @Test
    void externalDataCounts() throws IOException {
        Path data = folder.resolve("weights.bin");
        Models.write(
                Models.read(TestModels.perceptron(2, WIDTH, 1), null),
                model,
                WriteOptions.externalData("weights.bin", 0));
        assertThat(use()).isEqualTo(CacheUse.FILLED);
        assertThat(use()).isEqualTo(CacheUse.HIT);
        byte[] bytes = Files.readAllBytes(data);
        bytes[3] ^= 0x01;
        Files.write(data, bytes);
        assertThat(use()).isEqualTo(CacheUse.FILLED);
    }

    @Test
    void aFolderThatCannotBeWrittenKeepsNobodyFromRunning() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "no folder");
        reopen(ContextCache.in(file));
        try (Session session = engine.session(model)) {
            assertThat(TestModels.answer(session, WIDTH)).containsExactly(plain());
            assertThat(session.report().cache()).isEqualTo(CacheUse.FAILED);
            assertThat(session.report().notes()).anyMatch(note -> note.contains(file.toString()));
        }
    }

    @Test
    void theOldestGoesFirst() throws IOException {
        use();
        long bytes = cache.bytes();
        reopen(cache.withMaxBytes(2 * bytes + bytes / 2));
        Path first = model;
        for (int i = 0; i < 3; i++) {
            model = Files.copy(first, folder.resolve("copy" + i + ".onnx"));
            assertThat(use()).isEqualTo(CacheUse.FILLED);
        }
        assertThat(cache.bytes()).isLessThanOrEqualTo(2 * bytes + bytes / 2);
        assertThat(use()).isEqualTo(CacheUse.HIT);
        model = first;
        assertThat(use()).isEqualTo(CacheUse.FILLED);
    }

    @Test
    void manyAtOnceCompileOnce() throws Exception {
        int threads = 8;
        var uses = new ArrayList<CacheUse>();
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            var tasks = new ArrayList<Callable<CacheUse>>();
            for (int i = 0; i < threads; i++) {
                tasks.add(this::use);
            }
            for (var future : pool.invokeAll(tasks)) {
                uses.add(future.get());
            }
        }
        assertThat(uses).containsOnlyOnce(CacheUse.FILLED).hasSize(threads);
        assertThat(uses.stream().filter(CacheUse.HIT::equals)).hasSize(threads - 1);
    }

    @Test
    void aSessionThatWritesItsOwnContextModelLeavesTheCacheAlone() throws IOException {
        var own = SessionOptions.builder()
                .epContext(EpContextOptions.builder().enable(true).build())
                .build();
        try (Session session = engine.session(model, own)) {
            assertThat(session.report().cache()).isEqualTo(CacheUse.NONE);
            assertThat(session.report().contextModel()).isNotNull();
        }
        assertThat(cache.bytes()).isZero();
    }

    @Test
    void optionsOfASessionNameACacheOfTheirOwn() throws IOException {
        ContextCache own = ContextCache.in(folder.resolve("own"));
        assertThat(use(SessionOptions.builder().contextCache(own).build())).isEqualTo(CacheUse.FILLED);
        assertThat(own.bytes()).isPositive();
        assertThat(cache.bytes()).isZero();
    }
}
