package dev.millrace.cli.fire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.conformance.TensorComparison;
import dev.millrace.cli.conformance.Tolerance;
import dev.millrace.cli.fire.Guard.Outcome;
import dev.millrace.epcontext.EpContextOptions;
import dev.millrace.epcontext.Verification;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunOptions;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Context models whose files came to harm: where their binaries are verified, the answer is right or there is none. */
@Tag("fuzz")
@Tag("slow")
class ContextFireIT {
    private static final int ATTEMPTS = 800;
    private static final TensorComparison EXACT = new TensorComparison(new Tolerance(0, 0));

    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(1).build());
    private int right;
    private int other;
    private int refused;

    /** A context model, its binary where that is a file of its own, and an answer of it. */
    private record Context(String name, Path model, Path binary, Inputs inputs, List<Datum> answer) {
        boolean isEmbedded() {
            return model.equals(binary);
        }
    }

    @Test
    void damagedContextsAnswerRightOrAreRefused(@TempDir Path folder) throws Exception {
        var contexts = new ArrayList<Context>();
        for (String name : List.of("perceptron", "convolutions", "attention", "quantised")) {
            for (int embedMode = 0; embedMode <= 1; embedMode++) {
                contexts.add(written(Files.createDirectory(folder.resolve(name + embedMode)), name, embedMode));
            }
        }
        try (engine) {
            Fire.attempts("contexts", ATTEMPTS, this, random -> {
                Path place = Files.createTempDirectory(folder, "damaged");
                Context damaged = contexts.get(random.nextInt(contexts.size()));
                attack(damaged, contexts.get(random.nextInt(contexts.size())), place, random);
                delete(place);
            });
            for (Context context : contexts) {
                assertThat(differs(context, run(context, context.model(), Verification.AT_ONCE, new Cancellation())))
                        .isFalse();
            }
        }
    }

    private Context written(Path folder, String name, int embedMode) throws IOException {
        byte[] model = Objects.requireNonNull(FireModels.all().get(name));
        Path source = Files.write(folder.resolve(name + ".onnx"), model);
        Path context = folder.resolve(name + "_ctx.onnx");
        var options = SessionOptions.builder()
                .epContext(EpContextOptions.builder()
                        .enable(true)
                        .filePath(context)
                        .embedMode(embedMode)
                        .build())
                .build();
        Inputs inputs;
        try (Session session = engine.session(source, options)) {
            inputs = MadeInputs.of(session.inputs(), new Random(2));
        }
        Files.delete(source);
        Path binary = context;
        try (var files = Files.list(folder)) {
            binary = files.filter(file -> file.toString().endsWith(".bin"))
                    .findAny()
                    .orElse(context);
        }
        var written = new Context(name, context, binary, inputs, List.of());
        return new Context(
                name, context, binary, inputs, run(written, context, Verification.AT_ONCE, new Cancellation()));
    }

    private List<Datum> run(Context context, Path model, Verification verification, Cancellation cancellation) {
        var options = SessionOptions.builder()
                .cancellation(cancellation)
                .epContext(EpContextOptions.builder().verification(verification).build())
                .build();
        try (Session session = engine.session(model, options)) {
            Outputs outputs = session.run(
                    context.inputs(),
                    RunOptions.builder().cancellation(cancellation).build());
            return outputs.names().stream().map(outputs::datum).toList();
        }
    }

    private static boolean differs(Context context, List<Datum> answer) {
        if (answer.size() != context.answer().size()) {
            return true;
        }
        for (int i = 0; i < answer.size(); i++) {
            if (EXACT.difference(context.answer().get(i), answer.get(i)) != null) {
                return true;
            }
        }
        return false;
    }

    private void attack(Context context, Context stranger, Path place, Random random) throws IOException {
        Path model = Files.copy(context.model(), place.resolve(context.model().getFileName()));
        Path binary = place.resolve(context.binary().getFileName());
        if (!context.isEmbedded()) {
            Files.copy(context.binary(), binary);
        }
        boolean hitsModel = context.isEmbedded() || random.nextInt(3) == 0;
        damage(hitsModel ? model : binary, context, stranger, random);
        Verification verification = random.nextBoolean() ? Verification.AT_ONCE : Verification.WHEN_TOUCHED;
        Outcome<List<Datum>> outcome = Guard.outcome(
                "a context of " + context.name() + " verified " + verification,
                cancellation -> run(context, model, verification, cancellation));
        List<Datum> answer = outcome.answer();
        if (answer == null) {
            refused++;
        } else if (!differs(context, answer)) {
            right++;
        } else if (hitsModel) {
            // what is not compiled stands in the model as in any other, with nothing to hold it against
            other++;
        } else {
            throw new AssertionError("a damaged binary of " + context.name() + " is taken, and answers otherwise");
        }
    }

    private static void damage(Path file, Context context, Context stranger, Random random) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        int at = random.nextInt(bytes.length);
        switch (random.nextInt(10)) {
            case 0 -> Files.write(file, Arrays.copyOf(bytes, at));
            case 1 -> Files.write(file, Arrays.copyOf(bytes, bytes.length + 1 + at));
            case 2 -> {
                int from = random.nextInt(bytes.length);
                int length = Math.min(random.nextInt(300), bytes.length - Math.max(from, at));
                byte[] moved = Arrays.copyOfRange(bytes, from, from + length);
                System.arraycopy(bytes, at, bytes, from, length);
                System.arraycopy(moved, 0, bytes, at, length);
                Files.write(file, bytes);
            }
            case 3 -> Files.delete(file);
            case 4 -> {
                Files.delete(file);
                Files.createSymbolicLink(file, file.resolveSibling(random.nextBoolean() ? "nowhere" : "."));
            }
            case 5 -> {
                Files.delete(file);
                Files.createSymbolicLink(file, context.binary());
            }
            case 6 -> Files.write(file, Files.readAllBytes(stranger.binary()));
            default -> {
                for (int left = 1 + random.nextInt(6); left > 0; left--) {
                    bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
                }
                Files.write(file, bytes);
            }
        }
    }

    private static void delete(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            files.forEach(file -> {
                try {
                    Files.delete(file);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
        Files.delete(folder);
    }

    @Override
    public String toString() {
        return right + " right, " + refused + " refused, " + other + " other models";
    }
}
