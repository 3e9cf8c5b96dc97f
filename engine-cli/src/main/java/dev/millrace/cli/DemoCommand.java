package dev.millrace.cli;

import dev.millrace.cli.model.KnownModel;
import dev.millrace.cli.model.ModelCache;
import dev.millrace.cli.model.ModelCatalog;
import dev.millrace.cli.show.SessionText;
import dev.millrace.session.Engine;
import dev.millrace.session.Session;
import dev.millrace.text.Embedder;
import dev.millrace.text.Tokenizer;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import reactor.core.publisher.Flux;

/** Shows the engine at work. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        description = "Runs a real sentence model over a stream of sentences and prints what is close to what.")
final class DemoCommand implements Callable<Integer> {
    private static final String QUERY = "How do I run a neural network on the JVM?";
    private static final List<String> SENTENCES = List.of(
            "Inference engines execute deep learning models in Java.",
            "Kotlin developers can serve ONNX models without native code.",
            "The mill wheel turns as long as water flows through the race.",
            "A recipe for bread needs flour, water, salt and patience.",
            "Context binaries make sessions start in milliseconds.",
            "The train to the coast leaves at half past nine.");

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private SessionFlags flags = new SessionFlags();

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        KnownModel model = Objects.requireNonNull(ModelCatalog.find("minilm"));
        ModelCache cache = ModelCache.ofUser();
        Path file = cache.fetch(model);
        Tokenizer tokenizer =
                Tokenizer.read(cache.extra(model, model.extras().getFirst().path()));
        try (Engine engine = flags.engine();
                Session session = engine.session(file, flags.options())) {
            Embedder embedder = Embedder.of(session, tokenizer.unbounded());
            out.println("Model: " + model.description());
            long first = System.nanoTime();
            float[] query = embedder.embed(QUERY);
            double firstMillis = (System.nanoTime() - first) / 1e6;
            out.println("Query: " + QUERY);
            out.flush();
            long start = System.nanoTime();
            // one sentence at a time is asked for, answered, and its memory given back
            List<Answer> answers = embedder.flux(Flux.fromIterable(SENTENCES))
                    .zipWithIterable(
                            SENTENCES, (embedding, sentence) -> new Answer(sentence, Embedder.dot(query, embedding)))
                    .doOnNext(answer -> out.printf("  %5.2f  %s%n", answer.similarity(), answer.sentence()))
                    .collectList()
                    .block();
            double streamMillis = (System.nanoTime() - start) / 1e6;
            int count = Objects.requireNonNull(answers).size();
            out.printf(
                    "%nCreated in %.0f ms, first answer %.0f ms, then %d streamed answers in %.0f ms.%n%n",
                    session.report().creation().toNanos() / 1e6, firstMillis, count, streamMillis);
            SessionText.partitions(session, out);
            out.flush();
        }
        return ExitCode.OK;
    }

    /** A sentence and how close it is to the query. */
    private record Answer(String sentence, double similarity) {}
}
