package dev.millrace.providers.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.epcontext.ContextGroup;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.session.CompileOptions;
import dev.millrace.session.ModelInput;
import dev.millrace.session.ModelOutput;
import dev.millrace.session.Session;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** Tests context models of what the provider compiles. */
final class ContextSuite {
    /** Rows of weights that are wide enough to be a segment of a binary. */
    private static final int WIDE = 160;

    private final Subject subject;

    ContextSuite(Subject subject) {
        this.subject = subject;
    }

    /** The models of two layers and of three that the provider may compile: of quantised products, or of floats. */
    private static List<List<SmallModel>> pairs() {
        return List.of(
                List.of(SmallModel.quantised(2, WIDE, 3), SmallModel.quantised(3, WIDE, 3)),
                List.of(SmallModel.perceptron(2, WIDE, 3), SmallModel.perceptron(3, WIDE, 3)));
    }

    /** Returns models that the provider compiles into a context; where there are none, the calling test is skipped. */
    private List<SmallModel> compiled() throws IOException {
        try (Subject.Host host = subject.host()) {
            for (List<SmallModel> pair : pairs()) {
                Path probe = subject.file("probe.onnx");
                Path target = subject.file("probe_ctx.onnx");
                Files.write(probe, pair.getFirst().bytes());
                try {
                    compile(
                            host,
                            probe,
                            target,
                            CompileOptions.of(host.options().build()).embed(true));
                    return pair;
                } catch (EngineException e) {
                    assertFalse(Files.exists(target), "a compilation that fails leaves no file");
                    Assumptions.assumeTrue(
                            e.status() == Status.FAIL, () -> "compiling a probe fails otherwise: " + e.getMessage());
                } finally {
                    Files.delete(probe);
                    Files.deleteIfExists(target);
                }
            }
        }
        return Assumptions.abort("the provider compiles nothing of the models for contexts");
    }

    private static void compile(Subject.Host host, Path source, Path target, CompileOptions.Builder options) {
        host.engine()
                .compiler(options.errorIfNothingCompiled(true).build())
                .compile(ModelInput.file(source), ModelOutput.file(target));
    }

    private CompileOptions.Builder options(Subject.Host host) {
        return CompileOptions.of(host.options().build());
    }

    /** Compiles a model with one engine and loads it with another. */
    void reload(boolean isEmbedded) throws IOException {
        SmallModel model = compiled().getFirst();
        Path source = Files.write(subject.file("net.onnx"), model.bytes());
        Path target = subject.file("net_ctx.onnx");
        try (Subject.Host host = subject.host()) {
            compile(host, source, target, options(host).embed(isEmbedded));
        }
        assertEquals(isEmbedded ? 2 : 3, files().size(), () -> "files: " + files());
        Files.delete(source);
        try (Subject.Host host = subject.host();
                Session session = loaded(host, target)) {
            assertTrue(host.takesPart(session), "the provider runs its part of the context model");
            assertAnswers(host, session, model);
        }
    }

    private static Session loaded(Subject.Host host, Path model) {
        return host.engine()
                .session(model, host.options().disableModelCompile(true).build());
    }

    private void assertAnswers(Subject.Host host, Session session, SmallModel model) {
        try (Session reference = host.reference(model.bytes())) {
            for (int rows = 1; rows <= 3; rows++) {
                var inputs = model.inputs(rows, rows);
                RunAnswers.of(session, inputs)
                        .assertEqual(
                                RunAnswers.of(reference, inputs),
                                subject.tests().tolerance(),
                                model.name());
            }
        }
    }

    private List<String> files() {
        try (Stream<Path> files = Files.list(subject.file("."))) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Compiles two models into one binary, and loads them in both orders of closing. */
    void sharing() throws IOException {
        List<SmallModel> models = compiled();
        for (SmallModel model : models) {
            Files.write(source(models, model), model.bytes());
        }
        try (Subject.Host host = subject.host();
                ContextGroup group = ContextGroup.create()) {
            for (SmallModel model : models) {
                compile(
                        host,
                        source(models, model),
                        context(models, model),
                        options(host).group(group));
            }
            group.write();
        }
        List<String> files = files();
        assertEquals(2 * models.size() + 1, files.size(), () -> "two models and one binary: " + files);
        for (boolean firstClosesFirst : new boolean[] {true, false}) {
            try (Subject.Host host = subject.host()) {
                SmallModel early = models.get(firstClosesFirst ? 0 : 1);
                SmallModel late = models.get(firstClosesFirst ? 1 : 0);
                Session first = loaded(host, context(models, early));
                try (Session second = loaded(host, context(models, late))) {
                    assertAnswers(host, first, early);
                    first.close();
                    assertAnswers(host, second, late);
                } finally {
                    first.close();
                }
            }
        }
    }

    private Path source(List<SmallModel> models, SmallModel model) {
        return subject.file("net" + models.indexOf(model) + ".onnx");
    }

    private Path context(List<SmallModel> models, SmallModel model) {
        return subject.file("net" + models.indexOf(model) + "_ctx.onnx");
    }

    /** Damages the binary of a context model, and takes it away. */
    void damage() throws IOException {
        SmallModel model = compiled().getFirst();
        Path source = Files.write(subject.file("net.onnx"), model.bytes());
        Path target = subject.file("net_ctx.onnx");
        try (Subject.Host host = subject.host()) {
            compile(host, source, target, options(host).embed(false));
            Path binary = subject.file(files().stream()
                    .filter(name -> !name.endsWith(".onnx"))
                    .findFirst()
                    .orElseThrow());
            byte[] bytes = Files.readAllBytes(binary);
            bytes[bytes.length - 1] ^= 1;
            Files.write(binary, bytes);
            assertRefused(host, target);
            Files.delete(binary);
            assertRefused(host, target);
            try (Session session = host.session(model.bytes())) {
                assertAnswers(host, session, model);
            }
        }
    }

    private static void assertRefused(Subject.Host host, Path model) {
        var refused =
                assertThrows(EngineException.class, () -> loaded(host, model).close());
        assertEquals(Status.INVALID_GRAPH, refused.status(), refused::getMessage);
    }

    void cancelled() throws IOException {
        SmallModel model = compiled().getFirst();
        Path source = Files.write(subject.file("net.onnx"), model.bytes());
        var cancellation = new Cancellation();
        cancellation.cancel();
        try (Subject.Host host = subject.host()) {
            var cancelled = assertThrows(
                    EngineException.class,
                    () -> compile(
                            host,
                            source,
                            subject.file("net_ctx.onnx"),
                            options(host).cancellation(cancellation)));
            assertTrue(
                    cancelled.status() == Status.CANCELLED || cancelled.status() == Status.MODEL_LOAD_CANCELED,
                    cancelled::getMessage);
        }
        assertEquals(List.of("net.onnx"), files());
    }
}
