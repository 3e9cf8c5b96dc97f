package dev.millrace.session.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.epcontext.cache.ContextCache;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.ReplaceableSession;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.SessionReport;
import dev.millrace.session.TestModels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the names of sessions whose options set none. */
class SessionNamesTest {
    private static final int WIDTH = 4;

    @TempDir
    private Path folder = Path.of("");

    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(1).build());

    @AfterEach
    void close() {
        engine.close();
    }

    private Path model(String name) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.write(file, TestModels.perceptron(1, WIDTH, 1));
        // old enough for sessions to share it
        return Files.setLastModifiedTime(file, FileTime.from(Instant.EPOCH.plusSeconds(1_000_000)));
    }

    private static SessionOptions named(String name) {
        return SessionOptions.builder().name(name).build();
    }

    @Test
    void aSessionIsCalledAfterItsFile() throws IOException {
        try (Session session = engine.session(model("silero.vad.onnx"));
                Session named = engine.session(model("other.onnx"), named("mine"))) {
            assertThat(session.name()).isEqualTo("silero.vad");
            assertThat(session.label().name()).isEqualTo("silero.vad");
            assertThat(named.name()).isEqualTo("mine");
        }
    }

    @Test
    void withoutAFileASessionIsCalledAfterItsGraph() {
        try (Session session = engine.session(TestModels.perceptron(1, WIDTH, 1), SessionOptions.defaults())) {
            assertThat(session.name()).isEqualTo("perceptron");
        }
    }

    @Test
    void sessionsOfTwoFilesAreToldApartByTheirFolders() throws IOException {
        try (Session first = engine.session(model("a/one/model.onnx"));
                Session second = engine.session(model("b/one/model.onnx"));
                Session third = engine.session(model("c/one/model.onnx"));
                Session again = engine.session(folder.resolve("a/one/model.onnx"))) {
            assertThat(first.name()).isEqualTo("model");
            assertThat(second.name()).isEqualTo("one/model");
            assertThat(third.name()).isEqualTo("c/one/model");
            assertThat(again.name()).isEqualTo("model");
        }
        try (Session alone = engine.session(folder.resolve("b/one/model.onnx"))) {
            assertThat(alone.name()).isEqualTo("model");
        }
    }

    @Test
    void aNameThatWasGivenIsNotGivenAgain() throws IOException {
        try (Session named = engine.session(model("a/first.onnx"), named("model"));
                Session session = engine.session(model("b/model.onnx"))) {
            assertThat(named.name()).isEqualTo("model");
            assertThat(session.name()).isEqualTo("b/model");
        }
    }

    @Test
    void aSessionOutOfACacheIsCalledAfterItsSource() throws IOException {
        Path file = model("net.onnx");
        var cached = SessionOptions.builder()
                .contextCache(ContextCache.in(folder.resolve("cache")))
                .build();
        for (var use : new SessionReport.CacheUse[] {SessionReport.CacheUse.FILLED, SessionReport.CacheUse.HIT}) {
            try (Session session = engine.session(file, cached)) {
                assertThat(session.report().cache()).isEqualTo(use);
                assertThat(session.name()).isEqualTo("net");
            }
        }
    }

    @Test
    void aModelThatTakesThePlaceOfAnotherKeepsItsName() throws IOException {
        try (ReplaceableSession service = ReplaceableSession.of(engine.session(model("v1/net.onnx")))) {
            engine.replace(service, model("v2/net.onnx"));
            assertThat(service.current().name()).isEqualTo("net");
            engine.replace(service, model("v3/net.onnx"), named("third"));
            assertThat(service.current().name()).isEqualTo("third");
        }
    }
}
